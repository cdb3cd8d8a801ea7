// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory of a legal user of `mem_order`: accesses and copies that are performed in any order, with any delay.

use super::super::ledger::Ledger;
use super::super::pins::{Offer, Pace, Pins};
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, NoPort, Output};

/// An access that has not been performed.
#[derive(Clone, Copy, Debug)]
struct Access {
    warp: u64,
    epoch: u64,
    issued: u64,
    due: u64,
}

pub struct Memory {
    issues: Vec<Offer>,
    performs: Vec<Offer>,
    pace: Pace,
    latency: u64,
    at_once: u64,
    accesses: Vec<Access>,
    /// For each warp, the cycle in which its last access was performed.
    pub last_performed: Vec<u64>,
    outstanding: Output,
    has_outstanding: bool,
    copies: Copies,
}

/// The outstanding copies of each CTA slot.
struct Copies {
    issue: Offer,
    perform: Offer,
    numbers: Vec<u64>,
    copying: Output,
    full: Output,
    /// The number of copies at which a CTA slot is full, once that was observed.
    most: Option<u64>,
    issue_rate: u64,
    perform_rate: u64,
}

impl Memory {
    pub fn new(ports: &[Port], shape: Shape, rng: &mut Rng) -> Result<Memory, NoPort> {
        let numbered = |name: &str, fields: &[&str]| -> Result<Vec<Offer>, NoPort> {
            (0..shape.accesses_per_cycle).map(|number| Offer::strobe(ports, &format!("{name}_{number}"), fields)).collect()
        };
        let outstanding = ports.output("outstanding");
        Ok(Memory {
            issues: numbered("issue", &["warp"])?,
            performs: numbered("perform", &["warp", "epoch"])?,
            pace: Pace::draw(rng),
            latency: rng.pick(&[0, 3, 20, 200]).unwrap_or(0),
            at_once: rng.pick(&[0, 0, 200, 1000]).unwrap_or(0),
            accesses: vec![],
            last_performed: vec![0; 64],
            has_outstanding: outstanding.is_ok(),
            outstanding: outstanding.unwrap_or(Output::ABSENT),
            copies: Copies {
                issue: Offer::strobe(ports, "copy_issue", &["cta"])?,
                perform: Offer::strobe(ports, "copy_perform", &["cta"])?,
                numbers: vec![0; shape.slots as usize],
                copying: ports.output("copying")?,
                full: ports.output("copies_full")?,
                most: None,
                issue_rate: rng.pick(&[10, 300, 900]).unwrap_or(10),
                perform_rate: rng.pick(&[10, 300, 900]).unwrap_or(10),
            },
        })
    }

    /// The cycle in which the oldest unperformed access of `warp` was issued, if there is one.
    pub fn oldest(&self, warp: u64) -> Option<u64> {
        self.accesses.iter().filter(|access| access.warp == warp).map(|access| access.issued).min()
    }

    /// Whether an access of `warp` in `epoch` is outstanding.
    pub fn has(&self, warp: u64, epoch: u64) -> bool {
        self.accesses.iter().any(|access| access.warp == warp && access.epoch == epoch)
    }

    /// Checks the outputs that report outstanding accesses and copies.
    pub fn check(&mut self, ledger: &mut Ledger, outputs: &[u64]) {
        let cycle = ledger.cycle;
        if self.has_outstanding {
            let shown = self.outstanding.read(outputs);
            let sure = self
                .accesses
                .iter()
                .filter(|access| access.issued + 2 <= cycle)
                .fold(0, |mask, access| mask | 1 << access.warp);
            let recent = |warp: &u64| self.oldest(*warp).is_some() || self.last_performed[*warp as usize] + 3 >= cycle;
            let possible = (0..64).filter(recent).fold(0, |mask, warp| mask | 1u64 << warp);
            if sure & !shown != 0 || shown & !possible != 0 {
                ledger.fail(|| format!("`outstanding` is {shown:#x}: expected {sure:#x}, at most {possible:#x}"));
            }
        }
        let copies = &mut self.copies;
        let copying_slots =
            copies.numbers.iter().enumerate().fold(0, |mask, (slot, number)| mask | u64::from(*number > 0) << slot);
        ledger.expect("copying", copies.copying.read(outputs), copying_slots);
        for (slot, number) in copies.numbers.iter().enumerate() {
            let is_full = copies.full.read(outputs) >> slot & 1 == 1;
            if is_full && copies.most.is_none() {
                copies.most = Some(*number);
            }
            if copies.most.is_some_and(|most| is_full != (*number == most)) {
                ledger.fail(|| format!("`copies_full` of slot {slot} is {is_full} with {number} copies"));
            }
        }
    }

    /// Drives one cycle. `issued` lists the accesses, at most one for each strobe, as warp and epoch.
    pub fn drive(&mut self, ledger: &mut Ledger, pins: &mut Pins, rng: &mut Rng, outputs: &[u64], issued: &[(u64, u64)]) {
        let cycle = ledger.cycle;
        for offer in self.issues.iter_mut().chain(&mut self.performs) {
            offer.take(outputs);
            offer.begin(pins);
        }
        let shift = rng.below(self.issues.len() as u64) as usize;
        let count = self.issues.len();
        for (number, (warp, epoch)) in issued.iter().enumerate() {
            self.issues[(number + shift) % count].put(pins, &[*warp]);
            let due = if rng.chance(self.at_once) { cycle } else { cycle + 1 + rng.below(self.latency + 1) };
            self.accesses.push(Access { warp: *warp, epoch: *epoch, issued: cycle, due });
            ledger.count("accesses");
        }
        if self.pace.allows_event(rng) {
            for number in 0..count {
                let due: Vec<usize> = (0..self.accesses.len()).filter(|place| self.accesses[*place].due <= cycle).collect();
                let Some(place) = rng.pick(&due) else { break };
                let access = self.accesses.swap_remove(place);
                self.performs[(number + shift) % count].put(pins, &[access.warp, access.epoch]);
                self.last_performed[access.warp as usize] = cycle;
            }
        }
        self.copies.drive(ledger, pins, rng, outputs);
    }
}

impl Copies {
    fn drive(&mut self, ledger: &mut Ledger, pins: &mut Pins, rng: &mut Rng, outputs: &[u64]) {
        for offer in [&mut self.issue, &mut self.perform] {
            offer.take(outputs);
            offer.begin(pins);
        }
        let slots = self.numbers.len() as u64;
        let slot = rng.below(slots);
        if rng.chance(self.issue_rate) && self.full.read(outputs) >> slot & 1 == 0 {
            self.issue.put(pins, &[slot]);
            self.numbers[slot as usize] += 1;
            ledger.count("copies");
        }
        let slot = if rng.chance(500) { slot } else { rng.below(slots) };
        if rng.chance(self.perform_rate) && self.numbers[slot as usize] > 0 {
            self.perform.put(pins, &[slot]);
            self.numbers[slot as usize] -= 1;
        }
    }
}
