// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the lanes of each warp: one row per warp, read-modify-write at one operation a cycle.
//!
//! *Reads:* the warp of the operation that enters; one cycle later the warps whose rows are reset; two cycles later the new row
//! and its warp. *Writes:* the row of the operation in the lookup stage. *Latency:* 1. Implements *State* of
//! `docs/contract/gather.md`.
//!
//! A row has the state of each lane, one gathering (its operation, and the sum of its votes) and two rendezvous (their member
//! masks). Operands and member masks are written when the gathering or rendezvous opens, and are meaningless while it is not open.
//! The state of a lane takes two bits, its bits of `waiting_lanes` and `not_in_rendezvous`: 00 = the lane has exited, 01 = it runs,
//! 10 = it waits at a rendezvous, 11 = it waits at the gathering. The member masks determine at which rendezvous a lane waits, because
//! two open rendezvous share no lane.
//!
//! A Launch changes many rows at once, so one bit per warp marks a row that is still in its initial state, whatever the memory
//! holds; any write of the row clears that bit. A row is written one cycle after it is read, because the decision whether the
//! operation changes the row takes that cycle. The input stage ensures that no later operation reads the row before that write, or in
//! the cycle of a reset.

use super::payloads::{Gathering, LaneStates, Neighbours, NextRow, Row, Tag};
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, `L` lanes each, contributions to a reduction of `VW` bits.
#[block]
pub struct Rows<W, LW, L, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The pipeline stalls: the row that was read is kept.
    pub stall: Signal<In, Bit>,
    pub neighbours: Signal<In, Neighbours<LW>>,
    /// The rows of the warps in `reset_warps` are reset.
    pub resets_rows: Signal<In, Bit>,
    /// Warps of the Launch or Release in the lookup stage.
    pub reset_warps: Signal<In, Bits<W>>,
    /// The operation in the commit stage writes its row.
    pub write: Signal<In, Bit>,
    /// One-hot: the warp whose row the operation in the commit stage writes.
    pub commit_warp: Signal<In, Bits<W>>,
    pub next_row: Signal<In, NextRow<L, VW>>,
    pub row: Signal<Out, Row<L, VW>>,
    /// Warps whose row is still in its initial state.
    pub initial_rows: Signal<Out, Bits<W>>,
    lane_states: Ram<Packed<LaneStates<L>>, LW>,
    member_rams: [Ram<Bits<L>, LW>; 2],
    gatherings: Ram<Packed<Gathering>, LW>,
    tags: Ram<Packed<Tag<VW>>, LW>,
    /// Register of `initial_rows`.
    initial_rows_q: DFF<Bits<W>>,
    /// The row of the operation in the lookup stage is in its initial state: the memory is ignored.
    is_initial: DFF<Bit>,
    next_initial_rows: Signal<Local, Bits<W>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every_warp: Constant<Bits<W>>,
}

#[block]
impl Logic for Rows {
    fn update(&mut self) {
        let neighbours = self.neighbours.val();
        let next_row = self.next_row.val();
        self.lane_states.read.next = !self.stall.val();
        self.lane_states.read_address.next = neighbours.next_warp;
        self.lane_states.write.next = self.write.val();
        self.lane_states.write_address.next = neighbours.commit_target;
        self.lane_states.write_value.next = next_row.lane_states.into();
        for i in 0..2 {
            self.member_rams[i].read.next = !self.stall.val();
            self.member_rams[i].read_address.next = neighbours.next_warp;
            self.member_rams[i].write_address.next = neighbours.commit_target;
            self.member_rams[i].write_value.next = next_row.members;
        }
        self.member_rams[0].write.next = self.write.val() & next_row.opens_0;
        self.member_rams[1].write.next = self.write.val() & next_row.opens_1;
        self.gatherings.read.next = !self.stall.val();
        self.gatherings.read_address.next = neighbours.next_warp;
        self.gatherings.write.next = self.write.val() & next_row.opens_gathering;
        self.gatherings.write_address.next = neighbours.commit_target;
        self.gatherings.write_value.next = next_row.gathering.into();
        self.tags.read.next = !self.stall.val();
        self.tags.read_address.next = neighbours.next_warp;
        self.tags.write.next = self.write.val();
        self.tags.write_address.next = neighbours.commit_target;
        self.tags.write_value.next = next_row.tag.into();

        // Warps whose row is in its initial state. The reset comes from the operation in the lookup stage, which is later
        // than the operation that writes. So the reset has priority over the write.
        self.initial_rows.next = self.initial_rows_q.q.val();
        self.next_initial_rows.next = self.initial_rows_q.q.val();
        if self.write.val() {
            self.next_initial_rows.next = self.initial_rows_q.q.val() & !self.commit_warp.val();
        }
        if self.resets_rows.val() {
            self.next_initial_rows.next = self.next_initial_rows.val() | self.reset_warps.val();
        }
        self.initial_rows_q.d.next = self.next_initial_rows.val();
        if !self.stall.val() {
            self.is_initial.d.next = self.initial_rows_q.q.val().at(neighbours.next_warp);
        }
        if self.reset.val() {
            self.initial_rows_q.d.next = self.every_warp.val();
        }

        self.row.next.is_initial = self.is_initial.q.val();
        self.row.next.lane_states = self.lane_states.read_value.val().into();
        self.row.next.members_0 = self.member_rams[0].read_value.val();
        self.row.next.members_1 = self.member_rams[1].read_value.val();
        self.row.next.gathering = self.gatherings.read_value.val().into();
        self.row.next.tag = self.tags.read_value.val().into();
        if self.is_initial.q.val() {
            self.row.next.tag.gathering_tag.open = false;
            self.row.next.tag.rendezvous_tag.open_0 = false;
            self.row.next.tag.rendezvous_tag.open_1 = false;
        }
    }
}
