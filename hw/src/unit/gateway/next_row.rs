// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a row.
//!
//! *Reads:* the signal or wait one cycle after entry; its row. *Writes:* the row after the operation, whether the phase is complete
//! and which warps are its consumers, whether the warp of a wait has signalled as consumer; all under the assumption that the
//! operation has no fault. *Latency:* 0, no state. Implements *Signal* and *Wait* of `docs/contract/gateway.md`: the phase of spec
//! 004.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.

use super::payloads::{Actions, PhaseConsumers, Row};
use super::ports::GatewayMessage;
use crate::prelude::*;

/// `W` warps, counts of warps of `CW` bits.
#[block]
pub struct NextRow<W, CW> {
    /// The actions of the operation one cycle after entry.
    pub lookup_actions: Signal<In, Actions>,
    /// A row to clear is one cycle after entry.
    pub is_scrub: Signal<In, Bit>,
    /// The message of the operation one cycle after entry.
    pub lookup_message: Signal<In, GatewayMessage>,
    /// Warp of the operation one cycle after entry, one-hot.
    pub lookup_warps: Signal<In, Bits<W>>,
    /// Row of the operation one cycle after entry, before the operation.
    pub lookup_row: Signal<In, Row<W, CW>>,
    /// The row after the operation.
    pub next_row: Signal<Out, Row<W, CW>>,
    /// All participants have signalled: the phase is complete.
    pub phase_complete: Signal<Out, Bit>,
    pub phase_consumers: Signal<Out, PhaseConsumers<W>>,
    /// The warp of the operation has signalled as consumer in the open phase.
    pub signalled_consumer: Signal<Out, Bit>,
    /// The signal names the role producer.
    is_producer: Signal<Local, Bit>,
    /// The signal names the role consumer.
    is_consumer: Signal<Local, Bit>,
    /// Warps that have signalled as producers, this signal included.
    next_producers: Signal<Local, Bits<W>>,
    /// Warps that have signalled as consumers, this signal included.
    next_consumers: Signal<Local, Bits<W>>,
    /// Number of warps in `next_producers`.
    producers_signalled: Signal<Local, Bits<CW>>,
    /// Number of warps in `next_consumers`.
    consumers_signalled: Signal<Local, Bits<CW>>,
    /// Number of participating producers that this signal gives.
    producers_expected: Signal<Local, Bits<CW>>,
    /// Number of participating consumers that this signal gives.
    consumers_expected: Signal<Local, Bits<CW>>,
    no_row: Constant<Row<W, CW>>,
}

#[block]
impl Logic for NextRow {
    fn update(&mut self) {
        let message = self.lookup_message.val();
        let warps = self.lookup_warps.val();
        let row = self.lookup_row.val();

        // A signal: the warp joins the producers, the consumers or both. A signal that completes the phase closes the phase:
        // the waiting consumers resume, all other consumers are notified.
        self.is_producer.next = !message.role.get_bit(1);
        self.is_consumer.next = !message.role.get_bit(0);
        self.next_producers.next = row.producers;
        self.producers_signalled.next = row.producers_signalled;
        if self.is_producer.val() {
            self.next_producers.next = row.producers | warps;
            self.producers_signalled.next = row.producers_signalled + 1;
        }
        self.next_consumers.next = row.consumers;
        self.consumers_signalled.next = row.consumers_signalled;
        if self.is_consumer.val() {
            self.next_consumers.next = row.consumers | warps;
            self.consumers_signalled.next = row.consumers_signalled + 1;
        }
        self.producers_expected.next = bit_cast::<CW, 8>(message.producers);
        self.consumers_expected.next = bit_cast::<CW, 8>(message.consumers);
        self.phase_complete.next = (self.producers_signalled.val() == self.producers_expected.val())
            & (self.consumers_signalled.val() == self.consumers_expected.val());
        self.phase_consumers.next.notified_warps = self.next_consumers.val();
        self.phase_consumers.next.woken_warps = row.consumers & row.waiting_or_notified;
        self.next_row.next = row;
        if self.lookup_actions.val().signals {
            self.next_row.next.open = true;
            self.next_row.next.producers_expected = self.producers_expected.val();
            self.next_row.next.consumers_expected = self.consumers_expected.val();
            self.next_row.next.producers_signalled = self.producers_signalled.val();
            self.next_row.next.consumers_signalled = self.consumers_signalled.val();
            self.next_row.next.producers = self.next_producers.val();
            self.next_row.next.consumers = self.next_consumers.val();
            if self.phase_complete.val() {
                self.next_row.next = self.no_row.val();
                self.next_row.next.waiting_or_notified = row.waiting_or_notified ^ self.next_consumers.val();
            }
        }

        // A wait: a warp that is a consumer of the open phase waits; a notified warp takes its notification.
        self.signalled_consumer.next = (row.consumers & warps).any();
        if self.lookup_actions.val().waits {
            self.next_row.next.waiting_or_notified = row.waiting_or_notified & !warps;
            if self.signalled_consumer.val() {
                self.next_row.next.waiting_or_notified = row.waiting_or_notified | warps;
            }
        }

        // A row to clear becomes 0.
        if self.is_scrub.val() {
            self.next_row.next = self.no_row.val();
        }
    }
}
