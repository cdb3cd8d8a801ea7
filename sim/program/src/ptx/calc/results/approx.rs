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
