// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes for which a barrier other than an mbarrier remains incomplete, if the wait there does not follow from another wait.

use super::super::report::{
    Blocked, BlockedLanes, Cause, ClusterWait, Evidence, GatewayWait, GridBarrierWait, GridWait, Whereabouts,
};
use super::super::sentence::{too_few as too_few_of_a_role, waits};
use super::groups::{Group, Object};
use super::users::Users;

/// The cause for an incomplete generation of a named barrier, if there is no more specific cause.
pub fn at_barrier(waits: &[&Blocked]) -> Cause {
    let first = waits[0];
    Cause::new("deadlock", (first.cta, first.warp), &first.place, waits::at_barrier(waits))
}

/// The cause if fewer warps can still arrive than the count requires.
pub fn too_few(waits: &[&Blocked], users: &Users) -> Option<Cause> {
    let first = waits[0];
    first.threads?;
    let short = first.expected.saturating_sub(first.arrived.len() + first.under_way.len());
    let exited = |m: &crate::report::Missing| matches!(m.whereabouts, Whereabouts::Exited { .. });
    let would = first.missing.iter().filter(|m| !exited(m) && (m.next.is_some() || m.unclear)).count();
    if would >= short {
        return None;
    }
    let live = first.missing.iter().filter(|m| !exited(m)).count();
    let code = if live < short && live < first.missing.len() { "counted_exit" } else { "deadlock" };
    let mut cause = Cause { code, ..at_barrier(waits) };
    // A missing warp that has exited, but took part in earlier generations, has executed fewer iterations of a loop than the waiting warps.
    let times = |m: &crate::report::Missing| users.get(&(first.cta, first.id))?.get(&m.warp).copied();
    let exited_early = first.missing.iter().filter(|m| exited(m)).find_map(|m| Some((m, times(m)?)));
    if let Some((m, times)) = exited_early {
        let rounds = if times == 1 { "once".to_string() } else { format!("{times} times") };
        cause.sentence += &format!("; warp {} arrived {rounds} in earlier generations, and then exited", m.warp);
        let own_uses = users.get(&(first.cta, first.id)).and_then(|by_warp| by_warp.get(&first.warp)).copied();
        if own_uses == Some(times + 1) {
            cause.help = Some(format!("let warps {} and {} execute the same number of loop iterations", first.warp, m.warp));
        }
    }
    Some(cause)
}

/// Pairs of barriers of one CTA with the same count, for which the numbers of arrived warps at both barriers add up to this count.
pub fn split(groups: &[Group]) -> Vec<(usize, usize)> {
    let blocked_at = |index: usize| match &groups[index].object {
        Object::Barrier(waits) => waits.first().filter(|first| first.threads.is_some()),
        _ => None,
    };
    let belong = |a: &Blocked, b: &Blocked| {
        let arrived = |warp: usize, at: &Blocked| at.arrived.iter().any(|arrival| arrival.warp == warp);
        let are_apart = a.arrived.iter().all(|arrival| !arrived(arrival.warp, b));
        let would = |at: &Blocked| at.missing.iter().any(|m| m.next.is_some() || m.unclear);
        let same = (a.cta, a.threads) == (b.cta, b.threads) && a.arrived.len() + b.arrived.len() == a.expected;
        same && are_apart && !would(a) && !would(b)
    };
    let pairs = (0..groups.len()).flat_map(|a| (a + 1..groups.len()).map(move |b| (a, b)));
    let mut found: Vec<(usize, usize)> = vec![];
    for (a, b) in pairs {
        let is_new = !found.iter().any(|(c, d)| [c, d].iter().any(|known| **known == a || **known == b));
        if is_new && blocked_at(a).zip(blocked_at(b)).is_some_and(|(a, b)| belong(a, b)) {
            found.push((a, b));
        }
    }
    found
}

/// The cause for two barriers at which warps have arrived separately although they belong to one generation. The location of the cause is
/// at the barrier with fewer arrived warps; the other barrier is evidence.
pub fn different_ids(first: &Group, second: &Group) -> Option<Cause> {
    let (Object::Barrier(a), Object::Barrier(b)) = (&first.object, &second.object) else { return None };
    let (many, few) = if a[0].arrived.len() >= b[0].arrived.len() { (a, b) } else { (b, a) };
    let list = |waits: &[&Blocked]| {
        let warps: Vec<String> = waits.iter().map(|wait| wait.warp.to_string()).collect();
        format!("{} {}", if warps.len() == 1 { "warp" } else { "warps" }, warps.join(", "))
    };
    let (first, main) = (few[0], many[0]);
    let sentence = format!(
        "{} {} at barrier {} for {}, and {} {} at barrier {}: together these warps reach the count, so one of the two ids is probably wrong",
        list(many),
        if many.len() == 1 { "waits" } else { "wait" },
        main.id,
        waits::wanted(main),
        list(few),
        if few.len() == 1 { "waits" } else { "wait" },
        first.id
    );
    let mut cause = Cause::new("deadlock", (first.cta, first.warp), &first.place, sentence);
    let note = format!("{} {} at barrier {} here", list(many), if many.len() == 1 { "waits" } else { "wait" }, main.id);
    cause.evidence.push(Evidence { cta: main.cta, warp: main.warp, place: Some(main.place.clone()), note });
    Some(Cause {
        help: Some("let all participants give the same barrier id; check how each warp computes it".to_string()),
        ..cause
    })
}

/// The cause if more warps use a barrier than its count requires: some of these warps complete the barrier, and the others wait.
pub fn count_too_small(waits: &[&Blocked], users: &Users) -> Option<Cause> {
    let first = waits[0];
    let (threads, users) = (first.threads?, users.get(&(first.cta, first.id))?);
    let is_alone = first.arrived.iter().all(|arrival| arrival.place == first.place);
    let has_completed = first.number > 1;
    if users.len() <= first.expected || !is_alone || !has_completed {
        return None;
    }
    let warps: Vec<String> = users.keys().map(usize::to_string).collect();
    let (id, count, used) = (first.id, first.expected, users.len());
    let sentence = format!(
        "barrier {id} counts {count} warps ({threads} threads), but {used} warps use it: {}; {count} of them complete it without the others",
        warps.join(", ")
    );
    let participants = threads as usize / count.max(1) * used;
    let help =
        format!("count all warps that use barrier {id} ({participants} threads), or give each group of {count} warps a separate barrier");
    Some(Cause { help: Some(help), ..Cause::new("deadlock", (first.cta, first.warp), &first.place, sentence) })
}

/// The cause for an incomplete phase of a barrier of the gateway.
pub fn at_gateway(waits: &[&GatewayWait]) -> Cause {
    let first = waits[0];
    Cause::new("signal_missing", (first.cta, first.warp), &first.place, waits::at_gateway(waits))
}

/// The cause if fewer threads can still signal in a role than the phase needs.
pub fn too_few_signals(waits: &[&GatewayWait]) -> Option<Cause> {
    too_few_of_a_role(waits[0])?;
    let exited = waits[0].missing.iter().any(|m| matches!(m.warp.whereabouts, Whereabouts::Exited { .. }));
    let code = if exited { "counted_exit" } else { "signal_missing" };
    Some(Cause { code, ..at_gateway(waits) })
}

/// The cause for an incomplete phase of the barrier of a cluster.
pub fn at_cluster(waits: &[&ClusterWait]) -> Cause {
    let first = waits[0];
    Cause::new("cluster_wait", (first.cta, first.warp), &first.place, waits::at_cluster(waits))
}

/// The cause for warps that wait for earlier grids.
pub fn at_grid(waits: &[&GridWait]) -> Cause {
    let first = waits[0];
    Cause::new("deadlock", (first.cta, first.warp), &first.place, waits::at_grid(waits))
}

/// The cause for CTAs that wait at the barrier of their cooperative grid.
pub fn at_grid_barrier(waits: &[&GridBarrierWait]) -> Cause {
    let first = waits[0];
    Cause::new("grid_barrier_wait", (first.cta, first.warp), &first.place, waits::at_grid_barrier(waits))
}

pub fn lanes(lanes: &BlockedLanes) -> Cause {
    let help = "let all awaited lanes execute this instruction, or exit".to_string();
    Cause { help: Some(help), ..Cause::new("deadlock", (lanes.cta, lanes.warp), &lanes.place, waits::at_lanes(lanes)) }
}
