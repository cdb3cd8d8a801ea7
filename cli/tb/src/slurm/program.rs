// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The copy of this program that the scripts of a job array start.

use bcu_cli::failure::{Failure, Result};
use bcu_cli::files::{cannot_write, Batch};
use bcu_cli::paths::is_same;
use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

/// The name of the copy.
pub const NAME: &str = "bcu-tb";

/// Adds a copy of this program to the files for `folder`, unless `folder` has an equal one. `has_scripts`: an earlier call has written files
/// to it.
///
/// # Errors
/// If `folder` is the one in which this program is, or has another file of this name that no earlier call has written.
pub fn copy(folder: &Path, has_scripts: bool, batch: &mut Batch) -> Result<()> {
    let unreadable = |error: io::Error| Failure::plain(format!("cannot read the program file of bcu-tb: {error}"), None);
    let program = env::current_exe().map_err(unreadable)?;
    let copy = folder.join(NAME);
    if !has_scripts && is_same(&program, &copy) {
        let message = format!("`--slurm`: {} is the folder of bcu-tb itself, which a later build replaces", folder.display());
        return Err(Failure::plain(message, Some("name another folder, which then gets a copy of bcu-tb")));
    }
    let contents = fs::read(&program).map_err(unreadable)?;
    if fs::read(&copy).is_ok_and(|present| present == contents) {
        return Ok(());
    }
    if !has_scripts && copy.exists() {
        let message = format!("{} exists and was not written by `bcu regress --slurm`", copy.display());
        return Err(Failure::plain(message, Some("move it away, or name another folder with `--slurm`")));
    }
    let mut file = batch.create(&copy)?;
    let permissions = fs::metadata(&program).map_err(unreadable)?.permissions();
    let written = file.write_all(&contents).and_then(|()| file.set_permissions(permissions));
    written.map_err(|error| cannot_write(&copy, &error))
}
