// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The endless waits of a hung run, and those for open copies of a stopped one, joined if they are at the same object for the same
//! missing warps.

use super::paint::{barrier, CLUSTER, DEPENDENT, MBARRIER, POLLING};
use super::rows::Key;
use crate::report::{Hang, ObjectWait};
use crate::timeline::Timeline;
use crate::WarpIdentity;

/// Warps that wait at the same object for the same missing warps.
pub struct Wait {
    /// The name of the object, such as `barrier 1`, after a preposition.
    pub at: String,
    pub fill: &'static str,
    pub waiting: Vec<Key>,
    pub missing: Vec<Key>,
    /// Whether the missing warps wait, directly or through other waits, for the waiting warps.
    pub circle: bool,
    /// The index of the line among the parallel lines to the right of the plot; 0 is nearest to the plot.
    pub lane: usize,
}

impl Wait {
    /// Text such as `cta0.w3 waits at barrier 1 for cta0.w1`.
    pub fn sentence(&self, waiting: &[Key], missing: &[Key]) -> String {
        let names = |keys: &[Key]| {
            let name = |key: &Key| match *key {
                Key::Warp(cta, warp) => WarpIdentity { cta, warp, role: None }.to_string(),
                Key::Object(..) => "arrivals or bytes that no warp provides".to_string(),
                Key::Copies(cta) => format!("a copy of CTA {cta} that is not performed"),
            };
            keys.iter().map(name).collect::<Vec<_>>().join(", ")
        };
        let wait = if waiting.len() == 1 { "waits" } else { "wait" };
        let circle = if self.circle { "\nthese warps wait for each other: a circular wait" } else { "" };
        format!("{} {wait} {} for {}{circle}", names(waiting), self.at, names(missing))
    }
}

/// The waits of a hang, with one entry for all warps that have the same object and the same missing warps.
pub fn waits(hang: &Hang, timeline: &Timeline) -> Vec<Wait> {
    let mut waits: Vec<Wait> = vec![];
    let mut add = |waiting: (usize, usize), missing: Vec<Key>, at: String, fill: &'static str| {
        // In a run that was stopped, an open copy is missing too, although it may still end the wait.
        let mut missing = missing;
        if !hang.hung_ctas.contains(&waiting.0) {
            missing.retain(|key| matches!(key, Key::Copies(_)));
            if missing.is_empty() {
                return;
            }
        }
        let waiting = Key::Warp(waiting.0, waiting.1);
        match waits.iter_mut().find(|wait| (&wait.at, &wait.missing) == (&at, &missing)) {
            Some(wait) => wait.waiting.push(waiting),
            None => waits.push(Wait { at, fill, waiting: vec![waiting], missing, circle: false, lane: 0 }),
        }
    };
    for b in &hang.blocked {
        let missing = b.missing.iter().map(|m| Key::Warp(b.cta, m.warp)).collect();
        add((b.cta, b.warp), missing, format!("at barrier {}", b.id), barrier(b.id));
    }
    for w in &hang.at_gateway {
        let missing = w.missing.iter().map(|m| Key::Warp(w.cta, m.warp.warp)).collect();
        add((w.cta, w.warp), missing, format!("at barrier {}", w.id), barrier(w.id));
    }
    for w in &hang.at_clusters {
        let missing = w.missing.iter().map(|m| Key::Warp(m.cta, m.warp.warp)).collect();
        add((w.cta, w.warp), missing, "at the barrier of its cluster".to_string(), CLUSTER);
    }
    for w in &hang.at_mbarriers {
        add((w.cta, w.warp), missing_at(w, timeline), format!("at {}", w.object.named()), MBARRIER);
    }
    for w in &hang.at_grids {
        let live = |row: &&crate::timeline::Row| {
            w.before.iter().any(|before| before.ctas.contains(&row.cta))
                && row.intervals.last().is_some_and(|last| last.state != crate::timeline::State::Exited)
        };
        let missing = timeline.rows.iter().filter(live).map(|row| Key::Warp(row.cta, row.warp)).collect();
        add((w.cta, w.warp), missing, "for the grids before its own, that is".to_string(), DEPENDENT);
    }
    for w in &hang.at_grid_barriers {
        let missing = w.missing.iter().map(|m| Key::Warp(m.cta, m.warp.warp)).collect();
        add((w.cta, w.warp), missing, "at the grid barrier".to_string(), POLLING);
    }
    for w in &hang.spinning {
        let missing = w.writers.iter().map(|writer| Key::Warp(writer.cta, writer.warp)).collect();
        let words: Vec<String> = w.words.iter().map(|word| word.named()).collect();
        add((w.cta, w.warp), missing, format!("in a loop that reads {}", words.join(", ")), POLLING);
    }
    waits
}

/// What is missing at an mbarrier: warps whose programs would arrive there, an open copy that signals it, or neither.
fn missing_at(w: &ObjectWait, timeline: &Timeline) -> Vec<Key> {
    let own = w.missing.iter().filter(|m| m.next.is_some() || m.unclear).map(|m| Key::Warp(w.cta, m.warp));
    let mut missing: Vec<Key> = own.chain(w.remote.iter().map(|m| Key::Warp(m.cta, m.warp.warp))).collect();
    let is_signal = |(cta, name): &(usize, crate::report::ObjectName)| *cta == w.cta && name.address == w.object.address;
    let open = timeline.copies.iter().filter(|copy| !copy.is_done && copy.signals.iter().any(is_signal));
    missing.extend(open.map(|copy| Key::Copies(copy.cta)));
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        missing.push(Key::Object(w.cta, w.object.address));
    }
    missing
}

/// Sets `circle` for each wait from which a chain of waits leads back to the wait itself.
pub fn find_circles(waits: &mut [Wait]) {
    let next: Vec<Vec<usize>> = waits
        .iter()
        .map(|wait| {
            let waits_too = |candidate: &Wait| candidate.waiting.iter().any(|warp| wait.missing.contains(warp));
            (0..waits.len()).filter(|at| waits_too(&waits[*at])).collect()
        })
        .collect();
    for start in 0..waits.len() {
        let (mut reached, mut pending) = (vec![false; waits.len()], next[start].clone());
        while let Some(at) = pending.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                pending.extend(&next[at]);
            }
        }
        waits[start].circle = reached[start];
    }
}
