// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu disasm`: disassembles instruction words into BCU instructions.

use crate::diag::{Source, MAX_SHOWN};
use crate::failure::{print, Outcome, Result};
use bcu_isa::diag::Diagnostic;
use bcu_isa::disasm::text;
use bcu_isa::instr::{decode, split};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  bcu disasm words.txt
  echo 'BAR.ARV R4, 0x80' | bcu asm | bcu disasm

Each line of the input is a 128-bit word in hexadecimal, bit 127 first, with or without `0x`;
`#` and `//` start a comment. A word that is not an instruction is printed as `illegal` with the
reason. Nothing is printed if a line is not a word.

Exit codes: 0 all good, 1 a word is not an instruction, 2 wrong or unreadable input.";

/// Disassemble 128-bit words into BCU instructions.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Text with one word per line; `-` is standard input.
    #[arg(default_value = "-")]
    file: PathBuf,
}

pub fn run(args: Args) -> Result {
    let source = Source::read(&args.file)?;
    let (mut lines, mut errors, mut outcome, mut at) = (String::new(), vec![], Outcome::Good, 0);
    for line in source.text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or("").split('#').next().unwrap_or("");
        let digits = code.trim();
        let start = at + (code.len() - code.trim_start().len());
        at += line.len();
        if digits.is_empty() {
            continue;
        }
        let plain = digits.strip_prefix("0x").unwrap_or(digits);
        // `from_str_radix` would accept a sign as well.
        let hex = plain.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u128::from_str_radix(plain, 16).ok()).flatten();
        match hex.map(split) {
            Some(word) => {
                lines += &(text(word) + "\n");
                if decode(word).is_err() {
                    outcome = Outcome::CheckFailed;
                }
            }
            None => {
                let error = Diagnostic::new(
                    start..start + digits.len(),
                    "this is not an instruction word",
                    "expected up to 32 hexadecimal digits",
                );
                errors.push(error.help("`bcu asm` converts instructions to words"));
                if errors.len() > MAX_SHOWN {
                    break;
                }
            }
        }
    }
    if !errors.is_empty() {
        return Err(source.errors(&errors));
    }
    print(&lines)?;
    Ok(outcome)
}
