// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Blocks: `LOOP n … END` and `ACTIVE mask … END`, nested.

use super::reader::Reader;
use super::reports::Reports;
use super::section::Line;
use super::statement::{Read, Statement};
use bcu_isa::diag::Diagnostic;
use bcu_isa::lex::tokens;

/// Deepest nesting of blocks.
pub const MAX_NESTING: usize = 16;

/// A line, or a block of lines.
pub enum Node<'l, 'a> {
    Line(&'l Line<'a>, Read),
    /// The first line of a block, the effect of the block, and the content of the block, which is never empty.
    Block(&'l Line<'a>, Block, Vec<Node<'l, 'a>>),
}

/// The effect of a block on the lines in it.
#[derive(Clone, Copy)]
pub enum Block {
    Loop(u32),
    Active(u64),
}

struct Open<'l, 'a> {
    line: &'l Line<'a>,
    block: Block,
    nodes: Vec<Node<'l, 'a>>,
    /// Whether the block contains a statement, valid or not.
    filled: bool,
}

/// Reads the lines of a section. Errors go to `reports`; a line with an error is left out.
pub fn read<'l, 'a>(lines: &'l [Line<'a>], reader: &Reader, reports: &mut Reports) -> Vec<Node<'l, 'a>> {
    let mut top = vec![];
    let mut open: Vec<Open> = vec![];
    for line in lines {
        if reports.full() {
            break;
        }
        let read = reader.read(line);
        let is_end = matches!(&read, Ok(Read { statement: Statement::End, .. }));
        if let (Some(open), false) = (open.last_mut(), is_end) {
            open.filled = true;
        }
        let read = match read {
            Ok(read) => read,
            Err(error) => {
                reports.error(error);
                // The block is opened in spite of the error; otherwise its END would cause a second error.
                if tokens(line.text).iter().any(|t| t.text == "LOOP" || t.text == "ACTIVE") {
                    open.push(Open { line, block: Block::Loop(1), nodes: vec![], filled: true });
                }
                continue;
            }
        };
        let block = match read.statement {
            Statement::Loop(times) => Block::Loop(times),
            Statement::Active(mask) => Block::Active(mask),
            Statement::End => {
                match open.pop() {
                    Some(Open { line, filled: false, .. }) => {
                        reports.error(Diagnostic::new(line.span(), "this block is empty", "expected lines before its END"));
                    }
                    // A block whose lines all have errors is left out: an empty loop would only take time.
                    Some(Open { nodes, .. }) if nodes.is_empty() => {}
                    Some(Open { line, block, nodes, .. }) => {
                        let nodes = Node::Block(line, block, nodes);
                        open.last_mut().map_or(&mut top, |outer| &mut outer.nodes).push(nodes);
                    }
                    None => {
                        let error =
                            Diagnostic::new(line.span(), "this END closes no block", "expected LOOP or ACTIVE before it");
                        reports.error(error.help("a block must end in the section in which it starts"));
                    }
                }
                continue;
            }
            _ => {
                open.last_mut().map_or(&mut top, |open| &mut open.nodes).push(Node::Line(line, read));
                continue;
            }
        };
        if open.len() == MAX_NESTING {
            let message = format!("blocks are nested more than {MAX_NESTING} deep");
            reports.error(Diagnostic::new(line.span(), message, format!("expected at most {MAX_NESTING} nested blocks")));
        }
        open.push(Open { line, block, nodes: vec![], filled: false });
    }
    for open in open.into_iter().take(MAX_NESTING) {
        let error = Diagnostic::new(open.line.span(), "this block is not closed", "expected END in the same section");
        reports.error(error);
    }
    top
}
