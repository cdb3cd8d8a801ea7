// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is wrong with a warp's operation as such, and whether it is one for the network.
//!
//! *Reads:* the operation, and what is known of its CTA's place in its cluster. *Writes:* in the same cycle the fault, if there is one; whether
//! the object is another CTA's. *Latency:* 0, no state. Implements the faults of `docs/mbarrier.md` down to `mbarrier_count` for n.

use super::ports::{MbarrierKind, MbarrierOp};
use crate::prelude::*;

#[block]
pub struct OpCheck<LW, LC, XW, XL, KC> {
    pub asked: Signal<In, MbarrierOp<LW, LC, XL>>,
    #[built(config.has_clusters())]
    pub peer: Signal<In, Peer<KC>>,
    pub code: Signal<Out, FaultCode>,
    /// It is right as such, and leaves for the network.
    #[built(config.has_clusters())]
    pub leaves: Signal<Out, Bit>,
    rank: Signal<Local, Bits<8>>,
    own_rank: Signal<Local, Bits<8>>,
    most: Signal<Local, Bits<8>>,
    elsewhere: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    counts: Signal<Local, Bit>,
    travels: Signal<Local, Bit>,
    offset: Signal<Local, Bits<32>>,
    flawed_address: Signal<Local, Bit>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    clusters: Constant<Bit>,
    #[init(Constant::new((XW as u64 + 3).into()))]
    offset_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for OpCheck<LW, LC, XW, XL, KC> {
    fn update(&mut self) {
        self.waits.next = (self.asked.val().kind == MbarrierKind::TestWait) | (self.asked.val().kind == MbarrierKind::TryWait);
        self.travels.next = !self.waits.val()
            & (self.asked.val().kind != MbarrierKind::Init)
            & (self.asked.val().kind != MbarrierKind::Inval)
            & (self.asked.val().kind != MbarrierKind::AddPending);
        self.counts.next = !self.waits.val()
            & (self.asked.val().kind != MbarrierKind::Inval)
            & (self.asked.val().kind != MbarrierKind::Expect)
            & (self.asked.val().kind != MbarrierKind::Complete);

        // Without clusters the own rank is 0, and there is no other.
        self.rank.next = self.asked.val().address.get_bits::<8>(24);
        self.own_rank.next = bit_cast::<8, 4>(self.peer.val().rank);
        self.most.next = bit_cast::<8, 5>(self.peer.val().size);
        self.elsewhere.next = self.rank.val() != self.own_rank.val();
        self.beyond.next = self.elsewhere.val();
        if self.clusters.val() {
            self.beyond.next = self.rank.val() >= self.most.val();
        }

        self.offset.next = self.asked.val().address & 0xff_ffff;
        self.flawed_address.next = (self.offset.val() >> self.offset_bits.val()).any();

        // The last assignment wins, so the causes stand in reverse order of precedence.
        self.code.next = FaultCode::None;
        if self.checks.val() {
            if self.counts.val() & (self.asked.val().count.get_bit(20) | !self.asked.val().count.any()) {
                self.code.next = FaultCode::MbarrierCount;
            }
            if self.flawed_address.val() {
                self.code.next = FaultCode::AddressOutOfRange;
            }
            if self.asked.val().address.get_bits::<3>(0).any() {
                self.code.next = FaultCode::AddressMisaligned;
            }
            if self.elsewhere.val() & self.waits.val() {
                self.code.next = FaultCode::WaitRemote;
            }
            if self.elsewhere.val()
                & ((self.asked.val().cluster & self.beyond.val())
                    | (!self.waits.val() & !(self.asked.val().cluster & self.travels.val())))
            {
                self.code.next = FaultCode::RankOutOfRange;
            }
            if !self.asked.val().uniform {
                self.code.next = FaultCode::OperandNotUniform;
            }
        }
        if self.asked.val().fault != FaultCode::None {
            self.code.next = self.asked.val().fault;
        }
        self.leaves.next = self.clusters.val()
            & self.asked.val().cluster
            & self.travels.val()
            & self.elsewhere.val()
            & (self.code.val() == FaultCode::None);
    }
}
