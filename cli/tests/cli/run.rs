// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run` on good programs: verdicts, tables, waveforms, exit codes.

use crate::common::{example, Bench};

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
    assert!(done.stdout.contains("missing: warp 3 waits at barrier 2 (line 18: BAR.SYNC R4, 0x80)"), "{}", done.stdout);
}

#[test]
fn a_run_that_its_limit_stops_is_unfinished_and_not_hung() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 8\nLOOP 200\nST.SHARED [WARPID], WARPID\nBAR.SYNC 0\nNOP 7\nBAR.SYNC 3\nEND\n");
    bench.file("m.toml", "max_cycles = 5010\n");
    let done = bench.run("run p.bcu --machine m.toml --timeline t.svg");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.starts_with("verdict: unfinished after 5010 cycles") && !done.stdout.contains("hung"), "{done:?}");
    for warp in 0..8 {
        let (waits, missing) = (format!("waiting: warp {warp} "), format!("missing: warp {warp} waits at barrier"));
        assert!(!(done.stdout.contains(&waits) && done.stdout.contains(&missing)), "{warp}: {}", done.stdout);
    }
    let picture = bench.text("t.svg");
    assert!(picture.contains("unfinished: stopped at the limit") && !picture.contains("hung") && !picture.contains("for ever"));
    let json: serde_json::Value = serde_json::from_str(&bench.run("run p.bcu --machine m.toml --format json").stdout).unwrap();
    assert_eq!((json["verdict"].as_str(), json["hang"]["cause"].as_str()), (Some("unfinished"), Some("max_cycles")));
    let done = bench.run("check p.bcu --machine m.toml");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.stdout.contains("error[cycle_limit]") && done.stdout.contains("error[race]") && !done.stdout.contains("for ever"),
        "{done:?}"
    );
    assert!(
        done.stdout.ends_with("2 errors, 0 warnings, 0 notes; the run was stopped at its cycle limit after 5010 cycles\n"),
        "{done:?}"
    );
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
    std::fs::create_dir(bench.path("out")).unwrap();
    let done = bench.run(&format!("run {} --wave out/run.vcd", example("producer_consumer.ptx")));
    assert_eq!(done.code, 0, "{done:?}");
    let files = bench.files();
    let mappings = [
        "cluster_in_kind",
        "cluster_out_kind",
        "fault_code",
        "fault_policy",
        "grid_in_kind",
        "grid_out_kind",
        "instr_form",
        "net_in_kind",
        "net_out_kind",
        "release_reduction",
    ];
    let mappings = mappings.map(|name| format!("out/.surfer/mappings/{name}.txt"));
    let around = ["out/", "out/.surfer/", "out/.surfer/mappings/", "out/run.gtkw", "out/run.sucl", "out/run.vcd"];
    let (before, after) = around.split_at(3);
    let expected_files: Vec<&str> =
        before.iter().copied().chain(mappings.iter().map(String::as_str)).chain(after.iter().copied()).collect();
    assert_eq!(files, expected_files);
    let vcd = bench.text("out/run.vcd");
    for part in ["warp_0", "release_warps", "B0\\040l.13"] {
        assert!(vcd.contains(part), "{part}");
    }
    assert!(
        done.stdout.ends_with("waveform: out/run.vcd\n  gtkwave out/run.gtkw\n  surfer -c out/run.sucl out/run.vcd\n"),
        "{done:?}"
    );
    // Two warps run, and the warp slots that no warp uses are not shown.
    assert!(!vcd.contains("warp_2"));
    assert!(bench.text("out/run.gtkw").contains("[dumpfile] \"run.vcd\""));
}

#[test]
fn a_byte_order_mark_in_front_of_a_text_is_ignored() {
    let bench = Bench::new();
    let marked = |text: &str| format!("\u{feff}{text}");
    let ptx = std::fs::read_to_string(example("producer_consumer.ptx")).unwrap();
    bench
        .file("p.bcu", marked(".cta_warps 2\nBAR.SYNC 0x0\n"))
        .file("p.ptx", marked(&ptx))
        .file("m.toml", marked("seed = 3\n"));
    bench.file("first.bcu", marked("BAR.SYNC 0x0\n")).file("wrong.bcu", marked("EXIT 1\n"));
    bench.file("mine.toml", marked(&bench.run("configs tiny").stdout));
    for arguments in ["p.bcu", "p.ptx", "first.bcu", "p.bcu --machine m.toml", "p.bcu --config mine.toml"] {
        let done = bench.run(&format!("run {arguments}"));
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{arguments}: {done:?}");
    }
    assert!(bench.run("run wrong.bcu").stderr.contains("wrong.bcu:1:6"), "the mark is no column");
    assert_eq!(bench.run_with("asm", &marked("BAR.SYNC 0x1")).code, 0);
}

#[test]
fn a_program_can_come_from_standard_input() {
    let bench = Bench::new();
    let (bcu, ptx) = (".cta_warps 2\nBAR.SYNC 0x0\n", "// bcu: threads 64\nbar.sync 0;\n");
    for (arguments, text) in [
        ("run -", bcu),
        ("run -", ptx),
        ("run - --lang bcu", bcu),
        ("run - --lang ptx", ptx),
        ("check -", bcu),
        ("check -", ptx),
    ] {
        let done = bench.run_with(arguments, text);
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{arguments}: {done:?}");
    }
    bench.file("p.txt", ptx).file("p.bcu", bcu);
    assert_eq!(bench.run("run p.txt --lang ptx").code, 0);
    for (arguments, text, part) in [
        ("run -", "", "standard input is empty"),
        ("run -", "0x7b1d\n", "`--lang bcu`, `--lang ptx` or `--lang visa`"),
        ("run - --lang bcu", ptx, "stdin:2:1"),
        ("run - -", bcu, "can be read only once"),
        ("run - --machine -", bcu, "can be read only once"),
        ("run - --lang cuda", bcu, "[possible values: bcu, ptx, visa]"),
        ("run p.txt", "", "--lang ptx"),
    ] {
        let done = bench.run_with(arguments, text);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments}: {done:?}");
        assert!(done.stderr.contains(part), "{arguments}: {}", done.stderr);
    }
    // If there are other files too, standard input is the program of some warps, and its name for roles is `stdin`.
    let done = bench.run_with("run p.bcu - --role p=0 --role stdin=1", "BAR.SYNC 0x0\n");
    assert_eq!(done.code, 0, "{done:?}");
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
fn every_example_has_its_verdict() {
    let bench = Bench::new();
    let mut names: Vec<String> = vec![];
    for folder in ["", "cuda/"] {
        let files = std::fs::read_dir(example(folder)).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap());
        names.extend(files.filter(|f| f.ends_with(".bcu") || f.ends_with(".ptx")).map(|f| format!("{folder}{f}")));
    }
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let done = bench.run(&format!("run {}", example(&name)));
        let (code, verdict) = if ["hang.bcu", "missing_lanes.bcu"].contains(&name.as_str()) {
            (1, "verdict: hung")
        } else {
            (0, "verdict: completed")
        };
        assert_eq!((done.code, done.stderr.as_str()), (code, ""), "{name}: {done:?}");
        assert!(done.stdout.starts_with(verdict), "{name}: {}", done.stdout);
    }
}

#[test]
fn warnings_go_to_stderr_and_do_not_count() {
    let bench = Bench::new();
    bench.file("p.bcu", "BAR.SYNC 0x0 $wait\n");
    let done = bench.run("run p.bcu --format json");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stderr.starts_with("warning: ") && done.stderr.contains("p.bcu:1:14"), "{}", done.stderr);
    assert!(serde_json::from_str::<serde_json::Value>(&done.stdout).is_ok());
}

#[test]
fn a_machine_with_several_ctas_takes_programs_by_name() {
    let bench = Bench::new();
    bench.file("m.toml", "[[cta]]\ncount = 2\nprograms = ['consumer', 'producer']\n");
    let done = bench.run(&format!("run {} --machine m.toml", example("producer_consumer.ptx")));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("  1    0     consumer") && done.stdout.contains("  1    1     producer"), "{}", done.stdout);
}

#[test]
fn one_of_several_kernels_is_chosen_as_the_message_says() {
    let bench = Bench::new();
    let kernel = |name: &str, id: u32| format!(".visible .entry {name}() .reqntid 128\n{{\nbar.sync {id};\n}}\n");
    bench.file("k.ptx", format!(".version 8.0\n.target sm_80\n{}{}", kernel("load", 1), kernel("math", 2)));
    let done = bench.run("run k.ptx");
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stderr.contains("this text has `load`, `math`") && done.stderr.contains("`--kernel load`"), "{}", done.stderr);
    for choice in ["--kernel math", "--role math=0-3"] {
        let done = bench.run(&format!("run k.ptx {choice}"));
        assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
        assert!(done.stdout.contains("math"), "{}", done.stdout);
    }
}

#[test]
fn roles_go_to_the_entries_of_one_ptx_file() {
    let done = Bench::new().run(&format!("run {} --role consumer=0 --role producer=1", example("producer_consumer.ptx")));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("  0    0     consumer"), "{}", done.stdout);
}

/// The compiler is a script that writes fixed PTX, and its argument `-arch` into the file `asked`.
#[cfg(unix)]
#[test]
fn a_launch_file_takes_cuda_sources() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let ptx =
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %a;\n.reg .b32 %t;\n\
               ld.param.u64 %a, [out];\nmov.u32 %t, 7;\nst.global.u32 [%a], %t;\nret;\n}\n";
    bench.file("ptx", ptx).file("k.cu", "__global__ void k(unsigned *out) { *out = 7; }\n");
    bench.file(
        "nvcc",
        "#!/bin/sh\nwhile [ \"$1\" != -o ]; do case $1 in -arch=*) echo \"$1\" > asked;; esac; shift; done\ncp ptx \"$2\"\n",
    );
    std::fs::set_permissions(bench.path("nvcc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    bench.file(
        "k.toml",
        "program = \"k.cu\"\n[buffers.out]\ntype = \"u32\"\nshape = [1]\n[[launch]]\ngrid = [1]\nblock = [32]\nargs = [\"out\"]\n\
         [[expect]]\nbuffer = \"out\"\nvalue = 7\n",
    );
    let path = format!("{}:{}", bench.path("").display(), std::env::var("PATH").unwrap());
    for command in ["run", "check"] {
        let done = bench.command().args([command, "k.toml"]).env("PATH", &path).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{done:?}");
        assert!(bench.text("asked").starts_with("-arch=sm_"), "{}", bench.text("asked"));
        std::fs::remove_file(bench.path("asked")).unwrap();
    }
}
