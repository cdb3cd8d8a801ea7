// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows that a picture shows: the warps, mbarriers and copies with something in the shown cycles, as many as are readable.

use crate::report::Report;
use crate::timeline::{ObjectRow, Timeline};
use crate::window::Window;
use std::collections::BTreeSet;

/// The maximum number of warps in a picture.
pub const MAX_WARPS: usize = 128;
/// The maximum number of mbarriers in a picture, and in one CTA.
const MAX_OBJECTS: usize = 48;
const MAX_OBJECTS_OF_CTA: usize = 16;

/// A row of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// CTA and warp.
    Warp(usize, usize),
    /// CTA and address.
    Object(usize, u32),
    /// The copies of a CTA.
    Copies(usize),
}

/// The rows of a picture.
pub struct Selection {
    pub timeline: Timeline,
    pub hidden_warps: usize,
    pub hidden_objects: usize,
}

/// The rows to show of a run. Of too many warps these are the CTAs that hang or have a fault, and then the first CTAs.
pub fn select(report: &Report, timeline: &Timeline, window: &Window) -> Selection {
    let mut shown = timeline.clone();
    for row in &mut shown.rows {
        row.intervals.retain(|interval| window.meets(interval.from, interval.to));
    }
    shown.rows.retain(|row| !row.intervals.is_empty());
    for object in &mut shown.objects {
        object.phases.retain(|phase| window.meets(phase.from, phase.to));
    }
    shown.copies.retain(|copy| window.meets(copy.from, copy.to));
    let warps = shown.rows.len();
    if warps > MAX_WARPS {
        let chosen = ctas(report, &shown);
        shown.rows.retain(|row| chosen.contains(&row.cta));
        shown.rows.truncate(MAX_WARPS);
    }
    let is_shown = |rows: &Timeline, cta: usize| rows.rows.iter().any(|row| row.cta == cta);
    shown.objects = std::mem::take(&mut shown.objects)
        .into_iter()
        .filter(|object| !object.phases.is_empty() && is_shown(&shown, object.cta))
        .collect();
    shown.copies = std::mem::take(&mut shown.copies).into_iter().filter(|copy| is_shown(&shown, copy.cta)).collect();
    let objects = shown.objects.len();
    shown.objects = important(report, std::mem::take(&mut shown.objects));
    let (hidden_warps, hidden_objects) = (warps - shown.rows.len(), objects - shown.objects.len());
    Selection { timeline: shown, hidden_warps, hidden_objects }
}

/// The CTAs whose warps are shown.
fn ctas(report: &Report, timeline: &Timeline) -> BTreeSet<usize> {
    let hung = report.hang.iter().flat_map(|hang| hang.hung_ctas.iter().copied());
    let first: BTreeSet<usize> = hung.chain(report.faults.iter().map(|fault| fault.cta)).collect();
    let all: BTreeSet<usize> = timeline.rows.iter().map(|row| row.cta).collect();
    let in_order = first.iter().filter(|cta| all.contains(cta)).chain(all.iter().filter(|cta| !first.contains(cta)));
    let (mut chosen, mut warps) = (BTreeSet::new(), 0);
    for cta in in_order {
        warps += timeline.rows.iter().filter(|row| row.cta == *cta).count();
        if warps > MAX_WARPS && !chosen.is_empty() {
            break;
        }
        chosen.insert(*cta);
    }
    chosen
}

/// The mbarriers to show: those at which warps wait at the end of the run, and then the first ones of each CTA.
fn important(report: &Report, objects: Vec<ObjectRow>) -> Vec<ObjectRow> {
    let awaited: BTreeSet<(usize, u32)> =
        report.hang.iter().flat_map(|hang| &hang.at_mbarriers).map(|wait| (wait.cta, wait.object.address)).collect();
    let is_awaited = |object: &ObjectRow| awaited.contains(&(object.cta, object.name.address));
    let mut kept = BTreeSet::new();
    for first in [true, false] {
        for object in objects.iter().filter(|object| is_awaited(object) == first) {
            let of_cta = kept.iter().filter(|(cta, _)| *cta == object.cta).count();
            if of_cta < MAX_OBJECTS_OF_CTA && kept.len() < MAX_OBJECTS {
                kept.insert((object.cta, object.name.address));
            }
        }
    }
    objects.into_iter().filter(|object| kept.contains(&(object.cta, object.name.address))).collect()
}

/// The rows of a picture from top to bottom: for each CTA its warps, its mbarriers, and its copies.
pub fn keys(timeline: &Timeline) -> Vec<Key> {
    let ctas: BTreeSet<usize> = timeline.rows.iter().map(|row| row.cta).collect();
    let of_cta = |cta: usize| {
        let warps = timeline.rows.iter().filter(move |row| row.cta == cta).map(|row| Key::Warp(row.cta, row.warp));
        let objects = timeline.objects.iter().filter(move |object| object.cta == cta);
        let copies = timeline.copies.iter().find(|copy| copy.cta == cta).map(|_| Key::Copies(cta));
        warps.chain(objects.map(|object| Key::Object(object.cta, object.name.address))).chain(copies).collect::<Vec<_>>()
    };
    ctas.into_iter().flat_map(of_cta).collect()
}
