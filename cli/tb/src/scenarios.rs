// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scenarios of a folder, for `bcu regress --scenarios`.

use bcu_cli::failure::{Failure, Result};
use bcu_cli::files;
use bcu_tb::plain::plain;
use bcu_tb::scenario::text::{compiled_in_program, Entry, Suite};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The scenarios of `folder`; `None`: those of the project.
///
/// # Errors
/// As [`read`].
pub fn of(folder: Option<&Path>) -> Result<Suite> {
    folder.map_or_else(|| Ok(Suite::compiled_in()), read)
}

/// Reads the scenarios of `folder`: `<feature>/<name>.toml`, and `<name>.toml`, whose feature is the name of the folder.
///
/// # Errors
/// If the folder or a file cannot be read, if there is no scenario, or if two scenarios have one name. A text that is not a scenario is no
/// error here, but a failing test.
fn read(folder: &Path) -> Result<Suite> {
    let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
    // A path such as `.` has no last part that could be the feature's name, so the absolute path is
    // used.
    let whole = folder.canonicalize().map_err(|error| unreadable(folder, &error))?;
    let mut features = vec![(name_of(&whole), folder.to_path_buf())];
    features.extend(entries(folder)?.into_iter().filter(|path| path.is_dir()).map(|path| (name_of(&path), path)));
    for (feature, path) in features {
        for file in entries(&path)?.into_iter().filter(|file| !file.is_dir() && has_ending(file, "toml")) {
            let name = format!("{feature}/{}", name_of(&file.with_extension("")));
            if let Some(other) = files.insert(name.clone(), file.clone()) {
                let message = format!("{} and {} have the same name, `{name}`", other.display(), file.display());
                return Err(Failure::plain(message, Some("rename one of the two files")));
            }
        }
    }
    if files.is_empty() {
        let message = format!("{} has no scenario", folder.display());
        return Err(Failure::plain(
            message,
            Some("expected `<name>.toml` in it or in a folder of it, `<feature>/<name>.toml`"),
        ));
    }
    let entry = |(name, file): (String, PathBuf)| {
        let shown = file.display().to_string();
        let text = files::read(&file, &shown)?;
        let places = [file.parent().unwrap_or(folder), folder];
        Ok(Entry::new(name, shown, text, &|program| find(&places, program)))
    };
    let entries = files.into_iter().map(entry).collect::<Result<Vec<_>>>()?;
    Ok(Suite::new(entries, Some(folder.to_path_buf())))
}

/// The text of a program file, from the first of `places` that has it, or else from the compiled-in examples.
fn find(places: &[&Path], program: &str) -> std::result::Result<Option<String>, String> {
    let Some(path) = places.iter().map(|place| place.join(program)).find(|path| path.exists()) else {
        return compiled_in_program(program);
    };
    let text = files::text(&path, &path.display().to_string());
    text.map(Some).map_err(|unreadable| unreadable.message)
}

/// The paths in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = || fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
    let mut paths = list().map_err(|error| unreadable(folder, &error))?;
    paths.sort();
    Ok(paths)
}

fn unreadable(folder: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot read the scenarios in {}: {error}", folder.display());
    Failure::plain(message, Some("`--scenarios` needs a folder with scenarios, `<feature>/<name>.toml`"))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found == ending)
}

/// The last part of a path, as a part of the name of a test.
fn name_of(path: &Path) -> String {
    plain(&path.file_name().unwrap_or_default().to_string_lossy())
}
