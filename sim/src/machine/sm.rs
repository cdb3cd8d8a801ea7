// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The streaming multiprocessor around the unit: launches CTAs, issues one step a cycle, takes releases and faults.
//!
//! What stands at the channels in a cycle was chosen from the outputs of the cycle before, as a register stage would. A barrier
//! instruction and an exit wait until the warp's `blocked` bit is 0, a barrier instruction also until its accesses are performed.

use super::cycle::Cycle;
use super::describe::Machine;
use super::ledger::{Contradiction, Ledger};
use super::meaning::{guarded_off, meaning, Form, Meaning};
use super::plan::CtaPlan;
use super::report::{Arrival, Fault, Generation};
use super::schedule::Scheduler;
use super::warp::Warp;
use super::wires::Pins;
use crate::program::{Action, Space};
use bcu_hw::config::Config;
use bcu_hw::ports::PortValue;
use bcu_hw::unit::op::FaultCode;

/// A CTA on its way into the unit or in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Offered,
    Resident,
    Retiring,
}

/// The whole state of a run.
pub(super) struct Sm<'a> {
    pub pins: Pins<'a>,
    sizes: &'a Config,
    machine: &'a Machine,
    plans: Vec<CtaPlan>,
    scheduler: Scheduler,
    pub ledger: Ledger,
    pub cycle: u64,
    /// Warps of all CTAs launched so far, in the order of launch.
    pub warps: Vec<Warp>,
    /// Which of `warps` has the warp slot.
    warp_slots: Vec<Option<usize>>,
    cta_slots: Vec<Option<(usize, Stage)>>,
    launched: usize,
    instr: Option<usize>,
    exit: Option<usize>,
    pub generations: Vec<Generation>,
    pub faults: Vec<Fault>,
}

impl<'a> Sm<'a> {
    pub fn new(pins: Pins<'a>, sizes: &'a Config, machine: &'a Machine, plans: Vec<CtaPlan>) -> Self {
        Sm {
            pins,
            sizes,
            machine,
            scheduler: Scheduler::new(machine.policy, machine.seed),
            ledger: Ledger::new(sizes.lanes, plans.len()),
            plans,
            cycle: 0,
            warps: vec![],
            warp_slots: vec![None; sizes.warps],
            cta_slots: vec![None; sizes.cta_slots],
            launched: 0,
            instr: None,
            exit: None,
            generations: vec![],
            faults: vec![],
        }
    }

    /// One clock cycle, the first of them a reset; true if anything happened or stands at the fault channel.
    pub fn step(&mut self, observe: &mut dyn FnMut(&Cycle)) -> Result<bool, Contradiction> {
        let reset = self.cycle == 0;
        let at = self.pins.at.clone();
        self.pins.set(at.reset, reset.into());
        self.pins.set(at.fault_ready, (self.cycle % u64::from(self.machine.fault_period.get()) == 0).into());
        self.pins.cycle();
        let (inputs, outputs) = self.pins.values();
        observe(&Cycle { inputs, outputs, warps: &self.warps, warp_slots: &self.warp_slots });
        let mut moved = reset;
        if !reset {
            moved |= self.transfers();
            moved |= self.strobes()?;
        }
        moved |= self.offer()?;
        self.cycle += 1;
        Ok(moved)
    }

    /// CTAs that have not been launched.
    pub fn queued(&self) -> usize {
        self.plans.len() - self.launched
    }

    /// Every CTA has come and gone.
    pub fn finished(&self) -> bool {
        self.queued() == 0 && self.cta_slots.iter().all(Option::is_none)
    }

    /// Whether a warp can still do something by itself: it is neither blocked nor at a channel, and has not exited.
    pub fn running(&self) -> bool {
        self.warps.iter().any(|w| w.exited.is_none() && !w.offered && !self.blocked(w))
    }

    pub fn blocked(&self, warp: &Warp) -> bool {
        self.pins.get(self.pins.at.blocked) >> warp.slot & 1 == 1
    }

    /// What the unit does not take although nothing else happens, in words.
    pub fn refused(&self) -> Option<String> {
        let instr = self.instr.map(|i| format!("the instruction of CTA {} warp {}", self.warps[i].cta, self.warps[i].warp));
        let exit = || self.exit.map(|i| format!("the exit of CTA {} warp {}", self.warps[i].cta, self.warps[i].warp));
        let cta = || self.cta_slots.iter().flatten().find(|(_, stage)| *stage != Stage::Resident);
        instr.or_else(exit).or_else(|| cta().map(|(cta, _)| format!("the launch or the end of CTA {cta}")))
    }

    /// Takes note of what the unit took, in the order in which the unit does.
    fn transfers(&mut self) -> bool {
        let at = self.pins.at.clone();
        let mut moved = false;
        if self.pins.transfer(at.instr_valid, at.instr_ready) {
            moved = true;
            self.pins.set(at.instr_valid, 0);
            if let Some(index) = self.instr.take() {
                self.issued(index);
            }
        }
        if self.pins.transfer(at.exit_valid, at.exit_ready) {
            moved = true;
            self.pins.set(at.exit_valid, 0);
            if let Some(index) = self.exit.take() {
                let warp = &mut self.warps[index];
                (warp.exited, warp.offered) = (Some(self.cycle), false);
                warp.step += 1;
                self.ledger.exit(warp.cta, warp.warp);
            }
        }
        if self.pins.transfer(at.retire_valid, at.retire_ready) {
            moved = true;
            self.pins.set(at.retire_valid, 0);
            self.retired();
        }
        if self.pins.transfer(at.launch_valid, at.launch_ready) {
            moved = true;
            self.pins.set(at.launch_valid, 0);
            self.resident();
        }
        moved
    }

    /// The unit took the barrier instruction of a warp.
    fn issued(&mut self, index: usize) {
        let cycle = self.cycle;
        let warp = &mut self.warps[index];
        let (place, action) = (warp.place(), warp.action().clone());
        (warp.offered, warp.ready_at) = (false, cycle + 1);
        warp.step += 1;
        let Action::Barrier { word, ra, rb } = action else { return };
        match meaning(word, ra, rb) {
            Meaning::Nothing => {}
            Meaning::Illegal => self.ledger.illegal(warp.cta, warp.warp, &place),
            Meaning::Arrival(ask) => {
                let arrival = Arrival { warp: warp.warp, form: ask.form, cycle, place };
                let counts = self.ledger.arrive(warp.cta, ask, arrival);
                if ask.form == Form::Sync {
                    // `blocked` shows this SYNC one cycle from now, so the warp is looked at again after that.
                    warp.ready_at = cycle + 2;
                    warp.waits_at = counts.then_some(ask.id);
                }
            }
        }
    }

    fn retired(&mut self) {
        let slot = self.cta_slots.iter().position(|s| matches!(s, Some((_, Stage::Retiring))));
        let Some((slot, (cta, _))) = slot.and_then(|i| Some((i, self.cta_slots[i]?))) else { return };
        self.cta_slots[slot] = None;
        for owner in &mut self.warp_slots {
            if owner.is_some_and(|i| self.warps[i].cta == cta) {
                *owner = None;
            }
        }
        self.ledger.retire(cta);
    }

    fn resident(&mut self) {
        let offered = self.cta_slots.iter().position(|s| matches!(s, Some((_, Stage::Offered))));
        let Some((slot, (cta, _))) = offered.and_then(|i| Some((i, self.cta_slots[i]?))) else { return };
        self.cta_slots[slot] = Some((cta, Stage::Resident));
        let slots = self.warps.iter().filter(|w| w.cta == cta).map(|w| w.slot).collect();
        self.ledger.launch(cta, slot, slots, self.plans[cta].barriers);
    }

    /// Takes releases and faults.
    fn strobes(&mut self) -> Result<bool, Contradiction> {
        let at = self.pins.at.clone();
        let get = |port| self.pins.get(port);
        let release = get(at.release_valid) == 1;
        if release {
            let (slot, id) = (get(at.release_cta) as usize, get(at.release_id) as u8);
            let generation = self.ledger.released(self.cycle, slot, id, get(at.release_warps))?;
            for wait in &generation.waits {
                if let Some(warp) = self.warps.iter_mut().find(|w| w.cta == generation.cta && w.warp == wait.warp) {
                    warp.waits_at = None;
                    warp.waited += wait.cycles;
                }
            }
            self.generations.push(generation);
        }
        let get = |port| self.pins.get(port);
        let fault = get(at.fault_valid) == 1;
        if fault && self.pins.transfer(at.fault_ready, at.fault_valid) {
            let code = FaultCode::from_u64(get(at.fault_code));
            let (slot, warp, id) = (get(at.fault_cta) as usize, get(at.fault_warp) as usize, get(at.fault_id) as u8);
            self.faults.push(self.ledger.faulted(self.cycle, code, slot, warp, id)?);
        }
        Ok(release || fault)
    }

    /// Puts at the free channels what stands there from the next cycle on.
    fn offer(&mut self) -> Result<bool, Contradiction> {
        let retire = self.offer_retire();
        let launch = self.offer_launch();
        let live = if self.cycle == 0 { 0 } else { self.pins.get(self.pins.at.live) };
        for warp in self.warps.iter_mut().filter(|w| w.exited.is_none()) {
            warp.started |= live >> warp.slot & 1 == 1;
        }
        Ok(self.issue()? || retire || launch)
    }

    fn offer_retire(&mut self) -> bool {
        let ended = |cta: usize| self.warps.iter().filter(|w| w.cta == cta).all(|w| w.exited.is_some());
        let busy = self.cta_slots.iter().any(|s| matches!(s, Some((_, Stage::Retiring))));
        let slot = self.cta_slots.iter().position(|s| matches!(s, Some((cta, Stage::Resident)) if ended(*cta)));
        let Some(slot) = slot.filter(|_| !busy) else { return false };
        self.cta_slots[slot] = self.cta_slots[slot].map(|(cta, _)| (cta, Stage::Retiring));
        self.pins.set(self.pins.at.retire_valid, 1);
        self.pins.set(self.pins.at.retire_cta, slot as u64);
        true
    }

    fn offer_launch(&mut self) -> bool {
        let busy = self.cta_slots.iter().any(|s| matches!(s, Some((_, Stage::Offered))));
        let Some(plan) = self.plans.get(self.launched).filter(|_| !busy) else { return false };
        let free: Vec<usize> = (0..self.sizes.warps).filter(|s| self.warp_slots[*s].is_none()).collect();
        let Some(slot) = self.cta_slots.iter().position(Option::is_none) else { return false };
        let count = plan.programs.len();
        let Some(slots) = free.get(..count) else { return false };
        let cta = self.launched;
        let mut mask = 0u64;
        for (warp, (program, slot)) in plan.programs.iter().zip(slots).enumerate() {
            let lanes = (plan.threads - warp * self.sizes.lanes).min(self.sizes.lanes);
            mask |= 1 << slot;
            self.warp_slots[*slot] = Some(self.warps.len());
            self.warps.push(Warp::new(cta, warp, *slot, u64::MAX >> (64 - lanes), program.clone()));
        }
        self.launched += 1;
        self.cta_slots[slot] = Some((cta, Stage::Offered));
        let (at, barriers) = (self.pins.at.clone(), plan.barriers as u64);
        let values = [(at.launch_valid, 1), (at.launch_cta, slot as u64), (at.launch_warps, mask), (at.launch_exited, 0)];
        values.iter().for_each(|(port, value)| self.pins.set(*port, *value));
        self.pins.set(at.launch_barriers, barriers);
        true
    }

    /// Lets one warp issue its next step, if any can.
    fn issue(&mut self) -> Result<bool, Contradiction> {
        let next = self.cycle + 1;
        let mut ready = vec![];
        for (slot, index) in self.warp_slots.iter().enumerate().filter_map(|(s, i)| Some((s, (*i)?))) {
            let warp = &self.warps[index];
            if !warp.started || warp.offered || warp.exited.is_some() || warp.ready_at > next || self.blocked(warp) {
                continue;
            }
            if let Some(id) = warp.waits_at {
                let what = format!("warp {} of CTA {} goes on from barrier {id} without a release", warp.warp, warp.cta);
                return Err(Contradiction { cycle: self.cycle, what });
            }
            let free = match warp.action() {
                Action::Barrier { .. } => self.instr.is_none() && warp.performed_at <= next,
                Action::Exit => self.exit.is_none(),
                Action::Busy { .. } | Action::Access { .. } => true,
            };
            if free {
                ready.push((slot, index as u64));
            }
        }
        let Some(index) = self.scheduler.pick(&ready).and_then(|slot| self.warp_slots[slot]) else { return Ok(false) };
        self.start(index, next);
        Ok(true)
    }

    /// A warp's next step issues in cycle `now`.
    fn start(&mut self, index: usize, now: u64) {
        let at = self.pins.at.clone();
        let warp = &mut self.warps[index];
        match *warp.action() {
            Action::Barrier { word, ra, rb } => {
                warp.offered = true;
                self.instr = Some(index);
                let guard = if guarded_off(word) { 0 } else { u64::MAX >> (64 - self.sizes.lanes) };
                let words = word.iter().enumerate().map(|(i, w)| (at.instr_word_0 + i, u64::from(*w)));
                let values = [(at.instr_valid, 1), (at.instr_warp, warp.slot as u64), (at.instr_active, warp.lanes)];
                let operands =
                    [(at.instr_guard, guard), (at.instr_ra, ra.into()), (at.instr_rb, rb.into()), (at.instr_uniform, 1)];
                words.chain(values).chain(operands).for_each(|(port, value)| self.pins.set(port, value));
            }
            Action::Exit => {
                warp.offered = true;
                self.exit = Some(index);
                self.pins.set(at.exit_valid, 1);
                self.pins.set(at.exit_warp, warp.slot as u64);
            }
            Action::Busy { cycles } => {
                warp.ready_at = now + u64::from(cycles.max(1));
                warp.step += 1;
            }
            Action::Access { space, .. } => {
                let latency = match space {
                    Space::Shared => self.machine.latency.shared,
                    Space::Global => self.machine.latency.global,
                };
                warp.performed_at = warp.performed_at.max(now + u64::from(latency.get()));
                warp.ready_at = now + 1;
                warp.step += 1;
            }
        }
    }
}
