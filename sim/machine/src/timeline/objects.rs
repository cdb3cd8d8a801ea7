// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The phases of every mbarrier over time, with the operations that changed them.

use crate::record::ObjectEvent;
use crate::report::ObjectName;
use crate::window::Window;
use bcu_model::mbarrier_object::MbarrierKind;
use bcu_program::Place;
use std::collections::BTreeMap;

/// The maximum number of recorded changes of one phase.
const MOST_CHANGES: usize = 256;

/// An operation that changed an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectChange {
    pub cycle: u64,
    /// The warp that executed the operation; `None` for a copy and for an operation of another CTA.
    pub warp: Option<usize>,
    /// The other CTA that sent the operation.
    pub sender: Option<usize>,
    pub place: Option<Place>,
    pub arrivals: u32,
    /// The bytes that the operation expects.
    pub expected_bytes: u32,
    /// The bytes that the operation completes.
    pub completed_bytes: u32,
}

/// A phase of an mbarrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    pub number: u64,
    pub from: u64,
    /// The first cycle after the phase: of its completion, of the end of the mbarrier, or of the recording.
    pub to: u64,
    pub is_complete: bool,
    /// The number of arrivals that the phase needs.
    pub needed: u32,
    pub arrivals: u64,
    pub expected_bytes: u64,
    pub completed_bytes: u64,
    /// The first changes of the phase, and the last one.
    pub changes: Vec<ObjectChange>,
}

/// The phases of one mbarrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRow {
    pub cta: usize,
    pub name: ObjectName,
    pub phases: Vec<Phase>,
}

/// Records the phases of all mbarriers.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    rows: BTreeMap<(usize, u32), Tracked>,
}

#[derive(Clone, Debug)]
struct Tracked {
    row: ObjectRow,
    open: Option<Phase>,
}

impl Objects {
    /// Records an operation on an mbarrier; returns the number of phases that it has ended.
    pub fn record(&mut self, event: ObjectEvent, window: &Window) -> usize {
        let ObjectEvent { cycle, cta, name, kind, phase, needed, completes, .. } = event;
        if kind.waits() {
            return 0;
        }
        let new = || Tracked { row: ObjectRow { cta, name: name.clone(), phases: vec![] }, open: None };
        let tracked = self.rows.entry((cta, name.address)).or_insert_with(new);
        // The number of the phase is 0 again after an init.
        let open = |number: u64| Phase {
            number,
            from: cycle,
            to: cycle,
            is_complete: false,
            needed,
            arrivals: 0,
            expected_bytes: 0,
            completed_bytes: 0,
            changes: vec![],
        };
        if matches!(kind, MbarrierKind::Init | MbarrierKind::Inval) {
            let ended = tracked.close(cycle, window);
            tracked.open = (kind == MbarrierKind::Init).then(|| open(0));
            return ended;
        }
        let current = tracked.open.get_or_insert_with(|| open(phase));
        let bytes = |is: bool| if is { event.bytes } else { 0 };
        let change = ObjectChange {
            cycle,
            warp: event.warp,
            sender: event.sender,
            place: event.place,
            arrivals: if kind.arrives() { event.arrivals } else { 0 },
            expected_bytes: bytes(kind.expects()),
            completed_bytes: bytes(!kind.expects()),
        };
        current.arrivals += u64::from(change.arrivals);
        current.expected_bytes += u64::from(change.expected_bytes);
        current.completed_bytes += u64::from(change.completed_bytes);
        if current.changes.len() < MOST_CHANGES || completes {
            current.changes.push(change);
        }
        if !completes {
            return 0;
        }
        current.is_complete = true;
        let ended = tracked.close(cycle, window);
        tracked.open = Some(open(phase + 1));
        ended
    }

    /// Ends the recording in cycle `end`; `cta_end` is the end of each CTA.
    pub fn finish(self, end: u64, cta_end: impl Fn(usize) -> Option<u64>, window: &Window) -> Vec<ObjectRow> {
        let rows = self.rows.into_values().map(|mut tracked| {
            let to = cta_end(tracked.row.cta).map_or(end, |cta| cta.min(end));
            tracked.close(to, window);
            tracked.row
        });
        rows.filter(|row| !row.phases.is_empty()).collect()
    }
}

impl Tracked {
    /// Ends the open phase in cycle `to`; returns the number of recorded phases.
    fn close(&mut self, to: u64, window: &Window) -> usize {
        let phase = self.open.take().map(|phase| Phase { to, ..phase });
        let phase = phase.filter(|phase| phase.to > phase.from && window.meets(phase.from, phase.to + 1));
        let count = usize::from(phase.is_some());
        self.row.phases.extend(phase);
        count
    }
}
