// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Chooses operations as a legal user sends them, and operations that conflict with a generation or with the state of a warp.

use super::abstract_state::AbstractState;
use super::cta::{Cta, Plan};
use super::rng::Rng;
use super::state_word;
use super::swarm::{Misuse, Swarm};
use super::switch::Switch;
use super::transaction::{Access, Arrival, Launch, Place, Transaction};
use bcu_isa::op::{RedOp, StateWord};

impl AbstractState {
    /// Chooses an operation as a legal user sends it; `stopped` are the warps that cannot act in this cycle, one bit per warp.
    pub fn transaction(&mut self, rng: &mut Rng, swarm: &Swarm, stopped: u64) -> Option<Transaction> {
        let switched = self.switch.as_ref().map(|s| s.slot());
        if let Some(switch) = self.switch.as_mut().filter(|_| rng.chance(800)) {
            return switch.next();
        }
        let slot = rng.below(self.shape.slots) as usize;
        if switched == Some(slot) {
            return None;
        }
        let Some(cta) = self.cta(slot) else {
            let launch = self.launch_into(slot, rng, swarm).map(Transaction::Launch).filter(|_| switched.is_none());
            let open = |s: &usize| self.ctas[*s].is_some() && switched != Some(*s);
            let resident: Vec<usize> = (0..self.ctas.len()).filter(open).collect();
            let movement = rng.pick(&resident).and_then(|s| self.move_in(s, rng, swarm, stopped));
            return if rng.chance(300) { launch.or(movement) } else { movement.or(launch) };
        };
        let able = cta.live & !stopped;
        match cta.life == 0 || (able == 0 && rng.chance(100)) {
            true if able == 0 || rng.chance(swarm.cut) => {
                // The abstract state does not track refusals at the gateway, so with a gateway a saved release is rare.
                let may = self.shape.gateway_ids == 0 || rng.chance(50);
                let saved = rng.chance(swarm.saved) && may && !cta.place.binds(self.shape);
                Some(Transaction::Release { slot, saved })
            }
            true => rng.bit(able).map(|warp| Transaction::Exit { slot, warp }),
            false
                if switched.is_none()
                    && self.shape.gateway_ids == 0
                    && !cta.place.binds(self.shape)
                    && rng.chance(swarm.switch) =>
            {
                self.switch = Some(Switch::new(slot, cta));
                None
            }
            false => self.move_in(slot, rng, swarm, stopped),
        }
    }

    /// Chooses an operation of a warp of a CTA that is not about to end.
    fn move_in(&self, slot: usize, rng: &mut Rng, swarm: &Swarm, stopped: u64) -> Option<Transaction> {
        let able = self.cta(slot)?.live & !stopped;
        let exit = |rng: &mut Rng| rng.bit(able).map(|warp| Transaction::Exit { slot, warp });
        // Barriers of the gateway have no state words.
        let words = if self.shape.gateway_ids > 0 { 0 } else { swarm.read + swarm.write };
        match rng.below(100 + swarm.exit + words) {
            0..100 if rng.chance(swarm.fence) => rng.bit(able).map(|warp| Transaction::Fence { slot, warp }),
            0..100 => match self.arrival(slot, rng, swarm, stopped) {
                Some(arrival) => Some(Transaction::Arrive(arrival)),
                // No arrival is possible: the CTA has declared no barrier, or every warp that can act has already arrived at the drawn
                // barrier. An occasional exit of a warp can complete a generation without a count, so that the waiting warps resume.
                None if rng.chance(50) => exit(rng),
                None => None,
            },
            n if n < 100 + swarm.exit => exit(rng),
            n if n < 100 + swarm.exit + swarm.read => self.read(slot, rng).map(Transaction::Read),
            _ => self.write(slot, rng, swarm).map(Transaction::Write),
        }
    }

    /// An arrival that joins an open generation, or opens one.
    fn arrival(&self, slot: usize, rng: &mut Rng, swarm: &Swarm, stopped: u64) -> Option<Arrival> {
        let cta = self.cta(slot)?;
        let able = cta.live & !stopped;
        if self.shape.gateway_ids > 0 {
            let warp = rng.bit(able)?;
            return Some(Arrival { slot, warp, id: 0, count: 0, sync: true, redop: None });
        }
        let declared = (1 << cta.declared) - 1;
        let ids = if swarm.ids & declared == 0 { declared & 1 } else { swarm.ids & declared };
        let may_join = |i: &usize| cta.plans[*i].count != 0 && able & !cta.plans[*i].arrived != 0;
        let open = (0..16).filter(may_join).fold(0u64, |m, i| m | 1 << i);
        let join = if rng.chance(swarm.join) { rng.bit(open) } else { None };
        let id = join.or_else(|| rng.bit(ids))?;
        let plan = cta.plans[id];
        let warp = rng.bit(able & !plan.arrived)?;
        let launched = cta.size();
        let expected = match plan.count {
            0 if !rng.chance(swarm.counted) => 0,
            0 if rng.chance(500) => launched,
            0 => rng.range(launched.min(2), launched),
            _ => plan.expected,
        };
        let redop = match plan.count {
            0 if rng.chance(swarm.reduce) => rng.pick(RedOp::ALL),
            0 => None,
            _ => plan.redop,
        };
        let sync = redop.is_some() || expected == 0 || rng.chance(swarm.wait);
        Some(Arrival { slot, warp, id: id as u64, count: expected * self.shape.lanes, sync, redop })
    }

    /// A read of any state word of any live warp, whether the warp waits or not. A result is read only if the warp has one.
    fn read(&self, slot: usize, rng: &mut Rng) -> Option<Access> {
        let cta = self.cta(slot)?;
        let warp = rng.bit(cta.live)?;
        let state = match rng.pick(StateWord::ALL)? {
            StateWord::Result if cta.reduced >> warp & 1 == 0 => StateWord::Warp,
            StateWord::Barrier if cta.declared == 0 => StateWord::Warp,
            state => state,
        };
        let open = (0..cta.declared).filter(|id| cta.plans[*id as usize].count != 0).fold(0, |m, id| m | 1u64 << id);
        let id = match state {
            StateWord::Barrier if rng.chance(500) => rng.bit(open)? as u64,
            StateWord::Barrier => rng.below(cta.declared),
            _ => 0,
        };
        Some(Access { slot, warp, state, id, data: 0 })
    }

    /// A read in any CTA.
    pub fn any_read(&self, rng: &mut Rng) -> Option<Transaction> {
        let resident: Vec<usize> = (0..self.ctas.len()).filter(|s| self.ctas[*s].is_some()).collect();
        let slot = rng.pick(&resident)?;
        self.read(slot, rng).map(Transaction::Read)
    }

    /// A write of a legal word, or of a word that was read before, whether or not it is still legal.
    fn write(&self, slot: usize, rng: &mut Rng, swarm: &Swarm) -> Option<Access> {
        let cta = self.cta(slot)?;
        if rng.chance(swarm.restore) {
            let of_cta: Vec<_> = self.words.iter().copied().filter(|w| cta.live >> w.warp & 1 == 1).collect();
            if let Some(w) = rng.pick(&of_cta) {
                return Some(Access { slot, warp: w.warp, state: w.state, id: w.id, data: w.data });
            }
        }
        if rng.chance(500) {
            let warp = rng.bit(cta.live & !cta.waiting())?;
            let trapped = rng.chance(swarm.trap);
            let data = state_word::of_warp(rng, cta, warp, self.shape.lanes, trapped);
            return Some(Access { slot, warp, state: StateWord::Warp, id: 0, data });
        }
        let warp = rng.bit(cta.live)?;
        let free_ids = (0..cta.declared).filter(|id| cta.plans[*id as usize].waiting == 0).fold(0, |m, id| m | 1u64 << id);
        let id = rng.bit(free_ids)? as u64;
        Some(Access { slot, warp, state: StateWord::Barrier, id, data: state_word::of_row(rng, cta, self.shape.lanes) })
    }

    /// A launch of free warps into the CTA slot `slot`, which is free.
    fn launch_into(&self, slot: usize, rng: &mut Rng, swarm: &Swarm) -> Option<Launch> {
        let free_warps = self.shape.all_warps() & !self.taken_warps();
        let share = |permille: u64| 1 + (self.shape.warps - 1) * permille / 1000;
        let size = rng.range(share(swarm.size[0]), share(swarm.size[1])).min(free_warps.count_ones() as u64);
        let warps = rng.subset(free_warps, size);
        let exited = rng.sprinkle(warps, swarm.exited_rate);
        let barriers = if rng.chance(800) { self.shape.ids() } else { rng.below(64) };
        let more = if self.crowd > 0 && rng.chance(self.crowd) { self.above(rng, size) } else { 0 };
        (warps != 0).then_some(Launch { slot, warps, exited, barriers, more, place: Place::any(rng) })
    }

    /// The number of warps that a launch declares in addition to its `size` warps, so that it declares more warps than the unit has. The
    /// sum is limited to the largest number that can be encoded.
    fn above(&self, rng: &mut Rng, size: u64) -> u64 {
        let most = 2 * self.shape.warps - 1;
        rng.range(self.shape.warps + 1, most).min(most).saturating_sub(size)
    }

    /// An arrival that conflicts with an open generation: a second arrival of a warp, another count, or another kind.
    pub fn clash(&self, rng: &mut Rng, misuse: Misuse, stopped: u64) -> Option<Arrival> {
        let mut found = vec![];
        for (slot, cta) in self.ctas.iter().enumerate().filter_map(|(s, c)| Some((s, c.as_ref()?))) {
            let able = |plan: &Plan| cta.live & !stopped & if misuse == Misuse::Double { plan.arrived } else { !plan.arrived };
            let open = cta.plans.iter().enumerate().filter(|(_, p)| p.count != 0 && able(p) != 0);
            found.extend(open.map(|(id, plan)| (slot, id as u64, *plan, able(plan), cta.size())));
        }
        let (slot, id, plan, warps, launched) = rng.pick(&found)?;
        let warp = rng.bit(warps)?;
        let redop = match (misuse, plan.redop) {
            (Misuse::Kind, None) => rng.pick(RedOp::ALL),
            (Misuse::Kind, Some(is)) if rng.chance(500) => RedOp::ALL.get((is as usize + 1) % 3).copied(),
            (Misuse::Kind, Some(_)) => None,
            (_, redop) => redop,
        };
        let expected = if misuse == Misuse::Mismatch { rng.below(launched + 1) } else { plan.expected };
        let sync = redop.is_some() || expected == 0 || rng.chance(500);
        Some(Arrival { slot, warp, id, count: expected * self.shape.lanes, sync, redop })
    }

    /// A read of a missing result, or a write of a word that is illegal or does not match the CTA's state.
    pub fn bad_access(&self, rng: &mut Rng, misuse: Misuse) -> Option<Transaction> {
        let resident: Vec<(usize, &Cta)> = self.ctas.iter().enumerate().filter_map(|(s, c)| Some((s, c.as_ref()?))).collect();
        let (slot, cta) = rng.pick(&resident)?;
        if misuse == Misuse::Result {
            let warp = rng.bit(cta.live & !cta.reduced)?;
            return Some(Transaction::Read(Access { slot, warp, state: StateWord::Result, id: 0, data: 0 }));
        }
        // For a waiting warp every write of its own state word is refused, whatever the value.
        let able = if rng.chance(700) { rng.bit(cta.live & !cta.waiting()) } else { None };
        let warp = able.or_else(|| rng.bit(cta.live))?;
        let state = rng.pick(&[StateWord::Warp, StateWord::Barrier])?;
        let good = match state {
            StateWord::Barrier => state_word::of_row(rng, cta, self.shape.lanes),
            _ => state_word::of_warp(rng, cta, warp, self.shape.lanes, false),
        };
        let id = if state == StateWord::Barrier { rng.below(cta.declared) } else { 0 };
        Some(Transaction::Write(Access { slot, warp, state, id, data: state_word::spoil(rng, state, good) }))
    }
}
