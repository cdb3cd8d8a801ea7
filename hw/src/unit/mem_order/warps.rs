// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is known of every warp: looked up for one warp a cycle, and changed for one.
//!
//! *Reads:* the warp to look up; what is outstanding and the change of the one that was looked up in the cycle before; who becomes crowded; whose operation has its
//! effects. *Writes:* what was looked up; what is shown of all warps. *Latency:* 1 from the question to the answer, 2 from a change to what is shown.
//! Implements the state per warp of `docs/interface.md`, section `mem_order`.
//!
//! What no port shows stands in a memory, one word per warp. What ports show follows a cycle later, through one decoder for all of it.

use crate::prelude::*;

/// What is kept of a warp.
#[payload]
pub struct Standing {
    /// How many operations are parked, and in which of its four words the first is.
    pub count: Bits<2>,
    pub place: Bits<2>,
    /// A Sync, a Reduce or a wait was parked since nothing was.
    pub waits: Bit,
    pub fenced: Bit,
    /// It may not issue before what was passed on last has its effects.
    pub stays: Bit,
}

/// A warp, as it stood in the cycle before.
#[payload]
pub struct Look<LW> {
    pub warp: Bits<LW>,
    pub standing: Standing,
    /// A parked operation was passed on, and has not had its effects.
    pub passed: Bit,
    /// It has accesses outstanding, by epoch.
    pub busy: Bits<2>,
    /// It was being changed: this is not how it stands.
    pub stale: Bit,
}

/// What becomes of it.
#[payload]
pub struct Change {
    pub standing: Standing,
    /// It was looked up, and is known; it changes.
    pub looked: Bit,
    pub shows: Bit,
    /// Its first operation is passed on.
    pub passes: Bit,
    /// An operation of it has come to wait.
    pub settles: Bit,
}

/// What ports show of all warps.
#[payload]
pub struct Shown<W> {
    pub epochs: Bits<W>,
    /// Something is parked, or they are fenced.
    pub parked: Bits<W>,
    /// Two operations are parked.
    pub full: Bits<W>,
    /// They may not issue for what is parked.
    pub held: Bits<W>,
    pub passed: Bits<W>,
    /// Nor while they are `passed`.
    pub stays: Bits<W>,
    /// Nor for what is outstanding.
    pub crowded: Bits<W>,
}

/// What is to be shown of a warp.
#[payload]
pub struct News<LW> {
    pub warp: Bits<LW>,
    pub epoch: Bit,
    pub parked: Bit,
    pub full: Bit,
    pub held: Bit,
    pub stays: Bit,
    pub passed: Bit,
}

/// `W` warps of `LW` bits.
#[block]
pub struct Warps<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub asked: Signal<In, Bits<LW>>,
    /// Of the warp that is answered, by epoch: it has an access outstanding; so many that there may be no room.
    pub busy: [Signal<In, Bit>; 2],
    pub high: [Signal<In, Bit>; 2],
    /// It issued an access in the cycle in which it was asked for.
    pub disturbed: Signal<In, Bit>,
    pub crowds: Signal<In, Bits<W>>,
    pub commit: Signal<In, Bits<W>>,
    /// Of the warp that is answered.
    pub change: StrobeIn<Change>,
    pub look: Signal<Out, Look<LW>>,
    pub shown: Signal<Out, Shown<W>>,
    pub op_done: Signal<Out, Bits<W>>,
    kept: Store<Packed<Standing>, LW>,
    warp: DFF<Bits<LW>>,
    passed_on: DFF<Bit>,
    #[reset]
    stale: DFF<Bit>,
    news: DFF<News<LW>>,
    #[reset]
    changes: DFF<Bit>,
    /// It has room for accesses in its epoch.
    #[reset]
    calms: DFF<Bit>,
    #[reset]
    settles: DFF<Bit>,
    #[reset]
    now: DFF<Shown<W>>,
    changed: Signal<Local, Bits<W>>,
    next: Signal<Local, Shown<W>>,
    some: Signal<Local, Bit>,
    some_before: Signal<Local, Bit>,
    place_bit: Signal<Local, Bit>,
    epoch: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    relieved: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Warps<W, LW> {
    fn update(&mut self) {
        // The look-up.
        self.kept.read_address.next = self.asked.val();
        self.warp.d.next = self.asked.val();
        self.passed_on.d.next = self.now.q.val().passed.at(self.asked.val());
        self.look.next.busy = 0.into();
        for k in 0..2 {
            self.look.next.busy = self.look.val().busy.replace_bit(k, self.busy[k].val());
        }
        self.stale.d.next = (self.change.payload.val().shows & (self.asked.val() == self.warp.q.val()))
            | (self.changes.q.val() & (self.asked.val() == self.news.q.val().warp));
        self.look.next.warp = self.warp.q.val();
        self.look.next.standing = self.kept.read_value.val().into();
        self.look.next.passed = self.passed_on.q.val();
        self.look.next.stale = self.stale.q.val();

        // The change. A word's number, as it goes up with each operation that comes to the first place, is the epoch.
        self.kept.write.next = self.change.valid.val();
        self.kept.write_address.next = self.warp.q.val();
        self.kept.write_value.next = self.change.payload.val().standing.into();
        self.some.next = self.change.payload.val().standing.count != 0;
        self.place_bit.next = self.change.payload.val().standing.place.get_bit(0);
        self.changes.d.next = self.change.payload.val().shows;
        self.settles.d.next = self.change.payload.val().settles;
        self.news.d.next.warp = self.warp.q.val();
        self.news.d.next.epoch = self.place_bit.val() ^ self.some.val();
        self.some_before.next = self.look.val().standing.count != 0;
        self.epoch.next = self.some_before.val() ^ self.look.val().standing.place.get_bit(0);
        self.turns.next = self.epoch.val() ^ self.place_bit.val() ^ self.some.val();

        // An epoch has room when it becomes the present one: what was parked at the change before waited for all its accesses.
        self.low.next = !self.high[0].val();
        if self.epoch.val() {
            self.low.next = !self.high[1].val();
        }
        self.calms.d.next = (self.change.payload.val().looked & self.low.val() & !self.disturbed.val())
            | (self.change.payload.val().shows & self.turns.val());
        self.news.d.next.parked = self.some.val() | self.change.payload.val().standing.fenced;
        self.news.d.next.full = self.change.payload.val().standing.count.get_bit(1);
        self.news.d.next.held = self.change.payload.val().standing.count.get_bit(1)
            | self.change.payload.val().standing.waits
            | self.change.payload.val().standing.fenced;
        self.news.d.next.passed = self.change.payload.val().passes;
        self.news.d.next.stays = self.change.payload.val().standing.stays;

        // What is shown: of each warp its own bits are written, so that these are registers with an enable and no gates. A warp that is no more
        // crowded has the rest written as it stands.
        self.changed.next = self.no_warps.val().with(self.news.q.val().warp, self.changes.q.val() | self.calms.q.val());
        self.next.next = self.now.q.val();
        for i in 0..W {
            if self.changed.val().get_bit(i) {
                self.next.next.epochs = self.next.val().epochs.replace_bit(i, self.news.q.val().epoch);
                self.next.next.parked = self.next.val().parked.replace_bit(i, self.news.q.val().parked);
                self.next.next.full = self.next.val().full.replace_bit(i, self.news.q.val().full);
                self.next.next.held = self.next.val().held.replace_bit(i, self.news.q.val().held);
                self.next.next.stays = self.next.val().stays.replace_bit(i, self.news.q.val().stays);
            }
        }
        self.next.next.passed = self.now.q.val().passed & !self.commit.val();
        if self.news.q.val().passed {
            self.next.next.passed = self.next.val().passed | self.changed.val();
        }
        self.relieved.next = self.no_warps.val();
        if self.calms.q.val() {
            self.relieved.next = self.changed.val();
        }
        self.next.next.crowded = self.crowds.val() | (self.now.q.val().crowded & !self.relieved.val());
        self.now.d.next = self.next.val();
        self.shown.next = self.now.q.val();
        self.op_done.next = self.no_warps.val();
        if self.settles.q.val() {
            self.op_done.next = self.changed.val();
        }
    }
}
