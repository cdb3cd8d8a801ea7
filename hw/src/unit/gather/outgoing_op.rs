// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation that is passed on: the operation in the commit stage with the fault that its lanes cause, or the operation of a
//! gathering.
//!
//! *Reads:* the operation in the commit stage, the faults of its lanes, the operands of the gathering in the row and the sum of the
//! gathering's votes. *Writes:* the operation to pass on. *Latency:* 0, no state. Implements *Completion* of
//! `docs/contract/gather.md`.
//!
//! The operands of an arrival that completes a gathering equal those of the gathering; an Exit that completes a gathering takes the
//! operands from the row. `shared_bits` holds the count in bits 0 to 11, and the sum of the votes from bit 12 on.

use super::kinds::{GatheredKind, KindOf};
use super::payloads::{FoldedOp, Gathering, LaneFaults, PassedOp};
use crate::prelude::*;

/// `W` warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits, contributions to a reduction of `VW` bits.
#[block]
pub struct OutgoingOp<W, LW, LC, VW> {
    pub commit_op: Signal<In, FoldedOp<W, LW, LC>>,
    pub faults: Signal<In, LaneFaults>,
    /// The operation's lanes are all live lanes of the warp, and none of them waits.
    pub all_live_lanes: Signal<In, Bit>,
    /// The operation is an Exit that completes the gathering of the row.
    pub exit_completes: Signal<In, Bit>,
    /// Kind of the gathering in the row.
    pub gathered_kind: Signal<In, GatheredKind>,
    /// Reduction of the gathering in the row.
    pub gathered_redop: Signal<In, RedOp>,
    /// Operands of the gathering in the row.
    pub gathering: Signal<In, Gathering>,
    /// Sum of the contributions of the gathering and of the operation; for an Mbarrier the number of lanes.
    pub sum: Signal<In, Bits<VW>>,
    pub op: Signal<Out, PassedOp<W, LW, LC, VW>>,
    kind_of: KindOf,
    shared_bits: Signal<Local, Bits<32>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for OutgoingOp {
    fn update(&mut self) {
        let faults = self.faults.val();
        let gathering = self.gathering.val();
        self.op.next.folded = self.commit_op.val().folded;
        self.op.next.warp = self.commit_op.val().warp;
        self.op.next.from_instr = self.commit_op.val().from_instr;
        self.op.next.release = self.commit_op.val().release;
        self.op.next.folded.mbarrier_body.all_live_lanes = self.all_live_lanes.val();
        self.op.next.value = 0.into();
        if self.has_mbarrier.val() {
            self.op.next.value = self.sum.val();
        }
        if faults.mismatch {
            self.op.next.folded.body.fault = FaultCode::GatherMismatch;
        }
        if faults.partial {
            self.op.next.folded.body.fault = FaultCode::PartialMask;
        }
        if faults.blocked {
            self.op.next.folded.body.fault = FaultCode::WarpBlocked;
        }
        if faults.absent {
            self.op.next.folded.body.fault = FaultCode::NotResident;
        }

        // An Exit that completes a gathering takes the kind and operands of the gathering. The sum of the votes is in the bits above
        // the count.
        self.kind_of.gathered.next = self.gathered_kind.val();
        self.shared_bits.next = self.commit_op.val().folded.body.shared_bits;
        if self.exit_completes.val() {
            self.op.next.folded.body.kind = self.kind_of.kind.val();
            self.op.next.folded.body.uniform = true;
            self.op.next.folded.body.id = gathering.id;
            self.op.next.folded.body.redop = self.gathered_redop.val();
            for i in 0..12 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(i, self.gathering.val().count.get_bit(i));
            }
        }
        if self.exit_completes.val() | (self.commit_op.val().folded.body.kind == OpKind::Reduce) {
            for j in 0..VW {
                self.shared_bits.next = self.shared_bits.val().replace_bit(j + 12, self.sum.val().get_bit(j));
            }
        }
        self.op.next.folded.body.shared_bits = self.shared_bits.val();
    }
}
