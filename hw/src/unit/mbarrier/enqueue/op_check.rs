// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks the operation of a warp before its object is read, and determines whether the operation goes to the network.
//!
//! *Reads:* the operation; the position of its CTA in its cluster. *Writes:* in the same cycle the fault, if there is one; whether the
//! operation is remote. *Latency:* 0, no state. Implements the faults in the table of `docs/contract/mbarrier.md` down to the first
//! `mbarrier_count`.

use crate::prelude::*;
use crate::unit::mbarrier::kind::MbarrierKind;
use crate::unit::mbarrier::ports::MbarrierOp;

/// Sizes: warp numbers of `LW` bits, CTA slot numbers of `LC` bits, cluster slot numbers of `KC` bits, shared memory word numbers of `XW`
/// bits, tick counts of `XL` bits.
#[block]
pub struct OpCheck<LW, LC, XW, XL, KC> {
    /// The operation to check.
    pub op: Signal<In, MbarrierOp<LW, LC, XL>>,
    /// Position of the operation's CTA in its cluster.
    #[built(config.has_clusters())]
    pub peer: Signal<In, Peer<KC>>,
    /// Fault of the operation; None = no fault so far.
    pub code: Signal<Out, FaultCode>,
    /// The operation has no fault and is remote: it goes to the network.
    #[built(config.has_clusters())]
    pub is_remote: Signal<Out, Bit>,
    /// Rank in the shared address: the CTA of the cluster that has the object.
    rank: Signal<Local, Bits<8>>,
    /// Rank of the operation's CTA.
    sender_rank: Signal<Local, Bits<8>>,
    /// Size of the cluster.
    cluster_size: Signal<Local, Bits<8>>,
    /// The object belongs to another CTA: the rank in the address differs from the rank of the operation's CTA.
    in_other_cta: Signal<Local, Bit>,
    /// The cluster has no CTA of the rank in the address.
    rank_out_of_range: Signal<Local, Bit>,
    /// The kind is TestWait or TryWait.
    waits: Signal<Local, Bit>,
    /// The kind has a number of arrivals, which must not be 0.
    has_count: Signal<Local, Bit>,
    /// The operation is of a kind that may go to another CTA: an arrival, a drop, Expect or Complete.
    may_be_remote: Signal<Local, Bit>,
    /// Offset in the shared address, in bytes.
    offset: Signal<Local, Bits<32>>,
    /// The offset is beyond the end of the shared memory of a CTA.
    address_out_of_range: Signal<Local, Bit>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new((XW as u64 + 3).into()))]
    offset_bits: Constant<Bits<5>>,
}

#[block]
impl Logic for OpCheck {
    fn update(&mut self) {
        let op = self.op.val();
        self.waits.next = (op.kind == MbarrierKind::TestWait) | (op.kind == MbarrierKind::TryWait);
        self.may_be_remote.next = !self.waits.val()
            & (op.kind != MbarrierKind::Init)
            & (op.kind != MbarrierKind::Inval)
            & (op.kind != MbarrierKind::AddPending);
        self.has_count.next = !self.waits.val()
            & (op.kind != MbarrierKind::Inval)
            & (op.kind != MbarrierKind::Expect)
            & (op.kind != MbarrierKind::Complete);

        // In a configuration without clusters every CTA has rank 0, so every other rank in the address is out of range.
        self.rank.next = op.address.get_bits::<8>(24);
        self.sender_rank.next = bit_cast::<8, 4>(self.peer.val().rank);
        self.cluster_size.next = bit_cast::<8, 5>(self.peer.val().size);
        self.in_other_cta.next = self.rank.val() != self.sender_rank.val();
        self.rank_out_of_range.next = self.in_other_cta.val();
        if self.has_clusters.val() {
            self.rank_out_of_range.next = self.rank.val() >= self.cluster_size.val();
        }

        self.offset.next = op.address & 0xff_ffff;
        self.address_out_of_range.next = (self.offset.val() >> self.offset_bits.val()).any();

        // The last assignment wins, so the causes are in reverse order of precedence.
        self.code.next = FaultCode::None;
        if self.checks.val() {
            if self.has_count.val() & (op.count.get_bit(20) | !op.count.any()) {
                self.code.next = FaultCode::MbarrierCount;
            }
            if self.address_out_of_range.val() {
                self.code.next = FaultCode::AddressOutOfRange;
            }
            if op.address.get_bits::<3>(0).any() {
                self.code.next = FaultCode::AddressMisaligned;
            }
            if self.in_other_cta.val() & self.waits.val() {
                self.code.next = FaultCode::WaitRemote;
            }
            if self.in_other_cta.val()
                & ((op.cluster & self.rank_out_of_range.val()) | (!self.waits.val() & !(op.cluster & self.may_be_remote.val())))
            {
                self.code.next = FaultCode::RankOutOfRange;
            }
            if !op.uniform {
                self.code.next = FaultCode::OperandNotUniform;
            }
        }
        if op.fault != FaultCode::None {
            self.code.next = op.fault;
        }
        self.is_remote.next = self.has_clusters.val()
            & op.cluster
            & self.may_be_remote.val()
            & self.in_other_cta.val()
            & (self.code.val() == FaultCode::None);
    }
}
