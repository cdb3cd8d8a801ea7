// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether the operation in the commit stage is refused, and selects the code of its fault. If the operation has several
//! faults, the first in the order of precedence is reported.
//!
//! *Reads:* for the operation in the lookup stage the upstream fault and the fault of its operands; whether a clear step finds its
//! row open; one cycle later the results of the checks. *Writes:* the fault that enters the queue, and whether the operation is
//! refused. *Latency:* 1 from the lookup stage, 0 from the checks. Implements the precedence of `docs/contract/faults.md`.

use super::commit_payloads::{Checked, Findings, Verdict};
use super::lookup_payloads::{Actions, OperandFault};
use super::parts::Parts;
use crate::prelude::*;

#[block]
pub struct RefusalCheck {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    /// Upstream fault of the operation in the lookup stage; None = no fault.
    pub upstream_fault: Signal<In, FaultCode>,
    pub operand_fault: Signal<In, OperandFault>,
    /// A clear step in the lookup stage finds its row open, and this is a fault.
    pub left_open: Signal<In, Bit>,
    pub commit_actions: Signal<In, Actions>,
    /// The operation in the commit stage is an arrival or a Write to Barrier.
    pub targets_row: Signal<In, Bit>,
    pub checked: Signal<In, Checked>,
    pub findings: Signal<In, Findings>,
    /// The operation in the commit stage is a Read of Result, and its warp has no result.
    pub no_result: Signal<In, Bit>,
    pub verdict: Signal<Out, Verdict>,
    /// The upstream fault of the operation; without an upstream fault, the fault of its operands.
    commit_fault: DFF<FaultCode>,
    /// The operation has a fault from upstream, or its operands have a fault.
    has_commit_fault: DFF<Bit>,
    /// The clear step in the commit stage has found its row open, and this is a fault.
    #[reset]
    open_row_fault: DFF<Bit>,
    has_upstream_fault: Signal<Local, Bit>,
    /// The operation is of a kind that changes a row or a warp, and the checks prevent the change.
    change_rejected: Signal<Local, Bit>,
}

#[block]
impl Logic for RefusalCheck {
    fn update(&mut self) {
        let actions = self.commit_actions.val();
        let findings = self.findings.val();

        self.has_upstream_fault.next = self.upstream_fault.val() != FaultCode::None;
        self.commit_fault.d.next = self.operand_fault.val().fault;
        if self.has_upstream_fault.val() {
            self.commit_fault.d.next = self.upstream_fault.val();
        }
        self.has_commit_fault.d.next = self.operand_fault.val().has_fault | self.has_upstream_fault.val();
        self.open_row_fault.d.next = self.left_open.val();

        // The last assignment wins, so the cause with the highest precedence is the last.
        self.change_rejected.next = (self.targets_row.val() & !self.checked.val().changes_row)
            | (actions.writes_warp & !self.checked.val().restores_warp);
        self.verdict.next.fault = FaultCode::NoResult;
        if self.change_rejected.val() {
            self.verdict.next.fault = FaultCode::BadStateWord;
        }
        if self.change_rejected.val() & actions.arrives {
            self.verdict.next.fault = FaultCode::CountMismatch;
            if findings.kind_mismatch {
                self.verdict.next.fault = FaultCode::KindMismatch;
            }
            if self.checked.val().has_arrived {
                self.verdict.next.fault = FaultCode::DoubleArrival;
            }
            if findings.count_exceeds {
                self.verdict.next.fault = FaultCode::CountExceedsCta;
            }
        }
        if self.has_commit_fault.q.val() {
            self.verdict.next.fault = self.commit_fault.q.val();
        }
        if findings.id_undeclared {
            self.verdict.next.fault = FaultCode::IdOutOfRange;
        }
        if actions.is_scrub {
            self.verdict.next.fault = FaultCode::BarrierLeftOpen;
        }
        self.verdict.next.refused = findings.rejected | self.no_result.val();
        self.verdict.next.pushes_fault = self.verdict.val().refused | (self.parts.val().faults & self.open_row_fault.q.val());
    }
}
