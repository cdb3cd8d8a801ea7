// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `--trace`: a trace that a viewer can open, which agrees with the report of the run.

mod file;

use crate::common::{example, Bench, HANG};
use crate::outputs::interrupted;
use file::{read, Trace};
use serde_json::Value;

/// Runs a command with a trace, and checks the trace against the report.
fn traced(arguments: &str) -> (Value, Trace) {
    let bench = Bench::new();
    let done = bench.run(&format!("run {arguments} --trace t.json --format json"));
    let report: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e} in {done:?}"));
    let trace = read(&bench.text("t.json"));
    agrees(&report, &trace);
    (report, trace)
}

/// Asserts that the slices of each warp cover its life, and that its waits and the arrows are those of the report.
fn agrees(report: &Value, trace: &Trace) {
    let cycles = report["cycles"].as_f64().unwrap();
    for warp in report["warps"].as_array().unwrap() {
        let track = trace.warp(warp["cta"].as_u64().unwrap(), warp["warp"].as_u64().unwrap());
        let outer = trace.outer(track);
        assert!(outer.windows(2).all(|pair| pair[0].to == pair[1].from), "a gap in {outer:?}");
        let end = outer.last().unwrap().to;
        match warp["exited"].as_f64() {
            Some(exited) => assert_eq!(end, exited + 1.0, "{warp}"),
            // A program that stops the run does so within a cycle, which does not count.
            None => assert!(end <= cycles + 1.0 && end > cycles - 2.0, "{warp} ends in {end} of {cycles}"),
        }
        let steps = outer.iter().filter_map(|slice| slice.args["instructions"].as_u64()).sum::<u64>();
        assert!(steps <= warp["steps"].as_u64().unwrap(), "{warp}: {steps}");
        for slice in outer.iter().filter(|slice| slice.cat != "running") {
            assert!(
                slice.args["line"].as_u64().is_some_and(|line| line > 0) && slice.args["instruction"].is_string(),
                "{slice:?}"
            );
        }
    }
    for generation in report["generations"].as_array().unwrap() {
        let (cta, released) = (generation["cta"].as_u64().unwrap(), generation["released"].as_f64().unwrap());
        let Some(last) = generation["arrivals"].as_array().unwrap().last().filter(|_| generation["exited"].is_null()) else {
            continue;
        };
        let from = (trace.warp(cta, last["warp"].as_u64().unwrap()), last["cycle"].as_f64().unwrap() + 0.5);
        for wait in generation["waits"].as_array().unwrap() {
            let to = (trace.warp(cta, wait["warp"].as_u64().unwrap()), released + 0.5);
            let arrows = trace.flows.iter().filter(|flow| flow.cat == "barrier" && flow.to == to).collect::<Vec<_>>();
            assert_eq!(arrows.len(), usize::from(from.0 != to.0), "{generation}");
            assert!(arrows.iter().all(|flow| flow.from == from), "{arrows:?}");
            let name = format!("barrier {}, generation {}", generation["id"], generation["number"]);
            let slice = trace.outer(to.0).into_iter().find(|slice| slice.from < to.1 && to.1 < slice.to).unwrap();
            // The arrival that completes a generation may have been held for memory until then.
            let object = (&slice.args["barrier"], &slice.args["generation"]);
            assert_eq!(object, (&generation["id"], &generation["number"]), "{slice:?}");
            assert!(slice.name == name || slice.cat == "memory" && from.0 == to.0, "{name}: {slice:?}");
            assert_eq!(slice.to, released + 1.0, "{slice:?}");
        }
    }
}

#[test]
fn waits_at_named_barriers_and_at_the_gateway_are_slices_with_arrows() {
    let (report, trace) = traced(&example("producer_consumer.ptx"));
    assert!(
        report["generations"].as_array().unwrap().len() as u64 >= 1 && trace.flows.iter().all(|flow| flow.cat == "barrier")
    );
    // The waits of each warp at named barriers have the length that the report has.
    for warp in report["warps"].as_array().unwrap() {
        let track = trace.warp(0, warp["warp"].as_u64().unwrap());
        let held = |name: &str| name.starts_with("barrier") || name.starts_with("memory: arrival");
        let waited: f64 = trace.outer(track).iter().filter(|s| held(&s.name)).map(|s| s.to - s.from).sum();
        assert_eq!(waited, warp["waited"].as_f64().unwrap(), "{warp}");
    }
    let (_, trace) = traced(&example("kernels/three_roles/launch.toml"));
    assert!(trace.count("barrier") > 20 && trace.count("memory") > 20);
    let (report, trace) = traced(&example("visa/ring.visa"));
    let released: usize =
        report["phases"].as_array().unwrap().iter().map(|phase| phase["waits"].as_array().unwrap().len()).sum();
    assert!(trace.count("barrier") >= released && released > 0 && !trace.flows.is_empty());
}

#[test]
fn waits_at_mbarriers_have_phase_and_parity_and_what_completed_the_phase() {
    let (_, trace) = traced(&example("pipeline_mbarrier.bcu"));
    let waits: Vec<_> = trace.slices.values().flatten().filter(|slice| slice.cat == "mbarrier").collect();
    assert!(waits.iter().any(|wait| wait.name == "mbarrier 0x100, phase 1, parity 1"), "{waits:?}");
    for wait in &waits {
        // The first wait for an empty buffer is for the phase before phase 0.
        let phase = wait.args["phase"].as_u64();
        assert_eq!(phase.map_or(1, |phase| phase % 2), wait.args["parity"].as_u64().unwrap(), "{wait:?}");
    }
    assert_eq!(trace.flows.iter().filter(|flow| flow.cat == "mbarrier").count(), 4);
    for (kernel, cats) in [("bulk_ring", 1), ("multicast_ring", 2), ("cuda_pipeline", 1)] {
        let (_, trace) = traced(&example(&format!("kernels/{kernel}/launch.toml")));
        let is_copy = |track| trace.threads[track].contains("copies");
        let from_copies = trace.flows.iter().filter(|flow| is_copy(&flow.from.0)).count();
        assert!(from_copies > 0 && from_copies < trace.flows.len(), "{kernel}: {from_copies}");
        assert!(!trace.flows.iter().any(|flow| is_copy(&flow.to.0)));
        // Copies are slices with the number of their bytes, and no CTA has bytes in copies at the end.
        let copies = trace.slices.values().flatten().filter(|slice| slice.cat == "copy");
        let bytes: Vec<u64> = copies.filter_map(|slice| slice.args["bytes"].as_u64()).collect();
        assert!(!bytes.is_empty() && bytes.iter().all(|bytes| *bytes > 0), "{kernel}: {bytes:?}");
        let counters: Vec<_> = trace.counters.iter().filter(|((_, name), _)| name.ends_with(" bytes")).collect();
        assert!(counters.len() >= cats && counters.iter().all(|(_, values)| values.last().unwrap().1 == 0), "{kernel}");
    }
}

#[test]
fn waits_for_clusters_grids_copies_and_lanes_are_slices() {
    for (program, cat, arrows) in [
        ("kernels/cluster_reduce/launch.toml", "cluster", true),
        ("kernels/dependent_grids/launch.toml", "grid", true),
        ("kernels/cp_async/launch.toml", "copies", false),
        ("kernels/syncwarp/launch.toml", "gather", false),
    ] {
        let (_, trace) = traced(&example(program));
        assert!(trace.count(cat) > 0, "{program}");
        assert_eq!(trace.flows.iter().any(|flow| flow.cat == cat), arrows, "{program}");
    }
    let (_, trace) = traced(&example("kernels/cluster_reduce/launch.toml"));
    assert!(trace.processes.values().any(|name| name.contains(", SM ") && name.contains("in the cluster of CTA")));
}

#[test]
fn faults_and_the_end_are_instants() {
    let has = |trace: &Trace, name: &str| trace.instants.iter().filter(|(of, ..)| of == name).count();
    let (report, trace) = traced(&example("hang.bcu"));
    let last = report["cycles"].as_f64().unwrap() - 0.5;
    assert_eq!((has(&trace, "waits for ever"), has(&trace, "hung"), has(&trace, "fault: deadlock")), (4, 1, 1));
    assert!(trace.instants.iter().all(|(name, _, time)| *time == last || name.starts_with("fault")), "{:?}", trace.instants);
    let fault = trace.instants.iter().find(|(name, ..)| name == "fault: deadlock").unwrap();
    assert_eq!(fault.2, report["faults"][0]["cycle"].as_f64().unwrap() + 0.5);
    for (arguments, name) in [
        ("missing_lanes.bcu", "hung"),
        ("missing_lanes.bcu --fault-policy trap", "hung"),
        ("check/cycle_limit.bcu --max-cycles 900", "unfinished"),
        ("check/count_mismatch.bcu", "fault: count_mismatch"),
        ("check/bad_access.ptx", "the program stops the run"),
        ("reduce.ptx", "completed"),
    ] {
        let (_, trace) = traced(&example(arguments));
        assert!(has(&trace, name) > 0, "{arguments}: {:?}", trace.instants);
    }
}

#[test]
fn many_launched_ctas_have_tracks_of_their_own() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nST.SHARED\nBAR.SYNC 0x0\n").file("m.toml", "[[cta]]\ncount = 40\n");
    let done = bench.run("run p.bcu --config tiny --machine m.toml --trace t.json --format json");
    let trace = read(&bench.text("t.json"));
    agrees(&serde_json::from_str(&done.stdout).unwrap(), &trace);
    assert_eq!((trace.processes.len(), trace.threads.len()), (41, 81));
    assert_eq!(trace.flows.len(), 40);
}

#[test]
fn an_interrupted_run_has_a_complete_trace() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nLOOP 100000000\nNOP 5000\nST.SHARED\nBAR.SYNC 0x0\nEND\n");
    let arguments = "run p.bcu --config tiny --max-cycles 4000000000 --trace t.json";
    let (code, said) = interrupted(&bench, arguments, "-INT");
    assert_eq!(code, 1, "{said}");
    assert_eq!(bench.files(), ["p.bcu", "t.json"]);
    let trace = read(&bench.text("t.json"));
    assert!(trace.instants.iter().any(|(name, ..)| name == "unfinished") && !trace.flows.is_empty());
}

#[test]
fn a_trace_that_cannot_be_written_leaves_nothing() {
    let bench = Bench::new();
    bench.file("taken", "").file("wrong.bcu", "BAR.SINK\n").file("hang.bcu", HANG);
    std::os::unix::fs::symlink("/dev/full", bench.path("full.json")).unwrap();
    for (arguments, part) in [
        ("run --trace taken/t.json", "cannot write taken/t.json"),
        ("run --trace t.txt", "name it like `out.json`"),
        ("run --trace folder/t.json", "there is no folder folder"),
        ("run wrong.bcu --trace t.json", "BAR.SINK"),
        ("run --trace full.json", "cannot write full.json: No space left on device"),
        ("check hang.bcu --trace t.txt", "name it like `out.json`"),
        ("check hang.bcu --schedules 2 --picture t.svg --timeline t.svg", "--timeline: t.svg is also --picture"),
    ] {
        let done = bench.run(arguments);
        assert_eq!(done.code, 2, "{arguments}: {done:?}");
        assert!(done.stderr.contains(part), "{arguments}: {}", done.stderr);
        assert_eq!(bench.files(), ["full.json", "hang.bcu", "taken", "wrong.bcu"], "{arguments}");
    }
}
