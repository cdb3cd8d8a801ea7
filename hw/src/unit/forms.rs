// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the forms of the instruction word: whether the word has one of them, and its meaning.
//!
//! *Reads:* the instruction word, the values of its registers. *Writes:* in the same cycle whether the word is legal, and its
//! properties; registered, of the last word taken: kind and operands of the operation, which are meaningless if the form
//! does not have them or the word is illegal. *Latency:* 0 and 1.
//!
//! The facts about the bits of BAR, BAR_RED, B2R, B2R_RESULT and R2B (spec 001), and of this project's FENCE, CLUSTER and GRID:
//! fourteen forms, distinguished by optype and stype. In each, every bit that is not a field must be 0; bits 127:109 are left to
//! control information and ignored. An operand with several sources has one register per source, which is 0 unless that source is
//! selected, and is the OR of them: clearing a register costs no gates.

use crate::prelude::*;

#[block]
pub struct Forms {
    pub clock: Signal<In, Clock>,
    /// The word is taken: the registers change.
    pub enable: Signal<In, Bit>,
    pub word: Signal<In, InstructionWord>,
    pub ra: Signal<In, Bits<32>>,
    pub rb: Signal<In, Bits<32>>,
    pub legal: Signal<Out, Bit>,
    /// The word reads or writes state: B2R, B2R_RESULT or R2B.
    pub accesses_state: Signal<Out, Bit>,
    /// An operand comes from a register, so that lanes may differ in it.
    pub uses_registers: Signal<Out, Bit>,
    /// The word is a reduction (BAR_RED).
    pub is_reduction: Signal<Out, Bit>,
    /// The predicate is negated.
    pub negated: Signal<Out, Bit>,
    pub kind: Signal<Out, OpKind>,
    pub id: Signal<Out, Bits<4>>,
    pub count: Signal<Out, Bits<12>>,
    pub redop: Signal<Out, RedOp>,
    pub state: Signal<Out, StateWord>,
    pub destination: Signal<Out, Destination>,
    kind_q: DFF<OpKind>,
    id_of_word: DFF<Bits<4>>,
    id_of_ra: DFF<Bits<4>>,
    id_of_rb: DFF<Bits<4>>,
    count_of_word: DFF<Bits<12>>,
    count_of_rb: DFF<Bits<12>>,
    redop_q: DFF<RedOp>,
    state_q: DFF<StateWord>,
    rd_q: DFF<Bits<8>>,
    pu_q: DFF<Bits<3>>,
    /// Bits 11:0: optype and stype.
    opcode: Signal<Local, Bits<12>>,
    bar_i: Signal<Local, Bit>,
    bar_rr: Signal<Local, Bit>,
    bar_rri: Signal<Local, Bit>,
    bar_rir: Signal<Local, Bit>,
    red_i: Signal<Local, Bit>,
    red_r: Signal<Local, Bit>,
    red_rri: Signal<Local, Bit>,
    red_rir: Signal<Local, Bit>,
    b2r: Signal<Local, Bit>,
    b2r_result: Signal<Local, Bit>,
    r2b: Signal<Local, Bit>,
    fence: Signal<Local, Bit>,
    cluster: Signal<Local, Bit>,
    grid: Signal<Local, Bit>,
    bar: Signal<Local, Bit>,
    red: Signal<Local, Bit>,
    has_rd: Signal<Local, Bit>,
    has_ra: Signal<Local, Bit>,
    has_rb: Signal<Local, Bit>,
    has_id: Signal<Local, Bit>,
    has_count: Signal<Local, Bit>,
    /// The lower bit of the mode.
    mode: Signal<Local, Bit>,
    /// The upper bit of the mode.
    upper_mode: Signal<Local, Bit>,
    /// A bit that is not a field of the form is 1.
    stray: Signal<Local, Bit>,
    /// Lowest bit of the count in the packed register of BAR_RED_R.
    #[init(Constant::new((config.pack_lsb as u64).into()))]
    pack_lsb: Constant<Bits<5>>,
    #[init(Constant::new(config.has_named()))]
    has_named: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for Forms {
    fn update(&mut self) {
        self.opcode.next = bit_cast::<12, 32>(self.word.val().word_0);
        self.bar_i.next = self.opcode.val() == 0xb1d;
        self.bar_rr.next = self.opcode.val() == 0x31d;
        self.bar_rri.next = self.opcode.val() == 0x51d;
        self.bar_rir.next = self.opcode.val() == 0x91d;
        self.red_i.next = self.opcode.val() == 0xbdd;
        self.red_r.next = self.opcode.val() == 0x3dd;
        self.red_rri.next = self.opcode.val() == 0x5dd;
        self.red_rir.next = self.opcode.val() == 0x9dd;
        self.b2r.next = self.has_named.val() & (self.opcode.val() == 0xb1c);
        self.b2r_result.next = self.has_named.val() & (self.opcode.val() == 0x3dc);
        self.r2b.next = self.has_named.val() & (self.opcode.val() == 0x31e);
        self.fence.next = self.opcode.val() == 0x3e3;
        self.cluster.next = self.has_clusters.val() & (self.opcode.val() == 0x3e1);
        self.grid.next = self.has_grids.val() & (self.opcode.val() == 0x3e2);
        self.bar.next = self.has_named.val() & (self.bar_i.val() | self.bar_rr.val() | self.bar_rri.val() | self.bar_rir.val());
        self.red.next = self.has_named.val() & (self.red_i.val() | self.red_r.val() | self.red_rri.val() | self.red_rir.val());

        // The fields of the form, and the bits that must be 0.
        self.has_rd.next = self.b2r.val() | self.b2r_result.val();
        self.has_ra.next = self.bar_rr.val() | self.r2b.val();
        self.has_rb.next = (self.bar.val() & !self.bar_i.val()) | (self.red.val() & !self.red_i.val());
        self.has_id.next =
            self.bar_i.val() | self.bar_rir.val() | self.red_i.val() | self.red_rir.val() | self.b2r.val() | self.r2b.val();
        self.has_count.next = self.bar_i.val() | self.bar_rri.val() | self.red_i.val() | self.red_rri.val();
        self.mode.next = self.word.val().word_2.get_bit(16);
        self.upper_mode.next = self.word.val().word_2.get_bit(17);
        self.stray.next = (self.word.val().word_0.get_bits::<8>(16).any() & !self.has_rd.val())
            | (self.word.val().word_0.get_bits::<8>(24).any() & !self.has_ra.val())
            | (self.word.val().word_1.get_bits::<8>(0).any() & !self.has_rb.val())
            | (self.word.val().word_1.get_bits::<4>(8).any() & !self.has_id.val())
            | (self.word.val().word_1.get_bits::<12>(12).any() & !self.has_count.val())
            | self.word.val().word_1.get_bits::<8>(24).any()
            | self.word.val().word_2.get_bits::<16>(0).any()
            | (self.mode.val() & (self.b2r_result.val() | self.fence.val()))
            // The second bit of the mode: only BAR_RED and CLUSTER have it, and not together with the first.
            | (self.upper_mode.val() & (!(self.red.val() | self.cluster.val()) | self.mode.val()))
            | self.word.val().word_2.get_bits::<14>(18).any()
            | self.word.val().word_3.get_bits::<2>(0).any()
            | (self.word.val().word_3.get_bits::<4>(2).any() & !self.red.val())
            | self.word.val().word_3.get_bits::<4>(6).any()
            | (self.word.val().word_3.get_bits::<3>(10).any() & !self.b2r_result.val());
        self.legal.next = (self.bar.val()
            | self.red.val()
            | self.has_rd.val()
            | self.r2b.val()
            | self.fence.val()
            | self.cluster.val()
            | self.grid.val())
            & !self.stray.val();
        self.accesses_state.next = self.has_rd.val() | self.r2b.val();
        self.uses_registers.next = self.has_rb.val() | self.r2b.val();
        self.is_reduction.next = self.red.val();
        self.negated.next = self.word.val().word_3.get_bit(5);

        // The meaning of the word.
        if self.enable.val() {
            self.kind_q.d.next = OpKind::Sync;
            if self.bar.val() & self.mode.val() {
                self.kind_q.d.next = OpKind::Arrive;
            }
            if self.red.val() {
                self.kind_q.d.next = OpKind::Reduce;
            }
            if self.has_rd.val() {
                self.kind_q.d.next = OpKind::Read;
            }
            if self.r2b.val() {
                self.kind_q.d.next = OpKind::Write;
            }
            if self.fence.val() {
                self.kind_q.d.next = OpKind::Fence;
            }
            if self.cluster.val() {
                self.kind_q.d.next = OpKind::ClusterArrive;
                if self.mode.val() {
                    self.kind_q.d.next = OpKind::ClusterArriveRelaxed;
                }
                if self.upper_mode.val() {
                    self.kind_q.d.next = OpKind::ClusterWait;
                }
            }
            if self.grid.val() {
                self.kind_q.d.next = OpKind::GridLaunch;
                if self.mode.val() {
                    self.kind_q.d.next = OpKind::GridWait;
                }
            }
            self.redop_q.d.next = RedOp::And;
            if self.mode.val() {
                self.redop_q.d.next = RedOp::Or;
            }
            if self.upper_mode.val() {
                self.redop_q.d.next = RedOp::Popc;
            }
            self.state_q.d.next = StateWord::Warp;
            if self.mode.val() {
                self.state_q.d.next = StateWord::Barrier;
            }
            if self.b2r_result.val() {
                self.state_q.d.next = StateWord::Result;
            }
            self.rd_q.d.next = self.word.val().word_0.get_bits::<8>(16);
            self.pu_q.d.next = self.word.val().word_3.get_bits::<3>(10);
            if self.b2r.val() {
                self.pu_q.d.next = 7.into();
            }

            // In WARP mode the id is ignored.
            self.id_of_word.d.next = self.word.val().word_1.get_bits::<4>(8);
            if !(self.has_id.val() & (self.bar.val() | self.red.val() | self.mode.val())) {
                self.id_of_word.d.next = 0.into();
            }
            self.id_of_ra.d.next = bit_cast::<4, 32>(self.ra.val());
            if !self.bar_rr.val() {
                self.id_of_ra.d.next = 0.into();
            }
            self.id_of_rb.d.next = bit_cast::<4, 32>(self.rb.val());
            if !(self.red_r.val() | self.red_rri.val() | self.bar_rri.val()) {
                self.id_of_rb.d.next = 0.into();
            }
            self.count_of_word.d.next = self.word.val().word_1.get_bits::<12>(12);
            if !self.has_count.val() {
                self.count_of_word.d.next = 0.into();
            }
            self.count_of_rb.d.next = bit_cast::<12, 32>(self.rb.val());
            if self.red_r.val() {
                self.count_of_rb.d.next = bit_cast::<12, 32>(self.rb.val() >> self.pack_lsb.val());
            }
            if !self.has_rb.val() | self.has_count.val() {
                self.count_of_rb.d.next = 0.into();
            }
        }
        self.kind.next = self.kind_q.q.val();
        self.redop.next = self.redop_q.q.val();
        self.state.next = self.state_q.q.val();
        self.destination.next.rd = self.rd_q.q.val();
        self.destination.next.pu = self.pu_q.q.val();
        self.id.next = self.id_of_word.q.val() | self.id_of_ra.q.val() | self.id_of_rb.q.val();
        self.count.next = self.count_of_word.q.val() | self.count_of_rb.q.val();
    }
}
