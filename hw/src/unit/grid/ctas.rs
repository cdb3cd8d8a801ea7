// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each CTA in its grid: which messages about it have been sent to the hub, and which message is next.
//!
//! *Reads:* launches; CTAs that have ended; the operation in the unit. *Writes:* in the same cycle the grid of the CTA of that operation;
//! the messages to the hub; the CTA slots that are freed. *Latency:* 1. Implements *CTAs* of `docs/contract/grids.md`.

use super::ports::{GridLaunch, GridMessage, GridMessageKind};
use crate::prelude::*;

/// Sizes: `S` CTA slots with numbers of `LC` bits, grid slot numbers of `KG` bits.
#[block]
pub struct GridCtas<LC, S, KG> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched in a CTA slot.
    pub launch: StrobeIn<GridLaunch<LC, KG>>,
    /// CTA slots whose CTA has ended.
    pub ended: Signal<In, Bits<S>>,
    /// CTA slot of the operation in the unit.
    pub op_cta: Signal<In, Bits<LC>>,
    /// The operation in the unit is a launch_dependents, and takes effect.
    pub is_launch_dependents: Signal<In, Bit>,
    /// The CTA of the operation in the unit belongs to a grid.
    pub is_member: Signal<Out, Bit>,
    /// Grid slot of the CTA of the operation in the unit.
    pub grid: Signal<Out, Bits<KG>>,
    /// Messages to the hub.
    pub grid_out: Source<GridMessage<KG>>,
    /// CTA slots without state in this unit.
    pub freed: Signal<Out, Bits<S>>,
    /// CTA slots whose CTA belongs to a grid and whose Ended has not been transferred to the hub.
    #[reset]
    members: DFF<Bits<S>>,
    /// CTA slots with a warp that has issued launch_dependents.
    #[reset]
    issue_requested: DFF<Bits<S>>,
    /// CTA slots whose LaunchedDependents has been transferred to the hub.
    #[reset]
    issued: DFF<Bits<S>>,
    /// Element k: bit k of the grid slot's number, for the CTA in each CTA slot.
    grids: [DFF<Bits<S>>; KG],
    /// Chooses the CTA slot whose message is offered.
    turns: RoundRobin<S>,
    /// The message that is offered.
    message: Buffer<GridMessage<KG>>,
    /// One-hot: CTA slot of the launch.
    launched_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot of the launch_dependents.
    requesting_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot whose LaunchedDependents is transferred.
    issued_slot: Signal<Local, Bits<S>>,
    /// One-hot: CTA slot whose Ended is transferred.
    ended_slot: Signal<Local, Bits<S>>,
    /// CTA slots for which a LaunchedDependents is due, if they are in `members`.
    to_issue: Signal<Local, Bits<S>>,
    /// CTA slots for which an Ended is due, if they are in `members`.
    to_end: Signal<Local, Bits<S>>,
    /// One-hot: the CTA slot that has its turn, if its message is an Ended; else 0.
    ending_slot: Signal<Local, Bits<S>>,
    /// CTA slots for which a message is due.
    due_slots: Signal<Local, Bits<S>>,
    /// Element k: the CTA slot that has its turn, one-hot, if bit k of its grid slot's number is 1; else 0.
    granted_grid_bits: [Signal<Local, Bits<S>>; KG],
    /// Grid slot of the CTA of the operation in the unit.
    op_grid: Signal<Local, Bits<KG>>,
    /// Grid slot of the CTA in the CTA slot that has its turn.
    granted_grid: Signal<Local, Bits<KG>>,
    no_slots: Constant<Bits<S>>,
}

#[block]
impl Logic for GridCtas {
    fn update(&mut self) {
        self.launched_slot.next = 0.into();
        if self.launch.valid.val() {
            self.launched_slot.next = self.no_slots.val().with(self.launch.payload.val().cta, true);
        }
        self.requesting_slot.next = 0.into();
        if self.is_launch_dependents.val() {
            self.requesting_slot.next = self.no_slots.val().with(self.op_cta.val(), true);
        }

        // The CTA slot whose message is offered next.
        self.to_issue.next = (self.ended.val() | self.issue_requested.q.val()) & !self.issued.q.val();
        self.to_end.next = self.ended.val() & self.issued.q.val();
        self.due_slots.next = self.members.q.val() & (self.to_issue.val() | self.to_end.val());
        self.turns.request.next = self.due_slots.val();
        self.turns.grant_taken.next = self.message.in_.ready.val();
        self.granted_grid.next = 0.into();
        self.op_grid.next = 0.into();
        for i in 0..KG {
            self.granted_grid_bits[i].next = self.turns.grant.val() & self.grids[i].q.val();
            self.granted_grid.next = self.granted_grid.val().replace_bit(i, self.granted_grid_bits[i].val().any());
            self.op_grid.next = self.op_grid.val().replace_bit(i, self.grids[i].q.val().at(self.op_cta.val()));
        }
        self.message.in_.valid.next = self.due_slots.val().any();
        self.message.in_.payload.next.kind = GridMessageKind::LaunchedDependents;
        self.ending_slot.next = self.turns.grant.val() & self.issued.q.val();
        if self.ending_slot.val().any() {
            self.message.in_.payload.next.kind = GridMessageKind::Ended;
        }
        self.message.in_.payload.next.grid = self.granted_grid.val();
        Channel::join(&mut self.message.out, &mut self.grid_out);

        // The message on `grid_out` is about the CTA in the CTA slot that had the last turn.
        self.issued_slot.next = 0.into();
        self.ended_slot.next = 0.into();
        if self.grid_out.valid.val() & self.grid_out.ready.val() {
            if self.grid_out.payload.val().kind == GridMessageKind::LaunchedDependents {
                self.issued_slot.next = self.turns.last_grant.val();
            } else {
                self.ended_slot.next = self.turns.last_grant.val();
            }
        }
        self.issue_requested.d.next = (self.issue_requested.q.val() | self.requesting_slot.val()) & !self.launched_slot.val();
        self.issued.d.next = (self.issued.q.val() | self.issued_slot.val()) & !self.launched_slot.val();
        self.members.d.next = self.members.q.val() & !self.ended_slot.val() & !self.launched_slot.val();
        if self.launch.payload.val().in_grid.has_grid {
            self.members.d.next = (self.members.q.val() & !self.ended_slot.val()) | self.launched_slot.val();
        }
        for k in 0..KG {
            self.grids[k].d.next = self.grids[k].q.val() & !self.launched_slot.val();
            if self.launch.payload.val().in_grid.grid.get_bit(k) {
                self.grids[k].d.next = self.grids[k].q.val() | self.launched_slot.val();
            }
        }
        self.is_member.next = self.members.q.val().at(self.op_cta.val());
        self.grid.next = self.op_grid.val();
        self.freed.next = !self.members.q.val();
    }
}
