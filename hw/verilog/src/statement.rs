// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The statements of a clocked process, and their lines.

use super::package::Language;
use super::wrap::WIDTH;

pub(super) enum Statement {
    /// A register, or a bit of it, with its next value.
    Assign(String, String),
    If {
        condition: String,
        yes: Vec<Statement>,
        no: Vec<Statement>,
    },
    /// A loop over the marked bits.
    Each {
        index: String,
        bits: usize,
        marked: String,
        yes: Vec<Statement>,
    },
}

/// The lines of the statements at this nesting depth.
pub(super) fn write(statements: &[Statement], depth: usize, language: &Language, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    for statement in statements {
        match statement {
            Statement::Assign(q, value) => {
                let blank = if value.starts_with('\n') { "" } else { " " };
                let text = format!("{q} <={blank}{value};");
                lines.extend(text.lines().map(|line| format!("{indent}{line}")));
            }
            Statement::Each { index, bits, marked, yes } => {
                // Verilog-2005 has no declaration inside a loop, and no `++`.
                lines.push(match language.is_system() {
                    true => format!("{indent}for (int {index} = 0; {index} < {bits}; {index}++) begin"),
                    false => format!("{indent}for ({index} = 0; {index} < {bits}; {index} = {index} + 1) begin"),
                });
                block(&format!("{indent}  if ({marked}[{index}]) "), yes, false, depth + 1, language, lines);
                lines.push(format!("{indent}end"));
            }
            Statement::If { condition, yes, no } => {
                let (condition, yes, mut no) = positive(condition, yes, no);
                let is_chain = !no.is_empty();
                block(&format!("{indent}if ({condition}) "), yes, is_chain, depth, language, lines);
                while !no.is_empty() {
                    let end = lines.pop().unwrap_or_default();
                    no = match no {
                        [Statement::If { condition, yes, no: rest }] => {
                            let (condition, yes, rest) = positive(condition, yes, rest);
                            block(&format!("{end} else if ({condition}) "), yes, true, depth, language, lines);
                            rest
                        }
                        last => {
                            block(&format!("{end} else "), last, true, depth, language, lines);
                            &[]
                        }
                    };
                }
            }
        }
    }
}

/// The condition, the branch for 1 and the branch for 0 of an `if` whose first branch is not empty.
fn positive<'a>(condition: &str, yes: &'a [Statement], no: &'a [Statement]) -> (String, &'a [Statement], &'a [Statement]) {
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '[' | ']'));
    match condition.strip_prefix('!') {
        _ if !yes.is_empty() => (condition.to_string(), yes, no),
        Some(inner) if is_name(inner) => (inner.to_string(), no, yes),
        _ if is_name(condition) => (format!("!{condition}"), no, yes),
        _ => (format!("!({condition})"), no, yes),
    }
}

/// Writes the branch of an `if`: a block, or if the `if` has no other branch (`is_chain` is false) one line in which both fit.
fn block(head: &str, statements: &[Statement], is_chain: bool, depth: usize, language: &Language, lines: &mut Vec<String>) {
    // A body is indented by two blanks.
    let fits = |q: &str, value: &str| head.len() + q.len() + value.len() + 5 <= WIDTH - 2;
    match statements {
        [Statement::Assign(q, value)] if !is_chain && !value.contains('\n') && fits(q, value) => {
            lines.push(format!("{head}{q} <= {value};"));
        }
        _ => {
            lines.push(format!("{head}begin"));
            write(statements, depth + 1, language, lines);
            lines.push(format!("{}end", "  ".repeat(depth)));
        }
    }
}

/// Adds a statement; merges loops over the same marks.
pub(super) fn join(group: &mut Vec<Statement>, statement: Statement) {
    if let Statement::Each { index, bits, marked, yes } = statement {
        for other in group.iter_mut() {
            match other {
                Statement::Each { marked: there, yes: before, .. } if *there == marked => return before.extend(yes),
                _ => {}
            }
        }
        return group.push(Statement::Each { index, bits, marked, yes });
    }
    group.push(statement);
}
