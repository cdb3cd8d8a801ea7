// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `named`: CTAs launch and retire, are saved and restored; their warps meet at barriers that complete, and read state
//! words.

mod check;
mod cta;
mod reference;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Pace};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort};
use check::Checker;
use cta::{Barrier, Cta, Stage, Warp};
use reference::{Kind, Op, BARRIER, RESULT, WARP};

#[rustfmt::skip]
const FIELDS: [&str; 16] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "value", "state", "data", "warps", "live", "barriers", "mask", "saved",
];

pub struct Named {
    rng: Rng,
    shape: Shape,
    base: Base,
    checker: Checker,
    op: Offer,
    offered: Op,
    trapped_port: Input,
    trapped: u64,
    fault_ready: Input,
    pace: Pace,
    ctas: Vec<Cta>,
    /// The probability, in thousandths, that a warp exits.
    exits: u64,
    /// The probability, in thousandths, that a warp reads.
    reads: u64,
    /// The probability, in thousandths, that a CTA is saved.
    saves: u64,
    /// The number of barrier ids in use.
    ids: u64,
    /// The maximum number of warps of a CTA.
    most_warps: u64,
}

impl Named {
    pub fn new(ports: &[Port], config: &Config, shape: Shape, seed: u64) -> Result<Named, NoPort> {
        let mut rng = Rng::new(seed, "legal named");
        Ok(Named {
            checker: Checker::new(ports, config, shape)?,
            op: Offer::new(ports, "op", &FIELDS)?,
            offered: Op::default(),
            trapped_port: ports.input("trapped")?,
            trapped: 0,
            fault_ready: ports.input("fault_ready")?,
            pace: Pace::draw(&mut rng),
            base: Base::new(ports, &mut rng)?,
            ctas: vec![],
            exits: rng.pick(&[0, 5, 100]).unwrap_or(0),
            reads: if config.state_words { rng.pick(&[0, 50, 500]).unwrap_or(0) } else { 0 },
            saves: if config.state_words { rng.pick(&[0, 2, 20]).unwrap_or(0) } else { 0 },
            ids: rng.pick(&[1, 2, shape.barriers, shape.barriers]).unwrap_or(1),
            most_warps: rng.pick(&[2, 4, shape.warps, shape.warps]).unwrap_or(1).min(shape.warps),
            shape,
            rng,
        })
    }

    /// Free warp slots and free CTA slots.
    fn free_slots(&self) -> (u64, Vec<u64>) {
        let is_resident = |cta: &&Cta| cta.stage != Stage::Saved;
        let taken_warps = self.ctas.iter().filter(is_resident).fold(0, |mask, cta| mask | cta.mask());
        let slots = (0..self.shape.slots).filter(|slot| !self.ctas.iter().filter(is_resident).any(|cta| cta.slot == *slot));
        let all_warps = u64::MAX >> (64 - self.shape.warps);
        (all_warps & !taken_warps, slots.collect())
    }

    /// The launch of a new CTA, if a CTA slot and warp slots are free.
    fn launch(&mut self) -> Option<Op> {
        let (free_warps, slots) = self.free_slots();
        let slot = self.rng.pick(&slots)?;
        if free_warps == 0 {
            return None;
        }
        let wanted = self.rng.range(1, self.most_warps);
        let chosen = self.rng.subset(free_warps, wanted);
        let dead = if self.rng.chance(100) { self.rng.sprinkle(chosen & (chosen - 1), 300) } else { 0 };
        let numbers = (0..64).filter(|warp| chosen >> warp & 1 == 1);
        let warps: Vec<Warp> =
            numbers.map(|number| Warp { number, is_live: dead >> number & 1 == 0, ..Warp::default() }).collect();
        // A CTA may declare more barriers than are built.
        let declared = if self.rng.chance(300) { self.rng.range(1, 63) } else { self.shape.barriers };
        let cta = Cta {
            slot,
            stage: Stage::Running,
            warps,
            declared: declared.min(self.shape.barriers),
            barriers: vec![Barrier::default(); 16],
            script: [].into(),
            generations_left: self.rng.range(0, 60),
        };
        let op = Op { barriers: declared, ..cta.launch() };
        self.ctas.push(cta);
        Some(op)
    }

    /// Begins to restore a saved CTA, possibly into another CTA slot and other warp slots. Returns its launch, and plans the writes of its
    /// state words.
    fn restore(&mut self) -> Option<Op> {
        let place = self.ctas.iter().position(|cta| cta.stage == Stage::Saved)?;
        let (mut free_warps, slots) = self.free_slots();
        let slot = self.rng.pick(&slots)?;
        let cta = &mut self.ctas[place];
        if (free_warps.count_ones() as usize) < cta.warps.len() {
            return None;
        }
        for warp in &mut cta.warps {
            warp.number = self.rng.bit(free_warps)? as u64;
            free_warps &= !(1 << warp.number);
        }
        (cta.slot, cta.stage) = (slot, Stage::Restoring);
        let mut script = vec![];
        for id in 0..cta.declared {
            let idle = |warp: &&Warp| warp.words.get(id as usize).is_some_and(|word| *word == 0);
            let skips_idle = self.rng.chance(700);
            for warp in cta.warps.iter().filter(|warp| warp.is_live).filter(|warp| !(skips_idle && idle(warp))) {
                let data = warp.words.get(id as usize).copied().unwrap_or(0);
                script.push(Op { kind: Kind::Write, state: BARRIER, id, warp: warp.number, cta: slot, data, ..Op::default() });
            }
        }
        for warp in cta.warps.iter().filter(|warp| warp.is_live) {
            let data = warp.state;
            script.push(Op { kind: Kind::Write, state: WARP, warp: warp.number, cta: slot, data, ..Op::default() });
        }
        cta.script = script.into();
        self.base.ledger.count("restores");
        Some(self.ctas[place].launch())
    }

    /// Begins to save a CTA: every live warp reads the state word of each barrier, and its own.
    fn save(&mut self, place: usize) {
        let cta = &mut self.ctas[place];
        let mut script = vec![];
        for warp in cta.warps.iter_mut().filter(|warp| warp.is_live) {
            warp.words = vec![0; 16];
            let read = Op { kind: Kind::Read, warp: warp.number, cta: cta.slot, ..Op::default() };
            script.extend((0..cta.declared).map(|id| Op { state: BARRIER, id, ..read }));
            script.push(Op { state: WARP, ..read });
        }
        if self.rng.chance(300) {
            self.trapped |= self.rng.sprinkle(cta.mask(), 500);
        }
        cta.script = script.into();
        cta.stage = Stage::Saving;
        self.base.ledger.count("saves");
    }

    /// The next operation of a CTA that is being saved or restored.
    fn scripted(&mut self, place: usize) -> Option<Op> {
        let cta = &mut self.ctas[place];
        if let Some(op) = cta.script.pop_front() {
            return Some(op);
        }
        match cta.stage {
            // The CTA is released when all its words have been read.
            Stage::Saving if !self.checker.reads_under_way() => {
                cta.stage = Stage::Saved;
                self.trapped &= !cta.mask();
                Some(Op { kind: Kind::Release, cta: cta.slot, mask: cta.mask(), saved: true, ..Op::default() })
            }
            Stage::Restoring => {
                cta.stage = Stage::Running;
                None
            }
            _ => None,
        }
    }

    /// A read of any state word of a live warp.
    fn read(&mut self, place: usize) -> Option<Op> {
        let cta = &self.ctas[place];
        let live: Vec<u64> = cta.warps.iter().filter(|warp| warp.is_live).map(|warp| warp.number).collect();
        let warp = self.rng.pick(&live)?;
        let mut state = self.rng.below(3);
        if state == RESULT && !self.checker.has_result(warp) {
            state = WARP;
        }
        let id = self.rng.below(cta.declared);
        Some(Op { kind: Kind::Read, state, id, warp, cta: cta.slot, ..Op::default() })
    }

    /// The next operation, if there is one.
    fn choose(&mut self, waiting: u64) -> Option<Op> {
        if self.rng.chance(200) {
            let op = if self.rng.chance(500) { self.restore() } else { self.launch() };
            if op.is_some() {
                return op;
            }
        }
        let resident_ctas: Vec<usize> = (0..self.ctas.len()).filter(|place| self.ctas[*place].stage != Stage::Saved).collect();
        let place = self.rng.pick(&resident_ctas)?;
        if self.ctas[place].stage != Stage::Running {
            return self.scripted(place);
        }
        if self.rng.chance(self.reads) {
            return self.read(place);
        }
        if self.ctas[place].live() > 0 && self.rng.chance(self.saves) {
            self.save(place);
            return None;
        }
        let (lanes, ids) = (self.shape.lanes, self.ids);
        let cta = &mut self.ctas[place];
        if self.rng.chance(400) {
            cta.plan(&mut self.rng, lanes, ids);
        }
        cta.let_exit(&mut self.rng, self.exits);
        if cta.live() == 0 {
            let cta = self.ctas.remove(place);
            let saved = self.rng.chance(200);
            return Some(Op { kind: Kind::Release, cta: cta.slot, mask: cta.mask(), saved, ..Op::default() });
        }
        let able: Vec<usize> = (0..cta.warps.len())
            .filter(|w| waiting >> cta.warps[*w].number & 1 == 0 && !cta.warps[*w].tasks.is_empty())
            .collect();
        let warp = &mut cta.warps[self.rng.pick(&able)?];
        let op = warp.tasks.pop_front()?;
        warp.is_live &= op.kind != Kind::Exit;
        Some(Op { warp: warp.number, cta: cta.slot, ..op })
    }

    fn offer(&mut self, op: Op) {
        self.offered = op;
        // For And and Or the unit uses only bit 0 of the value.
        let value = if op.kind == Kind::Reduce && op.redop == 2 { op.value } else { op.value & 1 | self.rng.draw() & 0b110 };
        let values = [op.kind as u64, 0, 1, op.warp, op.cta, op.id, op.count, op.redop, value, op.state, op.data];
        let values = [&values[..], &[op.warps, op.live, op.barriers, op.mask, op.saved.into()]].concat();
        self.op.put(&mut self.base.pins, &values);
    }

    /// Notes the words read from a CTA that is being saved, and the completed generations.
    fn note(&mut self, outputs: &[u64]) {
        if let Some((op, word)) = self.checker.cycle(&mut self.base.ledger, outputs) {
            let cta = self.ctas.iter_mut().find(|cta| cta.stage == Stage::Saving && cta.slot == op.cta);
            let warp = cta.and_then(|cta| cta.warps.iter_mut().find(|warp| warp.number == op.warp));
            if let Some(warp) = warp {
                match op.state {
                    WARP => warp.state = word,
                    BARRIER if !warp.words.is_empty() => warp.words[op.id as usize] = word,
                    _ => {}
                }
            }
        }
        if let Some([slot, id]) = self.checker.completed() {
            let is_resident = |cta: &&mut Cta| cta.stage != Stage::Saved && cta.slot == slot;
            if let Some(cta) = self.ctas.iter_mut().find(is_resident) {
                cta.completed(id);
            }
        }
    }
}

impl UnitUser for Named {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.note(outputs);
        self.op.begin(&mut self.base.pins);
        if !self.op.is_pending() && self.pace.allows_event(&mut self.rng) {
            if let Some(op) = self.choose(self.checker.waiting(outputs)) {
                self.offer(op);
            }
        }
        self.base.pins.set(self.trapped_port, self.trapped);
        let taken_op = self.op.take(outputs).then_some(self.offered);
        self.checker.transfer(&mut self.base.ledger, taken_op, self.trapped);
    }

    fn prepare(&mut self, is_reset: bool) {
        let ready = self.rng.chance(500);
        self.base.pins.set(self.fault_ready, ready.into());
        if is_reset {
            self.checker.reset();
        }
    }
}
