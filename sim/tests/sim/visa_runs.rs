// SPDX-License-Identifier: Apache-2.0 OR MIT
//! vISA texts on the machine: the results of the examples, every fault of the gateway, the missing warps in a hang, and conflicts.

use super::runs::model;
use bcu_isa::config::named;
use bcu_isa::op::FaultCode;
use bcu_machine::report::{GatewayPhase, Role, Whereabouts};
use bcu_machine::{run, Machine, Report, RunError, Verdict};
use bcu_model::dut::ByName;
use bcu_program::{load, Kind, Launch};

const RING: &str = include_str!("../../../examples/visa/ring.visa");
const ALL: &str = include_str!("../../../examples/visa/all.visa");
const THREE_ROLES: &str = include_str!("../../../examples/visa/three_roles.visa");
const MISSING: &str = include_str!("../../../examples/check/signal_missing.visa");

fn try_on(name: &str, machine: &str, kind: Kind, text: &str) -> Result<Report, RunError> {
    let config = named(name).unwrap();
    let loaded = load(kind, text, &Launch::new(config.lanes as u32)).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    let mut machine = Machine::parse(machine).unwrap();
    machine.races = true;
    machine.size(loaded.threads);
    run(model(&config).as_mut(), &config, &machine, &loaded.programs, &mut |_| ())
}

fn on(name: &str, text: &str) -> Report {
    try_on(name, "", Kind::Visa, text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The machine reports every phase in the cycle of the unit's release strobe, with the consumers that the unit notifies, and every fault.
#[test]
fn reports_tell_what_passes_at_the_ports() {
    let config = named("intel_tiny").unwrap();
    let folders = ["../../examples/visa", "../../examples/check"];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let mut phases = 0;
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "visa")) {
        // The configuration `intel_tiny` has four threads and four barriers, so larger programs are left out.
        let text = std::fs::read_to_string(&file).unwrap();
        let Ok(loaded) = load(Kind::Visa, &text, &Launch::new(4)) else { panic!("{file:?}") };
        if loaded.programs.len() > 4 || loaded.programs[0].grid.barriers > Some(4) {
            continue;
        }
        for seed in 0..10 {
            let mut machine = Machine::parse(&format!("seed = {seed}\npolicy = 'random'\nlatency.spread = 9")).unwrap();
            machine.size(loaded.threads);
            let mut dut = model(&config);
            let at = [
                "gateway_release_valid",
                "gateway_release_id",
                "gateway_release_notified",
                "fault_valid",
                "fault_code",
                "fault_id",
            ];
            let at = at.map(|name| dut.ports().output(name).unwrap());
            let (mut completions, mut faults, mut cycle) = (vec![], vec![], 0);
            let report = run(&mut *dut, &config, &machine, &loaded.programs, &mut |now| {
                let [valid, id, notified, fault, code, of] = at.map(|port| port.read(now.outputs));
                if valid == 1 && notified != 0 {
                    completions.push((cycle, id as u8, notified));
                }
                if fault == 1 {
                    faults.push((cycle, FaultCode::from_u64(code).name(), of as u8));
                }
                cycle += 1;
            });
            let report = report.unwrap();
            let consumers = |phase: &GatewayPhase| {
                phase.signals.iter().filter(|signal| signal.role.consumes()).fold(0u64, |mask, signal| mask | 1 << signal.warp)
            };
            let reported: Vec<(u64, u8, u64)> = report.phases.iter().map(|p| (p.completed, p.id, consumers(p))).collect();
            assert_eq!(reported, completions, "{file:?}, seed {seed}: {report}");
            let reported: Vec<_> = report.faults.iter().map(|f| (f.cycle, f.code.clone(), f.id.unwrap_or(0))).collect();
            assert_eq!(reported, faults, "{file:?}, seed {seed}: {report}");
            phases += reported.len() + completions.len();
        }
    }
    assert!(phases > 300, "{phases}");
}

/// Words of global memory.
fn words(report: &Report) -> Vec<u32> {
    report.memory.iter().filter(|word| word.cta.is_none()).map(|word| word.value).collect()
}

fn codes(report: &Report) -> Vec<&str> {
    report.faults.iter().map(|fault| fault.code.as_str()).collect()
}

#[test]
fn the_examples_give_their_results_in_every_schedule() {
    for seed in 0..30 {
        let machine = format!("seed = {seed}\npolicy = 'random'\nlatency.spread = 60\nissue_per_cycle = {}", 1 + seed % 4);
        let run = |text: &str| try_on("intel", &machine, Kind::Visa, text).unwrap();
        let expected: [(&str, &[u32]); 3] =
            [(RING, &[10, 10, 10]), (ALL, &[101, 102, 103, 104, 105, 106, 107, 100]), (THREE_ROLES, &[24])];
        for (text, results) in expected {
            let report = run(text);
            assert_eq!((report.verdict, words(&report)), (Verdict::Completed, results.to_vec()), "seed {seed}: {report}");
            let races: Vec<_> = report.races.iter().filter(|race| !race.kind.needs_strict()).collect();
            assert_eq!((races, report.misuses), (vec![], vec![]), "seed {seed}\n{text}");
        }
    }
}

#[test]
pub fn a_signal_waits_for_no_accesses_so_fences_are_needed() {
    let without = RING.replace("lsc_fence.slm.none.group", "NOP");
    let wrong = (0..30).filter(|seed| {
        let machine = format!("seed = {seed}\npolicy = 'random'\nlatency.spread = 200");
        let report = try_on("intel", &machine, Kind::Visa, &without).unwrap();
        assert!(!report.races.is_empty(), "seed {seed}: no race is found");
        words(&report) != [10, 10, 10]
    });
    assert!(wrong.count() > 5, "without fences the values hardly ever go wrong");
}

#[test]
fn phases_tell_who_signalled_as_what_and_who_waited() {
    let report = on("intel_tiny", RING);
    let of = |id: u8| report.phases.iter().filter(move |phase| phase.id == id).collect::<Vec<&GatewayPhase>>();
    let full = of(1);
    assert_eq!(full.iter().map(|phase| phase.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for phase in full {
        assert_eq!((phase.producers, phase.consumers, phase.signals.len()), (1, 3, 4));
        let producers: Vec<usize> = phase.signals.iter().filter(|s| s.role == Role::Producer).map(|s| s.warp).collect();
        assert_eq!(producers, [0]);
        assert!(phase.waits.iter().all(|wait| wait.warp > 0 && wait.cycles > 0));
        assert!(phase.signals.iter().all(|signal| signal.cycle < phase.completed));
    }
    assert!(of(2).iter().all(|phase| (phase.producers, phase.consumers) == (3, 1)));
    let text = report.to_string();
    assert!(text.contains("phases of named barriers") && text.contains("0 producer@"), "{text}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["phases"][0]["signals"][0]["role"], "consumer");
    assert!(report.warps[0].waited > 0);
}

#[test]
fn the_last_signal_lets_those_go_on_that_wait_and_leaves_a_notification_to_the_others() {
    let text =
        ".group_threads 3\n.threads 0\nNOP 40\nnbarrier.signal 1 1 1 2\n.threads 1\nnbarrier.signal 1 2 1 2\nnbarrier.wait 1\n\
                .threads 2\nnbarrier.signal 1 2 1 2\nNOP 200\nnbarrier.wait 1\n";
    let report = on("intel_tiny", text);
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!(report.phases[0].waits.iter().map(|wait| wait.warp).collect::<Vec<_>>(), [1]);
    assert!(report.warps[1].waited > 30 && report.warps[2].waited < 12, "{report}");
}

#[test]
fn the_baseline_form_is_type_0_with_both_numbers() {
    let text = |first: &str| {
        format!(".group_threads 2\n.threads 0\n{first}\n.threads 1\nnbarrier.signal 1 0 2 2\n.threads all\nnbarrier.wait 1")
    };
    let [baseline, general] = ["nbarrier.signal 1 2", "nbarrier.signal 1 0 2 2"].map(|first| on("intel_tiny", &text(first)));
    let told = |report: &Report| {
        let phase = &report.phases[0];
        let roles: Vec<Role> = phase.signals.iter().map(|signal| signal.role).collect();
        (phase.producers, phase.consumers, phase.completed, roles)
    };
    assert_eq!(told(&baseline), told(&general));
    assert_eq!(told(&baseline).3, [Role::Both, Role::Both]);
}

#[test]
fn a_barrier_is_used_again_by_others_when_all_have_waited() {
    let text = |pause: u32| {
        format!(
            ".group_threads 4\n.threads 0-1\nnbarrier.signal 1 2\n.threads 1\nNOP {pause}\n.threads 0-1\nnbarrier.wait 1\n\
             .threads 2-3\nNOP 60\nnbarrier.signal 1 2\nnbarrier.wait 1"
        )
    };
    for (pause, told) in [(5, 0), (150, 1)] {
        let report = on("intel_tiny", &text(pause));
        assert_eq!((report.verdict, report.phases.len()), (Verdict::Completed, 2), "{report}");
        assert_eq!(report.misuses.iter().filter(|misuse| misuse.code == "barrier_reused").count(), told, "{report}");
    }
}

const HEAD: &str =
    ".decl ID v_type=G type=uw num_elts=1\n.decl TYPE v_type=G type=uw num_elts=1\n.decl N v_type=G type=uw num_elts=1\n\
                    .kernel_attr NBarrierCnt=2\nmov (M1_NM, 1) ID 1\nmov (M1_NM, 1) TYPE 0\nmov (M1_NM, 1) N 1\n";

#[test]
fn operands_in_variables_are_judged_by_the_unit_and_never_cut() {
    let cases = [
        ("mov (M1_NM, 1) ID 3\nnbarrier.signal ID N", "id_out_of_range"),
        ("mov (M1_NM, 1) ID 0x101\nnbarrier.signal ID N", "id_out_of_range"),
        ("mov (M1_NM, 1) ID 0x100\nnbarrier.wait ID", "id_out_of_range"),
        ("mov (M1_NM, 1) TYPE 3\nnbarrier.signal ID TYPE N N", "signal_type"),
        ("mov (M1_NM, 1) TYPE 4\nnbarrier.signal ID TYPE N N", "signal_type"),
        ("mov (M1_NM, 1) N 0\nnbarrier.signal ID N", "count_zero"),
        ("mov (M1_NM, 1) N 0\nnbarrier.signal ID TYPE 1 N", "count_zero"),
        ("mov (M1_NM, 1) N 0x101\nnbarrier.signal ID N", "count_exceeds_group"),
        ("nbarrier.signal ID TYPE N 0xff", "count_exceeds_group"),
        ("nbarrier.wait ID", "producer_waits"),
        ("ACTIVE 1\nmov (M1_NM, 1) ID 2\nEND\nnbarrier.signal ID N", "operand_not_uniform"),
        ("nbarrier.signal ID N\nnbarrier.signal ID N\nnbarrier.wait ID", "notification_lost"),
    ];
    for (body, code) in cases {
        let report = on("intel_tiny", &(HEAD.to_string() + body));
        assert_eq!(codes(&report), [code], "{body}: {report}");
        let fault = &report.faults[0];
        assert!(!fault.sentence.is_empty() && fault.place.is_some(), "{report}");
    }
    let good = "add (M1_NM, 1) ID ID N\nshr (M1_NM, 1) TYPE 0xff 8\nnbarrier.signal ID TYPE N 1\nnbarrier.wait ID";
    let report = on("intel_tiny", &(HEAD.to_string() + good));
    assert_eq!((report.verdict, report.phases[0].id, report.phases[0].number), (Verdict::Completed, 2, 1), "{report}");
}

#[test]
fn what_contradicts_another_signal_is_told_with_it() {
    let said = |text: &str, code: &str, parts: &[&str]| {
        let report = on("intel_tiny", text);
        let fault = report.faults.iter().find(|fault| fault.code == code).unwrap_or_else(|| panic!("{code}: {report}"));
        assert!(parts.iter().all(|part| fault.sentence.contains(part)), "{}", fault.sentence);
        assert_eq!(fault.id, Some(1), "{report}");
    };
    let two = |first: &str, second: &str| format!(".threads 0\n{first}\n.threads 1\nNOP 40\n{second}");
    let text = two("nbarrier.signal 1 1 1 2", "nbarrier.signal 1 2 1 1");
    let parts = ["1 producer and 1 consumer", "of warp 0 (line 2: nbarrier.signal 1 1 1 2)", "phase 1"];
    said(&text, "signal_mismatch", &parts);
    said(
        &two("nbarrier.signal 1 1 1 1", "nbarrier.signal 1 1 1 1"),
        "over_signal",
        &["warp 1 is one too many", "warp 0 (line 2"],
    );
    let text = "nbarrier.signal 1 1 2 2\nnbarrier.signal 1 1 2 2\n.group_threads 2";
    said(text, "double_arrival", &["warp 0 has already signalled", "in phase 1", "as producer (line 1"]);
    let text = "nbarrier.signal 1 1 2 2\nnbarrier.wait 1\n.group_threads 2";
    said(text, "producer_waits", &["it has signalled as producer only", "line 1"]);
    let text = "nbarrier.signal 1 2 2 2\n.group_threads 2\n";
    said(text, "barrier_left_open", &["in phase 1 only warp 0 as consumer (line 1", "warp 1 as consumer"]);
    said("nbarrier.signal 1 1", "barrier_left_open", &["never waited for their notification: warp 0 (phase 1"]);
}

#[test]
fn a_hang_names_the_roles_and_the_threads_that_are_missing() {
    let text = ".group_threads 4\n.threads 0\nnbarrier.signal 1 2 2 2\nnbarrier.wait 1\n.threads 1\nnbarrier.signal 1 1 2 2\n\
                .threads 2\nnbarrier.signal 2 2 1 1\nnbarrier.wait 2\nnbarrier.signal 1 1 2 2\n.threads 3\nNOP 5\n";
    let report = on("intel_tiny", text);
    assert_eq!(report.verdict, Verdict::Hung, "{report}");
    let hang = report.hang.as_ref().unwrap();
    assert!(hang.blocked.is_empty() && hang.resumable.is_empty());
    let wait = hang.at_gateway.iter().find(|wait| wait.warp == 0).unwrap();
    assert_eq!((wait.id, wait.phase, wait.producers, wait.consumers), (1, 1, 2, 2));
    assert_eq!((wait.signalled(), wait.missing_producers, wait.missing_consumers), ((1, 1), 1, 1));
    let missing: Vec<(usize, Option<Role>, bool)> =
        wait.missing.iter().map(|m| (m.warp.warp, m.role, matches!(m.warp.whereabouts, Whereabouts::Exited { .. }))).collect();
    assert_eq!(missing, [(2, Some(Role::Producer), false), (3, None, true)]);
    let shown = report.to_string();
    let parts = [
        "CTA 0 barrier 1, phase 1: 1 of 2 producers and 1 of 2 consumers have signalled",
        "still to signal: 1 producer and 1 consumer",
        "missing: warp 2 waits at barrier 2",
        "would arrive at line 10: nbarrier.signal 1 1 2 2 as producer",
        "missing: warp 3 exited",
        "signalled: warp 1 as producer",
    ];
    assert!(parts.iter().all(|part| shown.contains(part)), "{shown}");
    let report = on("intel", MISSING);
    assert_eq!(report.hang.unwrap().at_gateway.len(), 8);
}

#[test]
fn a_thread_that_has_exited_is_never_counted() {
    let text = ".group_threads 3\n.threads 0-1\nnbarrier.signal 1 3\nnbarrier.wait 1\n.threads 2\nNOP 3";
    let report = on("intel_tiny", text);
    assert!(report.to_string().contains("too few threads are left to signal, since 1 exited"), "{report}");
}

#[test]
fn circles_of_waits_are_found_across_barriers() {
    let text = ".group_threads 2\n.threads 0\nnbarrier.signal 1 2 1 1\nnbarrier.wait 1\nnbarrier.signal 2 1 1 1\n\
                .threads 1\nnbarrier.signal 2 2 1 1\nnbarrier.wait 2\nnbarrier.signal 1 1 1 1";
    let report = on("intel_tiny", text);
    let circle = report.hang.unwrap().circle;
    assert_eq!(circle.len(), 2, "{circle:?}");
    assert!(circle[0].contains("waits at barrier 1") && circle[0].contains("would arrive there at line 9"), "{circle:?}");
}

#[test]
fn what_a_configuration_has_no_unit_for_is_refused_before_the_run() {
    let refused = |name: &str, kind: Kind, text: &str, parts: &[&str]| match try_on(name, "", kind, text) {
        Err(RunError::Misfit(error)) => {
            let all = format!("{} {}", error.message, error.help.unwrap_or_default());
            assert!(parts.iter().all(|part| all.contains(part)), "{all}");
        }
        other => panic!("{text}: {other:?}"),
    };
    refused(
        "default",
        Kind::Visa,
        "nbarrier.signal 1 1",
        &["line 1: `nbarrier.signal 1 1` needs Intel's gateway", "`default`", "--config intel"],
    );
    refused("tiny", Kind::Bcu, "NOP\nNBAR.WAIT 1", &["line 2: `NBAR.WAIT 1` needs Intel's gateway"]);
    for (text, unit) in [
        ("BAR.SYNC 0", "named"),
        ("MOV R4, 1\nR2B.BAR 0, R4", "named"),
        ("MOV R4, 0\nMBAR.INIT [R4], 1", "mbarrier"),
        ("CLUSTER.ARRIVE", "cluster"),
        ("GRID.WAIT", "grid"),
    ] {
        refused(
            "intel",
            Kind::Visa,
            text,
            &[&format!("needs the unit `{unit}`"), "`intel` has Intel's gateway", "nbarrier.signal"],
        );
    }
    refused("intel", Kind::Ptx, "// bcu: threads 16\nbar.sync 0;", &["line 2: `bar.sync 0` needs the unit `named`"]);
    let report = try_on(
        "intel_tiny",
        "",
        Kind::Bcu,
        ".cta_warps 2\nNBAR.SIGNAL 1, 2\nNBAR.WAIT 1\nMOV R4, 0x01010002\nNBAR.SIGNAL R4\nNBAR.WAIT R4",
    );
    assert_eq!(report.unwrap().phases.len(), 3);
}

#[test]
fn groups_follow_one_another_and_have_barriers_of_their_own() {
    let config = named("intel_tiny").unwrap();
    let loaded = load(Kind::Visa, "nbarrier.signal 1 2\nnbarrier.wait 1\n.group_threads 2", &Launch::new(4)).unwrap();
    let machine = Machine::parse("[[cta]]\ncount = 7\n").unwrap();
    let report = run(model(&config).as_mut(), &config, &machine, &loaded.programs, &mut |_| ()).unwrap();
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    let mut groups: Vec<usize> = report.phases.iter().map(|phase| phase.cta).collect();
    groups.sort_unstable();
    assert_eq!(groups, [0, 1, 2, 3, 4, 5, 6]);
    assert!(report.phases.iter().all(|phase| (phase.id, phase.number) == (1, 1)));
}

#[test]
fn under_trap_a_refused_thread_stays_where_it_is() {
    let report = try_on("intel_tiny", "fault_policy = 'trap'", Kind::Visa, "nbarrier.wait 0").unwrap();
    assert_eq!((report.verdict, codes(&report)), (Verdict::Hung, vec!["producer_waits", "deadlock"]), "{report}");
}
