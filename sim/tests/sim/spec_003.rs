// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Spec 003 as PTX in clusters of several CTAs, with its examples verbatim; `docs/evidence/spec-003.md` lists the test of each
//! sentence.

use super::ptx::words as arrivals;
use super::runs::{ptx_with, Run};
use bcu_isa::config::named;
use bcu_machine::{self, run, unit, Machine, Report, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::ptx::{parse, Launch};
use bcu_program::{load, Kind};
use std::collections::BTreeMap;

/// Runs a fragment as one cluster of `ctas` CTAs with this number of threads each.
fn report(text: &str, ctas: u32, threads: u32) -> Report {
    let config = named("default").unwrap();
    let grid = [ctas, 1, 1];
    let launch = Launch { threads: Some([threads, 1, 1]), grid, cluster: Some(grid), ..Launch::new(32) };
    let loaded = bcu_program::Run::of_one(load(Kind::Ptx, text, &launch).unwrap_or_else(|e| panic!("{e:#?}\n{text}")));
    let machine = Machine::parse("max_cycles = 100000").unwrap().of_run(&loaded);
    let name = unit(&machine, &config, &loaded.programs).unwrap();
    let mut dut = by_name(name, Sizes::try_from(&config).unwrap()).unwrap();
    run(&mut *dut, &config, &machine, &loaded.programs, &mut |_| {}).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
}

/// The words of global memory after a run without faults, by address.
fn global(text: &str, ctas: u32, threads: u32) -> Vec<u32> {
    let report = report(text, ctas, threads);
    assert_eq!((report.verdict, report.faults.len()), (Verdict::Completed, 0), "{report}\n{text}");
    let words = report.memory.iter().filter(|word| word.cta.is_none());
    words.map(|word| (word.address, word.value)).collect::<BTreeMap<_, _>>().into_values().collect()
}

fn codes(text: &str, ctas: u32) -> Vec<String> {
    report(text, ctas, 1).faults.iter().map(|fault| fault.code.to_string()).collect()
}

/// The prologue of every CTA in the examples below: its rank, the size of the cluster, the address of its word in `out`.
const KNOWS: &str = ".reg .pred p, q, done;\n.reg .b32 rank, size, at, a<9>, v<9>;\n.reg .b64 g<4>, state;\n.shared .align 8 .b8 pad[8];\n\
    .shared .align 8 .b64 bar;\n.shared .align 4 .u32 word;\nmov.u32 rank, %cluster_ctarank;\nmov.u32 size, %cluster_nctarank;\n\
    shl.b32 at, rank, 2;\nsetp.eq.u32 p, rank, 0;\n";
const MEET: &str = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

fn knowing(lines: &str) -> String {
    format!("{KNOWS}{lines}")
}

#[test]
fn a_wait_blocks_until_all_threads_of_the_cluster_have_arrived() {
    // The last CTA arrives late, and all CTAs read its earlier store.
    let late = "sub.u32 v0, size, 1;\nsetp.ne.u32 q, rank, v0;\n@q bra COME;\nmov.u32 v1, 200;\nSPIN: sub.u32 v1, v1, 1;\nsetp.ne.u32 q, v1, 0;\n\
                @q bra SPIN;\nst.global.u32 [256], 77;\n";
    for (ctas, threads) in [(2, 1), (4, 64), (8, 32), (16, 32)] {
        let text = knowing(&format!("{late}COME:\n{MEET}ld.global.u32 v2, [256];\nst.global.u32 [at], v2;\n"));
        assert_eq!(global(&text, ctas, threads), vec![77; ctas as usize + 1], "{ctas} CTAs");
    }
}

#[test]
fn an_arrival_does_not_wait_and_the_barrier_starts_again_by_itself() {
    // Between arrival and wait each CTA continues; after ten phases all have counted ten.
    let text = knowing(
        "mov.u32 v0, 0;\nAGAIN: barrier.cluster.arrive;\nadd.u32 v0, v0, 1;\nbarrier.cluster.wait;\nsetp.lt.u32 q, v0, 10;\n@q bra AGAIN;\n\
         st.global.u32 [at], v0;\n",
    );
    assert_eq!(global(&text, 4, 64), [10; 4]);
}

#[test]
fn each_thread_arrives_once_a_phase() {
    assert_eq!(codes(&knowing(&format!("@p barrier.cluster.arrive;\n{MEET}")), 2), ["cluster_double_arrival"]);
}

#[test]
fn a_cta_that_has_ended_holds_its_cluster_not_up() {
    assert_eq!(global(&knowing(&format!("@p exit;\n{MEET}{MEET}st.global.u32 [at], rank;\n")), 4, 32), [1, 2, 3]);
}

#[test]
fn a_release_and_an_acquire_order_what_a_relaxed_arrival_does_not() {
    // The CTA of rank 1 stores to shared memory of the CTA of rank 0, which loads the word after the barrier.
    let text = |order: &str| {
        knowing(&format!(
            "@p st.shared.u32 [word], 0;\n{MEET}mapa.shared::cluster.u32 a0, word, 0;\n@!p st.shared::cluster.u32 [a0], 5;\n\
             barrier.cluster.arrive{order};\nbarrier.cluster.wait.acquire;\n@p ld.shared.u32 v0, [word];\n@p st.global.u32 [at], v0;\n{MEET}"
        ))
    };
    assert_eq!((global(&text(""), 2, 1), global(&text(".release"), 2, 1)), (vec![5], vec![5]));
    assert_eq!(global(&text(".relaxed"), 2, 1), [0]);
    let fenced = text(".relaxed").replacen(
        "barrier.cluster.arrive.relaxed;",
        "fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed;",
        1,
    );
    assert_eq!(global(&fenced, 2, 1), [5]);
}

#[test]
fn memory_of_other_ctas_is_read_written_and_added_to() {
    let next = "add.u32 v0, rank, 1;\nsetp.eq.u32 q, v0, size;\n@q mov.u32 v0, 0;\n";
    let text = knowing(&format!(
        "mul.lo.u32 v1, rank, 10;\nst.shared.u32 [word], v1;\n{MEET}{next}mov.u32 a0, word;\nmapa.shared::cluster.u32 a1, a0, v0;\n\
         ld.shared::cluster.u32 v2, [a1];\ncvt.u64.u32 g0, a0;\ncvta.shared.u64 g0, g0;\nmapa.u64 g1, g0, v0;\nld.u32 v3, [g1];\nadd.u32 v2, v2, v3;\n\
         {MEET}atom.shared::cluster.add.u32 v4, [a1], 1;\nmapa.shared::cluster.u32 a2, a0, 0;\nred.shared::cluster.add.u32 [a2], 100;\n\
         {MEET}ld.shared.u32 v5, [word];\nadd.u32 v2, v2, v5;\nst.global.u32 [at], v2;\n"
    ));
    // Each CTA stores 2 * 10 * the next rank, plus its own word after the additions: 1 by one CTA and, at rank 0, 100 by each of four CTAs.
    assert_eq!(global(&text, 4, 1), [20 + 401, 40 + 11, 60 + 21, 31]);
}

/// A program with an mbarrier in the first CTA. All CTAs have the address of the mbarrier. At the end the first CTA waits for phase 0 of
/// the mbarrier.
fn at_first(count: u32, others: &str, first: &str) -> String {
    knowing(&format!(
        "@p mbarrier.init.shared.b64 [bar], {count};\n@p st.shared.u32 [word], 0;\nfence.mbarrier_init.release.cluster;\n{MEET}mov.u32 a0, bar;\n\
         mapa.shared::cluster.u32 a1, a0, 0;\nmov.u32 a2, word;\nmapa.shared::cluster.u32 a3, a2, 0;\n{others}@!p bra LAST;\n{first}\
         WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [bar], 0;\n@!done bra WAIT;\nld.shared.u32 v0, [word];\n\
         st.global.u32 [at], v0;\nLAST:\n{MEET}"
    ))
}

#[test]
fn arrivals_at_an_mbarrier_of_another_cta_release_who_waits_there() {
    let arrive = |line: &str| format!("red.shared::cluster.add.u32 [a3], 7;\n{line}\n");
    for line in [
        "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a1];",
        "mbarrier.arrive.shared::cluster.b64 _, [a1], 1;",
        "mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [a1];",
    ] {
        assert_eq!(global(&at_first(4, &arrive(line), ""), 4, 1), [28], "{line}");
    }
    let two = arrive("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a1], 2;");
    assert_eq!(global(&at_first(8, &two, ""), 4, 1), [28]);
}

#[test]
fn bytes_are_expected_and_completed_from_another_cta() {
    // The phase needs one arrival and 32 bytes, all from the CTA of rank 1.
    let both =
        "@!p mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [a1], 32;\n@!p st.shared::cluster.u32 [a3], 9;\n\
                @!p fence.acq_rel.cluster;\n@!p mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [a1], 32;\n";
    assert_eq!(global(&at_first(1, both, ""), 2, 1), [9]);
    let apart = "@!p mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [a1], 4;\n@!p mbarrier.arrive.shared::cluster.b64 _, [a1];\n\
                 @!p st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a3], 11, [a1];\n";
    assert_eq!(global(&at_first(1, apart, ""), 2, 1), [11]);
}

#[test]
fn other_operations_are_for_the_own_cta() {
    let on = |line: &str| {
        codes(&knowing(&format!("@p mbarrier.init.shared.b64 [bar], 1;\n{MEET}mov.u32 a0, bar;\nmapa.shared::cluster.u32 a1, a0, 0;\n@!p {line}\n{MEET}")), 2)
    };
    assert_eq!(on("mbarrier.test_wait.parity.shared::cta.b64 done, [a1], 0;"), ["wait_remote"]);
    assert_eq!(on("mbarrier.inval.shared::cta.b64 [a1];"), ["rank_out_of_range"]);
    assert_eq!(on("mbarrier.arrive.shared::cta.b64 state, [a1];"), ["rank_out_of_range"]);
    for line in [
        "mbarrier.init.shared::cluster.b64 [a], 1;",
        "mbarrier.inval.shared::cluster.b64 [a];",
        "mbarrier.test_wait.shared::cluster.b64 p, [a], s;",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
}

#[test]
fn one_copy_goes_to_all_ctas_that_its_mask_names() {
    let text = knowing(&format!(
        ".shared .align 16 .b8 box[16];\n@p st.global.u32 [4096], 1;\n@p st.global.u32 [4100], 2;\n@p st.global.u32 [4104], 3;\n@p st.global.u32 [4108], 4;\n\
         mbarrier.init.shared.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\nfence.proxy.async;\n{MEET}\
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\nmov.u64 g0, 4096;\n\
         @p cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [box], [g0], 16, [bar], 7;\n\
         WAIT: mbarrier.try_wait.parity.shared::cta.b64 done, [bar], 0;\n@!done bra WAIT;\n\
         ld.shared.u32 v0, [box];\nld.shared.u32 v1, [box+12];\nmad.lo.u32 v0, v0, 10, v1;\nst.global.u32 [at], v0;\n{MEET}"
    ));
    assert_eq!(global(&text, 3, 1)[..3], [14, 14, 14]);
}

/// Runs an example of the PTX page; `before` is the code that the page omits.
fn example(before: &str, text: &str) -> Run {
    let launch = Launch { threads: Some([32, 1, 1]), cluster: Some([1; 3]), ..Launch::new(32) };
    ptx_with(&format!("{before}\n{text}"), &launch)
}

#[test]
fn the_examples_of_the_page_are_taken_as_written() {
    let memory = "mov.u32 r0, 0; mov.u32 r1, 8; mov.u32 r2, 0; mov.u32 r3, 0; mov.u32 addr, 64; setp.eq.u32 p, r0, r1;";
    let shared = "st.shared [r0], r1;\nbar.cta.sync 1;\nld.shared r2, [r3];\n\nbar.cta.red.and.pred r3, 1, p;";
    assert_eq!(arrivals(&example(memory, shared), 0).len(), 2);
    example(memory, "st.shared.u32 [r0], r1;\nbar.warp.sync 0xffffffff;\nld.shared.u32 r2, [r0];");
    let cluster = "ld.shared::cluster.u32 r0, [addr];\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nst.shared::cluster.u32 [addr], r1;";
    assert_eq!(arrivals(&example(memory, cluster), 0).len(), 2);
    example("", "elect.sync %r0|%p0, 0xffffffff;".replace('%', "").as_str());
    example("", "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;");
    // The examples of mbarriers, by one thread, with the variables that they name.
    let one = ".shared .align 8 .b64 shMem, mbarObj;\n.reg .b64 state;\n.reg .b32 r0, r1, cnt, tx_count, addr, remoteAddr;\n.reg .pred complete, p;\n\
               mov.u32 cnt, 1; mov.u32 tx_count, 0; mov.u32 addr, mbarObj; mapa.shared::cluster.u32 remoteAddr, addr, 0;\n\
               mov.u32 r0, %laneid; setp.ne.u32 p, r0, 0; @p exit;\nmbarrier.init.shared.b64 [mbarObj], 9;\n";
    let made = "mbarrier.init.shared::cta.b64 [shMem], 12;\n";
    for text in [
        "",
        "mbarrier.arrive.shared.b64 state, [shMem];\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [remoteAddr], cnt;\n\
         mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [remoteAddr], tx_count;",
        "mbarrier.arrive.noComplete.shared.b64 state, [shMem], 1;\nmbarrier.pending_count.b64 r1, state;\nst.global.u32 [256], r1;",
        "mbarrier.expect_tx.relaxed.cta.shared.b64 [addr], 512;\nmbarrier.complete_tx.relaxed.cta.shared.b64 [mbarObj], 512;",
        "fence.mbarrier_init.release.cluster;\n\
         fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\nfence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;",
    ] {
        assert_eq!(example(&format!("{one}{made}"), text).report.faults.len(), 0, "{text}");
    }
    let wait = |text: &str| {
        let made = made.replace("12", "1");
        let run = example(&format!("{one}{made}mbarrier.arrive.shared.b64 state, [shMem];"), text);
        assert_eq!((run.report.verdict, run.report.faults.len()), (Verdict::Completed, 0), "{text}");
    };
    wait("waitLoop:\nmbarrier.test_wait.shared.b64 complete, [shMem], state;\n@!complete nanosleep.u32 20;\n@!complete bra waitLoop;");
    wait("waitLoop:\nmbarrier.try_wait.shared.b64 complete, [shMem], state;\n@!complete bra waitLoop;");
}

/// The words of global memory after one CTA of this number of threads runs a fragment.
fn stored(text: &str, threads: u32) -> Vec<u32> {
    let run = ptx_with(text, &Launch { threads: Some([threads, 1, 1]), ..Launch::new(32) });
    assert_eq!((run.report.verdict, run.report.faults.len()), (Verdict::Completed, 0), "{}\n{text}", run.report);
    run.global().into_iter().map(|(_, value)| value).collect()
}

#[test]
fn reductions_bring_their_result_to_every_thread() {
    let reduced = |red: &str| {
        format!(
            "mov.u32 t, %tid.x; shl.b32 a, t, 2; setp.lt.u32 p, t, 40; setp.lt.u32 q, t, 64; setp.gt.u32 w, t, 63;\n{red}\n\
             st.global.u32 [a], n;"
        )
    };
    assert_eq!(stored(&reduced("bar.red.popc.u32 n, 1, p;"), 64), [40; 64]);
    assert_eq!(stored(&reduced("barrier.red.popc.u32 n, 1, 64, !p;"), 64), [24; 64]);
    let truth = |red: &str| stored(&reduced(&format!("{red} selp.u32 n, 1, 0, r;")), 64);
    assert_eq!((truth("bar.red.and.pred r, 1, p;"), truth("bar.red.and.pred r, 1, q;")), (vec![0; 64], vec![1; 64]));
    assert_eq!((truth("bar.red.or.pred r, 1, p;"), truth("bar.red.or.pred r, 1, w;")), (vec![1; 64], vec![0; 64]));
}

#[test]
fn lanes_of_a_mask_meet_and_elect_one_of_them() {
    let knows = "mov.u32 t, %laneid; shl.b32 a, t, 2; mov.u32 d, 99;";
    let elected = |mask: u32| {
        let text = format!("{knows} setp.lt.u32 q, t, 8;\n@!q exit;\nelect.sync d|p, {mask}; selp.u32 n, 100, 0, p; add.u32 n, n, d; st.global.u32 [a], n;");
        stored(&text, 32)
    };
    // The leader is the lowest active lane, whenever that lane executes.
    assert_eq!(elected(0xff), [100, 0, 0, 0, 0, 0, 0, 0]);
    let sunk = format!("{knows} elect.sync _|p, -1; selp.u32 n, 1, 0, p; st.global.u32 [a], n;");
    assert_eq!(stored(&sunk, 32).iter().sum::<u32>(), 1);
    // No lane resumes before the others have arrived, by either instruction.
    let late = format!(
        "{knows} setp.ne.u32 q, t, 5; @q bra MEET; mov.u32 n, 100; SPIN: sub.u32 n, n, 1; setp.ne.u32 p, n, 0; @p bra SPIN;\n\
         st.shared.u32 [0], 42; MEET: bar.warp.sync -1; ld.shared.u32 n, [0]; st.global.u32 [a], n;"
    );
    assert_eq!(stored(&late, 32), [42; 32]);
    assert_eq!(stored(&late.replace("bar.warp.sync -1", "elect.sync _|p, -1"), 32), [42; 32]);
    for outside in ["bar.warp.sync 0x7fffffff;", "elect.sync _|p, 0x7fffffff;"] {
        let run = ptx_with(outside, &Launch { threads: Some([32, 1, 1]), ..Launch::new(32) });
        assert_eq!(run.report.faults[0].code, "gather_mismatch", "{outside}");
    }
}

#[test]
fn meetings_need_a_mask_a_version_and_a_target() {
    let refused = |version: &str, target: &str, line: &str| {
        let text = format!(".version {version}\n.target {target}\n.entry k() {{ .reg .pred p; .reg .b32 d; {line} ret; }}");
        parse(&text).err().map(|errors| errors[0].message.clone())
    };
    for (line, name, version, before, target) in [
        ("bar.warp.sync -1;", "`bar.warp.sync`", "6.0", "5.0", "sm_30"),
        ("elect.sync d|p, -1;", "`elect.sync`", "8.0", "7.8", "sm_90"),
    ] {
        assert_eq!(refused(version, target, line), None, "{line}");
        assert_eq!(refused(before, target, line), Some(format!("{name} needs PTX {version}, this text is PTX {before}")));
        let old = if target == "sm_30" { "sm_20" } else { "sm_80" };
        assert_eq!(refused("9.0", old, line), Some(format!("{name} needs {target}, the target of this text is {old}")));
    }
    assert_eq!(refused("9.0", "sm_90", "bar.warp.sync p;").as_deref(), Some("invalid member mask"));
}

#[test]
fn a_test_of_a_phase_answers_at_once() {
    // One thread tests before the phase completes, after the phase completes, and for the next phase, by state and by parity.
    let test = |wait: &str| format!("{wait}; selp.u32 n, 1, 0, p; st.global.u32 [a], n; add.u32 a, a, 4;\n");
    let state = test("mbarrier.test_wait.shared.b64 p, [bar], s");
    let parity = |phase: u32| test(&format!("mbarrier.test_wait.parity.shared.b64 p, [bar], {phase}"));
    let text = format!(
        ".shared .align 8 .b64 bar;\n.reg .b64 s, unused;\n.reg .b32 a, n;\n.reg .pred p;\nmov.u32 a, 0;\nmbarrier.init.shared.b64 [bar], 2;\n\
         mbarrier.arrive.shared.b64 s, [bar];\n{state}{}{}mbarrier.arrive.shared.b64 unused, [bar];\n{state}{}{}",
        parity(0),
        parity(1),
        parity(0),
        parity(1)
    );
    assert_eq!(stored(&text, 1), [0, 0, 1, 1, 1, 0]);
}
