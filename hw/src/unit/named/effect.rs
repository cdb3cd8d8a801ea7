// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation in its last cycle inside, in which it has its effects, and its fault.
//!
//! *Reads:* the operation one cycle inside with what becomes of it; one cycle later what stood against it, and whether it reads a result that
//! there is not. *Writes:* what it does: all that has effects looks at this alone. Of several faults it is the first cause in the order of
//! precedence, or a row left open. *Latency:* 1 from inside, 0 from what stood against it. Implements cycle e of `docs/interface.md` and
//! the precedence of `docs/faults.md`.

use super::advance::Outcome;
use super::enter::{Op, Step};
use super::judge::Against;
use super::operands::Numbers;
use super::results::Found;
use super::rows::Row;
use super::Inside;
use crate::payload::payload;
use crate::unit::op::{FaultCode, Reduction};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What was seen of it a cycle before.
#[payload]
pub struct Seen {
    /// Its row was open; with a count.
    pub was_open: Bit,
    pub was_counted: Bit,
    /// It arrives or writes a row.
    pub lands: Bit,
    /// It has a code, from upstream or from its operands.
    pub coded: Bit,
    /// A row that is open has its turn, and not silently.
    pub left_open: Bit,
    /// Its warps lose their state: it is a release, or there was a reset.
    pub forgets: Bit,
}

/// What an operation does in its last cycle.
#[payload]
pub struct Deed<LW, CW, LC, AW> {
    pub step: Step,
    /// Its code is also that of its operands; its warp is 0 if a row has its turn.
    pub op: Op<LW, LC>,
    pub numbers: Numbers<CW, AW>,
    pub seen: Seen,
    pub against: Against,
    /// What its row becomes, if it is written.
    pub row: Row<CW, AW>,
    pub outcome: Outcome,
    /// A generation is complete, with what is reduced by then.
    pub complete: Bit,
    pub value: Bits<AW>,
    /// It is refused. A Read shows what it has read.
    pub refused: Bit,
    pub shows: Bit,
    /// There is a fault.
    pub faulty: Bit,
    pub fault: FaultCode,
}

/// Warps of `LW` bits, counted in `CW` bits, slots of `LC` bits, numbers of ids in `IW` bits, sums of `AW` bits.
#[block]
pub struct Effect<LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<LW, CW, LC, IW, AW>>,
    pub row: Signal<In, Row<CW, AW>>,
    pub outcome: Signal<In, Outcome>,
    pub against: Signal<In, Against>,
    pub found: Signal<In, Found<AW>>,
    pub deed: Signal<Out, Deed<LW, CW, LC, AW>>,
    step: DFF<Step>,
    op: DFF<Op<LW, LC>>,
    numbers: DFF<Numbers<CW, AW>>,
    seen: DFF<Seen>,
    new_row: DFF<Row<CW, AW>>,
    new_outcome: DFF<Outcome>,
    stopped: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    code: Signal<Local, FaultCode>,
}

#[block]
impl Logic for Effect<LW, CW, LC, IW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.step.d.next = self.inside.val().step;
        self.op.d.next = self.inside.val().op;
        self.op.d.next.code = self.inside.val().flaw.fault;
        if self.inside.val().op.code != FaultCode::None {
            self.op.d.next.code = self.inside.val().op.code;
        }
        if self.inside.val().step.turn {
            self.op.d.next.warp = 0.into();
        }
        // It takes two slots to release, and what is said of it stands there in the first.
        if !self.inside.val().step.beat {
            self.op.d.next.saved = self.op.q.val().saved;
        }
        self.numbers.d.next = self.inside.val().numbers;
        self.new_row.d.next = self.row.val();
        self.new_outcome.d.next = self.outcome.val();
        self.seen.d.next.was_open = self.inside.val().row.open;
        self.seen.d.next.was_counted = self.inside.val().row.with_count;
        self.seen.d.next.lands = self.inside.val().step.arrives | self.inside.val().step.writes_row;
        self.seen.d.next.coded = self.inside.val().flaw.flawed | (self.inside.val().op.code != FaultCode::None);
        self.seen.d.next.left_open = self.inside.val().step.turn & !self.inside.val().step.silent & self.inside.val().row.open;
        self.seen.d.next.forgets = self.inside.val().step.releases;
        if self.reset.val() {
            self.step.d.next.reads = false;
            self.step.d.next.exits = false;
            self.step.d.next.releases = false;
            self.step.d.next.waiter = false;
            self.step.d.next.turn = false;
            self.new_outcome.d.next.departs = false;
            self.seen.d.next.left_open = false;
            self.seen.d.next.forgets = true;
        }
        self.deed.next.step = self.step.q.val();
        self.deed.next.op = self.op.q.val();
        self.deed.next.numbers = self.numbers.q.val();
        self.deed.next.seen = self.seen.q.val();
        self.deed.next.against = self.against.val();
        self.deed.next.row = self.new_row.q.val();
        self.deed.next.outcome = self.new_outcome.q.val();
        self.deed.next.complete =
            (self.against.val().changes & self.new_outcome.q.val().full) | self.new_outcome.q.val().departs;
        self.deed.next.value = self.new_row.q.val().sum;
        if self.new_row.q.val().reduction == Reduction::And {
            self.deed.next.value = self.new_row.q.val().sum ^ 1;
        }

        // Its fault. The last assignment wins, so the causes stand in reverse order of precedence.
        self.stopped.next = (self.seen.q.val().lands & !self.against.val().changes)
            | (self.step.q.val().writes_warp & !self.against.val().restores);
        self.refused.next = self.against.val().opposed | self.found.val().lacks;
        self.code.next = FaultCode::NoResult;
        if self.stopped.val() {
            self.code.next = FaultCode::BadStateWord;
            if self.step.q.val().arrives {
                self.code.next = FaultCode::CountMismatch;
                if self.against.val().unlike {
                    self.code.next = FaultCode::KindMismatch;
                }
                if self.against.val().again {
                    self.code.next = FaultCode::DoubleArrival;
                }
                if self.against.val().exceeds {
                    self.code.next = FaultCode::CountExceedsCta;
                }
            }
        }
        if self.seen.q.val().coded {
            self.code.next = self.op.q.val().code;
        }
        if self.against.val().undeclared {
            self.code.next = FaultCode::IdOutOfRange;
        }
        if self.step.q.val().turn {
            self.code.next = FaultCode::BarrierLeftOpen;
        }
        self.deed.next.refused = self.refused.val();
        self.deed.next.shows = self.step.q.val().reads & !self.refused.val();
        self.deed.next.faulty = self.refused.val() | (self.inside.val().parts.faults & self.seen.q.val().left_open);
        self.deed.next.fault = self.code.val();
    }
}
