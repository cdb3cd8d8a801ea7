// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of `cluster`'s outputs: the answers to waits, the messages to the hub, and the CTA slots in use (`freed`).

use super::ClusterUser;

impl ClusterUser {
    /// The number of phases that are complete for the CTA in `slot`. In a cluster: the number of Complete messages that the unit has
    /// received. Otherwise: the number of phases at which all live warps of the CTA have arrived.
    pub(super) fn over(&self, slot: usize) -> u64 {
        let Some(place) = self.places[slot] else { return 0 };
        if place.size > 1 {
            return self.hub.clusters[place.cluster as usize].as_ref().map_or(0, |cluster| cluster.completes);
        }
        let live = self.residents.slots[slot].map_or(0, |cta| cta.live);
        (0..64).filter(|warp| live >> warp & 1 == 1).map(|warp| self.warps[warp].arrivals).min().unwrap_or(u64::MAX)
    }

    /// Checks all outputs of a cycle.
    pub(super) fn check(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        self.base.ledger.strobe("fault", self.fault.offered(outputs), None);
        self.base.ledger.strobe("commit", self.commit.read(outputs), self.expected_commit);
        if let Some([warps, _]) = self.expected_commit.take() {
            let warp = &mut self.warps[warps.trailing_zeros() as usize & 63];
            warp.is_busy = false;
        }
        self.base.ledger.strobe("closed", self.closed.read(outputs), self.closing.take().map(|slot| [slot]));
        if let Some([warps]) = self.release.read(outputs) {
            self.released(warps);
        }
        let live = self.residents.live(cycle);
        let mut waiting = 0;
        for slot in 0..self.places.len() {
            let over = self.over(slot);
            let Some(cta) = self.residents.slots[slot].filter(|cta| !cta.is_gone) else { continue };
            for warp in (0..64).filter(|warp| cta.live >> warp & 1 == 1) {
                let state = &mut self.warps[warp];
                waiting |= u64::from(state.is_waiting && !state.is_busy) << warp;
                let could = state.is_waiting && over >= state.waits;
                state.late = if could { state.late + 1 } else { 0 };
                let late = state.late;
                self.base.ledger.most("worst cycles until a wait passes", late);
                if late > 6 {
                    self.base.ledger.fail(|| format!("warp {warp} still waits {late} cycles after its phase is over"));
                }
            }
        }
        // A warp that ceases to be live leaves `waiting` one cycle later, so only live warps are compared.
        let shown = self.waiting.read(outputs);
        if shown & live != waiting & live {
            self.base.ledger.fail(|| format!("`waiting` is {shown:#x}: expected {waiting:#x} of the live warps {live:#x}"));
        }
        self.check_freed(outputs);
    }

    pub(super) fn check_freed(&mut self, outputs: &[u64]) {
        let (freed, cycle) = (self.freed.read(outputs), self.base.ledger.cycle);
        for slot in 0..self.places.len() {
            let Some(place) = self.places[slot] else {
                if freed >> slot & 1 == 0 {
                    self.base.ledger.fail(|| format!("slot {slot}, which holds no CTA, is not in `freed`"));
                }
                continue;
            };
            let is_new = self.residents.slots[slot].is_some_and(|cta| cta.from >= cycle + 1);
            let cluster = self.hub.clusters[place.cluster as usize].as_ref();
            let is_free = place.size <= 1 || cluster.is_some_and(|cluster| cluster.closed.is_some_and(|at| at <= cycle));
            if !is_new && (freed >> slot & 1 == 1) != is_free {
                self.base.ledger.fail(|| format!("`freed` of slot {slot} is {}, {place:?}", freed >> slot & 1));
            }
        }
    }

    pub(super) fn released(&mut self, warps: u64) {
        self.base.ledger.count("releases");
        for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
            let slot =
                (0..self.places.len()).find(|slot| self.residents.slots[*slot].is_some_and(|cta| cta.live >> warp & 1 == 1));
            let Some(slot) = slot else {
                self.base.ledger.fail(|| format!("release of warp {warp}, which is not live"));
                continue;
            };
            let (over, state) = (self.over(slot), self.warps[warp]);
            if !state.is_waiting || over < state.waits {
                self.base.ledger.fail(|| format!("wrong release of warp {warp}; complete phases: {over}, {state:?}"));
            }
            self.warps[warp].is_waiting = false;
            self.base.ledger.count("waits passed");
        }
    }

    /// Checks the messages of this multiprocessor: they are in order, and no message is early or lost.
    pub(super) fn messages(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        let ready = self.out_pace.allows_event(&mut self.rng);
        let offered = self.out.offered(outputs);
        if self.standing.is_some() && offered != self.standing {
            self.base.ledger.fail(|| format!("`cluster_out`: {offered:?} offered before {:?} was taken", self.standing));
        }
        let is_new = self.standing.is_none();
        if let (Some([kind, cluster, rank, _]), true) = (offered, is_new) {
            let slot = self
                .places
                .iter()
                .position(|place| place.is_some_and(|p| p.cluster == cluster && p.rank == rank && p.size > 1));
            let cta = slot.and_then(|slot| self.residents.slots[slot]);
            let arrivals =
                self.hub.clusters[cluster as usize].as_ref().and_then(|c| c.ranks.get(rank as usize)).map_or(0, |r| r.arrivals);
            let all_arrived =
                cta.is_some_and(|cta| (0..64).filter(|w| cta.live >> w & 1 == 1).all(|w| self.warps[w].arrivals > arrivals));
            if kind == 1 && !all_arrived || kind >= 2 && cta.is_none_or(|cta| cta.ended > cycle) {
                self.base.ledger.fail(|| format!("cluster {cluster}: message {kind} of rank {rank} is too early"));
            }
            if let Some(place) = slot.and_then(|slot| self.places[slot].as_mut()) {
                self.base.ledger.most("worst cycles until a message", place.idle);
                place.idle = 0;
            }
        }
        let taken_message = self.out.drive(&mut self.base.pins, outputs, ready);
        self.standing = offered.filter(|_| taken_message.is_none());
        if let Some(message) = taken_message {
            self.hub.message(&mut self.base.ledger, message);
        }
        for slot in 0..self.places.len() {
            let (Some(place), Some(cta)) = (self.places[slot], self.residents.slots[slot]) else { continue };
            let Some(cluster) = self.hub.clusters[place.cluster as usize].as_ref().filter(|_| place.size > 1) else { continue };
            let rank = cluster.ranks[place.rank as usize];
            let all_arrived =
                cta.live != 0 && (0..64).filter(|w| cta.live >> w & 1 == 1).all(|w| self.warps[w].arrivals > rank.arrivals);
            let due =
                !rank.is_present || !rank.is_gone && (cta.ended <= cycle || all_arrived && rank.arrivals == cluster.completes);
            let bound = 3 * self.shape.slots + 8;
            if let Some(place) = self.places[slot].as_mut() {
                // Only cycles in which a message could be taken are counted.
                place.idle = if due { place.idle + u64::from(ready) } else { 0 };
                if place.idle > bound {
                    self.base
                        .ledger
                        .fail(|| format!("CTA slot {slot}: a message to the hub has been due for {bound} cycles: {rank:?}"));
                }
            }
        }
    }
}
