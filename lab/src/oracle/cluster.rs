// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The oracle of `cluster`, written from the first half of `docs/contract/clusters.md`.
//!
//! Checked in every cycle: `op_ready`, `cluster_out` with its payload, `commit`, `release_warps`, `waiting`, `closed`, `freed`, and that no
//! fault is offered. Not checked: whether `release_valid` is 1 for a phase for which no warp waits, which the page leaves open.

use super::pins::{bits, next_in_turn, pins, Oracle, Pin, Pins};
use bcu_isa::config::{index_bits, Config};
use bcu_isa::ports::Port;

pins! { Ports:
    launch_valid launch_cta launch_cluster launch_rank launch_size live ended op_valid op_ready op_kind op_fault op_warp op_cta
    cluster_in_valid cluster_in_kind cluster_in_cluster
    cluster_out_valid cluster_out_ready cluster_out_kind cluster_out_cluster cluster_out_rank cluster_out_size
    commit_valid commit_warps commit_refused release_valid release_warps waiting closed_valid closed_cluster freed fault_valid
}

const ARRIVE: u64 = 0;
const COMPLETE: u64 = 0;
const PRESENT: u64 = 0;
const ARRIVED: u64 = 1;
const GONE_MESSAGE: u64 = 2;

#[derive(Clone, Copy, Debug, Default)]
struct Cta {
    cluster: u64,
    rank: u64,
    size: u64,
    is_joined: bool,
    owes_present: bool,
    has_sent: bool,
    is_odd: bool,
    is_gone: bool,
    /// Whether all live warps of the CTA had arrived in the previous cycle.
    is_full: bool,
    /// Whether `Complete` for the CTA's cluster was received in the previous cycle.
    is_answered: bool,
}

pub struct Cluster {
    ports: Ports,
    owners: Vec<Pin>,
    ctas: Vec<Cta>,
    arrived: u64,
    passed: u64,
    waits: u64,
    last_turn: usize,
    message: Option<[u64; 4]>,
    /// The expected strobes of this cycle.
    commit: Option<[u64; 1]>,
    release: u64,
    closed: Option<[u64; 1]>,
    operations: u64,
}

impl Cluster {
    /// # Errors
    /// If a port is missing, or the configuration is not covered.
    pub fn new(ports: &[Port], config: &Config) -> Result<Cluster, String> {
        if !config.faults {
            return Err("the oracle of `cluster` covers configurations with faults".to_string());
        }
        let owner = |bit: usize| Pin::new(ports, &format!("warp_cta_{bit}"));
        Ok(Cluster {
            ports: Ports::new(ports)?,
            owners: (0..index_bits(config.cta_slots)).map(owner).collect::<Result<_, _>>()?,
            ctas: vec![Cta::default(); config.cta_slots],
            arrived: 0,
            passed: 0,
            waits: 0,
            last_turn: 63,
            message: None,
            commit: None,
            release: 0,
            closed: None,
            operations: 0,
        })
    }

    /// The mask of the warps of the CTA in `slot`, from the ports `warp_cta_*`. Port number b has
    /// bit b of each warp's CTA slot.
    fn warps_of(&self, pins: &Pins, slot: usize) -> u64 {
        let same = |mask: u64, (bit, owner): (usize, &Pin)| {
            let owners = pins.get(owner);
            mask & if slot >> bit & 1 == 1 { owners } else { !owners }
        };
        self.owners.iter().enumerate().fold(u64::MAX, same)
    }

    fn compare(&self, pins: &Pins) -> Result<(), String> {
        let p = &self.ports;
        pins.expect(&p.fault_valid, 0)?;
        pins.expect(&p.op_ready, 1)?;
        let fields = [&p.cluster_out_kind, &p.cluster_out_cluster, &p.cluster_out_rank, &p.cluster_out_size];
        pins.expect_strobe(&p.cluster_out_valid, fields, self.message)?;
        pins.expect_strobe(&p.commit_valid, [&p.commit_warps], self.commit)?;
        pins.expect(&p.commit_warps, self.commit.unwrap_or_default()[0])?;
        pins.expect(&p.commit_refused, 0)?;
        pins.expect(&p.release_warps, self.release)?;
        if self.release != 0 {
            pins.expect(&p.release_valid, 1)?;
        }
        pins.expect(&p.waiting, self.waits)?;
        pins.expect_strobe(&p.closed_valid, [&p.closed_cluster], self.closed)?;
        let freed = |slot: &usize| !self.ctas[*slot].is_joined;
        pins.expect(&p.freed, (0..self.ctas.len()).filter(freed).fold(0, |mask, slot| mask | 1 << slot))
    }

    /// The kind of the message that a CTA has to send, if any.
    fn message_of(cta: &Cta, has_ended: bool) -> Option<u64> {
        match cta {
            cta if !cta.is_joined => None,
            cta if cta.owes_present => Some(PRESENT),
            cta if !cta.is_gone && has_ended => Some(GONE_MESSAGE + u64::from(cta.is_odd)),
            cta if !cta.is_gone && !cta.has_sent && cta.is_full => Some(ARRIVED),
            _ => None,
        }
    }

    /// Predicts `cluster_out`: if it is free, the next CTA slot in round-robin order that has a
    /// message gets its turn. `completed` are the CTA slots whose phase completes in this cycle.
    fn send(&mut self, pins: &Pins, completed: u64) {
        let p = &self.ports;
        if let Some(_message) = self.message {
            if pins.is(&p.cluster_out_ready) {
                self.message = None;
            }
            return;
        }
        let ended = pins.get(&p.ended);
        let message = |slot: usize| Self::message_of(&self.ctas[slot], ended >> slot & 1 == 1);
        let due = (0..self.ctas.len()).filter(|slot| message(*slot).is_some()).fold(0, |mask, slot| mask | 1 << slot);
        let Some(slot) = next_in_turn(due, self.last_turn) else { return };
        let Some(kind) = message(slot) else { return };
        self.last_turn = slot;
        let cta = &mut self.ctas[slot];
        self.message = Some([kind, cta.cluster, cta.rank, cta.size]);
        match kind {
            PRESENT => cta.owes_present = false,
            ARRIVED => {
                cta.is_odd = !cta.is_odd;
                cta.has_sent = completed >> slot & 1 == 0;
            }
            _ => cta.is_gone = true,
        }
    }

    /// Accounts for the operation that is transferred in this cycle; it takes effect in the same
    /// cycle. Returns two masks of warps: the warp of an Arrive, and that of a Wait.
    fn operation(&mut self, pins: &Pins) -> Result<[u64; 2], String> {
        let p = &self.ports;
        if !pins.passes(&p.op_valid, &p.op_ready) {
            return Ok([0, 0]);
        }
        let (bit, is_arrive) = (1 << pins.get(&p.op_warp), pins.get(&p.op_kind) == ARRIVE);
        let has_arrived = (self.arrived | self.passed) & bit != 0;
        if pins.get(&p.op_fault) != 0 || pins.get(&p.op_cta) >= self.ctas.len() as u64 || is_arrive == has_arrived {
            return Err(format!("the page refuses the operation of warp {} of a legal user", pins.get(&p.op_warp)));
        }
        self.operations += 1;
        self.commit = Some([bit]);
        Ok(if is_arrive { [bit, 0] } else { [0, bit] })
    }

    fn launch(&mut self, pins: &Pins) {
        let p = &self.ports;
        let (cluster, rank, size) = (pins.get(&p.launch_cluster), pins.get(&p.launch_rank), pins.get(&p.launch_size));
        if let Some(cta) = self.ctas.get_mut(pins.get(&p.launch_cta) as usize) {
            let is_joined = size > 1;
            let Cta { is_full, is_answered, .. } = *cta;
            *cta = Cta { cluster, rank, size, is_joined, owes_present: is_joined, is_full, is_answered, ..Cta::default() };
        }
    }
}

impl Oracle for Cluster {
    fn advance(&mut self, pins: &Pins, _: u64) -> Result<(), String> {
        self.compare(pins)?;
        (self.commit, self.release, self.closed) = (None, 0, None);
        let [arrives, wait] = self.operation(pins)?;
        let p = &self.ports;
        let live = pins.get(&p.live);
        // `completed`: the CTA slots whose phase completes in this cycle. `ending`: the warps of
        // these CTAs that have arrived.
        let is_completed = |cta: &Cta| cta.is_answered || !cta.is_joined && cta.is_full;
        let completed =
            (0..self.ctas.len()).filter(|slot| is_completed(&self.ctas[*slot])).fold(0, |mask, slot| mask | 1 << slot);
        let ending = bits(completed).fold(0, |mask, slot| mask | self.warps_of(pins, slot)) & self.arrived;
        let woken_warps = ending & (self.waits | wait) | wait & self.passed;
        let full: Vec<bool> = (0..self.ctas.len())
            .map(|slot| {
                let warps = self.warps_of(pins, slot) & live;
                warps != 0 && warps & !self.arrived == 0 && completed >> slot & 1 == 0
            })
            .collect();
        let message = pins.is(&p.cluster_in_valid).then(|| [pins.get(&p.cluster_in_kind), pins.get(&p.cluster_in_cluster)]);
        self.release = woken_warps & live;
        self.waits = (self.waits & !ending | wait & self.arrived & !ending) & live;
        self.passed = (self.passed & !wait | ending & !woken_warps) & !arrives & live;
        self.arrived = (self.arrived & !ending | arrives) & live;
        // The effect of a message from the hub depends on the state before this cycle.
        let before: Vec<Cta> = self.ctas.clone();
        self.send(pins, completed);
        for (slot, cta) in self.ctas.iter_mut().enumerate() {
            let member_before = before[slot];
            if completed >> slot & 1 == 1 {
                cta.has_sent = false;
            }
            cta.is_full = full[slot];
            let named = message.filter(|[_, cluster]| member_before.is_joined && member_before.cluster == *cluster);
            cta.is_answered = named.is_some_and(|[kind, _]| kind == COMPLETE) && !member_before.is_gone;
            if named.is_some_and(|[kind, _]| kind != COMPLETE) && member_before.is_gone {
                cta.is_joined = false;
            }
        }
        self.closed = message.filter(|[kind, _]| *kind != COMPLETE).map(|[_, cluster]| [cluster]);
        if pins.is(&self.ports.launch_valid) {
            self.launch(pins);
        }
        Ok(())
    }

    fn reset(&mut self) {
        self.ctas.iter_mut().for_each(|cta| *cta = Cta::default());
        (self.arrived, self.passed, self.waits, self.last_turn) = (0, 0, 0, 63);
        (self.message, self.commit, self.release, self.closed) = (None, None, 0, None);
    }

    fn operations(&self) -> u64 {
        self.operations
    }
}
