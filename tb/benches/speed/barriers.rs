// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of the recording on the barriers alone, one after the other, without time.

use crate::rows::{Failure, Pass};
use bcu_hw::config::Config;
use bcu_hw::ports::Dir;
use bcu_sim::model::barriers::Barriers;
use bcu_sim::model::op::{Code, FaultPolicy, Kind, Operation, RedOp, StateWord};
use bcu_sim::model::Sizes;
use bcu_tb::lockstep::units::sizes;
use bcu_tb::lockstep::Recording;
use std::hint::black_box;
use std::time::Instant;

/// What happens to the barriers.
enum Event {
    Reset,
    Operation(Operation, FaultPolicy),
}

pub struct Work {
    sizes: Sizes,
    events: Vec<Event>,
    operations: usize,
    /// Release strobes of the recording.
    releases: u64,
}

impl Work {
    /// The operations that `named` took.
    pub fn new(config: &Config, recording: &Recording) -> Result<Self, Failure> {
        let sizes = sizes(config)?;
        let place = |dir: Dir, name: &str| {
            let place = recording.ports.iter().filter(|p| p.dir == dir).position(|p| p.name == name);
            place.ok_or_else(|| format!("`named` has no port `{name}`"))
        };
        const FIELDS: [&str; 16] = [
            "op_kind",
            "op_fault",
            "op_uniform",
            "op_warp",
            "op_cta",
            "op_id",
            "op_count",
            "op_warps",
            "op_live",
            "op_barriers",
            "op_saved",
            "op_redop",
            "op_value",
            "op_state",
            "op_data",
            "op_mask",
        ];
        let fields = FIELDS.iter().map(|name| place(Dir::In, name)).collect::<Result<Vec<_>, _>>()?;
        let (reset, valid) = (place(Dir::In, "reset")?, place(Dir::In, "op_valid")?);
        let policy = place(Dir::In, "fault_policy")?;
        let (ready, release) = (place(Dir::Out, "op_ready")?, place(Dir::Out, "release_valid")?);
        let in_reset = |cycle: usize| recording.input(cycle)[reset] == 1;
        let mut work = Work { sizes, events: vec![], operations: 0, releases: 0 };
        // The effects of what the last two cycles take would show after the end.
        for cycle in 0..recording.cycles().saturating_sub(2) {
            let (inputs, outputs) = (recording.input(cycle), recording.output(cycle));
            if in_reset(cycle) {
                work.events.push(Event::Reset);
            } else if inputs[valid] == 1 && outputs[ready] == 1 && !in_reset(cycle + 1) {
                let field = |at: usize| inputs[fields[at]];
                work.operations += 1;
                let policy = FaultPolicy::from_value(recording.input(cycle + 1)[policy]);
                let op = Operation {
                    kind: Kind::from_value(field(0)),
                    fault: Code::from_value(field(1)),
                    uniform: field(2) == 1,
                    warp: field(3) as u8,
                    cta: field(4) as u8,
                    id: field(5) as u8,
                    count: field(6) as u16,
                    warps: field(7) as u8,
                    live: field(8) as u8,
                    barriers: field(9) as u8,
                    saved: field(10) == 1,
                    redop: RedOp::from_value(field(11)),
                    value: field(12) as u8,
                    state: StateWord::from_value(field(13)),
                    data: field(14) as u32,
                    mask: field(15),
                };
                work.events.push(Event::Operation(op, policy));
            }
        }
        work.releases = (1..recording.cycles()).map(|cycle| recording.output(cycle)[release]).sum();
        Ok(work)
    }

    /// All of them once; there must be as many releases as in the recording.
    pub fn replay(&self) -> Result<Pass, Failure> {
        let mut barriers = Barriers::new(self.sizes);
        let mut releases = 0;
        let start = Instant::now();
        for event in black_box(&self.events) {
            match event {
                Event::Reset => barriers = Barriers::new(self.sizes),
                Event::Operation(op, policy) => {
                    let effect = barriers.apply(op, *policy);
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
            true => Ok(Pass { count: self.operations, seconds, beside: format!("{} operations", self.operations) }),
            false => Err(format!("{releases} releases, where the recording has {}", self.releases).into()),
        }
    }
}
