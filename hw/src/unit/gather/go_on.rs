// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes that an operation lets go on, or sends back to issue again.
//!
//! *Reads:* where the lanes of the operation two cycles inside are, and what becomes of them. *Writes:* the lanes strobe (a gate); one cycle later who
//! leads them; whether it takes two strobes. *Latency:* 0 and 1. Implements the lanes strobe of `docs/interface.md`, section `gather`, and the leader
//! of `elect.sync`.
//!
//! An exit may close both rendezvous. They leave one after the other, so that one finder of the leader does; the operation stays meanwhile.

use super::leader::Leader;
use crate::prelude::*;

/// What bears on the lanes of an operation; it holds in the cycle after it, too, but for the first three.
#[payload]
pub struct LaneFate<LW, L> {
    /// Its gathering is complete and does not wait; there is no rendezvous for its lanes; what closes does so now.
    pub arrives: Bit,
    pub retries: Bit,
    pub closes: Bit,
    pub warp: Bits<LW>,
    pub here: Bits<L>,
    /// All that are here go on, or all are sent back.
    pub all: Bit,
    /// Each rendezvous: it closes; its members; a lane of it is to lead.
    pub closing_0: Bit,
    pub closing_1: Bit,
    pub met_0: Bits<L>,
    pub met_1: Bits<L>,
    pub elect_0: Bit,
    pub elect_1: Bit,
    /// The highest lane leads.
    pub highest: Bit,
}

/// `LW` bits say which warp; `L` lanes.
#[block]
pub struct GoOn<LW, L, LP> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub fate: Signal<In, LaneFate<LW, L>>,
    pub lanes: StrobeOut<LaneRelease<LW, L>>,
    /// Who leads them, one cycle after they are shown.
    pub leader: Signal<Out, Bits<L>>,
    /// The lanes of the second rendezvous are shown in the next cycle.
    pub twice: Signal<Out, Bit>,
    finder: Leader<L, LP>,
    #[reset]
    second: DFF<Bit>,
    /// The lanes of the second rendezvous are shown, or of none.
    of_second: Signal<Local, Bit>,
    released: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for GoOn<LW, L, LP> {
    fn update(&mut self) {
        self.twice.next = self.fate.val().closes & self.fate.val().closing_0 & self.fate.val().closing_1;
        self.second.d.next = self.twice.val();
        self.of_second.next = self.second.q.val() | !self.fate.val().closing_0;
        self.released.next = self.fate.val().here & self.fate.val().met_0;
        self.finder.asked.next = self.fate.val().elect_0;
        if self.of_second.val() {
            self.released.next = self.fate.val().here & self.fate.val().met_1;
            self.finder.asked.next = self.fate.val().elect_1;
        }
        self.finder.set.next = self.released.val();
        self.finder.highest.next = self.fate.val().highest;
        self.leader.next = self.finder.leader.val();

        self.lanes.valid.next =
            self.fate.val().arrives | self.fate.val().retries | self.fate.val().closes | self.second.q.val();
        self.lanes.payload.next.warp = self.fate.val().warp;
        self.lanes.payload.next.mask = self.released.val();
        if self.fate.val().all {
            self.lanes.payload.next.mask = self.fate.val().here;
        }
        self.lanes.payload.next.leaders = 0.into();
        self.lanes.payload.next.retry = self.fate.val().retries;
    }
}
