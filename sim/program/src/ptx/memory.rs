// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions that access memory: space, width, order, and operation.

use super::ast::CodeKind;
use super::calc::calc;
use super::class::Class;
use super::fence::scope;
use super::operand::Arg;
use super::parser::Parser;
use crate::arith::{Format, Scalar, Type, TypeKind};
use crate::{Access, AccessKind, Atomic, Op, Operand, Order, Scope, Slot, Space};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The operation of an instruction, and the registers that it writes; `None`: a destination that is left out.
pub(super) type LoweredOp = (Op, Vec<Option<Slot>>);

impl Parser<'_> {
    /// The operation of an instruction that accesses memory. A form that is not evaluated only takes time.
    pub(super) fn memory(&mut self, opcode: &str, modifiers: &[&str], head: Range<usize>) -> Result<LoweredOp, Diagnostic> {
        match opcode {
            "cp" if modifiers.contains(&".tensor") => return self.tensor(modifiers, head),
            "prefetch" => return self.prefetched_map(),
            "tex" | "txq" => {
                if let Some(lowered) = self.texture(opcode, modifiers)? {
                    return Ok(lowered);
                }
            }
            _ => {}
        }
        self.in_param = modifiers.iter().any(|m| space(m) == Some(Space::Param));
        let args = self.args();
        self.in_param = false;
        let args = args?;
        // A fragment may omit the type.
        let ty = element(modifiers).unwrap_or(Type::U32);
        let values = ty.bits <= 64;
        let lowered = match opcode {
            "wmma" => self.fragment(modifiers, &args, head)?,
            "st" | "red" if modifiers.contains(&".async") => self.async_store(opcode, modifiers, &args, head)?,
            "ld" | "ldu" if values => self.load(modifiers, ty, &args),
            "st" if values => self.store(modifiers, ty, &args),
            "atom" | "red" if values => self.atomic(opcode, modifiers, ty, &args),
            "ldmatrix" | "stmatrix" => self.matrices(opcode, modifiers, &args, head)?,
            "tensormap" if modifiers.first() == Some(&".replace") => self.replaced_field(modifiers, &args, head)?,
            "tensormap" if modifiers.first() == Some(&".cp_fenceproxy") => self.copied_map(modifiers, &args, head)?,
            "cp" if modifiers.contains(&".bulk") => self.bulk(modifiers, &args, head)?,
            "cp" if modifiers.first() == Some(&".async") => self.copy(modifiers, &args),
            _ => None,
        };
        Ok(lowered.unwrap_or_else(|| only_time(opcode, modifiers, &args)))
    }

    pub(super) fn access(&mut self, modifiers: &[&str], arg: &Arg, kind: AccessKind, ty: Type, count: usize) -> Option<Access> {
        let (base, offset) = arg.address.clone()?;
        let narrow = match base {
            Operand::Register { slot, .. } => self.names().type_of(slot).is_none_or(|ty| ty.bits <= 32),
            _ => false,
        };
        let space = modifiers.iter().find_map(|m| space(m)).unwrap_or(Space::Generic);
        let base = match base {
            Operand::Immediate(at) if space == Space::Shared => Operand::Shared(at),
            other => other,
        };
        // Parameters of a function, and arguments of the functions that it calls, are in its frame.
        let framed = matches!(base, Operand::Frame(_)) || self.builder.kind == CodeKind::Function;
        let space = if space == Space::Param && framed { Space::Local } else { space };
        let address = (base != Operand::Opaque).then_some(base);
        Some(Access { space, kind, address, offset, ty, count, order: order(modifiers), narrow })
    }

    fn load(&mut self, modifiers: &[&str], ty: Type, args: &[Arg]) -> Option<LoweredOp> {
        let [to, from, ..] = args else { return None };
        let writes = elements(to).into_iter().map(|element| slot(&element)).collect::<Vec<_>>();
        let access = self.access(modifiers, from, AccessKind::Load, ty, writes.len())?;
        Some((Op::Access(access), writes))
    }

    fn store(&mut self, modifiers: &[&str], ty: Type, args: &[Arg]) -> Option<LoweredOp> {
        let [to, from, ..] = args else { return None };
        let sources = stored(from, ty);
        let count = sources.len();
        let access = self.access(modifiers, to, AccessKind::Store(Some(sources)), ty, count)?;
        Some((Op::Access(access), vec![]))
    }

    fn atomic(&mut self, opcode: &str, modifiers: &[&str], ty: Type, args: &[Arg]) -> Option<LoweredOp> {
        let (to, args) = if opcode == "atom" { args.split_first().map(|(to, rest)| (Some(to), rest))? } else { (None, args) };
        let (address, operands) = args.split_first()?;
        let vector = modifiers.iter().any(|m| matches!(*m, ".v2" | ".v4" | ".v8"));
        let op = modifiers.iter().find_map(|m| atomic(m, modifiers)).filter(|_| !vector)?;
        let wanted = if op == Atomic::CompareAndSwap { 2 } else { 1 };
        let value = |arg: &Arg| arg.literal.map_or(arg.operand.clone(), |literal| constant(literal.bits(place(ty))));
        let sources: Vec<Operand> = operands.iter().take(wanted).map(value).collect();
        let access = self.access(modifiers, address, AccessKind::Atomic { op, sources }, ty, 1)?;
        let writes = to.map_or(vec![], |to| vec![slot(&to.operand)]);
        Some((Op::Access(access), writes))
    }

    /// The operation of `cp.async.ca.shared.global [to], [from], bytes{, filled}`. `None`: a form that is not evaluated.
    fn copy(&mut self, modifiers: &[&str], args: &[Arg]) -> Option<LoweredOp> {
        let [to, from, size, more @ ..] = args else { return None };
        let Operand::Immediate(bytes @ (4 | 8 | 16)) = size.operand else { return None };
        let (source, offset) = from.address.clone()?;
        let ignores =
            |slot: Slot, parser: &mut Self| parser.names().type_of(slot).is_some_and(|ty| ty.kind == TypeKind::Predicate);
        let filled = match more.first().map(|arg| arg.operand.clone()) {
            // A predicate operand selects whether the source is ignored; this form is not evaluated.
            Some(Operand::Register { slot, .. }) if ignores(slot, self) => Some(Operand::Opaque),
            Some(Operand::Register { slot, .. }) if self.names().type_of(slot).is_some_and(|ty| ty.bits == 64) => None,
            other => other,
        };
        let kind = AccessKind::Copy { from: source, offset, space: Space::Global, bytes: bytes as u64, filled };
        let access = self.access(modifiers, to, kind, Type { kind: TypeKind::Unsigned, bits: 8 }, bytes as usize)?;
        Some((Op::Access(access), vec![]))
    }
}

/// An access that is not evaluated: its address, the loaded values and the stored values are unknown.
fn only_time(opcode: &str, modifiers: &[&str], args: &[Arg]) -> LoweredOp {
    let stores = matches!(opcode, "st" | "atom" | "red" | "cp" | "stmatrix" | "sust" | "sured" | "multimem" | "tensormap")
        || modifiers.first() == Some(&".store");
    let returns = !stores || matches!(opcode, "atom" | "multimem");
    let space = modifiers.iter().find_map(|m| space(m)).unwrap_or(Space::Global);
    let kind = if stores { AccessKind::Store(None) } else { AccessKind::Nothing };
    let writes = args.first().filter(|_| returns).map_or(vec![], |arg| arg.slots.iter().copied().map(Some).collect());
    if space == Space::Param {
        return (Op::Busy { cycles: 1 }, writes);
    }
    let order = order(modifiers);
    (Op::Access(Access { space, kind, address: None, offset: 0, ty: Type::U32, count: 1, order, narrow: false }), writes)
}

/// The type of the accessed elements; registers have no `.bf16`.
pub(super) fn element(modifiers: &[&str]) -> Option<Type> {
    modifiers.iter().rev().find_map(|m| Type::from_modifier(if *m == ".bf16" { ".b16" } else { m }))
}

/// The stored values: the elements of a vector or the single operand, with floating-point constants as bits.
pub(super) fn stored(from: &Arg, ty: Type) -> Vec<Operand> {
    if let Some(literal) = from.literal {
        return vec![constant(literal.bits(place(ty)))];
    }
    let mut sources = elements(from);
    for (element, literal) in &from.literals {
        sources[*element] = constant(literal.bits(place(ty)));
    }
    sources
}

/// The elements of a vector, or the single operand.
pub(super) fn elements(arg: &Arg) -> Vec<Operand> {
    arg.vector.clone().unwrap_or_else(|| vec![arg.operand.clone()])
}

pub(super) fn slot(operand: &Operand) -> Option<Slot> {
    match operand {
        Operand::Register { slot, .. } => Some(*slot),
        _ => None,
    }
}

fn place(ty: Type) -> Scalar {
    match (ty.kind, ty.bits) {
        (_, 32) => Scalar::Float(Format::F32),
        (_, 64) => Scalar::Float(Format::F64),
        _ => Scalar::Integer(ty),
    }
}

fn constant(bits: Option<u64>) -> Operand {
    bits.map_or(Operand::Opaque, |bits| Operand::Immediate(bits as i64))
}

/// The memory space of a modifier.
fn space(modifier: &str) -> Option<Space> {
    Some(match modifier.split("::").next()? {
        ".shared" => Space::Shared,
        ".global" | ".const" => Space::Global,
        ".local" => Space::Local,
        ".param" => Space::Param,
        _ => return None,
    })
}

fn order(modifiers: &[&str]) -> Order {
    let one = |modifier: &str| modifiers.contains(&modifier);
    let (acquire, release) = (one(".acquire") || one(".acq_rel"), one(".release") || one(".acq_rel"));
    let volatile = one(".volatile");
    let is_system = volatile || one(".mmio");
    let scope = modifiers.iter().find_map(|modifier| scope(modifier));
    let scope = scope.unwrap_or(if is_system { Scope::System } else { Scope::Gpu });
    Order {
        acquire,
        release,
        strong: acquire || release || one(".relaxed") || is_system,
        volatile,
        read_only: one(".nc"),
        async_proxy: false,
        scope,
    }
}

/// The operation of a modifier of an atomic instruction.
pub(super) fn atomic(modifier: &str, modifiers: &[&str]) -> Option<Atomic> {
    let opcode = match modifier {
        ".exch" => return Some(Atomic::Exchange),
        ".cas" => return Some(Atomic::CompareAndSwap),
        ".inc" => return Some(Atomic::Inc),
        ".dec" => return Some(Atomic::Dec),
        ".add" => "add",
        ".min" => "min",
        ".max" => "max",
        ".and" => "and",
        ".or" => "or",
        ".xor" => "xor",
        _ => return None,
    };
    let types = [".f16", ".bf16", ".f16x2", ".bf16x2", ".f32", ".f64", ".u32", ".s32", ".u64", ".s64", ".b32", ".b64"];
    let written = modifiers.iter().copied().find(|m| types.contains(m))?;
    // `.b32` and `.b64` count as unsigned. Sums of 16-bit numbers are rounded to nearest, the default rounding.
    let written = match (opcode, written) {
        ("add" | "min" | "max", ".b32") => ".u32",
        ("add" | "min" | "max", ".b64") => ".u64",
        ("and" | "or" | "xor", ".u32" | ".s32") => ".b32",
        ("and" | "or" | "xor", ".u64" | ".s64") => ".b64",
        (_, other) => other,
    };
    match calc(opcode, &[written]) {
        Class::Calc(calc) => Some(Atomic::Calc(calc)),
        _ => None,
    }
}
