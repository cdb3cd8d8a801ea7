// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A legal core for the whole unit: it keeps every rule that the contract pages state for the user of `bcu`, and otherwise varies its
//! behaviour as widely as possible.
//!
//! Its programs are drawn such that they neither hang nor cause a fault ([`draft`]). An issue stage, a memory and a host, whose properties
//! are also drawn ([`style`]), run the programs. Every strobe of the unit is checked against the core's own transfers: no event is early,
//! lost or refused.

mod check;
mod draft;
mod gather;
mod host;
mod issue;
mod lanes;
mod leave;
mod links;
mod memory;
mod object;
mod objects;
mod phases;
mod pins;
mod plan;
mod recruit;
mod report;
mod resident;
mod signals;
mod state;
mod strobes;
mod style;
mod team;
mod warp;
mod watch;

use super::user::LegalUser;
use crate::stimulus::Rng;
use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use links::{ClusterHub, GridHub, Shared};
use memory::{Happened, Memory};
use pins::{Drive, In, Out};
use resident::Host;
use state::{Chosen, Figures, Leaving, Team};
use style::Style;
use warp::Warp;

/// The core, its environment, and the state of its programs.
pub struct Core {
    config: Config,
    rng: Rng,
    style: Style,
    drive: Drive,
    ins: In,
    outs: Out,
    cycle: u64,
    /// Remaining cycles of reset.
    reset: u64,
    warps: Vec<Warp>,
    /// For each warp, the number of the last access that it issued before the launch of its CTA.
    base: Vec<u64>,
    teams: Vec<Option<Team>>,
    host: Host,
    chosen: Option<Chosen>,
    leaving: Option<Leaving>,
    memory: Memory,
    shared: Shared,
    clusters: ClusterHub,
    grids: GridHub,
    figures: Figures,
    failure: Option<String>,
}

impl Core {
    pub fn new(ports: &[Port], config: &Config, seed: u64) -> Core {
        let mut rng = Rng::new(seed, "legal bcu");
        let style = Style::draw(&mut rng, config.limit_bits as u64);
        let (ins, outs) = (In::find(ports), Out::find(ports));
        let most = config.accesses_per_cycle;
        let reports = outs.tx_done_valid != bcu_model::dut::Output::ABSENT;
        let strobes = |name| pins::strobes(ports, name, most);
        Core {
            drive: Drive { inputs: vec![0; pins::count(ports)] },
            memory: Memory::new(strobes("issue"), strobes("perform"), config.warps, reports),
            warps: vec![Warp::default(); config.warps],
            base: vec![0; config.warps],
            teams: vec![],
            host: Host::new(config.cta_slots, &mut rng),
            clusters: ClusterHub::new(config.cluster_slots),
            grids: GridHub::new(config.grid_slots),
            shared: Shared::default(),
            chosen: None,
            leaving: None,
            figures: Figures::default(),
            failure: None,
            cycle: 0,
            reset: 1 + rng.below(3),
            config: config.clone(),
            rng,
            style,
            ins,
            outs,
        }
    }

    /// Drives loads, stores and copies of the warps that may issue them in this cycle.
    fn access(&mut self, outputs: &[u64]) {
        self.memory.clear(&mut self.drive);
        self.drive.set(self.ins.copy_issue_valid, 0);
        if !self.style.access.allows_event(&mut self.rng) {
            return;
        }
        let (blocked, epochs) = (self.outs.blocked.read(outputs), self.outs.epoch.read(outputs));
        let copies_full = self.outs.copies_full.read(outputs);
        let mut copied = false;
        let first = self.rng.below(self.warps.len() as u64) as usize;
        for turn in 0..self.warps.len() {
            let at = (first + turn) % self.warps.len();
            let warp = &mut self.warps[at];
            let Some(cta) = warp.cta.filter(|_| blocked >> at & 1 == 0 && !warp.chosen && !warp.leaving) else { continue };
            for way in 0..warp.ways.len() {
                loop {
                    if warp.ways[way].at != warp::At::Ready || warp.waits().is_some() {
                        break;
                    }
                    match warp.ways[way].steps.front_mut() {
                        Some(plan::WarpStep::Accesses(left)) => {
                            if !self.memory.access(&mut self.drive, &mut self.rng, &self.style, at, epochs, self.cycle) {
                                break;
                            }
                            *left -= 1;
                            if *left == 0 {
                                warp.ways[way].steps.pop_front();
                            }
                            warp.last_access = self.cycle;
                            warp.note(self.cycle, "access", self.memory.last(at), epochs >> at & 1);
                            self.host.progress(cta);
                        }
                        Some(plan::WarpStep::Copy(_)) if !copied && copies_full >> cta & 1 == 0 => {
                            let Some(plan::WarpStep::Copy(sends)) = warp.ways[way].steps.pop_front() else { break };
                            let counted = sends.first().is_none_or(|tx| tx.copy);
                            copied = counted;
                            if counted {
                                self.drive.set(self.ins.copy_issue_valid, 1);
                                self.drive.set(self.ins.copy_issue_cta, cta as u64);
                            }
                            warp.note(self.cycle, "copy", cta as u64, sends.len() as u64);
                            self.memory.copy(&mut self.rng, &self.style, cta, sends, counted, self.cycle);
                            self.host.progress(cta);
                        }
                        _ => break,
                    }
                    warp.settle(self.cycle);
                    if !self.memory.has_room() || !self.rng.chance(700) {
                        break;
                    }
                }
            }
        }
    }

    /// Drives shared memory and the models of the hubs.
    fn outside(&mut self, outputs: &[u64]) {
        let Core { drive, ins, outs, rng, style, cycle, .. } = self;
        let pins = (&*ins, &*outs);
        self.shared.drive(drive, pins, rng, style, outputs, *cycle);
        self.clusters.drive(drive, pins, rng, style, outputs, *cycle);
        self.grids.drive(drive, pins, rng, style, outputs, *cycle);
        let ready = style.fault_ready.allows_event(rng);
        drive.set(ins.fault_ready, u64::from(ready));
        let ready = rng.chance(500);
        drive.set(ins.net_out_ready, u64::from(ready));
        for happened in self.memory.drive(drive, pins, rng, style, outputs, *cycle) {
            match happened {
                Happened::Performed { warp, number } => {
                    self.warps[warp].note(self.cycle, "performed", number, 0);
                    self.note_perform(warp, number);
                }
                Happened::Transferred { cta, tx } => self.note_sent(cta, tx),
            }
        }
    }
}

impl LegalUser for Core {
    fn drive(&mut self, outputs: &[u64]) -> &[u64] {
        if self.reset > 0 {
            self.reset -= 1;
            self.cycle += 1;
            self.drive.set(self.ins.reset, 1);
            self.drive.set(self.ins.fault_policy, self.style.fault_policy);
            self.drive.set(self.ins.leader_policy, self.style.leader_policy);
            self.drive.set(self.ins.wait_limit, self.style.wait_limit);
            return &self.drive.inputs;
        }
        self.drive.set(self.ins.reset, 0);
        self.strobes(outputs);
        self.look(outputs);
        self.host(outputs);
        self.warps.iter_mut().filter(|warp| warp.cta.is_some()).for_each(|warp| warp.settle(self.cycle));
        self.access(outputs);
        self.leave(outputs);
        self.issue(outputs);
        self.note_exit(outputs);
        self.outside(outputs);
        self.watch();
        self.cycle += 1;
        &self.drive.inputs
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn figures(&self) -> Vec<(String, u64)> {
        let more = [
            ("accesses", self.memory.total),
            ("copies", self.memory.total_copies),
            ("tx", self.memory.total_tx),
            ("cluster_phases", self.clusters.completed),
            ("grids", self.grids.total),
        ];
        let more = more.into_iter().map(|(name, value)| (name.to_string(), value));
        self.figures.list().into_iter().chain(more).collect()
    }
}
