// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory with one write port and one registered read port; a word has four fields, stored side by side.
//!
//! *Reads:* `read_address` in every cycle. *Writes:* `write_0` to `write_3` at `write_address` while `write` is 1.
//! *Latency:* the word is at `read_0` to `read_3` one cycle after its address.
//!
//! A read of the address that is written in the same cycle gives the old word here, but the text tells synthesis that this
//! word is never used (`no_rw_check`), which saves a comparator and a bypass per bit: the reader must forward by itself. The
//! words have no reset and start unknown: the owner clears them. One memory for all fields, because small ones would
//! each become registers instead of block RAM.

use rust_hdl::prelude::*;

/// `2^A` words of `D0 + D1 + D2 + D3` bits.
#[derive(LogicBlock)]
pub struct Ram<const A: usize, const D0: usize, const D1: usize, const D2: usize, const D3: usize> {
    pub clock: Signal<In, Clock>,
    pub write: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_0: Signal<In, Bits<D0>>,
    pub write_1: Signal<In, Bits<D1>>,
    pub write_2: Signal<In, Bits<D2>>,
    pub write_3: Signal<In, Bits<D3>>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_0: Signal<Out, Bits<D0>>,
    pub read_1: Signal<Out, Bits<D1>>,
    pub read_2: Signal<Out, Bits<D2>>,
    pub read_3: Signal<Out, Bits<D3>>,
    _words: Vec<(Bits<D0>, Bits<D1>, Bits<D2>, Bits<D3>)>,
}

impl<const A: usize, const D0: usize, const D1: usize, const D2: usize, const D3: usize> Default for Ram<A, D0, D1, D2, D3> {
    fn default() -> Self {
        crate::fresh!(Ram {
            clock, write, write_address, write_0, write_1, write_2, write_3, read_address, read_0, read_1, read_2,
            read_3;
            _words: vec![Default::default(); 1 << A]
        })
    }
}

impl<const A: usize, const D0: usize, const D1: usize, const D2: usize, const D3: usize> Logic for Ram<A, D0, D1, D2, D3> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let word = self._words[self.read_address.val().index()];
            self.read_0.next = word.0;
            self.read_1.next = word.1;
            self.read_2.next = word.2;
            self.read_3.next = word.3;
            if self.write.val() {
                self._words[self.write_address.val().index()] =
                    (self.write_0.val(), self.write_1.val(), self.write_2.val(), self.write_3.val());
            }
        }
    }

    fn connect(&mut self) {
        self.read_0.connect();
        self.read_1.connect();
        self.read_2.connect();
        self.read_3.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{}:0] words [0:{}];\n\
             always @(posedge clock) begin\n  \
               if (write) words[write_address] <= {{write_3, write_2, write_1, write_0}};\n  \
               {{read_3, read_2, read_1, read_0}} <= words[read_address];\n\
             end\n",
            D0 + D1 + D2 + D3 - 1,
            (1usize << A) - 1
        ))
    }
}
