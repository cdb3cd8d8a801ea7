// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The waits in a report: the generations of arrivals at named barriers, and the waits that never end.

use crate::report::{ObjectWait, Report};
use crate::sentence::signalled;
use crate::timeline::{Interval, Row, State};
use std::collections::{BTreeMap, HashMap};

/// The data of waits in a report.
pub struct Waits {
    /// The number of the generation or phase; the key is CTA, warp, barrier id and cycle of the arrival.
    numbers: BTreeMap<(usize, usize, u8, u64), usize>,
    /// The waits that never end, by CTA and warp.
    endless: HashMap<(usize, usize), EndlessWait>,
    /// The number of cycles of the run; the picture may show less.
    end: u64,
}

/// A wait that never ends: the state of the warp, and text with the missing warps.
struct EndlessWait {
    state: State,
    why: String,
}

impl Waits {
    pub fn new(report: &Report) -> Waits {
        let blocked = || report.hang.iter().flat_map(|h| &h.blocked);
        let done =
            report.generations.iter().flat_map(|g| g.arrivals.iter().map(move |a| ((g.cta, a.warp, g.id, a.cycle), g.number)));
        let open = blocked().flat_map(|b| b.arrived.iter().map(move |a| ((b.cta, a.warp, b.id, a.cycle), b.number)));
        let at_gateway = || report.hang.iter().flat_map(|h| &h.at_gateway);
        let phases =
            report.phases.iter().flat_map(|p| p.signals.iter().map(move |s| ((p.cta, s.warp, p.id, s.cycle), p.number)));
        let signals = at_gateway().flat_map(|w| w.signals.iter().map(move |s| ((w.cta, s.warp, w.id, s.cycle), w.phase)));
        let numbers = done.chain(open).chain(phases).chain(signals).collect();
        Waits { numbers, endless: endless(report), end: report.cycles }
    }

    /// Why the wait that `interval` shows never ends; `None` unless the interval lasts until the end of the run.
    pub fn why_endless(&self, row: &Row, interval: &Interval) -> Option<&str> {
        let endless = self.endless.get(&(row.cta, row.warp))?;
        (interval.to == self.end && interval.state == endless.state).then_some(&endless.why)
    }

    /// The generation of a wait at barrier `id` that includes cycle `from`. It is the generation of the warp's last arrival at this barrier
    /// before this cycle.
    pub fn number(&self, row: &Row, id: u8, from: u64) -> Option<usize> {
        let row = |cycle| (row.cta, row.warp, id, cycle);
        self.numbers.range(row(0)..row(from)).next_back().map(|(_, number)| *number)
    }
}

/// The waits of hung CTAs.
fn endless(report: &Report) -> HashMap<(usize, usize), EndlessWait> {
    let Some(hang) = &report.hang else { return HashMap::new() };
    let warps = |missing: Vec<usize>| missing.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let of_named = hang.blocked.iter().map(|b| {
        let missing = warps(b.missing.iter().map(|m| m.warp).collect());
        let why = format!("{} of {} arrived, missing: warp {missing}", b.arrived.len(), b.expected);
        ((b.cta, b.warp), EndlessWait { state: State::Waiting(b.id), why })
    });
    let of_gateway = hang.at_gateway.iter().map(|w| {
        let missing = warps(w.missing.iter().map(|m| m.warp.warp).collect());
        let why = format!("{}, missing: warp {missing}", signalled(w));
        ((w.cta, w.warp), EndlessWait { state: State::Waiting(w.id), why })
    });
    let at_mbarrier =
        hang.at_mbarriers.iter().map(|w| ((w.cta, w.warp), EndlessWait { state: State::AtMbarrier, why: at_mbarrier(w) }));
    let at_cluster = hang.at_clusters.iter().map(|w| {
        let missing: Vec<String> = w.missing.iter().map(|m| format!("warp {} of CTA {}", m.warp.warp, m.cta)).collect();
        let why = format!("phase {}, missing: {}", w.phase, missing.join(", "));
        ((w.cta, w.warp), EndlessWait { state: State::AtCluster, why })
    });
    let at_grid = hang.at_grids.iter().map(|w| {
        let before: Vec<String> = w.before.iter().map(|before| format!("grid {} has not ended", before.grid)).collect();
        ((w.cta, w.warp), EndlessWait { state: State::AtGrid, why: before.join(", ") })
    });
    let spinning = hang.spinning.iter().map(|w| {
        let words: Vec<String> = w.words.iter().map(|word| word.named()).collect();
        let writers: Vec<String> = w.writers.iter().map(|next| format!("warp {} of CTA {}", next.warp, next.cta)).collect();
        let missing = match &writers[..] {
            [] => "no warp changes it".to_string(),
            writers => format!("missing: a store of {}", writers.join(", ")),
        };
        ((w.cta, w.warp), EndlessWait { state: State::Polling, why: format!("polls {}, {missing}", words.join(", ")) })
    });
    let all = of_named.chain(of_gateway).chain(at_mbarrier).chain(at_cluster).chain(at_grid).chain(spinning);
    all.filter(|((cta, _), _)| hang.hung_ctas.contains(cta)).collect()
}

/// Why a wait at an mbarrier never ends.
fn at_mbarrier(wait: &ObjectWait) -> String {
    let missing = wait.missing.iter().filter(|m| m.next.is_some() || m.unclear).map(|m| format!("warp {}", m.warp));
    let remote = wait.remote.iter().map(|m| format!("warp {} of CTA {}", m.warp.warp, m.cta));
    let missing: Vec<String> = missing.chain(remote).collect();
    let missing = match &missing[..] {
        [] => "no warp would arrive".to_string(),
        missing => format!("missing: {}", missing.join(", ")),
    };
    let bytes = match wait.history.expected_bytes {
        0 if wait.history.received_bytes == 0 => String::new(),
        expected => format!(" ({} of {expected} bytes completed)", wait.history.received_bytes),
    };
    format!("{}{bytes}, {missing}", wait.object.state())
}
