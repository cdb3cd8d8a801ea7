// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BCU assembly programs: which warps run which lines.
//!
//! One instruction per line, with the comments of BCU assembly (`//`, `#`, `/* */`); `;` ends an instruction and may be left out.
//! ```text
//! .cta_warps 4              // warps of the CTA, for a run without a machine file; default: 1 + the highest warp named
//! .warps 0, 2-3 producer    // the warps that run the lines below, and their role; before the first `.warps`, or with `all`, every warp
//! MOV R4, 0x80              // a register gets a value, in one cycle: a number, a register, LANEID or WARPID
//! ADD R4, R4, 1             // also SUB, AND, OR, XOR, SHL, SHR; unsigned, and results wrap
//! SETP P0, 0x0000ffff       // a predicate gets a value: one bit per lane, or another predicate, `!P1`
//! SETP.LT P0, R4, 3         // also EQ, NE, LE, GT, GE; unsigned
//! LOOP 4                    // the lines up to END four times; the loop itself takes no time
//!   ACTIVE 0x00ff           // the lines up to END in these lanes only; blocks may be nested
//!     @!P0 BAR.ARV 0x2, 64  // any statement may have a guard
//!   END
//! END
//! NOP 10                    // ten cycles without a barrier
//! ST.SHARED [R0+4], R1      // a 32-bit word of memory: LD or ST, SHARED or GLOBAL; without operands it only takes time
//! BAR.SYNC.GATHER 0x1       // the warp arrives when all its lanes have; .ALIGNED: a fault unless they arrive together
//! WARPSYNC 0xff             // these lanes wait for each other; ELECT P0, 0xff also does, and P0 is true in one of them
//! BAR.SYNC 0x1, R4          // any BCU instruction
//! FENCE.MEM                 // another one: the warp waits until its earlier accesses are performed
//! WORD 0x7b1d, 0, 0, 0      // an instruction word, bits 31:0 first, legal or not
//! EXIT                      // also implied by the end; the warp ends with its last lane
//! ```
//! A warp that several sections name runs them one after the other. Loops have a fixed count, and there are no branches; a register or
//! predicate that no line above writes cannot be read.

mod ast;
mod block;
mod data;
mod emit;
mod language;
mod memory;
mod reader;
mod reports;
mod section;
mod statement;
mod warp;

use super::visa::Header;
use super::{Bare, Code, Function, Grid, WarpProgram};
pub(super) use ast::{alu, mov, ALU};
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::Op;
use bcu_isa::nbar::{Message, Nbar, Signal, Wait};
use bcu_isa::{asm, lex};
use block::Node;
pub use block::MAX_NESTING;
pub(super) use emit::Emitter;
pub(super) use language::Language;
use reports::Reports;
pub use reports::MAX_REPORTS;
pub(super) use section::Line;
pub use section::MAX_WARPS;
pub(super) use statement::{Read, Statement};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Longest program text, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// A program for every warp of the CTA, indexed by warp, and warnings about legal but suspicious use.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub warps: Vec<WarpProgram>,
    pub warnings: Vec<Diagnostic>,
}

/// Parses a program for `warps` warps of 32 lanes; `None`: the program states the number of warps.
pub fn parse(text: &str, warps: Option<usize>) -> Result<Parsed, Vec<Diagnostic>> {
    parse_for(text, warps, asm::DEFAULT_LANES)
}

/// As [`parse`], for warps of `lanes` lanes: a count written as a number must be a multiple of `lanes`.
pub fn parse_for(text: &str, warps: Option<usize>, lanes: u32) -> Result<Parsed, Vec<Diagnostic>> {
    read(text, warps, lanes, Language::Bcu)
}

/// Parses a text in one of the languages with these statements.
pub(super) fn read(text: &str, warps: Option<usize>, lanes: u32, language: Language) -> Result<Parsed, Vec<Diagnostic>> {
    if text.len() > MAX_BYTES {
        let message = format!("the program has {} bytes", text.len());
        return Err(vec![Diagnostic::new(0..0, message, format!("expected at most {MAX_BYTES}"))]);
    }
    if let Some((at, c)) = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        let message = format!("the program contains the control character U+{:04X}", c as u32);
        let error = Diagnostic::new(at..at + c.len_utf8(), message, "expected text");
        return Err(vec![error.help("expected BCU assembly as text; is the file a binary, or in another encoding?")]);
    }
    let blank = lex::blank_comments(text).map_err(|e| vec![e])?;
    let mut reports = Reports::default();
    let layout = section::read(&blank, warps, language, &mut reports);
    let header = (language == Language::Visa).then(|| header(&layout, &mut reports));
    if reports.errors.is_empty() && layout.sections.iter().all(|section| section.lines.is_empty()) {
        let error = Diagnostic::new(0..0, "this text has no instruction to run", "expected instructions");
        let short = if language == Language::Visa { "nbarrier.wait 0x0:ub" } else { "BAR.SYNC 0x0" };
        reports.error(error.help(format!("the shortest program is `{short}`, or `EXIT` to do nothing")));
    }
    let reader = reader::Reader::new(lanes, header);
    let nodes: Vec<Vec<Node>> =
        layout.sections.iter().map(|section| block::read(&section.lines, &reader, &mut reports)).collect();
    for read in nodes.iter().flatten().flat_map(warnings) {
        reports.warn(read.clone());
    }
    let runs = |section: &section::Section, warp: usize| section.warps.as_ref().is_none_or(|warps| warps.contains(&warp));
    let of_warp =
        |warp: usize| (0..nodes.len()).filter(|section| runs(&layout.sections[*section], warp)).collect::<Vec<usize>>();
    let mut failed = HashSet::new();
    for warp in 0..layout.warps {
        let mut state = warp::WarpValues::new(warp, lanes, language);
        of_warp(warp).into_iter().for_each(|section| state.check(&nodes[section], u64::MAX, &mut reports, &mut failed));
    }
    let mut functions: Vec<Function> = vec![];
    let mut known: HashMap<Vec<usize>, usize> = HashMap::new();
    let mut programs = vec![];
    for warp in 0..layout.warps {
        let sections = of_warp(warp);
        // A later role replaces an earlier one.
        let role = sections.iter().rev().find_map(|section| layout.sections[*section].role);
        let name = role.map_or_else(|| format!("{} {warp}", language.warp()), str::to_string);
        let entry = *known.entry(sections).or_insert_with_key(|sections| {
            let mut emitter = Emitter::default();
            sections.iter().for_each(|section| emitter.add(&nodes[*section]));
            functions.push(emitter.finish(&name));
            functions.len() - 1
        });
        programs.push((name, entry));
    }
    let bare = Bare { zeroed: true, unbounded: true, rounded: true };
    let code = Arc::new(Code::new(language.kind(), functions, vec![], bare));
    let ids = nodes.iter().flatten().flat_map(barriers);
    let barriers = reader.header().map(|header| header.declared(ids));
    let grid = Arc::new(Grid { barriers, ntid: [programs.len() as u32 * lanes, 1, 1], ..Grid::default() });
    let warp = |(name, entry)| WarpProgram { name, code: code.clone(), entry, grid: grid.clone(), ctaid: [0; 3] };
    match reports.errors.is_empty() {
        true => Ok(Parsed { warps: programs.into_iter().map(warp).collect(), warnings: reports.warnings }),
        false => Err(reports.errors),
    }
}

/// The directives of a vISA text.
fn header(layout: &section::Layout, reports: &mut Reports) -> Header {
    let mut header = Header::new(layout.warps);
    for line in &layout.header {
        if let Err(error) = header.directive(line.text) {
            reports.error(line.moved(error));
        }
    }
    header
}

/// The gateway barriers that the lines of a node name; `None`: the barrier is in a register or variable.
fn barriers(node: &Node) -> Vec<Option<u8>> {
    match node {
        Node::Line(_, Read { statement: Statement::Visa(statement), .. }) => statement.barrier().into_iter().collect(),
        Node::Line(_, Read { statement: Statement::Barrier(instr, _), .. }) => match instr.op {
            Op::Nbar(
                Nbar::Signal(Signal::Threads { id, .. } | Signal::Message(Message { id, .. })) | Nbar::Wait(Wait::Id(id)),
            ) => {
                vec![Some(id)]
            }
            Op::Nbar(_) => vec![None],
            _ => vec![],
        },
        Node::Line(..) => vec![],
        Node::Block(_, _, nodes) => nodes.iter().flat_map(barriers).collect(),
    }
}

/// The warnings about the lines of a node.
fn warnings<'n>(node: &'n Node) -> Vec<&'n Diagnostic> {
    match node {
        Node::Line(_, read) => read.warnings.iter().collect(),
        Node::Block(_, _, nodes) => nodes.iter().flat_map(warnings).collect(),
    }
}
