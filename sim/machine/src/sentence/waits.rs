// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Endless waits as text: the waiting warps, the location, and the arrivals so far.

use super::super::report::{Blocked, BlockedLanes, ClusterWait, GatewayWait, GridBarrierWait, GridWait, ObjectWait, SpinWait};
use super::place::lanes;
use super::{cluster, signalled, state};

/// The maximum number of CTAs that are listed one by one.
const MOST_CTAS: usize = 8;

/// Text such as `warps 0, 2 wait`.
fn warps_wait(warps: &[String]) -> String {
    let (waiting_warps, wait) = if warps.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
    format!("{waiting_warps} {} {wait}", warps.join(", "))
}

/// Text such as `3 warps (96 threads)`; for a barrier without a count, the text names all warps that have not exited.
pub(crate) fn wanted(first: &Blocked) -> String {
    match first.threads {
        Some(threads) => format!("{} warps ({threads} threads)", first.expected),
        None => format!("the {} warps that have not exited", first.expected),
    }
}

pub(crate) fn at_barrier(waits: &[&Blocked]) -> String {
    let first = waits[0];
    let warps: Vec<String> = waits.iter().map(|b| b.warp.to_string()).collect();
    let since = first.arrived.iter().filter(|a| waits.iter().any(|b| b.warp == a.warp)).map(|a| a.cycle).min();
    let since = since.map_or(String::new(), |cycle| format!(", since cycle {cycle}"));
    let (waiting_warps, id, arrived, wanted_count) = (warps_wait(&warps), first.id, first.arrived.len(), wanted(first));
    format!("{waiting_warps} for ever at barrier {id}{since}: {arrived} of {wanted_count} arrived")
}

pub(crate) fn at_cluster(waits: &[&ClusterWait]) -> String {
    let first = waits[0];
    let warps: Vec<String> = waits.iter().map(|w| format!("{} of CTA {}", w.warp, w.cta)).collect();
    let (waiting_warps, cluster_name, phase, missing) =
        (warps_wait(&warps), cluster(&first.cluster), first.phase, first.missing.len());
    format!(
        "{waiting_warps} for ever at the barrier of {cluster_name} for phase {phase}: {missing} of its warps have not arrived"
    )
}

pub(crate) fn at_gateway(waits: &[&GatewayWait]) -> String {
    let warps: Vec<String> = waits.iter().map(|w| w.warp.to_string()).collect();
    format!("{} for ever at barrier {}: {}", warps_wait(&warps), waits[0].id, signalled(waits[0]))
}

pub(crate) fn at_mbarrier(waits: &[&ObjectWait]) -> String {
    let first = waits[0];
    let warps: Vec<String> = waits.iter().map(|w| w.warp.to_string()).collect();
    let (waiting_warps, parity, since, state) = (warps_wait(&warps), first.parity, first.since, state(&first.object));
    format!("{waiting_warps} for ever for the phase of parity {parity} to complete, since cycle {since}: {state}")
}

pub(crate) fn at_grid(waits: &[&GridWait]) -> String {
    let warps: Vec<String> = waits.iter().map(|w| format!("{} of CTA {}", w.warp, w.cta)).collect();
    format!("{} for ever for the grids before grid {}", warps_wait(&warps), waits[0].grid)
}

/// Text such as `CTAs 0 to 2`, or the first few of a longer list.
pub(crate) fn ctas(ctas: &[usize]) -> String {
    match ctas {
        [] => "no CTA".to_string(),
        [one] => format!("CTA {one}"),
        [first, _, .., last] if last - first + 1 == ctas.len() => format!("CTAs {first} to {last}"),
        _ => {
            let shown: Vec<String> = ctas.iter().take(MOST_CTAS).map(usize::to_string).collect();
            let more = ctas.len().saturating_sub(MOST_CTAS);
            let more = if more == 0 { String::new() } else { format!(" and {more} more") };
            format!("CTAs {}{more}", shown.join(", "))
        }
    }
}

pub(crate) fn at_grid_barrier(waits: &[&GridBarrierWait]) -> String {
    let first = waits[0];
    let mut waiting: Vec<usize> = waits.iter().map(|wait| wait.cta).collect();
    waiting.dedup();
    let wait = if waiting.len() == 1 { "waits" } else { "wait" };
    let since =
        waits.iter().filter_map(|wait| wait.since()).min().map_or(String::new(), |cycle| format!(", since cycle {cycle}"));
    let (waiting, missing) = (ctas(&waiting), ctas(&first.missing_ctas()));
    format!(
        "{waiting} {wait} for ever at the grid barrier{since}: {} of {} CTAs arrived, {missing} did not",
        first.arrived.len(),
        first.expected
    )
}

pub(crate) fn at_memory(waits: &[&SpinWait]) -> String {
    let first = waits[0];
    let warps: Vec<String> = waits.iter().map(|w| format!("{} of CTA {}", w.warp, w.cta)).collect();
    let shown =
        if warps.len() > 4 { format!("{} and {} more", warps[..3].join(", "), warps.len() - 3) } else { warps.join(", ") };
    let (waiting_warps, spin) = if warps.len() == 1 { ("warp", "spins") } else { ("warps", "spin") };
    let Some(word) = first.words.first() else {
        return format!(
            "{waiting_warps} {shown} {spin} for ever: the loop reads no memory, and its registers are the same in each iteration"
        );
    };
    let value = word.value.map_or("whose value is unknown".to_string(), |value| format!("which is {value}"));
    format!("{waiting_warps} {shown} {spin} for ever on {}, {value}: no warp will change it", word.named())
}

pub(crate) fn at_lanes(l: &BlockedLanes) -> String {
    format!("{} of warp {} wait for ever for {} of the same warp", lanes(l.waiting), l.warp, lanes(l.missing))
}
