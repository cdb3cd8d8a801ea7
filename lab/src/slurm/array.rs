// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The job array of a regression: its scripts, its submissions and its records.

use super::args::Args;
use super::cluster::{done, Cluster, PERIOD};
use anyhow::{bail, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The maximum time of a submission; after it the command gives up.
const LIMIT: Duration = Duration::from_secs(2 * 3600);

/// The number of recorded parts of a shard after which its task is killed.
const KILL_AFTER: usize = 3;

pub struct Array {
    folder: PathBuf,
    shards: u32,
}

/// A submission whose jobs have ended.
pub struct Ended {
    /// The exit code of the merge.
    pub code: i32,
    /// The time from the submission to the end of the last job.
    pub time: Duration,
    /// The text of each record, in the order of the shards; empty if there is none.
    pub records: Vec<String>,
}

impl Array {
    /// Has `bcu` write the scripts of the regression to `folder`, which is removed first.
    pub fn write(bcu: &Path, args: &Args, folder: &Path) -> Result<Array> {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        let mut command = Command::new(bcu);
        command.args(args.regression()).args(["--shards", &args.shards.to_string(), "--slurm"]).arg(folder);
        let status = command.status().context("cannot start bcu")?;
        if !status.success() {
            bail!("bcu cannot write the scripts; see its message above");
        }
        Ok(Array { folder: folder.to_path_buf(), shards: args.shards })
    }

    /// The text of a file that the merge writes.
    pub fn result(&self, name: &str) -> Result<String> {
        let path = self.folder.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    pub fn record_path(&self, shard: u32) -> PathBuf {
        self.folder.join(format!("shard-{shard}.jsonl"))
    }

    /// Submits the array and its merge, and waits until all jobs have ended. Kills the task of the
    /// shard `victim` when it has recorded [`KILL_AFTER`] parts.
    pub fn submit(&self, cluster: &Cluster, mut victim: Option<u32>) -> Result<Ended> {
        let start = Instant::now();
        let printed = done(cluster.command("sh").arg(self.folder.join("submit.sh")))?;
        let job = |of: &str| {
            let number = printed.lines().find_map(|line| line.strip_prefix(of)?.strip_prefix(": job "));
            number.with_context(|| format!("submit.sh prints no number of the {of} job: {printed}"))
        };
        let (shards, merge) = (job("shards")?, job("merge")?);
        while cluster.is_busy()? {
            if let Some(shard) = victim.filter(|shard| part_count(&self.record(*shard)) >= KILL_AFTER) {
                cluster.kill_task(&format!("{shards}_{shard}"))?;
                victim = None;
            }
            if start.elapsed() > LIMIT {
                bail!("the jobs have not ended in {} s", LIMIT.as_secs());
            }
            sleep(PERIOD);
        }
        if let Some(shard) = victim {
            bail!("shard {shard} ended before it had {KILL_AFTER} parts; see {}/*.log", self.folder.display());
        }
        let records = (1..=self.shards).map(|shard| self.record(shard)).collect();
        Ok(Ended { code: cluster.exit_code(merge)?, time: start.elapsed(), records })
    }

    fn record(&self, shard: u32) -> String {
        fs::read_to_string(self.record_path(shard)).unwrap_or_default()
    }
}

/// The complete lines of a record. A process that was killed while it wrote leaves an incomplete
/// last line.
pub fn complete(record: &str) -> &str {
    record.rfind('\n').map_or("", |end| &record[..=end])
}

/// The number of parts in a record. Its first line has the options, and each further line one part.
pub fn part_count(record: &str) -> usize {
    complete(record).lines().count().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_lines_are_parts() {
        assert_eq!(part_count(""), 0);
        assert_eq!(part_count("{\"options\""), 0);
        assert_eq!(part_count("options\n"), 0);
        assert_eq!(part_count("options\na\nb"), 1);
        assert_eq!(complete("options\na\nb"), "options\na\n");
    }
}
