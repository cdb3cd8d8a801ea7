// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Draws the mbarrier steps of a program: the members of each phase, with their arrivals and bytes.
//!
//! Each member of a phase has waited for the previous phase, so no arrival and no byte counts in the wrong phase.

use super::draft::Draft;
use super::object::{Object, Share};
use super::plan::{Form, Instr, Phase, Tx, WarpStep, What};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;

impl Draft<'_> {
    /// Whether `member` must not exit yet, because later phases of an object need its arrivals.
    pub fn is_bound(&self, member: usize) -> bool {
        self.objects.iter().any(|object| !object.closed && object.shares.iter().any(|share| share.member == member))
    }

    /// Draws the next phase of an object, or a new object.
    pub fn object(&mut self) {
        let open: Vec<usize> = (0..self.objects.len()).filter(|at| !self.objects[*at].closed).collect();
        if open.len() < 3 && self.rng.chance(if open.is_empty() { 1000 } else { 200 }) {
            self.create();
            return;
        }
        let Some(object) = self.rng.pick(&open) else { return };
        let last = self.rng.chance(150);
        self.phase(object, last);
        if last {
            self.close(object);
        }
    }

    /// Draws the last phase of each object. In some programs no warp waits for that phase.
    pub fn close_objects(&mut self) {
        for object in 0..self.objects.len() {
            if !self.objects[object].closed {
                if self.rng.chance(800) {
                    self.phase(object, true);
                }
                self.close(object);
            }
        }
    }

    fn instr(&mut self, member: usize, what: What, lanes: u64) {
        self.push(member, WarpStep::Do(Instr { what, form: Form::Raw, lanes }));
    }

    /// A random word, or `None` if an object of the CTA has used it. The word often maps to the cache entry of another object of the CTA,
    /// so that the two evict each other.
    fn new_object(&mut self, cta: usize) -> Option<u64> {
        let (words, cached) = (self.config.smem_bytes as u64 / 8, self.config.mbarrier_objects as u64);
        let objects_of_cta: Vec<u64> = self.objects.iter().filter(|other| other.cta == cta).map(|other| other.object).collect();
        let fold = self.rng.below(cached) * (1 + cached);
        let object = match self.rng.pick(&objects_of_cta) {
            Some(other) if self.rng.chance(self.conflicts) => (other ^ fold) % words,
            _ => self.rng.below(words),
        };
        (!objects_of_cta.contains(&object)).then_some(object)
    }

    /// Draws an object: one warp initialises it, and then all its members meet at a barrier, so that they use the object only after its
    /// initialisation. If no barrier is free, no object is created.
    pub fn create(&mut self) {
        let cta = self.rng.below(self.groups.len() as u64) as usize;
        let alive = self.alive(cta);
        let Some(maker) = self.rng.pick(&alive) else { return };
        let Some(object) = self.new_object(cta) else { return };
        let members = self.draw_part(&alive);
        let most = self.rng.pick(&[1, 4, 40]).unwrap_or(1);
        let shares: Vec<Share> = members
            .iter()
            .map(|member| Share {
                member: *member,
                arrivals: 1 + self.rng.below(most),
                by_copy: if self.rng.chance(150) { 1 + self.rng.below(3) } else { 0 },
            })
            .collect();
        let number = shares.iter().map(|share| share.arrivals + share.by_copy).sum();
        let mut chosen = members.clone();
        if !chosen.contains(&maker) {
            chosen.push(maker);
        }
        let uncounted = self.rng.chance(self.style.uncounted);
        let members_of_round = if uncounted { alive } else { chosen };
        let before = self.members[maker].steps.len();
        let lanes = self.lanes(maker);
        let kind = MbarrierKind::Init;
        self.instr(maker, What::Mbar { object, kind, number, relaxed: false, cluster: false, phase: None }, lanes);
        if !self.round(cta, &members_of_round, uncounted, false) {
            self.members[maker].steps.truncate(before);
            return;
        }
        self.objects.push(Object { cta, object, shares, phases: 0, closed: false, settled: false, dropped: false });
    }

    /// Draws one phase: all members arrive and wait. With `last` some members may omit the wait.
    fn phase(&mut self, at: usize, last: bool) {
        let Object { object, shares, phases, .. } = self.objects[at].clone();
        let phase = self.plan.phases.len();
        self.plan.phases.push(Phase { object, number: phases, ..Default::default() });
        self.objects[at].phases += 1;
        let mut need = 0;
        let mut dropped = vec![];
        let unwaited = last && self.rng.chance(self.style.unwaited);
        for share in &shares {
            let member = share.member;
            self.body(member);
            let mut late = vec![];
            if share.by_copy > 0 {
                let tx = Tx { object, count: share.by_copy, bytes: 0, phase, copy: self.rng.chance(800) };
                need += 1;
                if self.rng.chance(500) {
                    late.push(tx)
                } else {
                    self.push(member, WarpStep::Copy(vec![tx]))
                }
            }
            let drops = share.by_copy == 0 && dropped.len() + 1 < shares.len() && self.rng.chance(60);
            if drops {
                dropped.push(member);
            }
            need += self.arrivals(share, object, phase, drops, &mut late);
            if !late.is_empty() {
                self.push(member, WarpStep::Copy(late));
            }
            if self.rng.chance(200) {
                self.body(member);
            }
        }
        for share in &shares {
            // Later phases complete without a warp that has dropped out. If such a warp waited late for this phase, the phase after the
            // next, which has the same parity, could already be open. So the warp does not wait.
            let has_dropped = dropped.contains(&share.member) && !last;
            if !has_dropped && (!unwaited || self.rng.chance(300)) {
                self.push(share.member, WarpStep::Await(phase));
            }
        }
        self.plan.phases[phase].need = need;
        let stay = |share: &Share| !dropped.contains(&share.member);
        let chosen: Vec<usize> = shares.iter().map(|share| share.member).collect();
        if !unwaited {
            let waiting: Vec<usize> = chosen.iter().copied().filter(|at| last || !dropped.contains(at)).collect();
            self.share(&chosen, &waiting, None);
        }
        self.objects[at].settled = !unwaited;
        self.objects[at].dropped |= !dropped.is_empty();
        self.objects[at].shares.retain(stay);
    }

    /// Draws the steps of one warp in a phase. Returns how many instructions and messages the phase needs from the warp.
    fn arrivals(&mut self, share: &Share, object: u64, phase: usize, drops: bool, late: &mut Vec<Tx>) -> u64 {
        use MbarrierKind::{Arrive, ArriveExpect, ArriveNoComplete, Complete, Drop, DropExpect, DropNoComplete, Expect};
        let member = share.member;
        let live = self.members[member].lanes;
        let (mut remaining, mut need) = (share.arrivals, 0);
        let kinds = |kind| match (drops, kind) {
            (true, Arrive) => Drop,
            (true, ArriveExpect) => DropExpect,
            (true, ArriveNoComplete) => DropNoComplete,
            (_, kind) => kind,
        };
        let [relaxed, cluster] = [(); 2].map(|()| self.rng.chance(300));
        let cluster = cluster && self.config.cluster_size > 1;
        let with = |kind, number| What::Mbar { object, kind, number, relaxed, cluster, phase: Some(phase) };
        // The warp's last arrival comes after all its other arrivals, so the phase stays open until all the others have taken effect.
        while remaining > 1 && self.rng.chance(250) {
            let part = 1 + self.rng.below(remaining - 1);
            let kind = if self.rng.chance(500) { ArriveNoComplete } else { Arrive };
            self.split(member, live, part, |number| with(kinds(kind), number));
            self.body(member);
            (remaining, need) = (remaining - part, need + 1);
        }
        if !self.rng.chance(self.bytes) {
            self.split(member, live, remaining, |number| with(kinds(Arrive), number));
            return need + 1;
        }
        // Expects bytes and supplies them, either by copies that this warp issues or by an instruction.
        let count = u64::from(live.count_ones()).min(remaining);
        let count = 1 + self.rng.below(count);
        let lanes = self.rng.subset(live, count);
        // Limits the bytes of a warp, so that 64 warps of 32 lanes together expect less than the maximum of an object.
        let most = self.rng.pick(&[16, 500]).unwrap_or(16);
        let each = 1 + self.rng.below(most);
        let mut bytes = each * count;
        let mut tx_parts = vec![];
        while bytes > 1 && self.rng.chance(500) {
            let part = 1 + self.rng.below(bytes - 1);
            bytes -= part;
            tx_parts.push(part);
        }
        tx_parts.push(bytes);
        let early = self.rng.chance(500);
        let apart = self.rng.chance(200);
        let mut steps = vec![];
        for part in tx_parts {
            need += 1;
            let tx = Tx { object, count: 0, bytes: part, phase, copy: self.rng.chance(800) };
            if self.rng.chance(100) && part < 1 << 16 {
                let lane = self.rng.subset(live, 1);
                steps.push(WarpStep::Do(Instr { what: with(Complete, part), form: Form::Raw, lanes: lane }));
            } else if !early && self.rng.chance(800) {
                late.push(tx);
            } else {
                steps.push(WarpStep::Copy(vec![tx]));
            }
        }
        if remaining > count {
            self.split(member, live, remaining - count, |number| with(kinds(Arrive), number));
            need += 1;
        }
        if early {
            steps.drain(..).for_each(|step| self.push(member, step));
        }
        if apart {
            self.instr(member, with(Expect, each), lanes);
            self.instr(member, with(kinds(Arrive), 1), lanes);
            need += 1;
        } else {
            self.instr(member, with(kinds(ArriveExpect), each), lanes);
        }
        steps.into_iter().for_each(|step| self.push(member, step));
        need + 1
    }

    /// Draws one instruction with `arrivals` arrivals in total, executed by a number of lanes that divides `arrivals`.
    fn split(&mut self, member: usize, live: u64, arrivals: u64, what: impl Fn(u64) -> What) {
        let divides = |lanes: &u64| arrivals.is_multiple_of(*lanes);
        let counts: Vec<u64> = (1..=u64::from(live.count_ones())).filter(divides).collect();
        let count = self.rng.pick(&counts).unwrap_or(1);
        let lanes = self.rng.subset(live, count);
        self.instr(member, what(arrivals / count), lanes);
    }

    /// Ends the phases of an object, and possibly invalidates it.
    fn close(&mut self, at: usize) {
        self.objects[at].closed = true;
        let Object { cta, object, shares, settled, dropped, .. } = self.objects[at].clone();
        // A warp that has dropped out may still test the object's last phase, so the object is not invalidated.
        if !settled || dropped || !self.rng.chance(500) {
            return;
        }
        let chosen: Vec<usize> = shares.iter().map(|share| share.member).collect();
        if self.round(cta, &chosen, false, false) {
            let member = self.rng.pick(&chosen).unwrap_or(chosen[0]);
            let lanes = self.lanes(member);
            let kind = MbarrierKind::Inval;
            self.instr(member, What::Mbar { object, kind, number: 0, relaxed: false, cluster: false, phase: None }, lanes);
        }
    }
}
