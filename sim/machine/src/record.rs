// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of a run: which instruction of which warp each arrival, fault and exit of the unit comes from.
//!
//! What operations mean is the model's business; it tells what became of each of them, with the number of the transfer by which it
//! came. This adds place, cycle and names, from which reports are made.

mod book;
mod effect;
mod fault;
mod foreign;
mod gateway;
mod gateway_row;
mod gathered;
mod history;
mod object;
mod row;
pub mod taken;

use super::report::{Arrival, Fault, GatewayPhase, Generation, Stop};
use bcu_isa::op::FaultCode;
use bcu_model::op::{Code, Form as Lanes};
use bcu_model::row::Row as Counted;
use bcu_model::Bcu;
use bcu_program::Place;
use book::Book;
pub(super) use book::Waiter;
pub(super) use foreign::Touched;
pub(super) use gateway_row::{Passed, Row as GatewayRow};
pub(super) use row::Row;
use std::collections::{BTreeMap, VecDeque};
use taken::{Progress, Taken};

/// An operation that the unit has sent to the mbarrier of another CTA.
#[derive(Clone, Debug)]
pub(super) struct RemoteOp {
    pub cta: usize,
    pub warp: usize,
    /// Of the other CTA.
    rank: usize,
    /// Of the mbarrier, without the rank.
    pub address: u32,
    pub place: Place,
}

/// A warp of a launched CTA.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Warp slot.
    pub slot: usize,
    /// The cycle in which the arrival or the wait was taken with which it waits.
    since: u64,
    /// At the gateway: the barrier at which it waits.
    id: u8,
}

impl Member {
    pub fn since(&self) -> u64 {
        self.since
    }
}

/// A launched CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Cta {
    pub slot: usize,
    pub warps: Vec<Member>,
    pub rows: Vec<Row>,
    /// Of a thread group of Intel's gateway.
    pub gateway: Vec<GatewayRow>,
}

impl Cta {
    /// The warp, within its CTA, that has a warp slot.
    fn warp_of(&self, slot: usize) -> Option<usize> {
        self.warps.iter().position(|warp| warp.slot == slot)
    }
}

/// What the machine must know of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// These lanes do not wait.
    Refused { warp: usize, lanes: u64 },
    /// These lanes have gathered, and wait for no others of their warp.
    Whole { warp: usize, lanes: u64 },
    /// These lanes have gathered: the warp waits at a barrier with all of them.
    Gathered { warp: usize, lanes: u64, id: u8 },
    /// An arrival was refused: the warp does not wait.
    Goes { warp: usize },
    /// A state word said that it waits.
    Waits { warp: usize, id: u8 },
    /// A read into this register and predicate was refused.
    NoResult { warp: usize, result: (u8, u8) },
}

/// The record of a run.
pub(super) struct Record {
    lanes: u32,
    pub ctas: Vec<Cta>,
    /// By the number of their transfer.
    taken: BTreeMap<u32, Taken>,
    /// The last of each CTA to each other one, in the order of time.
    pub remote_ops: Vec<RemoteOp>,
    /// Warps by the numbers of their exits, in the order in which the unit took them.
    exits: BTreeMap<u32, usize>,
    exit_count: u32,
    /// CTAs in the order in which the unit took them.
    launches: Vec<usize>,
    /// The CTA of each CTA slot, as the barriers know it.
    slots: Vec<Option<usize>>,
    /// The generation whose release shows in the next cycle.
    pub release: Option<Generation>,
    /// Phases of the barriers of the gateway that are complete.
    pub phases: Vec<GatewayPhase>,
    /// Faults in the queue of the unit, and deadlocks that it has yet to report.
    faults: VecDeque<Fault>,
    /// Of the other units, each with the warp slot that its unit names.
    faults_beside: VecDeque<(usize, Fault)>,
    dead: VecDeque<Fault>,
    pub book: Book,
    /// How many found it full and were lost.
    pub lost_faults: u64,
}

impl Record {
    pub fn new(lanes: usize, ctas: usize, cta_slots: usize) -> Self {
        Record {
            lanes: lanes as u32,
            ctas: vec![Cta::default(); ctas],
            taken: BTreeMap::new(),
            remote_ops: vec![],
            exits: BTreeMap::new(),
            exit_count: 0,
            launches: vec![],
            slots: vec![None; cta_slots],
            release: None,
            phases: vec![],
            faults: VecDeque::new(),
            faults_beside: VecDeque::new(),
            dead: VecDeque::new(),
            book: Book::default(),
            lost_faults: 0,
        }
    }

    /// The unit took the launch of a CTA, whose warps have these warp slots.
    pub fn launched(&mut self, cta: usize, slot: usize, warps: &[usize]) {
        self.launches.push(cta);
        let warps = warps.iter().map(|&slot| Member { slot, since: 0, id: 0 }).collect();
        self.ctas[cta] = Cta { slot, warps, rows: vec![Row::default(); 16], gateway: vec![GatewayRow::default(); 32] };
    }

    /// The unit took an instruction.
    pub fn took(&mut self, taken: Taken) {
        self.taken.insert(taken.decoded.op.tag, taken);
    }

    /// The unit took an exit of a warp of the run.
    pub fn exits(&mut self, warp: usize) {
        self.exits.insert(self.exit_count, warp);
        self.exit_count = self.exit_count.wrapping_add(1);
    }

    /// The arrival of a warp at a barrier that the unit has taken, and that has yet to count there.
    pub fn coming(&self, index: usize, id: u8) -> Option<Arrival> {
        // Of lanes that have yet to gather nobody knows whether the warp will arrive with them.
        let comes = |taken: &&Taken| match taken.progress {
            Progress::Coming => taken.decoded.form != Lanes::Gathered,
            Progress::Gathering => false,
            Progress::Passed { refused } => !refused,
        };
        let of_warp = self.taken.values().filter(|taken| taken.index == index && taken.decoded.op.id == id);
        of_warp.filter(comes).find_map(|taken| taken.arrival())
    }

    /// Whether a warp of the run waits at the barriers, and at which.
    pub fn waits_at(&self, cta: usize, warp: usize, unit: &Bcu) -> Option<u8> {
        let Member { slot, id, .. } = *self.ctas.get(cta)?.warps.get(warp)?;
        if let Some(gateway) = unit.gateway() {
            return (gateway.rows().waiting >> slot & 1 == 1).then_some(id);
        }
        let warps = unit.named().barriers().warps();
        (warps.waiting >> slot & 1 == 1).then(|| warps.last_id[slot])
    }

    /// The CTA in a CTA slot, as the barriers know it.
    fn cta_in(&self, slot: u8) -> Option<usize> {
        self.slots.get(usize::from(slot)).copied().flatten()
    }

    /// The state of a barrier of a CTA, in the unit and in the record.
    pub fn row<'a>(&'a self, cta: usize, id: u8, unit: &'a Bcu) -> Option<(&'a Counted, &'a Row)> {
        let of = self.ctas.get(cta)?;
        Some((unit.named().barriers().row(of.slot as u8, id)?, of.rows.get(usize::from(id))?))
    }
}

/// What the fault policy has made of the warp in a slot.
pub(super) fn stop(unit: &Bcu, slot: usize) -> Option<Stop> {
    let warp_status = unit.warp_status();
    match (warp_status.trapped >> slot & 1, warp_status.hung >> slot & 1) {
        (1, _) => Some(Stop::Trapped),
        (_, 1) => Some(Stop::Hangs),
        _ => None,
    }
}

/// The code of a fault by its name in reports.
fn name(code: Code) -> String {
    FaultCode::from_u64(code.value()).name()
}
