// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the operation of a warp without its object, and determines whether the operation goes to the network.
//!
//! *Reads:* the operation; the position of its CTA in its cluster. *Writes:* in the same cycle the fault, if there is one; whether
//! the operation is remote. *Latency:* 0, no state. Implements the faults of `docs/contract/mbarrier.md` down to `mbarrier_count` for n.

use super::kind::MbarrierKind;
use super::ports::MbarrierOp;
use crate::prelude::*;

#[block]
pub struct OpCheck<LW, LC, XW, XL, KC> {
    /// The operation.
    pub asked: Signal<In, MbarrierOp<LW, LC, XL>>,
    /// Position in its cluster of the operation's CTA.
    #[built(config.has_clusters())]
    pub peer: Signal<In, Peer<KC>>,
    /// Fault of the operation; None = no fault so far.
    pub code: Signal<Out, FaultCode>,
    /// The operation has no fault and is remote: it goes to the network.
    #[built(config.has_clusters())]
    pub leaves: Signal<Out, Bit>,
    /// Rank in the address.
    rank: Signal<Local, Bits<8>>,
    /// Rank of the operation's CTA.
    own_rank: Signal<Local, Bits<8>>,
    /// Size of the cluster.
    most: Signal<Local, Bits<8>>,
    /// The object is in another CTA.
    elsewhere: Signal<Local, Bit>,
    /// No CTA of the cluster has this rank.
    beyond: Signal<Local, Bit>,
    /// TestWait, TryWait.
    waits: Signal<Local, Bit>,
    /// Kinds with a count of arrivals.
    counts: Signal<Local, Bit>,
    /// Kinds that may go to another CTA: arrivals, drops, Expect, Complete.
    travels: Signal<Local, Bit>,
    /// Offset in the address.
    offset: Signal<Local, Bits<32>>,
    /// The offset is beyond shared memory.
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

        // Without clusters the rank of every CTA is 0, and every other rank is beyond the cluster.
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

        // The last assignment wins, so the causes are in reverse order of precedence.
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
