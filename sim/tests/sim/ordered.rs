// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ordering between the threads of a CTA: barriers that lanes reach in groups, flags and locks in global memory, fences before
//! the relaxed barrier of a cluster. Correct programs have no finding; the same programs without the ordering have one.

use bcu_isa::config::named;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch, Run};

const REGISTERS: &str = ".reg .b32 %t, %w, %a, %b, %r<9>;\n.reg .b64 %s;\n.reg .pred %p, %first, %done;\n";

/// A kernel for 64 threads: `%t` is the thread, `%w` its warp, `%first` is true in thread 0.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 4 .u32 flag[4];\n.visible .entry k()\n{{\n.shared .align 8 .b64 bar;\n\
         .shared .align 4 .b32 s[64];\n{REGISTERS}mov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\nsetp.eq.u32 %first, %t, 0;\n{body}\nret;\n}}\n"
    )
}

fn launched(body: &str, ctas: u32) -> Report {
    with_machine(body, ctas, Machine::default())
}

fn with_machine(body: &str, ctas: u32, machine: Machine) -> Report {
    let (config, text) = (named("default").unwrap(), kernel(body));
    let launch = Launch { threads: Some([64, 1, 1]), grid: [ctas, 1, 1], cluster: Some([ctas, 1, 1]), ..Launch::new(32) };
    let loaded = Run::of_one(load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:?}\n{text}")));
    let machine = Machine { races: true, ..machine }.of_run(&loaded);
    let mut model = by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap();
    let report = run(&mut *model, &config, &machine, &loaded.programs, &mut |_| ()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(report.verdict, Verdict::Completed, "{report}\n{text}");
    report
}

fn races(body: &str) -> usize {
    launched(body, 1).races.len()
}

/// The codes of misuses of mbarriers, each with the instruction at its location.
fn misuses(body: &str) -> Vec<(&'static str, String)> {
    let report = launched(body, 2);
    report.misuses.iter().map(|m| (m.code, m.place.as_ref().map_or(String::new(), |place| place.text.to_string()))).collect()
}

#[test]
fn a_barrier_that_lanes_reach_in_groups_orders_what_every_group_did() {
    let body = |barrier: &str| {
        format!(
            "setp.eq.s32 %p, %t, 0;\n@%p bra X;\n{barrier}bra Y;\nX: st.shared.u32 [s], 1;\n{barrier}Y: ld.shared.u32 %r5, [s];"
        )
    };
    assert_eq!(races(&body("barrier.sync 0;\n")), 0);
    assert_eq!(races(&body("barrier.sync 0;\nbarrier.sync 0;\nbarrier.sync 1, 64;\n")), 0);
    assert!(races(&body("")) > 0);
    // The barrier orders only the accesses before the arrival.
    let late = "setp.eq.s32 %p, %t, 0;\n@%p bra X;\nbarrier.sync 0;\nbra Y;\nX: barrier.sync 0;\nst.shared.u32 [s], 1;\nY: ld.shared.u32 %r5, [s];";
    assert!(races(late) > 0);
}

#[test]
fn flags_in_global_memory_order_shared_memory() {
    let body = |set: &str, get: &str, after: &str| {
        format!(
            "setp.ne.u32 %p, %w, 0;\n@%p bra WAITS;\n@%first st.shared.u32 [s], 7;\n{set}\nbra END;\n\
             WAITS:\n{get} %r1, [flag];\nsetp.eq.u32 %done, %r1, 0;\n@%done bra WAITS;\n{after}ld.shared.u32 %r2, [s];\nEND:"
        )
    };
    assert_eq!(races(&body("@%first st.release.gpu.global.u32 [flag], 1;", "ld.acquire.gpu.global.u32", "")), 0);
    assert_eq!(races(&body("@%first atom.release.gpu.global.exch.b32 %r3, [flag], 1;", "ld.acquire.gpu.global.u32", "")), 0);
    let fences = "fence.acq_rel.gpu;\n";
    assert_eq!(
        races(&body(&format!("{fences}@%first st.relaxed.gpu.global.u32 [flag], 1;"), "ld.relaxed.gpu.global.u32", fences)),
        0
    );
    assert_eq!(
        races(&body("membar.gl;\n@%first st.volatile.global.u32 [flag], 1;", "ld.volatile.global.u32", "membar.gl;\n")),
        0
    );
}

#[test]
fn a_lock_in_global_memory_orders_what_it_protects() {
    let body = |lock: &str, unlock: &str| {
        format!(
            "and.b32 %a, %t, 31;\nsetp.ne.u32 %p, %a, 0;\n@%p bra END;\n{lock}ld.shared.u32 %r1, [s];\nadd.u32 %r1, %r1, 1;\n\
             st.shared.u32 [s], %r1;\n{unlock}END:"
        )
    };
    let lock = "L: atom.acquire.gpu.global.cas.b32 %r2, [flag], 0, 1;\nsetp.ne.u32 %done, %r2, 0;\n@%done bra L;\n";
    let unlock = "atom.release.gpu.global.exch.b32 %r3, [flag], 0;\n";
    assert_eq!(races(&body(lock, unlock)), 0);
    assert!(races(&body("", "")) > 0);
}

/// Thread 0 initialises the mbarrier, the barrier of the cluster follows, then lane 0 of warp 1 arrives.
fn kernel_text(fence: &str, barrier: &str, arrives: &str) -> String {
    format!(
        "@!%first bra READY;\nmbarrier.init.shared.b64 [bar], 1;\n{fence}READY:\nbar.warp.sync -1;\n{barrier}setp.ne.u32 %p, %t, 32;\n\
         @%p bra END;\nmov.u32 %a, bar;\n{arrives}\nEND:\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"
    )
}

const INIT_FENCE: &str = "fence.mbarrier_init.release.cluster;\n";
const RELAXED: &str = "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";
const RELEASED: &str = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";
const OWN: &str = "mbarrier.arrive.shared.b64 _, [bar];";
const OTHER: &str = "mov.u32 %b, %cluster_ctarank;\nxor.b32 %b, %b, 1;\nmapa.shared::cluster.u32 %a, %a, %b;\n\
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%a];";

#[test]
fn a_fence_shows_inits_over_the_relaxed_barrier_of_a_cluster() {
    let none: [(&str, String); 0] = [];
    for arrives in [OWN, OTHER] {
        for (fence, barrier) in
            [(INIT_FENCE, RELAXED), ("fence.acq_rel.cluster;\n", RELAXED), ("", RELEASED), (INIT_FENCE, RELEASED)]
        {
            assert_eq!(misuses(&kernel_text(fence, barrier, arrives)), none, "{fence}{barrier}{arrives}");
        }
    }
    let codes = |body: &str| misuses(body).iter().map(|(code, _)| *code).collect::<Vec<_>>();
    assert_eq!(codes(&kernel_text("", RELAXED, OWN)), ["mbarrier_not_visible"; 2]);
    // Both threads are in the scope of this fence.
    assert_eq!(misuses(&kernel_text("fence.acq_rel.cta;\n", RELAXED, OWN)), none);
}

#[test]
fn an_init_that_nothing_releases_is_not_visible_to_other_ctas() {
    // `bar.sync` orders within a CTA, and a relaxed barrier orders nothing.
    for (fence, barrier) in [("", format!("bar.sync 0;\n{RELAXED}")), ("fence.acq_rel.cta;\n", RELAXED.to_string())] {
        let found = misuses(&kernel_text(fence, &barrier, OTHER));
        assert_eq!(found.len(), 2, "{found:?}");
        for (code, place) in found {
            assert_eq!(code, "mbarrier_not_visible");
            assert!(place.contains("mbarrier.init"), "{place}");
        }
    }
}

#[test]
fn a_fence_before_a_relaxed_arrival_orders_what_came_before_it() {
    let body = |fence: &str| {
        format!(
            "@%first mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\nsetp.ne.u32 %p, %w, 0;\n@%p bra WAITS;\n@%first st.shared.u32 [s], 7;\n{fence}\
             @%first mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [bar];\nbra END;\n\
             WAITS:\nmbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra WAITS;\nld.shared.u32 %r2, [s];\nEND:"
        )
    };
    assert_eq!(races(&body("fence.acq_rel.cta;\n")), 0);
    assert!(races(&body("")) > 0);
}

#[test]
fn a_flag_in_shared_memory_shows_an_init_to_the_cluster() {
    // CTA 0 initialises its mbarrier and sets a flag that CTA 1 polls.
    let body = |set: &str| {
        format!(
            "mov.u32 %b, %cluster_ctarank;\n@%first st.shared.u32 [s], 0;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n\
             setp.ne.u32 %p, %t, 0;\n@%p bra END;\nmov.u32 %a, bar;\nmov.u32 %r1, s;\nsetp.ne.u32 %p, %b, 0;\n@%p bra OTHER;\n\
             mbarrier.init.shared.b64 [bar], 1;\n{set}bra END;\n\
             OTHER:\nmapa.shared::cluster.u32 %a, %a, 0;\nmapa.shared::cluster.u32 %r1, %r1, 0;\n\
             SPIN:\nld.acquire.cluster.shared::cluster.u32 %r2, [%r1];\nsetp.eq.u32 %done, %r2, 0;\n@%done bra SPIN;\n\
             mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%a];\n\
             END:\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;"
        )
    };
    let codes = |body: &str| misuses(body).iter().map(|(code, _)| *code).collect::<Vec<_>>();
    assert_eq!(codes(&body("st.release.cluster.shared::cta.u32 [s], 1;\n")), <[&str; 0]>::default());
    assert_eq!(codes(&body("st.shared.u32 [s], 1;\n")), ["mbarrier_not_visible"]);
}

/// A kernel in which CTA 0 executes the text `from` and CTA 1 the text `to`, after the initialisation of an mbarrier in each CTA.
fn of_two_ctas(from: &str, to: &str) -> String {
    format!(
        "@%first mbarrier.init.shared.b64 [bar], 1;\nmov.u32 %b, %cluster_ctarank;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n\
         mov.u32 %a, bar;\nxor.b32 %r7, %b, 1;\nmapa.shared::cluster.u32 %r8, %a, %r7;\nsetp.ne.u32 %p, %b, 0;\n@%p bra SECOND;\n{from}bra END;\n\
         SECOND:\n{to}END:\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;"
    )
}

/// The number of races in a kernel in which CTA 1 forwards a signal. Warp 0 of CTA 0 stores a word and signals by `store`. CTA 1 waits for
/// the signal by `told` and forwards it by `passes`. Warp 1 of CTA 0 waits for the forwarded signal by `waits` and loads the word.
fn by_way_of_cta_1(store: &str, waits: &str, told: &str, passes: &str) -> usize {
    let from = format!(
        "setp.ne.u32 %p, %w, 0;\n@%p bra WAITS;\n@%first st.shared.u32 [s], 7;\n{store}bra END;\nWAITS:\n{waits}@!%done bra WAITS;\nld.shared.u32 %r2, [s];\n"
    );
    let to = format!("setp.ne.u32 %p, %w, 0;\n@%p bra MEET;\nTOLD:\n{told}@!%done bra TOLD;\nMEET:\nbar.sync 0;\nsetp.ne.u32 %p, %t, 32;\n@%p bra END;\n{passes}");
    launched(&of_two_ctas(&from, &to), 2).races.len()
}

#[test]
fn flags_order_a_cta_by_way_of_another_one() {
    let poll =
        |word: u32, order: &str| format!("ld.{order}.gpu.global.u32 %r1, [flag+{}];\nsetp.ne.u32 %done, %r1, 0;\n", 4 * word);
    let set = |word: u32, order: &str| format!("st.{order}.gpu.global.u32 [flag+{}], 1;\n", 4 * word);
    let chain = |first: &str| {
        by_way_of_cta_1(&format!("@%first {}", set(0, first)), &poll(1, "acquire"), &poll(0, "acquire"), &set(1, "release"))
    };
    assert_eq!(chain("release"), 0);
    // A release before the store does not order the store.
    let early = format!("@%first {}", set(0, "release"));
    let body = of_two_ctas(
        &format!(
            "setp.ne.u32 %p, %w, 0;\n@%p bra WAITS;\n{early}@%first st.shared.u32 [s], 7;\nbra END;\nWAITS:\n{}@!%done bra WAITS;\nld.shared.u32 %r2, [s];\n",
            poll(1, "acquire")
        ),
        &format!("TOLD:\n{}@!%done bra TOLD;\n@%first {}", poll(0, "acquire"), set(1, "release")),
    );
    assert!(!launched(&body, 2).races.is_empty());
}

#[test]
fn mbarriers_order_a_cta_by_way_of_another_one() {
    let wait = "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %done, [%a], 0;\n";
    let arrive = |order: &str| format!("mbarrier.arrive.{order}.cluster.shared::cluster.b64 _, [%r8];\n");
    let chain = |first: &str| by_way_of_cta_1(&format!("@%first {}", arrive(first)), wait, wait, &arrive("release"));
    assert_eq!(chain("release"), 0);
    assert!(chain("relaxed") > 0);
}

#[test]
fn a_strong_load_takes_what_was_handed_on_when_it_is_performed() {
    // The load may issue before the store whose value it reads: latencies are random.
    let body = "setp.ne.u32 %p, %w, 0;\n@%p bra WAITS;\n@%first st.shared.u32 [s], 7;\n@%first st.release.gpu.global.u32 [flag], 1;\nbra END;\n\
        WAITS:\nld.acquire.gpu.global.u32 %r1, [flag];\nsetp.eq.u32 %done, %r1, 0;\n@%done bra WAITS;\nld.shared.u32 %r2, [s];\nEND:";
    for seed in 0..40 {
        let mut machine = Machine { seed, ..Machine::default() };
        machine.latency.spread = 60;
        assert_eq!(with_machine(body, 1, machine).races.len(), 0, "seed {seed}");
    }
}
