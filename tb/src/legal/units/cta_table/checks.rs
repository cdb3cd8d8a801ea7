// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of `cta_table`'s outputs: the live warps, and the operations with their fields. No operation may be early.

use super::{CtaTableUser, Stage};
use bcu_isa::op::OpKind;

impl CtaTableUser {
    pub(super) fn check(&mut self, outputs: &[u64]) {
        let cycle = self.base.ledger.cycle;
        self.base.ledger.strobe("retired", self.retired.read(outputs), self.expected_retired.take().map(|slot| [slot]));
        if let Some(found) = self.launched.read(outputs) {
            let cta = self.ctas.iter_mut().find(|cta| cta.stage == Stage::Launching && cta.slot == found[0]);
            let expected = cta.map(|cta| {
                cta.stage = Stage::Live;
                let [slot, warps, exited, lanes, _, cluster, rank, size, has_grid, grid] = cta.launch;
                self.live |= warps & !exited;
                let last = 63 - warps.leading_zeros() as usize;
                for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
                    let all_lanes = u64::MAX >> (64 - self.shape.lanes);
                    self.warps[warp] =
                        super::Warp { lanes: if warp == last { lanes } else { all_lanes }, ..super::Warp::default() };
                }
                // For a CTA without a grid, `grid` is don't care.
                [slot, cluster, rank, size, has_grid, if has_grid == 1 { grid } else { found[5] }, warps & !exited]
            });
            self.base.ledger.strobe("launched", Some(found), expected);
        }
        // The warps of a retiring CTA cease to be live some time before the Release, so they are not compared.
        let retiring = self.ctas.iter().filter(|cta| cta.stage == Stage::Retiring).fold(0, |mask, cta| mask | cta.warps);
        self.base.ledger.expect("live", self.live_port.read(outputs) & !retiring, self.live & !retiring);
        let exits = self.exits.iter().fold(0, |mask, (warp, _)| mask | 1 << warp);
        self.base.ledger.expect("exits", self.exits_port.read(outputs), exits);
        let bound = 60 * (self.shape.warps + 20);
        for cta in self.ctas.iter().filter(|cta| matches!(cta.stage, Stage::Launching | Stage::Retiring)) {
            let waited = cycle - cta.since;
            if waited > bound {
                let cta = *cta;
                self.base.ledger.fail(|| format!("no operation for {waited} cycles after the request of {cta:?}"));
            }
        }
    }

    /// Checks the offered operation, and applies it to the user's state when it is taken.
    pub(super) fn operations(&mut self, outputs: &[u64]) {
        let ready = self.ready.allows_event(&mut self.rng);
        self.base.pins.set(self.op_ready, ready.into());
        let Some(op) = self.op.read(outputs) else {
            if self.standing.take().is_some() {
                self.base.ledger.fail(|| "an operation is withdrawn".to_string());
            }
            return;
        };
        if self.standing.is_none() {
            self.offered(op, outputs);
        }
        self.standing = Some(op).filter(|_| !ready);
        if ready {
            self.note_transfer(op);
        }
    }

    /// Checks an operation in the first cycle of its offer: its fields, and that it is not early.
    fn offered(&mut self, [kind, fault, warp, slot, mask, lanes]: [u64; 6], outputs: &[u64]) {
        let [[clearing, ..], [clearing_before, in_flight, copying]] = self.before;
        let [warps, live, barriers, saved] = self.sizes.map(|size| size.read(outputs));
        let is_right = match kind {
            kind if kind == OpKind::Exit as u64 => {
                let slot_is_its = self.ctas.iter().any(|cta| cta.slot == slot && cta.warps >> warp & 1 == 1);
                self.exits.front() == Some(&(warp as usize, lanes)) && slot_is_its
            }
            kind if kind == OpKind::Launch as u64 => {
                // `launched` is valid in the same cycle as the offer of the Launch.
                let cta = self.ctas.iter().find(|cta| cta.slot == slot && cta.stage == Stage::Live && cta.warps == mask);
                clearing == 0
                    && cta.is_some_and(|cta| {
                        let [_, members, exited, last, declared, ..] = cta.launch;
                        let numbers = [members, members & !exited].map(|warps| u64::from(warps.count_ones()));
                        [warps, live, barriers, lanes] == [numbers[0], numbers[1], declared, last]
                    })
            }
            _ => {
                let cta = self.ctas.iter().find(|cta| cta.slot == slot && cta.stage == Stage::Retiring && cta.warps == mask);
                let still = in_flight & mask == 0 && copying >> slot & 1 == 0 && clearing_before == 0;
                still && kind == OpKind::Release as u64 && cta.is_some_and(|cta| u64::from(cta.saved) == saved)
            }
        };
        if fault != 0 || !is_right {
            self.base.ledger.fail(|| {
                format!("operation of kind {kind}, fault {fault}, warp {warp}, slot {slot}, mask {mask:#x}, lanes {lanes:#x} with sizes {warps}, {live}, {barriers}, {saved}: not the requested operation, or too early")
            });
        }
        if kind == OpKind::Release as u64 {
            // The warps of a released CTA are no longer live.
            self.live &= !mask;
        }
    }

    fn note_transfer(&mut self, [kind, _, _, slot, ..]: [u64; 6]) {
        let cycle = self.base.ledger.cycle;
        self.base.ledger.count("operations");
        let later = 1 + self.rng.below(self.delay + 1);
        if kind == OpKind::Exit as u64 {
            let Some((warp, lanes)) = self.exits.pop_front() else { return };
            self.base.ledger.count("exits");
            let state = &mut self.warps[warp];
            state.exits = false;
            state.lanes &= !lanes;
            state.in_flight = cycle + 1 + later + 6;
            if state.lanes == 0 {
                let due = cycle + 2 + self.rng.below(2);
                self.exited.push_back((due.max(self.exited.back().map_or(0, |(due, _)| due + 1)), warp));
            }
        } else if kind == OpKind::Launch as u64 {
            self.launching = cycle + 1 + later + 3;
        } else {
            self.clearing = cycle + 1 + later + 3;
            if let Some(cta) = self.ctas.iter_mut().find(|cta| cta.slot == slot && cta.stage == Stage::Retiring) {
                cta.stage = Stage::Leaving(cycle + later + self.rng.below(40));
            }
        }
    }
}
