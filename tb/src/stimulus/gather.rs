// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `gather`: diverged warps whose pieces mostly find together, exits of lanes, member masks that mostly agree, and
//! every misuse of these; `order` behind it stalls and answers as it likes.

use super::answer::Answer;
use super::lane_moves::Moves;
use super::lanes::{Op, FIELDS};
use super::line::{Line, Offer, Phase, Sink};
use super::{Shape, Stimulus, StimulusError};

pub struct Gather {
    line: Line,
    moves: Moves,
    channel: Offer,
    op: Sink,
    /// An operation that is offered is taken: what the unit shows, and what is told it.
    entry_waits: usize,
    full: usize,
    op_ready: usize,
    /// Of the operation port.
    counted: usize,
    reset: usize,
    policy: usize,
    settled: Answer,
    /// The offer, if it makes sense.
    offer: Option<Op>,
}

impl Gather {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Gather {
            channel: line.strobe("in", &FIELDS)?,
            op: line.sink("op")?,
            entry_waits: line.output("entry_waits")?,
            full: line.output("full")?,
            op_ready: line.input("op_ready")?,
            counted: line.output("op_counted")?,
            reset: line.input("reset")?,
            policy: line.input("leader_policy")?,
            settled: Answer::new(&mut line, shape, "settled")?,
            moves: Moves::new(&mut line.rng, shape),
            offer: None,
            line,
        })
    }

    fn choose(&mut self) {
        let Line { rng, swarm, .. } = &mut self.line;
        let (op, makes_sense) = self.moves.choose(rng, swarm);
        self.offer = makes_sense.then_some(op);
        self.line.offer(&mut self.channel, &op.values());
    }
}

impl Stimulus for Gather {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let takes = previous[self.entry_waits] == 0 && (previous[self.full] == 0 || self.line.inputs[self.op_ready] == 1);
        let phase = self.line.begin(self.reset);
        let counted = self.counted;
        self.settled.drive(&mut self.line, phase, previous, |outputs| outputs[counted] == 0);
        self.line.drain(&mut self.op);
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        if rng.chance(swarm.change) {
            inputs[self.policy] = rng.below(2);
        }
        match phase {
            Phase::Reset => {
                self.moves.clear();
                self.offer = None;
                self.line.shake(&mut self.channel);
                return &self.line.inputs;
            }
            Phase::Fresh => self.line.idle(&mut self.channel),
            Phase::Run => {
                if takes && self.channel.taken(previous) {
                    if let Some(op) = self.offer.take() {
                        self.moves.note(&op);
                    }
                }
            }
        }
        if self.channel.free() {
            match self.line.swarm.source.step(&mut self.line.rng) {
                true => self.choose(),
                false => self.line.idle(&mut self.channel),
            }
        }
        &self.line.inputs
    }
}
