// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The row `Barriers::apply` of the table of speeds: the model's barriers alone execute the recorded
//! operations in sequence, without timing in cycles.

use crate::rows::{Failure, Pass};
use bcu_isa::config::Config;
use bcu_model::barriers::Barriers;
use bcu_model::dut::ByName;
use bcu_model::op::{Kind, Operation};
use bcu_model::{inputs, Named, Sizes};
use bcu_tb::lockstep::Recording;
use std::hint::black_box;
use std::time::Instant;

/// An input of the barriers.
enum Event {
    Reset,
    /// An operation, with the warps that are trapped when it takes effect.
    Operation(Operation, u64),
}

pub struct Work {
    sizes: Sizes,
    events: Vec<Event>,
    operations: usize,
    /// Number of release strobes in the recording.
    releases: u64,
}

impl Work {
    /// Collects the operations that `named` accepted and that took effect in the recording, and its resets.
    pub fn new(config: &Config, recording: &Recording) -> Result<Self, Failure> {
        let sizes = Sizes::try_from(config)?;
        let driven = |cycle: usize| inputs::<Named>(&sizes, recording.input(cycle));
        let [ready, release] = ["op_ready", "release_valid"].map(|name| recording.ports.output(name));
        let (ready, release) = (ready?, release?);
        let mut work = Work { sizes, events: vec![], operations: 0, releases: 0 };
        let has_state_words = sizes.parts().state_words;
        for cycle in 0..recording.cycles() {
            let driven_inputs = driven(cycle);
            if driven_inputs.reset {
                work.events.push(Event::Reset);
                continue;
            }
            let Some(op) = driven_inputs.op.filter(|_| ready.read(recording.output(cycle)) == 1) else { continue };
            let takes_two_slots = op.takes_two_slots() && (has_state_words || op.kind != Kind::Write);
            // The cycle in which the operation takes effect. Its release strobe is in the next cycle.
            let effect = cycle + if takes_two_slots { 3 } else { 2 };
            // An operation is left out if the recording ends before its release strobe, or if a reset comes before the operation takes
            // effect.
            if effect + 1 < recording.cycles() && (cycle + 1..=effect).all(|cycle| !driven(cycle).reset) {
                work.operations += 1;
                work.events.push(Event::Operation(op, driven(effect).trapped));
            }
        }
        work.releases = (1..recording.cycles()).map(|cycle| release.read(recording.output(cycle))).sum();
        Ok(work)
    }

    /// Replays all events once. Fails if the number of releases differs from that in the recording.
    pub fn replay(&self) -> Result<Pass, Failure> {
        let mut barriers = Barriers::new(self.sizes);
        let mut releases = 0;
        let start = Instant::now();
        for event in black_box(&self.events) {
            match event {
                Event::Reset => barriers = Barriers::new(self.sizes),
                Event::Operation(op, trapped) => {
                    let effect = barriers.apply(op, *trapped);
                    releases += u64::from(effect.release.is_some());
                    if effect.rows_to_clear {
                        (0..self.sizes.barriers() as u8).for_each(|id| {
                            barriers.clear_row(op.cta, id, op.saved);
                        });
                    }
                }
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        match releases == self.releases {
            true => Ok(Pass { count: self.operations, seconds, other_counts: format!("{} operations", self.operations) }),
            false => Err(format!("{releases} releases, where the recording has {}", self.releases).into()),
        }
    }
}
