// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts the numbers of an operation to addends, the form in which the sums stage adds them to the word of the object.
//!
//! *Reads:* the source that is taken; the actions of the operation; its numbers. *Writes:* in the same cycle the addends and the
//! carries. *Latency:* 0, no state. Implements the sums of `docs/contract/mbarrier.md`: words hold negated counts and bytes.
//!
//! An arrival adds its count to the negated pending count. A count that is to be negated is inverted here, and the sum has a
//! carry-in of 1. Each operand has one source of four in two bits, so that each of its bits takes one LUT of four inputs.

use super::payloads::{Numbers, Sources};
use crate::port_value::PortValue;
use crate::prelude::*;
use crate::unit::mbarrier::item::{Addends, OpActions};
use crate::unit::op::port_enum;

port_enum! {
    /// The source of an operand.
    pub enum OperandSource {
        /// No source: the operand is 0.
        Zero,
        /// The number from `tx` or `net_in`.
        External,
        /// The number from `op`.
        Warp,
        /// The number from `op`, inverted.
        InvertedWarp,
    }
}

#[block]
pub struct Operands {
    /// The source whose offer is taken.
    pub take: Signal<In, Sources>,
    /// The actions of the operation.
    pub actions: Signal<In, OpActions>,
    /// The numbers of the operation on `op`.
    pub op: Signal<In, Numbers>,
    /// The numbers of the operation from `tx` or `net_in`; `bytes` is inverted if the operation expects bytes.
    pub external: Signal<In, Numbers>,
    /// The addends of the item.
    pub addends: Signal<Out, Addends>,
    /// The operation is taken from `tx` or `net_in`.
    external_taken: Signal<Local, Bit>,
    /// Init, AddPending: the count is negated, because words hold negated counts.
    negates: Signal<Local, Bit>,
    /// Source of the count.
    count_source: Signal<Local, OperandSource>,
    /// Source of the bytes.
    bytes_source: Signal<Local, OperandSource>,
    /// The count as an addend: inverted if it is to be negated.
    count_operand: Signal<Local, Bits<20>>,
}

#[block]
impl Logic for Operands {
    fn update(&mut self) {
        let actions = self.actions.val();
        let op = self.op.val();
        let external = self.external.val();
        self.negates.next = actions.init | actions.adds;
        self.count_source.next = OperandSource::Zero;
        self.bytes_source.next = OperandSource::Zero;
        self.external_taken.next = self.take.val().tx | self.take.val().net;
        if self.external_taken.val() {
            self.count_source.next = OperandSource::External;
            self.bytes_source.next = OperandSource::External;
        }
        if self.take.val().op {
            self.count_source.next = OperandSource::Warp;
            self.bytes_source.next = OperandSource::Warp;
            if self.negates.val() {
                self.count_source.next = OperandSource::InvertedWarp;
            }
            if actions.expects {
                self.bytes_source.next = OperandSource::InvertedWarp;
            }
        }

        self.count_operand.next = 0.into();
        if self.count_source.val() == OperandSource::External {
            self.count_operand.next = external.count;
        }
        if self.count_source.val() == OperandSource::Warp {
            self.count_operand.next = op.count;
        }
        if self.count_source.val() == OperandSource::InvertedWarp {
            self.count_operand.next = !op.count;
        }
        self.addends.next.add_pending = self.count_operand.val();
        self.addends.next.pending_carry_in = self.negates.val();
        self.addends.next.add_expected = 0.into();
        if actions.drops | actions.init {
            self.addends.next.add_expected = self.count_operand.val();
        }
        self.addends.next.expected_carry_in = actions.init;

        self.addends.next.add_tx = 0.into();
        if self.bytes_source.val() == OperandSource::External {
            self.addends.next.add_tx = external.bytes;
        }
        if self.bytes_source.val() == OperandSource::Warp {
            self.addends.next.add_tx = op.bytes;
        }
        if self.bytes_source.val() == OperandSource::InvertedWarp {
            self.addends.next.add_tx = !op.bytes;
        }
    }
}
