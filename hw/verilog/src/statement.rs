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
                branch(&format!("{indent}  if ({marked}[{index}]) "), yes, depth + 1, language, lines);
                lines.push(format!("{indent}end"));
            }
            Statement::If { condition, yes, no } if yes.is_empty() => {
                branch(&format!("{indent}if (!({condition})) "), no, depth, language, lines);
            }
            Statement::If { condition, yes, no } => {
                let (mut yes, mut no) = (yes, no);
                let mut is_block = branch(&format!("{indent}if ({condition}) "), yes, depth, language, lines);
                while !no.is_empty() {
                    // `end else` if the previous branch is a block.
                    let head = match is_block.then(|| lines.pop()).flatten() {
                        Some(end) => format!("{end} else "),
                        None => format!("{indent}else "),
                    };
                    is_block = match &no[..] {
                        [Statement::If { condition, yes: inner, no: rest }] if !inner.is_empty() => {
                            (yes, no) = (inner, rest);
                            branch(&format!("{head}if ({condition}) "), yes, depth, language, lines)
                        }
                        last => {
                            let is_block = branch(&head, last, depth, language, lines);
                            no = &EMPTY;
                            is_block
                        }
                    };
                }
            }
        }
    }
}

/// Writes the branch of an `if`, on the line of its head if both fit in a line; returns whether it is a block.
fn branch(head: &str, statements: &[Statement], depth: usize, language: &Language, lines: &mut Vec<String>) -> bool {
    // A body is indented by two blanks.
    let fits = |q: &str, value: &str| head.len() + q.len() + value.len() + 5 <= WIDTH - 2;
    match statements {
        [Statement::Assign(q, value)] if !value.contains('\n') && fits(q, value) => {
            lines.push(format!("{head}{q} <= {value};"));
            false
        }
        _ => {
            lines.push(format!("{head}begin"));
            write(statements, depth + 1, language, lines);
            lines.push(format!("{}end", "  ".repeat(depth)));
            true
        }
    }
}

/// An empty branch: the rest of an `if` whose last `else` has been written.
static EMPTY: Vec<Statement> = vec![];

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
