// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of an operation: what it adds to a row, what it expects of it, and which state it writes.
//!
//! *Reads:* the operation at the port. *Writes:* one cycle later what is wrong with the operands by themselves (`flaw`, a gate) and
//! its numbers, which stay through `beat` (latency 1). Implements the operands of BAR and BAR_RED and the state words `BARState` and
//! `WarpBARState` of spec 001, with those rules that ask for no other state.
//!
//! A Write to a barrier is an arrival of several warps at an empty row, so it has the same numbers: how many arrive, what they
//! contribute, how many are expected. Of a Write to a warp, a POPC result is checked like a count: as the warps it takes to give so many.

use super::results::Coded;
use crate::payload::payload;
use crate::unit::op::{FaultCode, OpKind, RedOp, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// The numbers of an operation in one bit each.
#[payload]
pub struct Traits {
    /// A count is given.
    pub counted: Bit,
    /// Its contribution can only make the sum of AND or OR 1, not add to it.
    pub merges: Bit,
    /// Afterwards the warp has arrived; it waits; the row is idle; the warp is trapped.
    pub arrives: Bit,
    pub waits: Bit,
    pub idle: Bit,
    pub traps: Bit,
}

/// What is wrong with its operands; at most one of the last three.
#[payload]
pub struct Flaws {
    pub mixed: Bit,
    pub nothing: Bit,
    pub ragged: Bit,
    pub huge: Bit,
    pub bad_row: Bit,
    pub bad_sum: Bit,
    pub bad_warp: Bit,
}

/// Counts of warps in `CW` bits, sums in `AW` bits (a count and the number of a lane), contributions of a warp in `VW`.
#[block]
pub struct Operands<CW, AW, VW> {
    pub clock: Signal<In, Clock>,
    /// Reductions, checks, state words are built.
    pub reduces: Signal<In, Bit>,
    pub checks: Signal<In, Bit>,
    pub words: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    pub uniform: Signal<In, Bit>,
    pub count: Signal<In, Bits<12>>,
    pub redop: Signal<In, RedOp>,
    pub value: Signal<In, Bits<VW>>,
    pub state: Signal<In, StateWord>,
    pub data: Signal<In, Bits<32>>,
    pub beat: Signal<In, Bit>,
    pub flaw: Signal<Out, FaultCode>,
    pub flawed: Signal<Out, Bit>,
    /// The id in the state word of a warp.
    pub word_id: Signal<Out, Bits<4>>,
    /// Warps that are expected, 0 if no count is given; one less.
    pub wanted: Signal<Out, Bits<CW>>,
    pub before_last: Signal<Out, Bits<CW>>,
    /// Warps that arrive, what they contribute, and to which reduction (0 = none, else 1 + its number).
    pub steps: Signal<Out, Bits<CW>>,
    pub amount: Signal<Out, Bits<AW>>,
    pub reduction: Signal<Out, Bits<2>>,
    pub marks: Signal<Out, Traits>,
    /// Of a warp's state: its result, in code.
    pub result: Signal<Out, Bits<AW>>,
    coded: Coded<AW>,
    reg_flaws: DFF<Flaws>,
    reg_word_id: DFF<Bits<4>>,
    reg_wanted: DFF<Bits<CW>>,
    reg_before_last: DFF<Bits<CW>>,
    reg_steps: DFF<Bits<CW>>,
    reg_amount: DFF<Bits<AW>>,
    reg_reduction: DFF<Bits<2>>,
    reg_marks: DFF<Traits>,
    reg_result: DFF<Bits<AW>>,
    arrival: Signal<Local, Bit>,
    to_row: Signal<Local, Bit>,
    to_warp: Signal<Local, Bit>,
    threads: Signal<Local, Bits<12>>,
    groups: Signal<Local, Bits<12>>,
    remainder: Signal<Local, Bits<12>>,
    fits: Signal<Local, Bits<CW>>,
    huge: Signal<Local, Bit>,
    one: Signal<Local, Bits<CW>>,
    word_count: Signal<Local, Bits<7>>,
    word_expected: Signal<Local, Bits<7>>,
    word_kind: Signal<Local, Bits<2>>,
    word_redop: Signal<Local, Bits<2>>,
    word_value: Signal<Local, Bits<12>>,
    result_value: Signal<Local, Bits<12>>,
    fit: Signal<Local, Bit>,
    few: Signal<Local, Bits<CW>>,
    sum: Signal<Local, Bits<AW>>,
    goal: Signal<Local, Bits<CW>>,
    sum_wide: Signal<Local, Bits<12>>,
    groups_sum: Signal<Local, Bits<12>>,
    many: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
    most: Signal<Local, Bits<8>>,
    needs: Signal<Local, Bits<8>>,
    above_one: Signal<Local, Bits<12>>,
    spare: Signal<Local, Bits<32>>,
    bad_row: Signal<Local, Bit>,
    bad_sum: Signal<Local, Bit>,
    bad_warp: Signal<Local, Bit>,
    lane_bits: Constant<Bits<3>>,
    lane_mask: Constant<Bits<12>>,
}

#[block]
impl Operands<CW, AW, VW> {
    /// `lanes` of a warp, a power of two of at most 32.
    pub fn new(lanes: usize) -> Self {
        assert!(lanes.is_power_of_two() && lanes <= 32 && CW <= 7 && AW == CW + lanes.trailing_zeros() as usize && VW <= AW);
        Operands {
            lane_bits: Constant::new((lanes.trailing_zeros() as u64).into()),
            lane_mask: Constant::new((lanes as u64 - 1).into()),
            ..Default::default()
        }
    }
}

#[block]
impl Logic for Operands<CW, AW, VW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrival.next =
            (self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Arrive) | (self.kind.val() == OpKind::Reduce);
        self.to_row.next = self.words.val() & (self.kind.val() == OpKind::Write) & (self.state.val() == StateWord::Barrier);
        self.to_warp.next = self.words.val() & (self.kind.val() == OpKind::Write) & (self.state.val() == StateWord::Warp);

        // The fields of a state word; of one of a warp the result stands where a count of threads would.
        self.word_count.next = bit_cast::<7, 32>(self.data.val());
        self.word_kind.next = self.data.val().get_bits::<2>(14);
        self.word_redop.next = self.data.val().get_bits::<2>(16);
        self.word_value.next = self.data.val().get_bits::<12>(18);
        self.result_value.next = bit_cast::<12, 32>(self.data.val());
        self.threads.next = self.count.val();
        if self.to_warp.val() {
            self.threads.next = self.result_value.val();
        }

        // How many warps are expected.
        self.groups.next = self.threads.val() >> self.lane_bits.val();
        self.remainder.next = self.threads.val() & self.lane_mask.val();
        if self.to_row.val() {
            self.groups.next = bit_cast::<12, 7>(self.data.val().get_bits::<7>(7));
        }
        self.fits.next = bit_cast::<CW, 12>(self.groups.val());
        self.huge.next = bit_cast::<12, CW>(self.fits.val()) != self.groups.val();
        self.one.next = 1.into();
        if self.to_warp.val() & self.remainder.val().any() {
            self.one.next = 0.into();
        }

        // A barrier's state.
        self.few.next = bit_cast::<CW, 7>(self.word_count.val());
        self.sum.next = bit_cast::<AW, 12>(self.word_value.val());
        self.fit.next = (bit_cast::<12, AW>(self.sum.val()) == self.word_value.val())
            & (bit_cast::<7, CW>(self.few.val()) == self.word_count.val());
        // What does not fit is wrong whatever else holds, so only what fits is compared.
        self.sum_wide.next = bit_cast::<12, AW>(self.sum.val());
        self.groups_sum.next = self.sum_wide.val() >> self.lane_bits.val();
        self.needs.next = bit_cast::<8, 12>(self.groups_sum.val()) << 1;
        self.remainder.next = self.word_value.val() & self.lane_mask.val();
        if self.remainder.val().any() {
            self.needs.next = self.needs.val() | 1;
        }
        self.most.next = bit_cast::<8, CW>(self.few.val()) << 1;
        self.above_one.next = self.word_value.val() & 0xffe;
        self.many.next = self.above_one.val().any();
        self.bad_sum.next = (self.word_redop.val().get_bit(1) & (self.needs.val() > self.most.val()))
            | (!self.word_redop.val().get_bit(1) & self.many.val())
            | (self.word_redop.val() == 3)
            | !self.fit.val();
        if self.word_kind.val() != 2 {
            self.bad_sum.next =
                self.word_redop.val().any() | self.many.val() | self.word_value.val().get_bit(0) | !self.fit.val();
        }
        self.word_expected.next = self.data.val().get_bits::<7>(7);
        self.goal.next = bit_cast::<CW, 7>(self.word_expected.val());
        self.bad_row.next = self.data.val().get_bit(30)
            | (self.word_kind.val() == 3)
            | (!self.reduces.val() & (self.word_kind.val() == 2))
            | (bit_cast::<7, CW>(self.goal.val()) != self.word_expected.val());
        if self.word_kind.val() == 0 {
            self.bad_row.next = self.bad_row.val() | self.few.val().any() | self.goal.val().any() | self.data.val().get_bit(31);
        } else {
            self.bad_row.next =
                self.bad_row.val() | !self.few.val().any() | (self.goal.val().any() & (self.few.val() >= self.goal.val()));
        }

        // A warp's state.
        self.spare.next = self.data.val() & 0xfff0_0000_u64;
        self.above_one.next = self.result_value.val() & 0xffe;
        self.many.next = self.above_one.val().any();
        self.gives.next = self.many.val() | self.data.val().get_bit(0);
        self.bad_warp.next = self.spare.val().any()
            | (!self.reduces.val() & (self.data.val().get_bits::<2>(12) != 3))
            | ((self.data.val().get_bits::<2>(12) == 3) & self.gives.val())
            | (!self.data.val().get_bit(13) & self.many.val())
            | (bit_cast::<12, AW>(bit_cast::<AW, 12>(self.result_value.val())) != self.result_value.val())
            | (self.data.val().get_bits::<4>(15).any() & !self.data.val().get_bit(14));
        self.coded.of.next = self.data.val().get_bits::<2>(12) + 1;
        self.coded.value.next = bit_cast::<AW, 32>(self.data.val());

        if !self.beat.val() {
            self.reg_word_id.d.next = self.data.val().get_bits::<4>(15);
            self.reg_wanted.d.next = self.fits.val();
            self.reg_before_last.d.next = self.fits.val() - self.one.val();
            self.reg_result.d.next = self.coded.code.val();
            self.reg_flaws.d.next.mixed = self.checks.val()
                & !self.uniform.val()
                & (self.arrival.val()
                    | (self.words.val() & ((self.kind.val() == OpKind::Read) | (self.kind.val() == OpKind::Write))));
            self.reg_flaws.d.next.nothing = self.checks.val() & (self.kind.val() == OpKind::Arrive) & !self.count.val().any();
            self.remainder.next = self.count.val() & self.lane_mask.val();
            self.reg_flaws.d.next.ragged = self.checks.val() & self.arrival.val() & self.remainder.val().any();
            self.reg_flaws.d.next.huge = self.checks.val() & self.arrival.val() & self.huge.val();
            self.reg_flaws.d.next.bad_row = self.to_row.val() & self.bad_row.val();
            self.reg_flaws.d.next.bad_sum = self.to_row.val() & self.bad_sum.val();
            self.reg_flaws.d.next.bad_warp = self.to_warp.val() & self.bad_warp.val();
            self.few.next = bit_cast::<CW, 12>(self.count.val() >> self.lane_bits.val());
            self.reg_marks.d.next.counted = self.few.val().any() & (self.kind.val() != OpKind::Exit);
            self.few.next = bit_cast::<CW, 7>(self.word_count.val());
            if self.to_row.val() {
                self.reg_marks.d.next.counted = self.goal.val().any();
            }
            if self.to_warp.val() {
                self.reg_marks.d.next.counted = (self.data.val().get_bits::<2>(12) == 2) & self.gives.val();
            }
            self.reg_marks.d.next.arrives = !self.to_row.val() | self.data.val().get_bit(31);
            self.reg_marks.d.next.waits = (self.kind.val() == OpKind::Sync)
                | (self.kind.val() == OpKind::Reduce)
                | (self.to_warp.val() & self.data.val().get_bit(14));
            self.reg_marks.d.next.idle = self.to_row.val() & (self.word_kind.val() == 0);
            self.reg_marks.d.next.traps = self.data.val().get_bit(19);
            self.reg_marks.d.next.merges = false;

            self.reg_steps.d.next = 0.into();
            self.reg_amount.d.next = 0.into();
            self.reg_reduction.d.next = 0.into();
            if self.arrival.val() {
                self.reg_steps.d.next = 1.into();
            }
            if self.reduces.val() & (self.kind.val() == OpKind::Reduce) {
                if self.redop.val() == RedOp::Popc {
                    self.reg_reduction.d.next = 3.into();
                    self.reg_amount.d.next = bit_cast::<AW, VW>(self.value.val());
                } else {
                    self.reg_reduction.d.next = 1.into();
                    if self.redop.val() == RedOp::Or {
                        self.reg_reduction.d.next = 2.into();
                    }
                    if self.value.val().get_bit(0) {
                        self.reg_amount.d.next = 1.into();
                        self.reg_marks.d.next.merges = true;
                    }
                }
            }
            if self.to_row.val() {
                self.reg_steps.d.next = self.few.val();
                if self.reduces.val() {
                    self.reg_amount.d.next = self.sum.val();
                }
                if self.reduces.val() & (self.word_kind.val() == 2) {
                    self.reg_reduction.d.next = self.word_redop.val() + 1;
                    // AND is kept as what speaks against it.
                    if self.word_redop.val() == 0 {
                        self.reg_amount.d.next = self.sum.val() ^ 1;
                    }
                }
            }
        }

        // What is wrong, the last assignment wins.
        self.flaw.next = FaultCode::None;
        if self.reg_flaws.q.val().bad_row | self.reg_flaws.q.val().bad_sum | self.reg_flaws.q.val().bad_warp {
            self.flaw.next = FaultCode::BadStateWord;
        }
        if self.reg_flaws.q.val().huge {
            self.flaw.next = FaultCode::CountExceedsCta;
        }
        if self.reg_flaws.q.val().ragged {
            self.flaw.next = FaultCode::CountNotWarpMultiple;
        }
        if self.reg_flaws.q.val().nothing {
            self.flaw.next = FaultCode::CountZeroArrive;
        }
        if self.reg_flaws.q.val().mixed {
            self.flaw.next = FaultCode::OperandNotUniform;
        }
        self.flawed.next = self.reg_flaws.q.val().mixed
            | self.reg_flaws.q.val().nothing
            | self.reg_flaws.q.val().ragged
            | self.reg_flaws.q.val().huge
            | self.reg_flaws.q.val().bad_row
            | self.reg_flaws.q.val().bad_sum
            | self.reg_flaws.q.val().bad_warp;

        self.word_id.next = self.reg_word_id.q.val();
        self.wanted.next = self.reg_wanted.q.val();
        self.before_last.next = self.reg_before_last.q.val();
        self.steps.next = self.reg_steps.q.val();
        self.amount.next = self.reg_amount.q.val();
        self.reduction.next = self.reg_reduction.q.val();
        self.marks.next = self.reg_marks.q.val();
        self.result.next = self.reg_result.q.val();
    }
}
