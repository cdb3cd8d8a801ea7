// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `rcp`, `rsqrt`, `sqrt`, `sin`, `cos`, `lg2`, `ex2`, `tanh` and `div` with `.approx`, and `div.full`, against
//! the functions that they approximate: within PTX's error bounds, and at the values that PTX lists.

use super::{every_seed, result};

fn approximation(text: &str, sources: &[f32]) -> f32 {
    let bits: Vec<u64> = sources.iter().map(|v| v.to_bits().into()).collect();
    f32::from_bits(result(text, 32, &bits).unwrap() as u32)
}

fn near(found: f64, expected: f64, relative: f64) -> bool {
    (found - expected).abs() <= relative * expected.abs()
}

#[test]
fn functions_are_what_defines_them() {
    every_seed(|random, repeat| {
        let x = f32::from_bits(0x3f80_0000 - (40 << 23) + random.u32(0..80 << 23));
        let context = format!("of {x}, repeat with: {repeat}");
        let wide = f64::from(x);
        let get = |text: &str| f64::from(approximation(text, &[x]));
        assert!(near(get("rcp.approx.f32") * wide, 1.0, 2f64.powi(-23)), "rcp {context}");
        assert!(near(get("sqrt.approx.f32").powi(2), wide, 2f64.powi(-22)), "sqrt {context}");
        assert!(near(get("rsqrt.approx.ftz.f32").powi(2) * wide, 1.0, 2f64.powi(-22)), "rsqrt {context}");
        let y = f32::from_bits(0x3f80_0000 + random.u32(0..1 << 23));
        assert!(
            near(f64::from(approximation("div.approx.f32", &[x, y])) * f64::from(y), wide, 2f64.powi(-22)),
            "div {context}"
        );
        assert!(
            near(f64::from(approximation("div.full.ftz.f32", &[x, y])) * f64::from(y), wide, 2f64.powi(-22)),
            "div {context}"
        );
        // The logarithm inverts the power of 2, and a sum of exponents gives a product of powers.
        let part = random.f32() * 20.0 - 10.0;
        let (power, one_more) = (approximation("ex2.approx.f32", &[part]), approximation("ex2.approx.ftz.f32", &[part + 1.0]));
        assert!(near(f64::from(power) * 2.0, one_more.into(), 2f64.powi(-19)), "ex2 {part}, repeat with: {repeat}");
        assert!((approximation("lg2.approx.f32", &[power]) - part).abs() < 4e-6, "lg2 {part}, repeat with: {repeat}");
        let (sine, cosine) = (approximation("sin.approx.f32", &[part]), approximation("cos.approx.f32", &[part]));
        assert!(near(f64::from(sine).powi(2) + f64::from(cosine).powi(2), 1.0, 2f64.powi(-21)), "sin {part}");
        let double = approximation("sin.approx.ftz.f32", &[2.0 * part]);
        assert!((2.0 * sine * cosine - double).abs() < 1e-6, "sin {part}, repeat with: {repeat}");
        let squared = f64::from(part).exp().powi(2);
        let tanh = f64::from(approximation("tanh.approx.f32", &[part]));
        assert!(near(tanh, (squared - 1.0) / (squared + 1.0), 2f64.powi(-11)), "tanh {part}, repeat with: {repeat}");
    });
}

#[test]
fn special_values_are_those_of_the_manual() {
    let (inf, zero) = (f32::INFINITY, 0.0f32);
    let limit = f32::from_bits(0x7e80_0000);
    let large = limit * 1.5;
    for (text, sources, expected) in [
        ("rcp.approx.f32", &[-zero][..], -inf),
        ("rcp.approx.f32", &[inf], zero),
        ("rcp.approx.ftz.f32", &[-1e-40], -inf),
        ("sqrt.approx.f32", &[-zero], -zero),
        ("rsqrt.approx.f32", &[-zero], -inf),
        ("rsqrt.approx.f32", &[inf], zero),
        ("ex2.approx.f32", &[-inf], zero),
        ("ex2.approx.f32", &[-zero], 1.0),
        ("ex2.approx.f32", &[inf], inf),
        ("lg2.approx.f32", &[-zero], -inf),
        ("lg2.approx.f32", &[inf], inf),
        ("sin.approx.f32", &[-zero], -zero),
        ("cos.approx.f32", &[zero], 1.0),
        ("tanh.approx.f32", &[-inf], -1.0),
        ("div.approx.f32", &[-1.0, large], -zero),
        ("div.approx.f32", &[1.0, limit], f32::MIN_POSITIVE),
        ("div.full.f32", &[large, large], 1.0),
        ("div.approx.f32", &[1.0, inf], zero),
    ] {
        assert_eq!(approximation(text, sources).to_bits(), expected.to_bits(), "{text} of {sources:?}");
    }
    for (text, sources) in [
        ("sqrt.approx.f32", &[-1.0][..]),
        ("rsqrt.approx.f32", &[-1.0]),
        ("lg2.approx.f32", &[-1.0]),
        ("sin.approx.f32", &[inf]),
        ("cos.approx.f32", &[-inf]),
        ("tanh.approx.f32", &[f32::NAN]),
        ("div.approx.f32", &[inf, large]),
    ] {
        assert_eq!(approximation(text, sources).to_bits(), 0x7fff_ffff, "{text} of {sources:?}");
    }
}

#[test]
fn wide_functions_have_the_stated_precision_and_structure() {
    every_seed(|random, repeat| {
        // Neither the number nor its reciprocal is subnormal.
        let x = f64::from_bits((random.u64(3..2045) << 52) | random.u64(0..1 << 52));
        let context = format!("of {x}, repeat with: {repeat}");
        let get = |text: &str, x: f64| result(text, 64, &[x.to_bits()]).unwrap();
        let high = f64::from_bits(x.to_bits() >> 32 << 32);
        let (reciprocal, root) = (get("rcp.approx.ftz.f64", x), get("rsqrt.approx.ftz.f64", x));
        assert_eq!((reciprocal as u32, root as u32), (0, 0), "lower bits {context}");
        assert!(near(f64::from_bits(reciprocal) * high, 1.0, 2f64.powi(-20)), "rcp {context}");
        assert!(near(f64::from_bits(root).powi(2) * high, 1.0, 2f64.powi(-19)), "rsqrt.ftz {context}");
        assert_eq!(
            (reciprocal, root),
            (get("rcp.approx.ftz.f64", high), get("rsqrt.approx.ftz.f64", high)),
            "low bits {context}"
        );
        let root = f64::from_bits(get("rsqrt.approx.f64", x));
        assert!(near(root * root * x, 1.0, 2f64.powi(-50)), "rsqrt {context}");
        // Two Newton steps from the approximation, as compilers write them, give the quotient up to the last bits.
        let step = |y: f64| y.mul_add((-x).mul_add(y, 1.0), y);
        let (two, middle) = (step(step(f64::from_bits(reciprocal))), (x.to_bits() >> 52) & 0x7ff);
        assert!(!(100..1900).contains(&middle) || near(two * x, 1.0, 2f64.powi(-50)), "Newton {context}");
    });
    let (inf, nan) = (f64::INFINITY, 0x7fff_ffff_0000_0000);
    for (text, source, expected) in [
        ("rcp.approx.ftz.f64", -0.0, (-inf).to_bits()),
        ("rcp.approx.ftz.f64", -1e-310, (-inf).to_bits()),
        ("rcp.approx.ftz.f64", -inf, 1 << 63),
        ("rcp.approx.ftz.f64", -f64::MAX, 1 << 63),
        ("rcp.approx.ftz.f64", f64::NAN, nan),
        ("rsqrt.approx.ftz.f64", 1e-310, inf.to_bits()),
        ("rsqrt.approx.ftz.f64", -1e-310, (-inf).to_bits()),
        ("rsqrt.approx.ftz.f64", -1.0, nan),
        ("rsqrt.approx.ftz.f64", 4.0, 0.5f64.to_bits()),
        ("rsqrt.approx.f64", -1.0, 0xfff8_0000_0000_0000),
        ("rsqrt.approx.f64", -0.0, (-inf).to_bits()),
        ("rsqrt.approx.f64", inf, 0),
        // 2^-1060 is subnormal.
        ("rsqrt.approx.f64", f64::from_bits(1 << 14), 2f64.powi(530).to_bits()),
    ] {
        assert_eq!(result(text, 64, &[source.to_bits()]), Some(expected), "{text} of {source}");
    }
}

#[test]
fn short_functions_are_rounded_from_the_exact_value() {
    for (text, source, expected) in [
        ("ex2.approx.f16", 0x3c00, 0x4000),
        ("ex2.approx.f16", 0xcc00, 0x0100),
        ("ex2.approx.f16x2", 0x3c00_0000, 0x4000_3c00),
        ("ex2.approx.ftz.bf16", 0xbf80, 0x3f00),
        ("ex2.approx.ftz.bf16x2", 0x0001_4000, 0x3f80_4080),
        ("tanh.approx.f16", 0x7c00, 0x3c00),
        ("tanh.approx.bf16x2", 0xff80_3f80, 0xbf80_3f43),
        ("tanh.approx.f16x2", 0x7e00_8000, 0x7fff_8000),
    ] {
        assert_eq!(result(text, 32, &[source]), Some(expected), "{text} of {source:#x}");
    }
}
