// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The requests of the host: one of each channel is kept, and none passes an earlier one that names the same slot.
//!
//! *Reads:* the channels `launch`, `retire` and `exit`; the CTA slot of the warp that is to exit; whether the warps of the CTA that is to retire are
//! live no more. *Writes:* the requests that may be handled; which exit is kept. *Latency:* 1. Implements what waits for what in
//! `docs/interface.md`, section `residency`.

use crate::prelude::*;

/// Sizes as in [`Residency`](super::Residency).
#[block]
pub struct Requests<W, LW, LC, L, KC, KG> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launch: Sink<Launch<W, LC, L, KC, KG>>,
    pub retire: Sink<Retire<LC>>,
    pub exit: Sink<Exit<LW, L>>,
    /// The CTA slot of the warp in `pending_exit`.
    pub exit_cta: Signal<In, Bits<LC>>,
    /// The retirement has taken its first step.
    pub ending: Signal<In, Bit>,
    pub launching: Source<Launch<W, LC, L, KC, KG>>,
    pub retiring: Source<Retire<LC>>,
    pub exiting: Source<Exit<LW, L>>,
    /// The exit that is kept, whether or not it may be handled.
    pub pending_exit: StrobeOut<Exit<LW, L>>,

    launches: Buffer<Launch<W, LC, L, KC, KG>>,
    retires: Buffer<Retire<LC>>,
    exits: Buffer<Exit<LW, L>>,
    /// The one came in a later cycle than the other, which is still kept.
    #[reset]
    retire_after_launch: DFF<Bit>,
    #[reset]
    exit_after_launch: DFF<Bit>,
    #[reset]
    exit_after_retire: DFF<Bit>,
    launch_stays: Signal<Local, Bit>,
    retire_stays: Signal<Local, Bit>,
    retire_waits: Signal<Local, Bit>,
    exit_waits: Signal<Local, Bit>,
}

#[block]
impl Logic for Requests<W, LW, LC, L, KC, KG> {
    fn update(&mut self) {
        Channel::join(&mut self.launch, &mut self.launches.in_);
        Channel::join(&mut self.retire, &mut self.retires.in_);
        Channel::join(&mut self.exit, &mut self.exits.in_);

        // Which came later.
        self.launch_stays.next = self.launches.out.valid.val() & !self.launching.ready.val();
        self.retire_stays.next = self.retires.out.valid.val() & !self.retiring.ready.val();
        self.retire_after_launch.d.next = self.launch_stays.val()
            & (self.retire_after_launch.q.val() | (self.retire.valid.val() & !self.retires.out.valid.val()));
        self.exit_after_launch.d.next =
            self.launch_stays.val() & (self.exit_after_launch.q.val() | (self.exit.valid.val() & !self.exits.out.valid.val()));
        self.exit_after_retire.d.next =
            self.retire_stays.val() & (self.exit_after_retire.q.val() | (self.exit.valid.val() & !self.exits.out.valid.val()));

        // Which must wait; an exit finds out that its warp is live no more as soon as that is so.
        self.retire_waits.next =
            self.retire_after_launch.q.val() & (self.retires.out.payload.val().cta == self.launches.out.payload.val().cta);
        self.exit_waits.next = (self.exit_after_launch.q.val()
            & self.launches.out.payload.val().warps.at(self.exits.out.payload.val().warp))
            | (self.exit_after_retire.q.val()
                & !self.ending.val()
                & (self.retires.out.payload.val().cta == self.exit_cta.val()));

        self.launching.valid.next = self.launches.out.valid.val();
        self.launching.payload.next = self.launches.out.payload.val();
        self.launches.out.ready.next = self.launching.ready.val();
        self.retiring.valid.next = self.retires.out.valid.val() & !self.retire_waits.val();
        self.retiring.payload.next = self.retires.out.payload.val();
        self.retires.out.ready.next = self.retiring.ready.val();
        self.exiting.valid.next = self.exits.out.valid.val() & !self.exit_waits.val();
        self.exiting.payload.next = self.exits.out.payload.val();
        self.exits.out.ready.next = self.exiting.ready.val();
        self.pending_exit.valid.next = self.exits.out.valid.val();
        self.pending_exit.payload.next = self.exits.out.payload.val();
    }
}
