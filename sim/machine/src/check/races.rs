// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings for data races: two accesses to shared or global memory without an order, or without the proxy fence that an asynchronous copy
//! needs.

use super::codes::{
    Code, PROXY_FENCE_AFTER_LOAD, PROXY_FENCE_MISSING, RACE, RACE_IF_DIFFERENT, READ_ONLY_LOAD, SAME_VALUE, VOLATILE_ONLY,
};
use super::finding::{Case, Finding, RaceSubject, Related};
use crate::report::{Race, RaceKind, RaceMemory, RaceVariable, Toucher, UnwaitedObject};
use bcu_program::Kind;

pub fn find(case: &Case) -> Vec<Finding> {
    let is_reported = |race: &&Race| case.subject.strict || !race.kind.needs_strict();
    case.report.races.iter().filter(is_reported).map(|race| describe_race(case, race)).collect()
}

fn code(kind: RaceKind) -> &'static Code {
    match kind {
        RaceKind::ProxyFence | RaceKind::MapFence => &PROXY_FENCE_MISSING,
        RaceKind::ProxyFenceAfterLoad => &PROXY_FENCE_AFTER_LOAD,
        RaceKind::SameValue => &SAME_VALUE,
        RaceKind::IfDifferent => &RACE_IF_DIFFERENT,
        RaceKind::Volatile => &VOLATILE_ONLY,
        RaceKind::ReadOnly => &READ_ONLY_LOAD,
        _ => &RACE,
    }
}

/// The name of the access if it is that of a product of a warpgroup, or of work on the tensor core.
fn product(toucher: &Toucher) -> Option<&'static str> {
    let is = |opcode: &str| toucher.place.text.contains(opcode);
    let names = [("wgmma.", "a product"), ("tcgen05.mma", "a product"), ("tcgen05.cp", "a copy to tensor memory")];
    names.iter().find(|(opcode, _)| is(opcode)).map(|(_, name)| *name)
}

fn is_product(toucher: &Toucher) -> bool {
    product(toucher).is_some()
}

fn describe_race(case: &Case, race: &Race) -> Finding {
    let Race { memory, address, variable, cycle, first, second, kind } = race;
    let what = |toucher: &Toucher| if toucher.store { "stores to" } else { "loads" };
    let is_near = first.cta == second.cta;
    // All lanes of a warp start a product together.
    let name_lane = |toucher: &Toucher| match is_near {
        true if is_product(toucher) => format!("{} of warp {}", product(toucher).unwrap_or(""), toucher.warp),
        false if is_product(toucher) => {
            format!("{} of warp {} of CTA {}", product(toucher).unwrap_or(""), toucher.warp, toucher.cta)
        }
        true => format!("lane {} of warp {}", toucher.lane, toucher.warp),
        false => format!("lane {} of warp {} of CTA {}", toucher.lane, toucher.warp, toucher.cta),
    };
    let is_own = matches!(memory, RaceMemory::Shared { cta } if is_near && *cta == second.cta);
    let byte = match (variable, memory) {
        (Some(RaceVariable { name, offset }), RaceMemory::Shared { cta }) if !is_own => {
            format!("byte {offset} of `{name}` of CTA {cta}")
        }
        (Some(RaceVariable { name, offset }), _) => format!("byte {offset} of `{name}`"),
        (None, RaceMemory::Global) => format!("byte {address:#x} of global memory"),
        (None, RaceMemory::Shared { .. }) if is_own => format!("byte {address:#x} of shared memory"),
        (None, RaceMemory::Shared { cta }) => format!("byte {address:#x} of the shared memory of CTA {cta}"),
    };
    let same_warp = is_near && first.warp == second.warp;
    let why = match kind {
        RaceKind::Copy if first.place.text.contains("tcgen05.") => {
            "no wait for a `tcgen05.commit` after it is between it and this access"
        }
        RaceKind::Copy if is_product(first) => "no `wgmma.wait_group` for the product is between the product and this access",
        RaceKind::Copy => "no wait for the copy is between the copy and this access",
        RaceKind::SameInstruction => "which of the two values remains is undefined",
        RaceKind::Scope => "the scope of one of the two accesses does not include the other thread",
        RaceKind::ProxyFence if is_product(second) => {
            "the product is ordered after that access, but no `fence.proxy.async` is between the two"
        }
        RaceKind::ProxyFence | RaceKind::ProxyFenceAfterLoad => {
            "the copy is ordered after that access, but no `fence.proxy.async` is between the two"
        }
        RaceKind::MapFence => {
            "the copy is ordered after that change of its tensor map, but not by `fence.proxy.tensormap` with `.release` and then `.acquire`"
        }
        RaceKind::IfDifferent => "nothing orders the two stores, and one of the two values is unknown",
        RaceKind::SameValue => "both store the same value, and nothing orders the two stores",
        RaceKind::ReadOnly => "a load with `.nc` may return an old value, whatever barriers are between the two",
        RaceKind::Volatile => "both accesses are volatile, which does not order them",
        RaceKind::WeakAndStrong if first.cta != second.cta => {
            "nothing orders the two accesses, and one of them is a plain load or store"
        }
        RaceKind::WeakAndStrong | RaceKind::Unordered if same_warp => "the lanes have not synchronised since",
        RaceKind::WeakAndStrong | RaceKind::Unordered if is_near => "no barrier is between the two accesses",
        RaceKind::WeakAndStrong | RaceKind::Unordered => "nothing orders the two accesses",
    };
    let done = if first.store { "has stored to" } else { "has loaded" };
    let message = match kind {
        RaceKind::SameInstruction => format!(
            "lanes {} and {} of warp {} store different values to {byte} with one instruction: {why}",
            first.lane, second.lane, second.warp
        ),
        _ => format!("{} {} {byte}, which {} {done}: {why}", name_lane(second), what(second), name_lane(first)),
    };
    let at = case.locate_in(second.cta, second.warp, &second.place);
    let mut finding = Finding::new(code(*kind), at, message);
    (finding.cta, finding.warp, finding.cycle) = (Some(second.cta), Some(second.warp), Some(*cycle));
    let memory = match (variable, memory) {
        (Some(variable), _) => variable.name.clone(),
        (None, RaceMemory::Global) => "global memory".to_string(),
        (None, RaceMemory::Shared { .. }) => "shared memory".to_string(),
    };
    finding.race = Some(RaceSubject { memory, is_between_ctas: !is_near });
    finding.help = free_buffer(case, race).unwrap_or_else(|| remedy(case, race, case.kind(&finding)).to_string());
    if *kind != RaceKind::SameInstruction {
        let note = format!("{} {done} this byte here", name_lane(first));
        finding.related.push(Related { at: case.locate_in(first.cta, first.warp, &first.place), note });
    }
    finding
}

/// The remedy for a copy to bytes that may still be in use, if other warps free buffers by arriving at an mbarrier at which no thread waits.
fn free_buffer(case: &Case, race: &Race) -> Option<String> {
    let Race { first, second, kind, memory, .. } = race;
    let is_unordered = matches!(kind, RaceKind::Copy | RaceKind::Unordered);
    let is_copy = second.store && second.place.text.contains("async.bulk") && is_unordered;
    let is_own = matches!(memory, RaceMemory::Shared { cta } if *cta == second.cta && first.cta == second.cta);
    let frees = |object: &&UnwaitedObject| {
        object.cta == second.cta
            && object.arrivers.iter().any(|warp| *warp != second.warp)
            && !object.arrivers.contains(&second.warp)
    };
    let object = case.report.unwaited.iter().find(frees).filter(|_| is_copy && is_own)?;
    let warps = object.arrivers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let (noun, verb) = if object.arrivers.len() == 1 { ("warp", "arrives") } else { ("warps", "arrive") };
    Some(format!(
        "let the thread that starts the copy wait before it at {}, at which {noun} {warps} {verb} and no thread waits: these bytes may still be in use",
        object.object
    ))
}

/// A remedy that orders the two accesses.
fn remedy(case: &Case, Race { memory, first, second, kind: race, .. }: &Race, kind: Kind) -> &'static str {
    let program = case.plans.iter().find(|plan| plan.cta == second.cta).and_then(|plan| plan.programs.first());
    let is_cooperative = program.is_some_and(|program| program.grid.cooperative);
    let is = |toucher: &Toucher, what: &str| toucher.place.text.contains(what);
    let either = |what: &str| is(first, what) || is(second, what);
    match race {
        RaceKind::Copy if is(first, "tcgen05.") => {
            "the tensor core still reads these bytes: let the thread that started the work execute `tcgen05.commit`, and let the storing thread wait at its mbarrier"
        }
        RaceKind::Copy if is_product(first) => {
            "the product still reads these bytes: let its warps execute `wgmma.commit_group` and `wgmma.wait_group`, and then arrive at the barrier or mbarrier that this thread waits at"
        }
        RaceKind::ProxyFence if is_product(second) => {
            "let every thread that has stored to these bytes execute `fence.proxy.async` (`cutlass::arch::fence_view_async_shared()`) before the barrier that orders the stores before the product"
        }
        RaceKind::Copy if is(first, "async.bulk") && !first.store => {
            match is(first, "mbarrier::complete_tx") {
                true => "the copy still reads these bytes: before the store, wait at the mbarrier that the copy signals, for the parity of its phase",
                false => "the copy still reads these bytes: let the thread that started it execute `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read 0`, and then meet the storing thread at a barrier",
            }
        }
        RaceKind::Copy if is(first, ".bulk_group") => {
            "wait for the copy before these bytes are used: `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group 0` by the thread that started the copy, then a barrier for the other threads"
        }
        RaceKind::Copy if is(first, "async.bulk") || is(first, "st.async") || is(first, "red.async") => {
            "wait for the copy before these bytes are used: at the mbarrier that it signals, for the parity of its phase"
        }
        RaceKind::Copy => {
            "wait for the copy before these bytes are used: `cp.async.wait_group` by the thread that started the copy, then a barrier for the other threads"
        }
        RaceKind::ProxyFence | RaceKind::ProxyFenceAfterLoad => {
            "let every thread that has used these bytes execute `fence.proxy.async` (`cutlass::arch::fence_view_async_shared()`, `cuda::ptx::fence_proxy_async`) before the barrier, or let the thread that starts the copy execute this fence after the barrier"
        }
        RaceKind::MapFence => {
            "release the changed map by `tensormap.cp_fenceproxy` or `fence.proxy.tensormap::generic.release.gpu`, and after the synchronisation let the copying thread execute `fence.proxy.tensormap::generic.acquire.gpu [map], 128`"
        }
        RaceKind::ReadOnly if either("tex.") => {
            "a fetch may read an old value from its cache: store to another buffer than that of the texture, or split the kernel"
        }
        RaceKind::ReadOnly => "load these bytes without `.nc`: in CUDA C++, without `__ldg`, and through a pointer that is not `const __restrict__`",
        RaceKind::IfDifferent => {
            "give the unknown value, such as an argument that is missing, so that the two can be compared; if they differ, order the two stores"
        }
        RaceKind::SameInstruction => "let one lane store, or give each lane a separate address",
        RaceKind::Scope => "give both accesses a scope that includes both threads: `.gpu` for two CTAs, `.cluster` for CTAs of one cluster",
        _ if first.cta != second.cta && matches!(memory, RaceMemory::Shared { .. }) => {
            "put {cluster_barrier} between the two accesses"
        }
        _ if first.cta != second.cta && is_cooperative => "put `grid.sync()` between the two accesses, in every CTA",
        _ if first.cta != second.cta => {
            "no barrier orders two CTAs: let the first release (`__threadfence()` and an atomic operation) and the second acquire, or split the kernel"
        }
        _ if first.warp == second.warp => "put {warp_barrier} between the two accesses",
        _ if either("async.bulk") || either("st.async") || either("red.async") => {
            "put a barrier before the copy: all threads that use these bytes arrive there, and the thread that starts the copy waits there"
        }
        _ if kind == Kind::Visa => "put {barrier} between the two accesses: a signal orders only the accesses before a fence (`lsc_fence`)",
        _ => "put {barrier} between the two accesses, or let the second thread wait at an mbarrier at which the first thread arrives after its access",
    }
}
