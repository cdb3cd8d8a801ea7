// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the CTAs of one multiprocessor are to be told of their operations: how many have had their effect, how many have found nobody.
//!
//! *Reads:* the replies of all multiprocessors, an operation of its own that finds nobody. *Writes:* one acknowledgement a cycle. *Latency:* 2.
//! Implements *Network* of `docs/multiprocessors.md`.

use crate::prelude::*;
use crate::prim::round_robin::RoundRobin;
use crate::unit::mbarrier::ports::{NetAck, NetReply};

/// `S` CTA slots of `LC` bits, `M` multiprocessors that reply.
#[block]
pub struct Acks<LC, S, M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub replies: [StrobeIn<NetReply>; M],
    pub nobody: StrobeIn<RetiredCta<LC>>,
    pub ack: StrobeOut<NetAck<LC>>,
    /// At most 15 of a CTA are under way.
    #[reset]
    unanswered: [DFF<Bits<4>>; S],
    #[reset]
    absences: [DFF<Bits<4>>; S],
    turns: RoundRobin<S>,
    leave: StrobeRegister<NetAck<LC>>,
    /// The number of this multiprocessor where it stands in a source, and all bits of such a number.
    number: Constant<Bits<8>>,
    #[init(Constant::new((0xff >> LC << LC).into()))]
    high: Constant<Bits<8>>,
    reply: Signal<Local, NetReply>,
    whose: Signal<Local, Bits<8>>,
    cta: Signal<Local, Bits<LC>>,
    /// What is new of a slot; what is left of it.
    more: Signal<Local, Bits<4>>,
    lost: Signal<Local, Bits<4>>,
    asks: Signal<Local, Bits<S>>,
    message: Signal<Local, NetAck<LC>>,
}

#[block]
impl Acks<LC, S, M> {
    /// Of the multiprocessor of this number.
    pub fn of(number: usize) -> Self {
        Acks { number: Constant::new(((number as u64) << LC).into()), ..Default::default() }
    }
}

#[block]
impl Logic for Acks<LC, S, M> {
    fn update(&mut self) {
        self.asks.next = 0.into();
        for s in 0..S {
            self.asks.next = self.asks.val().replace_bit(s, self.unanswered[s].q.val().any() | self.absences[s].q.val().any());
        }
        self.turns.asks.next = self.asks.val();
        self.turns.takes.next = true;
        self.message.next.cta = 0.into();
        self.message.next.absent = false;
        for j in 0..S {
            self.more.next = self.unanswered[j].q.val();
            self.lost.next = self.absences[j].q.val();
            if self.turns.turn.val().get_bit(j) {
                self.message.next.cta = j.to_bits();
                self.message.next.absent = self.absences[j].q.val().any();
                if self.absences[j].q.val().any() {
                    self.lost.next = self.absences[j].q.val() - 1;
                } else {
                    self.more.next = self.unanswered[j].q.val() - 1;
                }
            }
            if self.nobody.valid.val() & (self.nobody.payload.val().cta == j.to_bits()) {
                self.lost.next = self.lost.val() + 1;
            }
            for i in 0..M {
                self.reply.next = self.replies[i].payload.val();
                self.whose.next = self.reply.val().source & self.high.val();
                self.cta.next = bit_cast::<LC, 8>(self.reply.val().source);
                if self.replies[i].valid.val() & (self.whose.val() == self.number.val()) & (self.cta.val() == j.to_bits()) {
                    if self.reply.val().absent {
                        self.lost.next = self.lost.val() + 1;
                    } else {
                        self.more.next = self.more.val() + 1;
                    }
                }
            }
            self.unanswered[j].d.next = self.more.val();
            self.absences[j].d.next = self.lost.val();
        }
        self.leave.in_.valid.next = self.asks.val().any();
        self.leave.in_.payload.next = self.message.val();
        Strobe::join(&mut self.leave.out, &mut self.ack);
    }
}
