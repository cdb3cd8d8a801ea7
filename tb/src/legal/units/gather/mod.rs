// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `gather`: lanes arrive, meet and exit as in a correct program, and `mem_order` stalls the output.
//!
//! Every output is checked in every cycle against [`timing`] and [`reference`](self::reference).

mod moves;
mod reference;
mod timing;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Pace, Shown};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::op::{Form, OpKind};
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort, Output};
use reference::{Lanes, Op, ARRIVALS};
use timing::Timing;

/// Fields that pass through the unit unchanged.
const OTHERS: [&str; 9] = ["state", "data", "rd", "pu", "mbarrier", "number", "phase", "cluster", "release"];

#[rustfmt::skip]
const IN: [&str; 23] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "mask", "form", "lanes", "votes", "members", "from_instr",
    "state", "data", "rd", "pu", "mbarrier", "number", "phase", "cluster", "release",
];

#[rustfmt::skip]
const OUT: [&str; 22] = [
    "kind", "fault", "uniform", "warp", "cta", "from_instr", "id", "count", "redop", "mask", "value", "all_live_lanes", "valid",
    "state", "data", "rd", "pu", "mbarrier", "number", "phase", "cluster", "release",
];

/// Probabilities in thousandths: that lanes exit, gather, meet, or join waiting lanes, that a CTA is saved, and that an operation is
/// reported on `op_done`.
struct Rates {
    exits: u64,
    gathers: u64,
    meets: u64,
    joins: u64,
    saves: u64,
    done: u64,
}

pub struct GatherUser {
    rng: Rng,
    shape: Shape,
    base: Base,
    channel: Offer,
    offered: Option<Op>,
    timing: Timing,
    /// The lanes of all warps after all operations that were transferred into the unit, including those not yet processed.
    view: Vec<Lanes>,
    launched: u64,
    /// Warps that have an operation on offer or in flight; one bit per warp.
    busy: u64,
    exit_pending: u64,
    in_play: u64,
    arrivals: Vec<OpKind>,
    kinds: Vec<OpKind>,
    /// Warps whose operation has left the unit and is not yet reported on `op_done`.
    departed: Vec<usize>,
    op_ready: Input,
    op_done: Input,
    policy_port: Input,
    policy: u64,
    /// Output ports `entry_waits`, `full`, `gathering`, `exit_pending`, `op_absorbed`.
    levels: [Output; 5],
    op: Vec<(&'static str, Output)>,
    strobe: Shown<4>,
    exited: Shown<1>,
    pace: Pace,
    ready: Pace,
    rates: Rates,
}

impl GatherUser {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<GatherUser, NoPort> {
        let mut rng = Rng::new(seed, "legal gather");
        let place = |name: &&'static str| ports.output(&format!("op_{name}")).map(|output| (*name, output));
        let level = |name| ports.output(name);
        let of_clusters = if shape.cluster_size > 1 { &ARRIVALS[3..] } else { &[] };
        let named = if shape.gateway_ids == 0 { &ARRIVALS[..3] } else { &[] };
        let mut kinds = vec![OpKind::Fence];
        let named_kinds = [OpKind::Read, OpKind::Write];
        kinds.extend(if shape.gateway_ids > 0 { &[OpKind::Gateway][..] } else { &named_kinds });
        kinds.extend(shape.mbarriers.then_some([OpKind::Mbarrier; 3]).into_iter().flatten());
        kinds.extend(shape.has_grids.then_some([OpKind::GridLaunch, OpKind::GridWait]).into_iter().flatten());
        let few = rng.range(1, 3);
        let all_warps = u64::MAX >> (64 - shape.warps);
        Ok(GatherUser {
            base: Base::new(ports, &mut rng)?,
            channel: Offer::strobe(ports, "in", &IN)?,
            offered: None,
            timing: Timing::new(shape.warps, shape.lanes),
            view: vec![Lanes::default(); shape.warps as usize],
            launched: 0,
            busy: 0,
            exit_pending: 0,
            in_play: if rng.chance(500) { rng.subset(all_warps, few) } else { all_warps },
            arrivals: [named, of_clusters].concat(),
            kinds,
            departed: vec![],
            op_ready: ports.input("op_ready")?,
            op_done: ports.input("op_done")?,
            policy_port: ports.input("leader_policy")?,
            policy: rng.below(2),
            levels: [level("entry_waits")?, level("full")?, level("gathering")?, level("exit_pending")?, level("op_absorbed")?],
            op: OUT.iter().map(place).collect::<Result<_, _>>()?,
            strobe: Shown::new(ports, "lanes", ["warp", "mask", "leaders", "retry"])?,
            exited: Shown::new(ports, "warp_exited", ["warp"])?,
            pace: Pace::draw(&mut rng),
            ready: Pace::draw(&mut rng),
            rates: Rates {
                exits: rng.pick(&[5, 50, 300]).unwrap_or(5),
                gathers: rng.pick(&[100, 300, 600]).unwrap_or(300),
                meets: rng.pick(&[50, 200, 400]).unwrap_or(200),
                joins: rng.pick(&[300, 600, 900]).unwrap_or(600),
                saves: rng.pick(&[0, 0, 300]).unwrap_or(0),
                done: rng.pick(&[50, 300, 1000]).unwrap_or(300),
            },
            shape,
            rng,
        })
    }

    /// The required values of the fields at `op_valid`.
    fn expected(op: &Op, is_whole: bool) -> Vec<(&'static str, u64)> {
        let mut fields = vec![("valid", 1), ("kind", op.kind as u64), ("fault", 0), ("from_instr", op.from_instr.into())];
        let count = |lanes: u64| u64::from(lanes.count_ones());
        let is_arrival = matches!(op.kind, OpKind::Sync | OpKind::Arrive | OpKind::Reduce);
        if !matches!(op.kind, OpKind::Launch | OpKind::Release) {
            fields.push(("uniform", op.uniform));
        } else {
            fields.push(("mask", op.mask));
        }
        fields.extend([("warp", op.warp as u64), ("cta", op.cta)]);
        fields.extend(is_arrival.then_some([("id", op.id), ("count", op.count)]).into_iter().flatten());
        let value = match op.redop {
            0 => u64::from(op.lanes & !op.votes != 0),
            1 => u64::from(op.votes != 0),
            _ => count(op.votes),
        };
        let others: &[usize] = match op.kind {
            OpKind::Read => &[0, 2, 3],
            OpKind::Write => &[0, 1],
            OpKind::Gateway => &[1],
            OpKind::Mbarrier => &[1, 2, 3, 4, 5, 6, 7, 8],
            _ => &[],
        };
        fields.extend(others.iter().map(|place| (OTHERS[*place], op.others[*place])));
        if matches!(op.kind, OpKind::Read | OpKind::Write) {
            fields.push(("id", op.id));
        }
        if matches!(op.kind, OpKind::Reduce | OpKind::Mbarrier) {
            fields.extend([("redop", op.redop), ("value", value)]);
        }
        if op.kind == OpKind::Mbarrier {
            fields.push(("all_live_lanes", is_whole.into()));
        }
        fields
    }

    /// Compares all outputs of a cycle with [`Timing`].
    fn check(&mut self, outputs: &[u64]) {
        let (timing, ledger) = (&self.timing, &mut self.base.ledger);
        let names = ["entry_waits", "full", "gathering", "exit_pending", "op_absorbed"];
        let [waits, full] = [timing.entry_waits(), timing.full()].map(u64::from);
        let levels = [waits, full, timing.gathering, timing.exit_pending(), timing.shown.absorbed];
        for ((name, port), expected) in names.iter().zip(self.levels).zip(levels) {
            ledger.expect(name, port.read(outputs), expected);
        }
        let strobe = timing.shown.strobe.map(|(warp, [mask, leaders, retry])| [warp as u64, mask, leaders, retry]);
        ledger.strobe("lanes", self.strobe.read(outputs), strobe);
        ledger.strobe("warp_exited", self.exited.read(outputs), timing.shown.exited.map(|warp| [warp as u64]));
        let fields = timing.op.as_ref().map_or(vec![("valid", 0)], |(op, is_whole)| GatherUser::expected(op, *is_whole));
        for (name, expected) in fields {
            let port = self.op.iter().find(|(field, _)| *field == name);
            let found = port.map_or(0, |(_, port)| port.read(outputs));
            if found != expected {
                ledger.fail(|| format!("`op_{name}`: expected {expected:#x}, found {found:#x}"));
            }
        }
        if let Some([_, _, leaders, retry]) = strobe {
            ledger.count(if retry == 1 { "lanes that retry" } else { "lanes that resume" });
            ledger.add("elections", u64::from(leaders != 0));
        }
        ledger.add("warps that have exited", timing.shown.exited.is_some().into());
        ledger.add("cycles in which the entry waits", waits);
        ledger.add("cycles in which all live lanes wait", u64::from(timing.gathering != 0));
        self.busy &= !self.timing.shown.absorbed;
        self.exit_pending = self.timing.exit_pending();
    }

    /// Accounts for an operation that was transferred into the unit.
    fn note(&mut self, op: &Op) {
        let all_lanes = u64::MAX >> (64 - self.shape.lanes);
        self.base.ledger.count("operations");
        if matches!(op.kind, OpKind::Launch | OpKind::Release) {
            let is_launch = op.kind == OpKind::Launch;
            for warp in (0..self.view.len()).filter(|warp| op.mask >> warp & 1 == 1) {
                self.view[warp] = Lanes::launched(if is_launch && warp == op.row() { op.lanes } else { all_lanes });
            }
            self.launched = if is_launch { self.launched | op.mask } else { self.launched & !op.mask };
            return;
        }
        let effect = self.view[op.warp].apply(op, false);
        let ledger = &mut self.base.ledger;
        ledger.add("exits that complete two rendezvous", u64::from(op.kind == OpKind::Exit && effect.strobes.len() > 1));
        let gathered = op.form == Form::Gathered || op.kind == OpKind::Exit && !effect.has_exited;
        ledger.add("gatherings", u64::from(gathered && effect.passed.is_some()));
        if effect.passed.is_none() && !op.from_instr {
            self.busy &= !(1 << op.warp);
        }
    }
}

impl UnitUser for GatherUser {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        self.channel.begin(&mut self.base.pins);
        if self.offered.is_none() && self.pace.allows_event(&mut self.rng) {
            if let Some(op) = self.choose() {
                let Op { kind, form, uniform, warp, cta, id, count, redop, mask, .. } = op;
                let Op { lanes, votes, members, from_instr, .. } = op;
                let values = [kind as u64, 0, uniform, warp as u64, cta, id, count, redop, mask, form as u64, lanes, votes];
                let values = [&values[..], &[members, from_instr.into()], &op.others].concat();
                self.channel.put(&mut self.base.pins, &values);
                self.busy |= if matches!(kind, OpKind::Launch | OpKind::Release) { 0 } else { 1 << warp };
                self.offered = Some(op);
            }
        }
        let (rng, done) = (&mut self.rng, self.rates.done);
        let mut op_done = 0;
        self.departed.retain(|warp| {
            let is_done = rng.chance(done);
            op_done |= if is_done { 1 << warp } else { 0 };
            !is_done
        });
        self.busy &= !op_done;
        if rng.chance(100) {
            self.policy ^= 1;
        }
        let ready = self.ready.allows_event(rng);
        for (port, value) in [(self.op_ready, ready.into()), (self.op_done, op_done), (self.policy_port, self.policy)] {
            self.base.pins.set(port, value);
        }
        let (is_taken, leaving_op) = self.timing.end(self.offered.as_ref(), ready, self.policy == 1, op_done);
        if let Some((op, _)) = leaving_op.filter(|(op, _)| !matches!(op.kind, OpKind::Launch | OpKind::Release)) {
            self.departed.push(op.warp);
        }
        if is_taken {
            self.channel.take(&[]);
            if let Some(op) = self.offered.take() {
                self.note(&op);
            }
        }
    }
}
