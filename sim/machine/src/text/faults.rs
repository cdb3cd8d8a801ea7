// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults and misuses in the text of a report; the faults of one code at one place are one entry.

use crate::report::{Fault, Misuse};
use crate::sentence;

/// An entry for each group of faults.
pub(super) fn texts(faults: &[Fault]) -> Vec<String> {
    groups(faults).iter().map(|group| fault(faults, group)).collect()
}

pub(super) fn misuse(misuse: &Misuse) -> String {
    let culprit = misuse.warp.map_or(format!("CTA {}", misuse.cta), |w| format!("CTA {} warp {w}", misuse.cta));
    let place = misuse.place.as_ref().map_or(String::new(), |p| format!(" ({})", sentence::place(p)));
    format!("\n{}, cycle {}: {culprit}{place}\n  {}", misuse.code, misuse.cycle, misuse.sentence)
}

/// The faults of one code at one place, as indices in the order of the reports; one group for each place, in the order of its first fault.
/// A fault without a place is a group of its own.
fn groups(faults: &[Fault]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = vec![];
    for (at, fault) in faults.iter().enumerate() {
        let is_same = |group: &&mut Vec<usize>| {
            let first = &faults[group[0]];
            fault.place.is_some() && (&first.code, &first.place, first.stopped) == (&fault.code, &fault.place, fault.stopped)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups
}

/// The first fault of a group with its sentence, and the number of the others.
fn fault(faults: &[Fault], group: &[usize]) -> String {
    let fault = &faults[group[0]];
    let culprit = fault.warp.map_or(format!("CTA {}", fault.cta), |w| format!("CTA {} warp {w}", fault.cta));
    let place = fault.place.as_ref().map_or(String::new(), |p| format!(" ({})", sentence::place(p)));
    let barrier = fault.id.map_or(String::new(), |id| format!(", barrier {id}"));
    let times = match group {
        [_] => String::new(),
        [.., last] => format!("; {} times in all, the last in cycle {}", group.len(), faults[*last].cycle),
        [] => return String::new(),
    };
    let head = format!("\nfault {}, reported in cycle {}: {culprit}{barrier}{place}{times}", fault.code, fault.cycle);
    let stopped = fault.stopped.map_or(String::new(), |stop| format!("; the warp {}", sentence::stopped(stop)));
    format!("{head}\n  {}{stopped}", fault.sentence)
}
