// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `mbarrier` in cycles: one queue, one decision a cycle, entries, memory (`docs/mbarrier.md`).

use super::mbarrier_clock::{Ticks, TimeOut};
use super::mbarrier_decide::Verdict;
use super::mbarrier_object::Object;
use super::mbarrier_ports::{ports, Leave, MbarrierIn, MbarrierOp, MbarrierOut, Transfer};
use super::sizes::Sizes;
use super::wire::{Clocked, Walk};
use std::collections::VecDeque;

/// What waits in the queue.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    Op(MbarrierOp),
    Tx(Transfer),
    TimeOut(TimeOut),
    /// A step of the walk, for this entry.
    Step(usize),
}

/// An object that is cached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) cta: u8,
    /// Number of the word.
    pub(super) number: u32,
    pub(super) object: Object,
    pub(super) dirty: bool,
    /// Warps that are suspended on it.
    pub(super) waiting: u64,
}

/// The walk over the entries of a CTA that goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) cta: u8,
    pub(super) entry: usize,
    /// The step for this entry is in the queue.
    pub(super) under_way: bool,
    pub(super) through: bool,
}

/// The state of `mbarrier`.
#[derive(Clone, Debug)]
pub struct Mbarrier {
    pub(super) sizes: Sizes,
    /// Entries that are cleared since reset.
    pub(super) cleared: usize,
    pub(super) entries: Vec<Option<Entry>>,
    pub(super) queue: VecDeque<Item>,
    /// In the cycle before there was room for others than operations.
    pub(super) room: bool,
    /// Transferred on `tx` and not yet in the queue.
    pub(super) tx: VecDeque<Transfer>,
    /// Items started, in this order: in the cycle before, and in the one before that.
    pub(super) started: [bool; 2],
    /// The decision of the cycle before was a restart.
    pub(super) restarted: bool,
    /// Nothing starts until memory has answered.
    pub(super) waits: bool,
    /// The word that has come for the oldest item.
    pub(super) word: Option<u64>,
    /// The oldest item is an Init that has found an entry which must be written.
    pub(super) evicts: bool,
    pub(super) unanswered: u32,
    /// CTA slots: someone is there, leaving, leaving with its objects saved.
    pub(super) present: u64,
    /// Those of the cycle before.
    pub(super) present_before: u64,
    pub(super) leaving: u64,
    pub(super) saved: u64,
    pub(super) round: Option<Round>,
    pub(super) ticks: Ticks,
    pub(super) suspends: Option<(u8, u64, usize)>,
    /// `wait_limit` in the cycle before.
    pub(super) limit: u32,
    pub(super) out: MbarrierOut,
}

impl Mbarrier {
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
