// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation in its last cycle inside, in which it has its effects, and its fault.
//!
//! *Reads:* the operation one cycle inside with what becomes of it; one cycle later what stood against it, and whether it reads a result that
//! there is not. *Writes:* what it does: all that has effects looks at this alone. Of several faults it is the first cause in the order of
//! precedence, or a row left open. *Latency:* 1 from inside, 0 from what stood against it. Implements cycle e of `docs/interface.md` and
//! the precedence of `docs/faults.md`.

use super::{
    check::Checked,
    input_stage::{Op, Step},
    masks::Crowd,
    next_row::Outcome,
    operands::Numbers,
    results::Found,
    rows::Row,
    Inside,
};
use crate::prelude::*;

/// What an operation does in its last cycle. Up to `forgets` it is known a cycle before.
#[payload]
pub struct Ctrl<W, LW, CW, LC, AW> {
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
    pub checked: Checked,
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
pub struct CommitStage<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub outcome: Signal<In, Outcome<CW, AW>>,
    pub checked: Signal<In, Checked>,
    pub crowd: Signal<In, Crowd<W>>,
    pub found: Signal<In, Found<AW>>,
    pub ctrl: Signal<Out, Ctrl<W, LW, CW, LC, AW>>,
    /// Of this, what is known a cycle before.
    ctrl_q: DFF<Ctrl<W, LW, CW, LC, AW>>,
    stopped: Signal<Local, Bit>,
}

#[block]
impl Logic for CommitStage<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.ctrl_q.d.next.step = self.inside.val().step;
        self.ctrl_q.d.next.op = self.inside.val().op;
        self.ctrl_q.d.next.op.code = self.inside.val().flaw.fault;
        if self.inside.val().op.code != FaultCode::None {
            self.ctrl_q.d.next.op.code = self.inside.val().op.code;
        }
        if self.inside.val().step.scrub {
            self.ctrl_q.d.next.op.warp = 0.into();
            self.ctrl_q.d.next.op.of_warp = false;
        }
        // It takes two slots to release, and what is said of it stands there in the first.
        if !self.inside.val().step.first_slot {
            self.ctrl_q.d.next.op.saved = self.ctrl_q.q.val().op.saved;
        }
        self.ctrl_q.d.next.numbers = self.inside.val().numbers;
        self.ctrl_q.d.next.was_open = self.inside.val().row.open;
        self.ctrl_q.d.next.was_counted = self.inside.val().row.with_count;
        self.ctrl_q.d.next.lands = self.inside.val().step.arrives | self.inside.val().step.writes_row;
        self.ctrl_q.d.next.row = self.outcome.val().row;
        self.ctrl_q.d.next.full = self.outcome.val().full;
        self.ctrl_q.d.next.departs = self.outcome.val().departs;
        self.ctrl_q.d.next.records = self.outcome.val().records;
        self.ctrl_q.d.next.coded = self.inside.val().flaw.flawed | (self.inside.val().op.code != FaultCode::None);
        self.ctrl_q.d.next.left_open = self.inside.val().step.scrub & !self.inside.val().op.silent & self.inside.val().row.open;
        self.ctrl_q.d.next.forgets = self.inside.val().step.releases;
        if self.reset.val() {
            self.ctrl_q.d.next.step.acts = false;
            self.ctrl_q.d.next.step.settles = false;
            self.ctrl_q.d.next.step.reads = false;
            self.ctrl_q.d.next.step.exits = false;
            self.ctrl_q.d.next.step.releases = false;
            self.ctrl_q.d.next.step.waiter = false;
            self.ctrl_q.d.next.step.scrub = false;
            self.ctrl_q.d.next.departs = false;
            self.ctrl_q.d.next.left_open = false;
            self.ctrl_q.d.next.forgets = true;
        }

        self.ctrl.next = self.ctrl_q.q.val();
        self.ctrl.next.found = self.found.val();
        self.ctrl.next.crowd = self.crowd.val();
        self.ctrl.next.checked = self.checked.val();
        self.ctrl.next.complete = (self.checked.val().changes & self.ctrl_q.q.val().full) | self.ctrl_q.q.val().departs;
        self.ctrl.next.reduced = self.ctrl_q.q.val().row.sum;
        if self.ctrl_q.q.val().row.reduction == Reduction::And {
            self.ctrl.next.reduced = self.ctrl_q.q.val().row.sum ^ 1;
        }

        // Its fault. The last assignment wins, so the causes stand in reverse order of precedence.
        self.stopped.next = (self.ctrl_q.q.val().lands & !self.checked.val().changes)
            | (self.ctrl_q.q.val().step.writes_warp & !self.checked.val().restores);
        self.ctrl.next.fault = FaultCode::NoResult;
        if self.stopped.val() {
            self.ctrl.next.fault = FaultCode::BadStateWord;
        }
        if self.stopped.val() & self.ctrl_q.q.val().step.arrives {
            self.ctrl.next.fault = FaultCode::CountMismatch;
            if self.checked.val().kind_mismatch {
                self.ctrl.next.fault = FaultCode::KindMismatch;
            }
            if self.checked.val().has_arrived {
                self.ctrl.next.fault = FaultCode::DoubleArrival;
            }
            if self.checked.val().exceeds {
                self.ctrl.next.fault = FaultCode::CountExceedsCta;
            }
        }
        if self.ctrl_q.q.val().coded {
            self.ctrl.next.fault = self.ctrl_q.q.val().op.code;
        }
        if self.checked.val().undeclared {
            self.ctrl.next.fault = FaultCode::IdOutOfRange;
        }
        if self.ctrl_q.q.val().step.scrub {
            self.ctrl.next.fault = FaultCode::BarrierLeftOpen;
        }
        self.ctrl.next.refused = self.checked.val().rejected | self.found.val().lacks;
        self.ctrl.next.shows = self.ctrl_q.q.val().step.reads & !self.ctrl.val().refused;
        self.ctrl.next.faulty = self.ctrl.val().refused | (self.inside.val().parts.faults & self.ctrl_q.q.val().left_open);
    }
}
