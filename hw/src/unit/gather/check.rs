// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides what is wrong with an operation's lanes, and which way it goes.
//!
//! *Reads:* the operation one cycle inside, its warp's row, which of the two ends leads. *Writes:* the decision. *Latency:* 0, no state.
//! Implements `partial_mask` and `gather_mismatch` of `docs/faults.md`, the barrier that a warp's threads reach one by one in spec 000, and
//! `bar.warp.sync` with exited threads.
//!
//! Every question about the lanes is asked of all of them at once, whatever the operation; which answers matter is decided last. A gathering
//! is complete when all live lanes are in it, a rendezvous when all its live members are there. The operation's own lanes are no longer
//! waited for in any case, whether they come or exit. Where something is open, at least one lane waits there, so that nobody looks for it.

use super::{input_stage::Asks, kinds::GatheredKind, rows::Row};
use crate::prelude::*;

/// What is wrong with an operation, or what it does.
#[payload]
pub struct Decision {
    /// What is wrong, at most one; the code is made of it a cycle later.
    pub absent: Bit,
    pub blocked: Bit,
    pub partial: Bit,
    pub mismatch: Bit,
    /// It joins, exits or tries again: it is not passed on as it is. All that follows but `whole` holds only then.
    pub acts: Bit,
    /// Its lanes are the live lanes of the warp, none of which waits.
    pub whole: Bit,
    /// There is no rendezvous for its lanes.
    pub retry: Bit,
    /// Lanes run that are not its own.
    pub others_run: Bit,
    /// The gathering is complete; each rendezvous.
    pub complete: Bit,
    pub closing_0: Bit,
    pub closing_1: Bit,
    /// It opens a rendezvous.
    pub opens_0: Bit,
    pub opens_1: Bit,
    /// The highest lane leads.
    pub highest: Bit,
}

/// What is looked at of an operation.
#[payload]
pub struct Judged<L> {
    pub asks: Asks,
    pub gathers_as: GatheredKind,
    pub redop: RedOp,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub lanes: Bits<L>,
    /// Warp sync, elect: the lanes that wait for each other.
    pub members: Bits<L>,
}

/// `L` lanes, contributions of `VW` bits.
#[block]
pub struct Check<L, VW> {
    pub op: Signal<In, Judged<L>>,
    pub row: Signal<In, Row<L, VW>>,
    /// Which lane leads: 0 = the lowest, 1 = the highest.
    pub leader_policy: Signal<In, Bit>,
    pub decision: Signal<Out, Decision>,
    /// Lanes of others that are live and at no rendezvous.
    pub others: Signal<Out, Bits<L>>,
    /// Members: its own, else those of the first rendezvous.
    pub sought: Signal<Out, Bits<L>>,
    /// Of the operation's lanes: those that wait; those at no rendezvous; those that are there or have gone.
    own_waiting: Signal<Local, Bits<L>>,
    own_apart: Signal<Local, Bits<L>>,
    own_others: Signal<Local, Bits<L>>,
    waiting: Signal<Local, Bit>,
    present: Signal<Local, Bit>,
    stray: Signal<Local, Bit>,
    other: Signal<Local, Bit>,
    shared: [Signal<Local, Bits<L>>; 2],
    equal: [Signal<Local, Bit>; 2],
    same: [Signal<Local, Bit>; 2],
    clash: [Signal<Local, Bit>; 2],
    clashes: Signal<Local, Bit>,
    meets: [Signal<Local, Bit>; 2],
    /// Those of the others that run.
    running: Signal<Local, Bits<L>>,
    /// Who is missing of the members that are sought, and at the second rendezvous.
    missing: [Signal<Local, Bits<L>>; 2],
    complete: [Signal<Local, Bit>; 2],
    met: Signal<Local, Bit>,
    alone: Signal<Local, Bit>,
    #[init(Constant::new(!Bits::<L>::default()))]
    every_lane: Constant<Bits<L>>,
}

#[block]
impl Logic for Check<L, VW> {
    fn update(&mut self) {
        // The lanes of the operation: does one wait; does one run, if none waits; does one wait, or is one not there.
        self.own_waiting.next = self.op.val().lanes & self.row.val().places.waits;
        self.own_apart.next = self.op.val().lanes & self.row.val().places.apart;
        self.own_others.next = self.op.val().lanes & !self.row.val().places.apart;
        self.waiting.next = self.own_waiting.val().any() & !self.row.val().fresh;
        self.present.next = self.own_apart.val().any();
        if self.row.val().fresh {
            self.present.next = self.op.val().asks.some;
        }
        self.stray.next = self.waiting.val() | (self.own_others.val().any() & !self.row.val().fresh);

        // All others: does one run; is one still to come.
        self.others.next = self.row.val().places.apart & !self.op.val().lanes;
        if self.row.val().fresh {
            self.others.next = self.every_lane.val() & !self.op.val().lanes;
        }
        self.running.next = self.others.val() & !self.row.val().places.waits;
        self.decision.next.others_run = self.running.val().any();
        if self.row.val().fresh {
            self.decision.next.others_run = !self.op.val().asks.all;
        }
        self.sought.next = self.row.val().met_0;
        if self.op.val().asks.among {
            self.sought.next = self.op.val().members;
        }
        self.missing[0].next = self.others.val() & self.sought.val();
        self.missing[1].next = self.others.val() & self.row.val().met_1;
        self.complete[0].next = !self.missing[0].val().any();
        self.complete[1].next = !self.missing[1].val().any();

        // What it meets in its row: another gathering; in each rendezvous the same members, or some of them.
        self.other.next = self.row.val().tag.open
            & ((self.row.val().tag.kind != self.op.val().gathers_as)
                | (self.row.val().tag.redop != self.op.val().redop)
                | (self.row.val().gathering.id != self.op.val().id)
                | (self.row.val().gathering.count != self.op.val().count));
        self.equal[0].next = self.row.val().met_0 == self.op.val().members;
        self.equal[1].next = self.row.val().met_1 == self.op.val().members;
        self.shared[0].next = self.row.val().met_0 & self.op.val().members;
        self.shared[1].next = self.row.val().met_1 & self.op.val().members;
        self.same[0].next = self.row.val().tag.open_0 & self.equal[0].val();
        self.same[1].next = self.row.val().tag.open_1 & self.equal[1].val();
        self.clash[0].next = self.row.val().tag.open_0
            & self.shared[0].val().any()
            & (!self.equal[0].val() | (self.row.val().tag.elect_0 ^ self.op.val().asks.elect));
        self.clash[1].next = self.row.val().tag.open_1
            & self.shared[1].val().any()
            & (!self.equal[1].val() | (self.row.val().tag.elect_1 ^ self.op.val().asks.elect));
        self.clashes.next = self.op.val().asks.stray | self.stray.val() | self.clash[0].val() | self.clash[1].val();

        // What is wrong.
        self.met.next = self.row.val().tag.open_0 | self.row.val().tag.open_1;
        self.alone.next = !self.decision.val().others_run & !self.met.val();
        self.decision.next.absent = self.op.val().asks.exit & !self.waiting.val() & !self.present.val();
        self.decision.next.blocked = self.op.val().asks.exit & self.waiting.val();
        self.decision.next.whole = self.alone.val() & !self.row.val().tag.open & !self.stray.val();
        self.decision.next.partial = self.op.val().asks.aligned & !self.decision.val().whole;
        self.decision.next.mismatch = (self.op.val().asks.gathered & (self.stray.val() | self.other.val()))
            | (self.op.val().asks.among & self.clashes.val());
        self.decision.next.acts = (self.op.val().asks.gathered & !self.stray.val() & !self.other.val())
            | (self.op.val().asks.exit & !self.waiting.val() & self.present.val())
            | (self.op.val().asks.among & !self.clashes.val());

        // Where its lanes go if nothing is wrong: to the rendezvous of the same members, or to the first that is not open.
        self.decision.next.opens_0 = self.op.val().asks.among & !self.same[1].val() & !self.row.val().tag.open_0;
        self.decision.next.opens_1 =
            self.op.val().asks.among & !self.same[0].val() & self.row.val().tag.open_0 & !self.row.val().tag.open_1;
        self.decision.next.retry = self.op.val().asks.among
            & !self.same[0].val()
            & !self.same[1].val()
            & self.row.val().tag.open_0
            & self.row.val().tag.open_1;
        self.meets[0].next = (self.op.val().asks.among & self.same[0].val()) | self.decision.val().opens_0;
        self.meets[1].next =
            (self.op.val().asks.among & !self.same[0].val() & self.same[1].val()) | self.decision.val().opens_1;
        self.decision.next.highest = self.leader_policy.val();

        // What is complete, and closed by that.
        self.decision.next.complete =
            (self.op.val().asks.gathered | (self.op.val().asks.exit & self.row.val().tag.open)) & self.alone.val();
        self.decision.next.closing_0 =
            (self.meets[0].val() | (self.op.val().asks.exit & self.row.val().tag.open_0)) & self.complete[0].val();
        self.decision.next.closing_1 = (self.meets[1].val() & self.complete[0].val())
            | (self.op.val().asks.exit & self.row.val().tag.open_1 & self.complete[1].val());
    }
}
