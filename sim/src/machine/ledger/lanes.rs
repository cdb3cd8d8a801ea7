// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes of a warp that wait for others of it, before the warp as a whole arrives anywhere (`docs/interface.md`, unit `gather`).

use super::super::meaning::{Ask, Form, Meaning};
use crate::program::Place;
use bcu_hw::unit::op::{FaultCode, Form as Lanes};

/// An instruction on its way through the unit.
#[derive(Clone, Debug)]
pub(in super::super) struct Coming {
    pub meaning: Meaning,
    /// Found before it came to the barriers.
    pub fault: Option<FaultCode>,
    pub form: Lanes,
    pub lanes: u64,
    pub cycle: u64,
    pub place: Place,
    /// Why not all lanes of the warp are here, in words behind a sentence.
    pub divergence: String,
}

/// Lanes that go on, or that must issue their instruction again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct LaneStrobe {
    pub warp_slot: usize,
    pub mask: u64,
    pub leaders: u64,
    pub retry: bool,
}

/// What comes of an instruction or an exit.
#[derive(Default)]
pub(super) struct Outcome {
    /// Goes on to the barriers.
    pub pass: Option<Coming>,
    /// Is shown on the lanes strobe; its warp slot is not filled in.
    pub strobe: Option<LaneStrobe>,
    /// Lanes that do not wait, though they asked for it.
    pub refused: u64,
    /// Lanes that have gathered, and wait with their warp at this barrier from now on.
    pub gathered: Option<(u64, u8)>,
}

/// A barrier operation of which some lanes have come.
#[derive(Clone, Debug)]
struct Gathering {
    ask: Ask,
    came: Coming,
}

/// `bar.warp.sync` or `elect.sync` of which some lanes have come.
#[derive(Clone, Debug)]
struct Meeting {
    elect: bool,
    members: u64,
    came: Coming,
}

/// Lanes that wait, the lanes that they wait for, and the first instruction with which they came.
pub(in super::super) struct Partly {
    pub lanes: u64,
    pub missing: u64,
    pub place: Place,
}

/// The lanes of one warp.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneBook {
    live: u64,
    gathering: Option<Gathering>,
    meetings: [Option<Meeting>; 2],
}

impl LaneBook {
    pub fn new(live: u64) -> LaneBook {
        LaneBook { live, ..LaneBook::default() }
    }

    /// An instruction; `highest` says who leads.
    pub fn take(&mut self, mut coming: Coming, highest: bool) -> Outcome {
        let lanes = coming.lanes;
        match (coming.form, coming.meaning) {
            (_, Meaning::Meet { elect, members }) => return self.meet(coming, elect, members, highest),
            (Lanes::Aligned, Meaning::Arrival(_)) if lanes != self.live => coming.fault = Some(FaultCode::PartialMask),
            (Lanes::Gathered, Meaning::Arrival(ask)) if ask.uniform => return self.gather(coming, ask),
            (Lanes::Gathered, _) => return Outcome { pass: Some(coming), refused: lanes, ..Outcome::default() },
            _ => {}
        }
        Outcome { pass: Some(coming), ..Outcome::default() }
    }

    /// Lanes exit; true beside the outcome if they were the last.
    pub fn exit(&mut self, lanes: u64, highest: bool) -> (Outcome, bool) {
        self.live &= !lanes;
        let mut outcome = Outcome::default();
        if self.live == 0 {
            return (outcome, true);
        }
        self.complete(&mut outcome, highest);
        (outcome, false)
    }

    /// Who waits here for whom.
    pub fn waiting(&self) -> Vec<Partly> {
        let gathering = self.gathering.iter().map(|g| (self.live, &g.came));
        let meetings = self.meetings.iter().flatten().map(|m| (m.members & self.live, &m.came));
        let partly =
            |(all, came): (u64, &Coming)| Partly { lanes: came.lanes, missing: all & !came.lanes, place: came.place.clone() };
        gathering.chain(meetings).map(partly).collect()
    }

    /// All live lanes wait here.
    pub fn stopped(&self) -> bool {
        self.live != 0 && self.waiting().iter().fold(0, |mask, partly| mask | partly.lanes) == self.live
    }

    fn mismatch(mut coming: Coming) -> Outcome {
        let refused = coming.lanes;
        coming.fault = Some(FaultCode::GatherMismatch);
        Outcome { pass: Some(coming), refused, ..Outcome::default() }
    }

    fn gather(&mut self, coming: Coming, ask: Ask) -> Outcome {
        let key = |ask: &Ask| (ask.form, ask.reduction, ask.id, ask.count);
        match &mut self.gathering {
            Some(open) if key(&open.ask) != key(&ask) => return Self::mismatch(coming),
            Some(open) => {
                open.ask.votes |= ask.votes;
                open.came = Coming { lanes: open.came.lanes | coming.lanes, ..coming };
            }
            none => *none = Some(Gathering { ask, came: coming }),
        }
        let mut outcome = Outcome::default();
        self.complete(&mut outcome, false);
        outcome
    }

    fn meet(&mut self, coming: Coming, elect: bool, members: u64, highest: bool) -> Outcome {
        let lanes = coming.lanes;
        let fits = |m: &Meeting| m.members == members && m.elect == elect;
        if lanes & !members != 0 || self.meetings.iter().flatten().any(|m| m.members & members != 0 && !fits(m)) {
            return Self::mismatch(coming);
        }
        if let Some(open) = self.meetings.iter_mut().flatten().find(|m| fits(m)) {
            open.came.lanes |= lanes;
        } else if let Some(free) = self.meetings.iter_mut().find(|m| m.is_none()) {
            *free = Some(Meeting { elect, members, came: coming });
        } else {
            let strobe = Some(LaneStrobe { mask: lanes, retry: true, ..LaneStrobe::default() });
            return Outcome { strobe, ..Outcome::default() };
        }
        let mut outcome = Outcome::default();
        self.complete(&mut outcome, highest);
        outcome
    }

    /// Closes what is complete.
    fn complete(&mut self, outcome: &mut Outcome, highest: bool) {
        let mut strobe = LaneStrobe::default();
        let live = self.live;
        if let Some(Gathering { mut ask, came }) = self.gathering.take_if(|g| g.came.lanes == live) {
            ask.whole(came.lanes);
            match ask.form {
                Form::Arv => strobe.mask |= came.lanes,
                Form::Sync | Form::Red => outcome.gathered = Some((came.lanes, ask.id)),
            }
            outcome.pass = Some(Coming { meaning: Meaning::Arrival(ask), ..came });
        }
        for meeting in &mut self.meetings {
            let Some(done) = meeting.take_if(|m| m.came.lanes == m.members & live) else { continue };
            let lanes = done.came.lanes;
            strobe.mask |= lanes;
            strobe.leaders |= match (done.elect, highest) {
                (false, _) => 0,
                (true, false) => lanes & lanes.wrapping_neg(),
                (true, true) => 1 << (63 - lanes.leading_zeros().min(63)),
            };
        }
        outcome.strobe = (strobe.mask != 0).then_some(strobe);
    }
}
