// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Puts together the state words, and shows what a Read has read.
//!
//! *Reads:* the operation in its last cycle, if it is a Read and nothing is wrong with it, with its row and its warp's state. *Writes:* the
//! read strobe.
//! *Latency:* 1. Implements `BARState`, `WarpBARState` and B2R of spec 001; the positions are those of `docs/interface.md`.

use crate::unit::op::StateWord;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Warps of `LW` bits, counted in `CW` bits, sums of `AW` bits.
#[block]
pub struct Read<LW, CW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// There is a Read and nothing is wrong with it.
    pub reads: Signal<In, Bit>,
    pub state: Signal<In, StateWord>,
    pub warp: Signal<In, Bits<LW>>,
    // Its row, if that is open.
    pub open: Signal<In, Bit>,
    pub count: Signal<In, Bits<CW>>,
    pub expected: Signal<In, Bits<CW>>,
    pub reduction: Signal<In, Bits<2>>,
    pub sum: Signal<In, Bits<AW>>,
    /// The warp has arrived there.
    pub arrived: Signal<In, Bit>,
    // Its warp's state.
    /// As in `Results`.
    pub result: Signal<In, Bits<AW>>,
    pub special: Signal<In, Bit>,
    pub counts: Signal<In, Bit>,
    pub either: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    pub place: Signal<In, Bits<4>>,
    pub trapped: Signal<In, Bit>,
    pub read_valid: Signal<Out, Bit>,
    pub read_warp: Signal<Out, Bits<LW>>,
    pub read_value: Signal<Out, Bits<32>>,
    pub read_predicate: Signal<Out, Bit>,
    strobe: DFF<Bit>,
    strobe_warp: DFF<Bits<LW>>,
    strobe_value: DFF<Bits<32>>,
    strobe_predicate: DFF<Bit>,
    reduces: Signal<Local, Bit>,
    redop: Signal<Local, Bits<2>>,
    accumulator: Signal<Local, Bits<AW>>,
    word: Signal<Local, Bits<32>>,
}

#[block]
impl Logic for Read<LW, CW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.strobe.d.next = self.reads.val();
        self.reduces.next = false;
        self.redop.next = 0.into();
        self.accumulator.next = 0.into();
        self.word.next = 0.into();
        if self.reads.val() {
            self.strobe_warp.d.next = self.warp.val();
            self.strobe_predicate.d.next = false;
            if (self.state.val() == StateWord::Barrier) & self.open.val() {
                self.reduces.next = self.reduction.val().any();
                self.accumulator.next = self.sum.val();
                if self.reduces.val() {
                    self.redop.next = self.reduction.val() - 1;
                }
                if self.reduction.val() == 1 {
                    self.accumulator.next = self.sum.val() ^ 1;
                }
                self.word.next = bit_cast::<32, CW>(self.count.val())
                    | (bit_cast::<32, CW>(self.expected.val()) << 7)
                    | (bit_cast::<32, 2>(self.redop.val()) << 16)
                    | (bit_cast::<32, AW>(self.accumulator.val()) << 18);
                self.word.next = self.word.val().replace_bit(15, self.reduces.val());
                self.reduces.next = !self.reduction.val().any();
                self.word.next = self.word.val().replace_bit(14, self.reduces.val());
                self.word.next = self.word.val().replace_bit(31, self.arrived.val());
            }
            if self.state.val() == StateWord::Warp {
                self.word.next = bit_cast::<32, AW>(self.result.val());
                self.word.next = self.word.val().replace_bit(12, self.either.val());
                self.word.next = self.word.val().replace_bit(13, self.counts.val());
                if self.waits.val() {
                    self.word.next = self.word.val() | (bit_cast::<32, 4>(self.place.val()) << 15);
                }
                self.word.next = self.word.val().replace_bit(14, self.waits.val());
                self.word.next = self.word.val().replace_bit(19, self.trapped.val());
            }
            if self.state.val() == StateWord::Result {
                // The highest number has bit 0 at 0.
                self.word.next = bit_cast::<32, AW>(self.result.val());
                self.reduces.next = self.result.val().get_bit(0) & !self.special.val();
                self.word.next = self.word.val().replace_bit(0, self.reduces.val());
                self.strobe_predicate.d.next = self.result.val().get_bit(0) & self.special.val();
            }
            self.strobe_value.d.next = self.word.val();
        }
        if self.reset.val() {
            self.strobe.d.next = false;
            self.strobe_warp.d.next = 0.into();
            self.strobe_value.d.next = 0.into();
            self.strobe_predicate.d.next = false;
        }
        self.read_valid.next = self.strobe.q.val();
        self.read_warp.next = self.strobe_warp.q.val();
        self.read_value.next = self.strobe_value.q.val();
        self.read_predicate.next = self.strobe_predicate.q.val();
    }
}
