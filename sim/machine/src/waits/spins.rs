// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why the memory on which warps spin does not change.

use super::super::report::{Absent, Cause, Evidence, Hang, SpinWait};
use super::super::sentence::place::line;
use super::super::sentence::waits;

/// The cause if CTAs that might write the word are not launched, and cannot be launched while the resident CTAs spin.
pub fn not_launched(waits: &[&SpinWait], hang: &Hang) -> Option<Cause> {
    if hang.not_launched == 0 || !is_global(waits[0]) {
        return None;
    }
    let first = waits[0];
    let (ctas, resident) = (&hang.hung_ctas, hang.hung_ctas.len());
    let word = first.words.first().map_or(String::new(), |word| word.named());
    let out = waits::ctas(&hang.unlaunched);
    let (occupying, verb) = (waits::ctas(ctas), if hang.not_launched == 1 { "is" } else { "are" });
    let occupy = if resident == 1 { "occupies" } else { "occupy" };
    let sentence =
        format!("{out} {verb} never launched: {occupying}, whose warps spin on {word}, {occupy} all CTA slots or warp slots");
    let help = format!(
        "launch no more CTAs than fit at once (here {resident}), or run on more multiprocessors (`--sms`): CTAs that wait for each other must all be resident"
    );
    Some(Cause {
        help: Some(help),
        evidence: last_writer(first),
        ..Cause::new("grid_not_resident", (first.cta, first.warp), &first.place, sentence)
    })
}

/// Whether a warp spins on a word in global memory, which any CTA could write.
pub fn is_global(wait: &SpinWait) -> bool {
    wait.words.first().is_some_and(|word| word.shared.is_none())
}

/// The cause if no warp would write the word any more.
pub fn unchanged(waits: &[&SpinWait]) -> Cause {
    let first = waits[0];
    let mut sentence = waits::at_memory(waits);
    let mut evidence = last_writer(first);
    if let Some(absent) = &first.absent {
        let Absent { cta, warp, exit, store_cta, store_warp, store } = absent;
        sentence += &format!("; CTA {cta} exited in {} without executing the store of {}", line(exit), line(store));
        let note = format!("CTA {cta} ends here and does not execute the store");
        evidence.push(Evidence { cta: *cta, warp: *warp, place: Some(exit.clone()), note });
        let note = format!("CTA {store_cta} executes this store");
        evidence.push(Evidence { cta: *store_cta, warp: *store_warp, place: Some(store.clone()), note });
    }
    Cause { evidence, ..Cause::new("spin_wait", (first.cta, first.warp), &first.place, sentence) }
}

/// Evidence with the last store to the word on which a warp spins.
fn last_writer(wait: &SpinWait) -> Vec<Evidence> {
    let Some(word) = wait.words.first() else { return vec![] };
    let (cta, warp, place, note) = match &word.writer {
        Some(last) => {
            let note =
                format!("warp {} of CTA {} wrote {} last here, in cycle {}", last.warp, last.cta, word.named(), last.cycle);
            (last.cta, last.warp, Some(last.place.clone()), note)
        }
        None => return vec![],
    };
    vec![Evidence { cta, warp, place, note }]
}
