// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stimulus for `mbarrier`: CTAs whose warps use a few objects, copy engines that deliver bytes, and shared memory with random latency.

use super::driver::{Driver, Offer, Phase, Sink};
use super::error::StimulusError;
use super::outside::Outside;
use super::shape::Shape;
use super::{Rng, Stimulus};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::FaultCode;

pub(super) mod abstract_state;

use abstract_state::{AbstractState, Transaction};

#[rustfmt::skip]
const OP: [&str; 14] = [
    "kind", "fault", "uniform", "warp", "cta", "address", "cluster", "count", "bytes", "phase", "hint", "all_live_lanes", "rd", "pu",
];

/// The parameters of a seed; probabilities are in thousandths per cycle.
struct Profile {
    /// Probability that a CTA is launched.
    launch: u64,
    /// Probability that a CTA is retired.
    retire: u64,
    /// Probability that a retired CTA's objects are saved.
    saved: u64,
    /// Probability that a wait has a hint.
    hint: u64,
    /// Probability that a try_wait has all live lanes.
    all_live_lanes: u64,
    /// Probability of a wrong operand.
    misuse: u64,
    /// Probability that an operation and its object are drawn at random.
    wild: u64,
    /// Probability that an operation addresses an object of another CTA, if its kind allows that.
    remote: u64,
}

impl Profile {
    fn draw(rng: &mut Rng) -> Self {
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Profile {
            launch: pick(rng, &[20, 200, 1000]),
            retire: pick(rng, &[0, 0, 1, 3, 20]),
            saved: pick(rng, &[0, 500, 1000]),
            hint: pick(rng, &[0, 300, 1000]),
            all_live_lanes: pick(rng, &[0, 500, 900, 1000, 1000]),
            misuse: pick(rng, &[0, 0, 10, 100, 400]),
            wild: pick(rng, &[0, 0, 10, 100, 500]),
            remote: pick(rng, &[0, 100, 500, 900]),
        }
    }
}

/// The state of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WarpState {
    Idle,
    Busy,
    Suspended,
}

/// The state of a CTA slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Empty,
    Live,
    Leaving,
}

/// A CTA's position in its cluster.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    rank: u64,
    size: u64,
}

/// Indices of ports that the stimulus drives or reads.
struct ReadPorts {
    reset: usize,
    launch: [usize; 5],
    retire: [usize; 4],
    retired: [usize; 2],
    wake: [usize; 2],
    /// Ports of the strobe: `valid`, `warps`.
    commit: [usize; 2],
    suspended: usize,
}

pub struct Mbarrier {
    driver: Driver,
    profile: Profile,
    read_ports: ReadPorts,
    op: Offer,
    fault: Sink,
    outside: Outside,
    places: Vec<Place>,
    cluster_size: u64,
    warps: Vec<WarpState>,
    /// The CTA slot of each warp.
    home: Vec<usize>,
    slots: Vec<Slot>,
    state: AbstractState,
    ticks: u64,
    /// The operation on offer; `None` if no operation is offered or the operation was not drawn as legal.
    transaction: Option<Transaction>,
}

impl Mbarrier {
    pub fn new(mut driver: Driver, shape: Shape) -> Result<Self, StimulusError> {
        let output = |driver: &Driver, name: &str| driver.output(name);
        let [launch, cta, cluster, rank, size] =
            ["valid", "cta", "cluster", "rank", "size"].map(|part| driver.input(&format!("launch_{part}")));
        let [retire, leaves, saved, its] =
            ["retire_valid", "retire_cta", "retire_saved", "retire_warps"].map(|port| driver.input(port));
        let [retired, retired_cta] = ["retired_valid", "retired_cta"].map(|port| output(&driver, port));
        let [wake, woken] = ["wake_valid", "wake_warps"].map(|port| output(&driver, port));
        let [commit, commit_warps] = ["commit_valid", "commit_warps"].map(|port| output(&driver, port));
        let read_ports = ReadPorts {
            reset: driver.input("reset")?,
            launch: [launch?, cta?, cluster?, rank?, size?],
            retire: [retire?, leaves?, saved?, its?],
            retired: [retired?, retired_cta?],
            wake: [wake?, woken?],
            commit: [commit?, commit_warps?],
            suspended: driver.output("suspended")?,
        };
        let ticks = (1 << shape.limit_bits) - 1;
        let profile = Profile::draw(&mut driver.rng);
        let slots = shape.slots as usize;
        // In some seeds all warps belong to a few CTAs.
        let used = if driver.rng.chance(500) { slots } else { driver.rng.range(1, shape.slots) as usize };
        Ok(Mbarrier {
            op: driver.channel("op", &OP)?,
            fault: driver.sink("fault")?,
            outside: Outside::new(&mut driver, shape, profile.wild)?,
            places: vec![Place::default(); slots],
            cluster_size: shape.cluster_size,
            warps: vec![WarpState::Idle; shape.warps as usize],
            home: (0..shape.warps as usize).map(|warp| warp % used).collect(),
            slots: vec![Slot::Empty; slots],
            state: AbstractState::new(&mut driver.rng, shape),
            ticks,
            transaction: None,
            profile,
            read_ports,
            driver,
        })
    }

    /// Sets the state to that after a reset.
    fn clear(&mut self) {
        self.warps.fill(WarpState::Idle);
        self.slots.fill(Slot::Empty);
        self.state.clear();
        self.transaction = None;
    }

    /// Evaluates the outputs of the previous cycle.
    fn watch(&mut self, previous: &[u64]) {
        let ReadPorts { commit, suspended, wake, retired, .. } = self.read_ports;
        if previous[commit[0]] == 1 {
            let warp = previous[commit[1]].trailing_zeros() as usize;
            let waits = previous[suspended] >> warp & 1 == 1;
            self.warps[warp] = if waits { WarpState::Suspended } else { WarpState::Idle };
        }
        if previous[wake[0]] == 1 {
            for (warp, state) in self.warps.iter_mut().enumerate() {
                if previous[wake[1]] >> warp & 1 == 1 {
                    *state = WarpState::Idle;
                }
            }
        }
        if previous[retired[0]] == 1 {
            if let Some(slot) = self.slots.get_mut(previous[retired[1]] as usize) {
                *slot = Slot::Empty;
            }
        }
    }

    /// Launches and retires CTAs.
    fn move_ctas(&mut self) {
        let Driver { rng, swarm, inputs, .. } = &mut self.driver;
        let (launch, retire) = (self.read_ports.launch, self.read_ports.retire);
        (inputs[launch[0]], inputs[retire[0]]) = (0, 0);
        // A CTA with an unacknowledged operation on an object of another CTA is preferred, because otherwise a retirement before the
        // acknowledgement would be rare.
        let sender = self.outside.away().filter(|cta| *cta < self.slots.len() && rng.chance(300));
        let at = sender.unwrap_or(rng.below(self.slots.len() as u64) as usize);
        match self.slots[at] {
            Slot::Empty if rng.chance(self.profile.launch) => {
                self.slots[at] = Slot::Live;
                self.state.enter(at);
                let size = if self.cluster_size > 1 { rng.range(1, self.cluster_size) } else { 1 };
                self.places[at] = Place { rank: rng.below(size), size };
                (inputs[launch[0]], inputs[launch[1]]) = (1, at as u64);
                inputs[launch[2]] = rng.below(4);
                (inputs[launch[3]], inputs[launch[4]]) = (self.places[at].rank, size);
            }
            Slot::Live if rng.chance(self.profile.retire * if sender.is_some() { 20 } else { 1 }) => {
                let is_of_slot = |warp: &usize| self.home[*warp] == at;
                let offered = self.transaction.is_some_and(|transaction| transaction.slot == at) || self.outside.copies_to(at);
                // A CTA does not retire before `tx_done` has reported every transfer on `tx` to it.
                let tx_offered = self.outside.sent_to(at) && !rng.chance(swarm.broken);
                if offered
                    || tx_offered
                    || (0..self.warps.len()).filter(is_of_slot).any(|warp| self.warps[warp] == WarpState::Busy)
                {
                    return;
                }
                let mut warps = 0;
                for warp in (0..self.warps.len()).filter(is_of_slot) {
                    self.warps[warp] = WarpState::Idle;
                    warps |= 1 << warp;
                }
                self.slots[at] = Slot::Leaving;
                inputs[retire[0]] = 1;
                inputs[retire[1]] = at as u64;
                inputs[retire[2]] = u64::from(rng.chance(self.profile.saved));
                inputs[retire[3]] = warps;
            }
            _ => (),
        }
    }

    /// Offers an operation of a warp, if any warp may issue one.
    fn choose_op(&mut self) {
        let able: Vec<usize> = (0..self.warps.len())
            .filter(|warp| self.warps[*warp] == WarpState::Idle && self.slots[self.home[*warp]] == Slot::Live)
            .collect();
        let Some(warp) = self.driver.rng.pick(&able) else {
            return self.driver.idle(&mut self.op);
        };
        let slot = self.home[warp];
        let wild = self.driver.rng.chance(self.profile.wild);
        let rng = &mut self.driver.rng;
        let transaction = if wild { self.state.any(rng, slot) } else { self.state.transaction(rng, slot) };
        let all_live_lanes = rng.chance(self.profile.all_live_lanes);
        let hint = if rng.chance(self.profile.hint) { rng.range(0, self.ticks) } else { 0 };
        let kind = transaction.kind as u64;
        let Place { rank: own, size } = self.places[slot];
        let remote = size > 1 && transaction.travels() && rng.chance(self.profile.remote);
        let rank = if remote { (own + rng.range(1, size - 1)) % size } else { own };
        let address = transaction.object << 3 | rank << 24;
        let mut values = [
            kind,
            0,
            1,
            warp as u64,
            slot as u64,
            address,
            u64::from(remote) | rng.below(2),
            transaction.count,
            transaction.bytes,
            u64::from(transaction.phase),
            hint,
            u64::from(all_live_lanes),
            rng.draw(),
            rng.draw(),
        ];
        if rng.chance(self.profile.misuse) {
            match rng.below(8) {
                0 => values[1] = rng.range(1, FaultCode::ALL.len() as u64 - 1),
                1 => values[2] = 0,
                2 => {
                    let most = if rng.chance(500) { 15 } else { 255 };
                    values[5] ^= rng.range(1, most) << 24;
                }
                3 => values[5] |= rng.range(1, 7),
                4 => values[5] |= 1 << rng.range(3, 23),
                5 if transaction.count != 0 => values[7] = rng.pick(&[0, 1 << 20, (1 << 21) - 1, (1 << 20) - 1]).unwrap_or(0),
                6 if transaction.bytes != 0 => values[8] = rng.pick(&[(1 << 21) - 1, 1 << 20, (1 << 20) - 1]).unwrap_or(0),
                _ => values[5] = rng.draw(),
            }
        }
        self.warps[warp] = WarpState::Busy;
        self.transaction = (!remote).then_some(transaction);
        self.driver.offer(&mut self.op, &values);
    }
}

impl Stimulus for Mbarrier {
    fn next(&mut self, previous: &[u64]) -> &[u64] {
        let before = self.driver.inputs[self.read_ports.reset];
        let phase = self.driver.begin(self.read_ports.reset);
        if phase == Phase::Run && before == 0 {
            self.watch(previous);
        }
        self.driver.drain(&mut self.fault);
        let live = self.slots.iter().rev().fold(0, |mask, slot| mask << 1 | u64::from(*slot == Slot::Live));
        self.outside.drive(&mut self.driver, phase, previous, &mut self.state, live);
        match phase {
            Phase::Reset => {
                self.clear();
                self.driver.shake(&mut self.op);
                let Driver { rng, inputs, .. } = &mut self.driver;
                inputs[self.read_ports.launch[0]] = rng.below(2);
                inputs[self.read_ports.retire[0]] = rng.below(2);
                return &self.driver.inputs;
            }
            Phase::Fresh => {
                self.driver.idle(&mut self.op);
            }
            Phase::Run => {
                if self.op.was_taken(previous) {
                    if let Some(transaction) = self.transaction.take() {
                        self.state.note(&transaction);
                    }
                }
            }
        }
        self.move_ctas();
        if self.op.is_free() {
            match self.driver.swarm.source.allows_event(&mut self.driver.rng) {
                true => self.choose_op(),
                false => self.driver.idle(&mut self.op),
            }
        }
        &self.driver.inputs
    }
}
