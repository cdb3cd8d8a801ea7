// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lanes of one warp, by `docs/contract/gather.md`: which arrival of the whole warp results
//! from the instructions of single lanes, and which lanes resume.

/// Values of `Form` at the instruction port.
pub const GATHERED: u64 = 2;
pub const WARP_SYNC: u64 = 3;
pub const ELECT: u64 = 4;

/// An arrival at a barrier, of some lanes or of a whole warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// At a named barrier: whether the warp waits; the id; the count in threads; the value of `Reduction`.
    Named {
        waits: bool,
        id: u64,
        count: u64,
        reduction: u64,
    },
    ClusterArrive {
        is_relaxed: bool,
    },
    ClusterWait,
}

impl Arrival {
    fn waits(self) -> bool {
        match self {
            Arrival::Named { waits, .. } => waits,
            Arrival::ClusterArrive { .. } => false,
            Arrival::ClusterWait => true,
        }
    }
}

/// An expected output on the strobe `lanes`. First the mask of the lanes. Second, after an election,
/// the mask of the lanes that may be the leader. Third whether the lanes must issue their
/// instruction again instead of resuming.
pub type Shown = (u64, Option<u64>, bool);

/// An arrival of the whole warp: the arrival, the mask of the lanes that take part, and the mask of
/// those whose predicate is true.
pub type Whole = (Arrival, u64, u64);

#[derive(Clone, Copy, Debug)]
struct Rendezvous {
    is_elect: bool,
    members: u64,
    lanes: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Lanes {
    pub live: u64,
    gathering: Option<Whole>,
    rendezvous: [Option<Rendezvous>; 2],
}

impl Lanes {
    pub fn new(live: u64) -> Lanes {
        Lanes { live, ..Lanes::default() }
    }

    /// Some lanes arrive. Returns the arrival of the whole warp if these lanes complete it, and the lanes that resume.
    pub fn arrive(
        &mut self,
        form: u64,
        arrival: Arrival,
        lanes: u64,
        votes: u64,
    ) -> Result<(Option<Whole>, Option<Shown>), String> {
        if form != GATHERED {
            return Ok((Some((arrival, lanes, votes)), None));
        }
        let joined = self.gathering.get_or_insert((arrival, 0, 0));
        if joined.0 != arrival || joined.1 & lanes != 0 || lanes & !self.live != 0 {
            return Err(format!("the page refuses lanes {lanes:#x} of a legal user: {arrival:?}, and {joined:?} is open"));
        }
        (joined.1, joined.2) = (joined.1 | lanes, joined.2 | votes);
        Ok(self.gathered())
    }

    /// Completes the gathered arrival if all live lanes have arrived. Returns the same as [`Lanes::arrive`].
    fn gathered(&mut self) -> (Option<Whole>, Option<Shown>) {
        let whole = self.gathering.filter(|(_, lanes, _)| *lanes == self.live);
        let Some((arrival, lanes, _)) = whole else { return (None, None) };
        self.gathering = None;
        (whole, (!arrival.waits()).then_some((lanes, None, false)))
    }

    /// Lanes execute a WarpSync or Elect with the mask `members`. Returns the expected output on
    /// `lanes`, if any: all members resume when the last of them has come. If no place is free for
    /// the rendezvous, the lanes must issue again.
    pub fn meet(&mut self, form: u64, members: u64, lanes: u64) -> Option<Shown> {
        let is_elect = form == ELECT;
        let same = |open: &Option<Rendezvous>| open.is_some_and(|open| open.members == members && open.is_elect == is_elect);
        let place = self.rendezvous.iter().position(same).or_else(|| self.rendezvous.iter().position(Option::is_none));
        let Some(place) = place else { return Some((lanes, None, true)) };
        let open = self.rendezvous[place].get_or_insert(Rendezvous { is_elect, members, lanes: 0 });
        open.lanes |= lanes;
        self.met(place)
    }

    /// Completes the rendezvous `place` if all of its live members have come.
    fn met(&mut self, place: usize) -> Option<Shown> {
        let open = self.rendezvous[place].filter(|open| open.members & self.live & !open.lanes == 0)?;
        self.rendezvous[place] = None;
        Some((open.lanes, open.is_elect.then_some(open.lanes), false))
    }

    /// Lanes exit. Returns the arrival of the whole warp if the exit completes it, and the lanes that resume.
    pub fn exit(&mut self, lanes: u64) -> (Option<Whole>, Vec<Shown>) {
        self.live &= !lanes;
        if self.live == 0 {
            return (None, vec![]);
        }
        let (whole, shown) = self.gathered();
        let met = [self.met(0), self.met(1)];
        (whole, shown.into_iter().chain(met.into_iter().flatten()).collect())
    }
}
