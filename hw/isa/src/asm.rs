// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assembles the text of one BCU instruction.
//!
//! Syntax: `[@[!]P] MNEMONIC operand, operand… [$word…] [;]` with the comments of [`lex`](super::lex). The operands are matched against the
//! forms of the field table. Before that, the short spellings of the instruction set document are completed:
//!
//! - SYNC or RED without a count: count 0, which is all live warps.
//! - `B2R` or `R2B` without a mode: mode BAR. Mode WARP needs no id.
//! - `BAR.RESULT`: `B2R.RESULT`. Its predicate may be omitted: PT.
//! - `BAR.RED.AND R5, R5, P0`, the same register twice: the packed form `R5, P0`.
//! - `MBAR.TRY` without a hint: hint 0, no limit.
//!
//! Control words (`$sched`) have no bits in the instruction word: they are ignored with a warning.

use super::fields::{Field, Kind, Values, FORMS};
use super::ids::{FieldId, InstrForm, Optype};
use super::instr::{from_values, Instr};
use super::lex::{blank_comments, tokens, Token, TokenKind};
use super::mbar::ArriveMode;
use super::mnemonic::{mnemonics, parse, unknown};
use super::nbar::{MAX_ID, MAX_TYPE};
use super::operands::{guard, list, shown, Operand, Value};
use super::register::{Pred, Reg};
use crate::diag::Diagnostic;

/// Lanes of a warp in the instruction set document: a thread count must be a multiple of this number.
pub const DEFAULT_LANES: u32 = 32;

/// An instruction, and warnings about legal but suspicious use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembled {
    pub instr: Instr,
    pub warnings: Vec<Diagnostic>,
}

/// Assembles one instruction for warps of `lanes` lanes; spans are byte ranges of `text`.
pub fn assemble(text: &str, lanes: u32) -> Result<Assembled, Diagnostic> {
    let text = blank_comments(text)?;
    let words = tokens(&text);
    let end = words.iter().position(|t| t.kind == TokenKind::Mark(';')).unwrap_or(words.len());
    if let Some(extra) = words.get(end + 1) {
        return Err(Diagnostic::new(extra.span(), "text after the end of the instruction", "expected nothing after `;`"));
    }
    let (guard, operation) = guard(&words[..end])?;
    let stop = operation.last().map_or(text.trim_end().len(), |t| t.span().end);
    let Some((word, operand_words)) = operation.split_first() else {
        return Err(Diagnostic::new(stop..stop, "the instruction is missing", "expected a mnemonic such as BAR.SYNC"));
    };
    let Some((optype, mut values)) = parse(word.text) else {
        return Err(unknown(word, &mnemonics()));
    };
    let (operand_words, mut warnings) = control_words(operand_words)?;
    let mut operands = list(operand_words)?;
    complete(word, optype, &values, &mut operands)?;
    let form = choose(word, optype, &operands)?;

    (values[FieldId::Pg as usize], values[FieldId::PgNot as usize]) = (guard.index.into(), guard.not.into());
    for (id, operand) in form.row().operands.iter().zip(&operands) {
        let field = id.field();
        values[field.id as usize] = match operand.value {
            Value::Number(n) => in_range(field, n, (operand, &shown(&text[operand.span.clone()])), lanes)?,
            Value::Reg(r) => r.0.into(),
            Value::Address(base, n) => {
                if let Kind::Address(offset) = field.kind {
                    let written = format!("offset {n:#x}");
                    values[offset as usize] = in_range(offset.field(), n, (operand, &written), lanes)?;
                }
                base.0.into()
            }
            Value::Pred(p) if p.not && field.id != FieldId::Pp => {
                return Err(Diagnostic::new(
                    operand.span.clone(),
                    "a destination cannot be negated",
                    "expected P0 to P6 or PT",
                ));
            }
            Value::Pred(p) => {
                values[FieldId::PpNot as usize] = p.not.into();
                p.index.into()
            }
        };
    }
    if form == InstrForm::BarI || form == InstrForm::BarRri {
        let arrive_without_count = values[FieldId::BarMode as usize] != 0 && values[FieldId::Cnt as usize] == 0;
        if let (true, Some(count)) = (arrive_without_count, operands.last()) {
            return Err(no_count(count.span.clone()));
        }
    }
    if let (true, Some(count)) = (counts_arrivals(form, &values) && values[FieldId::Imm as usize] == 0, operands.last()) {
        let error = Diagnostic::new(
            count.span.clone(),
            format!("{} needs a number above 0", word.text),
            "expected a number of arrivals",
        );
        return Err(error.help("an mbarrier takes 1 to 1048575 arrivals; use a register for more than 65535"));
    }
    if let (InstrForm::BarRr, [a, b]) = (form, &operands[..]) {
        if a.value == b.value {
            let text = "id and count are read from the same register";
            let help = "the id is the lowest 4 bits, which are 0 in a count of whole warps: give the id as a number or in another register";
            warnings.push(Diagnostic::new(a.span.start..b.span.end, text, "both operands read the same value").help(help));
        }
    }
    if let (Optype::MbarArrive, [token, ..]) = (optype, &operands[..]) {
        if token.value == Value::Reg(Reg(Reg::RZ.0 - 1)) {
            let warning =
                Diagnostic::new(token.span.clone(), "the high word of the token is not stored", "a token takes two registers");
            warnings.push(
                warning.help(
                    "the high word, which contains the phase, would go to RZ: write RZ to discard the token, or R0 to R253",
                ),
            );
        }
    }
    Ok(Assembled { instr: from_values(form, &values), warnings })
}

/// The tokens before the control words, and the warning about the control words.
fn control_words<'t, 'a>(tokens: &'t [Token<'a>]) -> Result<(&'t [Token<'a>], Vec<Diagnostic>), Diagnostic> {
    let at = tokens.iter().position(|t| t.text.starts_with('$')).unwrap_or(tokens.len());
    let (rest, words) = tokens.split_at(at);
    if let Some(other) = words.iter().find(|t| !t.text.starts_with('$')) {
        return Err(Diagnostic::new(other.span(), "an operand follows a control word", "expected `;` or the end of the line"));
    }
    let warning = words.first().zip(words.last()).map(|(first, last)| {
        let span = first.at..last.span().end;
        Diagnostic::new(span, "control words are ignored", "the instruction word has no bits for them")
    });
    Ok((rest, warning.into_iter().collect()))
}

/// Whether the immediate of the instruction is a number of arrivals, which must not be 0.
fn counts_arrivals(form: InstrForm, values: &Values) -> bool {
    let arrives = ArriveMode::ALL.get(usize::from(values[FieldId::ArriveMode as usize]));
    form == InstrForm::MbarI || form == InstrForm::MbarArriveI && arrives.is_some_and(|mode| !mode.expects())
}

fn no_count(span: std::ops::Range<usize>) -> Diagnostic {
    let error = Diagnostic::new(span, "BAR.ARV needs a count above 0", "expected the number of participating threads");
    error.help("a count of 0 means all warps of the CTA, and only an instruction that waits may have it: use BAR.SYNC, or give the count")
}

/// Completes the operands that the short spellings omit.
fn complete(word: &Token, optype: Optype, values: &Values, operands: &mut Vec<Operand>) -> Result<(), Diagnostic> {
    let end = word.span().end;
    let number = |at: usize| Operand { value: Value::Number(0), span: at..at };
    let named = |field: FieldId, name: &str| {
        let mode = usize::from(values[field as usize]);
        matches!(field.field().kind, Kind::Choice(names) if names.get(mode) == Some(&name))
    };
    let warp = named(FieldId::B2rMode, "WARP");
    let kinds: Vec<Value> = operands.iter().map(|o| o.value).collect();
    match (optype, &kinds[..]) {
        (Optype::Bar, [Value::Number(_) | Value::Reg(_)]) => {
            let at = operands.last().map_or(end, |o| o.span.end);
            match named(FieldId::BarMode, "SYNC") {
                true => operands.push(number(at)),
                false => return Err(no_count(at..at)),
            }
        }
        (Optype::BarRed, [Value::Number(_), Value::Pred(_)]) => operands.insert(1, number(end)),
        (Optype::BarRed, [Value::Reg(a), Value::Reg(b), Value::Pred(_)]) => {
            let second = operands.remove(1);
            if a != b {
                let message = format!("{} has no form with two registers", word.text);
                let help = format!(
                    "pack id and count in one register and write `{} {a}, …`, or give one of them as a number",
                    word.text
                );
                return Err(Diagnostic::new(second.span, message, format!("expected a number, or {a} again")).help(help));
            }
        }
        (Optype::B2r, [Value::Reg(_)]) if warp => operands.push(number(end)),
        (Optype::R2b, [Value::Reg(_)]) if warp => operands.insert(0, number(end)),
        (Optype::B2rResult, [Value::Reg(_)]) => {
            operands.push(Operand { value: Value::Pred(Pred::PT), span: end..end });
        }
        (Optype::MbarTry, [Value::Pred(_), Value::Address(..), Value::Reg(_)]) => {
            let at = operands.last().map_or(end, |o| o.span.end);
            operands.push(number(at));
        }
        _ => {}
    }
    Ok(())
}

fn fits(field: &Field, value: Value) -> bool {
    matches!(
        (field.kind, value),
        (Kind::Number, Value::Number(_))
            | (Kind::Reg, Value::Reg(_))
            | (Kind::Pred, Value::Pred(_))
            | (Kind::Address(_), Value::Address(..))
    )
}

/// The form of the operation type whose operand kinds match `operands`.
fn choose(word: &Token, optype: Optype, operands: &[Operand]) -> Result<InstrForm, Diagnostic> {
    let forms = || FORMS.iter().filter(|f| f.optype == optype);
    let matched =
        |row: &super::fields::FormRow| row.operands.iter().zip(operands).take_while(|(f, o)| fits(f.field(), o.value)).count();
    if let Some(row) = forms().find(|f| f.operands.len() == operands.len() && matched(f) == operands.len()) {
        return Ok(row.form);
    }
    let best = forms().map(matched).max().unwrap_or(0);
    let near: Vec<_> = forms().filter(|f| matched(f) == best).collect();
    let mut expected: Vec<&str> = near.iter().filter_map(|f| f.operands.get(best)).map(|id| expects(id.field())).collect();
    expected.dedup();
    let label = if expected.is_empty() {
        "expected no further operand".to_string()
    } else {
        format!("expected {}", expected.join(" or "))
    };
    let error = match operands.get(best) {
        Some(o) if expected.is_empty() => {
            Diagnostic::new(o.span.clone(), format!("{} has too many operands", word.text), label)
        }
        Some(o) => {
            let message = format!("operand {} of {} cannot be {}", best + 1, word.text, o.value.noun());
            Diagnostic::new(o.span.clone(), message, label)
        }
        None => {
            let end = operands.iter().map(|o| o.span.end).fold(word.span().end, usize::max);
            Diagnostic::new(end..end, format!("{} has too few operands", word.text), label)
        }
    };
    let ways: Vec<String> = forms().map(|f| format!("`{}`", format!("{} {}", word.text, syntax(f.form)).trim_end())).collect();
    Err(error.help(format!("write {}", ways.join(" or "))))
}

fn expects(field: &Field) -> &'static str {
    match (field.id, field.kind) {
        (FieldId::Barid, _) => "a barrier id, 0 to 15",
        (FieldId::Cnt, _) => "a thread count",
        (FieldId::Imm, _) => "a number",
        (FieldId::NbarId, _) => "a barrier id, 0 to 31",
        (FieldId::Threads, _) => "a number of threads, 1 to 255",
        (FieldId::Producers, _) => "a number of producers, 1 to 255",
        (FieldId::Consumers, _) => "a number of consumers, 1 to 255",
        (FieldId::Role, _) => "a type: 0 producer and consumer, 1 producer, 2 consumer",
        (FieldId::Hint, _) => "a time in units of 64 cycles",
        (_, Kind::Address(_)) => "an address such as [R4+8]",
        (_, Kind::Reg) => "a register",
        _ => "a predicate",
    }
}

/// The operands of a form in the notation of the documents: `id, Rc, {!}pp`.
pub fn syntax(form: InstrForm) -> String {
    let name = |id: &FieldId| match (id, id.field().kind) {
        (FieldId::Barid, _) => "id".to_string(),
        (FieldId::Cnt, _) => "count".to_string(),
        (FieldId::Pp, _) => "{!}pp".to_string(),
        (FieldId::Hint, _) => "hint".to_string(),
        (_, Kind::Address(_)) => "[Ra+offset]".to_string(),
        (_, Kind::Reg) => id.field().name.replacen('r', "R", 1),
        _ => id.field().name.to_string(),
    };
    form.row().operands.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// The value of an operand, if it fits the field. `written` is its spelling in the source, for messages.
fn in_range(field: &Field, n: u64, (operand, written): (&Operand, &str), lanes: u32) -> Result<u16, Diagnostic> {
    let (max, lanes) = (u64::from(field.max()), u64::from(lanes));
    let error = |message: String, label: String| Err(Diagnostic::new(operand.span.clone(), message, label));
    if [FieldId::Offset, FieldId::Imm, FieldId::Hint].contains(&field.id) {
        return match n <= max {
            true => Ok(n as u16),
            false => error(
                format!("{written} does not fit the {} bits of the operand", field.width),
                format!("expected at most {max}"),
            )
            .map_err(|e| if field.id == FieldId::Hint { e } else { e.help("load it into a register") }),
        };
    }
    let counts = [FieldId::Threads, FieldId::Producers, FieldId::Consumers].contains(&field.id);
    if counts || field.id == FieldId::Role {
        let (least, most) = if counts { (1, max) } else { (0, u64::from(MAX_TYPE)) };
        return match n >= least && n <= most {
            true => Ok(n as u16),
            false => error(format!("{} cannot be {written}", field.name), format!("expected {}", expects(field))),
        };
    }
    let max = if field.id == FieldId::NbarId { MAX_ID.into() } else { max };
    if field.id != FieldId::Cnt {
        return match n <= max {
            true => Ok(n as u16),
            false => error(format!("barrier {written} does not exist"), format!("expected {}", expects(field))),
        };
    }
    if n > max {
        return error(
            format!("count {written} does not fit the {} bits of a count", field.width),
            format!("expected at most {max}"),
        );
    }
    if !n.is_multiple_of(lanes) {
        let below = n - n.checked_rem(lanes).unwrap_or(0);
        let near: Vec<String> =
            [below, below + lanes].iter().filter(|c| **c > 0 && **c <= max).map(|c| c.to_string()).collect();
        let wrong = Diagnostic::new(
            operand.span.clone(),
            format!("count {written} is not a multiple of the {lanes} lanes of a warp"),
            "a warp counts with all its lanes, whichever lanes execute",
        );
        return Err(if near.is_empty() { wrong } else { wrong.help(format!("write {}", near.join(" or "))) });
    }
    Ok(n as u16)
}
