// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bulk copies, `cp.async.bulk` and `cp.reduce.async.bulk`, which complete in groups or signal an mbarrier, and their prefetch.

use super::memory::{atomic, element, LoweredOp};
use super::opcode::{COMPLETES, MULTICAST};
use super::operand::Arg;
use super::parser::Parser;
use super::target::{refusal, Need};
use crate::arith::{Type, TypeKind};
use crate::{AccessKind, Atomic, Bulk, Op, Operand, Signal, Space};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// The size of a bulk copy is a multiple of this number of bytes.
const UNIT: i64 = 16;

const BYTE: Type = Type { kind: TypeKind::Unsigned, bits: 8 };

impl Parser<'_> {
    /// The operation of `cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes`, of `cp.reduce.async.bulk….add.u32` with the same
    /// operands, or of `cp.async.bulk.prefetch.L2.global [from], bytes`. A copy into shared memory has `[mbar]` after the bytes. `None`: a
    /// form that is not evaluated.
    pub(super) fn bulk(
        &mut self,
        modifiers: &[&str],
        args: &[Arg],
        head: Range<usize>,
    ) -> Result<Option<LoweredOp>, Diagnostic> {
        let has = |modifier: &str| modifiers.contains(&modifier);
        let (hint, mask) = (has(".L2::cache_hint"), has(".cp_mask"));
        let (prefetch, signals, multicast) = (has(".prefetch"), has(COMPLETES), has(MULTICAST));
        if multicast && !(signals && has(".shared::cluster") && has(".global")) {
            let label = "expected a copy from `.global` to `.shared::cluster` that signals an mbarrier";
            return Err(Diagnostic::new(head, format!("a bulk copy with `{MULTICAST}`"), label));
        }
        // Each of these modifiers adds one operand after the operands of the basic form.
        let more = [hint, mask, signals, multicast].into_iter().filter(|more| *more).count();
        let wanted = if prefetch { 2 } else { 3 } + more;
        if args.len() != wanted {
            let operands = match (prefetch, signals) {
                (true, _) => "`[from], bytes`",
                (_, true) if multicast => "`[to], [from], bytes, [mbar], ctaMask`",
                (_, true) => "`[to], [from], bytes, [mbar]`",
                _ => "`[to], [from], bytes`",
            };
            let more = match (hint, mask) {
                (true, true) => ", then a cache policy and a mask",
                (true, false) => ", then a cache policy",
                (false, true) => ", then a mask",
                (false, false) => "",
            };
            let message = format!("this bulk copy has {} operands", args.len());
            return Err(Diagnostic::new(head, message, format!("expected {operands}{more}")));
        }
        let size = &args[if prefetch { 1 } else { 2 }];
        if let Operand::Immediate(bytes) = size.operand {
            if bytes < 0 || bytes % UNIT != 0 {
                let message = format!("a bulk copy of {bytes} bytes");
                return Err(Diagnostic::new(size.span.clone(), message, format!("expected a multiple of {UNIT}")));
            }
        }
        let size = size.operand.clone();
        if prefetch {
            let access = self.access(modifiers, &args[0], AccessKind::Prefetch { bytes: size }, BYTE, 1);
            return Ok(access.map(|access| (Op::Access(access), vec![])));
        }
        // A copy without a signal reads shared memory; a copy with a signal reads global memory or the shared memory of the CTA.
        let reduce = if has(".reduce") { Some(reduction(modifiers, head.clone())?) } else { None };
        let signal = if signals { Some(self.signal(modifiers, &args[3], &head)?) } else { None };
        let ctas = if multicast { Some(self.ctas(&args[4])?) } else { None };
        let Some((from, offset)) = args[1].address.clone() else { return Ok(None) };
        let space = if signals && has(".global") { Space::Global } else { Space::Shared };
        let mask = args.last().filter(|_| mask).map(|arg| arg.operand.clone());
        let (ty, reduce) = reduce.map_or((BYTE, None), |(ty, op)| (ty, Some(op)));
        let kind = AccessKind::Bulk(Bulk { from, offset, space, size, mask, reduce, signal, ctas });
        let access = self.access(modifiers, &args[0], kind, ty, 1);
        Ok(access.map(|access| (Op::Access(access), vec![])))
    }

    /// The mbarrier that a copy signals with the number of bytes that have arrived.
    pub(super) fn signal(&mut self, modifiers: &[&str], arg: &Arg, head: &Range<usize>) -> Result<Signal, Diagnostic> {
        let local = modifiers.iter().find(|m| m.starts_with(".shared") || **m == ".global");
        let need: Need = match local {
            Some(&".shared::cta") => ("a bulk copy into `.shared::cta`", (8, 6), 90),
            _ => ("a copy that signals an mbarrier", (8, 0), 90),
        };
        if let Some((message, help)) = refusal(need, self.module.version, self.module.target) {
            return Err(
                Diagnostic::new(head.clone(), message, "not available in this PTX version or for this target").help(help)
            );
        }
        let (address, offset, narrow) = self.object(arg)?;
        Ok(Signal { address, offset, narrow })
    }
}

/// Type and operation of a reduction.
fn reduction(modifiers: &[&str], head: Range<usize>) -> Result<(Type, Atomic), Diagnostic> {
    let op = modifiers.iter().find_map(|m| atomic(m, modifiers));
    let ty = element(modifiers);
    let counts = |ty: Type| ty.kind == TypeKind::Unsigned && ty.bits == 32;
    match (op, ty) {
        (Some(op @ Atomic::Calc(_)), Some(ty)) => Ok((ty, op)),
        (Some(op @ (Atomic::Inc | Atomic::Dec)), Some(ty)) if counts(ty) => Ok((ty, op)),
        _ => {
            let label = "expected an operation with its type, like .add.u32, .min.s64, .inc.u32, .and.b32 or .add.f32";
            Err(Diagnostic::new(head, "a bulk reduction without a known operation", label))
        }
    }
}
