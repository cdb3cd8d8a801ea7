// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many remote operations of each CTA are not acknowledged, and which found nobody.
//!
//! *Reads:* which CTA sends one, the acknowledgements; whether a fault is taken. *Writes:* whether the CTA of the oldest must wait, the CTAs of
//! which some are under way, the fault that is due (latency 1). *Latency:* 1. Implements *Remote operations* of `docs/mbarrier.md`.

use super::ports::NetAck;
use crate::prelude::*;

/// An operation of this CTA found nobody.
#[payload]
pub struct Absent<LC> {
    pub cta: Bits<LC>,
}

/// `S` CTA slots.
#[block]
pub struct Acks<LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub cta: Signal<In, Bits<LC>>,
    pub sends: Signal<In, Bit>,
    pub net_ack: StrobeIn<NetAck<LC>>,
    pub absent: Source<Absent<LC>>,
    pub blocked: Signal<Out, Bit>,
    pub busy: Signal<Out, Bits<S>>,
    #[reset]
    sent: [DFF<Bits<4>>; S],
    #[reset]
    lost: [DFF<Bits<4>>; S],
    goes: [Signal<Local, Bit>; S],
    comes: [Signal<Local, Bit>; S],
    fails: [Signal<Local, Bit>; S],
    tells: [Signal<Local, Bit>; S],
    full: Signal<Local, Bits<S>>,
    some: Signal<Local, Bits<S>>,
    bad: Signal<Local, Bits<S>>,
    lowest: Signal<Local, Bits<LC>>,
    #[init(Constant::new((config.max_remote as u64).into()))]
    most: Constant<Bits<4>>,
}

#[block]
impl Logic for Acks<LC, S> {
    fn update(&mut self) {
        self.full.next = 0.into();
        self.some.next = 0.into();
        self.bad.next = 0.into();
        for i in 0..S {
            self.bad.next = self.bad.val().replace_bit(i, self.lost[i].q.val().any());
            self.full.next =
                self.full.val().replace_bit(i, (self.sent[i].q.val() == self.most.val()) | self.lost[i].q.val().any());
            self.some.next = self.some.val().replace_bit(i, self.sent[i].q.val().any() | self.lost[i].q.val().any());
        }
        self.lowest.next = 0.into();
        for j in 1_usize..(S + 1) {
            for n in S..(S + 1) {
                if self.bad.val().get_bit(n - j) {
                    self.lowest.next = (n - j).to_bits();
                }
            }
        }
        self.absent.valid.next = self.bad.val().any();
        self.absent.payload.next.cta = self.lowest.val();
        for k in 0..S {
            self.goes[k].next = self.sends.val() & (self.cta.val() == k.to_bits());
            self.comes[k].next = self.net_ack.valid.val() & (self.net_ack.payload.val().cta == k.to_bits());
            self.fails[k].next = self.comes[k].val() & self.net_ack.payload.val().absent;
            self.tells[k].next = self.absent.ready.val() & (self.lowest.val() == k.to_bits());
            if self.goes[k].val() & !self.comes[k].val() {
                self.sent[k].d.next = self.sent[k].q.val() + 1;
            }
            if self.comes[k].val() & !self.goes[k].val() {
                self.sent[k].d.next = self.sent[k].q.val() - 1;
            }
            if self.fails[k].val() & !self.tells[k].val() {
                self.lost[k].d.next = self.lost[k].q.val() + 1;
            }
            if self.tells[k].val() & !self.fails[k].val() {
                self.lost[k].d.next = self.lost[k].q.val() - 1;
            }
        }
        self.blocked.next = self.full.val().at(self.cta.val());
        self.busy.next = self.some.val();
    }
}
