// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where results go: whole sets of files or none, places that cannot be written to, readers who have gone.

use crate::common::{example, Bench};
use std::process::Stdio;

/// Runs and expects that the output cannot be written and that nothing new is there.
fn unwritable(bench: &Bench, arguments: &str, parts: &[&str]) {
    let before = bench.files();
    let done = bench.run(arguments);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments}: {done:?}");
    for part in parts {
        assert!(done.stderr.contains(part), "{arguments}: `{part}` in\n{}", done.stderr);
    }
    assert!(!done.stderr.contains(".bcu-"), "{}", done.stderr);
    assert_eq!(bench.files(), before, "{arguments}");
}

#[test]
fn a_place_that_cannot_be_written_to_is_named_and_nothing_is_left() {
    let bench = Bench::new();
    bench.file("taken", "");
    unwritable(&bench, "run --wave taken/out.vcd", &["cannot write taken/out.vcd"]);
    unwritable(&bench, "run --wave taken", &["`out.vcd`"]);
    unwritable(&bench, "run --wave out.fst", &["`out.vcd`"]);
    unwritable(&bench, "run --wave /proc/out.vcd", &["cannot write /proc/out.vcd"]);
    unwritable(&bench, "export --config tiny --out taken/rtl", &["cannot write taken/rtl"]);
    unwritable(&bench, "regress scenario --junit taken/out.xml", &["cannot write taken/out.xml"]);
}

#[test]
fn a_folder_that_is_not_there_is_named_and_not_made() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("there")).unwrap();
    for (arguments, file) in [("run --wave", "out.vcd"), ("run --timeline", "out.svg"), ("regress scenario --junit", "out.xml")]
    {
        let parts =
            [&format!("cannot write there/none/deep/{file}: there is no folder there/none"), "mkdir -p there/none/deep"];
        unwritable(&bench, &format!("{arguments} there/none/deep/{file}"), &parts.map(|part| part as &str));
        unwritable(&bench, &format!("{arguments} /proc/none/{file}"), &["there is no folder /proc/none"]);
    }
}

#[test]
fn one_file_that_cannot_be_had_keeps_the_others_away() {
    let bench = Bench::new();
    for folder in ["rtl/manifest.json", "out.gtkw"] {
        std::fs::create_dir_all(bench.path(folder)).unwrap();
    }
    unwritable(&bench, "export --config tiny --out rtl", &["cannot write rtl/manifest.json"]);
    unwritable(&bench, "run --wave out.vcd", &["cannot write out.gtkw"]);
}

#[test]
fn what_was_there_is_replaced_and_can_be_read_by_others() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("rtl")).unwrap();
    bench.file("rtl/bcu.v", "old").file("new", "");
    assert_eq!(bench.run("export --config tiny --out rtl").code, 0);
    assert!(bench.text("rtl/bcu.v").contains("module bcu "));
    let permissions = |name: &str| std::fs::metadata(bench.path(name)).unwrap().permissions();
    assert_eq!(permissions("rtl/bcu.v"), permissions("new"));
}

#[test]
fn the_waveform_of_a_hang_is_written() {
    let bench = Bench::new();
    let done = bench.run(&format!("run {} --wave out.vcd", example("hang.bcu")));
    assert_eq!(done.code, 1, "{done:?}");
    assert!(bench.text("out.vcd").contains("waits\\040at\\040barrier\\0402"));
    let again = Bench::new();
    again.run(&format!("run {} --wave out.vcd", example("hang.bcu")));
    assert!(bench.text("out.vcd") == again.text("out.vcd"), "the same run has the same waveform");
}

#[test]
fn a_reader_who_has_gone_is_no_failure() {
    let bench = Bench::new();
    let hang = example("hang.bcu");
    for (arguments, code) in [(vec!["run"], 0), (vec!["completions", "zsh"], 0), (vec!["--help"], 0), (vec!["run", &hang], 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let done = bench.command().args(&arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!((done.status.code(), done.stderr.as_slice()), (Some(code), &b""[..]), "{arguments:?}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let done = bench.command().args(["export", "--config", "tiny"]).stdout(writer).output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert!(bench.path("verilog-out/tiny/manifest.json").exists(), "all files, though nobody reads their names");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_behind_stdout_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let done = Bench::new().command().arg("run").stdout(full).output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8(done.stderr).unwrap().contains("cannot write to the output"));
}
