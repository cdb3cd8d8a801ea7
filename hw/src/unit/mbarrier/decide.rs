// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decide stage, the last pipeline stage of an item: whether the item is done, its effect on its entry, its requests to memory.
//!
//! *Reads:* the item in the decide stage; its check against the object; whether a request and a fault may be offered; the state
//! of CTAs. *Writes:* in the same cycle the entry, the decision and its consequences. *Latency:* 0; one bit is state: 1 = an
//! Init has found, in its entry, another object that must be written to memory first. Implements the decisions of
//! `docs/contract/mbarrier.md`.

use super::item::Entry;
use super::next_entry::NextEntry;
use super::payloads::{Ctrl, Decided, Decision, EntryCta, Judgement};
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, cache entry numbers
/// of `XI` bits, cache tags of `XT` bits, tick counts of `XL` bits.
#[block]
pub struct Decide<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item in the decide stage.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// Check of the operation against its object: fault and completion.
    pub judgement: Signal<In, Judgement>,
    /// The state of the CTA whose object the entry holds.
    pub entry_cta: Signal<In, EntryCta>,
    /// After reset: an entry is cleared in this cycle.
    pub clears: Signal<In, Bit>,
    /// `pending` of the word that memory has returned; 0 while no item waits for a word or takes one.
    pub fill_pending: Signal<In, Bits<20>>,
    /// A request to memory may be offered from the next cycle on.
    pub can_request: Signal<In, Bit>,
    /// A fault may be offered from the next cycle on.
    pub can_report: Signal<In, Bit>,
    /// The entry as the item leaves it.
    pub decided: Signal<Out, Decided<W, XI, XT>>,
    /// The entry is written to the cache.
    pub writes: Signal<Out, Bit>,
    /// The entry as it is written to the cache.
    pub written_data: Signal<Out, Entry<W, XT>>,
    /// The decision on the item in the decide stage.
    pub decision: Signal<Out, Decision<W>>,
    /// An Init must first evict the object in its entry, before it starts from an empty word.
    pub evicts: Signal<Out, Bit>,
    /// An Init has found an object in its entry that must be written to memory, and evicts that object first.
    #[reset]
    evicting: DFF<Bit>,
    next_entry: NextEntry<W, XT>,
    /// There is an item to decide.
    has_item: Signal<Local, Bit>,
    /// The object in the entry must be written to memory before the entry is dropped: the entry is dirty, and the CTA of the object
    /// has not retired without `saved`.
    needs_write_back: Signal<Local, Bit>,
    /// The entry may be dropped: its object need not be written to memory, or the write may be offered.
    can_drop: Signal<Local, Bit>,
    /// The object is available, and the operation is not refused.
    op_accepted: Signal<Local, Bit>,
    /// The object is available, and the operation is refused.
    op_refused: Signal<Local, Bit>,
    /// The item is a step of the walk, and the entry holds an object of the walk's CTA.
    walk_evicts: Signal<Local, Bit>,
    /// An Inval offers its write of 0.
    erases: Signal<Local, Bit>,
    /// The object of the item is requested from memory.
    reads: Signal<Local, Bit>,
    /// The item needs its entry free: the object in the entry is to be dropped.
    must_evict: Signal<Local, Bit>,
    /// The entry is dropped.
    drops_entry: Signal<Local, Bit>,
    /// An Init takes effect.
    initialises: Signal<Local, Bit>,
    /// The item is done and not refused, and is none of the cases in `done_with_restart`. The later items restart only if the
    /// item completes a phase and `late_complete` is 1.
    done_no_restart: Signal<Local, Bit>,
    /// The item is done and not refused, and the later items restart.
    done_with_restart: Signal<Local, Bit>,
    /// The item is done.
    done: Signal<Local, Bit>,
    /// The operation completes the phase.
    completes: Signal<Local, Bit>,
    /// One-hot: the item's warp.
    warp_one_hot: Signal<Local, Bits<W>>,
    /// The warp of the item is suspended.
    suspends: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Decide {
    fn update(&mut self) {
        let ctrl = self.ctrl.val();
        let judgement = self.judgement.val();
        let entry_cta = self.entry_cta.val();
        self.has_item.next = ctrl.valid;
        self.needs_write_back.next = ctrl.entry_data.dirty & !entry_cta.unsaved;
        self.can_drop.next = !self.needs_write_back.val() | self.can_request.val();

        // An operation whose object is available: cached, or returned from memory.
        self.op_refused.next = ctrl.case.available & judgement.refused;
        self.op_accepted.next = ctrl.case.available & !judgement.refused;
        self.completes.next = self.has_item.val() & self.op_accepted.val() & ctrl.entry_usable & judgement.complete;
        self.suspends.next =
            self.has_item.val() & self.op_accepted.val() & ctrl.entry_usable & ctrl.item.actions.op.suspends & !ctrl.phase_over;

        // Whether the entry is dropped, and which request is made to memory.
        self.walk_evicts.next = ctrl.case.is_walk_step & ctrl.entry_data.live & entry_cta.in_walk;
        self.erases.next = self.has_item.val() & ctrl.case.invals & !ctrl.word_returned & self.can_request.val();
        self.initialises.next = ctrl.case.inits & !self.evicting.q.val() & (ctrl.entry_hit | !self.needs_write_back.val());
        self.must_evict.next = self.walk_evicts.val() | ctrl.case.evicts | (ctrl.case.inits & self.evicting.q.val());
        self.reads.next = self.has_item.val() & ctrl.case.reads & self.can_request.val();
        self.drops_entry.next =
            (self.has_item.val() & self.must_evict.val() & self.can_drop.val()) | (self.erases.val() & ctrl.entry_hit);

        // The decision.
        self.done_no_restart.next = self.initialises.val()
            | (self.op_accepted.val() & ctrl.entry_usable)
            | ctrl.case.expires
            | (ctrl.case.is_walk_step & !self.walk_evicts.val());
        self.decision.next.outcome.refused =
            self.has_item.val() & (ctrl.case.refuses | self.op_refused.val()) & (self.can_report.val() | !self.checks.val());
        self.done_with_restart.next = (ctrl.case.invals & ctrl.word_returned)
            | (self.op_accepted.val() & !ctrl.entry_usable)
            | (self.walk_evicts.val() & self.can_drop.val());
        self.done.next = self.decision.val().outcome.refused
            | (self.has_item.val() & (self.done_no_restart.val() | self.done_with_restart.val()));
        self.decision.next.outcome.done = self.done.val();
        self.decision.next.restart =
            self.has_item.val() & (!self.done_no_restart.val() | (self.op_accepted.val() & judgement.late_complete));
        self.decision.next.walk_step_done = self.done.val() & ctrl.case.is_walk_step;
        self.decision.next.outcome.code = judgement.code;
        if ctrl.case.refuses {
            self.decision.next.outcome.code = FaultCode::RankAbsent;
        }
        if ctrl.item.code != FaultCode::None {
            self.decision.next.outcome.code = ctrl.item.code;
        }
        self.decision.next.outcome.suspends = self.suspends.val();
        self.decision.next.requests.writes_back =
            self.has_item.val() & self.must_evict.val() & self.needs_write_back.val() & self.can_request.val();
        self.decision.next.requests.reads = self.reads.val();
        self.decision.next.requests.erases = self.erases.val();
        self.evicting.d.next = (self.evicting.q.val()
            | (self.has_item.val() & ctrl.case.inits & !ctrl.entry_hit & self.needs_write_back.val()))
            & !self.done.val()
            & !self.drops_entry.val();
        self.evicts.next = self.evicting.q.val();

        // Warps that are woken.
        self.warp_one_hot.next = self.no_warps.val().with(ctrl.item.warp, true);
        self.decision.next.outcome.value = self.completes.val();
        self.decision.next.outcome.woken_warps = 0.into();
        if self.completes.val() | self.drops_entry.val() | (self.has_item.val() & self.initialises.val()) {
            self.decision.next.outcome.woken_warps = ctrl.entry_data.waiting;
        }
        if self.has_item.val() & ctrl.case.expires {
            self.decision.next.outcome.woken_warps = ctrl.entry_data.waiting & self.warp_one_hot.val();
        }
        if entry_cta.unsaved {
            self.decision.next.outcome.woken_warps = 0.into();
        }

        // The entry after the item.
        self.next_entry.actions.next = ctrl.item.actions;
        self.next_entry.expires.next = ctrl.case.expires;
        self.next_entry.warp_one_hot.next = self.warp_one_hot.val();
        self.next_entry.entry_data.next = ctrl.entry_data;
        self.next_entry.object_tag.next = ctrl.object_tag;
        self.next_entry.new_word.next = ctrl.sums.new_word;
        self.next_entry.complete.next = ctrl.sums.complete;
        self.next_entry.phase_over.next = ctrl.phase_over;
        self.next_entry.judgement.next = judgement;
        self.next_entry.drops_entry.next = self.drops_entry.val() | self.clears.val();
        self.next_entry.fill_pending.next = self.fill_pending.val();
        self.decided.next.valid = self.has_item.val();
        self.decided.next.entry = ctrl.entry;
        self.decided.next.entry_data = self.next_entry.next_entry_data.val();
        self.writes.next = (self.has_item.val() & self.done_no_restart.val()) | self.drops_entry.val();
        self.written_data.next = self.next_entry.written_data.val();
    }
}
