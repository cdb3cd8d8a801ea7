// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of every operation against the host's arithmetic, a longer calculation or the PTX manual.
//!
//! `BCU_SEED=N BCU_ROUNDS=M cargo test -p bcu-program --lib results` runs M rounds from seed N.

mod approx;
mod bits;
mod compare;
mod convert;
mod exact;
mod float;
mod integer;
mod modifiers;
mod partial;

use super::calc;
use crate::ptx::class::Class;
use bcu_arith::{lane_result, Calc, MAX_SOURCES};

/// The operation of an instruction such as `add.sat.s32`.
fn operation(text: &str) -> Calc {
    let (opcode, modifiers) = text.split_once('.').unwrap_or((text, ""));
    let dotted: Vec<String> = modifiers.split('.').filter(|m| !m.is_empty()).map(|m| format!(".{m}")).collect();
    match calc(opcode, &dotted.iter().map(String::as_str).collect::<Vec<_>>()) {
        Class::Calc(calc) => calc,
        other => panic!("{text} is {other:?}"),
    }
}

/// Both results of an instruction.
fn both(text: &str, sources: &[u64]) -> (Option<u64>, Option<u64>) {
    let mut values = [None; MAX_SOURCES];
    values.iter_mut().zip(sources).for_each(|(value, source)| *value = Some(*source));
    lane_result(operation(text), values)
}

/// The first result, cut to this number of bits.
fn result(text: &str, bits: u32, sources: &[u64]) -> Option<u64> {
    both(text, sources).0.map(|v| low(v, bits))
}

fn low(value: u64, bits: u32) -> u64 {
    value & (u64::MAX >> (64 - bits))
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is not a number: {value}")))
}

/// Runs a check with a random generator for every seed; the check's message states how to repeat it.
fn every_seed(check: impl Fn(&mut fastrand::Rng, &str)) {
    let (seed, rounds) = (setting("BCU_SEED", 1), setting("BCU_ROUNDS", 400));
    for seed in seed..seed + rounds {
        let repeat = format!("BCU_SEED={seed} BCU_ROUNDS=1 cargo test -p bcu-program --lib results");
        check(&mut fastrand::Rng::with_seed(seed), &repeat);
    }
}

/// Any value, and more often a corner case: around 0, at the ends, a single bit.
fn edge(random: &mut fastrand::Rng) -> u64 {
    let small = random.u64(0..4);
    match random.u32(0..8) {
        0 => small,
        1 => small.wrapping_neg(),
        2 => (1 << 31) - 1 + small,
        3 => (1 << 63) - 1 + small,
        4 => 1 << random.u32(0..64),
        5 => random.u64(0..80),
        _ => random.u64(..),
    }
}

fn edges(random: &mut fastrand::Rng) -> [u64; MAX_SOURCES] {
    [0; MAX_SOURCES].map(|_| edge(random))
}

/// An instruction, the number of low bits of the result that are compared, and a function for the expected result.
type Row = (&'static str, u32, fn([u64; MAX_SOURCES]) -> u64);

fn compare_rows(rows: &[Row]) {
    every_seed(|random, repeat| {
        for (text, bits, oracle) in rows {
            let sources = edges(random);
            assert_eq!(
                result(text, *bits, &sources),
                Some(low(oracle(sources), *bits)),
                "{text} of {sources:#x?}, repeat with: {repeat}"
            );
        }
    });
}

#[test]
fn unknown_sources_give_unknown_results_where_they_matter() {
    let of = |text: &str, values| lane_result(operation(text), values).0;
    for text in ["add.u32", "mul.lo.s64", "fma.rn.f32", "bfi.b32", "setp.lt.f32", "lop3.b32", "madc.lo.u32", "min.f16x2"] {
        for hole in 0..operation(text).sources() {
            let mut values = [Some(1); MAX_SOURCES];
            values[hole] = None;
            assert_eq!(of(text, values), None, "{text} without source {hole}");
        }
    }
    assert_eq!(of("selp.b32", [Some(3), None, Some(1), None]), Some(3));
    assert_eq!(of("slct.u32.f32", [None, Some(4), Some(0xbf80_0000), None]), Some(4));
    assert_eq!(of("addc.u32", [Some(1), Some(2), None, None]), None);
}
