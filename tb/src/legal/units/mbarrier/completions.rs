// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The other agents at `mbarrier`: copy engines, other CTAs of the cluster, and the retirement of CTAs.

use super::super::pins::{Drain, Offer, Pace, Shown};
use super::cta::{Doing, Stage};
use super::object::*;
use super::{Mbarrier, Network};
use crate::stimulus::Rng;
use bcu_isa::ports::Port;
use bcu_model::dut::NoPort;

impl Network {
    pub(super) fn new(ports: &[Port], rng: &mut Rng) -> Result<Network, NoPort> {
        Ok(Network {
            out: Drain::new(ports, "net_out", ["cluster", "rank", "cta", "object", "kind", "count", "bytes"])?,
            out_pace: Pace::draw(rng),
            ack: Offer::strobe(ports, "net_ack", &["cta", "absent"])?,
            input: Offer::new(ports, "net_in", &["cta", "object", "kind", "count", "bytes", "source"])?,
            input_pace: Pace::draw(rng),
            offered: (0, Task::default(), 0),
            reply: Shown::new(ports, "net_reply", ["source", "absent"])?,
            expected: [].into(),
            acks: vec![],
            replies: [].into(),
        })
    }
}

impl Mbarrier {
    /// Drives the copy engines, which send the contributions that are planned for them, and checks `tx_done`.
    pub(super) fn copies(&mut self, outputs: &[u64]) {
        if let Some([cta]) = self.tx_done.and_then(|done| done.read(outputs)) {
            match self.tx_order.pop_front() {
                Some((slot, object)) if slot as u64 == cta => {
                    if let Some(cta) = self.ctas[slot].as_mut() {
                        cta.objects[object].tx_unknown = cta.objects[object].tx_unknown.saturating_sub(1);
                    }
                }
                other => self.base.ledger.fail(|| format!("`tx_done`: CTA slot {cta}; expected that of {other:?}")),
            }
        }
        self.tx.begin(&mut self.base.pins);
        if !self.tx.is_pending() && self.tx_pace.allows_event(&mut self.rng) {
            let slot = self.rng.below(self.ctas.len() as u64) as usize;
            if let Some(cta) = self.ctas[slot].as_mut().filter(|cta| cta.stage == Stage::Running && !cta.copies.is_empty()) {
                let task = cta.copies.swap_remove(self.rng.below(cta.copies.len() as u64) as usize);
                self.tx.put(&mut self.base.pins, &[slot as u64, cta.objects[task.object].word, task.count, task.bytes]);
                cta.unanswered += 1;
                self.tx_offered = (slot, task);
            }
        }
        if self.tx.take(outputs) {
            let (slot, task) = self.tx_offered;
            if let Some(cta) = self.ctas[slot].as_mut() {
                cta.unanswered -= 1;
                cta.objects[task.object].transfer(&task);
                cta.objects[task.object].tx_unknown += 1;
            }
            if self.tx_done.is_some() {
                self.tx_order.push_back((slot, task.object));
            }
            self.last_sent[slot] = self.base.ledger.cycle;
            self.base.ledger.count("transfers on tx");
        }
    }

    /// Models the other CTAs of the cluster: their operations on objects of this multiprocessor, and the operations that are sent to them.
    pub(super) fn peers(&mut self, outputs: &[u64]) {
        let Some(network) = self.network.as_mut() else { return };
        let cycle = self.base.ledger.cycle;
        if let Some([source, absent]) = network.reply.read(outputs) {
            match network.replies.pop_front() {
                Some((expected, slot)) if expected == source && absent == 0 => {
                    self.ctas[slot].iter_mut().for_each(|cta| cta.unanswered -= 1);
                }
                other => {
                    let expected = other.map_or("no reply".to_string(), |(expected, _)| format!("source {expected}, absent 0"));
                    self.base.ledger.fail(|| format!("`net_reply` of source {source}, absent {absent}: expected {expected}"))
                }
            }
        }
        network.ack.take(outputs);
        network.ack.begin(&mut self.base.pins);
        let due: Vec<usize> = (0..network.acks.len()).filter(|place| network.acks[*place].0 <= cycle).collect();
        if let Some(place) = self.rng.pick(&due) {
            let (_, slot) = network.acks.swap_remove(place);
            network.ack.put(&mut self.base.pins, &[slot, 0]);
            self.ctas[slot as usize].iter_mut().for_each(|cta| cta.unacknowledged -= 1);
        }
        let ready = network.out_pace.allows_event(&mut self.rng);
        if let Some(found) = network.out.drive(&mut self.base.pins, outputs, ready) {
            let expected = network.expected.pop_front();
            if expected != Some(found) {
                self.base.ledger.fail(|| format!("`net_out` transfers {found:x?}: expected {expected:x?}"));
            }
            network.acks.push((cycle + 1 + self.rng.below(40), found[2]));
            self.base.ledger.count("operations on other CTAs");
        }
        network.input.begin(&mut self.base.pins);
        if !network.input.is_pending() && network.input_pace.allows_event(&mut self.rng) {
            let slot = self.rng.below(self.ctas.len() as u64) as usize;
            if let Some(cta) = self.ctas[slot].as_mut().filter(|cta| cta.stage == Stage::Running && !cta.network.is_empty()) {
                let task = cta.network.swap_remove(self.rng.below(cta.network.len() as u64) as usize);
                let source = self.rng.below(256);
                let word = cta.objects[task.object].word;
                network.input.put(&mut self.base.pins, &[slot as u64, word, task.kind, task.count, task.bytes, source]);
                cta.unanswered += 1;
                network.offered = (slot, task, source);
            }
        }
        if network.input.take(outputs) {
            let (slot, task, source) = network.offered;
            self.ctas[slot].iter_mut().for_each(|cta| cta.objects[task.object].transfer(&task));
            network.replies.push_back((source, slot));
            self.last_sent[slot] = cycle;
            self.base.ledger.count("transfers on net_in");
        }
    }

    /// Checks CTAs that have retired: their words in memory and their suspended warps.
    pub(super) fn check_retired(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        let retiring = |slot: &usize| self.ctas[*slot].as_ref().is_some_and(|cta| cta.stage == Stage::Retiring);
        let mut leaving = (0..self.ctas.len()).filter(retiring).fold(0u64, |mask, slot| mask | 1 << slot);
        if let Some([slot]) = self.retired.read(outputs) {
            if leaving >> slot & 1 == 0 {
                return self.base.ledger.fail(|| format!("`retired`: CTA slot {slot} was not retired"));
            }
            leaving &= !(1 << slot);
            let Some(cta) = self.ctas[slot as usize].take() else { return };
            for (word, expected) in &cta.words {
                let found = self.memory.word(slot, *word);
                if found != *expected {
                    self.base.ledger.fail(|| {
                        format!("word {word:#x} of the CTA saved from slot {slot} is {found:#x}: expected {expected:#x}")
                    });
                }
            }
            self.base.ledger.most("worst cycles until a CTA has retired", cycle - cta.since);
            for warp in 0..64 {
                if self.warps[warp].cta == Some(slot as usize) {
                    if self.warps[warp].doing == Doing::Suspended {
                        self.base
                            .ledger
                            .fail(|| format!("CTA slot {slot} has retired while its warp {warp} is still suspended"));
                    }
                    self.warps[warp].cta = None;
                }
            }
        }
        self.base.ledger.expect("leaving", self.levels[1].read(outputs), leaving);
        for cta in self.ctas.iter().flatten().filter(|cta| cta.stage == Stage::Retiring) {
            let waited = cycle - cta.since;
            if waited > 10 * self.bound + 4 * self.objects * (self.memory.latency() + 20) {
                self.base.ledger.fail(|| format!("a CTA is not `retired` {waited} cycles after its retirement was taken"));
            }
        }
    }

    /// Stops a CTA, or retires a stopped CTA when nothing of it is in flight.
    pub(super) fn retires(&mut self, outputs: &[u64]) {
        self.retire.take(outputs);
        self.retire.begin(&mut self.base.pins);
        let slot = self.rng.below(self.ctas.len() as u64) as usize;
        let cycle = self.base.ledger.cycle;
        let Some(cta) = self.ctas[slot].as_mut() else { return };
        // The transfers of copy engines must have taken effect before the CTA stops. `tx_done` reports this effect; if the unit has no
        // `tx_done`, only the end of a phase proves it.
        let known = cta.objects.iter().all(|object| object.tx_unknown == 0 || object.is_complete || self.tx_done.is_some());
        if cta.stage == Stage::Running && (known && self.rng.chance(self.aborts) || cta.is_over(&self.warps)) {
            cta.stage = Stage::Stopping;
        }
        let remote = self.network.is_some() && self.levels[2].read(outputs) >> slot & 1 == 1;
        let is_done = self.tx_order.iter().all(|(of, _)| *of != slot);
        if cta.stage != Stage::Stopping || !cta.is_still(&self.warps) || !is_done {
            return;
        }
        // The last output about the CTA must be from an earlier cycle than the retirement.
        let still = *cta.still.get_or_insert(cycle);
        if still == cycle || remote || !self.rng.chance(self.prompt) {
            return;
        }
        (cta.stage, cta.since) = (Stage::Retiring, cycle);
        cta.saved = self.rng.chance(500);
        let mask = cta.warps.iter().fold(0, |mask, warp| mask | 1u64 << warp);
        self.retire.put(&mut self.base.pins, &[slot as u64, cta.saved.into(), mask]);
        self.base.ledger.count(if cta.saved { "retirements with saved" } else { "retirements" });
        let live = cta.objects.iter().filter(|object| object.life == Life::Live && cta.saved);
        cta.words = live.map(|object| (object.word, object.as_word())).collect();
        for warp in cta.warps.clone() {
            let state = &mut self.warps[warp];
            state.tasks.clear();
            let is_suspended = state.doing == Doing::Suspended;
            if is_suspended {
                self.base.ledger.count("warps suspended at a retirement");
            }
            if !(is_suspended && cta.saved) {
                (state.doing, state.cta) = (Doing::Idle, None);
            }
        }
    }
}
