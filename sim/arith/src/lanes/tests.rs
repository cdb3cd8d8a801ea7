// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The results of a whole warp are those of its lanes, for every operation that is compiled for whole warps.

use super::*;
use crate::calc::lane_result;
use crate::compare::Join;

const TYPES: [Type; 9] = [
    PREDICATE,
    Type { kind: TypeKind::Unsigned, bits: 8 },
    Type { kind: TypeKind::Signed, bits: 16 },
    U32,
    S32,
    U64,
    S64,
    Type { kind: TypeKind::Float, bits: 32 },
    Type { kind: TypeKind::Unsigned, bits: 24 },
];

const INTEGERS: [Integer; 21] = [
    Integer::Add,
    Integer::Sub,
    Integer::Mul(Part::Low),
    Integer::Mul(Part::High),
    Integer::Mul(Part::Wide),
    Integer::Mad(Part::Low),
    Integer::Mad(Part::High),
    Integer::Mad(Part::Wide),
    Integer::Sad,
    Integer::Div,
    Integer::Rem,
    Integer::Min,
    Integer::Max,
    Integer::Neg,
    Integer::Abs,
    Integer::Not,
    Integer::And,
    Integer::Or,
    Integer::Xor,
    Integer::Shl,
    Integer::Shr,
];

/// Any operation of a kind that has common operations, with any modifiers.
fn operation(random: &mut fastrand::Rng) -> Operation {
    let ty = |random: &mut fastrand::Rng| TYPES[random.usize(..TYPES.len())];
    let format = |random: &mut fastrand::Rng| [Format::F16, Format::F32, Format::F64][random.usize(..3)];
    let round = [Round::Even, Round::Zero][usize::from(random.u8(..) < 32)];
    let limit = [Limit::None, Limit::Unit, Limit::Relu][usize::from(random.u8(..) < 32) * random.usize(..3)];
    let tests = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
    let compare = tests[random.usize(..tests.len())];
    match random.u8(..6) {
        0 => Operation::Move(ty(random)),
        1 => Operation::Select(ty(random)),
        2 => Operation::Integer { op: INTEGERS[random.usize(..INTEGERS.len())], ty: ty(random), saturate: random.u8(..) < 32 },
        3 => Operation::Compare(Comparison {
            test: [Test::Ordered(compare), Test::Unordered(compare), Test::Numbers][random.usize(..3)],
            scalar: if random.bool() { Scalar::Integer(ty(random)) } else { Scalar::Float(format(random)) },
            ftz: random.bool(),
            join: [None, Some(Join::And)][usize::from(random.u8(..) < 64)],
            result: [Truth::Predicate, Truth::Ones(U32)][usize::from(random.u8(..) < 64)],
        }),
        4 => Operation::Convert(Conversion {
            from: if random.bool() { Scalar::Integer(ty(random)) } else { Scalar::Float(format(random)) },
            to: if random.bool() { Scalar::Integer(ty(random)) } else { Scalar::Float(format(random)) },
            round,
            integral: random.bool(),
            ftz: random.bool(),
            limit,
        }),
        _ => Operation::Float {
            op: [Float::Add, Float::Sub, Float::Mul, Float::Fma, Float::Div, Float::Min][random.usize(..6)],
            format: format(random),
            rules: Rules { round, ftz: random.bool(), limit, nan: random.u8(..) < 16, xorsign: random.u8(..) < 16 },
        },
    }
}

/// A value with any bits, or one at which an operation changes: around 0, at the ends of a type, a special 32-bit float.
fn value(random: &mut fastrand::Rng) -> u64 {
    let around = random.u64(..5).wrapping_sub(2);
    match random.u8(..7) {
        0 => around,
        1 => around.wrapping_add(1 << [8, 16, 31, 32, 63][random.usize(..5)]),
        2 => around & 0xffff_ffff,
        3 => [0x7f80_0000, 0xff80_0000, 0x7fc1_0000, 0x0000_0007, 0x8000_0007, 0x8000_0000][random.usize(..6)],
        4 => f32::to_bits(random.f32() * 4.0 - 2.0).into(),
        5 => random.u32(..).into(),
        _ => random.u64(..),
    }
}

#[test]
fn a_warp_has_the_results_of_its_lanes() {
    let mut compiled = vec![];
    for seed in 0..20_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let calc = Calc { op: operation(&mut random), pair: None };
        let mut lanes = || (0..32).map(|_| value(&mut random)).collect::<Vec<u64>>();
        let sources = [lanes(), lanes(), lanes()];
        let mut results = vec![0x5a; 32];
        if !lane_results(calc, sources.each_ref().map(Vec::as_slice), &mut results) {
            continue;
        }
        for (lane, result) in results.iter().enumerate() {
            let values = [Some(sources[0][lane]), Some(sources[1][lane]), Some(sources[2][lane]), None];
            assert_eq!(Some(*result), lane_result(calc, values).0, "seed {seed}, lane {lane}: {calc:?} {values:x?}");
        }
        let name = format!("{:?}", calc.op);
        if !compiled.contains(&name) {
            compiled.push(name);
        }
    }
    assert!(compiled.len() > 100, "only {} operations are compiled for whole warps", compiled.len());
}
