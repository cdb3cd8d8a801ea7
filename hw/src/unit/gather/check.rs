// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the lanes of an operation, and decides what the operation does.
//!
//! *Reads:* the operation in the lookup stage, the row of its warp, which lane leads. *Writes:* the decision. *Latency:* 0, no
//! state. Implements `partial_mask` and `gather_mismatch` of `docs/contract/faults.md`, the barrier that a warp's threads reach one by one
//! in spec 000, and `bar.warp.sync` with exited threads.
//!
//! All conditions on lanes are evaluated for all lanes at once, for every kind of operation; the relevant ones are selected last. A
//! gathering is complete when all live lanes are in it, a rendezvous when all its live members are. The lanes of the operation are
//! never missing, whether they join or exit. An open gathering or rendezvous has at least one waiting lane, so this is not checked.

use super::{input_stage::Asks, kinds::GatheredKind, rows::Row};
use crate::prelude::*;

/// The fault or the action of an operation.
#[payload]
pub struct Decision {
    /// Fault `not_resident`: no lane of the Exit is live. At most one of the four faults is set.
    pub absent: Bit,
    /// Fault `warp_blocked`: a lane of the Exit waits.
    pub blocked: Bit,
    /// Fault `partial_mask`.
    pub partial: Bit,
    /// Fault `gather_mismatch`.
    pub mismatch: Bit,
    /// The operation joins, exits or retries, and is not passed on unchanged. The fields below, but `all_live_lanes`, count only then.
    pub acts: Bit,
    /// The operation's lanes are all live lanes of the warp, and none of them waits.
    pub all_live_lanes: Bit,
    /// No rendezvous is free for its lanes: the lanes must issue again.
    pub retry: Bit,
    /// Lanes other than those of the operation run.
    pub others_run: Bit,
    /// The gathering is complete.
    pub complete: Bit,
    /// The first rendezvous is complete.
    pub closing_0: Bit,
    /// The second rendezvous is complete.
    pub closing_1: Bit,
    /// The operation opens the first rendezvous.
    pub opens_0: Bit,
    /// The operation opens the second rendezvous.
    pub opens_1: Bit,
    /// The highest lane leads.
    pub highest: Bit,
}

/// The fields of an operation that are checked.
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
    /// Lane that leads: 0 = the lowest, 1 = the highest.
    pub leader_policy: Signal<In, Bit>,
    pub decision: Signal<Out, Decision>,
    /// Live lanes at no rendezvous, without those of the operation.
    pub others: Signal<Out, Bits<L>>,
    /// Member mask: that of the operation for a WarpSync or Elect, else that of the first rendezvous.
    pub sought: Signal<Out, Bits<L>>,
    /// Lanes of the operation that wait.
    own_waiting: Signal<Local, Bits<L>>,
    /// Lanes of the operation that are live and at no rendezvous.
    own_not_in_rendezvous: Signal<Local, Bits<L>>,
    /// Lanes of the operation that have exited or are at a rendezvous.
    own_others: Signal<Local, Bits<L>>,
    /// A lane of the operation waits.
    waiting: Signal<Local, Bit>,
    /// A lane of the operation is live and at no rendezvous.
    present: Signal<Local, Bit>,
    /// A lane of the operation waits or is not live.
    stray: Signal<Local, Bit>,
    /// A gathering with another operation is open.
    other: Signal<Local, Bit>,
    /// By rendezvous: members in common with the operation.
    shared: [Signal<Local, Bits<L>>; 2],
    /// By rendezvous: it has the member mask of the operation.
    equal: [Signal<Local, Bit>; 2],
    /// By rendezvous: it is open and has that member mask.
    same: [Signal<Local, Bit>; 2],
    /// By rendezvous: it is open, shares members, and has another mask or form.
    clash: [Signal<Local, Bit>; 2],
    clashes: Signal<Local, Bit>,
    /// By rendezvous: the lanes of the operation join it.
    meets: [Signal<Local, Bit>; 2],
    /// Other lanes that run.
    running: Signal<Local, Bits<L>>,
    /// Missing lanes: of the members `sought`, and of those of the second rendezvous.
    missing: [Signal<Local, Bits<L>>; 2],
    /// No lane is `missing`.
    complete: [Signal<Local, Bit>; 2],
    /// A rendezvous is open.
    rendezvous_open: Signal<Local, Bit>,
    /// No other lane runs, and no rendezvous is open.
    alone: Signal<Local, Bit>,
    #[init(Constant::new(!Bits::<L>::default()))]
    every_lane: Constant<Bits<L>>,
}

#[block]
impl Logic for Check<L, VW> {
    fn update(&mut self) {
        // The lanes of the operation: whether one waits, whether one is live and at no rendezvous, whether one waits or is not live.
        self.own_waiting.next = self.op.val().lanes & self.row.val().places.waits;
        self.own_not_in_rendezvous.next = self.op.val().lanes & self.row.val().places.not_in_rendezvous;
        self.own_others.next = self.op.val().lanes & !self.row.val().places.not_in_rendezvous;
        self.waiting.next = self.own_waiting.val().any() & !self.row.val().is_initial;
        self.present.next = self.own_not_in_rendezvous.val().any();
        if self.row.val().is_initial {
            self.present.next = self.op.val().asks.some;
        }
        self.stray.next = self.waiting.val() | (self.own_others.val().any() & !self.row.val().is_initial);

        // All other lanes: whether one runs, and which members are missing.
        self.others.next = self.row.val().places.not_in_rendezvous & !self.op.val().lanes;
        if self.row.val().is_initial {
            self.others.next = self.every_lane.val() & !self.op.val().lanes;
        }
        self.running.next = self.others.val() & !self.row.val().places.waits;
        self.decision.next.others_run = self.running.val().any();
        if self.row.val().is_initial {
            self.decision.next.others_run = !self.op.val().asks.all;
        }
        self.sought.next = self.row.val().members_0;
        if self.op.val().asks.is_warp_sync {
            self.sought.next = self.op.val().members;
        }
        self.missing[0].next = self.others.val() & self.sought.val();
        self.missing[1].next = self.others.val() & self.row.val().members_1;
        self.complete[0].next = !self.missing[0].val().any();
        self.complete[1].next = !self.missing[1].val().any();

        // Conflicts with its row: another gathering; a rendezvous that shares some of the members.
        self.other.next = self.row.val().tag.open
            & ((self.row.val().tag.kind != self.op.val().gathers_as)
                | (self.row.val().tag.redop != self.op.val().redop)
                | (self.row.val().gathering.id != self.op.val().id)
                | (self.row.val().gathering.count != self.op.val().count));
        self.equal[0].next = self.row.val().members_0 == self.op.val().members;
        self.equal[1].next = self.row.val().members_1 == self.op.val().members;
        self.shared[0].next = self.row.val().members_0 & self.op.val().members;
        self.shared[1].next = self.row.val().members_1 & self.op.val().members;
        self.same[0].next = self.row.val().tag.open_0 & self.equal[0].val();
        self.same[1].next = self.row.val().tag.open_1 & self.equal[1].val();
        self.clash[0].next = self.row.val().tag.open_0
            & self.shared[0].val().any()
            & (!self.equal[0].val() | (self.row.val().tag.elect_0 ^ self.op.val().asks.elect));
        self.clash[1].next = self.row.val().tag.open_1
            & self.shared[1].val().any()
            & (!self.equal[1].val() | (self.row.val().tag.elect_1 ^ self.op.val().asks.elect));
        self.clashes.next = self.op.val().asks.stray | self.stray.val() | self.clash[0].val() | self.clash[1].val();

        // The faults.
        self.rendezvous_open.next = self.row.val().tag.open_0 | self.row.val().tag.open_1;
        self.alone.next = !self.decision.val().others_run & !self.rendezvous_open.val();
        self.decision.next.absent = self.op.val().asks.exit & !self.waiting.val() & !self.present.val();
        self.decision.next.blocked = self.op.val().asks.exit & self.waiting.val();
        self.decision.next.all_live_lanes = self.alone.val() & !self.row.val().tag.open & !self.stray.val();
        self.decision.next.partial = self.op.val().asks.aligned & !self.decision.val().all_live_lanes;
        self.decision.next.mismatch = (self.op.val().asks.gathered & (self.stray.val() | self.other.val()))
            | (self.op.val().asks.is_warp_sync & self.clashes.val());
        self.decision.next.acts = (self.op.val().asks.gathered & !self.stray.val() & !self.other.val())
            | (self.op.val().asks.exit & !self.waiting.val() & self.present.val())
            | (self.op.val().asks.is_warp_sync & !self.clashes.val());

        // The target of the lanes if there is no fault: the rendezvous of the same members, or the first one that is not open.
        self.decision.next.opens_0 = self.op.val().asks.is_warp_sync & !self.same[1].val() & !self.row.val().tag.open_0;
        self.decision.next.opens_1 =
            self.op.val().asks.is_warp_sync & !self.same[0].val() & self.row.val().tag.open_0 & !self.row.val().tag.open_1;
        self.decision.next.retry = self.op.val().asks.is_warp_sync
            & !self.same[0].val()
            & !self.same[1].val()
            & self.row.val().tag.open_0
            & self.row.val().tag.open_1;
        self.meets[0].next = (self.op.val().asks.is_warp_sync & self.same[0].val()) | self.decision.val().opens_0;
        self.meets[1].next =
            (self.op.val().asks.is_warp_sync & !self.same[0].val() & self.same[1].val()) | self.decision.val().opens_1;
        self.decision.next.highest = self.leader_policy.val();

        // The gathering and the rendezvous that complete.
        self.decision.next.complete =
            (self.op.val().asks.gathered | (self.op.val().asks.exit & self.row.val().tag.open)) & self.alone.val();
        self.decision.next.closing_0 =
            (self.meets[0].val() | (self.op.val().asks.exit & self.row.val().tag.open_0)) & self.complete[0].val();
        self.decision.next.closing_1 = (self.meets[1].val() & self.complete[0].val())
            | (self.op.val().asks.exit & self.row.val().tag.open_1 & self.complete[1].val());
    }
}
