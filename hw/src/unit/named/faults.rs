// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The fault queue: keeps faults while the fault channel is not ready, and stops the stream while the queue has no space, or counts
//! the faults that it loses.
//!
//! *Reads:* the fault of the operation in the commit stage; whether the lookup and the commit stage will be occupied in the next
//! cycle. *Writes:* the fault channel (its payload is a gate); whether the queue has space, whatever the faults of the operations
//! that enter in the next cycle; how many faults were lost. *Latency:* 1. Implements the fault queue of `docs/contract/named.md`,
//! *op_ready*, and the faults that are lost *with `lose_faults`*.

use super::ctrl::Ctrl;
use super::front::Front;
use crate::prelude::*;

/// A queue of four faults: one at the port, two in the pipeline, one whose operation was taken before `room` fell.
#[block]
pub struct Faults<W, LW, CW, LC, LI, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub fault: Source<NamedFault<LW, LC>>,
    /// In the next cycle there is space for a fault of an operation or clear step that enters (combinational).
    pub room: Signal<Out, Bit>,
    /// Number of faults lost.
    pub lost: Signal<Out, Bits<16>>,
    queue: Ring<Packed<NamedFault<LW, LC>>>,
    /// The fault of the operation in the commit stage.
    record: Signal<Local, NamedFault<LW, LC>>,
    /// The lookup stage is occupied in the next cycle.
    next_inside: Signal<Local, Bit>,
    /// The commit stage is occupied in the next cycle.
    next_last: Signal<Local, Bit>,
    /// The queue has no space if no fault is pushed now.
    spare: Signal<Local, Bit>,
    /// The queue has no space if a fault is pushed now.
    tight: Signal<Local, Bit>,
    /// A fault is lost now.
    loses: Signal<Local, Bit>,
    /// Number of faults lost.
    #[reset]
    number: DFF<Bits<16>>,
    step: Signal<Local, Bits<16>>,
    nothing: Constant<NamedFault<LW, LC>>,
}

#[block]
impl Logic for Faults<W, LW, CW, LC, LI, AW> {
    fn update(&mut self) {
        self.record.next.refusal.code = self.ctrl.val().fault;
        self.record.next.refusal.has_warp = self.ctrl.val().op.of_warp;
        self.record.next.refusal.warp = self.ctrl.val().op.warp;
        self.record.next.refusal.cta = self.ctrl.val().op.cta;
        self.record.next.id = self.ctrl.val().op.id;
        // Without checks there is no fault.
        if !self.front.val().parts.faults {
            self.record.next = self.nothing.val();
        }
        self.loses.next = self.front.val().parts.lose_faults & self.ctrl.val().faulty & self.queue.full.val();
        self.step.next = 0.into();
        if self.loses.val() & !self.number.q.val().all() {
            self.step.next = 1.into();
        }
        self.number.d.next = self.number.q.val() + self.step.val();
        self.lost.next = self.number.q.val();
        self.queue.push.next = self.ctrl.val().faulty & !self.loses.val();
        self.queue.data.next = self.record.val().into();
        self.queue.pop.next = self.fault.ready.val() & self.queue.valid.val();
        self.fault.valid.next = self.queue.valid.val() & self.front.val().parts.faults;
        self.fault.payload.next = self.queue.head.val().into();

        // The queue entry that must be free, without a push and with one. `push` is the last input in the cycle.
        self.next_inside.next = self.front.val().entering.comes;
        self.next_last.next = self.front.val().step.acts | self.front.val().step.scrub;
        self.spare.next = self.queue.filled_after_pop.val().get_bit(3);
        self.tight.next = self.queue.filled_after_pop.val().get_bit(2);
        if self.next_inside.val() | self.next_last.val() {
            self.spare.next = self.queue.filled_after_pop.val().get_bit(2);
            self.tight.next = self.queue.filled_after_pop.val().get_bit(1);
        }
        if self.next_inside.val() & self.next_last.val() {
            self.spare.next = self.queue.filled_after_pop.val().get_bit(1);
            self.tight.next = self.queue.filled_after_pop.val().get_bit(0);
        }
        self.room.next = !self.spare.val();
        if self.ctrl.val().faulty {
            self.room.next = !self.tight.val();
        }
        if self.front.val().parts.lose_faults | !self.front.val().parts.faults {
            self.room.next = true;
        }
    }
}
