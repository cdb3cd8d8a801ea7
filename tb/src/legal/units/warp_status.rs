// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `warp_status`: refused operations, state words that trap, and released CTAs. The stopped warps are checked.

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Pace};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort, Output};

/// Values of `FaultPolicy`.
const TRAP: u64 = 1;
const HANG: u64 = 2;

pub struct WarpStatusUser {
    rng: Rng,
    base: Base,
    policy_port: Input,
    policy: u64,
    commit: Offer,
    refused: Input,
    levels: [Output; 2],
    all_warps: u64,
    /// The trapped warps, one bit per warp.
    trapped: u64,
    /// The hung warps, one bit per warp.
    hung: u64,
    pace: Pace,
    refusals: u64,
    changes: u64,
    releases: u64,
}

impl WarpStatusUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<WarpStatusUser, NoPort> {
        let mut rng = Rng::new(seed, "legal warp_status");
        let fields = ["warps", "refused", "traps", "untraps", "cta_release"];
        Ok(WarpStatusUser {
            base: Base::new(ports, &mut rng)?,
            policy_port: ports.input("fault_policy")?,
            policy: rng.below(3),
            commit: Offer::strobe(ports, "commit", &fields)?,
            refused: ports.input("refused")?,
            levels: [ports.output("trapped")?, ports.output("stopped")?],
            all_warps: u64::MAX >> (64 - shape.warps),
            trapped: 0,
            hung: 0,
            pace: Pace::draw(&mut rng),
            refusals: rng.pick(&[10, 100, 500]).unwrap_or(10),
            changes: rng.pick(&[0, 0, 5, 100]).unwrap_or(0),
            releases: rng.pick(&[10, 50, 200]).unwrap_or(10),
            rng,
        })
    }

    /// Draws and drives the refusals of other units, then applies all changes of this cycle. Masks of warps: `refused` by `named`;
    /// `sets`, trapped by a state word; `frees`, no longer trapped; `wakes`, no longer hung.
    fn refuse(&mut self, refused: u64, able: u64, sets: &mut u64, frees: u64, wakes: u64) {
        let others = if self.rng.chance(self.refusals) { self.rng.sprinkle(able, 200) } else { 0 };
        self.base.pins.set(self.refused, others);
        self.base.ledger.add("refusals", (refused | others).count_ones().into());
        let stops = refused | others;
        *sets |= if self.policy == TRAP { stops } else { 0 };
        self.trapped = self.trapped & !frees | *sets;
        self.hung = self.hung & !wakes | if self.policy == HANG { stops } else { 0 };
    }
}

impl UnitUser for WarpStatusUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        for (name, level, expected) in [("trapped", 0, self.trapped), ("stopped", 1, self.trapped | self.hung)] {
            self.base.ledger.expect(name, self.levels[level].read(outputs), expected);
        }
        if self.rng.chance(self.changes) {
            self.policy = self.rng.below(3);
        }
        self.base.pins.set(self.policy_port, self.policy);
        self.commit.take(&[]);
        self.commit.begin(&mut self.base.pins);
        let running = self.all_warps & !(self.trapped | self.hung);
        let (mut sets, mut frees, mut wakes) = (0, 0, 0);
        if self.pace.allows_event(&mut self.rng) {
            let any = self.rng.bit(self.all_warps).map_or(0, |warp| 1 << warp);
            let able = self.rng.bit(running).map_or(0, |warp| 1 << warp);
            let values = match self.rng.below(1000) {
                // CTAs are released, and their warps lose their state.
                chance if chance < self.releases => {
                    let warps = self.rng.sprinkle(self.all_warps, 400);
                    (frees, wakes) = (warps, warps);
                    [warps, 0, 0, 0, 1]
                }
                // A state word is written, by a running or by a stopped warp.
                chance if chance < self.releases + 100 => match self.rng.chance(500) {
                    true => {
                        sets = any;
                        [any, 0, 1, 0, 0]
                    }
                    false => {
                        frees = any;
                        [any, 0, 0, 1, 0]
                    }
                },
                // A running warp executes an operation.
                _ => [able, u64::from(able != 0 && self.rng.chance(self.refusals)), 0, 0, 0],
            };
            if values[0] != 0 {
                self.commit.put(&mut self.base.pins, &values);
                self.base.ledger.count("commits");
            }
            self.refuse(values[0] & if values[1] == 1 { u64::MAX } else { 0 }, running & !values[0], &mut sets, frees, wakes);
        } else {
            self.refuse(0, running, &mut sets, frees, wakes);
        }
    }
}
