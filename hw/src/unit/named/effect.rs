// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation in its last cycle inside, in which it has its effects, and its fault.
//!
//! *Reads:* the operation one cycle inside with what becomes of it; one cycle later what stood against it, and whether it reads a result that
//! there is not. *Writes:* what it does: all that has effects looks at this alone. Of several faults it is the first cause in the order of
//! precedence, or a row left open. *Latency:* 1 from inside, 0 from what stood against it. Implements cycle e of `docs/interface.md` and
//! the precedence of `docs/faults.md`.

use super::{
    advance::Outcome,
    enter::{Op, Step},
    judge::Against,
    masks::Crowd,
    operands::Numbers,
    results::Found,
    rows::Row,
    Inside,
};
use crate::prelude::*;

/// What an operation does in its last cycle. Up to `forgets` it is known a cycle before.
#[payload]
pub struct Deed<W, LW, CW, LC, AW> {
    pub step: Step,
    /// Its code is also that of its operands; its warp is 0 if a row has its turn.
    pub op: Op<LW, LC>,
    pub numbers: Numbers<CW, AW>,
    /// Its row was open; with a count.
    pub was_open: Bit,
    pub was_counted: Bit,
    /// It arrives or writes a row. What its row becomes, if it is written; the rest as in [`Outcome`].
    pub lands: Bit,
    pub row: Row<CW, AW>,
    pub full: Bit,
    pub departs: Bit,
    pub records: Bit,
    /// It has a code, from upstream or from its operands.
    pub coded: Bit,
    /// A row that is open has its turn, and not silently.
    pub left_open: Bit,
    /// Its warps lose their state: it is a release, or there was a reset.
    pub forgets: Bit,
    /// The result of its warp before it; its warps; what stands against it.
    pub found: Found<AW>,
    pub crowd: Crowd<W>,
    pub against: Against,
    /// A generation is complete, with what is reduced by then.
    pub complete: Bit,
    pub reduced: Bits<AW>,
    /// It is refused. A Read shows what it has read.
    pub refused: Bit,
    pub shows: Bit,
    /// There is a fault.
    pub faulty: Bit,
    pub fault: FaultCode,
}

#[block]
pub struct Effect<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub outcome: Signal<In, Outcome<CW, AW>>,
    pub against: Signal<In, Against>,
    pub crowd: Signal<In, Crowd<W>>,
    pub found: Signal<In, Found<AW>>,
    pub deed: Signal<Out, Deed<W, LW, CW, LC, AW>>,
    /// Of this, what is known a cycle before.
    kept: DFF<Deed<W, LW, CW, LC, AW>>,
    stopped: Signal<Local, Bit>,
}

#[block]
impl Logic for Effect<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.kept.d.next.step = self.inside.val().step;
        self.kept.d.next.op = self.inside.val().op;
        self.kept.d.next.op.code = self.inside.val().flaw.fault;
        if self.inside.val().op.code != FaultCode::None {
            self.kept.d.next.op.code = self.inside.val().op.code;
        }
        if self.inside.val().step.turn {
            self.kept.d.next.op.warp = 0.into();
            self.kept.d.next.op.of_warp = false;
        }
        // It takes two slots to release, and what is said of it stands there in the first.
        if !self.inside.val().step.beat {
            self.kept.d.next.op.saved = self.kept.q.val().op.saved;
        }
        self.kept.d.next.numbers = self.inside.val().numbers;
        self.kept.d.next.was_open = self.inside.val().row.open;
        self.kept.d.next.was_counted = self.inside.val().row.with_count;
        self.kept.d.next.lands = self.inside.val().step.arrives | self.inside.val().step.writes_row;
        self.kept.d.next.row = self.outcome.val().row;
        self.kept.d.next.full = self.outcome.val().full;
        self.kept.d.next.departs = self.outcome.val().departs;
        self.kept.d.next.records = self.outcome.val().records;
        self.kept.d.next.coded = self.inside.val().flaw.flawed | (self.inside.val().op.code != FaultCode::None);
        self.kept.d.next.left_open = self.inside.val().step.turn & !self.inside.val().op.silent & self.inside.val().row.open;
        self.kept.d.next.forgets = self.inside.val().step.releases;
        if self.reset.val() {
            self.kept.d.next.step.acts = false;
            self.kept.d.next.step.settles = false;
            self.kept.d.next.step.reads = false;
            self.kept.d.next.step.exits = false;
            self.kept.d.next.step.releases = false;
            self.kept.d.next.step.waiter = false;
            self.kept.d.next.step.turn = false;
            self.kept.d.next.departs = false;
            self.kept.d.next.left_open = false;
            self.kept.d.next.forgets = true;
        }

        self.deed.next = self.kept.q.val();
        self.deed.next.found = self.found.val();
        self.deed.next.crowd = self.crowd.val();
        self.deed.next.against = self.against.val();
        self.deed.next.complete = (self.against.val().changes & self.kept.q.val().full) | self.kept.q.val().departs;
        self.deed.next.reduced = self.kept.q.val().row.sum;
        if self.kept.q.val().row.reduction == Reduction::And {
            self.deed.next.reduced = self.kept.q.val().row.sum ^ 1;
        }

        // Its fault. The last assignment wins, so the causes stand in reverse order of precedence.
        self.stopped.next = (self.kept.q.val().lands & !self.against.val().changes)
            | (self.kept.q.val().step.writes_warp & !self.against.val().restores);
        self.deed.next.fault = FaultCode::NoResult;
        if self.stopped.val() {
            self.deed.next.fault = FaultCode::BadStateWord;
        }
        if self.stopped.val() & self.kept.q.val().step.arrives {
            self.deed.next.fault = FaultCode::CountMismatch;
            if self.against.val().unlike {
                self.deed.next.fault = FaultCode::KindMismatch;
            }
            if self.against.val().again {
                self.deed.next.fault = FaultCode::DoubleArrival;
            }
            if self.against.val().exceeds {
                self.deed.next.fault = FaultCode::CountExceedsCta;
            }
        }
        if self.kept.q.val().coded {
            self.deed.next.fault = self.kept.q.val().op.code;
        }
        if self.against.val().undeclared {
            self.deed.next.fault = FaultCode::IdOutOfRange;
        }
        if self.kept.q.val().step.turn {
            self.deed.next.fault = FaultCode::BarrierLeftOpen;
        }
        self.deed.next.refused = self.against.val().opposed | self.found.val().lacks;
        self.deed.next.shows = self.kept.q.val().step.reads & !self.deed.val().refused;
        self.deed.next.faulty = self.deed.val().refused | (self.inside.val().parts.faults & self.kept.q.val().left_open);
    }
}
