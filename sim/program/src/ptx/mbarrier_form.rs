// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The modifiers of `mbarrier` and `cp.async.mbarrier.arrive`: the allowed combinations, and their requirements.

use super::barrier::Modifier;
use super::scope::similar;
use super::target::Need;
use bcu_isa::diag::Diagnostic;
use bcu_isa::mbar::TxMode;
use std::ops::Range;

/// The operation of an instruction, without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Init,
    Inval,
    Tx(TxMode),
    Arrive {
        drops: bool,
    },
    Wait {
        suspends: bool,
    },
    PendingCount,
    /// `cp.async.mbarrier.arrive`. `counted`: the form without `.noinc`, which adds 1 to the pending count when it executes.
    Copies {
        counted: bool,
    },
}

pub(super) struct MbarrierForm {
    pub does: Does,
    pub span: Range<usize>,
    /// The opcode with all its modifiers.
    pub written: String,
    /// `.expect_tx` or `.noComplete`.
    pub mode: Option<(&'static str, Range<usize>)>,
    pub parity: Option<Range<usize>>,
    pub relaxed: bool,
    /// `.release`, `.acquire` or `.relaxed`, with its span.
    pub sem: Option<(String, Range<usize>)>,
    /// The scope of `sem`, with its span.
    pub scope: Option<(String, Range<usize>)>,
    /// Whether the modifiers name the shared space; otherwise the address is generic.
    pub shared: bool,
    /// `.shared::cta`
    pub of_cta: Option<Range<usize>>,
    /// `.shared::cluster`
    pub remote: Option<Range<usize>>,
}

/// Operation names; `.check_layout` and layout v1 are not supported.
const OPERATIONS: [(&str, Does); 9] = [
    (".init", Does::Init),
    (".inval", Does::Inval),
    (".arrive", Does::Arrive { drops: false }),
    (".arrive_drop", Does::Arrive { drops: true }),
    (".expect_tx", Does::Tx(TxMode::Expect)),
    (".complete_tx", Does::Tx(TxMode::Complete)),
    (".test_wait", Does::Wait { suspends: false }),
    (".try_wait", Does::Wait { suspends: true }),
    (".pending_count", Does::PendingCount),
];

/// Modifiers allowed after the operation, for at least one operation.
const MODIFIERS: [&str; 14] = [
    ".b64",
    ".shared",
    ".shared::cta",
    ".shared::cluster",
    ".expect_tx",
    ".noComplete",
    ".parity",
    ".noinc",
    ".release",
    ".acquire",
    ".relaxed",
    ".cta",
    ".cluster",
    ".layout::v0",
];

/// Reads the modifiers. The modifiers after the operation may be in any order.
pub(super) fn form((opcode, opcode_span): &(&str, Range<usize>), modifiers: &[Modifier]) -> Result<MbarrierForm, Diagnostic> {
    let written: String = std::iter::once(*opcode).chain(modifiers.iter().map(|m| m.0)).collect();
    let error = |span: &Range<usize>, message: String, label: &str| Diagnostic::new(span.clone(), message, label);
    let names: Vec<&str> = modifiers.iter().map(|m| m.0).collect();
    let (does, span, remaining) = match (*opcode, &names[..]) {
        ("cp", [".async", ".mbarrier", ".arrive", ..]) => {
            let span = opcode_span.start..modifiers[2].1.end;
            (Does::Copies { counted: !names.contains(&".noinc") }, span, &modifiers[3..])
        }
        ("cp", _) => {
            let label = "expected `cp.async.mbarrier.arrive`";
            return Err(error(opcode_span, format!("`{written}` is not an instruction"), label));
        }
        (_, []) => {
            return Err(error(opcode_span, "`mbarrier` is not complete".into(), "expected an operation like .init or .arrive"));
        }
        (_, [first, ..]) => match OPERATIONS.iter().find(|(name, _)| name == first) {
            Some((_, does)) => (*does, modifiers[0].1.clone(), &modifiers[1..]),
            None => {
                let wrong = error(
                    &modifiers[0].1,
                    format!("`mbarrier` has no operation `{first}`"),
                    "expected .init, .inval, .arrive, .arrive_drop, .expect_tx, .complete_tx, .test_wait, .try_wait or .pending_count",
                );
                return Err(match (*first, similar(first, OPERATIONS.iter().map(|o| o.0))) {
                    (".check_layout", _) => wrong.help("only layout v0 is supported, which every mbarrier has"),
                    (_, Some(known)) => wrong.help(format!("did you mean `{known}`?")),
                    _ => wrong,
                });
            }
        },
    };
    let mut form = MbarrierForm {
        does,
        span,
        written,
        mode: None,
        parity: None,
        relaxed: false,
        sem: None,
        scope: None,
        shared: false,
        of_cta: None,
        remote: None,
    };
    let mut typed = false;
    for (at, (name, span)) in remaining.iter().enumerate() {
        if remaining[..at].iter().any(|m| m.0 == *name) {
            return Err(error(span, format!("the modifier `{name}` is given twice"), "expected it once"));
        }
        let known = MODIFIERS.iter().find(|known| *known == name).filter(|known| form.takes(known));
        let Some(known) = known else { return Err(form.unknown(name, span)) };
        let (name_span, text) = (span.clone(), name.to_string());
        match *known {
            ".b64" => typed = true,
            ".shared" => form.shared = true,
            ".shared::cta" => (form.shared, form.of_cta) = (true, Some(name_span)),
            ".shared::cluster" => (form.shared, form.remote) = (true, Some(name_span)),
            ".expect_tx" | ".noComplete" => {
                if let Some((other, _)) = form.mode.replace((known, name_span)) {
                    let message = format!("`{other}` and `{known}` exclude each other");
                    return Err(error(span, message, "expected one of them"));
                }
            }
            ".parity" => form.parity = Some(name_span),
            ".cta" | ".cluster" => form.scope = Some((text, name_span)),
            ".release" | ".acquire" | ".relaxed" => {
                form.relaxed = *known == ".relaxed";
                if let Some((other, _)) = form.sem.replace((text, name_span)) {
                    let message = format!("`{other}` and `{known}` exclude each other");
                    return Err(error(span, message, "expected one of them"));
                }
            }
            _ => {}
        }
    }
    form.together()?;
    if !typed {
        let end = modifiers.last().map_or(opcode_span.end, |m| m.1.end);
        let message = format!("`{}` without its type", form.written);
        return Err(error(&(opcode_span.start..end), message, "expected `.b64` at the end"));
    }
    Ok(form)
}

impl MbarrierForm {
    /// Whether this operation may have the modifier.
    fn takes(&self, modifier: &str) -> bool {
        let arrives = matches!(self.does, Does::Arrive { .. });
        let (waits, moves) = (matches!(self.does, Does::Wait { .. }), matches!(self.does, Does::Tx(_)));
        match modifier {
            ".b64" => true,
            ".shared" | ".shared::cta" => self.does != Does::PendingCount,
            ".layout::v0" => self.does == Does::Init,
            ".shared::cluster" => arrives || moves,
            ".expect_tx" | ".noComplete" => arrives,
            ".parity" => waits,
            ".noinc" => matches!(self.does, Does::Copies { .. }),
            ".release" => arrives,
            ".acquire" => waits,
            _ => arrives || waits || moves,
        }
    }

    fn unknown(&self, name: &str, span: &Range<usize>) -> Diagnostic {
        let known: Vec<&str> = MODIFIERS.iter().copied().filter(|m| self.takes(m)).collect();
        let error = |message: String, label: String| Diagnostic::new(span.clone(), message, label);
        if name == ".shared::cluster" {
            let message = format!("`{}` of an mbarrier of another CTA", self.operation());
            let wrong = error(message, "expected `.shared::cta`".into());
            return wrong.help(
                "arrive at it, or expect and complete bytes of it, from elsewhere; only its own CTA initialises it and waits at it",
            );
        }
        if name.starts_with(".layout") || name.starts_with(".phase_type") {
            return error(format!("`{name}` is not supported"), "only layout v0 is supported, without this modifier".into());
        }
        let wrong =
            error(format!("`{}` has no modifier `{name}`", self.operation()), format!("expected one of {}", known.join(" ")));
        match similar(name, known.iter().copied()) {
            Some(near) => wrong.help(format!("did you mean `{near}`?")),
            None => wrong,
        }
    }

    /// The instruction without its modifiers.
    fn operation(&self) -> String {
        match OPERATIONS.iter().find(|(_, does)| *does == self.does) {
            Some((name, _)) => format!("mbarrier{name}"),
            None => "cp.async.mbarrier.arrive".to_string(),
        }
    }

    /// Checks combinations of modifiers.
    fn together(&self) -> Result<(), Diagnostic> {
        let error = |span: &Range<usize>, message: String, label: &str| Err(Diagnostic::new(span.clone(), message, label));
        match (&self.sem, &self.scope) {
            (Some((sem, span)), None) => {
                return error(span, format!("`{sem}` without a scope"), "expected `.cta` or `.cluster` after it");
            }
            (None, Some((scope, span))) => {
                return error(span, format!("the scope `{scope}` without an order"), "expected one like `.relaxed` before it");
            }
            _ => {}
        }
        if !matches!(self.mode, Some((".noComplete", _))) {
            return Ok(());
        }
        if let Some(span) = &self.remote {
            return error(span, "`.noComplete` at an mbarrier of another CTA".into(), "expected `.shared::cta`");
        }
        let (sem, scope) = (self.sem.as_ref(), self.scope.as_ref());
        match sem.filter(|(sem, _)| sem != ".release").or(scope.filter(|(scope, _)| scope != ".cta")) {
            Some((wrong, span)) => {
                error(span, format!("`{wrong}` and `.noComplete` exclude each other"), "expected `.release.cta` or nothing")
            }
            None => Ok(()),
        }
    }

    /// The features of this form that not every version and target has, each with its span.
    pub fn needs(&self) -> Vec<(Need, Range<usize>)> {
        let first: Need = match self.does {
            Does::Tx(_) => ("`mbarrier.expect_tx` and `.complete_tx`", (8, 0), 90),
            Does::Wait { suspends: true } => ("`mbarrier.try_wait`", (7, 8), 90),
            Does::Copies { .. } => ("`cp.async.mbarrier.arrive`", (7, 0), 80),
            _ => ("`mbarrier`", (7, 0), 80),
        };
        let mut needs = vec![(first, self.span.clone())];
        let mut add = |span: Option<&Range<usize>>, need: Need| needs.extend(span.map(|span| (need, span.clone())));
        add(self.parity.as_ref(), ("`.parity`", (7, 1), 80));
        add(self.of_cta.as_ref(), ("`.shared::cta`", (7, 8), 80));
        add(self.remote.as_ref(), ("`.shared::cluster`", (8, 0), 90));
        if let Some((".expect_tx", span)) = &self.mode {
            add(Some(span), ("`.expect_tx`", (8, 0), 90));
        }
        add(self.sem.as_ref().map(|(_, span)| span), ("an order with a scope", (8, 0), 80));
        if self.relaxed && !matches!(self.does, Does::Tx(_)) {
            add(self.sem.as_ref().map(|(_, span)| span), ("`.relaxed`", (8, 6), 90));
        }
        let wide = self.scope.as_ref().filter(|(scope, _)| scope == ".cluster");
        add(wide.map(|(_, span)| span), ("the scope `.cluster`", (8, 0), 90));
        needs
    }
}
