// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that a run without further events is stuck because of its programs.

use super::reference::Contradiction;
use super::report::Stop;
use super::sm::Sm;
use super::warp;
use bcu_model::Bcu;

/// Checks a run that has no further events and does not end: the reason must be in its programs, not in the unit. The error names an offer
/// that the unit does not accept, or an output that contradicts a warp's state.
pub(super) fn check_hang(sm: &Sm, unit: &Bcu) -> Result<(), Contradiction> {
    let refused = || sm.refused().map(|what| format!("the unit does not accept {what}"));
    let blocked = || {
        let can_issue = |w: &&warp::Warp| {
            w.exited.is_none()
                && w.waits_at.is_none()
                && w.stopped.is_none()
                && w.waiting == 0
                && w.rendezvous.is_empty()
                && !sm.waits_at_cluster_or_grid(w, unit)
        };
        let wrong = sm.warps.iter().find(can_issue).map(|w| (w, "1, but the warp does not wait"));
        let open = |w: &&warp::Warp| w.exited.is_none() && w.waits_at.is_some() && !sm.blocked(w);
        let wrong = wrong.or_else(|| sm.warps.iter().find(open).map(|w| (w, "0, but the warp waits at a barrier")));
        wrong.map(|(w, what)| format!("`blocked` of warp {} of CTA {} is {what}", w.warp, w.cta))
    };
    let stopped = || {
        let live = sm.warps.iter().filter(|w| w.exited.is_none());
        let wrong = live
            .into_iter()
            .find(|w| w.stopped.is_some() && !sm.blocked(w) || (w.stopped == Some(Stop::Trapped)) != sm.trapped(w));
        wrong.map(|w| format!("`blocked` and `trapped` do not match the state of warp {} of CTA {}", w.warp, w.cta))
    };
    match refused().or_else(blocked).or_else(stopped) {
        Some(what) => Err(Contradiction { cycle: sm.cycle, what }),
        None => Ok(()),
    }
}
