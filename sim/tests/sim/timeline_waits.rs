// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Timelines and pictures of waits at mbarriers, at cluster barriers, for grids, for copies and for values in memory: one interval for a
//! whole wait, with its object, its repetitions and its end.

use super::runs::model;
use super::timeline::look;
use bcu_isa::config::named;
use bcu_machine::timeline::{Awaited, Interval, PhaseWait, Polled, Recorder, State, Timeline};
use bcu_machine::view::svg;
use bcu_machine::view::title::Title;
use bcu_machine::{run, run_with, Machine, Observer, Report, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::{load, Kind, Launch, Run, Variable};

/// A recorded run of a PTX program.
struct Seen {
    report: Report,
    timeline: Timeline,
    /// The tooltips and texts of the picture.
    texts: Vec<String>,
    svg: String,
}

impl Seen {
    fn new(report: Report, recorder: Recorder) -> Seen {
        let timeline = recorder.finish();
        let svg = svg(&Title { program: "p.ptx", config: "default" }, &report, &timeline);
        Seen { report, timeline, texts: look(&svg).texts, svg }
    }

    fn of(&self, warp: usize, state: State) -> Vec<&Interval> {
        self.timeline.rows[warp].intervals.iter().filter(|interval| interval.state == state).collect()
    }

    /// The only wait of a warp at an mbarrier.
    fn wait(&self, warp: usize) -> (&Interval, &PhaseWait) {
        let waits = self.of(warp, State::AtMbarrier);
        assert_eq!(waits.len(), 1, "{waits:#?}");
        (waits[0], waits[0].phase_wait().unwrap())
    }

    /// Whether a tooltip or text has all parts.
    fn has(&self, parts: &[&str]) -> bool {
        self.texts.iter().any(|text| parts.iter().all(|part| text.contains(part)))
    }
}

/// A kernel of 64 threads, in which `t` is the thread, `first` is true in thread 0, and `far` in the threads of warp 1.
fn kernel(lines: &str) -> String {
    format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.global .align 4 .u32 flag;\n.global .align 16 .b8 data[256];\n\
         .visible .entry k() .reqntid 64\n{{\n\
         .shared .align 8 .b64 full[2];\n.shared .align 16 .b8 tile[256];\n.reg .b32 t, v, w, u, limit;\n.reg .b64 state, from;\n\
         .reg .pred first, far, done, late;\n\
         mov.u32 t, %tid.x;\nsetp.eq.u32 first, t, 0;\nsetp.ge.u32 far, t, 32;\n{lines}\nret;\n}}\n"
    )
}

fn ran(lines: &str, machine: &str) -> Seen {
    let config = named("default").unwrap();
    let loaded = load(Kind::Ptx, &kernel(lines), &Launch::new(32)).unwrap_or_else(|e| panic!("{e:?}"));
    let mut machine = Machine::parse(machine).unwrap();
    machine.size(loaded.threads);
    let mut recorder = Recorder::default();
    let run = Run::of_one(loaded);
    let machine = machine.of_run(&run);
    let mut observe = |cycle: &bcu_machine::Cycle| recorder.cycle(cycle);
    let mut variables: Vec<Variable> = vec![];
    let observer = Observer::of_all(&mut observe);
    let report = run_with(Some(&mut *model(&config)), &config, &machine, &run.programs, &mut variables, observer).unwrap();
    Seen::new(report, recorder)
}

/// Warp 0 waits with `wait` until warp 1 arrives, after a delay of `delay` rounds of a loop.
fn waits(wait: &str, delay: u32) -> Seen {
    let lines = format!(
        "@first mbarrier.init.shared.b64 [full+8], 32;\nbar.sync 0;\n@far bra FAR;\n{wait}\nbra END;\nFAR:\nmov.u32 v, 0;\n\
         MORE:\nadd.u32 v, v, 1;\nsetp.lt.u32 late, v, {delay};\n@late bra MORE;\n\
         mbarrier.arrive.shared.b64 _, [full+8];\nEND:"
    );
    ran(&lines, "wait_limit = 4\n")
}

const TEST: &str = "WAIT:\nmbarrier.test_wait.parity.shared.b64 done, [full+8], 0;\n@!done bra WAIT;";
const TRY: &str = "WAIT:\nmbarrier.try_wait.parity.shared.b64 done, [full+8], 0;\n@!done bra WAIT;";

#[test]
fn a_loop_of_waits_at_an_mbarrier_is_one_interval() {
    let seen = waits(TEST, 200);
    assert_eq!(seen.report.verdict, Verdict::Completed, "{}", seen.report);
    let (interval, wait) = seen.wait(0);
    assert!(interval.to - interval.from > 400, "{interval:?}");
    assert!(wait.tries > 10 && wait.failures == wait.tries - 1 && wait.time_outs == 0, "{wait:?}");
    assert_eq!((wait.phase, wait.parity, wait.complete, wait.exists), (Some(0), 0, true, true));
    assert_eq!(wait.object.variable.as_deref().map(|name| name.ends_with("full+8")), Some(true), "{wait:?}");
    // The wait ends a few cycles after the phase.
    let phase = &seen.timeline.objects.iter().find(|row| row.name == wait.object).unwrap().phases[0];
    assert!(phase.is_complete && (phase.to..phase.to + 40).contains(&interval.to), "{phase:?} {interval:?}");
    assert_eq!((phase.number, phase.arrivals, phase.needed), (0, 32, 32));
    assert!(seen.has(&[
        "waits at the mbarrier `",
        "phase 0 (parity 0)",
        "returned false at once",
        "then the phase was complete"
    ]));
    assert!(seen.has(&["phase 0 is complete", "32 arrivals by warp 1", "released in cycle ", "warp 0 (waited "]));
    assert!(seen.texts.contains(&"full+8 #0".to_string()), "{:?}", seen.texts);
}

#[test]
fn time_outs_are_counted_and_marked() {
    let seen = waits(TRY, 400);
    let (interval, wait) = seen.wait(0);
    assert!(wait.time_outs >= 3 && wait.tries == wait.time_outs + 1 && wait.failures == 0, "{wait:?}");
    assert_eq!(wait.timed_out.len() as u64, wait.time_outs);
    assert!(wait.timed_out.iter().all(|cycle| (interval.from..interval.to).contains(cycle)), "{interval:?}");
    assert!(wait.timed_out.windows(2).all(|pair| pair[1] - pair[0] >= 100), "{wait:?}");
    assert!(seen.has(&["executed ", "timed out ", "in cycle "]) && seen.texts.contains(&"time-out of a wait".to_string()));
    let marks = seen.svg.matches("stroke=\"#ffffff\" stroke-width=\"1\"").count() as u64;
    // One more is in the legend.
    assert_eq!(marks, wait.time_outs + 1);
}

#[test]
fn a_loop_with_a_second_exit_is_one_interval_too() {
    let two =
        "mov.u32 w, 0;\nWAIT:\nmbarrier.test_wait.parity.shared.b64 done, [full+8], 0;\n@done bra END;\nadd.u32 w, w, 1;\n\
               setp.lt.u32 late, w, 100000;\n@late bra WAIT;";
    let seen = waits(two, 200);
    let (interval, wait) = seen.wait(0);
    assert!(interval.to - interval.from > 400 && wait.tries > 10 && wait.complete, "{interval:?}");
    // Two waits with other work between them are two intervals.
    let apart = "mbarrier.test_wait.parity.shared.b64 done, [full+8], 0;\nmov.u32 w, 0;\nAGAIN:\nadd.u32 w, w, 1;\n\
                 setp.lt.u32 late, w, 60;\n@late bra AGAIN;\nmbarrier.test_wait.parity.shared.b64 done, [full+8], 0;";
    let seen = waits(apart, 1);
    assert_eq!(seen.of(0, State::AtMbarrier).len(), 2);
}

#[test]
fn a_hang_at_an_mbarrier_has_an_arrow_to_the_missing_warp_or_to_the_mbarrier() {
    let circle = "@first mbarrier.init.shared.b64 [full], 32;\n@first mbarrier.init.shared.b64 [full+8], 32;\nbar.sync 0;\n@far bra FAR;\n\
                  W0:\nmbarrier.try_wait.parity.shared.b64 done, [full], 0;\n@!done bra W0;\nmbarrier.arrive.shared.b64 _, [full+8];\nbra END;\n\
                  FAR:\nW1:\nmbarrier.try_wait.parity.shared.b64 done, [full+8], 0;\n@!done bra W1;\nmbarrier.arrive.shared.b64 _, [full];\nEND:";
    let seen = ran(circle, "wait_limit = 4\n");
    assert_eq!(seen.report.verdict, Verdict::Hung, "{}", seen.report);
    for (warp, other) in [(0, 1), (1, 0)] {
        let (interval, wait) = seen.wait(warp);
        assert!(interval.to == seen.report.cycles && !wait.complete, "{interval:?}");
        assert!(seen.has(&[&format!("cta0.w{warp} waits at the mbarrier"), &format!("for cta0.w{other}"), "a circular wait"]));
        let why = format!("for ever: phase 0 (parity 0): 32 of 32 arrivals pending, missing: warp {other}");
        assert!(seen.has(&["the phase is not complete", &why]), "{:#?}", seen.texts);
    }
    assert!(seen.texts.contains(&"wait for each other".to_string()));
    // No warp would arrive: the arrow leads to the mbarrier, whose bytes are missing.
    let bytes = "@first mbarrier.init.shared.b64 [full], 1;\nbar.sync 0;\n\
                 @first mbarrier.arrive.expect_tx.shared.b64 _, [full], 64;\n@far bra END;\n\
                 W0:\nmbarrier.try_wait.parity.shared.b64 done, [full], 0;\n@!done bra W0;\nEND:";
    let seen = ran(bytes, "wait_limit = 4\n");
    assert_eq!(seen.report.verdict, Verdict::Hung, "{}", seen.report);
    assert!(seen.has(&["cta0.w0 waits at the mbarrier", "for arrivals or bytes that no warp provides"]), "{:#?}", seen.texts);
    assert!(seen.has(&["64 bytes outstanding (0 of 64 bytes completed), no warp would arrive"]), "{:#?}", seen.texts);
    assert!(seen.has(&["phase 0 (parity 0)", "1 of 1 arrivals; not complete", "0 of 64 expected bytes completed"]));
    assert!(seen.texts.contains(&"waits for ever for".to_string()));
}

#[test]
fn a_refused_wait_is_not_complete() {
    let wait = "bar.sync 0;\n@far bra END;\nmbarrier.test_wait.parity.shared.b64 done, [full], 0;\nEND:";
    let seen = ran(wait, "fill = 'zero'\n");
    assert_eq!(seen.report.verdict, Verdict::Fault, "{}", seen.report);
    let (_, wait) = seen.wait(0);
    assert!(!wait.exists && !wait.complete, "{wait:?}");
    assert!(seen.has(&["there is no mbarrier at this address"]) && seen.has(&["reported in cycle"]));
}

#[test]
fn copies_and_waits_for_them_have_bars() {
    let bulk =
        "@first mbarrier.init.shared.b64 [full], 1;\n@first fence.mbarrier_init.release.cluster;\nbar.sync 0;\n@far bra END;\n\
                mov.u64 from, data;\n@!first bra W0;\nmbarrier.arrive.expect_tx.shared.b64 _, [full], 256;\n\
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [from], 256, [full];\n\
                W0:\nmbarrier.try_wait.parity.shared.b64 done, [full], 0;\n@!done bra W0;\nEND:";
    let seen = ran(bulk, "fill = 'zero'\n");
    assert_eq!(seen.report.verdict, Verdict::Completed, "{}", seen.report);
    let [copy] = &seen.timeline.copies[..] else { panic!("{:?}", seen.timeline.copies) };
    assert_eq!((copy.cta, copy.warp, copy.bytes, copy.is_done), (0, 0, 256, true));
    assert!(copy.to - copy.from > 200 && copy.signals.len() == 1, "{copy:?}");
    let phase = &seen.timeline.objects[0].phases[0];
    assert_eq!((phase.expected_bytes, phase.completed_bytes, phase.is_complete), (256, 256, true));
    assert!(seen.has(&["copy of 256 bytes by warp 0, signals the mbarrier `", "cp.async.bulk"]), "{:#?}", seen.texts);
    assert!(seen.has(&["256 of 256 expected bytes completed", "bytes completed by a copy"]), "{:#?}", seen.texts);
    assert!(seen.texts.contains(&"copies".to_string()) && seen.texts.contains(&"copy in flight".to_string()));
    // A run that is stopped before the copy is performed has an arrow to the copy.
    let seen = ran(bulk, "fill = 'zero'\nmax_cycles = 900\nwait_limit = 4\n[latency]\nglobal = 50000\n");
    assert_eq!(seen.report.verdict, Verdict::Unfinished, "{}", seen.report);
    assert!(!seen.timeline.copies[0].is_done && seen.timeline.copies[0].to == seen.report.cycles);
    assert!(seen.has(&["cta0.w0 waits at the mbarrier `", "for a copy of CTA 0 that is not performed"]), "{:#?}", seen.texts);
    assert!(seen.texts.contains(&"waits at the end for".to_string()) && seen.has(&["copy of 256 bytes", ", not performed"]));
    let group =
        "@far bra END;\nmov.u64 from, data;\n@first cp.async.ca.shared.global [tile], [from], 16;\ncp.async.wait_all;\nEND:";
    let seen = ran(group, "fill = 'zero'\n");
    let waits = seen.of(0, State::AtCopies);
    assert!(waits.len() == 1 && waits[0].to - waits[0].from > 150, "{waits:?}");
    assert!(waits[0].first.text.contains("cp.async.wait_all"), "{waits:?}");
    assert!(seen.has(&["waits for its asynchronous copies"]) && seen.has(&["copy of 16 bytes"]));
}

#[test]
fn a_warp_that_polls_memory_waits() {
    let flag = "@far bra FAR;\nSPIN:\nld.acquire.gpu.global.u32 v, [flag];\nsetp.eq.u32 late, v, 0;\n@late bra SPIN;\nbra END;\n\
                FAR:\nmov.u32 w, 0;\nMORE:\nadd.u32 w, w, 1;\nsetp.lt.u32 late, w, 300;\n@late bra MORE;\nst.release.gpu.global.u32 [flag], 1;\nEND:";
    let seen = ran(flag, "fill = 'zero'\n");
    assert_eq!(seen.report.verdict, Verdict::Completed, "{}", seen.report);
    let polls = seen.of(0, State::Polling);
    assert!(polls.len() == 1 && polls[0].to - polls[0].from > 600, "{polls:?}");
    let Some(Awaited::Polled(Polled { word, reads })) = polls[0].awaited.as_deref() else { panic!("{polls:?}") };
    assert!(word.starts_with("`flag` (0x") && *reads >= 3, "{word} {reads}");
    assert!(seen.of(1, State::Polling).is_empty());
    assert!(seen.has(&["polls `flag` (0x", "in a loop", &format!("read {reads} times")]), "{:#?}", seen.texts);
    // A lock that no warp releases: a loop around an atomic operation, and a hang.
    let lock = "@far bra FAR;\natom.global.exch.b32 v, [flag], 1;\nbar.arrive 1, 64;\nbra END;\n\
                FAR:\nbar.sync 1, 64;\nSPIN:\natom.global.cas.b32 w, [flag], 0, 1;\nsetp.ne.u32 late, w, 0;\n@late bra SPIN;\nEND:";
    let seen = ran(lock, "fill = 'zero'\n");
    assert_eq!(seen.report.verdict, Verdict::Hung, "{}", seen.report);
    let polls = seen.of(1, State::Polling);
    assert!(polls.len() == 1 && polls[0].to == seen.report.cycles, "{polls:?}");
    assert!(seen.has(&["for ever: polls `flag` (0x"]), "{:#?}", seen.texts);
}

#[test]
fn the_barrier_of_a_cluster_has_phases_and_a_last_arrival() {
    let text = ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>;\n.reg .pred %p;\n\
                mov.u32 %r0, %cluster_ctarank;\nsetp.eq.u32 %p, %r0, 0;\n@%p bra LATE;\nbra MEET;\nLATE:\nmov.u32 %r1, 0;\nMORE:\n\
                add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p, %r1, 50;\n@%p bra MORE;\nMEET:\n\
                barrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n";
    let config = named("default").unwrap();
    let launch = Launch { threads: Some([32, 1, 1]), grid: [2, 1, 1], cluster: Some([2, 1, 1]), ..Launch::new(32) };
    let loaded = Run::of_one(load(Kind::Ptx, text, &launch).unwrap());
    let machine = Machine::default().of_run(&loaded);
    let mut model = by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap();
    let mut recorder = Recorder::default();
    let report = run(&mut *model, &config, &machine, &loaded.programs, &mut |cycle| recorder.cycle(cycle)).unwrap();
    let seen = Seen::new(report, recorder);
    let waits = seen.of(1, State::AtCluster);
    assert!(waits.len() == 1 && waits[0].awaited.as_deref() == Some(&Awaited::ClusterPhase(1)), "{waits:?}");
    let arrivals: Vec<u64> = seen.timeline.rows.iter().flat_map(|row| &row.cluster_arrivals).map(|a| a.phase).collect();
    assert_eq!(arrivals, [1, 1]);
    assert!(seen.texts.contains(&"cluster #1".to_string()), "{:#?}", seen.texts);
    assert!(seen.has(&["cluster of CTA 0, phase 1 is complete", "last arrival: warp 0 of CTA 0", "barrier.cluster.arrive"]));
}
