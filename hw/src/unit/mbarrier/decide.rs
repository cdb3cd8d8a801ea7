// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decision on an item, its last pipeline stage: whether the item is done, its effect on its entry, its requests to memory.
//!
//! *Reads:* the item in the decide stage; its check against the object; whether a request and a fault may be offered; the state
//! of CTAs. *Writes:* in the same cycle the entry, the decision and its consequences. *Latency:* 0; one bit is state: an Init has
//! found a dirty entry, which must be written back first. Implements the decisions of `docs/contract/mbarrier.md`.

use super::check::Judgement;
use super::ctas::Known;
use super::item::Entry;
use super::sums::Ctrl;
use crate::prelude::*;

/// An entry as the item in the decide stage leaves it.
#[payload]
pub struct Left<W, XI, XT> {
    /// An item is in the decide stage.
    pub valid: Bit,
    /// Number of the item's entry.
    pub entry: Bits<XI>,
    /// The entry for the next item, if there is no restart.
    pub kept: Entry<W, XT>,
}

/// The outcome of a decision.
#[payload]
pub struct Decision<W> {
    /// The item is done, and leaves the queue.
    pub done: Bit,
    /// The items that were started after this one restart.
    pub restart: Bit,
    /// The item is a step of the walk, and is done.
    pub stepped: Bit,
    /// The item is refused with `code`, and is done.
    pub refused: Bit,
    /// Fault code of the refusal.
    pub code: FaultCode,
    /// The warp of the item is suspended.
    pub suspends: Bit,
    /// Suspended warps that are woken.
    pub wakes: Bits<W>,
    /// Predicate for the woken warps: 1 = the phase is complete.
    pub value: Bit,
    /// Request to memory: write the object that the entry holds.
    pub writes_back: Bit,
    /// Request to memory: read the word of the item's object.
    pub reads: Bit,
    /// Request to memory: write 0 to the word of the item's object (Inval).
    pub erases: Bit,
}

#[block]
pub struct Decide<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item in the decide stage.
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// Check of the operation against its object: fault and completion.
    pub judgement: Signal<In, Judgement>,
    /// The state of the CTA whose object the entry holds.
    pub known: Signal<In, Known>,
    /// An entry is cleared after reset.
    pub clears: Signal<In, Bit>,
    /// `pending` of the word that memory has returned; 0 at other times.
    pub fill_pending: Signal<In, Bits<20>>,
    /// A request to memory may be offered.
    pub free: Signal<In, Bit>,
    /// A fault may be offered.
    pub room: Signal<In, Bit>,
    /// The entry as the item leaves it.
    pub left: Signal<Out, Left<W, XI, XT>>,
    /// The entry is written.
    pub writes: Signal<Out, Bit>,
    /// The entry as it is written.
    pub written: Signal<Out, Entry<W, XT>>,
    /// The outcome of the decision.
    pub decision: Signal<Out, Decision<W>>,
    /// An Init first evicts the entry's object, before it starts from an empty word.
    pub evicts: Signal<Out, Bit>,
    /// An Init has found an object in its entry that must be written, and evicts it first.
    #[reset]
    evicting: DFF<Bit>,
    /// There is an item to decide.
    acts: Signal<Local, Bit>,
    /// The entry's object must be written if the entry is dropped: it is dirty, and its CTA does not leave without `saved`.
    needs_write_back: Signal<Local, Bit>,
    /// The entry may be dropped: it need not be written, or a request may be offered.
    can_drop: Signal<Local, Bit>,
    /// The object is available, and the operation is not refused.
    operates: Signal<Local, Bit>,
    /// The object is available, and the operation is refused.
    refused: Signal<Local, Bit>,
    /// A step of the walk, and the entry holds an object of the walk's CTA.
    walked: Signal<Local, Bit>,
    /// An Inval offers its write of 0.
    erases: Signal<Local, Bit>,
    /// The item's word is requested from memory.
    reads: Signal<Local, Bit>,
    /// The entry's object is to be dropped for this item.
    evicts_now: Signal<Local, Bit>,
    /// The entry is dropped.
    drops: Signal<Local, Bit>,
    /// An Init takes effect.
    initialises: Signal<Local, Bit>,
    /// The item is done without a restart, except for a completion that is detected late.
    done_no_restart: Signal<Local, Bit>,
    /// The item is done.
    done: Signal<Local, Bit>,
    /// The operation completes the phase.
    completes: Signal<Local, Bit>,
    /// One-hot: the item's warp.
    one: Signal<Local, Bits<W>>,
    /// Suspended warps of the entry after the item: with its warp if that warp is suspended, without its warp after a time-out.
    added: Signal<Local, Bits<W>>,
    /// The warp of the item is suspended.
    suspends: Signal<Local, Bit>,
    /// The entry for the next item.
    next_entry: Signal<Local, Entry<W, XT>>,
    no_warps: Constant<Bits<W>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Decide<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.acts.next = self.ctrl.val().valid;
        self.needs_write_back.next = self.ctrl.val().found.dirty & !self.known.val().lost;
        self.can_drop.next = !self.needs_write_back.val() | self.free.val();

        // An operation whose object is available: cached, or returned from memory.
        self.refused.next = self.ctrl.val().case.here & self.judgement.val().refused;
        self.operates.next = self.ctrl.val().case.here & !self.judgement.val().refused;
        self.completes.next =
            self.acts.val() & self.operates.val() & self.ctrl.val().hit_or_free & self.judgement.val().complete;
        self.suspends.next = self.acts.val()
            & self.operates.val()
            & self.ctrl.val().hit_or_free
            & self.ctrl.val().item.does.suspends
            & !self.ctrl.val().phase_over;

        // Drops of the entry, and requests to memory.
        self.walked.next = self.ctrl.val().case.steps & self.ctrl.val().found.live & self.known.val().walked;
        self.erases.next = self.acts.val() & self.ctrl.val().case.invals & !self.ctrl.val().word_returned & self.free.val();
        self.initialises.next =
            self.ctrl.val().case.inits & !self.evicting.q.val() & (self.ctrl.val().hit | !self.needs_write_back.val());
        self.evicts_now.next =
            self.walked.val() | self.ctrl.val().case.evicts | (self.ctrl.val().case.inits & self.evicting.q.val());
        self.reads.next = self.acts.val() & self.ctrl.val().case.reads & self.free.val();
        self.drops.next =
            (self.acts.val() & self.evicts_now.val() & self.can_drop.val()) | (self.erases.val() & self.ctrl.val().hit);

        // The decision.
        self.done_no_restart.next = self.initialises.val()
            | (self.operates.val() & self.ctrl.val().hit_or_free)
            | self.ctrl.val().case.expires
            | (self.ctrl.val().case.steps & !self.walked.val());
        self.decision.next.refused =
            self.acts.val() & (self.ctrl.val().case.refuses | self.refused.val()) & (self.room.val() | !self.checks.val());
        self.done.next = self.decision.val().refused
            | (self.acts.val()
                & (self.done_no_restart.val()
                    | (self.ctrl.val().case.invals & self.ctrl.val().word_returned)
                    | (self.operates.val() & !self.ctrl.val().hit_or_free)
                    | (self.walked.val() & self.can_drop.val())));
        self.decision.next.done = self.done.val();
        self.decision.next.restart =
            self.acts.val() & (!self.done_no_restart.val() | (self.operates.val() & self.judgement.val().late_complete));
        self.decision.next.stepped = self.done.val() & self.ctrl.val().case.steps;
        self.decision.next.code = self.judgement.val().code;
        if self.ctrl.val().case.refuses {
            self.decision.next.code = FaultCode::RankAbsent;
        }
        if self.ctrl.val().item.code != FaultCode::None {
            self.decision.next.code = self.ctrl.val().item.code;
        }
        self.decision.next.suspends = self.suspends.val();
        self.decision.next.writes_back =
            self.acts.val() & self.evicts_now.val() & self.needs_write_back.val() & self.free.val();
        self.decision.next.reads = self.reads.val();
        self.decision.next.erases = self.erases.val();
        self.evicting.d.next = (self.evicting.q.val()
            | (self.acts.val() & self.ctrl.val().case.inits & !self.ctrl.val().hit & self.needs_write_back.val()))
            & !self.done.val()
            & !self.drops.val();
        self.evicts.next = self.evicting.q.val();

        // Warps that are woken.
        self.one.next = self.no_warps.val().with(self.ctrl.val().item.warp, true);
        self.decision.next.value = self.completes.val();
        self.decision.next.wakes = 0.into();
        if self.completes.val() | self.drops.val() | (self.acts.val() & self.initialises.val()) {
            self.decision.next.wakes = self.ctrl.val().found.waiting;
        }
        if self.acts.val() & self.ctrl.val().case.expires {
            self.decision.next.wakes = self.ctrl.val().found.waiting & self.one.val();
        }
        if self.known.val().lost {
            self.decision.next.wakes = 0.into();
        }

        // The entry for the next item. It is valid unless there is a restart.
        self.added.next = self.ctrl.val().found.waiting;
        if self.ctrl.val().item.does.suspends & !self.ctrl.val().phase_over {
            self.added.next = self.ctrl.val().found.waiting | self.one.val();
        }
        if self.ctrl.val().case.expires {
            self.added.next = self.ctrl.val().found.waiting & !self.one.val();
        }
        self.next_entry.next.live = self.ctrl.val().item.does.operates | self.ctrl.val().found.live;
        self.next_entry.next.dirty =
            (self.ctrl.val().item.does.operates & !self.ctrl.val().item.does.waits) | self.ctrl.val().found.dirty;
        self.next_entry.next.tag = self.ctrl.val().own_tag;
        if !self.ctrl.val().item.does.operates {
            self.next_entry.next.tag = self.ctrl.val().found.tag;
        }
        self.next_entry.next.waiting = self.added.val();
        if self.ctrl.val().complete | self.ctrl.val().item.does.init {
            self.next_entry.next.waiting = 0.into();
        }
        self.next_entry.next.word.expected = self.ctrl.val().after.new_expected;
        self.next_entry.next.word.tx = self.ctrl.val().after.new_tx;
        self.next_entry.next.word.spent =
            self.ctrl.val().after.new_spent | (self.ctrl.val().complete & self.judgement.val().spent);
        // An operation that completes the phase leaves 0 in `new_pending`.
        self.next_entry.next.word.pending = self.ctrl.val().after.new_pending;
        if self.ctrl.val().complete {
            self.next_entry.next.word.pending = self.ctrl.val().after.new_pending | self.ctrl.val().after.new_expected;
        }
        self.next_entry.next.word.phase = self.ctrl.val().after.new_phase ^ self.ctrl.val().complete;
        self.left.next.valid = self.acts.val();
        self.left.next.entry = self.ctrl.val().entry;
        self.left.next.kept = self.next_entry.val();

        // The written entry differs from this one if a completion is detected late, and if the entry is dropped.
        self.writes.next = (self.acts.val() & self.done_no_restart.val()) | self.drops.val();
        self.written.next = self.next_entry.val();
        self.written.next.word.spent =
            self.ctrl.val().after.new_spent | (self.judgement.val().complete & self.judgement.val().spent);
        self.written.next.word.pending = self.ctrl.val().after.new_pending;
        if self.judgement.val().complete {
            self.written.next.word.pending = self.ctrl.val().after.new_pending | self.ctrl.val().after.new_expected;
        }
        // `fill_pending` is 0 whenever an entry is written; the register `fwd_previous` of `cache` takes it from this value.
        self.written.next.word.pending = self.written.val().word.pending | self.fill_pending.val();
        self.written.next.word.phase = self.ctrl.val().after.new_phase ^ self.judgement.val().complete;
        if self.judgement.val().late_complete {
            self.written.next.waiting = 0.into();
        }
        if self.drops.val() | self.clears.val() {
            self.written.next.live = false;
            self.written.next.dirty = false;
            self.written.next.waiting = 0.into();
        }
    }
}
