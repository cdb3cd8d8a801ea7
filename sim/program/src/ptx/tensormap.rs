// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Changes of tensor maps by a kernel: `tensormap.replace` stores a field, and `tensormap.cp_fenceproxy` copies a map from shared to global
//! memory.

use super::memory::LoweredOp;
use super::operand::Arg;
use super::parser::Parser;
use crate::arith::{Type, TypeKind};
use crate::tensor::{Field, BYTES, MAX_RANK};
use crate::{AccessKind, Op, Operand};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The fields that have an ordinal, and the others.
const OF_DIMENSION: [(&str, fn(usize) -> Field); 4] = [
    (".box_dim", Field::BoxDim),
    (".global_dim", Field::GlobalDim),
    (".global_stride", Field::GlobalStride),
    (".element_stride", Field::ElementStride),
];
const OF_MAP: [(&str, Field); 7] = [
    (".global_address", Field::GlobalAddress),
    (".rank", Field::Rank),
    (".elemtype", Field::ElemType),
    (".interleave_layout", Field::InterleaveLayout),
    (".swizzle_mode", Field::SwizzleMode),
    (".swizzle_atomicity", Field::SwizzleAtomicity),
    (".fill_mode", Field::FillMode),
];

impl Parser<'_> {
    /// The operation of `tensormap.replace.tile.box_dim{.shared::cta}.b1024.b32 [map], ordinal, value`, or of a field without an ordinal:
    /// a store to the bytes of the field. `None`: a form that is not evaluated.
    pub(super) fn replaced_field(
        &mut self,
        modifiers: &[&str],
        args: &[Arg],
        head: Range<usize>,
    ) -> Result<Option<LoweredOp>, Diagnostic> {
        let has = |name: &str| modifiers.contains(&name);
        let wrong = |span: Range<usize>, message: &str, label: &str| Err(Diagnostic::new(span, message, label));
        let (field, map, value) = match (OF_MAP.iter().find(|(name, _)| has(name)), args) {
            (Some((_, field)), [map, value]) => (*field, map, value),
            (Some(_), _) => return wrong(head, "wrong operands of a change of a tensor map", "expected `[map], value`"),
            (None, args) => {
                let Some((_, field)) = OF_DIMENSION.iter().find(|(name, _)| has(name)) else {
                    let names: Vec<&str> = OF_MAP.iter().map(|one| one.0).chain(OF_DIMENSION.iter().map(|one| one.0)).collect();
                    let label = format!("expected one of {}", names.join(" "));
                    return wrong(head, "a change of a tensor map without a field", &label);
                };
                let [map, ordinal, value] = args else {
                    return wrong(head, "wrong operands of a change of a tensor map", "expected `[map], ordinal, value`");
                };
                let most = if has(".global_stride") { MAX_RANK - 1 } else { MAX_RANK };
                match ordinal.operand {
                    Operand::Immediate(at) if (0..most as i64).contains(&at) => (field(at as usize), map, value),
                    _ => {
                        let label = format!("expected a constant from 0 to {}", most - 1);
                        return wrong(ordinal.span.clone(), "an invalid ordinal of a field of a tensor map", &label);
                    }
                }
            }
        };
        let (first, bytes) = field.place();
        let mut sources = vec![value.operand.clone()];
        let bits = match bytes {
            1 if !matches!(value.operand, Operand::Immediate(0..=255)) => {
                return wrong(
                    value.span.clone(),
                    "an invalid value of a field of a tensor map",
                    "expected a constant from 0 to 255",
                );
            }
            8 if has(".b64") => 64,
            // An extent has 32 bits in the instruction and 64 in the map.
            8 => {
                sources.push(Operand::Immediate(0));
                32
            }
            bytes => 8 * bytes as u32,
        };
        let (ty, count) = (Type { kind: TypeKind::Unsigned, bits }, sources.len());
        let access = self.access(modifiers, map, AccessKind::Store(Some(sources)), ty, count);
        Ok(access.map(|mut access| {
            access.offset = access.offset.wrapping_add(first as i64);
            (Op::Access(access), vec![])
        }))
    }

    /// The operation of `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [to], [from], 128`. `None`:
    /// a form that is not evaluated.
    pub(super) fn copied_map(
        &mut self,
        modifiers: &[&str],
        args: &[Arg],
        head: Range<usize>,
    ) -> Result<Option<LoweredOp>, Diagnostic> {
        let [to, from, size] = args else {
            return Err(Diagnostic::new(head, "wrong operands of a copy of a tensor map", "expected `[to], [from], 128`"));
        };
        if size.operand != Operand::Immediate(BYTES as i64) {
            let label = format!("expected {BYTES}");
            return Err(Diagnostic::new(size.span.clone(), "an invalid size of a tensor map", label));
        }
        let Some((source, offset)) = from.address.clone() else { return Ok(None) };
        let kind = AccessKind::CopyMap { from: source, offset };
        let ty = Type { kind: TypeKind::Unsigned, bits: 64 };
        // The modifiers of the order belong to the fence, not to the copy.
        let access = self.access(&[".global"], to, kind, ty, BYTES / ty.bytes());
        Ok(access.map(|access| (Op::Access(access), vec![])).filter(|_| modifiers.contains(&".release")))
    }
}
