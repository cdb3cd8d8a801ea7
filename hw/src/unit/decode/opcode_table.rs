// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recognises the instruction, and the form of a BAR or BAR_RED, by the operation code of the word.
//!
//! *Reads:* the operation code of the instruction word. *Writes:* the instruction in the word; the form of a BAR or BAR_RED
//! (meaningless in a configuration without named barriers). *Latency:* 0, no state. Implements the operation codes of
//! `docs/contract/isa.md` except those of MBAR and NBAR. For an instruction that the configuration does not have, no
//! output is 1.

use super::payloads::{InstructionFlags, SourceFlags};
use crate::prelude::*;

#[block]
pub struct OpcodeTable {
    /// Bits 11:0 of the instruction word: optype and stype.
    pub opcode: Signal<In, Bits<12>>,
    pub instruction: Signal<Out, InstructionFlags>,
    pub sources: Signal<Out, SourceFlags>,
    form: Signal<Local, SourceFlags>,
    #[init(Constant::new(config.has_named()))]
    has_named: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for OpcodeTable {
    fn update(&mut self) {
        let opcode = self.opcode.val();
        self.form.next.bar_i = opcode == 0xb1d;
        self.form.next.bar_rr = opcode == 0x31d;
        self.form.next.bar_rri = opcode == 0x51d;
        self.form.next.bar_rir = opcode == 0x91d;
        self.form.next.red_i = opcode == 0xbdd;
        self.form.next.red_r = opcode == 0x3dd;
        self.form.next.red_rri = opcode == 0x5dd;
        self.form.next.red_rir = opcode == 0x9dd;
        self.sources.next = self.form.val();
        self.instruction.next.bar = self.has_named.val()
            & (self.form.val().bar_i | self.form.val().bar_rr | self.form.val().bar_rri | self.form.val().bar_rir);
        self.instruction.next.red = self.has_named.val()
            & (self.form.val().red_i | self.form.val().red_r | self.form.val().red_rri | self.form.val().red_rir);
        self.instruction.next.b2r = self.has_named.val() & (opcode == 0xb1c);
        self.instruction.next.b2r_result = self.has_named.val() & (opcode == 0x3dc);
        self.instruction.next.r2b = self.has_named.val() & (opcode == 0x31e);
        self.instruction.next.fence = opcode == 0x3e3;
        self.instruction.next.cluster = self.has_clusters.val() & (opcode == 0x3e1);
        self.instruction.next.grid = self.has_grids.val() & (opcode == 0x3e2);
    }
}
