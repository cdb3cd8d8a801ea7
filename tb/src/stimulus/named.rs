// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `named`: simulates the other units of `bcu`. The stimulus keeps the promises to `named`, except in some seeds.

use super::abstract_state::AbstractState;
use super::cta::Cta;
use super::driver::{Driver, Offer, Phase, Sink, Strobe};
use super::error::StimulusError;
use super::shape::Shape;
use super::swarm::{Broken, Misuse};
use super::transaction::{excess, ragged, Arrival, Transaction};
use super::warp_status::Trapped;
use super::{Rng, Stimulus};
use bcu_isa::op::{FaultCode, OpKind, RedOp, StateWord};

/// An operation, with its fields in the order of [`FIELDS`].
#[derive(Clone, Copy, Debug, Default)]
struct Op {
    kind: u64,
    fault: u64,
    lanes_differ: bool,
    warp: u64,
    cta: u64,
    id: u64,
    count: u64,
    redop: u64,
    value: u64,
    state: u64,
    data: u64,
    warps: u64,
    live: u64,
    barriers: u64,
    mask: u64,
    saved: bool,
}

#[rustfmt::skip]
const FIELDS: [&str; 16] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "value", "state", "data", "warps", "live", "barriers", "mask", "saved",
];

pub struct Named {
    driver: Driver,
    state: AbstractState,
    op: Offer,
    fault: Sink,
    trapped: Trapped,
    read: Strobe,
    reset: usize,
    waiting: usize,
    /// The operation on offer; `None` if no operation is offered or the operation was not drawn as legal.
    transaction: Option<Transaction>,
    /// The warp whose arrival was transferred in the previous cycle and which `waiting` does not include yet, one-hot.
    fresh: u64,
}

impl Named {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        Ok(Named {
            op: driver.channel("op", &FIELDS)?,
            fault: driver.sink("fault")?,
            trapped: Trapped::new(&mut driver)?,
            read: Strobe::new(&driver, "read")?,
            reset: driver.input("reset")?,
            waiting: driver.output("waiting")?,
            state: AbstractState::crowded(shape, driver.rng.pick(&[0, 0, 0, 0, 200, 1000]).unwrap_or(0)),
            transaction: None,
            fresh: 0,
            driver,
        })
    }

    fn put(&mut self, op: Op, transaction: Option<Transaction>) {
        self.transaction = transaction;
        let values = [op.kind, op.fault, !op.lanes_differ as u64, op.warp, op.cta, op.id, op.count];
        let values = [&values[..], &[op.redop, op.value, op.state, op.data]].concat();
        let values = [&values[..], &[op.warps, op.live, op.barriers, op.mask, op.saved as u64]].concat();
        self.driver.offer(&mut self.op, &values);
    }

    /// The operation of a transaction.
    fn plain(&mut self, transaction: Transaction) -> Op {
        let shape = self.state.shape;
        let rng = &mut self.driver.rng;
        let op_of = |kind: OpKind, warp: usize, cta: usize| Op {
            kind: kind as u64,
            warp: warp as u64,
            cta: cta as u64,
            ..Op::default()
        };
        match transaction {
            Transaction::Arrive(a) => {
                let op = arrival(rng, shape, a);
                let too_many = op.redop == RedOp::Popc as u64 && rng.chance(self.driver.swarm.excess_votes);
                Op { value: if too_many { u64::MAX } else { op.value }, ..op }
            }
            Transaction::Exit { slot, warp } => op_of(OpKind::Exit, warp, slot),
            Transaction::Read(a) => Op { state: a.state as u64, id: a.id, ..op_of(OpKind::Read, a.warp, a.slot) },
            Transaction::Write(a) => {
                Op { state: a.state as u64, id: a.id, data: a.data, ..op_of(OpKind::Write, a.warp, a.slot) }
            }
            Transaction::Fence { slot, warp } => op_of(OpKind::Fence, warp, slot),
            Transaction::Launch(l) => {
                let [warps, live] = [l.warps, l.warps & !l.exited].map(|mask| u64::from(mask.count_ones()) + l.more);
                Op { warps, live, barriers: l.barriers, ..op_of(OpKind::Launch, 0, l.slot) }
            }
            Transaction::Release { slot, saved } => {
                let mask = self.state.cta(slot).map_or(0, |c| c.launched);
                Op { mask, saved, ..op_of(OpKind::Release, 0, slot) }
            }
        }
    }

    /// Derives an operation that `named` refuses from a legal one.
    fn misuse(&mut self, transaction: Transaction, misuse: Misuse, stopped: u64) -> Option<Op> {
        let shape = self.state.shape;
        let mut op = self.plain(transaction);
        let rng = &mut self.driver.rng;
        let arrives = op.kind <= OpKind::Reduce as u64;
        let accesses = op.kind == OpKind::Read as u64 || op.kind == OpKind::Write as u64;
        let names = arrives || accesses && op.state == StateWord::Barrier as u64;
        let launched = self.state.cta(op.cta as usize).map_or(0, Cta::size);
        match misuse {
            Misuse::Id if names => op.id = rng.range(self.state.cta(op.cta as usize)?.declared, 15),
            Misuse::Lanes if rng.chance(600) => {
                let read = self.state.any_read(rng)?;
                op = Op { lanes_differ: true, ..self.plain(read) };
            }
            Misuse::Lanes if arrives || accesses => op.lanes_differ = true,
            Misuse::Zero if arrives => (op.kind, op.count) = (OpKind::Arrive as u64, 0),
            Misuse::Multiple if arrives => op.count = ragged(rng, shape, op.count),
            Misuse::Exceeds if arrives => op.count = excess(rng, shape, launched),
            Misuse::Double | Misuse::Mismatch | Misuse::Kind => {
                let clash = self.state.clash(rng, misuse, stopped)?;
                op = arrival(rng, shape, clash);
            }
            Misuse::Result | Misuse::Word => {
                let bad = self.state.bad_access(rng, misuse)?;
                op = self.plain(bad);
            }
            Misuse::Illegal => {
                // A fence reaches `named` only if it is refused.
                if (arrives || accesses) && rng.chance(100) {
                    op.kind = OpKind::Fence as u64;
                }
                op.fault = rng.range(1, FaultCode::ALL.len() as u64 - 1);
            }
            _ => return None,
        }
        Some(op)
    }

    /// Derives an operation that the other units of `bcu` never send.
    fn broken(&mut self, transaction: Transaction, broken: Broken, stopped: u64) -> Option<Op> {
        let shape = self.state.shape;
        let mut op = self.plain(transaction);
        let rng = &mut self.driver.rng;
        let all_warps = shape.all_warps();
        match broken {
            Broken::Ghost => op.warp = rng.bit(all_warps & !self.state.cta(op.cta as usize)?.live)? as u64,
            Broken::Blocked => op.warp = rng.bit(all_warps & stopped)? as u64,
            Broken::WrongCta => op.cta = rng.draw(),
            Broken::Occupied => {
                let barriers = rng.below(32);
                let (warps, live) = (rng.range(0, shape.warps), rng.range(0, shape.warps));
                op = Op { kind: OpKind::Launch as u64, cta: rng.draw(), warps, live, barriers, ..Op::default() };
            }
            Broken::Empty => op = Op { kind: OpKind::Release as u64, cta: rng.draw(), mask: rng.draw(), ..Op::default() },
            Broken::Wild => {
                let fault = if rng.chance(900) { 0 } else { rng.below(FaultCode::ALL.len() as u64) };
                let kind = rng.below(OpKind::Mbarrier as u64);
                op = Op { kind, fault, lanes_differ: rng.chance(100), warp: rng.draw(), cta: rng.draw(), ..op };
                op.id = rng.below(16);
                op.count = if rng.chance(500) { rng.below(shape.warps + 2) * shape.lanes } else { rng.below(4096) };
                (op.warps, op.live) = (rng.range(0, shape.warps), rng.range(0, shape.warps));
                (op.barriers, op.saved) = (rng.below(32), rng.chance(500));
                (op.redop, op.value, op.mask) = (rng.below(RedOp::ALL.len() as u64), rng.draw(), rng.draw());
                // A Write of the state word `result` never reaches the unit.
                op.state = rng.below(if op.kind == OpKind::Write as u64 { 2 } else { 3 });
                op.data = if rng.chance(500) { rng.draw() } else { rng.below(4) | 1 << 14 | rng.below(2) << 31 };
            }
        }
        Some(op)
    }

    fn choose(&mut self, stopped: u64) {
        let swarm = &self.driver.swarm;
        let Some(transaction) = self.state.transaction(&mut self.driver.rng, swarm, stopped) else {
            return self.driver.idle(&mut self.op);
        };
        let wrong = if self.driver.rng.chance(swarm.broken) {
            let choice = self.driver.rng.weighted(&swarm.brokens);
            choice.and_then(|b| self.broken(transaction, b, stopped))
        } else if self.driver.rng.chance(swarm.misuse) {
            let choice = self.driver.rng.weighted(&swarm.misuses);
            choice.and_then(|m| self.misuse(transaction, m, stopped))
        } else {
            None
        };
        match wrong {
            Some(op) => self.put(op, None),
            None => {
                let op = self.plain(transaction);
                self.put(op, Some(transaction));
            }
        }
    }
}

/// The operation of an arrival; the contribution of a Reduce is random.
fn arrival(rng: &mut Rng, shape: Shape, a: Arrival) -> Op {
    let (kind, redop, value) = match a.redop {
        None if a.sync => (OpKind::Sync, RedOp::And, 0),
        None => (OpKind::Arrive, RedOp::And, 0),
        Some(RedOp::Popc) => {
            let vote_count = rng.below(shape.lanes + 1);
            (OpKind::Reduce, RedOp::Popc, rng.pick(&[0, vote_count, vote_count, shape.lanes]).unwrap_or(0))
        }
        Some(redop) => (OpKind::Reduce, redop, rng.below(2)),
    };
    let (redop, warp, cta) = (redop as u64, a.warp as u64, a.slot as u64);
    Op { kind: kind as u64, warp, cta, id: a.id, count: a.count, redop, value, ..Op::default() }
}

impl Stimulus for Named {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        self.fresh = 0;
        let phase = self.driver.begin(self.reset);
        self.driver.drain(&mut self.fault);
        let trapped = self.trapped.drive(&mut self.driver, phase, previous);
        match phase {
            Phase::Reset => {
                self.state.clear();
                self.driver.shake(&mut self.op);
                return &self.driver.inputs;
            }
            Phase::Fresh => self.driver.idle(&mut self.op),
            Phase::Run => {
                if let Some((warp, value)) = self.read.read(previous) {
                    self.state.has_read(warp, value);
                }
                if self.op.was_taken(previous) {
                    if let Some(transaction) = self.transaction.take() {
                        self.state.note(transaction, &mut self.driver.rng, &self.driver.swarm);
                        if let Transaction::Arrive(Arrival { warp, sync: true, .. }) = transaction {
                            self.fresh = 1 << warp;
                        }
                    }
                }
            }
        }
        if self.op.is_free() {
            let is_active = self.driver.swarm.source.allows_event(&mut self.driver.rng);
            let waiting = if phase == Phase::Fresh { 0 } else { previous[self.waiting] };
            if is_active {
                self.choose(waiting | trapped | self.fresh);
            } else {
                self.driver.idle(&mut self.op);
            }
        }
        &self.driver.inputs
    }
}
