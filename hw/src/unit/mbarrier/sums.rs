// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The arithmetic on the word: adds the operands of the item in the sums stage to the fields of its entry.
//!
//! *Reads:* the item in the sums stage and its entry. *Writes:* one cycle later the item and its entry, with the sums, their
//! carries, and whether the phase is complete. *Latency:* 1. Implements the arithmetic of `docs/contract/mbarrier.md`.
//!
//! The word holds negated counts, so arrivals and completed bytes are added. Whether `pending` and `tx` both become 0 is tested
//! without the sums: a + b is 0 if and only if a XOR b equals (a OR b) shifted left by one. The test needs a sum without
//! carry-in. For a kind that expects bytes, the sum of `tx` has a carry-in, so the completion is detected one cycle later, in
//! the decide stage.

use super::item::{Entry, Item, NewWord};
use super::payloads::{Case, Ctrl, Start};
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, cache entry numbers
/// of `XI` bits, cache tags of `XT` bits, tick counts of `XL` bits.
#[block]
pub struct Sums<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The item that is started, and whether an item is in the sums stage.
    pub start: Signal<In, Start<XI>>,
    /// The item in the sums stage.
    pub sums_item: Signal<In, Item<LW, LC, XW, XL>>,
    /// The entry of the item in the sums stage.
    pub sums_entry_data: Signal<In, Entry<W, XT>>,
    /// The word of the item in the sums stage was returned from memory.
    pub word_returned: Signal<In, Bit>,
    /// Bit 0 of the word from memory: 1 = not an mbarrier object.
    pub bad_layout: Signal<In, Bit>,
    /// Maximum number of ticks that a warp is suspended, for a wait without a smaller hint.
    pub wait_limit: Signal<In, Bits<XL>>,
    /// The CTA of the item in the sums stage is present.
    pub cta_present: Signal<In, Bit>,
    /// The item in the decide stage, with its entry and sums.
    pub ctrl: Signal<Out, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// Register of `ctrl`.
    ctrl_q: DFF<Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    /// An item is in the decide stage; the item is void if the decision of the previous cycle restarts it.
    #[reset]
    valid: DFF<Bit>,
    /// Sum of `expected`, with an extra lowest bit for the carry-in and an extra highest bit for the carry-out.
    expected_sum: Signal<Local, Bits<22>>,
    /// Sum of `tx`, with an extra lowest bit for the carry-in and an extra highest bit for the carry-out.
    tx_sum: Signal<Local, Bits<23>>,
    /// Sum of `pending`, with an extra lowest bit for the carry-in and an extra highest bit for the carry-out.
    pending_sum: Signal<Local, Bits<22>>,
    /// Carry into the sum of `expected`, in bit 0.
    expected_carry_in: Signal<Local, Bits<22>>,
    /// Carry into the sum of `tx`, in bit 0.
    tx_carry_in: Signal<Local, Bits<23>>,
    /// Carry into the sum of `pending`, in bit 0.
    pending_carry_in: Signal<Local, Bits<22>>,
    /// `tx` with its sign bit inverted.
    shifted_tx: Signal<Local, Bits<21>>,
    /// All bits are 0 if and only if the sum of `pending` without carry-in is 0.
    pending_sum_nz: Signal<Local, Bits<20>>,
    /// All bits are 0 if and only if the sum of `tx` without carry-in is 0.
    tx_sum_nz: Signal<Local, Bits<21>>,
    /// Tag of the item's object.
    object_tag: Signal<Local, Bits<XT>>,
    /// The entry holds the item's object.
    entry_hit: Signal<Local, Bit>,
    /// The object is available: cached, or returned from memory.
    object_available: Signal<Local, Bit>,
    /// The item is an operation without a fault so far, and its CTA is present.
    is_sound_op: Signal<Local, Bit>,
    /// `is_sound_op`, and the kind is neither Init nor Inval.
    is_plain_op: Signal<Local, Bit>,
    /// The entry holds an object that may be evicted: a wait evicts no object on which warps are suspended.
    can_evict: Signal<Local, Bit>,
    no_new_word: Constant<NewWord>,
    no_case: Constant<Case>,
    #[init(Constant::new((XI as u64).into()))]
    entry_bits: Constant<Bits<5>>,
    #[init(Constant::new((XW as u64 - XI as u64).into()))]
    high_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for Sums {
    fn update(&mut self) {
        let start = self.start.val();
        let item = self.sums_item.val();
        let entry_data = self.sums_entry_data.val();
        self.ctrl_q.d.next.item = item;
        self.ctrl_q.d.next.entry = start.sums_entry;
        self.ctrl_q.d.next.entry_data = entry_data;
        self.object_tag.next = bit_cast::<XT, XW>(item.place.object >> self.entry_bits.val())
            | (bit_cast::<XT, LC>(item.place.cta) << self.high_bits.val());
        self.ctrl_q.d.next.object_tag = self.object_tag.val();
        self.entry_hit.next = entry_data.live & (entry_data.tag == self.object_tag.val());
        self.ctrl_q.d.next.entry_hit = self.entry_hit.val();
        self.object_available.next = self.entry_hit.val() | self.word_returned.val();
        self.ctrl_q.d.next.entry_usable = self.entry_hit.val() | !entry_data.live;

        // The outputs that do not depend on the sums.
        self.is_sound_op.next = item.actions.operates & !item.actions.flawed & self.cta_present.val();
        self.is_plain_op.next = self.is_sound_op.val() & !item.actions.op.init & !item.actions.op.inval;
        self.can_evict.next = entry_data.live & !(item.actions.op.waits & entry_data.waiting.any());
        self.ctrl_q.d.next.case.refuses = item.actions.operates & !self.is_sound_op.val();
        self.ctrl_q.d.next.case.inits = self.is_sound_op.val() & item.actions.op.init;
        self.ctrl_q.d.next.case.invals = self.is_sound_op.val() & item.actions.op.inval;
        self.ctrl_q.d.next.case.available = self.is_plain_op.val() & self.object_available.val();
        self.ctrl_q.d.next.case.evicts = self.is_plain_op.val() & !self.object_available.val() & self.can_evict.val();
        self.ctrl_q.d.next.case.reads = self.is_plain_op.val() & !self.object_available.val() & !self.can_evict.val();
        self.ctrl_q.d.next.case.is_walk_step = item.actions.walks;
        self.ctrl_q.d.next.case.expires = item.actions.times_out;
        self.ctrl_q.d.next.word_returned = self.word_returned.val();
        self.ctrl_q.d.next.bad_layout = self.bad_layout.val();
        self.ctrl_q.d.next.phase_over = item.actions.op.waits & (entry_data.word.phase != item.tested_phase);
        self.ctrl_q.d.next.limit = self.wait_limit.val();
        if item.hint.any() & (item.hint < self.wait_limit.val()) {
            self.ctrl_q.d.next.limit = item.hint;
        }

        // Each sum has an extra bit below bit 0, which adds the carry-in. `tx` is added with its sign bit inverted, so that the carry-out
        // of the sum reports whether the new byte count is out of range.
        self.expected_carry_in.next = bit_cast::<22, 1>(item.addends.expected_carry_in.into());
        self.expected_sum.next = ((bit_cast::<22, 20>(entry_data.word.expected) << 1) | 1)
            + ((bit_cast::<22, 20>(item.addends.add_expected) << 1) | self.expected_carry_in.val());
        self.pending_carry_in.next = bit_cast::<22, 1>(item.addends.pending_carry_in.into());
        self.pending_sum.next = ((bit_cast::<22, 20>(entry_data.word.pending) << 1) | 1)
            + ((bit_cast::<22, 20>(item.addends.add_pending) << 1) | self.pending_carry_in.val());
        self.shifted_tx.next = entry_data.word.tx ^ 0x10_0000;
        self.tx_carry_in.next = bit_cast::<23, 1>(item.actions.op.expects.into());
        self.tx_sum.next = ((bit_cast::<23, 21>(self.shifted_tx.val()) << 1) | 1)
            + ((bit_cast::<23, 21>(item.addends.add_tx) << 1) | self.tx_carry_in.val());
        self.ctrl_q.d.next.sums.expected_carry = self.expected_sum.val().get_bit(21);
        self.ctrl_q.d.next.sums.pending_carry = self.pending_sum.val().get_bit(21);
        self.ctrl_q.d.next.sums.tx_carry = self.tx_sum.val().get_bit(22);
        self.ctrl_q.d.next.sums.new_word.new_spent = entry_data.word.spent;
        self.ctrl_q.d.next.sums.new_word.new_phase = entry_data.word.phase;
        self.ctrl_q.d.next.sums.new_word.new_expected = bit_cast::<20, 22>(self.expected_sum.val() >> 1);
        self.ctrl_q.d.next.sums.new_word.new_pending = bit_cast::<20, 22>(self.pending_sum.val() >> 1);
        self.ctrl_q.d.next.sums.new_word.new_tx = bit_cast::<21, 23>(self.tx_sum.val() >> 1) ^ 0x10_0000;

        self.pending_sum_nz.next =
            (entry_data.word.pending ^ item.addends.add_pending) ^ ((entry_data.word.pending | item.addends.add_pending) << 1);
        self.tx_sum_nz.next = (entry_data.word.tx ^ item.addends.add_tx) ^ ((entry_data.word.tx | item.addends.add_tx) << 1);
        self.ctrl_q.d.next.sums.complete = item.actions.op.completes
            & !item.actions.op.expects
            & !self.pending_sum_nz.val().any()
            & !self.tx_sum_nz.val().any();
        self.valid.d.next = start.sums_valid;
        if !start.sums_valid {
            self.ctrl_q.d.next.sums.new_word = self.no_new_word.val();
            self.ctrl_q.d.next.sums.complete = false;
            self.ctrl_q.d.next.case = self.no_case.val();
        }

        self.ctrl.next = self.ctrl_q.q.val();
        self.ctrl.next.valid = self.valid.q.val() & !start.restarted;
    }
}
