// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The promises of a user of the unit, checked at the ports of a run: channels hold their payload, warps issue only while they are
//! not blocked, no count exceeds its limit (`docs/contract/bcu.md`, `docs/contract/mem_order.md`, `docs/contract/cta_table.md`,
//! `docs/contract/mbarrier.md`).

use bcu_isa::config::Config;
use bcu_isa::ports::Port;
use bcu_machine::Cycle;
use bcu_model::dut::{ByName, Input, Output};

/// The channels into the unit, each with the fields that must hold.
const CHANNELS: [(&str, &[&str]); 5] = [
    (
        "instr",
        &[
            "warp",
            "form",
            "members",
            "active",
            "guard",
            "predicate",
            "ra",
            "rb",
            "uniform",
            "word_0",
            "word_1",
            "word_2",
            "word_3",
        ],
    ),
    ("exit", &["warp", "lanes"]),
    ("launch", &["cta", "warps", "exited", "lanes", "barriers", "cluster", "rank", "size", "has_grid", "grid"]),
    ("retire", &["cta", "saved"]),
    ("tx", &["cta", "object", "count", "bytes"]),
];

struct Channel {
    name: &'static str,
    valid: Input,
    ready: Output,
    payload: Vec<Input>,
    /// The payload that was offered in the cycle before and not transferred.
    stands: Option<Vec<u64>>,
}

/// The strobes of an access: issue with its warp, perform with its warp and epoch.
struct Strobes {
    issue: [Input; 2],
    perform: [Input; 3],
}

/// One multiprocessor.
struct Part {
    channels: Vec<Channel>,
    accesses: Vec<Strobes>,
    epoch: Output,
    blocked: Output,
    live: Output,
    copies: [Input; 4],
    copies_full: Output,
    answers: Option<[Output; 1]>,
    mem_request: [Input; 2],
    /// `blocked` in the previous cycle.
    was_blocked: u64,
    /// For each warp, the numbers of outstanding accesses in epoch 0 and in epoch 1.
    outstanding: Vec<[usize; 2]>,
    /// For each CTA slot, the number of outstanding copies.
    copied: Vec<usize>,
    /// The number of memory requests of the unit without an answer.
    requests: usize,
}

/// An observer of a run.
pub struct Promises {
    parts: Vec<Part>,
    most: usize,
    most_copies: usize,
    cycle: u64,
    /// The promises broken in the first cycle in which any is broken; later cycles are not checked.
    pub broken: Vec<String>,
}

impl Part {
    /// The multiprocessor whose ports have the prefix `before`; `None` if there are no such ports.
    fn new(ports: &[Port], before: &str, config: &Config) -> Option<Part> {
        let input = |name: &str| ports.input(&format!("{before}{name}"));
        let output = |name: &str| ports.output(&format!("{before}{name}"));
        let channel = |(name, fields): &(&'static str, &[&str])| {
            let valid = input(&format!("{name}_valid")).ok()?;
            let ready = output(&format!("{name}_ready")).ok()?;
            let payload = fields.iter().filter_map(|field| input(&format!("{name}_{field}")).ok()).collect();
            Some(Channel { name, valid, ready, payload, stands: None })
        };
        let strobes = |number: usize| {
            let one =
                |name: &str| input(&format!("{name}_{number}_valid")).ok().zip(input(&format!("{name}_{number}_warp")).ok());
            let ((issue, warp), (perform, of)) = (one("issue")?, one("perform")?);
            Some(Strobes { issue: [issue, warp], perform: [perform, of, input(&format!("perform_{number}_epoch")).ok()?] })
        };
        let copies = ["copy_issue_valid", "copy_issue_cta", "copy_perform_valid", "copy_perform_cta"].map(input);
        let [issue, issue_cta, perform, perform_cta] = copies;
        let absent = |name: &str| input(name).unwrap_or(Input::ABSENT);
        Some(Part {
            channels: CHANNELS.iter().filter_map(channel).collect(),
            accesses: (0..).map_while(strobes).collect(),
            epoch: output("epoch").ok()?,
            blocked: output("blocked").ok()?,
            live: output("live").ok()?,
            copies: [issue.ok()?, issue_cta.ok()?, perform.ok()?, perform_cta.ok()?],
            copies_full: output("copies_full").ok()?,
            answers: output("mem_request_valid").ok().map(|valid| [valid]),
            mem_request: [absent("mem_request_ready"), absent("mem_response_valid")],
            was_blocked: 0,
            outstanding: vec![[0; 2]; config.warps],
            copied: vec![0; config.cta_slots],
            requests: 0,
        })
    }

    /// The promises that this cycle breaks.
    fn cycle(&mut self, seen: &Cycle, most: usize, most_copies: usize) -> Vec<String> {
        let mut broken = vec![];
        let (input, output) = (|port: Input| port.read(seen.inputs), |port: Output| port.read(seen.outputs));
        let (blocked, live, was_blocked) = (output(self.blocked), output(self.live), self.was_blocked);
        for channel in &mut self.channels {
            let (name, valid) = (channel.name, input(channel.valid) == 1);
            let payload: Vec<u64> = channel.payload.iter().map(|port| input(*port)).collect();
            if channel.stands.as_ref().is_some_and(|before| !valid || *before != payload) {
                broken.push(format!("`{name}` does not hold its offer"));
            }
            let begins = valid && channel.stands.is_none();
            channel.stands = (valid && output(channel.ready) == 0).then_some(payload.clone());
            // An offer that begins in this cycle was chosen in the previous cycle, so the previous value of `blocked` applies.
            if begins && ["instr", "exit"].contains(&name) {
                let warp = payload[0];
                let offer = format!("`{name}` of warp slot {warp}");
                broken.extend(
                    (was_blocked >> warp & 1 == 1).then(|| format!("{offer} begins in the cycle after `blocked` was 1")),
                );
                broken.extend((live >> warp & 1 == 0).then(|| format!("{offer} begins with `live` 0")));
            }
        }
        let epoch = output(self.epoch);
        for strobes in &self.accesses {
            let [valid, warp] = strobes.issue.map(input);
            if valid == 1 {
                let count = &mut self.outstanding[warp as usize][(epoch >> warp & 1) as usize];
                *count += 1;
                broken.extend((*count > most).then(|| format!("warp slot {warp} has {count} accesses outstanding, of {most}")));
                broken.extend(
                    (blocked >> warp & 1 == 1).then(|| format!("warp slot {warp} issues an access while `blocked` is 1")),
                );
            }
        }
        for strobes in &self.accesses {
            let [valid, warp, epoch] = strobes.perform.map(input);
            if valid == 1 {
                let count = &mut self.outstanding[warp as usize][epoch as usize];
                broken.extend((*count == 0).then(|| format!("warp slot {warp}: an access is performed that was not issued")));
                *count = count.saturating_sub(1);
            }
        }
        let [issue, issue_cta, perform, perform_cta] = self.copies.map(input);
        if issue == 1 {
            let full = output(self.copies_full) >> issue_cta & 1 == 1 || self.copied[issue_cta as usize] >= most_copies;
            broken.extend(full.then(|| format!("CTA slot {issue_cta} issues a copy beyond {most_copies}")));
            self.copied[issue_cta as usize] += 1;
        }
        if perform == 1 {
            let count = &mut self.copied[perform_cta as usize];
            broken.extend((*count == 0).then(|| format!("CTA slot {perform_cta}: a copy is performed that was not issued")));
            *count = count.saturating_sub(1);
        }
        let [takes, responds] = self.mem_request.map(input);
        if responds == 1 {
            broken
                .extend((self.requests == 0).then(|| "memory answers what was not requested in an earlier cycle".to_string()));
            self.requests = self.requests.saturating_sub(1);
        }
        self.requests += usize::from(takes == 1 && self.answers.is_some_and(|[valid]| output(valid) == 1));
        self.was_blocked = blocked;
        broken
    }
}

impl Promises {
    /// Observes a unit `bcu` or `gpu` with these ports.
    pub fn new(ports: &[Port], config: &Config) -> Promises {
        let several = (0..).map_while(|number| Part::new(ports, &format!("sm_{number}_"), config));
        let parts: Vec<Part> = several.chain(Part::new(ports, "", config)).collect();
        assert!(!parts.is_empty(), "a unit without the ports of a multiprocessor");
        let (most, most_copies) = (config.max_outstanding, config.max_copies);
        Promises { parts, most, most_copies, cycle: 0, broken: vec![] }
    }

    /// Observes a cycle; to be called in every cycle of a run.
    pub fn cycle(&mut self, seen: &Cycle) {
        // The first cycle is the reset.
        if self.cycle > 0 && self.broken.is_empty() {
            for (number, part) in self.parts.iter_mut().enumerate() {
                let broken = part.cycle(seen, self.most, self.most_copies);
                self.broken.extend(broken.iter().map(|what| format!("cycle {}, multiprocessor {number}: {what}", self.cycle)));
            }
        }
        self.cycle += 1;
    }
}
