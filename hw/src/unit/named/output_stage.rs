// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The output stage: the commit strobe, the release strobe when a barrier completes, the read strobe with a state word.
//!
//! *Reads:* the operation in the commit stage: whether it completes a barrier, which warps wait at its row, the result; for a Read
//! its row and its warp's state; which warps are trapped; the warp of the operation in the lookup stage. *Writes:* the release and
//! the read strobe (latency 1); the commit strobe (a gate). *Latency:* 1 and 0. Implements "restarted without delay" of spec 000,
//! the result of BAR.RED, `BARState`, `WarpBARState` and B2R of spec 001; the positions in state words are those of
//! `docs/contract/named.md`.
//!
//! A warp that waits does so at the id of its last arrival. The id kept before its first arrival is never output.

use super::ctrl::Ctrl;
use super::lookup_op::LookupOp;
use crate::prelude::*;

#[block]
pub struct OutputStage<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub trapped: Signal<In, Bits<W>>,
    pub release: StrobeOut<Release<W, LC>>,
    pub read: StrobeOut<ReadResult<LW>>,
    pub commit: StrobeOut<Commit<W>>,
    /// A generation was completed.
    #[reset]
    completed: DFF<Bit>,
    #[reset]
    released: DFF<Release<W, LC>>,
    /// A Read outputs its value.
    #[reset]
    outputs_read: DFF<Bit>,
    read_result: DFF<ReadResult<LW>>,
    /// The id at which each warp arrived last.
    arrival_ids: Ram<Bits<4>, LW>,
    /// The operation directly before wrote the id of this warp: `forwarded_id` is used instead.
    forward_id: DFF<Bit>,
    /// The id that the operation directly before wrote.
    forwarded_id: DFF<Bits<4>>,
    /// The id at which the warp of the operation arrived last.
    arrival_id: Signal<Local, Bits<4>>,
    /// The warp of the operation, if it is trapped.
    trapped_warp: Signal<Local, Bits<W>>,
    word_bit: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    no_read_result: Constant<ReadResult<LW>>,
}

#[block]
impl Logic for OutputStage<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.commit.valid.next = self.ctrl.val().actions.last_slot;
        self.commit.payload.next.change.warps = self.ctrl.val().commit_warps.acting_warps;
        self.commit.payload.next.warp_done = self.ctrl.val().actions.warp_done;
        self.commit.payload.next.change.refused = self.ctrl.val().refused & !self.ctrl.val().op.exempt;
        self.commit.payload.next.change.traps = self.ctrl.val().checked.restores_warp & self.ctrl.val().numbers.sets_trapped;
        self.commit.payload.next.change.untraps = self.ctrl.val().checked.restores_warp & !self.ctrl.val().numbers.sets_trapped;
        self.commit.payload.next.change.cta_release = self.ctrl.val().actions.releases;

        self.completed.d.next = self.ctrl.val().complete;
        self.released.d.next.cta = self.ctrl.val().op.table_slot;
        self.released.d.next.id = self.ctrl.val().op.row_id;
        self.released.d.next.reduction = self.ctrl.val().row.reduction;
        self.released.d.next.value = bit_cast::<12, AW>(self.ctrl.val().reduction_value);
        self.released.d.next.warps = 0.into();
        if self.ctrl.val().complete {
            self.released.d.next.warps = self.ctrl.val().commit_warps.waiting_warps;
        }

        self.arrival_ids.write.next =
            self.ctrl.val().actions.waiter | (self.ctrl.val().checked.restores_warp & self.ctrl.val().numbers.waits);
        self.arrival_ids.read.next = true;
        self.arrival_ids.read_address.next = self.lookup_op.val().op.warp;
        self.arrival_ids.write_address.next = self.ctrl.val().op.warp;
        self.arrival_ids.write_value.next = self.ctrl.val().op.row_id;
        self.forward_id.d.next = self.arrival_ids.write.val() & self.lookup_op.val().op.same_warp;
        self.forwarded_id.d.next = self.ctrl.val().op.row_id;
        self.arrival_id.next = self.arrival_ids.read_value.val();
        if self.forward_id.q.val() {
            self.arrival_id.next = self.forwarded_id.q.val();
        }

        self.trapped_warp.next = self.trapped.val() & self.ctrl.val().commit_warps.acting_warps;
        self.outputs_read.d.next = self.ctrl.val().outputs_read;
        self.word.next = 0.into();
        self.word_bit.next = false;
        self.read_result.d.next.warp = self.ctrl.val().op.warp;
        self.read_result.d.next.predicate = false;
        if (self.ctrl.val().op.state == StateWord::Barrier) & self.ctrl.val().was_open {
            self.word.next = bit_cast::<32, CW>(self.ctrl.val().row.count)
                | (bit_cast::<32, CW>(self.ctrl.val().row.expected) << 7)
                | (bit_cast::<32, AW>(self.ctrl.val().reduction_value) << 18);
            self.word_bit.next = self.ctrl.val().row.reduction == Reduction::None;
            self.word.next = self.word.val().replace_bit(14, self.word_bit.val());
            self.word_bit.next = self.ctrl.val().row.reduction != Reduction::None;
            self.word.next = self.word.val().replace_bit(15, self.word_bit.val());
            self.word_bit.next = self.ctrl.val().row.reduction == Reduction::Or;
            self.word.next = self.word.val().replace_bit(16, self.word_bit.val());
            self.word_bit.next = self.ctrl.val().row.reduction == Reduction::Popc;
            self.word.next = self.word.val().replace_bit(17, self.word_bit.val());
            self.word.next = self.word.val().replace_bit(31, self.ctrl.val().checked.has_arrived);
        }
        if self.ctrl.val().op.state == StateWord::Warp {
            self.word.next = bit_cast::<32, AW>(self.ctrl.val().warp_result.value);
            self.word.next = self.word.val().replace_bit(12, self.ctrl.val().warp_result.word_bit_12);
            self.word.next = self.word.val().replace_bit(13, self.ctrl.val().warp_result.word_bit_13);
            if self.lookup_op.val().commit_warp_waits {
                self.word.next = self.word.val() | (bit_cast::<32, 4>(self.arrival_id.val()) << 15);
            }
            self.word.next = self.word.val().replace_bit(14, self.lookup_op.val().commit_warp_waits);
            self.word.next = self.word.val().replace_bit(19, self.trapped_warp.val().any());
        }
        if self.ctrl.val().op.state == StateWord::Result {
            // `not_plain_number` may be the highest number, whose bit 0 is 0.
            self.word.next = bit_cast::<32, AW>(self.ctrl.val().warp_result.value);
            self.word_bit.next = self.ctrl.val().warp_result.value.get_bit(0) & !self.ctrl.val().warp_result.not_plain_number;
            self.word.next = self.word.val().replace_bit(0, self.word_bit.val());
            self.read_result.d.next.predicate =
                self.ctrl.val().warp_result.value.get_bit(0) & self.ctrl.val().warp_result.not_plain_number;
        }
        self.read_result.d.next.value = self.word.val();
        if !self.lookup_op.val().parts.state_words {
            self.read_result.d.next = self.no_read_result.val();
        }
        self.release.valid.next = self.completed.q.val();
        self.release.payload.next = self.released.q.val();
        self.read.valid.next = self.outputs_read.q.val();
        self.read.payload.next = self.read_result.q.val();
    }
}
