// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Broken PTX never panics and never exceeds its limits: examples cut, spliced and sprinkled with bytes, by seed.
//!
//! `BCU_SEED=N BCU_ROUNDS=M cargo test -p bcu-engine --test sim ptx_random` runs M texts from seed N.

use super::runs::model;
use bcu_isa::config::named;
use bcu_machine::{run, Machine, RunError};
use bcu_program::ptx::{lower, parse, Launch, MAX_WARPS};
use bcu_program::WarpProgram;

const TEXTS: [&str; 6] = [
    include_str!("../../../examples/cta_exchange.ptx"),
    include_str!("../../../examples/producer_consumer.ptx"),
    include_str!("../../../examples/cuda/exchange.ptx"),
    include_str!("../../../examples/cuda/pipeline.ptx"),
    include_str!("../../../examples/cuda/groups.ptx"),
    include_str!("../../../fuzz/seeds/ptx/matrices_and_copies"),
];

/// Fragments that divert the parser.
const PIECES: [&str; 32] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    ";",
    ",",
    ":",
    "@",
    "@!p ",
    "!",
    "|",
    "-",
    "...",
    "/*",
    "//",
    "\"",
    "#define X ",
    "// bcu: ",
    "bar.sync ",
    "bra L;",
    "L:",
    ".entry k() ",
    ".func f ",
    ".reg .u32 r<4>;",
    "0x",
    "18446744073709551616",
    "4095",
    "%tid.x",
    "\u{e9}",
    "\0",
    ".reqntid 7, 5",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// A char boundary of `text`.
fn cut(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutant(random: &mut Random) -> String {
    let mut text = TEXTS[random.below(TEXTS.len())].to_string();
    if random.below(8) == 0 {
        let bytes: Vec<u8> = (0..random.below(200)).map(|_| random.below(256) as u8).collect();
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    for _ in 0..=random.below(6) {
        let (at, other) = (cut(&text, random), cut(&text, random));
        let (low, high) = (at.min(other), at.max(other));
        match random.below(5) {
            0 => text.truncate(at),
            1 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
            2 if high - low < 200 => text.replace_range(low..high, ""),
            3 if high - low < 400 => {
                let copy = text[low..high].to_string();
                text.insert_str(at, &copy);
            }
            _ => {
                text.replace_range(at..at, &TEXTS[random.below(TEXTS.len())].chars().take(random.below(80)).collect::<String>())
            }
        }
    }
    text
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
}

/// Runs the programs for some cycles on the model. They may hang, stop or continue, but the unit may not contradict its model.
fn run_checked(programs: &[WarpProgram], threads: u32) {
    let config = named("large").unwrap();
    let mut machine = Machine::parse("max_cycles = 2000").unwrap();
    machine.size(threads);
    match run(&mut *model(&config), &config, &machine, programs, &mut |_| ()) {
        Ok(_) | Err(RunError::Program { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn broken_texts_are_told_and_never_panic() {
    let (seed, rounds) = (setting("BCU_SEED", 1), setting("BCU_ROUNDS", 3000));
    let mut accepted = 0;
    for round in seed..seed + rounds {
        let text = mutant(&mut Random(round));
        let outcome = std::panic::catch_unwind(|| {
            let are_complete = |errors: &[bcu_isa::diag::Diagnostic]| {
                assert!(!errors.is_empty() && errors.len() <= 64);
                assert!(errors
                    .iter()
                    .all(|e| text.get(e.span.clone()).is_some() && !e.message.is_empty() && !e.label.is_empty()));
            };
            match parse(&text) {
                Err(errors) => are_complete(&errors),
                Ok(module) => match lower(&module, &Launch::new(32)) {
                    Err(errors) => are_complete(&errors),
                    Ok(lowered) => {
                        assert!(
                            lowered.warps.len() as u64 <= MAX_WARPS && lowered.warps.iter().all(|w| w.function().is_some())
                        );
                        run_checked(&lowered.warps, lowered.threads);
                        return true;
                    }
                },
            }
            false
        });
        let repeat = format!("BCU_SEED={round} BCU_ROUNDS=1 cargo test -p bcu-engine --test sim ptx_random");
        accepted += u64::from(outcome.unwrap_or_else(|_| panic!("this text panics:\n{text}\nrepeat with: {repeat}")));
    }
    // A mutation in a comment or blank leaves the text legal, most other mutations make the text illegal: both outcomes occur.
    assert!(rounds < 1000 || (accepted > rounds / 50 && accepted < rounds / 2), "{accepted} of {rounds} accepted");
}
