// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The type of the words of shared memory: that of the accesses to it in PTX.

use bcu_machine::text::WordType;

/// The type of all accesses of 32 bits to shared memory, apart from those without a type (`.b32`); unsigned if they differ.
pub fn word_type(texts: &[&str]) -> WordType {
    let mut found: Vec<WordType> = vec![];
    for opcode in texts.iter().flat_map(|text| text.split(|c: char| c.is_whitespace() || c == ';')) {
        let parts: Vec<&str> = opcode.split('.').collect();
        if !parts.iter().any(|part| *part == "shared" || part.starts_with("shared::")) {
            continue;
        }
        let of_access = match parts.last() {
            Some(&"f32") => WordType::Float,
            Some(&"s32") => WordType::Signed,
            Some(&"u32") => WordType::Unsigned,
            _ => continue,
        };
        if !found.contains(&of_access) {
            found.push(of_access);
        }
    }
    match found[..] {
        [only] => only,
        _ => WordType::Unsigned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_type_of_their_accesses() {
        assert_eq!(
            word_type(&["\tst.shared.f32 \t[%r1], %f1;", "ld.shared.b32 %r1, [%r2]; ld.global.u32 %r1, [%rd2];"]),
            WordType::Float
        );
        assert_eq!(word_type(&["ld.shared::cta.v2.s32 {%r1, %r2}, [%r3];"]), WordType::Signed);
        assert_eq!(word_type(&["st.shared.f32 [%r1], %f1;", "st.shared.s32 [%r1], %r1;"]), WordType::Unsigned);
        assert_eq!(word_type(&["ST.SHARED [0x40], WARPID"]), WordType::Unsigned);
    }
}
