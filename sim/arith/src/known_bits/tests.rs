// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Examples of partially known values. A test against all values of the unknown bits, for every instruction, is with those of PTX.

use super::*;
use crate::bits::{Bits, Permute};
use crate::compare::{Compare, Comparison, Test, Truth};
use crate::integer::Part;
use crate::values::Scalar;

const U32: Type = Type::U32;

fn result(op: Operation, sources: &[Partial]) -> Partial {
    let mut all = [Partial::UNKNOWN; MAX_SOURCES];
    all.iter_mut().zip(sources).for_each(|(to, from)| *to = *from);
    lane_partial(Calc { op, pair: None }, all).0
}

fn number(value: u64) -> Partial {
    Some(value).into()
}

fn integer(op: Integer, sources: &[Partial]) -> Partial {
    result(Operation::Integer { op, ty: U32, saturate: false }, sources)
}

#[test]
fn a_masked_word_is_known_if_its_bits_are() {
    // The upper half is unknown.
    let word = result(Operation::Join { bits: 16, count: 2 }, &[number(0x1234), Partial::UNKNOWN]);
    assert_eq!(word, Partial::new(0x1234, !0xffff_0000));
    assert_eq!(integer(Integer::And, &[word, number(0xffff)]).value(), Some(0x1234));
    assert_eq!(integer(Integer::Or, &[word, number(0xffff_0000)]).value(), Some(0xffff_1234));
    assert_eq!(integer(Integer::Xor, &[word, word]).known, !0xffff_0000, "the two sources are taken as independent");
    assert_eq!(result(Operation::Bits(Bits::Bfe(U32)), &[word, number(4), number(8)]).value(), Some(0x23));
    assert_eq!(integer(Integer::Shl, &[word, number(16)]).value(), Some(0x1234_0000));
    assert_eq!(integer(Integer::Shl, &[word, Partial::UNKNOWN]), Partial::UNKNOWN);
    let bytes = result(Operation::Bits(Bits::Prmt(Permute::Index)), &[word, number(0xaabb), number(0x1054)]);
    assert_eq!(bytes.value(), Some(0x1234_aabb));
    assert_eq!(integer(Integer::And, &[Partial::UNKNOWN, number(0)]).value(), Some(0));
}

#[test]
fn sums_and_products_are_known_below_the_first_unknown_bit() {
    let word = Partial::new(0x0003, !0xff00);
    assert_eq!(integer(Integer::Add, &[word, number(0xfe)]).bits & 0xff, 1);
    assert_eq!(integer(Integer::Add, &[word, number(0x1)]), Partial::new(4, !0xff00), "no carry crosses the known bits above");
    assert_eq!(integer(Integer::Mul(Part::Low), &[word, number(0x10)]), Partial::new(0x30, !0xffff_f000));
}

#[test]
fn bounds_decide_a_comparison() {
    let scalar =
        |signed: bool| Scalar::Integer(Type { kind: if signed { TypeKind::Signed } else { TypeKind::Unsigned }, bits: 32 });
    let compared = |test: Compare, signed: bool, a: Partial, b: u64| {
        let test = Test::Ordered(test);
        let comparison = Comparison { test, scalar: scalar(signed), ftz: false, join: None, result: Truth::Predicate };
        result(Operation::Compare(comparison), &[a, number(b)]).value()
    };
    let byte = Partial::new(0, !0xff);
    assert_eq!(compared(Compare::Lt, false, byte, 256), Some(1));
    assert_eq!(compared(Compare::Lt, false, byte, 255), None);
    assert_eq!(compared(Compare::Ge, false, Partial::new(1 << 31, 1 << 31), 5), Some(1));
    assert_eq!(compared(Compare::Ge, true, Partial::new(1 << 31, 1 << 31), 5), Some(0));
    assert_eq!(compared(Compare::Ne, false, Partial::new(4, 4), 3), Some(1));
    assert_eq!(compared(Compare::Eq, false, Partial::new(4, 4), 7), None);
}
