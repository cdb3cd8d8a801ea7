// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks a signal or a wait.
//!
//! *Reads:* the operation one cycle after entry; its row; the launch in its CTA slot. *Writes:* the fault of the operation: the
//! fault from upstream if there is one, else the fault that this block finds. *Latency:* 0, no state. Implements the faults of
//! *Signal* and *Wait* of `docs/contract/gateway.md`: the requirements of spec 004 on the threads of a phase.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.

use super::payloads::{Actions, Group, Row};
use super::ports::GatewayMessage;
use crate::prelude::*;

/// `W` warps, counts of warps of `CW` bits, counts of barriers of `IW` bits.
#[block]
pub struct Check<W, CW, IW> {
    /// The actions of the operation one cycle after entry.
    pub lookup_actions: Signal<In, Actions>,
    /// Fault of the operation from upstream, or `not_resident`; None = no fault.
    pub lookup_fault: Signal<In, FaultCode>,
    /// All executing lanes gave equal messages.
    pub uniform: Signal<In, Bit>,
    /// The message of the operation.
    pub lookup_message: Signal<In, GatewayMessage>,
    /// Warp of the operation, one-hot.
    pub lookup_warps: Signal<In, Bits<W>>,
    /// Row of the barrier, before the operation.
    pub lookup_row: Signal<In, Row<W, CW>>,
    /// The counts of the launch in the operation's CTA slot.
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
    /// The warp's bit in `waiting_or_notified` of the row. For a warp that has signalled as consumer, 1 = the warp waits; for any
    /// other warp, 1 = the warp is notified.
    waiting_or_notified: Signal<Local, Bit>,
    /// Number of producers in the signal.
    producers: Signal<Local, Bits<8>>,
    /// Number of consumers in the signal.
    consumers: Signal<Local, Bits<8>>,
    /// Number of warps launched in the CTA slot.
    warps: Signal<Local, Bits<8>>,
    /// The signal gives 0 producers or 0 consumers.
    count_zero: Signal<Local, Bit>,
    /// The signal gives more producers, or more consumers, than warps were launched.
    count_exceeds: Signal<Local, Bit>,
    /// The signal gives another number of producers, or of consumers, than the row holds.
    count_differs: Signal<Local, Bit>,
    /// All participating producers have signalled.
    producers_full: Signal<Local, Bit>,
    /// All participating consumers have signalled.
    consumers_full: Signal<Local, Bit>,
}

#[block]
impl Logic for Check {
    fn update(&mut self) {
        let actions = self.lookup_actions.val();
        let message = self.lookup_message.val();
        let row = self.lookup_row.val();

        self.is_producer.next = !message.role.get_bit(1);
        self.is_consumer.next = !message.role.get_bit(0);
        self.signalled_producer.next = (row.producers & self.lookup_warps.val()).any();
        self.signalled_consumer.next = (row.consumers & self.lookup_warps.val()).any();
        self.waiting_or_notified.next = (row.waiting_or_notified & self.lookup_warps.val()).any();
        self.producers.next = message.producers;
        self.consumers.next = message.consumers;
        self.warps.next = bit_cast::<8, CW>(self.group.val().warps);
        self.count_zero.next = !self.producers.val().any() | !self.consumers.val().any();
        self.count_exceeds.next = (self.producers.val() > self.warps.val()) | (self.consumers.val() > self.warps.val());
        self.count_differs.next = (self.producers.val() != bit_cast::<8, CW>(row.producers_expected))
            | (self.consumers.val() != bit_cast::<8, CW>(row.consumers_expected));
        self.producers_full.next = row.producers_signalled == row.producers_expected;
        self.consumers_full.next = row.consumers_signalled == row.consumers_expected;

        // The last assignment wins, so the cause with the highest precedence is the last.
        self.fault.next = FaultCode::None;
        if actions.waits & !self.signalled_consumer.val() & !self.waiting_or_notified.val() {
            self.fault.next = FaultCode::ProducerWaits;
        }
        if actions.signals {
            if self.is_consumer.val() & self.waiting_or_notified.val() {
                self.fault.next = FaultCode::NotificationLost;
            }
            if row.open
                & ((self.is_producer.val() & self.producers_full.val()) | (self.is_consumer.val() & self.consumers_full.val()))
            {
                self.fault.next = FaultCode::OverSignal;
            }
            if row.open & self.count_differs.val() {
                self.fault.next = FaultCode::SignalMismatch;
            }
            if self.count_exceeds.val() {
                self.fault.next = FaultCode::CountExceedsGroup;
            }
            if self.count_zero.val() {
                self.fault.next = FaultCode::CountZero;
            }
            if message.role.all() {
                self.fault.next = FaultCode::SignalType;
            }
            if (self.is_producer.val() & self.signalled_producer.val())
                | (self.is_consumer.val() & self.signalled_consumer.val())
            {
                self.fault.next = FaultCode::DoubleArrival;
            }
        }
        if actions.signals | actions.waits {
            if !self.uniform.val() {
                self.fault.next = FaultCode::OperandNotUniform;
            }
            if message.id >= bit_cast::<8, IW>(self.group.val().barriers) {
                self.fault.next = FaultCode::IdOutOfRange;
            }
        }
        if self.lookup_fault.val() != FaultCode::None {
            self.fault.next = self.lookup_fault.val();
        }
    }
}
