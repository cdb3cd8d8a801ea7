// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the answers of `mbarrier` to the warps of its user.

use super::cta::{Doing, Stage};
use super::object::*;
use super::Mbarrier;

impl Mbarrier {
    /// Checks the commits, tokens and wakes of this cycle.
    pub(super) fn answers(&mut self, outputs: &[u64]) {
        if let Some(fault) = self.fault.offered(outputs) {
            self.base.ledger.fail(|| format!("fault without a cause: code, warp, CTA, address {fault:x?}"));
        }
        let (commit, token) = (self.commit.read(outputs), self.token.read(outputs));
        if let (None, Some([warp, ..])) = (commit, token) {
            self.base.ledger.fail(|| format!("warp {warp}: a token without a commit"));
        }
        if let Some([warps, refused]) = commit {
            self.committed(warps, refused, token);
        }
        if let Some([woken, value]) = self.wake.read(outputs) {
            self.woken(woken, value);
        }
        let suspended =
            (0..64).filter(|warp| self.warps[*warp].doing == Doing::Suspended).fold(0, |mask, warp| mask | 1u64 << warp);
        self.base.ledger.expect("suspended", self.levels[0].read(outputs), suspended);
    }

    /// Checks a commit and, for an operation with a result, its token. A `try_wait` without a token is suspended; that is an error if the
    /// phase was complete before the wait was sent.
    fn committed(&mut self, warps: u64, refused: u64, token: Option<[u64; 6]>) {
        let warp = warps.trailing_zeros() as usize & 63;
        let cycle = self.base.ledger.cycle;
        if refused == 1 || warps.count_ones() != 1 || self.warps[warp].doing != Doing::UnderWay {
            return self
                .base
                .ledger
                .fail(|| format!("commit of warps {warps:#x}, refused {refused}: no such operation is in flight"));
        }
        let task = self.warps[warp].task;
        self.base.ledger.count("operations");
        self.base.ledger.most("worst cycles until a commit", cycle - self.warps[warp].since);
        let pause = self.rng.below(self.pause + 1);
        self.warps[warp].pause = cycle + pause;
        self.warps[warp].doing = Doing::Idle;
        match (task.has_result(), token) {
            (false, None) => self.landed(warp, task),
            (true, None) if task.kind == TRY_WAIT && self.warps[warp].can_suspend => {
                self.warps[warp].doing = Doing::Suspended;
                self.warps[warp].since = cycle;
                self.base.ledger.count("suspensions");
                if self.warps[warp].is_late {
                    self.base
                        .ledger
                        .fail(|| format!("warp {warp} is suspended at a phase that was complete when it sent its wait"));
                }
            }
            (true, Some([of, word, predicate, refused, rd, pu])) => {
                if of as usize != warp || refused == 1 || [rd, pu] != self.warps[warp].place {
                    self.base.ledger.fail(|| {
                        format!("token of warp {of}, refused {refused}, to {rd}, {pu} with the commit of warp {warp}")
                    });
                }
                self.result(warp, task, word, predicate);
            }
            _ => self.base.ledger.fail(|| {
                format!(
                    "warp {warp}: an operation of kind {} has token {token:x?}; token expected: {}",
                    task.kind,
                    task.has_result()
                )
            }),
        }
    }

    /// Applies the effect of an operation that has no result.
    fn landed(&mut self, warp: usize, task: Task) {
        let Some(cta) = self.warps[warp].cta.and_then(|slot| self.ctas[slot].as_mut()) else { return };
        let object = &mut cta.objects[task.object];
        match task.kind {
            INIT => object.life = Life::Live,
            INVAL => {
                (object.life, object.is_zero) = (Life::Raw, true);
                let (slot, word) = (self.warps[warp].cta.unwrap_or(0) as u64, object.word);
                if self.memory.word(slot, word) != 0 {
                    self.base.ledger.fail(|| format!("an Inval of warp {warp} takes effect, but its word is not 0 in memory"));
                }
            }
            _ => {}
        }
    }

    fn result(&mut self, warp: usize, task: Task, word: u64, predicate: u64) {
        if task.rank.is_some() {
            self.base.ledger.expect("token_word of a remote operation", word | predicate, 0);
            return;
        }
        let phase = word >> 63;
        if !task.is_wait() {
            if phase != task.phase & 1 || word & 1 == 1 || word >> 42 & 1 == 1 || predicate == 1 {
                self.base.ledger.fail(|| {
                    format!("warp {warp}: token {word:#x}, predicate {predicate} of an arrival in phase {}", task.phase)
                });
            }
            return;
        }
        if (phase != task.phase & 1) != (predicate == 1) {
            self.base
                .ledger
                .fail(|| format!("warp {warp}: token {word:#x}, predicate {predicate} of a wait for phase {}", task.phase));
        }
        if predicate == 0 && self.warps[warp].is_late {
            self.base
                .ledger
                .fail(|| format!("warp {warp} is answered false, though its phase was complete when it sent its wait"));
        }
        self.waited(warp, task, predicate == 1);
    }

    /// Accounts for the answer to a wait.
    fn waited(&mut self, warp: usize, task: Task, is_true: bool) {
        self.base.ledger.count(if is_true { "waits answered true" } else { "waits answered false" });
        if !is_true {
            self.warps[warp].tasks.push_front(task);
            return;
        }
        let Some(slot) = self.warps[warp].cta else { return };
        let Some(cta) = self.ctas[slot].as_mut() else { return };
        let object = &mut cta.objects[task.object];
        if object.phase == task.phase && object.unsent > 0 {
            let unsent = object.unsent;
            self.base
                .ledger
                .fail(|| format!("warp {warp} resumes after phase {} although {unsent} contributions are missing", task.phase));
        }
        if !object.is_complete {
            self.base.ledger.count("phases");
        }
        object.is_complete = true;
        object.waits = object.waits.saturating_sub(1);
    }

    /// Checks a wake: the woken warps were suspended, the answer `false` is not early, and the answer `true` wakes all warps that wait at
    /// one object.
    fn woken(&mut self, woken: u64, value: u64) {
        let cycle = self.base.ledger.cycle;
        let mut objects = vec![];
        for warp in (0..64).filter(|warp| woken >> warp & 1 == 1) {
            let state = &mut self.warps[warp];
            if state.doing != Doing::Suspended {
                let doing = state.doing;
                self.base.ledger.fail(|| format!("wake of warp {warp}, which is not suspended but {doing:?}"));
                continue;
            }
            state.doing = Doing::Idle;
            state.pause = cycle + self.rng.below(self.pause + 1);
            let (task, waited) = (state.task, cycle - state.since);
            objects.push((state.cta, task.object));
            let retires = state.cta.and_then(|slot| self.ctas[slot].as_ref()).is_some_and(|cta| cta.stage == Stage::Retiring);
            // The unit may answer false from `least` cycles after the suspension. If the unit has `tx_done`, `docs/contract/mbarrier.md`
            // gives the exact cycle; otherwise `least` is a weaker bound.
            let least = (state.limit - 1) * 64 + if self.tx_done.is_some() { warp as u64 + 7 } else { 0 };
            if value == 0 && !retires && self.is_distinct && waited < least {
                let limit = state.limit;
                self.base
                    .ledger
                    .fail(|| format!("warp {warp} is answered false {waited} cycles after it was suspended: with a limit of {limit} ticks, expected at least {least} cycles"));
            }
            self.base.ledger.most("worst cycles suspended", waited);
            self.waited(warp, task, value == 1);
        }
        objects.dedup();
        if value == 1 && objects.len() > 1 {
            self.base.ledger.fail(|| format!("one wake answers true at several objects: warps {woken:#x}"));
        }
        let is_forgotten = |warp: &usize| {
            let state = &self.warps[*warp];
            state.doing == Doing::Suspended && value == 1 && objects.contains(&(state.cta, state.task.object))
        };
        if let Some(warp) = (0..64).find(is_forgotten) {
            self.base.ledger.fail(|| format!("warp {warp} stays suspended while other warps at its object resume"));
        }
    }

    /// Checks that no operation is in the unit, and no warp suspended, for longer than the latencies of queue and memory and the limit of
    /// the wait allow.
    pub(super) fn bounds(&mut self) {
        let cycle = self.base.ledger.cycle;
        for warp in 0..self.warps.len() {
            let state = &self.warps[warp];
            let waited = cycle - state.since.min(cycle);
            let object = state.cta.and_then(|slot| self.ctas[slot].as_ref()).map(|cta| cta.objects[state.task.object]);
            let bound = match state.doing {
                Doing::UnderWay => self.bound,
                Doing::Suspended if object.is_some_and(|object| object.unsent == 0 && object.life == Life::Live) => {
                    self.bound.max(self.all_sent(warp) + self.bound)
                }
                Doing::Suspended => state.limit * 64 + 64 + self.bound,
                _ => continue,
            };
            if waited > bound {
                let (doing, task) = (state.doing, state.task);
                self.base.ledger.fail(|| format!("warp {warp} is {doing:?} for {waited} cycles with {task:?}"));
            }
        }
    }

    /// The cycles from the suspension of `warp` to the transfer of the last contribution to the phase that it waits for.
    fn all_sent(&self, warp: usize) -> u64 {
        let state = &self.warps[warp];
        let last_sent = state.cta.map_or(0, |slot| self.last_sent[slot]);
        last_sent.saturating_sub(state.since)
    }
}
