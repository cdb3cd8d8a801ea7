// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables and lists of a report; long lists are cut.

use std::fmt;

/// The maximum number of lines of a list. A longer list is cut: half of these lines are its first lines, half its last lines.
const MAX_LINES: usize = 12;

/// Writes a table. Columns are as wide as their widest cell, with two spaces between them and no spaces at the end of a line.
pub(super) fn table(f: &mut fmt::Formatter, head: &[String], rows: &[Vec<String>]) -> fmt::Result {
    let all = || std::iter::once(head).chain(rows.iter().map(Vec::as_slice));
    let width = |column: usize| all().filter_map(|r| r.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("  {}", padded.join("  ")).trim_end().to_string()
    };
    writeln!(f, "{}", line(head))?;
    lines(f, &rows.iter().map(|row| line(row)).collect::<Vec<_>>())
}

/// Writes a list line by line; of a long list, only the first and the last lines.
pub(super) fn lines(f: &mut fmt::Formatter, list: &[String]) -> fmt::Result {
    // A list that is one line too long is shown completely, because the note about an omitted line would need a line too.
    if f.alternate() || list.len() <= MAX_LINES + 1 {
        return list.iter().try_for_each(|line| writeln!(f, "{line}"));
    }
    let (first, rest) = list.split_at(MAX_LINES / 2);
    let (between, last) = rest.split_at(rest.len() - MAX_LINES / 2);
    first.iter().try_for_each(|line| writeln!(f, "{line}"))?;
    let indent = first.first().map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
    writeln!(f, "{:indent$}... {} more; `--full` shows them", "", between.len())?;
    last.iter().try_for_each(|line| writeln!(f, "{line}"))
}
