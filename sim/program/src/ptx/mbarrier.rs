// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mbarrier` and `cp.async.mbarrier.arrive` from their modifiers and operands: every form of their PTX pages in layout v0, and no other.
//! [`mbarrier_form`](super::mbarrier_form) defines the modifiers.

use super::barrier::Modifier;
use super::mbarrier_form::{form, Does, MbarrierForm};
use super::memory::{slot, LoweredOp};
use super::operand::Arg;
use super::parser::Parser;
use crate::arith::{Calc, Operation, Type, TypeKind};
use crate::mbarrier::{Mbarrier, MbarrierOp, MbarrierWait, MAX_NUMBER};
use crate::{Op, Operand, Slot, Space};
use bcu_isa::diag::Diagnostic;
use bcu_isa::mbar::ArriveMode;
use std::ops::Range;

impl Parser<'_> {
    /// The instruction with this opcode and these modifiers, and its destination registers.
    pub(super) fn mbarrier(&mut self, opcode: (&str, Range<usize>), modifiers: &[Modifier]) -> Result<LoweredOp, Diagnostic> {
        let form = form(&opcode, modifiers)?;
        let args = self.args()?;
        let whole = opcode.1.start..self.cursor.last_end();
        let (least, most, operands) = form.operands();
        if !(least..=most).contains(&args.len()) {
            let message = format!("`{}` has {} operands", form.written, args.len());
            return Err(Diagnostic::new(whole, message, format!("expected {operands}")));
        }
        let mut needs = form.needs();
        let sink = |arg: &Arg| arg.operand == Operand::Opaque && arg.slots.is_empty() && arg.symbol.is_none();
        let mut remaining = &args[..];
        let mut writes = vec![];
        if let Some((what, fits)) = form.result() {
            let (to, others) = args.split_at(1);
            remaining = others;
            writes = vec![match sink(&to[0]) && form.sinks() {
                true => {
                    needs.push((("the sink `_`", (7, 1), 0), to[0].span.clone()));
                    None
                }
                false => Some(self.result(&form, &to[0], what, fits)?),
            }];
        }
        if let (Does::Arrive { .. }, Some(count)) = (form.does, remaining.get(1).filter(|_| form.mode.is_none())) {
            needs.push((("an arrival with a count and without `.noComplete`", (7, 8), 90), count.span.clone()));
        }
        for (need, span) in needs {
            if let Some((message, help)) = super::target::refusal(need, self.module.version, self.module.target) {
                return Err(Diagnostic::new(span, message, "not available in this PTX version or for this target").help(help));
            }
        }
        if form.does == Does::PendingCount {
            let state = self.state(&remaining[0])?;
            return Ok(pending_count(state, writes));
        }
        let op = self.operation(&form, &remaining[1..])?;
        Ok((Op::Mbarrier(Box::new(self.addressed(&form, &remaining[0], op)?)), writes))
    }

    /// Checks the destination of a token or of the result of a wait, and returns its register slot.
    fn result(&mut self, form: &MbarrierForm, arg: &Arg, what: &str, fits: fn(Type) -> bool) -> Result<Slot, Diagnostic> {
        let wrong = |message: &str, label: String| Err(Diagnostic::new(arg.span.clone(), message, label));
        if form.remote.is_some() {
            let label = "expected `_`: the state of an mbarrier of another CTA is not returned".to_string();
            return wrong("invalid destination", label);
        }
        match slot(&arg.operand) {
            Some(to) if self.names().type_of(to).is_none_or(fits) => Ok(to),
            _ => wrong(&format!("this operand cannot hold {what}"), format!("expected {}", form.expected_result())),
        }
    }

    /// The operation, with the operands after the address.
    fn operation(&mut self, form: &MbarrierForm, args: &[Arg]) -> Result<MbarrierOp, Diagnostic> {
        let number = args.first();
        Ok(match form.does {
            Does::Init => MbarrierOp::Init(self.number(&args[0], "count", 1)?),
            Does::Inval | Does::PendingCount => MbarrierOp::Inval,
            Does::Tx(mode) => MbarrierOp::Tx { mode, bytes: self.number(&args[0], "number of bytes", 0)? },
            Does::Arrive { drops } => {
                let mode = form.arrival(drops);
                let (what, least) = if mode.expects() { ("number of bytes", 0) } else { ("count", 1) };
                let number = match number {
                    Some(arg) => self.number(arg, what, least)?,
                    None => Operand::Immediate(1),
                };
                MbarrierOp::Arrive { mode, relaxed: form.relaxed, number }
            }
            Does::Wait { suspends } => {
                let phase = if form.parity.is_some() { self.parity(&args[0])? } else { self.state(&args[0])? };
                let hint = match args.get(1) {
                    Some(arg) => Some(self.word_operand(arg, "a number of nanoseconds")?),
                    None => None,
                };
                MbarrierOp::Wait(MbarrierWait { phase, parity: form.parity.is_some(), suspends, hint, acquires: !form.relaxed })
            }
            Does::Copies { counted } => MbarrierOp::Copies { counted },
        })
    }

    /// The operation at the address in brackets.
    fn addressed(&mut self, form: &MbarrierForm, arg: &Arg, op: MbarrierOp) -> Result<Mbarrier, Diagnostic> {
        let (space, cluster) = (if form.shared { Space::Shared } else { Space::Generic }, form.remote.is_some());
        let (address, offset, narrow) = self.object(arg)?;
        Ok(Mbarrier { op, space, address, offset, narrow, cluster })
    }

    /// The address of an mbarrier: base, byte offset, and whether it has 32 bits.
    pub(super) fn object(&mut self, arg: &Arg) -> Result<(Operand, i64, bool), Diagnostic> {
        let wrong = |label: &str| Err(Diagnostic::new(arg.span.clone(), "invalid address of an mbarrier", label));
        let Some((base, offset)) = arg.address.clone() else {
            return wrong("expected an address in brackets: `[addr]` or `[addr+8]`");
        };
        let ty = slot(&base).and_then(|slot| self.names().type_of(slot));
        if ty.is_some_and(|ty| ty.kind == TypeKind::Predicate || ty.bits < 32) {
            return wrong("expected a register of 32 or 64 bits, or a variable");
        }
        let base = match base {
            Operand::Immediate(at) => Operand::Shared(at),
            other => other,
        };
        let narrow = matches!(base, Operand::Register { .. }) && ty.is_none_or(|ty| ty.bits <= 32);
        Ok((base, offset, narrow))
    }

    /// Checks an operand that is a count or a number of bytes.
    fn number(&mut self, arg: &Arg, what: &str, least: u64) -> Result<Operand, Diagnostic> {
        let expected = format!("a {what} from {least} to {MAX_NUMBER}");
        if let Operand::Immediate(value) = arg.operand {
            if !u64::try_from(value).is_ok_and(|value| (least..=MAX_NUMBER).contains(&value)) {
                let error = Diagnostic::new(
                    arg.span.clone(),
                    format!("a {what} of {value}"),
                    format!("expected {least} to {MAX_NUMBER}"),
                );
                return Err(error.help("an mbarrier has 20 bits for arrivals and 20 bits for expected bytes"));
            }
        }
        self.word_operand(arg, &expected)
    }

    /// Checks an operand that is a constant or a register of 32 bits.
    fn word_operand(&mut self, arg: &Arg, expected: &str) -> Result<Operand, Diagnostic> {
        let fits = |ty: Type| ty.bits == 32 && ty.kind != TypeKind::Float;
        let good = match &arg.operand {
            Operand::Immediate(_) | Operand::Special(_) => true,
            Operand::Register { slot, negated: false } => self.names().type_of(*slot).is_none_or(fits),
            _ => false,
        };
        if good {
            return Ok(arg.operand.clone());
        }
        let message = "this operand is neither a constant nor a register of 32 bits";
        Err(Diagnostic::new(arg.span.clone(), message, format!("expected {expected}")))
    }

    fn parity(&mut self, arg: &Arg) -> Result<Operand, Diagnostic> {
        if let Operand::Immediate(value) = arg.operand {
            if !matches!(value, 0 | 1) {
                let error = Diagnostic::new(arg.span.clone(), format!("a parity of {value}"), "expected 0 or 1");
                return Err(error.help("the phases of an mbarrier are even and odd in turn; the first is even, 0"));
            }
        }
        self.word_operand(arg, "a parity, 0 or 1")
    }

    /// Checks that the operand is a register for a state: the token that an arrival returns.
    fn state(&mut self, arg: &Arg) -> Result<Operand, Diagnostic> {
        match slot(&arg.operand) {
            Some(from) if self.names().type_of(from).is_none_or(token) => Ok(arg.operand.clone()),
            _ => {
                let error = Diagnostic::new(arg.span.clone(), "invalid state of an mbarrier", "expected a .b64 register");
                Err(error.help("an arrival returns a state; a wait for a parity has the modifier `.parity`"))
            }
        }
    }
}

/// Whether a register of this type can hold a token.
pub(super) fn token(ty: Type) -> bool {
    ty.bits == 64 && matches!(ty.kind, TypeKind::Unsigned | TypeKind::Signed)
}

/// `mbarrier.pending_count`: the pending count of a state, which holds the negated count in 20 bits.
fn pending_count(state: Operand, writes: Vec<Option<Slot>>) -> LoweredOp {
    (Op::Calc { calc: Calc { op: Operation::Pending, pair: None }, sources: vec![state] }, writes)
}

impl MbarrierForm {
    fn arrival(&self, drops: bool) -> ArriveMode {
        match (self.mode.as_ref().map(|(mode, _)| *mode), drops) {
            (None, false) => ArriveMode::Arrive,
            (Some(".expect_tx"), false) => ArriveMode::ArriveExpect,
            (Some(_), false) => ArriveMode::ArriveNoComplete,
            (None, true) => ArriveMode::Drop,
            (Some(".expect_tx"), true) => ArriveMode::DropExpect,
            (Some(_), true) => ArriveMode::DropNoComplete,
        }
    }
}
