// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The streaming multiprocessor around the unit: launches CTAs, issues instructions of their warps, reacts to releases and faults.
//!
//! The machine chooses the channel inputs of a cycle from the outputs of the previous cycle, as a
//! register stage would. A warp issues only while its `blocked` bit is 0. The unit itself orders an
//! arrival after the earlier accesses of its warp.

mod answers;
mod awaits;
mod cluster;
mod copies;
mod copy_in_flight;
mod copying;
mod deferred;
mod free_slots;
mod grid;
mod held_back;
mod idle;
mod issue;
mod launch;
mod objects;
mod observed;
mod offer;
mod outputs;
mod overlay;
mod priorities;
mod refused;
mod requests;
mod residents;
mod tensor_core;
mod transfers;
mod warpgroup;
mod warpgroup_log;
mod warpgroup_operands;
mod warpgroup_uses;
mod warpgroup_values;
mod warps;

use super::assume::Assumptions;
use super::constraints::SharedConstraints;
use super::describe::Machine;
use super::memory::{Access, Bank, Pipe};
use super::priorities::SharedTurns;
use super::race::{Issuer, SharedRaces};
use super::record::Record;
use super::report::{Fault, Generation};
use super::run_error::RunError;
use super::schedule::Scheduler;
use super::uncore::Uncore;
use super::unknown_values::UnknownValues;
use super::warp::{Scratch, Warp};
use super::wires::Pins;
use crate::schedule_file::Execution;
use bcu_isa::config::Config;
use bcu_model::Bcu;
pub(super) use copy_in_flight::{copied_bytes, CopyInFlight};
use copying::Copying;
pub(super) use free_slots::FreeSlots;
use free_slots::Placed;
use requests::Objects;
pub(super) use requests::{address, operation, Message, OFFSET};
use std::collections::VecDeque;
use tensor_core::state::TensorCores;
pub(super) use warpgroup_log::WarpgroupLogs;

/// The stage of a CTA, from its placement in a CTA slot until it has left the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Offered,
    Resident,
    Retiring,
    /// The unit has accepted the retirement of the CTA, and still holds some state of the CTA.
    Leaving,
}

/// What the multiprocessors of a run share.
#[derive(Clone)]
pub(super) struct Shared {
    pub races: Option<SharedRaces>,
    pub constraints: Option<SharedConstraints>,
    pub turns: Option<SharedTurns>,
}

/// A multiprocessor with its part of the unit.
pub(super) struct Sm<'a> {
    /// The number of the multiprocessor.
    pub number: usize,
    pub pins: Pins,
    sizes: &'a Config,
    machine: &'a Machine,
    /// The number of CTAs of the run.
    ctas: usize,
    scheduler: Scheduler,
    pub record: Record,
    pipe: Pipe,
    pub assumptions: Assumptions,
    scratch: Scratch,
    pub races: Option<SharedRaces>,
    pub constraints: Option<SharedConstraints>,
    pub turns: Option<SharedTurns>,
    /// The warp slots whose warps could issue in this cycle, whatever their priorities; one bit each.
    candidates: u64,
    pub unknown_values: UnknownValues,
    objects: Objects,
    copying: Copying,
    pub warpgroups: WarpgroupLogs,
    tensor_cores: TensorCores,
    /// If the arrivals of the instruction at the port wait for earlier copies of their lanes: the number of the copy that represents these
    /// arrivals.
    offered_copy: Option<u64>,
    /// The accesses that are performed in this cycle, in the order of their strobes.
    performing: Vec<Access>,
    /// The number of accesses issued in this cycle.
    issued_accesses: usize,
    /// Whether an instruction was executed in this cycle.
    executed: bool,
    /// Whether this cycle is left out, because the multiprocessor has no CTA and its unit sleeps.
    pub is_skipped: bool,
    pub cycle: u64,
    /// The number of changes so far, if nothing in the machine has changed for some time. While the number is present, the machine searches
    /// for loops that only read memory.
    pub unchanged: Option<u64>,
    /// The number of instructions, exits and launches that the unit has accepted. Waits at mbarriers, fences and rendezvous of lanes do not
    /// count.
    pub transfers: u64,
    /// Warps of all CTAs launched so far, in launch order.
    pub warps: warps::Warps,
    /// For each warp slot, the index in `warps` of its warp.
    pub warp_slots: Vec<Option<usize>>,
    /// The last value of the output `waits_for_memory`.
    waits_for_memory: u64,
    /// Whether a warp may have counted polls of an mbarrier since the last restart of these counts.
    may_poll: bool,
    /// The warp slots that are not free, one bit each.
    resident_slots: u64,
    /// For each CTA slot, the number and the stage of its CTA.
    cta_slots: Vec<Option<(usize, Stage)>>,
    /// For each CTA slot, the number of warps of its CTA that have not exited.
    live_warps: Vec<usize>,
    /// CTAs that have their slots, and whose launches are not offered to the unit yet.
    placed: VecDeque<Placed>,
    /// The index of the warp whose instruction is offered at the instruction port.
    instr: Option<usize>,
    /// The first cycle of the present offer at the instruction port.
    offered: u64,
    /// The index of the warp whose exit is offered on the exit channel.
    exit: Option<usize>,
    pub generations: Vec<Generation>,
    pub faults: Vec<Fault>,
}

impl<'a> Sm<'a> {
    pub fn new(
        (number, pins): (usize, Pins),
        sizes: &'a Config,
        machine: &'a Machine,
        (ctas, Shared { races, constraints, turns }): (usize, Shared),
    ) -> Self {
        // Each multiprocessor has a separate random stream.
        let seed = machine.seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Sm {
            number,
            pins,
            sizes,
            machine,
            ctas,
            scheduler: Scheduler::new(machine.policy, seed),
            record: Record::new(sizes.lanes, ctas, sizes.cta_slots),
            pipe: Pipe::new(&machine.latency, seed),
            scratch: Scratch::default(),
            assumptions: Assumptions::new(&machine.assumptions, seed),
            races,
            constraints,
            turns,
            candidates: 0,
            unknown_values: UnknownValues::default(),
            objects: Objects::default(),
            copying: Copying::default(),
            warpgroups: WarpgroupLogs::default(),
            tensor_cores: TensorCores::default(),
            offered_copy: None,
            performing: vec![],
            issued_accesses: 0,
            executed: false,
            is_skipped: false,
            cycle: 0,
            unchanged: None,
            transfers: 0,
            warps: warps::Warps::new(sizes.warps),
            warp_slots: vec![None; sizes.warps],
            waits_for_memory: 0,
            may_poll: false,
            resident_slots: 0,
            cta_slots: vec![None; sizes.cta_slots],
            live_warps: vec![0; sizes.cta_slots],
            placed: VecDeque::new(),
            instr: None,
            offered: 0,
            exit: None,
            generations: vec![],
            faults: vec![],
        }
    }

    /// Executes the first phase of a cycle: drives the inputs that do not depend on warps.
    pub fn drive(&mut self) {
        if self.is_skipped {
            return;
        }
        let at = self.pins.at.clone();
        self.pins.set(at.fault_policy, self.machine.fault_policy as u64);
        self.pins.set(at.fault_ready, self.cycle.is_multiple_of(self.machine.fault_period.get().into()).into());
        self.pins.set(at.leader_policy, self.machine.leader_policy as u64);
        self.pins.set(at.wait_limit, self.wait_limit());
        self.pins.set(at.mem_request_ready, 1);
    }

    /// The second phase of a cycle: the warps react to the outputs, and the inputs of the next cycle are set. `unit` is the model of the
    /// unit. Returns whether there was an event.
    pub fn react(&mut self, uncore: &mut Uncore, unit: &Bcu) -> Result<bool, RunError> {
        if self.is_skipped {
            self.cycle += 1;
            return Ok(false);
        }
        let mut moved = self.cycle == 0;
        self.executed = false;
        if self.cycle > 0 {
            moved |= self.transfers(uncore, unit);
            self.must_be_possible(unit)?;
            self.accesses(uncore);
            moved |= self.strobes(&uncore.exited_ctas);
            moved |= self.cluster(&mut uncore.blocks);
            moved |= self.grid(&mut uncore.grids);
            moved |= self.performs_tensor_work(&mut uncore.memory);
            moved |= self.objects(&mut uncore.memory);
            moved |= self.effects(unit, &mut uncore.blocks)?;
            if self.has_work_in_flight() {
                self.restart_polls();
            }
        }
        moved |= self.offer(uncore)?;
        self.cycle += 1;
        Ok(moved)
    }

    /// Whether an operation, access or copy in flight may change an mbarrier without further
    /// instructions.
    pub fn has_work_in_flight(&self) -> bool {
        self.has_accesses() || self.objects.busy() || self.copying.busy() || self.tensor_cores.busy()
    }

    /// Whether accesses are in flight. Reads by spinning warps do not count.
    fn has_accesses(&self) -> bool {
        let spins = |warp: usize| self.unchanged.is_some_and(|changes| self.warps[warp].spins(changes));
        let is_spin_read = |access: &Access| access.is_for_result() && spins(access.warp);
        self.pipe.busy_apart_from(&spins) || !self.performing.iter().all(is_spin_read)
    }

    /// Whether the unit has an operation of a warp that neither spins nor polls, which may change what these warps read.
    pub fn has_operations(&self) -> bool {
        let busy = self.pins.get(self.pins.at.busy) | self.pins.get(self.pins.at.waits_for_memory);
        self.resident_warps().any(|warp| busy >> warp.slot & 1 == 1 && !self.spins(warp) && !warp.only_polls())
    }

    /// Whether a warp spins, and nothing is in flight except reads by spinning warps.
    pub fn only_spins(&self) -> bool {
        !self.has_work_in_flight() && self.resident_warps().any(|warp| self.spins(warp))
    }

    /// Whether the warp reads, in a loop, values that no warp changes.
    pub fn spins(&self, warp: &Warp) -> bool {
        warp.exited.is_none() && warp.stopped.is_none() && self.unchanged.is_some_and(|changes| warp.spins(changes))
    }

    /// The memory and the first byte of a load in flight of the warp with index `index`.
    pub fn load_of(&self, index: usize) -> Option<(Bank, u64)> {
        self.pipe.load_of(index)
    }

    /// Whether no CTA holds a CTA slot of the multiprocessor.
    pub fn is_empty(&self) -> bool {
        self.cta_slots.iter().all(Option::is_none)
    }

    /// The number of CTAs that are leaving: the unit has accepted their retirement and has not reported it as complete.
    pub fn leaving(&self) -> usize {
        self.cta_slots.iter().flatten().filter(|(_, stage)| *stage == Stage::Leaving).count()
    }

    /// Whether an operation or access is in flight, or a warp can progress. A warp can progress if
    /// it has not exited, is neither blocked nor stopped, has no instruction at a channel, and
    /// awaits no result.
    pub fn running(&self) -> bool {
        let is_held = |w: &Warp| {
            w.port.is_some() || w.waits_at.is_some() || w.stopped.is_some() || w.chosen().is_none() && !w.holds_back()
        };
        let can_run = |w: &Warp| w.exited.is_none() && !is_held(w) && w.scoreboard.is_empty() && !self.blocked(w);
        // A warp that is suspended at an mbarrier resumes at its time limit, so it can progress.
        let polls_mbarrier = |w: &Warp| w.awaits_mbarrier() && w.stopped.is_none();
        let at_objects =
            self.objects.busy() || self.copying.busy() || self.record.at_objects() || self.resident_warps().any(polls_mbarrier);
        at_objects || self.tensor_cores.busy() || self.pipe.busy() || self.resident_warps().any(can_run)
    }

    /// Whether a warp polls an mbarrier in a loop in which nothing changes.
    pub fn has_polling_warp(&self) -> bool {
        self.may_poll && self.resident_warps().any(|w| w.exited.is_none() && w.only_polls() && w.stopped.is_none())
    }

    /// Whether all warps that have not exited are held: they wait, are stopped, or only poll or spin. A warp that waits at the barrier of
    /// its cluster, or for grids, is held only while `awaits_others` is true: other warps have not arrived, or the grids have not ended.
    pub fn is_held(&self, awaits_others: &dyn Fn(&Warp) -> bool) -> bool {
        let held =
            |w: &Warp| self.spins(w) || w.only_polls() || w.waits_at.is_some() || w.stopped.is_some() || awaits_others(w);
        self.resident_warps().filter(|w| w.exited.is_none()).all(held)
    }

    /// The maximum time, in ticks, that the unit keeps a warp suspended: the limit of the machine, or the maximum of the unit's counter if
    /// that is lower.
    fn wait_limit(&self) -> u64 {
        u64::from(self.machine.wait_limit.get()).min((1 << self.sizes.limit_bits) - 1)
    }

    pub fn blocked(&self, warp: &Warp) -> bool {
        self.pins.get(self.pins.at.blocked) >> warp.slot & 1 == 1
    }

    /// Whether the warp waits at the barrier of its cluster, or for grids before its own.
    pub fn waits_at_cluster_or_grid(&self, warp: &Warp, unit: &Bcu) -> bool {
        unit.waiting_at_cluster_or_grid() >> warp.slot & 1 == 1
    }

    pub fn trapped(&self, warp: &Warp) -> bool {
        self.pins.get(self.pins.at.trapped) >> warp.slot & 1 == 1
    }

    /// Text that names an offer which the unit does not accept although the unit is idle; `None` if there is no such offer.
    pub fn refused(&self) -> Option<String> {
        let instr = self.instr.map(|i| format!("the instruction of CTA {} warp {}", self.warps[i].cta, self.warps[i].warp));
        let exit = || self.exit.map(|i| format!("the exit of CTA {} warp {}", self.warps[i].cta, self.warps[i].warp));
        // A retired CTA of a cluster of several CTAs keeps its slot until all CTAs of the cluster have ended. So the stage `Leaving` of
        // such a CTA is no sign of an error.
        let has_peers = |cta: usize| self.warps.iter().any(|warp| warp.cta == cta && warp.ctas.len() > 1);
        let stays = |cta: usize, stage: Stage| stage == Stage::Resident || stage == Stage::Leaving && has_peers(cta);
        let cta = || self.cta_slots.iter().flatten().find(|(cta, stage)| !stays(*cta, *stage));
        instr.or_else(exit).or_else(|| cta().map(|(cta, _)| format!("the launch or the end of CTA {cta}")))
    }

    /// Whether an execution is an access that is performed in this cycle.
    pub fn performs(&self, execution: &Execution) -> bool {
        self.performing.iter().any(|access| access.execution.as_ref() == Some(execution))
    }

    /// A number for the warp with index `index` that is unique in the run.
    fn number_of(&self, index: usize) -> usize {
        self.number << 32 | index
    }

    /// The identity of a warp for the race detector.
    fn issuer(&self, index: usize) -> Issuer {
        let warp = &self.warps[index];
        let cluster = warp.ctas.first().copied().unwrap_or(warp.cta);
        let has_peers = warp.ctas.len() > 1;
        Issuer { grid: warp.grid, cta: warp.cta, cluster, has_peers, warp: warp.warp, width: warp.width }
    }
}
