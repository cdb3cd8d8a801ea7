// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions in which lanes of a warp see each other's values: `shfl`, `vote`, `match`, `redux`, `activemask`.

use super::operand::Arg;
use super::parse::Parser;
use crate::program::arith::{Type, TypeKind};
use crate::program::{Exchange, Op, Operand, Reduce, Shuffle, Slot, Vote};
use bcu_hw::diag::Diagnostic;
use std::ops::Range;

/// What lanes make of each other's values; `None` is a form that nothing evaluates.
pub(super) fn exchange(opcode: &str, modifiers: &[&str]) -> Option<Exchange> {
    let one = |modifier: &str| modifiers.contains(&modifier);
    let ty = modifiers.iter().rev().find_map(|m| Type::from_modifier(m));
    Some(match opcode {
        "activemask" => Exchange::Active,
        "shfl" if ty.is_some_and(|ty| ty.bits == 32) => Exchange::Shuffle(match () {
            () if one(".up") => Shuffle::Up,
            () if one(".down") => Shuffle::Down,
            () if one(".bfly") => Shuffle::Butterfly,
            () if one(".idx") => Shuffle::Index,
            () => return None,
        }),
        "vote" => Exchange::Vote(match () {
            () if one(".all") => Vote::All,
            () if one(".any") => Vote::Any,
            () if one(".uni") => Vote::Uniform,
            () if one(".ballot") => Vote::Ballot,
            () => return None,
        }),
        "match" if one(".any") => Exchange::MatchAny,
        "match" if one(".all") => Exchange::MatchAll,
        "redux" => {
            let op = match () {
                () if one(".add") => Reduce::Add,
                () if one(".min") => Reduce::Min,
                () if one(".max") => Reduce::Max,
                () if one(".and") => Reduce::And,
                () if one(".or") => Reduce::Or,
                () if one(".xor") => Reduce::Xor,
                () => return None,
            };
            Exchange::Reduce(op, ty.filter(|ty| ty.bits == 32 && ty.kind != TypeKind::Float)?)
        }
        _ => return None,
    })
}

impl Exchange {
    /// Sources in the text, without the member mask.
    fn sources(self) -> usize {
        match self {
            Exchange::Active => 0,
            Exchange::Shuffle(_) => 3,
            _ => 1,
        }
    }
}

impl Parser<'_> {
    /// Destination, sources, and with `.sync` the member mask.
    pub(super) fn exchange(
        &mut self,
        exchange: Exchange,
        synchronises: bool,
        head: Range<usize>,
    ) -> Result<(Op, Vec<Option<Slot>>), Diagnostic> {
        let args = self.args()?;
        let members = usize::from(synchronises && exchange != Exchange::Active);
        let wanted = 1 + exchange.sources() + members;
        if args.len() != wanted {
            let message = format!("{} operands", args.len());
            return Err(Diagnostic::new(head, message, format!("expected {wanted}")));
        }
        let mut args = args.into_iter();
        let writes = args.next().map_or(Vec::new(), destinations);
        let mut sources: Vec<Operand> = args.map(|arg| arg.operand).collect();
        let members = if members == 1 { sources.pop() } else { None };
        Ok((Op::Exchange { exchange, sources, members }, writes))
    }
}

/// The registers of `d|p`; one that is left out, `_`, is none.
pub(super) fn destinations(arg: Arg) -> Vec<Option<Slot>> {
    match (&arg.operand, &arg.slots[..]) {
        (Operand::Register { .. }, slots) => slots.iter().copied().map(Some).collect(),
        (_, slots) => std::iter::once(None).chain(slots.iter().copied().map(Some)).collect(),
    }
}
