// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress --scenarios`: scenarios of a folder, without a build.

use crate::common::{Bench, Done};
use crate::regress::{interrupted, LONG};

const PAIR: &str = "description = 'Two warps meet.'\nconfigs = ['default']\nprogram = '''\n.cta_warps 2\n.warps 0-1\nBAR.SYNC 0x1\nEXIT\n'''\n\
                    [expect]\nverdict = 'completed'\ngenerations = [{ id = 1, arrived = [0, 1], released = [0, 1] }]\n";

/// A scenario that runs the program file `name`.
fn of_file(name: &str) -> String {
    let (head, tail) = (PAIR.split_once("program").unwrap().0, PAIR.split_once("'''\n[expect]").unwrap().1);
    format!("{head}example = '{name}'\n[expect]{tail}")
}

/// A bench with the folders `mine` and `mine/exit`.
fn bench() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("mine/exit")).unwrap();
    bench
}

#[test]
fn the_scenarios_of_a_folder_replace_those_of_the_project() {
    let bench = bench();
    bench.file("mine/exit/pair.toml", PAIR).file("mine/alone.toml", PAIR).file("mine/notes.txt", "no scenario");
    let done = bench.run("regress scenario --scenarios mine --list");
    assert_eq!((done.code, done.stdout.as_str()), (0, "scenario/exit/pair/default\nscenario/mine/alone/default\n"), "{done:?}");
    let done = bench.run("regress scenario --scenarios mine --engine compiled");
    let all = "ok    scenario/exit/pair/default\nok    scenario/mine/alone/default\n2 passed, 0 failed\n";
    assert_eq!((done.code, done.stdout.as_str()), (0, all), "{done:?}");
    // The other tests remain.
    let done = bench.run("regress lockstep/named/tiny --scenarios mine --list");
    assert_eq!((done.code, done.stdout.as_str()), (0, "lockstep/named/tiny\n"), "{done:?}");
}

#[test]
fn a_program_file_is_next_to_its_scenario_or_in_the_folder_or_an_example() {
    let bench = bench();
    let program = PAIR.split("'''\n").nth(1).unwrap();
    bench.file("mine/exit/near.toml", of_file("near.bcu")).file("mine/exit/near.bcu", program);
    // The file next to the scenario takes precedence over the file of the same name in `mine`.
    bench.file("mine/near.bcu", "HALT\n").file("mine/exit/above.toml", of_file("above.bcu")).file("mine/above.bcu", program);
    let example = of_file("save_restore.bcu").split_once("generations").unwrap().0.to_string();
    bench.file("mine/exit/example.toml", example);
    let done = bench.run("regress scenario --scenarios mine --engine compiled");
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.ends_with("3 passed, 0 failed\n"), "{done:?}");
}

#[test]
fn a_wrong_scenario_is_a_failing_test_with_its_place() {
    let bench = bench();
    for (text, test, parts) in [
        (PAIR.replace("'default'", "'defalut'"), "unreadable", ["mine/exit/pair.toml:2:12: ", "(expected one of: tiny, "]),
        (PAIR.replace("verdict", "verdit"), "unreadable", ["mine/exit/pair.toml:10:1: unknown field `verdit`", "`verdict`"]),
        (
            of_file("pair.bcu"),
            "unreadable",
            ["mine/exit/pair.toml:3:11: the program file `pair.bcu` does not exist", "next to"],
        ),
        (PAIR.replace("SYNC", "SINC"), "default", ["      mine/exit/pair.toml:6:1: ", "SINC"]),
        (PAIR.replace("[0, 1], rel", "[0], rel"), "default", ["mine/exit/pair.toml: generation 0: ", "expected arrived [0]"]),
    ] {
        bench.file("mine/exit/pair.toml", text);
        let done = bench.run("regress scenario --scenarios mine --engine compiled");
        assert_eq!((done.code, done.stderr.as_str()), (1, ""), "{done:?}");
        for part in parts {
            assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
        }
        let again = format!("bcu regress scenario/exit/pair/{test} --scenarios mine --engine compiled");
        assert!(done.stdout.contains(&format!("      repeat with: {again}\n")), "{}", done.stdout);
    }
}

#[test]
fn results_have_the_seed_of_the_scenario_unless_another_is_given() {
    let bench = bench();
    bench.file("mine/exit/pair.toml", PAIR.replace("[expect]", "[machine]\nseed = 7\n[expect]"));
    for (more, seed) in [("", 7), (" --seed 9", 9)] {
        let name = format!("{seed}.jsonl");
        let line = format!("regress scenario/exit --scenarios mine --engine compiled --junit j.xml --record {name}{more}");
        assert_eq!(bench.run(&line).code, 0);
        assert!(bench.text("j.xml").contains(&format!("<system-out>seed {seed}</system-out>")), "{}", bench.text("j.xml"));
        let record = bench.text(&name);
        assert!(record.lines().nth(1).unwrap().contains(&format!("\"seed\":{seed},")), "{record}");
    }
}

#[test]
fn a_folder_without_scenarios_cannot_run() {
    let bench = bench();
    std::fs::create_dir(bench.path("mine/mine")).unwrap();
    let fails = |line: &str, part: &str| {
        let done = bench.run(line);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line}: {done:?}");
        assert!(done.stderr.contains(part), "{line}: {done:?}");
    };
    fails("regress --scenarios nowhere", "cannot read the scenarios in nowhere: ");
    fails("regress --scenarios mine", "mine has no scenario\nhelp: expected `<name>.toml` in it");
    fails("regress --scenarios mine --verilog rtl", "cannot be used with");
    bench.file("mine/exit/pair.toml", PAIR);
    fails("regress --scenarios mine/exit/pair.toml", "cannot read the scenarios in mine/exit/pair.toml: ");
    let place = " among the scenarios of mine and the project's other tests\nhelp: `bcu regress --list --scenarios mine` lists";
    fails("regress pear --scenarios mine", &format!("no test's name contains `pear`{place}"));
    bench.file("mine/exit/bytes.toml", b"\xff");
    fails("regress --scenarios mine", "mine/exit/bytes.toml is not a text file: the byte at offset 0 is not UTF-8");
    bench.file("mine/exit/bytes.toml", PAIR).file("mine/twice.toml", PAIR).file("mine/mine/twice.toml", PAIR);
    fails("regress --scenarios mine", "mine/twice.toml and mine/mine/twice.toml have the same name, `mine/twice`");
}

#[test]
fn a_record_belongs_to_the_texts_of_the_scenarios() {
    let bench = bench();
    std::fs::create_dir(bench.path("mine/lockstep")).unwrap();
    let text = PAIR.replace("'default'", "'tiny'");
    bench.file("mine/lockstep/warp_status.toml", &text);
    // The filter of `LONG` selects this scenario, and the lockstep run that is long enough to be
    // interrupted.
    let line = format!("{LONG} --scenarios mine");
    let record = interrupted(&bench, &line);
    bench.file("mine/lockstep/warp_status.toml", text.replace("Two warps", "Both warps"));
    bench.file("out/j.xml.progress", &record);
    let done = bench.run(&format!("{line} --resume"));
    assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
    assert!(
        done.stderr.contains("the scenarios in ") && done.stderr.contains("/mine differ from those of the recorded run\n"),
        "{done:?}"
    );
    let done = bench.run(&format!("{} --resume", line.replace(" --scenarios mine", "")));
    assert!(
        done.code == 2 && done.stderr.contains("the recorded run has --scenarios, this run has no --scenarios"),
        "{done:?}"
    );
    // With the recorded texts the run can be resumed. Its cycles are reduced to one part more than
    // the record has, so that only one part and the scenario remain to be run.
    bench.file("mine/lockstep/warp_status.toml", &text);
    let cycles = (500_000 * (record.lines().count() - 1)).to_string();
    bench.file("out/j.xml.progress", record.replace("200000000", &cycles));
    let done = bench.run(&format!("{} --resume", line.replace("200000000", &cycles)));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("ok    scenario/lockstep/warp_status/tiny\n"), "{done:?}");
}

/// Runs in the folder `folder` of the bench.
fn run_in(bench: &Bench, folder: &str, line: &str) -> Done {
    let done = bench.command().current_dir(bench.path(folder)).args(line.split(' ')).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: done.status.code().unwrap(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

#[test]
fn a_record_has_the_absolute_folder_and_the_texts_decide() {
    let bench = bench();
    bench.file("mine/exit/pair.toml", PAIR);
    let line = "regress scenario --scenarios mine --engine compiled --record r";
    assert_eq!(bench.run(line).code, 0);
    let merged = run_in(&bench, "mine/exit", "merge ../../r");
    assert_eq!((merged.code, merged.stdout.lines().count()), (0, 2), "{merged:?}");
    let resumed = run_in(&bench, "mine", "regress scenario --scenarios . --engine compiled --record ../r --resume");
    assert_eq!(resumed.code, 0, "{resumed:?}");
    std::fs::rename(bench.path("mine"), bench.path("moved")).unwrap();
    let resumed = bench.run(&format!("{} --resume", line.replace(" mine ", " moved ")));
    assert_eq!(resumed.code, 0, "a folder with the same texts: {resumed:?}");
    let merged = bench.run("merge r");
    assert!(merged.code == 2 && merged.stderr.contains("cannot merge r: the recorded run has --scenarios /"), "{merged:?}");
    std::fs::rename(bench.path("moved"), bench.path("mine")).unwrap();
    bench.file("mine/exit/pair.toml", PAIR.replace("Two warps", "Both warps"));
    let merged = bench.run("merge r");
    assert!(merged.code == 2 && merged.stderr.contains("cannot merge r: the scenarios in "), "{merged:?}");
    assert!(merged.stderr.contains("\nhelp: restore the files of the run, or run it again"), "{merged:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_a_record_or_a_report_cannot_have_are_refused_or_escaped() {
    use std::os::unix::ffi::OsStrExt;
    let bench = bench();
    let folder = std::ffi::OsStr::from_bytes(b"m\xff");
    std::fs::create_dir(bench.path("").join(folder)).unwrap();
    std::fs::write(bench.path("").join(folder).join("pair.toml"), PAIR).unwrap();
    let mut command = bench.command();
    let done = command.args(["regress", "scenario", "--record", "r", "--scenarios"]).arg(folder).output().unwrap();
    let text = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.code() == Some(2) && text.contains(" is not UTF-8, so no record can name it\nhelp: "), "{text}");
    assert!(!bench.path("r").exists());
    bench.file("mine/exit/a\nok    b\x1b[2J.toml", PAIR.replace("verdict", "verdit"));
    let line = "regress scenario --scenarios mine --engine compiled --junit j.xml";
    let (done, listed) = (bench.run(line), bench.run("regress --list scenario --scenarios mine"));
    assert_eq!(
        (done.code, listed.code, listed.stdout.as_str()),
        (1, 0, "scenario/exit/a\\nok    b\\u{1b}[2J/unreadable\n"),
        "{done:?}"
    );
    assert!(
        done.stdout.starts_with("FAIL  scenario/exit/a\\nok    b\\u{1b}[2J/unreadable\n") && !done.stdout.contains('\x1b'),
        "{done:?}"
    );
    assert!(!done.stdout.lines().any(|line| line.starts_with("ok")), "{done:?}");
}

#[test]
fn a_file_of_the_scenarios_is_not_replaced() {
    let bench = bench();
    bench.file("mine/exit/pair.toml", PAIR);
    let done = bench.run("regress scenario --scenarios mine --engine compiled --junit ./mine/exit/pair.toml");
    assert!(
        done.code == 2 && done.stderr.contains("`--junit`: ./mine/exit/pair.toml is also a file that the run reads"),
        "{done:?}"
    );
    assert_eq!(bench.text("mine/exit/pair.toml"), PAIR);
}

#[test]
fn the_page_shows_what_a_scenario_of_a_folder_prints() {
    let page = format!("{}/../docs/guide/scenarios.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let (_, shown) = page.split_once("This is `mine/pair.toml`:\n\n```toml\n").unwrap();
    let (text, shown) = shown.split_once("```\n").unwrap();
    let mut outputs = shown.split("```console\n$ bcu regress scenario --scenarios mine\n").skip(1);
    let mut output = || outputs.next().unwrap().split_once("```").unwrap().0;
    let bench = bench();
    bench.file("mine/pair.toml", text);
    assert_eq!(bench.run("regress scenario --scenarios mine").stdout, output());
    bench.file("mine/pair.toml", text.replacen("arrived = [0, 1]", "arrived = [0]", 1));
    let (head, tail) = output().split_once("      ...\n").unwrap();
    let done = bench.run("regress scenario --scenarios mine").stdout;
    assert!(done.starts_with(head) && done.ends_with(tail), "{done}");
}
