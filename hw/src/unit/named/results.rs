// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of the last reduction of each warp: a barrier may be used again before a slow warp has read its result.
//!
//! *Reads:* from the commit stage: a completed reduction and the warps that wait for it, a Write to Warp, the warps whose results
//! are cleared; the warp of the operation in the lookup stage. *Writes:* one cycle later the result of that warp. *Latency:* 1
//! from completion to result, so that an operation directly after the last arrival reads it: the result is selected one cycle
//! early, and replaced if the operation directly before writes a new one for the warp. Implements the result of BAR.RED and
//! B2R.RESULT in spec 001.

use super::coded::Coded;
use super::ctrl::{Ctrl, WarpResult};
use super::lookup_op::LookupOp;
use crate::prelude::*;

#[block]
pub struct Results<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub warp_result: Signal<Out, WarpResult<AW>>,
    result_code: Coded<AW>,
    store: Spread<W, AW>,
    /// The result of the warp, without that of the operation directly before.
    stored_result: DFF<Bits<AW>>,
    /// The result that the operation directly before wrote.
    forwarded_result: DFF<Bits<AW>>,
    /// The operation directly before wrote that result for this warp.
    forward: DFF<Bit>,
    /// The operation is a Read of Result, and there is no result.
    no_result: DFF<Bit>,
    results_built: Signal<Local, Bit>,
    result_missing: Signal<Local, Bit>,
    /// The operation directly before is a Write to Warp of the same warp.
    forward_restored: Signal<Local, Bit>,
    /// The operation directly before completes a reduction for which this warp waits.
    forward_reduced: Signal<Local, Bit>,
    /// Warps whose result is written.
    written_warps: Signal<Local, Bits<W>>,
    /// A reduction is complete.
    reduction_complete: Signal<Local, Bit>,
    code_bit: Signal<Local, Bit>,
    /// The result, encoded.
    result: Signal<Local, Bits<AW>>,
    #[init(Constant::new((3u64 << (AW - 2)).into()))]
    empty_code: Constant<Bits<AW>>,
}

#[block]
impl Logic for Results<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.results_built.next = self.lookup_op.val().parts.reductions & self.lookup_op.val().parts.state_words;
        self.result_code.reduction.next = self.ctrl.val().row.reduction;
        self.result_code.value.next = self.ctrl.val().reduction_value;
        self.reduction_complete.next = self.ctrl.val().complete & (self.ctrl.val().row.reduction != Reduction::None);
        self.written_warps.next = 0.into();
        if self.ctrl.val().checked.restores_warp | self.ctrl.val().clears_warps {
            self.written_warps.next = self.ctrl.val().commit_warps.acting_warps;
        }
        if self.reduction_complete.val() {
            self.written_warps.next = self.written_warps.val() | self.ctrl.val().commit_warps.waiting_warps;
        }
        if !self.results_built.val() {
            self.written_warps.next = 0.into();
        }
        // The result that is written. The empty result of a Release is never forwarded: no operation directly follows one.
        self.forwarded_result.d.next = self.result_code.code.val();
        if self.ctrl.val().checked.restores_warp {
            self.forwarded_result.d.next = self.ctrl.val().numbers.result;
        }
        if self.ctrl.val().clears_warps {
            self.forwarded_result.d.next = self.empty_code.val();
        }
        self.store.select_value.next = self.lookup_op.val().op_warp.warp_mask;
        self.store.write.next = self.written_warps.val();
        self.store.write_value.next = self.forwarded_result.d.val();

        // The result for the operation in the lookup stage.
        self.forward_restored.next = self.ctrl.val().checked.restores_warp & self.lookup_op.val().op.same_warp;
        self.stored_result.d.next = self.store.read_value.val();
        self.forward_reduced.next = self.reduction_complete.val() & self.ctrl.val().commit_warps.lookup_warp_waits;
        self.forward.d.next = self.forward_restored.val() | self.forward_reduced.val();
        self.result_missing.next = false;
        for top in (AW - 1)..AW {
            self.result_missing.next = self.store.read_value.val().get_bit(top) & self.store.read_value.val().get_bit(top - 1);
            if self.forward_restored.val() {
                self.result_missing.next =
                    self.ctrl.val().numbers.result.get_bit(top) & self.ctrl.val().numbers.result.get_bit(top - 1);
            }
        }
        self.no_result.d.next = self.lookup_op.val().actions.reads
            & (self.lookup_op.val().op.state == StateWord::Result)
            & !self.reset.val()
            & (!self.results_built.val() | (self.result_missing.val() & !self.forward_reduced.val()));
        self.warp_result.next.no_result = self.no_result.q.val();

        // The code is decoded.
        self.result.next = self.stored_result.q.val();
        if self.forward.q.val() {
            self.result.next = self.forwarded_result.q.val();
        }
        if !self.results_built.val() {
            self.result.next = self.empty_code.val();
        }
        self.warp_result.next.value = self.result.val();
        self.warp_result.next.not_plain_number = false;
        self.warp_result.next.word_bit_13 = false;
        self.warp_result.next.word_bit_12 = false;
        for top in (AW - 1)..AW {
            self.warp_result.next.word_bit_13 =
                !self.result.val().get_bit(top) | self.result.val().get_bit(top - 1) | self.result.val().get_bit(2);
            self.warp_result.next.word_bit_12 =
                self.result.val().get_bit(top) & (self.result.val().get_bit(top - 1) | self.result.val().get_bit(1));
            self.code_bit.next = !self.result.val().get_bit(top - 1) & self.result.val().get_bit(2);
            self.warp_result.next.not_plain_number = self.result.val().get_bit(top);
            if self.result.val().get_bit(top) {
                self.result.next = self.result.val() & 1;
                self.warp_result.next.value = self.result.val().replace_bit(top, self.code_bit.val());
            }
        }
    }
}
