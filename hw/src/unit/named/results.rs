// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each warp's own result of its last reduction: a barrier may be used again before a slow warp has read what it gave.
//!
//! *Reads:* of the operation in its last cycle a completed reduction with the warps that wait; a Write to a warp's state; whose results
//! are forgotten; the warp of the operation one cycle inside. *Writes:* one cycle later the result of that warp. *Latency:* 1 from completion
//! to result, so an operation right behind the last arrival reads it: the result is selected one cycle early, and what the operation just
//! before gives to its warp is put in its place when it is shown. Implements the result of BAR.RED and B2R.RESULT in spec 001.
//!
//! These are the most registers of the unit, so what was reduced stands in codes that no number needs ([`Coded`]): where the highest bit
//! of a number is 1, all others are 0.

use crate::prim::spread::Spread;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Makes a code of `AW` bits of what was reduced (0 = nothing, 1 And, 2 Or, 3 Popc) and its value: a number that is below the highest bit is
/// itself. With the highest bit the next one says that there is no result, bit 2 that it is the highest bit as a number, else bit 1
/// says OR and bit 0 is the value of AND or OR.
#[block]
pub struct Coded<AW> {
    pub of: Signal<In, Bits<2>>,
    pub value: Signal<In, Bits<AW>>,
    pub code: Signal<Out, Bits<AW>>,
    counts: Signal<Local, Bit>,
    most: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    bit: Signal<Local, Bit>,
    word: Signal<Local, Bits<AW>>,
}

#[block]
impl Logic for Coded<AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.counts.next = self.of.val() == 3;
        self.word.next = self.value.val();
        self.low.next = false;
        self.most.next = false;
        for top in (AW - 1)..AW {
            self.most.next = self.counts.val() & self.value.val().get_bit(top);
            self.bit.next = !self.counts.val() | self.value.val().get_bit(top);
            self.word.next = self.word.val().replace_bit(top, self.bit.val());
            self.bit.next = (self.value.val().get_bit(top - 1) & !self.most.val()) | !self.of.val().any();
            self.word.next = self.word.val().replace_bit(top - 1, self.bit.val());
        }
        self.bit.next = (self.counts.val() & self.value.val().get_bit(2)) | self.most.val();
        self.word.next = self.word.val().replace_bit(2, self.bit.val());
        self.bit.next = (self.counts.val() & self.value.val().get_bit(1) & !self.most.val()) | (self.of.val() == 2);
        self.word.next = self.word.val().replace_bit(1, self.bit.val());
        self.low.next = self.value.val().get_bit(0) & !self.most.val();
        self.word.next = self.word.val().replace_bit(0, self.low.val());
        self.code.next = self.word.val();
    }
}

/// `W` warps, results of `AW` bits.
#[block]
pub struct Results<W, AW> {
    pub clock: Signal<In, Clock>,
    /// Results are built.
    pub built: Signal<In, Bit>,
    /// The warp, or all that a release names.
    pub mask: Signal<In, Bits<W>>,
    /// The warp of the operation inside, if it has but one; the operation in its last cycle is of the same warp. That one reads a result.
    pub inside: Signal<In, Bits<W>>,
    pub follows_own: Signal<In, Bit>,
    pub asks: Signal<In, Bit>,
    /// The warp of the operation in its last cycle waited in the row of the one just before, if that was open.
    pub waited: Signal<In, Bit>,
    pub was_open: Signal<In, Bit>,
    /// A generation is complete, the warps that waited before go on, and the warp itself if it waits, with what was reduced (0 = nothing)
    /// and its result.
    pub complete: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    pub before: Signal<In, Bits<W>>,
    pub done: Signal<In, Bits<2>>,
    pub done_value: Signal<In, Bits<AW>>,
    /// The warp gets what its state word says, in code.
    pub restored: Signal<In, Bit>,
    pub word: Signal<In, Bits<AW>>,
    /// The warps of `mask` have no result any more.
    pub forgotten: Signal<In, Bit>,
    /// It is read and there is none; its number or bit, 0 if none; of no number below the highest.
    pub lacks: Signal<Out, Bit>,
    pub value: Signal<Out, Bits<AW>>,
    pub special: Signal<Out, Bit>,
    /// The bits of its redop in a state word: none or POPC, none or OR.
    pub counts: Signal<Out, Bit>,
    pub either: Signal<Out, Bit>,
    coded: Coded<AW>,
    store: Spread<W, AW>,
    /// The result as it was before the operation just before; what that one gave.
    chosen: DFF<Bits<AW>>,
    given: DFF<Bits<AW>>,
    /// The operation just before gave it to its own warp; to those that waited. There was none to be read.
    own: DFF<Bit>,
    others: DFF<Bit>,
    bare: DFF<Bit>,
    none: Signal<Local, Bit>,
    restores_own: Signal<Local, Bit>,
    reduces_own: Signal<Local, Bit>,
    code: Signal<Local, Bits<AW>>,
    takes: Signal<Local, Bits<W>>,
    gives: Signal<Local, Bit>,
    done_any: Signal<Local, Bit>,
    number: Signal<Local, Bit>,
    found: Signal<Local, Bits<AW>>,
    #[init(Constant::new((3u64 << (AW - 2)).into()))]
    empty: Constant<Bits<AW>>,
}

#[block]
impl Logic for Results<W, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.coded.of.next = self.done.val();
        self.coded.value.next = self.done_value.val();
        self.store.select_0.next = self.inside.val();
        self.done_any.next = self.complete.val() & self.done.val().any();
        self.gives.next = self.restored.val() | self.forgotten.val() | (self.done_any.val() & self.waits.val());
        self.takes.next = 0.into();
        if self.gives.val() {
            self.takes.next = self.mask.val();
        }
        if self.done_any.val() {
            self.takes.next = self.takes.val() | self.before.val();
        }
        if !self.built.val() {
            self.takes.next = 0.into();
        }
        self.store.write.next = self.takes.val();
        self.code.next = self.coded.code.val();
        if self.restored.val() {
            self.code.next = self.word.val();
        }
        self.given.d.next = self.code.val();
        self.store.write_0.next = self.code.val();
        if self.forgotten.val() {
            self.store.write_0.next = self.empty.val();
        }

        // The result of the operation inside. Nothing is right behind a release, which forgets.
        self.restores_own.next = self.restored.val() & self.follows_own.val();
        self.reduces_own.next = self.done_any.val() & self.waits.val() & self.follows_own.val();
        self.chosen.d.next = self.store.read_0.val();
        self.own.d.next = self.restores_own.val() | self.reduces_own.val();
        self.others.d.next = self.done_any.val() & self.was_open.val();
        self.none.next = false;
        for top in (AW - 1)..AW {
            self.none.next = self.store.read_0.val().get_bit(top) & self.store.read_0.val().get_bit(top - 1);
            if self.restores_own.val() {
                self.none.next = self.word.val().get_bit(top) & self.word.val().get_bit(top - 1);
            }
        }
        self.bare.d.next = self.asks.val() & (!self.built.val() | (self.none.val() & !self.reduces_own.val()));
        self.lacks.next = self.bare.q.val() & !(self.built.val() & self.others.q.val() & self.waited.val());

        // What the code says.
        self.found.next = self.chosen.q.val();
        if self.own.q.val() | (self.others.q.val() & self.waited.val()) {
            self.found.next = self.given.q.val();
        }
        if !self.built.val() {
            self.found.next = self.empty.val();
        }
        self.counts.next = false;
        self.either.next = false;
        self.value.next = self.found.val();
        for top in (AW - 1)..AW {
            self.counts.next = !self.found.val().get_bit(top) | self.found.val().get_bit(top - 1) | self.found.val().get_bit(2);
            self.either.next =
                self.found.val().get_bit(top) & (self.found.val().get_bit(top - 1) | self.found.val().get_bit(1));
            self.number.next = !self.found.val().get_bit(top - 1) & self.found.val().get_bit(2);
            self.special.next = self.found.val().get_bit(top);
            if self.found.val().get_bit(top) {
                self.value.next = self.found.val() & 1;
                self.value.next = self.value.val().replace_bit(top, self.number.val());
            }
        }
    }
}
