// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The masks of stopped warps: trapped or hung by a refused operation of the warp, or trapped by a state word.
//!
//! *Reads:* the strobe of an operation of `named` or `gateway` that takes effect; the warps whose operation a different unit
//! refuses; the fault policy. *Writes:* the warps that are trapped, and the warps that are stopped. *Latency:* 1. Implements the
//! fault policies of `docs/contract/warp_status.md`. A stop takes effect in the cycle after the refusal, even if the fault has
//! not been transferred on the fault channel yet.

use crate::prelude::*;

/// `W` warps.
#[block(unit = "warp_status")]
pub struct WarpStatus<W> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Policy for a warp whose operation is refused: report the fault only, or also trap or hang the warp.
    #[group("policy")]
    pub fault_policy: Signal<In, FaultPolicy>,
    pub commit: StrobeIn<StopChange<W>>,
    /// Warps whose operation is refused in this cycle by a unit other than `named` and `gateway`.
    #[group("commit")]
    pub refused: Signal<In, Bits<W>>,
    /// Warps that are trapped.
    #[group("warps")]
    pub trapped: Signal<Out, Bits<W>>,
    /// Warps that are trapped or hung.
    pub stopped: Signal<Out, Bits<W>>,
    /// Warps that are trapped.
    #[reset]
    trapped_q: DFF<Bits<W>>,
    /// Warps that are hung.
    #[reset]
    hung: DFF<Bits<W>>,
    /// Warps whose operation is refused.
    refused_warps: Signal<Local, Bits<W>>,
    /// Warp slots of a CTA whose Release takes effect.
    released_warps: Signal<Local, Bits<W>>,
    /// Warps that are no longer trapped.
    untrapped_warps: Signal<Local, Bits<W>>,
    /// Warps that become trapped.
    newly_trapped: Signal<Local, Bits<W>>,
    /// Warps that become hung.
    newly_hung: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for WarpStatus {
    fn update(&mut self) {
        // The warps of refused operations; and the warps of a CTA whose Release takes effect, which
        // are no longer stopped.
        self.refused_warps.next = self.refused.val();
        if self.commit.valid.val() & self.commit.payload.val().refused {
            self.refused_warps.next = self.refused.val() | self.commit.payload.val().warps;
        }

        self.released_warps.next = 0.into();
        if self.commit.valid.val() & self.commit.payload.val().cta_release {
            self.released_warps.next = self.commit.payload.val().warps;
        }

        // The changes of the trapped warps: by a state word, or by the policy Trap.
        self.untrapped_warps.next = self.released_warps.val();
        if self.commit.valid.val() & self.commit.payload.val().untraps {
            self.untrapped_warps.next = self.commit.payload.val().warps;
        }
        self.newly_trapped.next = 0.into();
        if self.commit.valid.val() & self.commit.payload.val().traps {
            self.newly_trapped.next = self.commit.payload.val().warps;
        }
        if self.fault_policy.val() == FaultPolicy::Trap {
            self.newly_trapped.next = self.newly_trapped.val() | self.refused_warps.val();
        }

        // The changes of the hung warps: by the policy Hang.
        self.newly_hung.next = 0.into();
        if self.fault_policy.val() == FaultPolicy::Hang {
            self.newly_hung.next = self.refused_warps.val();
        }
        self.trapped_q.d.next = (self.trapped_q.q.val() & !self.untrapped_warps.val()) | self.newly_trapped.val();
        self.hung.d.next = (self.hung.q.val() & !self.released_warps.val()) | self.newly_hung.val();

        self.trapped.next = self.trapped_q.q.val();
        self.stopped.next = self.trapped_q.q.val() | self.hung.q.val();
    }
}
