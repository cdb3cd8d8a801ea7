// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lanes of a warp that arrive one after the other: gathered and aligned arrivals, `bar.warp.sync`, `elect.sync`, partial exits.

use super::runs::model;
use bcu_isa::config::named;
use bcu_machine::{run, Machine, Report, Verdict};
use bcu_program::{load, Kind};

fn report(kind: Kind, config: &str, machine: &str, text: &str) -> Report {
    let config = named(config).unwrap();
    let mut machine = Machine::parse(machine).unwrap();
    let loaded = load(kind, text, &machine.launch(config.lanes)).unwrap_or_else(|e| panic!("{e:?}"));
    machine.size(loaded.threads);
    run(&mut *model(&config), &config, &machine, &loaded.programs, &mut |_| ()).unwrap_or_else(|e| panic!("{e}"))
}

fn bcu(machine: &str, text: &str) -> Report {
    report(Kind::Bcu, "tiny", machine, text)
}

/// Address and value of every word of global memory.
fn words(report: &Report) -> Vec<(u32, u32)> {
    report.memory.iter().filter(|word| word.cta.is_none()).map(|word| (word.address, word.value)).collect()
}

#[test]
fn a_gathered_arrival_waits_for_the_last_lane() {
    // The NOP is between the arrivals of lanes 0 and 1 and of lanes 2 and 3. Lanes 2 and 3 do not wait for the other lanes at the NOP.
    let text = ".cta_warps 2\nACTIVE 0x3\n  BAR.SYNC.GATHER 0x1\nEND\nNOP 30\nACTIVE 0xc\n  BAR.SYNC.GATHER 0x1\nEND\n";
    let report = bcu("", text);
    assert_eq!((report.verdict, report.generations[0].arrivals[0].place.line), (Verdict::Completed, 7), "{report}");
    // Both groups of lanes execute BAR and NOP separately, and exit together.
    assert_eq!(report.warps[0].steps, 2 + 2 + 1);
    let text = ".cta_warps 2\nACTIVE 0x3\n  BAR.SYNC.GATHER 0x1\nEND\nACTIVE 0xc\n  NOP 30\n  BAR.SYNC.GATHER 0x1\nEND\nBAR.SYNC 0x2\n";
    let report = bcu("", text);
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!(report.generations[0].arrivals.len(), 2);
    assert_eq!(report.generations[0].arrivals[0].place.line, 7);
}

#[test]
fn a_gathered_reduction_has_the_votes_of_all_pieces() {
    let text = "SETP P0, 0x6\nACTIVE 0x3\n  BAR.RED.POPC.GATHER 0x0, P0\nEND\nACTIVE 0xc\n  BAR.RED.POPC.GATHER 0x0, P0\nEND\n";
    let report = bcu("", text);
    assert_eq!((report.verdict, report.generations[0].value), (Verdict::Completed, Some(2)), "{report}");
}

#[test]
fn lanes_that_exit_are_not_awaited() {
    let text =
        ".cta_warps 2\nACTIVE 0x3\n  BAR.SYNC.GATHER 0x1\nEND\nACTIVE 0xc\n  NOP 20\n  EXIT\nEND\nBAR.SYNC.ALIGNED 0x2\n";
    let report = bcu("", text);
    assert_eq!((report.verdict, report.generations.len()), (Verdict::Completed, 2), "{report}");
}

#[test]
fn an_aligned_barrier_of_some_lanes_is_a_fault() {
    let report = bcu("", ".cta_warps 2\nSETP P0, 0x7\n@P0 BAR.SYNC.ALIGNED 0x1\nNOP 5\n");
    assert_eq!((report.verdict, report.faults.len()), (Verdict::Fault, 2), "{report}");
    assert_eq!((report.faults[0].code.as_str(), report.faults[0].place.as_ref().unwrap().line), ("partial_mask", 3));
    assert!(report.faults[0].sentence.contains("lanes 0-2"), "{}", report.faults[0].sentence);
}

#[test]
fn lanes_at_an_aligned_barrier_wait_for_others_but_not_for_ever() {
    // The other lanes arrive later by themselves.
    let text = "ACTIVE 0x3\n  NOP 200\nEND\nBAR.SYNC.ALIGNED 0x1\n";
    assert_eq!(bcu("", text).verdict, Verdict::Completed);
    // The other lanes wait at a barrier for the lanes that wait at the aligned barrier.
    let report = bcu("", "ACTIVE 0xb\n  BAR.SYNC.GATHER 0x0\nEND\nBAR.SYNC.ALIGNED 0x1\n");
    let faults: Vec<&str> = report.faults.iter().map(|fault| fault.code.as_str()).collect();
    assert_eq!((report.verdict, &faults[..]), (Verdict::Fault, &["partial_mask"][..]), "{report}");
    assert_eq!(report.generations.len(), 2);
}

#[test]
fn lanes_that_ask_for_different_barriers_do_not_fit() {
    let text = "ACTIVE 0x3\n  BAR.SYNC.GATHER 0x1\nEND\nACTIVE 0xc\n  BAR.SYNC.GATHER 0x2\n  BAR.SYNC.GATHER 0x1\nEND\n";
    let report = bcu("", text);
    assert_eq!((report.verdict, report.faults[0].code.as_str()), (Verdict::Fault, "gather_mismatch"), "{report}");
    assert_eq!(report.generations.len(), 1);
}

#[test]
fn lanes_meet_without_a_barrier_and_three_pairs_take_turns() {
    let text = "ACTIVE 0x1\n  WARPSYNC 0x3\n  NOP 3\nEND\nACTIVE 0x2\n  NOP 40\n  WARPSYNC 0x3\nEND\nBAR.SYNC.ALIGNED 0x0\n";
    let report = bcu("", text);
    assert_eq!((report.verdict, report.generations.len()), (Verdict::Completed, 1), "{report}");
    // The unit holds two rendezvous of a warp; the lanes of the third must retry.
    let part = |lane: u32, mask: u32| format!("ACTIVE {:#x}\n  WARPSYNC {mask:#x}\nEND\n", 1 << lane);
    let order = [(0, 0x3), (2, 0xc), (4, 0x30), (1, 0x3), (3, 0xc), (5, 0x30)];
    let text: String = order.iter().map(|(lane, mask)| part(*lane, *mask)).collect();
    let report = self::report(Kind::Bcu, "default", "", &(text + "BAR.SYNC 0x0\n"));
    assert_eq!((report.verdict, report.generations.len()), (Verdict::Completed, 1), "{report}");
}

#[test]
fn the_leader_is_who_the_policy_says() {
    let text = "ACTIVE 0x5\n  ELECT P0, 0x7\n  @P0 ST.GLOBAL [0x10], LANEID\nEND\nACTIVE 0x2\n  ELECT P0, 0x7\nEND\n@P0 ST.GLOBAL [0x20], LANEID\n";
    assert_eq!(words(&bcu("", text)), [(0x10, 0), (0x20, 0)]);
    assert_eq!(words(&bcu("leader_policy = 'highest'\n", text)), [(0x10, 2), (0x20, 2)]);
}

#[test]
fn lanes_that_nobody_joins_are_a_deadlock() {
    let report = bcu("", "ACTIVE 0x3\n  WARPSYNC 0x7\nEND\nACTIVE 0xc\n  BAR.SYNC.GATHER 0x0\nEND\n");
    assert_eq!((report.verdict, report.faults[0].code.as_str()), (Verdict::Hung, "deadlock"), "{report}");
    let lanes = &report.hang.as_ref().unwrap().lanes;
    assert_eq!(lanes.iter().map(|l| (l.waiting, l.missing)).collect::<Vec<_>>(), [(0xc, 0x3), (0x3, 0x4)]);
    assert!(report.to_string().contains("lanes 0-1 wait for lane 2"), "{report}");
}

#[test]
fn the_unit_itself_reports_a_deadlock_and_an_implicit_conflict() {
    let report = bcu("", ".cta_warps 2\n.warps 0\nBAR.SYNC 0x0, 0x8\n.warps 1\nBAR.SYNC 0x1, 0x8\n");
    assert_eq!((report.verdict, report.faults.len(), report.faults[0].code.as_str()), (Verdict::Hung, 1, "deadlock"));
    let report =
        bcu("max_cycles = 400\n", ".cta_warps 3\n.warps 0\nBAR.SYNC 0x0\n.warps 1\nBAR.SYNC 0x1\n.warps 2\nNOP 2000\n");
    assert_eq!(report.faults.len(), 1, "{report}");
    assert!(report.faults[0].sentence.contains("two barriers without a count"), "{report}");
    // A deadlock concerns a whole CTA: the fault names no barrier, and its sentence names the barriers at which warps wait.
    assert!(report.faults[0].id.is_none(), "{report}");
    assert!(report.faults[0].sentence.ends_with("; warp 0 waits at barrier 0, warp 1 waits at barrier 1"), "{report}");
    let report = bcu("", ".cta_warps 3\n.warps 0-1\nBAR.SYNC 0x2, 0xc\n.warps 2\nBAR.SYNC 0x1, 0xc\n");
    let text = report.to_string();
    assert!(
        text.contains(": CTA 0\n") && text.contains("; warp 2 waits at barrier 1, warps 0, 1 wait at barrier 2\n"),
        "{text}"
    );
    assert!(!text.contains("barrier 0"), "{text}");
}
