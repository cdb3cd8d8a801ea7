// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses any text as vISA, for 1 to 8 hardware threads or as many as it declares. The result must
//! be a program of legal words for every thread, or diagnostics that mark spans in the text.
//! `sim/tests/sim/visa_random.rs` also runs accepted texts.
#![no_main]

use bcu_isa::instr;
use bcu_program::bcu::MAX_REPORTS;
use bcu_program::visa::parse;
use bcu_program::Op;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (threads, text) = input;
    let threads = Some(usize::from(threads % 9)).filter(|n| *n > 0);
    let reports = match parse(text, threads, 16) {
        Ok(parsed) => {
            assert!(threads.is_none_or(|n| n == parsed.warps.len()) && !parsed.warps.is_empty());
            for instr in parsed.warps.iter().flat_map(|warp| warp.function()).flat_map(|function| &function.instrs) {
                if let Op::Word(word) = instr.op {
                    assert!(instr::decode(word.word).is_ok() || instr.place.text.starts_with("WORD"));
                }
                assert!(instr.place.line <= text.lines().count() && !instr.place.text.is_empty());
                assert!(text.get(instr.span.clone()).is_some());
            }
            parsed.warnings
        }
        Err(errors) => {
            assert!((1..=MAX_REPORTS + 1).contains(&errors.len()));
            errors
        }
    };
    assert!(reports.iter().all(|r| text.get(r.span.clone()).is_some()), "{reports:?}");
});
