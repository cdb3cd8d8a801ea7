// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault of an operation, and whether the fault policy holds for it.
//!
//! *Reads:* the operation in its last cycle, with what stood against it. *Writes:* the first cause in the order of precedence, or
//! a row left open. *Latency:* 0, no state. Implements the precedence of `docs/faults.md`.

use super::effect::Deed;
use super::judge::Against;
use crate::unit::op::FaultCode;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct Verdict {
    /// Checks are built.
    pub checks: Signal<In, Bit>,
    pub doing: Signal<In, Deed>,
    /// From upstream or, below `undeclared`, from its operands.
    pub code: Signal<In, FaultCode>,
    pub against: Signal<In, Against>,
    /// Its warp has no result.
    pub none: Signal<In, Bit>,
    pub fault: Signal<Out, FaultCode>,
    /// There is a fault.
    pub faulty: Signal<Out, Bit>,
    /// A Read shows what it has read.
    pub reads: Signal<Out, Bit>,
    /// It is refused, unless it has no result; its warp no longer waits.
    pub refused: Signal<Out, Bit>,
    pub balked: Signal<Out, Bit>,
    resultless: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
    left_open: Signal<Local, Bit>,
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        self.stopped.next = (self.doing.val().lands & !self.against.val().changes)
            | (self.doing.val().writes_warp & !self.against.val().restores);
        self.found.next = self.checks.val() & (self.doing.val().flawed | self.against.val().undeclared | self.stopped.val());
        self.resultless.next = self.doing.val().asks & self.none.val();
        self.reads.next = self.doing.val().reads & !self.found.val() & !self.resultless.val();
        self.balked.next = self.doing.val().waiter & self.found.val();
        self.refused.next = self.found.val();
        self.left_open.next = self.checks.val() & self.doing.val().turn & !self.doing.val().silent & self.doing.val().was_open;
        self.faulty.next = self.left_open.val() | (self.doing.val().acts & self.found.val()) | self.resultless.val();

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
