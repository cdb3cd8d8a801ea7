// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks a signal or a wait.
//!
//! *Reads:* the operation one cycle after entry; its row; the launch in its CTA slot. *Writes:* its fault, also one from upstream.
//! *Latency:* 0, no state. Implements the faults of *Signal* and *Wait* of `docs/contract/gateway.md`: the requirements of spec 004 on
//! the threads of a phase.

use super::ctas::Group;
use super::input_stage::LookupOp;
use super::rows::Row;
use crate::prelude::*;

#[block]
pub struct Check<W, LW, CW, LC, IW> {
    /// The operation one cycle after entry.
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC>>,
    /// Row of the barrier, before the operation.
    pub lookup_row: Signal<In, Row<W, CW>>,
    /// The launch in the operation's CTA slot.
    pub group: Signal<In, Group<CW, IW>>,
    /// Fault of the operation; None = no fault.
    pub fault: Signal<Out, FaultCode>,
    /// The signal names the role producer.
    is_producer: Signal<Local, Bit>,
    /// The signal names the role consumer.
    is_consumer: Signal<Local, Bit>,
    /// The warp has signalled as producer in the open phase.
    signalled_producer: Signal<Local, Bit>,
    /// The warp has signalled as consumer in the open phase.
    signalled_consumer: Signal<Local, Bit>,
    /// A warp that has signalled as consumer waits; another warp is notified.
    waiting_or_notified: Signal<Local, Bit>,
    /// Number of producers in the signal.
    producers: Signal<Local, Bits<8>>,
    /// Number of consumers in the signal.
    consumers: Signal<Local, Bits<8>>,
    /// Warps launched in the CTA slot.
    warps: Signal<Local, Bits<8>>,
    /// A number in the signal is 0.
    count_zero: Signal<Local, Bit>,
    /// A number in the signal exceeds the warps launched.
    count_exceeds: Signal<Local, Bit>,
    /// A number in the signal differs from that of the row.
    count_differs: Signal<Local, Bit>,
    /// All participating producers have signalled.
    producers_full: Signal<Local, Bit>,
    /// All participating consumers have signalled.
    consumers_full: Signal<Local, Bit>,
}

#[block]
impl Logic for Check<W, LW, CW, LC, IW> {
    fn update(&mut self) {
        self.is_producer.next = !self.lookup_op.val().message.role.get_bit(1);
        self.is_consumer.next = !self.lookup_op.val().message.role.get_bit(0);
        self.signalled_producer.next = (self.lookup_row.val().producers & self.lookup_op.val().acting_warps).any();
        self.signalled_consumer.next = (self.lookup_row.val().consumers & self.lookup_op.val().acting_warps).any();
        self.waiting_or_notified.next = (self.lookup_row.val().waiting_or_notified & self.lookup_op.val().acting_warps).any();
        self.producers.next = self.lookup_op.val().message.producers;
        self.consumers.next = self.lookup_op.val().message.consumers;
        self.warps.next = bit_cast::<8, CW>(self.group.val().warps);
        self.count_zero.next = !self.producers.val().any() | !self.consumers.val().any();
        self.count_exceeds.next = (self.producers.val() > self.warps.val()) | (self.consumers.val() > self.warps.val());
        self.count_differs.next = (self.producers.val() != bit_cast::<8, CW>(self.lookup_row.val().producers_expected))
            | (self.consumers.val() != bit_cast::<8, CW>(self.lookup_row.val().consumers_expected));
        self.producers_full.next = self.lookup_row.val().producers_signalled == self.lookup_row.val().producers_expected;
        self.consumers_full.next = self.lookup_row.val().consumers_signalled == self.lookup_row.val().consumers_expected;

        // The last assignment wins, so the causes are in reverse order of precedence.
        self.fault.next = FaultCode::None;
        if self.lookup_op.val().waits & !self.signalled_consumer.val() & !self.waiting_or_notified.val() {
            self.fault.next = FaultCode::ProducerWaits;
        }
        if self.lookup_op.val().signals {
            if self.is_consumer.val() & self.waiting_or_notified.val() {
                self.fault.next = FaultCode::NotificationLost;
            }
            if self.lookup_row.val().open
                & ((self.is_producer.val() & self.producers_full.val()) | (self.is_consumer.val() & self.consumers_full.val()))
            {
                self.fault.next = FaultCode::OverSignal;
            }
            if self.lookup_row.val().open & self.count_differs.val() {
                self.fault.next = FaultCode::SignalMismatch;
            }
            if self.count_exceeds.val() {
                self.fault.next = FaultCode::CountExceedsGroup;
            }
            if self.count_zero.val() {
                self.fault.next = FaultCode::CountZero;
            }
            if self.lookup_op.val().message.role.all() {
                self.fault.next = FaultCode::SignalType;
            }
            if (self.is_producer.val() & self.signalled_producer.val())
                | (self.is_consumer.val() & self.signalled_consumer.val())
            {
                self.fault.next = FaultCode::DoubleArrival;
            }
        }
        if self.lookup_op.val().signals | self.lookup_op.val().waits {
            if !self.lookup_op.val().uniform {
                self.fault.next = FaultCode::OperandNotUniform;
            }
            if self.lookup_op.val().message.id >= bit_cast::<8, IW>(self.group.val().barriers) {
                self.fault.next = FaultCode::IdOutOfRange;
            }
        }
        if self.lookup_op.val().fault != FaultCode::None {
            self.fault.next = self.lookup_op.val().fault;
        }
    }
}
