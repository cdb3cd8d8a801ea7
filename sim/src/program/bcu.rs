// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BCU assembly programs: which warps run which lines.
//!
//! One instruction per line, with the comments of BCU assembly (`//`, `#`, `/* */`); `;` ends an instruction and may be left out.
//! ```text
//! .cta_warps 4              // warps of the CTA, for a run without a machine file; default: 1 + the highest warp named
//! .warps 0, 2-3 producer    // who runs the lines below, and what to call them; `all` at the start and when written
//! MOV R4, 0x80              // a register gets a value, in one cycle
//! NOP 10                    // ten cycles without a barrier
//! ST.SHARED [R0], R1        // memory access: LD or ST, SHARED or GLOBAL; operands may be left out
//! BAR.SYNC 0x1, R4          // any BCU instruction
//! EXIT                      // also implied by the end
//! ```
//! Sections that name one warp twice append. There are no branches, so a register has one value at each line, known here.
//! Predicates have no values: `@PT` is the only guard.

mod section;
mod statement;
mod warp;

use super::WarpProgram;
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::{asm, lex};

/// Longest program text, in bytes.
pub const MAX_BYTES: usize = 1 << 20;
/// Most warps that a program can name when no machine says how many there are.
pub const MAX_WARPS: usize = 64;
/// Most steps of all warps together.
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
    let mut team: Vec<warp::Warp> = (0..layout.warps).map(warp::Warp::new).collect();
    let reader = statement::Reader::new(lanes);
    let mut steps = 0;
    for section in &layout.sections {
        let members: Vec<usize> = section.warps.clone().unwrap_or_else(|| (0..layout.warps).collect());
        for member in &members {
            if let Some(member) = team.get_mut(*member) {
                member.name(section.role);
            }
        }
        for line in &section.lines {
            if reports.full() || steps > MAX_STEPS {
                break;
            }
            let (statement, warnings) = match reader.read(line) {
                Ok(read) => read,
                Err(error) => {
                    reports.error(error);
                    continue;
                }
            };
            warnings.into_iter().for_each(|w| reports.warn(w));
            steps += members.len();
            for member in &members {
                let outcome = team.get_mut(*member).map_or(Ok(()), |warp| warp.run(line, &statement, &mut reports));
                if let Err(error) = outcome {
                    // The other warps of the section would say the same.
                    reports.error(error);
                    break;
                }
            }
        }
    }
    if steps > MAX_STEPS {
        let error = Diagnostic::new(0..0, format!("the program has more than {MAX_STEPS} steps"), "all warps together");
        reports.error(error.help("shorten it, or give it to fewer warps"));
    }
    reports.finish(team.into_iter().map(|w| w.program).collect())
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
