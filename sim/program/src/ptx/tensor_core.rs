// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions `tcgen05`, with the forms of their PTX pages. Pairs of CTAs (`.cta_group::2`) are refused by name.

use super::memory::{elements, slot, LoweredOp};
use super::operand::Arg;
use super::parser::Parser;
use super::target::refusal;
use crate::arith::Type;
use crate::{AccessKind, CopyShape, MatrixKind, Op, Operand, TensorAddress, TensorCore, TensorMatrix, TensorMultiply};
use crate::{Transfer, TransferShape};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The first target, `sm_120`, that has no tensor memory; later targets have none either.
const NO_TENSOR_MEMORY: u32 = 120;

impl Parser<'_> {
    /// Whether the target of the text has tensor memory, which instruction `name` needs.
    pub(super) fn has_tensor_memory(&self, name: &'static str, head: &Range<usize>) -> Result<(), Diagnostic> {
        let (version, target) = (self.module.version, self.module.target);
        if let Some((message, help)) = refusal((name, (8, 6), 100), version, target) {
            let label = "not available in this PTX version or for this target";
            return Err(Diagnostic::new(head.clone(), message, label).help(help));
        }
        if target.suffix.is_none() || target.sm >= NO_TENSOR_MEMORY {
            let message = format!("{name} needs a target with tensor memory, the target of this text is {target}");
            let help = "sm_100a, sm_100f, sm_103a and sm_110a have it";
            return Err(Diagnostic::new(head.clone(), message, "not in this target").help(help));
        }
        Ok(())
    }

    /// The operation of an instruction `tcgen05`, without `.commit`.
    pub(super) fn tensor_core(&mut self, modifiers: &[&str], head: Range<usize>) -> Result<LoweredOp, Diagnostic> {
        self.has_tensor_memory("`tcgen05`", &head)?;
        if modifiers.contains(&".cta_group::2") {
            let opcode = self.cursor.source[head].to_string();
            self.args()?;
            return Ok((Op::NotBuilt { opcode }, vec![]));
        }
        let args = self.args()?;
        let wrong = |expected: &str| {
            let what = modifiers.first().map_or("", |first| first);
            Diagnostic::new(head.clone(), format!("wrong operands of `tcgen05{what}`"), format!("expected {expected}"))
        };
        let at = |arg: &Arg| {
            let (base, offset) = arg.address.clone().ok_or_else(|| wrong("an address in tensor memory, such as `[taddr]`"))?;
            Ok(TensorAddress { base, offset })
        };
        let op = match (modifiers.first().copied().unwrap_or(""), &args[..]) {
            (".alloc", [to, columns]) => {
                let kind = AccessKind::Store(Some(vec![Operand::Opaque]));
                let access = self.access(modifiers, to, kind, Type::U32, 1);
                let mut access = access.ok_or_else(|| wrong("`[dst], nCols`"))?;
                access.order.async_proxy = true;
                TensorCore::Allocate { access: Box::new(access), columns: columns.operand.clone() }
            }
            (".dealloc", [address, columns]) => {
                TensorCore::Free { address: address.operand.clone(), columns: columns.operand.clone() }
            }
            (".relinquish_alloc_permit", []) => TensorCore::Relinquish,
            (".wait::ld", []) => TensorCore::Wait { stores: false },
            (".wait::st", []) => TensorCore::Wait { stores: true },
            (".fence::before_thread_sync" | ".fence::after_thread_sync", []) => TensorCore::Fence,
            (".ld", [to, from, more @ ..]) if !modifiers.contains(&".red") => {
                let transfer = transfer(modifiers, at(from)?, more.first());
                let (transfer, writes) = (transfer.ok_or_else(|| wrong("a shape such as `.32x32b.x8`"))?, elements(to));
                let count = transfer.registers();
                if writes.len() != count {
                    return Err(wrong(&format!("{count} registers for this shape, found {}", writes.len())));
                }
                let op = TensorCore::Transfer { transfer, stored: None };
                return Ok((Op::TensorCore(op), writes.iter().map(slot).collect()));
            }
            (".st", [to, more @ .., from]) => {
                let transfer = transfer(modifiers, at(to)?, more.first());
                let (transfer, stored) = (transfer.ok_or_else(|| wrong("a shape such as `.32x32b.x8`"))?, elements(from));
                let count = transfer.registers();
                if stored.len() != count {
                    return Err(wrong(&format!("{count} registers for this shape, found {}", stored.len())));
                }
                TensorCore::Transfer { transfer, stored: Some(stored) }
            }
            (".cp", [to, descriptor]) => {
                let shape = CopyShape::from_modifiers(modifiers);
                TensorCore::Copy { to: at(to)?, descriptor: descriptor.operand.clone(), shape }
            }
            (".shift", [shifted]) => TensorCore::Shift { at: at(shifted)? },
            (".mma", args) => match product(modifiers, args) {
                Some(product) => TensorCore::Product(Box::new(product)),
                None => return Err(wrong("`[d], a, b, idesc, enable`")),
            },
            // A form that is not calculated, such as `.ld.red`.
            (".ld", [to, ..]) => {
                return Ok((Op::Busy { cycles: 1 }, to.slots.iter().copied().map(Some).collect()));
            }
            _ => return Err(wrong("the operands of its PTX page")),
        };
        Ok((Op::TensorCore(op), vec![]))
    }
}

/// The transfer of `.ld` or `.st`; `half` is the constant of `.16x32bx2`.
fn transfer(modifiers: &[&str], at: TensorAddress, half: Option<&Arg>) -> Option<Transfer> {
    let shape = modifiers.iter().find_map(|m| TransferShape::from_modifier(m))?;
    let count: usize = modifiers.iter().find_map(|m| m.strip_prefix(".x")?.parse().ok())?;
    let packed = modifiers.iter().any(|m| matches!(*m, ".pack::16b" | ".unpack::16b"));
    let half = match (shape, half.map(|half| &half.operand)) {
        (TransferShape::Lanes16Bits32Twice, Some(Operand::Immediate(half))) => usize::try_from(*half).ok()?,
        (TransferShape::Lanes16Bits32Twice, _) | (_, Some(_)) => return None,
        _ => 0,
    };
    let is_count = count.is_power_of_two() && shape.registers() * count <= 128;
    is_count.then_some(Transfer { at, shape, count, packed, half })
}

/// The product of `.mma{.sp,.ws}…kind [d], a, b, {[metadata],} idesc {, [scales]} {, {disabled lanes}}, enable {, scale}`. `None`: operands
/// are missing.
fn product(modifiers: &[&str], args: &[Arg]) -> Option<TensorMultiply> {
    let has = |modifier: &str| modifiers.contains(&modifier);
    let address = |arg: &Arg| arg.address.clone().map(|(base, offset)| TensorAddress { base, offset });
    let [d, a, b, rest @ ..] = args else { return None };
    let rest = if has(".sp") { rest.split_first()?.1 } else { rest };
    let (instruction, rest) = rest.split_first()?;
    let scales = rest.iter().take_while(|arg| arg.address.is_some()).count();
    let rest = &rest[scales..];
    let (disabled_lanes, rest) = match rest.split_first() {
        Some((first, rest)) if first.vector.is_some() => (elements(first), rest),
        _ => (vec![], rest),
    };
    let (adds, rest) = rest.split_first()?;
    let scale = match rest.first().map(|arg| &arg.operand) {
        Some(Operand::Immediate(scale)) if (0..16).contains(scale) && !has(".ws") => *scale as u32,
        Some(_) if !has(".ws") => return None,
        _ => 0,
    };
    let kind = match () {
        _ if has(".sp") || has(".ws") || has(".block_scale") || has(".ashift") => None,
        _ if has(".kind::f16") => Some(MatrixKind::F16),
        _ if has(".kind::tf32") => Some(MatrixKind::Tf32),
        _ => None,
    };
    let a = match address(a) {
        Some(address) => TensorMatrix::InTensorMemory(address),
        None => TensorMatrix::Shared(a.operand.clone()),
    };
    Some(TensorMultiply {
        kind,
        d: address(d)?,
        a,
        b: b.operand.clone(),
        instruction: instruction.operand.clone(),
        disabled_lanes,
        adds: adds.operand.clone(),
        scale,
    })
}
