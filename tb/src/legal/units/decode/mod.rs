// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `decode`: warps that may issue offer legal words, and each resulting operation is checked field by field and in every
//! cycle.
//!
//! Whether an instruction is allowed is decided in the first cycle of its offer; `blocked` and `full` may change while the offer waits.

mod draw;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Pace};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::op::{Form, OpKind};
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort, Output};
use draw::Fields;

#[rustfmt::skip]
const INSTR: [&str; 13] = [
    "word_0", "word_1", "word_2", "word_3", "warp", "form", "members", "active", "guard", "predicate", "ra", "rb", "uniform",
];

#[rustfmt::skip]
const OP: [&str; 22] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "state", "data", "form", "lanes", "votes", "members",
    "mbarrier", "number", "phase", "cluster", "release", "rd", "pu", "valid",
];

/// The offered instruction. If `has_lanes`, `decode` must produce the operation `fields` from it; otherwise no operation.
struct Offered {
    warp: usize,
    is_state_access: bool,
    has_lanes: bool,
    fields: Fields,
}

pub struct DecodeUser {
    rng: Rng,
    shape: Shape,
    base: Base,
    instr: Offer,
    offered: Option<Offered>,
    op_ready: Input,
    op: Vec<(&'static str, Output)>,
    in_decode_port: Output,
    /// Input ports `live`, `blocked`, `full`, `op_done`.
    levels: [Input; 4],
    /// The ports `warp_cta_…`: port n has bit n of each warp's CTA slot.
    owners: Vec<Input>,
    slots: Vec<u64>,
    live: u64,
    in_decode: u64,
    /// The operations in the first register of the unit and at `op_valid`.
    stages: [Option<Fields>; 2],
    /// Warps whose operation has left the unit, with the first cycle in which `op_done` may report it.
    departed: Vec<(u64, usize)>,
    pace: Pace,
    ready: Pace,
    /// In thousandths: the probability that a warp is blocked or full.
    blocked_rate: u64,
    /// In thousandths: the probability that an operation is reported as done.
    done_rate: u64,
}

impl DecodeUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<DecodeUser, NoPort> {
        let mut rng = Rng::new(seed, "legal decode");
        let place = |name: &&'static str| ports.output(&format!("op_{name}")).map(|output| (*name, output));
        Ok(DecodeUser {
            base: Base::new(ports, &mut rng)?,
            instr: Offer::strobe(ports, "instr", &INSTR)?,
            offered: None,
            op_ready: ports.input("op_ready")?,
            op: OP.iter().map(place).collect::<Result<_, _>>()?,
            in_decode_port: ports.output("in_decode")?,
            levels: [ports.input("live")?, ports.input("blocked")?, ports.input("full")?, ports.input("op_done")?],
            owners: (0..8).map_while(|bit| ports.input(&format!("warp_cta_{bit}")).ok()).collect(),
            slots: vec![0; shape.warps as usize],
            live: 0,
            in_decode: 0,
            stages: [None, None],
            departed: vec![],
            pace: Pace::draw(&mut rng),
            ready: Pace::draw(&mut rng),
            blocked_rate: rng.pick(&[0, 100, 500, 900]).unwrap_or(0),
            done_rate: rng.pick(&[50, 300, 1000]).unwrap_or(300),
            shape,
            rng,
        })
    }

    fn all_warps(&self) -> u64 {
        u64::MAX >> (64 - self.shape.warps)
    }

    fn check(&mut self, outputs: &[u64]) {
        let ledger = &mut self.base.ledger;
        ledger.expect("in_decode", self.in_decode_port.read(outputs), self.in_decode);
        let no_output = vec![("valid", 0)];
        for (name, expected) in self.stages[1].as_ref().unwrap_or(&no_output) {
            let port = self.op.iter().find(|(field, _)| field == name);
            let found = port.map_or(0, |(_, port)| port.read(outputs));
            if found != *expected {
                ledger.fail(|| format!("`op_{name}`: expected {expected:#x}, found {found:#x}"));
            }
        }
    }

    /// Chooses an instruction for a live warp that has no operation in flight.
    fn choose(&mut self) {
        let able = self.live & !self.in_decode;
        let Some(warp) = self.rng.bit(able) else { return };
        let rng = &mut self.rng;
        let lanes = u64::MAX >> (64 - self.shape.lanes);
        let form = draw::form(rng);
        let meets = matches!(form, Form::WarpSync | Form::Elect);
        let issue = if meets { draw::meeting(rng) } else { draw::draw(rng, self.shape) };
        let [active, mut guard] = [(); 2].map(|()| if rng.chance(500) { lanes } else { rng.draw() & lanes });
        if rng.chance(50) {
            guard &= !active;
        }
        let executing = active & guard;
        let members = executing | rng.draw() & lanes;
        let predicate = rng.draw() & lanes;
        let uniform = rng.chance(700);
        let [a, b, c, d] = issue.word;
        let values = [a, b, c, d, warp as u64, form as u64, members, active, guard, predicate, issue.ra, issue.rb];
        self.instr.put(&mut self.base.pins, &[&values[..], &[uniform.into()]].concat());
        let mut fields = issue.fields;
        fields.extend([("valid", 1), ("fault", 0), ("warp", warp as u64), ("lanes", executing)]);
        fields.push(("uniform", u64::from(uniform || !issue.has_registers)));
        fields.push(("form", if issue.has_form { form as u64 } else { Form::Raw as u64 }));
        fields.extend(meets.then_some(("members", members)));
        let is_mbar = fields.contains(&("kind", OpKind::Mbarrier as u64));
        fields.extend(is_mbar.then_some(("votes", executing)));
        let votes = issue.votes_negated.map(|not| executing & if not { !predicate } else { predicate });
        fields.extend(votes.map(|votes| ("votes", votes)));
        let is_state_access = issue.is_state_access;
        self.offered = Some(Offered { warp, is_state_access, has_lanes: executing != 0, fields });
    }

    /// Drives `live`, `blocked`, `full` and the CTA slots of the warps. The warp of the offered instruction stays live and in its CTA slot,
    /// and may issue in the first cycle of the offer (`is_first`).
    fn levels(&mut self, is_first: bool) {
        let offered_warp = self.offered.as_ref().map_or(0, |offered| 1 << offered.warp);
        if self.rng.chance(20) {
            let change = self.rng.sprinkle(self.all_warps() & !offered_warp, 300);
            self.live ^= change;
            for warp in (0..self.slots.len()).filter(|warp| change >> warp & 1 == 1) {
                self.slots[warp] = self.rng.below(self.shape.slots);
            }
        }
        let mut blocked = self.rng.sprinkle(self.all_warps(), self.blocked_rate) | self.in_decode;
        let mut full = self.rng.sprinkle(self.all_warps(), self.blocked_rate) | self.in_decode;
        match &self.offered {
            Some(offered) if is_first && offered.is_state_access => full &= !offered_warp,
            Some(_) if is_first => blocked &= !offered_warp,
            _ => (),
        }
        let refused_later = self.offered.as_ref().is_some_and(|offered| {
            let level = if offered.is_state_access { full } else { blocked };
            !is_first && level & offered_warp != 0
        });
        self.base.ledger.add("cycles in which a waiting offer would be refused", refused_later.into());
        let values = [self.live, blocked, full];
        for (port, value) in self.levels.iter().zip(values) {
            self.base.pins.set(*port, value);
        }
        for (bit, port) in self.owners.iter().enumerate() {
            let owners = self.slots.iter().enumerate().fold(0, |mask, (warp, slot)| mask | (slot >> bit & 1) << warp);
            self.base.pins.set(*port, owners);
        }
    }

    /// Reports operations as done some time after they have left the unit. It sometimes also reports exits of warps that have no operation
    /// in `decode`.
    fn done(&mut self) -> u64 {
        let (cycle, mut done) = (self.base.ledger.cycle, 0);
        let (rng, rate) = (&mut self.rng, self.done_rate);
        self.departed.retain(|(from, warp)| {
            let is_done = *from <= cycle && rng.chance(rate);
            done |= if is_done { 1 << warp } else { 0 };
            !is_done
        });
        if rng.chance(20) {
            let idle = u64::MAX >> (64 - self.shape.warps) & !self.in_decode;
            done |= rng.bit(idle).map_or(0, |warp| 1 << warp);
        }
        self.base.pins.set(self.levels[3], done);
        done
    }
}

impl UnitUser for DecodeUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        self.instr.begin(&mut self.base.pins);
        let is_first = self.offered.is_none();
        if is_first && self.pace.allows_event(&mut self.rng) {
            self.choose();
        }
        self.levels(is_first);
        let done = self.done();
        let ready = self.ready.allows_event(&mut self.rng);
        self.base.pins.set(self.op_ready, ready.into());
        self.in_decode &= !done;
        if !ready {
            return;
        }
        if let Some(fields) = self.stages[1].take() {
            let warp = fields.iter().find(|(name, _)| *name == "warp").map_or(0, |(_, warp)| *warp as usize);
            self.departed.push((self.base.ledger.cycle + 1, warp));
            self.base.ledger.count("operations");
        }
        self.stages.swap(0, 1);
        if let Some(mut offered) = self.offered.take() {
            self.instr.take(&[]);
            self.base.ledger.count("instructions");
            if offered.has_lanes {
                offered.fields.push(("cta", self.slots[offered.warp]));
                self.in_decode |= 1 << offered.warp;
                self.stages[0] = Some(offered.fields);
            } else {
                self.base.ledger.count("instructions that no lane executes");
            }
        }
    }
}
