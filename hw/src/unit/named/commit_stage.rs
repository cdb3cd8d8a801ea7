// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commit stage: the operation in the cycle in which it takes effect, and its fault.
//!
//! *Reads:* the operation in the lookup stage with its next row; one cycle later the results of the checks, its warps, and the last
//! result of its warp. *Writes:* the effects of the operation; every block with effects reads these alone. If the operation has
//! several faults, the first in the order of precedence is reported. *Latency:* 1 from the lookup stage, 0 from the checks.
//! Implements cycle e of `docs/contract/named.md` and the precedence of `docs/contract/faults.md`.

use super::coded::Coded;
use super::ctrl::{Checked, CommitWarps, Ctrl, Outcome, WarpResult};
use super::lookup_op::LookupOp;
use crate::prelude::*;

#[block]
pub struct CommitStage<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC, IW, AW>>,
    pub outcome: Signal<In, Outcome<CW, AW>>,
    pub checked: Signal<In, Checked>,
    pub commit_warps: Signal<In, CommitWarps<W>>,
    pub warp_result: Signal<In, WarpResult<AW>>,
    pub ctrl: Signal<Out, Ctrl<W, LW, CW, LC, AW>>,
    /// The fields of `ctrl` that are registers.
    ctrl_q: DFF<Ctrl<W, LW, CW, LC, AW>>,
    /// Encodes the result that a Write to Warp restores for its warp.
    result_code: Coded<AW>,
    /// The operation was to change a row or a warp, and does not.
    change_rejected: Signal<Local, Bit>,
}

#[block]
impl Logic for CommitStage<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.ctrl_q.d.next.actions = self.lookup_op.val().actions;
        self.ctrl_q.d.next.op = self.lookup_op.val().op;
        self.ctrl_q.d.next.op.fault_code = self.lookup_op.val().operand_fault.fault;
        if self.lookup_op.val().op.fault_code != FaultCode::None {
            self.ctrl_q.d.next.op.fault_code = self.lookup_op.val().op.fault_code;
        }
        if self.lookup_op.val().actions.is_scrub {
            self.ctrl_q.d.next.op.warp = 0.into();
            self.ctrl_q.d.next.op.has_warp = false;
        }
        // A Release takes two slots; `saved` is that of the first.
        if !self.lookup_op.val().actions.first_slot {
            self.ctrl_q.d.next.op.saved = self.ctrl_q.q.val().op.saved;
        }
        self.ctrl_q.d.next.numbers = self.lookup_op.val().numbers;
        self.result_code.reduction.next = self.lookup_op.val().numbers.op_reduction;
        self.result_code.value.next = self.lookup_op.val().numbers.result;
        self.ctrl_q.d.next.numbers.result = self.result_code.code.val();
        self.ctrl_q.d.next.was_open = self.lookup_op.val().row.open;
        self.ctrl_q.d.next.had_count = self.lookup_op.val().row.with_count;
        self.ctrl_q.d.next.targets_row = self.lookup_op.val().actions.arrives | self.lookup_op.val().actions.writes_row;
        self.ctrl_q.d.next.row = self.outcome.val().row;
        self.ctrl_q.d.next.completes_if_written = self.outcome.val().completes_if_written;
        self.ctrl_q.d.next.exit_completes = self.outcome.val().exit_completes;
        self.ctrl_q.d.next.records_id = self.outcome.val().records_id;
        self.ctrl_q.d.next.has_fault_code =
            self.lookup_op.val().operand_fault.has_fault | (self.lookup_op.val().op.fault_code != FaultCode::None);
        self.ctrl_q.d.next.open_row_fault =
            self.lookup_op.val().actions.is_scrub & !self.lookup_op.val().op.silent & self.lookup_op.val().row.open;
        self.ctrl_q.d.next.clears_warps = self.lookup_op.val().actions.releases;
        if self.reset.val() {
            self.ctrl_q.d.next.actions.last_slot = false;
            self.ctrl_q.d.next.actions.warp_done = false;
            self.ctrl_q.d.next.actions.reads = false;
            self.ctrl_q.d.next.actions.exits = false;
            self.ctrl_q.d.next.actions.releases = false;
            self.ctrl_q.d.next.actions.waiter = false;
            self.ctrl_q.d.next.actions.is_scrub = false;
            self.ctrl_q.d.next.exit_completes = false;
            self.ctrl_q.d.next.open_row_fault = false;
            self.ctrl_q.d.next.clears_warps = true;
        }

        self.ctrl.next = self.ctrl_q.q.val();
        self.ctrl.next.warp_result = self.warp_result.val();
        self.ctrl.next.commit_warps = self.commit_warps.val();
        self.ctrl.next.checked = self.checked.val();
        self.ctrl.next.complete =
            (self.checked.val().changes_row & self.ctrl_q.q.val().completes_if_written) | self.ctrl_q.q.val().exit_completes;
        self.ctrl.next.reduction_value = self.ctrl_q.q.val().row.sum;
        if self.ctrl_q.q.val().row.reduction == Reduction::And {
            self.ctrl.next.reduction_value = self.ctrl_q.q.val().row.sum ^ 1;
        }

        // The fault. The last assignment wins, so the causes are in reverse order of precedence.
        self.change_rejected.next = (self.ctrl_q.q.val().targets_row & !self.checked.val().changes_row)
            | (self.ctrl_q.q.val().actions.writes_warp & !self.checked.val().restores_warp);
        self.ctrl.next.fault = FaultCode::NoResult;
        if self.change_rejected.val() {
            self.ctrl.next.fault = FaultCode::BadStateWord;
        }
        if self.change_rejected.val() & self.ctrl_q.q.val().actions.arrives {
            self.ctrl.next.fault = FaultCode::CountMismatch;
            if self.checked.val().kind_mismatch {
                self.ctrl.next.fault = FaultCode::KindMismatch;
            }
            if self.checked.val().has_arrived {
                self.ctrl.next.fault = FaultCode::DoubleArrival;
            }
            if self.checked.val().count_exceeds {
                self.ctrl.next.fault = FaultCode::CountExceedsCta;
            }
        }
        if self.ctrl_q.q.val().has_fault_code {
            self.ctrl.next.fault = self.ctrl_q.q.val().op.fault_code;
        }
        if self.checked.val().id_undeclared {
            self.ctrl.next.fault = FaultCode::IdOutOfRange;
        }
        if self.ctrl_q.q.val().actions.is_scrub {
            self.ctrl.next.fault = FaultCode::BarrierLeftOpen;
        }
        self.ctrl.next.refused = self.checked.val().rejected | self.warp_result.val().no_result;
        self.ctrl.next.outputs_read = self.ctrl_q.q.val().actions.reads & !self.ctrl.val().refused;
        self.ctrl.next.pushes_fault =
            self.ctrl.val().refused | (self.lookup_op.val().parts.faults & self.ctrl_q.q.val().open_row_fault);
    }
}
