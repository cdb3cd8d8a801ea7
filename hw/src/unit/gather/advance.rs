// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a warp's row: lanes join, lanes exit, and what is complete by that is closed.
//!
//! *Reads:* the operation one cycle inside, which rendezvous its lanes come to, its warp's row. *Writes:* the new row; what is complete; whether
//! the warp is gone; all of it as if the operation acts on its row. *Latency:* 0, no state.
//!
//! A gathering is complete when all live lanes are in it, a rendezvous when all its live members are there. The operation's own lanes are no longer waited for in any case, whether they come or exit. Implements the
//! barrier that a warp's threads reach one by one in spec 000, and `bar.warp.sync` with exited threads.

use super::enter::Asks;
use super::rows::Tag;
use crate::unit::op::{OpKind, RedOp};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `L` lanes.
#[block]
pub struct Advance<L> {
    pub asks: Signal<In, Asks>,
    pub kind: Signal<In, OpKind>,
    pub id: Signal<In, Bits<4>>,
    pub count: Signal<In, Bits<12>>,
    pub redop: Signal<In, RedOp>,
    pub executing: Signal<In, Bits<L>>,
    pub its_votes: Signal<In, Bits<L>>,
    pub members: Signal<In, Bits<L>>,
    pub meets: [Signal<In, Bit>; 2],
    pub live: Signal<In, Bits<L>>,
    pub at: [Signal<In, Bits<L>>; 2],
    pub votes: Signal<In, Bits<L>>,
    pub met: [Signal<In, Bits<L>>; 2],
    pub gathered_count: Signal<In, Bits<12>>,
    pub tag: Signal<In, Tag>,
    pub new_live: Signal<Out, Bits<L>>,
    pub new_at: [Signal<Out, Bits<L>>; 2],
    pub new_votes: Signal<Out, Bits<L>>,
    pub new_met: [Signal<Out, Bits<L>>; 2],
    pub new_count: Signal<Out, Bits<12>>,
    pub new_tag: Signal<Out, Tag>,
    pub complete: Signal<Out, Bit>,
    pub closing: [Signal<Out, Bit>; 2],
    pub gone: Signal<Out, Bit>,
    others: Signal<Local, Bits<L>>,
    elsewhere: Signal<Local, Bits<L>>,
    away: [Signal<Local, Bits<L>>; 2],
    missing: [Signal<Local, Bits<L>>; 2],
    looks: Signal<Local, Bit>,
    opened: [Signal<Local, Bit>; 2],
}

#[block]
impl Logic for Advance<L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.others.next = self.live.val() & !self.executing.val();
        self.gone.next = self.asks.val().exit & !self.others.val().any();
        self.looks.next = self.asks.val().exit & self.others.val().any();

        // The masks. What is open and agrees keeps what it asks for, what is not open gets it.
        self.new_live.next = self.live.val();
        if self.asks.val().exit {
            self.new_live.next = self.others.val();
        }
        if self.asks.val().starts {
            self.new_live.next = self.executing.val();
        }
        self.new_at[0].next = self.at[0].val();
        self.new_at[1].next = self.at[1].val();
        if self.asks.val().gathered | self.meets[0].val() {
            self.new_at[0].next = self.at[0].val() | self.executing.val();
        }
        if self.asks.val().gathered | self.meets[1].val() {
            self.new_at[1].next = self.at[1].val() | self.executing.val();
        }
        self.new_votes.next = self.votes.val();
        if self.asks.val().gathered {
            self.new_votes.next = self.votes.val() | self.its_votes.val();
        }
        self.new_tag.next = self.tag.val();
        self.new_count.next = self.gathered_count.val();
        if !self.tag.val().open {
            self.new_tag.next.kind = self.kind.val();
            self.new_tag.next.redop = self.redop.val();
            self.new_tag.next.id = self.id.val();
            self.new_count.next = self.count.val();
        }
        if !self.tag.val().open_0 {
            self.new_tag.next.elect_0 = self.asks.val().elect;
        }
        if !self.tag.val().open_1 {
            self.new_tag.next.elect_1 = self.asks.val().elect;
        }

        // What is complete.
        self.elsewhere.next = self.others.val() & !(self.at[0].val() & self.at[1].val());
        self.complete.next =
            (self.asks.val().gathered | (self.looks.val() & self.tag.val().open)) & !self.elsewhere.val().any();
        self.away[0].next = self.others.val() & !(self.at[0].val() & !self.at[1].val());
        self.away[1].next = self.others.val() & !(!self.at[0].val() & self.at[1].val());
        self.opened[0].next = self.tag.val().open_0;
        self.opened[1].next = self.tag.val().open_1;
        for i in 0..2 {
            self.new_met[i].next = self.members.val();
            if self.opened[i].val() {
                self.new_met[i].next = self.met[i].val();
            }
            self.missing[i].next = self.new_met[i].val() & self.away[i].val();
            self.closing[i].next =
                (self.meets[i].val() | (self.looks.val() & self.opened[i].val())) & !self.missing[i].val().any();
        }
        self.new_tag.next.open =
            (self.tag.val().open | self.asks.val().gathered) & !self.complete.val() & !self.asks.val().starts;
        self.new_tag.next.open_0 =
            (self.tag.val().open_0 | self.meets[0].val()) & !self.closing[0].val() & !self.asks.val().starts;
        self.new_tag.next.open_1 =
            (self.tag.val().open_1 | self.meets[1].val()) & !self.closing[1].val() & !self.asks.val().starts;
    }
}
