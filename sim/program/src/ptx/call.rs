// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `call (result), name, (arguments);`: the function, and the positions of arguments and result in the caller's frame.

use super::operand::MAX_NAME;
use super::parser::Parser;
use super::symbol::Symbol;
use crate::{Call, Callee, Op, Operand, Slot};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The content of the parentheses of a call: byte ranges of the caller's frame, registers, and whether there are other operands.
struct Listed {
    places: Vec<Range<u64>>,
    slots: Vec<Slot>,
    others: bool,
}

impl Parser<'_> {
    /// Reads a call after its opcode. A call that passes registers or constants instead of variables becomes `Op::NotBuilt`.
    pub(super) fn call(&mut self, head: Range<usize>) -> Result<(Op, Vec<Option<Slot>>), Diagnostic> {
        let mut result = None;
        let mut registers = Vec::new();
        let mut others = false;
        if self.cursor.is(b'(') {
            let listed = self.listed()?;
            result = listed.places.first().cloned();
            registers = listed.slots;
            others |= listed.others;
            self.cursor.expect(b',', "`,`")?;
        }
        let (name, span) = self.cursor.name("the function to call")?;
        let by_register = self.names().declared(name).is_some() || name.starts_with('%');
        let callee = match by_register {
            true => Callee::Register(Operand::register(self.declared_register(name, span)?)),
            false => Callee::Outside(name.get(..MAX_NAME).unwrap_or(name).to_string()),
        };
        let mut arguments = Vec::new();
        while self.cursor.eat(b',') {
            if self.cursor.is(b'(') {
                let listed = self.listed()?;
                others |= listed.others || !listed.slots.is_empty();
                arguments = listed.places;
            } else {
                // A prototype, or the list of possible callees.
                self.cursor.name("a prototype or a list of functions")?;
            }
        }
        let mut writes: Vec<Option<Slot>> = registers.iter().copied().map(Some).collect();
        // A call overwrites the carry flag.
        writes.extend(self.names().known_carry().map(Some));
        if others || !registers.is_empty() {
            let opcode = format!("{} with registers or constants as arguments or result", &self.cursor.source[head]);
            return Ok((Op::NotBuilt { opcode }, writes));
        }
        Ok((Op::Call(Call { callee, arguments, result }), writes))
    }

    fn listed(&mut self) -> Result<Listed, Diagnostic> {
        let mut listed = Listed { places: Vec::new(), slots: Vec::new(), others: false };
        self.cursor.expect(b'(', "`(`")?;
        while !self.cursor.eat(b')') {
            let arg = self.arg()?;
            let place = arg.symbol.as_deref().and_then(|name| self.symbol(name));
            match place {
                Some(Symbol::Frame(range)) => listed.places.push(range),
                _ if !arg.slots.is_empty() => listed.slots.extend(arg.slots),
                _ => listed.others = true,
            }
            if !self.cursor.eat(b',') && !self.cursor.is(b')') {
                return Err(self.cursor.unexpected("`,` or `)`"));
            }
        }
        Ok(listed)
    }
}
