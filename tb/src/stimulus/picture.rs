// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A light picture of the unit's state: which warps are in which CTA slot, and how far each generation has come.
//!
//! It only serves to choose operations that make sense. It is no oracle: misuse and broken promises make it drift, and a CTA
//! in which nothing moves any more is released, which brings both together again.

use super::rng::Rng;
use super::swarm::Swarm;
use super::Shape;

/// A generation in the making.
#[derive(Clone, Copy, Debug, Default)]
struct Plan {
    /// Warps that have arrived; 0 is a closed generation.
    arrived: u64,
    /// Warps that complete it, 0 for all live ones.
    expected: u64,
}

#[derive(Clone, Debug)]
pub struct Cta {
    pub launched: u64,
    pub live: u64,
    pub declared: u64,
    plans: [Plan; 16],
    /// Last id used without a count.
    last: usize,
    /// Operations until it ends.
    life: u64,
}

/// One warp's arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub slot: usize,
    pub warp: usize,
    pub id: u64,
    /// In threads, 0 for none.
    pub count: u64,
    pub sync: bool,
}

/// A whole CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    pub slot: usize,
    pub warps: u64,
    pub exited: u64,
    pub barriers: u64,
}

/// What would make sense next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Arrive(Arrival),
    Exit { slot: usize, warp: usize },
    Access { slot: usize, warp: usize },
    Launch(Launch),
    Release { slot: usize },
}

pub struct Picture {
    pub shape: Shape,
    ctas: Vec<Option<Cta>>,
}

impl Picture {
    pub fn new(shape: Shape) -> Self {
        Picture { shape, ctas: vec![None; shape.slots as usize] }
    }

    pub fn clear(&mut self) {
        self.ctas.iter_mut().for_each(|c| *c = None);
    }

    pub fn cta(&self, slot: usize) -> Option<&Cta> {
        self.ctas.get(slot)?.as_ref()
    }

    /// Warps that belong to some CTA.
    pub fn taken(&self) -> u64 {
        self.ctas.iter().flatten().fold(0, |m, c| m | c.launched)
    }

    /// Something that makes sense; `stopped` are the warps that can do nothing now.
    pub fn wish(&self, rng: &mut Rng, swarm: &Swarm, stopped: u64) -> Option<Wish> {
        let slot = rng.below(self.shape.slots) as usize;
        let Some(cta) = self.cta(slot) else {
            let launch = self.launch(slot, rng, swarm).map(Wish::Launch);
            let resident: Vec<usize> = (0..self.ctas.len()).filter(|s| self.ctas[*s].is_some()).collect();
            let other = rng.pick(&resident).and_then(|s| self.move_in(s, rng, swarm, stopped));
            return if rng.chance(300) { launch.or(other) } else { other.or(launch) };
        };
        let able = cta.live & !stopped;
        match cta.life == 0 || (able == 0 && rng.chance(100)) {
            true if able == 0 || rng.chance(swarm.cut) => Some(Wish::Release { slot }),
            true => rng.bit(able).map(|warp| Wish::Exit { slot, warp }),
            false => self.move_in(slot, rng, swarm, stopped),
        }
    }

    /// An operation of a warp of a CTA in mid-life.
    fn move_in(&self, slot: usize, rng: &mut Rng, swarm: &Swarm, stopped: u64) -> Option<Wish> {
        let able = self.cta(slot)?.live & !stopped;
        let exit = |rng: &mut Rng| rng.bit(able).map(|warp| Wish::Exit { slot, warp });
        match rng.below(100 + swarm.exit + swarm.access) {
            0..100 => match self.arrival(slot, rng, swarm, stopped) {
                Some(arrival) => Some(Wish::Arrive(arrival)),
                // Whoever may still go has arrived wherever it could: an exit now and then lets the rest go on.
                None if rng.chance(50) => exit(rng),
                None => None,
            },
            n if n < 100 + swarm.exit => exit(rng),
            _ => rng.bit(able).map(|warp| Wish::Access { slot, warp }),
        }
    }

    /// Joins a generation that is open, or opens one.
    fn arrival(&self, slot: usize, rng: &mut Rng, swarm: &Swarm, stopped: u64) -> Option<Arrival> {
        let cta = self.cta(slot)?;
        let able = cta.live & !stopped;
        let declared = (1 << cta.declared) - 1;
        let ids = if swarm.ids & declared == 0 { declared & 1 } else { swarm.ids & declared };
        let open =
            (0..16).filter(|i| cta.plans[*i].arrived != 0 && able & !cta.plans[*i].arrived != 0).fold(0u64, |m, i| m | 1 << i);
        let join = if rng.chance(swarm.join) { rng.bit(open) } else { None };
        let id = join.or_else(|| rng.bit(ids))?;
        let plan = cta.plans[id];
        let warp = rng.bit(able & !plan.arrived)?;
        let launched = cta.launched.count_ones() as u64;
        let expected = match plan.arrived {
            0 if !rng.chance(swarm.counted) => 0,
            0 if rng.chance(500) => launched,
            0 => rng.range(launched.min(2), launched),
            _ => plan.expected,
        };
        let sync = expected == 0 || rng.chance(swarm.wait);
        Some(Arrival { slot, warp, id: id as u64, count: expected * self.shape.lanes, sync })
    }

    /// A CTA of free warps for a free slot.
    fn launch(&self, slot: usize, rng: &mut Rng, swarm: &Swarm) -> Option<Launch> {
        let free = self.shape.all() & !self.taken();
        let share = |permille: u64| 1 + (self.shape.warps - 1) * permille / 1000;
        let size = rng.range(share(swarm.size[0]), share(swarm.size[1])).min(free.count_ones() as u64);
        let warps = rng.subset(free, size);
        let exited = rng.sprinkle(warps, swarm.gone);
        let barriers = if rng.chance(800) { self.shape.barriers } else { rng.below(32) };
        (warps != 0).then_some(Launch { slot, warps, exited, barriers })
    }

    /// Takes notice of an operation that the unit has taken and that makes sense.
    pub fn note(&mut self, wish: Wish, rng: &mut Rng, swarm: &Swarm) {
        let declared = |barriers: u64| barriers.min(self.shape.barriers);
        match wish {
            Wish::Launch(l) => {
                let life = rng.range(swarm.life[0], swarm.life[1]);
                let cta = Cta {
                    launched: l.warps,
                    live: l.warps & !l.exited,
                    declared: declared(l.barriers),
                    plans: [Plan::default(); 16],
                    last: 0,
                    life,
                };
                if let Some(place) = self.ctas.get_mut(l.slot) {
                    *place = Some(cta);
                }
            }
            Wish::Release { slot } => {
                if let Some(place) = self.ctas.get_mut(slot) {
                    *place = None;
                }
            }
            Wish::Exit { slot, warp } => {
                if let Some(cta) = self.ctas.get_mut(slot).and_then(Option::as_mut) {
                    let plan = &mut cta.plans[cta.last];
                    cta.live &= !(1 << warp);
                    if plan.expected == 0 && plan.arrived.count_ones() == cta.live.count_ones() {
                        *plan = Plan::default();
                    }
                }
            }
            Wish::Access { .. } => {}
            Wish::Arrive(a) => {
                if let Some(cta) = self.ctas.get_mut(a.slot).and_then(Option::as_mut) {
                    let expected = a.count / self.shape.lanes;
                    let plan = &mut cta.plans[a.id as usize & 15];
                    *plan = Plan { arrived: plan.arrived | 1 << a.warp, expected };
                    let target = if expected == 0 { cta.live.count_ones() as u64 } else { expected };
                    if plan.arrived.count_ones() as u64 == target {
                        *plan = Plan::default();
                    }
                    if expected == 0 {
                        cta.last = a.id as usize & 15;
                    }
                    cta.life = cta.life.saturating_sub(1);
                }
            }
        }
    }

    /// An open generation that some warp of its CTA, not stopped, has arrived in: slot, id, its warps, expected warps.
    pub fn arrived(&self, rng: &mut Rng, stopped: u64) -> Option<(usize, u64, u64, u64)> {
        let mut found = vec![];
        for (slot, cta) in self.ctas.iter().enumerate().filter_map(|(s, c)| Some((s, c.as_ref()?))) {
            for (id, plan) in cta.plans.iter().enumerate().filter(|(_, p)| p.arrived & cta.live & !stopped != 0) {
                found.push((slot, id as u64, plan.arrived & cta.live & !stopped, plan.expected));
            }
        }
        rng.pick(&found)
    }
}

/// A count above a CTA of `launched` warps: just above it, or anywhere up to the 12 bits of the field.
pub fn excess(rng: &mut Rng, shape: Shape, launched: u64) -> u64 {
    let warps = if rng.chance(500) { launched + rng.range(1, 3) } else { rng.range(launched + 1, 4095 / shape.lanes) };
    (warps * shape.lanes).min(4095)
}
