// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Races in the terms of PTX's memory model: each rule of docs/guide/races.md with a kernel that has the race, and the corrected kernel,
//! which has none.

use bcu_isa::config::named;
use bcu_machine::report::{Race, RaceKind};
use bcu_machine::{run, Machine, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch, Run};

const HEAD: &str = ".version 8.6
.target sm_90
.address_size 64
.global .align 16 .b32 g[256];
.global .align 4 .u32 flag;
.visible .entry k()
{
.shared .align 8 .b64 bar;
.shared .align 128 .b32 s[64];
.reg .b32 %t, %w, %l, %c, %a, %b, %r<9>;
.reg .b64 %rd<9>;
.reg .pred %p, %first, %lane0, %warp0, %cta0, %again;
mov.u32 %t, %tid.x;
shr.u32 %w, %t, 5;
and.b32 %l, %t, 31;
mov.u32 %c, %ctaid.x;
setp.eq.u32 %first, %t, 0;
setp.eq.u32 %lane0, %l, 0;
setp.eq.u32 %warp0, %w, 0;
setp.eq.u32 %cta0, %c, 0;
shl.b32 %a, %t, 2;
mov.u32 %b, s;
add.u32 %a, %a, %b;
";

/// The CTAs of a launch, each of 64 threads.
#[derive(Clone, Copy)]
enum Ctas {
    One,
    /// Two CTAs, each of which is a cluster of its own.
    Two,
    /// Two CTAs of one cluster.
    Cluster,
    /// This number of CTAs, each of which is a cluster of its own.
    Many(u32),
}

/// The races of a kernel with this body. `%t` is the thread, `%w` the warp, `%l` the lane, `%c` the CTA, `%a` the address of the thread's
/// word of `s`. Races between stores of the same value are left out, as by `bcu check` without `--strict`.
fn races(ctas: Ctas, body: &str) -> Vec<Race> {
    let (config, text) = (named("default").unwrap(), format!("{HEAD}{body}\nret;\n}}\n"));
    let (count, cluster) = match ctas {
        Ctas::One => (1, 1),
        Ctas::Two => (2, 1),
        Ctas::Cluster => (2, 2),
        Ctas::Many(count) => (count, 1),
    };
    let launch = Launch { threads: Some([64, 1, 1]), grid: [count, 1, 1], cluster: Some([cluster, 1, 1]), ..Launch::new(32) };
    let loaded = Run::of_one(load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:?}\n{text}")));
    let machine = Machine { races: true, ..Machine::default() }.of_run(&loaded);
    let mut model = by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap();
    let report = run(&mut *model, &config, &machine, &loaded.programs, &mut |_| ()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(report.verdict, Verdict::Completed, "{report}\n{text}");
    report.races.into_iter().filter(|race| race.kind != RaceKind::SameValue).collect()
}

fn none(ctas: Ctas, body: &str) {
    assert_eq!(races(ctas, body), [], "{body}");
}

/// Asserts that the kernel has a race of this kind, and no race of another kind.
fn one(ctas: Ctas, kind: RaceKind, body: &str) {
    let found = races(ctas, body);
    assert!(!found.is_empty() && found.iter().all(|race| race.kind == kind), "expected {kind:?}, found {found:#?}\n{body}");
}

// A bulk copy of `s` to global memory by thread 0.
const STORE_OUT: &str = "mov.u64 %rd1, g;
@%first cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 256;
@%first cp.async.bulk.commit_group;
@%first cp.async.bulk.wait_group 0;";

#[test]
fn a_bulk_copy_of_stored_bytes_needs_a_proxy_fence() {
    let body = |before: &str, after: &str| format!("st.shared.u32 [%a], %t;\n{before}bar.sync 0;\n{after}{STORE_OUT}");
    let fence = "fence.proxy.async.shared::cta;\n";
    one(Ctas::One, RaceKind::ProxyFence, &body("", ""));
    none(Ctas::One, &body(fence, ""));
    none(Ctas::One, &body("fence.proxy.async;\n", ""));
    // The fence may also follow the barrier, in the thread that starts the copy.
    none(Ctas::One, &body("", fence));
    // If only the copying thread has the fence before the barrier, the fence orders only the stores of that thread.
    one(Ctas::One, RaceKind::ProxyFence, &body(&format!("@%first {fence}"), ""));
    // A fence for global memory does not order shared memory, and other fences do not order proxies.
    one(Ctas::One, RaceKind::ProxyFence, &body("fence.proxy.async.global;\n", ""));
    one(Ctas::One, RaceKind::ProxyFence, &body("fence.acq_rel.cta;\n", ""));
}

#[test]
fn a_bulk_copy_over_loaded_bytes_needs_a_proxy_fence() {
    let body = |fence: &str| {
        format!(
            "@%first mbarrier.init.shared.b64 [bar], 1;\nfence.proxy.async;\nbar.sync 0;\nld.shared.u32 %r1, [%a];\n{fence}bar.sync 0;
@!%first bra WAIT;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
mov.u64 %rd1, g;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 256, [bar];
WAIT: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;
@!%p bra WAIT;
ld.shared.u32 %r2, [%a];"
        )
    };
    one(Ctas::One, RaceKind::ProxyFenceAfterLoad, &body(""));
    none(Ctas::One, &body("fence.proxy.async;\n"));
}

#[test]
fn stores_of_an_unknown_value_may_be_equal() {
    let unknown = "ld.shared.u32 %r1, [s+128];\n";
    for store in ["st.global.u32 [g], %r1;", "@%first st.global.u32 [g], 3;\n@!%warp0 st.global.u32 [g], %r1;"] {
        one(Ctas::One, RaceKind::IfDifferent, &format!("{unknown}{store}"));
    }
    none(Ctas::One, "st.global.u32 [g], 5;");
    one(Ctas::One, RaceKind::Unordered, "@%first st.global.u32 [g], 3;\n@!%warp0 st.global.u32 [g], 4;");
}

#[test]
fn lanes_that_store_different_values_with_one_instruction_race() {
    one(Ctas::One, RaceKind::SameInstruction, "@%warp0 st.shared.u32 [s], %t;");
    none(Ctas::One, "@%warp0 st.shared.u32 [s], 7;");
    none(Ctas::One, "@%warp0 st.shared.u32 [%a], %t;");
    none(Ctas::One, "@%warp0 red.shared.add.u32 [s], %t;");
    one(Ctas::One, RaceKind::SameInstruction, "@%warp0 st.global.u32 [g], %t;");
}

#[test]
fn a_plain_store_beside_atomic_operations_races() {
    one(Ctas::One, RaceKind::WeakAndStrong, "st.shared.u32 [%a], %t;\nred.shared.add.u32 [s], 1;");
    none(Ctas::One, "st.shared.u32 [%a], %t;\nbar.sync 0;\nred.shared.add.u32 [s], 1;");
    one(Ctas::One, RaceKind::WeakAndStrong, "ld.shared.u32 %r1, [%a];\nred.shared.add.u32 [s], 1;");
    none(Ctas::Two, "red.global.add.u32 [flag], 1;");
}

/// Thread 0 stores to `s` and sets a flag; warp 1 waits for the flag and loads.
fn message(set: &str, get: &str) -> String {
    format!(
        "@!%warp0 bra READER;\n@!%first bra END;\nst.shared.u32 [s], 7;\n{set}bra END;
READER: {get}setp.eq.u32 %again, %r1, 0;\n@%again bra READER;\nAFTER\nld.shared.u32 %r2, [s];\nEND:"
    )
}

#[test]
fn relaxed_operations_order_nothing_without_fences() {
    let relaxed = |fence: &str, acquire: &str| {
        message(
            &format!("{fence}atom.relaxed.gpu.global.exch.b32 %r1, [flag], 1;\n"),
            "ld.relaxed.gpu.global.u32 %r1, [flag];\n",
        )
        .replace("AFTER", acquire)
    };
    let fence = "fence.acq_rel.gpu;\n";
    none(Ctas::One, &relaxed(fence, fence));
    for (release, acquire) in [("", ""), (fence, ""), ("", fence)] {
        one(Ctas::One, RaceKind::Unordered, &relaxed(release, acquire));
    }
    let ordered = message("st.release.cta.global.u32 [flag], 1;\n", "ld.acquire.cta.global.u32 %r1, [flag];\n");
    none(Ctas::One, &ordered.replace("AFTER", ""));
}

/// CTA 0 stores to `g` and sets a flag; CTA 1 waits for the flag and loads.
fn across(set: &str, get: &str) -> String {
    format!(
        "@!%first bra END;\n@!%cta0 bra READER;\nst.global.u32 [g], 7;\n{set}\nbra END;
READER: {get}\nsetp.eq.u32 %again, %r1, 0;\n@%again bra READER;\nld.global.u32 %r2, [g];\nEND:"
    )
}

#[test]
fn a_scope_must_include_both_threads() {
    let (set, get) = ("st.release.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32 %r1, [flag];");
    none(Ctas::Two, &across(set, get));
    for (from, to) in [("gpu", "cta"), ("gpu", "cluster")] {
        let found = races(Ctas::Two, &across(&set.replace(from, to), get));
        let kinds: Vec<RaceKind> = found.iter().map(|race| race.kind).collect();
        assert!(kinds.contains(&RaceKind::Scope) && kinds.contains(&RaceKind::Unordered), "{to}: {found:#?}");
    }
    none(Ctas::Cluster, &across(&set.replace("gpu", "cluster"), &get.replace("gpu", "cluster")));
    // A fence with a scope that is too small releases nothing to the other CTA.
    let relaxed = "fence.acq_rel.SCOPE;\nst.relaxed.gpu.global.u32 [flag], 1;";
    let acquires = "ld.relaxed.gpu.global.u32 %r1, [flag];\nfence.acq_rel.gpu;";
    none(Ctas::Two, &across(&relaxed.replace("SCOPE", "gpu"), acquires));
    one(Ctas::Two, RaceKind::Unordered, &across(&relaxed.replace("SCOPE", "cta"), acquires));
}

#[test]
fn global_memory_of_two_ctas_needs_order() {
    one(Ctas::Two, RaceKind::Unordered, "@%first st.global.u32 [g], %c;");
    none(Ctas::Two, "shl.b32 %r1, %c, 6;\nadd.u32 %r1, %r1, %t;\nmul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd2, g;\nadd.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %c;");
    // A barrier orders only the threads of its CTA.
    one(Ctas::Two, RaceKind::Unordered, "@%cta0 st.global.u32 [g], 7;\nbar.sync 0;\nld.global.u32 %r1, [g];");
}

const PEER: &str =
    "mov.u32 %r1, %cluster_ctarank;\nxor.b32 %r1, %r1, 1;\nmov.u32 %r2, s;\nmapa.shared::cluster.u32 %r3, %r2, %r1;\n";
const ALL: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

#[test]
fn shared_memory_of_a_cluster_needs_order() {
    // Both CTAs store to the same word of rank 0.
    let both = "mov.u32 %r1, 0;\nmov.u32 %r2, s;\nmapa.shared::cluster.u32 %r3, %r2, %r1;\n@%first st.shared::cluster.u32 [%r3], %c;\n";
    one(Ctas::Cluster, RaceKind::Unordered, &format!("{ALL}{both}{ALL}"));
    // A CTA loads what its peer has stored to its own shared memory.
    let body =
        |between: &str| format!("{ALL}{PEER}st.shared.u32 [%a], %c;\n{between}ld.shared::cluster.u32 %r4, [%r3];\n{ALL}");
    none(Ctas::Cluster, &body(ALL));
    one(Ctas::Cluster, RaceKind::Unordered, &body(""));
    one(Ctas::Cluster, RaceKind::Unordered, &body(&ALL.replace("arrive", "arrive.relaxed")));
    none(Ctas::Cluster, &body(&format!("fence.acq_rel.cluster;\n{}", ALL.replace("arrive", "arrive.relaxed"))));
}

#[test]
fn a_wait_of_one_lane_orders_only_that_lane() {
    let body = |sync: &str| {
        format!(
            "@%first mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n@%warp0 bra READER;\n@!%lane0 bra END;\nst.shared.u32 [s], 7;
mbarrier.arrive.shared.b64 _, [bar];\nbra END;
READER: @!%lane0 bra LOAD;\nWAIT: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra WAIT;
LOAD: {sync}ld.shared.u32 %r1, [s];\nEND:"
        )
    };
    none(Ctas::One, &body("bar.warp.sync -1;\n"));
    one(Ctas::One, RaceKind::Unordered, &body(""));
}

#[test]
fn an_arrival_of_one_lane_releases_only_that_lane() {
    let body = |sync: &str| {
        format!(
            "@%first mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n@%warp0 bra READER;\nst.shared.u32 [%a], 7;\n{sync}@!%lane0 bra END;
mbarrier.arrive.shared.b64 _, [bar];\nbra END;
READER: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n@!%p bra READER;\nld.shared.u32 %r1, [%a+128];\nEND:"
        )
    };
    none(Ctas::One, &body("bar.warp.sync -1;\n"));
    one(Ctas::One, RaceKind::Unordered, &body(""));
}

#[test]
fn a_copy_that_no_thread_has_waited_for_is_not_handed_on_by_an_arrival() {
    let body = |wait: &str| {
        format!(
            "mov.u64 %rd1, g;\n@!%first bra NEXT;\ncp.async.ca.shared.global [s], [%rd1], 4;\nmov.u32 %r1, 0;
LOOP: add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 2000;\n@%p bra LOOP;\n{wait}NEXT: bar.sync 0;\nld.shared.u32 %r2, [s];"
        )
    };
    none(Ctas::One, &body("cp.async.wait_all;\n"));
    one(Ctas::One, RaceKind::Copy, &body(""));
}

#[test]
fn a_store_of_the_same_value_hides_no_third_access() {
    // Warp 0 and warp 1 store the same value; warp 1 synchronises with lane 0 of warp 0 only afterwards, and stores another value.
    let body = "@%lane0 st.shared.u32 [s], 1;\n@%warp0 bra END;\nbar.warp.sync -1;\n@%lane0 st.shared.u32 [s], 2;\nEND:";
    one(Ctas::One, RaceKind::Unordered, body);
    none(Ctas::One, "@%lane0 st.shared.u32 [s], 1;");
}

#[test]
fn volatile_accesses_without_order_are_reported_unless_the_load_waits_for_a_flag() {
    let body = |between: &str| format!("@%first st.volatile.shared.u32 [s], 7;\n{between}ld.volatile.shared.u32 %r1, [s];");
    one(Ctas::One, RaceKind::Volatile, &body(""));
    none(Ctas::One, &body("bar.sync 0;\n"));
    let polls = message("membar.gl;\nst.volatile.global.u32 [flag], 1;\n", "ld.volatile.global.u32 %r1, [flag];\n");
    none(Ctas::One, &polls.replace("AFTER", "membar.gl;"));
}

#[test]
fn the_last_of_many_ctas_acquires_what_each_has_released() {
    let body = |fence: &str| {
        format!(
            "@!%first bra END;\nmul.wide.u32 %rd1, %c, 4;\nmov.u64 %rd2, g;\nadd.u64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %c;\n{fence}
atom.global.add.u32 %r1, [flag], 1;\nsetp.ne.u32 %p, %r1, 99;\n@%p bra END;\n{fence}mov.u32 %r2, 0;
ADD: ld.global.u32 %r3, [%rd2];\nadd.u64 %rd2, %rd2, 4;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p, %r2, 100;\n@%p bra ADD;\nEND:"
        )
    };
    none(Ctas::Many(100), &body("fence.acq_rel.gpu;\n"));
    none(Ctas::Many(100), &body("membar.gl;\n"));
    one(Ctas::Many(100), RaceKind::Unordered, &body(""));
}

#[test]
fn a_race_is_found_after_more_accesses_than_are_kept() {
    // Warp 0 stores once; warp 1 stores 4,500 times to other words, then loads that of warp 0. A barrier would order them.
    let stores = "st.shared.u32 [%a], %t;\n".repeat(9);
    let body = |order: &str| {
        format!(
            "@%warp0 st.shared.u32 [%a], %t;\n{order}@%warp0 bra DONE;\nmov.u32 %r1, 0;
LOOP: {stores}add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 500;\n@%p bra LOOP;
sub.u32 %r5, %a, 128;\nld.shared.u32 %r2, [%r5];\nDONE:"
        )
    };
    one(Ctas::One, RaceKind::Unordered, &body(""));
    none(Ctas::One, &body("bar.sync 0;\n"));
}
