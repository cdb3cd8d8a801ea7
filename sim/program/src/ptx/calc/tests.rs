// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Opcodes of PTX that `bcu` evaluates, and similar opcodes that it does not evaluate.

use super::*;
use crate::arith::Compare;
use crate::arith::{Calc, Comparison, Integer, Join, Operation, Part, Scalar, Test, Truth, Type, TypeKind};

fn class_of(text: &str) -> Class {
    let (opcode, modifiers) = text.split_once('.').unwrap_or((text, ""));
    let dotted: Vec<String> = modifiers.split('.').filter(|m| !m.is_empty()).map(|m| format!(".{m}")).collect();
    calc(opcode, &dotted.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn modifiers_say_what_is_calculated() {
    let s32 = Type { kind: TypeKind::Signed, bits: 32 };
    let u32 = Type { kind: TypeKind::Unsigned, bits: 32 };
    let single = |op| Class::Calc(Calc { op, pair: None });
    let integer = |op, saturate| single(Operation::Integer { op, ty: s32, saturate });
    assert_eq!(class_of("add.s32"), integer(Integer::Add, false));
    assert_eq!(class_of("add.sat.s32"), integer(Integer::Add, true));
    assert_eq!(class_of("mul.wide.s32"), integer(Integer::Mul(Part::Wide), false));
    let comparison = Comparison {
        test: Test::Ordered(Compare::Gt),
        scalar: Scalar::Integer(u32),
        ftz: false,
        join: Some(Join::Or),
        result: Truth::Predicate,
    };
    assert_eq!(class_of("setp.hi.or.s32"), single(Operation::Compare(comparison)));
}

#[test]
fn forms_that_are_not_understood_are_time() {
    for text in [
        "add",
        "add.b128",
        "add.sat.u32",
        "add.cc.u16",
        "add.rn.f64.relu",
        "add.rn.sat.f64",
        "add.rz.f16",
        "add.f32.f16",
        "cvt.f32.f64",
        "cvt.f32.s32",
        "cvt.s32.f32",
        "cvt.rn.s32.f32",
        "cvt.rn.satfinite.e4m3x2.f32",
        "cvt.rna.satfinite.tf32.f32",
        "cvt.pack.sat.u16.s32",
        "div.f32",
        "ex2.approx.ftz.f16",
        "fma.f32",
        "lop3.or.b32",
        "mad.f32",
        "min.relu.s32",
        "mul.wide.u64",
        "popc.b16",
        "rcp.approx.f64",
        "setp.ltu.s32",
        "setp.lt.f16x2",
        "shf.l.b32",
        "sqrt.rn.f16",
        "testp.normal.f16",
    ] {
        assert_eq!(class_of(text), Class::Time { writes: true }, "{text}");
    }
}
