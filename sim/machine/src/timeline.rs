// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The activity of every warp over time: an observer of a run that records intervals instead of cycles.

use super::cycle::Cycle;
use super::warp::Warp;
use bcu_program::Place;

/// The maximum number of recorded intervals; a picture with more intervals is not more readable.
pub const MAX_INTERVALS: usize = 200_000;

/// The state of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No other state applies: the warp issues; its instruction is offered on a channel; the scheduler picks other warps; or it waits for
    /// the result of a load, a read or an arrival at an mbarrier.
    Running,
    /// An instruction of the warp takes several cycles.
    Busy,
    /// An arrival of the warp at a barrier is held until the warp's accesses are performed.
    Memory,
    /// Lanes of the warp wait for other lanes of the warp, and no lane can resume.
    Gathering,
    /// The warp waits at the barrier of this id.
    Waiting(u8),
    /// The warp waits for the phase of an mbarrier.
    AtMbarrier,
    /// The warp waits at the barrier of its cluster.
    AtCluster,
    /// The warp waits for grids before its own grid.
    AtGrid,
    /// The fault policy has stopped the warp.
    Stopped,
    /// The warp has exited, and its CTA still holds the warp slot.
    Exited,
}

/// An interval of time in which a warp is in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interval {
    pub state: State,
    /// The first cycle in this state.
    pub from: u64,
    /// The first cycle after this state.
    pub to: u64,
    /// The location of the first instruction in this interval.
    pub first: Place,
    /// The location of the last instruction in this interval.
    pub last: Place,
}

/// The intervals of one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub cta: usize,
    /// The number of the warp within its CTA.
    pub warp: usize,
    /// The role of the warp, or the name of its entry.
    pub program: String,
    /// The intervals in order of time; before the first interval the warp was not launched.
    pub intervals: Vec<Interval>,
}

/// The recorded intervals of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// One row per warp, in launch order.
    pub rows: Vec<Row>,
    /// The first cycle that is not recorded; `None` if the whole run is recorded.
    pub stopped: Option<u64>,
}

/// The interval of a warp that has not ended yet.
#[derive(Clone, Debug)]
struct Open {
    state: State,
    from: u64,
    first: Place,
    /// The cycle in which a busy warp is ready again. This cycle distinguishes one long instruction from two consecutive ones.
    until: u64,
}

/// Records a run: [`Recorder::cycle`] is an observer for [`run`](super::run).
#[derive(Clone, Debug)]
pub struct Recorder {
    limit: usize,
    cycle: u64,
    rows: Vec<Row>,
    /// The open interval of each row.
    open: Vec<Option<Open>>,
    /// For each multiprocessor, the rows of its warps in launch order, and the row of each warp slot in the previous cycle.
    sms: Vec<(Vec<usize>, Vec<Option<usize>>)>,
    /// The number of intervals closed so far.
    interval_count: usize,
    stopped: Option<u64>,
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder::with_limit(MAX_INTERVALS)
    }
}

impl Recorder {
    /// A recorder that keeps approximately at most `limit` intervals.
    pub fn with_limit(limit: usize) -> Recorder {
        Recorder { limit, cycle: 0, rows: vec![], open: vec![], sms: vec![], interval_count: 0, stopped: None }
    }

    /// Records a cycle; to be called in every cycle, from the reset cycle on.
    pub fn cycle(&mut self, observed: &Cycle) {
        let cycle = self.cycle;
        self.cycle += 1;
        if self.stopped.is_some() {
            return;
        }
        self.sms.resize(observed.sms.len(), Default::default());
        for (number, sm) in observed.sms.iter().enumerate() {
            let (rows, owners) = &mut self.sms[number];
            owners.resize(sm.warp_slots.len(), None);
            for warp in sm.warps.iter().skip(rows.len()) {
                let program = warp.program.name.clone();
                rows.push(self.rows.len());
                self.rows.push(Row { cta: warp.cta, warp: warp.warp, program, intervals: vec![] });
                self.open.push(None);
            }
            for (slot, index) in sm.warp_slots.iter().enumerate() {
                let (rows, owners) = &mut self.sms[number];
                let owner = index.and_then(|index| rows.get(index).copied());
                let before = std::mem::replace(&mut owners[slot], owner);
                if let Some(row) = before.filter(|_| before != owner) {
                    // The CTA has retired, and its warps have left their slots.
                    self.close(row, cycle, None);
                }
                if let Some((row, warp)) = owner.zip(index.and_then(|index| sm.warps.get(index))) {
                    self.look(row, warp, cycle);
                }
            }
        }
        if self.interval_count >= self.limit {
            (0..self.rows.len()).for_each(|row| self.close(row, cycle + 1, None));
            self.stopped = Some(cycle + 1);
        }
    }

    /// Ends the recording, and returns the intervals.
    pub fn finish(mut self) -> Timeline {
        (0..self.rows.len()).for_each(|row| self.close(row, self.cycle, None));
        // Several multiprocessors launch CTAs in parallel, so the rows are sorted.
        self.rows.sort_by_key(|row| (row.cta, row.warp));
        Timeline { rows: self.rows, stopped: self.stopped }
    }

    fn look(&mut self, row: usize, warp: &Warp, cycle: u64) {
        if !warp.started {
            return;
        }
        let open = self.open[row].as_ref();
        let same_step = open.is_some_and(|o| o.state == State::Busy && o.until == warp.ready_at && warp.ready_at > cycle);
        let state = match (warp.exited, warp.waits_at) {
            (Some(_), _) => State::Exited,
            _ if warp.stopped.is_some() => State::Stopped,
            (None, Some(_)) if warp.waits_for_memory => State::Memory,
            (None, Some(id)) => State::Waiting(id),
            (None, None) if warp.at_cluster.is_some() => State::AtCluster,
            (None, None) if warp.at_grid.is_some() => State::AtGrid,
            _ if warp.waits_at_mbarrier() => State::AtMbarrier,
            _ if warp.port.is_some() => State::Running,
            _ if same_step || warp.ready_at > cycle + 1 => State::Busy,
            _ if warp.waiting != 0 && warp.chosen().is_none() => State::Gathering,
            _ => State::Running,
        };
        if open.is_some_and(|o| o.state == state && (state != State::Busy || same_step)) {
            return;
        }
        self.close(row, cycle, Some(warp));
        let first = if state == State::Running { warp.place() } else { warp.last_place() };
        self.open[row] = Some(Open { state, from: cycle, first, until: warp.ready_at });
    }

    /// Closes the open interval of a row in cycle `to`; `warp` is the state of the warp after the interval.
    fn close(&mut self, row: usize, to: u64, warp: Option<&Warp>) {
        let Some(Open { state, from, first, .. }) = self.open[row].take() else { return };
        // In a running interval the last instruction is the last one issued; any other interval has only one instruction.
        let last = warp.filter(|_| state == State::Running).map_or(first.clone(), Warp::last_place);
        self.rows[row].intervals.push(Interval { state, from, to, first, last });
        self.interval_count += 1;
    }
}
