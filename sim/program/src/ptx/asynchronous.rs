// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stores and reductions in shared memory that signal an mbarrier (`st.async` and `red.async`, as in their PTX pages), and
//! `tcgen05.commit`. The required versions and targets are those of `ptxas`.

use super::barrier::Modifier;
use super::memory::{atomic, element, stored, LoweredOp};
use super::opcode::COMPLETES;
use super::operand::Arg;
use super::parser::Parser;
use super::target::{refusal, Need};
use crate::arith::{Type, TypeKind};
use crate::mbarrier::{Mbarrier, MbarrierOp};
use crate::{AccessKind, Atomic, Op, Signal, Space};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

const NEED: Need = ("an asynchronous store or reduction", (8, 1), 90);

/// Maximum number of bytes of a store.
const MOST: usize = 16;

impl Parser<'_> {
    /// The operation of `st.async{.weak}{.cluster}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2,.v4}.u32 [to], value, [mbar]`, or of
    /// `red.async`, which has `.relaxed.cluster` and an operation. `None`: a form that is not evaluated.
    pub(super) fn async_store(
        &mut self,
        opcode: &str,
        modifiers: &[&str],
        args: &[Arg],
        head: Range<usize>,
    ) -> Result<Option<LoweredOp>, Diagnostic> {
        let wrong = |message: String, label: &str| Diagnostic::new(head.clone(), message, label);
        if let Some((message, help)) = refusal(NEED, self.module.version, self.module.target) {
            return Err(wrong(message, "not available in this PTX version or for this target").help(help));
        }
        let [to, from, mbar] = args else {
            let message = format!("`{opcode}.async` has {} operands", args.len());
            return Err(wrong(message, "expected `[to], value, [mbar]`"));
        };
        let ty = element(modifiers).filter(|ty| matches!(ty.bits, 32 | 64));
        let ty = ty.ok_or_else(|| wrong(format!("`{opcode}.async` without its type"), "expected a type of 32 or 64 bits"))?;
        let reduce = match opcode {
            "red" => Some(reduction(modifiers, ty).map_err(|(message, label)| wrong(message, label))?),
            _ => None,
        };
        // Every modifier that is not listed here, such as `.global`, is an error.
        let own_modifiers = match opcode {
            "st" => &[".weak", ".shared", ".shared::cta", ".v2", ".v4"][..],
            _ => &[".relaxed"],
        };
        let known = |m: &&str| [".async", ".cluster", ".shared::cluster", COMPLETES].contains(m) || own_modifiers.contains(m);
        let operation = |m: &&str| reduce.is_some() && atomic(m, modifiers).is_some();
        let other = |m: &&&str| !known(m) && !operation(m) && Type::from_modifier(m).is_none();
        if let Some(other) = modifiers.iter().find(other) {
            return Err(wrong(format!("`{opcode}.async` has no modifier `{other}`"), "see the PTX page of the instruction"));
        }
        let sources = stored(from, ty);
        let vector = modifiers.iter().find_map(|m| Some((*m, [(".v2", 2), (".v4", 4)].iter().find(|(v, _)| v == m)?.1)));
        let wanted = vector.map_or(1, |(_, count)| count);
        if sources.len() != wanted || wanted * ty.bytes() > MOST {
            let message = format!("{} elements of {} bits", sources.len(), ty.bits);
            return Err(wrong(message, "expected the number of elements of `.v2` or `.v4`, 16 bytes at most"));
        }
        let (address, offset, narrow) = self.object(mbar)?;
        let signal = Signal { address, offset, narrow };
        let kind = AccessKind::Tell { sources, reduce, signal };
        let access = self.access(modifiers, to, kind, ty, wanted);
        Ok(access.map(|access| (Op::Access(access), vec![])))
    }

    /// The operation of `tcgen05.commit.cta_group::1.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64 [mbar]{, ctaMask}`.
    pub(super) fn commit(&mut self, opcode: (&str, Range<usize>), modifiers: &[Modifier]) -> Result<LoweredOp, Diagnostic> {
        let head = opcode.1.start..modifiers.last().map_or(opcode.1.end, |m| m.1.end);
        let has = |modifier: &str| modifiers.iter().any(|m| m.0 == modifier);
        let wrong = |span: &Range<usize>, message: String, label: &str| Diagnostic::new(span.clone(), message, label);
        self.has_tensor_memory("`tcgen05.commit`", &head)?;
        let multicast = has(".multicast::cluster");
        let known = [
            ".commit",
            ".cta_group::1",
            ".cta_group::2",
            ".mbarrier::arrive::one",
            ".shared::cluster",
            ".multicast::cluster",
            ".b64",
        ];
        if let Some((name, span)) = modifiers.iter().find(|m| !known.contains(&m.0)) {
            let label = format!("expected one of {}", known[1..].join(" "));
            return Err(wrong(span, format!("`tcgen05.commit` has no modifier `{name}`"), &label));
        }
        if has(".cta_group::2") {
            let message = "`.cta_group::2` needs a pair of CTAs".to_string();
            return Err(wrong(&head, message, "not supported").help("pairs of CTAs are not supported yet: use `.cta_group::1`"));
        }
        if let Some(missing) = [".cta_group::1", ".mbarrier::arrive::one", ".b64"].iter().find(|m| !has(m)) {
            return Err(wrong(&head, format!("`tcgen05.commit` without `{missing}`"), &format!("expected `{missing}` here")));
        }
        let args = self.args()?;
        if args.len() != 1 + usize::from(multicast) {
            let label = if multicast { "expected `[mbar], ctaMask`" } else { "expected `[mbar]`" };
            return Err(wrong(&head, format!("`tcgen05.commit` has {} operands", args.len()), label));
        }
        let ctas = if multicast { Some(self.ctas(&args[1])?) } else { None };
        let (address, offset, narrow) = self.object(&args[0])?;
        let space = if has(".shared::cluster") { Space::Shared } else { Space::Generic };
        let op = MbarrierOp::Commit { ctas };
        Ok((Op::Mbarrier(Box::new(Mbarrier { op, space, address, offset, narrow, cluster: true })), vec![]))
    }
}

/// The operation of `red.async` for a type.
fn reduction(modifiers: &[&str], ty: Type) -> Result<Atomic, (String, &'static str)> {
    if ![".relaxed", ".cluster"].iter().all(|m| modifiers.contains(m)) {
        return Err(("`red.async` without `.relaxed.cluster`".into(), "expected it after `.async`"));
    }
    let Some(op) = modifiers.iter().find_map(|m| Some((*m, atomic(m, modifiers)?))) else {
        return Err(("`red.async` without an operation".into(), OPERATIONS));
    };
    let bits = ty.kind == TypeKind::Unsigned && modifiers.iter().any(|m| m.starts_with(".b"));
    let fits = match op.0 {
        ".inc" | ".dec" => modifiers.contains(&".u32"),
        ".min" | ".max" => modifiers.contains(&".u32") || modifiers.contains(&".s32"),
        ".and" | ".or" | ".xor" => bits && ty.bits == 32,
        ".add" => ty.kind != TypeKind::Float && !bits,
        _ => false,
    };
    fits.then_some(op.1).ok_or_else(|| (format!("`red.async` has no `{}` of this type", op.0), OPERATIONS))
}

const OPERATIONS: &str =
    "expected .inc.u32, .dec.u32, .min and .max of 32 bits, .and.b32, .or.b32, .xor.b32, or .add of integers";
