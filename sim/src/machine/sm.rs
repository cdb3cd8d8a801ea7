// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The streaming multiprocessor around the unit: launches CTAs, issues one step a cycle, takes releases and faults.
//!
//! What stands at the channels in a cycle was chosen from the outputs of the cycle before, as a register stage would. A barrier
//! instruction and an exit wait until the warp's `blocked` bit is 0, a barrier instruction also until its accesses are performed.

mod offer;

use super::cycle::Cycle;
use super::describe::Machine;
use super::ledger::{Contradiction, Ledger, Reader, Release, Report, Writeback};
use super::meaning::{Meaning, State};
use super::plan::CtaPlan;
use super::report::{Arrival, Fault, Generation};
use super::schedule::Scheduler;
use super::warp::Warp;
use super::wires::Pins;
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
            ledger: Ledger::new(sizes.lanes, plans.len(), machine.fault_policy),
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
        self.pins.set(at.fault_policy, self.machine.fault_policy as u64);
        self.pins.set(at.fault_ready, self.cycle.is_multiple_of(self.machine.fault_period.get().into()).into());
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

    /// Whether a warp can still do something by itself: nothing holds it, it is not at a channel, and has not exited.
    pub fn running(&self) -> bool {
        let held = |w: &Warp| w.offered || w.waits_at.is_some() || w.stopped.is_some() || !w.pending.is_empty();
        self.resident_warps().any(|w| w.exited.is_none() && !held(w) && !self.blocked(w))
    }

    /// The warps that hold a warp slot, exited ones among them.
    fn resident_warps<'b>(&'b self) -> impl Iterator<Item = &'b Warp> + use<'a, 'b> {
        self.warp_slots.iter().flatten().map(|index| &self.warps[*index])
    }

    pub fn blocked(&self, warp: &Warp) -> bool {
        self.pins.get(self.pins.at.blocked) >> warp.slot & 1 == 1
    }

    pub fn trapped(&self, warp: &Warp) -> bool {
        self.pins.get(self.pins.at.trapped) >> warp.slot & 1 == 1
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
        let (place, issue) = (warp.place(), warp.issue);
        (warp.offered, warp.ready_at) = (false, cycle + 1);
        warp.step += 1;
        let (cta, number) = (warp.cta, warp.warp);
        match issue.meaning(self.sizes.pack_lsb) {
            Meaning::Nothing => {}
            Meaning::Illegal => self.ledger.illegal(cta, number, &place),
            Meaning::Arrival(ask) => {
                let counts = self.ledger.arrive(cta, ask, Arrival { warp: number, form: ask.form, cycle, place });
                if ask.form.waits() {
                    // Even if it completes the barrier, until the unit says so.
                    warp.waits_at = counts.then_some(ask.id);
                    // `blocked` shows this one cycle from now, so the warp is looked at again after that.
                    warp.ready_at = cycle + 2;
                }
            }
            Meaning::Read { state, rd, pu } => {
                let reader = Reader { cta, warp: number, lanes: issue.lanes() };
                if self.ledger.read(reader, state, (rd, pu), &place) {
                    warp.pending.push((rd, pu));
                }
            }
            Meaning::Write { state, word, uniform } => {
                self.ledger.write(cycle, (cta, number), state, (word, uniform), &place);
                if state == State::Warp {
                    warp.waits_at = self.ledger.books[cta].warps[number].waits_at();
                    warp.settling = warp.waits_at.is_some();
                }
            }
        }
        warp.stopped = self.ledger.books[cta].warps[number].stopped();
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
        let slots: Vec<usize> = self.resident_warps().filter(|w| w.cta == cta).map(|w| w.slot).collect();
        self.ledger.launch(cta, slot, &slots, self.plans[cta].barriers);
    }

    /// Takes releases, writebacks and faults.
    fn strobes(&mut self) -> Result<bool, Contradiction> {
        let at = self.pins.at.clone();
        let get = |port| self.pins.get(port);
        let seen = Release {
            slot: get(at.release_cta) as usize,
            id: get(at.release_id) as u8,
            mask: get(at.release_warps),
            reduction: get(at.release_reduction),
            value: get(at.release_value),
        };
        let writeback = Writeback {
            warp_slot: get(at.writeback_warp) as usize,
            rd: get(at.writeback_rd) as u8,
            pu: get(at.writeback_pu) as u8,
            value: get(at.writeback_value) as u32,
            predicate: get(at.writeback_predicate) == 1,
        };
        let report = Report {
            code: FaultCode::from_u64(get(at.fault_code)),
            slot: get(at.fault_cta) as usize,
            warp_slot: get(at.fault_warp) as usize,
            id: get(at.fault_id) as u8,
        };
        let [release, read, fault] = [at.release_valid, at.writeback_valid, at.fault_valid].map(|port| get(port) == 1);
        let taken = fault && self.pins.transfer(at.fault_ready, at.fault_valid);
        if release {
            self.released(seen)?;
        }
        if read {
            let Reader { cta, warp, lanes } = self.ledger.written_back(self.cycle, writeback)?;
            if let Some(warp) = self.warps.iter_mut().find(|w| (w.cta, w.warp) == (cta, warp)) {
                let (rd, pu) = (writeback.rd, writeback.pu);
                if let Some(first) = warp.pending.iter().position(|pending| *pending == (rd, pu)) {
                    warp.pending.remove(first);
                }
                warp.registers.writeback(rd, writeback.value, pu, writeback.predicate, lanes);
            }
        }
        if taken {
            self.faults.push(self.ledger.faulted(self.cycle, report)?);
        }
        Ok(release || read || fault)
    }

    fn released(&mut self, seen: Release) -> Result<(), Contradiction> {
        let generation = self.ledger.released(self.cycle, seen)?;
        for wait in &generation.waits {
            // Who waits has not exited, so its CTA still holds the slot.
            let slot = self.ledger.books[generation.cta].warps[wait.warp].warp_slot;
            if let Some(index) = self.warp_slots[slot] {
                let warp = &mut self.warps[index];
                (warp.waits_at, warp.settling) = (None, false);
                warp.waited += wait.cycles;
            }
        }
        self.generations.push(generation);
        Ok(())
    }
}
