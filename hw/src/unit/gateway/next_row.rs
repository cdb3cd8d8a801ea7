// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What becomes of a row, and what follows from that.
//!
//! *Reads:* the operation one cycle inside, its row, what is wrong with it. *Writes:* one cycle later the operation in its last cycle, the row that it
//! makes, whether it was and is in use. *Latency:* 1. Implements *Signal* and *Wait* of `docs/gateway.md`: the phase of spec 004.

use super::input_stage::Inside;
use super::rows::Row;
use crate::prelude::*;

/// An operation in its last cycle, in which it has its effects; all 0 does nothing.
#[payload]
pub struct Ctrl<W, LW, LC> {
    /// It is an operation.
    pub acts: Bit,
    /// Its row is written; it is one that changes a row.
    pub writes: Bit,
    pub changes: Bit,
    /// It is refused; is a release that is not.
    pub refused: Bit,
    pub leaves: Bit,
    pub of_warp: Bit,
    pub settles: Bit,
    /// It completes a phase; takes a notification; waits.
    pub completes: Bit,
    pub takes: Bit,
    pub waits: Bit,
    pub fault: FaultCode,
    pub acting: Bits<W>,
    pub warp: Bits<LW>,
    pub cta: Bits<LC>,
    pub id: Bits<5>,
    /// Of a phase that is complete: its consumers, and those of them that wait.
    pub notified: Bits<W>,
    pub woken: Bits<W>,
}

/// Whether a row is in use, before an operation and behind it.
#[payload]
pub struct Used {
    pub before: Bit,
    pub now: Bit,
}

#[block]
pub struct NextRow<W, LW, CW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC>>,
    pub row: Signal<In, Row<W, CW>>,
    pub fault: Signal<In, FaultCode>,
    pub ctrl: Signal<Out, Ctrl<W, LW, LC>>,
    pub made: Signal<Out, Row<W, CW>>,
    pub used: Signal<Out, Used>,
    /// It is the turn of a row that was left in use.
    pub left_open: Signal<Out, Bit>,
    #[reset]
    ctrl_q: DFF<Ctrl<W, LW, LC>>,
    row_q: DFF<Row<W, CW>>,
    was_used: DFF<Bit>,
    #[reset]
    cleared: DFF<Bit>,
    good: Signal<Local, Bit>,
    producer: Signal<Local, Bit>,
    consumer: Signal<Local, Bit>,
    /// The row with the signal.
    producers: Signal<Local, Bits<W>>,
    consumers: Signal<Local, Bits<W>>,
    producers_come: Signal<Local, Bits<CW>>,
    consumers_come: Signal<Local, Bits<CW>>,
    producers_expected: Signal<Local, Bits<CW>>,
    consumers_expected: Signal<Local, Bits<CW>>,
    full: Signal<Local, Bit>,
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
                self.row_q.d.next.marked = self.row.val().marked ^ self.consumers.val();
            }
        }

        // A wait.
        self.consumed.next = (self.row.val().consumers & self.inside.val().acting).any();
        if self.inside.val().waits {
            self.row_q.d.next.marked = self.row.val().marked & !self.inside.val().acting;
            if self.consumed.val() {
                self.row_q.d.next.marked = self.row.val().marked | self.inside.val().acting;
            }
        }

        // What follows.
        if self.inside.val().scrub {
            self.row_q.d.next = self.nothing.val();
        }
        self.ctrl_q.d.next.acts = self.inside.val().there & !self.inside.val().scrub;
        self.ctrl_q.d.next.changes = (self.inside.val().signals | self.inside.val().waits) & self.good.val();
        self.ctrl_q.d.next.writes = self.ctrl_q.d.val().changes | self.inside.val().scrub;
        self.ctrl_q.d.next.refused = self.inside.val().there & !self.good.val();
        self.ctrl_q.d.next.leaves = self.inside.val().leaves;
        self.ctrl_q.d.next.of_warp = self.inside.val().of_warp;
        self.ctrl_q.d.next.settles = self.inside.val().settles;
        self.ctrl_q.d.next.completes = self.inside.val().signals & self.good.val() & self.full.val();
        self.ctrl_q.d.next.takes = self.inside.val().waits & self.good.val() & !self.consumed.val();
        self.ctrl_q.d.next.waits = self.inside.val().waits & self.good.val() & self.consumed.val();
        self.ctrl_q.d.next.fault = self.fault.val();
        self.ctrl_q.d.next.acting = self.inside.val().acting;
        self.ctrl_q.d.next.warp = self.inside.val().warp;
        self.ctrl_q.d.next.cta = self.inside.val().cta;
        self.ctrl_q.d.next.id = bit_cast::<5, 8>(self.inside.val().message.id);
        self.ctrl_q.d.next.notified = self.consumers.val();
        self.ctrl_q.d.next.woken = self.row.val().consumers & self.row.val().marked;
        self.was_used.d.next = self.row.val().open | self.row.val().marked.any();
        self.cleared.d.next = self.inside.val().scrub & !self.inside.val().blank;

        self.ctrl.next = self.ctrl_q.q.val();
        self.made.next = self.row_q.q.val();
        self.used.next.before = self.was_used.q.val();
        self.used.next.now = self.row_q.q.val().open | self.row_q.q.val().marked.any();
        self.left_open.next = self.cleared.q.val() & self.was_used.q.val();
    }
}
