// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Copies, asynchronous stores and atomics between the CTAs of a cluster, and the reports of clusters: races, timelines, texts of warps.

use bcu_isa::config::named;
use bcu_machine::timeline::{Recorder, State};
use bcu_machine::{run, Cycle, Machine, Report, RunError, Verdict};
use bcu_model::dut::Dut;
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch, Run};

const COMPLETES_TX: &str = ".mbarrier::complete_tx::bytes";

/// Runs a PTX kernel on `default` with this number of CTAs, which form one cluster.
fn clustered(ctas: u32, text: &str, observe: &mut dyn FnMut(&Cycle)) -> Result<Report, RunError> {
    let config = named("default").unwrap();
    let launch = Launch { threads: Some([32, 1, 1]), grid: [ctas, 1, 1], cluster: Some([ctas, 1, 1]), ..Launch::new(32) };
    let loaded = Run::of_one(load(Kind::Ptx, text, &launch).unwrap_or_else(|e| panic!("{e:#?}\n{text}")));
    let machine = Machine { races: true, ..Machine::default() }.of_run(&loaded);
    let mut model: Box<dyn Dut> = by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap();
    run(&mut *model, &config, &machine, &loaded.programs, observe)
}

/// A kernel in which every CTA has an mbarrier `bar` for one arrival and `bytes` bytes, 16 private words `src` and 32 words `dst`. `%peer`
/// is the rank of the next CTA, and thread 0 executes `line`. Then each CTA waits and stores its `dst` from byte 256 times its rank up.
fn kernel(ctas: u32, bytes: u32, line: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.shared .align 128 .b8 src[64];\n.shared .align 128 .b8 dst[128];\n\
         .shared .align 8 .b64 bar;\n.reg .b32 %r<20>;\n.reg .b64 %rd<8>;\n.reg .b16 %h;\n.reg .pred %p<4>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %cluster_ctarank;\n\
         mov.u32 %r2, src;\nmov.u32 %r3, dst;\nmov.u32 %r4, bar;\nsetp.ne.u32 %p0, %r0, 0;\nsetp.gt.u32 %p1, %r0, 15;\n\
         mul.lo.u32 %r5, %r1, 100;\nadd.u32 %r5, %r5, %r0;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r7, %r2, %r6;\n@!%p1 st.shared.u32 [%r7], %r5;\n\
         add.u32 %r8, %r3, %r6;\nst.shared.u32 [%r8], 7;\n\
         @%p0 bra READY;\nmbarrier.init.shared.b64 [%r4], 1;\nfence.mbarrier_init.release.cluster;\nmbarrier.arrive.expect_tx.shared.b64 %rd0, [%r4], {bytes};\nREADY:\n\
         fence.proxy.async;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nadd.u32 %r9, %r1, 1;\nrem.u32 %r9, %r9, {ctas};\n\
         mapa.shared::cluster.u32 %r10, %r3, %r9;\nmapa.shared::cluster.u32 %r11, %r4, %r9;\n@%p0 bra WAIT;\n{line}\nWAIT:\n\
         mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n@!%p2 bra WAIT;\nld.shared.u32 %r12, [%r8];\n\
         shl.b32 %r13, %r1, 8;\nadd.u32 %r13, %r13, %r6;\ncvt.u64.u32 %rd1, %r13;\nst.global.u32 [%rd1], %r12;\n\
         barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}}\n"
    )
}

/// The words of `dst` of a CTA.
fn words(report: &Report, rank: u32) -> Vec<u32> {
    let dst = report.memory.iter().filter(|word| word.cta == Some(rank as usize) && (128..256).contains(&word.address));
    dst.map(|word| word.value).collect()
}

/// Runs the kernel; it must complete without findings.
fn good(ctas: u32, bytes: u32, line: &str) -> Report {
    let text = kernel(ctas, bytes, line).replace("cvt.u64.u32 %rd1, %r13;\nst.global.u32 [%rd1], %r12;\n", "");
    let report = clustered(ctas, &text, &mut |_| ()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!((report.verdict, &report.races[..], &report.misuses[..]), (Verdict::Completed, &[][..], &[][..]), "{report}");
    report
}

#[test]
fn a_bulk_copy_into_another_cta_tells_its_mbarrier() {
    for ctas in [2, 4] {
        let line = format!("cp.async.bulk.shared::cluster.shared::cta{COMPLETES_TX} [%r10], [%r2], 64, [%r11];");
        let report = good(ctas, 64, &line);
        for rank in 0..ctas {
            let from = (rank + ctas - 1) % ctas * 100;
            let expected: Vec<u32> = (0..32).map(|word| if word < 16 { from + word } else { 7 }).collect();
            assert_eq!(words(&report, rank), expected, "{report}");
        }
    }
}

#[test]
fn asynchronous_stores_into_another_cta_tell_its_mbarrier() {
    let report =
        good(2, 4, &format!("add.u32 %r14, %r5, 1000;\nst.async.shared::cluster{COMPLETES_TX}.u32 [%r10], %r14, [%r11];"));
    let first: Vec<u32> = (0..2).map(|rank| words(&report, rank)[0]).collect();
    assert_eq!(first, [1100, 1000], "{report}");
}

#[test]
fn the_bytes_and_their_mbarrier_are_of_one_cta() {
    let line = format!("cp.async.bulk.shared::cluster.shared::cta{COMPLETES_TX} [%r10], [%r2], 64, [%r4];");
    let Err(RunError::Program { stopped, .. }) = clustered(2, &kernel(2, 64, &line), &mut |_| ()) else { panic!("it runs") };
    let message = &stopped.diagnostic.message;
    assert!(message.contains("names rank 0 (bits 31:24), but the bytes are copied to the CTA of rank 1"), "{message}");
}

#[test]
fn loads_stores_and_atomics_reach_another_cta() {
    let line = "st.shared::cluster.u32 [%r10+4], 40;\natom.shared::cluster.add.u32 %r14, [%r10+8], 5;\nld.shared::cluster.u32 %r15, [%r10+12];\n\
                st.shared::cluster.u32 [%r10+16], %r15;\nfence.acq_rel.cluster;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];";
    // The mbarrier expects two arrivals, one of this CTA and one of the other CTA, and no bytes.
    let text = kernel(2, 0, line).replace("mbarrier.init.shared.b64 [%r4], 1;", "mbarrier.init.shared.b64 [%r4], 2;");
    let text = text.replace("cvt.u64.u32 %rd1, %r13;\nst.global.u32 [%rd1], %r12;\n", "");
    let report = clustered(2, &text, &mut |_| ()).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    for rank in 0..2 {
        assert_eq!(words(&report, rank)[..6], [7, 40, 12, 7, 7, 7], "{report}");
    }
}

#[test]
fn the_barrier_of_a_cluster_orders_the_threads_of_a_cta() {
    let text = |between: &str| {
        format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.shared .align 4 .b32 word[2];\n.reg .b32 %r<6>;\n.reg .pred %p0;\n\
             mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, word;\nadd.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\n\
             {between}xor.b32 %r2, %r2, 4;\nadd.u32 %r4, %r3, %r2;\nld.shared.u32 %r5, [%r4];\nret;\n}}\n"
        )
    };
    let races = |between: &str| {
        let config = named("default").unwrap();
        let launch = Launch { threads: Some([64, 1, 1]), grid: [2, 1, 1], cluster: Some([2, 1, 1]), ..Launch::new(32) };
        let loaded = Run::of_one(load(Kind::Ptx, &text(between), &launch).unwrap());
        let machine = Machine { races: true, ..Machine::default() }.of_run(&loaded);
        let mut model = by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap();
        let report = run(&mut *model, &config, &machine, &loaded.programs, &mut |_| ()).unwrap();
        report.races.iter().filter(|race| !race.kind.needs_strict()).count()
    };
    assert_eq!(races("barrier.cluster.arrive;\nbarrier.cluster.wait;\n"), 0);
    assert!(races("") > 0 && races("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n") > 0);
}

#[test]
fn pictures_and_texts_show_who_waits_for_its_cluster() {
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>;\n.reg .pred %p;\n\
                mov.u32 %r0, %cluster_ctarank;\nsetp.eq.u32 %p, %r0, 0;\n@%p bra LATE;\nbra MEET;\nLATE:\nmov.u32 %r1, 0;\nMORE:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 50;\n@%p bra MORE;\nMEET:\n\
                barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n";
    let (mut recorder, mut said) = (Recorder::default(), 0);
    let report = clustered(2, text, &mut |cycle| {
        recorder.cycle(cycle);
        // Index 32 is the first warp slot of the second multiprocessor.
        said += usize::from(cycle.warp(32).starts_with("cluster l."));
    });
    assert_eq!(report.unwrap().verdict, Verdict::Completed);
    let timeline = recorder.finish();
    assert_eq!(timeline.rows.iter().map(|row| row.cta).collect::<Vec<_>>(), [0, 1]);
    let waits = |row: usize| {
        timeline.rows[row].intervals.iter().filter(|i| i.state == State::AtCluster).map(|i| i.to - i.from).sum::<u64>()
    };
    assert!(waits(1) > 50 && waits(0) < waits(1) && said as u64 == waits(1), "{} {} {said}", waits(0), waits(1));
}
