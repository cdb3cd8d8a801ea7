// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the leader of a set of lanes: the lowest or the highest lane of the set.
//!
//! *Reads:* the set of lanes, whether a leader is requested, whether the lowest or the highest lane leads. *Writes:* the leader,
//! one-hot; 0 if no leader is requested or the set is empty. *Latency:* 1. Implements the leader of `elect.sync`.
//!
//! The block first finds the lowest (or highest) group of four lanes in which there is a lane of the set, then the lowest (or
//! highest) such lane in that group. A search in each direction takes fewer gates than one search after a reversal of the set.

use crate::prelude::*;

/// `L` lanes; `LP` is `L` rounded up to a multiple of four.
#[block]
pub struct Leader<L, LP> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The set of lanes.
    pub candidates: Signal<In, Bits<L>>,
    /// A leader is requested.
    pub requested: Signal<In, Bit>,
    /// 1 = the highest lane leads, 0 = the lowest.
    pub highest_leads: Signal<In, Bit>,
    pub leader: Signal<Out, Bits<L>>,
    /// `candidates`, extended with zeros to whole groups of four lanes.
    wide_candidates: Signal<Local, Bits<LP>>,
    /// `leader`, extended to whole groups of four lanes.
    wide_leader: Signal<Local, Bits<LP>>,
    /// Bits 4g to 4g + 3 are 1 if group g has a lane of the set.
    occupied: Signal<Local, Bits<LP>>,
    /// In the loop over the groups: a group below the loop's group has a lane of the set.
    lower_found: Signal<Local, Bit>,
    /// In the loop over the groups: a group above the loop's group has a lane of the set.
    higher_found: Signal<Local, Bit>,
    /// Bits 4g to 4g + 3 are 1 if a group below g has a lane of the set.
    lower_occupied: Signal<Local, Bits<LP>>,
    /// Bits 4g to 4g + 3 are 1 if a group above g has a lane of the set.
    higher_occupied: Signal<Local, Bits<LP>>,
    /// Bits 4g to 4g + 3 are 1 if group g is the leading group: the group with the leader.
    leading_group: Signal<Local, Bits<LP>>,
    /// The lanes of the set in the leading group.
    group_lanes: Signal<Local, Bits<4>>,
    /// The leader's place in the leading group, one-hot; 0 if no leader is requested.
    group_leader: Signal<Local, Bits<4>>,
    /// `leading_group` of the cycle before.
    leading_group_q: DFF<Bits<LP>>,
    /// `group_leader` of the cycle before.
    group_leader_q: DFF<Bits<4>>,
    no_lane: Constant<Bits<4>>,
}

#[block]
impl Logic for Leader {
    fn update(&mut self) {
        self.wide_leader.next = 0.into();
        self.wide_candidates.next = bit_cast::<LP, L>(self.candidates.val());

        // The groups with a lane of the set, and for each group whether a lower or a higher group has one.
        self.occupied.next = 0.into();
        for i in 0..(LP / 4) {
            for j in 0..4 {
                self.occupied.next = self.occupied.val().replace_bit(
                    4 * i + j,
                    self.wide_candidates.val().get_bit(4 * i)
                        | self.wide_candidates.val().get_bit(4 * i + 1)
                        | self.wide_candidates.val().get_bit(4 * i + 2)
                        | self.wide_candidates.val().get_bit(4 * i + 3),
                );
            }
        }
        self.lower_occupied.next = 0.into();
        self.lower_found.next = false;
        for l in 0..(LP / 4) {
            for k in 0..4 {
                self.lower_occupied.next = self.lower_occupied.val().replace_bit(4 * l + k, self.lower_found.val());
            }
            self.lower_found.next = self.lower_found.val() | self.occupied.val().get_bit(4 * l);
        }
        self.higher_occupied.next = 0.into();
        self.higher_found.next = false;
        for n in LP..(LP + 1) {
            for m in 1..(LP / 4 + 1) {
                for h in 0..4 {
                    self.higher_occupied.next = self.higher_occupied.val().replace_bit(n - 4 * m + h, self.higher_found.val());
                }
                self.higher_found.next = self.higher_found.val() | self.occupied.val().get_bit(n - 4 * m);
            }
        }

        // The leading group, and its four lanes.
        self.leading_group.next = self.occupied.val() & !self.lower_occupied.val();
        if self.highest_leads.val() {
            self.leading_group.next = self.occupied.val() & !self.higher_occupied.val();
        }
        self.group_lanes.next = 0.into();
        for p in 0..(LP / 4) {
            for q in 0..4 {
                self.group_lanes.next = self.group_lanes.val().replace_bit(
                    q,
                    self.group_lanes.val().get_bit(q)
                        | (self.wide_candidates.val().get_bit(4 * p + q) & self.leading_group.val().get_bit(4 * p + q)),
                );
            }
        }

        // The leader in the leading group: the last lane found if the highest leads, else the first.
        self.group_leader.next = self.no_lane.val();
        if self.requested.val() {
            self.group_leader.next = self.no_lane.val().replace_bit(0, self.group_lanes.val().get_bit(0));
            for r in 1..4 {
                if self.group_lanes.val().get_bit(r) & (self.highest_leads.val() | !self.group_leader.val().any()) {
                    self.group_leader.next = self.no_lane.val().replace_bit(r, true);
                }
            }
        }

        // The registers cut the path between the search and the decoding into `L` bits.
        self.leading_group_q.d.next = self.leading_group.val();
        self.group_leader_q.d.next = self.group_leader.val();
        for s in 0..(LP / 4) {
            for t in 0..4 {
                self.wide_leader.next = self.wide_leader.val().replace_bit(
                    4 * s + t,
                    self.wide_leader.val().get_bit(4 * s + t)
                        | (self.leading_group_q.q.val().get_bit(4 * s + t) & self.group_leader_q.q.val().get_bit(t)),
                );
            }
        }
        self.leader.next = bit_cast::<L, LP>(self.wide_leader.val());
    }
}
