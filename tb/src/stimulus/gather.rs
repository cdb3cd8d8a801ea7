// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `gather`: lanes of diverged warps arrive in parts and usually reconverge, lanes exit, and member masks usually agree. Every
//! kind of misuse of these operations also occurs. The downstream `mem_order` stalls and answers at random.

use super::answer::Answer;
use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::lane_moves::Moves;
use super::lanes::{Op, FIELDS};
use super::shape::Shape;
use super::Stimulus;

pub struct Gather {
    driver: Driver,
    moves: Moves,
    channel: Offer,
    op: Sink,
    /// Output of the unit. Together with `full` and `op_ready` it decides whether the operation on offer is transferred.
    entry_waits: usize,
    /// Output of the unit that decides, with `entry_waits` and `op_ready`, whether an offered operation is transferred.
    full: usize,
    op_ready: usize,
    /// The output `op_from_instr`: 1 if the operation comes from an instruction.
    from_instr: usize,
    reset: usize,
    policy: usize,
    op_done: Answer,
    /// The operation on offer; `None` if no operation is offered or the operation was not drawn as legal.
    offer: Option<Op>,
}

impl Gather {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Gather {
            channel: driver.strobe("in", &FIELDS)?,
            op: driver.sink("op")?,
            entry_waits: driver.output("entry_waits")?,
            full: driver.output("full")?,
            op_ready: driver.input("op_ready")?,
            from_instr: driver.output("op_from_instr")?,
            reset: driver.input("reset")?,
            policy: driver.input("leader_policy")?,
            op_done: Answer::new(&mut driver, shape, "op_done")?,
            moves: Moves::new(&mut driver.rng, shape),
            offer: None,
            driver,
        })
    }

    fn choose(&mut self) {
        let Driver { rng, swarm, .. } = &mut self.driver;
        let (op, makes_sense) = self.moves.choose(rng, swarm);
        self.offer = makes_sense.then_some(op);
        self.driver.offer(&mut self.channel, &op.values());
    }
}

impl Stimulus for Gather {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let takes = previous[self.entry_waits] == 0 && (previous[self.full] == 0 || self.driver.inputs[self.op_ready] == 1);
        let phase = self.driver.begin(self.reset);
        let from_instr = self.from_instr;
        self.op_done.drive(&mut self.driver, phase, previous, |outputs| outputs[from_instr] == 0);
        self.driver.drain(&mut self.op);
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        if rng.chance(swarm.change) {
            inputs[self.policy] = rng.below(2);
        }
        match phase {
            Phase::Reset => {
                self.moves.clear();
                self.offer = None;
                self.driver.shake(&mut self.channel);
                return &self.driver.inputs;
            }
            Phase::Fresh => self.driver.idle(&mut self.channel),
            Phase::Run => {
                if takes && self.channel.was_taken(previous) {
                    if let Some(op) = self.offer.take() {
                        self.moves.note(&op);
                    }
                }
            }
        }
        if self.channel.is_free() {
            match self.driver.swarm.source.allows_event(&mut self.driver.rng) {
                true => self.choose(),
                false => self.driver.idle(&mut self.channel),
            }
        }
        &self.driver.inputs
    }
}
