// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions in which lanes of a warp read each other's values: `shfl`, `vote`, `match`, `redux`, `activemask`.

use super::operand::Arg;
use super::parser::Parser;
use crate::arith::{Element, Format, Product, Type, TypeKind};
use crate::{Exchange, Op, Operand, Reduce, Shuffle, Slot, Vote};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The exchange of an opcode with modifiers: how lanes combine each other's values. `None`: a form that is not evaluated.
pub(super) fn exchange(opcode: &str, modifiers: &[&str]) -> Option<Exchange> {
    let has = |modifier: &str| modifiers.contains(&modifier);
    let ty = modifiers.iter().rev().find_map(|m| Type::from_modifier(m));
    Some(match opcode {
        "activemask" => Exchange::Active,
        "shfl" if ty.is_some_and(|ty| ty.bits == 32) => Exchange::Shuffle(match () {
            () if has(".up") => Shuffle::Up,
            () if has(".down") => Shuffle::Down,
            () if has(".bfly") => Shuffle::Butterfly,
            () if has(".idx") => Shuffle::Index,
            () => return None,
        }),
        "vote" => Exchange::Vote(match () {
            () if has(".all") => Vote::All,
            () if has(".any") => Vote::Any,
            () if has(".uni") => Vote::Uniform,
            () if has(".ballot") => Vote::Ballot,
            () => return None,
        }),
        "match" if has(".any") => Exchange::MatchAny,
        "match" if has(".all") => Exchange::MatchAll,
        "redux" if ty.is_some_and(|ty| ty.bits == 32 && ty.kind == TypeKind::Float) => {
            let known = [".sync", ".min", ".max", ".abs", ".NaN", ".f32"];
            let is_one = has(".min") != has(".max") && modifiers.iter().all(|modifier| known.contains(modifier));
            is_one.then(|| Exchange::Extreme { least: has(".min"), magnitude: has(".abs"), nan: has(".NaN") })?
        }
        "redux" => {
            let op = match () {
                () if has(".add") => Reduce::Add,
                () if has(".min") => Reduce::Min,
                () if has(".max") => Reduce::Max,
                () if has(".and") => Reduce::And,
                () if has(".or") => Reduce::Or,
                () if has(".xor") => Reduce::Xor,
                () => return None,
            };
            Exchange::Reduce(op, ty.filter(|ty| ty.bits == 32 && ty.kind != TypeKind::Float)?)
        }
        "mma" => Exchange::Product(mma(modifiers)?),
        "wmma" => Exchange::Product(wmma(modifiers)?),
        "movmatrix" if has(".trans") && has(".b16") => Exchange::Transpose,
        _ => return None,
    })
}

/// The product of `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32` and similar instructions.
fn mma(modifiers: &[&str]) -> Option<Product> {
    let shape = modifiers.iter().find(|m| m.starts_with(".m") && m.contains('n'))?;
    let types: Vec<Element> = modifiers.iter().filter_map(|m| Element::named(m)).collect();
    let [d, a, b, c] = types[..] else { return None };
    let known = [".sync", ".aligned", ".row", ".col", ".satfinite"];
    let all = modifiers.iter().all(|m| m == shape || known.contains(m) || Element::named(m).is_some());
    (all && d == c).then(|| Product::of_mma(shape, [a, b, c], modifiers.contains(&".satfinite")))?
}

/// The product of `wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32` (A and B are `.f16`), `….s32.s8.s8.s32` and similar instructions.
fn wmma(modifiers: &[&str]) -> Option<Product> {
    let shape = modifiers.iter().find(|m| m.starts_with(".m") && m.contains('n'))?;
    let types: Vec<Element> = modifiers.iter().filter_map(|m| Element::named(m)).collect();
    let half = Element::Float(Format::F16);
    let (a, b, c, d) = match types[..] {
        [d, c] => (half, half, c, d),
        [d, a, b, c] => (a, b, c, d),
        _ => return None,
    };
    let layouts: Vec<bool> = modifiers.iter().filter(|m| matches!(**m, ".row" | ".col")).map(|m| *m == ".col").collect();
    let [a_columns, b_columns] = layouts[..] else { return None };
    let known = [".mma", ".sync", ".aligned", ".row", ".col", ".satfinite", ".rn"];
    let all = modifiers.iter().all(|m| m == shape || known.contains(m) || Element::named(m).is_some());
    all.then(|| Product::of_wmma(shape, [a, b, c, d], [a_columns, b_columns], modifiers.contains(&".satfinite")))?
}

impl Exchange {
    /// Number of sources in the text, without the member mask.
    fn sources(self) -> usize {
        match self {
            Exchange::Active => 0,
            Exchange::Shuffle(_) | Exchange::Product(_) => 3,
            _ => 1,
        }
    }
}

impl Parser<'_> {
    /// Reads the operands, and returns the operation and its destinations. The operands are the destination, the sources, and with `.sync`
    /// the member mask.
    pub(super) fn exchange(
        &mut self,
        exchange: Exchange,
        synchronises: bool,
        head: Range<usize>,
    ) -> Result<(Op, Vec<Option<Slot>>), Diagnostic> {
        let args = self.args()?;
        // For a matrix, all lanes of the warp synchronise, so there is no member mask.
        let whole = matches!(exchange, Exchange::Product(_) | Exchange::Transpose);
        let members = usize::from(synchronises && exchange != Exchange::Active && !whole);
        let wanted = 1 + exchange.sources() + members;
        if args.len() != wanted {
            let message = format!("this instruction has {} operands", args.len());
            return Err(Diagnostic::new(head, message, format!("expected {wanted}")));
        }
        let mut args = args.into_iter();
        let writes = args.next().map_or(Vec::new(), |arg| match arg.vector {
            Some(vector) => vector.iter().map(register).collect(),
            None => destinations(arg),
        });
        let mut sources: Vec<Operand> = args.flat_map(|arg| arg.vector.unwrap_or_else(|| vec![arg.operand])).collect();
        if let Exchange::Product(product) = exchange {
            let [a, b, c, d] = product.registers();
            if sources.len() != a + b + c || writes.len() != d {
                let message = format!("{} registers for the result and {} for the matrices", writes.len(), sources.len());
                return Err(Diagnostic::new(
                    head,
                    message,
                    format!("expected {d} for the result, and {a} + {b} + {c} for the matrices"),
                ));
            }
        }
        let members = match members {
            1 => sources.pop(),
            _ => whole.then_some(Operand::Immediate(-1)),
        };
        Ok((Op::Exchange { exchange, sources, members }, writes))
    }
}

fn register(operand: &Operand) -> Option<Slot> {
    match operand {
        Operand::Register { slot, .. } => Some(*slot),
        _ => None,
    }
}

/// The registers of `d|p`; a destination that is left out, `_`, is `None`.
pub(super) fn destinations(arg: Arg) -> Vec<Option<Slot>> {
    match (&arg.operand, &arg.slots[..]) {
        (Operand::Register { .. }, slots) => slots.iter().copied().map(Some).collect(),
        (_, slots) => std::iter::once(None).chain(slots.iter().copied().map(Some)).collect(),
    }
}
