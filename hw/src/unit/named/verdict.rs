// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault of an operation, and whether the fault policy holds for it.
//!
//! *Reads:* the operation in its last cycle, with what stood against it. *Writes:* the first cause in the order of precedence, or
//! a row left open. *Latency:* 0, no state. Implements the precedence of `docs/faults.md`.

use super::enter::Step;
use super::judge::Against;
use crate::unit::op::{FaultCode, StateWord};
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct Verdict {
    pub doing: Signal<In, Step>,
    /// From upstream or, below `undeclared`, from its operands.
    pub code: Signal<In, FaultCode>,
    pub exempt: Signal<In, Bit>,
    pub state: Signal<In, StateWord>,
    pub against: Signal<In, Against>,
    /// Its row was open.
    pub open: Signal<In, Bit>,
    /// The reduction of its warp's result, 0 = none.
    pub result_now: Signal<In, Bits<2>>,
    pub fault: Signal<Out, FaultCode>,
    /// A Read shows what it has read.
    pub reads: Signal<Out, Bit>,
    /// A warp is refused for which the policy holds; one that no longer waits.
    pub refused: Signal<Out, Bit>,
    pub balked: Signal<Out, Bit>,
    resultless: Signal<Local, Bit>,
    found: Signal<Local, Bit>,
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        self.resultless.next = self.doing.val().reads & (self.state.val() == StateWord::Result) & !self.result_now.val().any();
        self.reads.next = self.doing.val().reads & !self.against.val().undeclared & !self.resultless.val();
        self.found.next = (self.code.val() != FaultCode::None) | self.against.val().undeclared | self.against.val().refused;
        self.balked.next = self.doing.val().waiter & self.found.val();
        self.refused.next = self.doing.val().acts & !self.exempt.val() & (self.found.val() | self.resultless.val());

        // The last assignment wins, so the causes stand in reverse order of precedence.
        self.fault.next = FaultCode::None;
        if self.resultless.val() {
            self.fault.next = FaultCode::NoResult;
        }
        if self.against.val().refused {
            self.fault.next = FaultCode::BadStateWord;
            if self.against.val().arrival {
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
        if self.code.val() != FaultCode::None {
            self.fault.next = self.code.val();
        }
        if self.against.val().undeclared {
            self.fault.next = FaultCode::IdOutOfRange;
        }
        if !self.doing.val().acts {
            self.fault.next = FaultCode::None;
        }
        if self.doing.val().turn & !self.doing.val().silent & self.open.val() {
            self.fault.next = FaultCode::BarrierLeftOpen;
        }
    }
}
