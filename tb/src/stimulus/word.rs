// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instruction words as the stimulus needs them: every legal form, and words that are wrong in one bit.

use super::rng::Rng;

/// What an issue of one instruction brings: the word and the register operands that go with it.
#[derive(Clone, Copy, Debug)]
pub struct Issue {
    /// Bits 127:0.
    pub word: u128,
    pub ra: u64,
    pub rb: u64,
    /// The form reads registers, so lanes may disagree.
    pub registers: bool,
}

/// Operation type of BAR, and the source types of its four forms.
const BAR: u128 = 0x1d;
const IMMEDIATE: u128 = 0xb;
const REGISTERS: u128 = 0x3;
const REGISTER_IMMEDIATE: u128 = 0x5;
const IMMEDIATE_REGISTER: u128 = 0x9;

/// Fields of every form: type, source type, guard, mode; what is above bit 108 is ignored.
const COMMON: u128 = 0xffff | 1 << 80 | !0 << 109;

/// A legal BAR word for an id below 16 and a count below 4096, in a form drawn at random.
pub fn bar(rng: &mut Rng, sync: bool, id: u64, count: u64) -> Issue {
    let noise = |rng: &mut Rng, low: u64, bits: u64| low | (rng.draw() << bits & 0xffff_ffff);
    let register = |rng: &mut Rng| rng.below(256) as u128;
    let (source, fields, ra, rb) = match rng.below(4) {
        0 => (IMMEDIATE, (id as u128) << 40 | (count as u128) << 44, rng.draw(), rng.draw()),
        1 => (REGISTERS, register(rng) << 24 | register(rng) << 32, noise(rng, id, 4), noise(rng, count, 12)),
        2 => (REGISTER_IMMEDIATE, register(rng) << 32 | (count as u128) << 44, rng.draw(), noise(rng, id, 4)),
        _ => (IMMEDIATE_REGISTER, register(rng) << 32 | (id as u128) << 40, rng.draw(), noise(rng, count, 12)),
    };
    let guard = (rng.below(16) as u128) << 12;
    let schedule = (rng.draw() as u128) << 109;
    let word = BAR | source << 8 | guard | fields | u128::from(!sync) << 80 | schedule;
    Issue { word, ra: ra & 0xffff_ffff, rb: rb & 0xffff_ffff, registers: source != IMMEDIATE }
}

/// The same with one bit wrong: outside the form's fields, or in its type.
pub fn spoil(rng: &mut Rng, issue: Issue) -> Issue {
    let used = COMMON
        | match issue.word >> 8 & 0xf {
            IMMEDIATE => 0xffff << 40,
            REGISTERS => 0xffff << 24,
            REGISTER_IMMEDIATE => 0xff << 32 | 0xfff << 44,
            _ => 0xfff << 32,
        };
    let bit = match rng.below(3) {
        0 => rng.below(12),
        _ => loop {
            let bit = rng.below(109);
            if used >> bit & 1 == 0 {
                break bit;
            }
        },
    };
    Issue { word: issue.word ^ 1 << bit, ..issue }
}

/// A word of another operation type, or no word at all.
pub fn foreign(rng: &mut Rng, issue: Issue) -> Issue {
    let noise = (rng.draw() as u128) << 64 | rng.draw() as u128;
    let word = match rng.below(3) {
        0 => issue.word & !0xff | rng.below(256) as u128,
        1 => issue.word & !0xfff | (0x1b + rng.below(5) as u128) | (rng.below(16) as u128) << 8,
        _ => noise,
    };
    Issue { word, ..issue }
}

/// The four 32-bit ports of a word, bits 31:0 first.
pub fn quarters(word: u128) -> [u64; 4] {
    [0, 32, 64, 96].map(|shift| (word >> shift) as u64 & 0xffff_ffff)
}
