// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `mem_order`: warps issue accesses whenever they are not blocked, and the order of operations and accesses is checked.

mod checks;
mod memory;
mod warps;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Pace};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::op::OpKind;
use bcu_isa::ports::{Dir, Port};
use bcu_model::dut::{ByName, Input, NoPort, Output};
use memory::Memory;
use std::collections::VecDeque;
use warps::{draw, kinds, of_kind, Op, Warp, FIELDS, PASSED};

/// A field of `op`: its port, and the values of other outputs at which it is significant.
struct Passed {
    port: Output,
    when: Vec<(Output, Vec<u64>)>,
}

pub struct MemOrder {
    rng: Rng,
    shape: Shape,
    base: Base,
    channel: Offer,
    /// The index of the offered operation.
    offered: usize,
    op_valid: Output,
    op_ready: Input,
    op_warp: Output,
    passed: Vec<Passed>,
    commit: Input,
    is_open: bool,
    in_ready: Output,
    /// Output ports `held`, `access_limit`, `full`, `epoch`, `op_done`.
    levels: [Output; 5],
    memory: Memory,
    kinds: Vec<(OpKind, u64)>,
    warps: Vec<Warp>,
    /// Operations that are not finished, in the order of their arrival.
    ops: Vec<Op>,
    /// For each downstream unit, the operations that have passed, with the cycles in which they take effect.
    commits: [VecDeque<(u64, Op)>; 4],
    access_pace: Pace,
    op_pace: Pace,
    ready_pace: Pace,
    send_pace: Pace,
    accesses: u64,
    delay: u64,
    commit_delay: u64,
    exits: u64,
    /// For each warp, the number of consecutive cycles in which it is at the access limit although no access of its epoch is outstanding.
    limited: Vec<u64>,
    fenced: Vec<u64>,
    fence_idle: Vec<u64>,
    blocked_cycles: u64,
    bound: u64,
}

impl MemOrder {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<MemOrder, NoPort> {
        let mut rng = Rng::new(seed, "legal mem_order");
        let level = |name: &str| ports.output(name);
        let passed = FIELDS[..PASSED].iter().map(|name| passed(ports, &format!("op_{name}"))).collect::<Result<_, _>>()?;
        let padded = shape.warps.next_power_of_two().max(4);
        Ok(MemOrder {
            channel: Offer::new(ports, "in", &FIELDS)?,
            offered: 0,
            op_valid: ports.output("op_valid")?,
            op_ready: ports.input("op_ready")?,
            op_warp: ports.output("op_warp")?,
            passed,
            commit: ports.input("commit")?,
            base: Base::new(ports, &mut rng)?,
            is_open: false,
            in_ready: level("in_ready")?,
            levels: [level("held")?, level("access_limit")?, level("full")?, level("epoch")?, level("op_done")?],
            memory: Memory::new(ports, shape, &mut rng)?,
            kinds: kinds(&mut rng, shape),
            warps: vec![Warp::default(); shape.warps as usize],
            ops: vec![],
            commits: Default::default(),
            access_pace: Pace::draw(&mut rng),
            op_pace: Pace::draw(&mut rng),
            ready_pace: Pace::draw(&mut rng),
            send_pace: Pace::draw(&mut rng),
            accesses: rng.pick(&[50, 300, 700, 1000]).unwrap_or(50),
            delay: rng.pick(&[0, 1, 10]).unwrap_or(0),
            commit_delay: rng.pick(&[0, 3, 30]).unwrap_or(0),
            exits: rng.pick(&[0, 20, 100]).unwrap_or(0),
            limited: vec![0; shape.warps as usize],
            fenced: vec![0; shape.warps as usize],
            fence_idle: vec![0; shape.warps as usize],
            blocked_cycles: 0,
            bound: 24 * padded + 64,
            shape,
            rng,
        })
    }

    fn level(&self, number: usize, outputs: &[u64]) -> u64 {
        self.levels[number].read(outputs)
    }

    /// Issues accesses and operations of warps that may issue. Returns the accesses; the operations reach the unit in a later cycle.
    fn issue(&mut self, outputs: &[u64]) -> Vec<(u64, u64)> {
        let [held_warps, limit, full, epoch, _] = self.levels.map(|level| level.read(outputs));
        let (cycle, mut issued) = (self.base.ledger.cycle, vec![]);
        let [accesses, operates] = [self.access_pace.allows_event(&mut self.rng), self.op_pace.allows_event(&mut self.rng)];
        let first = self.rng.below(self.shape.warps);
        for warp in (0..self.shape.warps).map(|number| (first + number) % self.shape.warps) {
            let state = &mut self.warps[warp as usize];
            if state.has_exited && cycle >= state.wakes {
                *state = Warp::default();
            }
            if state.is_waiting && cycle >= state.wakes {
                state.is_waiting = false;
            }
            if state.has_exited || cycle < state.free_from {
                continue;
            }
            let bit = 1u64 << warp;
            if state.exit_pending && held_warps & bit != 0 {
                continue;
            }
            if state.exit_pending {
                state.exit_pending = false;
                state.free_from = u64::MAX;
                let op = of_kind(&mut self.rng, self.shape, OpKind::Exit, warp, cycle.saturating_sub(3), self.delay);
                self.ops.push(Op { issued: cycle, ..op });
                continue;
            }
            let can_read = full & bit == 0 && self.shape.gateway_ids == 0;
            let is_free = !state.is_waiting && held_warps & bit == 0;
            if is_free && self.fenced[warp as usize] > 0 && cycle > self.fenced[warp as usize] {
                if let Some(at) = self.memory.oldest(warp) {
                    self.base
                        .ledger
                        .fail(|| format!("warp {warp} resumes after its fence before its access of cycle {at} is performed"));
                }
                self.fenced[warp as usize] = 0;
            }
            if is_free && limit & bit == 0 && accesses {
                for _ in issued.len() as u64..self.shape.accesses_per_cycle {
                    if self.rng.chance(self.accesses) {
                        issued.push((warp, epoch >> warp & 1));
                    }
                }
            }
            if !operates || !self.rng.chance(200) {
                continue;
            }
            let op = match is_free && limit & bit == 0 {
                true => draw(&mut self.rng, self.shape, &self.kinds, warp, cycle, self.delay),
                false if can_read && self.rng.chance(50) => {
                    of_kind(&mut self.rng, self.shape, OpKind::Read, warp, cycle, self.delay)
                }
                false => continue,
            };
            let state = &mut self.warps[warp as usize];
            (state.free_from, state.is_waiting) = (u64::MAX, state.is_waiting || op.waits);
            if op.waits {
                state.wakes = u64::MAX;
            }
            state.exit_pending = is_free && op.kind == OpKind::Arrive && self.rng.chance(self.exits);
            self.ops.push(op);
        }
        if operates && self.rng.chance(10) {
            let kind = if self.rng.chance(500) { OpKind::Launch } else { OpKind::Release };
            let op = of_kind(&mut self.rng, self.shape, kind, 0, cycle, self.delay);
            self.ops.push(op);
        }
        issued
    }

    /// Sends one of the operations that are due. The operations of one warp are sent in order.
    fn send(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        if !self.channel.is_pending() && self.send_pace.allows_event(&mut self.rng) {
            let due: Vec<usize> =
                (0..self.ops.len()).filter(|place| !self.ops[*place].is_inside && self.ops[*place].due <= cycle).collect();
            if let Some(place) = self.rng.pick(&due) {
                let values = self.ops[place].values.clone();
                self.channel.put(&mut self.base.pins, &values);
                // The operation moves to its position in the order of arrival.
                let mut op = self.ops.remove(place);
                op.values = self.channel.driven(&self.base.pins);
                self.ops.push(op);
                self.offered = self.ops.len() - 1;
                // In the list, the offered operation follows all operations inside the unit and precedes all others.
                let inside_count = self.ops.iter().filter(|op| op.is_inside).count();
                let op = self.ops.remove(self.offered);
                self.ops.insert(inside_count, op);
            }
        }
        if self.channel.take(outputs) {
            // The transferred operation is the first in the list that has not arrived.
            if let Some(op) = self.ops.iter_mut().find(|op| !op.is_inside) {
                op.is_inside = true;
            }
        }
    }
}

/// A field of `op`, with the outputs that it depends on.
fn passed(ports: &[Port], name: &str) -> Result<Passed, NoPort> {
    let port = ports.output(name)?;
    let when = ports.iter().find(|port| port.dir == Dir::Out && port.name == name).map_or(&[][..], |port| &port.when);
    let when = when.iter().filter_map(|when| Some((ports.output(&when.port).ok()?, when.values.clone()))).collect();
    Ok(Passed { port, when })
}

impl UnitUser for MemOrder {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.done(outputs);
        let ready = self.ready_pace.allows_event(&mut self.rng);
        self.base.pins.set(self.op_ready, ready.into());
        self.gaps(outputs);
        self.passes(outputs, ready);
        self.effects(outputs);
        self.memory.check(&mut self.base.ledger, outputs);
        self.bounds(outputs, ready);
        self.channel.begin(&mut self.base.pins);
        // Warps begin to issue when the unit can take its first operation.
        self.is_open |= self.in_ready.read(outputs) == 1;
        let issued = if self.is_open { self.issue(outputs) } else { vec![] };
        self.memory.drive(&mut self.base.ledger, &mut self.base.pins, &mut self.rng, outputs, &issued);
        self.send(outputs);
    }
}
