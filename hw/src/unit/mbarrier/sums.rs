// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What an item makes of the fields of its word.
//!
//! *Reads:* the item one cycle inside, its entry. *Writes:* one cycle later both, with the sums, what was carried out of them, and whether
//! the phase is complete. *Latency:* 1. Implements the arithmetic of `docs/mbarrier.md`.
//!
//! Numbers stand negated in the word, so an arrival adds. That pending and tx are both 0 then is seen without the sum: a + b is 0 when a xor b
//! is (a or b) shifted up by one. It holds for what adds no 1 more, thus not for a form that expects bytes; such a completion is found a cycle later.

use super::flow::Start;
use super::item::{After, Entry, Item};
use crate::prelude::*;

/// What is to be decided, as far as the entry tells; at most one of them.
#[payload]
pub struct Case {
    /// It is refused whatever its object holds.
    pub refuses: Bit,
    pub inits: Bit,
    pub invals: Bit,
    /// Its object is there; another is, which gives way; the word must be read.
    pub here: Bit,
    pub evicts: Bit,
    pub reads: Bit,
    pub steps: Bit,
    pub expires: Bit,
}

/// An item in the cycle in which it is decided, with what it found.
#[payload]
pub struct Ctrl<W, LW, LC, XW, XI, XT, XL> {
    pub valid: Bit,
    pub item: Item<LW, LC, XW, XL>,
    pub entry: Bits<XI>,
    pub found: Entry<W, XT>,
    pub case: Case,
    /// The entry is the item's own once it is done.
    pub keeps: Bit,
    /// The entry holds the item's object; the tag of that.
    pub hit: Bit,
    pub own_tag: Bits<XT>,
    /// Its word has come from memory; bit 0 of that.
    pub back: Bit,
    pub foreign: Bit,
    /// The word after it, but for a completion; 0 if there is no item.
    pub after: After,
    /// The highest bit of the sums.
    pub expected_carry: Bit,
    pub tx_carry: Bit,
    pub pending_carry: Bit,
    /// The phase is complete, if nothing stands against it.
    pub complete: Bit,
    /// Waits: the phase is over.
    pub answer: Bit,
    /// Ticks that it may be suspended.
    pub limit: Bits<XL>,
}

#[block]
pub struct Sums<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub start: Signal<In, Start<XI>>,
    pub inside: Signal<In, Item<LW, LC, XW, XL>>,
    pub found: Signal<In, Entry<W, XT>>,
    /// The item inside has its word from memory; bit 0 of it.
    pub back: Signal<In, Bit>,
    pub foreign: Signal<In, Bit>,
    pub wait_limit: Signal<In, Bits<XL>>,
    /// The CTA of the item inside is there.
    pub present: Signal<In, Bit>,
    pub ctrl: Signal<Out, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    ctrl_q: DFF<Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    #[reset]
    valid: DFF<Bit>,
    expected: Signal<Local, Bits<22>>,
    tx: Signal<Local, Bits<23>>,
    pending: Signal<Local, Bits<22>>,
    expected_more: Signal<Local, Bits<22>>,
    tx_more: Signal<Local, Bits<23>>,
    pending_more: Signal<Local, Bits<22>>,
    shifted_tx: Signal<Local, Bits<21>>,
    rest_of_pending: Signal<Local, Bits<20>>,
    rest_of_tx: Signal<Local, Bits<21>>,
    tag: Signal<Local, Bits<XT>>,
    hit: Signal<Local, Bit>,
    there: Signal<Local, Bit>,
    sound: Signal<Local, Bit>,
    plain: Signal<Local, Bit>,
    occupied: Signal<Local, Bit>,
    no_word: Constant<After>,
    no_case: Constant<Case>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Sums<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.ctrl_q.d.next.item = self.inside.val();
        self.ctrl_q.d.next.entry = self.start.val().inside_entry;
        self.ctrl_q.d.next.found = self.found.val();
        self.tag.next = bit_cast::<XT, XW>(self.inside.val().object >> self.entry_bits.val())
            | (bit_cast::<XT, LC>(self.inside.val().cta) << self.high_bits.val());
        self.ctrl_q.d.next.own_tag = self.tag.val();
        self.hit.next = self.found.val().live & (self.found.val().tag == self.tag.val());
        self.ctrl_q.d.next.hit = self.hit.val();
        self.there.next = self.hit.val() | self.back.val();
        self.ctrl_q.d.next.keeps = self.hit.val() | !self.found.val().live;

        // What can be said before the operands are added.
        self.sound.next = self.inside.val().does.operates & !self.inside.val().does.flawed & self.present.val();
        self.plain.next = self.sound.val() & !self.inside.val().does.init & !self.inside.val().does.inval;
        self.occupied.next = self.found.val().live & !(self.inside.val().does.waits & self.found.val().waiting.any());
        self.ctrl_q.d.next.case.refuses = self.inside.val().does.operates & !self.sound.val();
        self.ctrl_q.d.next.case.inits = self.sound.val() & self.inside.val().does.init;
        self.ctrl_q.d.next.case.invals = self.sound.val() & self.inside.val().does.inval;
        self.ctrl_q.d.next.case.here = self.plain.val() & self.there.val();
        self.ctrl_q.d.next.case.evicts = self.plain.val() & !self.there.val() & self.occupied.val();
        self.ctrl_q.d.next.case.reads = self.plain.val() & !self.there.val() & !self.occupied.val();
        self.ctrl_q.d.next.case.steps = self.inside.val().does.walks;
        self.ctrl_q.d.next.case.expires = self.inside.val().does.times_out;
        self.ctrl_q.d.next.back = self.back.val();
        self.ctrl_q.d.next.foreign = self.foreign.val();
        self.ctrl_q.d.next.answer =
            self.inside.val().does.waits & (self.found.val().word.phase != self.inside.val().asked_phase);
        self.ctrl_q.d.next.limit = self.wait_limit.val();
        if self.inside.val().hint.any() & (self.inside.val().hint < self.wait_limit.val()) {
            self.ctrl_q.d.next.limit = self.inside.val().hint;
        }

        // A bit below takes what is added besides. Bytes are added with the highest bit turned round, so that the carry tells of the range.
        self.expected_more.next = bit_cast::<22, 1>(self.inside.val().expected_more.into());
        self.expected.next = ((bit_cast::<22, 20>(self.found.val().word.expected) << 1) | 1)
            + ((bit_cast::<22, 20>(self.inside.val().add_expected) << 1) | self.expected_more.val());
        self.pending_more.next = bit_cast::<22, 1>(self.inside.val().pending_more.into());
        self.pending.next = ((bit_cast::<22, 20>(self.found.val().word.pending) << 1) | 1)
            + ((bit_cast::<22, 20>(self.inside.val().add_pending) << 1) | self.pending_more.val());
        self.shifted_tx.next = self.found.val().word.tx ^ 0x10_0000;
        self.tx_more.next = bit_cast::<23, 1>(self.inside.val().does.expects.into());
        self.tx.next = ((bit_cast::<23, 21>(self.shifted_tx.val()) << 1) | 1)
            + ((bit_cast::<23, 21>(self.inside.val().add_tx) << 1) | self.tx_more.val());
        self.ctrl_q.d.next.expected_carry = self.expected.val().get_bit(21);
        self.ctrl_q.d.next.pending_carry = self.pending.val().get_bit(21);
        self.ctrl_q.d.next.tx_carry = self.tx.val().get_bit(22);
        self.ctrl_q.d.next.after.new_spent = self.found.val().word.spent;
        self.ctrl_q.d.next.after.new_phase = self.found.val().word.phase;
        self.ctrl_q.d.next.after.new_expected = bit_cast::<20, 22>(self.expected.val() >> 1);
        self.ctrl_q.d.next.after.new_pending = bit_cast::<20, 22>(self.pending.val() >> 1);
        self.ctrl_q.d.next.after.new_tx = bit_cast::<21, 23>(self.tx.val() >> 1) ^ 0x10_0000;

        self.rest_of_pending.next = (self.found.val().word.pending ^ self.inside.val().add_pending)
            ^ ((self.found.val().word.pending | self.inside.val().add_pending) << 1);
        self.rest_of_tx.next = (self.found.val().word.tx ^ self.inside.val().add_tx)
            ^ ((self.found.val().word.tx | self.inside.val().add_tx) << 1);
        self.ctrl_q.d.next.complete = self.inside.val().does.completes
            & !self.inside.val().does.expects
            & !self.rest_of_pending.val().any()
            & !self.rest_of_tx.val().any();
        self.valid.d.next = self.start.val().inside;
        if !self.start.val().inside {
            self.ctrl_q.d.next.after = self.no_word.val();
            self.ctrl_q.d.next.complete = false;
            self.ctrl_q.d.next.case = self.no_case.val();
        }

        self.ctrl.next = self.ctrl_q.q.val();
        self.ctrl.next.valid = self.valid.q.val() & !self.start.val().stopped;
    }
}
