// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Well-written units with state, in the style of the barrier unit: defaults come first, and each assignment has one operator.

use rust_hdl::prelude::*;

/// One barrier: it counts arrivals, stores the waiting warps, and releases them together.
#[derive(LogicBlock, Default)]
pub struct Entry {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub is_hit: Signal<In, Bit>,
    pub mask: Signal<In, Bits<32>>,
    pub expected: Signal<In, Bits<7>>,
    pub done: Signal<Out, Bit>,
    pub release: Signal<Out, Bits<32>>,
    sum: Signal<Local, Bits<7>>,
    together: Signal<Local, Bits<32>>,
    count: DFF<Bits<7>>,
    waiting: DFF<Bits<32>>,
}

impl Logic for Entry {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, waiting);
        self.done.next = false;
        self.release.next = 0.into();
        self.sum.next = self.count.q.val() + 1;
        self.together.next = self.waiting.q.val() | self.mask.val();
        if self.is_hit.val() {
            self.count.d.next = self.sum.val();
            self.waiting.d.next = self.together.val();
            if self.sum.val() == self.expected.val() {
                self.done.next = true;
                self.release.next = self.together.val();
                self.count.d.next = 0.into();
                self.waiting.d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.count.d.next = 0.into();
            self.waiting.d.next = 0.into();
        }
    }
}

/// Sixteen barriers.
#[derive(LogicBlock, Default)]
pub struct Barriers {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub id: Signal<In, Bits<4>>,
    pub warp: Signal<In, Bits<5>>,
    pub expected: Signal<In, Bits<7>>,
    pub done: Signal<Out, Bit>,
    pub released: Signal<Out, Bits<32>>,
    lowest_bit: Signal<Local, Bits<32>>,
    mask: Signal<Local, Bits<32>>,
    entries: [Entry; 16],
}

impl Logic for Barriers {
    #[hdl_gen]
    fn update(&mut self) {
        self.done.next = false;
        self.released.next = 0.into();
        self.lowest_bit.next = 1.into();
        self.mask.next = self.lowest_bit.val() << self.warp.val();
        for i in 0_usize..16 {
            self.entries[i].clock.next = self.clock.val();
            self.entries[i].reset.next = self.reset.val();
            self.entries[i].mask.next = self.mask.val();
            self.entries[i].expected.next = self.expected.val();
            self.entries[i].is_hit.next = false;
            if self.id.val() == i.to_bits() {
                self.entries[i].is_hit.next = self.valid.val();
            }
            if self.entries[i].done.val() {
                self.done.next = true;
                self.released.next = self.entries[i].release.val();
            }
        }
    }
}

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum Phase {
    Empty,
    Filling,
    Full,
    Draining,
}

/// A word of 64 bits that is passed on in two beats.
#[derive(LogicBlock, Default)]
pub struct Handshake {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub data: Signal<In, Bits<32>>,
    pub ready: Signal<Out, Bit>,
    pub word_ready: Signal<In, Bit>,
    pub word_valid: Signal<Out, Bit>,
    pub word: Signal<Out, Bits<32>>,
    pub phase: Signal<Out, Phase>,
    state: DFF<Phase>,
    low: DFF<Bits<32>>,
    upper: DFF<Bits<32>>,
}

impl Logic for Handshake {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, low, upper);
        self.ready.next = false;
        self.word_valid.next = false;
        self.word.next = self.low.q.val();
        self.phase.next = self.state.q.val();
        match self.state.q.val() {
            Phase::Empty => {
                self.ready.next = true;
                if self.valid.val() {
                    self.low.d.next = self.data.val();
                    self.state.d.next = Phase::Filling;
                }
            }
            Phase::Filling => {
                self.ready.next = true;
                if self.valid.val() {
                    self.upper.d.next = self.data.val();
                    self.state.d.next = Phase::Full;
                }
            }
            Phase::Full => {
                self.word_valid.next = true;
                if self.word_ready.val() {
                    self.state.d.next = Phase::Draining;
                }
            }
            Phase::Draining => {
                self.word_valid.next = true;
                self.word.next = self.upper.q.val();
                if self.word_ready.val() {
                    self.state.d.next = Phase::Empty;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = Phase::Empty;
        }
    }
}
