// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A Slurm cluster whose only node is this machine. Its daemons use the loopback address and one folder for all their files, and are
//! stopped when the cluster is dropped, or by the next start after a crash.

use anyhow::{bail, Context, Result};
use nix::sys::signal::{kill, killpg, Signal};
use nix::unistd::Pid;
use std::fs::{self, Permissions};
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, iter};
use xtask::pool;

/// The daemons, in the order in which they are stopped.
const DAEMONS: [&str; 3] = ["slurmd", "slurmctld", "munged"];
const CLIENTS: [&str; 5] = ["sbatch", "scancel", "scontrol", "sinfo", "squeue"];
const PACKAGES: [&str; 2] = ["slurm-wlm", "munge"];

/// The time for the node to become idle after a start.
const START: Duration = Duration::from_secs(60);
/// The time for a daemon, or a cancelled job, to end after a request.
const END: Duration = Duration::from_secs(15);
/// The time between two queries of a state.
pub const PERIOD: Duration = Duration::from_millis(200);

pub struct Cluster {
    folder: PathBuf,
}

impl Cluster {
    /// Starts the daemons with all their files in `folder`, which is emptied. The node has `processors` processors.
    ///
    /// # Errors
    /// If a daemon does not start, or the node does not become idle.
    pub fn start(folder: &Path, processors: usize) -> Result<Cluster> {
        let cluster = Cluster { folder: folder.to_path_buf() };
        cluster.stop();
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        for name in ["", "state", "spool"] {
            let path = folder.join(name);
            fs::create_dir_all(&path).with_context(|| format!("cannot create {}", path.display()))?;
            // munged refuses a folder in which others can write.
            fs::set_permissions(&path, Permissions::from_mode(0o755)).context("cannot set permissions")?;
        }
        cluster.write_key()?;
        let path = folder.join("slurm.conf");
        fs::write(&path, configuration(folder, &node()?, ports()?, processors)).context("cannot write slurm.conf")?;
        let file = |option: &str, name: &str| format!("--{option}={}", folder.join(name).display());
        // Without --force, munged requires that its files belong to another account.
        let munged = ["--force".to_string()].into_iter().chain([
            file("key-file", "munge.key"),
            file("socket", "munge.socket"),
            file("pid-file", "munged.pid"),
            file("log-file", "munged.log"),
            file("seed-file", "munged.seed"),
        ]);
        done(cluster.command("munged").args(munged))?;
        done(&mut cluster.command("slurmctld"))?;
        done(&mut cluster.command("slurmd"))?;
        let start = Instant::now();
        while done(cluster.command("sinfo").args(["--noheader", "--format=%T"])).map_or(true, |state| state.trim() != "idle") {
            if start.elapsed() > START {
                bail!("the node of the cluster is not idle after {} s; see {}/*.log", START.as_secs(), folder.display());
            }
            sleep(PERIOD);
        }
        Ok(cluster)
    }

    /// A program of Slurm as a command for this cluster.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(find(program).unwrap_or_else(|| program.into()));
        command.env("SLURM_CONF", self.folder.join("slurm.conf"));
        command
    }

    /// Whether a job has not ended.
    pub fn is_busy(&self) -> Result<bool> {
        Ok(!done(self.command("squeue").arg("--noheader"))?.trim().is_empty())
    }

    /// The exit code of a job that has ended.
    pub fn exit_code(&self, job: &str) -> Result<i32> {
        let text = done(self.command("scontrol").args(["--oneliner", "show", "job", job]))?;
        let code = text.split_whitespace().find_map(|word| word.strip_prefix("ExitCode=")?.split(':').next()?.parse().ok());
        code.with_context(|| format!("scontrol shows no exit code of job {job}: {text}"))
    }

    /// Kills the batch script of a task and all processes that it has started.
    pub fn kill_task(&self, task: &str) -> Result<()> {
        let job = done(self.command("squeue").args(["--noheader", "--format=%A", "--jobs", task]))?;
        let listed = done(self.command("scontrol").arg("listpids"))?;
        let processes = processes(&listed, job.trim());
        if processes.is_empty() {
            bail!("task {task} has no process to kill; scontrol listpids:\n{listed}");
        }
        // Slurm starts a batch script in a separate process group, whose id is the process id of
        // the script.
        processes.into_iter().try_for_each(|process| killpg(Pid::from_raw(process), Signal::SIGKILL)).context("cannot kill")
    }

    fn write_key(&self) -> Result<()> {
        let mut key = [0; 128];
        fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut key)).context("cannot read /dev/urandom")?;
        let path = self.folder.join("munge.key");
        fs::write(&path, key).with_context(|| format!("cannot write {}", path.display()))?;
        fs::set_permissions(&path, Permissions::from_mode(0o600)).context("cannot set permissions")
    }

    /// Cancels all jobs, and stops the daemons that the pid files name. Errors are ignored, since a daemon may have ended before.
    fn stop(&self) {
        if self.process("slurmctld").is_some() {
            // `done` is not used here, because after an interrupt it starts no further program.
            let _ = self.command("scancel").args(["--user", "root"]).output();
            let is_busy = || self.command("squeue").arg("--noheader").output().is_ok_and(|jobs| !jobs.stdout.is_empty());
            wait_while(is_busy);
        }
        for daemon in DAEMONS {
            for signal in [Signal::SIGTERM, Signal::SIGKILL] {
                let Some(process) = self.process(daemon) else { break };
                let _ = kill(Pid::from_raw(process), signal);
                wait_while(|| self.process(daemon).is_some());
            }
        }
    }

    /// The process id of a running daemon, from its pid file. A process with this id but another
    /// name is not the daemon: the id has been reused.
    fn process(&self, daemon: &str) -> Option<i32> {
        let text = fs::read_to_string(self.folder.join(daemon).with_extension("pid")).ok()?;
        let process: i32 = text.trim().parse().ok().filter(|process| *process > 1)?;
        let name = fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
        // A zombie, which has ended but is still in the process table, has no command line.
        let is_running = fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| !line.is_empty());
        (is_running && name.trim() == daemon).then_some(process)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop();
    }
}

fn wait_while(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while condition() && start.elapsed() < END {
        sleep(PERIOD);
    }
}

/// Runs a command to its end, and returns its output.
pub fn done(command: &mut Command) -> Result<String> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let done = pool::output(command)?;
    if !done.status.success() {
        bail!("{name} ended with {}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The path of a program in `PATH` or `/usr/sbin`, which has the daemons and which `PATH` may lack.
fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(iter::once("/usr/sbin".into()));
    folders.map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Installs Slurm's packages if a program is missing.
///
/// # Errors
/// If this process is not root, or a package cannot be installed.
pub fn prepare() -> Result<()> {
    needs_root(fs::metadata("/proc/self").context("cannot read /proc/self")?.uid())?;
    let missing = || DAEMONS.iter().chain(&CLIENTS).find(|program| find(program).is_none());
    if missing().is_none() {
        return Ok(());
    }
    println!("slurm: installing {} with apt-get", PACKAGES.join(" and "));
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    done(apt().args(["update", "-qq"]))?;
    done(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(PACKAGES))?;
    missing().map_or(Ok(()), |program| bail!("{program} is missing although {} are installed", PACKAGES.join(" and ")))
}

/// Refuses a user that is not root.
fn needs_root(user: u32) -> Result<()> {
    if user != 0 {
        let packages = PACKAGES.join(" and ");
        bail!(
            "user {user} is not root: this command installs {packages} with apt-get if they are missing, and starts Slurm's daemons, \
             which start jobs as root; run it as root, for example in a container of Debian 12"
        );
    }
    Ok(())
}

/// The name of this machine without its domain.
fn node() -> Result<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").context("cannot read the name of this machine")?;
    Ok(name.trim().split('.').next().unwrap_or_default().to_string())
}

/// Two free TCP ports. Both stay bound until both are known, so that they differ.
fn ports() -> Result<[u16; 2]> {
    let bind = || TcpListener::bind("127.0.0.1:0").context("no port of 127.0.0.1 is free");
    let (first, second) = (bind()?, bind()?);
    Ok([first.local_addr()?.port(), second.local_addr()?.port()])
}

/// The text of `slurm.conf`.
fn configuration(folder: &Path, node: &str, [controller, daemon]: [u16; 2], processors: usize) -> String {
    let folder = folder.display();
    format!(
        "ClusterName=bcu\nSlurmctldHost={node}(127.0.0.1)\nSlurmctldPort={controller}\nSlurmdPort={daemon}\n\
         SlurmUser=root\nSlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket={folder}/munge.socket\nCredType=cred/munge\n\
         StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\n\
         SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd.pid\n\
         SlurmctldLogFile={folder}/slurmctld.log\nSlurmdLogFile={folder}/slurmd.log\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nMpiDefault=none\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\n\
         NodeName={node} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN\n\
         PartitionName=main Nodes=ALL Default=YES State=UP\n"
    )
}

/// The processes of a job in the output of `scontrol listpids`: columns PID, JOBID, STEPID and others.
fn processes(listed: &str, job: &str) -> Vec<i32> {
    let of_job = |line: &str| {
        let mut words = line.split_whitespace();
        let process: i32 = words.next()?.parse().ok()?;
        (words.next()? == job && process > 1).then_some(process)
    };
    listed.lines().filter_map(of_job).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_processes_of_the_job_are_found() {
        let listed = "PID      JOBID    STEPID   LOCALID GLOBALID\n13660    4        batch    0       0\n-1 4 extern 0 0\n\
                      13659    3        batch    0       0\n";
        assert_eq!(processes(listed, "4"), [13660]);
        assert!(processes(listed, "").is_empty() && processes(listed, "5").is_empty());
    }

    #[test]
    fn another_user_is_told_what_is_needed() {
        needs_root(0).unwrap();
        let error = needs_root(1000).unwrap_err().to_string();
        for part in ["user 1000 is not root", "slurm-wlm and munge", "run it as root"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn the_daemons_have_ports_of_their_own() {
        let [controller, daemon] = ports().unwrap();
        assert_ne!(controller, daemon);
        let text = configuration(Path::new("/x"), "node", [controller, daemon], 2);
        assert!(text.contains(&format!("SlurmctldPort={controller}\nSlurmdPort={daemon}\n")), "{text}");
    }
}
