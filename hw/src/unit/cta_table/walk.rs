// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the warp that is read: that of an exit, else the next one of the walk over all warps.
//!
//! *Reads:* the warp of an exit; the state of the warp that is read; whether the walk is for a launch or a retirement. *Writes:*
//! the warp to read; one cycle later its state, and its role in the launch. *Latency:* 1. Implements the walk of
//! `docs/contract/cta_table.md`.

use crate::prelude::*;

/// The warp that was read in the cycle before.
#[payload]
pub struct Read {
    /// The read was a step of the walk of a retirement.
    pub ended: Bit,
    /// The read was a step of the walk of a launch.
    pub claimed: Bit,
    /// The warp slot belongs to a CTA.
    pub used: Bit,
    /// The launch names the warp.
    pub in_launch: Bit,
    /// The launch names the warp, and not as exited.
    pub begins: Bit,
}

/// `W` warps of `LW` bits, `LC` bits of CTA slot.
#[block]
pub struct Walk<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An exit is taken; its warp is read.
    pub exit: StrobeIn<Bits<LW>>,
    /// An exit is examined: its warp `exiting` is read again.
    pub looks: Signal<In, Bit>,
    /// The warp of that exit.
    pub exiting: Signal<In, Bits<LW>>,
    /// The walk begins at warp 0 in the next cycle.
    pub restart: Signal<In, Bit>,
    /// The walk is that of a retirement.
    pub ends: Signal<In, Bit>,
    /// The walk is that of a launch.
    pub claims: Signal<In, Bit>,
    /// Launch: its warp slots.
    pub warps: Signal<In, Bits<W>>,
    /// Launch: its warps that have exited.
    pub exited: Signal<In, Bits<W>>,
    /// CTA slot of the warp `asked`.
    pub owner: Signal<In, Bits<LC>>,
    /// The warp `asked` is live.
    pub is_live: Signal<In, Bit>,
    /// The warp slot `asked` belongs to a CTA.
    pub is_used: Signal<In, Bit>,
    /// Warps with an operation that has not taken effect yet.
    pub in_flight: Signal<In, Bits<W>>,
    /// The warp to read.
    pub asked: Signal<Out, Bits<LW>>,
    /// The walk reads the last warp.
    pub last: Signal<Out, Bit>,
    pub read: Signal<Out, Read>,
    /// Each step of the walk: the warp that was read in the cycle before.
    pub seen: StrobeOut<SeenWarp<LW, LC>>,
    /// The present warp of the walk.
    #[reset]
    at: DFF<Bits<LW>>,
    #[reset]
    ended: DFF<Bit>,
    #[reset]
    claimed: DFF<Bit>,
    used: DFF<Bit>,
    in_launch: DFF<Bit>,
    begins: DFF<Bit>,
    seen_strobe: StrobeRegister<SeenWarp<LW, LC>>,
    /// The walk makes a step: no exit needs the read.
    step: Signal<Local, Bit>,
    #[init(Constant::new((W as u64 - 1).into()))]
    last_warp: Constant<Bits<LW>>,
    /// 1 if there are fewer warps than numbers of `LW` bits, so that the walk must be set back to 0; else 0.
    #[init(usize::from(W < 1 << LW))]
    _ragged: usize,
}

#[block]
impl Logic for Walk<W, LW, LC> {
    fn update(&mut self) {
        self.step.next = !self.exit.valid.val() & !self.looks.val();
        self.last.next = self.step.val() & (self.at.q.val() == self.last_warp.val());
        self.asked.next = self.at.q.val();
        if self.looks.val() {
            self.asked.next = self.exiting.val();
        }
        if self.exit.valid.val() {
            self.asked.next = self.exit.payload.val();
        }
        if self.step.val() {
            self.at.d.next = self.at.q.val() + 1;
        }
        for _k in 0..self._ragged {
            if self.last.val() {
                self.at.d.next = 0.into();
            }
        }
        if self.restart.val() {
            self.at.d.next = 0.into();
        }
        self.seen_strobe.in_.valid.next = self.step.val();
        self.seen_strobe.in_.payload.next.warp = self.at.q.val();
        self.seen_strobe.in_.payload.next.cta = self.owner.val();
        self.seen_strobe.in_.payload.next.live = self.is_live.val();
        self.seen_strobe.in_.payload.next.in_flight = self.in_flight.val().at(self.at.q.val());
        Strobe::join(&mut self.seen_strobe.out, &mut self.seen);
        self.ended.d.next = self.step.val() & self.ends.val();
        self.claimed.d.next = self.step.val() & self.claims.val();
        self.used.d.next = self.is_used.val();
        self.in_launch.d.next = self.warps.val().at(self.at.q.val());
        self.begins.d.next = self.warps.val().at(self.at.q.val()) & !self.exited.val().at(self.at.q.val());
        self.read.next.ended = self.ended.q.val();
        self.read.next.claimed = self.claimed.q.val();
        self.read.next.used = self.used.q.val();
        self.read.next.in_launch = self.in_launch.q.val();
        self.read.next.begins = self.begins.q.val();
    }
}
