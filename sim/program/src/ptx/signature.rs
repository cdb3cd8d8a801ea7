// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a kernel says before its instructions: its parameters, and the shared memory that it declares.

use super::lex::Kind;
use super::parse::Parser;
use bcu_isa::diag::Diagnostic;
use serde::Serialize;
use std::ops::Range;

/// The most bytes of one declaration: more than any GPU has.
const MAX_BYTES: u64 = 1 << 40;

/// The most bytes of all parameters of a kernel or function; PTX allows 32764.
const MAX_PARAMETERS: u64 = 1 << 16;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Param {
    pub name: String,
    /// As written, with its dot: `.u64`; of a structure `.b8`.
    pub ty: String,
    /// Size of the whole parameter.
    pub bytes: u64,
    /// Where it stands among the arguments.
    #[serde(skip)]
    pub offset: u64,
}

/// Bytes of a type such as `.u32`, `.v4` taken apart; `None` if it is no type with a size.
pub(super) fn bytes_of(ty: &str) -> Option<u64> {
    if ty == ".pred" {
        return Some(1);
    }
    let digits = ty.find(|c: char| c.is_ascii_digit())?;
    let known = matches!(ty.get(1..digits)?, "b" | "u" | "s" | "f" | "bf");
    let bits: u64 = ty.get(digits..)?.trim_end_matches("x2").parse().ok()?;
    let packed = if ty.ends_with("x2") { 2 } else { 1 };
    (known && matches!(bits, 8 | 16 | 32 | 64 | 128)).then_some(bits / 8 * packed)
}

/// A declaration: `.param .align 8 .b8 name[16]`.
pub(super) struct Declared {
    pub name: String,
    pub span: Range<usize>,
    pub ty: String,
    /// Of the whole variable; 0 where the launch gives the size.
    pub bytes: u64,
    pub align: u64,
    /// `[]`
    pub open: bool,
}

impl Parser<'_> {
    /// `(.param .u64 a, .param .align 8 .b8 b[16])`, with the parentheses.
    pub(super) fn parameters(&mut self) -> Result<Vec<Param>, Diagnostic> {
        self.cursor.expect(b'(', "`(`")?;
        let mut params: Vec<Param> = Vec::new();
        while !self.cursor.is(b')') {
            let Declared { name, span, ty, bytes, align, .. } = self.variable("the name of a parameter")?;
            let end = params.last().map_or(0, |last: &Param| last.offset + last.bytes);
            if end.next_multiple_of(align).saturating_add(bytes) > MAX_PARAMETERS {
                let message = format!("with `{name}` the parameters have more than {MAX_PARAMETERS} bytes");
                return Err(Diagnostic::new(span, message, "one too many"));
            }
            params.push(Param { name, ty, bytes, offset: end.next_multiple_of(align) });
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.cursor.expect(b')', "`,` or `)`")?;
        Ok(params)
    }

    /// Type, name and size of a declaration, from its state space on.
    pub(super) fn variable(&mut self, what: &str) -> Result<Declared, Diagnostic> {
        let (mut ty, mut elements, mut align) = (String::new(), 1u64, 0u64);
        while let Some(dotted) = self.cursor.take(Kind::Dotted) {
            match dotted {
                // Of a pointer, behind `.ptr`, it is about what it points to.
                ".align" => {
                    let given = u64::try_from(self.cursor.constant()?).unwrap_or(0);
                    align = if ty.is_empty() { given } else { align };
                }
                ".v2" => elements = 2,
                ".v4" => elements = 4,
                _ if bytes_of(dotted).is_some() => ty = dotted.to_string(),
                _ => {}
            }
        }
        let (name, span) = self.cursor.name(what)?;
        let mut open = false;
        while self.cursor.eat(b'[') {
            // `[]` is memory whose size the launch gives.
            open |= self.cursor.is(b']');
            let size = if self.cursor.is(b']') { 0 } else { u64::try_from(self.cursor.constant()?).unwrap_or(0) };
            elements = elements.saturating_mul(size);
            self.cursor.expect(b']', "`]`")?;
        }
        let natural = bytes_of(&ty).unwrap_or(1);
        let bytes = natural.saturating_mul(elements).min(MAX_BYTES);
        let align = if align == 0 { natural } else { align }.clamp(1, 1 << 12).next_power_of_two();
        Ok(Declared { name: name.to_string(), span, ty, bytes, align, open })
    }
}
