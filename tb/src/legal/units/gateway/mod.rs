// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `gateway`: thread groups launch and retire, and their threads signal and wait in phases that complete.

mod group;
mod reference;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Offer, Pace, Shown};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort, Output};
use group::Group;
use reference::{Kind, Op, Reference};
use std::collections::VecDeque;

#[rustfmt::skip]
const FIELDS: [&str; 12] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "role", "producers", "consumers", "warps", "barriers", "mask",
];

pub struct Gateway {
    rng: Rng,
    shape: Shape,
    base: Base,
    op: Offer,
    offered: Op,
    fault_ready: Input,
    pace: Pace,
    reference: Reference,
    groups: Vec<Group>,
    /// Operations in flight, each with the cycle in which it takes effect.
    under_way: VecDeque<(u64, Op)>,
    /// Warps whose last operation is not committed yet; one bit per warp.
    uncommitted: u64,
    rows_to_clear: u64,
    row_turn: bool,
    was_reset: bool,
    launched: bool,
    ids: u64,
    prompt: u64,
    apart: u64,
    most_warps: u64,
    levels: [Output; 4],
    fault: Shown<3>,
    release: Shown<4>,
    commit: Shown<4>,
}

impl Gateway {
    pub fn new(ports: &[Port], _config: &Config, shape: Shape, seed: u64) -> Result<Gateway, NoPort> {
        let mut rng = Rng::new(seed, "legal gateway");
        let level = |name| ports.output(name);
        Ok(Gateway {
            op: Offer::new(ports, "op", &FIELDS)?,
            offered: Op::default(),
            fault_ready: ports.input("fault_ready")?,
            base: Base::new(ports, &mut rng)?,
            pace: Pace::draw(&mut rng),
            reference: Reference::new(shape.slots),
            groups: vec![],
            under_way: [].into(),
            uncommitted: 0,
            rows_to_clear: 0,
            row_turn: false,
            was_reset: true,
            launched: false,
            ids: rng.pick(&[1, 2, shape.gateway_ids, shape.gateway_ids]).unwrap_or(1),
            prompt: rng.pick(&[0, 300, 700, 1000]).unwrap_or(0),
            apart: rng.pick(&[0, 300, 1000]).unwrap_or(0),
            most_warps: rng.pick(&[2, 4, shape.warps, shape.warps]).unwrap_or(1).min(shape.warps),
            levels: [level("op_ready")?, level("waiting")?, level("open")?, level("clearing")?],
            fault: Shown::new(ports, "fault", ["code", "warp", "cta"])?,
            release: Shown::new(ports, "release", ["cta", "id", "notified", "warps"])?,
            commit: Shown::new(ports, "commit", ["warps", "refused", "cta_release", "warp_done"])?,
            shape,
            rng,
        })
    }

    /// Checks all outputs of a cycle.
    fn check(&mut self, outputs: &[u64]) {
        let before = self.base.ledger.cycle - 1;
        let effective = self.under_way.pop_front_if(|(effect, _)| *effect == before).map(|(_, op)| op);
        let release = effective.and_then(|op| self.reference.apply(&op));
        self.base.ledger.strobe("release", self.release.read(outputs), release);
        if let Some([slot, id, notified, warps]) = release {
            self.base.ledger.count(if notified == 0 { "notifications taken" } else { "phases" });
            self.base.ledger.add("woken warps", warps.count_ones().into());
            let group = self.groups.iter_mut().find(|group| group.slot == slot);
            if let (Some(group), true) = (group, notified != 0) {
                group.completed(id);
            }
        }
        let commit = effective.map(|op| {
            let released = u64::from(op.kind == Kind::Release);
            let of_warp = u64::from(!matches!(op.kind, Kind::Launch | Kind::Release));
            self.uncommitted &= if of_warp == 1 { !(1 << op.warp) } else { !0 };
            [if released == 1 { op.mask } else { 1 << op.warp }, 0, released, of_warp]
        });
        self.base.ledger.strobe("commit", self.commit.read(outputs), commit);
        self.base.ledger.strobe("fault", self.fault.read(outputs), None);
        let releasing = self.under_way.iter().any(|(_, op)| op.kind == Kind::Release);
        let busy = self.was_reset || releasing || self.rows_to_clear > 0;
        let expected = [
            u64::from(!busy && !self.launched),
            self.reference.waiting,
            self.reference.open(),
            u64::from(busy || self.row_turn),
        ];
        for ((name, port), expected) in ["op_ready", "waiting", "open", "clearing"].iter().zip(self.levels).zip(expected) {
            self.base.ledger.expect(name, port.read(outputs), expected);
        }
    }

    fn launch(&mut self, outputs: &[u64]) -> Option<Op> {
        let taken_warps = self.groups.iter().fold(0, |mask, group| mask | group.mask());
        let free_warps = u64::MAX >> (64 - self.shape.warps) & !taken_warps;
        let slots: Vec<u64> =
            (0..self.shape.slots).filter(|slot| self.groups.iter().all(|group| group.slot != *slot)).collect();
        let slot = self.rng.pick(&slots)?;
        // A launch requires that `clearing` is 0.
        if free_warps == 0 || self.levels[3].read(outputs) == 1 {
            return None;
        }
        let wanted = self.rng.range(1, self.most_warps);
        let warps = self.rng.subset(free_warps, wanted);
        let barriers = if self.rng.chance(300) { self.rng.range(1, 63) } else { self.shape.gateway_ids };
        let generations_left = self.rng.range(0, 60);
        self.groups.push(Group::new(slot, warps, barriers.min(self.shape.gateway_ids), generations_left));
        let warps = warps.count_ones().into();
        Some(Op { kind: Kind::Launch, cta: slot, warps, barriers, ..Op::default() })
    }

    /// The next operation: a launch, the Release of a group whose threads have all exited, or the next task of a thread that does not wait.
    fn choose(&mut self, outputs: &[u64]) -> Option<Op> {
        if self.rng.chance(150) {
            if let Some(op) = self.launch(outputs) {
                return Some(op);
            }
        }
        if self.groups.is_empty() {
            return None;
        }
        let place = self.rng.below(self.groups.len() as u64) as usize;
        let group = &mut self.groups[place];
        if group.is_over() {
            // The group is released only after its last operations have taken effect.
            if group.mask() & self.uncommitted != 0 {
                return None;
            }
            let group = self.groups.remove(place);
            return Some(Op { kind: Kind::Release, cta: group.slot, mask: group.mask(), ..Op::default() });
        }
        if self.rng.chance(400) {
            group.plan(&mut self.rng, self.ids, self.prompt, self.apart);
        }
        let stopped = self.levels[1].read(outputs) | self.uncommitted;
        let able =
            |thread: &usize| stopped >> group.threads[*thread].number & 1 == 0 && !group.threads[*thread].tasks.is_empty();
        let able: Vec<usize> = (0..group.threads.len()).filter(able).collect();
        let thread = &mut group.threads[self.rng.pick(&able)?];
        let op = thread.tasks.pop_front()?;
        thread.is_live &= op.kind != Kind::Exit;
        self.uncommitted |= 1 << thread.number;
        Some(Op { warp: thread.number, cta: group.slot, ..op })
    }
}

impl UnitUser for Gateway {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        self.check(outputs);
        self.op.begin(&mut self.base.pins);
        if !self.op.is_pending() && self.pace.allows_event(&mut self.rng) {
            if let Some(op) = self.choose(outputs) {
                self.offered = op;
                let values = [op.kind as u64, 0, 1, op.warp, op.cta, op.id, op.role, op.producers, op.consumers];
                let values = [&values[..], &[op.warps, op.barriers, op.mask]].concat();
                self.op.put(&mut self.base.pins, &values);
            }
        }
        self.row_turn = self.rows_to_clear > 0;
        self.rows_to_clear = self.rows_to_clear.saturating_sub(1);
        (self.was_reset, self.launched) = (false, false);
        if self.op.take(outputs) {
            let op = self.offered;
            self.launched = op.kind == Kind::Launch;
            self.under_way.push_back((self.base.ledger.cycle + 2, op));
            self.base.ledger.count("operations");
            self.base.ledger.count(match op.kind {
                Kind::Signal => "signals",
                Kind::Wait => "waits",
                Kind::Exit => "exits",
                Kind::Launch => "launches",
                Kind::Release => "retirements",
            });
        }
    }

    fn prepare(&mut self, is_reset: bool) {
        let ready = self.rng.chance(500);
        self.base.pins.set(self.fault_ready, ready.into());
        if is_reset {
            self.rows_to_clear = self.shape.slots << self.shape.gateway_ids.next_power_of_two().ilog2().max(1);
        }
    }
}
