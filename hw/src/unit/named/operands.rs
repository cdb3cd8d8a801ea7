// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of an operation: what it adds to a row, what it expects of it, and which state it writes.
//!
//! *Reads:* the operation at the port. *Writes:* one cycle later what is wrong with the operands by themselves (a gate) and its numbers,
//! which stay through `first_slot` (latency 1). Implements the operands of BAR and BAR_RED and the state words `BARState` and `WarpBARState` of
//! spec 001, with those rules that ask for no other state.
//!
//! A Write to a barrier is an arrival of several warps at an empty row, so it has the same numbers: how many arrive, what they
//! contribute, how many are expected. Of a Write to a warp, a POPC result is checked like a count: as the warps it takes to give so many.

use super::{coded::Coded, in_warps::InWarps, input_stage::Front};
use crate::prelude::*;

/// The numbers of an operation.
#[payload]
pub struct Numbers<CW, AW> {
    /// A count is given.
    pub counted: Bit,
    /// Its contribution can only make the sum of AND or OR 1, not add to it.
    pub merges: Bit,
    /// Afterwards the warp has arrived; it waits; the row is idle; the warp is trapped.
    pub joins: Bit,
    pub waits: Bit,
    pub idle: Bit,
    pub traps: Bit,
    /// Warps that are expected, 0 if no count is given; one less.
    pub wanted: Bits<CW>,
    pub before_last: Bits<CW>,
    /// Warps that arrive, what they contribute, and to which reduction.
    pub steps: Bits<CW>,
    pub amount: Bits<AW>,
    pub wanted_reduction: Reduction,
    /// Of a warp's state: its result, in code; its id.
    pub result: Bits<AW>,
    pub word_id: Bits<4>,
}

/// What is wrong with its operands, and whether anything is.
#[payload]
pub struct Flaw {
    pub fault: FaultCode,
    pub flawed: Bit,
}

/// The same by cause; at most one of the last three.
#[payload]
pub struct Causes {
    pub mixed: Bit,
    pub nothing: Bit,
    pub ragged: Bit,
    pub huge: Bit,
    pub bad_row: Bit,
    pub bad_sum: Bit,
    pub bad_warp: Bit,
}

#[block]
pub struct Operands<W, LW, CW, LC, LI, AW, VW> {
    pub clock: Signal<In, Clock>,
    pub op: Signal<In, NamedOp<W, LW, CW, LC, VW>>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub numbers: Signal<Out, Numbers<CW, AW>>,
    pub flaw: Signal<Out, Flaw>,
    coded: Coded<AW>,
    /// In warps: what is expected, or how many a result takes; the count; the sum of a state word.
    #[init(InWarps::new(config))]
    expected: InWarps,
    #[init(InWarps::new(config))]
    given: InWarps,
    #[init(InWarps::new(config))]
    summed: InWarps,
    numbers_q: DFF<Numbers<CW, AW>>,
    causes: DFF<Causes>,
    request: Signal<Local, Request<LC>>,
    data: Signal<Local, Bits<32>>,
    to_row: Signal<Local, Bit>,
    to_warp: Signal<Local, Bit>,
    threads: Signal<Local, Bits<12>>,
    groups: Signal<Local, Bits<12>>,
    fits: Signal<Local, Bits<CW>>,
    word_kind: Signal<Local, Bits<2>>,
    word_redop: Signal<Local, Bits<2>>,
    result_redop: Signal<Local, Bits<2>>,
    word_value: Signal<Local, Bits<12>>,
    result_value: Signal<Local, Bits<12>>,
    fit: Signal<Local, Bit>,
    before_last: Signal<Local, Bits<CW>>,
    few: Signal<Local, Bits<CW>>,
    sum: Signal<Local, Bits<AW>>,
    goal: Signal<Local, Bits<CW>>,
    many: Signal<Local, Bit>,
    needs: Signal<Local, Bits<9>>,
    bad_row: Signal<Local, Bit>,
    bad_sum: Signal<Local, Bit>,
}

#[block]
impl Logic for Operands<W, LW, CW, LC, LI, AW, VW> {
    fn update(&mut self) {
        self.request.next = self.op.val().op.request;
        self.data.next = self.op.val().op.request.data;
        self.to_row.next = self.front.val().entering.to_row;
        self.to_warp.next = self.front.val().entering.to_warp;

        // The fields of a state word; of one of a warp the result stands where a count of threads would.
        self.few.next = bit_cast::<CW, 32>(self.data.val());
        self.goal.next = bit_cast::<CW, 7>(self.data.val().get_bits::<7>(7));
        self.word_kind.next = self.data.val().get_bits::<2>(14);
        self.word_redop.next = self.data.val().get_bits::<2>(16);
        self.word_value.next = self.data.val().get_bits::<12>(18);
        self.result_redop.next = self.data.val().get_bits::<2>(12);
        self.result_value.next = bit_cast::<12, 32>(self.data.val());
        self.given.threads.next = self.request.val().count;
        self.threads.next = self.request.val().count;
        if self.to_warp.val() {
            self.threads.next = self.result_value.val();
        }

        // How many warps are expected, and how many complete a barrier but for one more arrival.
        self.expected.threads.next = self.threads.val();
        self.groups.next = self.expected.warps.val();
        if self.to_row.val() {
            self.groups.next = bit_cast::<12, 7>(self.data.val().get_bits::<7>(7));
        }
        self.fits.next = bit_cast::<CW, 12>(self.groups.val());
        self.before_last.next = self.fits.val() - 1;
        if self.to_warp.val() & self.expected.rest.val() {
            self.before_last.next = self.fits.val();
        }

        // A barrier's state.
        self.sum.next = bit_cast::<AW, 12>(self.word_value.val());
        self.fit.next = (bit_cast::<12, AW>(self.sum.val()) == self.word_value.val())
            & (bit_cast::<7, CW>(self.few.val()) == self.data.val().get_bits::<7>(0));
        // What does not fit is wrong whatever else holds, so only what fits is compared.
        self.summed.threads.next = bit_cast::<12, AW>(self.sum.val());
        self.needs.next = bit_cast::<9, 12>(self.summed.warps.val()) << 1;
        if self.summed.rest.val() {
            self.needs.next = self.needs.val() | 1;
        }
        self.many.next = self.word_value.val().get_bits::<11>(1).any();
        self.bad_sum.next = (self.word_redop.val().get_bit(1) & (self.needs.val() > (bit_cast::<9, CW>(self.few.val()) << 1)))
            | (!self.word_redop.val().get_bit(1) & self.many.val())
            | (self.word_redop.val() == 3)
            | !self.fit.val();
        if self.word_kind.val() != 2 {
            self.bad_sum.next = self.word_redop.val().any() | self.word_value.val().any() | !self.fit.val();
        }
        self.bad_row.next = self.data.val().get_bit(30)
            | (self.word_kind.val() == 3)
            | (!self.front.val().parts.reductions & (self.word_kind.val() == 2))
            | (bit_cast::<7, CW>(self.goal.val()) != self.data.val().get_bits::<7>(7));
        if self.word_kind.val() == 0 {
            self.bad_row.next = self.bad_row.val() | self.few.val().any() | self.goal.val().any() | self.data.val().get_bit(31);
        } else {
            self.bad_row.next =
                self.bad_row.val() | !self.few.val().any() | (self.goal.val().any() & (self.few.val() >= self.goal.val()));
        }

        // A warp's state.
        self.many.next = self.result_value.val().get_bits::<11>(1).any();
        self.coded.value.next = bit_cast::<AW, 32>(self.data.val());
        self.coded.of.next = Reduction::None;
        if self.result_redop.val() == 0 {
            self.coded.of.next = Reduction::And;
        }
        if self.result_redop.val() == 1 {
            self.coded.of.next = Reduction::Or;
        }
        if self.result_redop.val() == 2 {
            self.coded.of.next = Reduction::Popc;
        }

        if !self.front.val().step.first_slot {
            self.causes.d.next.mixed = self.front.val().parts.faults
                & !self.request.val().uniform
                & (self.front.val().entering.arrival
                    | (self.front.val().parts.state_words
                        & ((self.request.val().kind == OpKind::Read) | (self.request.val().kind == OpKind::Write))));
            self.causes.d.next.nothing =
                self.front.val().parts.faults & (self.request.val().kind == OpKind::Arrive) & !self.request.val().count.any();
            self.causes.d.next.ragged =
                self.front.val().parts.faults & self.front.val().entering.arrival & self.given.rest.val();
            self.causes.d.next.huge = self.front.val().parts.faults
                & self.front.val().entering.arrival
                & (bit_cast::<12, CW>(self.fits.val()) != self.groups.val());
            self.causes.d.next.bad_row = self.to_row.val() & self.bad_row.val();
            self.causes.d.next.bad_sum = self.to_row.val() & self.bad_sum.val();
            self.causes.d.next.bad_warp = self.to_warp.val()
                & (self.data.val().get_bits::<12>(20).any()
                    | (!self.front.val().parts.reductions & (self.result_redop.val() != 3))
                    | ((self.result_redop.val() == 3) & self.result_value.val().any())
                    | (!self.data.val().get_bit(13) & self.many.val())
                    | (bit_cast::<12, AW>(bit_cast::<AW, 12>(self.result_value.val())) != self.result_value.val())
                    | (self.data.val().get_bits::<4>(15).any() & !self.data.val().get_bit(14)));

            self.numbers_q.d.next.counted =
                bit_cast::<CW, 12>(self.given.warps.val()).any() & (self.request.val().kind != OpKind::Exit);
            if self.to_row.val() {
                self.numbers_q.d.next.counted = self.goal.val().any();
            }
            if self.to_warp.val() {
                self.numbers_q.d.next.counted = (self.result_redop.val() == 2) & self.result_value.val().any();
            }
            self.numbers_q.d.next.joins = !self.to_row.val() | self.data.val().get_bit(31);
            self.numbers_q.d.next.waits = (self.request.val().kind == OpKind::Sync)
                | (self.request.val().kind == OpKind::Reduce)
                | (self.to_warp.val() & self.data.val().get_bit(14));
            self.numbers_q.d.next.idle = self.to_row.val() & (self.word_kind.val() == 0);
            self.numbers_q.d.next.traps = self.data.val().get_bit(19);
            self.numbers_q.d.next.merges = false;
            self.numbers_q.d.next.wanted = self.fits.val();
            self.numbers_q.d.next.before_last = self.before_last.val();
            self.numbers_q.d.next.result = self.coded.code.val();
            self.numbers_q.d.next.word_id = self.data.val().get_bits::<4>(15);

            self.numbers_q.d.next.steps = 0.into();
            self.numbers_q.d.next.amount = 0.into();
            self.numbers_q.d.next.wanted_reduction = Reduction::None;
            if self.front.val().entering.arrival {
                self.numbers_q.d.next.steps = 1.into();
            }
            if self.front.val().parts.reductions & (self.request.val().kind == OpKind::Reduce) {
                if self.request.val().redop == RedOp::Popc {
                    self.numbers_q.d.next.wanted_reduction = Reduction::Popc;
                    self.numbers_q.d.next.amount = bit_cast::<AW, VW>(self.op.val().op.value);
                } else {
                    self.numbers_q.d.next.wanted_reduction = Reduction::And;
                    if self.request.val().redop == RedOp::Or {
                        self.numbers_q.d.next.wanted_reduction = Reduction::Or;
                    }
                    if self.op.val().op.value.get_bit(0) {
                        self.numbers_q.d.next.amount = 1.into();
                        self.numbers_q.d.next.merges = true;
                    }
                }
            }
            if self.to_row.val() {
                self.numbers_q.d.next.steps = self.few.val();
                if self.front.val().parts.reductions {
                    self.numbers_q.d.next.amount = self.sum.val();
                }
                if self.front.val().parts.reductions & (self.word_kind.val() == 2) {
                    if self.word_redop.val() == 0 {
                        // AND is kept as what speaks against it.
                        self.numbers_q.d.next.wanted_reduction = Reduction::And;
                        self.numbers_q.d.next.amount = self.sum.val() ^ 1;
                    }
                    if self.word_redop.val() == 1 {
                        self.numbers_q.d.next.wanted_reduction = Reduction::Or;
                    }
                    if self.word_redop.val() == 2 {
                        self.numbers_q.d.next.wanted_reduction = Reduction::Popc;
                    }
                }
            }
        }
        self.numbers.next = self.numbers_q.q.val();

        // What is wrong, the last assignment wins.
        self.flaw.next.fault = FaultCode::None;
        if self.causes.q.val().bad_row | self.causes.q.val().bad_sum | self.causes.q.val().bad_warp {
            self.flaw.next.fault = FaultCode::BadStateWord;
        }
        if self.causes.q.val().huge {
            self.flaw.next.fault = FaultCode::CountExceedsCta;
        }
        if self.causes.q.val().ragged {
            self.flaw.next.fault = FaultCode::CountNotWarpMultiple;
        }
        if self.causes.q.val().nothing {
            self.flaw.next.fault = FaultCode::CountZeroArrive;
        }
        if self.causes.q.val().mixed {
            self.flaw.next.fault = FaultCode::OperandNotUniform;
        }
        self.flaw.next.flawed = self.causes.q.val().mixed
            | self.causes.q.val().nothing
            | self.causes.q.val().ragged
            | self.causes.q.val().huge
            | self.causes.q.val().bad_row
            | self.causes.q.val().bad_sum
            | self.causes.q.val().bad_warp;
    }
}
