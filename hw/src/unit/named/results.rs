// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each warp's own result of its last reduction: a barrier may be used again before a slow warp has read what it gave.
//!
//! *Reads:* of the operation in its last cycle a completed reduction with the warps that wait; a Write to a warp's state; whose results
//! are forgotten; the warp of the operation one cycle inside. *Writes:* one cycle later the result of that warp. *Latency:* 1 from completion
//! to result, so an operation right behind the last arrival reads it: the result is selected one cycle early, and what the operation just
//! before gives to its warp is put in its place when it is shown. Implements the result of BAR.RED and B2R.RESULT in spec 001.

use super::{coded::Coded, commit_stage::Ctrl, Inside};
use crate::prelude::*;

/// The result of a warp.
#[payload]
pub struct Found<AW> {
    /// It is read and there is none.
    pub lacks: Bit,
    /// Its number or bit, 0 if none; of no number below the highest.
    pub value: Bits<AW>,
    pub special: Bit,
    /// The bits of its redop in a state word: none or POPC, none or OR.
    pub counts: Bit,
    pub either: Bit,
}

#[block]
pub struct Results<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub found: Signal<Out, Found<AW>>,
    coded: Coded<AW>,
    store: Spread<W, AW>,
    /// The result as it was before the operation just before; what that one gave.
    chosen: DFF<Bits<AW>>,
    given: DFF<Bits<AW>>,
    /// That was for its warp, too. There is none to be read.
    gave: DFF<Bit>,
    bare: DFF<Bit>,
    built: Signal<Local, Bit>,
    none: Signal<Local, Bit>,
    restores_own: Signal<Local, Bit>,
    gives_own: Signal<Local, Bit>,
    takes: Signal<Local, Bits<W>>,
    reduced: Signal<Local, Bit>,
    code_bit: Signal<Local, Bit>,
    result: Signal<Local, Bits<AW>>,
    #[init(Constant::new((3u64 << (AW - 2)).into()))]
    empty: Constant<Bits<AW>>,
}

#[block]
impl Logic for Results<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.built.next = self.inside.val().parts.reductions & self.inside.val().parts.state_words;
        self.coded.of.next = self.ctrl.val().row.reduction;
        self.coded.value.next = self.ctrl.val().reduced;
        self.reduced.next = self.ctrl.val().complete & (self.ctrl.val().row.reduction != Reduction::None);
        self.takes.next = 0.into();
        if self.ctrl.val().checked.restores | self.ctrl.val().forgets {
            self.takes.next = self.ctrl.val().crowd.acting;
        }
        if self.reduced.val() {
            self.takes.next = self.takes.val() | self.ctrl.val().crowd.waiting;
        }
        if !self.built.val() {
            self.takes.next = 0.into();
        }
        // Nothing reads what a release gives, as it is not its warps'.
        self.given.d.next = self.coded.code.val();
        if self.ctrl.val().checked.restores {
            self.given.d.next = self.ctrl.val().numbers.result;
        }
        if self.ctrl.val().forgets {
            self.given.d.next = self.empty.val();
        }
        self.store.select_0.next = self.inside.val().own.own_bit;
        self.store.write.next = self.takes.val();
        self.store.write_0.next = self.given.d.val();

        // The result of the operation inside. Nothing is right behind a release, which forgets.
        self.restores_own.next = self.ctrl.val().checked.restores & self.inside.val().op.follows_own;
        self.chosen.d.next = self.store.read_0.val();
        self.gives_own.next = self.reduced.val() & self.ctrl.val().crowd.has_next;
        self.gave.d.next = self.restores_own.val() | self.gives_own.val();
        self.none.next = false;
        for top in (AW - 1)..AW {
            self.none.next = self.store.read_0.val().get_bit(top) & self.store.read_0.val().get_bit(top - 1);
            if self.restores_own.val() {
                self.none.next = self.ctrl.val().numbers.result.get_bit(top) & self.ctrl.val().numbers.result.get_bit(top - 1);
            }
        }
        self.bare.d.next = self.inside.val().step.reads
            & (self.inside.val().op.state == StateWord::Result)
            & !self.reset.val()
            & (!self.built.val() | (self.none.val() & !self.gives_own.val()));
        self.found.next.lacks = self.bare.q.val();

        // What the code says.
        self.result.next = self.chosen.q.val();
        if self.gave.q.val() {
            self.result.next = self.given.q.val();
        }
        if !self.built.val() {
            self.result.next = self.empty.val();
        }
        self.found.next.value = self.result.val();
        self.found.next.special = false;
        self.found.next.counts = false;
        self.found.next.either = false;
        for top in (AW - 1)..AW {
            self.found.next.counts =
                !self.result.val().get_bit(top) | self.result.val().get_bit(top - 1) | self.result.val().get_bit(2);
            self.found.next.either =
                self.result.val().get_bit(top) & (self.result.val().get_bit(top - 1) | self.result.val().get_bit(1));
            self.code_bit.next = !self.result.val().get_bit(top - 1) & self.result.val().get_bit(2);
            self.found.next.special = self.result.val().get_bit(top);
            if self.result.val().get_bit(top) {
                self.result.next = self.result.val() & 1;
                self.found.next.value = self.result.val().replace_bit(top, self.code_bit.val());
            }
        }
    }
}
