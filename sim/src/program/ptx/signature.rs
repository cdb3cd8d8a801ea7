// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a kernel says before its instructions: its parameters, and the shared memory that it declares.

use super::lex::Kind;
use super::parse::Parser;
use bcu_hw::diag::Diagnostic;
use serde::Serialize;

/// The most bytes of one declaration: more than any GPU has.
const MAX_BYTES: u64 = 1 << 40;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Param {
    pub name: String,
    /// As written, with its dot: `.u64`; of a structure `.b8`.
    pub ty: String,
    /// Size of the whole parameter.
    pub bytes: u64,
}

/// Bytes of a type such as `.u32`, `.v4` taken apart; `None` if it is no type with a size.
fn bytes_of(ty: &str) -> Option<u64> {
    if ty == ".pred" {
        return Some(1);
    }
    let digits = ty.find(|c: char| c.is_ascii_digit())?;
    let known = matches!(ty.get(1..digits)?, "b" | "u" | "s" | "f" | "bf");
    let bits: u64 = ty.get(digits..)?.trim_end_matches("x2").parse().ok()?;
    let packed = if ty.ends_with("x2") { 2 } else { 1 };
    (known && matches!(bits, 8 | 16 | 32 | 64 | 128)).then_some(bits / 8 * packed)
}

impl Parser<'_> {
    /// `(.param .u64 a, .param .align 8 .b8 b[16])`, with the parentheses.
    pub(super) fn parameters(&mut self) -> Result<Vec<Param>, Diagnostic> {
        self.cursor.expect(b'(', "`(`")?;
        let mut params = Vec::new();
        while !self.cursor.is(b')') {
            let (ty, name, bytes) = self.variable("the name of a parameter")?;
            params.push(Param { name, ty, bytes });
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.cursor.expect(b')', "`,` or `)`")?;
        Ok(params)
    }

    /// `.shared .align 16 .b8 a[64];`: adds its bytes to those of the kernel. Compilers write one variable in a statement.
    pub(super) fn shared(&mut self) -> Result<(), Diagnostic> {
        let (.., bytes) = self.variable("the name of a variable")?;
        self.builder.shared = self.builder.shared.saturating_add(bytes);
        self.cursor.skip_statement()
    }

    /// Type, name and bytes of a declaration with its state space: `.param .align 8 .b8 name[16]`.
    fn variable(&mut self, what: &str) -> Result<(String, String, u64), Diagnostic> {
        let (mut ty, mut elements) = (String::new(), 1u64);
        while let Some(dotted) = self.cursor.take(Kind::Dotted) {
            match dotted {
                // Of a pointer: `.ptr .global .align 4` behind the type.
                ".align" => {
                    self.cursor.constant()?;
                }
                ".v2" => elements = 2,
                ".v4" => elements = 4,
                _ if bytes_of(dotted).is_some() => ty = dotted.to_string(),
                _ => {}
            }
        }
        let (name, _) = self.cursor.name(what)?;
        while self.cursor.eat(b'[') {
            // `[]` is memory whose size the launch gives.
            let size = if self.cursor.is(b']') { 0 } else { u64::try_from(self.cursor.constant()?).unwrap_or(0) };
            elements = elements.saturating_mul(size);
            self.cursor.expect(b']', "`]`")?;
        }
        let bytes = bytes_of(&ty).unwrap_or(0).saturating_mul(elements).min(MAX_BYTES);
        Ok((ty, name.to_string(), bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_their_sizes() {
        let sizes = [".u8", ".s16", ".f32", ".b64", ".b128", ".f16x2", ".bf16", ".pred", ".ptr", ".global", ".tf32"];
        let expected = [Some(1), Some(2), Some(4), Some(8), Some(16), Some(4), Some(2), Some(1), None, None, None];
        assert_eq!(sizes.map(bytes_of), expected);
    }
}
