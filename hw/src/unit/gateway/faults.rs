// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault channel: keeps faults while the other side is not ready, and says when there is no room for another.
//!
//! *Reads:* whether something enters, and is one cycle inside; what is wrong with the operation in its last cycle; rows that were left open. *Writes:* the
//! fault channel (latency 1; its payload is a gate), `room`: what enters in the next cycle finds a place whatever comes of it. *Latency:* 1. Implements
//! the fault channel and its part of `op_ready` of `docs/gateway.md`.

use super::next_row::Ctrl;
use super::ports::GatewayFault;
use crate::prelude::*;

/// A queue of four faults: one at the port, two on their way, one whose operation was taken before `room` fell.
#[block]
pub struct Faults<W, LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enters: Signal<In, Bit>,
    pub inside: Signal<In, Bit>,
    pub ctrl: Signal<In, Ctrl<W, LW, LC>>,
    pub left_open: Signal<In, Bit>,
    pub fault: Source<GatewayFault<LW, LC>>,
    /// For the next cycle, combinational.
    pub room: Signal<Out, Bit>,
    queue: Ring<Packed<GatewayFault<LW, LC>>>,
    record: Signal<Local, GatewayFault<LW, LC>>,
    spare: Signal<Local, Bit>,
    tight: Signal<Local, Bit>,
}

#[block]
impl Logic for Faults<W, LW, LC> {
    fn update(&mut self) {
        self.record.next.refusal.code = self.ctrl.val().fault;
        if self.left_open.val() {
            self.record.next.refusal.code = FaultCode::BarrierLeftOpen;
        }
        self.record.next.refusal.has_warp = self.ctrl.val().of_warp;
        self.record.next.refusal.warp = self.ctrl.val().warp;
        self.record.next.refusal.cta = self.ctrl.val().cta;
        self.record.next.id = self.ctrl.val().id;
        self.queue.push.next = self.ctrl.val().refused | self.left_open.val();
        self.queue.data.next = self.record.val().into();
        self.queue.pop.next = self.fault.ready.val() & self.queue.valid.val();
        self.fault.valid.next = self.queue.valid.val();
        self.fault.payload.next = self.queue.head.val().into();

        // Which place must be free without a push, and with one.
        self.spare.next = self.queue.left.val().get_bit(3);
        self.tight.next = self.queue.left.val().get_bit(2);
        if self.enters.val() | self.inside.val() {
            self.spare.next = self.queue.left.val().get_bit(2);
            self.tight.next = self.queue.left.val().get_bit(1);
        }
        if self.enters.val() & self.inside.val() {
            self.spare.next = self.queue.left.val().get_bit(1);
            self.tight.next = self.queue.left.val().get_bit(0);
        }
        self.room.next = !self.spare.val();
        if self.queue.push.val() {
            self.room.next = !self.tight.val();
        }
    }
}
