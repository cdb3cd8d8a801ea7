// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results in pages: a command writes what is between two marks of a page.

use crate::silicon::date;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes `text` between the marks `begin` and `end` of a page.
///
/// # Errors
/// If the page cannot be read or written, or lacks a mark.
pub fn write(page: &Path, (begin, end): (&str, &str), text: &str) -> Result<()> {
    let old = fs::read_to_string(page).with_context(|| format!("cannot read {}", page.display()))?;
    let new = between(&old, (begin, end), text);
    let new = new.with_context(|| format!("{} lacks the lines `{begin}` and `{end}`", page.display()))?;
    fs::write(page, new).with_context(|| format!("cannot write {}", page.display()))
}

/// The date, the revision and the command of a result.
pub fn circumstances(root: &Path, command: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format!("{}, revision {}: `{command}`", date(now), revision(root))
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

fn between(old: &str, (begin, end): (&str, &str), text: &str) -> Option<String> {
    let (before, rest) = old.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{}\n{end}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::between;
    use crate::{interleavings, mutate, races, schedules};

    #[test]
    fn only_what_is_between_the_marks_is_written() {
        let marks = ("<b>", "<e>");
        assert_eq!(between("a\n<b>\nold\n<e>\nb\n", marks, "new\n").unwrap(), "a\n<b>\nnew\n<e>\nb\n");
        assert_eq!(between("a", marks, "new"), None);
    }

    #[test]
    fn the_pages_have_their_marks() {
        let pages = [
            ("docs/evidence/verification.md", mutate::MARKS),
            ("docs/evidence/verification.md", interleavings::MARKS),
            ("examples/races/README.md", races::MARKS),
            (schedules::PAGE, schedules::MARKS),
        ];
        for (page, marks) in pages {
            let text = std::fs::read_to_string(xtask::root().join(page)).unwrap();
            assert!(between(&text, marks, "new").is_some(), "{page}");
        }
    }
}
