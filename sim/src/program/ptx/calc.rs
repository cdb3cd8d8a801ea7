// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which operations are evaluated before the run, by opcode, modifiers and type: integers and predicates, nothing else.

use super::ast::{Calc, Compare, Join, Part, Type, TypeKind};
use super::opcode::Class;

/// `ld.param`: known if the launch gives the parameter a value.
pub(super) fn parameter(modifiers: &[&str]) -> Class {
    match last_type(modifiers) {
        Some(ty) => Class::Calc { calc: Calc::Param, ty },
        None => Class::Time { writes: true },
    }
}

fn last_type(modifiers: &[&str]) -> Option<Type> {
    modifiers.iter().rev().find_map(|m| Type::from_modifier(m))
}

/// An evaluated operation, or time if this form of it is not evaluated.
pub(super) fn calc(opcode: &str, modifiers: &[&str]) -> Class {
    let time = Class::Time { writes: true };
    let has = |modifier: &str| modifiers.contains(&modifier);
    let Some(ty) = last_type(modifiers) else { return time };
    let part = || match (has(".wide"), has(".hi")) {
        (true, _) => Part::Wide,
        (_, true) => Part::High,
        _ => Part::Low,
    };
    let (calc, ty) = match opcode {
        "abs" => (Calc::Abs, ty),
        "add" => (Calc::Add, ty),
        "and" => (Calc::And, ty),
        "cvt" => {
            let Some(to) = modifiers.iter().find_map(|m| Type::from_modifier(m)) else { return time };
            // A source in floating point is not evaluated, whatever the result is.
            (Calc::Cvt(ty), if ty.kind == TypeKind::Float { ty } else { to })
        }
        "div" => (Calc::Div, ty),
        "mad" => (Calc::Mad(part()), ty),
        "max" => (Calc::Max, ty),
        "min" => (Calc::Min, ty),
        "mov" => (Calc::Mov, ty),
        "mul" => (Calc::Mul(part()), ty),
        "neg" => (Calc::Neg, ty),
        "not" => (Calc::Not, ty),
        "or" => (Calc::Or, ty),
        "rem" => (Calc::Rem, ty),
        "selp" => (Calc::Selp, ty),
        "setp" => {
            let join = |m: &&str| match *m {
                ".and" => Some(Join::And),
                ".or" => Some(Join::Or),
                ".xor" => Some(Join::Xor),
                _ => None,
            };
            let Some((compare, ty)) = modifiers.first().and_then(|m| compare(m, ty)) else { return time };
            (Calc::Setp(compare, modifiers.iter().find_map(join)), ty)
        }
        "shfl" => (Calc::Shuffle, ty),
        "shl" => (Calc::Shl, ty),
        "shr" => (Calc::Shr, ty),
        "sub" => (Calc::Sub, ty),
        "xor" => (Calc::Xor, ty),
        _ => return time,
    };
    // Saturation, packed halves, carries and floating point are left to the lanes of a real machine.
    let evaluated = ty.kind != TypeKind::Float || matches!(calc, Calc::Mov | Calc::Selp);
    let widened = matches!(calc, Calc::Mul(Part::Wide) | Calc::Mad(Part::Wide)) && ty.bits > 32;
    if !evaluated || ty.bits > 64 || widened || has(".sat") || has(".cc") {
        return time;
    }
    Class::Calc { calc, ty }
}

/// `.lo`, `.ls`, `.hi` and `.hs` are the unsigned comparisons.
fn compare(modifier: &str, ty: Type) -> Option<(Compare, Type)> {
    let unsigned = Type { kind: TypeKind::Unsigned, ..ty };
    Some(match modifier {
        ".eq" => (Compare::Eq, ty),
        ".ne" => (Compare::Ne, ty),
        ".lt" => (Compare::Lt, ty),
        ".le" => (Compare::Le, ty),
        ".gt" => (Compare::Gt, ty),
        ".ge" => (Compare::Ge, ty),
        ".lo" => (Compare::Lt, unsigned),
        ".ls" => (Compare::Le, unsigned),
        ".hi" => (Compare::Gt, unsigned),
        ".hs" => (Compare::Ge, unsigned),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Class {
        let (opcode, modifiers) = text.split_once('.').unwrap_or((text, ""));
        let dotted: Vec<String> = modifiers.split('.').filter(|m| !m.is_empty()).map(|m| format!(".{m}")).collect();
        calc(opcode, &dotted.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn integer_operations_are_evaluated_and_others_are_time() {
        let s32 = Type { kind: TypeKind::Signed, bits: 32 };
        assert_eq!(class("add.s32"), Class::Calc { calc: Calc::Add, ty: s32 });
        assert_eq!(class("mul.wide.s32"), Class::Calc { calc: Calc::Mul(Part::Wide), ty: s32 });
        let u32 = Type { kind: TypeKind::Unsigned, bits: 32 };
        assert_eq!(class("setp.hi.or.s32"), Class::Calc { calc: Calc::Setp(Compare::Gt, Some(Join::Or)), ty: u32 });
        for text in [
            "add.f32",
            "add.cc.u32",
            "add.sat.s32",
            "add.rn.f64",
            "cvt.rn.f32.s32",
            "cvt.rzi.s32.f32",
            "setp.ltu.f32",
            "popc.b32",
            "add",
        ] {
            assert_eq!(class(text), Class::Time { writes: true }, "{text}");
        }
    }
}
