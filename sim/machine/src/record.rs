// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of a run: it finds the instruction and the warp for each arrival, fault and exit that the unit reports.
//!
//! The model defines the meaning of operations. It reports the result of each operation, with the number of the transfer by which the
//! operation entered. The record adds location, cycle and names, from which reports are made.

pub mod accepted;
mod effect;
mod fault;
mod gateway;
mod gateway_row;
mod gathered;
mod history;
mod mbarrier_accesses;
mod mbarrier_log;
mod object;
mod object_event;
mod object_events;
mod row;

use super::report::{Arrival, Fault, GatewayPhase, Generation, Stop};
use accepted::{AcceptedInstr, Progress};
use bcu_isa::op::FaultCode;
use bcu_model::op::{Code, Form as Lanes};
use bcu_model::row::Row as Counted;
use bcu_model::Bcu;
use bcu_program::Place;
pub(super) use gateway_row::{Passed, Row as GatewayRow};
pub(super) use mbarrier_accesses::Touched;
use mbarrier_log::MbarrierLog;
pub(super) use mbarrier_log::Waiter;
pub(crate) use object_event::ObjectEvent;
pub(super) use row::Row;
use std::collections::{BTreeMap, VecDeque};

/// An operation that the unit has sent to the mbarrier of another CTA.
#[derive(Clone, Debug)]
pub(super) struct RemoteOp {
    pub cta: usize,
    pub warp: usize,
    /// The rank of the CTA that has the mbarrier.
    rank: usize,
    /// The address of the mbarrier, without the rank.
    pub address: u32,
    pub place: Place,
}

/// A warp of a launched CTA.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The warp slot.
    pub slot: usize,
    /// The cycle in which the unit accepted the arrival or the wait with which the warp waits now.
    since: u64,
    /// At the gateway, the barrier at which the warp waits.
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
    /// The barriers of the thread group, if the unit has Intel's gateway.
    pub gateway: Vec<GatewayRow>,
}

impl Cta {
    /// The number, within its CTA, of the warp in a warp slot.
    fn warp_of(&self, slot: usize) -> Option<usize> {
        self.warps.iter().position(|warp| warp.slot == slot)
    }
}

/// The result of an operation, to which the machine must react.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The operation of these lanes was refused, so the lanes do not wait.
    Refused { warp: usize, lanes: u64 },
    /// These lanes have gathered, and no longer wait for other lanes of their warp.
    Whole { warp: usize, lanes: u64 },
    /// These lanes have gathered, and the whole warp now waits at barrier `id`.
    Gathered { warp: usize, lanes: u64, id: u8 },
    /// An arrival was refused, so the warp does not wait.
    Resumes { warp: usize },
    /// A state word makes the warp wait.
    Waits { warp: usize, id: u8 },
    /// A read was refused; `result` is its destination: a register and a predicate.
    NoResult { warp: usize, result: (u8, u8) },
}

/// The record of a run.
pub(super) struct Record {
    lanes: u32,
    pub ctas: Vec<Cta>,
    /// Accepted instructions in flight; the key is the number of their transfer.
    accepted: BTreeMap<u32, AcceptedInstr>,
    /// The last operation of each CTA on each mbarrier of another CTA, in order of time.
    pub remote_ops: Vec<RemoteOp>,
    /// The index of the warp of each exit in flight; the key counts the exits in the order in which the unit accepted them.
    exits: BTreeMap<u32, usize>,
    exit_count: u32,
    /// CTAs in the order in which the unit accepted their launches.
    launches: Vec<usize>,
    /// For each CTA slot, the CTA that was launched into it last. A CTA enters its slot in the cycle in which its Launch reaches `named` or
    /// the gateway.
    slots: Vec<Option<usize>>,
    /// The generation whose release is output in the next cycle.
    pub release: Option<Generation>,
    /// Completed phases of the barriers of the gateway.
    pub phases: Vec<GatewayPhase>,
    /// Faults at named barriers and at the gateway that the unit has queued and not reported. Deadlocks are in `unreported_deadlocks`.
    faults: VecDeque<Fault>,
    /// Faults at mbarriers, at cluster barriers and on grids that the unit has queued and not reported, each with the warp slot that the
    /// unit reports.
    faults_of_other_units: VecDeque<(usize, Fault)>,
    unreported_deadlocks: VecDeque<Fault>,
    pub mbarriers: MbarrierLog,
    /// The number of faults that were lost because the queue was full.
    pub lost_faults: u64,
}

impl Record {
    pub fn new(lanes: usize, ctas: usize, cta_slots: usize) -> Self {
        Record {
            lanes: lanes as u32,
            ctas: vec![Cta::default(); ctas],
            accepted: BTreeMap::new(),
            remote_ops: vec![],
            exits: BTreeMap::new(),
            exit_count: 0,
            launches: vec![],
            slots: vec![None; cta_slots],
            release: None,
            phases: vec![],
            faults: VecDeque::new(),
            faults_of_other_units: VecDeque::new(),
            unreported_deadlocks: VecDeque::new(),
            mbarriers: MbarrierLog::default(),
            lost_faults: 0,
        }
    }

    /// Records that the unit accepted the launch of a CTA; `warps` are the warp slots of the CTA.
    pub fn launched(&mut self, cta: usize, slot: usize, warps: &[usize]) {
        self.launches.push(cta);
        let warps = warps.iter().map(|&slot| Member { slot, since: 0, id: 0 }).collect();
        self.ctas[cta] = Cta { slot, warps, rows: vec![Row::default(); 16], gateway: vec![GatewayRow::default(); 32] };
    }

    /// Records that the unit accepted an instruction.
    pub fn accept(&mut self, accepted: AcceptedInstr) {
        self.accepted.insert(accepted.decoded.op.tag, accepted);
    }

    /// Whether the instruction that the unit accepted from warp `index` in cycle `cycle` has not taken effect.
    pub fn is_in_flight(&self, index: usize, cycle: u64) -> bool {
        self.accepted.values().any(|accepted| (accepted.index, accepted.cycle) == (index, cycle))
    }

    /// Records that the unit accepted an exit of the warp with index `warp`.
    pub fn exits(&mut self, warp: usize) {
        self.exits.insert(self.exit_count, warp);
        self.exit_count = self.exit_count.wrapping_add(1);
    }

    /// An arrival of warp `index` at barrier `id` that is in flight: the unit has accepted it, and it does not count at the barrier yet.
    pub fn arrival_in_flight(&self, index: usize, id: u8) -> Option<Arrival> {
        // For lanes that have not gathered yet, it is unknown whether the warp will arrive with this instruction.
        let will_arrive = |accepted: &&AcceptedInstr| match accepted.progress {
            Progress::BeforeGather => accepted.decoded.form != Lanes::Gathered,
            Progress::Gathering => false,
            Progress::Passed { refused } => !refused,
        };
        let of_warp = self.accepted.values().filter(|accepted| accepted.index == index && accepted.decoded.op.id == id);
        of_warp.filter(will_arrive).find_map(|accepted| accepted.arrival())
    }

    /// The barrier at which warp `warp` of a CTA waits; `None` if it waits at no barrier.
    pub fn waits_at(&self, cta: usize, warp: usize, unit: &Bcu) -> Option<u8> {
        let Member { slot, id, .. } = *self.ctas.get(cta)?.warps.get(warp)?;
        if let Some(gateway) = unit.gateway() {
            return (gateway.rows().waiting >> slot & 1 == 1).then_some(id);
        }
        let warps = unit.named().barriers().warps();
        (warps.waiting >> slot & 1 == 1).then(|| warps.last_id[slot])
    }

    /// The CTA in CTA slot `slot`, according to `slots`.
    fn cta_in(&self, slot: u8) -> Option<usize> {
        self.slots.get(usize::from(slot)).copied().flatten()
    }

    /// The state of barrier `id` of a CTA: its row in the unit, and its row in this record.
    pub fn row<'a>(&'a self, cta: usize, id: u8, unit: &'a Bcu) -> Option<(&'a Counted, &'a Row)> {
        let cta_record = self.ctas.get(cta)?;
        Some((unit.named().barriers().row(cta_record.slot as u8, id)?, cta_record.rows.get(usize::from(id))?))
    }
}

/// The state in which the fault policy has put the warp in warp slot `slot`.
pub(super) fn stop(unit: &Bcu, slot: usize) -> Option<Stop> {
    let warp_status = unit.warp_status();
    match (warp_status.trapped >> slot & 1, warp_status.hung >> slot & 1) {
        (1, _) => Some(Stop::Trapped),
        (_, 1) => Some(Stop::Hangs),
        _ => None,
    }
}

/// The name of a fault code in reports.
fn name(code: Code) -> String {
    FaultCode::from_u64(code.value()).name()
}
