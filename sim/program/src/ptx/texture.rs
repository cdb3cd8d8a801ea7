// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texture fetches and queries with the handle of a texture in a register: `tex.1d`, `.2d`, `.3d`, `txq`.

use super::memory::{slot, LoweredOp};
use super::parser::Parser;
use crate::arith::{Type, TypeKind};
use crate::texture::{Fetched, MAX_RANK};
use crate::{Access, AccessKind, Op, Operand, Order, Space, TextureUse};
use bcu_isa::diag::Diagnostic;

const RANKS: [&str; MAX_RANK] = [".1d", ".2d", ".3d"];
const QUERIES: [&str; MAX_RANK] = [".width", ".height", ".depth"];

impl Parser<'_> {
    /// The operation of `tex.2d.v4.f32.f32 {r, g, b, a}, [texture, {x, y}]` or `txq.width.b32 d, [texture]`. `None`: a form that is not
    /// evaluated, whose operands remain to be read.
    pub(super) fn texture(&mut self, opcode: &str, modifiers: &[&str]) -> Result<Option<LoweredOp>, Diagnostic> {
        let first = self.cursor.position();
        let lowered = match opcode {
            "tex" => self.fetch(modifiers)?,
            _ => self.query(modifiers)?,
        };
        if lowered.is_none() || !self.cursor.is(b';') {
            self.cursor.rewind(first);
            return Ok(None);
        }
        Ok(lowered)
    }

    fn fetch(&mut self, modifiers: &[&str]) -> Result<Option<LoweredOp>, Diagnostic> {
        let [rank, ".v4", fetched, coordinates] = modifiers else { return Ok(None) };
        let Some(rank) = RANKS.iter().position(|known| known == rank).map(|at| at + 1) else { return Ok(None) };
        let (fetched, kind) = match *fetched {
            ".f32" => (Fetched::F32, TypeKind::Float),
            ".s32" => (Fetched::S32, TypeKind::Signed),
            ".u32" => (Fetched::U32, TypeKind::Unsigned),
            _ => return Ok(None),
        };
        let is_integer = match *coordinates {
            ".f32" => false,
            ".s32" => true,
            _ => return Ok(None),
        };
        let to = self.arg()?;
        let Some(elements) = to.vector.filter(|elements| elements.len() == 4) else { return Ok(None) };
        let Some((address, offset)) = self.handle()? else { return Ok(None) };
        if !self.cursor.eat(b',') || !self.cursor.is(b'{') {
            return Ok(None);
        }
        let (_, at, literals) = self.vector()?;
        // The fourth coordinate in three dimensions is ignored.
        let written = if rank == 3 { 4 } else { rank };
        let Some(mut at) = at.filter(|at| at.len() == written && self.cursor.eat(b']')) else { return Ok(None) };
        for (i, literal) in literals {
            at[i] = super::computed::constant(literal.bits(crate::arith::Scalar::Float(crate::arith::Format::F32)));
        }
        at.truncate(rank);
        let used = TextureUse::Fetch { fetched, coordinates: at, is_integer };
        let access = access(address, offset, used, Type { kind, bits: 32 });
        Ok(Some((access, elements.iter().map(slot).collect())))
    }

    fn query(&mut self, modifiers: &[&str]) -> Result<Option<LoweredOp>, Diagnostic> {
        let [query, ".b32"] = modifiers else { return Ok(None) };
        let Some(axis) = QUERIES.iter().position(|known| known == query) else { return Ok(None) };
        let to = self.arg()?;
        let Some((address, offset)) = self.handle()?.filter(|_| self.cursor.eat(b']')) else { return Ok(None) };
        Ok(Some((access(address, offset, TextureUse::Extent(axis), Type::U32), vec![slot(&to.operand)])))
    }

    /// Reads `, [texture`.
    fn handle(&mut self) -> Result<Option<(Operand, i64)>, Diagnostic> {
        if !self.cursor.eat(b',') || !self.cursor.eat(b'[') {
            return Ok(None);
        }
        Ok(self.base_and_offset()?.filter(|(base, _)| matches!(base, Operand::Register { .. } | Operand::Immediate(_))))
    }
}

fn access(handle: Operand, offset: i64, used: TextureUse, ty: Type) -> Op {
    // A texture must not change while it is read.
    let order = Order { read_only: true, ..Order::default() };
    let kind = AccessKind::Texture(used);
    Op::Access(Access { space: Space::Global, kind, address: Some(handle), offset, ty, count: 1, order, narrow: false })
}
