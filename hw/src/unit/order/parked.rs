// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parked operations: three places per warp, and which one goes next.
//!
//! *Reads:* the strobe of the operation to park; whose accesses of the epoch before are done; whose operation has its effects. *Writes:* what is parked; every warp's epoch; the operation channel `op`. *Latency:* 1 from the pick to `op`. Implements the parked operations
//! of `docs/interface.md`, section `order`.
//!
//! The places of a warp are words of a memory, four in a ring. An operation that moves up stays where it is: the number of the first
//! place's word goes up whenever an operation comes to that place, and so flips the epoch, which is its lowest bit.

use super::folded::{FoldedOp, ParkedMbarrier, ParkedOp};
use crate::prelude::*;
use crate::unit::folded::Body;

/// Of which warps something is parked, and their epochs.
#[payload]
pub struct Places<W> {
    pub first: Bits<W>,
    pub second: Bits<W>,
    pub third: Bits<W>,
    /// A Sync, a Reduce or a wait was parked since nothing was.
    pub waits: Bits<W>,
    /// The operation in the first place was passed on, and keeps its place until it has its effects.
    pub passed: Bits<W>,
    /// The word of the first place, its lower and its upper bit.
    pub epochs: Bits<W>,
    pub upper_bits: Bits<W>,
}

/// `W = 2^LW` warps, slots of `LC` bits, contributions of `VW` bits; `PW = LW + 2` bits say which word.
#[block]
pub struct Parked<W, LW, LC, VW, PW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parks: StrobeIn<FoldedOp<W, LW, LC, VW>>,
    /// The same as a bit, or the warp of a fence that leaves.
    pub withdrawn: Signal<In, Bits<W>>,
    /// Warps without an access outstanding in the epoch that is not their present one.
    pub done: Signal<In, Bits<W>>,
    /// The warp whose operation has its effects.
    pub commit: Signal<In, Bits<W>>,
    pub now: Signal<Out, Places<W>>,
    pub op: Source<ParkedOp<LW, LC, VW>>,
    store: Store<Packed<Body<LC>>, PW>,
    #[built(config.has_mbarrier())]
    mbarrier_store: Store<Packed<ParkedMbarrier<VW>>, PW>,
    #[reset]
    places: DFF<Places<W>>,
    #[reset]
    picked: DFF<Bit>,
    #[reset]
    read_word: DFF<Bits<PW>>,
    /// The lowest warp that may go, with the lower bit of its word, and with the upper one.
    #[init(Pick::lowest())]
    pick: Pick<W, LW>,
    #[init(Pick::lowest())]
    pick_upper: Pick<W, LW>,
    word: Signal<Local, Bits<PW>>,
    taken: Signal<Local, Bit>,
    coming: Signal<Local, Bits<W>>,
    taken_warp: Signal<Local, Bits<W>>,
    going: Signal<Local, Bits<W>>,
    into_first: Signal<Local, Bits<W>>,
    into_second: Signal<Local, Bits<W>>,
    into_third: Signal<Local, Bits<W>>,
    /// Warps with a second, and with a third operation once the one that comes is parked.
    two: Signal<Local, Bits<W>>,
    three: Signal<Local, Bits<W>>,
    moves: Signal<Local, Bits<W>>,
    wait: Signal<Local, Bit>,
    of_mbarrier: Signal<Local, ParkedMbarrier<VW>>,
    will_wait: Signal<Local, Bits<W>>,
    present: Signal<Local, Bits<2>>,
    step: Signal<Local, Bits<2>>,
    place: Signal<Local, Bits<2>>,
    address: Signal<Local, Bits<PW>>,
}

#[block]
impl Logic for Parked<W, LW, LC, VW, PW> {
    fn update(&mut self) {
        // The lowest warp that may go is picked; its word is read until it is taken. If there is none, any word is read.
        self.pick.bits.next = self.places.q.val().first & self.done.val() & !self.places.q.val().passed;
        self.pick.marks.next = self.places.q.val().epochs;
        self.pick_upper.bits.next = self.pick.bits.val();
        self.pick_upper.marks.next = self.places.q.val().upper_bits;
        self.word.next = bit_cast::<PW, LW>(self.pick.index.val());
        for n in LW..(LW + 1) {
            self.word.next = self.word.val().replace_bit(n, self.pick.mark.val());
            self.word.next = self.word.val().replace_bit(n + 1, self.pick_upper.mark.val());
        }
        if self.picked.q.val() {
            self.word.next = self.read_word.q.val();
        }
        self.read_word.d.next = self.word.val();
        self.store.read_address.next = self.word.val();
        self.mbarrier_store.read_address.next = self.word.val();
        self.taken.next = self.picked.q.val() & self.op.ready.val();
        self.picked.d.next = (self.picked.q.val() & !self.taken.val()) | (!self.picked.q.val() & self.pick.found.val());
        self.op.valid.next = self.picked.q.val();
        self.op.payload.next.body = self.store.read_value.val().into();
        self.op.payload.next.of_mbarrier = self.mbarrier_store.read_value.val().into();
        self.op.payload.next.warp = bit_cast::<LW, PW>(self.read_word.q.val());

        // What comes, what goes, what moves up.
        self.coming.next = 0.into();
        if self.parks.valid.val() {
            self.coming.next = self.withdrawn.val();
        }
        self.taken_warp.next = 0.into();
        if self.taken.val() {
            self.taken_warp.next = self.taken_warp.val().with(self.op.payload.val().warp, true);
        }
        self.going.next = self.places.q.val().passed & self.commit.val();
        self.places.d.next.passed = (self.places.q.val().passed & !self.commit.val()) | self.taken_warp.val();
        self.into_first.next = self.coming.val() & !self.places.q.val().first;
        self.into_second.next = self.coming.val() & self.places.q.val().first & !self.places.q.val().second;
        self.into_third.next = self.coming.val() & self.places.q.val().second;
        self.two.next = self.places.q.val().second | self.into_second.val();
        self.three.next = self.places.q.val().third | self.into_third.val();
        self.moves.next = self.going.val() & self.two.val();
        self.places.d.next.first = (self.places.q.val().first | self.into_first.val()) & (!self.going.val() | self.two.val());
        self.places.d.next.second = self.two.val() & (!self.going.val() | self.three.val());
        self.places.d.next.third = self.three.val() & !self.going.val();
        self.places.d.next.epochs = self.places.q.val().epochs ^ (self.into_first.val() | self.moves.val());
        self.places.d.next.upper_bits =
            self.places.q.val().upper_bits ^ (self.places.q.val().epochs & (self.into_first.val() | self.moves.val()));

        // Who waits.
        self.will_wait.next = 0.into();
        self.wait.next = (self.parks.payload.val().folded.body.kind == OpKind::Sync)
            | (self.parks.payload.val().folded.body.kind == OpKind::Reduce)
            | (self.parks.payload.val().folded.body.kind == OpKind::ClusterWait)
            | (self.parks.payload.val().folded.body.kind == OpKind::GridWait)
            | ((self.parks.payload.val().folded.body.kind == OpKind::Mbarrier)
                & ((self.parks.payload.val().folded.of_mbarrier.mbarrier == MbarrierKind::TestWait)
                    | (self.parks.payload.val().folded.of_mbarrier.mbarrier == MbarrierKind::TryWait)));
        if self.wait.val() {
            self.will_wait.next = self.coming.val();
        }
        self.places.d.next.waits =
            (self.places.q.val().waits & (!self.going.val() | self.places.q.val().second)) | self.will_wait.val();

        // The word that is written.
        self.store.write.next = self.parks.valid.val();
        self.store.write_value.next = self.parks.payload.val().folded.body.into();
        self.mbarrier_store.write.next = self.parks.valid.val();
        self.of_mbarrier.next.body = self.parks.payload.val().folded.of_mbarrier;
        self.of_mbarrier.next.value = self.parks.payload.val().value;
        self.mbarrier_store.write_value.next = self.of_mbarrier.val().into();
        // The word after the last that is taken. With nothing parked it is one further as well, since the first place's word moves up with it.
        self.present.next = 0.into();
        self.present.next = self.present.val().replace_bit(0, self.places.q.val().epochs.at(self.parks.payload.val().warp));
        self.present.next = self.present.val().replace_bit(1, self.places.q.val().upper_bits.at(self.parks.payload.val().warp));
        self.step.next = 1.into();
        if self.places.q.val().second.at(self.parks.payload.val().warp) {
            self.step.next = 2.into();
        }
        self.place.next = self.present.val() + self.step.val();
        self.address.next = bit_cast::<PW, LW>(self.parks.payload.val().warp);
        for m in LW..(LW + 1) {
            self.address.next = self.address.val().replace_bit(m, self.place.val().get_bit(0));
            self.address.next = self.address.val().replace_bit(m + 1, self.place.val().get_bit(1));
        }
        self.store.write_address.next = self.address.val();
        self.mbarrier_store.write_address.next = self.address.val();
        self.now.next = self.places.q.val();
    }
}
