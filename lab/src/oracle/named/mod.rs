// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `named`, written from `docs/contract/named.md`.
//!
//! Checked in every cycle: `op_ready`, `release`, `read`, `implicit_conflict`, `commit` with all
//! its fields, `waiting`, `clearing`, the fault channel, `lost_faults`. A refused operation is a
//! failure, because the legal user keeps the contract. The fault `barrier_left_open` is no failure
//! where the oracle predicts it. Not covered: configurations without a part (section *Without a part*),
//! `lose_faults`, and the behaviour of counters that wrap.

mod rules;

use super::intake::{Events, Fault, Intake};
use super::pins::{pins, Oracle, Pins};
use bcu_isa::config::{index_bits, Config};
use bcu_isa::op::{FaultCode as Code, OpKind as Kind};
use bcu_isa::ports::Port;
use std::collections::VecDeque;

pins! { Ports:
    op_valid op_ready op_kind op_fault op_uniform op_cta op_id op_count op_redop op_state op_data op_warp op_value op_mask op_warps op_live op_barriers op_saved
    trapped release_valid release_cta release_id release_warps release_reduction release_value read_valid read_warp read_value read_predicate
    implicit_conflict_valid implicit_conflict_cta commit_valid commit_warps commit_refused commit_traps commit_untraps commit_cta_release commit_warp_done
    waiting clearing fault_valid fault_ready fault_code fault_has_warp fault_warp fault_cta fault_id lost_faults
}

/// The value of `Reduction` at the ports that selects popc, the number of threads whose predicate
/// is true.
const POPC: u64 = 3;

#[derive(Clone, Copy, Debug)]
struct Op {
    kind: Kind,
    fault: u64,
    is_uniform: bool,
    slot: usize,
    id: usize,
    count: u64,
    redop: u64,
    state: u64,
    data: u64,
    warp: usize,
    value: u64,
    mask: u64,
    sizes: [u64; 3],
    is_saved: bool,
    /// The cycle in which the operation takes effect.
    effect: u64,
}

impl Op {
    fn bit(&self) -> u64 {
        1 << self.warp
    }

    fn writes_warp(&self) -> bool {
        self.kind == Kind::Write && self.state == 0
    }

    fn takes_two_slots(&self) -> bool {
        matches!(self.kind, Kind::Exit | Kind::Launch | Kind::Release) || self.writes_warp()
    }

    /// Whether the operation makes its warp wait.
    fn waits(&self) -> bool {
        self.fault == 0 && (matches!(self.kind, Kind::Sync | Kind::Reduce) || self.writes_warp() && self.data >> 14 & 1 == 1)
    }

    fn is_of_warp(&self) -> bool {
        !matches!(self.kind, Kind::Launch | Kind::Release)
    }

    fn reduction(&self) -> u64 {
        if self.kind == Kind::Reduce {
            1 + self.redop
        } else {
            0
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    is_open: bool,
    arrived: u64,
    waiting: u64,
    count: u64,
    expected: u64,
    reduction: u64,
    sum: u64,
}

impl Row {
    fn result(&self) -> u64 {
        match self.reduction {
            0 => 0,
            1 => u64::from(self.sum == 0),
            2 => u64::from(self.sum != 0),
            _ => self.sum,
        }
    }

    fn is_uncounted(&self) -> bool {
        self.is_open && self.expected == 0
    }
}

#[derive(Clone, Debug, Default)]
struct Cta {
    launched: u64,
    live: u64,
    declared: u64,
    open_rows: u64,
    uncounted_rows: u64,
    last: usize,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Warp {
    id: u64,
    reduction: u64,
    value: u64,
}

/// The expected strobes of the cycle after an operation has taken effect.
#[derive(Default)]
struct Strobes {
    release: Option<[u64; 5]>,
    read: Option<[u64; 3]>,
    conflict: Option<[u64; 1]>,
}

pub struct Named {
    ports: Ports,
    lanes: u64,
    ids: usize,
    built: u64,
    largest: u64,
    ctas: Vec<Cta>,
    warps: Vec<Warp>,
    waiting: u64,
    under_way: VecDeque<Op>,
    intake: Intake,
    strobes: Strobes,
    cycle: u64,
    operations: u64,
}

impl Named {
    /// # Errors
    /// If a port is missing, or the configuration is not covered.
    pub fn new(ports: &[Port], config: &Config) -> Result<Named, String> {
        if !(config.faults && config.reductions && config.state_words) || config.lose_faults {
            return Err("the oracle of `named` covers configurations with all parts and without `lose_faults`".to_string());
        }
        Ok(Named {
            ports: Ports::new(ports)?,
            lanes: config.lanes as u64,
            ids: 1 << index_bits(config.barriers),
            built: config.barriers as u64,
            largest: 16.max((config.warps as u64 * config.lanes as u64).next_power_of_two()),
            ctas: vec![Cta::default(); config.cta_slots],
            warps: vec![Warp::default(); 64],
            waiting: 0,
            under_way: VecDeque::new(),
            intake: Intake::default(),
            strobes: Strobes::default(),
            cycle: 0,
            operations: 0,
        })
    }

    /// The operation that is transferred in this cycle, with the cycle in which it takes effect.
    fn offered(&self, pins: &Pins) -> Result<Op, String> {
        let p = &self.ports;
        let number = pins.get(&p.op_kind);
        let known = Kind::ALL.get(number as usize).filter(|_| number <= Kind::Fence as u64);
        let kind = *known.ok_or_else(|| format!("`op_kind` is {number}; expected 0 to 8"))?;
        let get = |pin| pins.get(pin);
        let slot = get(&p.op_cta) as usize;
        let fault = match get(&p.op_fault) {
            0 if slot >= self.ctas.len() => Code::NotResident as u64,
            fault => fault,
        };
        let op = Op {
            kind,
            fault,
            is_uniform: get(&p.op_uniform) == 1,
            slot,
            id: get(&p.op_id) as usize,
            count: get(&p.op_count),
            redop: get(&p.op_redop),
            state: get(&p.op_state),
            data: get(&p.op_data),
            warp: get(&p.op_warp) as usize,
            value: get(&p.op_value),
            mask: get(&p.op_mask),
            sizes: [get(&p.op_warps), get(&p.op_live), get(&p.op_barriers)],
            is_saved: get(&p.op_saved) == 1,
            effect: 0,
        };
        Ok(Op { effect: self.cycle + if op.takes_two_slots() { 3 } else { 2 }, ..op })
    }

    /// Compares all outputs of a cycle. `acts` is the operation that takes effect in the cycle, if
    /// any. `code` is the fault code with which the page refuses the operation, or 0.
    fn compare(&self, pins: &Pins, acts: Option<&Op>, code: u64) -> Result<(), String> {
        let p = &self.ports;
        let Strobes { release, read, conflict } = self.strobes;
        let fields = [&p.release_cta, &p.release_id, &p.release_warps, &p.release_reduction, &p.release_value];
        pins.expect_strobe(&p.release_valid, fields, release)?;
        pins.expect(&p.release_warps, release.map_or(0, |release| release[2]))?;
        pins.expect_strobe(&p.read_valid, [&p.read_warp, &p.read_value, &p.read_predicate], read)?;
        pins.expect_strobe(&p.implicit_conflict_valid, [&p.implicit_conflict_cta], conflict)?;
        let is_good = code == 0;
        let commit = acts.map(|op| [if op.kind == Kind::Release { op.mask } else { op.bit() }]);
        pins.expect_strobe(&p.commit_valid, [&p.commit_warps], commit)?;
        let holds_for_op = |holds: &dyn Fn(&Op) -> bool| u64::from(acts.is_some_and(holds));
        let refused = holds_for_op(&|op| op.is_of_warp() && !is_good && code != Code::NotResident as u64);
        pins.expect(&p.commit_refused, refused)?;
        pins.expect(&p.commit_traps, holds_for_op(&|op| op.writes_warp() && is_good && op.data >> 19 & 1 == 1))?;
        pins.expect(&p.commit_untraps, holds_for_op(&|op| op.writes_warp() && is_good && op.data >> 19 & 1 == 0))?;
        pins.expect(&p.commit_cta_release, holds_for_op(&|op| op.kind == Kind::Release && op.fault == 0))?;
        pins.expect(&p.commit_warp_done, holds_for_op(&|op| op.is_of_warp() && (op.kind != Kind::Exit || op.fault == 0)))?;
        let coming = self.under_way.iter().filter(|op| op.waits()).fold(0, |mask, op| mask | op.bit());
        pins.expect(&p.waiting, self.waiting | coming)?;
        pins.expect(&p.clearing, self.intake.is_clearing().into())?;
        pins.expect(&p.op_ready, self.intake.is_ready().into())?;
        let fields = [&p.fault_code, &p.fault_has_warp, &p.fault_warp, &p.fault_cta, &p.fault_id];
        pins.expect_strobe(&p.fault_valid, fields, self.intake.fault())?;
        pins.expect(&p.lost_faults, 0)
    }
}

impl Oracle for Named {
    fn advance(&mut self, pins: &Pins, cycle: u64) -> Result<(), String> {
        self.cycle = cycle;
        let acts = self.under_way.front().copied().filter(|op| op.effect == self.cycle);
        let code = acts.as_ref().map_or(0, |op| self.verdict(op));
        self.compare(pins, acts.as_ref(), code)?;
        if code != 0 {
            return Err(format!("the page refuses an operation of a legal user with fault code {code}: {acts:?}"));
        }
        self.strobes = Strobes::default();
        let mut events = Events { under_way: self.under_way.len(), ..Events::default() };
        if let Some(op) = acts {
            self.under_way.pop_front();
            events.rows = self.apply(&op, pins.get(&self.ports.trapped));
        }
        if let Some(row) = self.intake.cleared() {
            let before = std::mem::take(&mut self.ctas[row.slot].rows[row.id]);
            if before.is_open && row.is_reported {
                let fault: Fault = [Code::BarrierLeftOpen as u64, 0, 0, row.slot as u64, row.id as u64];
                events.faults.push(fault);
            }
        }
        if pins.passes(&self.ports.op_valid, &self.ports.op_ready) {
            let op = self.offered(pins)?;
            events.two_slots = op.takes_two_slots();
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
        self.ctas.iter_mut().for_each(|cta| *cta = Cta { rows: vec![Row::default(); self.ids], ..Cta::default() });
        self.warps.iter_mut().for_each(|warp| *warp = Warp::default());
        (self.waiting, self.under_way, self.strobes) = (0, VecDeque::new(), Strobes::default());
        self.intake.reset(self.ctas.len(), self.ids);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
