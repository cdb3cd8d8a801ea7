// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The acknowledgements for the CTAs of one multiprocessor: counts how many of their remote operations have taken effect,
//! and how many found no target CTA.
//!
//! *Reads:* the replies of all multiprocessors; an operation of this multiprocessor whose target CTA is absent. *Writes:* one
//! acknowledgement a cycle. *Latency:* 2. Implements *Network* of `docs/contract/multiprocessors.md`.

use crate::prelude::*;
use crate::prim::round_robin::RoundRobin;
use crate::unit::mbarrier::ports::{NetAck, NetReply};

/// `S` CTA slots of `LC` bits, `M` multiprocessors that reply.
#[block]
pub struct Acks<LC, S, M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Replies of each multiprocessor to operations of any multiprocessor.
    pub replies: [StrobeIn<NetReply>; M],
    /// An operation of this CTA found no target CTA.
    pub no_target: StrobeIn<RetiredCta<LC>>,
    /// Acknowledgements for the CTAs of this multiprocessor.
    pub ack: StrobeOut<NetAck<LC>>,
    /// Number of acknowledgements due to each CTA; at most 15, because no more of its operations are in flight.
    #[reset]
    unanswered: [DFF<Bits<4>>; S],
    /// Number of acknowledgements with `absent` = 1 due to each CTA.
    #[reset]
    absences: [DFF<Bits<4>>; S],
    /// Chooses the CTA that is acknowledged.
    turns: RoundRobin<S>,
    /// Register of the strobe `ack`.
    ack_register: StrobeRegister<NetAck<LC>>,
    /// The number of this multiprocessor, at its bit position in a `source`.
    sm_bits: Constant<Bits<8>>,
    /// Mask of the bits of a `source` that hold the number of a multiprocessor.
    #[init(Constant::new((0xff >> LC << LC).into()))]
    sm_mask: Constant<Bits<8>>,
    /// A reply.
    reply: Signal<Local, NetReply>,
    /// The number of the multiprocessor that the reply is for, at its bit position in `source`.
    reply_sm: Signal<Local, Bits<8>>,
    /// CTA slot that the reply is for.
    reply_cta: Signal<Local, Bits<LC>>,
    /// Next value of `unanswered` of a slot.
    next_unanswered: Signal<Local, Bits<4>>,
    /// Next value of `absences` of a slot.
    next_absences: Signal<Local, Bits<4>>,
    /// CTA slots to which an acknowledgement is due.
    due_slots: Signal<Local, Bits<S>>,
    /// The acknowledgement that is sent.
    message: Signal<Local, NetAck<LC>>,
}

#[block]
impl Acks<LC, S, M> {
    /// The block for the multiprocessor with this number.
    pub fn of(number: usize) -> Self {
        Acks { sm_bits: Constant::new(((number as u64) << LC).into()), ..Default::default() }
    }
}

#[block]
impl Logic for Acks<LC, S, M> {
    fn update(&mut self) {
        self.due_slots.next = 0.into();
        for s in 0..S {
            self.due_slots.next =
                self.due_slots.val().replace_bit(s, self.unanswered[s].q.val().any() | self.absences[s].q.val().any());
        }
        self.turns.request.next = self.due_slots.val();
        self.turns.grant_taken.next = true;
        self.message.next.cta = 0.into();
        self.message.next.absent = false;
        for j in 0..S {
            self.next_unanswered.next = self.unanswered[j].q.val();
            self.next_absences.next = self.absences[j].q.val();
            if self.turns.grant.val().get_bit(j) {
                self.message.next.cta = j.to_bits();
                self.message.next.absent = self.absences[j].q.val().any();
                if self.absences[j].q.val().any() {
                    self.next_absences.next = self.absences[j].q.val() - 1;
                } else {
                    self.next_unanswered.next = self.unanswered[j].q.val() - 1;
                }
            }
            if self.no_target.valid.val() & (self.no_target.payload.val().cta == j.to_bits()) {
                self.next_absences.next = self.next_absences.val() + 1;
            }
            for i in 0..M {
                self.reply.next = self.replies[i].payload.val();
                self.reply_sm.next = self.reply.val().source & self.sm_mask.val();
                self.reply_cta.next = bit_cast::<LC, 8>(self.reply.val().source);
                if self.replies[i].valid.val()
                    & (self.reply_sm.val() == self.sm_bits.val())
                    & (self.reply_cta.val() == j.to_bits())
                {
                    if self.reply.val().absent {
                        self.next_absences.next = self.next_absences.val() + 1;
                    } else {
                        self.next_unanswered.next = self.next_unanswered.val() + 1;
                    }
                }
            }
            self.unanswered[j].d.next = self.next_unanswered.val();
            self.absences[j].d.next = self.next_absences.val();
        }
        self.ack_register.in_.valid.next = self.due_slots.val().any();
        self.ack_register.in_.payload.next = self.message.val();
        Strobe::join(&mut self.ack_register.out, &mut self.ack);
    }
}
