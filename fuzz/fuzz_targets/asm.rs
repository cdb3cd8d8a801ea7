// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assembles any text. The word of a text that assembles must disassemble to a text that assembles
//! to the same word. Every diagnostic must mark a span in the text.
#![no_main]

use bcu_isa::{asm, disasm, instr};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match asm::assemble(text, asm::DEFAULT_LANES) {
        Ok(first) => {
            let word = instr::encode(&first.instr);
            let again = disasm::text(word);
            let second = asm::assemble(&again, asm::DEFAULT_LANES).unwrap_or_else(|e| panic!("{again}: {e:?}"));
            assert_eq!(instr::encode(&second.instr), word, "{again}");
            assert!(first.warnings.iter().all(|w| text.get(w.span.clone()).is_some()), "{:?}", first.warnings);
        }
        Err(error) => assert!(text.get(error.span.clone()).is_some(), "{error:?}"),
    }
});
