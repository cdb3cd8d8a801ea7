// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BCU assembly programs: which warps run which lines.
//!
//! One instruction per line, with the comments of BCU assembly (`//`, `#`, `/* */`); `;` ends an instruction and may be left out.
//! ```text
//! .cta_warps 4              // warps of the CTA, for a run without a machine file; default: 1 + the highest warp named
//! .warps 0, 2-3 producer    // who runs the lines below, and what to call them; `all` at the start and when written
//! MOV R4, 0x80              // a register gets a value, in one cycle: a number, a register, LANEID or WARPID
//! ADD R4, R4, 1             // also SUB, AND, OR, XOR, SHL, SHR; without sign, results wrap
//! SETP P0, 0x0000ffff       // a predicate gets a value: one bit per lane, or another predicate, `!P1`
//! SETP.LT P0, R4, 3         // also EQ, NE, LE, GT, GE; without sign
//! LOOP 4                    // the lines up to END four times, in no time of its own
//!   ACTIVE 0x00ff           // the lines up to END in these lanes only; blocks may stand within blocks
//!     @!P0 BAR.ARV 0x2, 64  // any statement may have a guard
//!   END
//! END
//! NOP 10                    // ten cycles without a barrier
//! ST.SHARED [R0+4], R1      // a 32-bit word of memory: LD or ST, SHARED or GLOBAL; without operands it only takes time
//! BAR.SYNC.GATHER 0x1       // the warp arrives when all its lanes have; .ALIGNED: a fault unless they come together
//! WARPSYNC 0xff             // these lanes wait for each other; ELECT P0, 0xff does as well, and P0 is true in one of them
//! BAR.SYNC 0x1, R4          // any BCU instruction
//! WORD 0x7b1d, 0, 0, 0      // an instruction word, bits 31:0 first, legal or not
//! EXIT                      // also implied by the end; the warp ends with its last lane
//! ```
//! Sections that name one warp twice append. Loops are counted and there are no branches, so the steps are known here;
//! registers and predicates are kept by the run, since B2R writes them. One that no line has written cannot be read.

mod block;
mod data;
mod memory;
mod section;
mod statement;
mod warp;

use super::WarpProgram;
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::{asm, lex};
pub use block::MAX_NESTING;
use block::{Block, Node};
use std::collections::HashSet;

/// Longest program text, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Most warps that a program can name when no machine says how many there are.
pub const MAX_WARPS: usize = 64;
/// Most steps of all warps together, loops unrolled.
pub const MAX_STEPS: usize = 1_000_000;
/// Most errors, and most warnings, that one parse reports.
pub const MAX_REPORTS: usize = 20;

/// A program for every warp of the CTA, indexed by warp, and what is legal but looks wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    pub warps: Vec<WarpProgram>,
    pub warnings: Vec<Diagnostic>,
}

/// Parses a program for `warps` warps of 32 lanes; without a number the program says how many there are.
pub fn parse(text: &str, warps: Option<usize>) -> Result<Parsed, Vec<Diagnostic>> {
    parse_for(text, warps, asm::DEFAULT_LANES)
}

/// As [`parse`], for warps of `lanes` lanes: a count written as a number must be a multiple of them.
pub fn parse_for(text: &str, warps: Option<usize>, lanes: u32) -> Result<Parsed, Vec<Diagnostic>> {
    if text.len() > MAX_BYTES {
        let message = format!("the program has {} bytes", text.len());
        return Err(vec![Diagnostic::new(0..0, message, format!("expected at most {MAX_BYTES}"))]);
    }
    if let Some((at, c)) = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        let message = format!("the control character U+{:04X} stands in the program", c as u32);
        let error = Diagnostic::new(at..at + c.len_utf8(), message, "expected text");
        return Err(vec![error.help("is this a file of another kind?")]);
    }
    let blank = lex::blank_comments(text).map_err(|e| vec![e])?;
    let mut reports = Reports::default();
    let layout = section::read(&blank, warps, &mut reports);
    if reports.errors.is_empty() && layout.sections.iter().all(|section| section.lines.is_empty()) {
        let error = Diagnostic::new(0..0, "this text has no instruction to run", "expected instructions");
        reports.error(error.help("a program may be as short as `BAR.SYNC 0x0`, or as `EXIT` if it is to do nothing"));
    }
    let reader = statement::Reader::new(lanes);
    let mut cta = Cta { team: (0..layout.warps).map(|w| warp::Warp::new(w, lanes)).collect(), steps: 0, reports };
    for section in &layout.sections {
        let members: Vec<usize> = section.warps.clone().unwrap_or_else(|| (0..layout.warps).collect());
        for member in &members {
            if let Some(member) = cta.team.get_mut(*member) {
                member.name(section.role);
            }
        }
        let nodes = block::read(&section.lines, &reader, &mut cta.reports);
        for read in nodes.iter().flat_map(warnings) {
            cta.reports.warn(read.clone());
        }
        cta.run(&nodes, &members, u64::MAX, &mut HashSet::new());
    }
    let Cta { team, steps, mut reports } = cta;
    if steps > MAX_STEPS {
        let error = Diagnostic::new(0..0, format!("the program has more than {MAX_STEPS} steps"), "all warps together");
        reports.error(error.help("shorten it or its loops, or give it to fewer warps"));
    }
    reports.finish(team.into_iter().map(|w| w.program).collect())
}

/// The warnings about the lines of a node.
fn warnings<'n>(node: &'n Node) -> Vec<&'n Diagnostic> {
    match node {
        Node::Line(_, read) => read.warnings.iter().collect(),
        Node::Block(_, nodes) => nodes.iter().flat_map(warnings).collect(),
    }
}

/// All warps while their program is unrolled.
struct Cta {
    team: Vec<warp::Warp>,
    steps: usize,
    reports: Reports,
}

impl Cta {
    /// Has `members` go through `nodes` in the lanes of `active`. Lines in `failed` have been complained about.
    fn run(&mut self, nodes: &[Node], members: &[usize], active: u64, failed: &mut HashSet<usize>) {
        for node in nodes {
            if self.reports.full() || self.steps > MAX_STEPS {
                return;
            }
            let (line, read) = match node {
                Node::Block(Block::Active(mask), nodes) => {
                    self.run(nodes, members, active & mask, failed);
                    continue;
                }
                Node::Block(Block::Loop(times), nodes) => {
                    for _ in 0..*times {
                        self.run(nodes, members, active, failed);
                        if self.reports.full() || self.steps > MAX_STEPS {
                            return;
                        }
                    }
                    continue;
                }
                Node::Line(line, read) => (line, read),
            };
            // A line for no warp counts as well, so that a loop around it ends.
            self.steps += members.len().max(1);
            for member in members.iter().filter(|_| !failed.contains(&line.number)) {
                let warp = self.team.get_mut(*member);
                if let Some(Err(error)) = warp.map(|warp| warp.run(line, read, active, &mut self.reports)) {
                    // The other warps and rounds would say the same.
                    failed.insert(line.number);
                    self.reports.error(error);
                    break;
                }
            }
        }
    }
}

/// Errors and warnings so far.
#[derive(Default)]
struct Reports {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Reports {
    fn full(&self) -> bool {
        self.errors.len() > MAX_REPORTS
    }

    fn error(&mut self, error: Diagnostic) {
        match self.errors.len() {
            n if n < MAX_REPORTS => self.errors.push(error),
            MAX_REPORTS => {
                let more = format!("more than {MAX_REPORTS} errors; the rest is not shown");
                self.errors.push(Diagnostic::new(error.span, more, "the next one is here"));
            }
            _ => {}
        }
    }

    /// Reports it once, however many warps give rise to it.
    fn warn(&mut self, warning: Diagnostic) {
        if self.warnings.len() < MAX_REPORTS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    fn finish(self, warps: Vec<WarpProgram>) -> Result<Parsed, Vec<Diagnostic>> {
        match self.errors.is_empty() {
            true => Ok(Parsed { warps, warnings: self.warnings }),
            false => Err(self.errors),
        }
    }
}
