// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of `mem_order`'s handling of operations: their order, their timing, and the warps that are held.

use super::warps::{Op, Warp, FIELDS};
use super::MemOrder;
use bcu_isa::op::OpKind;

impl MemOrder {
    /// Checks `op_done`, which reports that an operation was parked or that a fence has left the queue.
    pub(super) fn done(&mut self, outputs: &[u64]) {
        let done = self.level(4, outputs);
        if done.count_ones() > 1 {
            self.base.ledger.fail(|| format!("`op_done` has several bits: {done:#x}"));
        }
        for warp in (0..self.shape.warps).filter(|warp| done >> warp & 1 == 1) {
            let place = self
                .ops
                .iter()
                .position(|op| op.warp == warp && op.has_warp() && op.is_inside && !op.is_parked && !op.is_shown);
            let Some(place) = place else {
                self.base.ledger.fail(|| format!("`op_done` of warp {warp}, which has nothing that could be parked"));
                continue;
            };
            // After an exit the warp sends nothing until the exit has taken effect.
            if self.ops[place].kind != OpKind::Exit {
                self.warps[warp as usize].free_from = self.base.ledger.cycle + 1;
            }
            if self.ops[place].kind == OpKind::Fence {
                self.ops.remove(place);
                self.fenced[warp as usize] = self.base.ledger.cycle;
                self.base.ledger.count("fences");
            } else {
                self.ops[place].is_parked = true;
                self.base.ledger.count("parked");
            }
        }
    }

    /// Checks the operation that is offered on `op`: every access for which the operation waits must be performed. Notes whether the
    /// operation is taken.
    pub(super) fn passes(&mut self, outputs: &[u64], ready: bool) {
        if self.op_valid.read(outputs) == 0 {
            return;
        }
        let warp = self.op_warp.read(outputs);
        let kind = self.passed[0].port.read(outputs);
        let of_cta = kind == OpKind::Launch as u64 || kind == OpKind::Release as u64;
        let mine = |op: &Op| !op.is_out && if of_cta { !op.has_warp() } else { op.has_warp() && op.warp == warp };
        let Some(place) = self.ops.iter().position(mine) else {
            return self.base.ledger.fail(|| format!("`op`: operation of kind {kind} of warp {warp}, which was never sent"));
        };
        if !self.ops[place].is_shown {
            self.ops[place].is_shown = true;
            self.check_pass(place, outputs);
        }
        if ready {
            let op = &mut self.ops[place];
            op.is_out = true;
            self.base.ledger.count("operations");
            match op.unit() {
                None => {
                    self.ops.remove(place);
                }
                Some(unit) => {
                    // The minimum number of cycles from the transfer of an operation to the output of its effect: in `named`, `mbarrier`,
                    // `cluster` and `grid`.
                    let least = [2, 4, 1, 2][unit];
                    let due = self.base.ledger.cycle + least + self.rng.below(self.commit_delay + 1);
                    let op = op.clone();
                    self.commits[unit].push_back((due, op));
                }
            }
        }
    }

    /// Checks the operation `place` in the first cycle of its offer: its fields, its order among the operations that are not parked, and that
    /// the accesses before it are performed.
    pub(super) fn check_pass(&mut self, place: usize, outputs: &[u64]) {
        let op = self.ops[place].clone();
        for (number, field) in self.passed.iter().enumerate() {
            let means = field.when.iter().all(|(port, values)| values.contains(&port.read(outputs)));
            let found = field.port.read(outputs);
            if means && found != op.values[number] {
                let expected = op.values[number];
                self.base.ledger.fail(|| format!("`op_{}`: expected {expected:#x}, found {found:#x}", FIELDS[number]));
            }
        }
        if !op.is_inside {
            self.base.ledger.fail(|| format!("an operation of warp {} is offered before its transfer into the unit", op.warp));
        }
        if !op.is_parked {
            let before =
                self.ops[..place].iter().find(|before_op| !before_op.is_parked && !before_op.is_out && before_op.is_inside);
            if let Some(before_op) = before {
                let before_warp = before_op.warp;
                self.base.ledger.fail(|| {
                    format!("an operation of warp {} overtakes one of warp {before_warp} that is not parked", op.warp)
                });
            }
        }
        if let (true, Some(issued)) = (op.orders, self.memory.oldest(op.warp).filter(|issued| *issued <= op.issued)) {
            self.base.ledger.fail(|| {
                format!(
                    "an arrival of warp {} issued in {} passes before its access of cycle {issued} is performed",
                    op.warp, op.issued
                )
            });
        }
        self.base.ledger.most("worst cycles until an operation passes", op.idle);
    }

    /// Applies the effects of operations that have passed, at most one effect for each unit in a cycle.
    pub(super) fn effects(&mut self, outputs: &[u64]) {
        let (cycle, mut commit) = (self.base.ledger.cycle, 0);
        for unit in 0..4 {
            let Some((_, op)) = self.commits[unit].pop_front_if(|(due, _)| *due <= cycle) else { continue };
            let warp = op.warp as usize;
            commit |= 1 << warp;
            let is_held = self.level(0, outputs) >> warp & 1 == 1;
            if op.is_parked && op.waits && !is_held {
                self.base
                    .ledger
                    .fail(|| format!("warp {warp} is not `held` though its wait was parked and has its effects now"));
            }
            if !op.is_parked {
                self.warps[warp].free_from = cycle + 1;
            }
            if op.waits {
                self.warps[warp].wakes = cycle + 1 + if self.rng.chance(500) { 0 } else { self.rng.below(30) };
            }
            if op.kind == OpKind::Exit {
                self.warps[warp] = Warp { has_exited: true, wakes: cycle + 10 + self.rng.below(100), ..Warp::default() };
                self.base.ledger.count("exits");
            }
            if let Some(place) = self.ops.iter().position(|other| other.is_out && other.warp == op.warp && other.has_warp()) {
                self.ops.remove(place);
            }
        }
        self.base.pins.set(self.commit, commit);
    }

    /// Checks that a parked wait holds its warp until the wait takes effect.
    pub(super) fn gaps(&mut self, outputs: &[u64]) {
        let (held_warps, cycle) = (self.level(0, outputs), self.base.ledger.cycle);
        for op in self.ops.iter().filter(|op| op.is_parked && op.waits) {
            if held_warps >> op.warp & 1 == 0 && self.warps[op.warp as usize].free_from <= cycle {
                let warp = op.warp;
                self.base.ledger.fail(|| format!("warp {warp} may issue though its wait is parked"));
            }
        }
    }

    /// Checks that no operation or warp waits longer than its bound without a reason.
    pub(super) fn bounds(&mut self, outputs: &[u64], ready: bool) {
        let [held_warps, limit, _, epoch, _] = self.levels.map(|level| level.read(outputs));
        for place in 0..self.ops.len() {
            let op = &self.ops[place];
            let before = self.ops[..place].iter().any(|other| {
                let queued = !op.is_parked && !other.is_parked && !other.is_out;
                queued || other.warp == op.warp && other.has_warp() == op.has_warp()
            });
            let is_kept_waiting = before
                || !op.is_inside
                || op.is_out
                || op.has_warp() && self.memory.oldest(op.warp).is_some_and(|at| at <= op.issued);
            let op = &mut self.ops[place];
            op.idle = if is_kept_waiting { 0 } else { op.idle + u64::from(ready) };
            // The contract states no bound for this wait. Waits of three rounds of the scan, and sometimes more, were observed, so the
            // limit is generous.
            if op.idle > 3 * self.bound {
                let (warp, idle) = (op.warp, op.idle);
                self.base.ledger.fail(|| {
                    format!("an operation of warp {warp} has not passed for {idle} cycles in which nothing kept it back")
                });
            }
        }
        for warp in 0..self.warps.len() {
            let at_limit = limit >> warp & 1 == 1 && !self.memory.has(warp as u64, epoch >> warp & 1);
            self.limited[warp] = if at_limit { self.limited[warp] + 1 } else { 0 };
            self.base.ledger.most("worst cycles at the access limit with none outstanding", self.limited[warp]);
            let has_ops = self.ops.iter().any(|op| op.warp == warp as u64 && op.has_warp());
            let is_over = self.fenced[warp] > 0 && !has_ops && self.memory.oldest(warp as u64).is_none();
            self.fence_idle[warp] = if is_over && held_warps >> warp & 1 == 1 { self.fence_idle[warp] + 1 } else { 0 };
            self.base.ledger.most("worst cycles until a fence ends", self.fence_idle[warp]);
            if self.fence_idle[warp] > self.bound {
                self.base.ledger.fail(|| format!("the fence of warp {warp} does not end"));
            }
            if self.limited[warp] > self.bound {
                self.base.ledger.fail(|| format!("warp {warp} stays at its access limit with no access outstanding"));
            }
        }
        let queued = self.ops.iter().any(|op| op.is_inside && !op.is_parked && !op.is_out);
        self.blocked_cycles =
            if self.is_open && self.in_ready.read(outputs) == 0 && !queued { self.blocked_cycles + 1 } else { 0 };
        if self.blocked_cycles > 4 {
            self.base.ledger.fail(|| "`in_ready` is 0 with nothing in the queue".to_string());
        }
    }
}
