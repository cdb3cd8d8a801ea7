// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a row, and the other effects of the operation.
//!
//! *Reads:* the operation one cycle after entry; its row; its fault. *Writes:* one cycle later the operation in its last cycle, its
//! row after it, whether the row was and is in use. *Latency:* 1. Implements *Signal* and *Wait* of `docs/contract/gateway.md`: the
//! phase of spec 004.

use super::input_stage::Inside;
use super::rows::Row;
use crate::prelude::*;

/// An operation in its last cycle, in which it takes effect; with all fields 0 it has no effect.
#[payload]
pub struct Ctrl<W, LW, LC> {
    /// There is an operation.
    pub acts: Bit,
    /// The row is written.
    pub writes: Bit,
    /// A Signal or Wait that is not refused.
    pub changes: Bit,
    /// The operation is refused.
    pub refused: Bit,
    /// A Release that is not refused.
    pub leaves: Bit,
    /// An operation of a warp: all but Launch and Release.
    pub of_warp: Bit,
    /// Once the operation takes effect, no operation of its warp is in flight any more.
    pub warp_done: Bit,
    /// A Signal that completes the phase.
    pub completes: Bit,
    /// A Wait that takes its notification.
    pub takes: Bit,
    /// A Wait whose warp now waits.
    pub waits: Bit,
    /// Fault of the operation.
    pub fault: FaultCode,
    /// One-hot: warp of the operation. Release: the warp slots of the CTA.
    pub acting: Bits<W>,
    /// Warp of the operation.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Barrier id.
    pub id: Bits<5>,
    /// If the phase is complete: all its consumers.
    pub notified: Bits<W>,
    /// If the phase is complete: its consumers that wait.
    pub woken: Bits<W>,
}

/// Whether a row is in use: a phase is open, or a warp is notified.
#[payload]
pub struct Used {
    /// Before the operation.
    pub before: Bit,
    /// After the operation.
    pub now: Bit,
}

#[block]
pub struct NextRow<W, LW, CW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The operation one cycle after entry.
    pub inside: Signal<In, Inside<W, LW, CW, LC>>,
    /// Row of the operation `inside`, before the operation.
    pub row: Signal<In, Row<W, CW>>,
    /// Fault of the operation `inside`; None = no fault.
    pub fault: Signal<In, FaultCode>,
    /// The operation in its last cycle.
    pub ctrl: Signal<Out, Ctrl<W, LW, LC>>,
    /// Row of the operation in its last cycle, after the operation.
    pub made: Signal<Out, Row<W, CW>>,
    /// Whether that row was in use before the operation, and whether it is in use after the operation.
    pub used: Signal<Out, Used>,
    /// A row that is cleared after a release was in use.
    pub left_open: Signal<Out, Bit>,
    /// The operation in its last cycle.
    #[reset]
    ctrl_q: DFF<Ctrl<W, LW, LC>>,
    /// `made`.
    row_q: DFF<Row<W, CW>>,
    /// The row was in use before the operation.
    was_used: DFF<Bit>,
    /// A row is cleared after a release.
    #[reset]
    cleared: DFF<Bit>,
    /// The operation is not refused.
    good: Signal<Local, Bit>,
    /// The signal names the role producer.
    producer: Signal<Local, Bit>,
    /// The signal names the role consumer.
    consumer: Signal<Local, Bit>,
    /// Warps that have signalled as producers, this signal included.
    producers: Signal<Local, Bits<W>>,
    /// Warps that have signalled as consumers, this signal included.
    consumers: Signal<Local, Bits<W>>,
    /// Number of those producers.
    producers_come: Signal<Local, Bits<CW>>,
    /// Number of those consumers.
    consumers_come: Signal<Local, Bits<CW>>,
    /// Participating producers, as stated by this signal.
    producers_expected: Signal<Local, Bits<CW>>,
    /// Participating consumers, as stated by this signal.
    consumers_expected: Signal<Local, Bits<CW>>,
    /// All participants have signalled: the phase is complete.
    full: Signal<Local, Bit>,
    /// The warp has signalled as consumer in the open phase.
    consumed: Signal<Local, Bit>,
    nothing: Constant<Row<W, CW>>,
}

#[block]
impl Logic for NextRow<W, LW, CW, LC> {
    fn update(&mut self) {
        self.good.next = self.fault.val() == FaultCode::None;

        // A signal.
        self.producer.next = !self.inside.val().message.role.get_bit(1);
        self.consumer.next = !self.inside.val().message.role.get_bit(0);
        self.producers.next = self.row.val().producers;
        self.producers_come.next = self.row.val().producers_come;
        if self.producer.val() {
            self.producers.next = self.row.val().producers | self.inside.val().acting;
            self.producers_come.next = self.row.val().producers_come + 1;
        }
        self.consumers.next = self.row.val().consumers;
        self.consumers_come.next = self.row.val().consumers_come;
        if self.consumer.val() {
            self.consumers.next = self.row.val().consumers | self.inside.val().acting;
            self.consumers_come.next = self.row.val().consumers_come + 1;
        }
        self.producers_expected.next = bit_cast::<CW, 8>(self.inside.val().message.producers);
        self.consumers_expected.next = bit_cast::<CW, 8>(self.inside.val().message.consumers);
        self.full.next = (self.producers_come.val() == self.producers_expected.val())
            & (self.consumers_come.val() == self.consumers_expected.val());
        self.row_q.d.next = self.row.val();
        if self.inside.val().signals {
            self.row_q.d.next.open = true;
            self.row_q.d.next.producers_expected = self.producers_expected.val();
            self.row_q.d.next.consumers_expected = self.consumers_expected.val();
            self.row_q.d.next.producers_come = self.producers_come.val();
            self.row_q.d.next.consumers_come = self.consumers_come.val();
            self.row_q.d.next.producers = self.producers.val();
            self.row_q.d.next.consumers = self.consumers.val();
            if self.full.val() {
                self.row_q.d.next = self.nothing.val();
                self.row_q.d.next.waiting_or_notified = self.row.val().waiting_or_notified ^ self.consumers.val();
            }
        }

        // A wait.
        self.consumed.next = (self.row.val().consumers & self.inside.val().acting).any();
        if self.inside.val().waits {
            self.row_q.d.next.waiting_or_notified = self.row.val().waiting_or_notified & !self.inside.val().acting;
            if self.consumed.val() {
                self.row_q.d.next.waiting_or_notified = self.row.val().waiting_or_notified | self.inside.val().acting;
            }
        }

        // The row to clear, and the last cycle of the operation.
        if self.inside.val().scrub {
            self.row_q.d.next = self.nothing.val();
        }
        self.ctrl_q.d.next.acts = self.inside.val().there & !self.inside.val().scrub;
        self.ctrl_q.d.next.changes = (self.inside.val().signals | self.inside.val().waits) & self.good.val();
        self.ctrl_q.d.next.writes = self.ctrl_q.d.val().changes | self.inside.val().scrub;
        self.ctrl_q.d.next.refused = self.inside.val().there & !self.good.val();
        self.ctrl_q.d.next.leaves = self.inside.val().leaves;
        self.ctrl_q.d.next.of_warp = self.inside.val().of_warp;
        self.ctrl_q.d.next.warp_done = self.inside.val().warp_done;
        self.ctrl_q.d.next.completes = self.inside.val().signals & self.good.val() & self.full.val();
        self.ctrl_q.d.next.takes = self.inside.val().waits & self.good.val() & !self.consumed.val();
        self.ctrl_q.d.next.waits = self.inside.val().waits & self.good.val() & self.consumed.val();
        self.ctrl_q.d.next.fault = self.fault.val();
        self.ctrl_q.d.next.acting = self.inside.val().acting;
        self.ctrl_q.d.next.warp = self.inside.val().warp;
        self.ctrl_q.d.next.cta = self.inside.val().cta;
        self.ctrl_q.d.next.id = bit_cast::<5, 8>(self.inside.val().message.id);
        self.ctrl_q.d.next.notified = self.consumers.val();
        self.ctrl_q.d.next.woken = self.row.val().consumers & self.row.val().waiting_or_notified;
        self.was_used.d.next = self.row.val().open | self.row.val().waiting_or_notified.any();
        self.cleared.d.next = self.inside.val().scrub & !self.inside.val().blank;

        self.ctrl.next = self.ctrl_q.q.val();
        self.made.next = self.row_q.q.val();
        self.used.next.before = self.was_used.q.val();
        self.used.next.now = self.row_q.q.val().open | self.row_q.q.val().waiting_or_notified.any();
        self.left_open.next = self.cleared.q.val() & self.was_used.q.val();
    }
}
