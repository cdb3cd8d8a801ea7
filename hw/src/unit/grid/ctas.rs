// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What each CTA has said of its grid, and what is still to be told of it.
//!
//! *Reads:* launches, which CTAs have ended; the operation inside. *Writes:* in the same cycle the grid of its CTA; the messages to the hub (latency
//! 1); which slots are freed. *Latency:* 1. Implements *CTAs* of `docs/grids.md`.

use super::ports::{GridLaunch, GridMessage, GridMessageKind};
use crate::prelude::*;

/// `S` CTA slots.
#[block]
pub struct GridCtas<LC, S, KG> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launch: StrobeIn<GridLaunch<LC, KG>>,
    pub ended: Signal<In, Bits<S>>,
    /// The CTA slot of the operation inside; it is a launch_dependents that has its effect.
    pub cta: Signal<In, Bits<LC>>,
    pub asks: Signal<In, Bit>,
    /// Its CTA is of this grid.
    pub is_member: Signal<Out, Bit>,
    pub grid: Signal<Out, Bits<KG>>,
    pub grid_out: Source<GridMessage<KG>>,
    pub freed: Signal<Out, Bits<S>>,
    #[reset]
    members: DFF<Bits<S>>,
    #[reset]
    asked: DFF<Bits<S>>,
    #[reset]
    issued: DFF<Bits<S>>,
    /// One bit of every slot's grid.
    grids: [DFF<Bits<S>>; KG],
    turns: RoundRobin<S>,
    message: Buffer<GridMessage<KG>>,
    /// The slot of a launch; those of which the message on the channel is taken: an Issued, an Ended.
    comes: Signal<Local, Bits<S>>,
    asking: Signal<Local, Bits<S>>,
    issues: Signal<Local, Bits<S>>,
    ends: Signal<Local, Bits<S>>,
    /// Slots of which an Issued is due if they are members, and an Ended; the slot in turn, if it is an Ended of it.
    to_issue: Signal<Local, Bits<S>>,
    to_end: Signal<Local, Bits<S>>,
    ending: Signal<Local, Bits<S>>,
    due: Signal<Local, Bits<S>>,
    of_grid: [Signal<Local, Bits<S>>; KG],
    own: Signal<Local, Bits<KG>>,
    told: Signal<Local, Bits<KG>>,
    nobody: Constant<Bits<S>>,
}

#[block]
impl Logic for GridCtas<LC, S, KG> {
    fn update(&mut self) {
        self.comes.next = 0.into();
        if self.launch.valid.val() {
            self.comes.next = self.nobody.val().with(self.launch.payload.val().cta, true);
        }
        self.asking.next = 0.into();
        if self.asks.val() {
            self.asking.next = self.nobody.val().with(self.cta.val(), true);
        }

        // Whose message is offered next.
        self.to_issue.next = (self.ended.val() | self.asked.q.val()) & !self.issued.q.val();
        self.to_end.next = self.ended.val() & self.issued.q.val();
        self.due.next = self.members.q.val() & (self.to_issue.val() | self.to_end.val());
        self.turns.asks.next = self.due.val();
        self.turns.takes.next = self.message.in_.ready.val();
        self.told.next = 0.into();
        self.own.next = 0.into();
        for i in 0..KG {
            self.of_grid[i].next = self.turns.turn.val() & self.grids[i].q.val();
            self.told.next = self.told.val().replace_bit(i, self.of_grid[i].val().any());
            self.own.next = self.own.val().replace_bit(i, self.grids[i].q.val().at(self.cta.val()));
        }
        self.message.in_.valid.next = self.due.val().any();
        self.message.in_.payload.next.kind = GridMessageKind::Issued;
        self.ending.next = self.turns.turn.val() & self.issued.q.val();
        if self.ending.val().any() {
            self.message.in_.payload.next.kind = GridMessageKind::Ended;
        }
        self.message.in_.payload.next.grid = self.told.val();
        Channel::join(&mut self.message.out, &mut self.grid_out);

        // What is taken was offered for the slot that had the last turn.
        self.issues.next = 0.into();
        self.ends.next = 0.into();
        if self.grid_out.valid.val() & self.grid_out.ready.val() {
            if self.grid_out.payload.val().kind == GridMessageKind::Issued {
                self.issues.next = self.turns.last.val();
            } else {
                self.ends.next = self.turns.last.val();
            }
        }
        self.asked.d.next = (self.asked.q.val() | self.asking.val()) & !self.comes.val();
        self.issued.d.next = (self.issued.q.val() | self.issues.val()) & !self.comes.val();
        self.members.d.next = self.members.q.val() & !self.ends.val() & !self.comes.val();
        if self.launch.payload.val().in_grid.of_grid {
            self.members.d.next = (self.members.q.val() & !self.ends.val()) | self.comes.val();
        }
        for k in 0..KG {
            self.grids[k].d.next = self.grids[k].q.val() & !self.comes.val();
            if self.launch.payload.val().in_grid.grid.get_bit(k) {
                self.grids[k].d.next = self.grids[k].q.val() | self.comes.val();
            }
        }
        self.is_member.next = self.members.q.val().at(self.cta.val());
        self.grid.next = self.own.val();
        self.freed.next = !self.members.q.val();
    }
}
