// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The declarations of a kernel before its instructions: its parameters, and its shared memory.

use super::declared::{bytes_of, Declared, Param};
use super::lex::Kind;
use super::parser::Parser;
use bcu_isa::diag::Diagnostic;

/// Maximum number of bytes of one declaration: more than any GPU has.
const MAX_BYTES: u64 = 1 << 40;

/// Maximum number of bytes of all parameters of a kernel or function; PTX allows 32764.
const MAX_PARAMETERS: u64 = 1 << 16;

impl Parser<'_> {
    /// Reads a list of parameters such as `(.param .u64 a, .param .align 8 .b8 b[16])`, with the parentheses.
    pub(super) fn parameters(&mut self) -> Result<Vec<Param>, Diagnostic> {
        self.cursor.expect(b'(', "`(`")?;
        let mut params: Vec<Param> = Vec::new();
        while !self.cursor.is(b')') {
            let Declared { name, span, ty, bytes, align, .. } = self.variable("the name of a parameter")?;
            let end = params.last().map_or(0, |last: &Param| last.offset + last.bytes);
            if end.next_multiple_of(align).saturating_add(bytes) > MAX_PARAMETERS {
                let message = format!("with `{name}` the parameters have more than {MAX_PARAMETERS} bytes");
                return Err(Diagnostic::new(span, message, format!("expected at most {MAX_PARAMETERS} bytes")));
            }
            params.push(Param { name, source_name: None, ty, bytes, offset: end.next_multiple_of(align) });
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.cursor.expect(b')', "`,` or `)`")?;
        Ok(params)
    }

    /// Reads the type, name and size of a declaration, from its state space on.
    pub(super) fn variable(&mut self, what: &str) -> Result<Declared, Diagnostic> {
        let (mut ty, mut elements, mut align) = (String::new(), 1u64, 0u64);
        while let Some(dotted) = self.cursor.take(Kind::Dotted) {
            match dotted {
                // After `.ptr`, the alignment is that of the pointed-to memory.
                ".align" => {
                    let given = u64::try_from(self.cursor.constant()?).unwrap_or(0);
                    align = if ty.is_empty() { given } else { align };
                }
                // Memory that the host uses as well, or a texture of unified memory: no difference in a run.
                ".attribute" if self.cursor.is(b'(') => self.cursor.skip_balanced()?,
                ".v2" => elements = 2,
                ".v4" => elements = 4,
                _ if bytes_of(dotted).is_some() => ty = dotted.to_string(),
                _ => {}
            }
        }
        let (name, span) = self.cursor.name(what)?;
        let mut open = false;
        let (vector, mut dimensions) = (elements, vec![]);
        while self.cursor.eat(b'[') {
            // `[]` is memory whose size the launch gives.
            open |= self.cursor.is(b']');
            let size = if self.cursor.is(b']') { 0 } else { u64::try_from(self.cursor.constant()?).unwrap_or(0) };
            elements = elements.saturating_mul(size);
            dimensions.push(size);
            self.cursor.expect(b']', "`]`")?;
        }
        dimensions.extend((vector > 1).then_some(vector));
        let natural = bytes_of(&ty).unwrap_or(1);
        let bytes = natural.saturating_mul(elements).min(MAX_BYTES);
        let align = if align == 0 { natural } else { align }.clamp(1, 1 << 12).next_power_of_two();
        Ok(Declared { name: name.to_string(), span, ty, bytes, align, dimensions, open })
    }
}
