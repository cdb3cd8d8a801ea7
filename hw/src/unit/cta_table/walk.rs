// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warp is read: that of an exit, else the next of the walk over all of them.
//!
//! *Reads:* the warp of an exit; what is known of the warp that is read; what the walk is for. *Writes:* the warp to read; one cycle later what was known of it, and
//! what the launch says of it. *Latency:* 1. Implements the walk of `docs/interface.md`, section `cta_table`.

use crate::prelude::*;

/// The warp that was read.
#[payload]
pub struct Read {
    /// It is one of the walk of a retirement, or of a launch.
    pub ended: Bit,
    pub claimed: Bit,
    /// Its slot belongs to a CTA; the launch names it; it begins.
    pub used: Bit,
    pub in_launch: Bit,
    pub begins: Bit,
}

/// `W` warps of `LW` bits, `LC` bits of CTA slot.
#[block]
pub struct Walk<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// An exit is taken, its warp; it is looked at, and its warp is read anew.
    pub exit: StrobeIn<Bits<LW>>,
    pub looks: Signal<In, Bit>,
    pub exiting: Signal<In, Bits<LW>>,
    /// The walk begins at warp 0 in the next cycle.
    pub restart: Signal<In, Bit>,
    /// It is that of a retirement, or of a launch, which names these warps, of which some have exited.
    pub ends: Signal<In, Bit>,
    pub claims: Signal<In, Bit>,
    pub warps: Signal<In, Bits<W>>,
    pub exited: Signal<In, Bits<W>>,
    /// What is known of the warp `asked`.
    pub owner: Signal<In, Bits<LC>>,
    pub is_live: Signal<In, Bit>,
    pub is_used: Signal<In, Bit>,
    /// Warps of which an operation has yet to have its effects.
    pub in_flight: Signal<In, Bits<W>>,
    pub asked: Signal<Out, Bits<LW>>,
    /// The last warp is read.
    pub last: Signal<Out, Bit>,
    pub read: Signal<Out, Read>,
    pub seen: StrobeOut<SeenWarp<LW, LC>>,
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
    step: Signal<Local, Bit>,
    #[init(Constant::new((W as u64 - 1).into()))]
    last_warp: Constant<Bits<LW>>,
    /// Whether the number behind the last warp is not 0: as many comparisons.
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
