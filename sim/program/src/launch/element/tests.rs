// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::*;

#[test]
fn names_and_sizes_agree_with_the_text() {
    for (name, element) in Element::ALL {
        assert_eq!((Element::named(name), element.name()), (Some(element), name));
        let bits: usize = name.trim_start_matches(char::is_alphabetic).parse().unwrap();
        assert_eq!(element.size() * 8, bits);
        let quoted = format!("\"{name}\"");
        assert_eq!(serde_json::from_str::<Element>(&quoted).unwrap(), element);
    }
    assert_eq!(Element::named("f8"), None);
}

#[test]
fn numbers_have_many_forms() {
    let integers = ["12", "-3", "0xff", "-0x10", "0b101", "0o17"].map(|text| Number::parse(text).unwrap());
    assert_eq!(integers, [12, -3, 255, -16, 5, 15].map(Number::Integer));
    assert_eq!(Number::parse("1.5e-3"), Some(Number::Float(0.0015)));
    assert_eq!(Number::parse("-inf"), Some(Number::Float(f64::NEG_INFINITY)));
    assert!(["", "x", "0x", "0xg", "--1", "0x+1", "1 2"].iter().all(|wrong| Number::parse(wrong).is_none()));
}

#[test]
fn every_value_comes_back() {
    for (element, text, bytes) in [
        (Element::U8, "255", vec![255]),
        (Element::I8, "-128", vec![128]),
        (Element::I16, "-2", vec![254, 255]),
        (Element::U32, "4294967295", vec![255; 4]),
        (Element::I64, "-9223372036854775808", vec![0, 0, 0, 0, 0, 0, 0, 128]),
        (Element::U64, "18446744073709551615", vec![255; 8]),
        (Element::F16, "1.5", vec![0x00, 0x3e]),
        (Element::Bf16, "-2.0", vec![0x00, 0xc0]),
        (Element::F32, "0.1", vec![0xcd, 0xcc, 0xcc, 0x3d]),
        (Element::F64, "1e300", 1e300f64.to_le_bytes().to_vec()),
        (Element::F32, "inf", f32::INFINITY.to_le_bytes().to_vec()),
    ] {
        assert_eq!(element.parse(text).unwrap(), bytes, "{text}");
        assert_eq!(element.print(&bytes), text);
    }
    assert_eq!(Element::F16.print(&[0x01, 0x7c]), "NaN");
    assert_eq!(Element::F32.parse("16777217").unwrap(), 16777216f32.to_le_bytes());
}

#[test]
fn what_does_not_fit_is_refused() {
    for (element, text, part) in [
        (Element::U8, "256", "expected 0 to 255"),
        (Element::U32, "-1", "expected 0 to 4294967295"),
        (Element::I64, "0x8000000000000000", "expected -9223372036854775808"),
        (Element::I32, "1.5", "expected an integer"),
        (Element::F16, "65520", "or `inf`"),
        (Element::F32, "1e39", "or `inf`"),
        (Element::F32, "one", "a value of the type f32"),
    ] {
        assert!(element.parse(text).unwrap_err().label.contains(part), "{text}");
    }
}
