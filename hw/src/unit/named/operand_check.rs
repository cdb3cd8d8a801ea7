// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the operands of an operation by the rules that depend on operands alone, not on the state of the unit.
//!
//! *Reads:* the class of the operation at the port; whether the executing lanes gave equal operands; whether the count fits;
//! the faults of the state word. *Writes:* one cycle later the fault of the operands (a gate), which is held for the second
//! lookup cycle if the operation takes two. *Latency:* 1. Implements the part of the fault table of `docs/contract/faults.md`
//! that depends on operands alone.

use super::entering_payloads::OpClass;
use super::lookup_payloads::OperandFault;
use super::parts::Parts;
use crate::prelude::*;

/// The causes of a fault of the operands, each with its fault code.
#[payload]
pub struct Causes {
    /// The executing lanes gave different operands: `operand_not_uniform`.
    pub not_uniform: Bit,
    /// Arrive without a count: `count_zero_arrive`.
    pub no_count: Bit,
    /// The count is not a multiple of the lanes of a warp: `count_not_warp_multiple`.
    pub not_multiple: Bit,
    /// The count in warps needs more bits than a number of warps has: `count_exceeds_cta`.
    pub beyond_range: Bit,
    /// Write to Barrier: `bad_state_word`, because of the kind, the counts, bit 30 or bit 31 of the state word.
    pub bad_row: Bit,
    /// Write to Barrier: `bad_state_word`, because of the redop or the accumulator, or because a number does not fit.
    pub bad_sum: Bit,
    /// Write to Warp: `bad_state_word`.
    pub bad_warp: Bit,
}

/// Sizes: CTA slot numbers of `LC` bits.
#[block]
pub struct OperandCheck<LC> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub request: Signal<In, Request<LC>>,
    /// The class of the operation at the port.
    pub class: Signal<In, OpClass>,
    /// The operation in the lookup stage is in the first of its two lookup cycles: its causes are kept for the second lookup cycle.
    pub holds: Signal<In, Bit>,
    /// The count of the operation is not a multiple of the lanes of a warp.
    pub has_remainder: Signal<In, Bit>,
    /// The count in warps does not fit into the bits of a number of warps.
    pub beyond_range: Signal<In, Bit>,
    /// The state word at the port, read as a barrier state word, is bad because of its kind, its counts, bit 30 or bit 31.
    pub bad_row: Signal<In, Bit>,
    /// The state word at the port, read as a barrier state word, is bad because of its redop or accumulator, or because a number
    /// does not fit.
    pub bad_sum: Signal<In, Bit>,
    /// The state word at the port, read as a warp state word, is bad.
    pub bad_warp: Signal<In, Bit>,
    pub operand_fault: Signal<Out, OperandFault>,
    lookup_causes: DFF<Causes>,
    /// The operation is an arrival. Always 0 in a configuration without checks.
    checked_arrival: Signal<Local, Bit>,
}

#[block]
impl Logic for OperandCheck {
    fn update(&mut self) {
        let class = self.class.val();
        let parts = self.parts.val();
        let causes = self.lookup_causes.q.val();

        self.checked_arrival.next = parts.faults & class.is_arrival;
        if !self.holds.val() {
            self.lookup_causes.d.next.not_uniform = parts.faults
                & !self.request.val().uniform
                & (class.is_arrival | class.is_read | (parts.state_words & (self.request.val().kind == OpKind::Write)));
            self.lookup_causes.d.next.no_count =
                parts.faults & (self.request.val().kind == OpKind::Arrive) & !self.request.val().count.any();
            self.lookup_causes.d.next.not_multiple = self.checked_arrival.val() & self.has_remainder.val();
            self.lookup_causes.d.next.beyond_range = self.checked_arrival.val() & self.beyond_range.val();
            self.lookup_causes.d.next.bad_row = class.is_row_write & self.bad_row.val();
            self.lookup_causes.d.next.bad_sum = class.is_row_write & self.bad_sum.val();
            self.lookup_causes.d.next.bad_warp = class.is_warp_write & self.bad_warp.val();
        }

        // The last assignment wins, so the cause with the highest precedence is the last.
        self.operand_fault.next.fault = FaultCode::None;
        if causes.bad_row | causes.bad_sum | causes.bad_warp {
            self.operand_fault.next.fault = FaultCode::BadStateWord;
        }
        if causes.beyond_range {
            self.operand_fault.next.fault = FaultCode::CountExceedsCta;
        }
        if causes.not_multiple {
            self.operand_fault.next.fault = FaultCode::CountNotWarpMultiple;
        }
        if causes.no_count {
            self.operand_fault.next.fault = FaultCode::CountZeroArrive;
        }
        if causes.not_uniform {
            self.operand_fault.next.fault = FaultCode::OperandNotUniform;
        }
        self.operand_fault.next.has_fault = causes.not_uniform
            | causes.no_count
            | causes.not_multiple
            | causes.beyond_range
            | causes.bad_row
            | causes.bad_sum
            | causes.bad_warp;
    }
}
