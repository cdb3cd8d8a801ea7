// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Puts together the state words, and shows what a Read has read.
//!
//! *Reads:* the warp of the operation one cycle inside; the operation in its last cycle, with its row and its warp's state. *Writes:* the
//! read strobe. *Latency:* 1. Implements `BARState`, `WarpBARState` and B2R of spec 001; the positions are those of `docs/interface.md`.
//!
//! A warp waits, if it waits, where it arrived last. What is kept of that before its first arrival is not asked for.

use super::effect::Deed;
use super::results::Found;
use super::stops::Stopped;
use super::Inside;
use crate::prim::channel::StrobeOut;
use crate::prim::ram::Ram;
use crate::unit::channels::ReadResult;
use crate::unit::op::{Reduction, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Warps of `LW` bits, counted in `CW` bits, slots of `LC` bits, numbers of ids in `IW` bits, sums of `AW` bits.
#[block]
pub struct Read<LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<LW, CW, LC, IW, AW>>,
    pub deed: Signal<In, Deed<LW, CW, LC, AW>>,
    pub found: Signal<In, Found<AW>>,
    pub stopped: Signal<In, Stopped>,
    pub read: StrobeOut<ReadResult<LW>>,
    /// The id at which each warp arrived last, with what the operation just before writes.
    places: Ram<Bits<4>, LW>,
    hit: DFF<Bit>,
    kept_place: DFF<Bits<4>>,
    strobe: DFF<Bit>,
    kept: DFF<ReadResult<LW>>,
    arrives: Signal<Local, Bit>,
    place: Signal<Local, Bits<4>>,
    bit: Signal<Local, Bit>,
    accumulator: Signal<Local, Bits<AW>>,
    word: Signal<Local, Bits<32>>,
    nothing: Constant<ReadResult<LW>>,
}

#[block]
impl Logic for Read<LW, CW, LC, IW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrives.next = self.deed.val().step.waiter | (self.deed.val().against.restores & self.deed.val().numbers.waits);
        self.places.read.next = true;
        self.places.read_address.next = self.inside.val().op.warp;
        self.places.write.next = self.arrives.val();
        self.places.write_address.next = self.deed.val().op.warp;
        self.places.write_value.next = self.deed.val().op.row_id;
        self.hit.d.next = self.arrives.val() & self.inside.val().op.follows_own;
        self.kept_place.d.next = self.deed.val().op.row_id;
        self.place.next = self.places.read_value.val();
        if self.hit.q.val() {
            self.place.next = self.kept_place.q.val();
        }

        self.strobe.d.next = self.deed.val().shows;
        self.word.next = 0.into();
        self.bit.next = false;
        self.accumulator.next = self.deed.val().value;
        if self.deed.val().shows {
            self.kept.d.next.warp = self.deed.val().op.warp;
            self.kept.d.next.predicate = false;
            if (self.deed.val().op.state == StateWord::Barrier) & self.deed.val().seen.was_open {
                self.word.next = bit_cast::<32, CW>(self.deed.val().row.count)
                    | (bit_cast::<32, CW>(self.deed.val().row.expected) << 7)
                    | (bit_cast::<32, AW>(self.accumulator.val()) << 18);
                self.bit.next = self.deed.val().row.reduction == Reduction::None;
                self.word.next = self.word.val().replace_bit(14, self.bit.val());
                self.bit.next = self.deed.val().row.reduction != Reduction::None;
                self.word.next = self.word.val().replace_bit(15, self.bit.val());
                self.bit.next = self.deed.val().row.reduction == Reduction::Or;
                self.word.next = self.word.val().replace_bit(16, self.bit.val());
                self.bit.next = self.deed.val().row.reduction == Reduction::Popc;
                self.word.next = self.word.val().replace_bit(17, self.bit.val());
                self.word.next = self.word.val().replace_bit(31, self.deed.val().against.again);
            }
            if self.deed.val().op.state == StateWord::Warp {
                self.word.next = bit_cast::<32, AW>(self.found.val().value);
                self.word.next = self.word.val().replace_bit(12, self.found.val().either);
                self.word.next = self.word.val().replace_bit(13, self.found.val().counts);
                if self.stopped.val().waits_now {
                    self.word.next = self.word.val() | (bit_cast::<32, 4>(self.place.val()) << 15);
                }
                self.word.next = self.word.val().replace_bit(14, self.stopped.val().waits_now);
                self.word.next = self.word.val().replace_bit(19, self.stopped.val().trapped_now);
            }
            if self.deed.val().op.state == StateWord::Result {
                // The highest number has bit 0 at 0.
                self.word.next = bit_cast::<32, AW>(self.found.val().value);
                self.bit.next = self.found.val().value.get_bit(0) & !self.found.val().special;
                self.word.next = self.word.val().replace_bit(0, self.bit.val());
                self.kept.d.next.predicate = self.found.val().value.get_bit(0) & self.found.val().special;
            }
            self.kept.d.next.value = self.word.val();
        }
        if self.reset.val() {
            self.strobe.d.next = false;
            self.kept.d.next = self.nothing.val();
        }
        self.read.valid.next = self.strobe.q.val();
        self.read.payload.next = self.kept.q.val();
    }
}
