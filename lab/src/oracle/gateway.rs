// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `gateway`, written from `docs/contract/gateway.md`.
//!
//! Checked in every cycle: `op_ready`, `release` with both masks, `commit` with all its fields, `waiting`, `open`, `clearing`, the fault
//! channel. A refused operation is a failure, because the legal user keeps the contract. The fault `barrier_left_open` is no failure where
//! the oracle predicts it.

use super::intake::{Clearing, Events, Intake};
use super::pins::{pins, Oracle, Pins};
use bcu_isa::config::{index_bits, Config};
use bcu_isa::op::FaultCode as Code;
use bcu_isa::ports::Port;
use std::collections::VecDeque;

pins! { Ports:
    op_valid op_ready op_kind op_fault op_uniform op_warp op_cta op_id op_role op_producers op_consumers op_warps op_barriers op_mask
    release_valid release_cta release_id release_notified release_warps commit_valid commit_warps commit_refused commit_cta_release commit_warp_done
    waiting open clearing fault_valid fault_ready fault_code fault_has_warp fault_warp fault_cta fault_id
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Signal,
    Wait,
    Exit,
    Launch,
    Release,
    Refused,
}

const KINDS: [Kind; 6] = [Kind::Signal, Kind::Wait, Kind::Exit, Kind::Launch, Kind::Release, Kind::Refused];

#[derive(Clone, Copy, Debug)]
struct Op {
    kind: Kind,
    fault: u64,
    is_uniform: bool,
    warp: u64,
    slot: usize,
    id: u64,
    role: u64,
    producers: u64,
    consumers: u64,
    warps: u64,
    barriers: u64,
    mask: u64,
    effect: u64,
}

impl Op {
    fn bit(&self) -> u64 {
        1 << self.warp
    }

    fn produces(&self) -> bool {
        self.role < 2
    }

    fn consumes(&self) -> bool {
        self.role == 0 || self.role == 2
    }

    fn is_of_warp(&self) -> bool {
        !matches!(self.kind, Kind::Launch | Kind::Release)
    }
}

/// A barrier of a CTA.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    is_open: bool,
    /// Number of producers of the phase.
    producers: u64,
    /// Number of consumers of the phase.
    consumers: u64,
    /// Warps that have signalled as producer, one bit per warp.
    produced: u64,
    /// Warps that have signalled as consumer, one bit per warp.
    consumed: u64,
    /// Warps that wait, one bit per warp.
    waits: u64,
    /// Warps that are notified, one bit per warp.
    notified: u64,
}

impl Row {
    fn is_in_use(&self) -> bool {
        self.is_open || self.notified != 0
    }
}

#[derive(Clone, Debug, Default)]
struct Group {
    launched: u64,
    declared: u64,
    rows: Vec<Row>,
    /// Whether a row in use sets the CTA's bit of `open`. After a Release it does not, even if the
    /// row is not yet cleared.
    counts: bool,
}

pub struct Gateway {
    ports: Ports,
    ids: usize,
    built: u64,
    groups: Vec<Group>,
    waiting: u64,
    under_way: VecDeque<Op>,
    intake: Intake,
    /// The expected payload of `release` in this cycle: CTA slot, id, notified warps, resuming warps.
    release: Option<[u64; 4]>,
    /// The expected payload of `commit` in this cycle: warps.
    commit: Option<[u64; 1]>,
    /// The expected values of `commit_cta_release` and `commit_warp_done` in this cycle.
    commit_fields: [u64; 2],
    cycle: u64,
    operations: u64,
}

impl Gateway {
    /// # Errors
    /// If a port is missing.
    pub fn new(ports: &[Port], config: &Config) -> Result<Gateway, String> {
        Ok(Gateway {
            ports: Ports::new(ports)?,
            ids: 1 << index_bits(config.gateway_ids),
            built: config.gateway_ids as u64,
            groups: vec![Group::default(); config.cta_slots],
            waiting: 0,
            under_way: VecDeque::new(),
            intake: Intake::default(),
            release: None,
            commit: None,
            commit_fields: [0; 2],
            cycle: 0,
            operations: 0,
        })
    }

    fn offered(&self, pins: &Pins) -> Result<Op, String> {
        let p = &self.ports;
        let get = |pin| pins.get(pin);
        let number = get(&p.op_kind);
        let kind = *KINDS.get(number as usize).ok_or_else(|| format!("`op_kind` is {number}; expected 0 to 5"))?;
        let slot = get(&p.op_cta) as usize;
        let is_built = slot < self.groups.len();
        let fault = if get(&p.op_fault) == 0 && !is_built { Code::NotResident as u64 } else { get(&p.op_fault) };
        Ok(Op {
            kind,
            fault,
            is_uniform: get(&p.op_uniform) == 1,
            warp: get(&p.op_warp),
            slot,
            id: get(&p.op_id),
            role: get(&p.op_role),
            producers: get(&p.op_producers),
            consumers: get(&p.op_consumers),
            warps: get(&p.op_warps),
            barriers: get(&p.op_barriers),
            mask: get(&p.op_mask),
            effect: self.cycle + 2,
        })
    }

    /// The fault code of an operation; 0 if it is not refused.
    fn verdict(&self, op: &Op) -> u64 {
        let Some(group) = self.groups.get(op.slot).filter(|_| op.fault == 0) else { return op.fault };
        let first = |checks: &[(bool, Code)]| checks.iter().find(|(holds, _)| *holds).map_or(0, |(_, code)| *code as u64);
        let row = group.rows.get(op.id as usize).copied().unwrap_or_default();
        let (bit, is_out_of_range) = (op.bit(), op.id >= group.declared);
        let has = |mask: u64| mask & bit != 0;
        let is_full = |mask: u64, number: u64| u64::from(mask.count_ones()) >= number;
        let over =
            op.produces() && is_full(row.produced, row.producers) || op.consumes() && is_full(row.consumed, row.consumers);
        match op.kind {
            Kind::Signal => first(&[
                (is_out_of_range, Code::IdOutOfRange),
                (!op.is_uniform, Code::OperandNotUniform),
                (op.produces() && has(row.produced) || op.consumes() && has(row.consumed), Code::DoubleArrival),
                (op.role == 3, Code::SignalType),
                (op.producers == 0 || op.consumers == 0, Code::CountZero),
                (op.producers > group.launched || op.consumers > group.launched, Code::CountExceedsGroup),
                (row.is_open && (op.producers, op.consumers) != (row.producers, row.consumers), Code::SignalMismatch),
                (row.is_open && over, Code::OverSignal),
                (op.consumes() && has(row.notified), Code::NotificationLost),
            ]),
            Kind::Wait => first(&[
                (is_out_of_range, Code::IdOutOfRange),
                (!op.is_uniform, Code::OperandNotUniform),
                (!(has(row.notified) || row.is_open && has(row.consumed)), Code::ProducerWaits),
            ]),
            _ => 0,
        }
    }

    fn signal(&mut self, op: &Op) {
        let row = &mut self.groups[op.slot].rows[op.id as usize];
        (row.is_open, row.producers, row.consumers) = (true, op.producers, op.consumers);
        row.produced |= if op.produces() { op.bit() } else { 0 };
        row.consumed |= if op.consumes() { op.bit() } else { 0 };
        let numbers = [row.produced, row.consumed].map(|mask| u64::from(mask.count_ones()));
        if numbers == [row.producers, row.consumers] {
            let consumers = row.consumed;
            let woken_warps = consumers & row.waits;
            let notified = row.notified | consumers & !woken_warps;
            *row = Row { waits: row.waits & !woken_warps, notified, ..Row::default() };
            self.waiting &= !woken_warps;
            self.release = Some([op.slot as u64, op.id, consumers, woken_warps]);
        }
    }

    fn wait(&mut self, op: &Op) {
        let row = &mut self.groups[op.slot].rows[op.id as usize];
        if row.notified & op.bit() == 0 {
            row.waits |= op.bit();
            self.waiting |= op.bit();
            return;
        }
        row.notified &= !op.bit();
        row.waits &= !op.bit();
        self.waiting &= !op.bit();
        self.release = Some([op.slot as u64, op.id, 0, op.bit()]);
    }

    /// Applies an operation that is not refused. Returns the rows that are to be cleared after it.
    fn apply(&mut self, op: &Op) -> Vec<Clearing> {
        match op.kind {
            Kind::Signal => self.signal(op),
            Kind::Wait => self.wait(op),
            Kind::Exit | Kind::Refused => {}
            Kind::Launch => {
                let group = &mut self.groups[op.slot];
                (group.launched, group.declared, group.counts) = (op.warps, op.barriers.min(self.built), true);
            }
            Kind::Release => {
                self.waiting &= !op.mask;
                let (slot, group) = (op.slot, &mut self.groups[op.slot]);
                group.rows.iter_mut().for_each(|row| row.waits &= !op.mask);
                let has_rows = std::mem::take(&mut group.counts) && group.rows.iter().any(Row::is_in_use);
                let rows = (0..self.ids).map(|id| Clearing { slot, id, is_reported: true });
                return if has_rows { rows.collect() } else { vec![] };
            }
        }
        vec![]
    }

    fn compare(&self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        let fields = [&p.release_cta, &p.release_id, &p.release_notified, &p.release_warps];
        pins.expect_strobe(&p.release_valid, fields, self.release)?;
        let [.., notified, woken_warps] = self.release.unwrap_or_default();
        pins.expect(&p.release_notified, notified)?;
        pins.expect(&p.release_warps, woken_warps)?;
        pins.expect_strobe(&p.commit_valid, [&p.commit_warps], self.commit)?;
        pins.expect(&p.commit_warps, self.commit.unwrap_or_default()[0])?;
        pins.expect(&p.commit_refused, 0)?;
        pins.expect(&p.commit_cta_release, self.commit_fields[0])?;
        pins.expect(&p.commit_warp_done, self.commit_fields[1])?;
        pins.expect(&p.waiting, self.waiting)?;
        let is_open = |slot: &usize| self.groups[*slot].counts && self.groups[*slot].rows.iter().any(Row::is_in_use);
        pins.expect(&p.open, (0..self.groups.len()).filter(is_open).fold(0, |mask, slot| mask | 1 << slot))?;
        pins.expect(&p.clearing, self.intake.is_clearing().into())?;
        pins.expect(&p.op_ready, self.intake.is_ready().into())?;
        let fields = [&p.fault_code, &p.fault_has_warp, &p.fault_warp, &p.fault_cta, &p.fault_id];
        pins.expect_strobe(&p.fault_valid, fields, self.intake.fault())
    }
}

impl Oracle for Gateway {
    fn advance(&mut self, pins: &Pins, cycle: u64) -> Result<(), String> {
        self.cycle = cycle;
        self.compare(pins)?;
        (self.release, self.commit, self.commit_fields) = (None, None, [0; 2]);
        let mut events = Events { under_way: self.under_way.len(), ..Events::default() };
        if let Some(op) = self.under_way.front().copied().filter(|op| op.effect == self.cycle) {
            self.under_way.pop_front();
            match self.verdict(&op) {
                0 => events.rows = self.apply(&op),
                code => return Err(format!("the page refuses an operation of a legal user with fault code {code}: {op:?}")),
            }
            self.commit = Some([if op.kind == Kind::Release { op.mask } else { op.bit() }]);
            self.commit_fields = [op.kind == Kind::Release, op.is_of_warp()].map(u64::from);
        }
        if let Some(row) = self.intake.cleared() {
            let before = std::mem::take(&mut self.groups[row.slot].rows[row.id]);
            if before.is_in_use() && row.is_reported {
                events.faults.push([Code::BarrierLeftOpen as u64, 0, 0, row.slot as u64, row.id as u64]);
            }
        }
        if pins.passes(&self.ports.op_valid, &self.ports.op_ready) {
            let op = self.offered(pins)?;
            events.two_slots = op.kind == Kind::Launch;
            self.under_way.push_back(op);
            self.operations += 1;
        }
        let mut releases = self.under_way.iter().filter(|op| op.kind == Kind::Release);
        events.release_next = releases.clone().next().is_some();
        events.good_release_next = releases.any(|op| op.fault == 0);
        events.under_way_next = self.under_way.len();
        events.fault_taken = pins.passes(&self.ports.fault_valid, &self.ports.fault_ready);
        self.intake.advance(events);
        Ok(())
    }

    fn reset(&mut self) {
        self.groups.iter_mut().for_each(|group| *group = Group { rows: vec![Row::default(); self.ids], ..Group::default() });
        (self.waiting, self.under_way) = (0, VecDeque::new());
        (self.release, self.commit, self.commit_fields) = (None, None, [0; 2]);
        self.intake.reset(self.groups.len(), self.ids);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
