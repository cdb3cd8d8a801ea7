// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `gateway`: thread groups launch and retire, their threads signal and wait, misuse of every kind occurs, and the fault
//! channel stalls.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::shape::Shape;
use super::signals::{Message, Signals};
use super::swarm::Duty;
use super::{Rng, Stimulus};
use bcu_hw::unit::gateway::ports::GatewayKind;
use bcu_isa::op::FaultCode;

#[rustfmt::skip]
const FIELDS: [&str; 12] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "role", "producers", "consumers", "warps", "barriers", "mask",
];

/// An operation, with its fields in the order of [`FIELDS`].
#[derive(Clone, Copy, Debug, Default)]
struct Op {
    kind: u64,
    fault: u64,
    lanes_differ: bool,
    warp: u64,
    cta: u64,
    message: Message,
    warps: u64,
    barriers: u64,
    mask: u64,
}

impl Op {
    fn values(&self) -> [u64; 12] {
        let Op { kind, fault, warp, cta, warps, barriers, mask, .. } = *self;
        let Message { id, role, producers, consumers, .. } = self.message;
        [kind, fault, !self.lanes_differ as u64, warp, cta, id, role, producers, consumers, warps, barriers, mask]
    }
}

/// A thread group in its CTA slot: its warps, the warps that have exited, and the number of operations until it ends.
#[derive(Clone, Copy)]
struct Cta {
    warps: u64,
    exited: u64,
    life: u64,
}

/// An offer that was drawn as legal. Each variant begins with the CTA slot.
enum Offered {
    Message(usize, usize, Message),
    Launch(usize, u64, u64),
    Release(usize),
    Exit(usize, usize),
}

pub struct Gateway {
    driver: Driver,
    shape: Shape,
    signals: Signals,
    op: Offer,
    ops: Duty,
    fault: Sink,
    reset: usize,
    /// Ports of the commit strobe: `valid`, `warps`.
    commit: [usize; 2],
    /// Output port for the waiting warps.
    waiting: usize,
    /// Output port for the rows that are being cleared.
    clearing: usize,
    slots: Vec<Option<Cta>>,
    offered: Option<Offered>,
    /// Warps with an operation in flight; one bit per warp.
    busy: u64,
}

impl Gateway {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Gateway {
            signals: Signals::new(&mut driver.rng, shape.slots, shape.gateway_ids),
            op: driver.channel("op", &FIELDS)?,
            ops: Duty::source(&mut driver.rng),
            fault: driver.sink("fault")?,
            reset: driver.input("reset")?,
            commit: [driver.output("commit_valid")?, driver.output("commit_warps")?],
            waiting: driver.output("waiting")?,
            clearing: driver.output("clearing")?,
            slots: vec![None; shape.slots as usize],
            offered: None,
            busy: 0,
            shape,
            driver,
        })
    }

    fn forget(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot = None);
        self.signals.clear();
        self.offered = None;
        self.busy = 0;
    }

    /// Accounts for the offer that was transferred.
    fn note(&mut self) {
        match self.offered.take() {
            Some(Offered::Message(slot, warp, message)) => self.signals.note(slot, warp, &message),
            Some(Offered::Launch(slot, warps, barriers)) => {
                let [least, most] = self.driver.swarm.life;
                let life = self.driver.rng.range(least, most);
                self.slots[slot] = Some(Cta { warps, exited: 0, life });
                self.signals.enter(slot, warps, barriers.min(self.shape.gateway_ids));
            }
            Some(Offered::Release(slot)) => {
                self.slots[slot] = None;
                self.signals.leave(slot);
            }
            Some(Offered::Exit(slot, warp)) => {
                self.slots[slot].iter_mut().for_each(|cta| cta.exited |= 1 << warp);
            }
            None => (),
        }
    }

    fn launch(&mut self, slot: usize) -> Option<(Op, Offered)> {
        let Driver { rng, swarm, .. } = &mut self.driver;
        let taken_warps = self.slots.iter().flatten().fold(0, |mask, cta| mask | cta.warps);
        let free_warps = self.shape.all_warps() & !taken_warps;
        let share = |permille: u64| 1 + (self.shape.warps - 1) * permille / 1000;
        let size = rng.range(share(swarm.size[0]), share(swarm.size[1])).min(free_warps.count_ones().into());
        let warps = rng.subset(free_warps, size);
        let barriers = match rng.below(10) {
            0 => rng.below(64),
            1 => self.shape.gateway_ids + rng.below(4),
            _ => self.shape.gateway_ids,
        };
        let kind = GatewayKind::Launch as u64;
        let op = Op { kind, cta: slot as u64, warps: warps.count_ones().into(), barriers, mask: warps, ..Op::default() };
        (warps != 0).then_some((op, Offered::Launch(slot, warps, barriers)))
    }

    /// An operation of a thread of the group, or the end of the group.
    fn of_group(&mut self, slot: usize, cta: Cta, waiting: u64) -> Option<(Op, Offered)> {
        let Driver { rng, swarm, .. } = &mut self.driver;
        let able = cta.warps & !cta.exited & !self.busy & !waiting;
        let at = Op { cta: slot as u64, ..Op::default() };
        let over = cta.life == 0 || able == 0 && rng.chance(30);
        if over && cta.warps & self.busy == 0 && (able == 0 || rng.chance(swarm.cut)) {
            let op = Op { kind: GatewayKind::Release as u64, mask: cta.warps, ..at };
            return Some((op, Offered::Release(slot)));
        }
        let warp = rng.bit(able)?;
        let of_warp = Op { warp: warp as u64, ..at };
        let exit = || (Op { kind: GatewayKind::Exit as u64, ..of_warp }, Offered::Exit(slot, warp));
        if over || rng.below(100 + swarm.exit) >= 100 {
            return Some(exit());
        }
        let Some(message) = self.signals.next(rng, slot, warp) else { return rng.chance(50).then(exit) };
        self.slots[slot].iter_mut().for_each(|cta| cta.life = cta.life.saturating_sub(1));
        Some((Op { kind: kind_of(&message), message, ..of_warp }, Offered::Message(slot, warp, message)))
    }

    /// Offers the next operation, sometimes with an error.
    fn operate(&mut self, previous: &[u64]) {
        let waiting = previous[self.waiting];
        let slot = self.driver.rng.below(self.shape.slots) as usize;
        let chosen = match self.slots[slot] {
            None if previous[self.clearing] == 1 => None,
            None => self.launch(slot),
            Some(cta) => self.of_group(slot, cta, waiting),
        };
        let Some((mut op, mut offered)) = chosen.map(|(op, offered)| (op, Some(offered))) else {
            return self.driver.idle(&mut self.op);
        };
        let Driver { rng, swarm, .. } = &mut self.driver;
        let spoils = rng.chance(swarm.misuse);
        if let (true, Some(Offered::Message(..)), Some(misuse)) = (spoils, &offered, rng.weighted(&swarm.misuses)) {
            offered = None;
            match rng.below(8) {
                0 => op.fault = rng.range(1, FaultCode::ALL.len() as u64 - 1),
                1 => op.lanes_differ = true,
                2 => op.cta = rng.below(64),
                _ => op.message = self.signals.spoil(rng, misuse, slot, op.message),
            }
            op.kind = kind_of(&op.message);
        } else if spoils && offered.is_some() && rng.chance(200) {
            offered = None;
            op.fault = rng.range(1, FaultCode::ALL.len() as u64 - 1);
            if rng.chance(300) {
                op.kind = GatewayKind::Refused as u64;
            }
        }
        if rng.chance(swarm.broken) {
            offered = None;
            op = wild(rng, self.shape, op);
        }
        let of_cta = [GatewayKind::Launch, GatewayKind::Release].iter().any(|kind| *kind as u64 == op.kind);
        if !of_cta {
            self.busy |= 1 << op.warp;
        }
        self.offered = offered;
        self.driver.offer(&mut self.op, &op.values());
    }
}

fn kind_of(message: &Message) -> u64 {
    if message.wait {
        GatewayKind::Wait as u64
    } else {
        GatewayKind::Signal as u64
    }
}

/// An operation that breaks a promise.
fn wild(rng: &mut Rng, shape: Shape, op: Op) -> Op {
    let warp = rng.below(shape.warps);
    match rng.below(5) {
        0 => Op { warp, ..op },
        1 => Op { cta: rng.below(64), ..op },
        2 => Op { kind: GatewayKind::Wait as u64, warp, ..op },
        3 => Op { kind: GatewayKind::Release as u64, mask: rng.draw() & shape.all_warps(), ..op },
        _ => Op { kind: rng.below(6), warps: rng.below(2 * shape.warps), barriers: rng.below(64), ..op },
    }
}

impl Stimulus for Gateway {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.reset);
        self.driver.drain(&mut self.fault);
        if phase != Phase::Run {
            self.forget();
            match phase {
                Phase::Reset => self.driver.shake(&mut self.op),
                _ => self.driver.idle(&mut self.op),
            }
            return &self.driver.inputs;
        }
        if previous[self.commit[0]] == 1 {
            self.busy &= !previous[self.commit[1]];
        }
        if self.op.was_taken(previous) {
            self.note();
        }
        if self.op.is_free() {
            match self.ops.allows_event(&mut self.driver.rng) {
                true => self.operate(previous),
                false => self.driver.idle(&mut self.op),
            }
        }
        &self.driver.inputs
    }
}
