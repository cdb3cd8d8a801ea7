// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for the whole unit: plays the issue side of an SM, its memory, and the launcher of CTAs.

mod instruction;

use super::copies::Copies;
use super::cta::Cta;
use super::decode::FIELDS;
use super::hubs::Hubs;
use super::lane_moves::{Forms, Moves};
use super::lanes::{Op, OF_CLUSTERS};
use super::line::{Level, Line, Offer, Phase, Sink, Strobe};
use super::mbarrier::picture::Wish as ObjectWish;
use super::memory::Memory;
use super::objects::Objects;
use super::picture::Picture;
use super::residency::{Gates, Spare};
use super::signals::{Message, Signals};
use super::swarm::Misuse;
use super::wish::{Access, Arrival, Launch, Wish};
use super::{Shape, Stimulus, StimulusError};
use bcu_hw::unit::op::{OpKind, RedOp};

/// What an instruction means if it makes sense.
#[derive(Clone, Copy, Debug)]
enum Issued {
    /// Lanes arrive or meet.
    Lanes(Op),
    Other(Wish),
    /// A warp does something to an mbarrier, or about its grid.
    Object {
        slot: usize,
        warp: usize,
        wish: Option<ObjectWish>,
    },
    /// A warp tells the gateway something.
    Gateway {
        slot: usize,
        warp: usize,
        message: Message,
    },
}

pub struct Bcu {
    pub(super) line: Line,
    picture: Picture,
    moves: Moves,
    forms: Forms,
    memory: Memory,
    pub(super) objects: Objects,
    copies: Copies,
    signals: Signals,
    hubs: Hubs,
    /// Warps that have arrived at the barrier of their cluster and have not waited since.
    armed: u64,
    gates: Gates,
    instr: Offer,
    issued: Option<Issued>,
    fault: Sink,
    policy: Level,
    leader_policy: usize,
    /// With state words.
    writeback: Option<Strobe>,
    reset: usize,
    live: usize,
    blocked: usize,
    draining: usize,
    /// A warp whose instruction was taken in the cycle before and is not yet seen in `blocked`.
    fresh: u64,
    /// Cycles in which a warp's last instruction is mostly still on its way, which nothing shows for a warp that waits anyway.
    busy: Vec<u8>,
}

/// Cycles in which an instruction mostly reaches the barriers.
const BUSY: u8 = 12;

impl Bcu {
    pub fn new(mut line: Line, shape: Shape) -> Result<Self, StimulusError> {
        let mut memory = Memory::new(&mut line, shape, shape.all())?;
        if line.rng.chance(300) {
            memory.silence();
        }
        Ok(Bcu {
            moves: Moves::new(&mut line.rng, shape),
            forms: Forms::draw(&mut line.rng),
            memory,
            objects: Objects::new(&mut line, shape)?,
            copies: Copies::new(&mut line, shape)?,
            signals: Signals::new(&mut line.rng, shape.slots, shape.gateway_ids),
            hubs: Hubs::new(&mut line, shape)?,
            armed: 0,
            gates: Gates::new(&mut line)?,
            instr: line.channel("instr", &FIELDS)?,
            issued: None,
            fault: line.sink("fault")?,
            policy: line.level("fault_policy")?,
            leader_policy: line.input("leader_policy")?,
            writeback: (shape.gateway_ids == 0).then(|| Strobe::new(&line, "writeback")).transpose()?,
            reset: line.input("reset")?,
            live: line.output("live")?,
            blocked: line.output("blocked")?,
            draining: line.output("draining")?,
            picture: Picture::new(shape),
            fresh: 0,
            busy: vec![0; shape.warps as usize],
            line,
        })
    }

    /// Begins one operation, on whatever channel it belongs to.
    fn choose(&mut self, live: u64, blocked: u64) {
        let shape = self.picture.shape;
        let Line { rng, swarm, .. } = &mut self.line;
        let offered = match self.issued {
            Some(Issued::Lanes(op)) if !rng.chance(self.forms.hasty) => 1 << op.warp,
            _ => 0,
        };
        let busy = self.busy.iter().enumerate().fold(0, |all, (warp, left)| all | u64::from(*left > 0) << warp);
        let has_busy = |cta: &Option<Cta>| cta.as_ref().is_some_and(|cta| cta.launched & busy != 0);
        let moving = self.picture.ctas.iter().rev().fold(0u64, |all, cta| all << 1 | u64::from(has_busy(cta)));
        let stopped = blocked | self.fresh | offered | self.gates.exiting() | !live | !self.moves.able();
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        // The host's requests have channels of their own: wrong ones in every cycle would leave instructions no turn.
        let of_host = |misuse: &Misuse| matches!(misuse, Misuse::Occupied | Misuse::Empty);
        let misuse = match misuse.as_ref().is_some_and(of_host) && !rng.chance(100) {
            true => rng.weighted(&swarm.misuses).filter(|misuse| !of_host(misuse)),
            false => misuse,
        };
        let spare = Spare { absent: shape.all() & !live, blocked: blocked & live };
        if rng.chance(self.forms.meet) && self.instr.free() {
            if let Some(warp) = rng.bit(live & !stopped) {
                let op = self.moves.group(rng, swarm, warp);
                return self.lanes(op, misuse);
            }
        }
        let Some(wish) = self.picture.wish(rng, swarm, stopped) else {
            return;
        };
        // What is not built is misuse, which stops warps.
        let of = |built: bool, chance: u64| if built { chance } else { chance / 50 };
        let objects = of(shape.mbarriers, swarm.objects);
        let (clusters, grids) = (of(shape.has_clusters(), swarm.clusters), of(shape.has_grids, swarm.grids));
        match (wish, misuse) {
            (_, Some(Misuse::Occupied | Misuse::Empty)) | (Wish::Exit { .. }, Some(Misuse::Ghost | Misuse::Blocked)) => {
                let wish = match misuse {
                    Some(Misuse::Empty) => Wish::Release { slot: 0, saved: rng.chance(swarm.saved) },
                    Some(Misuse::Occupied) => Wish::Launch(Launch::anywhere(rng, shape)),
                    _ => wish,
                };
                if matches!(wish, Wish::Launch(launch) if !self.hubs.may_launch(&launch)) {
                    return;
                }
                let lanes = rng.draw();
                self.gates.offer(&mut self.line, shape, wish, lanes, misuse, spare);
            }
            (Wish::Arrive(arrival), _) if rng.chance(clusters) => {
                if self.instr.free() {
                    self.at_cluster(arrival.warp, misuse, spare);
                }
            }
            (Wish::Arrive(arrival), _) if rng.chance(grids) => {
                if self.instr.free() {
                    self.about_grid(arrival.slot, arrival.warp, misuse, spare);
                }
            }
            (Wish::Arrive(arrival), _) if rng.chance(objects) => {
                if self.instr.free() {
                    self.object(arrival.slot, arrival.warp, misuse, spare);
                }
            }
            (Wish::Arrive(arrival), _) if shape.gateway_ids > 0 => {
                if self.instr.free() {
                    self.at_gateway(arrival.slot, arrival.warp, misuse, spare);
                }
            }
            (Wish::Arrive(arrival), _) => {
                if self.instr.free() {
                    self.arrive(arrival, misuse, stopped, spare);
                }
            }
            (Wish::Fence { warp, .. }, _) => self.fence(wish, warp, misuse, spare),
            (_, Some(Misuse::Result | Misuse::Word)) => {
                let wish = misuse.and_then(|m| self.picture.bad_access(rng, m));
                if let Some(Wish::Read(a) | Wish::Write(a)) = wish {
                    self.access(wish, a, misuse);
                }
            }
            (Wish::Read(a) | Wish::Write(a), _) => self.access(Some(wish), a, misuse),
            // A CTA that moves is not stuck, though none of its warps may issue just now.
            (Wish::Release { slot, .. }, _) if moving >> slot & 1 == 1 && !rng.chance(self.forms.hasty) => (),
            _ => {
                if matches!(wish, Wish::Launch(l) if !self.gates.launch.free() || !self.hubs.may_launch(&l)) {
                    return;
                }
                let wish = match wish {
                    // What was saved comes back as it was.
                    Wish::Launch(launch) if self.picture.switch.is_none() => {
                        Wish::Launch(self.hubs.placed(&mut self.line.rng, launch, &self.picture))
                    }
                    _ => wish,
                };
                let rng = &mut self.line.rng;
                let lanes = match wish {
                    Wish::Exit { warp, .. } => self.moves.leaving(rng, &self.forms, warp),
                    _ => self.moves.last_lanes(rng),
                };
                self.gates.offer(&mut self.line, shape, wish, lanes, None, spare);
                if matches!(wish, Wish::Release { .. }) && self.line.rng.chance(50) {
                    let launch = Launch::anywhere(&mut self.line.rng, shape);
                    let launch = Some(launch).filter(|launch| self.hubs.may_launch(launch));
                    self.gates.all(&mut self.line, shape, launch, spare);
                }
            }
        }
    }

    /// Takes notice of an instruction that was taken and makes sense.
    fn note(&mut self, issued: Issued) {
        match issued {
            Issued::Lanes(op) => {
                self.fresh = 1 << op.warp;
                self.busy[op.warp as usize] = BUSY;
                self.come(&op);
            }
            Issued::Object { slot, warp, wish } => {
                self.fresh = 1 << warp;
                self.busy[warp] = BUSY;
                self.picture.age(slot);
                wish.iter().for_each(|wish| self.objects.note(wish));
            }
            Issued::Gateway { slot, warp, message } => {
                self.fresh = 1 << warp;
                self.busy[warp] = BUSY;
                self.picture.age(slot);
                self.signals.note(slot, warp, &message);
            }
            Issued::Other(wish) => {
                if let Wish::Read(Access { warp, .. }) | Wish::Write(Access { warp, .. }) | Wish::Fence { warp, .. } = wish {
                    self.fresh = 1 << warp;
                    self.busy[warp] = BUSY;
                }
                self.picture.note(wish, &mut self.line.rng, &self.line.swarm);
            }
        }
    }

    /// What lanes do, and what their warp does by that.
    fn come(&mut self, op: &Op) {
        let Some(whole) = self.moves.come(op) else { return };
        let Op { id, count, warp, .. } = whole;
        let slot = (0..self.picture.shape.slots as usize)
            .find(|slot| self.picture.cta(*slot).is_some_and(|cta| cta.launched >> warp & 1 == 1));
        if OF_CLUSTERS.iter().any(|kind| *kind as u64 == whole.kind) {
            let bit = 1 << warp;
            self.armed = if whole.kind == OpKind::ClusterWait as u64 { self.armed & !bit } else { self.armed | bit };
            slot.iter().for_each(|slot| self.picture.age(*slot));
            return;
        }
        let redop = if whole.kind == OpKind::Reduce as u64 { RedOp::ALL.get(whole.redop as usize).copied() } else { None };
        if let Some(slot) = slot {
            let sync = whole.kind != OpKind::Arrive as u64;
            let arrival = Arrival { slot, warp: warp as usize, id, count, sync, redop };
            self.picture.note(Wish::Arrive(arrival), &mut self.line.rng, &self.line.swarm);
        }
    }

    /// Takes notice of a request that was taken and makes sense.
    fn note_request(&mut self, wish: Wish, lanes: u64) {
        match wish {
            Wish::Exit { warp, .. } => {
                self.come(&Op { kind: OpKind::Exit as u64, warp: warp as u64, lanes, ..Op::default() });
                if !self.moves.is_gone(warp) {
                    return;
                }
            }
            Wish::Launch(l) => {
                self.objects.enter(l.slot);
                self.signals.enter(l.slot, l.warps, l.barriers.min(self.picture.shape.gateway_ids));
                self.hubs.comes(&l);
                self.armed &= !l.warps;
                self.moves.note(&Op { kind: OpKind::Launch as u64, mask: l.warps, lanes, ..Op::default() });
            }
            _ => (),
        }
        self.picture.note(wish, &mut self.line.rng, &self.line.swarm);
    }
}

impl Stimulus for Bcu {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        self.fresh = 0;
        self.busy.iter_mut().for_each(|left| *left = left.saturating_sub(1));
        let phase = self.line.begin(self.reset);
        self.hubs.drive(&mut self.line, phase, previous, &self.picture);
        self.line.drain(&mut self.fault);
        self.line.set_policy(&self.policy);
        let Line { rng, swarm, inputs, .. } = &mut self.line;
        if rng.chance(swarm.change) {
            inputs[self.leader_policy] = rng.below(2);
        }
        let shown = |place: usize| if phase == Phase::Run { previous[place] } else { 0 };
        let (live, blocked) = (shown(self.live), shown(self.blocked));
        self.memory.drive(&mut self.line, phase, previous, blocked | !live, shown(self.draining));
        self.objects.drive(&mut self.line, phase, previous);
        // What is under way of a CTA goes on behind its last warp, but nothing new comes.
        let has_live = |cta: &Option<Cta>| cta.as_ref().is_some_and(|cta| cta.launched & live != 0);
        let copying = self.picture.ctas.iter().rev().fold(0, |all, cta| all << 1 | u64::from(has_live(cta)));
        self.copies.drive(&mut self.line, phase, previous, self.objects.present() & copying);
        match phase {
            Phase::Reset => {
                self.picture.clear();
                self.moves.clear();
                self.signals.clear();
                self.armed = 0;
                self.issued = None;
                self.gates.shake(&mut self.line);
                self.line.shake(&mut self.instr);
                return &self.line.inputs;
            }
            Phase::Fresh => {
                self.gates.idle(&mut self.line);
                self.line.idle(&mut self.instr);
            }
            Phase::Run => {
                if let Some((warp, value)) = self.writeback.as_ref().and_then(|strobe| strobe.read(previous)) {
                    self.picture.has_read(warp, value);
                }
                if self.instr.taken(previous) {
                    self.line.idle(&mut self.instr);
                    if let Some(issued) = self.issued.take() {
                        self.note(issued);
                    }
                }
                let taken = self.gates.taken(&mut self.line, previous);
                taken.into_iter().for_each(|(wish, lanes)| self.note_request(wish, lanes));
            }
        }
        if self.line.swarm.source.step(&mut self.line.rng) {
            self.gates.follow(&mut self.line, self.picture.shape, Spare { absent: 0, blocked: 0 });
            self.choose(live, blocked);
            while self.line.rng.chance(300) {
                self.choose(live, blocked);
            }
        }
        &self.line.inputs
    }
}
