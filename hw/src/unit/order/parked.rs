// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parked operations: two places per warp, and which one goes next.
//!
//! *Reads:* the operation to park; every warp's epoch; whose accesses of the epoch before are done; whether the picked operation was taken. *Writes:* who has
//! a first and a second operation parked, who waits for one, whose epoch flips; the operation that is picked. *Latency:* 1 from the pick to
//! the operation.
//!
//! The places of a warp are two words of a memory. An operation that moves from the second place to the first stays where it is: as the epoch
//! flips whenever an operation comes to the first place, that one is in the word of the present epoch, and the next is parked in the other.

use crate::payload::payload;
use crate::prim::pick::Pick;
use crate::prim::store::Store;
use crate::unit::op::{FaultCode, OpKind, RedOp, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What is kept of a parked operation: it is none that launches or releases, and its warp is known.
#[payload]
pub struct Record {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub cta: Bits<5>,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub redop: RedOp,
    pub value: Bits<6>,
    pub state: StateWord,
    pub data: Bits<32>,
    pub rd: Bits<8>,
    pub pu: Bits<3>,
}

/// `W = 2^LW` warps; `AW = LW + 1` bits say which word.
#[block]
pub struct Parked<W, LW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parks: Signal<In, Bit>,
    pub record: Signal<In, Record>,
    /// The warp of the operation to park, also as one bit.
    pub own_warp: Signal<In, Bits<LW>>,
    pub own: Signal<In, Bits<W>>,
    /// Warps without an access outstanding in the epoch that is not their present one.
    pub done: Signal<In, Bits<W>>,
    pub taken: Signal<In, Bit>,
    pub epochs: Signal<In, Bits<W>>,
    pub first: Signal<Out, Bits<W>>,
    pub second: Signal<Out, Bits<W>>,
    pub first_next: Signal<Out, Bits<W>>,
    pub second_next: Signal<Out, Bits<W>>,
    /// The operation in the first place is a Sync or Reduce.
    pub waits: Signal<Out, Bits<W>>,
    pub flips: Signal<Out, Bits<W>>,
    pub picked: Signal<Out, Bit>,
    pub warp: Signal<Out, Bits<LW>>,
    pub value: Signal<Out, Record>,
    store: Store<Record, AW>,
    has_first: DFF<Bits<W>>,
    has_second: DFF<Bits<W>>,
    first_waits: DFF<Bits<W>>,
    second_waits: DFF<Bits<W>>,
    reg_picked: DFF<Bit>,
    reg_warp: DFF<Bits<LW>>,
    reg_word: DFF<Bit>,
    coming: Signal<Local, Bits<W>>,
    going: Signal<Local, Bits<W>>,
    into_first: Signal<Local, Bits<W>>,
    into_second: Signal<Local, Bits<W>>,
    both: Signal<Local, Bits<W>>,
    moves: Signal<Local, Bits<W>>,
    wait: Signal<Local, Bits<W>>,
    next_waits: Signal<Local, Bits<W>>,
    may_go: Signal<Local, Bits<W>>,
    #[init(Pick::lowest())]
    pick: Pick<W, LW>,
    choice: Signal<Local, Bits<LW>>,
    word: Signal<Local, Bit>,
    other_word: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Parked<W, LW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        // The lowest warp that may go is picked; its word is read until it is taken. If there is none, any word is read.
        self.may_go.next = self.has_first.q.val() & self.done.val();
        self.pick.bits.next = self.may_go.val();
        self.pick.marks.next = self.epochs.val();
        self.choice.next = self.pick.index.val();
        self.word.next = self.pick.mark.val();
        if self.reg_picked.q.val() {
            self.choice.next = self.reg_warp.q.val();
            self.word.next = self.reg_word.q.val();
        }
        self.reg_warp.d.next = self.choice.val();
        self.reg_word.d.next = self.word.val();
        self.reg_picked.d.next =
            (self.reg_picked.q.val() & !self.taken.val()) | (!self.reg_picked.q.val() & self.pick.found.val());
        self.store.read_address.next = bit_cast::<AW, LW>(self.choice.val());
        if self.word.val() {
            for n in LW..(LW + 1) {
                self.store.read_address.next = bit_cast::<AW, LW>(self.choice.val()).replace_bit(n, true);
            }
        }

        // What comes, what goes, what moves up.
        self.coming.next = self.no_warps.val();
        if self.parks.val() {
            self.coming.next = self.own.val();
        }
        self.going.next = self.no_warps.val();
        if self.taken.val() {
            self.going.next = self.no_warps.val().replace_bit(self.reg_warp.q.val().index(), true);
        }
        self.into_first.next = self.coming.val() & !self.has_first.q.val();
        self.into_second.next = self.coming.val() & self.has_first.q.val();
        self.both.next = self.has_second.q.val() | self.into_second.val();
        self.moves.next = self.going.val() & self.both.val();
        self.has_first.d.next = (self.has_first.q.val() | self.into_first.val()) & (!self.going.val() | self.both.val());
        self.has_second.d.next = self.both.val() & !self.going.val();
        self.flips.next = self.into_first.val() | self.moves.val();

        // Who waits.
        self.wait.next = self.no_warps.val();
        if (self.record.val().kind == OpKind::Sync) | (self.record.val().kind == OpKind::Reduce) {
            self.wait.next = self.own.val();
        }
        self.next_waits.next =
            (self.second_waits.q.val() & !self.into_second.val()) | (self.into_second.val() & self.wait.val());
        self.second_waits.d.next = self.next_waits.val();
        self.first_waits.d.next = (self.first_waits.q.val() & !self.going.val())
            | (self.into_first.val() & self.wait.val())
            | (self.moves.val() & self.next_waits.val());

        // The word that is written.
        self.store.write.next = self.parks.val();
        self.store.write_value.next = self.record.val();
        self.other_word.next = !self.epochs.val().get_bit(self.own_warp.val().index());
        self.store.write_address.next = bit_cast::<AW, LW>(self.own_warp.val());
        if self.other_word.val() {
            for m in LW..(LW + 1) {
                self.store.write_address.next = bit_cast::<AW, LW>(self.own_warp.val()).replace_bit(m, true);
            }
        }
        self.first_next.next = self.has_first.d.val();
        self.second_next.next = self.has_second.d.val();

        if self.reset.val() {
            self.has_first.d.next = 0.into();
            self.has_second.d.next = 0.into();
            self.first_waits.d.next = 0.into();
            self.second_waits.d.next = 0.into();
            self.reg_picked.d.next = false;
            self.reg_warp.d.next = 0.into();
            self.reg_word.d.next = false;
        }
        self.first.next = self.has_first.q.val();
        self.second.next = self.has_second.q.val();
        self.waits.next = self.first_waits.q.val();
        self.picked.next = self.reg_picked.q.val();
        self.warp.next = self.reg_warp.q.val();
        self.value.next = self.store.read_value.val();
    }
}
