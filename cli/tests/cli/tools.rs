// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The other commands: assembler, disassembler, configurations, export, regression, completions, help.

use crate::common::Bench;

#[test]
fn asm_and_disasm_are_inverse() {
    let bench = Bench::new();
    let text = "BAR.SYNC 0x0 ; // all\n\nBAR.ARV R4, 0x80\nB2R.WARP R4;\n";
    let words = bench.run_with("asm", text);
    assert_eq!((words.code, words.stdout.lines().count()), (0, 3), "{words:?}");
    let back = bench.run_with("disasm", &words.stdout);
    assert_eq!((back.code, back.stdout.as_str()), (0, "BAR.SYNC 0x0, 0x0\nBAR.ARV R4, 0x80\nB2R.WARP R4, 0x0\n"), "{back:?}");
    assert_eq!(bench.run_with("asm", &back.stdout).stdout, words.stdout);
}

#[test]
fn asm_and_disasm_refuse_with_their_place() {
    let bench = Bench::new();
    let asm = bench.run_with("asm", "BAR.SYNC 0x0\nBAR.SYNC 0x1, 33\nBAR.SINK\n");
    assert_eq!((asm.code, asm.stdout.as_str()), (2, ""));
    assert!(asm.stderr.contains("stdin:2:15") && asm.stderr.contains("stdin:3:1"), "{}", asm.stderr);
    assert_eq!(bench.run_with("asm --lanes 33", "BAR.SYNC 0x1, 33\n").code, 0);
    for wrong in ["0xzz", "+12", &"1".repeat(33), "12 34"] {
        let done = bench.run_with("disasm", &format!("# words\n{wrong}\n"));
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{wrong}");
        assert!(done.stderr.contains("stdin:2:1"), "{}", done.stderr);
    }
    let illegal = bench.run_with("disasm", "0x0\n");
    assert_eq!(illegal.code, 1);
    assert!(illegal.stdout.starts_with("illegal"), "{illegal:?}");
}

#[test]
fn configurations_are_listed_and_printed() {
    let bench = Bench::new();
    let list = bench.run("configs");
    assert_eq!((list.code, list.stdout.lines().count()), (0, bcu_isa::config::NAMED.len() + 1), "{list:?}");
    assert!(bench.run("configs large").stdout.contains("warps = 64"));
    let wrong = bench.run("configs huge");
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("`huge`") && wrong.stderr.contains("rows512"), "{wrong:?}");
    assert!(bench.run("configs lagre").stderr.contains("did you mean `large`?"));
}

#[test]
fn an_export_is_whole_and_the_same_each_time() {
    let bench = Bench::new();
    let done = bench.run("export --config tiny --out a");
    assert_eq!(done.code, 0, "{done:?}");
    let top = bench.text("a/bcu.v");
    assert!(top.contains("module bcu\n") || top.contains("module bcu ") || top.contains("module bcu("), "{}", &top[..400]);
    let mut printed: Vec<&str> = done.stdout.lines().collect();
    printed.sort_unstable();
    assert_eq!(bench.files(), [&["a/"], &printed[..]].concat());
    assert_eq!(bench.run("export --config tiny --out b").code, 0);
    assert_eq!(bench.text("b/bcu.v"), top);
}

#[test]
fn regressions_are_listed_filtered_and_written_as_junit() {
    let bench = Bench::new();
    let list = bench.run("regress --list");
    let mut names: Vec<&str> = list.stdout.lines().collect();
    assert!(names.contains(&"scenario/sync/cta_wide/tiny") && names.contains(&"lockstep/named/large"), "{list:?}");
    let sorted = names.clone();
    names.sort_unstable();
    assert_eq!(names, sorted);
    std::fs::create_dir(bench.path("out")).unwrap();
    let done = bench.run("regress scenario/sync --engine compiled --junit out/j.xml --jobs 2 --seed 9");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("ok    scenario/sync/cta_wide/tiny") && done.stdout.ends_with(" 0 failed\n"), "{done:?}");
    assert_eq!(done.stderr, "", "no progress bar without a terminal");
    let xml = bench.text("out/j.xml");
    assert!(xml.contains("scenario/sync/cta_wide/tiny") && xml.contains("failures=\"0\""), "{xml}");
    assert_eq!(bench.run("regress scenario/sync --engine compiled --jobs 1 --seed 9").stdout, done.stdout);
    assert_eq!(bench.run("regress no/such").code, 2);
}

#[test]
fn a_lockstep_run_uses_every_simulator_and_repeats() {
    let bench = Bench::new();
    let line = "regress lockstep/decode/tiny --cycles 1000 --seed 3";
    let done = bench.run(line);
    assert_eq!((done.code, done.stdout.as_str()), (0, "ok    lockstep/decode/tiny\n1 passed, 0 failed\n"), "{done:?}");
    // If a simulator is missing, the command fails before the first test, and does not pass on the other engines alone.
    let mut command = bench.command();
    command.args(line.split(' ')).env("PATH", "").env("XDG_CACHE_HOME", bench.path("cache"));
    let done = command.output().unwrap();
    assert_eq!((done.status.code(), done.stdout), (Some(2), vec![]));
    let text = String::from_utf8(done.stderr).unwrap();
    assert!(text.starts_with("error: `verilator` did not start: ") && text.contains("`--engine compiled`"), "{text}");
}

#[test]
fn the_list_of_configurations_fits_on_a_terminal() {
    let list = Bench::new().run("configs").stdout;
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    let column = |line: &str| line.trim_end().rfind(' ').unwrap();
    let heads = list.lines().next().unwrap();
    assert!(
        list.lines().skip(1).all(|line| line.len() == heads.len() && column(line) >= heads.find("mbarriers").unwrap()),
        "{list}"
    );
}

#[test]
fn every_command_has_a_manual_page() {
    let bench = Bench::new();
    let page = bench.run("man");
    assert_eq!((page.code, page.stderr.as_str()), (0, ""), "{page:?}");
    assert!(page.stdout.contains(".TH bcu 1") && page.stdout.contains("bcu\\-run(1)"), "{}", page.stdout);
    std::fs::create_dir(bench.path("pages")).unwrap();
    let done = bench.run("man --out pages");
    assert_eq!(done.code, 0, "{done:?}");
    let listed = bench.files();
    for command in ["run", "check", "kernels", "regress", "man"] {
        let name = format!("pages/bcu-{command}.1");
        assert!(listed.contains(&name) && done.stdout.contains(&name), "{listed:?}");
        assert!(bench.text(&name).contains(&format!(".TH bcu-{command} 1")), "{name}");
    }
    assert!(bench.text("pages/bcu-run.1").contains("BAR.SYNC") && listed.contains(&"pages/bcu.1".to_string()));
    let missing = bench.run("man --out no/such");
    assert_eq!((missing.code, missing.stdout.as_str()), (2, ""), "{missing:?}");
}

#[test]
fn completions_cover_every_command() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = bench.run(&format!("completions {shell}"));
        assert!(done.code == 0 && done.stdout.contains("regress") && done.stdout.contains("wave"), "{shell}");
    }
    assert_eq!(bench.run("completions tcsh").code, 2);
}
