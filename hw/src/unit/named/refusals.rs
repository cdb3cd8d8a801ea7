// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The refused operations: the check whether an operation is refused, and the queue of faults.
//!
//! *Reads:* for the operation in the lookup stage the upstream fault and the fault of its operands; one cycle later the results of
//! the checks, and the source of the operation. *Writes:* whether the operation is refused; the fault channel; whether the fault
//! queue has space. *Latency:* 1. Implements the fault channel of `docs/contract/named.md` and the precedence of
//! `docs/contract/faults.md`.

use super::commit_payloads::{Checked, Findings};
use super::faults::Faults;
use super::lookup_payloads::{Actions, OperandFault, Origin};
use super::parts::Parts;
use super::refusal_check::RefusalCheck;
use crate::prelude::*;

/// Sizes: warp numbers of `LW` bits, CTA slot numbers of `LC` bits.
#[block]
pub struct Refusals<LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    /// The lookup stage is occupied in the next cycle.
    pub lookup_valid_next: Signal<In, Bit>,
    pub lookup_actions: Signal<In, Actions>,
    /// Upstream fault of the operation in the lookup stage; None = no fault.
    pub upstream_fault: Signal<In, FaultCode>,
    pub operand_fault: Signal<In, OperandFault>,
    /// The row of the operation in the lookup stage is open.
    pub lookup_open: Signal<In, Bit>,
    /// For a clear step in the lookup stage: an open row is not a fault.
    pub silent: Signal<In, Bit>,
    pub commit_actions: Signal<In, Actions>,
    pub commit_origin: Signal<In, Origin<LW, LC>>,
    /// The operation in the commit stage is an arrival or a Write to Barrier.
    pub targets_row: Signal<In, Bit>,
    pub checked: Signal<In, Checked>,
    pub findings: Signal<In, Findings>,
    /// The operation in the commit stage is a Read of Result, and its warp has no result.
    pub no_result: Signal<In, Bit>,
    /// The operation in the commit stage is refused.
    pub refused: Signal<Out, Bit>,
    pub fault: Source<NamedFault<LW, LC>>,
    /// In the next cycle the queue has space for the fault of an operation or clear step that enters. Combinational.
    pub fault_space_next: Signal<Out, Bit>,
    /// Number of faults lost since reset because the fault queue was full; it stops at 65535. Always 0 without `lose_faults` in
    /// the configuration.
    pub lost_faults: Signal<Out, Bits<16>>,
    check: RefusalCheck,
    faults: Faults<LW, LC>,
}

#[block]
impl Logic for Refusals {
    fn update(&mut self) {
        let actions = self.lookup_actions.val();

        self.check.parts.next = self.parts.val();
        self.check.upstream_fault.next = self.upstream_fault.val();
        self.check.operand_fault.next = self.operand_fault.val();
        self.check.left_open.next = actions.is_scrub & !self.silent.val() & self.lookup_open.val();
        self.check.commit_actions.next = self.commit_actions.val();
        self.check.targets_row.next = self.targets_row.val();
        self.check.checked.next = self.checked.val();
        self.check.findings.next = self.findings.val();
        self.check.no_result.next = self.no_result.val();
        self.refused.next = self.check.verdict.val().refused;

        self.faults.parts.next = self.parts.val();
        self.faults.lookup_valid_next.next = self.lookup_valid_next.val();
        self.faults.commit_valid_next.next = actions.last_slot | actions.is_scrub;
        self.faults.commit_origin.next = self.commit_origin.val();
        self.faults.verdict.next = self.check.verdict.val();
        self.fault_space_next.next = self.faults.fault_space_next.val();
        self.lost_faults.next = self.faults.lost_faults.val();
        Channel::join(&mut self.faults.fault, &mut self.fault);
    }
}
