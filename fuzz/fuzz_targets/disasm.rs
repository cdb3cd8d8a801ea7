// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes and disassembles any word. The word must either decode to an instruction whose encoding
//! has the same bits in all decoded fields, or be illegal, with a text that begins with `illegal`.
#![no_main]

use bcu_isa::fields::DECODED_BITS;
use bcu_isa::{disasm, instr};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: [u8; 16]| {
    let bits = u128::from_le_bytes(bytes);
    let word = instr::split(bits);
    let text = disasm::text(word);
    match instr::decode(word) {
        Ok(found) => {
            assert_eq!(instr::join(instr::encode(&found)), bits & ((1 << DECODED_BITS) - 1), "{text}");
            assert_eq!(bits & !found.form().allowed_mask() & ((1 << DECODED_BITS) - 1), 0, "{text}");
        }
        Err(_) => assert!(text.starts_with("illegal 0x"), "{text}"),
    }
});
