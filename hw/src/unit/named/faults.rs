// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault channel: keeps faults while the other side is not ready, and says when there is no room for another.
//!
//! *Reads:* one fault a cycle (`push`), whether something will be in the pipeline's first stage and in its last. *Writes:*
//! the fault channel (latency 1; its payload is a gate), `room`: what enters in the next cycle finds a place whatever comes of it.
//! *Latency:* 1. Implements "none is lost while it stalls" of `docs/interface.md`.

use crate::payload::payload;
use crate::prim::ring::Ring;
use crate::unit::op::FaultCode;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// One fault; warp and slot in the widths of the largest configuration, since a struct has no parameters.
#[payload]
pub struct FaultRecord {
    pub code: FaultCode,
    pub warp: Bits<6>,
    pub cta: Bits<5>,
    pub id: Bits<4>,
}

/// A queue of four faults: one at the port, two on their way, one whose operation was taken before `room` fell.
#[block]
pub struct Faults<LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Checks are built: without, there is no fault.
    pub checks: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub code: Signal<In, FaultCode>,
    pub warp: Signal<In, Bits<LW>>,
    pub cta: Signal<In, Bits<LC>>,
    pub id: Signal<In, Bits<4>>,
    /// In the next cycle something is inside; something is in its last cycle.
    pub next_inside: Signal<In, Bit>,
    pub next_last: Signal<In, Bit>,
    pub fault_ready: Signal<In, Bit>,
    pub fault_valid: Signal<Out, Bit>,
    pub fault_code: Signal<Out, FaultCode>,
    pub fault_warp: Signal<Out, Bits<LW>>,
    pub fault_cta: Signal<Out, Bits<LC>>,
    pub fault_id: Signal<Out, Bits<4>>,
    /// For the next cycle, combinational.
    pub room: Signal<Out, Bit>,
    queue: Ring<FaultRecord>,
    record: Signal<Local, FaultRecord>,
    spare: Signal<Local, Bit>,
    tight: Signal<Local, Bit>,
}

#[block]
impl Logic for Faults<LW, LC> {
    #[hdl_gen]
    fn update(&mut self) {
        self.record.next = self.queue.head.val();
        self.record.next.code = self.code.val();
        self.record.next.warp = bit_cast::<6, LW>(self.warp.val());
        self.record.next.cta = bit_cast::<5, LC>(self.cta.val());
        self.record.next.id = self.id.val();
        if !self.checks.val() {
            self.record.next.code = FaultCode::None;
            self.record.next.warp = 0.into();
            self.record.next.cta = 0.into();
            self.record.next.id = 0.into();
        }
        self.queue.push.next = self.push.val();
        self.queue.data.next = self.record.val();
        self.queue.pop.next = self.fault_ready.val() & self.queue.valid.val();

        self.fault_valid.next = self.queue.valid.val();
        self.fault_code.next = self.queue.head.val().code;
        self.fault_warp.next = bit_cast::<LW, 6>(self.queue.head.val().warp);
        self.fault_cta.next = bit_cast::<LC, 5>(self.queue.head.val().cta);
        self.fault_id.next = self.queue.head.val().id;

        // Which place must be free without a push, and with one, which comes last.
        self.spare.next = self.queue.left.val().get_bit(3);
        self.tight.next = self.queue.left.val().get_bit(2);
        if self.next_inside.val() | self.next_last.val() {
            self.spare.next = self.queue.left.val().get_bit(2);
            self.tight.next = self.queue.left.val().get_bit(1);
        }
        if self.next_inside.val() & self.next_last.val() {
            self.spare.next = self.queue.left.val().get_bit(1);
            self.tight.next = self.queue.left.val().get_bit(0);
        }
        self.room.next = !self.spare.val();
        if self.push.val() {
            self.room.next = !self.tight.val();
        }
    }
}
