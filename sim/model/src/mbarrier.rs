// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of `mbarrier`: a queue of items with at most one decision per cycle, the cached objects, and the requests to memory
//! (`docs/contract/mbarrier.md`).

use super::bits::members;
use super::in_place::clone_in_place;
use super::mbarrier_clock::Ticks;
use super::mbarrier_net::{Net, Turns};
use super::mbarrier_ports::{ports, Commit, Launch, Leave, MbarrierIn, MbarrierOp, MbarrierOut, NetIn, Transfer};
use super::mbarrier_state::{Done, Entry, Item, Round, Verdict};
use super::sizes::Sizes;
use super::wire::{Clocked, PortAction, Walk};
use std::collections::VecDeque;

clone_in_place! {
    /// The state of `mbarrier`.
    #[derive(Debug, PartialEq)]
    pub struct Mbarrier {
        pub(super) sizes: Sizes,
        /// The number of entries cleared since reset.
        pub(super) cleared: usize,
        pub(super) entries: Vec<Option<Entry>>,
        pub(super) queue: VecDeque<Item>,
        /// The queue has room for items of other sources than warps.
        pub(super) has_queue_space: bool,
        /// Transfers on `tx` that are not yet in the queue.
        pub(super) tx: VecDeque<Transfer>,
        /// Operations on `net_in` that are not yet in the queue.
        pub(super) arrived: VecDeque<NetIn>,
        pub(super) net: Net,
        /// The CTA slot whose item [`Item::Absent`] entered the queue in this cycle: an operation of its CTA found no target CTA.
        pub(super) reported_absent: Option<u8>,
        /// The turns of the three sources of items: `mbarrier` itself, `tx` and `net_in`.
        pub(super) turns: Turns,
        /// The turns within the source `mbarrier`: time-outs, results of remote operations, absent CTAs and steps of the walk.
        pub(super) internal_turns: Turns,
        /// Whether an item was started in the cycle before, and in the cycle before that.
        pub(super) started: [bool; 2],
        /// The decision of the cycle before was a restart.
        pub(super) restarted: bool,
        /// No item starts until memory has answered.
        pub(super) waits: bool,
        /// The memory word that has arrived for the oldest item.
        pub(super) word: Option<u64>,
        /// The oldest item is an Init, and its entry holds another object that must be written back first.
        pub(super) evicts: bool,
        pub(super) unanswered: u32,
        /// CTA slots whose CTA is present, one bit per slot.
        pub(super) present: u64,
        /// `present` in the cycle before.
        pub(super) present_before: u64,
        /// CTA slots whose CTA is leaving; one bit per CTA slot.
        pub(super) leaving: u64,
        /// CTA slots whose last leaving CTA has its objects saved; one bit per CTA slot.
        pub(super) saved: u64,
        /// CTA slots whose CTA may have cached objects or remote operations: an Init, or an operation on an available word, was decided for the
        /// CTA, or the CTA has sent an operation to the network; one bit per CTA slot.
        pub(super) touched: u64,
        /// CTA slots that enter `touched` at the end of this cycle; one bit per CTA slot.
        pub(super) touches: u64,
        pub(super) round: Option<Round>,
        pub(super) ticks: Ticks,
        pub(super) suspends: Option<(u8, u64, usize)>,
        pub(super) suspended: u64,
        /// `wait_limit` in the cycle before.
        pub(super) limit: u32,
        pub(super) out: MbarrierOut,
        /// The decision at the last edge.
        pub(super) done: Option<Done>,
        /// The operation that entered the queue to the network at the last edge.
        remote_sent: Option<MbarrierOp>,
    }
}

impl Mbarrier {
    /// The decision at the last edge on an operation of a warp, of a copy engine or of another CTA.
    pub fn done(&self) -> Option<&Done> {
        self.done.as_ref()
    }

    /// A warp's operation that entered the queue to the network at the last edge. It takes effect in the unit to which the network delivers
    /// it.
    pub fn remote_sent(&self) -> Option<&MbarrierOp> {
        self.remote_sent.as_ref()
    }

    /// The warps that are suspended, one bit per warp.
    pub(crate) fn suspended(&self) -> u64 {
        self.suspended
    }

    /// Whether all entries are cleared after the reset.
    pub(crate) fn is_clear(&self) -> bool {
        self.cleared == self.sizes.cached_objects()
    }

    /// Whether an operation on an object of another CTA waits to be sent, is in flight, or is not acknowledged.
    pub fn has_remote(&self) -> bool {
        self.net.busy() != 0 || self.net.waiting() > 0
    }

    /// Puts the item of this cycle into the queue: the operation `op` of a warp, otherwise an item of the source that has the turn. Returns
    /// whether a source with an item has not had its turn in this round.
    fn fill(&mut self, op: Option<MbarrierOp>) -> bool {
        let walk_entry = self.round.and_then(|round| round.next_entry);
        let absent = self.net.absent();
        let internal = [self.ticks.late.is_some(), self.net.answer.is_some(), absent.is_some(), walk_entry.is_some()];
        let sources = [internal.contains(&true), !self.tx.is_empty(), !self.arrived.is_empty()];
        if let Some(op) = op {
            if self.has_queue_space {
                self.turns.begin();
            }
            match self.leaves(&op) {
                true => self.send(&op),
                false => self.queue.push_back(Item::Op(MbarrierOp { fault: self.flaw(&op), ..op })),
            }
            return self.turns.due(&sources).is_some();
        }
        let item = match self.has_queue_space.then(|| self.turns.next(&sources)).flatten() {
            Some(0) => match self.internal_turns.next(&internal) {
                Some(0) => self.ticks.late.take().map(Item::TimeOut),
                Some(1) => self.net.answer.take().map(Item::Answer),
                Some(2) => {
                    self.reported_absent = absent;
                    absent.map(Item::Absent)
                }
                _ => self.next_walk_step(),
            },
            Some(1) => self.tx.pop_front().map(Item::Tx),
            Some(_) => self.arrived.pop_front().map(Item::Net),
            None => None,
        };
        self.queue.extend(item);
        self.turns.due(&sources).is_some()
    }

    /// Advances the walk by one step, and returns the item of this step.
    fn next_walk_step(&mut self) -> Option<Item> {
        let entries = self.sizes.cached_objects();
        let round = self.round.as_mut()?;
        let entry = round.next_entry?;
        round.next_entry = Some(entry + 1).filter(|next| *next < entries);
        Some(Item::WalkStep(entry))
    }

    /// Puts an operation into the queue to the network.
    fn send(&mut self, op: &MbarrierOp) {
        self.remote_sent = Some(*op);
        self.net.push(op, self.number(op.address));
        self.touches |= 1 << op.cta;
    }

    /// Advances, ends or begins the walk, and applies launches and retirements of CTAs.
    fn clock_ctas(&mut self, stepped: bool, inputs: &MbarrierIn, unanswered: u32, busy: u64) {
        match self.round.as_mut() {
            Some(round) if round.through && unanswered == 0 => {
                self.leaving &= !(1 << round.cta);
                self.touched &= !(1 << round.cta);
                (self.out.retired_valid, self.out.retired) = (true, round.cta);
                self.round = None;
            }
            // The CTA slot was chosen in the cycle before. A CTA that was not touched has no entries, so no walk is needed.
            Some(round) if !round.begun => {
                round.begun = true;
                match self.touched >> round.cta & 1 {
                    0 => round.through = true,
                    _ => round.next_entry = Some(0),
                }
            }
            Some(round) => round.through |= stepped,
            None => {
                let next = members(self.leaving & !busy).next();
                self.round = next.map(|cta| Round { cta: cta as u8, begun: false, next_entry: None, through: false });
            }
        }
        let built = |cta: &u8| usize::from(*cta) < self.sizes.cta_slots();
        if let Some(Launch { cta, .. }) = inputs.launch.filter(|launch| built(&launch.cta)) {
            self.present |= 1 << cta;
        }
        if let Some(Leave { cta, saved, .. }) = inputs.retire.filter(|leave| built(&leave.cta)) {
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
            has_queue_space: false,
            tx: VecDeque::new(),
            arrived: VecDeque::new(),
            net: Net::new(sizes),
            reported_absent: None,
            turns: Turns::default(),
            internal_turns: Turns::default(),
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
            touched: 0,
            touches: 0,
            round: None,
            ticks: Ticks::new(sizes),
            suspends: None,
            suspended: 0,
            limit: 0,
            out: MbarrierOut::default(),
            done: None,
            remote_sent: None,
        }
    }

    fn ports(i: &mut MbarrierIn, o: &mut MbarrierOut, at: &mut Walk<impl PortAction>) {
        ports(i, o, at);
    }

    fn outputs(&self) -> MbarrierOut {
        let mut out = self.out;
        (out.leaving, out.suspended, out.tx_ready) = (self.leaving, self.suspended, self.tx.len() < 2);
        out.remote = self.net.busy();
        out.net_in_ready = self.net.is_built() && self.arrived.len() < 2;
        (out.net_out_valid, out.net_out) = self.net.shown();
        out
    }

    fn clock(&mut self, inputs: &MbarrierIn) {
        if inputs.reset {
            *self = Mbarrier::new(self.sizes);
            return;
        }
        // Values at the beginning of the cycle, which the code below changes.
        let (shown, used, unanswered, clear) = (self.outputs(), self.queue.len(), self.unanswered, self.is_clear());
        let late = self.ticks.late.is_some();
        self.done = None;
        self.remote_sent = None;
        let (waiting, answer) = (self.net.waiting(), self.net.answer.is_some());
        let busy = shown.remote;
        (self.touches, self.reported_absent) = (0, None);
        let (stopped, waited) = (self.restarted, self.waits);

        // Decides on the oldest item, if it was started two cycles ago. The outputs of the decision are visible in the next cycle.
        self.out.token_valid = false;
        self.out.commit_valid = false;
        self.out.commit = Commit::default();
        self.out.net_reply_valid = false;
        self.out.tx_done_valid = false;
        self.out.wake_valid = false;
        self.out.wake.warps = 0;
        self.out.retired_valid = false;
        let started = if stopped { [false; 2] } else { self.started };
        let mut verdict = Verdict { done: false, restart: false };
        let mut stepped = false;
        if let Some(item) = self.queue.front().copied().filter(|_| started[1]) {
            verdict = self.decide(item);
            stepped = verdict.done && matches!(item, Item::WalkStep(entry) if entry + 1 == self.sizes.cached_objects());
        }

        // Starts the next item of the queue, unless the decision of the cycle before was a restart, or memory must answer first.
        let under_way = started.iter().filter(|is| **is).count();
        let starts = !stopped && !waited && used > under_way;
        self.started = [starts, started[0]];
        self.restarted = verdict.restart;

        // One item enters the queue, and a decided item leaves it. Transfers on `tx` and `net_in` enter their own queues.
        let op = inputs.op.filter(|_| shown.op_ready);
        let due = self.fill(op);
        self.has_queue_space = clear && used < 2 * self.sizes.warp_numbers();
        if verdict.done {
            self.queue.pop_front();
            self.evicts = false;
        }
        if let Some(tx) = inputs.outside.tx.filter(|_| shown.tx_ready) {
            self.tx.push_back(tx);
        }
        if let Some(got) = inputs.outside.net_in.filter(|_| shown.net_in_ready) {
            self.arrived.push_back(got);
        }
        // The time-outs, the walk and the network advance. A warp that a decision has suspended is in `suspended` from the next cycle on,
        // until it is woken or its CTA retires unsaved.
        let late_taken = late && self.ticks.late.is_none();
        self.suspended |= self.suspends.map_or(0, |(warp, ..)| 1 << warp);
        self.ticks.clock(clear, late_taken, self.suspends.take(), shown.suspended);
        self.present_before = self.present;
        self.clock_ctas(stepped, inputs, unanswered, busy);
        self.net.clock(inputs, answer, self.reported_absent);
        self.touched |= self.touches;
        self.suspended &= !self.out.wake.warps;
        if let Some(leave) = inputs.retire.filter(|leave| !leave.saved) {
            self.suspended &= !leave.warps;
            self.out.wake.warps &= !leave.warps;
            self.out.wake_valid = self.out.wake.warps != 0;
        }

        // The transfers at the channels to memory and for faults. Memory answers in order. The item that waits has sent the last request,
        // so the last outstanding answer is the word of this item.
        if shown.mem_request_valid && inputs.outside.mem_request_ready {
            self.out.mem_request_valid = false;
        }
        if let Some(data) = inputs.outside.mem_response {
            self.unanswered = self.unanswered.saturating_sub(1);
            if waited && unanswered == 1 {
                self.waits = false;
                self.word = Some(data);
            }
        }
        if shown.fault_valid && inputs.fault_ready {
            self.out.fault_valid = false;
        }

        // After a reset, one entry is cleared per cycle. `op_ready` needs space in the queue and in the queue to the network. It is 0 if
        // another source has an item and has not had its turn in this round.
        self.limit = inputs.outside.wait_limit;
        self.cleared += usize::from(!clear);
        let clear = self.is_clear();
        let has_op_space = 2 * used < 7 * self.sizes.warp_numbers() && waiting < self.sizes.warp_numbers();
        self.out.op_ready = clear && has_op_space && !(self.has_queue_space && due);
    }
}
