// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu asm`: assembles BCU instructions into instruction words.

use crate::diag::{Source, MAX_SHOWN};
use crate::failure::{print, Outcome, Result};
use bcu_isa::asm::{assemble, DEFAULT_LANES};
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::{encode, join};
use bcu_isa::lex::blank_comments;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  echo 'BAR.SYNC 0x1, 0x80' | bcu asm
  bcu asm words.txt | bcu disasm        back to text, with every operand written out

Each line of the input is one BCU instruction, empty, or a comment; each line of the output is
its 128-bit word in hexadecimal, bit 127 first. Nothing is printed if any line is wrong. For
whole programs with roles, NOP and EXIT see `bcu run`.

Exit codes: 0 all good, 2 wrong or unreadable input.";

/// Assemble BCU instructions into 128-bit words.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Text with one instruction per line; `-` is standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Lanes of a warp: a thread count written as a number must be a multiple of it.
    #[arg(long, default_value_t = DEFAULT_LANES, value_parser = clap::value_parser!(u32).range(1..=64))]
    lanes: u32,
}

pub fn run(args: Args) -> Result {
    let source = Source::read(&args.file)?;
    let blank = blank_comments(&source.text).map_err(|e| source.errors(&[e]))?;
    let (mut words, mut errors, mut warnings, mut at) = (String::new(), vec![], vec![], 0);
    for line in blank.split_inclusive('\n') {
        let moved = |mut d: Diagnostic| {
            d.span = d.span.start + at..d.span.end + at;
            d
        };
        match assemble(line.trim_end(), args.lanes) {
            _ if line.trim().is_empty() => {}
            Ok(done) => {
                words += &format!("{:#034x}\n", join(encode(&done.instr)));
                warnings.extend(done.warnings.into_iter().map(moved));
            }
            Err(error) => errors.push(moved(error)),
        }
        if errors.len() > MAX_SHOWN {
            break;
        }
        at += line.len();
    }
    source.warn(&warnings);
    if !errors.is_empty() {
        return Err(source.errors(&errors));
    }
    print(&words)?;
    Ok(Outcome::Good)
}
