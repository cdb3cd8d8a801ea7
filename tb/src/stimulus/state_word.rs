// SPDX-License-Identifier: Apache-2.0 OR MIT
//! State words for the stimulus: legal words for a CTA in the abstract state, and corrupted words.

use super::cta::Cta;
use super::rng::Rng;
use bcu_isa::op::{RedOp, StateWord};

/// A state word that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub warp: usize,
    pub state: StateWord,
    pub id: u64,
    pub data: u64,
}

/// A legal `BARState`: idle, or any open generation of the CTA.
pub fn of_row(rng: &mut Rng, cta: &Cta, lanes: u64) -> u64 {
    let (launched, live) = (cta.size(), cta.present());
    // If the launch has declared warps that do not exist, a count is always that of all declared warps.
    let least = if cta.is_crowded() { launched } else { 2 };
    let expected = if rng.chance(500) { 0 } else { rng.range(least, launched) };
    let most = if expected == 0 { live } else { expected.saturating_sub(1) };
    if rng.chance(150) || most == 0 || expected > launched {
        return 0;
    }
    // Sometimes a POPC reduction in which all lanes of all live warps have voted true: the largest possible sum.
    if live > 0 && rng.chance(80) {
        return live | 2 << 14 | (RedOp::Popc as u64) << 16 | (live * lanes) << 18 | rng.below(2) << 31;
    }
    // A word in which all live warps have arrived completes immediately. A word in which one of the expected arrivals is missing completes
    // at the next arrival.
    let count = if rng.chance(300) { most } else { rng.range(1, most) };
    let kind = match rng.pick(&[None, Some(RedOp::And), Some(RedOp::Or), Some(RedOp::Popc)]).flatten() {
        None => 1 << 14,
        Some(redop) => {
            let most = if redop == RedOp::Popc { count * lanes } else { 1 };
            let accumulator = if rng.chance(300) { most } else { rng.below(most + 1) };
            2 << 14 | (redop as u64) << 16 | accumulator << 18
        }
    };
    count | expected << 7 | kind | rng.below(2) << 31
}

/// A legal `WarpBARState` with any result. The warp waits at a barrier at which it has arrived, if there is one.
pub fn of_warp(rng: &mut Rng, cta: &Cta, warp: usize, lanes: u64, trapped: bool) -> u64 {
    let redop = rng.below(4);
    let value = match redop {
        0 | 1 => rng.below(2),
        2 => rng.below(cta.size() * lanes + 1),
        _ => 0,
    };
    let at = (0..cta.declared).filter(|id| cta.plans[*id as usize].arrived >> warp & 1 == 1).fold(0, |m, id| m | 1u64 << id);
    let waits = rng.bit(at).filter(|_| rng.chance(700)).map_or(0, |id| 1 << 14 | (id as u64) << 15);
    value | redop << 12 | waits | (trapped as u64) << 19
}

/// The word with one wrong bit, with a random field, or fully random. The result may still be legal.
pub fn spoil(rng: &mut Rng, state: StateWord, good: u64) -> u64 {
    // Fields of the two words: lowest bit and width.
    let fields: &[(u64, u64)] = match state {
        StateWord::Barrier => &[(0, 7), (7, 7), (14, 2), (16, 2), (18, 12), (30, 1)],
        _ => &[(0, 12), (12, 2), (14, 1), (15, 4), (19, 1), (20, 12)],
    };
    let expected = good >> 7 & 0x7f;
    let waits = state == StateWord::Warp && good >> 14 & 1 == 1;
    let data = match rng.below(9) {
        // Another id, possibly one that is not built.
        _ if waits && rng.chance(300) => good ^ 1 << rng.range(15, 18),
        0 => rng.draw(),
        // As many arrivals as are expected, which is illegal because that generation would already be complete.
        8 if state == StateWord::Barrier && expected != 0 => good & !0x7f | expected,
        1..4 => good ^ 1 << rng.below(32),
        // The maximum of the field, or the right value plus or minus 1.
        n => match rng.pick(fields) {
            Some((low, width)) => {
                let mask = (1 << width) - 1;
                let present = good >> low & mask;
                let values = [mask, 0, present + 1, present.wrapping_sub(1), rng.draw()];
                let value = values[(n + rng.below(5)) as usize % 5] & mask;
                good & !(mask << low) | value << low
            }
            None => good,
        },
    };
    data & 0xffff_ffff
}
