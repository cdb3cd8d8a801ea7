// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scripts of `bcu regress --slurm`. A script in place of `sbatch` runs the tasks of a job one
//! after the other, and returns when all have ended, as `sbatch --wait` does.

use crate::common::{Bench, Done};
use std::process::Command;

/// A script in place of `sbatch`: appends its arguments to `sbatch.log`, runs the tasks one after the other, and exits with the code of the
/// last task.
const SBATCH: &str = r#"#!/bin/sh
echo "$@" >> ../sbatch.log
for script in "$@"; do :; done
count=$(sed -n 's/^#SBATCH --array=1-//p' "$script")
i=1
while [ "$i" -le "${count:-1}" ]; do
    SLURM_ARRAY_TASK_ID=$i sh "$script" >> tasks.log 2>&1
    code=$?
    i=$((i + 1))
done
echo "17;here"
exit "$code"
"#;

const LINE: &str = "regress lockstep/warp_status/tiny --engine compiled --cycles 1600000 --coverage --seed 3";
/// The name of a folder that must be quoted in a shell.
const FOLDER: &str = "it's $HOME";

fn bench() -> Bench {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("bin")).unwrap();
    let sbatch = bench.file("bin/sbatch", SBATCH).path("bin/sbatch");
    assert!(Command::new("chmod").arg("+x").arg(sbatch).status().unwrap().success());
    bench
}

/// Writes the scripts of `LINE` with additional arguments.
fn write(bench: &Bench, more: &str) -> Done {
    let mut command = bench.command();
    let arguments = LINE.split(' ').chain(more.split_whitespace()).chain(["--slurm", FOLDER]);
    done(command.args(arguments))
}

/// Runs `submit.sh` of `FOLDER` in another folder.
fn submit(bench: &Bench, arguments: &[&str]) -> Done {
    submit_in(bench, FOLDER, arguments)
}

fn submit_in(bench: &Bench, folder: &str, arguments: &[&str]) -> Done {
    let path = std::env::join_paths([bench.path("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
    let mut shell = Command::new("sh");
    done(shell.arg(bench.path(folder).join("submit.sh")).args(arguments).current_dir("/").env("PATH", path))
}

fn done(command: &mut Command) -> Done {
    let done = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: done.status.code().unwrap(), stdout: text(done.stdout), stderr: text(done.stderr) }
}

fn in_folder(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

#[test]
fn the_scripts_give_the_result_of_the_whole_run_and_continue_an_interrupted_one() {
    let bench = bench();
    let whole = bench.run(&format!("{LINE} --coverage-data whole.json"));
    assert_eq!(whole.code, 0, "{whole:?}");
    let written = write(&bench, "--shards 2");
    assert_eq!((written.code, written.stderr.as_str()), (0, ""), "{written:?}");
    assert!(written.stdout.starts_with("4 parts in 2 shards; "), "{written:?}");
    let submitted = submit(&bench, &["--wait", "--partition", "a b"]);
    assert_eq!((submitted.code, submitted.stdout.as_str()), (0, "shards: job 17\nmerge: job 17\n"), "{submitted:?}");
    let options = "--parsable --wait --partition a b";
    let log = format!("{options} shards.sbatch\n{options} --dependency=afterany:17 merge.sbatch\n");
    assert_eq!(bench.text("sbatch.log"), log);
    assert_eq!(bench.text(&in_folder("report.txt")), whole.stdout);
    assert_eq!(bench.text(&in_folder("coverage.json")), bench.text("whole.json"));
    assert!(bench.text(&in_folder("junit.xml")).contains("tests=\"1\""));

    // Shortens a record, as if the second task had been killed while it wrote the result of its
    // second part.
    let [first, second] = [1, 2].map(|shard| bench.text(&in_folder(&format!("shard-{shard}.jsonl"))));
    let mut lines: Vec<&str> = second.lines().collect();
    assert_eq!(lines.len(), 3, "the options and two parts");
    let third = lines.pop().unwrap();
    bench.file(&in_folder("shard-2.jsonl"), format!("{}\n{}", lines.join("\n"), &third[..20]));
    assert_eq!(submit(&bench, &[]).code, 0);
    assert_eq!(bench.text(&in_folder("shard-1.jsonl")), first, "a complete shard returns at once");
    let again = bench.text(&in_folder("shard-2.jsonl"));
    assert!(again.starts_with(&lines.join("\n")) && again.lines().count() == 3, "{again}");
    assert_eq!(bench.text(&in_folder("report.txt")), whole.stdout);
}

#[test]
fn the_tasks_have_the_processors_of_their_jobs_and_are_requeued() {
    let bench = bench();
    for (more, jobs) in [("--shards 3", 1), ("--shards 3 --jobs 5", 5)] {
        assert_eq!(write(&bench, more).code, 0, "scripts without a record are replaced");
        let tasks = bench.text(&in_folder("shards.sbatch"));
        for part in ["--array=1-3\n", "--requeue\n", &format!("--cpus-per-task={jobs}\n"), &format!(" --jobs {jobs} ")] {
            assert!(tasks.contains(part), "{part}: {tasks}");
        }
        assert!(tasks.contains(" --cycles 1600000 --engine compiled --seed 3 --coverage "), "{tasks}");
    }
}

#[test]
fn the_tasks_find_folders_of_input_that_are_given_by_relative_paths() {
    let bench = bench();
    std::fs::create_dir(bench.path("mine")).unwrap();
    let scenario = std::fs::read(format!("{}/../tb/scenarios/exit/completes.toml", env!("CARGO_MANIFEST_DIR"))).unwrap();
    bench.file("mine/one.toml", scenario);
    // A scenario counts no coverage, so the merge must not write coverage data.
    let line = "regress scenario/mine --scenarios mine --engine compiled --coverage";
    let whole = bench.run(line);
    assert!(whole.code == 0 && whole.stdout.contains("ok    scenario/mine/one/tiny\n"), "{whole:?}");
    for _ in 0..2 {
        let written = bench.run(&format!("{line} --shards 2 --slurm run"));
        assert_eq!(written.code, 0, "scripts of the same run are replaced, with its records: {written:?}");
        let submitted = submit_in(&bench, "run", &[]);
        assert_eq!((submitted.code, bench.text("run/report.txt")), (0, whole.stdout.clone()), "{submitted:?}");
    }
}

/// The scripts start the copy of `bcu-tb` that is written with them, also if the original is gone.
#[test]
fn the_tasks_run_a_copy_of_the_program() {
    let bench = bench();
    let original = std::path::Path::new(env!("CARGO_BIN_EXE_bcu")).with_file_name("bcu-tb");
    let installed = bench.path("bin/bcu-tb");
    std::fs::copy(&original, &installed).unwrap();
    let run = |folder: &str| {
        let arguments = LINE.split(' ').chain(["--shards", "2", "--slurm", folder]);
        done(Command::new(&installed).current_dir(bench.path("")).args(arguments))
    };
    let refused = run("bin");
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    assert!(refused.stderr.contains("`--slurm`: bin is the folder of bcu-tb itself"), "{refused:?}");
    std::fs::create_dir(bench.path(FOLDER)).unwrap();
    bench.file(&in_folder("bcu-tb"), "mine");
    let refused = run(FOLDER);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    assert!(refused.stderr.contains("/bcu-tb exists and was not written by `bcu regress --slurm`"), "{refused:?}");
    std::fs::remove_file(bench.path(&in_folder("bcu-tb"))).unwrap();
    assert_eq!(run(FOLDER).code, 0);
    assert_eq!(std::fs::read(bench.path(&in_folder("bcu-tb"))).unwrap(), std::fs::read(&original).unwrap());
    // A build replaces the original.
    std::fs::write(&installed, "another build").unwrap();
    let submitted = submit(&bench, &["--wait"]);
    assert_eq!(submitted.code, 0, "{submitted:?} {}", bench.text(&in_folder("tasks.log")));
    assert!(bench.text(&in_folder("report.txt")).ends_with("1 passed, 0 failed\n"));
    // The copy can write the scripts again, and is then left as it is.
    let copy = done(
        Command::new(bench.path(&in_folder("bcu-tb")))
            .current_dir(bench.path(""))
            .args(LINE.split(' ').chain(["--shards", "2", "--slurm", FOLDER])),
    );
    assert_eq!(copy.code, 0, "{copy:?}");
}

#[test]
fn a_merge_without_results_and_a_refused_job_end_with_2() {
    let bench = bench();
    assert_eq!(write(&bench, "--shards 2").code, 0);
    // Replaces the command of the tasks by an exit with code 2, so that no task writes a record.
    let tasks = bench.text(&in_folder("shards.sbatch"));
    bench.file(&in_folder("shards.sbatch"), tasks.replace("exec ", "exit 2 # "));
    assert_eq!(submit(&bench, &[]).code, 2);
    let log = bench.text(&in_folder("tasks.log"));
    assert!(log.contains("has no record of a shard; see its shard-*.log"), "{log}");
    assert!(!bench.path(FOLDER).join("report.txt").exists());
    bench.file("bin/sbatch", "#!/bin/sh\necho 'sbatch: error: invalid partition' >&2\nexit 1\n");
    let refused = submit(&bench, &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    for array in [&["--array=1-2%1"][..], &["--array", "1"], &["-a1"], &["--partition", "a", "-a", "1"]] {
        let refused = submit(&bench, array);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
        assert!(refused.stderr.contains("ArrayTaskThrottle=K") && !refused.stderr.contains("sbatch: error"), "{refused:?}");
    }
    // An sbatch that prints no job number.
    bench.file("bin/sbatch", "#!/bin/sh\necho \"$@\" > ../arguments\n");
    let refused = submit(&bench, &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{refused:?}");
    assert!(refused.stderr.contains("sbatch printed no number of the job of shards.sbatch"), "{refused:?}");
    assert_eq!(bench.text("arguments"), "--parsable shards.sbatch\n", "the merge is not submitted");
    // An sbatch that refuses the merge: the job number of the array is printed nevertheless.
    bench.file("bin/sbatch", "#!/bin/sh\ncase \"$*\" in *merge*) exit 1 ;; esac\necho 17\n");
    let refused = submit(&bench, &[]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, "shards: job 17\n"), "{refused:?}");
    assert!(refused.stderr.contains("--dependency=afterany:17") && refused.stderr.contains("scancel 17"), "{refused:?}");
}

#[test]
fn a_merge_that_cannot_run_leaves_no_results_of_an_earlier_one() {
    let bench = bench();
    assert_eq!(write(&bench, "--shards 2").code, 0);
    assert_eq!(submit(&bench, &[]).code, 0);
    let merge = || done(Command::new("sh").arg(bench.path(FOLDER).join("merge.sbatch")).current_dir(bench.path(FOLDER)));
    let results = || ["report.txt", "junit.xml", "coverage.json"].map(|name| bench.path(FOLDER).join(name).exists());
    assert_eq!((merge().code, results()), (0, [true; 3]), "{:?}", bench.files());
    let record = bench.text(&in_folder("shard-2.jsonl"));
    // A record that is cut in its first line is treated like an empty record: its shard has no results.
    for start in ["", &record[..40]] {
        bench.file(&in_folder("shard-2.jsonl"), start);
        let merged = merge();
        assert_eq!((merged.code, results()), (2, [true; 3]), "{merged:?}");
        assert!(bench.text(&in_folder("report.txt")).starts_with("??    "), "{merged:?}");
        assert!(
            merged.stderr.contains("shard-2.jsonl has no complete line") && merged.stderr.contains("shard 2/2"),
            "{merged:?}"
        );
    }
    bench.file(&in_folder("shard-2.jsonl"), "damaged\n");
    let merged = merge();
    assert_eq!((merged.code, results()), (2, [false; 3]), "{merged:?}");
}

#[test]
fn a_folder_of_another_run_is_refused() {
    let bench = bench();
    assert_eq!(write(&bench, "--shards 2").code, 0);
    let line = "regress lockstep/warp_status/tiny --engine compiled --cycles 1000";
    assert_eq!(bench.run(&format!("{line} --shard 1/2 --record shard-1.jsonl")).code, 0);
    let record = bench.text("shard-1.jsonl");
    bench.file(&in_folder("shard-1.jsonl"), &record);
    let tasks = bench.text(&in_folder("shards.sbatch"));
    let refused = |more: &str, part: &str| {
        let done = write(&bench, more);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{more}: {done:?}");
        assert!(done.stderr.contains(part) && done.stderr.contains("\nhelp: "), "{more}: {done:?}");
        assert_eq!(bench.text(&in_folder("shards.sbatch")), tasks, "nothing is written");
    };
    refused("--shards 2", "shard-1.jsonl is of another run: the recorded run has no --seed, this run has --seed 3");
    refused("--shards 4", "shard-1.jsonl is of another run: the recorded run has 2 shards, this run has 4");
    refused("--shards 5", "`--shards`: 5 shards are too many for a run of 4 parts\nhelp: expected at most 4 shards");
    bench.file(&in_folder("shard-1.jsonl"), "other\n");
    refused("--shards 2", "shard-1.jsonl:1: not a line of a record");
    // A task that was interrupted at its start leaves an empty record, which is accepted.
    bench.file(&in_folder("shard-1.jsonl"), "");
    assert_eq!(write(&bench, "--shards 2").code, 0);
    bench.file(&in_folder("submit.sh"), "echo mine\n");
    refused("--shards 2", "submit.sh exists and was not written by `bcu regress --slurm`");
}

#[test]
fn options_that_the_scripts_set_themselves_are_refused() {
    let bench = bench();
    for (more, part) in [
        ("", "--shards <N>"),
        ("--shards 2 --junit j.xml", "cannot be used with"),
        ("--shards 2 --record r.jsonl", "cannot be used with"),
        ("--shards 2 --coverage-data c.json", "cannot be used with"),
        ("--shards 2 --list", "cannot be used with"),
        ("--shards 0", "1..=1000"),
    ] {
        let done = write(&bench, more);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{more}: {done:?}");
        assert!(done.stderr.contains(part), "{more}: {done:?}");
    }
    assert!(!bench.path(FOLDER).exists());
}
