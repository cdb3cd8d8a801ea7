// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings for data races: two accesses to shared memory that no synchronisation orders.

use super::codes::RACE;
use super::finding::{Case, Finding, Related};
use crate::report::{Race, Toucher};
use bcu_program::Kind;

pub fn find(case: &Case) -> Vec<Finding> {
    case.report.races.iter().map(|race| describe_race(case, race)).collect()
}

fn describe_race(case: &Case, race: &Race) -> Finding {
    let Race { cta, address, cycle, first, second, copy } = race;
    let what = |toucher: &Toucher| if toucher.store { "stores to" } else { "loads" };
    let name_lane = |toucher: &Toucher| format!("lane {} of warp {}", toucher.lane, toucher.warp);
    let between = match (copy, first.warp == second.warp) {
        (true, _) => "no thread has waited for that copy",
        (false, true) => "the lanes have not synchronised since",
        (false, false) => "there is no barrier between them",
    };
    let done = if first.store { "has stored to" } else { "has loaded" };
    let message = format!(
        "{} {} byte {address:#x} of shared memory, which {} {done}: {between}",
        name_lane(second),
        what(second),
        name_lane(first)
    );
    let mut finding = Finding::new(&RACE, case.locate_in(*cta, second.warp, &second.place), message);
    (finding.cta, finding.warp, finding.cycle) = (Some(*cta), Some(second.warp), Some(*cycle));
    finding.help = remedy(race, case.kind(&finding)).to_string();
    let note = format!("{} {done} it here", name_lane(first));
    finding.related.push(Related { at: case.locate_in(*cta, first.warp, &first.place), note });
    finding
}

/// A remedy that orders the two accesses.
fn remedy(Race { first, second, copy, .. }: &Race, kind: Kind) -> &'static str {
    let is = |toucher: &Toucher, what: &str| toucher.place.text.contains(what);
    let either = |what: &str| is(first, what) || is(second, what);
    match copy {
        true if is(first, "cp.async.bulk") && !first.store => {
            "the copy still reads these bytes: wait for it with `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read 0` before they are stored to"
        }
        true if is(first, "cp.async.bulk") || is(first, "st.async") => {
            "wait for the copy before these bytes are used: at the mbarrier that it signals, for the parity of its phase"
        }
        true => "wait for the copy before these bytes are used: `cp.async.wait_group` by the thread that started it, then a barrier for the others",
        false if first.warp == second.warp => "put {warp_barrier} between the two accesses",
        false if either("cp.async.bulk") || either("st.async") => {
            "let the copy start only after all threads that use these bytes have arrived at a barrier at which its thread waits"
        }
        false if kind == Kind::Visa => "put {barrier} between the two accesses: a signal orders only the accesses before a fence (`lsc_fence`)",
        false => "put {barrier} between the two accesses, or let the second thread wait at an mbarrier at which the first thread arrives after its access",
    }
}
