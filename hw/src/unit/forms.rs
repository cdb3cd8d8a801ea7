// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of the instruction word: is it one of them, and what does it say.
//!
//! *Reads:* the instruction word, the values of its registers, whether they are uniform. *Writes:* `legal`; kind, operands and
//! destinations of the operation, as unused where the form does not have them or the word is illegal. *Latency:* 0, no state.
//!
//! A flat table of facts about the bits of BAR, BAR_RED, B2R, B2R_RESULT and R2B (spec 001), and of FENCE, CLUSTER and GRID, this project's own: fourteen forms, told apart by optype and
//! stype; in each, every bit that is not a field must be 0. Bits 127:109 are left to control information and ignored.

use crate::prelude::*;

#[block]
pub struct Forms<LC> {
    pub word: Signal<In, InstructionWord>,
    pub ra: Signal<In, Bits<32>>,
    pub rb: Signal<In, Bits<32>>,
    /// All executing lanes have the same values in these registers.
    pub registers_uniform: Signal<In, Bit>,
    pub legal: Signal<Out, Bit>,
    /// What the word asks; without a slot, and without what may be wrong with it.
    pub request: Signal<Out, Request<LC>>,
    pub destination: Signal<Out, Destination>,
    /// The predicate to reduce is negated.
    pub negated: Signal<Out, Bit>,
    head: Signal<Local, Bits<12>>,
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
    mode: Signal<Local, Bit>,
    upper_mode: Signal<Local, Bit>,
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
    nothing: Constant<Request<LC>>,
}

#[block]
impl Logic for Forms<LC> {
    fn update(&mut self) {
        self.head.next = bit_cast::<12, 32>(self.word.val().word_0);
        self.bar_i.next = self.head.val() == 0xb1d;
        self.bar_rr.next = self.head.val() == 0x31d;
        self.bar_rri.next = self.head.val() == 0x51d;
        self.bar_rir.next = self.head.val() == 0x91d;
        self.red_i.next = self.head.val() == 0xbdd;
        self.red_r.next = self.head.val() == 0x3dd;
        self.red_rri.next = self.head.val() == 0x5dd;
        self.red_rir.next = self.head.val() == 0x9dd;
        self.b2r.next = self.has_named.val() & (self.head.val() == 0xb1c);
        self.b2r_result.next = self.has_named.val() & (self.head.val() == 0x3dc);
        self.r2b.next = self.has_named.val() & (self.head.val() == 0x31e);
        self.fence.next = self.head.val() == 0x3e3;
        self.cluster.next = self.has_clusters.val() & (self.head.val() == 0x3e1);
        self.grid.next = self.has_grids.val() & (self.head.val() == 0x3e2);
        self.bar.next = self.has_named.val() & (self.bar_i.val() | self.bar_rr.val() | self.bar_rri.val() | self.bar_rir.val());
        self.red.next = self.has_named.val() & (self.red_i.val() | self.red_r.val() | self.red_rri.val() | self.red_rir.val());

        // Which fields it has, and bits that it should not have.
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

        // What it says.
        self.request.next = self.nothing.val();
        self.request.next.uniform = true;
        self.negated.next = self.word.val().word_3.get_bit(5);
        self.destination.next.rd = 255.into();
        self.destination.next.pu = 7.into();
        if self.legal.val() {
            if self.bar.val() & self.mode.val() {
                self.request.next.kind = OpKind::Arrive;
            }
            if self.red.val() {
                self.request.next.kind = OpKind::Reduce;
                if self.mode.val() {
                    self.request.next.redop = RedOp::Or;
                }
                if self.upper_mode.val() {
                    self.request.next.redop = RedOp::Popc;
                }
            }
            if self.has_rb.val() | self.r2b.val() {
                self.request.next.uniform = self.registers_uniform.val();
            }

            // In WARP mode the id means nothing.
            if self.has_id.val() & (self.bar.val() | self.red.val() | self.mode.val()) {
                self.request.next.id = self.word.val().word_1.get_bits::<4>(8);
            }
            if self.has_count.val() {
                self.request.next.count = self.word.val().word_1.get_bits::<12>(12);
            }
            if self.has_rb.val() {
                if !self.has_count.val() {
                    self.request.next.count = bit_cast::<12, 32>(self.rb.val());
                }
                if !self.has_id.val() {
                    self.request.next.id = bit_cast::<4, 32>(self.rb.val());
                }
            }
            if self.bar_rr.val() {
                self.request.next.id = bit_cast::<4, 32>(self.ra.val());
            }
            if self.red_r.val() {
                self.request.next.count = bit_cast::<12, 32>(self.rb.val() >> self.pack_lsb.val());
            }

            if self.has_rd.val() {
                self.request.next.kind = OpKind::Read;
                self.destination.next.rd = self.word.val().word_0.get_bits::<8>(16);
            }
            if self.r2b.val() {
                self.request.next.kind = OpKind::Write;
                self.request.next.data = self.ra.val();
            }
            if self.fence.val() {
                self.request.next.kind = OpKind::Fence;
            }
            if self.cluster.val() {
                self.request.next.kind = OpKind::ClusterArrive;
                if self.mode.val() {
                    self.request.next.kind = OpKind::ClusterArriveRelaxed;
                }
                if self.upper_mode.val() {
                    self.request.next.kind = OpKind::ClusterWait;
                }
            }
            if self.grid.val() {
                self.request.next.kind = OpKind::GridLaunch;
                if self.mode.val() {
                    self.request.next.kind = OpKind::GridWait;
                }
            }
            if (self.b2r.val() | self.r2b.val()) & self.mode.val() {
                self.request.next.state = StateWord::Barrier;
            }
            if self.b2r_result.val() {
                self.request.next.state = StateWord::Result;
                self.destination.next.pu = self.word.val().word_3.get_bits::<3>(10);
            }
        }
    }
}
