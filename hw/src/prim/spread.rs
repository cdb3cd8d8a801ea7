// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers, one word per index; any set of words can be written at once with one value.
//!
//! *Reads:* `select_value`, one bit per index; `write_value`, for every index whose bit is 1 in `write`. *Writes:* the selected word, in
//! the same cycle (the OR of the words if several are selected). *Latency:* 0 from selection to word, 1 from write to word.
//!
//! A RAM cannot write several words at once, so these are flip-flops with one enable per word. Words are selected by one-hot
//! bits, which on iCE40 takes 21 LUT4 per bit of 32 words; selection by an index takes 25. The words have no reset and start
//! unknown. The block simulates its words itself, because so many registers as rust-hdl blocks would cost more to simulate
//! than the rest of a unit.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// The indices of the bits that are 1.
fn ones<const N: usize>(bits: Bits<N>) -> impl Iterator<Item = usize> {
    let mut remaining = bits.to_u64();
    std::iter::from_fn(move || {
        let index = remaining.trailing_zeros() as usize;
        remaining &= remaining.wrapping_sub(1);
        (index < N).then_some(index)
    })
}

/// `N` words of `D` bits, `N` at most 64.
#[block(primitive(spread, WORDS = write, WIDTH = write_value))]
pub struct Spread<N, D> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// Words that are written, one bit per word.
    pub write: Signal<In, Bits<N>>,
    /// Value that is written to the words in `write`.
    pub write_value: Signal<In, Bits<D>>,
    /// One-hot: word that is read.
    pub select_value: Signal<In, Bits<N>>,
    /// The word that is selected.
    pub read_value: Signal<Out, Bits<D>>,
    #[init(vec![Default::default(); N])]
    _words: Vec<Bits<D>>,
}

#[block]
impl Logic for Spread {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            for index in ones(self.write.val()) {
                self._words[index] = self.write_value.val();
            }
        }
        self.read_value.next = ones(self.select_value.val()).fold(Bits::default(), |sum, n| sum | self._words[n]);
    }

    fn connect(&mut self) {
        self.read_value.connect();
    }

    fn hdl(&self) -> Verilog {
        // A signal of one bit is a scalar in Verilog, which has no bit select.
        let write = if N == 1 { "write" } else { "write[n]" };
        let bit = if D == 1 { "" } else { "[b]" };
        Verilog::Custom(format!(
            "genvar b;\n\
             generate\n  \
               for (b = 0; b <= {1}; b = b + 1) begin : plane\n    \
                 reg [{0}:0] bits;\n    \
                 integer n;\n    \
                 always @(posedge clock) for (n = 0; n <= {0}; n = n + 1) if ({write}) bits[n] <= write_value{bit};\n    \
                 assign read_value{bit} = |(bits & select_value);\n  \
               end\n\
             endgenerate\n",
            N - 1,
            D - 1
        ))
    }
}
