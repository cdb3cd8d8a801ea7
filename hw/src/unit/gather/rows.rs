// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each warp's lanes do: one row per warp, read-modify-write at one operation a cycle.
//!
//! *Reads:* the warp of the operation that enters; one cycle later the `new` row that it makes, and whether warps begin; one more cycle later
//! `write` with its warp `target`. *Writes:* the row of the operation that is one cycle inside; `made`, the row that the last operation
//! before it makes if it acts. *Latency:* 1.
//!
//! A row is {live lanes; where each lane waits; a gathering: its operation and votes; two rendezvous: members}. Where a lane waits is a
//! number of two bits, for it waits at one place at most: 0 nowhere, 1 and 2 the rendezvous, 3 the gathering. What is not open is not cleared:
//! its lanes and votes count for nothing, so that whether something is complete need not be known before the masks are written.
//! A launch changes many rows at once, so a bit per warp says that the row is that of a warp that has just begun, whatever the memory
//! holds; any write of the row clears it. A row is written a cycle after it was made, as only then it is known whether its operation acts;
//! who enters sees to it that nobody reads it before.

use crate::payload::payload;
use crate::prim::ram::Ram7;
use crate::prim::store::Store;
use crate::unit::op::{OpKind, RedOp};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What is open in a row, and of which kind.
#[payload]
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
#[block]
pub struct Rows<W, LW, L> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The warp of the operation that enters.
    pub warp: Signal<In, Bits<LW>>,
    /// An operation is one cycle inside.
    pub inside: Signal<In, Bit>,
    /// The operation two cycles inside writes its row.
    pub write: Signal<In, Bit>,
    pub target: Signal<In, Bits<LW>>,
    /// The operation one cycle inside starts these warps.
    pub starts: Signal<In, Bit>,
    pub begin: Signal<In, Bits<W>>,
    pub new_live: Signal<In, Bits<L>>,
    pub new_at: [Signal<In, Bits<L>>; 2],
    pub new_votes: Signal<In, Bits<L>>,
    pub new_met: [Signal<In, Bits<L>>; 2],
    pub new_count: Signal<In, Bits<12>>,
    pub new_tag: Signal<In, Tag>,
    pub live: Signal<Out, Bits<L>>,
    /// Where the lanes wait, bit by bit; 0 for those of what is not open.
    pub at: [Signal<Out, Bits<L>>; 2],
    pub votes: Signal<Out, Bits<L>>,
    /// Members of the rendezvous, if they are open.
    pub met: [Signal<Out, Bits<L>>; 2],
    pub count: Signal<Out, Bits<12>>,
    pub tag: Signal<Out, Tag>,
    pub made_live: Signal<Out, Bits<L>>,
    pub made_at: [Signal<Out, Bits<L>>; 2],
    pub made_votes: Signal<Out, Bits<L>>,
    pub made_count: Signal<Out, Bits<12>>,
    pub made_tag: Signal<Out, Tag>,
    masks: Ram7<LW, L, L, L, L, L, L, 12>,
    tags: Store<Tag, LW>,
    untouched: DFF<Bits<W>>,
    /// The row in the memory is not that of the warp inside.
    fresh: DFF<Bit>,
    last_live: DFF<Bits<L>>,
    last_at: [DFF<Bits<L>>; 2],
    last_votes: DFF<Bits<L>>,
    last_met: [DFF<Bits<L>>; 2],
    last_count: DFF<Bits<12>>,
    last_tag: DFF<Tag>,
    begun: Signal<Local, Bits<W>>,
    raw: [Signal<Local, Bits<L>>; 2],
    all: Signal<Local, Bits<L>>,
    first: Signal<Local, Bits<L>>,
    second: Signal<Local, Bits<L>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
    #[init(Constant::new(!Bits::<L>::default()))]
    every_lane: Constant<Bits<L>>,
}

#[block]
impl Logic for Rows<W, LW, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.masks.read.next = true;
        self.masks.read_address.next = self.warp.val();
        self.masks.write.next = self.write.val();
        self.masks.write_address.next = self.target.val();
        self.masks.write_0.next = self.last_live.q.val();
        self.masks.write_1.next = self.last_at[0].q.val();
        self.masks.write_2.next = self.last_at[1].q.val();
        self.masks.write_3.next = self.last_votes.q.val();
        self.masks.write_4.next = self.last_met[0].q.val();
        self.masks.write_5.next = self.last_met[1].q.val();
        self.masks.write_6.next = self.last_count.q.val();
        self.tags.read_address.next = self.warp.val();
        self.tags.write.next = self.write.val();
        self.tags.write_address.next = self.target.val();
        self.tags.write_value.next = self.last_tag.q.val();

        // Who has just begun. What starts now comes after what is written now.
        self.begun.next = self.untouched.q.val();
        if self.write.val() {
            self.begun.next = self.untouched.q.val().replace_bit(self.target.val().index(), false);
        }
        if self.starts.val() {
            self.begun.next = self.begun.val() | self.begin.val();
        }
        self.untouched.d.next = self.begun.val();
        self.fresh.d.next = self.begun.val().get_bit(self.warp.val().index());
        if self.reset.val() {
            self.untouched.d.next = self.every_warp.val();
        }

        if self.inside.val() {
            self.last_live.d.next = self.new_live.val();
            self.last_votes.d.next = self.new_votes.val();
            self.last_count.d.next = self.new_count.val();
            self.last_tag.d.next = self.new_tag.val();
        }
        self.live.next = self.masks.read_0.val();
        self.raw[0].next = self.masks.read_1.val();
        self.raw[1].next = self.masks.read_2.val();
        self.votes.next = self.masks.read_3.val();
        self.met[0].next = self.masks.read_4.val();
        self.met[1].next = self.masks.read_5.val();
        self.count.next = self.masks.read_6.val();
        for i in 0..2 {
            if self.inside.val() {
                self.last_at[i].d.next = self.new_at[i].val();
                self.last_met[i].d.next = self.new_met[i].val();
            }
            self.made_at[i].next = self.last_at[i].q.val();
        }
        self.tag.next = self.tags.read_value.val();
        if self.fresh.q.val() {
            self.live.next = self.every_lane.val();
            self.tag.next.open = false;
            self.tag.next.open_0 = false;
            self.tag.next.open_1 = false;
        }

        // Only where something is open does a lane wait.
        self.all.next = 0.into();
        self.first.next = 0.into();
        self.second.next = 0.into();
        if self.tag.val().open {
            self.all.next = self.every_lane.val();
        } else {
            self.votes.next = 0.into();
        }
        if self.tag.val().open_0 {
            self.first.next = self.every_lane.val();
        }
        if self.tag.val().open_1 {
            self.second.next = self.every_lane.val();
        }
        self.at[0].next = self.raw[0].val() & ((self.raw[1].val() & self.all.val()) | (!self.raw[1].val() & self.first.val()));
        self.at[1].next = self.raw[1].val() & ((self.raw[0].val() & self.all.val()) | (!self.raw[0].val() & self.second.val()));

        self.made_live.next = self.last_live.q.val();
        self.made_votes.next = self.last_votes.q.val();
        self.made_count.next = self.last_count.q.val();
        self.made_tag.next = self.last_tag.q.val();
    }
}
