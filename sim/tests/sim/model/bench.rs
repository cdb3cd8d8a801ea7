// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Units by name, sizes, and a seeded source of random numbers.

use bcu_model::bench::Bench;
use bcu_model::{by_name, Sizes};

/// A unit after one cycle of reset, all inputs 0.
pub fn unit(name: &str, sizes: Sizes) -> Bench {
    Bench::new(by_name(name, sizes).unwrap())
}

/// Splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// True with probability 1 / `of`.
    pub fn one_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}

/// Runs a test with the seed in `BCU_SEED`, or with the seeds 1 to `count`; a failing run prints the command that repeats
/// it.
pub fn for_seeds(test: &str, count: u64, run: impl Fn(u64) + std::panic::RefUnwindSafe) {
    let seeds = match std::env::var("BCU_SEED") {
        Ok(seed) => vec![seed.parse().expect("BCU_SEED: expected a decimal number")],
        Err(_) => (1..=count).collect(),
    };
    for seed in seeds {
        if let Err(cause) = std::panic::catch_unwind(|| run(seed)) {
            eprintln!("seed {seed}; repeat with: BCU_SEED={seed} cargo test -p bcu-engine --test sim {test}");
            std::panic::resume_unwind(cause);
        }
    }
}

pub fn tiny() -> Sizes {
    Sizes::new(4, 4, 1, 4, 4, 3).unwrap()
}

/// The sizes of the configuration `intel_tiny`: 4 warps, 2 CTA slots, 4 barriers.
pub fn intel_tiny() -> Sizes {
    Sizes::try_from(&bcu_isa::config::named("intel_tiny").unwrap()).unwrap()
}

pub fn small() -> Sizes {
    Sizes::new(8, 4, 2, 8, 4, 7).unwrap().with_accesses_per_cycle(2).unwrap()
}

pub fn default_sizes() -> Sizes {
    Sizes::new(32, 32, 8, 16, 4, 15).unwrap()
}

pub fn large() -> Sizes {
    Sizes::new(64, 32, 32, 16, 4, 15).unwrap().with_accesses_per_cycle(4).unwrap()
}
