// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decision: whether an item is done, what it does to its entry, what it asks of memory.
//!
//! *Reads:* the item that is decided, what stands against it, whether a request and a fault may be offered, what is known of CTAs. *Writes:* in
//! the same cycle the entry, the verdict and what follows from it. *Latency:* 0; one bit is kept: an Init has found an entry that must be
//! written. Implements the decisions of `docs/mbarrier.md`.

use super::check::Judgement;
use super::ctas::Known;
use super::item::Entry;
use super::sums::Ctrl;
use crate::prelude::*;

/// An entry as the item that is decided leaves it.
#[payload]
pub struct Left<W, XI, XT> {
    /// There is an item.
    pub valid: Bit,
    pub entry: Bits<XI>,
    /// As it is for the next item, if nothing restarts.
    pub kept: Entry<W, XT>,
}

/// What comes of a decision.
#[payload]
pub struct Verdict<W> {
    pub done: Bit,
    pub restart: Bit,
    /// A step of the walk is done.
    pub stepped: Bit,
    /// It is refused, with this code, and done.
    pub refused: Bit,
    pub code: FaultCode,
    /// Its warp is suspended.
    pub suspends: Bit,
    /// The warps that go on, and how.
    pub wakes: Bits<W>,
    pub value: Bit,
    /// A request is offered: of the entry's object, as it must be written; of its own, to be read, or written with 0.
    pub writes_back: Bit,
    pub reads: Bit,
    pub erases: Bit,
}

#[block]
pub struct Decide<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    pub judgement: Signal<In, Judgement>,
    pub known: Signal<In, Known>,
    /// An entry is cleared after reset.
    pub clears: Signal<In, Bit>,
    /// The arrivals pending of the word that has come from memory, 0 at other times.
    pub fill_pending: Signal<In, Bits<20>>,
    /// A request may be offered; a fault may.
    pub free: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub left: Signal<Out, Left<W, XI, XT>>,
    /// The entry as it is written, if it is.
    pub writes: Signal<Out, Bit>,
    pub written: Signal<Out, Entry<W, XT>>,
    pub verdict: Signal<Out, Verdict<W>>,
    /// An Init evicts before it starts from an empty word.
    pub evicts: Signal<Out, Bit>,
    #[reset]
    evicting: DFF<Bit>,
    acts: Signal<Local, Bit>,
    must: Signal<Local, Bit>,
    can: Signal<Local, Bit>,
    operates: Signal<Local, Bit>,
    refused: Signal<Local, Bit>,
    walked: Signal<Local, Bit>,
    erases: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    evicts_now: Signal<Local, Bit>,
    drops: Signal<Local, Bit>,
    initialises: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    one: Signal<Local, Bits<W>>,
    added: Signal<Local, Bits<W>>,
    suspends: Signal<Local, Bit>,
    next_entry: Signal<Local, Entry<W, XT>>,
    nobody: Constant<Bits<W>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for Decide<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.acts.next = self.ctrl.val().valid;
        self.must.next = self.ctrl.val().found.dirty & !self.known.val().lost;
        self.can.next = !self.must.val() | self.free.val();

        // An operation whose object is there.
        self.refused.next = self.ctrl.val().case.here & self.judgement.val().refused;
        self.operates.next = self.ctrl.val().case.here & !self.judgement.val().refused;
        self.completes.next = self.acts.val() & self.operates.val() & self.ctrl.val().keeps & self.judgement.val().complete;
        self.suspends.next = self.acts.val()
            & self.operates.val()
            & self.ctrl.val().keeps
            & self.ctrl.val().item.does.suspends
            & !self.ctrl.val().answer;

        // What drops an entry, and what asks memory for something.
        self.walked.next = self.ctrl.val().case.steps & self.ctrl.val().found.live & self.known.val().walked;
        self.erases.next = self.acts.val() & self.ctrl.val().case.invals & !self.ctrl.val().back & self.free.val();
        self.initialises.next = self.ctrl.val().case.inits & !self.evicting.q.val() & (self.ctrl.val().hit | !self.must.val());
        self.evicts_now.next =
            self.walked.val() | self.ctrl.val().case.evicts | (self.ctrl.val().case.inits & self.evicting.q.val());
        self.reads.next = self.acts.val() & self.ctrl.val().case.reads & self.free.val();
        self.drops.next =
            (self.acts.val() & self.evicts_now.val() & self.can.val()) | (self.erases.val() & self.ctrl.val().hit);

        // The verdict.
        self.plain.next = self.initialises.val()
            | (self.operates.val() & self.ctrl.val().keeps)
            | self.ctrl.val().case.expires
            | (self.ctrl.val().case.steps & !self.walked.val());
        self.verdict.next.refused =
            self.acts.val() & (self.ctrl.val().case.refuses | self.refused.val()) & (self.room.val() | !self.checks.val());
        self.done.next = self.verdict.val().refused
            | (self.acts.val()
                & (self.plain.val()
                    | (self.ctrl.val().case.invals & self.ctrl.val().back)
                    | (self.operates.val() & !self.ctrl.val().keeps)
                    | (self.walked.val() & self.can.val())));
        self.verdict.next.done = self.done.val();
        self.verdict.next.restart = self.acts.val() & (!self.plain.val() | (self.operates.val() & self.judgement.val().late));
        self.verdict.next.stepped = self.done.val() & self.ctrl.val().case.steps;
        self.verdict.next.code = self.judgement.val().code;
        if self.ctrl.val().case.refuses {
            self.verdict.next.code = FaultCode::RankAbsent;
        }
        if self.ctrl.val().item.code != FaultCode::None {
            self.verdict.next.code = self.ctrl.val().item.code;
        }
        self.verdict.next.suspends = self.suspends.val();
        self.verdict.next.writes_back = self.acts.val() & self.evicts_now.val() & self.must.val() & self.free.val();
        self.verdict.next.reads = self.reads.val();
        self.verdict.next.erases = self.erases.val();
        self.evicting.d.next = (self.evicting.q.val()
            | (self.acts.val() & self.ctrl.val().case.inits & !self.ctrl.val().hit & self.must.val()))
            & !self.done.val()
            & !self.drops.val();
        self.evicts.next = self.evicting.q.val();

        // Who goes on.
        self.one.next = self.nobody.val().with(self.ctrl.val().item.warp, true);
        self.verdict.next.value = self.completes.val();
        self.verdict.next.wakes = 0.into();
        if self.completes.val() | ((self.drops.val() | (self.acts.val() & self.initialises.val())) & !self.known.val().lost) {
            self.verdict.next.wakes = self.ctrl.val().found.waiting;
        }
        if self.acts.val() & self.ctrl.val().case.expires & !self.known.val().lost {
            self.verdict.next.wakes = self.ctrl.val().found.waiting & self.one.val();
        }

        // The entry. What is kept is right unless something restarts.
        self.added.next = self.ctrl.val().found.waiting;
        if self.ctrl.val().item.does.suspends & !self.ctrl.val().answer {
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
        // What completes has 0 here.
        self.next_entry.next.word.pending = self.ctrl.val().after.new_pending;
        if self.ctrl.val().complete {
            self.next_entry.next.word.pending = self.ctrl.val().after.new_pending | self.ctrl.val().after.new_expected;
        }
        self.next_entry.next.word.phase = self.ctrl.val().after.new_phase ^ self.ctrl.val().complete;
        self.left.next.valid = self.acts.val();
        self.left.next.entry = self.ctrl.val().entry;
        self.left.next.kept = self.next_entry.val();

        // What is written differs where the phase turns out to be complete only now, and where the entry is dropped.
        self.writes.next = (self.acts.val() & self.plain.val()) | self.drops.val();
        self.written.next = self.next_entry.val();
        self.written.next.word.spent =
            self.ctrl.val().after.new_spent | (self.judgement.val().complete & self.judgement.val().spent);
        self.written.next.word.pending = self.ctrl.val().after.new_pending;
        if self.judgement.val().complete {
            self.written.next.word.pending = self.ctrl.val().after.new_pending | self.ctrl.val().after.new_expected;
        }
        // It is 0 whenever something is written; what follows from a register in the cache gets it from here.
        self.written.next.word.pending = self.written.val().word.pending | self.fill_pending.val();
        self.written.next.word.phase = self.ctrl.val().after.new_phase ^ self.judgement.val().complete;
        if self.judgement.val().late {
            self.written.next.waiting = 0.into();
        }
        if self.drops.val() | self.clears.val() {
            self.written.next.live = false;
            self.written.next.dirty = false;
            self.written.next.waiting = 0.into();
        }
    }
}
