// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results in pages: a command writes what is between two marks of a page.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

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

fn between(old: &str, (begin, end): (&str, &str), text: &str) -> Option<String> {
    let (before, rest) = old.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n{}\n{end}{after}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::between;
    use crate::{mutate, races, schedules};

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
            ("examples/races/README.md", races::MARKS),
            (schedules::PAGE, schedules::MARKS),
        ];
        for (page, marks) in pages {
            let text = std::fs::read_to_string(xtask::root().join(page)).unwrap();
            assert!(between(&text, marks, "new").is_some(), "{page}");
        }
    }
}
