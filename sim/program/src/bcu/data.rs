// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The statements that write registers and predicates: `MOV`, arithmetic such as `ADD`, `SETP`, and comparisons such as `SETP.LT`; also
//! lane masks.

use super::ast::{Source, Truth, Write, ALU, COMPARE};
use bcu_isa::diag::Diagnostic;
use bcu_isa::lex::{Token, TokenKind};
use bcu_isa::operands::{list, Value};
use bcu_isa::register::{Pred, Reg};
use std::ops::Range;

/// A mnemonic with its operands.
pub struct Args<'t, 'a> {
    pub word: &'t Token<'a>,
    pub operands: &'t [Token<'a>],
    /// Position for the diagnostic of a missing operand.
    pub after: usize,
    pub lanes: u32,
}

/// The mnemonics of the comparisons, such as `SETP.EQ`.
pub fn comparisons() -> impl Iterator<Item = String> {
    COMPARE.iter().map(|(name, _)| format!("SETP.{name}"))
}

/// The mask of `ACTIVE mask`.
pub fn active(args: &Args) -> Result<u64, Diagnostic> {
    args.some_lanes("ACTIVE 0xffff")
}

/// The word of `WORD`, bits 31:0 first.
pub fn word(args: &Args) -> Result<[u32; 4], Diagnostic> {
    let form = "WORD 0x7b1d, 0, 0, 0";
    let mut word = [0; 4];
    for (part, into) in args.parts(form, 4)?.iter().zip(&mut word) {
        *into = match args.source(part, form)? {
            Source::Number(value) => value,
            _ => return Err(args.wrong(part.span.clone(), form, "expected a number of at most 32 bits")),
        };
    }
    Ok(word)
}

/// The write of a `MOV`, a `SETP` or an arithmetic statement.
pub fn write(args: &Args) -> Result<Write, Diagnostic> {
    let name = args.word.text;
    if name == "MOV" {
        let form = "MOV R4, 0x80";
        let parts = args.parts(form, 2)?;
        return Ok(Write::Mov { to: args.register(&parts[0], form)?, from: args.source(&parts[1], form)? });
    }
    if let Some((_, op)) = ALU.iter().find(|(known, _)| *known == name) {
        let form = &format!("{name} R4, R5, 1");
        let parts = args.parts(form, 3)?;
        let (a, b) = (args.source(&parts[1], form)?, args.source(&parts[2], form)?);
        return Ok(Write::Alu { to: args.register(&parts[0], form)?, op: *op, a, b });
    }
    let compared = name.strip_prefix("SETP.").and_then(|name| COMPARE.iter().find(|(known, _)| *known == name));
    if let Some((_, compare)) = compared {
        let form = &format!("{name} P0, R4, 1");
        let parts = args.parts(form, 3)?;
        let (a, b) = (args.source(&parts[1], form)?, args.source(&parts[2], form)?);
        return Ok(Write::Predicate { to: args.predicate(&parts[0], form)?, from: Truth::Compare(*compare, a, b) });
    }
    let form = "SETP P0, 0xffff";
    let parts = args.parts(form, 2)?;
    let from = match parts[1].what {
        What::Is(Value::Pred(predicate)) => Truth::Predicate(predicate),
        _ => Truth::Mask(args.mask(&parts[1], form)?),
    };
    Ok(Write::Predicate { to: args.predicate(&parts[0], form)?, from })
}

enum What {
    Is(Value),
    LaneId,
    WarpId,
    CtaRank,
}

struct Part {
    what: What,
    span: Range<usize>,
}

impl Args<'_, '_> {
    /// The operands between commas; `form` is the syntax of the statement, for messages.
    fn parts(&self, form: &str, count: usize) -> Result<Vec<Part>, Diagnostic> {
        let split = self.operands.split(|t| t.kind == TokenKind::Mark(','));
        let parts = split.map(|part| self.part(part, form)).collect::<Result<Vec<_>, _>>()?;
        if parts.len() != count {
            let span = parts.get(count).map_or(self.after..self.after, |extra| extra.span.clone());
            return Err(self.wrong(span, form, &format!("expected {count} operands")));
        }
        Ok(parts)
    }

    fn part(&self, tokens: &[Token], form: &str) -> Result<Part, Diagnostic> {
        let what = match tokens {
            [] => return Err(self.wrong(self.after..self.after, form, "expected an operand on both sides of `,`")),
            [word] if word.text == "LANEID" => What::LaneId,
            [word] if word.text == "WARPID" => What::WarpId,
            [word] if word.text == "CTARANK" => What::CtaRank,
            _ => {
                let operand = list(tokens)?.into_iter().next();
                let operand = operand.ok_or_else(|| self.wrong(self.after..self.after, form, "expected an operand"))?;
                return Ok(Part { what: What::Is(operand.value), span: operand.span });
            }
        };
        Ok(Part { what, span: tokens[0].span() })
    }

    /// The only operand, a mask.
    pub fn some_lanes(&self, form: &str) -> Result<u64, Diagnostic> {
        let parts = self.parts(form, 1)?;
        self.not_empty(&parts[0], form)
    }

    /// A predicate to write, then a mask.
    pub fn predicate_and_lanes(&self, form: &str) -> Result<(u8, u64), Diagnostic> {
        let parts = self.parts(form, 2)?;
        Ok((self.predicate(&parts[0], form)?, self.not_empty(&parts[1], form)?))
    }

    fn not_empty(&self, part: &Part, form: &str) -> Result<u64, Diagnostic> {
        match self.mask(part, form)? {
            0 => Err(Diagnostic::new(part.span.clone(), "the mask selects no lane", "expected at least one lane")),
            mask => Ok(mask),
        }
    }

    pub fn wrong(&self, span: Range<usize>, form: &str, label: &str) -> Diagnostic {
        Diagnostic::new(span, format!("wrong operand of {}", self.word.text), label).help(format!("write it like `{form}`"))
    }

    fn register(&self, part: &Part, form: &str) -> Result<Reg, Diagnostic> {
        match part.what {
            What::Is(Value::Reg(register)) => Ok(register),
            _ => Err(self.wrong(part.span.clone(), form, "expected a register, R0 to R254 or RZ")),
        }
    }

    fn predicate(&self, part: &Part, form: &str) -> Result<u8, Diagnostic> {
        match part.what {
            What::Is(Value::Pred(Pred { index, not: false })) if index != Pred::PT.index => Ok(index),
            _ => Err(self.wrong(part.span.clone(), form, "expected a predicate that can be written, P0 to P6")),
        }
    }

    fn source(&self, part: &Part, form: &str) -> Result<Source, Diagnostic> {
        match part.what {
            What::LaneId => Ok(Source::LaneId),
            What::WarpId => Ok(Source::WarpId),
            What::CtaRank => Ok(Source::CtaRank),
            What::Is(Value::Reg(register)) => Ok(Source::Register(register)),
            What::Is(Value::Number(value)) if u32::try_from(value).is_ok() => Ok(Source::Number(value as u32)),
            What::Is(_) => {
                let label = "expected a register, a number of at most 32 bits, LANEID, WARPID or CTARANK";
                Err(self.wrong(part.span.clone(), form, label))
            }
        }
    }

    /// The lane mask that an operand states, one bit per lane; an error if it has lanes beyond the warp.
    fn mask(&self, part: &Part, form: &str) -> Result<u64, Diagnostic> {
        let all = u64::MAX >> (64 - self.lanes.clamp(1, 64));
        match part.what {
            What::Is(Value::Number(mask)) if mask <= all => Ok(mask),
            What::Is(Value::Number(mask)) => {
                let message = format!("the mask {mask:#x} has lanes that a warp of {} lanes does not have", self.lanes);
                Err(Diagnostic::new(part.span.clone(), message, format!("expected at most {all:#x}")))
            }
            _ => Err(self.wrong(part.span.clone(), form, "expected a lane mask, one bit per lane")),
        }
    }
}
