// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parts of the tables: figures, lists of names, and the line that states date, revision and command.

use crate::silicon::date;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The text of a cell without a figure.
pub const NONE: &str = "–";

pub fn count<T>(of: &[T], is: impl Fn(&T) -> bool) -> usize {
    of.iter().filter(|item| is(item)).count()
}

/// Names with commas between them, or `none`.
pub fn names<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        "none".to_string()
    } else {
        names.join(", ")
    }
}

/// Seconds as text; `None` are more than the limit.
pub fn seconds(seconds: Option<f64>, limit: u64) -> String {
    match seconds {
        Some(seconds) if seconds < 9.95 => format!("{seconds:.2}"),
        Some(seconds) => format!("{seconds:.0}"),
        None => format!("over {limit}"),
    }
}

/// The line above the tables.
pub fn circumstances(root: &Path, command: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format!("{}, revision {}: `{command}`, development build of `bcu`.", date(now), revision(root))
}

/// The commit of the working tree, and whether files differ from it.
fn revision(root: &Path) -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let Some(commit) = git(&["rev-parse", "--short=8", "HEAD"]) else { return "unknown".to_string() };
    match git(&["status", "--porcelain", "--untracked-files=no"]).as_deref() {
        Some("") => commit,
        _ => format!("{commit} with changes"),
    }
}
