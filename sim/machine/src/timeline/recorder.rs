// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Records intervals: an observer of a run.

use super::awaits::{awaits_copies, Loops, Watch};
use super::copies::Copies;
use super::intervals::{Awaited, ClusterArrival, Interval, Row, State, Timeline, MAX_INTERVALS};
use super::objects::Objects;
use crate::cycle::Cycle;
use crate::memory::Memory;
use crate::sm::Sm;
use crate::warp::Warp;
use crate::window::Window;
use bcu_program::Place;

/// The maximum number of cycles between two waits for the same phase that are one interval, if no loop is known that repeats them.
const MOST_BETWEEN: u64 = 64;

/// The interval of a warp that has not ended yet.
#[derive(Clone, Debug)]
struct Open {
    state: State,
    from: u64,
    first: Place,
    /// The cycle in which a busy warp is ready again. This cycle distinguishes one long instruction from two consecutive ones.
    until: u64,
    awaited: Option<Box<Awaited>>,
}

/// A warp that is recorded.
#[derive(Clone, Debug)]
struct Recorded {
    row: Row,
    open: Option<Open>,
    watch: Watch,
}

/// Records a run: [`Recorder::cycle`] is an observer for [`run`](crate::run).
#[derive(Clone, Debug)]
pub struct Recorder {
    limit: usize,
    window: Window,
    cycle: u64,
    warps: Vec<Recorded>,
    /// For each multiprocessor, the rows of its warps in launch order, and the row of each warp slot in the previous cycle.
    sms: Vec<(Vec<usize>, Vec<Option<usize>>)>,
    loops: Loops,
    objects: Objects,
    copies: Copies,
    /// The number of intervals closed so far.
    interval_count: usize,
    stopped: Option<u64>,
    /// Whether the window has ended.
    is_over: bool,
}

impl Default for Recorder {
    fn default() -> Self {
        Recorder::with_limit(MAX_INTERVALS)
    }
}

impl Recorder {
    /// A recorder that keeps approximately at most `limit` intervals.
    pub fn with_limit(limit: usize) -> Recorder {
        Recorder {
            limit,
            window: Window::default(),
            cycle: 0,
            warps: vec![],
            sms: vec![],
            loops: Loops::default(),
            objects: Objects::default(),
            copies: Copies::default(),
            interval_count: 0,
            stopped: None,
            is_over: false,
        }
    }

    /// A recorder that keeps the intervals with a cycle in `window`.
    pub fn of_window(window: Window) -> Recorder {
        Recorder { window, ..Recorder::default() }
    }

    /// Records a cycle; to be called in every cycle, from the reset cycle on.
    pub fn cycle(&mut self, observed: &Cycle) {
        let cycle = self.cycle;
        self.cycle += 1;
        if self.stopped.is_some() || self.is_over {
            return;
        }
        if self.window.to.is_some_and(|end| cycle >= end) {
            (0..self.warps.len()).for_each(|row| self.close(row, cycle, None));
            (self.is_over, self.cycle) = (true, cycle);
            return;
        }
        self.sms.resize(observed.sms.len(), Default::default());
        for (number, sm) in observed.sms.iter().enumerate() {
            let (rows, owners) = &mut self.sms[number];
            owners.resize(sm.warp_slots.len(), None);
            for warp in sm.warps.iter().skip(rows.len()) {
                rows.push(self.warps.len());
                self.warps.push(Recorded { row: row(warp), open: None, watch: Watch::default() });
            }
            for (slot, index) in sm.warp_slots.iter().enumerate() {
                let (rows, owners) = &mut self.sms[number];
                let owner = index.and_then(|index| rows.get(index).copied());
                let before = std::mem::replace(&mut owners[slot], owner);
                if let Some(row) = before.filter(|_| before != owner) {
                    // The CTA has retired, and its warps have left their slots.
                    self.close(row, cycle, None);
                }
                if let Some((row, index)) = owner.zip(*index) {
                    self.look(row, (sm, index), cycle, observed.memory);
                }
            }
            for event in sm.record.mbarriers.take_events() {
                self.interval_count += self.objects.record(event, &self.window);
            }
            self.interval_count += self.copies.cycle(sm, cycle, &self.window);
        }
        if self.interval_count >= self.limit {
            (0..self.warps.len()).for_each(|row| self.close(row, cycle + 1, None));
            self.stopped = Some(cycle + 1);
        }
    }

    /// Ends the recording, and returns the intervals.
    pub fn finish(mut self) -> Timeline {
        let end = self.stopped.unwrap_or(self.cycle);
        (0..self.warps.len()).for_each(|row| self.close(row, end, None));
        self.warps.iter_mut().filter(|warp| warp.watch.has_failed).for_each(|warp| extend_last_wait(&mut warp.row.intervals));
        let mut rows: Vec<Row> = self.warps.into_iter().map(|warp| warp.row).collect();
        // Several multiprocessors launch CTAs in parallel, so the rows are sorted.
        rows.sort_by_key(|row| (row.cta, row.warp));
        let cta_end =
            |cta: usize| rows.iter().filter(|row| row.cta == cta).filter_map(|row| Some(row.intervals.last()?.to)).max();
        let objects = self.objects.finish(end, cta_end, &self.window);
        let copies = self.copies.finish(end, &self.window);
        Timeline { rows, objects, copies, stopped: self.stopped }
    }

    fn look(&mut self, row: usize, (sm, index): (&Sm, usize), cycle: u64, memory: &Memory) {
        let warp = &sm.warps[index];
        if !warp.started {
            return;
        }
        let Recorded { row: of, open, watch } = &mut self.warps[row];
        if of.cluster_arrivals.last().map_or(0, |last| last.phase) < warp.phases {
            of.cluster_arrivals.push(ClusterArrival { cycle, phase: warp.phases, place: warp.last_place() });
        }
        let loops = &mut self.loops;
        let same_step =
            open.as_ref().is_some_and(|o| o.state == State::Busy && o.until == warp.ready_at && warp.ready_at > cycle);
        let mut since = cycle;
        let state = match (warp.exited, warp.waits_at) {
            (Some(_), _) => State::Exited,
            _ if warp.stopped.is_some() => State::Stopped,
            (None, Some(_)) if warp.waits_for_memory => State::Memory,
            (None, Some(id)) => State::Waiting(id),
            (None, None) if warp.at_cluster.is_some() => State::AtCluster,
            (None, None) if warp.at_grid.is_some() => State::AtGrid,
            _ if watch.is_at_mbarrier((sm, index), loops) => State::AtMbarrier,
            _ if watch.polls_since((sm, index), loops, cycle).is_some_and(|from| {
                since = from;
                true
            }) =>
            {
                State::Polling
            }
            _ if warp.port.is_some() => State::Running,
            _ if same_step || warp.ready_at > cycle + 1 => State::Busy,
            _ if warp.waiting != 0 && warp.chosen().is_none() => State::Gathering,
            _ if awaits_copies(warp) => State::AtCopies,
            _ => State::Running,
        };
        if !open.as_ref().is_some_and(|o| o.state == state && (state != State::Busy || same_step)) {
            self.close(row, cycle, Some(warp));
            let is_next = matches!(state, State::Running | State::AtCopies);
            let first = if is_next { warp.place() } else { warp.last_place() };
            let awaited = (state == State::AtCluster).then(|| Box::new(Awaited::ClusterPhase(warp.phases)));
            let from = cut(&mut self.warps[row].row.intervals, since, cycle);
            self.warps[row].open = Some(Open { state, from, first, until: warp.ready_at, awaited });
        }
        let Recorded { open, watch, .. } = &mut self.warps[row];
        if let Some(open) = open {
            match state {
                State::AtMbarrier => watch.count_answers((sm, index), &mut open.awaited, cycle),
                State::Polling => watch.count_loads((sm, index), &mut open.awaited, memory),
                _ => {}
            }
        }
    }

    /// Closes the open interval of a row in cycle `to`; `warp` is the state of the warp after the interval.
    fn close(&mut self, row: usize, to: u64, warp: Option<&Warp>) {
        let Recorded { row, open, watch } = &mut self.warps[row];
        let Some(Open { state, from, first, mut awaited, .. }) = open.take() else { return };
        if warp.is_some_and(|warp| warp.stopped.is_none()) && state == State::AtMbarrier {
            watch.ends_wait(&mut awaited, to);
        }
        if !self.window.meets(from, to) {
            return;
        }
        // In a running interval the last instruction is the last one issued; any other interval has only one instruction.
        let last = warp.filter(|_| state == State::Running).map_or(first.clone(), Warp::last_place);
        let interval = Interval { state, from, to, first, last, awaited };
        let before = row.intervals.len();
        append(&mut row.intervals, interval);
        self.interval_count = (self.interval_count + row.intervals.len()).saturating_sub(before);
    }
}

/// The row of a warp, without intervals.
fn row(warp: &Warp) -> Row {
    let cluster = warp.ctas.first().copied().unwrap_or(warp.cta);
    let Warp { cta, grid, warp, ref program, .. } = *warp;
    Row { cta, warp, grid, cluster, program: program.name.clone(), intervals: vec![], cluster_arrivals: vec![] }
}

/// Whether an interval may be between two waits for the same phase that are one interval.
fn is_between(interval: &Interval) -> bool {
    matches!(interval.state, State::Running | State::Busy)
}

/// The index of the wait at an mbarrier that returned false, and that only short intervals separate from the end.
fn unfinished_wait(intervals: &[Interval], end: u64) -> Option<usize> {
    let at = intervals.iter().rposition(|interval| !is_between(interval))?;
    let wait = intervals[at].phase_wait()?;
    (!wait.complete && end - intervals[at].to <= MOST_BETWEEN).then_some(at)
}

/// Appends an interval. If it is a wait at an mbarrier that repeats an earlier one shortly after it, both become one interval.
fn append(intervals: &mut Vec<Interval>, interval: Interval) {
    let before = interval.phase_wait().and_then(|wait| {
        let at = unfinished_wait(intervals, interval.from)?;
        let is_same = intervals[at].phase_wait()?.is_same(wait) && intervals[at].first == interval.first;
        is_same.then_some((at, wait.clone()))
    });
    let Some((at, wait)) = before else { return intervals.push(interval) };
    intervals.truncate(at + 1);
    intervals[at].to = interval.to;
    if let Some(Awaited::Phase(earlier)) = intervals[at].awaited.as_deref_mut() {
        earlier.append(&wait);
    }
}

/// Ends the last intervals in cycle `since`, as far as the warp has only run; returns the first cycle after them.
fn cut(intervals: &mut Vec<Interval>, since: u64, cycle: u64) -> u64 {
    if since >= cycle {
        return cycle;
    }
    while intervals.pop_if(|last| is_between(last) && last.from >= since).is_some() {}
    let Some(last) = intervals.last_mut() else { return since };
    if is_between(last) {
        last.to = last.to.min(since);
    }
    last.to
}

/// Extends the last wait at an mbarrier to the end of the recording, if the warp was about to repeat it.
fn extend_last_wait(intervals: &mut Vec<Interval>) {
    let Some(end) = intervals.last().map(|last| last.to) else { return };
    let Some(at) = unfinished_wait(intervals, end) else { return };
    intervals.truncate(at + 1);
    intervals[at].to = end;
}
