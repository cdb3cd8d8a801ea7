// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::super::buffer::Buffer;
use super::super::placed::place;
use super::*;

fn placed() -> Vec<Placed> {
    vec![
        Placed { name: "x".to_string(), address: 0x1_0000_0100, bytes: 64 },
        Placed { name: "low".to_string(), address: 0x100, bytes: 64 },
    ]
}

fn known(argument: &Argument, ty: &str, size: u64) -> Vec<u8> {
    argument.encode(ty, size, &placed()).unwrap().into_iter().map(Option::unwrap).collect()
}

fn refused(argument: &Argument, ty: &str, size: u64) -> String {
    let error = argument.encode(ty, size, &placed()).unwrap_err();
    format!("{}: {}: {}", error.message, error.label, error.help.unwrap_or_default())
}

fn typed(element: Element, text: &str) -> Argument {
    Argument::Typed(element, element.parse(text).unwrap())
}

#[test]
fn integers_have_the_size_of_the_parameter() {
    assert_eq!(known(&Argument::Integer(-1), ".u16", 2), [255, 255]);
    assert_eq!(known(&Argument::Integer(0xffff_ffff), ".s32", 4), [255; 4]);
    assert_eq!(known(&Argument::Integer(u64::MAX.into()), ".u64", 8), [255; 8]);
    assert!(refused(&Argument::Integer(256), ".u8", 1).contains("expected -128 to 255"));
    assert!(refused(&Argument::Integer(1 << 64), ".u64", 8).contains("does not fit"));
    assert!(refused(&Argument::Integer(7), ".b8", 16).contains("structure of 16 bytes"));
    assert!(refused(&Argument::Integer(7), ".f32", 4).contains("`{ f32 = 7 }`"));
    assert_eq!(known(&Argument::Integer(7), ".f16x2", 4), [7, 0, 0, 0]);
}

#[test]
fn addresses_are_those_of_buffers() {
    let at = |text: &str| Argument::address(text).unwrap();
    assert_eq!(known(&at("x"), ".u64", 8), 0x1_0000_0100u64.to_le_bytes());
    assert_eq!(known(&at("x+0x10"), ".u64", 8), 0x1_0000_0110u64.to_le_bytes());
    assert_eq!(known(&at("low + 64"), ".u32", 4), 0x140u32.to_le_bytes());
    assert!(refused(&at("x+65"), ".u64", 8).contains("at most 64"));
    assert!(refused(&at("x"), ".u32", 4).contains("does not fit 4 bytes"));
    assert!(refused(&at("x"), ".u16", 2).contains("a parameter of 2 bytes is given an address of 8 bytes"));
    assert!(refused(&at("lo"), ".u64", 8).contains("did you mean `low`?"));
    assert!(["", "+1", "x+", "x+y", "x+-1", "a b", "x+1.5"].iter().all(|wrong| Argument::address(wrong).is_err()));
}

#[test]
fn structures_are_laid_out_as_c_does() {
    let fields = Argument::Fields(vec![
        typed(Element::U8, "1"),
        typed(Element::F64, "2.0"),
        typed(Element::I16, "-1"),
        Argument::address("x").unwrap(),
        typed(Element::U8, "3"),
    ]);
    let bytes = fields.encode(".b8", 40, &placed()).unwrap();
    let places: Vec<usize> = (0..40).filter(|at| bytes[*at].is_some()).collect();
    let expected: Vec<usize> = [0..1, 8..18, 24..33].into_iter().flatten().collect();
    assert_eq!((bytes.len(), places), (40, expected));
    let narrow = Argument::Fields(vec![typed(Element::U8, "1"), Argument::address("low+4").unwrap()]);
    assert_eq!(narrow.encode(".b8", 8, &placed()).unwrap()[4..], [4, 1, 0, 0].map(Some));
    assert!(refused(&fields, ".b8", 33).contains("fields that take 40 bytes with their padding"));
    let inner = Argument::Fields(vec![typed(Element::U8, "1"), typed(Element::U32, "2")]);
    let outer = Argument::Fields(vec![Argument::Bytes(vec![9]), inner]);
    assert_eq!(outer.encode(".b8", 12, &[]).unwrap()[8..], [2, 0, 0, 0].map(Some));
    assert!(refused(&Argument::Fields(vec![Argument::Integer(1)]), ".b8", 4).contains("`{ i32 = 1 }`"));
    assert!(refused(&Argument::Fields(vec![Argument::Unknown]), ".b8", 4).contains("no size"));
    let deep = (0..40).fold(Argument::Fields(vec![]), |inner, _| Argument::Fields(vec![inner]));
    assert!(refused(&deep, ".b8", 4).contains("nested more than"));
}

#[test]
fn bytes_and_values_have_the_size_of_the_parameter() {
    assert_eq!(known(&Argument::bytes("00ff 10_20").unwrap(), ".b8", 4), [0, 255, 16, 32]);
    assert!(["", "0", "0g", "é0"].iter().all(|wrong| Argument::bytes(wrong).is_err()));
    assert_eq!(known(&typed(Element::F32, "1.5"), ".f32", 4), 1.5f32.to_le_bytes());
    assert!(refused(&typed(Element::F64, "1.5"), ".f32", 4)
        .contains("a parameter of 4 bytes is given a value of the type f64 with 8 bytes"));
    assert_eq!(Argument::Unknown.encode(".b8", 3, &[]).unwrap(), [None; 3]);
    assert!(refused(&Argument::Unknown, ".b8", 1 << 40).contains("too large"));
}

#[test]
fn buffers_are_placed_apart() {
    let of = |name: &str, size| Buffer::filled(name, Element::U8, &[size], &crate::launch::Fill::Iota, 1).unwrap();
    let placed = place(&[of("a", 1), of("b", 256), of("c", 257)], 0x1001);
    let addresses: Vec<(u64, u64)> = placed.iter().map(|one| (one.address, one.bytes)).collect();
    assert_eq!(addresses, [(0x1100, 1), (0x1300, 256), (0x1500, 257)]);
}
