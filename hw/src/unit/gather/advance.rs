// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The next state of a warp's row: lanes join, lanes exit, and what is complete by that is closed.
//!
//! *Reads:* the operation one cycle inside, which way it goes, its warp's row. *Writes:* the new row; a gathering that is `complete`, as the
//! operation that it makes; the lanes that go on, and who leads them; whether the warp is gone. *Latency:* 0, no state.
//!
//! A gathering is complete when all live lanes are in it, a rendezvous when all its live members are there. Implements the barrier that a
//! warp's threads reach one by one in spec 000, and `bar.warp.sync` with exited threads.

use super::enter::Passed;
use super::leader::Leader;
use super::rows::Tag;
use crate::unit::op::{FaultCode, OpKind, StateWord};
use rust_hdl::prelude::*;

/// `L` lanes.
#[derive(LogicBlock)]
pub struct Advance<const L: usize> {
    pub op: Signal<In, Passed>,
    pub members: Signal<In, Bits<L>>,
    pub elect: Signal<In, Bit>,
    pub leader_policy: Signal<In, Bit>,
    pub collects: Signal<In, Bit>,
    pub meets: [Signal<In, Bit>; 2],
    pub retry: Signal<In, Bit>,
    pub exits: Signal<In, Bit>,
    pub launches: Signal<In, Bit>,
    pub live: Signal<In, Bits<L>>,
    pub lanes: Signal<In, Bits<L>>,
    pub votes: Signal<In, Bits<L>>,
    pub count: Signal<In, Bits<12>>,
    pub tag: Signal<In, Tag>,
    pub met: [Signal<In, Bits<L>>; 2],
    pub joined: [Signal<In, Bits<L>>; 2],
    pub write: Signal<Out, Bit>,
    pub new_live: Signal<Out, Bits<L>>,
    pub new_lanes: Signal<Out, Bits<L>>,
    pub new_votes: Signal<Out, Bits<L>>,
    pub new_count: Signal<Out, Bits<12>>,
    pub new_tag: Signal<Out, Tag>,
    pub new_met: [Signal<Out, Bits<L>>; 2],
    pub new_joined: [Signal<Out, Bits<L>>; 2],
    /// The gathering is complete; the operation that it makes.
    pub complete: Signal<Out, Bit>,
    pub whole: Signal<Out, Passed>,
    pub gone: Signal<Out, Bit>,
    /// The warp has live lanes, and all of them wait in the new row.
    pub all_wait: Signal<Out, Bit>,
    pub strobe: Signal<Out, Bit>,
    pub going: Signal<Out, Bits<L>>,
    pub leaders: Signal<Out, Bits<L>>,
    lead: [Leader<L>; 2],
    executing: Signal<Local, Bits<L>>,
    left: Signal<Local, Bits<L>>,
    looks: Signal<Local, Bit>,
    missing: Signal<Local, Bits<L>>,
    tried: [Signal<Local, Bit>; 2],
    elects: [Signal<Local, Bit>; 2],
    opened: [Signal<Local, Bit>; 2],
    closing: [Signal<Local, Bit>; 2],
    awake: Signal<Local, Bits<L>>,
    no_lanes: Constant<Bits<L>>,
}

impl<const L: usize> Default for Advance<L> {
    fn default() -> Self {
        crate::fresh!(Advance {
            op, members, elect, leader_policy, collects, meets, retry, exits, launches, live, lanes, votes, count, tag,
            met, joined, write, new_live, new_lanes, new_votes, new_count, new_tag, new_met, new_joined, complete, whole,
            gone, all_wait, strobe, going, leaders, lead, executing, left, looks, missing, tried, elects, opened,
            closing, awake;
            no_lanes: Constant::new(Bits::default())
        })
    }
}

impl<const L: usize> Logic for Advance<L> {
    #[hdl_gen]
    fn update(&mut self) {
        // Who is left, and whether that may complete what is open.
        self.executing.next = bit_cast::<L, 32>(self.op.val().lanes);
        self.left.next = self.live.val();
        if self.exits.val() {
            self.left.next = self.live.val() & !self.executing.val();
        }
        if self.launches.val() {
            self.left.next = self.executing.val();
        }
        self.gone.next = self.exits.val() & !self.left.val().any();
        self.looks.next = self.exits.val() & self.left.val().any();

        // The gathering.
        self.new_tag.next = self.tag.val();
        self.new_lanes.next = self.lanes.val();
        self.new_votes.next = self.votes.val();
        self.new_count.next = self.count.val();
        if self.collects.val() {
            self.new_tag.next.open = true;
            self.new_tag.next.kind = self.op.val().kind;
            self.new_tag.next.redop = self.op.val().redop;
            self.new_tag.next.id = self.op.val().id;
            self.new_lanes.next = self.lanes.val() | self.executing.val();
            self.new_votes.next = self.votes.val() | bit_cast::<L, 32>(self.op.val().votes);
            self.new_count.next = self.op.val().count;
        }
        self.complete.next =
            (self.collects.val() | (self.looks.val() & self.tag.val().open)) & (self.new_lanes.val() == self.left.val());
        self.whole.next = self.op.val();
        self.whole.next.kind = self.new_tag.val().kind;
        self.whole.next.fault = FaultCode::None;
        self.whole.next.uniform = true;
        self.whole.next.id = self.new_tag.val().id;
        self.whole.next.count = self.new_count.val();
        self.whole.next.redop = self.new_tag.val().redop;
        self.whole.next.state = StateWord::Warp;
        self.whole.next.data = 0.into();
        self.whole.next.warps = 0.into();
        self.whole.next.live = 0.into();
        self.whole.next.barriers = 0.into();
        self.whole.next.saved = false;
        self.whole.next.lanes = bit_cast::<32, L>(self.new_lanes.val());
        self.whole.next.votes = bit_cast::<32, L>(self.new_votes.val());
        self.whole.next.rd = 255.into();
        self.whole.next.pu = 7.into();
        self.going.next = 0.into();
        if self.complete.val() & (self.new_tag.val().kind == OpKind::Arrive) {
            self.going.next = self.new_lanes.val();
        }
        self.strobe.next = self.retry.val() | (self.complete.val() & (self.new_tag.val().kind == OpKind::Arrive));
        if self.retry.val() {
            self.going.next = self.executing.val();
        }

        // The rendezvous.
        self.opened[0].next = self.tag.val().open_0 | self.meets[0].val();
        self.opened[1].next = self.tag.val().open_1 | self.meets[1].val();
        self.elects[0].next = self.tag.val().elect_0;
        self.elects[1].next = self.tag.val().elect_1;
        self.tried[0].next = self.meets[0].val() | (self.looks.val() & self.tag.val().open_0);
        self.tried[1].next = self.meets[1].val() | (self.looks.val() & self.tag.val().open_1);
        self.missing.next = 0.into();
        for i in 0..2 {
            self.new_met[i].next = self.met[i].val();
            self.new_joined[i].next = self.joined[i].val();
            if self.meets[i].val() {
                self.new_met[i].next = self.members.val();
                self.new_joined[i].next = self.joined[i].val() | self.executing.val();
                self.elects[i].next = self.elect.val();
            }
            self.missing.next = self.new_met[i].val() & self.left.val() & !self.new_joined[i].val();
            self.closing[i].next = self.tried[i].val() & !self.missing.val().any();
            self.lead[i].highest.next = self.leader_policy.val();
            self.lead[i].lanes.next = self.no_lanes.val();
            if self.closing[i].val() {
                self.strobe.next = true;
                self.going.next = self.going.val() | self.new_joined[i].val();
                if self.elects[i].val() {
                    self.lead[i].lanes.next = self.new_joined[i].val();
                }
                self.new_joined[i].next = 0.into();
                self.opened[i].next = false;
            }
        }
        self.leaders.next = self.lead[0].leader.val() | self.lead[1].leader.val();

        // The row.
        self.new_tag.next.open_0 = self.opened[0].val();
        self.new_tag.next.elect_0 = self.elects[0].val();
        self.new_tag.next.open_1 = self.opened[1].val();
        self.new_tag.next.elect_1 = self.elects[1].val();
        if self.complete.val() {
            self.new_tag.next.open = false;
            self.new_lanes.next = 0.into();
            self.new_votes.next = 0.into();
        }
        if self.launches.val() {
            self.new_tag.next.open = false;
            self.new_tag.next.open_0 = false;
            self.new_tag.next.open_1 = false;
            self.new_lanes.next = 0.into();
            self.new_votes.next = 0.into();
            for j in 0..2 {
                self.new_joined[j].next = 0.into();
            }
        }
        self.new_live.next = self.left.val();
        self.write.next =
            self.collects.val() | self.meets[0].val() | self.meets[1].val() | self.exits.val() | self.launches.val();
        self.awake.next = self.left.val() & !(self.new_lanes.val() | self.new_joined[0].val() | self.new_joined[1].val());
        self.all_wait.next = self.left.val().any() & !self.awake.val().any();
    }
}
