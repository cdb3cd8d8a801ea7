// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who is stopped: warps that are trapped or hang, because an operation of theirs was refused or their state word says so.
//!
//! *Reads:* the strobe of an operation of `named` that has its effects; whose operation another unit refuses; the fault policy. *Writes:* `trapped`; `stopped`, which is those and the ones that
//! hang. *Latency:* 1. Implements the fault policies of `docs/interface.md`, section `warp_status`. A stop takes effect in the cycle after the
//! refusal, whether or not the fault finds its way out.

use crate::prelude::*;

/// `W` warps.
#[block(unit = "warp_status")]
pub struct WarpStatus<W> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// What becomes of a warp whose operation is refused, beside the fault.
    #[group("policy")]
    pub fault_policy: Signal<In, FaultPolicy>,
    pub commit: StrobeIn<StopChange<W>>,
    /// Warps of which another unit has just refused an operation.
    #[group("commit")]
    pub refused: Signal<In, Bits<W>>,
    /// Warps that are trapped.
    #[group("warps")]
    pub trapped: Signal<Out, Bits<W>>,
    /// Warps that are trapped or hang.
    pub stopped: Signal<Out, Bits<W>>,
    #[reset]
    traps: DFF<Bits<W>>,
    #[reset]
    hangs: DFF<Bits<W>>,
    to_stop: Signal<Local, Bits<W>>,
    /// Warps that leave with their CTA; those that are trapped no longer; those that are from now on trapped, and those that hang.
    leaving: Signal<Local, Bits<W>>,
    freed: Signal<Local, Bits<W>>,
    to_trap: Signal<Local, Bits<W>>,
    to_hang: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for WarpStatus<W> {
    fn update(&mut self) {
        self.to_stop.next = self.refused.val();
        if self.commit.valid.val() & self.commit.payload.val().refused {
            self.to_stop.next = self.refused.val() | self.commit.payload.val().warps;
        }

        self.leaving.next = 0.into();
        if self.commit.valid.val() & self.commit.payload.val().leaves {
            self.leaving.next = self.commit.payload.val().warps;
        }
        self.freed.next = self.leaving.val();
        if self.commit.valid.val() & self.commit.payload.val().frees {
            self.freed.next = self.commit.payload.val().warps;
        }
        self.to_trap.next = 0.into();
        if self.commit.valid.val() & self.commit.payload.val().traps {
            self.to_trap.next = self.commit.payload.val().warps;
        }
        if self.fault_policy.val() == FaultPolicy::Trap {
            self.to_trap.next = self.to_trap.val() | self.to_stop.val();
        }
        self.to_hang.next = 0.into();
        if self.fault_policy.val() == FaultPolicy::Hang {
            self.to_hang.next = self.to_stop.val();
        }
        self.traps.d.next = (self.traps.q.val() & !self.freed.val()) | self.to_trap.val();
        self.hangs.d.next = (self.hangs.q.val() & !self.leaving.val()) | self.to_hang.val();

        self.trapped.next = self.traps.q.val();
        self.stopped.next = self.traps.q.val() | self.hangs.q.val();
    }
}
