// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The entry after the item in the decide stage, in two forms: as forwarded to the next item, and as written to the cache.
//!
//! *Reads:* the item in the decide stage with its entry and sums; its check against the object; whether the entry is dropped or
//! cleared. *Writes:* in the same cycle both forms of the entry. *Latency:* 0, no state. Implements the effects of operations of
//! `docs/contract/mbarrier.md`.
//!
//! The forwarded form does not depend on late signals. It differs from the written form if a completion is detected late or the
//! entry is dropped; in both cases the later items restart, so no item uses the forwarded form.

use super::completion::Completion;
use super::item::{Actions, Entry, NewWord};
use super::payloads::Judgement;
use crate::prelude::*;

/// Sizes: `W` warps, cache tags of `XT` bits.
#[block]
pub struct NextEntry<W, XT> {
    /// The actions of the item.
    pub actions: Signal<In, Actions>,
    /// The item is a time-out, or the result of a remote operation, which is decided as a time-out.
    pub expires: Signal<In, Bit>,
    /// One-hot: the item's warp.
    pub warp_one_hot: Signal<In, Bits<W>>,
    /// The entry as the item found it.
    pub entry_data: Signal<In, Entry<W, XT>>,
    /// The tag of the item's object.
    pub object_tag: Signal<In, Bits<XT>>,
    /// The word after the operation, before a completion is applied.
    pub new_word: Signal<In, NewWord>,
    /// 1: the operation completes the phase if it is not refused. Always 0 for kinds that expect bytes, whose completion is detected late.
    pub complete: Signal<In, Bit>,
    /// Waits: the phase that the wait tests is complete.
    pub phase_over: Signal<In, Bit>,
    /// Check of the operation against its object: fault and completion.
    pub judgement: Signal<In, Judgement>,
    /// The entry is dropped, or cleared after reset.
    pub drops_entry: Signal<In, Bit>,
    /// `pending` of the word that memory has returned; 0 while no item waits for a word or takes one.
    pub fill_pending: Signal<In, Bits<20>>,
    /// The entry for the next item, if there is no restart.
    pub next_entry_data: Signal<Out, Entry<W, XT>>,
    /// The entry as it is written to the cache.
    pub written_data: Signal<Out, Entry<W, XT>>,
    /// Computes the word as it is forwarded to the next item.
    next_word: Completion,
    /// Computes the word as it is written to the cache.
    written_word: Completion,
    /// Suspended warps of the entry after the item: the item's warp is added if the item suspends it, and removed by a time-out.
    next_waiting: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for NextEntry {
    fn update(&mut self) {
        let actions = self.actions.val();
        let entry_data = self.entry_data.val();
        let judgement = self.judgement.val();
        self.next_waiting.next = entry_data.waiting;
        if actions.op.suspends & !self.phase_over.val() {
            self.next_waiting.next = entry_data.waiting | self.warp_one_hot.val();
        }
        if self.expires.val() {
            self.next_waiting.next = entry_data.waiting & !self.warp_one_hot.val();
        }
        self.next_word.new_word.next = self.new_word.val();
        self.next_word.completes.next = self.complete.val();
        self.next_word.spends.next = judgement.spent;
        self.next_entry_data.next.live = actions.operates | entry_data.live;
        self.next_entry_data.next.dirty = (actions.operates & !actions.op.waits) | entry_data.dirty;
        self.next_entry_data.next.tag = self.object_tag.val();
        if !actions.operates {
            self.next_entry_data.next.tag = entry_data.tag;
        }
        self.next_entry_data.next.waiting = self.next_waiting.val();
        if self.complete.val() | actions.op.init {
            self.next_entry_data.next.waiting = 0.into();
        }
        self.next_entry_data.next.word = self.next_word.word.val();

        self.written_word.new_word.next = self.new_word.val();
        self.written_word.completes.next = judgement.complete;
        self.written_word.spends.next = judgement.spent;
        self.written_data.next = self.next_entry_data.val();
        self.written_data.next.word = self.written_word.word.val();
        // This value also carries `fill_pending` to the register `fwd_previous` of `cache`. The written entry does not change,
        // because `fill_pending` is 0 whenever an entry is written.
        self.written_data.next.word.pending = self.written_word.word.val().pending | self.fill_pending.val();
        if judgement.late_complete {
            self.written_data.next.waiting = 0.into();
        }
        if self.drops_entry.val() {
            self.written_data.next.live = false;
            self.written_data.next.dirty = false;
            self.written_data.next.waiting = 0.into();
        }
    }
}
