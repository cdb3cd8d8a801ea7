// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commit stage: the operation in the cycle in which it takes effect, and its fault.
//!
//! *Reads:* the operation in the lookup stage with its next row; one cycle later the results of the checks, its warps, and the last
//! result of its warp. *Writes:* the effects of the operation; every block with effects reads these alone. If the operation has
//! several faults, the first in the order of precedence is reported. *Latency:* 1 from the lookup stage, 0 from the checks.
//! Implements cycle e of `docs/contract/named.md` and the precedence of `docs/contract/faults.md`.

use super::coded::Coded;
use super::ctrl::{Checked, CommitWarps, Ctrl, Found, Outcome};
use super::inside::Inside;
use crate::prelude::*;

#[block]
pub struct CommitStage<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub outcome: Signal<In, Outcome<CW, AW>>,
    pub checked: Signal<In, Checked>,
    pub commit_warps: Signal<In, CommitWarps<W>>,
    pub found: Signal<In, Found<AW>>,
    pub ctrl: Signal<Out, Ctrl<W, LW, CW, LC, AW>>,
    /// The fields of `ctrl` that are registers.
    ctrl_q: DFF<Ctrl<W, LW, CW, LC, AW>>,
    /// Encodes the result that a Write to Warp restores for its warp.
    result_code: Coded<AW>,
    /// The operation was to change a row or a warp, and does not.
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
        // A Release takes two slots; `saved` is that of the first.
        if !self.inside.val().step.first_slot {
            self.ctrl_q.d.next.op.saved = self.ctrl_q.q.val().op.saved;
        }
        self.ctrl_q.d.next.numbers = self.inside.val().numbers;
        self.result_code.of.next = self.inside.val().numbers.wanted_reduction;
        self.result_code.value.next = self.inside.val().numbers.result;
        self.ctrl_q.d.next.numbers.result = self.result_code.code.val();
        self.ctrl_q.d.next.was_open = self.inside.val().row.open;
        self.ctrl_q.d.next.had_count = self.inside.val().row.with_count;
        self.ctrl_q.d.next.lands = self.inside.val().step.arrives | self.inside.val().step.writes_row;
        self.ctrl_q.d.next.row = self.outcome.val().row;
        self.ctrl_q.d.next.completes_if_written = self.outcome.val().completes_if_written;
        self.ctrl_q.d.next.exit_completes = self.outcome.val().exit_completes;
        self.ctrl_q.d.next.records = self.outcome.val().records;
        self.ctrl_q.d.next.coded = self.inside.val().flaw.flawed | (self.inside.val().op.code != FaultCode::None);
        self.ctrl_q.d.next.left_open = self.inside.val().step.scrub & !self.inside.val().op.silent & self.inside.val().row.open;
        self.ctrl_q.d.next.forgets = self.inside.val().step.releases;
        if self.reset.val() {
            self.ctrl_q.d.next.step.acts = false;
            self.ctrl_q.d.next.step.warp_done = false;
            self.ctrl_q.d.next.step.reads = false;
            self.ctrl_q.d.next.step.exits = false;
            self.ctrl_q.d.next.step.releases = false;
            self.ctrl_q.d.next.step.waiter = false;
            self.ctrl_q.d.next.step.scrub = false;
            self.ctrl_q.d.next.exit_completes = false;
            self.ctrl_q.d.next.left_open = false;
            self.ctrl_q.d.next.forgets = true;
        }

        self.ctrl.next = self.ctrl_q.q.val();
        self.ctrl.next.found = self.found.val();
        self.ctrl.next.commit_warps = self.commit_warps.val();
        self.ctrl.next.checked = self.checked.val();
        self.ctrl.next.complete =
            (self.checked.val().changes & self.ctrl_q.q.val().completes_if_written) | self.ctrl_q.q.val().exit_completes;
        self.ctrl.next.reduced = self.ctrl_q.q.val().row.sum;
        if self.ctrl_q.q.val().row.reduction == Reduction::And {
            self.ctrl.next.reduced = self.ctrl_q.q.val().row.sum ^ 1;
        }

        // The fault. The last assignment wins, so the causes are in reverse order of precedence.
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
