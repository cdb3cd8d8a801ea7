// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of the last reduction of each warp: a barrier may be used again before a slow warp has read its result.
//!
//! *Reads:* from the commit stage: a completed reduction and the warps that wait for it, a Write to Warp, the warps whose results
//! are cleared; the warp of the operation in the lookup stage. *Writes:* one cycle later the result of that warp. *Latency:* 1
//! from completion to result, so that an operation directly after the last arrival reads it: the result is selected one cycle
//! early, and replaced if the operation directly before writes a new one for the warp. Implements the result of BAR.RED and
//! B2R.RESULT in spec 001.

use super::coded::Coded;
use super::ctrl::{Ctrl, Found};
use super::inside::Inside;
use crate::prelude::*;

#[block]
pub struct Results<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub found: Signal<Out, Found<AW>>,
    coded: Coded<AW>,
    store: Spread<W, AW>,
    /// The result of the warp, without that of the operation directly before.
    chosen: DFF<Bits<AW>>,
    /// The result that the operation directly before wrote.
    forwarded_result: DFF<Bits<AW>>,
    /// The operation directly before wrote that result for this warp.
    forward: DFF<Bit>,
    /// The operation is a Read of Result, and there is no result.
    no_result: DFF<Bit>,
    built: Signal<Local, Bit>,
    none: Signal<Local, Bit>,
    /// The operation directly before is a Write to Warp of the same warp.
    restores_own: Signal<Local, Bit>,
    /// The operation directly before completes a reduction for which this warp waits.
    gives_own: Signal<Local, Bit>,
    /// Warps whose result is written.
    takes: Signal<Local, Bits<W>>,
    /// A reduction is complete.
    reduced: Signal<Local, Bit>,
    code_bit: Signal<Local, Bit>,
    /// The result, encoded.
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
            self.takes.next = self.ctrl.val().commit_warps.acting;
        }
        if self.reduced.val() {
            self.takes.next = self.takes.val() | self.ctrl.val().commit_warps.waiting;
        }
        if !self.built.val() {
            self.takes.next = 0.into();
        }
        // The result that is written. The empty result of a Release is never forwarded: no operation directly follows one.
        self.forwarded_result.d.next = self.coded.code.val();
        if self.ctrl.val().checked.restores {
            self.forwarded_result.d.next = self.ctrl.val().numbers.result;
        }
        if self.ctrl.val().forgets {
            self.forwarded_result.d.next = self.empty.val();
        }
        self.store.select.next = self.inside.val().own.own_bit;
        self.store.write.next = self.takes.val();
        self.store.write_value.next = self.forwarded_result.d.val();

        // The result for the operation in the lookup stage.
        self.restores_own.next = self.ctrl.val().checked.restores & self.inside.val().op.follows_own;
        self.chosen.d.next = self.store.read_value.val();
        self.gives_own.next = self.reduced.val() & self.ctrl.val().commit_warps.has_next;
        self.forward.d.next = self.restores_own.val() | self.gives_own.val();
        self.none.next = false;
        for top in (AW - 1)..AW {
            self.none.next = self.store.read_value.val().get_bit(top) & self.store.read_value.val().get_bit(top - 1);
            if self.restores_own.val() {
                self.none.next = self.ctrl.val().numbers.result.get_bit(top) & self.ctrl.val().numbers.result.get_bit(top - 1);
            }
        }
        self.no_result.d.next = self.inside.val().step.reads
            & (self.inside.val().op.state == StateWord::Result)
            & !self.reset.val()
            & (!self.built.val() | (self.none.val() & !self.gives_own.val()));
        self.found.next.lacks = self.no_result.q.val();

        // The code is decoded.
        self.result.next = self.chosen.q.val();
        if self.forward.q.val() {
            self.result.next = self.forwarded_result.q.val();
        }
        if !self.built.val() {
            self.result.next = self.empty.val();
        }
        self.found.next.value = self.result.val();
        self.found.next.not_plain_number = false;
        self.found.next.word_bit_13 = false;
        self.found.next.word_bit_12 = false;
        for top in (AW - 1)..AW {
            self.found.next.word_bit_13 =
                !self.result.val().get_bit(top) | self.result.val().get_bit(top - 1) | self.result.val().get_bit(2);
            self.found.next.word_bit_12 =
                self.result.val().get_bit(top) & (self.result.val().get_bit(top - 1) | self.result.val().get_bit(1));
            self.code_bit.next = !self.result.val().get_bit(top - 1) & self.result.val().get_bit(2);
            self.found.next.not_plain_number = self.result.val().get_bit(top);
            if self.result.val().get_bit(top) {
                self.result.next = self.result.val() & 1;
                self.found.next.value = self.result.val().replace_bit(top, self.code_bit.val());
            }
        }
    }
}
