// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The acknowledgements for the CTAs of one multiprocessor: one acknowledgement for each of their remote operations that has taken
//! effect or has found no target CTA.
//!
//! *Reads:* the replies of all multiprocessors; an operation of this multiprocessor whose target CTA is absent. *Writes:* one
//! acknowledgement a cycle. *Latency:* 2. Implements *Network* of `docs/contract/multiprocessors.md`.

use super::due_acks::DueAcks;
use crate::prelude::*;
use crate::prim::round_robin::RoundRobin;
use crate::unit::mbarrier::ports::{NetAck, NetReply};

/// Sizes: `M` multiprocessors that reply, `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct Acks<LC, S, M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The number of this multiprocessor, shifted to its position in `source`: above the bits of the CTA slot.
    pub sm_bits: Signal<In, Bits<8>>,
    /// Replies of each multiprocessor to operations of any multiprocessor.
    pub replies: [StrobeIn<NetReply>; M],
    /// An operation of this multiprocessor found no target CTA.
    pub no_target: StrobeIn<RetiredCta<LC>>,
    /// Acknowledgements for the CTAs of this multiprocessor.
    pub ack: StrobeOut<NetAck<LC>>,
    /// The acknowledgements that are due to the CTA in each CTA slot.
    due_acks: [DueAcks<M>; S],
    /// Chooses the CTA that is acknowledged.
    turns: RoundRobin<S>,
    /// Register of the strobe `ack`.
    ack_register: StrobeRegister<NetAck<LC>>,
    /// Mask of the bits of `source` that hold the number of the multiprocessor.
    #[init(Constant::new((0xff >> LC << LC).into()))]
    sm_mask: Constant<Bits<8>>,
    /// The reply that the loop reads.
    reply: Signal<Local, NetReply>,
    /// CTA slot in the reply of each multiprocessor.
    reply_ctas: [Signal<Local, Bits<LC>>; M],
    /// Multiprocessors that reply to an operation of this multiprocessor.
    replying_sms: Signal<Local, Bits<M>>,
    /// For each CTA slot: multiprocessors whose reply is for an operation of that CTA slot.
    slot_replies: [Signal<Local, Bits<M>>; S],
    /// Multiprocessors whose reply, to any operation, reports that the target CTA was absent.
    absent_replies: Signal<Local, Bits<M>>,
    /// CTA slots to which an acknowledgement is due.
    due_slots: Signal<Local, Bits<S>>,
    /// The acknowledgement that is sent.
    message: Signal<Local, NetAck<LC>>,
}

#[block]
impl Logic for Acks {
    fn update(&mut self) {
        self.replying_sms.next = 0.into();
        self.absent_replies.next = 0.into();
        for i in 0..M {
            self.reply.next = self.replies[i].payload.val();
            self.replying_sms.next = self.replying_sms.val().replace_bit(
                i,
                self.replies[i].valid.val() & ((self.reply.val().source & self.sm_mask.val()) == self.sm_bits.val()),
            );
            self.reply_ctas[i].next = bit_cast::<LC, 8>(self.reply.val().source);
            self.absent_replies.next = self.absent_replies.val().replace_bit(i, self.reply.val().absent);
        }
        self.due_slots.next = 0.into();
        self.message.next.cta = 0.into();
        self.message.next.absent = false;
        for j in 0..S {
            self.slot_replies[j].next = 0.into();
            for k in 0..M {
                self.slot_replies[j].next = self.slot_replies[j]
                    .val()
                    .replace_bit(k, self.replying_sms.val().get_bit(k) & (self.reply_ctas[k].val() == j.to_bits()));
            }
            self.due_acks[j].done_replies.next = self.slot_replies[j].val() & !self.absent_replies.val();
            self.due_acks[j].absent_replies.next = self.slot_replies[j].val() & self.absent_replies.val();
            self.due_acks[j].no_target.next = self.no_target.valid.val() & (self.no_target.payload.val().cta == j.to_bits());
            self.due_acks[j].sent.next = self.turns.grant.val().get_bit(j);
            self.due_slots.next = self.due_slots.val().replace_bit(j, self.due_acks[j].is_due.val());
            if self.turns.grant.val().get_bit(j) {
                self.message.next.cta = j.to_bits();
                self.message.next.absent = self.due_acks[j].absent_is_due.val();
            }
        }
        self.turns.request.next = self.due_slots.val();
        self.turns.grant_taken.next = true;
        self.ack_register.in_.valid.next = self.due_slots.val().any();
        self.ack_register.in_.payload.next = self.message.val();
        Strobe::join(&mut self.ack_register.out, &mut self.ack);
    }
}
