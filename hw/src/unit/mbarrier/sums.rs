// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arithmetic on the word: adds the operands of the item in the sums stage to the fields of its entry.
//!
//! *Reads:* the item in the sums stage and its entry. *Writes:* one cycle later both, with the sums, their carries, and whether the
//! phase is complete. *Latency:* 1. Implements the arithmetic of `docs/contract/mbarrier.md`.
//!
//! The word holds negated counts, so an arrival is an addition. Whether pending and tx both become 0 is tested without the
//! sums: a + b is 0 if and only if a XOR b equals (a OR b) shifted left by one. The test holds for sums without carry-in, so
//! not for a form that expects bytes; a completion by such a form is detected a cycle later.

use super::item::{Entry, Item, NewWord};
use super::item_queue::Start;
use crate::prelude::*;

/// The case of the decision, as determined by the entry; at most one bit is 1.
#[payload]
pub struct Case {
    /// The operation is refused, whatever its object holds.
    pub refuses: Bit,
    /// An Init.
    pub inits: Bit,
    /// An Inval.
    pub invals: Bit,
    /// Another operation, whose object is available: cached, or returned from memory.
    pub available: Bit,
    /// Another operation; its entry holds another object, which is evicted.
    pub evicts: Bit,
    /// Another operation; its word must be read from memory.
    pub reads: Bit,
    /// A step of the walk.
    pub is_walk_step: Bit,
    /// A time-out, or the result of a remote operation.
    pub expires: Bit,
}

/// The item in the decide stage, with its entry and sums.
#[payload]
pub struct Ctrl<W, LW, LC, XW, XI, XT, XL> {
    /// There is an item to decide.
    pub valid: Bit,
    /// The item.
    pub item: Item<LW, LC, XW, XL>,
    /// Number of the item's entry.
    pub entry: Bits<XI>,
    /// The entry as the item found it.
    pub entry_data: Entry<W, XT>,
    /// The case of the decision.
    pub case: Case,
    /// The entry is free or holds the item's object: once the item is done, the entry holds that object.
    pub entry_usable: Bit,
    /// The entry holds the item's object.
    pub entry_hit: Bit,
    /// The tag of the item's object.
    pub object_tag: Bits<XT>,
    /// The item's word was returned from memory.
    pub word_returned: Bit,
    /// Bit 0 of the item's word from memory: 1 = not an mbarrier object.
    pub bad_layout: Bit,
    /// The word after the operation, before a completion is applied; 0 if there is no item.
    pub new_word: NewWord,
    /// Carry out of the sum of `expected`.
    pub expected_carry: Bit,
    /// Carry out of the sum of `tx` with its sign bit inverted.
    pub tx_carry: Bit,
    /// Carry out of the sum of `pending`.
    pub pending_carry: Bit,
    /// The operation completes the phase, unless it is refused; not set for forms that expect bytes.
    pub complete: Bit,
    /// Waits: the tested phase is complete.
    pub phase_over: Bit,
    /// Maximum number of ticks that the warp is suspended.
    pub limit: Bits<XL>,
}

#[block]
pub struct Sums<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item that is started, and whether one is in the sums stage.
    pub start: Signal<In, Start<XI>>,
    /// The item in the sums stage.
    pub sums_item: Signal<In, Item<LW, LC, XW, XL>>,
    /// The entry of the item in the sums stage.
    pub sums_entry_data: Signal<In, Entry<W, XT>>,
    /// The word of the item in the sums stage was returned from memory.
    pub word_returned: Signal<In, Bit>,
    /// Bit 0 of that word: 1 = not an mbarrier object.
    pub bad_layout: Signal<In, Bit>,
    /// Maximum number of ticks that a warp is suspended.
    pub wait_limit: Signal<In, Bits<XL>>,
    /// The CTA of the item in the sums stage is present.
    pub cta_present: Signal<In, Bit>,
    /// The item in the decide stage, with its entry and sums.
    pub ctrl: Signal<Out, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// Register of `ctrl`.
    ctrl_q: DFF<Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// An item is in the decide stage, unless the decision before it restarts.
    #[reset]
    valid: DFF<Bit>,
    /// Sum of `expected`, with one bit more at the bottom for the carry-in.
    expected_sum: Signal<Local, Bits<22>>,
    /// Sum of `tx`, with one bit more at the bottom for the carry-in.
    tx_sum: Signal<Local, Bits<23>>,
    /// Sum of `pending`, with one bit more at the bottom for the carry-in.
    pending_sum: Signal<Local, Bits<22>>,
    /// Carry into the sum of `expected`.
    expected_carry_in: Signal<Local, Bits<22>>,
    /// Carry into the sum of `tx`.
    tx_carry_in: Signal<Local, Bits<23>>,
    /// Carry into the sum of `pending`.
    pending_carry_in: Signal<Local, Bits<22>>,
    /// `tx` with its sign bit inverted.
    shifted_tx: Signal<Local, Bits<21>>,
    /// 0 if the sum of `pending` is 0.
    pending_sum_nz: Signal<Local, Bits<20>>,
    /// 0 if the sum of `tx` is 0.
    tx_sum_nz: Signal<Local, Bits<21>>,
    /// Tag of the item's object.
    object_tag: Signal<Local, Bits<XT>>,
    /// The entry holds the item's object.
    entry_hit: Signal<Local, Bit>,
    /// The object is available: cached, or returned from memory.
    object_available: Signal<Local, Bit>,
    /// A sound operation: it has no fault so far, and its CTA is present.
    is_sound_op: Signal<Local, Bit>,
    /// A sound operation that is neither Init nor Inval.
    is_plain_op: Signal<Local, Bit>,
    /// The entry holds an object that may be evicted: a wait evicts none on which warps are suspended.
    can_evict: Signal<Local, Bit>,
    no_new_word: Constant<NewWord>,
    no_case: Constant<Case>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Sums<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.ctrl_q.d.next.item = self.sums_item.val();
        self.ctrl_q.d.next.entry = self.start.val().sums_entry;
        self.ctrl_q.d.next.entry_data = self.sums_entry_data.val();
        self.object_tag.next = bit_cast::<XT, XW>(self.sums_item.val().object >> self.entry_bits.val())
            | (bit_cast::<XT, LC>(self.sums_item.val().cta) << self.high_bits.val());
        self.ctrl_q.d.next.object_tag = self.object_tag.val();
        self.entry_hit.next = self.sums_entry_data.val().live & (self.sums_entry_data.val().tag == self.object_tag.val());
        self.ctrl_q.d.next.entry_hit = self.entry_hit.val();
        self.object_available.next = self.entry_hit.val() | self.word_returned.val();
        self.ctrl_q.d.next.entry_usable = self.entry_hit.val() | !self.sums_entry_data.val().live;

        // The outputs that do not depend on the sums.
        self.is_sound_op.next =
            self.sums_item.val().actions.operates & !self.sums_item.val().actions.flawed & self.cta_present.val();
        self.is_plain_op.next =
            self.is_sound_op.val() & !self.sums_item.val().actions.op.init & !self.sums_item.val().actions.op.inval;
        self.can_evict.next = self.sums_entry_data.val().live
            & !(self.sums_item.val().actions.op.waits & self.sums_entry_data.val().waiting.any());
        self.ctrl_q.d.next.case.refuses = self.sums_item.val().actions.operates & !self.is_sound_op.val();
        self.ctrl_q.d.next.case.inits = self.is_sound_op.val() & self.sums_item.val().actions.op.init;
        self.ctrl_q.d.next.case.invals = self.is_sound_op.val() & self.sums_item.val().actions.op.inval;
        self.ctrl_q.d.next.case.available = self.is_plain_op.val() & self.object_available.val();
        self.ctrl_q.d.next.case.evicts = self.is_plain_op.val() & !self.object_available.val() & self.can_evict.val();
        self.ctrl_q.d.next.case.reads = self.is_plain_op.val() & !self.object_available.val() & !self.can_evict.val();
        self.ctrl_q.d.next.case.is_walk_step = self.sums_item.val().actions.walks;
        self.ctrl_q.d.next.case.expires = self.sums_item.val().actions.times_out;
        self.ctrl_q.d.next.word_returned = self.word_returned.val();
        self.ctrl_q.d.next.bad_layout = self.bad_layout.val();
        self.ctrl_q.d.next.phase_over = self.sums_item.val().actions.op.waits
            & (self.sums_entry_data.val().word.phase != self.sums_item.val().tested_phase);
        self.ctrl_q.d.next.limit = self.wait_limit.val();
        if self.sums_item.val().hint.any() & (self.sums_item.val().hint < self.wait_limit.val()) {
            self.ctrl_q.d.next.limit = self.sums_item.val().hint;
        }

        // An extra bit at the bottom takes the carry-in. Bytes are added with the sign bit inverted, so that the carry-out
        // reports whether the sum is out of range.
        self.expected_carry_in.next = bit_cast::<22, 1>(self.sums_item.val().addends.expected_carry_in.into());
        self.expected_sum.next = ((bit_cast::<22, 20>(self.sums_entry_data.val().word.expected) << 1) | 1)
            + ((bit_cast::<22, 20>(self.sums_item.val().addends.add_expected) << 1) | self.expected_carry_in.val());
        self.pending_carry_in.next = bit_cast::<22, 1>(self.sums_item.val().addends.pending_carry_in.into());
        self.pending_sum.next = ((bit_cast::<22, 20>(self.sums_entry_data.val().word.pending) << 1) | 1)
            + ((bit_cast::<22, 20>(self.sums_item.val().addends.add_pending) << 1) | self.pending_carry_in.val());
        self.shifted_tx.next = self.sums_entry_data.val().word.tx ^ 0x10_0000;
        self.tx_carry_in.next = bit_cast::<23, 1>(self.sums_item.val().actions.op.expects.into());
        self.tx_sum.next = ((bit_cast::<23, 21>(self.shifted_tx.val()) << 1) | 1)
            + ((bit_cast::<23, 21>(self.sums_item.val().addends.add_tx) << 1) | self.tx_carry_in.val());
        self.ctrl_q.d.next.expected_carry = self.expected_sum.val().get_bit(21);
        self.ctrl_q.d.next.pending_carry = self.pending_sum.val().get_bit(21);
        self.ctrl_q.d.next.tx_carry = self.tx_sum.val().get_bit(22);
        self.ctrl_q.d.next.new_word.new_spent = self.sums_entry_data.val().word.spent;
        self.ctrl_q.d.next.new_word.new_phase = self.sums_entry_data.val().word.phase;
        self.ctrl_q.d.next.new_word.new_expected = bit_cast::<20, 22>(self.expected_sum.val() >> 1);
        self.ctrl_q.d.next.new_word.new_pending = bit_cast::<20, 22>(self.pending_sum.val() >> 1);
        self.ctrl_q.d.next.new_word.new_tx = bit_cast::<21, 23>(self.tx_sum.val() >> 1) ^ 0x10_0000;

        self.pending_sum_nz.next = (self.sums_entry_data.val().word.pending ^ self.sums_item.val().addends.add_pending)
            ^ ((self.sums_entry_data.val().word.pending | self.sums_item.val().addends.add_pending) << 1);
        self.tx_sum_nz.next = (self.sums_entry_data.val().word.tx ^ self.sums_item.val().addends.add_tx)
            ^ ((self.sums_entry_data.val().word.tx | self.sums_item.val().addends.add_tx) << 1);
        self.ctrl_q.d.next.complete = self.sums_item.val().actions.op.completes
            & !self.sums_item.val().actions.op.expects
            & !self.pending_sum_nz.val().any()
            & !self.tx_sum_nz.val().any();
        self.valid.d.next = self.start.val().sums_valid;
        if !self.start.val().sums_valid {
            self.ctrl_q.d.next.new_word = self.no_new_word.val();
            self.ctrl_q.d.next.complete = false;
            self.ctrl_q.d.next.case = self.no_case.val();
        }

        self.ctrl.next = self.ctrl_q.q.val();
        self.ctrl.next.valid = self.valid.q.val() & !self.start.val().restarted;
    }
}
