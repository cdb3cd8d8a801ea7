// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each warp's lanes do: one row per warp, read-modify-write at one operation a cycle.
//!
//! *Reads:* the warp of the operation that enters; one cycle later whether warps begin; one more cycle later what becomes of its row, and
//! whose that is. *Writes:* the row of the operation that is one cycle inside. *Latency:* 1.
//!
//! A row is {where each lane is; a gathering: its operation and the sum of its votes; two rendezvous: members}. What opens is written once,
//! what is not open may hold anything. Where a lane is takes two bits: it has gone, it runs, it waits at its rendezvous, it waits at the
//! gathering; at which rendezvous a lane waits is said by the members, as two that are open have none in common.
//! A launch changes many rows at once, so a bit per warp says that the row is that of a warp that has just begun, whatever the memory
//! holds; any write of the row clears it. A row is written a cycle after it was read, as only then it is known whether its operation acts;
//! who enters sees to it that nobody reads it before.

use super::{input_stage::Neighbours, kinds::GatheredKind};
use crate::prelude::*;

/// Where the lanes are.
#[payload]
pub struct Places<L> {
    /// They wait here.
    pub waits: Bits<L>,
    /// They are live, and not at a rendezvous: of those that wait, at the gathering.
    pub apart: Bits<L>,
}

/// What the operation of a gathering names.
#[payload]
pub struct Gathering {
    pub id: Bits<4>,
    pub count: Bits<12>,
}

/// What is open in a row, and of which kind.
#[payload]
pub struct Tag<VW> {
    /// The gathering is open; its operation; what its lanes add to a reduction.
    pub open: Bit,
    pub kind: GatheredKind,
    pub redop: RedOp,
    pub sum: Bits<VW>,
    /// Each rendezvous: it is open; a lane of it is to lead.
    pub open_0: Bit,
    pub elect_0: Bit,
    pub open_1: Bit,
    pub elect_1: Bit,
}

/// A warp's row.
#[payload]
pub struct Row<L, VW> {
    /// The warp has just begun: all its lanes run, whatever `places` says.
    pub fresh: Bit,
    pub places: Places<L>,
    /// Members of each rendezvous.
    pub met_0: Bits<L>,
    pub met_1: Bits<L>,
    pub gathering: Gathering,
    pub tag: Tag<VW>,
}

/// What becomes of a row.
#[payload]
pub struct Made<L, VW> {
    pub places: Places<L>,
    pub tag: Tag<VW>,
    /// A gathering opens; its operation.
    pub opens: Bit,
    pub gathering: Gathering,
    /// A rendezvous opens, the first or the second; its members.
    pub opens_0: Bit,
    pub opens_1: Bit,
    pub members: Bits<L>,
}

/// `W` warps of `LW` bits, `L` lanes each, contributions of `VW` bits.
#[block]
pub struct Rows<W, LW, L, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The row that was read stays.
    pub stall: Signal<In, Bit>,
    pub neighbours: Signal<In, Neighbours<LW>>,
    /// These warps begin anew, if any do.
    pub starts: Signal<In, Bit>,
    pub starting: Signal<In, Bits<W>>,
    /// The operation two cycles inside writes its row.
    pub write: Signal<In, Bit>,
    /// Its warp, as a bit.
    pub own: Signal<In, Bits<W>>,
    pub made: Signal<In, Made<L, VW>>,
    pub row: Signal<Out, Row<L, VW>>,
    /// Warps whose rows nothing has been written into since they began.
    pub begun: Signal<Out, Bits<W>>,
    places: Ram<Packed<Places<L>>, LW>,
    meetings: [Ram<Bits<L>, LW>; 2],
    gatherings: Ram<Packed<Gathering>, LW>,
    tags: Ram<Packed<Tag<VW>>, LW>,
    untouched: DFF<Bits<W>>,
    /// The row in the memory is not that of the warp inside.
    fresh: DFF<Bit>,
    next_untouched: Signal<Local, Bits<W>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
}

#[block]
impl Logic for Rows<W, LW, L, VW> {
    fn update(&mut self) {
        self.places.read.next = !self.stall.val();
        self.places.read_address.next = self.neighbours.val().next_warp;
        self.places.write.next = self.write.val();
        self.places.write_address.next = self.neighbours.val().past;
        self.places.write_value.next = self.made.val().places.into();
        for i in 0..2 {
            self.meetings[i].read.next = !self.stall.val();
            self.meetings[i].read_address.next = self.neighbours.val().next_warp;
            self.meetings[i].write_address.next = self.neighbours.val().past;
            self.meetings[i].write_value.next = self.made.val().members;
        }
        self.meetings[0].write.next = self.write.val() & self.made.val().opens_0;
        self.meetings[1].write.next = self.write.val() & self.made.val().opens_1;
        self.gatherings.read.next = !self.stall.val();
        self.gatherings.read_address.next = self.neighbours.val().next_warp;
        self.gatherings.write.next = self.write.val() & self.made.val().opens;
        self.gatherings.write_address.next = self.neighbours.val().past;
        self.gatherings.write_value.next = self.made.val().gathering.into();
        self.tags.read.next = !self.stall.val();
        self.tags.read_address.next = self.neighbours.val().next_warp;
        self.tags.write.next = self.write.val();
        self.tags.write_address.next = self.neighbours.val().past;
        self.tags.write_value.next = self.made.val().tag.into();

        // Who has just begun. What starts now comes after what is written now.
        self.begun.next = self.untouched.q.val();
        self.next_untouched.next = self.untouched.q.val();
        if self.write.val() {
            self.next_untouched.next = self.untouched.q.val() & !self.own.val();
        }
        if self.starts.val() {
            self.next_untouched.next = self.next_untouched.val() | self.starting.val();
        }
        self.untouched.d.next = self.next_untouched.val();
        if !self.stall.val() {
            self.fresh.d.next = self.next_untouched.val().at(self.neighbours.val().next_warp);
        }
        if self.reset.val() {
            self.untouched.d.next = self.every_warp.val();
        }

        self.row.next.fresh = self.fresh.q.val();
        self.row.next.places = self.places.read_value.val().into();
        self.row.next.met_0 = self.meetings[0].read_value.val();
        self.row.next.met_1 = self.meetings[1].read_value.val();
        self.row.next.gathering = self.gatherings.read_value.val().into();
        self.row.next.tag = self.tags.read_value.val().into();
        if self.fresh.q.val() {
            self.row.next.tag.open = false;
            self.row.next.tag.open_0 = false;
            self.row.next.tag.open_1 = false;
        }
    }
}
