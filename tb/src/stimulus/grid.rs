// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `grid`: CTAs launch, issue launch_dependents, wait, end and retire, and a hub opens grids and sends Ready for them.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::hubs::Grids;
use super::shape::Shape;
use super::swarm::Duty;
use super::{Rng, Stimulus};
use bcu_hw::unit::grid::ports::GridKind;
use bcu_isa::op::FaultCode;

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    launch: u64,
    /// Probability that a CTA belongs to a grid.
    of_grid: u64,
    /// Maximum number of warps of a CTA.
    warps: u64,
    /// Probability that an operation is a wait.
    wait: u64,
    /// Probability that an operation has a fault.
    fault: u64,
    exit: u64,
    retire: u64,
    /// Probability that a CTA without live warps ends.
    end: u64,
    /// Probability that a promise is broken.
    wild: u64,
    /// Mask: the value of `ended` for CTA slots without a CTA.
    idle: u64,
}

impl Profile {
    fn draw(driver: &mut Driver, shape: Shape) -> Self {
        let (misuse, wild) = (driver.swarm.misuse, driver.swarm.broken);
        let rng = &mut driver.rng;
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Profile {
            launch: pick(rng, &[20, 100, 500, 1000]),
            of_grid: pick(rng, &[500, 900, 1000, 1000]),
            warps: pick(rng, &[1, 2, 4, shape.warps]),
            wait: pick(rng, &[100, 500, 500, 900]),
            fault: misuse,
            exit: pick(rng, &[5, 50, 300]),
            retire: pick(rng, &[0, 0, 5, 50]),
            end: pick(rng, &[20, 300, 1000]),
            wild,
            idle: if rng.chance(500) { u64::MAX } else { 0 },
        }
    }
}

/// A CTA in a CTA slot.
#[derive(Clone, Copy)]
struct Cta {
    warps: u64,
    grid: Option<u64>,
    over: bool,
}

/// Indices of the ports.
struct Places {
    reset: usize,
    /// The launch strobe: `valid`, `cta`, `has_grid`, `grid`.
    launch: [usize; 4],
    live: usize,
    ended: usize,
    /// The port `valid` of the hub's messages.
    message: usize,
    committed: usize,
    waiting: usize,
    freed: usize,
}

pub struct Grid {
    driver: Driver,
    shape: Shape,
    profile: Profile,
    at: Places,
    ops: Duty,
    op: Offer,
    sinks: [Sink; 2],
    ctas: Vec<Option<Cta>>,
    hub: Grids,
    /// Live warps, one bit per warp.
    live: u64,
    /// Warps that become live in the next cycle, one bit per warp.
    coming: u64,
    /// Warps with an operation in flight, one bit per warp.
    busy: u64,
    waiting: u64,
    /// The warp of the offered operation.
    offered: u64,
}

impl Grid {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let input =
            |driver: &Driver, names: &[&str]| names.iter().map(|name| driver.input(name)).collect::<Result<Vec<_>, _>>();
        let launch = input(&driver, &["launch_valid", "launch_cta", "launch_has_grid", "launch_grid"])?;
        let at = Places {
            reset: driver.input("reset")?,
            launch: [launch[0], launch[1], launch[2], launch[3]],
            live: driver.input("live")?,
            ended: driver.input("ended")?,
            message: driver.input("grid_in_valid")?,
            committed: driver.output("commit_warps")?,
            waiting: driver.output("waiting")?,
            freed: driver.output("freed")?,
        };
        Ok(Grid {
            at,
            op: driver.channel("op", &["kind", "fault", "warp", "cta"])?,
            sinks: [driver.sink("grid_out")?, driver.sink("fault")?],
            ops: Duty::source(&mut driver.rng),
            profile: Profile::draw(&mut driver, shape),
            ctas: vec![None; shape.slots as usize],
            hub: Grids::new(&mut driver, shape, "opened")?,
            live: 0,
            coming: 0,
            busy: 0,
            waiting: 0,
            offered: 0,
            shape,
            driver,
        })
    }

    /// Number of CTA slots that a slot number can name, built or not: a slot number has at least one bit.
    fn numbers(&self) -> u64 {
        self.shape.slots.next_power_of_two().max(2)
    }

    fn forget(&mut self) {
        self.ctas.iter_mut().for_each(|cta| *cta = None);
        (self.live, self.coming, self.busy, self.waiting) = (0, 0, 0, 0);
    }

    /// Evaluates the unit's outputs of the previous cycle.
    fn look(&mut self, previous: &[u64]) {
        if self.op.was_taken(previous) {
            self.busy |= 1 << self.offered;
        }
        self.busy &= !previous[self.at.committed];
        self.waiting = previous[self.at.waiting];
        let freed = previous[self.at.freed];
        for (slot, cta) in self.ctas.iter_mut().enumerate() {
            cta.take_if(|cta| cta.over && freed >> slot & 1 == 1);
        }
    }

    /// Drives the live warps, and the CTA slots whose CTAs have ended.
    fn levels(&mut self) {
        let Driver { rng, inputs, .. } = &mut self.driver;
        self.live |= std::mem::take(&mut self.coming);
        let under_way = self.busy | if self.op.is_free() { 0 } else { 1 << self.offered };
        if rng.chance(self.profile.exit) {
            let warp = rng.bit(self.live & !under_way & !self.waiting).map_or(0, |warp| 1 << warp);
            self.live &= !warp;
        }
        if rng.chance(self.profile.retire) {
            let cta = rng.pick(&self.ctas).flatten().filter(|cta| cta.warps & under_way == 0);
            self.live &= !cta.map_or(0, |cta| cta.warps);
        }
        let mut ended = self.profile.idle & u64::MAX >> (64 - self.shape.slots.clamp(1, 64));
        for (slot, cta) in self.ctas.iter_mut().enumerate() {
            let Some(cta) = cta else { continue };
            let through = cta.warps & (self.live | under_way) == 0;
            cta.over |= through && rng.chance(self.profile.end);
            ended = ended & !(1 << slot) | u64::from(cta.over) << slot;
        }
        if rng.chance(self.profile.wild) {
            self.live ^= 1 << rng.below(self.shape.warps);
            ended ^= 1 << rng.below(self.shape.slots);
        }
        (inputs[self.at.live], inputs[self.at.ended]) = (self.live, ended);
    }

    /// Drives the launch strobe: launches a CTA or none.
    fn launch(&mut self) {
        let numbers = self.numbers();
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let wild = rng.chance(self.profile.wild);
        let empty = self.ctas.iter().enumerate().filter(|(_, cta)| cta.is_none()).fold(0, |mask, (slot, _)| mask | 1 << slot);
        let slot = if wild { Some(rng.below(numbers) as usize) } else { rng.bit(empty) };
        let taken_warps = self.ctas.iter().flatten().fold(self.live | self.busy, |mask, cta| mask | cta.warps);
        let most = rng.range(1, self.profile.warps.max(1));
        let warps = rng.subset(self.shape.all_warps() & !taken_warps, most);
        let grid = if wild { u64::MAX >> (64 - self.shape.grids.clamp(1, 64)) } else { self.hub.shown() };
        let grid = rng.bit(grid).filter(|_| rng.chance(self.profile.of_grid)).map(|grid| grid as u64);
        // No CTA is launched in this cycle if the CTA is to belong to a grid and no grid is open.
        let launches = (grid.is_some() || !rng.chance(self.profile.of_grid)) && (warps != 0 || wild);
        let slot = slot.filter(|_| launches && rng.chance(self.profile.launch));
        let [valid, cta, has_grid, grid_port] = self.at.launch;
        inputs[valid] = u64::from(slot.is_some());
        if slot.is_some() || swarm.noise {
            inputs[cta] = slot.map_or_else(|| rng.below(numbers), |slot| slot as u64);
            inputs[has_grid] = u64::from(grid.is_some());
            inputs[grid_port] = grid.unwrap_or_else(|| rng.below(self.shape.grids));
        }
        if let Some(place) = slot.and_then(|slot| self.ctas.get_mut(slot)) {
            self.coming = warps;
            *place = Some(Cta { warps, grid, over: false });
        }
    }

    /// Offers an operation of a warp.
    fn operate(&mut self) {
        if !self.op.is_free() {
            return;
        }
        let numbers = self.numbers();
        let rng = &mut self.driver.rng;
        let wild = rng.chance(self.profile.wild);
        let kind = if rng.chance(self.profile.wait) { GridKind::Wait } else { GridKind::LaunchDependents };
        let fault = if rng.chance(self.profile.fault) { rng.below(FaultCode::ALL.len() as u64) } else { 0 };
        let able = if wild { self.shape.all_warps() } else { self.live & !self.busy & !self.waiting };
        let warp = rng.bit(able).map(|warp| warp as u64);
        match warp.filter(|_| self.ops.allows_event(rng)) {
            Some(warp) => {
                let home = self.ctas.iter().position(|cta| cta.is_some_and(|cta| cta.warps >> warp & 1 == 1));
                let cta = home.filter(|_| !wild).map_or_else(|| rng.below(numbers), |slot| slot as u64);
                self.offered = warp;
                self.driver.offer(&mut self.op, &[kind as u64, fault, warp, cta]);
            }
            None => self.driver.idle(&mut self.op),
        }
    }
}

impl Stimulus for Grid {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.at.reset);
        let Grid { driver, sinks, .. } = self;
        sinks.iter_mut().for_each(|sink| driver.drain(sink));
        let ctas = &self.ctas;
        let is_there = |grid| ctas.iter().flatten().any(|cta| cta.grid == Some(grid));
        self.hub.drive(&mut self.driver, phase, previous, is_there);
        match phase {
            Phase::Reset => {
                self.forget();
                self.driver.shake(&mut self.op);
                let Driver { rng, inputs, .. } = &mut self.driver;
                [self.at.launch[0], self.at.message].iter().for_each(|valid| inputs[*valid] = rng.below(2));
                return &self.driver.inputs;
            }
            Phase::Fresh => {
                self.forget();
                self.driver.idle(&mut self.op);
            }
            Phase::Run => self.look(previous),
        }
        self.levels();
        self.launch();
        self.operate();
        &self.driver.inputs
    }
}
