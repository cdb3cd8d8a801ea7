// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides what is wrong with an operation's lanes, which way it goes, and what becomes of its warp's row.
//!
//! *Reads:* the operation one cycle inside, its warp's row, which of the two ends leads. *Writes:* the decision, with the new row as if the
//! operation acts on it. *Latency:* 0, no state. Implements `partial_mask` and `gather_mismatch` of `docs/faults.md`, the barrier that a
//! warp's threads reach one by one in spec 000, and `bar.warp.sync` with exited threads.
//!
//! Every question about the lanes is asked of all of them at once, whatever the operation; which answers matter is decided last. Whether it
//! acts is the last to be known, so nothing but the write of the row waits for that. A gathering is complete when all live lanes are in it, a
//! rendezvous when all its live members are there. The operation's own lanes are no longer waited for in any case, whether they come or exit.

use super::{enter::Asks, rows::Row};
use crate::prelude::*;

/// What is wrong with an operation, or what it does.
#[payload]
pub struct Decision<L, VW> {
    /// What is wrong, at most one; the code is made of it a cycle later.
    pub absent: Bit,
    pub blocked: Bit,
    pub partial: Bit,
    pub mismatch: Bit,
    /// It joins, exits or tries again: it is not passed on as it is. All that follows but `whole` holds only then.
    pub acts: Bit,
    /// Its lanes are the live lanes of the warp.
    pub whole: Bit,
    /// There is no rendezvous for its lanes.
    pub retry: Bit,
    /// The gathering is complete; each rendezvous.
    pub complete: Bit,
    pub closing_0: Bit,
    pub closing_1: Bit,
    /// The last lanes of the warp exit.
    pub gone: Bit,
    /// The highest lane leads.
    pub highest: Bit,
    /// The warp's new row.
    pub row: Row<L, VW>,
}

/// What is looked at of an operation.
#[payload]
pub struct Judged<L> {
    pub asks: Asks,
    pub kind: OpKind,
    pub redop: RedOp,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub lanes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub members: Bits<L>,
}

/// `L` lanes, contributions of `VW` bits.
#[block]
pub struct Judge<L, VW> {
    pub op: Signal<In, Judged<L>>,
    pub row: Signal<In, Row<L, VW>>,
    /// Which lane leads: 0 = the lowest, 1 = the highest.
    pub leader_policy: Signal<In, Bit>,
    pub decision: Signal<Out, Decision<L, VW>>,
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
    meets: [Signal<Local, Bit>; 2],
    others: Signal<Local, Bits<L>>,
    elsewhere: Signal<Local, Bits<L>>,
    missing: [Signal<Local, Bits<L>>; 2],
    looks: Signal<Local, Bit>,
}

#[block]
impl Logic for Judge<L, VW> {
    fn update(&mut self) {
        // The lanes of the operation: waiting already; not live or waiting already; live.
        self.waiting.next = self.op.val().lanes & (self.row.val().masks.at_0 | self.row.val().masks.at_1);
        self.unable.next =
            self.op.val().lanes & (!self.row.val().masks.live | self.row.val().masks.at_0 | self.row.val().masks.at_1);
        self.present.next = self.op.val().lanes & self.row.val().masks.live;
        self.stray.next = self.unable.val().any();

        // What it meets in its row: another gathering; in each rendezvous the same members, or some of them.
        self.other.next = self.row.val().tag.open
            & ((self.row.val().tag.kind != self.op.val().kind)
                | (self.row.val().tag.redop != self.op.val().redop)
                | (self.row.val().tag.id != self.op.val().id)
                | (self.row.val().masks.count != self.op.val().count));
        self.equal[0].next = self.row.val().masks.met_0 == self.op.val().members;
        self.equal[1].next = self.row.val().masks.met_1 == self.op.val().members;
        self.shared[0].next = self.row.val().masks.met_0 & self.op.val().members;
        self.shared[1].next = self.row.val().masks.met_1 & self.op.val().members;
        self.same[0].next = self.row.val().tag.open_0 & self.equal[0].val();
        self.same[1].next = self.row.val().tag.open_1 & self.equal[1].val();
        self.clash[0].next = self.row.val().tag.open_0
            & self.shared[0].val().any()
            & (!self.equal[0].val() | (self.row.val().tag.elect_0 ^ self.op.val().asks.elect));
        self.clash[1].next = self.row.val().tag.open_1
            & self.shared[1].val().any()
            & (!self.equal[1].val() | (self.row.val().tag.elect_1 ^ self.op.val().asks.elect));
        self.apart.next = self.op.val().asks.stray | self.stray.val() | self.clash[0].val() | self.clash[1].val();

        self.decision.next.absent = self.op.val().asks.exit & !self.present.val().any();
        self.decision.next.blocked = self.op.val().asks.exit & self.present.val().any() & self.waiting.val().any();
        self.decision.next.whole = self.op.val().lanes == self.row.val().masks.live;
        self.decision.next.partial = self.op.val().asks.aligned & !self.decision.val().whole;
        self.decision.next.mismatch = (self.op.val().asks.gathered & (self.stray.val() | self.other.val()))
            | (self.op.val().asks.among & self.apart.val());
        self.decision.next.acts = (self.op.val().asks.gathered & !self.stray.val() & !self.other.val())
            | (self.op.val().asks.exit & self.present.val().any() & !self.waiting.val().any())
            | (self.op.val().asks.among & !self.apart.val());

        // Where its lanes go if nothing is wrong: to the rendezvous of the same members, or to the first that is not open.
        self.meets[0].next =
            self.op.val().asks.among & (self.same[0].val() | (!self.same[1].val() & !self.row.val().tag.open_0));
        self.meets[1].next = self.op.val().asks.among
            & !self.same[0].val()
            & (self.same[1].val() | (self.row.val().tag.open_0 & !self.row.val().tag.open_1));
        self.decision.next.retry = self.op.val().asks.among
            & !self.same[0].val()
            & !self.same[1].val()
            & self.row.val().tag.open_0
            & self.row.val().tag.open_1;
        self.decision.next.highest = self.leader_policy.val();

        // The masks. What is open and agrees keeps what it asks for, what is not open gets it.
        self.others.next = self.row.val().masks.live & !self.op.val().lanes;
        self.decision.next.row = self.row.val();
        if self.op.val().asks.exit {
            self.decision.next.row.masks.live = self.others.val();
        }
        if self.op.val().asks.starts {
            self.decision.next.row.masks.live = self.op.val().lanes;
        }
        if self.op.val().asks.gathered | self.meets[0].val() {
            self.decision.next.row.masks.at_0 = self.row.val().masks.at_0 | self.op.val().lanes;
        }
        if self.op.val().asks.gathered | self.meets[1].val() {
            self.decision.next.row.masks.at_1 = self.row.val().masks.at_1 | self.op.val().lanes;
        }
        if !self.row.val().tag.open {
            self.decision.next.row.masks.count = self.op.val().count;
            self.decision.next.row.tag.kind = self.op.val().kind;
            self.decision.next.row.tag.redop = self.op.val().redop;
            self.decision.next.row.tag.id = self.op.val().id;
        }
        if !self.row.val().tag.open_0 {
            self.decision.next.row.masks.met_0 = self.op.val().members;
            self.decision.next.row.tag.elect_0 = self.op.val().asks.elect;
        }
        if !self.row.val().tag.open_1 {
            self.decision.next.row.masks.met_1 = self.op.val().members;
            self.decision.next.row.tag.elect_1 = self.op.val().asks.elect;
        }

        // What is complete, and closed by that.
        self.looks.next = self.op.val().asks.exit & self.others.val().any();
        self.elsewhere.next = self.others.val() & !(self.row.val().masks.at_0 & self.row.val().masks.at_1);
        self.missing[0].next =
            self.decision.val().row.masks.met_0 & self.others.val() & !(self.row.val().masks.at_0 & !self.row.val().masks.at_1);
        self.missing[1].next =
            self.decision.val().row.masks.met_1 & self.others.val() & !(self.row.val().masks.at_1 & !self.row.val().masks.at_0);
        self.decision.next.gone = self.op.val().asks.exit & !self.others.val().any();
        self.decision.next.complete =
            (self.op.val().asks.gathered | (self.looks.val() & self.row.val().tag.open)) & !self.elsewhere.val().any();
        self.decision.next.closing_0 =
            (self.meets[0].val() | (self.looks.val() & self.row.val().tag.open_0)) & !self.missing[0].val().any();
        self.decision.next.closing_1 =
            (self.meets[1].val() | (self.looks.val() & self.row.val().tag.open_1)) & !self.missing[1].val().any();
        self.decision.next.row.tag.open = (self.row.val().tag.open | self.op.val().asks.gathered)
            & !self.decision.val().complete
            & !self.op.val().asks.starts;
        self.decision.next.row.tag.open_0 =
            (self.row.val().tag.open_0 | self.meets[0].val()) & !self.decision.val().closing_0 & !self.op.val().asks.starts;
        self.decision.next.row.tag.open_1 =
            (self.row.val().tag.open_1 | self.meets[1].val()) & !self.decision.val().closing_1 & !self.op.val().asks.starts;
    }
}
