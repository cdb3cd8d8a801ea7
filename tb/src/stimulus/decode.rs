// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `decode`: instruction words of every kind, resident and absent warps, and an operation port that stalls.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::lane_moves::Forms;
use super::lanes::{OF_CLUSTERS, OF_GRIDS};
use super::shape::Shape;
use super::signals::Message;
use super::swarm::Misuse;
use super::word::{draw_foreign_word, issue, quarters, spoil, Mbar, Meaning};
use super::{Rng, Stimulus};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::{OpKind, RedOp, StateWord};

/// Fields of the instruction channel, in the order of [`instruction`].
#[rustfmt::skip]
pub const FIELDS: [&str; 13] = [
    "word_0", "word_1", "word_2", "word_3", "warp", "active", "guard", "predicate", "ra", "rb", "uniform", "form", "members",
];

pub struct Decode {
    driver: Driver,
    shape: Shape,
    instr: Offer,
    op: Sink,
    /// Port `ready` of the operation channel.
    op_ready: usize,
    /// Ports `valid` and `warp` of the operation channel.
    op_ports: [usize; 2],
    reset: usize,
    live: usize,
    blocked: usize,
    full: usize,
    op_done: usize,
    forms: Forms,
    /// Warps of operations that have left the unit and are not yet reported as done.
    due: Vec<u64>,
    /// Probability, in thousandths per cycle, that `op_done` reports a random warp.
    astray: u64,
    /// The ports `warp_cta_…`: port n has bit n of each warp's CTA slot.
    homes: Vec<usize>,
}

impl Decode {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let homes = (0..).map_while(|b| driver.input(&format!("warp_cta_{b}")).ok()).collect();
        Ok(Decode {
            instr: driver.strobe("instr", &FIELDS)?,
            op: driver.sink("op")?,
            op_ready: driver.input("op_ready")?,
            op_ports: [driver.output("op_valid")?, driver.output("op_warp")?],
            full: driver.input("full")?,
            op_done: driver.input("op_done")?,
            forms: Forms::draw(&mut driver.rng),
            due: vec![],
            astray: driver.rng.pick(&[0, 0, 10, 200]).unwrap_or(0),
            reset: driver.input("reset")?,
            live: driver.input("live")?,
            blocked: driver.input("blocked")?,
            homes,
            shape,
            driver,
        })
    }

    /// Changes the levels that `cta_table` and the barriers drive: usually all warps are live and few are blocked.
    fn drift(&mut self) {
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        if !rng.chance(swarm.change) {
            return;
        }
        let all_warps = self.shape.all_warps();
        inputs[self.live] = all_warps & !rng.sprinkle(all_warps, swarm.exited_rate);
        let waiting = rng.pick(&[0, 100, 500]).unwrap_or(0);
        inputs[self.blocked] = rng.sprinkle(all_warps, waiting);
        let full = rng.pick(&[0, 0, 200]).unwrap_or(0);
        inputs[self.full] = rng.sprinkle(all_warps, full);
        for home in &self.homes {
            inputs[*home] = all_warps & rng.draw();
        }
    }

    /// Drives `op_done`: operations that have left the unit are reported some time later, in order, for at most two warps in a cycle.
    fn settle(&mut self, phase: Phase, previous: &[u64]) {
        let Driver { rng, inputs, .. } = &mut self.driver;
        if phase != Phase::Run {
            self.due.clear();
        } else if previous[self.op_ports[0]] == 1 && inputs[self.op_ready] == 1 {
            self.due.push(previous[self.op_ports[1]]);
        }
        let count = if rng.chance(500) { rng.range(1, 2).min(self.due.len() as u64) } else { 0 };
        let op_done = self.due.drain(..count as usize).fold(0, |mask, warp| mask | 1 << warp);
        let astray = if rng.chance(self.astray) { 1 << rng.below(self.shape.warps) } else { 0 };
        inputs[self.op_done] = op_done | astray;
    }

    fn choose(&mut self) {
        let shape = self.shape;
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        // A rule of legality exists for each bit of a word, so illegal words are drawn often.
        let misuse = misuse.or(rng.chance(150).then_some(Misuse::Illegal));
        let (live, blocked) = (inputs[self.live], inputs[self.blocked]);
        let pool = match misuse {
            Some(Misuse::Ghost) => !live,
            Some(Misuse::Blocked) => blocked,
            Some(Misuse::Occupied) => u64::MAX,
            _ => live & !blocked,
        };
        let warp = rng.bit(pool & shape.all_warps()).unwrap_or(0) as u64;
        let count = if rng.chance(300) { rng.below(4096) } else { rng.below(shape.warps + 1) * shape.lanes };
        let id = rng.bit(swarm.ids).unwrap_or(0) as u64;
        let count = count & 4095;
        let state = rng.pick(StateWord::ALL).unwrap_or(StateWord::Warp);
        let redop = rng.pick(RedOp::ALL).unwrap_or(RedOp::And);
        let meaning = match rng.below(100 + swarm.read + swarm.write) {
            0..100 if rng.chance(swarm.fence) => Meaning::Plain(OpKind::Fence),
            0..100 if rng.chance(swarm.clusters) => Meaning::Plain(rng.pick(&OF_CLUSTERS).unwrap_or(OpKind::ClusterWait)),
            0..100 if rng.chance(swarm.grids) => Meaning::Plain(rng.pick(&OF_GRIDS).unwrap_or(OpKind::GridWait)),
            0..100 if shape.gateway_ids > 0 || rng.chance(20) => Meaning::Nbar(any_message(rng)),
            0..100 if rng.chance(swarm.objects) => Meaning::Mbar(any_mbar(rng)),
            0..100 if rng.chance(swarm.reduce) => Meaning::Reduce { redop, id, count },
            0..100 => Meaning::Bar { sync: rng.chance(swarm.wait), id, count },
            n if n < 100 + swarm.read => Meaning::Read { state, id },
            _ if state == StateWord::Result => Meaning::Write { state: StateWord::Warp, id, data: rng.draw() & 0xffff_ffff },
            _ => Meaning::Write { state, id, data: rng.draw() & 0xffff_ffff },
        };
        // A blocked warp may read and write its state words, so the warp for such an instruction is any live warp.
        let able = matches!(meaning, Meaning::Read { .. } | Meaning::Write { .. }) && misuse.is_none();
        let warp = if able { rng.bit(live & shape.all_warps()).map_or(warp, |w| w as u64) } else { warp };
        let lanes = u64::MAX >> (64 - shape.lanes.clamp(1, 64));
        let some_lanes = 1u64 << rng.below(shape.lanes) | rng.draw() & lanes;
        let executing = if rng.chance(swarm.lanes) { some_lanes } else { lanes };
        let comers = Comers { form: self.forms.any(rng), members: rng.draw() & lanes, lanes: executing };
        let values = instruction(&mut self.driver, shape, misuse, warp, meaning, comers);
        self.driver.offer(&mut self.instr, &values);
    }
}

/// A random NBAR (a message to the gateway), with random fields.
pub fn any_message(rng: &mut Rng) -> Message {
    let (wait, id, role) = (rng.chance(400), rng.below(256), rng.below(4));
    let consumers = rng.below(256);
    let producers = if rng.chance(300) { consumers } else { rng.below(256) };
    Message { wait, id, role, producers, consumers }
}

/// A random MBAR (an operation on an mbarrier), with random fields.
fn any_mbar(rng: &mut Rng) -> Mbar {
    let kind = rng.pick(MbarrierKind::ALL).unwrap_or(MbarrierKind::Init);
    let any = rng.draw() & 0xffff_ffff;
    let number = rng.pick(&[any, any & 0xff, 1 << 20, (1 << 21) - 1, 1 << 21, any & 0x3f_ffff]).unwrap_or(1);
    let address = rng.draw() & 0xffff_ffff;
    Mbar { kind, address, number, phase: rng.chance(500), cluster: rng.chance(300), relaxed: rng.chance(300) }
}

/// The form of an instruction, its mask of members, and the mask of the lanes that execute it.
#[derive(Clone, Copy, Debug)]
pub struct Comers {
    pub form: u64,
    pub members: u64,
    pub lanes: u64,
}

/// The payload of an instruction, in the order of [`FIELDS`]. If `misuse` is a misuse of the word or of the lanes, the payload is corrupted
/// accordingly.
pub fn instruction(
    driver: &mut Driver,
    shape: Shape,
    misuse: Option<Misuse>,
    warp: u64,
    meaning: Meaning,
    comers: Comers,
) -> [u64; 13] {
    let rng = &mut driver.rng;
    let mut issue = issue(rng, meaning, shape.pack_lsb);
    match misuse {
        Some(Misuse::Illegal) => issue = spoil(rng, issue),
        Some(Misuse::ForeignWord) => issue = draw_foreign_word(rng, issue),
        _ => (),
    }
    let lanes = u64::MAX >> (64 - shape.lanes.clamp(1, 64));
    let Comers { form, members, lanes: executing } = comers;
    // Lanes that do not execute may be active with a false guard, or inactive with a true guard.
    let others = if rng.chance(500) { rng.draw() & lanes & !executing } else { 0 };
    let active = executing | others;
    let mut guard = executing | if rng.chance(500) { lanes & !active } else { 0 };
    if misuse == Some(Misuse::Nobody) {
        guard &= !active;
    }
    let differ = misuse == Some(Misuse::Lanes) || (!issue.registers && rng.chance(500));
    // Equal predicates in all lanes are as likely as random predicates.
    let noise = rng.draw() & lanes;
    let predicate = rng.pick(&[0, lanes, noise, noise]).unwrap_or(0);
    let [a, b, c, d] = quarters(issue.word);
    [a, b, c, d, warp, active, guard, predicate, issue.ra, issue.rb, !differ as u64, form, members]
}

impl Stimulus for Decode {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.reset);
        self.settle(phase, previous);
        self.driver.drain(&mut self.op);
        self.drift();
        match phase {
            Phase::Reset => {
                self.driver.shake(&mut self.instr);
                return &self.driver.inputs;
            }
            Phase::Fresh => self.driver.idle(&mut self.instr),
            Phase::Run => {
                self.instr.was_taken(previous);
            }
        }
        if self.instr.is_free() {
            match self.driver.swarm.source.allows_event(&mut self.driver.rng) {
                true => self.choose(),
                false => self.driver.idle(&mut self.instr),
            }
        }
        &self.driver.inputs
    }
}
