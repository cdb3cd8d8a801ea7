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
use super::inside::Inside;
use crate::prelude::*;

#[block]
pub struct OutputStage<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
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
    shows: DFF<Bit>,
    word_read: DFF<ReadResult<LW>>,
    /// The id at which each warp arrived last.
    places: Ram<Bits<4>, LW>,
    /// The operation directly before wrote the id of this warp: `place_q` is used instead.
    hit: DFF<Bit>,
    /// The id that the operation directly before wrote.
    place_q: DFF<Bits<4>>,
    /// The id at which the warp of the operation arrived last.
    place: Signal<Local, Bits<4>>,
    /// The warp of the operation, if it is trapped.
    own_trap: Signal<Local, Bits<W>>,
    bit: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    nothing: Constant<ReadResult<LW>>,
}

#[block]
impl Logic for OutputStage<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.commit.valid.next = self.ctrl.val().step.acts;
        self.commit.payload.next.change.warps = self.ctrl.val().commit_warps.acting;
        self.commit.payload.next.warp_done = self.ctrl.val().step.warp_done;
        self.commit.payload.next.change.refused = self.ctrl.val().refused & !self.ctrl.val().op.exempt;
        self.commit.payload.next.change.traps = self.ctrl.val().checked.restores & self.ctrl.val().numbers.traps;
        self.commit.payload.next.change.untraps = self.ctrl.val().checked.restores & !self.ctrl.val().numbers.traps;
        self.commit.payload.next.change.cta_release = self.ctrl.val().step.releases;

        self.completed.d.next = self.ctrl.val().complete;
        self.released.d.next.cta = self.ctrl.val().op.entry;
        self.released.d.next.id = self.ctrl.val().op.row_id;
        self.released.d.next.reduction = self.ctrl.val().row.reduction;
        self.released.d.next.value = bit_cast::<12, AW>(self.ctrl.val().reduced);
        self.released.d.next.warps = 0.into();
        if self.ctrl.val().complete {
            self.released.d.next.warps = self.ctrl.val().commit_warps.waiting;
        }

        self.places.write.next =
            self.ctrl.val().step.waiter | (self.ctrl.val().checked.restores & self.ctrl.val().numbers.waits);
        self.places.read.next = true;
        self.places.read_address.next = self.inside.val().op.warp;
        self.places.write_address.next = self.ctrl.val().op.warp;
        self.places.write_value.next = self.ctrl.val().op.row_id;
        self.hit.d.next = self.places.write.val() & self.inside.val().op.follows_own;
        self.place_q.d.next = self.ctrl.val().op.row_id;
        self.place.next = self.places.read_value.val();
        if self.hit.q.val() {
            self.place.next = self.place_q.q.val();
        }

        self.own_trap.next = self.trapped.val() & self.ctrl.val().commit_warps.acting;
        self.shows.d.next = self.ctrl.val().shows;
        self.word.next = 0.into();
        self.bit.next = false;
        self.word_read.d.next.warp = self.ctrl.val().op.warp;
        self.word_read.d.next.predicate = false;
        if (self.ctrl.val().op.state == StateWord::Barrier) & self.ctrl.val().was_open {
            self.word.next = bit_cast::<32, CW>(self.ctrl.val().row.count)
                | (bit_cast::<32, CW>(self.ctrl.val().row.expected) << 7)
                | (bit_cast::<32, AW>(self.ctrl.val().reduced) << 18);
            self.bit.next = self.ctrl.val().row.reduction == Reduction::None;
            self.word.next = self.word.val().replace_bit(14, self.bit.val());
            self.bit.next = self.ctrl.val().row.reduction != Reduction::None;
            self.word.next = self.word.val().replace_bit(15, self.bit.val());
            self.bit.next = self.ctrl.val().row.reduction == Reduction::Or;
            self.word.next = self.word.val().replace_bit(16, self.bit.val());
            self.bit.next = self.ctrl.val().row.reduction == Reduction::Popc;
            self.word.next = self.word.val().replace_bit(17, self.bit.val());
            self.word.next = self.word.val().replace_bit(31, self.ctrl.val().checked.has_arrived);
        }
        if self.ctrl.val().op.state == StateWord::Warp {
            self.word.next = bit_cast::<32, AW>(self.ctrl.val().found.value);
            self.word.next = self.word.val().replace_bit(12, self.ctrl.val().found.word_bit_12);
            self.word.next = self.word.val().replace_bit(13, self.ctrl.val().found.word_bit_13);
            if self.inside.val().waits_now {
                self.word.next = self.word.val() | (bit_cast::<32, 4>(self.place.val()) << 15);
            }
            self.word.next = self.word.val().replace_bit(14, self.inside.val().waits_now);
            self.word.next = self.word.val().replace_bit(19, self.own_trap.val().any());
        }
        if self.ctrl.val().op.state == StateWord::Result {
            // `not_plain_number` may be the highest number, whose bit 0 is 0.
            self.word.next = bit_cast::<32, AW>(self.ctrl.val().found.value);
            self.bit.next = self.ctrl.val().found.value.get_bit(0) & !self.ctrl.val().found.not_plain_number;
            self.word.next = self.word.val().replace_bit(0, self.bit.val());
            self.word_read.d.next.predicate = self.ctrl.val().found.value.get_bit(0) & self.ctrl.val().found.not_plain_number;
        }
        self.word_read.d.next.value = self.word.val();
        if !self.inside.val().parts.state_words {
            self.word_read.d.next = self.nothing.val();
        }
        self.release.valid.next = self.completed.q.val();
        self.release.payload.next = self.released.q.val();
        self.read.valid.next = self.shows.q.val();
        self.read.payload.next = self.word_read.q.val();
    }
}
