// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the warp whose state is read: the warp of an exit, else the next warp of the walk over all warps.
//!
//! *Reads:* the warp of an exit; the state of the warp that is read; whether the walk is for a launch or a retirement. *Writes:*
//! the warp to read; one cycle later the state of that warp, and its part in the launch or retirement. *Latency:* 1. Implements the
//! walk of `docs/contract/cta_table.md`.

use super::payloads::ReadWarp;
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits.
#[block]
pub struct Walk<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An exit is taken; its warp is read.
    pub exit_taken: StrobeIn<Bits<LW>>,
    /// An exit is examined: its warp `exit_warp` is read again.
    pub exit_examined: Signal<In, Bit>,
    /// The warp of the exit that is examined.
    pub exit_warp: Signal<In, Bits<LW>>,
    /// The walk begins at warp 0 in the next cycle.
    pub restart: Signal<In, Bit>,
    /// The walk over the warps is for a retirement.
    pub for_retire: Signal<In, Bit>,
    /// The walk over the warps is for a launch.
    pub for_launch: Signal<In, Bit>,
    /// Warp slots of the launch.
    pub warps: Signal<In, Bits<W>>,
    /// Warps of the launch that have exited already.
    pub exited: Signal<In, Bits<W>>,
    /// CTA slot of the warp `warp_to_read`.
    pub owner: Signal<In, Bits<LC>>,
    /// The warp `warp_to_read` is live.
    pub is_live: Signal<In, Bit>,
    /// The warp slot `warp_to_read` belongs to a CTA.
    pub is_used: Signal<In, Bit>,
    /// Warps with an operation that has not taken effect yet.
    pub in_flight: Signal<In, Bits<W>>,
    /// The warp to read.
    pub warp_to_read: Signal<Out, Bits<LW>>,
    /// The walk reads the last warp.
    pub at_last_warp: Signal<Out, Bit>,
    pub read_warp: Signal<Out, ReadWarp>,
    /// Each step of the walk: the warp that was read in the cycle before.
    pub walk_step: StrobeOut<WalkStep<LW, LC>>,
    /// The warp at which the walk is.
    #[reset]
    walk_warp: DFF<Bits<LW>>,
    #[reset]
    of_retire: DFF<Bit>,
    #[reset]
    of_launch: DFF<Bit>,
    used: DFF<Bit>,
    in_launch: DFF<Bit>,
    starts_live: DFF<Bit>,
    walk_step_strobe: StrobeRegister<WalkStep<LW, LC>>,
    /// The walk makes a step: no exit needs to read its warp in this cycle.
    advances: Signal<Local, Bit>,
    #[init(Constant::new((W as u64 - 1).into()))]
    last_warp: Constant<Bits<LW>>,
    /// 1 if `W` is not a power of two, so that the counter of the walk must be set back to 0 after the last warp; else 0.
    #[init(usize::from(W < 1 << LW))]
    _ragged: usize,
}

#[block]
impl Logic for Walk {
    fn update(&mut self) {
        // The warp to read: the warp of an exit if there is one. Else the next warp of the walk, and the walk advances.
        self.advances.next = !self.exit_taken.valid.val() & !self.exit_examined.val();
        self.at_last_warp.next = self.advances.val() & (self.walk_warp.q.val() == self.last_warp.val());
        self.warp_to_read.next = self.walk_warp.q.val();
        if self.exit_examined.val() {
            self.warp_to_read.next = self.exit_warp.val();
        }
        if self.exit_taken.valid.val() {
            self.warp_to_read.next = self.exit_taken.payload.val();
        }
        if self.advances.val() {
            self.walk_warp.d.next = self.walk_warp.q.val() + 1;
        }
        for _k in 0..self._ragged {
            if self.at_last_warp.val() {
                self.walk_warp.d.next = 0.into();
            }
        }
        if self.restart.val() {
            self.walk_warp.d.next = 0.into();
        }

        // The state of the warp that is read, and its part in the launch or retirement.
        self.walk_step_strobe.in_.valid.next = self.advances.val();
        self.walk_step_strobe.in_.payload.next.warp = self.walk_warp.q.val();
        self.walk_step_strobe.in_.payload.next.cta = self.owner.val();
        self.walk_step_strobe.in_.payload.next.live = self.is_live.val();
        self.walk_step_strobe.in_.payload.next.in_flight = self.in_flight.val().at(self.walk_warp.q.val());
        Strobe::join(&mut self.walk_step_strobe.out, &mut self.walk_step);
        self.of_retire.d.next = self.advances.val() & self.for_retire.val();
        self.of_launch.d.next = self.advances.val() & self.for_launch.val();
        self.used.d.next = self.is_used.val();
        self.in_launch.d.next = self.warps.val().at(self.walk_warp.q.val());
        self.starts_live.d.next = self.warps.val().at(self.walk_warp.q.val()) & !self.exited.val().at(self.walk_warp.q.val());
        self.read_warp.next.of_retire = self.of_retire.q.val();
        self.read_warp.next.of_launch = self.of_launch.q.val();
        self.read_warp.next.used = self.used.q.val();
        self.read_warp.next.in_launch = self.in_launch.q.val();
        self.read_warp.next.starts_live = self.starts_live.q.val();
    }
}
