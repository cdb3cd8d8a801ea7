// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CTAs of one multiprocessor as `cluster` and `grid` observe them: the live warps, their CTAs, and the CTAs that have ended.

use super::pins::Pins;
use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, NoPort};

#[derive(Clone, Copy, Debug)]
pub struct Resident {
    /// The CTA's warps, one bit per warp.
    pub warps: u64,
    /// The live warps of the CTA, one bit per warp.
    pub live: u64,
    /// The first cycle in which the CTA takes part.
    pub from: u64,
    /// The first cycle in which the CTA has ended.
    pub ended: u64,
    /// The CTA was retired. Its CTA slot may be used again once the unit holds no state of the CTA.
    pub is_gone: bool,
}

pub struct Residents {
    pub slots: Vec<Option<Resident>>,
    live: Input,
    ended: Input,
    /// The ports `warp_cta_…`: port n has bit n of each warp's CTA slot.
    owners: Vec<Input>,
    all_warps: u64,
}

impl Residents {
    pub fn new(ports: &[Port], shape: Shape) -> Result<Residents, NoPort> {
        let owners = (0..8).map_while(|bit| ports.input(&format!("warp_cta_{bit}")).ok()).collect();
        Ok(Residents {
            slots: vec![None; shape.slots as usize],
            live: ports.input("live")?,
            ended: ports.input("ended")?,
            owners,
            all_warps: u64::MAX >> (64 - shape.warps),
        })
    }

    /// Warp slots that belong to no CTA, and CTA slots that have no CTA and whose bit in `freed` is set.
    pub fn free_slots(&self, freed: u64) -> (u64, Vec<usize>) {
        let taken_warps = self.slots.iter().flatten().filter(|cta| !cta.is_gone).fold(0, |mask, cta| mask | cta.warps);
        let is_free = |slot: &usize| freed >> slot & 1 == 1 && self.slots[*slot].is_none_or(|cta| cta.is_gone);
        (self.all_warps & !taken_warps, (0..self.slots.len()).filter(is_free).collect())
    }

    /// Launches a CTA with some of the warps `free_warps` into the CTA slot `slot`, and returns its warps. The CTA takes part
    /// from the next cycle on.
    pub fn launch(&mut self, rng: &mut Rng, slot: usize, free_warps: u64, most: u64, cycle: u64) -> u64 {
        let wanted = rng.range(1, most);
        let warps = rng.subset(free_warps, wanted);
        // Some of the CTA's warps may have exited before the launch.
        let live = if rng.chance(100) { warps & rng.draw() } else { warps };
        let live = if live == 0 { warps } else { live };
        self.slots[slot] = Some(Resident { warps, live, from: cycle + 1, ended: u64::MAX, is_gone: false });
        warps
    }

    /// Lets warps of a CTA exit.
    pub fn exit(&mut self, rng: &mut Rng, slot: usize, warps: u64, cycle: u64) {
        if let Some(cta) = self.slots[slot].as_mut() {
            cta.live &= !warps;
            if cta.live == 0 && cta.ended == u64::MAX {
                // An operation of the CTA may stay in flight for some cycles after the last exit.
                cta.ended = cycle + rng.pick(&[0, 1, 2, 20]).unwrap_or(0);
            }
        }
    }

    pub fn live(&self, cycle: u64) -> u64 {
        self.slots.iter().flatten().filter(|cta| cta.from <= cycle).fold(0, |mask, cta| mask | cta.live)
    }

    pub fn ended(&self, cycle: u64) -> u64 {
        let has_ended = |cta: &Option<Resident>| cta.is_none_or(|cta| cta.ended <= cycle || cta.from > cycle);
        (0..self.slots.len()).filter(|slot| has_ended(&self.slots[*slot])).fold(0, |mask, slot| mask | 1 << slot)
    }

    pub fn drive(&self, pins: &mut Pins, cycle: u64) {
        pins.set(self.live, self.live(cycle));
        pins.set(self.ended, self.ended(cycle));
        for (bit, owner) in self.owners.iter().enumerate() {
            let mine = |slot: &usize| slot >> bit & 1 == 1;
            let ctas = (0..self.slots.len()).filter(mine).filter_map(|slot| self.slots[slot]);
            let warps = ctas.filter(|cta| !cta.is_gone && cta.from <= cycle).fold(0, |mask, cta| mask | cta.warps);
            pins.set(*owner, warps);
        }
    }
}
