// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine on the rust-hdl unit: the reports of small programs with a known outcome.

use super::runs::model;
use bcu_engine::Engine;
use bcu_hw::unit::latency::BCU_RELEASE;
use bcu_isa::config::{named, Config};
use bcu_isa::ports::Dir;
use bcu_machine::report::{HangCause, Whereabouts};
use bcu_machine::{run, ArrivalForm, Machine, Report, RunError, Verdict};
use bcu_model::dut::Dut;
use bcu_program::bcu::parse_for;
use bcu_program::WarpProgram;

/// A program of one warp, with its lines separated by `/`.
fn program(name: &str, config: &Config, text: &str) -> WarpProgram {
    let parsed = parse_for(&text.replace('/', "\n"), Some(1), config.lanes as u32).unwrap_or_else(|e| panic!("{e:?}"));
    WarpProgram { name: name.to_string(), ..parsed.warps[0].clone() }
}

fn run_on(config: &str, machine: &str, texts: &[&str]) -> Result<Report, RunError> {
    let config = named(config).unwrap();
    let programs: Vec<WarpProgram> =
        texts.iter().enumerate().map(|(i, text)| program(&format!("p{i}"), &config, text)).collect();
    let mut engine = Engine::new(bcu_hw::catalog::build(&config, "bcu").unwrap());
    let report = run(&mut engine, &config, &Machine::parse(machine).unwrap(), &programs, &mut |_| ());
    assert_eq!(engine.failure(), None);
    report
}

fn order(report: &Report, generation: usize) -> Vec<(usize, ArrivalForm)> {
    report.generations[generation].arrivals.iter().map(|a| (a.warp, a.form)).collect()
}

#[test]
fn a_cta_wide_barrier_completes_with_its_last_arrival() {
    let texts = ["BAR.SYNC 0x0", "NOP 20/BAR.SYNC 0x0", "NOP 10/BAR.SYNC 0x0", "BAR.SYNC 0x0"];
    let report = run_on("tiny", "", &texts).unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!(order(&report, 0).iter().map(|a| a.0).collect::<Vec<_>>(), [0, 3, 2, 1]);
    let generation = &report.generations[0];
    let last = generation.arrivals.last().unwrap().cycle;
    assert_eq!(generation.released - last, BCU_RELEASE, "the unit's latency from instruction to release");
    assert_eq!(generation.waits.len(), 4);
    assert_eq!(generation.waits[3].cycles, BCU_RELEASE);
    assert_eq!(report.warps[0].waited, generation.released - generation.arrivals[0].cycle);
    assert!(report.warps.iter().all(|w| w.exited.is_some()));
    assert_eq!((generation.number, generation.threads, generation.exited), (1, None, None));
}

#[test]
fn an_exit_completes_what_has_no_count() {
    let report = run_on("tiny", "", &["BAR.SYNC 0x2", "NOP 40/EXIT", "BAR.SYNC 0x2"]).unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!(report.generations[0].exited, Some(1));
}

#[test]
fn an_exit_does_not_help_a_count_and_the_report_names_who_is_missing() {
    let texts = ["BAR.SYNC 0x1, 0xc", "NOP 3/EXIT", "BAR.SYNC 0x1, 0xc"];
    let report = run_on("tiny", "", &texts).unwrap();
    assert_eq!(report.verdict, Verdict::Hung);
    let hang = report.hang.as_ref().unwrap();
    assert_eq!((hang.cause, hang.blocked.len(), hang.circle.len()), (HangCause::NothingCanChange, 2, 0));
    let blocked = &hang.blocked[0];
    assert_eq!((blocked.warp, blocked.id, blocked.expected, blocked.arrived.len()), (0, 1, 3, 2));
    assert_eq!(blocked.missing.len(), 1);
    assert!(matches!(&blocked.missing[0].whereabouts, Whereabouts::Exited { place, .. } if place.line == 2));
    let text = report.to_string();
    assert!(text.contains("missing: warp 1 exited in cycle") && text.contains("no remaining warp can arrive"), "{text}");
}

#[test]
fn two_warps_that_wait_for_each_other_are_a_circle() {
    let report = run_on("tiny", "", &["BAR.SYNC 0x0/BAR.SYNC 0x1", "BAR.SYNC 0x1/BAR.SYNC 0x0"]).unwrap();
    let hang = report.hang.as_ref().unwrap();
    assert_eq!(hang.circle.len(), 2, "{report}");
    assert!(hang.circle[0].contains("warp 0 waits at barrier 0") && hang.circle[0].contains("for warp 1"), "{report}");
    assert!(report.to_string().contains("these warps wait for each other"));
}

#[test]
fn producer_and_consumer_reuse_two_barriers_without_a_gap() {
    let round = "BAR.ARV 0x1, 0x8/BAR.SYNC 0x2, 0x8/";
    let other = "BAR.SYNC 0x1, 0x8/BAR.ARV 0x2, 0x8/";
    let texts = [round.repeat(3) + "EXIT", other.repeat(3) + "EXIT"];
    let report = run_on("tiny", "", &[&texts[0], &texts[1]]).unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!(report.generations.len(), 6);
    let numbers: Vec<usize> = report.generations.iter().filter(|g| g.id == 2).map(|g| g.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(report.generations.iter().all(|g| g.waits.len() == 1 && g.arrivals.len() == 2));
}

#[test]
fn faults_carry_line_and_reason_and_the_warp_goes_on() {
    let cases = [
        ("BAR.ARV 0x5, 0x10/EXIT", "id_out_of_range", "declares 4"),
        ("BAR.ARV 0x1, 0x14/EXIT", "count_exceeds_cta", "20 threads exceeds the CTA's 2 warps"),
        ("BAR.ARV 0x1, 0x8/BAR.ARV 0x1, 0x8/NOP 9/EXIT", "double_arrival", "generation 1 (line 1: BAR.ARV 0x1, 0x8)"),
        ("BAR.ARV 0x1, 0x8/EXIT", "barrier_left_open", "only warp 0 (line 1"),
        ("B2R.BAR R4, 0x4/EXIT", "id_out_of_range", "declares 4"),
        ("B2R.RESULT R4/EXIT", "no_result", "not taken part in a reduction"),
    ];
    for (text, code, sentence) in cases {
        let report = run_on("tiny", "", &[text, "EXIT"]).unwrap();
        assert_eq!(report.verdict, Verdict::Fault, "{report}");
        let fault = report.faults.iter().find(|f| f.code == code).unwrap_or_else(|| panic!("{code}: {report}"));
        assert!(fault.sentence.contains(sentence), "{}", fault.sentence);
        assert_eq!(fault.place.is_none(), code == "barrier_left_open");
    }
}

#[test]
fn counts_that_differ_are_a_fault_and_then_a_hang() {
    let report = run_on("tiny", "", &["BAR.SYNC 0x1, 0x8", "NOP 9/BAR.SYNC 0x1, 0x4", "EXIT"]).unwrap();
    assert_eq!((report.verdict, report.faults[0].code.as_str()), (Verdict::Hung, "count_mismatch"));
    assert_eq!(report.faults[0].place.as_ref().unwrap().line, 2);
    assert!(report.faults[0].sentence.contains("warp 0 (line 1: BAR.SYNC 0x1, 0x8) gave 8 threads"), "{report}");
}

#[test]
fn more_ctas_than_slots_queue() {
    let report = run_on("small", "[[cta]]\ncount = 7\nwarps = 3\n", &["BAR.SYNC 0x0/BAR.SYNC 0x1/EXIT"]).unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!((report.generations.len(), report.warps.len()), (14, 21));
    for cta in 0..7 {
        assert_eq!(report.generations.iter().filter(|g| g.cta == cta).count(), 2);
    }
}

#[test]
fn a_hung_cta_keeps_those_behind_it_out() {
    let report = run_on("tiny", "[[cta]]\ncount = 3\nprograms = ['p0', 'p1']\n", &["BAR.SYNC 0x0, 0x8/EXIT", "EXIT"]).unwrap();
    assert_eq!(report.hang.as_ref().unwrap().not_launched, 2);
}

#[test]
fn an_arrival_waits_for_the_accesses_before_it() {
    let slow =
        run_on("tiny", "[latency]\nglobal = 90\n", &["LD.GLOBAL/BAR.ARV 0x1, 0x8/EXIT", "BAR.SYNC 0x1, 0x8/EXIT"]).unwrap();
    let quick =
        run_on("tiny", "[latency]\nglobal = 30\n", &["LD.GLOBAL/BAR.ARV 0x1, 0x8/EXIT", "BAR.SYNC 0x1, 0x8/EXIT"]).unwrap();
    assert_eq!(slow.generations[0].released - quick.generations[0].released, 60);
}

#[test]
fn faults_survive_back_pressure_in_their_order() {
    let text = "BAR.ARV 0x9, 0x4/".repeat(6) + "BAR.ARV 0x1, 0x4/EXIT";
    let report = run_on("tiny", "fault_period = 50\n", &[&text, &text]).unwrap();
    assert_eq!((report.faults.len(), report.generations.len()), (12, 2), "{report}");
    let free = run_on("tiny", "", &[&text, &text]).unwrap();
    assert!(report.cycles > free.cycles + 400);
}

#[test]
fn the_limit_of_cycles_ends_a_run() {
    let report = run_on("tiny", "max_cycles = 60\n", &["NOP 500/EXIT", "BAR.SYNC 0x0/EXIT"]).unwrap();
    let hang = report.hang.as_ref().unwrap();
    assert_eq!((report.verdict, hang.cause, report.cycles), (Verdict::Unfinished, HangCause::MaxCycles, 60));
    assert!(hang.hung_ctas.is_empty() && hang.circle.is_empty());
    let text = report.to_string();
    assert!(text.starts_with("verdict: unfinished after 60 cycles") && !text.contains("hung"), "{text}");
    assert!(text.contains("  CTA 0 warp 0 still runs (line 2: EXIT)\n"), "{text}");
    assert!(matches!(hang.blocked[0].missing[0].whereabouts, Whereabouts::Running { .. }));
}

#[test]
fn whoever_waits_when_a_run_is_stopped_is_not_missing() {
    // Both barriers complete repeatedly. The cycle limits cover every part of a round.
    let text = format!("{}EXIT", "LD.GLOBAL/BAR.SYNC 0x0/NOP 7/BAR.SYNC 0x3/".repeat(4));
    let config = named("tiny").unwrap();
    let programs: Vec<WarpProgram> = (0..4).map(|i| program(&format!("p{i}"), &config, &text)).collect();
    let run_to = |limit: u64| {
        let machine = Machine::parse(&format!("max_cycles = {limit}\n[latency]\nglobal = 9\n")).unwrap();
        run(&mut *model(&config), &config, &machine, &programs, &mut |_| ()).unwrap()
    };
    let whole = run_to(10_000);
    assert_eq!(whole.verdict, Verdict::Completed);
    let (mut waited, mut under_way) = (0, 0);
    for limit in 1..whole.cycles {
        let report = run_to(limit);
        assert_eq!(report.verdict, Verdict::Unfinished, "{report}");
        let hang = report.hang.as_ref().unwrap();
        assert!(hang.circle.is_empty() && hang.hung_ctas.is_empty(), "{report}");
        let live = report.warps.iter().filter(|w| w.exited.is_none()).count();
        assert_eq!(hang.blocked.len() + hang.resumable.len(), live, "every warp is reported once: {report}");
        assert!(!hang.blocked.iter().any(|b| hang.resumable.iter().any(|g| g.warp == b.warp)), "{report}");
        for b in &hang.blocked {
            assert!(b.arrived.iter().any(|a| a.warp == b.warp) && b.arrived.len() < b.expected, "{report}");
            assert_eq!(b.arrived.len() + b.under_way.len() + b.missing.len(), b.expected, "{report}");
            let elsewhere = |now: &Whereabouts| !matches!(now, Whereabouts::Blocked { id, .. } if *id == b.id);
            assert!(b.missing.iter().all(|m| elsewhere(&m.whereabouts)), "{report}");
            waited += 1;
            under_way += b.under_way.len();
        }
    }
    assert!(waited > 20 && under_way > 5, "{waited} {under_way}");
}

#[test]
fn same_seed_same_report_and_other_seeds_differ() {
    let texts = ["NOP 3/BAR.SYNC 0x0/NOP 2/BAR.SYNC 0x0/EXIT"];
    let with = |seed: u64| run_on("small", &format!("policy = 'random'\nseed = {seed}\n[[cta]]\nwarps = 8\n"), &texts).unwrap();
    assert_eq!(with(5).to_string(), with(5).to_string());
    assert!((6..12).any(|seed| with(seed).generations != with(5).generations));
}

#[test]
fn the_lanes_of_a_partial_warp_count_as_a_whole_one() {
    let report = run_on("tiny", "[[cta]]\nthreads = 9\n", &["BAR.SYNC 0x0, 0xc/EXIT"]).unwrap();
    assert_eq!((report.verdict, report.warps.len()), (Verdict::Completed, 3));
}

#[test]
fn an_observer_sees_ports_and_what_each_warp_does() {
    let config = named("tiny").unwrap();
    let programs = [program("p", &config, "NOP 2/BAR.SYNC 0x0/EXIT"), program("q", &config, "NOP 30/BAR.SYNC 0x0/EXIT")];
    let mut engine = Engine::new(bcu_hw::catalog::build(&config, "bcu").unwrap());
    let (mut texts, mut releases) = (vec![], 0);
    let release_valid = engine.ports().iter().filter(|p| p.dir == Dir::Out).position(|p| p.name == "release_valid").unwrap();
    let report = run(&mut engine, &config, &Machine::default(), &programs, &mut |cycle| {
        releases += cycle.outputs[release_valid];
        texts.push(cycle.warp(0));
        assert_eq!(cycle.warp(3), "");
    });
    assert_eq!((report.unwrap().verdict, releases), (Verdict::Completed, 1));
    texts.dedup();
    assert_eq!(texts, ["", "l.1 NOP 2", "l.2 BAR.SYNC 0x0", "B0 l.2 BAR.SYNC 0x0", "l.3 EXIT", "exited", ""]);
}

#[test]
fn a_part_of_the_unit_is_refused_by_name() {
    let config = named("tiny").unwrap();
    let mut engine = Engine::new(bcu_hw::catalog::build(&config, "named").unwrap());
    let error = run(&mut engine, &config, &Machine::default(), &[program("p", &config, "EXIT")], &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("launch_valid"), "{error}");
}

#[test]
fn faults_that_the_unit_lost_are_numbered_in_the_report() {
    let whole = named("tiny").unwrap();
    let lossy = Config { lose_faults: true, ..whole.clone() };
    let machine = Machine::parse("fault_period = 1000").unwrap();
    let report = |config: &Config| {
        let programs = [program("p", config, &"B2R.RESULT R4, P1/".repeat(9))];
        run(model(config).as_mut(), config, &machine, &programs, &mut |_| ()).unwrap()
    };
    let found = report(&lossy);
    assert_eq!((found.verdict, found.faults.len() as u64 + found.lost_faults), (Verdict::Fault, 9), "{found}");
    assert!(found.lost_faults > 0 && found.to_string().contains("faults lost because the fault queue was full: "), "{found}");
    let found = report(&whole);
    assert_eq!((found.faults.len(), found.lost_faults), (9, 0), "{found}");
}
