// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a warp's row: lanes join, lanes exit, and what is complete by that is closed.
//!
//! *Reads:* the operation one cycle inside, which rendezvous its lanes come to, its warp's row. *Writes:* the new row; what is complete; all
//! of it as if the operation acts on its row. *Latency:* 0, no state.
//!
//! A gathering is complete when all live lanes are in it, a rendezvous when all its live members are there. The operation's own lanes are no longer waited for in any case, whether they come or exit. Implements the
//! barrier that a warp's threads reach one by one in spec 000, and `bar.warp.sync` with exited threads.

use super::enter::Inside;
use super::judge::Verdict;
use super::rows::Row;
use crate::payload::payload;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What is complete if the operation acts.
#[payload]
pub struct Completion {
    /// The gathering; each rendezvous.
    pub complete: Bit,
    pub closing_0: Bit,
    pub closing_1: Bit,
    /// The warp: its last lanes exit.
    pub gone: Bit,
}

/// `W = 2^LW` warps of `L` lanes, warps counted in `CW` bits, slots of `LC` bits.
#[block]
pub struct Advance<W, LW, CW, LC, L> {
    pub inside: Signal<In, Inside<W, LW, CW, LC, L>>,
    pub row: Signal<In, Row<L>>,
    pub verdict: Signal<In, Verdict>,
    pub new_row: Signal<Out, Row<L>>,
    pub completion: Signal<Out, Completion>,
    others: Signal<Local, Bits<L>>,
    elsewhere: Signal<Local, Bits<L>>,
    missing: [Signal<Local, Bits<L>>; 2],
    looks: Signal<Local, Bit>,
}

#[block]
impl Logic for Advance<W, LW, CW, LC, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.others.next = self.row.val().masks.live & !self.inside.val().op.lanes;
        self.looks.next = self.inside.val().asks.exit & self.others.val().any();

        // The masks. What is open and agrees keeps what it asks for, what is not open gets it.
        self.new_row.next = self.row.val();
        if self.inside.val().asks.exit {
            self.new_row.next.masks.live = self.others.val();
        }
        if self.inside.val().asks.starts {
            self.new_row.next.masks.live = self.inside.val().op.lanes;
        }
        if self.inside.val().asks.gathered | self.verdict.val().meets_0 {
            self.new_row.next.masks.at_0 = self.row.val().masks.at_0 | self.inside.val().op.lanes;
        }
        if self.inside.val().asks.gathered | self.verdict.val().meets_1 {
            self.new_row.next.masks.at_1 = self.row.val().masks.at_1 | self.inside.val().op.lanes;
        }
        if self.inside.val().asks.gathered {
            self.new_row.next.masks.votes = self.row.val().masks.votes | self.inside.val().op.votes;
        }
        if !self.row.val().tag.open {
            self.new_row.next.masks.count = self.inside.val().op.request.count;
            self.new_row.next.tag.kind = self.inside.val().op.request.kind;
            self.new_row.next.tag.redop = self.inside.val().op.request.redop;
            self.new_row.next.tag.id = self.inside.val().op.request.id;
        }
        if !self.row.val().tag.open_0 {
            self.new_row.next.masks.met_0 = self.inside.val().members;
            self.new_row.next.tag.elect_0 = self.inside.val().asks.elect;
        }
        if !self.row.val().tag.open_1 {
            self.new_row.next.masks.met_1 = self.inside.val().members;
            self.new_row.next.tag.elect_1 = self.inside.val().asks.elect;
        }

        // What is complete.
        self.elsewhere.next = self.others.val() & !(self.row.val().masks.at_0 & self.row.val().masks.at_1);
        self.missing[0].next =
            self.new_row.val().masks.met_0 & self.others.val() & !(self.row.val().masks.at_0 & !self.row.val().masks.at_1);
        self.missing[1].next =
            self.new_row.val().masks.met_1 & self.others.val() & !(!self.row.val().masks.at_0 & self.row.val().masks.at_1);
        self.completion.next.gone = self.inside.val().asks.exit & !self.others.val().any();
        self.completion.next.complete =
            (self.inside.val().asks.gathered | (self.looks.val() & self.row.val().tag.open)) & !self.elsewhere.val().any();
        self.completion.next.closing_0 =
            (self.verdict.val().meets_0 | (self.looks.val() & self.row.val().tag.open_0)) & !self.missing[0].val().any();
        self.completion.next.closing_1 =
            (self.verdict.val().meets_1 | (self.looks.val() & self.row.val().tag.open_1)) & !self.missing[1].val().any();
        self.new_row.next.tag.open = (self.row.val().tag.open | self.inside.val().asks.gathered)
            & !self.completion.val().complete
            & !self.inside.val().asks.starts;
        self.new_row.next.tag.open_0 = (self.row.val().tag.open_0 | self.verdict.val().meets_0)
            & !self.completion.val().closing_0
            & !self.inside.val().asks.starts;
        self.new_row.next.tag.open_1 = (self.row.val().tag.open_1 | self.verdict.val().meets_1)
            & !self.completion.val().closing_1
            & !self.inside.val().asks.starts;
    }
}
