// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `gather`: diverged warps whose pieces mostly find together, exits of lanes, member masks that mostly agree, and
//! every misuse of these; `order` behind it stalls and answers as it likes.

use super::lane_moves::Moves;
use super::lanes::{Op, FIELDS};
use super::line::{Line, Offer, Phase, Sink};
use super::{Shape, Stimulus, StimulusError};

pub struct Gather {
    line: Line,
    shape: Shape,
    moves: Moves,
    channel: Offer,
    op: Sink,
    /// Of the operation port: ready, then valid, counted and warp.
    op_ready: usize,
    seen: [usize; 3],
    reset: usize,
    policy: usize,
    left: usize,
    /// The offer, if it makes sense.
    offer: Option<Op>,
    /// Warps of operations that are on their way to `order`.
    due: Vec<u64>,
}

impl Gather {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Gather {
            channel: line.channel("in", &FIELDS)?,
            op: line.sink("op")?,
            op_ready: line.input("op_ready")?,
            seen: [line.output("op_valid")?, line.output("op_counted")?, line.output("op_warp")?],
            reset: line.input("reset")?,
            policy: line.input("leader_policy")?,
            left: line.input("left")?,
            moves: Moves::new(&mut line.rng, shape),
            offer: None,
            due: vec![],
            shape,
            line,
        })
    }

    fn choose(&mut self) {
        let Line { rng, swarm, .. } = &mut self.line;
        let (op, makes_sense) = self.moves.choose(rng, swarm);
        self.offer = makes_sense.then_some(op);
        self.line.offer(&mut self.channel, &op.values());
    }

    /// Drives `left`: what was passed on arrives some time later, in order.
    fn answer(&mut self, phase: Phase, previous: &[u64]) {
        let Line { rng, inputs, .. } = &mut self.line;
        if phase != Phase::Run {
            self.due.clear();
        } else if previous[self.seen[0]] == 1 && inputs[self.op_ready] == 1 && previous[self.seen[1]] == 0 {
            self.due.push(previous[self.seen[2]]);
        }
        inputs[self.left] = if !self.due.is_empty() && rng.chance(400) {
            1 << self.due.remove(0)
        } else if rng.chance(self.moves.habits.astray) {
            1 << rng.below(self.shape.warps)
        } else {
            0
        };
    }
}

impl Stimulus for Gather {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.line.begin(self.reset);
        self.answer(phase, previous);
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
                if self.channel.taken(previous) {
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
