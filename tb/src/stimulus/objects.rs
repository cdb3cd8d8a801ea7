// SPDX-License-Identifier: Apache-2.0 OR MIT
//! mbarriers in the whole unit: legal operations of a warp on an object, the transfers of copy engines, and shared memory.

use super::driver::{Driver, Phase};
use super::error::StimulusError;
use super::mbarrier::abstract_state::{AbstractState, Transaction};
use super::outside::Outside;
use super::shape::Shape;
use super::word::Mbar;
use super::Rng;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;

pub struct Objects {
    state: AbstractState,
    /// `None` in a configuration without mbarriers; operations on them are offered nevertheless.
    outside: Option<Outside>,
    /// Mask of the CTA slots whose CTAs are launched and not retiring.
    present: u64,
    /// Ports of the strobe `launched`: `valid`, CTA slot.
    launched: [usize; 2],
    /// Ports of the channel `retire`: `valid`, CTA slot.
    retire: [usize; 2],
    /// For each CTA slot, the rank of its CTA and the number of CTAs of the cluster.
    peers: Vec<[u64; 2]>,
    /// The output ports that report rank and size at a launch.
    peer: [usize; 2],
    /// The probability, in thousandths, of a random operation on a random object.
    wild: u64,
    /// The probability, in thousandths, of a wrong operand.
    wrong: u64,
    /// The probability, in thousandths, of a hint.
    hint: u64,
    /// The largest hint, in ticks.
    ticks: u64,
    /// The probability, in thousandths, of an object of another CTA.
    remote: u64,
    /// The probability, in thousandths, of a random operation on an object of another CTA, independent of the tracked state.
    far: u64,
    /// The probability, in thousandths, of the form for shared memory of the cluster.
    cluster: u64,
    /// The probability, in thousandths, of relaxed order.
    relaxed: u64,
    /// The probability, in thousandths, of a wait with all live lanes.
    whole: u64,
}

/// An operation of lanes of a warp on an object. If the operation has a count, each lane contributes that number of arrivals or bytes.
#[derive(Clone, Copy, Debug)]
pub struct ObjectOp {
    pub transaction: Transaction,
    pub mbar: Mbar,
    pub lanes: u64,
    /// Whether the operation addresses an object of another CTA.
    pub remote: bool,
}

impl Objects {
    pub fn new(driver: &mut Driver, shape: Shape) -> Result<Self, StimulusError> {
        let ticks = (1 << shape.limit_bits) - 1;
        let wild = driver.rng.pick(&[0, 0, 10, 100, 500]).unwrap_or(0);
        let outside = if shape.mbarriers { Some(Outside::new(driver, shape, wild)?) } else { None };
        let launched = [driver.output("launched_valid")?, driver.output("launched_cta")?];
        let retire = [driver.input("retire_valid")?, driver.input("retire_cta")?];
        let peer = [driver.output("launched_rank")?, driver.output("launched_size")?];
        let rng = &mut driver.rng;
        let pick = |rng: &mut Rng, choices: &[u64]| rng.pick(choices).unwrap_or(0);
        Ok(Objects {
            outside,
            present: 0,
            launched,
            retire,
            peers: vec![[0, 1]; shape.slots.next_power_of_two().max(2) as usize],
            peer,
            wild,
            remote: pick(rng, &[0, 300, 900]),
            far: 0,
            wrong: pick(rng, &[0, 0, 10, 100, 400]),
            hint: pick(rng, &[0, 300, 1000]),
            ticks,
            cluster: pick(rng, &[0, 300]),
            relaxed: pick(rng, &[0, 300, 1000]),
            whole: pick(rng, &[0, 500, 900, 1000, 1000]),
            state: AbstractState::new(rng, shape),
        })
    }

    /// Numbers of the words in which CTAs of another multiprocessor may also have objects.
    pub fn numbers(&self) -> &[u64] {
        self.state.numbers()
    }

    /// Uses the words `numbers` for objects; `far` thousandths of the operations are on objects of other CTAs.
    pub fn meet(&mut self, numbers: &[u64], far: u64) {
        self.state.share(numbers);
        self.far = far;
    }

    /// Accounts for the launch of a CTA into the CTA slot `slot`.
    pub fn enter(&mut self, slot: usize) {
        self.state.enter(slot);
    }

    /// A possible operation of a warp of the CTA in `slot`; `live` are the warp's live lanes, at least one.
    pub fn choose(&self, rng: &mut Rng, slot: usize, live: u64) -> ObjectOp {
        let wild = rng.chance(self.wild);
        let [own_rank, size] = self.peers[slot];
        let far = size > 1 && rng.chance(self.far);
        let transaction = if wild || far { self.state.any(rng, slot) } else { self.state.transaction(rng, slot) };
        let transaction = if far && !transaction.travels() { self.state.transfer(rng, slot, 0) } else { transaction };
        let total = if transaction.count == 0 { transaction.bytes } else { transaction.count };
        // Each lane contributes an equal part, so the number of lanes divides the operation's number. An init or a wait may have any lanes.
        let lane = rng.subset(live, 1);
        let some_lanes = lane | rng.draw() & live;
        let once = matches!(
            transaction.kind,
            MbarrierKind::Init | MbarrierKind::Inval | MbarrierKind::TestWait | MbarrierKind::TryWait
        );
        let both = transaction.count != 0 && transaction.bytes != 0;
        let lanes = match transaction.kind {
            MbarrierKind::TryWait if rng.chance(self.whole) => live,
            _ if once || wild => some_lanes,
            _ if both => lane,
            _ => [live, some_lanes, lane].into_iter().find(|lanes| total % u64::from(lanes.count_ones()) == 0).unwrap_or(lane),
        };
        let share = if both { transaction.bytes } else { total };
        let number = if once { share } else { share / u64::from(lanes.count_ones().max(1)) };
        let hint = if rng.chance(self.hint) { rng.range(0, self.ticks.min(0xffff)) } else { 0 };
        let remote = far || size > 1 && transaction.travels() && rng.chance(self.remote);
        let rank = if remote { (own_rank + rng.range(1, size - 1)) % size } else { own_rank };
        let mut mbar = Mbar {
            kind: transaction.kind,
            address: transaction.object << 3 | rank << 24,
            number: if transaction.kind == MbarrierKind::TryWait { hint } else { number },
            phase: transaction.phase,
            cluster: remote || rng.chance(self.cluster),
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
        ObjectOp { transaction, mbar, lanes, remote }
    }

    /// Accounts for an operation that was transferred.
    pub fn note(&mut self, transaction: &Transaction) {
        self.state.note(transaction);
    }

    /// Whether transfers of copy engines to the CTA in `slot` have not taken effect.
    pub fn sent_to(&self, slot: usize) -> bool {
        self.outside.as_ref().is_some_and(|outside| outside.sent_to(slot))
    }

    /// Notes that the CTA in `slot` is to retire, so that no further transfer is sent to it.
    pub fn leaves(&mut self, slot: u64) {
        self.present &= !(1 << slot);
    }

    /// Mask of the CTA slots whose CTAs are launched and not retiring.
    pub fn present(&self) -> u64 {
        self.present
    }

    /// Drives the next cycle of all inputs except those of the warps. `driver.inputs` must still hold the inputs of the previous cycle.
    pub fn drive(&mut self, driver: &mut Driver, phase: Phase, previous: &[u64]) {
        match phase {
            Phase::Reset => {
                self.state.clear();
                self.present = 0;
            }
            Phase::Fresh => (),
            Phase::Run => {
                let [valid, slot] = self.retire;
                if driver.inputs[valid] == 1 {
                    self.present &= !(1 << driver.inputs[slot]);
                }
                if previous[self.launched[0]] == 1 {
                    let slot = previous[self.launched[1]];
                    self.present |= 1 << slot;
                    if let Some(peer) = self.peers.get_mut(slot as usize) {
                        *peer = self.peer.map(|port| previous[port]);
                    }
                }
            }
        }
        let Objects { outside, state, present, .. } = self;
        outside.iter_mut().for_each(|outside| outside.drive(driver, phase, previous, state, *present));
    }
}
