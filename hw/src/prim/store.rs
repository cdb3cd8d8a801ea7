// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory with one write port and one registered read port, which reads in every cycle. A word is one value, which may be a struct.
//!
//! *Reads:* `read_address` in every cycle. *Writes:* `write_value` at `write_address` while `write` is 1. *Latency:* the word
//! is at `read_value` one cycle after its address. As in [`ram`](crate::prim::ram), the reader must forward the word that is written in
//! the cycle of its read. Words have no reset and start unknown: the owner must write a word before it uses the word.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// `2^A` words of type `T`, one for each address.
#[block(primitive(store, WIDTH = write_value, ADDRESS_BITS = write_address))]
pub struct Store<T: Synth, A> {
    pub clock: Signal<In, Clock>,
    /// A word is written.
    pub write: Signal<In, Bit>,
    /// Address of the word that is written.
    pub write_address: Signal<In, Bits<A>>,
    /// The word to write.
    pub write_value: Signal<In, T>,
    /// Address of the word that is read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word that was read in the cycle before.
    pub read_value: Signal<Out, T>,
    #[init(vec![T::default(); 1 << A])]
    _words: Vec<T>,
}

#[block]
impl Logic for Store {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.read_value.next = self._words[self.read_address.val().index()];
            if self.write.val() {
                self._words[self.write_address.val().index()] = self.write_value.val();
            }
        }
    }

    fn connect(&mut self) {
        self.read_value.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "(* no_rw_check *) reg [{}:0] words [0:{}];\n\
             always @(posedge clock) begin\n  \
               if (write) words[write_address] <= write_value;\n  \
               read_value <= words[read_address];\n\
             `ifdef BCU_UNKNOWN_COLLISIONS\n  \
               if (write && read_address == write_address) read_value <= {{{}{{1'bx}}}};\n\
             `endif\n\
             end\n",
            T::BITS - 1,
            (1usize << A) - 1,
            T::BITS
        ))
    }
}
