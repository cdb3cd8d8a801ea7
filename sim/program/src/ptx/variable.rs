// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Variables: their addresses, and their content before the run.

use super::ast::CodeKind;
use super::declared::{bytes_of, Declared, VariableType};
use super::lex::Kind;
use super::literal::Literal;
use super::parser::Parser;
use super::symbol::Symbol;
use crate::arith::{Format, Scalar, Type, TypeKind};
use crate::{window, Image, Unset, Variable};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// Maximum number of bytes of all variables in one memory.
const MAX_BYTES: u64 = 1 << 26;

impl Parser<'_> {
    /// Reads a declaration of shared variables, such as `.shared .align 16 .b8 a[64], b[4];`, and places them in shared memory.
    pub(super) fn shared(&mut self) -> Result<(), Diagnostic> {
        let mut ty = self.variable("the name of a variable")?;
        loop {
            let place = self.module.shared.unwrap_or(0).next_multiple_of(ty.align);
            if ty.open {
                self.module.dynamic.push(ty.name.clone());
                self.module.dynamic_align = self.module.dynamic_align.max(ty.align);
            } else {
                self.builder.shared = self.builder.shared.saturating_add(ty.bytes);
                self.module.shared_names.push((ty.name.clone(), place, ty.bytes));
                self.declare(&ty, Symbol::Shared(place));
            }
            let end = place.saturating_add(ty.bytes);
            if end > MAX_BYTES {
                return Err(too_large(&ty));
            }
            self.module.shared = Some(if ty.open { self.module.shared.unwrap_or(0) } else { end });
            if !self.another(&mut ty)? {
                return Ok(());
            }
        }
    }

    /// Reads a declaration such as `.local .align 16 .b8 depot[64];` or `.param .b32 argument;`, and places its variables in the frame of
    /// the function.
    pub(super) fn in_frame(&mut self) -> Result<(), Diagnostic> {
        let mut ty = self.variable("the name of a variable")?;
        loop {
            let range = self.frame(&ty)?;
            self.declare(&ty, Symbol::Frame(range));
            if !self.another(&mut ty)? {
                return Ok(());
            }
        }
    }

    /// Allocates space in the frame of the function.
    pub(super) fn frame(&mut self, ty: &Declared) -> Result<Range<u64>, Diagnostic> {
        let start = self.builder.frame.next_multiple_of(ty.align);
        let end = start.saturating_add(ty.bytes);
        if end > MAX_BYTES {
            return Err(too_large(ty));
        }
        self.builder.frame = end;
        Ok(start..end)
    }

    /// Reads a declaration such as `.global .align 4 .u32 table[4] = {1, 2, 3};`, or one with `.const`, and places its variables in memory.
    pub(super) fn global(&mut self) -> Result<(), Diagnostic> {
        let constant = self.cursor.text() == ".const";
        let mut ty = self.variable("the name of a variable")?;
        loop {
            let at = self.next_global.next_multiple_of(ty.align.max(16));
            let end = at.saturating_add(ty.bytes);
            if end.saturating_sub(self.module.base()) > MAX_BYTES {
                return Err(too_large(&ty));
            }
            // Bytes without an initial value are 0, as in C.
            let mut bytes = Image::zeroed(ty.bytes as usize);
            let mut unset = None;
            if self.cursor.eat(b'=') {
                let mut at = 0;
                self.initial(&ty.ty, &mut bytes, &mut at)?;
            } else if constant && ty.open || self.external {
                bytes = Image::unknown(ty.bytes as usize);
            } else {
                unset = Some(if constant { Unset::Constant } else { Unset::Global });
            }
            self.next_global = end + 16;
            self.module.variables.push(Variable { name: ty.name.clone(), address: at, bytes, unset });
            self.module.variable_types.push(VariableType { ty: ty.ty.clone(), dimensions: ty.dimensions.clone() });
            self.declare(&ty, Symbol::Global(at));
            if !self.another(&mut ty)? {
                return Ok(());
            }
        }
    }

    /// Reads the initializer after `=` into `bytes`, from byte `at` on, and advances `at`. The initializer is a value, or values in braces,
    /// in memory order.
    fn initial(&mut self, ty: &str, bytes: &mut Image, at: &mut usize) -> Result<(), Diagnostic> {
        if self.cursor.eat(b'{') {
            while !self.cursor.eat(b'}') {
                self.initial(ty, bytes, at)?;
                if !self.cursor.eat(b',') && !self.cursor.is(b'}') {
                    return Err(self.cursor.unexpected("`,` or `}`"));
                }
            }
            return Ok(());
        }
        let size = bytes_of(ty).unwrap_or(1) as usize;
        let value = self.value(ty, *at)?;
        for i in 0..size {
            if *at + i < bytes.len() {
                bytes.set(*at + i, value.map(|value| value.checked_shr(8 * i as u32).unwrap_or(0) as u8));
            }
        }
        *at += size;
        Ok(())
    }

    /// Reads a constant, and returns it in the bits of the type. `None`: the value is not known yet. The address of a function, or of a
    /// variable that is declared later, is filled in when all addresses are known.
    fn value(&mut self, ty: &str, place: usize) -> Result<Option<u64>, Diagnostic> {
        let negative = self.cursor.is(b'-') && self.cursor.kind_after() == Kind::Float;
        if negative {
            self.cursor.advance();
        }
        if self.cursor.kind() == Kind::Float {
            let literal = Literal::read(self.cursor.text(), negative);
            self.cursor.advance();
            let scalar = match bytes_of(ty) {
                Some(8) => Scalar::Float(Format::F64),
                Some(4) => Scalar::Float(Format::F32),
                _ => Scalar::Integer(Type { kind: TypeKind::Unsigned, bits: 16 }),
            };
            return Ok(literal.and_then(|literal| literal.bits(scalar)));
        }
        if self.cursor.at_constant() {
            return Ok(Some(self.cursor.constant()? as u64));
        }
        let (name, _) = self.cursor.name("a value")?;
        let generic = name == "generic" && self.cursor.eat(b'(');
        let name = if generic { self.cursor.name("a variable")?.0 } else { name };
        if generic {
            self.cursor.expect(b')', "`)`")?;
        } else if self.cursor.is(b'(') {
            // `0xff(name)` and similar expressions take a byte of an address.
            self.cursor.skip_balanced()?;
            return Ok(None);
        }
        let offset = if self.cursor.is(b'+') || self.cursor.is(b'-') { self.cursor.constant()? } else { 0 };
        Ok(match self.symbol(name) {
            Some(Symbol::Global(at)) => Some(at.wrapping_add(offset as u64)),
            Some(Symbol::Shared(at)) if generic => Some((window::SHARED + at).wrapping_add(offset as u64)),
            _ => {
                if bytes_of(ty) == Some(self.module.pointer()) && offset == 0 {
                    self.module.relocations.push((self.module.variables.len(), place, name.to_string()));
                }
                None
            }
        })
    }

    /// Reads the next variable of a list such as `a[64], b[4]` into `ty`, with the type of the list. At the end of the list, skips the rest
    /// of the statement and returns false.
    fn another(&mut self, ty: &mut Declared) -> Result<bool, Diagnostic> {
        if !self.cursor.eat(b',') {
            // Anything else before the end of the statement, such as attributes, is ignored.
            self.cursor.skip_statement()?;
            return Ok(false);
        }
        let next = self.variable("the name of a variable")?;
        let elements = next.bytes;
        let each = bytes_of(&ty.ty).unwrap_or(1);
        *ty = Declared { bytes: each.saturating_mul(elements), ty: ty.ty.clone(), align: ty.align, ..next };
        Ok(true)
    }

    /// Declares a name: in the code that is being read, otherwise in the whole module.
    pub(super) fn declare(&mut self, ty: &Declared, symbol: Symbol) {
        let inside = self.builder.open;
        let symbols = if inside { &mut self.builder.symbols } else { &mut self.symbols };
        symbols.insert(ty.name.clone(), symbol);
    }

    /// The meaning of a name that is not a register, if it has been declared.
    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.builder.symbols.get(name).or_else(|| self.symbols.get(name)).cloned()
    }

    /// Declares the parameters. The parameters of a kernel are in its arguments, the parameters of a function in its frame.
    pub(super) fn place_parameters(&mut self, kind: CodeKind) -> Result<(), Diagnostic> {
        for param in self.builder.params.clone() {
            let symbol = match kind {
                CodeKind::Function => {
                    let align = bytes_of(&param.ty).unwrap_or(1).max(8);
                    let (name, ty) = (param.name.clone(), param.ty.clone());
                    let dimensions = vec![];
                    let declared = Declared { name, span: 0..0, ty, bytes: param.bytes, align, dimensions, open: false };
                    let range = self.frame(&declared)?;
                    self.builder.parameters.push(range.clone());
                    Symbol::Frame(range)
                }
                CodeKind::Kernel | CodeKind::Fragment => Symbol::Param(param.offset),
            };
            self.builder.symbols.insert(param.name.clone(), symbol);
        }
        Ok(())
    }
}

fn too_large(ty: &Declared) -> Diagnostic {
    let message =
        format!("`{}` does not fit: the variables of one state space have more than {MAX_BYTES} bytes together", ty.name);
    Diagnostic::new(ty.span.clone(), message, format!("expected at most {MAX_BYTES} bytes"))
}
