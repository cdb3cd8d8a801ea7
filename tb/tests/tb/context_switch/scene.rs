// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A CTA on a `bcu`: executes steps, and moves the CTA to other slots by means of its state words.

use super::plan::{Event, Kind, Redop, Step};
use bcu_isa::{asm, instr};
use bcu_model::bench::Bench;
use bcu_model::dut::Dut;
use bcu_tb::stimulus::Rng;
use std::collections::BTreeSet;

/// Number of cycles after which all events of a step have been output.
const SETTLE: usize = 24;

pub struct Scene<'a> {
    bench: Bench<&'a mut dyn Dut>,
    lanes: u64,
    ids: u64,
    cta: u64,
    /// The warp slot of each warp.
    slots: Vec<usize>,
    exited: BTreeSet<usize>,
    events: Vec<Event>,
    pub faults: Vec<u64>,
}

impl<'a> Scene<'a> {
    /// A CTA of `warps` warps in CTA slot 0 and the first warp slots.
    pub fn new(dut: &'a mut dyn Dut, lanes: u64, ids: u64, warps: usize) -> Scene<'a> {
        let mut bench = Bench::new(dut);
        bench.set("fault_ready", 1);
        let slots = (0..warps).collect();
        let exited = BTreeSet::new();
        let mut scene = Scene { bench, lanes, ids, cta: 0, slots, exited, events: vec![], faults: vec![] };
        scene.launch();
        scene
    }

    fn all_lanes(&self) -> u64 {
        u64::MAX >> (64 - self.lanes)
    }

    fn tick(&mut self) {
        self.bench.cycle();
        if self.bench.get("fault_valid") == 1 {
            self.faults.push(self.bench.get("fault_code"));
        }
        if self.bench.get("release_valid") == 1 && self.bench.get("release_cta") == self.cta {
            let mask = self.bench.get("release_warps");
            let warps = (0..self.slots.len()).filter(|w| mask >> self.slots[*w] & 1 == 1).collect();
            let result = (self.bench.get("release_reduction") != 0).then(|| self.bench.get("release_value"));
            self.events.push(Event::Released { id: self.bench.get("release_id"), warps, result });
        }
    }

    fn settle(&mut self) {
        self.idle(SETTLE);
    }

    /// Runs cycles without any request to the unit.
    pub fn idle(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.tick());
    }

    fn send(&mut self, channel: &str, payload: &[(&str, u64)]) {
        self.bench.offer(channel, payload);
        self.tick();
        while !self.bench.finish_transfer(channel) {
            self.tick();
        }
        self.settle();
    }

    fn mask(&self, warps: impl Iterator<Item = usize>) -> u64 {
        warps.fold(0, |mask, w| mask | 1 << self.slots[w])
    }

    fn launch(&mut self) {
        let warps = self.mask(0..self.slots.len());
        let exited = self.mask(self.exited.iter().copied());
        let lanes = self.all_lanes();
        let payload = [("cta", self.cta), ("warps", warps), ("exited", exited), ("lanes", lanes), ("barriers", self.ids)];
        self.send("launch", &payload);
        // After a reset a launch waits until the unit has cleared its tables.
        while self.bench.get("live") & warps != warps & !exited {
            self.tick();
        }
        self.settle();
    }

    fn retire(&mut self, saved: bool) {
        self.send("retire", &[("cta", self.cta), ("saved", saved as u64)]);
        while self.bench.get("live") & self.mask(0..self.slots.len()) != 0 {
            self.tick();
        }
        (0..2 * self.ids).for_each(|_| self.tick());
    }

    /// Issues an instruction; returns the value that it writes back, if any.
    fn instr(&mut self, warp: usize, text: &str, ra: u64, votes: u64) -> Option<(u64, u64)> {
        let instr = asm::assemble(text, self.lanes as u32).unwrap().instr;
        let word = instr::encode(&instr).map(u64::from);
        let lanes = self.all_lanes();
        let payload = [
            ("word_0", word[0]),
            ("word_1", word[1]),
            ("word_2", word[2]),
            ("word_3", word[3]),
            ("warp", self.slots[warp] as u64),
            ("active", lanes),
            ("guard", lanes),
            ("predicate", votes),
            ("ra", ra),
            ("uniform", 1),
        ];
        self.bench.offer("instr", &payload);
        self.tick();
        while !self.bench.finish_transfer("instr") {
            self.tick();
        }
        let mut written = None;
        for _ in 0..SETTLE {
            self.tick();
            if self.bench.get("writeback_valid") == 1 {
                written = Some((self.bench.get("writeback_value"), self.bench.get("writeback_predicate")));
            }
        }
        written
    }

    /// Executes a step and returns its events.
    pub fn run_step(&mut self, step: Step) -> Vec<Event> {
        match step {
            Step::Arrive { warp, kind, id, count } => {
                let threads = count as u64 * self.lanes;
                let (name, votes) = match kind {
                    Kind::Sync => ("SYNC", 0),
                    Kind::Arrive => ("ARV", 0),
                    Kind::Reduce(Redop::And, votes) => ("RED.AND", votes),
                    Kind::Reduce(Redop::Or, votes) => ("RED.OR", votes),
                    Kind::Reduce(Redop::Popc, votes) => ("RED.POPC", votes),
                };
                let predicate = if name.starts_with("RED") { ", P1" } else { "" };
                self.instr(warp, &format!("BAR.{name} {id}, {threads}{predicate}"), 0, votes);
            }
            Step::Result { warp } => {
                let read = self.instr(warp, "B2R.RESULT R4, P0", 0, 0);
                self.events.extend(read.map(|(value, p)| Event::Read { warp, value, predicate: p == 1 }));
            }
            Step::Exit { warp } => {
                self.send("exit", &[("warp", self.slots[warp] as u64), ("lanes", self.all_lanes())]);
                self.exited.insert(warp);
            }
        }
        std::mem::take(&mut self.events)
    }

    /// Saves the CTA, lets another CTA run in its place, and restores it in CTA slot `cta` and other warp slots.
    pub fn switch(&mut self, rng: &mut Rng, cta: u64, warp_slots: usize) {
        let live: Vec<usize> = (0..self.slots.len()).filter(|w| !self.exited.contains(w)).collect();
        let mut saved = vec![];
        for &warp in &live {
            let words = (0..self.ids).map(|id| self.instr(warp, &format!("B2R.BAR R4, {id}"), 0, 0).unwrap().0).collect();
            let warp_word = self.instr(warp, "B2R.WARP R4", 0, 0).unwrap().0;
            saved.push((warp, words, warp_word));
        }
        self.retire(true);

        // The other CTA leaves state behind: a complete reduction, an open barrier, an exited warp.
        let (slots, exited) = (self.slots.clone(), std::mem::take(&mut self.exited));
        self.launch();
        for warp in 0..2 {
            self.instr(warp, &format!("BAR.RED.OR 0, {}, P1", 2 * self.lanes), 0, rng.draw());
        }
        self.instr(0, "BAR.SYNC 1", 0, 0);
        self.retire(true);

        self.cta = cta;
        self.exited = exited;
        let mut free_slots: Vec<usize> = (0..warp_slots).collect();
        self.slots = slots.iter().map(|_| free_slots.swap_remove(rng.below(free_slots.len() as u64) as usize)).collect();
        self.launch();
        for (warp, words, _) in &saved {
            let words: &Vec<u64> = words;
            for (id, word) in words.iter().enumerate() {
                self.instr(*warp, &format!("R2B.BAR {id}, R4"), *word, 0);
            }
        }
        for (warp, _, warp_word) in &saved {
            self.instr(*warp, "R2B.WARP R4", *warp_word, 0);
        }
        self.events.clear();
    }
}
