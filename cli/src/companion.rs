// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The companions of `bcu`: executables in its folder that run some of its commands. In a checkout
//! of the project, a missing companion is built before its first run.

use crate::failure::{complain, Failure, Outcome, Result};
use crate::interrupt;
use bcu_isa::config::{named, Config};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// An executable in the folder of `bcu` that runs some of its commands.
pub struct Companion {
    /// The name of the companion's file, without an extension.
    name: &'static str,
    package: &'static str,
    /// The purpose of the companion, as messages print it after "which".
    purpose: &'static str,
}

/// The companion with the rust-hdl unit, which rust-hdl itself simulates. This companion lacks the
/// code generator of [`TB`], whose build takes as long as that of everything else.
pub const RTL: Companion = Companion { name: "bcu-rtl", package: "bcu-rtl", purpose: "has the rust-hdl unit" };
/// The companion with the regression, and with the unit compiled to machine code.
pub const TB: Companion =
    Companion { name: "bcu-tb", package: "bcu-tb-cli", purpose: "has the regression and the unit as machine code" };

/// The project's folder at compile time.
const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Where cargo has built this executable in a checkout of the project, and with which profile.
struct Checkout {
    target: PathBuf,
    profile: String,
}

impl Checkout {
    /// The checkout whose executables are in `folder`; `None` if cargo did not build them there, as
    /// after `cargo install`.
    fn find(folder: &Path) -> Option<Checkout> {
        let target = folder.parent()?;
        let built_by_cargo = target.join(".rustc_info.json").is_file() || target.join("CACHEDIR.TAG").is_file();
        let project = Path::new(PROJECT).join("Cargo.toml").is_file();
        let profile = match folder.file_name()?.to_str()? {
            "debug" => "dev",
            name => name,
        };
        (built_by_cargo && project).then(|| Checkout { target: target.to_path_buf(), profile: profile.to_string() })
    }

    /// The command that builds a companion.
    fn cargo(&self, companion: &Companion) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["build", "--package", companion.package, "--bin", companion.name, "--profile", &self.profile]);
        cargo.arg("--target-dir").arg(&self.target);
        // Cargo reads `.cargo/config.toml` of the folder in which it starts.
        cargo.current_dir(PROJECT);
        cargo
    }
}

impl Companion {
    /// Starts the companion with `arguments`. In the project's folder, a missing companion is built first. If `cargo run` started this
    /// command, an outdated companion is rebuilt, as `cargo run` does with its own target.
    pub fn run(&self, arguments: impl Iterator<Item = OsString>) -> Result {
        self.start(&self.path()?, arguments)
    }

    /// Replaces this process by the companion, so that signals reach it; on systems without `exec`, waits for the companion to exit.
    fn start(&self, path: &Path, arguments: impl Iterator<Item = OsString>) -> Result {
        let mut command = Command::new(path);
        command.args(arguments);
        #[cfg(unix)]
        let ended: io::Result<Option<i32>> = Err(std::os::unix::process::CommandExt::exec(&mut command));
        #[cfg(not(unix))]
        let ended: io::Result<Option<i32>> = command.status().map(|status| status.code());
        match ended {
            Ok(Some(0)) => Ok(Outcome::Good),
            Ok(Some(1)) => Ok(Outcome::CheckFailed),
            Ok(_) => Ok(Outcome::CouldNotRun),
            Err(error) => Err(Failure::plain(format!("cannot start {}: {error}", path.display()), None)),
        }
    }

    /// The folder of the companion's package within the project.
    fn source(&self) -> String {
        format!("cli/{}", self.name.trim_start_matches("bcu-"))
    }

    fn path(&self) -> Result<PathBuf> {
        let cannot = |error| Failure::plain(format!("cannot find the folder of this command: {error}"), None);
        let folder = env::current_exe().map_err(cannot)?.parent().map(Path::to_path_buf).unwrap_or_default();
        let path = folder.join(self.name).with_extension(env::consts::EXE_EXTENSION);
        let is_there = path.is_file();
        match Checkout::find(&folder) {
            Some(checkout) if !is_there || env::var_os("CARGO").is_some() => {
                if !is_there {
                    complain(&format!(
                        "building {}, which {}: this build happens once, and takes minutes",
                        self.name, self.purpose
                    ));
                }
                self.build(checkout.cargo(self))?;
            }
            None if !is_there => {
                let message = format!("{}, which {}, was not found in {}", self.name, self.purpose, folder.display());
                let help = format!(
                    "in the project's folder, `cargo install --path {} --root DIR` installs it into DIR/bin; it must be in the same folder as `bcu`",
                    self.source()
                );
                return Err(Failure::plain(message, Some(&help)));
            }
            _ => {}
        }
        Ok(path)
    }

    /// What to do about a missing size if this command cannot build it, because it is in `folder` and not in a checkout. `is_named`: the
    /// size is that of a configuration of the project.
    fn help_without_checkout(&self, folder: &Path, is_named: bool) -> String {
        let (variable, feature) = match is_named {
            true => ("", " --features all-sizes"),
            false => ("BCU_CONFIGS=FILE.toml ", ""),
        };
        format!(
            "a checkout of the project builds it: run `{variable}cargo build --package {}{feature}` there, and copy target/debug/{} to {}",
            self.package,
            self.name,
            folder.display()
        )
    }

    fn build(&self, mut cargo: Command) -> Result<()> {
        let status = cargo.status().map_err(|error| {
            let help = format!("build it with `cargo build --package {}` in the project's folder", self.package);
            Failure::plain(format!("{} cannot be built, because cargo cannot be started: {error}", self.name), Some(&help))
        })?;
        match status.success() {
            true => Ok(()),
            false => Err(Failure::plain(format!("{} cannot be built; see cargo's messages above", self.name), None)),
        }
    }
}

/// The environment variable that is set for a companion rebuilt for a missing size, to prevent a second attempt.
const REBUILT: &str = "BCU_REBUILT";

/// The maximum number of configurations in the folder `bcu-sizes`, unless one command needs more.
/// Each rebuild compiles all configurations of the folder in.
const MOST_SIZES: usize = 4;

/// Rebuilds the running companion with the configurations that a command needs and the companion
/// lacks, and restarts it. `hw/build.rs` reads the files that this function writes. Fails if the
/// companion does not belong to a checkout, or was already rebuilt once.
pub fn rebuild_with(companion: Companion, needed: &[Config], is_compiled: impl Fn(&Config) -> bool) -> Result {
    let lacking = needed.iter().filter(|config| !is_compiled(config));
    let names = lacking.map(|config| config.name.as_str()).collect::<Vec<_>>().join(", ");
    let folder = env::current_exe().ok().and_then(|path| path.parent().map(Path::to_path_buf)).unwrap_or_default();
    let checkout = Checkout::find(&folder).filter(|_| env::var_os(REBUILT).is_none());
    let Some(checkout) = checkout else {
        let is_named =
            needed.iter().filter(|config| !is_compiled(config)).all(|config| named(&config.name).as_ref() == Some(config));
        let message = format!("{} was built without the sizes of the configuration {names}", companion.name);
        return Err(Failure::plain(message, Some(&companion.help_without_checkout(&folder, is_named))));
    };
    let sizes = checkout.target.join("bcu-sizes");
    let added =
        keep(&sizes, needed).map_err(|error| Failure::plain(format!("cannot write to {}: {error}", sizes.display()), None))?;
    // An interruption of the build removes the new files, because every later build would compile their sizes in.
    added.iter().for_each(|path| interrupt::stage(path));
    complain(&format!("building {} with the sizes of the configuration {names}: this build takes minutes", companion.name));
    let built = companion.build(checkout.cargo(&companion));
    added.iter().for_each(|path| interrupt::unstage(path));
    if built.is_err() {
        // A failed removal is ignored; the first error is the one to report.
        added.iter().for_each(|path| fs::remove_file(path).unwrap_or_default());
    }
    built?;
    env::set_var(REBUILT, "1");
    companion.start(&folder.join(companion.name).with_extension(env::consts::EXE_EXTENSION), env::args_os().skip(1))
}

/// Writes the configurations to the folder as TOML files. First removes the oldest of its other
/// files, so that it has at most [`MOST_SIZES`] files afterwards. Ignores subfolders. Returns the files that the folder did not have.
fn keep(folder: &Path, configs: &[Config]) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let path_of = |config: &Config| folder.join(&config.name).with_extension("toml");
    let written: BTreeSet<PathBuf> = configs.iter().map(path_of).collect();
    let mut old = vec![];
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (metadata, path) = (entry.metadata()?, entry.path());
        if !metadata.is_dir() && !written.contains(&path) {
            old.push((metadata.modified()?, path));
        }
    }
    old.sort();
    let most = MOST_SIZES.saturating_sub(written.len());
    old.iter().take(old.len().saturating_sub(most)).try_for_each(|(_, path)| fs::remove_file(path))?;
    let added = written.into_iter().filter(|path| !path.exists()).collect();
    configs.iter().try_for_each(|config| fs::write(path_of(config), config.to_toml()))?;
    Ok(added)
}

/// Runs a companion with this command's own arguments.
pub fn delegate(companion: Companion) -> Result {
    companion.run(env::args_os().skip(1))
}

/// As [`delegate`], with one more option after the command's name.
pub fn delegate_with(companion: Companion, option: &str) -> Result {
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    arguments.insert(arguments.len().min(1), option.into());
    companion.run(arguments.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    /// Configurations with the numbers `numbers` as names.
    fn configs(numbers: impl Iterator<Item = usize>) -> Vec<Config> {
        let tiny = named("tiny").unwrap();
        numbers.map(|number| Config { name: number.to_string(), ..tiny.clone() }).collect()
    }

    /// The names of all entries of the folder, sorted.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        entries.collect::<BTreeSet<_>>().into_iter().collect()
    }

    #[test]
    fn a_copy_without_a_checkout_names_the_command_that_builds_the_sizes() {
        let help = TB.help_without_checkout(Path::new("/shared/bcu"), true);
        let command =
            "run `cargo build --package bcu-tb-cli --features all-sizes` there, and copy target/debug/bcu-tb to /shared/bcu";
        assert!(help.ends_with(command), "{help}");
        let help = RTL.help_without_checkout(Path::new("/x"), false);
        assert!(help.contains("run `BCU_CONFIGS=FILE.toml cargo build --package bcu-rtl` there"), "{help}");
    }

    #[test]
    fn the_oldest_other_sizes_are_removed_for_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let sizes = folder.path().join("bcu-sizes");
        for number in 0..MOST_SIZES {
            keep(&sizes, &configs(number..number + 1)).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(number as u64);
            fs::File::options().write(true).open(sizes.join(format!("{number}.toml"))).unwrap().set_modified(time).unwrap();
        }
        fs::create_dir(sizes.join("subfolder")).unwrap();
        let all = ["0.toml", "1.toml", "2.toml", "3.toml", "subfolder"];
        assert_eq!(names(&sizes), all);
        assert!(keep(&sizes, &configs(2..4)).unwrap().is_empty());
        assert_eq!(names(&sizes), all, "files that are written again replace no other file");
        assert_eq!(keep(&sizes, &configs(3..5)).unwrap(), [sizes.join("4.toml")]);
        assert_eq!(names(&sizes), ["1.toml", "2.toml", "3.toml", "4.toml", "subfolder"]);
        keep(&sizes, &configs(5..11)).unwrap();
        assert_eq!(names(&sizes).len(), 6 + 1);
    }
}
