// SPDX-License-Identifier: Apache-2.0 OR MIT
//! mbarriers in the whole unit: which operation of a warp on which object makes sense, what copy engines send, and shared memory.

use super::line::{Line, Offer, Phase};
use super::mbarrier::picture::{Picture, Wish};
use super::shared_memory::SharedMemory;
use super::swarm::Duty;
use super::word::Mbar;
use super::{Rng, Shape, StimulusError};
use bcu_hw::unit::mbarrier::ports::MbarrierKind;

/// Fields of the channel of copy engines.
pub const TX: [&str; 4] = ["cta", "object", "count", "bytes"];

pub struct Objects {
    picture: Picture,
    memory: SharedMemory,
    tx: Offer,
    engine: Duty,
    /// What is offered, if it makes sense.
    sent: Option<Wish>,
    /// Where the limit of waits stands, what it is drawn from, and how often it changes.
    limit: usize,
    limits: [u64; 2],
    change: u64,
    /// Slots of CTAs that have come and do not retire yet; valid and slot of the strobes and of the channel that say so.
    present: u64,
    launched: [usize; 2],
    retire: [usize; 3],
    slots: u64,
    /// In thousandths: chance that any operation on any object comes; of a wrong operand; of a hint, and the longest; of the form for the
    /// cluster, and without order; that a wait is of all live lanes.
    wild: u64,
    wrong: u64,
    hint: u64,
    ticks: u64,
    cluster: u64,
    relaxed: u64,
    whole: u64,
}

/// What lanes of a warp do to an object, and how many of them: those of an operation that counts stand for one arrival or byte count each.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub wish: Wish,
    pub mbar: Mbar,
    pub lanes: u64,
}

impl Objects {
    pub fn new(line: &mut Line, shape: Shape) -> Result<Self, StimulusError> {
        let ticks = (1 << shape.limit_bits) - 1;
        let memory = SharedMemory::new(line)?;
        let (tx, limit) = (line.channel("tx", &TX)?, line.input("wait_limit")?);
        let launched = [line.output("launched_valid")?, line.output("launched_cta")?];
        let retire = [line.input("retire_valid")?, line.output("retire_ready")?, line.input("retire_cta")?];
        let rng = &mut line.rng;
        let one = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Ok(Objects {
            memory,
            present: 0,
            launched,
            retire,
            tx,
            limit,
            engine: Duty::source(rng),
            sent: None,
            limits: rng.pick(&[[1, 1], [1, 3], [1, 3], [1, ticks], [ticks, ticks]]).unwrap_or([1, 1]),
            change: one(rng, &[0, 1, 100]),
            slots: shape.slots,
            wild: one(rng, &[0, 0, 10, 100, 500]),
            wrong: one(rng, &[0, 0, 10, 100, 400]),
            hint: one(rng, &[0, 300, 1000]),
            ticks,
            cluster: one(rng, &[0, 300]),
            relaxed: one(rng, &[0, 300, 1000]),
            whole: one(rng, &[0, 500, 900, 1000, 1000]),
            picture: Picture::new(rng, shape),
        })
    }

    /// A CTA comes into a slot.
    pub fn enter(&mut self, slot: usize) {
        self.picture.enter(slot);
    }

    /// Something that a warp of a slot might do, `live` being its live lanes, at least one.
    pub fn choose(&self, rng: &mut Rng, slot: usize, live: u64) -> Asked {
        let wild = rng.chance(self.wild);
        let wish = if wild { self.picture.any(rng, slot) } else { self.picture.wish(rng, slot) };
        let total = if wish.count == 0 { wish.bytes } else { wish.count };
        // As many lanes as the number can be shared among; init and waits are of any.
        let lane = rng.subset(live, 1);
        let some = lane | rng.draw() & live;
        let once =
            matches!(wish.kind, MbarrierKind::Init | MbarrierKind::Inval | MbarrierKind::TestWait | MbarrierKind::TryWait);
        let both = wish.count != 0 && wish.bytes != 0;
        let lanes = match wish.kind {
            MbarrierKind::TryWait if rng.chance(self.whole) => live,
            _ if once || wild => some,
            _ if both => lane,
            _ => [live, some, lane].into_iter().find(|lanes| total % u64::from(lanes.count_ones()) == 0).unwrap_or(lane),
        };
        let share = if both { wish.bytes } else { total };
        let number = if once { share } else { share / u64::from(lanes.count_ones().max(1)) };
        let hint = if rng.chance(self.hint) { rng.range(0, self.ticks.min(0xffff)) } else { 0 };
        let mut mbar = Mbar {
            kind: wish.kind,
            address: wish.object << 3,
            number: if wish.kind == MbarrierKind::TryWait { hint } else { number },
            phase: wish.phase,
            cluster: rng.chance(self.cluster),
            relaxed: rng.chance(self.relaxed),
        };
        if rng.chance(self.wrong) {
            match rng.below(6) {
                0 => mbar.address |= rng.range(1, 255) << 24,
                1 => mbar.address |= rng.range(1, 7),
                2 => mbar.address |= 1 << rng.range(3, 23),
                3 => mbar.address = rng.draw() & 0xffff_ffff,
                _ => mbar.number = rng.pick(&[0, (1 << 20) - 1, 1 << 20, (1 << 21) - 1, 1 << 21, 0xffff_ffff]).unwrap_or(0),
            }
        }
        Asked { wish, mbar, lanes }
    }

    /// It was taken.
    pub fn note(&mut self, wish: &Wish) {
        self.picture.note(wish);
    }

    /// The slots of CTAs that have come and do not retire yet.
    pub fn present(&self) -> u64 {
        self.present
    }

    /// The next cycle of all but the warps; called before the inputs of the last one change.
    pub fn drive(&mut self, line: &mut Line, phase: Phase, previous: &[u64]) {
        if line.inputs[self.limit] == 0 || line.rng.chance(self.change) {
            let [least, most] = self.limits;
            line.inputs[self.limit] = line.rng.range(least, most);
        }
        self.memory.drive(line, phase, previous);
        match phase {
            Phase::Reset => {
                self.picture.clear();
                (self.sent, self.present) = (None, 0);
                return line.shake(&mut self.tx);
            }
            Phase::Fresh => line.idle(&mut self.tx),
            Phase::Run => {
                let [valid, ready, slot] = self.retire;
                if line.inputs[valid] == 1 && previous[ready] == 1 {
                    self.present &= !(1 << line.inputs[slot]);
                }
                if previous[self.launched[0]] == 1 {
                    self.present |= 1 << previous[self.launched[1]];
                }
                if self.tx.taken(previous) {
                    if let Some(wish) = self.sent.take() {
                        self.picture.note(&wish);
                    }
                }
            }
        }
        if !self.tx.free() {
            return;
        }
        let slot = line.rng.below(self.slots);
        if !self.engine.step(&mut line.rng) || self.present >> slot & 1 == 0 && !line.rng.chance(self.wild / 10) {
            return line.idle(&mut self.tx);
        }
        let wish = self.picture.transfer(&mut line.rng, slot as usize, self.wild);
        self.sent = Some(wish);
        line.offer(&mut self.tx, &[slot, wish.object, wish.count, wish.bytes]);
    }
}
