// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides what, if anything, is wrong with an operation.
//!
//! *Reads:* the operation one cycle inside, with its row and its CTA's entry. *Writes:* `fault`, the first cause in the order of
//! precedence. *Latency:* 0, no state. Implements the fault table of `docs/faults.md` for arrivals: what specs 000 to 002 call
//! undefined, unpredictable or a run-time exception.

use crate::unit::op::{FaultCode, OpKind};
use rust_hdl::prelude::*;

/// `W` warps counted in `CW` bits, ids in `IW`.
#[derive(LogicBlock, Default)]
pub struct Judge<const W: usize, const CW: usize, const IW: usize> {
    pub valid: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    pub upstream: Signal<In, FaultCode>,
    pub uniform: Signal<In, Bit>,
    pub id: Signal<In, Bits<4>>,
    /// The count was 0; no multiple of a warp's lanes; more than all warps there are.
    pub zero: Signal<In, Bit>,
    pub ragged: Signal<In, Bit>,
    pub huge: Signal<In, Bit>,
    pub wanted: Signal<In, Bits<CW>>,
    pub warp_mask: Signal<In, Bits<W>>,
    pub arrived: Signal<In, Bits<W>>,
    pub count: Signal<In, Bits<CW>>,
    pub expected: Signal<In, Bits<CW>>,
    pub warps: Signal<In, Bits<CW>>,
    pub barriers: Signal<In, Bits<IW>>,
    pub fault: Signal<Out, FaultCode>,
    arrival: Signal<Local, Bit>,
    unbuilt: Signal<Local, Bit>,
    again: Signal<Local, Bits<W>>,
}

impl<const W: usize, const CW: usize, const IW: usize> Logic for Judge<W, CW, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrival.next = (self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Arrive);
        self.unbuilt.next =
            (self.kind.val() == OpKind::Reduce) | (self.kind.val() == OpKind::Read) | (self.kind.val() == OpKind::Write);
        self.again.next = self.arrived.val() & self.warp_mask.val();

        // The last assignment wins, so the causes stand in reverse order of precedence.
        self.fault.next = FaultCode::None;
        if self.arrival.val() {
            if self.count.val().any() & (self.expected.val() != self.wanted.val()) {
                self.fault.next = FaultCode::CountMismatch;
            }
            if self.again.val().any() {
                self.fault.next = FaultCode::DoubleArrival;
            }
            if self.huge.val() | (self.wanted.val() > self.warps.val()) {
                self.fault.next = FaultCode::CountExceedsCta;
            }
            if self.ragged.val() {
                self.fault.next = FaultCode::CountNotWarpMultiple;
            }
            if self.zero.val() & (self.kind.val() == OpKind::Arrive) {
                self.fault.next = FaultCode::CountZeroArrive;
            }
            if !self.uniform.val() {
                self.fault.next = FaultCode::OperandNotUniform;
            }
            if bit_cast::<5, 4>(self.id.val()) >= bit_cast::<5, IW>(self.barriers.val()) {
                self.fault.next = FaultCode::IdOutOfRange;
            }
        }
        if self.unbuilt.val() {
            self.fault.next = FaultCode::IllegalInstruction;
        }
        if self.upstream.val() != FaultCode::None {
            self.fault.next = self.upstream.val();
        }
        if !self.valid.val() {
            self.fault.next = FaultCode::None;
        }
    }
}
