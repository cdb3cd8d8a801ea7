// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each warp's lanes do: one row per warp, read-modify-write at one operation a cycle.
//!
//! *Reads:* the warp of the operation that enters; one cycle later `write` with the `new_*` row of the warp `target`, and whether warps
//! begin. *Writes:* the row of the operation that is one cycle inside. *Latency:* 1.
//!
//! A row is {live lanes; a gathering: its operation, the lanes in it, their votes; two rendezvous: members, the lanes that are there}.
//! Lanes of what is not open are 0. A launch changes many rows at once, so a bit per warp says that the row is that of a warp that has
//! just begun, whatever the memory holds; any write of the row clears it. The row written last is forwarded.

use crate::prim::ram::Ram8;
use crate::prim::store::Store;
use crate::unit::op::{OpKind, RedOp};
use rust_hdl::prelude::*;

/// What is open in a row, and of which kind.
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Tag {
    pub open: Bit,
    pub kind: OpKind,
    pub redop: RedOp,
    pub id: Bits<4>,
    pub open_0: Bit,
    pub elect_0: Bit,
    pub open_1: Bit,
    pub elect_1: Bit,
}

/// `W = 2^LW` warps of `L` lanes.
#[derive(LogicBlock)]
pub struct Rows<const W: usize, const LW: usize, const L: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp of the operation that enters.
    pub warp: Signal<In, Bits<LW>>,
    pub write: Signal<In, Bit>,
    pub target: Signal<In, Bits<LW>>,
    /// The operation inside launches, these warps.
    pub launches: Signal<In, Bit>,
    pub begin: Signal<In, Bits<W>>,
    pub new_live: Signal<In, Bits<L>>,
    pub new_lanes: Signal<In, Bits<L>>,
    pub new_votes: Signal<In, Bits<L>>,
    pub new_count: Signal<In, Bits<12>>,
    pub new_tag: Signal<In, Tag>,
    pub new_met: [Signal<In, Bits<L>>; 2],
    pub new_joined: [Signal<In, Bits<L>>; 2],
    pub live: Signal<Out, Bits<L>>,
    /// The gathering: the lanes in it, their votes, its count and what else it asks for.
    pub lanes: Signal<Out, Bits<L>>,
    pub votes: Signal<Out, Bits<L>>,
    pub count: Signal<Out, Bits<12>>,
    pub tag: Signal<Out, Tag>,
    /// The rendezvous: members, and the lanes that are there.
    pub met: [Signal<Out, Bits<L>>; 2],
    pub joined: [Signal<Out, Bits<L>>; 2],
    masks: Ram8<LW, L, L, L, L, L, L, L, 12>,
    tags: Store<Tag, LW>,
    untouched: DFF<Bits<W>>,
    /// The warp of the operation inside.
    at: DFF<Bits<LW>>,
    /// The operation inside reads what the one before it wrote.
    hit: DFF<Bit>,
    last_live: DFF<Bits<L>>,
    last_lanes: DFF<Bits<L>>,
    last_votes: DFF<Bits<L>>,
    last_count: DFF<Bits<12>>,
    last_tag: DFF<Tag>,
    last_met: [DFF<Bits<L>>; 2],
    last_joined: [DFF<Bits<L>>; 2],
    begun: Signal<Local, Bits<W>>,
    every_warp: Constant<Bits<W>>,
    every_lane: Constant<Bits<L>>,
    nothing: Constant<Tag>,
}

impl<const W: usize, const LW: usize, const L: usize> Default for Rows<W, LW, L> {
    fn default() -> Self {
        crate::fresh!(Rows {
            clock, reset, warp, write, target, launches, begin, new_live, new_lanes, new_votes, new_count, new_tag,
            new_met, new_joined, live, lanes, votes, count, tag, met, joined, masks, tags, untouched, at, hit,
            last_live, last_lanes, last_votes, last_count, last_tag, last_met, last_joined, begun;
            every_warp: Constant::new(!Bits::<W>::default()),
            every_lane: Constant::new(!Bits::<L>::default()),
            nothing: Constant::new(Tag::default())
        })
    }
}

impl<const W: usize, const LW: usize, const L: usize> Logic for Rows<W, LW, L> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, untouched, at, hit, last_live, last_lanes, last_votes, last_count, last_tag);
        self.masks.clock.next = self.clock.val();
        self.masks.read.next = true;
        self.masks.read_address.next = self.warp.val();
        self.masks.write.next = self.write.val();
        self.masks.write_address.next = self.target.val();
        self.masks.write_0.next = self.new_live.val();
        self.masks.write_1.next = self.new_lanes.val();
        self.masks.write_2.next = self.new_votes.val();
        self.masks.write_3.next = self.new_met[0].val();
        self.masks.write_4.next = self.new_met[1].val();
        self.masks.write_5.next = self.new_joined[0].val();
        self.masks.write_6.next = self.new_joined[1].val();
        self.masks.write_7.next = self.new_count.val();
        self.tags.clock.next = self.clock.val();
        self.tags.read_address.next = self.warp.val();
        self.tags.write.next = self.write.val();
        self.tags.write_address.next = self.target.val();
        self.tags.write_value.next = self.new_tag.val();

        self.at.d.next = self.warp.val();
        self.hit.d.next = self.write.val() & (self.warp.val() == self.target.val());
        self.last_live.d.next = self.new_live.val();
        self.last_lanes.d.next = self.new_lanes.val();
        self.last_votes.d.next = self.new_votes.val();
        self.last_count.d.next = self.new_count.val();
        self.last_tag.d.next = self.new_tag.val();
        self.begun.next = self.untouched.q.val();
        if self.launches.val() {
            self.begun.next = self.untouched.q.val() | self.begin.val();
        }
        self.untouched.d.next = self.begun.val();
        if self.write.val() {
            self.untouched.d.next = self.begun.val().replace_bit(self.target.val().index(), false);
        }
        if self.reset.val() {
            self.untouched.d.next = self.every_warp.val();
        }

        self.live.next = self.masks.read_0.val();
        self.lanes.next = self.masks.read_1.val();
        self.votes.next = self.masks.read_2.val();
        self.count.next = self.masks.read_7.val();
        self.tag.next = self.tags.read_value.val();
        self.met[0].next = self.masks.read_3.val();
        self.met[1].next = self.masks.read_4.val();
        self.joined[0].next = self.masks.read_5.val();
        self.joined[1].next = self.masks.read_6.val();
        if self.hit.q.val() {
            self.live.next = self.last_live.q.val();
            self.lanes.next = self.last_lanes.q.val();
            self.votes.next = self.last_votes.q.val();
            self.count.next = self.last_count.q.val();
            self.tag.next = self.last_tag.q.val();
        }
        for i in 0..2 {
            self.last_met[i].clock.next = self.clock.val();
            self.last_met[i].d.next = self.new_met[i].val();
            self.last_joined[i].clock.next = self.clock.val();
            self.last_joined[i].d.next = self.new_joined[i].val();
            if self.hit.q.val() {
                self.met[i].next = self.last_met[i].q.val();
                self.joined[i].next = self.last_joined[i].q.val();
            }
        }
        // What is in the memory is not that of this warp.
        if self.untouched.q.val().get_bit(self.at.q.val().index()) {
            self.live.next = self.every_lane.val();
            self.lanes.next = 0.into();
            self.votes.next = 0.into();
            self.tag.next = self.nothing.val();
            for j in 0..2 {
                self.joined[j].next = 0.into();
            }
        }
    }
}
