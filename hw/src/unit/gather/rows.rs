// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each warp's lanes do: one row per warp, read-modify-write at one operation a cycle.
//!
//! *Reads:* the warp of the operation that enters; one cycle later whether warps begin; one more cycle later the row that it made, whether
//! that is written, and whose it is. *Writes:* the row of the operation that is one cycle inside. *Latency:* 1.
//!
//! A row is {live lanes; where each lane waits; a gathering: its operation and the sum of its votes; two rendezvous: members}. Where a lane waits is a
//! number of two bits, for it waits at one place at most: 0 nowhere, 1 and 2 the rendezvous, 3 the gathering. What is not open is not cleared:
//! its lanes and votes count for nothing, so that whether something is complete need not be known before the masks are written.
//! A launch changes many rows at once, so a bit per warp says that the row is that of a warp that has just begun, whatever the memory
//! holds; any write of the row clears it. A row is written a cycle after it was made, as only then it is known whether its operation acts;
//! who enters sees to it that nobody reads it before.

use super::enter::Neighbours;
use crate::prelude::*;

/// A row's masks, the count, and the sum of the votes.
#[payload]
pub struct Masks<L, VW> {
    /// Count of the gathering; what its lanes add to a reduction.
    pub count: Bits<12>,
    pub sum: Bits<VW>,
    /// Members of the second rendezvous, if it is open; of the first.
    pub met_1: Bits<L>,
    pub met_0: Bits<L>,
    /// Where the lanes wait, bit by bit; 0 for those of what is not open.
    pub at_1: Bits<L>,
    pub at_0: Bits<L>,
    pub live: Bits<L>,
}

/// What is open in a row, and of which kind.
#[payload]
pub struct Tag {
    /// The gathering is open; its operation.
    pub open: Bit,
    pub kind: OpKind,
    pub redop: RedOp,
    pub id: Bits<4>,
    /// Each rendezvous: it is open; a lane of it is to lead.
    pub open_0: Bit,
    pub elect_0: Bit,
    pub open_1: Bit,
    pub elect_1: Bit,
}

/// A warp's row.
#[payload]
pub struct Row<L, VW> {
    pub masks: Masks<L, VW>,
    pub tag: Tag,
}

/// `W = 2^LW` warps of `L` lanes, contributions of `VW` bits.
#[block]
pub struct Rows<W, LW, L, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub neighbours: Signal<In, Neighbours<LW>>,
    /// These warps begin anew, if any do.
    pub starts: Signal<In, Bit>,
    pub starting: Signal<In, Bits<W>>,
    /// The operation two cycles inside writes the row that it made.
    pub write: Signal<In, Bit>,
    pub made: Signal<In, Row<L, VW>>,
    pub row: Signal<Out, Row<L, VW>>,
    masks: Ram<Packed<Masks<L, VW>>, LW>,
    tags: Store<Packed<Tag>, LW>,
    untouched: DFF<Bits<W>>,
    /// The row in the memory is not that of the warp inside.
    fresh: DFF<Bit>,
    begun: Signal<Local, Bits<W>>,
    read: Signal<Local, Masks<L, VW>>,
    gathered: Signal<Local, Bits<L>>,
    first: Signal<Local, Bits<L>>,
    second: Signal<Local, Bits<L>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
    #[init(Constant::new(!Bits::<L>::default()))]
    every_lane: Constant<Bits<L>>,
}

#[block]
impl Logic for Rows<W, LW, L, VW> {
    fn update(&mut self) {
        self.masks.read.next = true;
        self.masks.read_address.next = self.neighbours.val().next_warp;
        self.masks.write.next = self.write.val();
        self.masks.write_address.next = self.neighbours.val().past;
        self.masks.write_value.next = self.made.val().masks.into();
        self.tags.read_address.next = self.neighbours.val().next_warp;
        self.tags.write.next = self.write.val();
        self.tags.write_address.next = self.neighbours.val().past;
        self.tags.write_value.next = self.made.val().tag.into();

        // Who has just begun. What starts now comes after what is written now.
        self.begun.next = self.untouched.q.val();
        if self.write.val() {
            self.begun.next = self.untouched.q.val().with(self.neighbours.val().past, false);
        }
        if self.starts.val() {
            self.begun.next = self.begun.val() | self.starting.val();
        }
        self.untouched.d.next = self.begun.val();
        self.fresh.d.next = self.begun.val().at(self.neighbours.val().next_warp);
        if self.reset.val() {
            self.untouched.d.next = self.every_warp.val();
        }

        self.read.next = self.masks.read_value.val().into();
        self.row.next.masks = self.read.val();
        self.row.next.tag = self.tags.read_value.val().into();
        if self.fresh.q.val() {
            self.row.next.masks.live = self.every_lane.val();
            self.row.next.tag.open = false;
            self.row.next.tag.open_0 = false;
            self.row.next.tag.open_1 = false;
        }

        // Only where something is open does a lane wait.
        self.gathered.next = 0.into();
        self.first.next = 0.into();
        self.second.next = 0.into();
        if self.row.val().tag.open {
            self.gathered.next = self.read.val().at_0 & self.read.val().at_1;
        } else {
            self.row.next.masks.sum = 0.into();
        }
        if self.row.val().tag.open_0 {
            self.first.next = self.read.val().at_0 & !self.read.val().at_1;
        }
        if self.row.val().tag.open_1 {
            self.second.next = self.read.val().at_1 & !self.read.val().at_0;
        }
        self.row.next.masks.at_0 = self.gathered.val() | self.first.val();
        self.row.next.masks.at_1 = self.gathered.val() | self.second.val();
    }
}
