// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault of an operation, and whether the fault policy holds for it.
//!
//! *Reads:* the operation in its last cycle, with what stood against it. *Writes:* the first cause in the order of precedence, or
//! a row left open. *Latency:* 0, no state. Implements the precedence of `docs/faults.md`.

use super::effect::Deed;
use super::judge::Against;
use crate::unit::op::FaultCode;
use bcu_derive::block;
use rust_hdl::prelude::*;

#[block]
pub struct Verdict {
    /// Checks are built.
    pub checks: Signal<In, Bit>,
    pub doing: Signal<In, Deed>,
    /// From upstream or, below `undeclared`, from its operands.
    pub code: Signal<In, FaultCode>,
    pub against: Signal<In, Against>,
    /// It reads a result, and its warp has none.
    pub lacks: Signal<In, Bit>,
    pub fault: Signal<Out, FaultCode>,
    /// There is a fault.
    pub faulty: Signal<Out, Bit>,
    /// A Read shows what it has read.
    pub reads: Signal<Out, Bit>,
    /// It is refused.
    pub refused: Signal<Out, Bit>,
    stopped: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        self.stopped.next = (self.doing.val().lands & !self.against.val().changes)
            | (self.doing.val().writes_warp & !self.against.val().restores);
        self.found.next = self.against.val().refused | self.lacks.val();
        self.reads.next = self.doing.val().reads & !self.found.val();
        self.refused.next = self.found.val();
        self.faulty.next = self.found.val() | (self.checks.val() & self.doing.val().opens);

        // The last assignment wins, so the causes stand in reverse order of precedence.
        self.fault.next = FaultCode::NoResult;
        if self.stopped.val() {
            self.fault.next = FaultCode::BadStateWord;
            if self.doing.val().arrives {
                self.fault.next = FaultCode::CountMismatch;
                if self.against.val().unlike {
                    self.fault.next = FaultCode::KindMismatch;
                }
                if self.against.val().again {
                    self.fault.next = FaultCode::DoubleArrival;
                }
                if self.against.val().exceeds {
                    self.fault.next = FaultCode::CountExceedsCta;
                }
            }
        }
        if self.doing.val().flawed {
            self.fault.next = self.code.val();
        }
        if self.against.val().undeclared {
            self.fault.next = FaultCode::IdOutOfRange;
        }
        if self.doing.val().turn {
            self.fault.next = FaultCode::BarrierLeftOpen;
        }
    }
}
