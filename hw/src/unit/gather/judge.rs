// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides what is wrong with an operation's lanes, and which way it goes.
//!
//! *Reads:* the operation one cycle inside, its warp's row. *Writes:* the verdict. *Latency:* 0, no state. Implements `partial_mask` and
//! `gather_mismatch` of `docs/faults.md`.
//!
//! Every question about the lanes is asked of all of them at once, whatever the operation; which answers matter is decided last. Whether it
//! acts is the last to be known, so nothing but the write of the row waits for that.

use super::enter::Inside;
use super::rows::Row;
use crate::payload::payload;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What is wrong with an operation, or where it goes.
#[payload]
pub struct Verdict {
    /// What is wrong, at most one; the code is made of it a cycle later.
    pub absent: Bit,
    pub blocked: Bit,
    pub partial: Bit,
    pub mismatch: Bit,
    /// It joins, exits or tries again: it is not passed on as it is. What follows holds only then.
    pub acts: Bit,
    /// Which rendezvous its lanes come to.
    pub meets_0: Bit,
    pub meets_1: Bit,
    /// There is none for them.
    pub retry: Bit,
}

/// `W = 2^LW` warps of `L` lanes, warps counted in `CW` bits, slots of `LC` bits.
#[block]
pub struct Judge<W, LW, CW, LC, L> {
    pub inside: Signal<In, Inside<W, LW, CW, LC, L>>,
    pub row: Signal<In, Row<L>>,
    pub verdict: Signal<Out, Verdict>,
    unable: Signal<Local, Bits<L>>,
    waiting: Signal<Local, Bits<L>>,
    present: Signal<Local, Bits<L>>,
    stray: Signal<Local, Bit>,
    other: Signal<Local, Bit>,
    shared: [Signal<Local, Bits<L>>; 2],
    equal: [Signal<Local, Bit>; 2],
    same: [Signal<Local, Bit>; 2],
    clash: [Signal<Local, Bit>; 2],
    apart: Signal<Local, Bit>,
}

#[block]
impl Logic for Judge<W, LW, CW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        // The lanes of the operation: waiting already; not live or waiting already; live.
        self.waiting.next = self.inside.val().op.lanes & (self.row.val().masks.at_0 | self.row.val().masks.at_1);
        self.unable.next =
            self.inside.val().op.lanes & (!self.row.val().masks.live | self.row.val().masks.at_0 | self.row.val().masks.at_1);
        self.present.next = self.inside.val().op.lanes & self.row.val().masks.live;
        self.stray.next = self.unable.val().any();

        // What it meets in its row: another gathering; in each rendezvous the same members, or some of them.
        self.other.next = self.row.val().tag.open
            & ((self.row.val().tag.kind != self.inside.val().op.request.kind)
                | (self.row.val().tag.redop != self.inside.val().op.request.redop)
                | (self.row.val().tag.id != self.inside.val().op.request.id)
                | (self.row.val().masks.count != self.inside.val().op.request.count));
        self.equal[0].next = self.row.val().masks.met_0 == self.inside.val().members;
        self.equal[1].next = self.row.val().masks.met_1 == self.inside.val().members;
        self.shared[0].next = self.row.val().masks.met_0 & self.inside.val().members;
        self.shared[1].next = self.row.val().masks.met_1 & self.inside.val().members;
        self.same[0].next = self.row.val().tag.open_0 & self.equal[0].val();
        self.same[1].next = self.row.val().tag.open_1 & self.equal[1].val();
        self.clash[0].next = self.row.val().tag.open_0
            & self.shared[0].val().any()
            & (!self.equal[0].val() | (self.row.val().tag.elect_0 ^ self.inside.val().asks.elect));
        self.clash[1].next = self.row.val().tag.open_1
            & self.shared[1].val().any()
            & (!self.equal[1].val() | (self.row.val().tag.elect_1 ^ self.inside.val().asks.elect));
        self.apart.next = self.inside.val().asks.stray | self.stray.val() | self.clash[0].val() | self.clash[1].val();

        self.verdict.next.absent = self.inside.val().asks.exit & !self.present.val().any();
        self.verdict.next.blocked = self.inside.val().asks.exit & self.present.val().any() & self.waiting.val().any();
        self.verdict.next.partial = self.inside.val().asks.aligned & (self.inside.val().op.lanes != self.row.val().masks.live);
        self.verdict.next.mismatch = (self.inside.val().asks.gathered & (self.stray.val() | self.other.val()))
            | (self.inside.val().asks.among & self.apart.val());

        // Where it goes if nothing is wrong.
        self.verdict.next.acts = (self.inside.val().asks.gathered & !self.stray.val() & !self.other.val())
            | (self.inside.val().asks.exit & self.present.val().any() & !self.waiting.val().any())
            | (self.inside.val().asks.among & !self.apart.val());
        self.verdict.next.meets_0 =
            self.inside.val().asks.among & (self.same[0].val() | (!self.same[1].val() & !self.row.val().tag.open_0));
        self.verdict.next.meets_1 = self.inside.val().asks.among
            & !self.same[0].val()
            & (self.same[1].val() | (self.row.val().tag.open_0 & !self.row.val().tag.open_1));
        self.verdict.next.retry = self.inside.val().asks.among
            & !self.same[0].val()
            & !self.same[1].val()
            & self.row.val().tag.open_0
            & self.row.val().tag.open_1;
    }
}
