// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `mem_order`: warps that issue accesses whenever they are not shown as blocked, and operations whose order against them is checked.

mod memory;
mod warps;

use super::ledger::Ledger;
use super::pins::{Offer, Pace, Pins};
use crate::legal::LegalUser;
use crate::stimulus::{Rng, Shape};
use bcu_hw::config::Config;
use bcu_hw::ports::{Dir, Port};
use bcu_hw::unit::op::OpKind;
use bcu_sim::dut::{ByName, Input, NoPort, Output};
use memory::Memory;
use std::collections::VecDeque;
use warps::{draw, kinds, of_kind, Op, Warp, FIELDS, PASSED};

/// A field of `op`: its port, and the outputs with the values at which it means something.
struct Passed {
    port: Output,
    when: Vec<(Output, Vec<u64>)>,
}

pub struct MemOrder {
    rng: Rng,
    shape: Shape,
    pins: Pins,
    ledger: Ledger,
    channel: Offer,
    /// Which of the operations is offered.
    offered: usize,
    op_valid: Output,
    op_ready: Input,
    op_warp: Output,
    passed: Vec<Passed>,
    reset: Input,
    commit: Input,
    resets: u64,
    is_open: bool,
    in_ready: Output,
    /// `held`, `access_limit`, `full`, `epoch`, `op_done`.
    levels: [Output; 5],
    memory: Memory,
    kinds: Vec<(OpKind, u64)>,
    warps: Vec<Warp>,
    /// In the order in which they came, those that are not through.
    ops: Vec<Op>,
    /// By unit behind, warps with the cycles of their effects.
    commits: [VecDeque<(u64, Op)>; 4],
    access_pace: Pace,
    op_pace: Pace,
    ready_pace: Pace,
    send_pace: Pace,
    accesses: u64,
    delay: u64,
    commit_delay: u64,
    exits: u64,
    /// Cycles for which each warp has been at its limit with nothing outstanding.
    limited: Vec<u64>,
    fenced: Vec<u64>,
    fence_idle: Vec<u64>,
    stuck: u64,
    bound: u64,
}

impl MemOrder {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<MemOrder, NoPort> {
        let mut rng = Rng::new(seed, "legal mem_order");
        let level = |name: &str| ports.output(name);
        let passed = FIELDS[..PASSED].iter().map(|name| passed(ports, &format!("op_{name}"))).collect::<Result<_, _>>()?;
        let padded = shape.warps.next_power_of_two().max(4);
        Ok(MemOrder {
            pins: Pins::new(ports),
            ledger: Ledger::default(),
            channel: Offer::new(ports, "in", &FIELDS)?,
            offered: 0,
            op_valid: ports.output("op_valid")?,
            op_ready: ports.input("op_ready")?,
            op_warp: ports.output("op_warp")?,
            passed,
            reset: ports.input("reset")?,
            commit: ports.input("commit")?,
            resets: rng.range(1, 3),
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
            stuck: 0,
            bound: 24 * padded + 64,
            shape,
            rng,
        })
    }

    fn level(&self, number: usize, outputs: &[u64]) -> u64 {
        self.levels[number].of(outputs)
    }

    /// `op_done`: an operation is parked, or a fence has left the queue.
    fn done(&mut self, outputs: &[u64]) {
        let done = self.level(4, outputs);
        if done.count_ones() > 1 {
            self.ledger.fail(|| format!("`op_done` has several bits: {done:#x}"));
        }
        for warp in (0..self.shape.warps).filter(|warp| done >> warp & 1 == 1) {
            let place = self
                .ops
                .iter()
                .position(|op| op.warp == warp && op.has_warp() && op.is_inside && !op.is_parked && !op.is_shown);
            let Some(place) = place else {
                self.ledger.fail(|| format!("`op_done` of warp {warp}, which has nothing that could be parked"));
                continue;
            };
            self.warps[warp as usize].free_from = self.ledger.cycle + 1;
            if self.ops[place].kind == OpKind::Fence {
                self.ops.remove(place);
                self.fenced[warp as usize] = self.ledger.cycle;
                self.ledger.count("fences");
            } else {
                self.ops[place].is_parked = true;
                self.ledger.count("parked");
            }
        }
    }

    /// What is offered on `op`: which operation it is, whether it may pass, and whether it is taken.
    fn passes(&mut self, outputs: &[u64], ready: bool) {
        if self.op_valid.of(outputs) == 0 {
            return;
        }
        let warp = self.op_warp.of(outputs);
        let kind = self.passed[0].port.of(outputs);
        let of_cta = kind == OpKind::Launch as u64 || kind == OpKind::Release as u64;
        let mine = |op: &Op| !op.is_out && if of_cta { !op.has_warp() } else { op.has_warp() && op.warp == warp };
        let Some(place) = self.ops.iter().position(mine) else {
            return self
                .ledger
                .fail(|| format!("an operation of kind {kind} of warp {warp} that nobody sent is offered on `op`"));
        };
        if !self.ops[place].is_shown {
            self.ops[place].is_shown = true;
            self.check_pass(place, outputs);
        }
        if ready {
            let op = &mut self.ops[place];
            op.is_out = true;
            self.ledger.count("operations");
            match op.unit() {
                None => {
                    self.ops.remove(place);
                }
                Some(unit) => {
                    // `cluster` shows its effect in the next cycle, `named` in the one after that.
                    let least = [2, 4, 1, 2][unit];
                    let due = self.ledger.cycle + least + self.rng.below(self.commit_delay + 1);
                    let op = op.clone();
                    self.commits[unit].push_back((due, op));
                }
            }
        }
    }

    fn check_pass(&mut self, place: usize, outputs: &[u64]) {
        let op = self.ops[place].clone();
        for (number, field) in self.passed.iter().enumerate() {
            let means = field.when.iter().all(|(port, values)| values.contains(&port.of(outputs)));
            let found = field.port.of(outputs);
            if means && found != op.values[number] {
                let expected = op.values[number];
                self.ledger.fail(|| format!("`op_{}`: expected {expected:#x}, found {found:#x}", FIELDS[number]));
            }
        }
        if !op.is_inside {
            self.ledger.fail(|| format!("an operation of warp {} is offered before it has come", op.warp));
        }
        if !op.is_parked {
            let before = self.ops[..place].iter().find(|other| !other.is_parked && !other.is_out && other.is_inside);
            if let Some(other) = before {
                let other = other.warp;
                self.ledger
                    .fail(|| format!("an operation of warp {} overtakes one of warp {other} that is not parked", op.warp));
            }
        }
        if let (true, Some(issued)) = (op.orders, self.memory.oldest(op.warp).filter(|issued| *issued <= op.issued)) {
            self.ledger.fail(|| {
                format!(
                    "an arrival of warp {} issued in {} passes before its access of cycle {issued} is performed",
                    op.warp, op.issued
                )
            });
        }
        self.ledger.most("worst cycles until an operation passes", op.idle);
    }

    /// Effects of what has passed, at most one of each unit in a cycle.
    fn effects(&mut self, outputs: &[u64]) {
        let (now, mut commit) = (self.ledger.cycle, 0);
        for unit in 0..4 {
            let Some((_, op)) = self.commits[unit].pop_front_if(|(due, _)| *due <= now) else { continue };
            let warp = op.warp as usize;
            commit |= 1 << warp;
            let held = self.level(0, outputs) >> warp & 1 == 1;
            if op.is_parked && op.waits && !held {
                self.ledger.fail(|| format!("warp {warp} is not `held` though its wait was parked and has its effects now"));
            }
            if !op.is_parked {
                self.warps[warp].free_from = now + 1;
            }
            if op.waits {
                self.warps[warp].wakes = now + 1 + if self.rng.chance(500) { 0 } else { self.rng.below(30) };
            }
            if op.kind == OpKind::Exit {
                self.warps[warp] = Warp { has_exited: true, wakes: now + 10 + self.rng.below(100), ..Warp::default() };
                self.ledger.count("exits");
            }
            if let Some(place) = self.ops.iter().position(|other| other.is_out && other.warp == op.warp && other.has_warp()) {
                self.ops.remove(place);
            }
        }
        self.pins.set(self.commit, commit);
    }

    /// A wait that is parked holds its warp until it has its effects.
    fn gaps(&mut self, outputs: &[u64]) {
        let (held, now) = (self.level(0, outputs), self.ledger.cycle);
        for op in self.ops.iter().filter(|op| op.is_parked && op.waits) {
            if held >> op.warp & 1 == 0 && self.warps[op.warp as usize].free_from <= now {
                let warp = op.warp;
                self.ledger.fail(|| format!("warp {warp} may issue though its wait is parked"));
            }
        }
    }

    /// What waits although nothing keeps it back.
    fn bounds(&mut self, outputs: &[u64], ready: bool) {
        let [held, limit, _, epoch, _] = self.levels.map(|level| level.of(outputs));
        for place in 0..self.ops.len() {
            let op = &self.ops[place];
            let before = self.ops[..place].iter().any(|other| {
                let queued = !op.is_parked && !other.is_parked && !other.is_out;
                queued || other.warp == op.warp && other.has_warp() == op.has_warp()
            });
            let kept = before
                || !op.is_inside
                || op.is_out
                || op.has_warp() && self.memory.oldest(op.warp).is_some_and(|at| at <= op.issued);
            let op = &mut self.ops[place];
            op.idle = if kept { 0 } else { op.idle + u64::from(ready) };
            if op.idle > self.bound {
                let (warp, idle) = (op.warp, op.idle);
                self.ledger.fail(|| {
                    format!("an operation of warp {warp} has not passed for {idle} cycles in which nothing kept it back")
                });
            }
        }
        for warp in 0..self.warps.len() {
            let at_limit = limit >> warp & 1 == 1 && !self.memory.has(warp as u64, epoch >> warp & 1);
            self.limited[warp] = if at_limit { self.limited[warp] + 1 } else { 0 };
            self.ledger.most("worst cycles at the access limit with none outstanding", self.limited[warp]);
            let has_ops = self.ops.iter().any(|op| op.warp == warp as u64 && op.has_warp());
            let is_over = self.fenced[warp] > 0 && !has_ops && self.memory.oldest(warp as u64).is_none();
            self.fence_idle[warp] = if is_over && held >> warp & 1 == 1 { self.fence_idle[warp] + 1 } else { 0 };
            self.ledger.most("worst cycles until a fence ends", self.fence_idle[warp]);
            if self.fence_idle[warp] > self.bound {
                self.ledger.fail(|| format!("the fence of warp {warp} does not end"));
            }
            if self.limited[warp] > self.bound {
                self.ledger.fail(|| format!("warp {warp} stays at its access limit with no access outstanding"));
            }
        }
        let queued = self.ops.iter().any(|op| op.is_inside && !op.is_parked && !op.is_out);
        self.stuck = if self.is_open && self.in_ready.of(outputs) == 0 && !queued { self.stuck + 1 } else { 0 };
        if self.stuck > 4 {
            self.ledger.fail(|| "`in_ready` is 0 with nothing in the queue".to_string());
        }
    }

    /// Warps that may issue do: accesses, and operations that come here later.
    fn issue(&mut self, outputs: &[u64]) -> Vec<(u64, u64)> {
        let [held, limit, full, epoch, _] = self.levels.map(|level| level.of(outputs));
        let (now, mut issued) = (self.ledger.cycle, vec![]);
        let [accesses, operates] = [self.access_pace.step(&mut self.rng), self.op_pace.step(&mut self.rng)];
        let first = self.rng.below(self.shape.warps);
        for warp in (0..self.shape.warps).map(|number| (first + number) % self.shape.warps) {
            let state = &mut self.warps[warp as usize];
            if state.has_exited && now >= state.wakes {
                *state = Warp::default();
            }
            if state.is_waiting && now >= state.wakes {
                state.is_waiting = false;
            }
            if state.has_exited || now < state.free_from {
                continue;
            }
            let bit = 1u64 << warp;
            if state.exit_pending && held & bit != 0 {
                continue;
            }
            if state.exit_pending {
                state.exit_pending = false;
                state.free_from = u64::MAX;
                let op = of_kind(&mut self.rng, self.shape, OpKind::Exit, warp, now.saturating_sub(3), self.delay);
                self.ops.push(Op { issued: now, ..op });
                continue;
            }
            let can_read = full & bit == 0 && self.shape.gateway_ids == 0;
            let is_free = !state.is_waiting && held & bit == 0;
            if is_free && self.fenced[warp as usize] > 0 && now > self.fenced[warp as usize] {
                if let Some(at) = self.memory.oldest(warp) {
                    self.ledger
                        .fail(|| format!("warp {warp} goes on behind its fence before its access of cycle {at} is performed"));
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
                true => draw(&mut self.rng, self.shape, &self.kinds, warp, now, self.delay),
                false if can_read && self.rng.chance(50) => {
                    of_kind(&mut self.rng, self.shape, OpKind::Read, warp, now, self.delay)
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
            let op = of_kind(&mut self.rng, self.shape, kind, 0, now, self.delay);
            self.ops.push(op);
        }
        issued
    }

    /// One of the operations whose time has come is sent; those of one warp in their order.
    fn send(&mut self, outputs: &[u64]) {
        let now = self.ledger.cycle;
        if !self.channel.is_pending() && self.send_pace.step(&mut self.rng) {
            let due: Vec<usize> =
                (0..self.ops.len()).filter(|place| !self.ops[*place].is_inside && self.ops[*place].due <= now).collect();
            if let Some(place) = self.rng.pick(&due) {
                let values = self.ops[place].values.clone();
                self.channel.put(&mut self.pins, &values);
                // In the order in which they come.
                let mut op = self.ops.remove(place);
                op.values = self.channel.driven(&self.pins);
                self.ops.push(op);
                self.offered = self.ops.len() - 1;
                // What has not come yet stays behind it.
                let came = self.ops.iter().filter(|op| op.is_inside).count();
                let op = self.ops.remove(self.offered);
                self.ops.insert(came, op);
            }
        }
        if self.channel.take(outputs) {
            // It is the first that has not come.
            if let Some(op) = self.ops.iter_mut().find(|op| !op.is_inside) {
                op.is_inside = true;
            }
        }
    }

    fn step(&mut self, outputs: &[u64]) {
        self.done(outputs);
        let ready = self.ready_pace.step(&mut self.rng);
        self.pins.set(self.op_ready, ready.into());
        self.gaps(outputs);
        self.passes(outputs, ready);
        self.effects(outputs);
        self.memory.check(&mut self.ledger, outputs);
        self.bounds(outputs, ready);
        self.channel.begin(&mut self.pins);
        // No warp is there before the first operation can come.
        self.is_open |= self.in_ready.of(outputs) == 1;
        let issued = if self.is_open { self.issue(outputs) } else { vec![] };
        self.memory.drive(&mut self.ledger, &mut self.pins, &mut self.rng, outputs, &issued);
        self.send(outputs);
    }
}

/// A field of `op`, with what it depends on.
fn passed(ports: &[Port], name: &str) -> Result<Passed, NoPort> {
    let port = ports.output(name)?;
    let when = ports.iter().find(|port| port.dir == Dir::Out && port.name == name).map_or(&[][..], |port| &port.when);
    let when = when.iter().filter_map(|when| Some((ports.output(&when.port).ok()?, when.values.clone()))).collect();
    Ok(Passed { port, when })
}

impl LegalUser for MemOrder {
    fn drive(&mut self, outputs: &[u64]) -> &[u64] {
        let resets = self.ledger.cycle < self.resets;
        self.pins.set(self.reset, resets.into());
        if !resets {
            self.step(outputs);
        }
        self.ledger.cycle += 1;
        &self.pins.inputs
    }

    fn failure(&self) -> Option<&str> {
        self.ledger.failure()
    }

    fn figures(&self) -> Vec<(String, u64)> {
        self.ledger.figures()
    }
}
