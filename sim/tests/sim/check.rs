// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Findings of random programs: a run that does not complete always has an error, and every finding has a printable location.

use super::runs::model;
use bcu_isa::config;
use bcu_machine::check::finding::{Finding, Subject};
use bcu_machine::check::Severity;
use bcu_machine::issued::Issued;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_program::{load, Kind, Launch};
use std::collections::BTreeSet;

fn check(text: &str, machine: &str, strict: bool) -> (Report, Vec<Finding>) {
    let config = config::named("default").unwrap();
    let mut machine = Machine::parse(machine).unwrap();
    let loaded = load(Kind::Bcu, text, &Launch::new(config.lanes as u32)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    machine.size(loaded.threads);
    let mut dut = model(&config);
    let mut issued = Issued::new(dut.ports()).unwrap();
    let report = run(&mut *dut, &config, &machine, &loaded.programs, &mut |cycle| issued.cycle(cycle)).unwrap();
    let warnings: Vec<_> = loaded.warnings.into_iter().map(|w| (0, w)).collect();
    let owners = vec![0; loaded.programs.len()];
    let subject = Subject {
        files: &[text],
        programs: &loaded.programs,
        earlier: vec![],
        owners: &owners,
        warnings: &warnings,
        machine: &machine,
        config: &config,
        strict,
    };
    let found = bcu_machine::check::check_run(&subject, &report, &issued).unwrap().findings;
    assert_eq!(
        found,
        bcu_machine::check::check_run(&subject, &report, &issued).unwrap().findings,
        "the same run has the same findings\n{text}"
    );
    (report, found)
}

fn program(rng: &mut fastrand::Rng) -> String {
    let warps = rng.usize(1..6);
    let mut text = format!(".cta_warps {warps}\n");
    // Only wild programs may have a count above the threads of the CTA. The other programs should not fail at their first line.
    let wild = rng.bool();
    for section in 0..rng.usize(1..5) {
        let first = rng.usize(..warps);
        match section {
            0 => text += ".warps all\n",
            _ => text += &format!(".warps {first}-{}\n", rng.usize(first..warps)),
        }
        for _ in 0..rng.usize(1..6) {
            let id = rng.u32(..3);
            let count = 32 * rng.usize(1..if wild { warps + 2 } else { warps + 1 });
            match rng.u32(..12) {
                0..=3 => text += &format!("BAR.SYNC {id}\n"),
                4..=5 => text += &format!("BAR.SYNC {id}, {count}\n"),
                6..=7 => text += &format!("BAR.ARV {id}, {count}\n"),
                8 => text += &format!("MOV R1, {}\nBAR.SYNC R1, {count}\n", rng.u32(..20)),
                9 => text += &format!("MOV R1, {}\nBAR.ARV {id}, R1\n", [0, 31, 32, 64, 4096, 4128][rng.usize(..6)]),
                10 => text += &format!("NOP {}\n", rng.u32(1..80)),
                _ => text += "ST.SHARED\n",
            }
        }
    }
    text
}

#[test]
fn a_run_that_does_not_complete_has_an_error_and_every_finding_has_its_place() {
    const SEED: u64 = 7;
    let mut rng = fastrand::Rng::with_seed(SEED);
    let mut codes = BTreeSet::new();
    let mut completed = 0;
    for round in 0..600 {
        let text = program(&mut rng);
        let machine = format!(
            "policy = 'random'\nseed = {round}\nfault_period = {}\n[[cta]]\ncount = {}\n",
            1 + round % 30,
            1 + round % 3
        );
        let (report, found) = check(&text, &machine, round % 2 == 0);
        let failure_context = || format!("seed {SEED}, round {round}:\n{text}\n{machine}\n{report}\n{found:#?}");
        let errors = found.iter().filter(|f| f.severity == Severity::Error).count();
        assert!(report.verdict == Verdict::Completed || errors > 0, "{}", failure_context());
        completed += usize::from(report.verdict == Verdict::Completed);
        for fault in &report.faults {
            // A deadlock that the unit reports may be reported with its cause instead.
            let same =
                |name: &str| name == fault.code || fault.code == "deadlock" && ["counted_exit", "wait_cycle"].contains(&name);
            assert!(found.iter().any(|f| same(f.code.name)), "{}", failure_context());
        }
        for f in &found {
            codes.insert(f.code.name);
            for at in f.related.iter().filter_map(|r| r.at.as_ref()).chain(&f.at) {
                let shown = text.get(at.span()).unwrap_or_else(|| panic!("{}", failure_context()));
                assert!(shown.starts_with("BAR."), "{shown}: {}", failure_context());
            }
            assert!(f.at.is_some() && !f.message.is_empty() && !f.message.ends_with('.'), "{}", failure_context());
            assert!(f.times == 0 || f.cycle.is_some_and(|c| c < report.cycles), "{}", failure_context());
            // The cycle of a fault is the cycle of its report.
            let of_fault = |cycle: u64| report.faults.iter().any(|fault| fault.cycle == cycle);
            assert!(!f.code.reported() || f.cycle.is_none_or(of_fault), "{}", failure_context());
            let issued_then = f.times == 0 || f.related.iter().all(|r| !r.note.contains("arrived before") || r.at.is_some());
            assert!(issued_then, "{}", failure_context());
        }
        // The findings are sorted: errors first, in order of time. No misuse is reported twice.
        let order = |f: &Finding| (f.severity, f.times == 0, f.cycle.unwrap_or(u64::MAX));
        let unique: BTreeSet<_> = found.iter().map(|f| (f.at.clone(), f.code.name)).collect();
        assert!(found.is_sorted_by_key(order) && unique.len() == found.len(), "{}", failure_context());
    }
    // The programs differ enough: not all complete, and the usual faults occur.
    assert!((30..570).contains(&completed), "{completed}");
    let usual =
        ["barrier_left_open", "count_exceeds_cta", "count_mismatch", "deadlock", "double_arrival", "id_alias", "counted_exit"];
    assert!(usual.iter().all(|code| codes.contains(code)), "{codes:?}");
}

#[test]
fn a_double_arrival_names_the_first_one_even_at_the_same_place() {
    let text = ".warps 0\nBAR.ARV 0x1, 0x40\nBAR.ARV 0x1, 0x40\n.warps 1\nEXIT\n";
    let (_, found) = check(text, "", false);
    let seen: Vec<_> = found.iter().map(|f| (f.code.name, &text[f.at.as_ref().unwrap().span()], f.generation)).collect();
    assert_eq!(seen, [("double_arrival", "BAR.ARV 0x1, 0x40", Some(1)), ("barrier_left_open", "BAR.ARV 0x1, 0x40", Some(1))]);
    let [double, open] = &found[..] else { panic!("{found:#?}") };
    assert_eq!(double.related[0].at, open.at);
    assert!(open.at.as_ref().unwrap().start < double.at.as_ref().unwrap().start);
}

#[test]
fn groups_that_use_an_id_in_turn_are_a_warning() {
    let text =
        ".cta_warps 4\n.warps 2-3\nNOP 100\n.warps 0-1\nBAR.SYNC 1, 64\nNOP 200\nBAR.SYNC 1, 64\nNOP 200\nBAR.SYNC 1, 64\n\
                .warps 2-3\nBAR.SYNC 1, 64\nNOP 200\nBAR.SYNC 1, 64\n";
    let (report, found) = check(text, "", false);
    assert_eq!((report.verdict, report.generations.len()), (Verdict::Completed, 5));
    let seen: Vec<_> = found.iter().map(|f| (f.code.name, f.severity)).collect();
    assert_eq!(seen, [("id_shared", Severity::Warning)]);
    // It is correct if the same warps use the id every time, also as producers and consumers.
    for good in [
        ".cta_warps 2\nBAR.SYNC 1, 64\nBAR.SYNC 1, 64\n",
        ".warps 0\nBAR.ARV 1, 64\nBAR.SYNC 2, 64\nBAR.ARV 1, 64\n.warps 1\nBAR.SYNC 1, 64\nBAR.ARV 2, 64\nBAR.SYNC 1, 64\n",
    ] {
        assert!(check(good, "", true).1.iter().all(|f| f.severity == Severity::Note || f.code.strict), "{good}");
    }
}
