// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for the whole unit: simulates the issue side of an SM, its memory, and the CTA launcher.

mod instruction;

use super::abstract_state::AbstractState;
use super::copies::Copies;
use super::cta::Cta;
use super::cta_table::{Gates, Spare};
use super::decode::FIELDS;
use super::driver::{Driver, Level, Offer, Phase, Sink, Strobe};
use super::error::StimulusError;
use super::hubs::Hubs;
use super::lane_moves::{Forms, Moves};
use super::lanes::{Op, OF_CLUSTERS};
use super::mbarrier::abstract_state::Transaction as ObjectTransaction;
use super::memory::Memory;
use super::objects::Objects;
use super::shape::Shape;
use super::signals::{Message, Signals};
use super::swarm::Misuse;
use super::transaction::{Access, Arrival, Launch, Transaction};
use super::Stimulus;
use bcu_isa::op::{OpKind, RedOp};

/// An instruction that was drawn as legal.
#[derive(Clone, Copy, Debug)]
enum Issued {
    /// Lanes arrive or meet.
    Lanes(Op),
    Operation(Transaction),
    /// An operation of a warp on an mbarrier or on its grid.
    Object {
        slot: usize,
        warp: usize,
        transaction: Option<ObjectTransaction>,
    },
    /// A message of a warp to the gateway.
    Gateway {
        slot: usize,
        warp: usize,
        message: Message,
    },
}

pub struct Bcu {
    pub(super) driver: Driver,
    state: AbstractState,
    moves: Moves,
    forms: Forms,
    memory: Memory,
    pub(super) objects: Objects,
    copies: Copies,
    signals: Signals,
    hubs: Hubs,
    /// Warps that have arrived at the barrier of their cluster and have not yet waited there; one bit per warp.
    armed: u64,
    gates: Gates,
    instr: Offer,
    issued: Option<Issued>,
    fault: Sink,
    policy: Level,
    leader_policy: usize,
    /// The port of read state words; `None` if the configuration has no state words.
    writeback: Option<Strobe>,
    reset: usize,
    live: usize,
    blocked: usize,
    waits_for_memory: usize,
    /// The warp whose instruction was transferred in the previous cycle, one-hot; `blocked` does not include it yet.
    fresh: u64,
    /// For each warp, the estimated number of cycles for which its last instruction is still in flight. The number is only an estimate,
    /// because no output reports an instruction of a waiting warp.
    busy: Vec<u8>,
}

/// Number of cycles within which an instruction usually reaches the barriers.
const BUSY: u8 = 12;

impl Bcu {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let mut memory = Memory::new(&mut driver, shape, shape.all_warps())?;
        if driver.rng.chance(300) {
            memory.silence();
        }
        Ok(Bcu {
            moves: Moves::new(&mut driver.rng, shape),
            forms: Forms::draw(&mut driver.rng),
            memory,
            objects: Objects::new(&mut driver, shape)?,
            copies: Copies::new(&mut driver, shape)?,
            signals: Signals::new(&mut driver.rng, shape.slots, shape.gateway_ids),
            hubs: Hubs::new(&mut driver, shape)?,
            armed: 0,
            gates: Gates::new(&mut driver)?,
            instr: driver.channel("instr", &FIELDS)?,
            issued: None,
            fault: driver.sink("fault")?,
            policy: driver.level("fault_policy")?,
            leader_policy: driver.input("leader_policy")?,
            writeback: (shape.gateway_ids == 0).then(|| Strobe::new(&driver, "writeback")).transpose()?,
            reset: driver.input("reset")?,
            live: driver.output("live")?,
            blocked: driver.output("blocked")?,
            waits_for_memory: driver.output("waits_for_memory")?,
            state: AbstractState::new(shape),
            fresh: 0,
            busy: vec![0; shape.warps as usize],
            driver,
        })
    }

    /// Starts one operation on its channel.
    fn choose(&mut self, live: u64, blocked: u64) {
        let shape = self.state.shape;
        let Driver { rng, swarm, .. } = &mut self.driver;
        let offered = match self.issued {
            Some(Issued::Lanes(op)) if !rng.chance(self.forms.hasty) => 1 << op.warp,
            _ => 0,
        };
        let busy = self.busy.iter().enumerate().fold(0, |mask, (warp, left)| mask | u64::from(*left > 0) << warp);
        let has_busy = |cta: &Option<Cta>| cta.as_ref().is_some_and(|cta| cta.launched & busy != 0);
        let moving = self.state.ctas.iter().rev().fold(0u64, |mask, cta| mask << 1 | u64::from(has_busy(cta)));
        let stopped = blocked | self.fresh | offered | self.gates.exiting() | !live | !self.moves.able();
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        // Requests of the host have separate channels. If a wrong request were offered in every cycle, no cycle would be left for
        // instructions.
        let of_host = |misuse: &Misuse| matches!(misuse, Misuse::Occupied | Misuse::Empty);
        let misuse = match misuse.as_ref().is_some_and(of_host) && !rng.chance(100) {
            true => rng.weighted(&swarm.misuses).filter(|misuse| !of_host(misuse)),
            false => misuse,
        };
        let spare = Spare { absent: shape.all_warps() & !live, blocked: blocked & live };
        if rng.chance(self.forms.meet) && self.instr.is_free() {
            if let Some(warp) = rng.bit(live & !stopped) {
                let op = self.moves.group(rng, swarm, warp);
                return self.lanes(op, misuse);
            }
        }
        let Some(transaction) = self.state.transaction(rng, swarm, stopped) else {
            return;
        };
        // Using a feature that is not built is misuse and stops warps, so it is rare.
        let scaled_chance = |built: bool, chance: u64| if built { chance } else { chance / 50 };
        let objects = scaled_chance(shape.mbarriers, swarm.objects);
        // A configuration has named barriers or gateway barriers. In seeds with misuse, some instructions are for the kind that is not
        // built.
        let misplaced = swarm.misuse / 20;
        let messages = if shape.gateway_ids > 0 { 1000 - misplaced } else { misplaced };
        let (clusters, grids) =
            (scaled_chance(shape.has_clusters(), swarm.clusters), scaled_chance(shape.has_grids, swarm.grids));
        match (transaction, misuse) {
            (_, Some(Misuse::Occupied | Misuse::Empty)) | (Transaction::Exit { .. }, Some(Misuse::Ghost | Misuse::Blocked)) => {
                let transaction = match misuse {
                    Some(Misuse::Empty) => Transaction::Release { slot: 0, saved: rng.chance(swarm.saved) },
                    Some(Misuse::Occupied) => Transaction::Launch(Launch::anywhere(rng, shape)),
                    _ => transaction,
                };
                if matches!(transaction, Transaction::Launch(launch) if !self.hubs.may_launch(&launch)) {
                    return;
                }
                let lanes = rng.draw();
                self.gates.offer(&mut self.driver, shape, transaction, lanes, misuse, spare);
            }
            (Transaction::Arrive(arrival), _) if rng.chance(clusters) => {
                if self.instr.is_free() {
                    self.at_cluster(arrival.warp, misuse, spare);
                }
            }
            (Transaction::Arrive(arrival), _) if rng.chance(grids) => {
                if self.instr.is_free() {
                    self.about_grid(arrival.slot, arrival.warp, misuse, spare);
                }
            }
            (Transaction::Arrive(arrival), _) if rng.chance(objects) => {
                if self.instr.is_free() {
                    self.object(arrival.slot, arrival.warp, misuse, spare);
                }
            }
            (Transaction::Arrive(arrival), _) if rng.chance(messages) => {
                if self.instr.is_free() {
                    self.at_gateway(arrival.slot, arrival.warp, misuse, spare);
                }
            }
            (Transaction::Arrive(arrival), _) => {
                if self.instr.is_free() {
                    self.arrive(arrival, misuse, stopped, spare);
                }
            }
            (Transaction::Fence { warp, .. }, _) => self.fence(transaction, warp, misuse, spare),
            (_, Some(Misuse::Result | Misuse::Word)) => {
                let transaction = misuse.and_then(|m| self.state.bad_access(rng, m));
                if let Some(Transaction::Read(a) | Transaction::Write(a)) = transaction {
                    self.access(transaction, a, misuse);
                }
            }
            (Transaction::Read(a) | Transaction::Write(a), _) => self.access(Some(transaction), a, misuse),
            // A copy is performed only after its messages have taken effect, and a CTA retires only after its copies are performed.
            (Transaction::Release { slot, .. }, _) if self.objects.sent_to(slot) && !rng.chance(swarm.broken) => {
                self.objects.leaves(slot as u64);
            }
            // A CTA with operations in flight may still make progress, so it is released only by chance.
            (Transaction::Release { slot, .. }, _) if moving >> slot & 1 == 1 && !rng.chance(self.forms.hasty) => (),
            _ => {
                if matches!(transaction, Transaction::Launch(l) if !self.gates.launch.is_free() || !self.hubs.may_launch(&l)) {
                    return;
                }
                let transaction = match transaction {
                    // A saved CTA is restored as it was, so it gets no new position in a cluster or grid.
                    Transaction::Launch(launch) if self.state.switch.is_none() => {
                        Transaction::Launch(self.hubs.placed(&mut self.driver.rng, launch, &self.state))
                    }
                    _ => transaction,
                };
                let rng = &mut self.driver.rng;
                let lanes = match transaction {
                    Transaction::Exit { warp, .. } => self.moves.leaving(rng, &self.forms, warp),
                    _ => self.moves.last_lanes(rng),
                };
                self.gates.offer(&mut self.driver, shape, transaction, lanes, None, spare);
                if matches!(transaction, Transaction::Release { .. }) && self.driver.rng.chance(50) {
                    let launch = Launch::anywhere(&mut self.driver.rng, shape);
                    let launch = Some(launch).filter(|launch| self.hubs.may_launch(launch));
                    self.gates.offer_together(&mut self.driver, shape, launch, spare);
                }
            }
        }
    }

    /// Accounts for an instruction that was drawn as legal and was transferred.
    fn note(&mut self, issued: Issued) {
        match issued {
            Issued::Lanes(op) => {
                self.fresh = 1 << op.warp;
                self.busy[op.warp as usize] = BUSY;
                self.come(&op);
            }
            Issued::Object { slot, warp, transaction } => {
                self.fresh = 1 << warp;
                self.busy[warp] = BUSY;
                self.state.age(slot);
                transaction.iter().for_each(|transaction| self.objects.note(transaction));
            }
            Issued::Gateway { slot, warp, message } => {
                self.fresh = 1 << warp;
                self.busy[warp] = BUSY;
                self.state.age(slot);
                self.signals.note(slot, warp, &message);
            }
            Issued::Operation(transaction) => {
                if let Transaction::Read(Access { warp, .. })
                | Transaction::Write(Access { warp, .. })
                | Transaction::Fence { warp, .. } = transaction
                {
                    self.fresh = 1 << warp;
                    self.busy[warp] = BUSY;
                }
                self.state.note(transaction, &mut self.driver.rng, &self.driver.swarm);
            }
        }
    }

    /// Applies an operation of lanes. If it makes the whole warp arrive, the arrival of the warp is also applied.
    fn come(&mut self, op: &Op) {
        let Some(whole) = self.moves.come(op) else { return };
        let Op { id, count, warp, .. } = whole;
        let slot = (0..self.state.shape.slots as usize)
            .find(|slot| self.state.cta(*slot).is_some_and(|cta| cta.launched >> warp & 1 == 1));
        if OF_CLUSTERS.iter().any(|kind| *kind as u64 == whole.kind) {
            let bit = 1 << warp;
            self.armed = if whole.kind == OpKind::ClusterWait as u64 { self.armed & !bit } else { self.armed | bit };
            slot.iter().for_each(|slot| self.state.age(*slot));
            return;
        }
        let redop = if whole.kind == OpKind::Reduce as u64 { RedOp::ALL.get(whole.redop as usize).copied() } else { None };
        if let Some(slot) = slot {
            let sync = whole.kind != OpKind::Arrive as u64;
            let arrival = Arrival { slot, warp: warp as usize, id, count, sync, redop };
            self.state.note(Transaction::Arrive(arrival), &mut self.driver.rng, &self.driver.swarm);
        }
    }

    /// Accounts for a request that was drawn as legal and was transferred.
    fn note_request(&mut self, transaction: Transaction, lanes: u64) {
        match transaction {
            Transaction::Exit { warp, .. } => {
                self.come(&Op { kind: OpKind::Exit as u64, warp: warp as u64, lanes, ..Op::default() });
                if !self.moves.is_gone(warp) {
                    return;
                }
            }
            Transaction::Launch(l) => {
                self.objects.enter(l.slot);
                self.signals.enter(l.slot, l.warps, l.barriers.min(self.state.shape.gateway_ids));
                self.hubs.note_launch(&l);
                self.armed &= !l.warps;
                self.moves.note(&Op { kind: OpKind::Launch as u64, mask: l.warps, lanes, ..Op::default() });
            }
            _ => (),
        }
        self.state.note(transaction, &mut self.driver.rng, &self.driver.swarm);
    }
}

impl Stimulus for Bcu {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        self.fresh = 0;
        self.busy.iter_mut().for_each(|left| *left = left.saturating_sub(1));
        let phase = self.driver.begin(self.reset);
        self.hubs.drive(&mut self.driver, phase, previous, &self.state);
        self.driver.drain(&mut self.fault);
        self.driver.set_policy(&self.policy);
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        if rng.chance(swarm.change) {
            inputs[self.leader_policy] = rng.below(2);
        }
        let shown = |place: usize| if phase == Phase::Run { previous[place] } else { 0 };
        let (live, blocked) = (shown(self.live), shown(self.blocked));
        self.memory.drive(&mut self.driver, phase, previous, blocked | !live, shown(self.waits_for_memory));
        self.objects.drive(&mut self.driver, phase, previous);
        // Copies in flight continue after the last warp of their CTA has exited, but only a CTA with a live warp issues copies.
        let has_live = |cta: &Option<Cta>| cta.as_ref().is_some_and(|cta| cta.launched & live != 0);
        let copying = self.state.ctas.iter().rev().fold(0, |mask, cta| mask << 1 | u64::from(has_live(cta)));
        self.copies.drive(&mut self.driver, phase, previous, self.objects.present() & copying);
        match phase {
            Phase::Reset => {
                self.state.clear();
                self.moves.clear();
                self.signals.clear();
                self.armed = 0;
                self.issued = None;
                self.gates.shake(&mut self.driver);
                self.driver.shake(&mut self.instr);
                return &self.driver.inputs;
            }
            Phase::Fresh => {
                self.gates.idle(&mut self.driver);
                self.driver.idle(&mut self.instr);
            }
            Phase::Run => {
                if let Some((warp, value)) = self.writeback.as_ref().and_then(|strobe| strobe.read(previous)) {
                    self.state.has_read(warp, value);
                }
                if self.instr.was_taken(previous) {
                    self.driver.idle(&mut self.instr);
                    if let Some(issued) = self.issued.take() {
                        self.note(issued);
                    }
                }
                let requests = self.gates.collect_taken(&mut self.driver, previous);
                requests.into_iter().for_each(|(transaction, lanes)| self.note_request(transaction, lanes));
            }
        }
        if self.driver.swarm.source.allows_event(&mut self.driver.rng) {
            self.gates.follow(&mut self.driver, self.state.shape, Spare { absent: 0, blocked: 0 });
            self.choose(live, blocked);
            while self.driver.rng.chance(300) {
                self.choose(live, blocked);
            }
        }
        &self.driver.inputs
    }
}
