// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who is stopped: warps that are trapped or hang, because an operation of theirs was refused or their state word says so.
//!
//! *Reads:* the strobe of an operation that has its effects; the fault policy. *Writes:* `trapped`; `stopped`, which is those and the ones that
//! hang. *Latency:* 1. Implements the fault policies of `docs/interface.md`, section `stops`. A stop takes effect in the cycle after the
//! refusal, whether or not the fault finds its way out.

use crate::prelude::*;

/// `W` warps.
#[block(unit = "stops")]
pub struct Stops<W> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// What becomes of a warp whose operation is refused, beside the fault.
    #[group("policy")]
    pub fault_policy: Signal<In, FaultPolicy>,
    pub commit: StrobeIn<Commit<W>>,
    /// Warps that are trapped.
    #[group("warps")]
    pub trapped: Signal<Out, Bits<W>>,
    /// Warps that are trapped or hang.
    pub stopped: Signal<Out, Bits<W>>,
    #[reset]
    traps: DFF<Bits<W>>,
    #[reset]
    hangs: DFF<Bits<W>>,
    refused: Signal<Local, Bit>,
    gains: Signal<Local, Bits<W>>,
    loses: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for Stops<W> {
    fn update(&mut self) {
        self.refused.next = self.commit.valid.val() & self.commit.payload.val().refused;

        self.gains.next = 0.into();
        if (self.refused.val() & (self.fault_policy.val() == FaultPolicy::Trap))
            | (self.commit.valid.val() & self.commit.payload.val().traps)
        {
            self.gains.next = self.commit.payload.val().warps;
        }
        self.loses.next = 0.into();
        if self.commit.valid.val() & (self.commit.payload.val().frees | self.commit.payload.val().leaves) {
            self.loses.next = self.commit.payload.val().warps;
        }
        self.traps.d.next = (self.traps.q.val() & !self.loses.val()) | self.gains.val();

        self.gains.next = 0.into();
        if self.refused.val() & (self.fault_policy.val() == FaultPolicy::Hang) {
            self.gains.next = self.commit.payload.val().warps;
        }
        self.loses.next = 0.into();
        if self.commit.valid.val() & self.commit.payload.val().leaves {
            self.loses.next = self.commit.payload.val().warps;
        }
        self.hangs.d.next = (self.hangs.q.val() & !self.loses.val()) | self.gains.val();

        self.trapped.next = self.traps.q.val();
        self.stopped.next = self.traps.q.val() | self.hangs.q.val();
    }
}
