// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tensor copies, which complete in groups or signal an mbarrier, and other instructions on tensor maps: prefetches and changes.

use super::memory::{atomic, element, LoweredOp};
use super::opcode::{COMPLETES, MULTICAST};
use super::operand::Arg;
use super::parser::Parser;
use super::symbol::Symbol;
use crate::arith::Type;
use crate::launch::Element;
use crate::tensor::Mode;
use crate::{tensor, window, Access, AccessKind, Atomic, Op, Operand, Order, Space, TensorCopy};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

const RANKS: [&str; tensor::MAX_RANK] = [".1d", ".2d", ".3d", ".4d", ".5d"];

const REDUCTIONS: [&str; 8] = [".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor"];

impl Parser<'_> {
    /// The operation of `cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [from]`, of
    /// `cp.reduce.async.bulk.tensor….add` with the same operands, of
    /// `cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, {x, y}], [mbar]`, or of
    /// `cp.async.bulk.prefetch.tensor.2d.L2.global.tile [map, {x, y}]`.
    pub(super) fn tensor(&mut self, modifiers: &[&str], head: Range<usize>) -> Result<LoweredOp, Diagnostic> {
        let has = |modifier: &str| modifiers.contains(&modifier);
        let Some(rank) = RANKS.iter().position(|rank| has(rank)).map(|at| at + 1) else {
            return Err(Diagnostic::new(head, "a tensor copy without a number of dimensions", "expected one of .1d to .5d"));
        };
        let mode = self.mode(modifiers, rank, &head)?;
        let reduce = match (has(".reduce"), REDUCTIONS.iter().find(|op| has(op))) {
            (false, _) => None,
            (true, Some(op)) => Some(by_element(op)),
            (true, None) => {
                let label = format!("expected one of {}", REDUCTIONS.join(" "));
                return Err(Diagnostic::new(head, "a tensor reduction without an operation", label));
            }
        };
        let (signals, multicast) = (has(COMPLETES), has(MULTICAST));
        if multicast && !(signals && has(".shared::cluster")) {
            let label = "expected a copy to `.shared::cluster` that signals an mbarrier";
            return Err(Diagnostic::new(head, format!("a tensor copy with `{MULTICAST}`"), label));
        }
        // The operands: a copy with a signal reads the tensor and starts with the address in shared memory. Other forms start with the map.
        let to = match signals {
            true => {
                let to = self.in_shared()?;
                self.cursor.expect(b',', "`,` and `[map, {coordinates}]`")?;
                Some(to)
            }
            false => None,
        };
        self.cursor.expect(b'[', "`[map, {coordinates}]`")?;
        let (map, offset) = self.map()?;
        self.cursor.expect(b',', "`,` and the coordinates in `{ }`")?;
        let start = self.cursor.span().start;
        let mut coordinates = self.vector()?.1.unwrap_or_default();
        if mode == Mode::Rows4 && coordinates.len() != mode.coordinates(rank) {
            let message = format!("{} coordinates of four rows", coordinates.len());
            let span = start..self.cursor.last_end();
            return Err(Diagnostic::new(span, message, "expected 5, that along the rows and the four numbers of rows"));
        }
        if mode != Mode::Rows4 && coordinates.len() != rank {
            let message = format!("{} coordinates in a tensor of {rank} dimensions", coordinates.len());
            let span = start..self.cursor.last_end();
            return Err(Diagnostic::new(span, message, format!("expected {rank}, the innermost dimension first")));
        }
        self.cursor.expect(b']', "`]`")?;
        let (mut shared, mut signal, mut ctas) = (to, None, None);
        if signals {
            self.cursor.expect(b',', "`,` and the address of the mbarrier")?;
            let mbar = self.arg()?;
            signal = Some(self.signal(modifiers, &mbar, &head)?);
            self.offsets(mode, rank, &mut coordinates)?;
            if multicast {
                self.cursor.expect(b',', "`,` and a mask of CTAs")?;
                let mask = self.arg()?;
                ctas = Some(self.ctas(&mask)?);
            }
        } else if !has(".prefetch") {
            self.cursor.expect(b',', "`,` and the address in shared memory")?;
            shared = Some(self.in_shared()?);
        } else {
            self.offsets(mode, rank, &mut coordinates)?;
        }
        if has(".L2::cache_hint") {
            self.cursor.expect(b',', "`,` and a cache policy")?;
            self.arg()?;
        }
        Ok(access(map, offset, TensorCopy { coordinates, mode, shared, signal, ctas, reduce }))
    }

    /// The mode of a copy with these modifiers.
    fn mode(&self, modifiers: &[&str], rank: usize, head: &Range<usize>) -> Result<Mode, Diagnostic> {
        let has = |modifier: &str| modifiers.contains(&modifier);
        let wrong = |message: &str, label: &str| Err(Diagnostic::new(head.clone(), message, label));
        let loads = has(COMPLETES) || has(".prefetch");
        match (has(".tile::gather4"), has(".tile::scatter4"), has(".im2col")) {
            (true, ..) if !loads || rank != 2 => wrong("a copy that gathers rows", "expected a load or prefetch with `.2d`"),
            (_, true, _) if loads || has(".reduce") || rank != 2 => {
                wrong("a copy that scatters rows", "expected a copy to global memory with `.2d`")
            }
            (.., true) if !loads || rank < 3 => {
                wrong("a copy in im2col mode", "expected a load or prefetch with `.3d` to `.5d`")
            }
            (true, ..) | (_, true, _) => Ok(Mode::Rows4),
            (.., true) => Ok(Mode::Im2col),
            _ => Ok(Mode::Tile),
        }
    }

    /// Reads the offsets of a copy in im2col mode, and adds them to the coordinates.
    fn offsets(&mut self, mode: Mode, rank: usize, coordinates: &mut Vec<Operand>) -> Result<(), Diagnostic> {
        if mode != Mode::Im2col {
            return Ok(());
        }
        self.cursor.expect(b',', "`,` and the offsets of im2col mode in `{ }`")?;
        let start = self.cursor.span().start;
        let offsets = self.vector()?.1.unwrap_or_default();
        if offsets.len() != rank - 2 {
            let message = format!("{} offsets in im2col mode with {rank} dimensions", offsets.len());
            return Err(Diagnostic::new(start..self.cursor.last_end(), message, format!("expected {}", rank - 2)));
        }
        coordinates.extend(offsets);
        Ok(())
    }

    /// Reads the address of the box in shared memory.
    fn in_shared(&mut self) -> Result<(Operand, i64), Diagnostic> {
        let Arg { address, span, .. } = self.arg()?;
        address
            .ok_or_else(|| Diagnostic::new(span, "invalid address", "expected `[from]` or `[to]`, an address in shared memory"))
    }

    /// The operation of `prefetch.tensormap [map]`.
    pub(super) fn prefetched_map(&mut self) -> Result<LoweredOp, Diagnostic> {
        self.cursor.expect(b'[', "`[map]`")?;
        let (map, offset) = self.map()?;
        self.cursor.expect(b']', "`]`")?;
        Ok(access(
            map,
            offset,
            TensorCopy { coordinates: vec![], mode: Mode::Tile, shared: None, signal: None, ctas: None, reduce: None },
        ))
    }

    /// Reads the generic address of a map, with a byte offset.
    fn map(&mut self) -> Result<(Operand, i64), Diagnostic> {
        let unexpected = self.cursor.unexpected("the address of a tensor map");
        let name = self.cursor.text();
        let parameter = self.names().declared(name).is_none() && matches!(self.symbol(name), Some(Symbol::Param(_)));
        Ok(match self.base_and_offset()?.ok_or(unexpected)? {
            (Operand::Immediate(at), offset) if parameter => {
                (Operand::Immediate(at.wrapping_add(window::PARAM as i64)), offset)
            }
            other => other,
        })
    }
}

fn access(map: Operand, offset: i64, copy: TensorCopy) -> LoweredOp {
    let address = (map != Operand::Opaque).then_some(map);
    let (kind, order) = (AccessKind::Tensor(copy), Order::default());
    let access = Access { space: Space::Generic, kind, address, offset, ty: Type::U32, count: 1, order, narrow: false };
    (Op::Access(access), vec![])
}

/// The reduction `op` for each element type that supports it.
fn by_element(op: &str) -> Vec<(Element, Type, Atomic)> {
    let of = |(_, of): &(&str, Element)| {
        let modifier = match of {
            Element::I32 => ".s32",
            Element::I64 => ".s64",
            Element::U32 => ".u32",
            Element::U64 => ".u64",
            Element::F16 => ".f16",
            Element::Bf16 => ".bf16",
            Element::F32 => ".f32",
            Element::F64 => ".f64",
            Element::U8 | Element::I8 | Element::U16 | Element::I16 => return None,
        };
        let operation = atomic(op, &[op, modifier])?;
        let counts = matches!(operation, Atomic::Inc | Atomic::Dec);
        (!counts || *of == Element::U32).then_some((*of, element(&[modifier])?, operation))
    };
    Element::ALL.iter().filter_map(of).collect()
}
