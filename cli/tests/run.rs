// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run` on good programs: verdicts, tables, waveforms, exit codes.

mod common;

use common::Bench;

fn example(name: &str) -> String {
    format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn without_arguments_a_built_in_program_completes() {
    let done = Bench::new().run("run");
    assert_eq!(done.code, 0, "{done:?}");
    for part in ["verdict: completed", "barrier generations", "producer", "consumer", "waited: warp=cycles"] {
        assert!(done.stdout.contains(part), "{part} in\n{}", done.stdout);
    }
}

#[test]
fn a_hang_names_the_missing_warp_and_its_instruction() {
    let done = Bench::new().run(&format!("run {}", example("hang.bcu")));
    assert_eq!(done.code, 1);
    assert!(done.stdout.contains("verdict: hung"), "{done:?}");
    assert!(done.stdout.contains("missing: warp 3 blocked at barrier 2 (line 18: BAR.SYNC R4, 0x80)"), "{}", done.stdout);
}

#[test]
fn a_fault_is_a_failed_check() {
    let bench = Bench::new();
    bench.file("f.bcu", ".cta_warps 2\nBAR.SYNC 0x1, 0x60\n");
    let done = bench.run("run f.bcu");
    assert_eq!(done.code, 1);
    assert!(done.stdout.contains("fault count_exceeds_cta") && done.stdout.contains("line 2: BAR.SYNC 0x1, 0x60"), "{done:?}");
}

#[test]
fn ptx_runs_and_its_waveform_has_files_for_the_viewers() {
    let bench = Bench::new();
    let done = bench.run(&format!("run {} --wave out/run.vcd", example("producer_consumer.ptx")));
    assert_eq!(done.code, 0, "{done:?}");
    let files = bench.files();
    for name in ["out/run.vcd", "out/run.gtkw", "out/run.sucl"] {
        assert!(files.iter().any(|f| f == name), "{name} in {files:?}");
    }
    assert!(files.iter().all(|f| !f.contains(".bcu-")), "{files:?}");
    let vcd = std::fs::read_to_string(bench.folder.path().join("out/run.vcd")).unwrap();
    for part in ["warp_0", "release_warps", "waits\\040at\\040barrier\\0401"] {
        assert!(vcd.contains(part), "{part}");
    }
    assert!(done.stderr.contains("gtkwave out/run.vcd out/run.gtkw"), "{done:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let bench = Bench::new();
    bench.file("m.toml", "policy = 'random'\n[[cta]]\ncount = 3\n");
    let with = |seed: &str| bench.run(&format!("run {} --machine m.toml --seed {seed}", example("exchange.bcu"))).stdout;
    assert_eq!(with("4"), with("4"));
    assert_ne!(with("4"), with("5"));
}

#[test]
fn json_has_a_version_and_everything_of_the_text() {
    let done = Bench::new().run(&format!("run {} --format json", example("hang.bcu")));
    assert_eq!(done.code, 1);
    let json: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((json["format_version"].as_u64(), json["verdict"].as_str()), (Some(1), Some("hung")));
    let blocked = &json["hang"]["blocked"][0];
    assert_eq!(blocked["missing"][0]["warp"], 3);
    assert_eq!(blocked["missing"][0]["now"]["place"]["line"], 18);
    assert_eq!(blocked["place"]["text"], "BAR.SYNC 0x1, 0x80");
}

#[test]
fn several_files_are_one_warp_each_or_go_by_roles() {
    let bench = Bench::new();
    bench.file("a.bcu", "BAR.ARV 0x1, 0x40\n").file("b.bcu", "BAR.SYNC 0x1, 0x40\n");
    let done = bench.run("run a.bcu b.bcu");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("0    1     b"), "{}", done.stdout);
    bench.file("b.bcu", "BAR.SYNC 0x1, 0x80\n").file("a.bcu", "BAR.ARV 0x1, 0x80\n");
    let done = bench.run("run a.bcu b.bcu --role a=0 --role b=1-3");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("1=") && done.stdout.contains("3="), "{}", done.stdout);
}

#[test]
fn warps_and_configurations_can_be_chosen() {
    let bench = Bench::new();
    bench.file("p.bcu", "BAR.SYNC 0x0\n");
    let done = bench.run("run p.bcu --warps 8 --config small");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("7="), "{}", done.stdout);
    let text = bench.run("configs small").stdout;
    bench.file("mine.toml", text);
    assert_eq!(bench.run("run p.bcu --warps 3 --config mine.toml").code, 0);
}

#[test]
#[cfg(unix)]
fn a_reader_who_has_gone_is_no_error() {
    let bench = Bench::new();
    bench.file("p.bcu", "BAR.SYNC 0x0\n".repeat(20_000));
    let shell =
        format!("{} run p.bcu --warps 2 --machine m.toml | head -1; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_bcu"));
    bench.file("m.toml", "max_cycles = 1000000\n");
    let done = std::process::Command::new("bash").args(["-c", &shell]).current_dir(bench.folder.path()).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(done.stderr.is_empty(), "{done:?}");
}
