// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How fast the model is: operations a second on the barriers alone, cycles a second of random inputs at each unit's ports.
//!
//! `cargo bench -p bcu-sim --bench model_speed`

use bcu_hw::ports::Dir;
use bcu_sim::model::named::Barriers;
use bcu_sim::model::op::{Kind, Operation};
use bcu_sim::model::{by_name, Sizes, UNITS};
use std::hint::black_box;
use std::time::Instant;

const SEED: u64 = 1;

/// Seed of a linear congruential generator → its next value.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Eight CTAs of four warps each meet again and again: every third time with a count, one of them as ARV.
fn traffic(count: usize) -> Vec<Operation> {
    let operation = |at: usize| {
        let (turn, place, cta) = (at / 32, at / 8 % 4, at % 8);
        let counted = turn % 3 == 1;
        Operation {
            kind: if counted && place == 0 { Kind::Arrive } else { Kind::Sync },
            uniform: true,
            warp: (cta * 4 + place) as u8,
            cta: cta as u8,
            id: (turn % 16) as u8,
            count: if counted { 128 } else { 0 },
            ..Operation::default()
        }
    };
    (0..count).map(operation).collect()
}

/// Million a second, and what the work left behind.
fn rate(count: usize, work: impl FnOnce() -> u64) -> (f64, u64) {
    let start = Instant::now();
    let left = black_box(work());
    (count as f64 / start.elapsed().as_secs_f64() / 1e6, left)
}

fn apply(sizes: Sizes) -> (f64, u64) {
    let ops = traffic(1 << 16);
    let mut barriers = Barriers::new(sizes);
    for cta in 0..8 {
        let launch = Operation { kind: Kind::Launch, cta, warps: 4, live: 4, barriers: 16, ..Operation::default() };
        barriers.apply(&launch);
    }
    let rounds = 300;
    rate(ops.len() * rounds, || {
        let mut releases = 0;
        for op in (0..rounds).flat_map(|_| &ops) {
            releases += u64::from(barriers.apply(black_box(op)).release.is_some());
        }
        releases
    })
}

fn cycles(unit: &str, sizes: Sizes) -> Option<(f64, u64)> {
    let mut dut = by_name(unit, sizes)?;
    let inputs: Vec<_> = dut.ports().iter().filter(|p| p.dir == Dir::In).cloned().collect();
    let mut outputs = vec![0; dut.ports().len() - inputs.len()];
    let state = &mut SEED.clone();
    let mut vectors: Vec<Vec<u64>> =
        (0..4096).map(|_| inputs.iter().map(|_| next(state) << 31 ^ next(state)).collect()).collect();
    // One cycle of reset, then the faults of random inputs are taken as they come.
    for (at, vector) in vectors.iter_mut().enumerate() {
        for (value, port) in vector.iter_mut().zip(&inputs) {
            match port.name.as_str() {
                "reset" => *value = u64::from(at == 0),
                "fault_ready" => *value = 1,
                _ => {}
            }
        }
    }
    let rounds = 500;
    Some(rate(vectors.len() * rounds, || {
        let mut seen = 0u64;
        for inputs in (0..rounds).flat_map(|_| &vectors) {
            dut.cycle(black_box(inputs), &mut outputs);
            seen = outputs.iter().fold(seen, |seen, value| seen.wrapping_add(*value));
        }
        seen
    }))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("seed {SEED}");
    for (name, sizes) in [("default", Sizes::new(32, 32, 8, 16)?), ("large", Sizes::new(64, 32, 32, 16)?)] {
        let (speed, releases) = apply(sizes);
        println!("{name:8} named::Barriers::apply  {speed:8.1} million operations/s  ({releases} releases)");
        for unit in UNITS {
            let (speed, _) = cycles(unit, sizes).ok_or("no such unit")?;
            println!("{name:8} {unit:23}  {speed:8.2} million cycles/s");
        }
    }
    Ok(())
}
