// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where the result of a B2R goes: keeps destination register and predicate beside the Read that is inside `named`.
//!
//! *Reads:* register and predicate of the operation that enters `named`; whether a Read's result is there. *Writes:* register and
//! predicate of that result; they hold until the next (gate). *Latency:* 3, that of a Read in `named`. Implements the destinations of
//! B2R in spec 001.

use bcu_derive::block;
use rust_hdl::prelude::*;

#[block]
pub struct Writeback {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op_rd: Signal<In, Bits<8>>,
    pub op_pu: Signal<In, Bits<3>>,
    /// The result of the operation that entered three cycles ago is there.
    pub valid: Signal<In, Bit>,
    pub rd: Signal<Out, Bits<8>>,
    pub pu: Signal<Out, Bits<3>>,
    entered_rd: DFF<Bits<8>>,
    entered_pu: DFF<Bits<3>>,
    inside_rd: DFF<Bits<8>>,
    inside_pu: DFF<Bits<3>>,
    read_rd: DFF<Bits<8>>,
    read_pu: DFF<Bits<3>>,
    kept_rd: DFF<Bits<8>>,
    kept_pu: DFF<Bits<3>>,
}

impl Logic for Writeback {
    #[hdl_gen]
    fn update(&mut self) {
        self.entered_rd.d.next = self.op_rd.val();
        self.entered_pu.d.next = self.op_pu.val();
        self.inside_rd.d.next = self.entered_rd.q.val();
        self.inside_pu.d.next = self.entered_pu.q.val();
        self.read_rd.d.next = self.inside_rd.q.val();
        self.read_pu.d.next = self.inside_pu.q.val();
        self.rd.next = self.kept_rd.q.val();
        self.pu.next = self.kept_pu.q.val();
        // A Read that is refused leaves no trace here.
        if self.valid.val() {
            self.rd.next = self.read_rd.q.val();
            self.pu.next = self.read_pu.q.val();
        }
        self.kept_rd.d.next = self.rd.val();
        self.kept_pu.d.next = self.pu.val();
        if self.reset.val() {
            self.kept_rd.d.next = 0.into();
            self.kept_pu.d.next = 0.into();
        }
    }
}
