// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The statements on memory and lanes: `LD` and `ST` with their operands, `WARPSYNC`, `ELECT`, and the endings `.ALIGNED` and `.GATHER` of
//! an arrival.

use super::ast::{Cell, Data, Source};
use super::data::Args;
use crate::Form;
use bcu_isa::diag::Diagnostic;
use bcu_isa::lex::{number, Token, TokenKind};
use bcu_isa::operands::register;

/// The endings of an arrival's mnemonic, and the forms that they select.
pub const ENDINGS: [(&str, Form); 2] = [(".ALIGNED", Form::Aligned), (".GATHER", Form::Gathered)];

/// The mnemonic without its ending, and the form that the ending selects.
pub fn form(mnemonic: &str) -> (&str, Form) {
    let of = |(ending, form): &(&str, Form)| Some((mnemonic.strip_suffix(ending)?, *form));
    ENDINGS.iter().find_map(of).unwrap_or((mnemonic, Form::Raw))
}

/// The word that `LD R1, [R0+4]` or `ST [R0+4], R1` accesses; `None` without operands.
pub fn cell(args: &Args, write: bool) -> Result<Option<Cell>, Diagnostic> {
    if args.operands.is_empty() {
        return Ok(None);
    }
    let form = if write { "ST.SHARED [R0+4], R1" } else { "LD.SHARED R1, [R0+4]" };
    let parts: Vec<&[Token]> = args.operands.split(|t| t.kind == TokenKind::Mark(',')).collect();
    let [first, second] = parts[..] else {
        return Err(args.wrong(
            args.after..args.after,
            form,
            "expected two operands, or none for an access without an address and a value",
        ));
    };
    let (address, data) = if write { (first, second) } else { (second, first) };
    let (address, offset) = self::address(args, address, form)?;
    let span = data.first().map_or(args.after..args.after, Token::span);
    let data = match (write, data) {
        (false, [to]) => Data::Load(register(to.text).ok_or_else(|| args.wrong(span, form, "expected a register"))?),
        (true, [from]) => Data::Store(source(from).ok_or_else(|| {
            args.wrong(span, form, "expected a register, a number of at most 32 bits, LANEID, WARPID or CTARANK")
        })?),
        _ => return Err(args.wrong(span, form, "expected one register or number")),
    };
    Ok(Some(Cell { address, offset, data }))
}

/// `[R0]`, `[R0+4]`, `[0x10]`: the base, and the number after the `+`.
fn address(args: &Args, tokens: &[Token], form: &str) -> Result<(Source, u32), Diagnostic> {
    let span = tokens.first().zip(tokens.last()).map_or(args.after..args.after, |(a, b)| a.at..b.span().end);
    let wrong = || args.wrong(span.clone(), form, "expected an address: `[R0]`, `[R0+4]` or `[0x10]`");
    let is = |token: &Token, mark: char| token.kind == TokenKind::Mark(mark);
    let (base, offset) = match tokens {
        [open, base, close] if is(open, '[') && is(close, ']') => (base, 0),
        [open, base, plus, offset, close] if is(open, '[') && is(plus, '+') && is(close, ']') => {
            (base, number(offset.text).and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong)?)
        }
        _ => return Err(wrong()),
    };
    Ok((source(base).ok_or_else(wrong)?, offset))
}

fn source(token: &Token) -> Option<Source> {
    match token.text {
        "LANEID" => Some(Source::LaneId),
        "WARPID" => Some(Source::WarpId),
        "CTARANK" => Some(Source::CtaRank),
        text => register(text)
            .map(Source::Register)
            .or_else(|| number(text).and_then(|n| u32::try_from(n).ok()).map(Source::Number)),
    }
}

/// The members of `WARPSYNC 0xff`.
pub fn members(args: &Args) -> Result<u64, Diagnostic> {
    args.some_lanes("WARPSYNC 0xff")
}

/// Members and predicate of `ELECT P0, 0xff`.
pub fn elect(args: &Args) -> Result<(u64, u8), Diagnostic> {
    let (predicate, members) = args.predicate_and_lanes("ELECT P0, 0xff")?;
    Ok((members, predicate))
}
