// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a row, and the other effects of the operation.
//!
//! *Reads:* the operation one cycle after entry; its row; its fault. *Writes:* one cycle later the operation in its last cycle, its
//! row after it, whether the row was and is in use. *Latency:* 1. Implements *Signal* and *Wait* of `docs/contract/gateway.md`: the
//! phase of spec 004.

use super::input_stage::LookupOp;
use super::rows::Row;
use crate::prelude::*;

/// An operation in its last cycle, in which it takes effect; with all fields 0 it has no effect.
#[payload]
pub struct Ctrl<W, LW, LC> {
    /// There is an operation.
    pub valid: Bit,
    /// The row is written.
    pub writes: Bit,
    /// A Signal or Wait that is not refused.
    pub changes: Bit,
    /// The operation is refused.
    pub refused: Bit,
    /// A Release that is not refused.
    pub cta_release: Bit,
    /// An operation of a warp: all but Launch and Release.
    pub has_warp: Bit,
    /// Once the operation takes effect, no operation of its warp is in flight any more.
    pub warp_done: Bit,
    /// A Signal that completes the phase.
    pub completes: Bit,
    /// A Wait that takes its notification.
    pub takes_notification: Bit,
    /// A Wait whose warp now waits.
    pub waits: Bit,
    /// Fault of the operation.
    pub fault: FaultCode,
    /// One-hot: warp of the operation. Release: the warp slots of the CTA.
    pub acting_warps: Bits<W>,
    /// Warp of the operation.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Barrier id.
    pub id: Bits<5>,
    /// If the phase is complete: all its consumers.
    pub notified_warps: Bits<W>,
    /// If the phase is complete: its consumers that wait.
    pub woken_warps: Bits<W>,
}

/// Whether a row is in use: a phase is open, or a warp is notified.
#[payload]
pub struct RowUse {
    /// Before the operation.
    pub before: Bit,
    /// After the operation.
    pub after: Bit,
}

#[block]
pub struct NextRow<W, LW, CW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The operation one cycle after entry.
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC>>,
    /// Row of the operation `lookup_op`, before the operation.
    pub lookup_row: Signal<In, Row<W, CW>>,
    /// Fault of the operation `lookup_op`; None = no fault.
    pub fault: Signal<In, FaultCode>,
    /// The operation in its last cycle.
    pub ctrl: Signal<Out, Ctrl<W, LW, LC>>,
    /// Row of the operation in its last cycle, after the operation.
    pub commit_row: Signal<Out, Row<W, CW>>,
    /// Whether that row was in use before the operation, and whether it is in use after the operation.
    pub row_use: Signal<Out, RowUse>,
    /// A row that is cleared after a release was in use.
    pub left_open: Signal<Out, Bit>,
    /// Register of `ctrl`.
    #[reset]
    ctrl_q: DFF<Ctrl<W, LW, LC>>,
    /// Register of `commit_row`.
    commit_row_q: DFF<Row<W, CW>>,
    /// The row was in use before the operation.
    was_used: DFF<Bit>,
    /// A row is cleared after a release.
    #[reset]
    clears_row: DFF<Bit>,
    /// The operation is not refused.
    no_fault: Signal<Local, Bit>,
    /// The signal names the role producer.
    is_producer: Signal<Local, Bit>,
    /// The signal names the role consumer.
    is_consumer: Signal<Local, Bit>,
    /// Warps that have signalled as producers, this signal included.
    next_producers: Signal<Local, Bits<W>>,
    /// Warps that have signalled as consumers, this signal included.
    next_consumers: Signal<Local, Bits<W>>,
    /// Number of those producers.
    producers_signalled: Signal<Local, Bits<CW>>,
    /// Number of those consumers.
    consumers_signalled: Signal<Local, Bits<CW>>,
    /// Participating producers, as stated by this signal.
    producers_expected: Signal<Local, Bits<CW>>,
    /// Participating consumers, as stated by this signal.
    consumers_expected: Signal<Local, Bits<CW>>,
    /// All participants have signalled: the phase is complete.
    phase_complete: Signal<Local, Bit>,
    /// The warp has signalled as consumer in the open phase.
    signalled_consumer: Signal<Local, Bit>,
    no_row: Constant<Row<W, CW>>,
}

#[block]
impl Logic for NextRow<W, LW, CW, LC> {
    fn update(&mut self) {
        self.no_fault.next = self.fault.val() == FaultCode::None;

        // A signal.
        self.is_producer.next = !self.lookup_op.val().message.role.get_bit(1);
        self.is_consumer.next = !self.lookup_op.val().message.role.get_bit(0);
        self.next_producers.next = self.lookup_row.val().producers;
        self.producers_signalled.next = self.lookup_row.val().producers_signalled;
        if self.is_producer.val() {
            self.next_producers.next = self.lookup_row.val().producers | self.lookup_op.val().acting_warps;
            self.producers_signalled.next = self.lookup_row.val().producers_signalled + 1;
        }
        self.next_consumers.next = self.lookup_row.val().consumers;
        self.consumers_signalled.next = self.lookup_row.val().consumers_signalled;
        if self.is_consumer.val() {
            self.next_consumers.next = self.lookup_row.val().consumers | self.lookup_op.val().acting_warps;
            self.consumers_signalled.next = self.lookup_row.val().consumers_signalled + 1;
        }
        self.producers_expected.next = bit_cast::<CW, 8>(self.lookup_op.val().message.producers);
        self.consumers_expected.next = bit_cast::<CW, 8>(self.lookup_op.val().message.consumers);
        self.phase_complete.next = (self.producers_signalled.val() == self.producers_expected.val())
            & (self.consumers_signalled.val() == self.consumers_expected.val());
        self.commit_row_q.d.next = self.lookup_row.val();
        if self.lookup_op.val().signals {
            self.commit_row_q.d.next.open = true;
            self.commit_row_q.d.next.producers_expected = self.producers_expected.val();
            self.commit_row_q.d.next.consumers_expected = self.consumers_expected.val();
            self.commit_row_q.d.next.producers_signalled = self.producers_signalled.val();
            self.commit_row_q.d.next.consumers_signalled = self.consumers_signalled.val();
            self.commit_row_q.d.next.producers = self.next_producers.val();
            self.commit_row_q.d.next.consumers = self.next_consumers.val();
            if self.phase_complete.val() {
                self.commit_row_q.d.next = self.no_row.val();
                self.commit_row_q.d.next.waiting_or_notified =
                    self.lookup_row.val().waiting_or_notified ^ self.next_consumers.val();
            }
        }

        // A wait.
        self.signalled_consumer.next = (self.lookup_row.val().consumers & self.lookup_op.val().acting_warps).any();
        if self.lookup_op.val().waits {
            self.commit_row_q.d.next.waiting_or_notified =
                self.lookup_row.val().waiting_or_notified & !self.lookup_op.val().acting_warps;
            if self.signalled_consumer.val() {
                self.commit_row_q.d.next.waiting_or_notified =
                    self.lookup_row.val().waiting_or_notified | self.lookup_op.val().acting_warps;
            }
        }

        // The row to clear, and the last cycle of the operation.
        if self.lookup_op.val().scrub {
            self.commit_row_q.d.next = self.no_row.val();
        }
        self.ctrl_q.d.next.valid = self.lookup_op.val().valid & !self.lookup_op.val().scrub;
        self.ctrl_q.d.next.changes = (self.lookup_op.val().signals | self.lookup_op.val().waits) & self.no_fault.val();
        self.ctrl_q.d.next.writes = self.ctrl_q.d.val().changes | self.lookup_op.val().scrub;
        self.ctrl_q.d.next.refused = self.lookup_op.val().valid & !self.no_fault.val();
        self.ctrl_q.d.next.cta_release = self.lookup_op.val().cta_release;
        self.ctrl_q.d.next.has_warp = self.lookup_op.val().has_warp;
        self.ctrl_q.d.next.warp_done = self.lookup_op.val().warp_done;
        self.ctrl_q.d.next.completes = self.lookup_op.val().signals & self.no_fault.val() & self.phase_complete.val();
        self.ctrl_q.d.next.takes_notification =
            self.lookup_op.val().waits & self.no_fault.val() & !self.signalled_consumer.val();
        self.ctrl_q.d.next.waits = self.lookup_op.val().waits & self.no_fault.val() & self.signalled_consumer.val();
        self.ctrl_q.d.next.fault = self.fault.val();
        self.ctrl_q.d.next.acting_warps = self.lookup_op.val().acting_warps;
        self.ctrl_q.d.next.warp = self.lookup_op.val().warp;
        self.ctrl_q.d.next.cta = self.lookup_op.val().cta;
        self.ctrl_q.d.next.id = bit_cast::<5, 8>(self.lookup_op.val().message.id);
        self.ctrl_q.d.next.notified_warps = self.next_consumers.val();
        self.ctrl_q.d.next.woken_warps = self.lookup_row.val().consumers & self.lookup_row.val().waiting_or_notified;
        self.was_used.d.next = self.lookup_row.val().open | self.lookup_row.val().waiting_or_notified.any();
        self.clears_row.d.next = self.lookup_op.val().scrub & !self.lookup_op.val().all_slots;

        self.ctrl.next = self.ctrl_q.q.val();
        self.commit_row.next = self.commit_row_q.q.val();
        self.row_use.next.before = self.was_used.q.val();
        self.row_use.next.after = self.commit_row_q.q.val().open | self.commit_row_q.q.val().waiting_or_notified.any();
        self.left_open.next = self.clears_row.q.val() & self.was_used.q.val();
    }
}
