// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory with one write port and one registered read port.
//!
//! *Reads:* `read_address` while `read` is 1. *Writes:* `write_value` at `write_address` while `write` is 1. *Latency:* the
//! word is at `read_value` one cycle after its address, and stays there until the next read.
//!
//! A read of the address that is written in the same cycle is a collision: in simulation the read returns the old word. The Verilog
//! declares to synthesis that this word is never used (`no_rw_check`), which saves a comparator and a bypass per bit. The reader must
//! therefore forward the written word. With `BCU_UNKNOWN_COLLISIONS` defined, a collision returns an unknown word (x), so a four-state
//! simulation exposes a reader that does not forward.
//!
//! The words have no reset and start unknown: the owner clears them. All fields of a word are in one memory. The attribute `ram_style`
//! places that memory in block RAM, or with `BCU_DISTRIBUTED_RAM` defined in distributed RAM. Without the attribute, synthesis would build
//! a small memory from registers, with a gate at each bit of each word to select it.

use crate::verilog::RAM_STYLE;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `2^A` words, one for each address; a word is a number, or a payload as [`Packed`](crate::payload::Packed).
#[block(primitive(ram, WIDTH = write_value, ADDRESS_BITS = write_address))]
pub struct Ram<T: Synth, A> {
    pub clock: Signal<In, Clock>,
    /// A word is written.
    pub write: Signal<In, Bit>,
    /// Address of the word that is written.
    pub write_address: Signal<In, Bits<A>>,
    /// The word to write.
    pub write_value: Signal<In, T>,
    /// A word is read.
    pub read: Signal<In, Bit>,
    /// Address of the word that is read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word that was read last.
    pub read_value: Signal<Out, T>,
    #[init(vec![Default::default(); 1 << A])]
    _words: Vec<T>,
}

#[block]
impl Logic for Ram {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.read.val() {
                self.read_value.next = self._words[self.read_address.val().index()];
            }
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
            "(* no_rw_check, ram_style = {RAM_STYLE} *) reg [{0}:0] words [0:{1}];\n\
             always @(posedge clock) begin\n  \
               if (write) words[write_address] <= write_value;\n  \
               if (read) read_value <= words[read_address];\n\
             `ifdef BCU_UNKNOWN_COLLISIONS\n  \
               if (read && write && read_address == write_address) read_value <= {{{2}{{1'bx}}}};\n\
             `endif\n\
             end\n",
            T::BITS - 1,
            (1usize << A) - 1,
            T::BITS,
        ))
    }
}
