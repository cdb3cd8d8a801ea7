// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu regress --shards N --slurm DIR`: the scripts of a Slurm job array that runs the shards, and of the job that merges their records;
//! and a copy of this program, which the scripts start: a later build does not change it.

mod program;

use crate::record::{failure, full, Options};
use crate::report::counted;
use bcu_cli::failure::{print, Failure, Outcome, Result};
use bcu_cli::files::Batch;
use bcu_cli::outputs::is_replaceable;
use bcu_shard::{read, Options as _, RecordError, Recorded};
use bcu_tb::regress::plan::{Plan, Test};
use bcu_tb::regress::result::Done;
use bcu_tb::regress::{parts, tests};
use bcu_tb::shell::{line, quoted};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The text by which the files of this command are recognised.
const MARK: &str = "# Written by `bcu regress --slurm`: ";

/// Writes the scripts of a run in `shards` shards and a copy of this program to `folder`, and prints how to submit them. Files of an earlier
/// call are replaced.
///
/// # Errors
/// If the run has fewer parts than shards, `folder` has records of another run or other files with the names of these files, or a file
/// cannot be written.
pub fn write(plan: &Plan, shards: u32, folder: &Path) -> Result {
    let plan = &with_full_folders(plan)?;
    let part_count = parts(plan).len();
    if shards as usize > part_count {
        let help = format!("expected at most {}; `--cycles` gives long tests more parts", counted(part_count as u64, "shard"));
        let (shards, parts) = (counted(shards, "shard"), counted(part_count as u64, "part"));
        return Err(Failure::plain(format!("`--shards`: {shards} are too many for a run of {parts}"), Some(&help)));
    }
    let array = Array::new(plan, shards, folder)?;
    check_records(plan, shards, folder)?;
    let mut batch = Batch::default();
    for (name, text) in [("shards.sbatch", array.tasks()), ("merge.sbatch", array.merge()), ("submit.sh", array.submission())] {
        let path = folder.join(name);
        is_replaceable(&path, MARK, "`bcu regress --slurm`", "--slurm")?;
        batch.add(&path, text)?;
    }
    program::copy(folder, has_scripts(folder), &mut batch)?;
    batch.commit()?;
    print(&array.instructions(part_count))?;
    Ok(Outcome::Good)
}

/// Whether an earlier call has written scripts to `folder`.
fn has_scripts(folder: &Path) -> bool {
    fs::read_to_string(folder.join("shards.sbatch")).is_ok_and(|text| text.contains(MARK))
}

/// The plan with absolute folders, since a job starts in any folder.
fn with_full_folders(plan: &Plan) -> Result<Plan> {
    let mut plan = plan.clone();
    let folders = plan.edited.iter_mut().map(|edited| &mut edited.folder).chain(&mut plan.scenarios.folder);
    for folder in folders {
        *folder = full(folder, "script")?.into();
    }
    Ok(plan)
}

/// Refuses a folder with a record that the run cannot resume.
fn check_records(plan: &Plan, shards: u32, folder: &Path) -> Result<()> {
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        files => files.and_then(|files| files.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()),
    };
    let mut files = files.map_err(|error| Failure::plain(format!("cannot read {}: {error}", folder.display()), None))?;
    files.sort();
    let is_record = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("shard-") && name.ends_with(".jsonl")
    };
    let options = Options::from_plan(plan)?;
    for path in files.iter().filter(is_record) {
        let recorded: Recorded<Options, Done> = match read(path) {
            // An empty record is left by a task that was interrupted at its start. The task writes
            // it anew when it is submitted again.
            Err(RecordError::Empty(_)) => continue,
            recorded => recorded.map_err(failure)?,
        };
        let why = match recorded.shard.count() == shards {
            true => options.difference(&recorded.options),
            false => Some(format!("the recorded run has {} shards, this run has {shards}", recorded.shard.count())),
        };
        if let Some(why) = why {
            let help = "name another folder with `--slurm`, or delete the records of that run";
            return Err(Failure::plain(format!("{} is of another run: {why}", path.display()), Some(help)));
        }
    }
    Ok(())
}

/// A job array and its merge. The folder, the program, the options and the filter are quoted for a
/// shell.
struct Array {
    shards: u32,
    jobs: usize,
    /// Whether the merge writes coverage data.
    has_coverage: bool,
    folder: String,
    program: String,
    /// The options that all shards have in common.
    options: String,
    filter: String,
}

impl Array {
    fn new(plan: &Plan, shards: u32, folder: &Path) -> Result<Array> {
        // The pattern names every field of the plan, so that a new field cannot be forgotten: each
        // is passed to the tasks, or ignored here.
        let Plan { filter, seed, cycles, engine, coverage, jobs, shard: _, edited, scenarios, directory: _ } = plan;
        // A task has one processor unless the number of jobs is given.
        let jobs = (*jobs).max(1);
        let mut words = vec!["--cycles".to_string(), cycles.to_string(), "--engine".to_string(), engine.name().to_string()];
        words.extend(seed.iter().flat_map(|seed| ["--seed".to_string(), seed.to_string()]));
        words.extend(coverage.then(|| "--coverage".to_string()));
        let folders = [("--verilog", edited.as_ref().map(|edited| &edited.folder)), ("--scenarios", scenarios.folder.as_ref())];
        for (option, folder) in folders {
            words.extend(folder.into_iter().flat_map(|folder| [option.to_string(), folder.display().to_string()]));
        }
        words.extend(["--jobs".to_string(), jobs.to_string()]);
        Ok(Array {
            shards,
            jobs,
            has_coverage: *coverage && tests(plan).iter().any(Test::has_coverage),
            folder: quoted(&full(folder, "script")?),
            program: quoted(&full(&folder.join(program::NAME), "script")?),
            options: line(words),
            filter: quoted(filter),
        })
    }

    /// The script of a task, which runs one shard.
    fn tasks(&self) -> String {
        let Array { shards, jobs, folder, program, options, filter, .. } = self;
        format!(
            r#"#!/bin/sh
{MARK}each task of this job array runs a shard. submit.sh submits it.
#SBATCH --job-name=bcu-shards
#SBATCH --array=1-{shards}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={jobs}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=shard-%a.log
set -eu
record={folder}/shard-"$SLURM_ARRAY_TASK_ID".jsonl
set -- {options} --shard "$SLURM_ARRAY_TASK_ID"/{shards} --record "$record"
# A task that is requeued or submitted again continues its record.
if [ -e "$record" ]; then
    set -- "$@" --resume
fi
exec {program} regress "$@" -- {filter}
"#
        )
    }

    /// The script of the merge.
    fn merge(&self) -> String {
        let Array { shards, folder, program, .. } = self;
        let coverage = if self.has_coverage { " --coverage-data \"$folder\"/coverage.json" } else { "" };
        format!(
            r#"#!/bin/sh
{MARK}this job merges the records of the shards. submit.sh submits it after the job array.
#SBATCH --job-name=bcu-merge
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=truncate
#SBATCH --output=merge.log
set -eu
folder={folder}
# A merge that cannot run leaves no results, also not those of an earlier one.
rm -f "$folder"/report.txt "$folder"/junit.xml "$folder"/coverage.json
set --
shard=1
while [ "$shard" -le {shards} ]; do
    # A task that has not started has no record; the merge names its shard.
    if [ -e "$folder/shard-$shard.jsonl" ]; then
        set -- "$@" "$folder/shard-$shard.jsonl"
    fi
    shard=$((shard + 1))
done
if [ "$#" -eq 0 ]; then
    echo "error: $folder has no record of a shard; see its shard-*.log" >&2
    exit 2
fi
exec {program} merge "$@" --report "$folder"/report.txt --junit "$folder"/junit.xml{coverage}
"#
        )
    }

    /// The script that submits the array and its merge.
    fn submission(&self) -> String {
        let Array { folder, .. } = self;
        format!(
            r#"#!/bin/sh
{MARK}this script submits the shards and their merge. Its arguments are options of sbatch, for example
# --partition NAME --time 4:00:00. Submitted again, it continues an interrupted run. With --wait it ends with the merge's exit code.
set -eu
for option in "$@"; do
    case "$option" in
    --ar*|-a*)
        echo "error: $option: submit.sh chooses the array of the shards itself" >&2
        echo "help: leave it out; to limit the tasks that run at the same time to K, submit, then" >&2
        echo "      scontrol update JobId=N ArrayTaskThrottle=K, where N is the printed number of the shards' job" >&2
        exit 2
        ;;
    esac
done
cd {folder}
# With --wait, sbatch ends with the exit code of the job. A refused job has no number.
array=$(sbatch --parsable "$@" shards.sbatch) || [ -n "$array" ] || exit 2
array=${{array%%;*}}
if [ -z "$array" ]; then
    echo "error: sbatch printed no number of the job of shards.sbatch" >&2
    exit 2
fi
echo "shards: job $array"
rm -f report.txt junit.xml coverage.json
code=0
merge=$(sbatch --parsable "$@" --dependency=afterany:"$array" merge.sbatch) || code=$?
if [ -z "$merge" ]; then
    echo "error: sbatch printed no number of the job of merge.sbatch; the shards run without a merge" >&2
    echo "help: submit merge.sbatch with --dependency=afterany:$array, or cancel the shards with scancel $array" >&2
    exit 2
fi
echo "merge: job ${{merge%%;*}}"
exit "$code"
"#
        )
    }

    /// What the command prints.
    fn instructions(&self, part_count: usize) -> String {
        let Array { shards, folder, .. } = self;
        let coverage = if self.has_coverage { ", coverage.json" } else { "" };
        format!(
            "{} in {}; submit them and their merge with\n  \
             sh {folder}/submit.sh\nwhich passes its arguments to sbatch, for example --partition NAME --time 4:00:00. \
             Submitted again, it continues an\ninterrupted run. Results in the same folder: report.txt, junit.xml{coverage}; messages: *.log.\n\
             The scripts start the copy of bcu-tb in this folder, so a later build does not disturb the run.\n",
            counted(part_count as u64, "part"),
            counted(*shards, "shard"),
        )
    }
}
