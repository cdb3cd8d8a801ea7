// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The legal user of `mbarrier`: warps, copy engines and peers complete the phases of objects, and warps wait for those phases.

mod answers;
mod completions;
mod cta;
mod launches;
mod memory;
mod object;

use super::base::{has_base, Base, UnitUser};
use super::pins::{Drain, Offer, Pace, Shown};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort, Output};
use cta::{Cta, Doing, Stage, Warp};
use memory::Memory;
use object::*;
use std::collections::VecDeque;

#[rustfmt::skip]
const OP: [&str; 14] = [
    "kind", "fault", "uniform", "warp", "cta", "address", "cluster", "count", "bytes", "phase", "hint", "all_live_lanes", "rd", "pu",
];

/// The channels to other CTAs of a cluster.
struct Network {
    out: Drain<7>,
    out_pace: Pace,
    ack: Offer,
    input: Offer,
    input_pace: Pace,
    offered: (usize, Task, u64),
    reply: Shown<2>,
    /// The messages expected on `net_out`, in order.
    expected: VecDeque<[u64; 7]>,
    /// CTAs whose operation is to be acknowledged, each with the first cycle in which the acknowledgement may come.
    acks: Vec<(u64, u64)>,
    /// Sources of operations that were transferred on `net_in` and are not answered yet, with the CTAs that the operations address.
    replies: VecDeque<(u64, usize)>,
}

pub struct Mbarrier {
    rng: Rng,
    shape: Shape,
    /// Number of cached objects.
    objects: u64,
    base: Base,
    wait_limit_port: Input,
    wait_limit: u64,
    op: Offer,
    sender: usize,
    op_pace: Pace,
    tx: Offer,
    tx_pace: Pace,
    tx_offered: (usize, Task),
    tx_done: Option<Shown<1>>,
    tx_order: VecDeque<(usize, usize)>,
    launch: Offer,
    retire: Offer,
    network: Option<Network>,
    memory: Memory,
    fault: Drain<4>,
    retired: Shown<1>,
    token: Shown<6>,
    wake: Shown<2>,
    commit: Shown<2>,
    /// Output ports `suspended`, `leaving`, `remote`.
    levels: [Output; 3],
    warps: Vec<Warp>,
    ctas: Vec<Option<Cta>>,
    last_sent: Vec<u64>,
    /// Whether no two objects share a cache entry.
    is_distinct: bool,
    bound: u64,
    pause: u64,
    hints: u64,
    suspends: u64,
    aborts: u64,
    /// In thousandths per cycle: the probability that a stopped CTA is retired.
    prompt: u64,
    phase_length: u64,
}

impl Mbarrier {
    pub fn new(ports: &[Port], config: &Config, shape: Shape, seed: u64) -> Result<Mbarrier, NoPort> {
        let mut rng = Rng::new(seed, "legal mbarrier");
        let network = match shape.cluster_size > 1 {
            true => Some(Network::new(ports, &mut rng)?),
            false => None,
        };
        let memory = Memory::new(ports, &mut rng)?;
        let highest = (1 << shape.limit_bits) - 1;
        let launch: &[&str] = if network.is_some() { &["cta", "cluster", "rank", "size"] } else { &["cta"] };
        Ok(Mbarrier {
            objects: config.mbarrier_objects as u64,
            base: Base::new(ports, &mut rng)?,
            wait_limit_port: ports.input("wait_limit")?,
            wait_limit: rng.range(1, highest.min(6)),
            op: Offer::new(ports, "op", &OP)?,
            sender: 0,
            op_pace: Pace::draw(&mut rng),
            tx: Offer::new(ports, "tx", &["cta", "object", "count", "bytes"])?,
            tx_pace: Pace::draw(&mut rng),
            tx_offered: (0, Task::default()),
            tx_done: Shown::new(ports, "tx_done", ["cta"]).ok(),
            tx_order: [].into(),
            launch: Offer::strobe(ports, "launch", launch)?,
            retire: Offer::strobe(ports, "retire", &["cta", "saved", "warps"])?,
            network,
            fault: Drain::new(ports, "fault", ["code", "warp", "cta", "address"])?,
            retired: Shown::new(ports, "retired", ["cta"])?,
            token: Shown::new(ports, "token", ["warp", "word", "predicate", "refused", "rd", "pu"])?,
            wake: Shown::new(ports, "wake", ["warps", "value"])?,
            commit: Shown::new(ports, "commit", ["warps", "refused"])?,
            levels: [ports.output("suspended")?, ports.output("leaving")?, ports.output("remote").unwrap_or(Output::ABSENT)],
            warps: vec![Warp::default(); 64],
            ctas: vec![None; shape.slots as usize],
            last_sent: vec![0; shape.slots as usize],
            is_distinct: rng.chance(600),
            bound: 4 * shape.warps * (memory.latency() + 60) + 600,
            memory,
            pause: rng.pick(&[0, 2, 30]).unwrap_or(0),
            hints: rng.pick(&[0, 300, 1000]).unwrap_or(0),
            suspends: rng.pick(&[300, 1000, 1000]).unwrap_or(0),
            aborts: rng.pick(&[0, 5, 30]).unwrap_or(0),
            prompt: rng.pick(&[5, 30, 500]).unwrap_or(5),
            phase_length: rng.pick(&[1, 3, 8]).unwrap_or(1),
            shape,
            rng,
        })
    }

    /// One warp offers its next operation.
    fn send(&mut self, outputs: &[u64]) {
        self.op.begin(&mut self.base.pins);
        let cycle = self.base.ledger.cycle;
        if !self.op.is_pending() && self.op_pace.allows_event(&mut self.rng) {
            let able = |warp: &usize| {
                let state = &self.warps[*warp];
                let runs = state.cta.and_then(|slot| self.ctas[slot].as_ref()).is_some_and(|cta| cta.stage == Stage::Running);
                runs && state.doing == Doing::Idle && !state.tasks.is_empty() && state.pause <= cycle
            };
            let able: Vec<usize> = (0..64).filter(able).collect();
            if let Some(warp) = self.rng.pick(&able) {
                self.offer(warp);
            }
        }
        if self.op.take(outputs) {
            let warp = self.sender;
            (self.warps[warp].doing, self.warps[warp].since) = (Doing::UnderWay, cycle);
            let task = self.warps[warp].task;
            let Some(slot) = self.warps[warp].cta else { return };
            let Some(cta) = self.ctas[slot].as_mut() else { return };
            if let Some(rank) = task.rank {
                cta.unacknowledged += 1;
                let word = cta.objects[task.object].word;
                let expected = [cta.place[0], rank, slot as u64, word, task.kind, task.count, task.bytes];
                self.network.iter_mut().for_each(|network| network.expected.push_back(expected));
            } else if !task.is_wait() && task.kind > INVAL {
                cta.objects[task.object].transfer(&task);
                self.last_sent[slot] = cycle;
            }
        }
    }

    fn offer(&mut self, warp: usize) {
        let Some(task) = self.warps[warp].tasks.pop_front() else { return };
        let Some((slot, cta)) = self.warps[warp].cta.and_then(|slot| Some((slot, self.ctas[slot].as_ref()?))) else { return };
        let object = &cta.objects[task.object];
        let is_late = task.is_wait() && object.is_complete && object.phase == task.phase;
        let highest = (1 << self.shape.limit_bits) - 1;
        let hint = if task.kind == TRY_WAIT && self.rng.chance(self.hints) { self.rng.range(1, highest.min(9)) } else { 0 };
        let rank = task.rank.unwrap_or(cta.place[1]);
        let cluster_form = task.rank.is_some() || self.rng.chance(300) && !matches!(task.kind, INIT | INVAL | ADD_PENDING);
        let address = rank << 24 | object.word * 8;
        let can_suspend = task.kind == TRY_WAIT && self.rng.chance(self.suspends);
        let place = [self.rng.below(256), self.rng.below(8)];
        let values = [task.kind, 0, 1, warp as u64, slot as u64, address, cluster_form.into(), task.count, task.bytes];
        let values = [&values[..], &[task.phase & 1, hint, can_suspend.into(), place[0], place[1]]].concat();
        self.op.put(&mut self.base.pins, &values);
        let limit = if hint > 0 { hint.min(self.wait_limit) } else { self.wait_limit };
        let state = &mut self.warps[warp];
        (state.doing, state.task, state.is_late) = (Doing::Sending, task, is_late);
        (state.limit, state.can_suspend, state.place) = (limit, can_suspend, place);
        self.sender = warp;
    }
}

impl UnitUser for Mbarrier {
    has_base!();

    fn play_cycle(&mut self, outputs: &[u64]) {
        let ready = self.rng.chance(500);
        self.fault.drive(&mut self.base.pins, outputs, ready);
        self.answers(outputs);
        self.check_retired(outputs);
        self.bounds();
        let cycle = self.base.ledger.cycle;
        if let Some([_, cta, object]) = self.memory.drive(&mut self.base.pins, &mut self.rng, outputs, cycle) {
            let known = self
                .ctas
                .get(cta as usize)
                .and_then(Option::as_ref)
                .is_some_and(|cta| cta.objects.iter().any(|o| o.word == object));
            if !known {
                self.base
                    .ledger
                    .fail(|| format!("word {object:#x} of CTA slot {cta} is requested but is not an object of the CTA"));
            }
            self.base.ledger.count("memory requests");
        }
        for slot in 0..self.ctas.len() {
            let has_network = self.network.is_some();
            if let Some(cta) = self.ctas[slot].as_mut().filter(|cta| cta.stage == Stage::Running) {
                if self.rng.chance(300) {
                    cta.plan(&mut self.rng, &mut self.warps, has_network, self.phase_length);
                }
            }
        }
        self.copies(outputs);
        self.peers(outputs);
        self.send(outputs);
        self.launches();
        self.retires(outputs);
    }

    fn prepare(&mut self, _is_reset: bool) {
        self.base.pins.set(self.wait_limit_port, self.wait_limit);
    }
}
