// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of floating-point arithmetic and of conversions.

use super::modifiers::Modifiers;
use crate::arith::{Approx, Conversion, Float, Format, Limit, Operation, Round, Rules, Scalar, Tf32, Tf32Round};

/// An operation on numbers of one format; the modifier of the format has already been consumed.
pub(super) fn operation(opcode: &str, format: Format, packed: bool, form: &mut Modifiers) -> Option<Operation> {
    let single = format == Format::F32 && !packed;
    let wide = matches!(format, Format::F32 | Format::F64) && !packed;
    let ftz = format != Format::F64 && format != Format::Bf16 && form.has(".ftz");
    let plain = Rules { round: Round::Even, ftz, limit: Limit::None, nan: false, xorsign: false };
    let float_op = |op: Float, rules: Rules| Some(Operation::Float { op, format, rules });
    if let Some(function) = approximation(opcode, form) {
        let short = !packed || format != Format::F32;
        let (is_supported, ftz) = match (function, format) {
            (_, Format::F32) => (single, ftz),
            (Approx::Rsqrt, Format::F64) => (!packed, form.has(".ftz")),
            // There is no form that keeps the whole fraction.
            (Approx::Rcp, Format::F64) => (form.has(".ftz"), true),
            (Approx::Ex2, Format::Bf16) => (short && form.has(".ftz"), true),
            (Approx::Ex2, Format::F16) | (Approx::Tanh, Format::F16 | Format::Bf16) => (short && !ftz, false),
            _ => (false, false),
        };
        return is_supported.then_some(Operation::Float { op: Float::Approx(function), format, rules: Rules { ftz, ..plain } });
    }
    match opcode {
        // Without a rounding mode, sums and products are rounded to nearest.
        "add" | "sub" | "mul" => {
            let round = form.round().unwrap_or(Round::Even);
            let op = match opcode {
                "add" => Float::Add,
                "sub" => Float::Sub,
                _ => Float::Mul,
            };
            float_op(op, Rules { round, limit: limit(format, packed, form), ..plain })
        }
        "fma" => {
            let round = form.round()?;
            float_op(Float::Fma, Rules { round, limit: limit(format, packed, form), ..plain })
        }
        "mad" if wide => {
            let round = form.round()?;
            float_op(Float::Fma, Rules { round, limit: limit(format, packed, form), ..plain })
        }
        "div" | "rcp" | "sqrt" if wide => {
            let round = form.round()?;
            let op = match opcode {
                "div" => Float::Div,
                "rcp" => Float::Rcp,
                _ => Float::Sqrt,
            };
            float_op(op, Rules { round, ..plain })
        }
        "min" | "max" => {
            let op = if opcode == "min" { Float::Min } else { Float::Max };
            let nan = format != Format::F64 && form.has(".NaN");
            let xorsign = format != Format::F64 && form.has(".xorsign") && form.has(".abs");
            float_op(op, Rules { nan, xorsign, ..plain })
        }
        "neg" => float_op(Float::Neg, plain),
        "abs" => float_op(Float::Abs, plain),
        "copysign" if wide => float_op(Float::Copysign, plain),
        _ => None,
    }
    .filter(rounds)
}

/// Whether the format supports the rounding mode: the 16-bit formats only round to nearest.
fn rounds(op: &Operation) -> bool {
    let Operation::Float { format, rules, .. } = op else { return true };
    rules.round == Round::Even || matches!(format, Format::F32 | Format::F64)
}

fn limit(format: Format, packed: bool, form: &mut Modifiers) -> Limit {
    match format {
        Format::F64 => Limit::None,
        Format::F32 if packed => Limit::None,
        _ => form.limit(),
    }
}

fn approximation(opcode: &str, form: &mut Modifiers) -> Option<Approx> {
    let function = match opcode {
        "rcp" => Approx::Rcp,
        "sqrt" => Approx::Sqrt,
        "rsqrt" => Approx::Rsqrt,
        "div" if form.has(".full") => return Some(Approx::DivFull),
        "div" => Approx::Div,
        "ex2" => Approx::Ex2,
        "lg2" => Approx::Lg2,
        "sin" => Approx::Sin,
        "cos" => Approx::Cos,
        "tanh" => Approx::Tanh,
        _ => return None,
    };
    form.has(".approx").then_some(function)
}

/// `cvt`: converts from the second type to the first.
pub(super) fn conversion(form: &mut Modifiers) -> Option<Operation> {
    if form.has(".tf32") {
        return to_tf32(form);
    }
    let (to, pair) = form.number()?;
    let from = form.scalar()?;
    let single = |number: Scalar| number == Scalar::Float(Format::F32);
    let integral = form.one_of(&[(".rni", Round::Even), (".rzi", Round::Zero), (".rmi", Round::Down), (".rpi", Round::Up)]);
    let round = form.round();
    let ftz = (single(to) || single(from)) && form.has(".ftz");
    let limit = form.limit();
    let convert_with = |round: Round| Conversion { to, from, round, integral: integral.is_some(), ftz, limit };
    if pair.is_some() {
        let (Scalar::Float(Format::F16 | Format::Bf16), true, None) = (to, single(from), integral) else { return None };
        return matches!(round, Some(Round::Even | Round::Zero))
            .then(|| Operation::ConvertPair(convert_with(round.unwrap_or(Round::Even))));
    }
    let conversion = match (from, to) {
        (Scalar::Integer(_), Scalar::Integer(_)) if integral.or(round).is_none() => convert_with(Round::Even),
        (Scalar::Integer(_), Scalar::Float(_)) if integral.is_none() => convert_with(round?),
        (Scalar::Float(_), Scalar::Integer(_)) if round.is_none() => convert_with(integral?),
        (Scalar::Float(from), Scalar::Float(to)) if integral.is_some() => {
            (from == to && round.is_none()).then(|| convert_with(integral.unwrap_or(Round::Even)))?
        }
        (Scalar::Float(from), Scalar::Float(to)) if exact(from, to) => convert_with(round.unwrap_or(Round::Even)),
        (Scalar::Float(_), Scalar::Float(_)) => convert_with(round?),
        _ => return None,
    };
    Some(Operation::Convert(conversion))
}

/// `cvt` to tf32, after this type.
fn to_tf32(form: &mut Modifiers) -> Option<Operation> {
    let is_single = form.scalar() == Some(Scalar::Float(Format::F32));
    let round = form.one_of(&[(".rna", Tf32Round::Away), (".rn", Tf32Round::Even), (".rz", Tf32Round::Zero)])?;
    let relu = round != Tf32Round::Away && form.has(".relu");
    is_single.then_some(Operation::Tf32(Tf32 { round, relu }))
}

/// Whether `to` can represent every number of `from`.
fn exact(from: Format, to: Format) -> bool {
    from == to || to == Format::F64 || (to == Format::F32 && from != Format::F64)
}
