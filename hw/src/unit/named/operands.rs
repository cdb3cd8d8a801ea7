// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of an operation: what it adds to a row, what it expects of it, and which state it writes.
//!
//! *Reads:* the operation at the port. *Writes:* its numbers one cycle later (latency 1). Implements the operands of BAR and BAR_RED
//! and the state words `BARState` and `WarpBARState` of spec 001, with those rules for a state word that ask for no other state.
//!
//! A Write to a barrier is an arrival of several warps at an empty row, so it has the same numbers: how many arrive, what they
//! contribute, how many are expected.

use crate::unit::op::{OpKind, RedOp, StateWord};
use rust_hdl::prelude::*;

/// Counts of warps in `CW` bits, sums in `AW`, contributions of a warp in `VW`.
#[derive(LogicBlock)]
pub struct Operands<const CW: usize, const AW: usize, const VW: usize> {
    pub clock: Signal<In, Clock>,
    pub kind: Signal<In, OpKind>,
    pub count: Signal<In, Bits<12>>,
    pub redop: Signal<In, RedOp>,
    pub value: Signal<In, Bits<VW>>,
    pub state: Signal<In, StateWord>,
    pub data: Signal<In, Bits<32>>,
    /// In the same cycle: the id in the state word of a warp.
    pub word_id: Signal<Out, Bits<4>>,
    /// The operation writes a barrier's row, or a warp's state.
    pub writes_row: Signal<Out, Bit>,
    pub writes_warp: Signal<Out, Bit>,
    /// Warps that are expected, 0 if no count is given; more than `CW` bits hold are `huge`.
    pub wanted: Signal<Out, Bits<CW>>,
    pub huge: Signal<Out, Bit>,
    /// The count of threads is 0; no multiple of a warp's lanes.
    pub zero: Signal<Out, Bit>,
    pub ragged: Signal<Out, Bit>,
    /// Warps that arrive, what they contribute, and to which reduction (0 = none, else 1 + its number).
    pub steps: Signal<Out, Bits<CW>>,
    pub amount: Signal<Out, Bits<AW>>,
    pub reduction: Signal<Out, Bits<2>>,
    /// Afterwards the warp has arrived; it waits; the row is idle.
    pub arrives: Signal<Out, Bit>,
    pub waits: Signal<Out, Bit>,
    pub idle: Signal<Out, Bit>,
    /// Of a warp's state: its result, what was reduced, and whether it is trapped.
    pub result: Signal<Out, Bits<AW>>,
    pub result_of: Signal<Out, Bits<2>>,
    pub traps: Signal<Out, Bit>,
    /// No state has this word.
    pub bad: Signal<Out, Bit>,
    reg_writes_row: DFF<Bit>,
    reg_writes_warp: DFF<Bit>,
    reg_wanted: DFF<Bits<CW>>,
    reg_huge: DFF<Bit>,
    reg_zero: DFF<Bit>,
    reg_ragged: DFF<Bit>,
    reg_steps: DFF<Bits<CW>>,
    reg_amount: DFF<Bits<AW>>,
    reg_reduction: DFF<Bits<2>>,
    reg_arrives: DFF<Bit>,
    reg_waits: DFF<Bit>,
    reg_idle: DFF<Bit>,
    reg_result: DFF<Bits<AW>>,
    reg_result_of: DFF<Bits<2>>,
    reg_traps: DFF<Bit>,
    reg_bad: DFF<Bit>,
    to_row: Signal<Local, Bit>,
    to_warp: Signal<Local, Bit>,
    threads: Signal<Local, Bits<12>>,
    groups: Signal<Local, Bits<12>>,
    fits: Signal<Local, Bits<CW>>,
    held: Signal<Local, Bits<AW>>,
    part: Signal<Local, Bits<32>>,
    word_count: Signal<Local, Bits<7>>,
    word_expected: Signal<Local, Bits<7>>,
    word_kind: Signal<Local, Bits<2>>,
    word_redop: Signal<Local, Bits<2>>,
    word_value: Signal<Local, Bits<12>>,
    most: Signal<Local, Bits<12>>,
    lane_bits: Constant<Bits<3>>,
    lane_mask: Constant<Bits<12>>,
}

impl<const CW: usize, const AW: usize, const VW: usize> Operands<CW, AW, VW> {
    /// `lanes` of a warp, a power of two of at most 32.
    pub fn new(lanes: usize) -> Self {
        assert!(lanes.is_power_of_two() && lanes <= 32 && CW <= 7 && AW <= 12 && VW <= AW);
        crate::fresh!(Operands {
            clock, kind, count, redop, value, state, data, word_id, writes_row, writes_warp, wanted, huge, zero, ragged, steps, amount,
            reduction, arrives, waits, idle, result, result_of, traps, bad, reg_writes_row, reg_writes_warp, reg_wanted,
            reg_huge, reg_zero, reg_ragged, reg_steps, reg_amount, reg_reduction, reg_arrives, reg_waits, reg_idle, reg_result,
            reg_result_of, reg_traps, reg_bad, to_row, to_warp, threads, groups, fits, held, part, word_count, word_expected,
            word_kind, word_redop, word_value, most;
            lane_bits: Constant::new((lanes.trailing_zeros() as u64).into()),
            lane_mask: Constant::new((lanes as u64 - 1).into())
        })
    }
}

impl<const CW: usize, const AW: usize, const VW: usize> Logic for Operands<CW, AW, VW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reg_writes_row, reg_writes_warp, reg_wanted, reg_huge, reg_zero, reg_ragged, reg_steps);
        dff_setup!(self, clock, reg_amount, reg_reduction, reg_arrives, reg_waits, reg_idle, reg_result, reg_result_of);
        dff_setup!(self, clock, reg_traps, reg_bad);
        self.to_row.next = (self.kind.val() == OpKind::Write) & (self.state.val() == StateWord::Barrier);
        self.to_warp.next = (self.kind.val() == OpKind::Write) & (self.state.val() == StateWord::Warp);
        self.reg_writes_row.d.next = self.to_row.val();
        self.reg_writes_warp.d.next = self.to_warp.val();

        // An arrival; an exit looks for a row without a count.
        self.threads.next = self.count.val();
        if self.kind.val() == OpKind::Exit {
            self.threads.next = 0.into();
        }
        self.groups.next = self.threads.val() >> self.lane_bits.val();
        self.reg_zero.d.next = !self.threads.val().any();
        self.threads.next = self.threads.val() & self.lane_mask.val();
        self.reg_ragged.d.next = self.threads.val().any();
        self.reg_steps.d.next = 1.into();
        self.reg_amount.d.next = 0.into();
        self.reg_reduction.d.next = 0.into();
        self.reg_arrives.d.next = true;
        self.reg_waits.d.next = (self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Reduce);
        self.reg_idle.d.next = false;
        self.reg_bad.d.next = false;
        if self.kind.val() == OpKind::Reduce {
            self.reg_amount.d.next = bit_cast::<AW, VW>(self.value.val());
            self.reg_reduction.d.next = 1.into();
            if self.redop.val() == RedOp::Or {
                self.reg_reduction.d.next = 2.into();
            }
            if self.redop.val() == RedOp::Popc {
                self.reg_reduction.d.next = 3.into();
            }
        }

        // A barrier's state.
        self.part.next = 0.into();
        self.word_count.next = 0.into();
        self.word_expected.next = 0.into();
        self.word_kind.next = 0.into();
        self.word_redop.next = 0.into();
        self.word_value.next = 0.into();
        self.most.next = 0.into();
        if self.to_row.val() {
            self.word_count.next = bit_cast::<7, 32>(self.data.val());
            self.word_expected.next = self.data.val().get_bits::<7>(7);
            self.word_kind.next = self.data.val().get_bits::<2>(14);
            self.word_redop.next = self.data.val().get_bits::<2>(16);
            self.word_value.next = self.data.val().get_bits::<12>(18);
            self.most.next = bit_cast::<12, 7>(self.word_count.val()) << self.lane_bits.val();
            self.groups.next = bit_cast::<12, 7>(self.word_expected.val());
            self.reg_steps.d.next = bit_cast::<CW, 7>(self.word_count.val());
            self.reg_amount.d.next = bit_cast::<AW, 12>(self.word_value.val());
            self.reg_arrives.d.next = self.data.val().get_bit(31);
            self.reg_idle.d.next = self.word_kind.val() == 0;

            self.reg_bad.d.next = self.data.val().get_bit(30)
                | (self.word_kind.val() == 3)
                | ((self.word_kind.val() == 0) & self.data.val().any())
                | ((self.word_kind.val() != 0) & !self.word_count.val().any())
                | ((self.word_kind.val() == 1) & (self.word_redop.val().any() | self.word_value.val().any()))
                | (self.word_expected.val().any() & (self.word_count.val() >= self.word_expected.val()));
            self.fits.next = bit_cast::<CW, 7>(self.word_count.val());
            if bit_cast::<7, CW>(self.fits.val()) != self.word_count.val() {
                self.reg_bad.d.next = true;
            }
            if self.word_kind.val() == 2 {
                self.reg_reduction.d.next = self.word_redop.val() + 1;
                // AND is kept as what speaks against it.
                if self.word_redop.val() == 0 {
                    self.reg_amount.d.next = 1.into();
                    if self.word_value.val().get_bit(0) {
                        self.reg_amount.d.next = 0.into();
                    }
                }
                if (self.word_redop.val() == 3)
                    | ((self.word_redop.val() == 2) & (self.word_value.val() > self.most.val()))
                    | ((self.word_redop.val() < 2) & (self.word_value.val() > 1))
                {
                    self.reg_bad.d.next = true;
                }
            }
        }

        // A warp's state.
        self.held.next = bit_cast::<AW, 32>(self.data.val());
        self.reg_result.d.next = self.held.val();
        self.reg_traps.d.next = self.data.val().get_bit(19);
        self.reg_result_of.d.next = 0.into();
        self.word_id.next = 0.into();
        if self.to_warp.val() {
            self.word_value.next = bit_cast::<12, 32>(self.data.val());
            self.word_redop.next = self.data.val().get_bits::<2>(12);
            self.reg_steps.d.next = 0.into();
            self.reg_result_of.d.next = self.word_redop.val() + 1;
            self.reg_waits.d.next = self.data.val().get_bit(14);
            self.word_id.next = self.data.val().get_bits::<4>(15);
            self.reg_bad.d.next = self.word_id.val().any() & !self.data.val().get_bit(14);
            self.part.next = self.data.val() & 0xfff0_0000_u64;
            if self.part.val().any()
                | ((self.word_redop.val() == 3) & self.word_value.val().any())
                | ((self.word_redop.val() < 2) & (self.word_value.val() > 1))
                | (bit_cast::<12, AW>(self.held.val()) != self.word_value.val())
            {
                self.reg_bad.d.next = true;
            }
        }
        self.fits.next = bit_cast::<CW, 12>(self.groups.val());
        self.reg_wanted.d.next = self.fits.val();
        self.reg_huge.d.next = bit_cast::<12, CW>(self.fits.val()) != self.groups.val();

        self.writes_row.next = self.reg_writes_row.q.val();
        self.writes_warp.next = self.reg_writes_warp.q.val();
        self.wanted.next = self.reg_wanted.q.val();
        self.huge.next = self.reg_huge.q.val();
        self.zero.next = self.reg_zero.q.val();
        self.ragged.next = self.reg_ragged.q.val();
        self.steps.next = self.reg_steps.q.val();
        self.amount.next = self.reg_amount.q.val();
        self.reduction.next = self.reg_reduction.q.val();
        self.arrives.next = self.reg_arrives.q.val();
        self.waits.next = self.reg_waits.q.val();
        self.idle.next = self.reg_idle.q.val();
        self.result.next = self.reg_result.q.val();
        self.result_of.next = self.reg_result_of.q.val();
        self.traps.next = self.reg_traps.q.val();
        self.bad.next = self.reg_bad.q.val();
    }
}
