// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks a signal or a wait.
//!
//! *Reads:* the operation one cycle after entry; its row; the launch in its CTA slot. *Writes:* its fault, also one from upstream.
//! *Latency:* 0, no state. Implements the faults of *Signal* and *Wait* of `docs/contract/gateway.md`: the requirements of spec 004 on
//! the threads of a phase.

use super::ctas::Group;
use super::input_stage::Inside;
use super::rows::Row;
use crate::prelude::*;

#[block]
pub struct Check<W, LW, CW, LC, IW> {
    /// The operation one cycle after entry.
    pub inside: Signal<In, Inside<W, LW, CW, LC>>,
    /// Row of the barrier, before the operation.
    pub row: Signal<In, Row<W, CW>>,
    /// The launch in the operation's CTA slot.
    pub group: Signal<In, Group<CW, IW>>,
    /// Fault of the operation; None = no fault.
    pub fault: Signal<Out, FaultCode>,
    /// The signal names the role producer.
    producer: Signal<Local, Bit>,
    /// The signal names the role consumer.
    consumer: Signal<Local, Bit>,
    /// The warp has signalled as producer in the open phase.
    produced: Signal<Local, Bit>,
    /// The warp has signalled as consumer in the open phase.
    consumed: Signal<Local, Bit>,
    /// A warp that has signalled as consumer waits; another warp is notified.
    waiting_or_notified: Signal<Local, Bit>,
    /// Number of producers in the signal.
    producers: Signal<Local, Bits<8>>,
    /// Number of consumers in the signal.
    consumers: Signal<Local, Bits<8>>,
    /// Warps launched in the CTA slot.
    warps: Signal<Local, Bits<8>>,
    /// A number in the signal is 0.
    zero: Signal<Local, Bit>,
    /// A number in the signal exceeds the warps launched.
    exceeds: Signal<Local, Bit>,
    /// A number in the signal differs from that of the row.
    differs: Signal<Local, Bit>,
    /// All participating producers have signalled.
    producers_full: Signal<Local, Bit>,
    /// All participating consumers have signalled.
    consumers_full: Signal<Local, Bit>,
}

#[block]
impl Logic for Check<W, LW, CW, LC, IW> {
    fn update(&mut self) {
        self.producer.next = !self.inside.val().message.role.get_bit(1);
        self.consumer.next = !self.inside.val().message.role.get_bit(0);
        self.produced.next = (self.row.val().producers & self.inside.val().acting).any();
        self.consumed.next = (self.row.val().consumers & self.inside.val().acting).any();
        self.waiting_or_notified.next = (self.row.val().waiting_or_notified & self.inside.val().acting).any();
        self.producers.next = self.inside.val().message.producers;
        self.consumers.next = self.inside.val().message.consumers;
        self.warps.next = bit_cast::<8, CW>(self.group.val().warps);
        self.zero.next = !self.producers.val().any() | !self.consumers.val().any();
        self.exceeds.next = (self.producers.val() > self.warps.val()) | (self.consumers.val() > self.warps.val());
        self.differs.next = (self.producers.val() != bit_cast::<8, CW>(self.row.val().producers_expected))
            | (self.consumers.val() != bit_cast::<8, CW>(self.row.val().consumers_expected));
        self.producers_full.next = self.row.val().producers_come == self.row.val().producers_expected;
        self.consumers_full.next = self.row.val().consumers_come == self.row.val().consumers_expected;

        // The last assignment wins, so the causes are in reverse order of precedence.
        self.fault.next = FaultCode::None;
        if self.inside.val().waits & !self.consumed.val() & !self.waiting_or_notified.val() {
            self.fault.next = FaultCode::ProducerWaits;
        }
        if self.inside.val().signals {
            if self.consumer.val() & self.waiting_or_notified.val() {
                self.fault.next = FaultCode::NotificationLost;
            }
            if self.row.val().open
                & ((self.producer.val() & self.producers_full.val()) | (self.consumer.val() & self.consumers_full.val()))
            {
                self.fault.next = FaultCode::OverSignal;
            }
            if self.row.val().open & self.differs.val() {
                self.fault.next = FaultCode::SignalMismatch;
            }
            if self.exceeds.val() {
                self.fault.next = FaultCode::CountExceedsGroup;
            }
            if self.zero.val() {
                self.fault.next = FaultCode::CountZero;
            }
            if self.inside.val().message.role.all() {
                self.fault.next = FaultCode::SignalType;
            }
            if (self.producer.val() & self.produced.val()) | (self.consumer.val() & self.consumed.val()) {
                self.fault.next = FaultCode::DoubleArrival;
            }
        }
        if self.inside.val().signals | self.inside.val().waits {
            if !self.inside.val().uniform {
                self.fault.next = FaultCode::OperandNotUniform;
            }
            if self.inside.val().message.id >= bit_cast::<8, IW>(self.group.val().barriers) {
                self.fault.next = FaultCode::IdOutOfRange;
            }
        }
        if self.inside.val().fault != FaultCode::None {
            self.fault.next = self.inside.val().fault;
        }
    }
}
