// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Breaks long lines of Verilog text. A comment is broken between words, a comment after a declaration moves above it, and a line of code
//! is broken after an operator or comma, outside as many parentheses as possible. A concatenation that does not fit in a line has one part
//! per line.

/// Maximum length of a line in characters.
pub const WIDTH: usize = 100;

/// Indentation of a continuation line, relative to the line that it continues.
const CONTINUED: usize = 4;

/// A break leaves at least this many characters of code in its line, unless the line has no such break.
const LEAST: usize = 40;

/// Operators after which a line may be broken, with the blanks around them.
const OPERATORS: [&str; 21] = [
    " && ", " || ", " & ", " | ", " ^ ", " + ", " - ", " * ", " == ", " != ", " === ", " !== ", " < ", " <= ", " > ", " >= ",
    " << ", " >> ", " ? ", " : ", " = ",
];

/// The text with every line broken to at most [`WIDTH`] characters. A line without a place for a break stays long.
pub fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut in_macro = false;
    for line in text.lines() {
        for line in wrapped(line, in_macro) {
            out.push_str(&line);
            out.push('\n');
        }
        in_macro = line.ends_with('\\');
    }
    out
}

/// The lines for one line; `in_macro`: the line before it ends with a backslash, so it is part of a macro's definition.
pub fn wrapped(line: &str, in_macro: bool) -> Vec<String> {
    if line.len() <= WIDTH {
        return vec![line.to_string()];
    }
    let code = line.trim_start();
    let indent = &line[..line.len() - code.len()];
    if let Some(comment) = code.strip_prefix("//") {
        return comment_lines(indent, comment);
    }
    if code.starts_with("/*") {
        return code.split_inclusive("*/ ").map(|part| format!("{indent}{}", part.trim_end())).collect();
    }
    if let Some(at) = comment_at(line) {
        let mut lines = comment_lines(indent, &line[at + 2..]);
        lines.extend(wrapped(line[..at].trim_end(), in_macro));
        return lines;
    }
    // Each line of a macro's definition but the last ends with a backslash.
    let is_macro = in_macro || code.starts_with("`define ") || line.ends_with('\\');
    let ends_open = line.ends_with('\\');
    let mut lines = code_lines(line.trim_end_matches('\\').trim_end(), if is_macro { WIDTH - 2 } else { WIDTH });
    let last = lines.len() - 1;
    for line in lines.iter_mut().take(if is_macro { last + usize::from(ends_open) } else { 0 }) {
        line.push_str(" \\");
    }
    lines
}

/// The words of a comment, in lines with this indentation.
pub fn comment_lines(indent: &str, comment: &str) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in comment.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{indent}// {word}")),
        }
    }
    lines
}

/// The index of a `//` outside strings.
fn comment_at(line: &str) -> Option<usize> {
    let mut quoted = false;
    let bytes = line.as_bytes();
    (0..bytes.len()).find(|&at| {
        quoted ^= bytes[at] == b'"' && (at == 0 || bytes[at - 1] != b'\\');
        !quoted && bytes[at..].starts_with(b"//")
    })
}

/// Breaks a line of code.
fn code_lines(line: &str, width: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start().len();
    if let Some((head, parts, tail)) = concatenation(line).filter(|(head, ..)| line.len() > width && head.len() <= width) {
        let comma = |at: usize| if at + 1 == parts.len() { "" } else { "," };
        let part = |(at, part): (usize, &&str)| code_lines(&format!("{:indent$}  {part}{}", "", comma(at)), width);
        let parts = parts.iter().enumerate().flat_map(part);
        return [head.to_string()].into_iter().chain(parts).chain([format!("{:indent$}{tail}", "")]).collect();
    }
    let (mut lines, mut rest) = (vec![], line.to_string());
    while rest.len() > width {
        let Some(at) = place(&rest, width) else { break };
        lines.push(rest[..at].trim_end().to_string());
        rest = format!("{:indent$}{}", "", rest[at..].trim_start(), indent = indent + CONTINUED);
    }
    lines.push(rest);
    lines
}

/// The text up to the brace of a concatenation that is the last value of the line, its parts, and the text from its closing brace on.
fn concatenation(line: &str) -> Option<(&str, Vec<&str>, &str)> {
    let open = line.find('{').filter(|&open| !line[..open].contains('"'))?;
    let (mut depth, mut start, mut parts) = (0, open + 1, vec![]);
    for (at, c) in line.char_indices().skip_while(|(at, _)| *at <= open) {
        match c {
            '(' | '[' | '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(line[start..at].trim());
                let is_end = line[at + 1..].chars().all(|c| matches!(c, ')' | ',' | ';'));
                return Some((&line[..open + 1], parts, &line[at..])).filter(|(_, parts, _)| is_end && parts.len() > 1);
            }
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(line[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// The best place of a break within the first `width` characters of the line: the outermost, and of those the last. A line that has no such
/// place, because of a long string, is broken at the first place after them.
fn place(line: &str, width: usize) -> Option<usize> {
    let first = line.len() - line.trim_start().len();
    let (mut depth, mut quoted) = (0usize, false);
    let mut best: Option<(bool, usize, usize)> = None;
    for (at, c) in line.char_indices() {
        match c {
            '"' if !line[..at].ends_with('\\') => quoted = !quoted,
            _ if quoted => continue,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let end = match () {
            _ if quoted => continue,
            _ if line[at..].starts_with(", ") => at + 1,
            _ => match OPERATORS.iter().find(|operator| line[at..].starts_with(**operator)) {
                Some(operator) => at + operator.len() - 1,
                None => continue,
            },
        };
        if end <= first || end >= line.len() {
            continue;
        }
        if end > width {
            return best.map_or(Some(end), |(_, _, end)| Some(end));
        }
        let short = end < first + LEAST;
        if best.is_none_or(|(was_short, was_depth, _)| (short, depth) <= (was_short, was_depth)) {
            best = Some((short, depth, end));
        }
    }
    best.map(|(_, _, end)| end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_fits_is_unchanged() {
        let line = format!("  wire x = {};", "a".repeat(WIDTH - 12));
        assert_eq!((line.len(), wrapped(&line, false)), (WIDTH, vec![line.clone()]));
    }

    #[test]
    fn code_is_broken_outside_of_parentheses() {
        let (left, right) = ("a".repeat(60), "b".repeat(60));
        let lines = wrapped(&format!("  assign x = (y == {left}) && (z == {right});"), false);
        assert_eq!(lines, [format!("  assign x = (y == {left}) &&"), format!("      (z == {right});")]);
    }

    #[test]
    fn a_concatenation_has_one_part_per_line() {
        let (a, b) = ("a".repeat(60), "b".repeat(60));
        let lines = wrapped(&format!("    .in({{{a}, (c ? {b} : d[3:0])}}),"), false);
        assert_eq!(
            lines,
            ["    .in({".to_string(), format!("      {a},"), format!("      (c ? {b} : d[3:0])"), "    }),".to_string()]
        );
    }

    #[test]
    fn a_comment_after_code_moves_above_it() {
        let lines = wrapped(&format!("  input wire x,  // {}", "word ".repeat(30)), false);
        assert!(lines.len() == 3 && lines[2] == "  input wire x,", "{lines:#?}");
        assert!(lines[..2].iter().all(|line| line.starts_with("  // word") && line.len() <= WIDTH), "{lines:#?}");
    }

    #[test]
    fn a_definition_of_a_macro_continues_after_a_backslash() {
        let lines = wrapped(&format!("`define CHECK(unit) check one (.a(unit.a){});", ", .b(unit.b)".repeat(12)), false);
        let (last, first) = lines.split_last().unwrap();
        assert!(
            first.iter().all(|line| line.ends_with(", \\") || line.ends_with(" \\")) && !last.ends_with('\\'),
            "{lines:#?}"
        );
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lines:#?}");
    }

    #[test]
    fn the_last_line_of_a_macro_continues_after_a_backslash() {
        let text = format!("`define CHECK(a) \\\n  x{};\n  y", ", bbbbbbbb".repeat(14));
        let lines: Vec<String> = wrap(&text).lines().map(String::from).collect();
        let ends: Vec<bool> = lines.iter().map(|line| line.ends_with('\\')).collect();
        assert_eq!(ends, [true, true, false, false], "{lines:#?}");
    }

    #[test]
    fn strings_are_not_broken() {
        let text = format!("\"{}\"", "a && b, c ".repeat(8));
        let lines = wrapped(&format!("  `RULE(name, 4, (first === 1'b1 && second === 1'b1), ({text}, $time))"), false);
        assert!(lines.len() > 1 && lines.iter().any(|line| line.contains(&text)), "{lines:#?}");
    }
}
