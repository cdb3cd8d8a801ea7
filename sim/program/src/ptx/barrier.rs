// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bar` and `barrier` from their modifiers and operands: every form of the PTX page on bar/barrier, and no other.

use super::lex::integer;
use super::operand::Arg;
use super::parser::Parser;
use super::scope::similar;
use super::target::Feature;
use crate::arith::{Type, TypeKind};
use crate::{Barrier, BarrierKind, Operand, RedOp, Slot};
use bcu_isa::diag::Diagnostic;
use std::ops::Range;

/// A modifier with its span.
pub(super) type Modifier<'a> = (&'a str, Range<usize>);

const MODIFIERS: &[&str] = &[".cta", ".sync", ".arrive", ".red", ".aligned", ".popc", ".and", ".or", ".u32", ".pred"];

/// Maximum length of a number that messages quote as written; a longer number is shown by its value.
const LONGEST_NUMBER: usize = 24;

/// The modifiers, before any operand is read.
struct BarrierForm {
    kind: BarrierKind,
    kind_span: Range<usize>,
    aligned: bool,
    cta: Option<Range<usize>>,
}

impl Parser<'_> {
    /// The barrier instruction with this opcode and these modifiers, and its destination register.
    pub(super) fn barrier(
        &mut self,
        opcode: (&str, Range<usize>),
        modifiers: &[Modifier],
    ) -> Result<(Barrier, Option<Slot>), Diagnostic> {
        let form = form(&opcode, modifiers)?;
        let written: String = [opcode.0].into_iter().chain(modifiers.iter().map(|m| m.0)).collect();
        let args = self.args()?;
        let end = opcode.1.start..self.cursor.last_end();
        let reduces = matches!(form.kind, BarrierKind::Reduce(_));
        let (least, most, operands) = match form.kind {
            BarrierKind::Sync => (1, 2, "a barrier id, optionally a thread count"),
            BarrierKind::Arrive => (2, 2, "a barrier id and a thread count"),
            BarrierKind::Reduce(_) => (3, 4, "a destination, a barrier id, optionally a thread count, and a predicate"),
        };
        if !(least..=most).contains(&args.len()) {
            let diagnostic =
                Diagnostic::new(end, format!("`{written}` has {} operands", args.len()), format!("expected {operands}"));
            return Err(if form.kind == BarrierKind::Arrive && args.len() == 1 {
                diagnostic
                    .help("an arrival does not wait, so it needs the number of threads that complete the barrier: `bar.arrive 0, 64;`")
            } else {
                diagnostic
            });
        }
        // The id and the count; in a reduction they are between the destination and the predicate.
        let inner = &args[usize::from(reduces)..args.len() - usize::from(reduces)];
        self.check_number(&inner[0], "barrier id, a constant from 0 to 15")?;
        if let Some(count) = inner.get(1) {
            self.check_number(count, "thread count, a constant that is a multiple of the warp size")?;
        }
        let (mut destination, mut predicate) = (None, None);
        if let BarrierKind::Reduce(op) = form.kind {
            destination = Some(self.check_destination(&args[0], op)?);
            let last = &args[args.len() - 1];
            self.check_predicate(last)?;
            predicate = Some((last.operand.clone(), last.span.clone()));
        }
        self.check_features(&opcode, &form, inner)?;
        let barrier = Barrier {
            kind: form.kind,
            aligned: form.aligned || !self.module.target.diverges(),
            id: inner[0].operand.clone(),
            id_span: inner[0].span.clone(),
            count: inner.get(1).map(|count| (count.operand.clone(), count.span.clone())),
            written: [0, 1].map(|i| inner.get(i).map_or(String::new(), |arg| self.written(&arg.span))),
            predicate,
        };
        Ok((barrier, destination))
    }

    /// The text of a number for messages; empty for an expression, which messages show by its value.
    fn written(&self, span: &Range<usize>) -> String {
        let text = self.cursor.source.get(span.clone()).unwrap_or("");
        let literal = text.len() <= LONGEST_NUMBER && integer(text.strip_prefix('-').unwrap_or(text)).is_some();
        if literal { text } else { "" }.to_string()
    }

    fn check_number(&mut self, arg: &Arg, expected: &str) -> Result<(), Diagnostic> {
        let expected = format!("expected a {expected}, or a .u32 register");
        match arg.operand {
            Operand::Immediate(_) => Ok(()),
            Operand::Register { slot, negated: false } => match self.names().type_of(slot) {
                Some(ty) if !is_word(ty) => {
                    Err(Diagnostic::new(arg.span.clone(), "this register is not a 32-bit integer", expected))
                }
                _ => Ok(()),
            },
            _ => Err(match &arg.symbol {
                Some(symbol) => {
                    Diagnostic::new(arg.span.clone(), format!("`{symbol}` is not declared as a register"), expected)
                        .help(format!("declare it with `.reg .u32 {symbol};`, or as a constant with `#define {symbol} 64`"))
                }
                None => Diagnostic::new(arg.span.clone(), "this operand is neither a constant nor a register", expected),
            }),
        }
    }

    /// `red.and` and `red.or` yield a predicate, `red.popc` a number; an undeclared register of a fragment is accepted for both.
    fn check_destination(&mut self, arg: &Arg, op: RedOp) -> Result<Slot, Diagnostic> {
        let (expected, fits): (_, fn(Type) -> bool) = match op {
            RedOp::Popc => ("a .u32 register for the number of lanes", is_word),
            RedOp::And | RedOp::Or => ("a .pred register for the result", |ty| ty.kind == TypeKind::Predicate),
        };
        match arg.operand {
            Operand::Register { slot, negated: false } if self.names().type_of(slot).is_none_or(fits) => Ok(slot),
            _ => Err(Diagnostic::new(
                arg.span.clone(),
                "this operand cannot hold the result of the reduction",
                format!("expected {expected}"),
            )),
        }
    }

    fn check_predicate(&mut self, arg: &Arg) -> Result<(), Diagnostic> {
        let good = match arg.operand {
            Operand::Immediate(_) => true,
            Operand::Register { slot, .. } => self.names().type_of(slot).is_none_or(|ty| ty.kind == TypeKind::Predicate),
            _ => false,
        };
        if good {
            return Ok(());
        }
        Err(Diagnostic::new(
            arg.span.clone(),
            "this operand is not a predicate",
            "expected the predicate to reduce, like `p` or `!p`",
        ))
    }

    fn check_features(&self, opcode: &(&str, Range<usize>), form: &BarrierForm, operands: &[Arg]) -> Result<(), Diagnostic> {
        let mut used = Vec::new();
        if opcode.0 == "barrier" {
            used.push((Feature::Barrier, opcode.1.clone()));
        }
        used.extend(form.cta.clone().map(|span| (Feature::Cta, span)));
        if form.kind != BarrierKind::Sync {
            used.push((Feature::ArriveOrRed, form.kind_span.clone()));
        }
        let registers = operands.iter().filter(|arg| !matches!(arg.operand, Operand::Immediate(_)));
        used.extend(registers.map(|arg| (Feature::RegisterOperand, arg.span.clone())));
        used.extend(operands.get(1).map(|count| (Feature::Count, count.span.clone())));
        for (feature, span) in used {
            if let Some((message, help)) = feature.refusal(self.module.version, self.module.target) {
                return Err(Diagnostic::new(span, message, "not available in this PTX version or for this target").help(help));
            }
        }
        Ok(())
    }
}

pub(super) fn is_word(ty: Type) -> bool {
    ty.bits == 32 && matches!(ty.kind, TypeKind::Unsigned | TypeKind::Signed)
}

/// Reads the modifiers, which compilers write in any order after `.cta`.
fn form(opcode: &(&str, Range<usize>), modifiers: &[Modifier]) -> Result<BarrierForm, Diagnostic> {
    let find = |name: &str| modifiers.iter().find(|m| m.0 == name).map(|m| m.1.clone());
    let error = |span: &Range<usize>, message: String, label: &str| Err(Diagnostic::new(span.clone(), message, label));
    for (i, (name, span)) in modifiers.iter().enumerate() {
        if *name == ".xor" {
            return error(span, "a barrier cannot reduce by xor".into(), "expected .and, .or or .popc");
        }
        if !MODIFIERS.contains(name) {
            let diagnostic = Diagnostic::new(
                span.clone(),
                format!("`{}` has no modifier `{name}`", opcode.0),
                "expected .sync, .arrive or .red",
            );
            return Err(match similar(name, MODIFIERS.iter().copied()) {
                Some(known) => diagnostic.help(format!("did you mean `{known}`?")),
                None => diagnostic,
            });
        }
        if modifiers[..i].iter().any(|m| m.0 == *name) {
            return error(span, format!("the modifier `{name}` is given twice"), "expected it once");
        }
        if *name == ".cta" && i > 0 {
            return error(span, "`.cta` is misplaced".into(), "expected it directly after the opcode");
        }
        if *name == ".aligned" && opcode.0 == "bar" {
            return error(
                span,
                "`bar` has no modifier `.aligned`".into(),
                "`bar` is always aligned; only `barrier` has both forms",
            );
        }
    }
    let kinds: Vec<Modifier> = modifiers.iter().filter(|m| matches!(m.0, ".sync" | ".arrive" | ".red")).cloned().collect();
    let [(kind_name, kind_span)] = &kinds[..] else {
        let span = kinds.get(1).map_or(opcode.1.clone(), |k| k.1.clone());
        let given = match &kinds[..] {
            [first, second, ..] => format!("`{}` has both {} and {}", opcode.0, first.0, second.0),
            _ => format!("`{}` has none of .sync, .arrive and .red", opcode.0),
        };
        return error(&span, given, "expected one of .sync, .arrive and .red");
    };
    let reduction: Vec<&Modifier> =
        modifiers.iter().filter(|m| matches!(m.0, ".popc" | ".and" | ".or" | ".u32" | ".pred")).collect();
    let mut names: Vec<&str> = reduction.iter().map(|m| m.0).collect();
    names.sort_unstable();
    let kind = match (*kind_name, &names[..]) {
        (".sync", []) => BarrierKind::Sync,
        (".arrive", []) => BarrierKind::Arrive,
        (".red", [".popc", ".u32"]) => BarrierKind::Reduce(RedOp::Popc),
        (".red", [".and", ".pred"]) => BarrierKind::Reduce(RedOp::And),
        (".red", [".or", ".pred"]) => BarrierKind::Reduce(RedOp::Or),
        (".red", _) => {
            return error(kind_span, "an incomplete reduction".into(), "expected .popc.u32, .and.pred or .or.pred after .red");
        }
        _ => {
            let span = reduction.first().map_or(kind_span, |m| &m.1);
            return error(span, format!("`{}` does not reduce", kind_name), "expected no reduction here");
        }
    };
    Ok(BarrierForm {
        kind,
        kind_span: kind_span.clone(),
        aligned: opcode.0 == "bar" || find(".aligned").is_some(),
        cta: find(".cta"),
    })
}
