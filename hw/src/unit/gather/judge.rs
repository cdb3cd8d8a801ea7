// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides what is wrong with an operation's lanes, and which way it goes.
//!
//! *Reads:* what the operation one cycle inside asks for, with its warp's row. *Writes:* what is wrong with it, or that it acts on its row; if it
//! does, which rendezvous its lanes come to, or that they must try again. *Latency:* 0, no state. Implements `partial_mask` and
//! `gather_mismatch` of `docs/faults.md`.
//!
//! Every question about the lanes is asked of all of them at once, whatever the operation; which answers matter is decided last. Whether it
//! acts is the last to be known, so nothing but the write of the row waits for that.

use super::enter::Asks;
use super::rows::Tag;
use crate::payload::payload;
use crate::unit::op::{OpKind, RedOp};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What is wrong, at most one; the code is made of it a cycle later.
#[payload]
pub struct Wrong {
    pub absent: Bit,
    pub blocked: Bit,
    pub partial: Bit,
    pub mismatch: Bit,
}

/// `L` lanes.
#[block]
pub struct Judge<L> {
    pub asks: Signal<In, Asks>,
    pub kind: Signal<In, OpKind>,
    pub id: Signal<In, Bits<4>>,
    pub count: Signal<In, Bits<12>>,
    pub redop: Signal<In, RedOp>,
    pub executing: Signal<In, Bits<L>>,
    pub members: Signal<In, Bits<L>>,
    pub live: Signal<In, Bits<L>>,
    pub at: [Signal<In, Bits<L>>; 2],
    pub gathered_count: Signal<In, Bits<12>>,
    pub tag: Signal<In, Tag>,
    pub met: [Signal<In, Bits<L>>; 2],
    pub wrong: Signal<Out, Wrong>,
    /// It joins, exits or tries again: it is not passed on as it is.
    pub acts: Signal<Out, Bit>,
    pub meets: [Signal<Out, Bit>; 2],
    pub retry: Signal<Out, Bit>,
    unable: Signal<Local, Bits<L>>,
    waiting: Signal<Local, Bits<L>>,
    present: Signal<Local, Bits<L>>,
    stray: Signal<Local, Bit>,
    other: Signal<Local, Bit>,
    shared: Signal<Local, Bits<L>>,
    same: [Signal<Local, Bit>; 2],
    clash: [Signal<Local, Bit>; 2],
    opened: [Signal<Local, Bit>; 2],
    elects: [Signal<Local, Bit>; 2],
    right: Constant<Wrong>,
}

#[block]
impl Logic for Judge<L> {
    #[hdl_gen]
    fn update(&mut self) {
        // The lanes of the operation: not live or waiting already; waiting already; live.
        self.unable.next = self.executing.val() & (!self.live.val() | self.at[0].val() | self.at[1].val());
        self.waiting.next = self.executing.val() & (self.at[0].val() | self.at[1].val());
        self.present.next = self.executing.val() & self.live.val();
        self.stray.next = self.unable.val().any();

        // What it meets in its row.
        self.other.next = self.tag.val().open
            & ((self.tag.val().kind != self.kind.val())
                | (self.tag.val().redop != self.redop.val())
                | (self.tag.val().id != self.id.val())
                | (self.gathered_count.val() != self.count.val()));
        self.opened[0].next = self.tag.val().open_0;
        self.opened[1].next = self.tag.val().open_1;
        self.elects[0].next = self.tag.val().elect_0 ^ self.asks.val().elect;
        self.elects[1].next = self.tag.val().elect_1 ^ self.asks.val().elect;
        self.shared.next = 0.into();
        for i in 0..2 {
            self.same[i].next = self.opened[i].val() & (self.met[i].val() == self.members.val());
            self.shared.next = self.met[i].val() & self.members.val();
            self.clash[i].next = self.opened[i].val()
                & self.shared.val().any()
                & ((self.met[i].val() != self.members.val()) | self.elects[i].val());
        }

        self.wrong.next = self.right.val();
        self.wrong.next.absent = self.asks.val().exit & !self.present.val().any();
        self.wrong.next.blocked = self.asks.val().exit & self.present.val().any() & self.waiting.val().any();
        self.wrong.next.partial = self.asks.val().aligned & (self.executing.val() != self.live.val());
        self.wrong.next.mismatch = (self.asks.val().gathered & (self.stray.val() | self.other.val()))
            | (self.asks.val().among & (self.asks.val().stray | self.stray.val() | self.clash[0].val() | self.clash[1].val()));

        // Where it goes if nothing is wrong.
        self.acts.next = (self.asks.val().gathered & !self.stray.val() & !self.other.val())
            | (self.asks.val().exit & self.present.val().any() & !self.waiting.val().any())
            | (self.asks.val().among
                & !self.asks.val().stray
                & !self.stray.val()
                & !self.clash[0].val()
                & !self.clash[1].val());
        self.meets[0].next = self.asks.val().among & (self.same[0].val() | (!self.same[1].val() & !self.opened[0].val()));
        self.meets[1].next =
            self.asks.val().among & !self.same[0].val() & (self.same[1].val() | (self.opened[0].val() & !self.opened[1].val()));
        self.retry.next =
            self.asks.val().among & !self.same[0].val() & !self.same[1].val() & self.opened[0].val() & self.opened[1].val();
    }
}
