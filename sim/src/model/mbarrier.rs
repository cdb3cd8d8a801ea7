// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mbarrier` in cycles: one queue, one decision a cycle, entries, memory (`docs/mbarrier.md`).

use super::mbarrier_clock::{Ticks, TimeOut};
use super::mbarrier_object::{MbarrierKind, Object};
use super::mbarrier_ports::{
    ports, Done, Leave, MbarrierFault, MbarrierIn, MbarrierOp, MbarrierOut, MemRequest, Token, Transfer, Wake,
};
use super::op::Code;
use super::sizes::Sizes;
use super::wire::{Clocked, Walk};
use std::collections::VecDeque;

/// What waits in the queue.
#[derive(Clone, Copy, Debug)]
enum Item {
    Op(MbarrierOp),
    Tx(Transfer),
    TimeOut(TimeOut),
    /// A step of the walk, for this entry.
    Step(usize),
}

/// An object that is cached.
#[derive(Clone, Copy, Debug)]
struct Entry {
    cta: u8,
    /// Number of the word.
    number: u32,
    object: Object,
    dirty: bool,
    /// Warps that are suspended on it.
    waiting: u64,
}

/// The walk over the entries of a CTA that goes.
#[derive(Clone, Copy, Debug)]
struct Round {
    cta: u8,
    entry: usize,
    /// The step for this entry is in the queue.
    under_way: bool,
    through: bool,
}

/// What a decision says of its item and of those behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    done: bool,
    restart: bool,
}

const DONE: Verdict = Verdict { done: true, restart: false };
const DONE_AND_RESTART: Verdict = Verdict { done: true, restart: true };
const AGAIN: Verdict = Verdict { done: false, restart: true };

/// What all operations on objects have, wherever they come from.
#[derive(Clone, Copy, Debug)]
struct Work {
    kind: MbarrierKind,
    cta: u8,
    number: u32,
    n: u32,
    t: u32,
    flaw: Code,
    address: u32,
    op: Option<MbarrierOp>,
}

/// The state of `mbarrier`.
#[derive(Clone, Debug)]
pub struct Mbarrier {
    sizes: Sizes,
    /// Entries that are cleared since reset.
    cleared: usize,
    entries: Vec<Option<Entry>>,
    queue: VecDeque<Item>,
    /// In the cycle before there was room for others than operations.
    room: bool,
    /// Transferred on `tx` and not yet in the queue.
    tx: VecDeque<Transfer>,
    /// Items started, in this order: in the cycle before, and in the one before that.
    started: [bool; 2],
    /// The decision of the cycle before was a restart.
    restarted: bool,
    /// Nothing starts until memory has answered.
    waits: bool,
    /// The word that has come for the oldest item.
    word: Option<u64>,
    /// The oldest item is an Init that has found an entry which must be written.
    evicts: bool,
    unanswered: u32,
    /// CTA slots: someone is there, leaving, leaving with its objects saved.
    present: u64,
    /// Those of the cycle before.
    present_before: u64,
    leaving: u64,
    saved: u64,
    round: Option<Round>,
    ticks: Ticks,
    suspends: Option<(u8, u64, usize)>,
    /// `wait_limit` in the cycle before.
    limit: u32,
    out: MbarrierOut,
}

impl Mbarrier {
    fn is(&self, slots: u64, cta: u8) -> bool {
        usize::from(cta) < self.sizes.cta_slots() && slots >> cta & 1 != 0
    }

    fn checks(&self) -> bool {
        self.sizes.parts().faults
    }

    /// The entry of an object.
    fn place(&self, cta: u8, number: u32) -> usize {
        let (bits, number) = (self.sizes.entry_bits(), number as usize);
        let slot = (0..self.sizes.cta_bits()).fold(0, |sum, bit| sum | (usize::from(cta) >> bit & 1) << (bits - 1 - bit));
        (number ^ number >> bits ^ slot) & (self.sizes.cached_objects() - 1)
    }

    /// The entry's CTA goes, and nobody wants its objects.
    fn is_lost(&self, entry: &Entry) -> bool {
        self.is(self.leaving, entry.cta) && !self.is(self.saved, entry.cta)
    }

    /// Its word is not in memory, and must be.
    fn must_be_written(&self, entry: &Entry) -> bool {
        entry.dirty && !self.is_lost(entry)
    }

    /// A request may be offered.
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

    /// Makes an entry free, writes its object if that must be and `writes` says so, and answers who is suspended on it.
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

    /// Drops an entry if its word need not be written or can be.
    fn can_drop(&mut self, place: usize) -> bool {
        let must = self.entries[place].is_some_and(|entry| self.must_be_written(&entry));
        let can = !must || self.channel_is_free();
        if can {
            self.drop_entry(place, true);
        }
        can
    }

    fn work(&self, item: Item) -> Option<Work> {
        let word_mask = (1 << self.sizes.word_bits()) - 1;
        let checks = self.checks();
        let work = match item {
            Item::Op(op) => Work {
                kind: op.kind,
                cta: op.cta,
                number: op.address >> 3 & word_mask,
                n: op.count & 0xf_ffff,
                t: op.bytes,
                flaw: op.flaw(self.sizes.objects().smem_bytes, checks),
                address: op.address,
                op: Some(op),
            },
            Item::Tx(tx) => Work {
                kind: if tx.count == 0 { MbarrierKind::Complete } else { MbarrierKind::Arrive },
                cta: tx.cta,
                number: tx.object,
                n: tx.count.into(),
                t: tx.bytes,
                flaw: Code::None,
                address: tx.object << 3,
                op: None,
            },
            Item::TimeOut(_) | Item::Step(_) => return None,
        };
        let absent = work.flaw == Code::None && !self.is(self.present_before, work.cta);
        Some(Work { flaw: if absent { Code::RankAbsent } else { work.flaw }, ..work })
    }

    /// The decision of the oldest item.
    fn decide(&mut self, item: Item) -> Verdict {
        let word = self.word.take();
        match item {
            Item::TimeOut(TimeOut { warp, entry: place }) => {
                if let Some(entry) = self.entries[place].as_mut().filter(|entry| entry.waiting >> warp & 1 != 0) {
                    entry.waiting &= !(1 << warp);
                    self.wake(1 << warp, false);
                }
                DONE
            }
            Item::Step(place) => {
                let walked = self.round.map_or(0, |round| round.cta);
                match self.entries[place].is_some_and(|entry| entry.cta == walked) {
                    false => DONE,
                    true if self.can_drop(place) => DONE_AND_RESTART,
                    true => AGAIN,
                }
            }
            Item::Op(_) | Item::Tx(_) => match self.work(item) {
                Some(work) => self.decide_work(&work, word),
                None => DONE,
            },
        }
    }

    fn decide_work(&mut self, work: &Work, word: Option<u64>) -> Verdict {
        let place = self.place(work.cta, work.number);
        let held = self.entries[place];
        let hit = held.filter(|entry| (entry.cta, entry.number) == (work.cta, work.number));
        if work.flaw != Code::None {
            return self.refuse(work, work.flaw);
        }
        if work.kind == MbarrierKind::Inval {
            return self.invalidate(work, place, hit.is_some(), word.is_some());
        }
        if work.kind == MbarrierKind::Init {
            return self.initialise(work, place, hit.is_some());
        }
        match (hit, word) {
            (Some(entry), _) => self.operate(work, place, entry, true),
            (None, Some(word)) => {
                let object = Object::from_word(word);
                let entry = Entry { cta: work.cta, number: work.number, object, dirty: false, waiting: 0 };
                self.operate(work, place, entry, held.is_none())
            }
            (None, None) => match held {
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

    fn refuse(&mut self, work: &Work, code: Code) -> Verdict {
        if self.checks() {
            if self.out.fault_valid {
                return AGAIN;
            }
            self.out.fault_valid = true;
            let warp = work.op.map_or(0, |op| op.warp);
            let has_warp = work.op.is_some();
            self.out.fault = MbarrierFault { code, has_warp, warp, cta: work.cta, address: work.address };
        }
        let token = Token { refused: true, ..Token::default() };
        self.finish(work, Some(token));
        DONE_AND_RESTART
    }

    /// The operation has had its effect; its result, or its warp waits.
    fn finish(&mut self, work: &Work, token: Option<Token>) {
        let Some(op) = work.op else { return };
        self.out.effect_valid = true;
        self.out.effect = Done { warp: op.warp, waits: token.is_none() };
        if let Some(token) = token.filter(|_| work.kind.has_result()) {
            self.out.token_valid = true;
            self.out.token = Token { warp: op.warp, rd: op.rd, pu: op.pu, ..token };
        }
    }

    fn invalidate(&mut self, work: &Work, place: usize, hit: bool, answered: bool) -> Verdict {
        if answered {
            self.finish(work, Some(Token::default()));
            return DONE_AND_RESTART;
        }
        if self.channel_is_free() {
            self.request(true, work.cta, work.number, 0);
            self.waits = true;
            if hit {
                self.drop_entry(place, false);
            }
        }
        AGAIN
    }

    fn initialise(&mut self, work: &Work, place: usize, hit: bool) -> Verdict {
        if self.evicts {
            self.evicts = !self.can_drop(place);
            return AGAIN;
        }
        if !hit && self.entries[place].is_some_and(|entry| self.must_be_written(&entry)) {
            self.evicts = true;
            return AGAIN;
        }
        self.drop_entry(place, false);
        let entry = Entry { cta: work.cta, number: work.number, object: Object::new(work.n), dirty: true, waiting: 0 };
        self.entries[place] = Some(entry);
        self.finish(work, Some(Token::default()));
        DONE
    }

    /// An operation on an object whose word is there; `keeps`: the entry is its own from then on.
    fn operate(&mut self, work: &Work, place: usize, entry: Entry, keeps: bool) -> Verdict {
        let (after, complete) = match entry.object.after(work.kind, work.n, work.t, self.checks()) {
            Ok(after) => after,
            Err(code) => return self.refuse(work, code),
        };
        let before = Object { foreign: false, ..entry.object };
        let phase = work.op.is_some_and(|op| op.phase);
        let predicate = work.kind.waits() && before.phase != phase;
        let may_wait = work.kind == MbarrierKind::TryWait && work.op.is_some_and(|op| op.whole);
        let suspends = may_wait && !predicate && keeps;
        let token = Token { word: before.word(), predicate, ..Token::default() };
        self.finish(work, (!suspends).then_some(token));
        if !keeps {
            return DONE_AND_RESTART;
        }
        let mut entry = Entry { object: after, dirty: entry.dirty || !work.kind.waits(), ..entry };
        if complete {
            self.wake(std::mem::take(&mut entry.waiting), true);
        }
        if let Some(op) = work.op.filter(|_| suspends) {
            entry.waiting |= 1 << op.warp;
            let limit = if op.hint != 0 && op.hint < self.limit { op.hint } else { self.limit };
            self.suspends = Some((op.warp, limit.into(), place));
        }
        self.entries[place] = Some(entry);
        Verdict { done: true, restart: complete && work.kind.expects() }
    }

    /// What goes into the queue in this cycle; whether something was passed over.
    fn fill(&mut self, op: Option<MbarrierOp>) -> bool {
        let room = self.room;
        let step = self.round.filter(|round| !round.under_way && !round.through);
        let there = room && (self.ticks.late.is_some() || step.is_some() || !self.tx.is_empty());
        if let Some(op) = op {
            self.queue.push_back(Item::Op(op));
            return there;
        }
        if there {
            if let Some(late) = self.ticks.late.take() {
                self.queue.push_back(Item::TimeOut(late));
            } else if let (Some(step), Some(round)) = (step, self.round.as_mut()) {
                round.under_way = true;
                self.queue.push_back(Item::Step(step.entry));
            } else if let Some(tx) = self.tx.pop_front() {
                self.queue.push_back(Item::Tx(tx));
            }
        }
        false
    }

    /// The walk goes on, ends or begins; what the host says of CTAs.
    fn clock_ctas(&mut self, stepped: bool, inputs: &MbarrierIn, unanswered: u32) {
        match self.round.as_mut() {
            Some(round) if round.through && unanswered == 0 => {
                self.leaving &= !(1 << round.cta);
                (self.out.retired_valid, self.out.retired) = (true, round.cta);
                self.round = None;
            }
            Some(round) if stepped => {
                round.under_way = false;
                round.through = round.entry + 1 == self.sizes.cached_objects();
                round.entry += 1;
            }
            Some(_) => (),
            None if self.leaving != 0 => {
                let cta = self.leaving.trailing_zeros() as u8;
                self.round = Some(Round { cta, entry: 0, under_way: false, through: false });
            }
            None => (),
        }
        let built = |cta: &u8| usize::from(*cta) < self.sizes.cta_slots();
        if let Some(cta) = inputs.launch.filter(built) {
            self.present |= 1 << cta;
        }
        if let Some(Leave { cta, saved }) = inputs.retire.filter(|leave| built(&leave.cta)) {
            self.present &= !(1 << cta);
            self.leaving |= 1 << cta;
            self.saved = self.saved & !(1 << cta) | u64::from(saved) << cta;
        }
    }
}

impl Clocked for Mbarrier {
    type Inputs = MbarrierIn;
    type Outputs = MbarrierOut;

    fn new(sizes: Sizes) -> Mbarrier {
        Mbarrier {
            sizes,
            cleared: 0,
            entries: vec![None; sizes.cached_objects()],
            queue: VecDeque::new(),
            room: false,
            tx: VecDeque::new(),
            started: [false; 2],
            restarted: false,
            waits: false,
            word: None,
            evicts: false,
            unanswered: 0,
            present: 0,
            present_before: 0,
            leaving: 0,
            saved: 0,
            round: None,
            ticks: Ticks::new(sizes),
            suspends: None,
            limit: 0,
            out: MbarrierOut::default(),
        }
    }

    fn ports(i: &mut MbarrierIn, o: &mut MbarrierOut, at: &mut Walk) {
        ports(i, o, at);
    }

    fn outputs(&self) -> MbarrierOut {
        MbarrierOut { leaving: self.leaving, tx_ready: self.tx.len() < 2, ..self.out }
    }

    fn clock(&mut self, inputs: &MbarrierIn) {
        if inputs.reset {
            *self = Mbarrier::new(self.sizes);
            return;
        }
        // What was there at the beginning of the cycle.
        let (shown, used, unanswered, clear) =
            (self.outputs(), self.queue.len(), self.unanswered, self.cleared == self.sizes.cached_objects());
        let late = self.ticks.late.is_some();
        let (stopped, waited) = (self.restarted, self.waits);

        // The decision. What it shows is seen in the next cycle.
        self.out.token_valid = false;
        self.out.effect_valid = false;
        self.out.wake_valid = false;
        self.out.wake.warps = 0;
        self.out.retired_valid = false;
        let started = if stopped { [false; 2] } else { self.started };
        let mut verdict = Verdict { done: false, restart: false };
        let mut stepped = false;
        if let Some(item) = self.queue.front().copied().filter(|_| started[1]) {
            verdict = self.decide(item);
            stepped = verdict.done && matches!(item, Item::Step(_));
        }

        // What is started.
        let under_way = started.iter().filter(|is| **is).count();
        let starts = !stopped && !waited && used > under_way;
        self.started = [starts, started[0]];
        self.restarted = verdict.restart;

        // What goes into the queue.
        let op = inputs.op.filter(|_| shown.op_ready);
        let passed_over = self.fill(op);
        self.room = clear && used < self.sizes.warps();
        if verdict.done {
            self.queue.pop_front();
            self.evicts = false;
        }
        if let Some(tx) = inputs.tx.filter(|_| shown.tx_ready) {
            self.tx.push_back(tx);
        }
        let taken = late && self.ticks.late.is_none();
        self.ticks.clock(clear, taken, self.suspends.take());
        self.present_before = self.present;
        self.clock_ctas(stepped, inputs, unanswered);

        // Memory and faults.
        if shown.mem_request_valid && inputs.mem_request_ready {
            self.out.mem_request_valid = false;
        }
        if let Some(data) = inputs.mem_response {
            self.unanswered = self.unanswered.saturating_sub(1);
            if waited && unanswered == 1 {
                self.waits = false;
                self.word = Some(data);
            }
        }
        if shown.fault_valid && inputs.fault_ready {
            self.out.fault_valid = false;
        }

        self.limit = inputs.wait_limit;
        self.cleared += usize::from(!clear);
        let clear = self.cleared == self.sizes.cached_objects();
        self.out.op_ready = clear && used < 3 * self.sizes.warps() && !passed_over;
    }
}
