// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warps are stopped: trapped or hung, because an operation of the warp was refused or by a state word.
//!
//! *Reads:* the strobe of an operation of `named` that takes effect; the warps whose operation another unit refuses; the fault
//! policy. *Writes:* the warps that are trapped, and those that are stopped: trapped or hung. *Latency:* 1. Implements the fault
//! policies of `docs/contract/warp_status.md`. A stop takes effect in the cycle after the refusal, whether or not the
//! fault has been taken from its channel.

use crate::prelude::*;

/// `W` warps.
#[block(unit = "warp_status")]
pub struct WarpStatus<W> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Policy for a warp whose operation is refused, besides the fault: none, a trap, or a hang.
    #[group("policy")]
    pub fault_policy: Signal<In, FaultPolicy>,
    pub commit: StrobeIn<StopChange<W>>,
    /// Warps whose operation another unit refuses in this cycle.
    #[group("commit")]
    pub refused: Signal<In, Bits<W>>,
    /// Warps that are trapped.
    #[group("warps")]
    pub trapped: Signal<Out, Bits<W>>,
    /// Warps that are trapped or hung.
    pub stopped: Signal<Out, Bits<W>>,
    /// Warps that are trapped.
    #[reset]
    traps: DFF<Bits<W>>,
    /// Warps that are hung.
    #[reset]
    hangs: DFF<Bits<W>>,
    /// Warps whose operation is refused.
    to_stop: Signal<Local, Bits<W>>,
    /// Warps that are released with their CTA.
    leaving: Signal<Local, Bits<W>>,
    /// Warps that are no longer trapped.
    freed: Signal<Local, Bits<W>>,
    /// Warps that become trapped.
    to_trap: Signal<Local, Bits<W>>,
    /// Warps that become hung.
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
        if self.commit.valid.val() & self.commit.payload.val().cta_release {
            self.leaving.next = self.commit.payload.val().warps;
        }
        self.freed.next = self.leaving.val();
        if self.commit.valid.val() & self.commit.payload.val().untraps {
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
