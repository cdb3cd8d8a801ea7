// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run --timeline`: the picture in addition to the report.

use crate::common::{example, Bench, HANG};

#[test]
fn the_pictures_of_the_pages_are_fresh() {
    let pictures = [
        ("producer_consumer.bcu", "timeline.svg", 0),
        ("hang.bcu", "hang.svg", 1),
        ("pipeline_mbarrier.bcu", "mbarriers.svg", 0),
    ];
    for (program, picture, code) in pictures {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("out")).unwrap();
        let done = bench.run(&format!("run {} --timeline out/t.svg", example(program)));
        assert_eq!(done.code, code, "{done:?}");
        assert!(done.stdout.contains("timeline: out/t.svg\n"), "{done:?}");
        assert_eq!(bench.files(), ["out/", "out/t.svg"]);
        let committed = std::fs::read_to_string(example(&format!("../docs/pictures/{picture}"))).unwrap_or_default();
        assert!(bench.text("out/t.svg") == committed, "docs/pictures/{picture} is stale: cargo xtask regen");
    }
}

#[test]
fn a_hang_and_a_waveform_beside_are_drawn_as_well() {
    let bench = Bench::new();
    bench.file("hang.bcu", HANG);
    let done = bench.run("run hang.bcu --config tiny --timeline t.svg --wave w.vcd --format json");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(bench.text("t.svg").contains("hung") && bench.path("w.vcd").exists());
    assert!(serde_json::from_str::<serde_json::Value>(&done.stdout).is_ok(), "{done:?}");
}

#[test]
fn a_picture_that_cannot_be_written_leaves_nothing() {
    let bench = Bench::new();
    bench.file("taken", "").file("wrong.bcu", "BAR.SINK\n");
    for (arguments, part) in [
        ("run --timeline taken/t.svg", "cannot write taken/t.svg"),
        ("run --timeline t.png", "name it like `out.svg`"),
        ("run wrong.bcu --timeline t.svg", "BAR.SINK"),
    ] {
        let done = bench.run(arguments);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments}: {done:?}");
        assert!(done.stderr.contains(part), "{arguments}: {}", done.stderr);
        assert_eq!(bench.files(), ["taken", "wrong.bcu"], "{arguments}");
    }
}

/// The picture of an example, with the exit code of its run.
fn drawn(program: &str, code: i32) -> String {
    let bench = Bench::new();
    let done = bench.run(&format!("run {} --timeline t.svg", example(program)));
    assert_eq!(done.code, code, "{done:?}");
    bench.text("t.svg")
}

#[test]
fn waits_of_every_kind_have_their_object_and_their_end() {
    // A ring of stages with bulk copies: mbarriers with phases, arrivals and bytes.
    let ring = drawn("kernels/bulk_ring/launch.toml", 0);
    for part in [
        "waits at the mbarrier `full` (0x",
        "phase 0 (parity 0)",
        "then the phase was complete",
        "copy of 256 bytes by warp 0, signals the mbarrier `full` (0x",
        "256 of 256 expected bytes completed",
        ">full #0</text>",
        ">empty+24</text>",
    ] {
        assert!(ring.contains(part), "{part}");
    }
    // One bar for each wait: each of the 12 rounds has at most one wait for each warp.
    let waits = ring.matches("<title>waits at the mbarrier").count();
    assert!((12..=36).contains(&waits), "{waits}");
    // The ring in which the count is too high hangs: arrows to the missing warps.
    let hung = drawn("kernels/bulk_ring/bugs/count_in_threads.toml", 1);
    for part in ["cta0.w1, cta0.w2 wait at the mbarrier `full`", "for ever: phase 0 (parity 0): ", "missing: warp 0"] {
        assert!(hung.contains(part), "{part}");
    }
    // A grid that waits for the grid before it.
    let grids = drawn("kernels/dependent_grids/launch.toml", 0);
    for part in
        ["waits for the grids before its own", "grid 0 (first) ended in cycle ", "its stores are visible", ">CTA 4, grid 1<"]
    {
        assert!(grids.contains(part), "{part}");
    }
    // The CTAs of a cluster.
    let cluster = drawn("kernels/cluster_reduce/launch.toml", 0);
    assert!(cluster.contains("waits at the barrier of its cluster, phase 2") && cluster.contains(">cluster #2</text>"));
    // A flag that no warp sets.
    let spin = drawn("check/spin_wait.ptx", 1);
    assert!(spin.contains("polls `flag` (0x") && spin.contains("no warp changes it"), "{spin}");
}

#[test]
fn a_window_selects_cycles() {
    let bench = Bench::new();
    let program = example("kernels/bulk_ring/launch.toml");
    let done = bench.run(&format!("run {program} --timeline t.svg --from 600 --to 899"));
    assert_eq!(done.code, 0, "{done:?}");
    let text = bench.text("t.svg");
    assert!(text.contains("cycles 600 to 899") && text.contains(">700<") && !text.contains(">1000<"), "{text}");
    assert!(!text.contains("exited"), "the exits are later");
    // The last cycle may be after the end of the run.
    let done = bench.run(&format!("run {program} --timeline t.svg --from 2000 --to 99999"));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(bench.text("t.svg").contains("cycles 2000 to 2379"));
}

#[test]
fn a_bad_window_is_refused_and_leaves_nothing() {
    let bench = Bench::new();
    let program = example("producer_consumer.bcu");
    for (arguments, parts) in [
        ("--timeline t.svg --from 30 --to 20", ["`--to 20` is before `--from 30`", "not before the first one"]),
        ("--from 30", ["`--from 30` selects cycles of an output, but there is no `--timeline`", "add `--timeline FILE`"]),
        ("--to 30", ["`--to 30` selects cycles of an output", "add `--timeline FILE`"]),
        (
            "--timeline t.svg --from 999999",
            ["`--from 999999` is after the end of the run, which has ", "give a cycle from 0 to "],
        ),
        (
            "--timeline t.svg --from -3",
            ["invalid value '-3' for '--from <CYCLE>'", "expected the number of a cycle, from 0 to "],
        ),
        ("--timeline t.svg --to x", ["invalid value 'x' for '--to <CYCLE>'", "expected the number of a cycle, from 0 to "]),
    ] {
        let done = bench.run(&format!("run {program} {arguments}"));
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments}: {done:?}");
        for part in parts {
            assert!(done.stderr.contains(part), "{arguments}: {}", done.stderr);
        }
        assert_eq!(bench.files(), [""; 0], "{arguments}");
    }
}
