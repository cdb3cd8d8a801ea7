// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Broken vISA texts never panic and never exceed their limits, and accepted texts run without a contradiction: examples cut, spliced
//! and sprinkled with fragments, by seed.
//!
//! `BCU_SEED=N BCU_ROUNDS=M cargo test -p bcu-engine --test sim visa_random` runs M texts from seed N.

use super::runs::model;
use bcu_isa::config::named;
use bcu_machine::{run, Machine, RunError};
use bcu_program::bcu::MAX_REPORTS;
use bcu_program::visa::parse;

const TEXTS: [&str; 8] = [
    include_str!("../../../examples/visa/ring.visa"),
    include_str!("../../../examples/visa/all.visa"),
    include_str!("../../../examples/visa/three_roles.visa"),
    include_str!("../../../examples/visa/variables.visa"),
    include_str!("../../../examples/check/barrier_reused.visa"),
    include_str!("../../../examples/check/signal_type.visa"),
    include_str!("../../../examples/check/over_signal.visa"),
    include_str!("../../../examples/check/notification_lost.visa"),
];

/// Fragments that divert the parser, or turn the text into another barrier program.
const PIECES: [&str; 28] = [
    "(0,0)<0;1,0>",
    "(0,0)<1>",
    "(M1_NM, 1)",
    "<",
    ">",
    "(",
    ")",
    ";",
    ":",
    ":ub",
    "0x",
    "-",
    ",",
    "%r0",
    "\u{e9}",
    "/*",
    "\nEND\n",
    "\nLOOP 3\n",
    "\n.threads all\n",
    "\n.threads 1\n",
    "\nnbarrier.wait 1\n",
    "\nnbarrier.signal 1 0 1 1\n",
    "\nnbarrier.signal 1 2 2 1\n",
    "\nnbarrier.signal 1 1 2 1\n",
    "\nnbarrier.signal 1 2\n",
    "\n.kernel_attr NBarrierCnt=3\n",
    "\nret (M1, 1)\n",
    "4294967296",
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

    /// A place in the text; half of the time the start of a line, where a new line is harmless.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match self.below(2) {
            0 => text[..at].rfind('\n').map_or(0, |line| line + 1),
            _ => at,
        }
    }
}

fn mutant(random: &mut Random) -> String {
    let mut text = TEXTS[random.below(TEXTS.len())].to_string();
    for _ in 0..=random.below(5) {
        let (at, other) = (random.place(&text), random.place(&text));
        let (low, high) = (at.min(other), at.max(other));
        match random.below(4) {
            0 if high - low < 100 => text.replace_range(low..high, ""),
            1 if high - low < 300 => {
                let copy = text[low..high].to_string();
                text.insert_str(at, &copy);
            }
            _ => text.insert_str(at, PIECES[random.below(PIECES.len())]),
        }
    }
    text
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|_| panic!("{name} is no number: {value}")))
}

#[test]
fn broken_texts_are_told_and_what_is_taken_runs() {
    let config = named("intel_tiny").unwrap();
    let (mut accepted, mut refused) = (0, 0);
    let seed = setting("BCU_SEED", 1);
    for round in seed..seed + setting("BCU_ROUNDS", 2000) {
        let mut random = Random(round);
        let text = mutant(&mut random);
        let threads = 1 + random.below(4);
        let parsed = match parse(&text, Some(threads), 4) {
            Ok(parsed) => parsed,
            Err(errors) => {
                refused += 1;
                assert!((1..=MAX_REPORTS + 1).contains(&errors.len()), "round {round}\n{text}");
                let is_complete = |e: &bcu_isa::diag::Diagnostic| text.get(e.span.clone()).is_some() && !e.message.is_empty();
                assert!(errors.iter().all(is_complete), "round {round}: {errors:?}\n{text}");
                continue;
            }
        };
        accepted += 1;
        let mut machine = Machine::parse(&format!("max_cycles = 2000\npolicy = 'random'\nseed = {round}")).unwrap();
        machine.fault_policy = [0, 1, 2].map(|at| bcu_machine::FaultPolicy::ALL[at].1)[random.below(3)];
        machine.races = true;
        machine.size(threads as u32 * 4);
        match run(&mut *model(&config), &config, &machine, &parsed.warps, &mut |_| ()) {
            Ok(_) | Err(RunError::Program { .. } | RunError::Misfit(_)) => {}
            Err(other) => panic!("round {round}: {other}\n{text}"),
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted} texts are accepted, {refused} refused");
}
