// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A small unit with one signal of every kind that a trace must support: bits of all widths, enums, a struct, nested blocks, an array of
//! blocks, a constant; and a second unit that never settles.

use bcu_derive::{block, payload};
use bcu_hw::port_value::PortValue;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, PartialEq, Eq, Debug, LogicState)]
pub enum Phase {
    Idle,
    Gathering,
    Complete,
}

impl PortValue for Phase {
    fn from_u64(value: u64) -> Self {
        [Phase::Idle, Phase::Gathering, Phase::Complete][value as usize % 3]
    }
    fn to_u64(self) -> u64 {
        self as u64
    }
}

#[payload]
pub struct Entry {
    pub open: Bit,
    pub id: Bits<4>,
}

/// Counts while enabled; wraps.
#[block]
pub struct Counter {
    pub clock: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub count: Signal<Out, Bits<5>>,
    state: DFF<Bits<5>>,
}

impl Logic for Counter {
    #[hdl_gen]
    fn update(&mut self) {
        self.count.next = self.state.q.val();
        if self.enable.val() {
            self.state.d.next = self.state.q.val() + 1;
        }
    }
}

/// Latency of every output: one cycle.
#[block(unit = "sampler")]
pub struct Sampler {
    pub clock: Signal<In, Clock>,
    /// synchronous reset
    #[group("control")]
    pub reset: Signal<In, Bit>,
    /// an arrival
    #[group("arrival in")]
    pub arrive: Signal<In, Bit>,
    /// barrier id
    pub id: Signal<In, Bits<5>>,
    /// mask of the warps
    pub mask: Signal<In, Bits<32>>,
    /// any word
    pub word: Signal<In, Bits<64>>,
    /// phase of the generation
    #[group("result out")]
    pub phase: Signal<Out, Phase>,
    /// last mask
    pub last_mask: Signal<Out, Bits<32>>,
    /// last word
    pub last_word: Signal<Out, Bits<64>>,
    /// arrivals
    pub count: [Signal<Out, Bits<5>>; 2],
    counters: [Counter; 2],
    phase_state: DFF<Phase>,
    mask_state: DFF<Bits<32>>,
    word_state: DFF<Bits<64>>,
    entry: Signal<Local, Entry>,
    #[init(Constant::new(5.into()))]
    five: Constant<Bits<5>>,
}

impl Logic for Sampler {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.counters[i].enable.next = false;
            self.count[i].next = self.counters[i].count.val();
        }
        self.counters[0].enable.next = self.arrive.val();
        self.counters[1].enable.next = self.id.val() == self.five.val();
        self.phase.next = self.phase_state.q.val();
        self.last_mask.next = self.mask_state.q.val();
        self.last_word.next = self.word_state.q.val();
        self.entry.next.open = self.arrive.val();
        self.entry.next.id = bit_cast::<4, 5>(self.id.val());
        if self.arrive.val() {
            self.mask_state.d.next = self.mask.val();
            self.word_state.d.next = self.word.val();
        }
        match self.phase_state.q.val() {
            Phase::Idle => {
                if self.arrive.val() {
                    self.phase_state.d.next = Phase::Gathering;
                }
            }
            Phase::Gathering => {
                if self.mask.val().all() {
                    self.phase_state.d.next = Phase::Complete;
                }
            }
            Phase::Complete => {
                self.phase_state.d.next = Phase::Idle;
            }
        }
        if self.reset.val() {
            self.phase_state.d.next = Phase::Idle;
            self.mask_state.d.next = 0.into();
            self.word_state.d.next = 0.into();
        }
    }
}

/// An inverter that feeds itself while `go` is 1.
#[block(unit = "oscillator")]
pub struct Oscillator {
    pub clock: Signal<In, Clock>,
    /// not used
    #[group("control")]
    pub reset: Signal<In, Bit>,
    /// 1: oscillate
    pub go: Signal<In, Bit>,
    /// the ring
    #[group("out")]
    pub level: Signal<Out, Bit>,
    ring: Inverter,
}

#[block]
pub struct Inverter {
    pub a: Signal<In, Bit>,
    pub y: Signal<Out, Bit>,
}

impl Logic for Inverter {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = !self.a.val();
    }
}

impl Logic for Oscillator {
    #[hdl_gen]
    fn update(&mut self) {
        self.ring.a.next = self.go.val() & self.ring.y.val();
        self.level.next = self.ring.y.val();
    }
}
