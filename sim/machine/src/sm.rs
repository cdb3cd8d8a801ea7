// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The streaming multiprocessor around the unit: takes CTAs, issues instructions of their warps, reacts to releases and faults.
//!
//! What stands at the channels in a cycle was chosen from the outputs of the cycle before, as a register stage would. A barrier
//! step of a warp waits until its `blocked` bit is 0. That an arrival comes after the accesses before it is the unit's business.

mod answers;
mod cluster;
mod copies;
mod copying;
mod grid;
mod launch;
mod objects;
mod offer;
mod overlay;
mod refused;
mod requests;
mod room;
mod seen;
mod taken;

use super::assume::Assumptions;
use super::describe::Machine;
use super::lost::Lost;
use super::memory::{Access, Pipe};
use super::race::clocks::Thread;
use super::race::SharedRaces;
use super::record::Record;
use super::report::{Fault, Generation};
use super::run_error::RunError;
use super::schedule::Scheduler;
use super::uncore::Uncore;
use super::warp::Warp;
use super::wires::Pins;
use bcu_isa::config::Config;
use bcu_model::Bcu;
use copying::Copying;
use requests::Objects;
pub(super) use requests::{address, operation, Mail, OFFSET};
use room::Placed;
pub(super) use room::Room;
use std::collections::VecDeque;

/// A CTA on its way into the unit or in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Offered,
    Resident,
    Retiring,
    /// The unit has taken its end, and something of it is still in there.
    Leaving,
}

/// A multiprocessor with its part of the unit.
pub(super) struct Sm<'a> {
    /// Which of the multiprocessors it is.
    pub number: usize,
    pub pins: Pins,
    sizes: &'a Config,
    machine: &'a Machine,
    scheduler: Scheduler,
    pub record: Record,
    pipe: Pipe,
    pub assumptions: Assumptions,
    pub races: Option<SharedRaces>,
    pub lost: Lost,
    objects: Objects,
    copying: Copying,
    /// The copy that stands at the instruction port, as an arrival behind those of its lanes.
    behind: Option<u64>,
    /// The accesses that are performed in this cycle, each on the strobe of its number.
    performing: Vec<Access>,
    /// How many accesses are issued in this cycle.
    issuing: usize,
    pub cycle: u64,
    /// What has changed in the machine, if that is nothing for some time: loops that only read are looked for.
    pub quiet: Option<u64>,
    /// What its unit has taken, other than questions to mbarriers.
    pub transfers: u64,
    /// Warps of all CTAs launched so far, in the order of launch.
    pub warps: Vec<Warp>,
    /// Which of `warps` has the warp slot.
    pub warp_slots: Vec<Option<usize>>,
    cta_slots: Vec<Option<(usize, Stage)>>,
    placed: VecDeque<Placed>,
    instr: Option<usize>,
    /// The first cycle of the offer at the instruction port.
    offered: u64,
    exit: Option<usize>,
    pub generations: Vec<Generation>,
    pub faults: Vec<Fault>,
}

impl<'a> Sm<'a> {
    pub fn new(
        (number, pins): (usize, Pins),
        sizes: &'a Config,
        machine: &'a Machine,
        (ctas, races): (usize, Option<SharedRaces>),
    ) -> Self {
        // Each draws for itself.
        let seed = machine.seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Sm {
            number,
            pins,
            sizes,
            machine,
            scheduler: Scheduler::new(machine.policy, seed),
            record: Record::new(sizes.lanes, ctas, sizes.cta_slots),
            pipe: Pipe::new(&machine.latency, seed),
            assumptions: Assumptions::new(&machine.assumptions, seed),
            races,
            lost: Lost::default(),
            objects: Objects::default(),
            copying: Copying::default(),
            behind: None,
            performing: vec![],
            issuing: 0,
            cycle: 0,
            quiet: None,
            transfers: 0,
            warps: vec![],
            warp_slots: vec![None; sizes.warps],
            cta_slots: vec![None; sizes.cta_slots],
            placed: VecDeque::new(),
            instr: None,
            offered: 0,
            exit: None,
            generations: vec![],
            faults: vec![],
        }
    }

    /// The first phase of a cycle: what does not depend on the warps stands at the inputs.
    pub fn drive(&mut self) {
        let at = self.pins.at.clone();
        self.pins.set(at.fault_policy, self.machine.fault_policy as u64);
        self.pins.set(at.fault_ready, self.cycle.is_multiple_of(self.machine.fault_period.get().into()).into());
        self.pins.set(at.leader_policy, self.machine.leader_policy as u64);
        self.pins.set(at.wait_limit, self.wait_limit());
        self.pins.set(at.mem_request_ready, 1);
    }

    /// The second phase: warps react, and what stands at the inputs in the next cycle is set. True if anything happened.
    /// `unit` is its model.
    pub fn react(&mut self, uncore: &mut Uncore, unit: &Bcu) -> Result<bool, RunError> {
        let mut moved = self.cycle == 0;
        if self.cycle > 0 {
            moved |= self.transfers(uncore, unit);
            self.must_be_possible(unit)?;
            self.accesses(uncore);
            moved |= self.strobes(&uncore.gone);
            moved |= self.cluster(&mut uncore.blocks);
            moved |= self.grid(&mut uncore.grids);
            moved |= self.objects(&mut uncore.memory);
            moved |= self.effects(unit, &mut uncore.blocks)?;
            if self.is_stirred() {
                self.ask_anew();
            }
        }
        moved |= self.offer(uncore)?;
        self.cycle += 1;
        Ok(moved)
    }

    /// Something comes to mbarriers by itself.
    pub fn is_stirred(&self) -> bool {
        self.has_accesses() || self.objects.busy() || self.copying.busy()
    }

    /// Accesses are under way, other than those of warps that spin.
    fn has_accesses(&self) -> bool {
        let spins = |warp: usize| self.quiet.is_some_and(|changes| self.warps[warp].spins(changes));
        let asks = |access: &Access| access.is_for_result() && spins(access.warp);
        self.pipe.busy_beside(&spins) || !self.performing.iter().all(asks)
    }

    /// A warp spins, and nothing but what such warps read is under way.
    pub fn only_spins(&self) -> bool {
        !self.is_stirred() && self.resident_warps().any(|warp| self.spins(warp))
    }

    /// The warp goes round in a loop, reading what nothing changes.
    pub fn spins(&self, warp: &Warp) -> bool {
        warp.exited.is_none() && warp.stopped.is_none() && self.quiet.is_some_and(|changes| warp.spins(changes))
    }

    /// What comes may still be on its way inside of the unit when it has left here: who asks begins to count anew.
    pub fn ask_anew(&mut self) {
        self.warp_slots.iter().flatten().for_each(|index| self.warps[*index].asks_anew());
    }

    /// It has no CTA.
    pub fn is_empty(&self) -> bool {
        self.cta_slots.iter().all(Option::is_none)
    }

    /// CTAs of which the unit has taken the end and not shown yet that they have gone.
    pub fn leaving(&self) -> usize {
        self.cta_slots.iter().flatten().filter(|(_, stage)| *stage == Stage::Leaving).count()
    }

    /// Whether a warp can still do something by itself: nothing holds it, it is not at a channel, and has not exited.
    pub fn running(&self) -> bool {
        let held = |w: &Warp| {
            w.port.is_some() || w.waits_at.is_some() || w.stopped.is_some() || w.chosen().is_none() && !w.holds_back()
        };
        let free = |w: &Warp| w.exited.is_none() && !held(w) && w.scoreboard.is_empty() && !self.blocked(w);
        // Who is suspended at an mbarrier goes on when the limit has passed.
        let asks = |w: &Warp| w.awaits_mbarrier() && w.stopped.is_none();
        let at_objects =
            self.objects.busy() || self.copying.busy() || self.record.at_objects() || self.resident_warps().any(asks);
        at_objects || self.pipe.busy() || self.resident_warps().any(free)
    }

    /// A warp asks an mbarrier in a loop in which nothing changes.
    pub fn polls(&self) -> bool {
        self.resident_warps().any(|w| w.exited.is_none() && w.only_asks() && w.stopped.is_none())
    }

    /// All of its warps that have not exited wait, are stopped, or do no more than ask; who waits at the barrier of a cluster, or for grids,
    /// does so only while others have to arrive there, or to end.
    pub fn is_held(&self, awaits_others: &dyn Fn(&Warp) -> bool) -> bool {
        let held = |w: &Warp| self.spins(w) || w.only_asks() || w.waits_at.is_some() || w.stopped.is_some() || awaits_others(w);
        self.resident_warps().filter(|w| w.exited.is_none()).all(held)
    }

    /// Most ticks that the unit keeps a warp suspended: what the machine says, as far as the unit can count it.
    fn wait_limit(&self) -> u64 {
        u64::from(self.machine.wait_limit.get()).min((1 << self.sizes.limit_bits) - 1)
    }

    /// The warps that hold a warp slot, exited ones among them.
    fn resident_warps<'b>(&'b self) -> impl Iterator<Item = &'b Warp> + use<'a, 'b> {
        self.warp_slots.iter().flatten().map(|index| &self.warps[*index])
    }

    pub fn blocked(&self, warp: &Warp) -> bool {
        self.pins.get(self.pins.at.blocked) >> warp.slot & 1 == 1
    }

    /// It waits at the barrier of its cluster, or for other grids.
    pub fn waits_beside(&self, warp: &Warp, unit: &Bcu) -> bool {
        unit.waiting_beside() >> warp.slot & 1 == 1
    }

    pub fn trapped(&self, warp: &Warp) -> bool {
        self.pins.get(self.pins.at.trapped) >> warp.slot & 1 == 1
    }

    /// What the unit does not take although nothing else happens, in words.
    pub fn refused(&self) -> Option<String> {
        let instr = self.instr.map(|i| format!("the instruction of CTA {} warp {}", self.warps[i].cta, self.warps[i].warp));
        let exit = || self.exit.map(|i| format!("the exit of CTA {} warp {}", self.warps[i].cta, self.warps[i].warp));
        // A CTA of a cluster stays until all of them have ended.
        let has_peers = |cta: usize| self.warps.iter().any(|warp| warp.cta == cta && warp.ctas.len() > 1);
        let stays = |cta: usize, stage: Stage| stage == Stage::Resident || stage == Stage::Leaving && has_peers(cta);
        let cta = || self.cta_slots.iter().flatten().find(|(cta, stage)| !stays(*cta, *stage));
        instr.or_else(exit).or_else(|| cta().map(|(cta, _)| format!("the launch or the end of CTA {cta}")))
    }

    /// A number of a warp that no other of the run has.
    fn number_of(&self, index: usize) -> usize {
        self.number << 32 | index
    }

    /// Who a warp is to the races.
    fn thread(&self, index: usize) -> Thread {
        let warp = &self.warps[index];
        Thread { cta: warp.cta, warp: warp.warp, warps: warp.warps, width: warp.width }
    }
}
