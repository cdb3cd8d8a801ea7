// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operands of an operation as numbers: its addends for a row, the count that it expects of the row, the state that it writes.
//!
//! *Reads:* the operation at the port. *Writes:* one cycle later its numbers, and the fault of the operands alone (a gate); both
//! are held while `first_slot` is 1. *Latency:* 1. Implements the operands of BAR and BAR_RED and the state words `BARState` and
//! `WarpBARState` of spec 001, with those rules that need no other state.
//!
//! A Write to Barrier has the numbers of an arrival of several warps at an empty row: how many arrive, their contribution, how
//! many are expected. Its accumulator is compared with the lanes of the arriving warps. The POPC result of a Write to Warp is
//! compared with the lanes of its CTA one cycle later, in [`check`](super::check).

use super::front::Front;
use super::in_warps::InWarps;
use super::lookup_op::{Numbers, OperandFault};
use super::more_than::MoreThan;
use crate::prelude::*;

/// The fault of the operands, by cause.
#[payload]
pub struct Causes {
    /// The executing lanes do not agree: `operand_not_uniform`.
    pub not_uniform: Bit,
    /// Arrive without a count: `count_zero_arrive`.
    pub no_count: Bit,
    /// The count is not a multiple of the lanes of a warp: `count_not_warp_multiple`.
    pub not_multiple: Bit,
    /// The count in warps needs more than `CW` bits: `count_exceeds_cta`.
    pub beyond_range: Bit,
    /// Write to Barrier: `bad_state_word` by its kind, its counts, bit 30 or bit 31.
    pub bad_row: Bit,
    /// Write to Barrier: `bad_state_word` by its redop or accumulator, or a number that does not fit.
    pub bad_sum: Bit,
    /// Write to Warp: `bad_state_word`.
    pub bad_warp: Bit,
}

#[block]
pub struct Operands<W, LW, CW, LC, LI, AW, VW> {
    pub clock: Signal<In, Clock>,
    pub op: Signal<In, NamedOp<W, LW, CW, LC, VW>>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub numbers: Signal<Out, Numbers<CW, AW>>,
    pub operand_fault: Signal<Out, OperandFault>,
    /// The count at the port in warps.
    #[init(InWarps::new(config))]
    count_in_warps: InWarps,
    /// The accumulator of a barrier state word is more than its arrived warps can contribute.
    #[init(MoreThan::new(config))]
    excess: MoreThan,
    numbers_q: DFF<Numbers<CW, AW>>,
    causes: DFF<Causes>,
    request: Signal<Local, Request<LC>>,
    data: Signal<Local, Bits<32>>,
    is_row_write: Signal<Local, Bit>,
    is_warp_write: Signal<Local, Bit>,
    /// Warps that are expected.
    expected: Signal<Local, Bits<12>>,
    /// Warps that are expected, in `CW` bits.
    expected_bits: Signal<Local, Bits<CW>>,
    row_kind: Signal<Local, Bits<2>>,
    row_redop: Signal<Local, Bits<2>>,
    result_redop: Signal<Local, Bits<2>>,
    row_value: Signal<Local, Bits<12>>,
    result_value: Signal<Local, Bits<12>>,
    /// Barrier state word: its numbers fit into the bits of a row.
    fits: Signal<Local, Bit>,
    expected_minus_one: Signal<Local, Bits<CW>>,
    /// Barrier state word: warps that have arrived.
    row_arrived: Signal<Local, Bits<CW>>,
    row_sum: Signal<Local, Bits<AW>>,
    /// Barrier state word: warps that are expected.
    row_expected: Signal<Local, Bits<CW>>,
    /// A value that must be 0 or 1 is larger.
    above_one: Signal<Local, Bit>,
    bad_row: Signal<Local, Bit>,
    bad_sum: Signal<Local, Bit>,
}

#[block]
impl Logic for Operands<W, LW, CW, LC, LI, AW, VW> {
    fn update(&mut self) {
        self.request.next = self.op.val().op.request;
        self.data.next = self.op.val().op.request.data;
        self.is_row_write.next = self.front.val().entering.is_row_write;
        self.is_warp_write.next = self.front.val().entering.is_warp_write;

        // The fields of a state word.
        self.row_arrived.next = bit_cast::<CW, 32>(self.data.val());
        self.row_expected.next = bit_cast::<CW, 7>(self.data.val().get_bits::<7>(7));
        self.row_kind.next = self.data.val().get_bits::<2>(14);
        self.row_redop.next = self.data.val().get_bits::<2>(16);
        self.row_value.next = self.data.val().get_bits::<12>(18);
        self.result_redop.next = self.data.val().get_bits::<2>(12);
        self.result_value.next = bit_cast::<12, 32>(self.data.val());

        // The number of expected warps, and that number minus 1: once so many have arrived, the next arrival completes the barrier.
        self.count_in_warps.threads.next = self.request.val().count;
        self.expected.next = self.count_in_warps.warps.val();
        if self.is_row_write.val() {
            self.expected.next = bit_cast::<12, 7>(self.data.val().get_bits::<7>(7));
        }
        self.expected_bits.next = bit_cast::<CW, 12>(self.expected.val());
        self.expected_minus_one.next = self.expected_bits.val() - 1;

        // A barrier state word.
        self.row_sum.next = bit_cast::<AW, 12>(self.row_value.val());
        self.fits.next = (bit_cast::<12, AW>(self.row_sum.val()) == self.row_value.val())
            & (bit_cast::<7, CW>(self.row_arrived.val()) == self.data.val().get_bits::<7>(0));
        // A number that does not fit is a fault in any case, so only the bits that fit are compared.
        self.excess.threads.next = bit_cast::<13, AW>(self.row_sum.val());
        self.excess.warps.next = bit_cast::<7, CW>(self.row_arrived.val());
        self.above_one.next = self.row_value.val().get_bits::<11>(1).any();
        self.bad_sum.next = (self.row_redop.val().get_bit(1) & self.excess.is_more.val())
            | (!self.row_redop.val().get_bit(1) & self.above_one.val())
            | (self.row_redop.val() == 3)
            | !self.fits.val();
        if self.row_kind.val() != 2 {
            self.bad_sum.next = self.row_redop.val().any() | self.row_value.val().any() | !self.fits.val();
        }
        self.bad_row.next = self.data.val().get_bit(30)
            | (self.row_kind.val() == 3)
            | (!self.front.val().parts.reductions & (self.row_kind.val() == 2))
            | (bit_cast::<7, CW>(self.row_expected.val()) != self.data.val().get_bits::<7>(7));
        if self.row_kind.val() == 0 {
            self.bad_row.next =
                self.bad_row.val() | self.row_arrived.val().any() | self.row_expected.val().any() | self.data.val().get_bit(31);
        } else {
            self.bad_row.next = self.bad_row.val()
                | !self.row_arrived.val().any()
                | (self.row_expected.val().any() & (self.row_arrived.val() >= self.row_expected.val()));
        }

        // A warp state word.
        self.above_one.next = self.result_value.val().get_bits::<11>(1).any();

        if !self.front.val().actions.first_slot {
            self.causes.d.next.not_uniform = self.front.val().parts.faults
                & !self.request.val().uniform
                & (self.front.val().entering.is_arrival
                    | (self.front.val().parts.state_words
                        & ((self.request.val().kind == OpKind::Read) | (self.request.val().kind == OpKind::Write))));
            self.causes.d.next.no_count =
                self.front.val().parts.faults & (self.request.val().kind == OpKind::Arrive) & !self.request.val().count.any();
            self.causes.d.next.not_multiple =
                self.front.val().parts.faults & self.front.val().entering.is_arrival & self.count_in_warps.has_remainder.val();
            self.causes.d.next.beyond_range = self.front.val().parts.faults
                & self.front.val().entering.is_arrival
                & (bit_cast::<12, CW>(self.expected_bits.val()) != self.expected.val());
            self.causes.d.next.bad_row = self.is_row_write.val() & self.bad_row.val();
            self.causes.d.next.bad_sum = self.is_row_write.val() & self.bad_sum.val();
            self.causes.d.next.bad_warp = self.is_warp_write.val()
                & (self.data.val().get_bits::<12>(20).any()
                    | (!self.front.val().parts.reductions & (self.result_redop.val() != 3))
                    | ((self.result_redop.val() == 3) & self.result_value.val().any())
                    | (!self.data.val().get_bit(13) & self.above_one.val())
                    | (bit_cast::<12, AW>(bit_cast::<AW, 12>(self.result_value.val())) != self.result_value.val())
                    | (self.data.val().get_bits::<4>(15).any() & !self.data.val().get_bit(14)));

            self.numbers_q.d.next.has_count =
                bit_cast::<CW, 12>(self.count_in_warps.warps.val()).any() & (self.request.val().kind != OpKind::Exit);
            if self.is_row_write.val() {
                self.numbers_q.d.next.has_count = self.row_expected.val().any();
            }
            if self.is_warp_write.val() {
                self.numbers_q.d.next.has_count = self.result_redop.val() == 2;
            }
            self.numbers_q.d.next.sets_arrived = !self.is_row_write.val() | self.data.val().get_bit(31);
            self.numbers_q.d.next.waits = (self.request.val().kind == OpKind::Sync)
                | (self.request.val().kind == OpKind::Reduce)
                | (self.is_warp_write.val() & self.data.val().get_bit(14));
            self.numbers_q.d.next.sets_idle = self.is_row_write.val() & (self.row_kind.val() == 0);
            self.numbers_q.d.next.sets_trapped = self.data.val().get_bit(19);
            self.numbers_q.d.next.merges_contribution = false;
            self.numbers_q.d.next.op_expected = self.expected_bits.val();
            self.numbers_q.d.next.expected_minus_one = self.expected_minus_one.val();
            self.numbers_q.d.next.result = bit_cast::<AW, 32>(self.data.val());
            self.numbers_q.d.next.word_id = self.data.val().get_bits::<4>(15);

            self.numbers_q.d.next.arrivals = 0.into();
            self.numbers_q.d.next.contribution = 0.into();
            self.numbers_q.d.next.op_reduction = Reduction::None;
            if self.front.val().entering.is_arrival {
                self.numbers_q.d.next.arrivals = 1.into();
            }
            if self.front.val().parts.reductions & (self.request.val().kind == OpKind::Reduce) {
                if self.request.val().redop == RedOp::Popc {
                    self.numbers_q.d.next.op_reduction = Reduction::Popc;
                    self.numbers_q.d.next.contribution = bit_cast::<AW, VW>(self.op.val().op.value);
                } else {
                    self.numbers_q.d.next.op_reduction = Reduction::And;
                    if self.request.val().redop == RedOp::Or {
                        self.numbers_q.d.next.op_reduction = Reduction::Or;
                    }
                    if self.op.val().op.value.get_bit(0) {
                        self.numbers_q.d.next.contribution = 1.into();
                        self.numbers_q.d.next.merges_contribution = true;
                    }
                }
            }
            if self.front.val().parts.reductions & self.is_warp_write.val() {
                if self.result_redop.val() == 0 {
                    self.numbers_q.d.next.op_reduction = Reduction::And;
                }
                if self.result_redop.val() == 1 {
                    self.numbers_q.d.next.op_reduction = Reduction::Or;
                }
                if self.result_redop.val() == 2 {
                    self.numbers_q.d.next.op_reduction = Reduction::Popc;
                }
            }
            if self.is_row_write.val() {
                self.numbers_q.d.next.arrivals = self.row_arrived.val();
                if self.front.val().parts.reductions {
                    self.numbers_q.d.next.contribution = self.row_sum.val();
                }
                if self.front.val().parts.reductions & (self.row_kind.val() == 2) {
                    if self.row_redop.val() == 0 {
                        // The sum of AND is 1 if a predicate was false: the complement of the accumulator.
                        self.numbers_q.d.next.op_reduction = Reduction::And;
                        self.numbers_q.d.next.contribution = self.row_sum.val() ^ 1;
                    }
                    if self.row_redop.val() == 1 {
                        self.numbers_q.d.next.op_reduction = Reduction::Or;
                    }
                    if self.row_redop.val() == 2 {
                        self.numbers_q.d.next.op_reduction = Reduction::Popc;
                    }
                }
            }
        }
        self.numbers.next = self.numbers_q.q.val();

        // The fault: the last assignment wins.
        self.operand_fault.next.fault = FaultCode::None;
        if self.causes.q.val().bad_row | self.causes.q.val().bad_sum | self.causes.q.val().bad_warp {
            self.operand_fault.next.fault = FaultCode::BadStateWord;
        }
        if self.causes.q.val().beyond_range {
            self.operand_fault.next.fault = FaultCode::CountExceedsCta;
        }
        if self.causes.q.val().not_multiple {
            self.operand_fault.next.fault = FaultCode::CountNotWarpMultiple;
        }
        if self.causes.q.val().no_count {
            self.operand_fault.next.fault = FaultCode::CountZeroArrive;
        }
        if self.causes.q.val().not_uniform {
            self.operand_fault.next.fault = FaultCode::OperandNotUniform;
        }
        self.operand_fault.next.has_fault = self.causes.q.val().not_uniform
            | self.causes.q.val().no_count
            | self.causes.q.val().not_multiple
            | self.causes.q.val().beyond_range
            | self.causes.q.val().bad_row
            | self.causes.q.val().bad_sum
            | self.causes.q.val().bad_warp;
    }
}
