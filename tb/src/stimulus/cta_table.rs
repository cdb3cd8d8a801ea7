// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `cta_table`: launches, exits and retirements, with an operation port that stalls. `blocked` and `clearing` are driven as
//! the barriers would drive them, or at random.

use super::abstract_state::AbstractState;
use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::shape::Shape;
use super::swarm::{Duty, Misuse};
use super::transaction::{any_slot, Launch, Transaction};
use super::Stimulus;
use bcu_isa::op::OpKind;

/// Fields of the channel `launch`.
pub const LAUNCH: [&str; 10] = ["cta", "warps", "exited", "barriers", "lanes", "cluster", "rank", "size", "has_grid", "grid"];
/// Fields of the channel `retire`.
pub const RETIRE: [&str; 2] = ["cta", "saved"];
/// Fields of the channel `exit`.
pub const EXIT: [&str; 2] = ["warp", "lanes"];

/// The three channels into `cta_table`, for stimulus of `cta_table` and for stimulus of the whole unit.
pub struct Gates {
    pub launch: Offer,
    pub retire: Offer,
    pub exit: Offer,
    /// For the channels `exit`, `retire` and `launch`: the operation on offer, with its lanes; `None` if no operation is offered or the
    /// offer was drawn as misuse.
    transactions: [Option<(Transaction, u64)>; 3],
    /// The launch that was transferred in the previous cycle; `None` if none was transferred or the launch was drawn as misuse.
    fresh: Option<Launch>,
    /// Probability, in thousandths, that a retirement or an exit of a CTA is offered in the cycle after the transfer of its launch.
    haste: u64,
}

impl Gates {
    pub fn new(driver: &mut Driver) -> Result<Self, StimulusError> {
        let (launch, retire) = (driver.channel("launch", &LAUNCH)?, driver.channel("retire", &RETIRE)?);
        let haste = driver.rng.pick(&[0, 0, 100, 400]).unwrap_or(0);
        Ok(Gates { launch, retire, exit: driver.channel("exit", &EXIT)?, transactions: [None; 3], fresh: None, haste })
    }

    pub fn shake(&mut self, driver: &mut Driver) {
        [&mut self.launch, &mut self.retire, &mut self.exit].into_iter().for_each(|c| driver.shake(c));
    }

    pub fn idle(&mut self, driver: &mut Driver) {
        [&mut self.launch, &mut self.retire, &mut self.exit].into_iter().for_each(|c| driver.idle(c));
    }

    /// The warp whose exit is offered, as a mask; 0 if no exit is offered or the offer is misuse.
    pub fn exiting(&self) -> u64 {
        match self.transactions[0] {
            Some((Transaction::Exit { warp, .. }, _)) => 1 << warp,
            _ => 0,
        }
    }

    /// The requests that were transferred in the previous cycle, except misuse, with their lanes, in the order in which the unit processes
    /// them.
    pub fn collect_taken(&mut self, driver: &mut Driver, outputs: &[u64]) -> Vec<(Transaction, u64)> {
        let mut requests = vec![];
        for (channel, transaction) in
            [&mut self.exit, &mut self.retire, &mut self.launch].into_iter().zip(&mut self.transactions)
        {
            if channel.was_taken(outputs) {
                driver.idle(channel);
                requests.extend(transaction.take());
            }
        }
        self.fresh = requests
            .iter()
            .find_map(|(transaction, _)| if let Transaction::Launch(launch) = transaction { Some(*launch) } else { None });
        requests
    }

    /// If a launch was transferred in the previous cycle, sometimes offers a retirement or an exit of that CTA.
    pub fn follow(&mut self, driver: &mut Driver, shape: Shape, spare: Spare) {
        let Some(launch) = self.fresh.filter(|_| driver.rng.chance(self.haste)) else { return };
        if driver.rng.chance(600) {
            let saved = driver.rng.chance(300) && !launch.place.binds(shape);
            self.offer(driver, shape, Transaction::Release { slot: launch.slot, saved }, 0, None, spare);
        }
        if let Some(warp) = driver.rng.bit(launch.warps & !launch.exited).filter(|_| driver.rng.chance(400)) {
            self.offer(driver, shape, Transaction::Exit { slot: launch.slot, warp: warp as usize }, u64::MAX, None, spare);
        }
    }

    /// Offers an illegal exit and the illegal launch `launch`, if there is one. The caller offers a retirement in the same cycle.
    pub fn offer_together(&mut self, driver: &mut Driver, shape: Shape, launch: Option<Launch>, spare: Spare) {
        let lanes = driver.rng.draw();
        if let Some(launch) = launch {
            self.offer(driver, shape, Transaction::Launch(launch), lanes, Some(Misuse::Occupied), spare);
        }
        self.offer(driver, shape, Transaction::Exit { slot: 0, warp: 0 }, lanes, Some(Misuse::Ghost), spare);
    }

    /// Offers an exit of `lanes`, a retirement, or a launch with `lanes` in its last warp, corrupted according to `misuse`. If the channel
    /// is not free, nothing is offered.
    pub fn offer(
        &mut self,
        driver: &mut Driver,
        shape: Shape,
        transaction: Transaction,
        lanes: u64,
        misuse: Option<Misuse>,
        spare: Spare,
    ) {
        let honest = misuse.is_none().then_some((transaction, lanes));
        match transaction {
            Transaction::Exit { warp, .. } if self.exit.is_free() => {
                let warp = match misuse {
                    Some(Misuse::Ghost) => driver.rng.bit(spare.absent).unwrap_or(warp),
                    Some(Misuse::Blocked) => driver.rng.bit(spare.blocked).unwrap_or(warp),
                    _ => warp,
                };
                self.transactions[0] = honest;
                driver.offer(&mut self.exit, &[warp as u64, lanes]);
            }
            Transaction::Release { slot, saved } if self.retire.is_free() => {
                let cta = if misuse == Some(Misuse::Empty) { any_slot(&mut driver.rng, shape) } else { slot as u64 };
                self.transactions[1] = honest;
                driver.offer(&mut self.retire, &[cta, saved as u64]);
            }
            Transaction::Launch(l) if self.launch.is_free() => {
                let noise = if driver.rng.chance(900) { 0 } else { driver.rng.sprinkle(shape.all_warps(), 200) };
                self.transactions[2] = honest;
                let [cluster, rank, size] = l.place.seat;
                let exited = l.exited | noise & !l.warps;
                let (has_grid, grid) = (u64::from(l.place.grid.is_some()), l.place.grid.unwrap_or_else(|| driver.rng.draw()));
                let values = [l.slot as u64, l.warps, exited, l.barriers, lanes, cluster, rank, size, has_grid, grid];
                driver.offer(&mut self.launch, &values);
            }
            _ => (),
        }
    }
}

/// Masks of the warps that an instruction or an exit names as misuse: warps that are not live, and warps that are blocked.
#[derive(Clone, Copy, Debug)]
pub struct Spare {
    pub absent: u64,
    pub blocked: u64,
}

pub struct CtaTable {
    driver: Driver,
    state: AbstractState,
    gates: Gates,
    op: Sink,
    reset: usize,
    blocked: usize,
    in_decode: usize,
    clearing: usize,
    launching: usize,
    live: usize,
    clear: Duty,
    /// Decides in which cycles no launch is in flight (`launching` is 0).
    clear_way: Duty,
    /// Port `ready` of the operation channel.
    op_ready: usize,
    /// Ports `valid`, `kind`, `fault` and `warp` of the operation channel.
    op_ports: [usize; 4],
    /// Ports of the strobe `warp_exited`: `valid`, `warp`.
    warp_exited: [usize; 2],
    in_flight: usize,
    copying: usize,
    flushed: Flush,
    /// Warps whose exit was passed on and is not yet reported on `warp_exited`, in order.
    due: Vec<u64>,
    /// The probability, in thousandths, that an exit has only some lanes, so that `warp_exited` does not report it.
    piecewise: u64,
    /// The probability, in thousandths per cycle, that `warp_exited` reports a random warp.
    astray: u64,
}

impl CtaTable {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        Ok(CtaTable {
            gates: Gates::new(&mut driver)?,
            op: driver.sink("op")?,
            reset: driver.input("reset")?,
            blocked: driver.input("blocked")?,
            in_decode: driver.input("in_decode")?,
            clearing: driver.input("clearing")?,
            launching: driver.input("launching")?,
            live: driver.output("live")?,
            clear: Duty::sink(&mut driver.rng),
            clear_way: Duty::sink(&mut driver.rng),
            op_ready: driver.input("op_ready")?,
            op_ports: [
                driver.output("op_valid")?,
                driver.output("op_kind")?,
                driver.output("op_fault")?,
                driver.output("op_warp")?,
            ],
            warp_exited: [driver.input("warp_exited_valid")?, driver.input("warp_exited_warp")?],
            in_flight: driver.input("in_flight")?,
            copying: driver.input("copying")?,
            flushed: Flush::new(&mut driver)?,
            due: vec![],
            piecewise: driver.rng.pick(&[0, 0, 500]).unwrap_or(0),
            astray: driver.rng.pick(&[0, 0, 10, 100]).unwrap_or(0),
            state: AbstractState::new(shape),
            driver,
        })
    }

    fn choose(&mut self, live: u64) {
        let shape = self.state.shape;
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let blocked = inputs[self.blocked];
        let spare = Spare { absent: shape.all_warps() & !live, blocked: shape.all_warps() & blocked };
        let Some(transaction) = self.state.transaction(rng, swarm, blocked) else {
            return;
        };
        // Arrivals and state words do not concern this unit; in the abstract state they only age the CTA.
        if let Transaction::Arrive(_) | Transaction::Read(_) | Transaction::Write(_) | Transaction::Fence { .. } = transaction {
            self.state.note(transaction, rng, swarm);
        }
        let misuse = if rng.chance(swarm.misuse) { rng.weighted(&swarm.misuses) } else { None };
        let transaction = match misuse {
            Some(Misuse::Occupied) => Transaction::Launch(Launch::anywhere(rng, shape)),
            Some(Misuse::Empty) => Transaction::Release { slot: 0, saved: rng.chance(swarm.saved) },
            Some(Misuse::Ghost | Misuse::Blocked) => Transaction::Exit { slot: 0, warp: 0 },
            _ => transaction,
        };
        let misuse = misuse.filter(|m| [Misuse::Occupied, Misuse::Empty, Misuse::Ghost, Misuse::Blocked].contains(m));
        let any = self.driver.rng.draw();
        let lanes = self.driver.rng.pick(&[any, any, any, 0]).unwrap_or(any);
        self.gates.offer(&mut self.driver, shape, transaction, lanes, misuse, spare);
    }

    /// Drives `warp_exited`: it reports the warp of each exit that was passed on, some time later and in order.
    fn go(&mut self, phase: Phase, previous: &[u64]) {
        let Driver { rng, inputs, swarm, .. } = &mut self.driver;
        if phase != Phase::Run {
            self.due.clear();
        } else {
            let [valid, kind, fault, warp] = self.op_ports.map(|at| previous[at]);
            let is_transferred = valid == 1 && inputs[self.op_ready] == 1 && kind == OpKind::Exit as u64 && fault == 0;
            self.due.extend((is_transferred && !rng.chance(self.piecewise)).then_some(warp));
        }
        let idle = if swarm.noise { rng.below(self.state.shape.warps) } else { inputs[self.warp_exited[1]] };
        let warp_exited = if !self.due.is_empty() && rng.chance(400) {
            Some(self.due.remove(0))
        } else {
            rng.chance(self.astray).then(|| rng.below(self.state.shape.warps))
        };
        inputs[self.warp_exited[0]] = warp_exited.is_some() as u64;
        inputs[self.warp_exited[1]] = warp_exited.unwrap_or(idle);
    }
}

/// Replaces `mbarrier`: some time after the Release of a CTA was transferred, it reports that no state of the CTA is left.
struct Flush {
    /// Ports of the operation channel: `valid`, `kind`, `fault`, CTA slot.
    op_ports: [usize; 4],
    ready: usize,
    /// Ports of the strobe: `valid`, CTA slot.
    strobe: [usize; 2],
    due: Vec<u64>,
    /// The probability, in thousandths per cycle, that a released CTA is reported.
    soon: u64,
    /// The probability, in thousandths per cycle, that a random CTA slot is reported.
    astray: u64,
}

impl Flush {
    fn new(driver: &mut Driver) -> Result<Self, StimulusError> {
        Ok(Flush {
            op_ports: [
                driver.output("op_valid")?,
                driver.output("op_kind")?,
                driver.output("op_fault")?,
                driver.output("op_cta")?,
            ],
            ready: driver.input("op_ready")?,
            strobe: [driver.input("flushed_valid")?, driver.input("flushed_cta")?],
            due: vec![],
            soon: driver.rng.pick(&[10, 200, 1000]).unwrap_or(1000),
            astray: driver.rng.pick(&[0, 0, 0, 10]).unwrap_or(0),
        })
    }

    fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64], shape: Shape) {
        let Driver { rng, inputs, swarm, .. } = driver;
        if phase != Phase::Run {
            self.due.clear();
        } else {
            let [valid, kind, fault, cta] = self.op_ports.map(|at| previous[at]);
            let leaves = valid == 1 && inputs[self.ready] == 1 && kind == OpKind::Release as u64 && fault == 0;
            self.due.extend(leaves.then_some(cta));
        }
        let idle = if swarm.noise { rng.below(shape.slots) } else { inputs[self.strobe[1]] };
        // CTAs are reported in any order, because a CTA slot without state is reported at once.
        let next = if rng.chance(self.soon) { (!self.due.is_empty()).then(|| rng.below(self.due.len() as u64)) } else { None };
        let flushed = next.map(|at| self.due.remove(at as usize));
        let flushed = flushed.or_else(|| rng.chance(self.astray).then(|| rng.below(shape.slots)));
        inputs[self.strobe[0]] = flushed.is_some() as u64;
        inputs[self.strobe[1]] = flushed.unwrap_or(idle);
    }
}

impl Stimulus for CtaTable {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let phase = self.driver.begin(self.reset);
        self.go(phase, previous);
        self.flushed.drive(&mut self.driver, phase, previous, self.state.shape);
        self.driver.drain(&mut self.op);
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        if rng.chance(swarm.change) {
            let waiting = rng.pick(&[0, 100, 500]).unwrap_or(0);
            inputs[self.blocked] = rng.sprinkle(self.state.shape.all_warps(), waiting);
            let entering = rng.pick(&[0, 0, 100, 500]).unwrap_or(0);
            inputs[self.in_decode] = rng.sprinkle(self.state.shape.all_warps(), entering);
            let flying = rng.pick(&[0, 0, 100, 500]).unwrap_or(0);
            inputs[self.copying] = rng.sprinkle(u64::MAX >> (64 - self.state.shape.slots), flying);
            inputs[self.in_flight] = rng.sprinkle(self.state.shape.all_warps(), flying);
        }
        inputs[self.clearing] = !self.clear.allows_event(rng) as u64;
        inputs[self.launching] = !self.clear_way.allows_event(rng) as u64;
        match phase {
            Phase::Reset => {
                self.state.clear();
                self.gates.shake(&mut self.driver);
                return &self.driver.inputs;
            }
            Phase::Fresh => self.gates.idle(&mut self.driver),
            Phase::Run => {
                let requests = self.gates.collect_taken(&mut self.driver, previous);
                let Driver { rng, swarm, .. } = &mut self.driver;
                requests.into_iter().for_each(|(transaction, _)| self.state.note(transaction, rng, swarm));
            }
        }
        if self.driver.swarm.source.allows_event(&mut self.driver.rng) {
            let live = if phase == Phase::Fresh { 0 } else { previous[self.live] };
            self.gates.follow(&mut self.driver, self.state.shape, Spare { absent: 0, blocked: 0 });
            self.choose(live);
            // Several channels may start in the same cycle.
            while self.driver.rng.chance(300) {
                self.choose(live);
            }
        }
        &self.driver.inputs
    }
}
