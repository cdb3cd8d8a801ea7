// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run --timeline`: the picture in addition to the report.

use crate::common::{example, Bench, HANG};

#[test]
fn the_pictures_of_the_readme_are_fresh() {
    for (program, picture, code) in [("producer_consumer.bcu", "timeline.svg", 0), ("hang.bcu", "hang.svg", 1)] {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("out")).unwrap();
        let done = bench.run(&format!("run {} --timeline out/t.svg", example(program)));
        assert_eq!(done.code, code, "{done:?}");
        assert!(done.stdout.contains("timeline: out/t.svg\n"), "{done:?}");
        assert_eq!(bench.files(), ["out/", "out/t.svg"]);
        let committed = std::fs::read_to_string(example(&format!("../docs/pictures/{picture}"))).unwrap();
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
