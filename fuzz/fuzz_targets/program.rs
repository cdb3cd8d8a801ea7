// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses any text as BCU assembly, for a CTA of 1 to 8 warps or of as many as the text declares.
//! The result must be a program for every warp, which runs on the model, or diagnostics that mark
//! spans in the text.
#![no_main]

mod run;

use bcu_isa::instr;
use bcu_program::bcu::{parse_for, MAX_REPORTS};
use bcu_program::Op;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (machine, text) = input;
    let machine = Some(usize::from(machine % 9)).filter(|n| *n > 0);
    let reports = match parse_for(text, machine, run::LANES) {
        Ok(parsed) => {
            assert!(machine.is_none_or(|n| n == parsed.warps.len()) && !parsed.warps.is_empty());
            for instr in parsed.warps.iter().flat_map(|warp| warp.function()).flat_map(|function| &function.instrs) {
                match instr.op {
                    // Only `WORD` produces words that are not instructions.
                    Op::Word(word) => assert!(instr::decode(word.word).is_ok() || instr.place.text.starts_with("WORD")),
                    Op::Busy { cycles } => assert!(cycles > 0),
                    _ => {}
                }
                assert!(instr.place.line <= text.lines().count() && !instr.place.text.is_empty());
                assert!(text.get(instr.span.clone()).is_some());
            }
            // BCU assembly has no unknown values, which could stop a run early. But programs that
            // need Intel's gateway fail at the start, because the configuration has no gateway.
            let of_gateway = text.contains("NBAR") || text.contains("WORD");
            assert!(of_gateway || run::run(&parsed.warps, parsed.warps.len() as u32 * run::LANES, text).is_ok());
            parsed.warnings
        }
        Err(errors) => {
            assert!((1..=MAX_REPORTS + 1).contains(&errors.len()));
            errors
        }
    };
    assert!(reports.iter().all(|r| text.get(r.span.clone()).is_some()), "{reports:?}");
});
