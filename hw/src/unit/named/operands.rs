// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operands of an operation as numbers: the addends for its row, the number of warps that the row expects, the state that the
//! operation writes to its warp.
//!
//! *Reads:* the operation at the port, and its class. *Writes:* one cycle later these numbers, and the fault that the operands
//! alone determine (a gate); if the operation takes two lookup cycles, both are held for the second lookup cycle. *Latency:*
//! 1. Implements the operands of BAR and BAR_RED and the state words `BARState` and `WarpBARState` of spec 001.
//!
//! A Write to Barrier is handled like an arrival of several warps at an idle row: its state word gives the number of warps that
//! arrive, their contribution, and the number of warps that are expected.

use super::barrier_word::BarrierWord;
use super::contribution::Contribution;
use super::entering_payloads::OpClass;
use super::in_warps::InWarps;
use super::lookup_payloads::{OperandFault, RowOperands, WarpState};
use super::operand_check::OperandCheck;
use super::parts::Parts;
use super::warp_word::WarpWord;
use crate::prelude::*;

/// Sizes: CTA slot numbers of `LC` bits, counts of warps of `CW` bits, sums of a reduction of `AW` bits, contributions of a
/// warp to a reduction of `VW` bits.
#[block]
pub struct Operands<LC, CW, AW, VW> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub request: Signal<In, Request<LC>>,
    /// Reduce: the contribution of the warp.
    pub value: Signal<In, Bits<VW>>,
    /// The class of the operation at the port.
    pub class: Signal<In, OpClass>,
    /// The operation in the lookup stage is in the first of its two lookup cycles: its operands are kept for the second lookup cycle.
    pub holds: Signal<In, Bit>,
    pub row_operands: Signal<Out, RowOperands<CW, AW>>,
    pub warp_state: Signal<Out, WarpState>,
    /// Write to Warp: the lowest bits of the state word, which hold the result.
    pub result: Signal<Out, Bits<AW>>,
    /// Write to Warp: the barrier id in the state word.
    pub word_id: Signal<Out, Bits<4>>,
    pub operand_fault: Signal<Out, OperandFault>,
    /// Converts the count at the port from threads to warps.
    #[init(InWarps::new(config))]
    count_in_warps: InWarps,
    #[init(BarrierWord::new(config))]
    barrier_word: BarrierWord<CW, AW>,
    warp_word: WarpWord<AW>,
    arrival: Contribution<AW, VW>,
    check: OperandCheck<LC>,
    lookup_row_operands: DFF<RowOperands<CW, AW>>,
    lookup_warp_state: DFF<WarpState>,
    lookup_result: DFF<Bits<AW>>,
    lookup_word_id: DFF<Bits<4>>,
    /// Number of warps that are expected.
    expected: Signal<Local, Bits<12>>,
    /// `expected`, cut to the bits of a number of warps.
    expected_bits: Signal<Local, Bits<CW>>,
    expected_minus_one: Signal<Local, Bits<CW>>,
}

#[block]
impl Logic for Operands {
    fn update(&mut self) {
        let request = self.request.val();
        let class = self.class.val();
        let parts = self.parts.val();

        // The state words, and the contribution of an arrival.
        self.barrier_word.word.next = request.data;
        self.barrier_word.reductions_built.next = parts.reductions;
        self.warp_word.word.next = request.data;
        self.warp_word.reductions_built.next = parts.reductions;
        self.arrival.reduces.next = parts.reductions & (request.kind == OpKind::Reduce);
        self.arrival.redop.next = request.redop;
        self.arrival.value.next = self.value.val();

        // The number of expected warps, and that number minus 1: once this many warps have arrived, the next arrival completes the
        // barrier.
        self.count_in_warps.threads.next = request.count;
        self.expected.next = self.count_in_warps.warps.val();
        if class.is_row_write {
            self.expected.next = bit_cast::<12, 7>(self.barrier_word.expected.val());
        }
        self.expected_bits.next = bit_cast::<CW, 12>(self.expected.val());
        self.expected_minus_one.next = self.expected_bits.val() - 1;

        if !self.holds.val() {
            self.lookup_row_operands.d.next.op_expected = self.expected_bits.val();
            self.lookup_row_operands.d.next.expected_minus_one = self.expected_minus_one.val();
            self.lookup_row_operands.d.next.sets_idle = class.is_row_write & self.barrier_word.is_idle.val();
            self.lookup_row_operands.d.next.has_count =
                bit_cast::<CW, 12>(self.count_in_warps.warps.val()).any() & !class.is_exit;
            self.lookup_row_operands.d.next.arrivals = 0.into();
            if class.is_arrival {
                self.lookup_row_operands.d.next.arrivals = 1.into();
            }
            self.lookup_row_operands.d.next.op_reduction = self.arrival.reduction.val();
            self.lookup_row_operands.d.next.contribution = self.arrival.contribution.val();
            self.lookup_row_operands.d.next.merges_contribution = self.arrival.merges.val();
            if class.is_row_write {
                self.lookup_row_operands.d.next.has_count = self.barrier_word.has_count.val();
                self.lookup_row_operands.d.next.arrivals = self.barrier_word.arrived.val();
                self.lookup_row_operands.d.next.op_reduction = self.barrier_word.reduction.val();
                self.lookup_row_operands.d.next.contribution = self.barrier_word.sum.val();
            }
            if class.is_warp_write {
                self.lookup_row_operands.d.next.has_count = self.warp_word.is_popc.val();
                self.lookup_row_operands.d.next.op_reduction = self.warp_word.reduction.val();
            }
            self.lookup_warp_state.d.next.sets_arrived = !class.is_row_write | request.data.get_bit(31);
            self.lookup_warp_state.d.next.waits = class.is_wait | (class.is_warp_write & request.data.get_bit(14));
            self.lookup_warp_state.d.next.sets_trapped = request.data.get_bit(19);
            self.lookup_result.d.next = bit_cast::<AW, 32>(request.data);
            self.lookup_word_id.d.next = request.data.get_bits::<4>(15);
        }
        self.row_operands.next = self.lookup_row_operands.q.val();
        self.warp_state.next = self.lookup_warp_state.q.val();
        self.result.next = self.lookup_result.q.val();
        self.word_id.next = self.lookup_word_id.q.val();

        // The checks.
        self.check.parts.next = parts;
        self.check.request.next = request;
        self.check.class.next = class;
        self.check.holds.next = self.holds.val();
        self.check.has_remainder.next = self.count_in_warps.has_remainder.val();
        self.check.beyond_range.next = bit_cast::<12, CW>(self.expected_bits.val()) != self.expected.val();
        self.check.bad_row.next = self.barrier_word.bad_row.val();
        self.check.bad_sum.next = self.barrier_word.bad_sum.val();
        self.check.bad_warp.next = self.warp_word.bad_word.val();
        self.operand_fault.next = self.check.operand_fault.val();
    }
}
