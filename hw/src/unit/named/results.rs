// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keeps for each warp the result of its last reduction, because the barrier may be used for the next reduction before a slow
//! warp has read the result.
//!
//! *Reads:* from the commit stage: a completed reduction and the mask of warps that wait for it, the result that a Write to Warp
//! restores, the mask of warps whose results are cleared; the warp of the operation in the lookup stage. *Writes:* one cycle later
//! the result of that warp. *Latency:* 1 from completion to result. Implements the result of BAR.RED and B2R.RESULT in spec 001.
//!
//! A Read directly after the last arrival must return the new result. The stored result is selected one cycle before it is
//! used, so a result that the preceding operation writes for the same warp is forwarded.

use super::coded::Coded;
use super::commit_payloads::{RowWaiters, WarpResult};
use super::parts::Parts;
use super::result_decoder::ResultDecoder;
use crate::prelude::*;

/// Sizes: `W` warps, sums of a reduction of `AW` bits.
#[block]
pub struct Results<W, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    /// The warp of the operation in the lookup stage, one-hot.
    pub warp_mask: Signal<In, Bits<W>>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<In, Bit>,
    /// The operation in the lookup stage is a Read of Result without a fault from upstream.
    pub reads_result: Signal<In, Bit>,
    /// The warps of the operation in the commit stage.
    pub acting_warps: Signal<In, Bits<W>>,
    /// The operation in the commit stage is a Write to Warp without a fault.
    pub restores_warp: Signal<In, Bit>,
    /// For a Write to Warp in the commit stage: the result that it restores, encoded as it is stored.
    pub word_result: Signal<In, Bits<AW>>,
    /// The warps of the operation in the commit stage lose their results: the operation is a Release, or `reset` was 1 in the
    /// previous cycle.
    pub clears_warps: Signal<In, Bit>,
    /// The operation in the commit stage completes a generation of its row.
    pub complete: Signal<In, Bit>,
    /// The reduction of the row of the operation in the commit stage.
    pub reduction: Signal<In, Reduction>,
    /// The value of that row's reduction, over the arrivals up to this operation.
    pub reduction_value: Signal<In, Bits<AW>>,
    pub row_waiters: Signal<In, RowWaiters<W>>,
    /// The operation in the commit stage is a Read of Result, and its warp has no result: it has the fault `no_result`.
    pub no_result: Signal<Out, Bit>,
    pub warp_result: Signal<Out, WarpResult<AW>>,
    result_code: Coded<AW>,
    decoder: ResultDecoder<AW>,
    store: Spread<W, AW>,
    /// The stored result of the warp of the operation in the commit stage, read before the preceding operation wrote its
    /// result.
    stored_result: DFF<Bits<AW>>,
    /// The result that the preceding operation wrote.
    forwarded_result: DFF<Bits<AW>>,
    /// The preceding operation wrote a result for the warp of the operation in the commit stage: that result is forwarded.
    forward: DFF<Bit>,
    /// Register of `no_result`.
    no_result_q: DFF<Bit>,
    results_built: Signal<Local, Bit>,
    result_missing: Signal<Local, Bit>,
    /// The preceding operation is a Write to Warp, without a fault, of the warp of the operation in the lookup stage.
    forward_restored: Signal<Local, Bit>,
    /// The preceding operation completes a reduction for which the warp of the operation in the lookup stage waits.
    forward_reduced: Signal<Local, Bit>,
    /// Warps whose result is written.
    written_warps: Signal<Local, Bits<W>>,
    /// The operation in the commit stage completes a generation with a reduction.
    reduction_complete: Signal<Local, Bit>,
    /// The result of the warp of the operation in the commit stage, encoded.
    result: Signal<Local, Bits<AW>>,
    #[init(Constant::new((3u64 << (AW - 2)).into()))]
    empty_code: Constant<Bits<AW>>,
}

#[block]
impl Logic for Results {
    fn update(&mut self) {
        self.results_built.next = self.parts.val().reductions & self.parts.val().state_words;
        self.result_code.reduction.next = self.reduction.val();
        self.result_code.value.next = self.reduction_value.val();
        self.reduction_complete.next = self.complete.val() & (self.reduction.val() != Reduction::None);
        self.written_warps.next = 0.into();
        if self.restores_warp.val() | self.clears_warps.val() {
            self.written_warps.next = self.acting_warps.val();
        }
        if self.reduction_complete.val() {
            self.written_warps.next = self.written_warps.val() | self.row_waiters.val().waiting_warps;
        }
        if !self.results_built.val() {
            self.written_warps.next = 0.into();
        }
        // The result that is written. The empty result that a Release writes is never forwarded, because no operation directly
        // follows a Release.
        self.forwarded_result.d.next = self.result_code.code.val();
        if self.restores_warp.val() {
            self.forwarded_result.d.next = self.word_result.val();
        }
        if self.clears_warps.val() {
            self.forwarded_result.d.next = self.empty_code.val();
        }
        self.store.select_value.next = self.warp_mask.val();
        self.store.write.next = self.written_warps.val();
        self.store.write_value.next = self.forwarded_result.d.val();

        // The result for the operation in the lookup stage.
        self.forward_restored.next = self.restores_warp.val() & self.same_warp.val();
        self.stored_result.d.next = self.store.read_value.val();
        self.forward_reduced.next = self.reduction_complete.val() & self.row_waiters.val().lookup_warp_waits;
        self.forward.d.next = self.forward_restored.val() | self.forward_reduced.val();
        self.result_missing.next = false;
        for top in (AW - 1)..AW {
            self.result_missing.next = self.store.read_value.val().get_bit(top) & self.store.read_value.val().get_bit(top - 1);
            if self.forward_restored.val() {
                self.result_missing.next = self.word_result.val().get_bit(top) & self.word_result.val().get_bit(top - 1);
            }
        }
        self.no_result_q.d.next =
            self.reads_result.val() & (!self.results_built.val() | (self.result_missing.val() & !self.forward_reduced.val()));
        if self.reset.val() {
            self.no_result_q.d.next = false;
        }
        self.no_result.next = self.no_result_q.q.val();

        // The result for the operation in the commit stage.
        self.result.next = self.stored_result.q.val();
        if self.forward.q.val() {
            self.result.next = self.forwarded_result.q.val();
        }
        if !self.results_built.val() {
            self.result.next = self.empty_code.val();
        }
        self.decoder.code.next = self.result.val();
        self.warp_result.next = self.decoder.warp_result.val();
    }
}
