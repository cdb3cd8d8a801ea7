// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tracks of warps: a slice for each activity, and inside of a running slice one for each instruction.

use super::super::sm::Sm;
use super::super::warp::Warp;
use super::activity::Activity;
use super::event::{Args, Track};
use super::names::{name_cta, name_warp};
use super::peers::Peers;
use super::tracks::of_warp;
use super::writer::Writer;
use bcu_program::Place;
use std::io::Write;

/// The awaited phase of an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awaited {
    pub phase: u64,
    /// What completed the phase: a track and a cycle.
    pub completed_by: Option<(Track, u64)>,
}

/// A slice that has not ended.
#[derive(Debug)]
pub(super) struct Open {
    pub activity: Activity,
    from: u64,
    place: Place,
    /// The number of instructions that the warp had issued at the start.
    issued: u64,
    /// The generation of the named barrier at which the warp waits, and whether the warp has arrived in it.
    pub generation: (usize, bool),
    /// The name of the mbarrier at which the warp waits.
    object: String,
    pub awaited: Option<Awaited>,
}

/// A warp in a warp slot.
#[derive(Debug)]
pub(super) struct Row {
    pub cta: usize,
    pub warp: usize,
    /// The index of the warp among all warps of its multiprocessor.
    pub index: usize,
    pub track: Track,
    /// The first cycle of the first slice, and the cycle after the last one.
    begun: Option<u64>,
    ended: Option<u64>,
    /// The number of issued instructions in the last cycle.
    issued: u64,
    pub open: Option<Open>,
    /// The instruction of the open running slice, and its first cycle.
    instr: Option<(Place, u64)>,
}

/// The rows of all warp slots.
#[derive(Default)]
pub(super) struct Warps {
    /// For each multiprocessor, the row of each warp slot.
    sms: Vec<Vec<Option<Row>>>,
}

impl Warps {
    /// Names the warps that were placed in warp slots, in place of earlier warps.
    pub fn launch<W: Write>(&mut self, sms: &[Sm], cycle: u64, out: &mut Writer<W>) {
        self.sms.resize_with(sms.len(), Vec::new);
        for (sm, rows) in sms.iter().zip(&mut self.sms) {
            rows.resize_with(sm.warp_slots.len(), || None);
            for (index, row) in sm.warp_slots.iter().zip(rows) {
                if row.as_ref().map(|row| row.index) == *index {
                    continue;
                }
                row.iter_mut().for_each(|row| row.close(cycle, out));
                *row = index.and_then(|index| Some((index, sm.warps.get(index)?))).map(|(index, warp)| {
                    if warp.warp == 0 {
                        name_cta(warp, sm, sms.len(), out);
                    }
                    name_warp(warp, out);
                    let Warp { cta, warp: number, .. } = *warp;
                    let track = of_warp(cta, number);
                    let (begun, ended, open, instr) = (None, None, None, None);
                    Row { cta, warp: number, index, track, begun, ended, issued: warp.threads.issued, open, instr }
                });
            }
        }
    }

    /// Writes the slices that end in cycle `cycle`, and begins others.
    pub fn cycle<W: Write>(&mut self, sms: &[Sm], cycle: u64, (peers, out): (&Peers, &mut Writer<W>)) {
        for (sm, rows) in sms.iter().zip(&mut self.sms) {
            for row in rows.iter_mut().flatten() {
                let Some(ended) = row.cycle(sm, cycle, out) else { continue };
                let (from, cat) = match ended {
                    Ended::Phase(from) => (Some(from), "mbarrier"),
                    Ended::Cluster(phase) => (peers.of_cluster(sm, row.index, phase), "cluster"),
                    Ended::Grids(grid) => (peers.before_grid(grid), "grid"),
                };
                if let Some(from) = from.filter(|(from, _)| *from != row.track) {
                    out.flow(from, (row.track, cycle - 1), cat);
                }
            }
        }
    }

    /// All warps in warp slots.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.sms.iter().flatten().flatten()
    }

    /// All warps in the warp slots of a multiprocessor.
    pub fn rows_of(&mut self, sm: usize) -> impl Iterator<Item = &mut Row> {
        self.sms.get_mut(sm).into_iter().flatten().flatten()
    }

    /// The track of a warp, with `cycle` or the last cycle of the warp before it; `None` if the track has no slice then.
    pub fn alive(&self, (cta, warp): (usize, usize), cycle: u64) -> Option<(Track, u64)> {
        let row = self.rows().find(|row| (row.cta, row.warp) == (cta, warp))?;
        let last = row.ended.map_or(cycle, |ended| cycle.min(ended.saturating_sub(1)));
        row.begun.filter(|begun| *begun <= last).map(|_| (row.track, last))
    }

    /// Ends all slices at the start of cycle `end`.
    pub fn finish<W: Write>(&mut self, end: u64, out: &mut Writer<W>) {
        self.sms.iter_mut().flatten().flatten().for_each(|row| row.close(end, out));
    }
}

/// How a wait for others has ended.
enum Ended {
    /// A phase of an mbarrier was completed by this track in this cycle.
    Phase((Track, u64)),
    /// This phase of the barrier of the cluster is complete.
    Cluster(u64),
    /// The grids before this grid have ended.
    Grids(usize),
}

impl Row {
    /// Goes on with the activity of cycle `cycle`. Returns how a wait has ended.
    fn cycle<W: Write>(&mut self, sm: &Sm, cycle: u64, out: &mut Writer<W>) -> Option<Ended> {
        let warp = sm.warps.get(self.index)?;
        let activity = Activity::of(sm, self.index, cycle);
        let issues = std::mem::replace(&mut self.issued, warp.threads.issued) != warp.threads.issued;
        let mut ended = None;
        if self.open.as_ref().map(|open| open.activity) != activity {
            ended = self.open.as_ref().and_then(|open| match (open.activity, open.awaited) {
                (Activity::Mbarrier { .. }, Some(Awaited { completed_by, .. })) => completed_by.map(Ended::Phase),
                (Activity::Cluster(phase), _) => Some(Ended::Cluster(phase)),
                (Activity::Grids(grid), _) => Some(Ended::Grids(grid)),
                _ => None,
            });
            if let Some(Open { activity: Activity::Mbarrier { address, parity }, awaited: awaited @ None, .. }) = &mut self.open
            {
                // The wait has returned at once, so it was for the last completed phase of this parity.
                let open_phase = sm.record.mbarriers.open_phase(self.cta, *address).unwrap_or(0);
                let completed = (0..open_phase).rev().find(|phase| (phase % 2 == 1) == *parity);
                *awaited = completed.map(|phase| Awaited { phase, completed_by: None });
            }
            self.close(cycle, out);
            if let Some(activity) = activity {
                self.begin(activity, (sm, warp), cycle, out);
            }
        }
        let Some(open) = self.open.as_mut() else { return ended };
        match (open.activity, open.awaited) {
            (Activity::Barrier(id) | Activity::Memory(Some(id)), _) if !open.generation.1 => {
                open.generation = sm.open_generation(self.cta, id, self.warp);
            }
            (Activity::Mbarrier { address, .. }, None) => {
                // The last wait returned false, so it is for the open phase.
                let has_answer = sm.record.mbarriers.waiters.contains_key(&self.index);
                let phase = sm.record.mbarriers.open_phase(self.cta, address).filter(|_| has_answer);
                open.awaited = phase.map(|phase| Awaited { phase, completed_by: None });
            }
            (Activity::Running, _) if issues => {
                self.end_instr(cycle, out);
                let place = warp.port.map_or_else(|| warp.last_place(), |chosen| warp.place_of(chosen.at));
                self.instr = Some((place, cycle));
            }
            _ => {}
        }
        ended
    }

    fn begin<W: Write>(&mut self, activity: Activity, (sm, warp): (&Sm, &Warp), cycle: u64, out: &mut Writer<W>) {
        self.begun.get_or_insert(cycle);
        self.ended = None;
        let place = match activity {
            Activity::Running | Activity::Result(_) | Activity::Copies => warp.place(),
            _ => warp.last_place(),
        };
        if activity == Activity::Running {
            out.begin(self.track, cycle, &activity.name(0, "", None), activity.category(), Args::default());
        }
        let object = match activity {
            Activity::Mbarrier { address, .. } => {
                sm.record.mbarriers.name(self.cta, address).unwrap_or_else(|| format!("{address:#x}"))
            }
            _ => String::new(),
        };
        let (issued, generation, awaited) = (warp.threads.issued, (0, false), None);
        self.open = Some(Open { activity, from: cycle, place, issued, generation, object, awaited });
    }

    /// Ends the open slice at the start of cycle `to`.
    fn close<W: Write>(&mut self, to: u64, out: &mut Writer<W>) {
        self.end_instr(to, out);
        let Some(Open { activity, from, place, issued, generation: (generation, _), object, awaited }) = self.open.take()
        else {
            return;
        };
        self.ended = Some(to);
        if activity == Activity::Running {
            out.end(self.track, to, Args::one("instructions", self.issued - issued));
            return;
        }
        let phase = awaited.map(|awaited| awaited.phase);
        let args = activity.args(generation, &object, phase);
        let args = args.at(&place);
        let name = activity.name(generation, &object, phase);
        out.slice(self.track, [from, to], &name, activity.category(), args);
    }

    fn end_instr<W: Write>(&mut self, to: u64, out: &mut Writer<W>) {
        let Some((place, from)) = self.instr.take() else { return };
        let args = Args::default().at(&place);
        out.slice(self.track, [from, to], &place.text, "instruction", args);
    }
}
