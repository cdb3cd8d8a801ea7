// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decision on an item of `mbarrier`: its effects on the item, its entry and the warps, and the request to memory
//! (`docs/contract/mbarrier.md`, *Cycles*, from "The decision" on).

use super::mbarrier::Mbarrier;
use super::mbarrier_clock::TimeOut;
use super::mbarrier_net::Answer;
use super::mbarrier_object::{MbarrierKind, Object};
use super::mbarrier_ports::{Commit, MbarrierFault, MemRequest, NetReply, Token, Wake};
use super::mbarrier_state::{Done, Entry, Item, Verdict};
use super::mbarrier_work::Work;
use super::op::Code;

const DONE: Verdict = Verdict { done: true, restart: false };
const DONE_AND_RESTART: Verdict = Verdict { done: true, restart: true };
const AGAIN: Verdict = Verdict { done: false, restart: true };

impl Mbarrier {
    /// Whether CTA slot `cta` is built and its bit in the mask `slots` is 1.
    pub(super) fn is(&self, slots: u64, cta: u8) -> bool {
        usize::from(cta) < self.sizes.cta_slots() && slots >> cta & 1 != 0
    }

    /// Whether the unit is built with checks: misuse is detected and reported.
    pub(super) fn checks(&self) -> bool {
        self.sizes.parts().faults
    }

    /// The index of the entry for an object.
    fn place(&self, cta: u8, number: u32) -> usize {
        let (bits, number) = (self.sizes.entry_bits(), number as usize);
        let slot = (0..self.sizes.cta_bits()).fold(0, |sum, bit| sum | (usize::from(cta) >> bit & 1) << (bits - 1 - bit));
        (number ^ number >> bits ^ slot) & (self.sizes.cached_objects() - 1)
    }

    /// Whether the entry's CTA is leaving without saving its objects.
    fn is_lost(&self, entry: &Entry) -> bool {
        self.is(self.leaving, entry.cta) && !self.is(self.saved, entry.cta)
    }

    /// Whether the entry's word must be written to memory: it is dirty, and is not discarded.
    fn must_be_written(&self, entry: &Entry) -> bool {
        entry.dirty && !self.is_lost(entry)
    }

    /// Whether a request to memory may be offered.
    fn channel_is_free(&self) -> bool {
        !self.out.mem_request_valid && self.unanswered <= 2 && !self.round.is_some_and(|round| round.through)
    }

    fn request(&mut self, write: bool, cta: u8, object: u32, data: u64) {
        self.out.mem_request_valid = true;
        self.out.mem_request = MemRequest { write, cta, object, data };
        self.unanswered += 1;
    }

    fn wake(&mut self, warps: u64, value: bool) {
        if warps != 0 {
            self.out.wake_valid = true;
            self.out.wake = Wake { warps, value };
        }
    }

    /// Frees an entry, and resumes the warps that are suspended on the entry, with the answer false. If `writes` is set, an object that
    /// must be saved is written to memory.
    fn drop_entry(&mut self, place: usize, writes: bool) {
        if let Some(entry) = self.entries[place].take() {
            if writes && self.must_be_written(&entry) {
                self.request(true, entry.cta, entry.number, entry.object.word());
            }
            if !self.is_lost(&entry) {
                self.wake(entry.waiting, false);
            }
        }
    }

    /// Drops an entry, and writes its object back if necessary. Returns false, and drops nothing, if the channel for the write is occupied.
    fn can_drop(&mut self, place: usize) -> bool {
        let must = self.entries[place].is_some_and(|entry| self.must_be_written(&entry));
        let can = !must || self.channel_is_free();
        if can {
            self.drop_entry(place, true);
        }
        can
    }

    /// Decides on the oldest item in the queue.
    pub(super) fn decide(&mut self, item: Item) -> Verdict {
        let word = self.word.take();
        match item {
            Item::TimeOut(TimeOut { warp, entry }) => self.time_out(warp, entry),
            Item::Answer(Answer { warp, has_result, rd, pu }) => {
                self.out.commit_valid = true;
                self.out.commit = Commit { warps: 1 << warp, refused: false };
                if has_result {
                    self.out.token_valid = true;
                    self.out.token = Token { warp, rd, pu, ..Token::default() };
                }
                self.time_out(warp, 0)
            }
            Item::Absent(cta) => {
                let fault = MbarrierFault { code: Code::RankAbsent, cta, ..MbarrierFault::default() };
                match self.report(fault) {
                    true => DONE_AND_RESTART,
                    false => AGAIN,
                }
            }
            Item::WalkStep(place) => {
                let walked = self.round.map_or(0, |round| round.cta);
                match self.entries[place].is_some_and(|entry| entry.cta == walked) {
                    false => DONE,
                    true if self.can_drop(place) => DONE_AND_RESTART,
                    true => AGAIN,
                }
            }
            Item::Op(_) | Item::Tx(_) | Item::Net(_) => match self.work(item) {
                Some(work) => self.decide_work(&work, word),
                None => DONE,
            },
        }
    }

    /// Decides on an operation on an object; `word` is the object's word if memory has sent it.
    fn decide_work(&mut self, work: &Work, word: Option<u64>) -> Verdict {
        let place = self.place(work.cta, work.number);
        let cached = self.entries[place];
        let cache_hit = cached.filter(|entry| (entry.cta, entry.number) == (work.cta, work.number));
        if work.flaw != Code::None {
            return self.refuse(work, work.flaw, None);
        }
        if work.kind == MbarrierKind::Inval {
            return self.invalidate(work, place, cache_hit.is_some(), word.is_some());
        }
        if work.kind == MbarrierKind::Init {
            self.touches |= 1 << work.cta;
            return self.initialise(work, place, cache_hit.is_some());
        }
        // A cached object has its word in its entry. A word from memory is cached if its entry is free, and is used without an entry
        // otherwise.
        if cache_hit.is_some() || word.is_some() {
            self.touches |= 1 << work.cta;
        }
        match (cache_hit, word) {
            (Some(entry), _) => self.operate(work, place, entry, true),
            (None, Some(word)) => {
                let object = Object::from_word(word);
                let entry = Entry { cta: work.cta, number: work.number, object, dirty: false, waiting: 0 };
                self.operate(work, place, entry, cached.is_none())
            }
            // The word is requested from memory. An object that occupies the entry is evicted first. Exception: a wait does not evict an
            // object on which warps are suspended, but requests the word at once and uses it without an entry.
            (None, None) => match cached {
                Some(entry) if !work.kind.waits() || entry.waiting == 0 => {
                    self.can_drop(place);
                    AGAIN
                }
                _ => {
                    if self.channel_is_free() {
                        self.request(false, work.cta, work.number, 0);
                        self.waits = true;
                    }
                    AGAIN
                }
            },
        }
    }

    /// Ends the suspension of `warp` on the entry at `place`. The warp resumes with the answer false, unless its CTA is leaving without
    /// saving its objects.
    fn time_out(&mut self, warp: u8, place: usize) -> Verdict {
        let is_lost = self.entries[place].is_some_and(|entry| self.is_lost(&entry));
        if let Some(entry) = self.entries[place].as_mut().filter(|entry| entry.waiting >> warp & 1 != 0) {
            entry.waiting &= !(1 << warp);
            if !is_lost {
                self.wake(1 << warp, false);
            }
        }
        DONE
    }

    /// Reports a fault. Returns false if the fault channel is occupied. A unit without checks reports nothing, and the result is true.
    fn report(&mut self, fault: MbarrierFault) -> bool {
        if !self.checks() {
            return true;
        }
        let is_fault_port_free = !self.out.fault_valid;
        if is_fault_port_free {
            (self.out.fault_valid, self.out.fault) = (true, fault);
        }
        is_fault_port_free
    }

    /// Refuses an operation with the fault `code`; `before` is the object, if the operation has reached it. The decision is made again
    /// while the fault channel is occupied.
    fn refuse(&mut self, work: &Work, code: Code, before: Option<Object>) -> Verdict {
        let warp = work.op.map_or(0, |op| op.warp);
        let fault = MbarrierFault { code, has_warp: work.op.is_some(), warp, cta: work.cta, address: work.address };
        // The multiprocessor of the sender receives the reply, and reports an absent target CTA.
        let absent = work.source.is_some() && code == Code::RankAbsent;
        if absent && self.checks() && self.out.fault_valid || !absent && !self.report(fault) {
            return AGAIN;
        }
        let token = Token { refused: true, ..Token::default() };
        self.finish(work, Some(token));
        self.done = Some(Done { before, ..work.done(code) });
        if work.source.is_some() {
            self.out.net_reply.absent = absent;
        }
        self.out.commit.refused = self.checks() && work.op.is_some() && code != Code::NotResident;
        DONE_AND_RESTART
    }

    /// Finishes an operation that has had its effect: outputs the result `token`; `None`: the warp is suspended and has no result yet.
    fn finish(&mut self, work: &Work, token: Option<Token>) {
        if work.op.is_none() && work.source.is_none() {
            (self.out.tx_done_valid, self.out.tx_done) = (true, work.cta);
        }
        if let Some(source) = work.source {
            self.out.net_reply_valid = true;
            self.out.net_reply = NetReply { source, absent: false };
        }
        let Some(op) = work.op else { return };
        self.out.commit_valid = true;
        self.out.commit = Commit { warps: 1 << op.warp, refused: false };
        if let Some(token) = token.filter(|_| work.kind.has_result()) {
            self.out.token_valid = true;
            self.out.token = Token { warp: op.warp, rd: op.rd, pu: op.pu, ..token };
        }
    }

    /// Decides on an Inval: writes 0 to the word in memory and drops the entry; the operation takes effect when memory has answered.
    fn invalidate(&mut self, work: &Work, place: usize, cache_hit: bool, answered: bool) -> Verdict {
        if answered {
            self.finish(work, Some(Token::default()));
            self.done = Some(work.done(Code::None));
            return DONE_AND_RESTART;
        }
        if self.channel_is_free() {
            self.request(true, work.cta, work.number, 0);
            self.waits = true;
            if cache_hit {
                self.drop_entry(place, false);
            }
        }
        AGAIN
    }

    /// Decides on an Init: its object takes the entry. If another object is in the entry and must be written back, it is evicted first.
    fn initialise(&mut self, work: &Work, place: usize, cache_hit: bool) -> Verdict {
        if self.evicts {
            self.evicts = !self.can_drop(place);
            return AGAIN;
        }
        if !cache_hit && self.entries[place].is_some_and(|entry| self.must_be_written(&entry)) {
            self.evicts = true;
            return AGAIN;
        }
        self.drop_entry(place, false);
        let entry = Entry { cta: work.cta, number: work.number, object: Object::new(work.n), dirty: true, waiting: 0 };
        self.entries[place] = Some(entry);
        self.finish(work, Some(Token::default()));
        self.done = Some(Done { after: Some(entry.object), ..work.done(Code::None) });
        DONE
    }

    /// Applies an operation on an object whose word is available. `keeps`: the entry holds this object from then on.
    fn operate(&mut self, work: &Work, place: usize, entry: Entry, keeps: bool) -> Verdict {
        let (after, complete) = match entry.object.after(work.kind, work.n, work.t, self.checks()) {
            Ok(after) => after,
            Err(code) => return self.refuse(work, code, Some(entry.object)),
        };
        let before = Object { other_layout: false, ..entry.object };
        let phase = work.op.is_some_and(|op| op.phase);
        let predicate = work.kind.waits() && before.phase != phase;
        let may_wait = work.kind == MbarrierKind::TryWait && work.op.is_some_and(|op| op.all_live_lanes);
        let suspends = may_wait && !predicate && keeps;
        let token = Token { word: before.word(), predicate, ..Token::default() };
        self.finish(work, (!suspends).then_some(token));
        self.done = Some(Done {
            before: Some(before),
            after: Some(after),
            completes: complete,
            suspends,
            answer: predicate,
            ..work.done(Code::None)
        });
        if !keeps {
            return DONE_AND_RESTART;
        }
        // A completed phase wakes the suspended warps. A try_wait for an incomplete phase may suspend its own warp.
        let mut entry = Entry { object: after, dirty: entry.dirty || !work.kind.waits(), ..entry };
        if complete {
            let waiting = std::mem::take(&mut entry.waiting);
            if !self.is_lost(&entry) {
                self.wake(waiting, true);
            }
        }
        if let Some(op) = work.op.filter(|_| suspends) {
            entry.waiting |= 1 << op.warp;
            let limit = if op.hint != 0 && op.hint < self.limit { op.hint } else { self.limit };
            self.suspends = Some((op.warp, limit.into(), place));
        }
        self.entries[place] = Some(entry);
        Verdict { done: true, restart: complete && work.kind.expects() }
    }
}
