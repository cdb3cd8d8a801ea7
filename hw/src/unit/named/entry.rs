// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Entry into the pipeline: the input stage, the rows to clear, the operands of the operation, and the operation's warps as masks.
//!
//! *Reads:* the operation channel; whether the fault queue has space in the next cycle; the barrier id of the row that an Exit looks
//! up; for a Release in the commit stage its CTA slot, and whether it leaves open rows. *Writes:* in the same cycle the row and the
//! CTA entry that are read; one cycle later the operation in the lookup stage with its operands and its warps. *Latency:* 1.
//! Implements the operation channel, the operations that occupy two cycles, and the explicit release of `docs/contract/named.md`.

use super::entering_payloads::ReadPlace;
use super::input_stage::InputStage;
use super::lookup_payloads::{Actions, FirstSlot, OperandFault, Origin, RowOperands, Target, WarpState};
use super::op_warps::OpWarps;
use super::operands::Operands;
use super::parts::Parts;
use crate::prelude::*;
use crate::unit::clear::Clear;

/// Sizes: `W` warps, warp numbers of `LW` bits, counts of warps of `CW` bits, CTA slot numbers of `LC` bits, barrier ids of
/// `LI` bits, sums of a reduction of `AW` bits, contributions of a warp to a reduction of `VW` bits.
#[block]
pub struct Entry<W, LW, CW, LC, LI, AW, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parts: Signal<In, Parts>,
    pub op: Sink<NamedOp<W, LW, CW, LC, VW>>,
    /// The barrier id of the row that an Exit in its first lookup cycle looks up.
    pub last_id: Signal<In, Bits<LI>>,
    /// In the next cycle the fault queue has space for the entering operation or clear step.
    pub fault_space_next: Signal<In, Bit>,
    /// The operation in the commit stage is a Release.
    pub commit_releases: Signal<In, Bit>,
    /// CTA slot of the operation in the commit stage.
    pub commit_slot: Signal<In, Bits<LC>>,
    /// For a Release in the commit stage: its CTA was saved, so open rows are not a fault.
    pub commit_saved: Signal<In, Bit>,
    /// The operation in the commit stage is a Release, and rows of its CTA are open.
    pub dirty: Signal<In, Bit>,
    pub place: Signal<Out, ReadPlace<LC, LI>>,
    /// For a Launch at the port: the sizes of its CTA.
    pub launch_sizes: Signal<Out, CtaSizes<CW>>,
    /// If a clear step enters: 1 = it follows a reset, after which the rows of all CTA slots are cleared; 0 = it follows a
    /// Release.
    pub all_slots: Signal<Out, Bit>,
    /// The lookup stage is occupied in the next cycle.
    pub lookup_valid_next: Signal<Out, Bit>,
    pub lookup_actions: Signal<Out, Actions>,
    pub first_slot: Signal<Out, FirstSlot>,
    pub origin: Signal<Out, Origin<LW, LC>>,
    pub target: Signal<Out, Target<LC>>,
    /// Upstream fault of the operation in the lookup stage; None = no fault.
    pub upstream_fault: Signal<Out, FaultCode>,
    pub operand_fault: Signal<Out, OperandFault>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<Out, Bit>,
    /// For a Release in its first lookup cycle: its CTA was saved, so open rows are not a fault.
    pub saved: Signal<Out, Bit>,
    /// For a clear step in the lookup stage: an open row is not a fault.
    pub silent: Signal<Out, Bit>,
    pub row_operands: Signal<Out, RowOperands<CW, AW>>,
    pub warp_state: Signal<Out, WarpState>,
    /// For a Write to Warp in the lookup stage: the result in its state word.
    pub word_result: Signal<Out, Bits<AW>>,
    /// Warps of the operation in the lookup stage: its warp, one-hot; for a Release all warp slots of its CTA.
    pub warp_mask: Signal<Out, Bits<W>>,
    /// If the operation in the lookup stage makes its warp wait: `warp_mask`; else 0.
    pub waiter_mask: Signal<Out, Bits<W>>,
    /// Warps of the operation in the commit stage: its warp, one-hot; for a Release all warp slots of its CTA; after a reset all
    /// warps.
    pub acting_warps: Signal<Out, Bits<W>>,
    /// A Release without a fault is in the pipeline, or rows are being cleared after a Release or a reset.
    pub clearing: Signal<Out, Bit>,
    #[init(Clear::new(config))]
    clear: Clear<LC, LI>,
    #[init(InputStage::new(config))]
    input_stage: InputStage<W, LW, CW, LC, LI, VW>,
    #[init(Operands::new(config))]
    operands: Operands<LC, CW, AW, VW>,
    op_warps: OpWarps<W, LW>,
}

#[block]
impl Logic for Entry {
    fn update(&mut self) {
        let port = self.op.payload.val();
        let class = self.input_stage.class.val();

        // The rows to clear.
        self.clear.scrubs.next = self.input_stage.scrubs.val();
        self.clear.releasing.next = self.input_stage.releasing.val();
        self.clear.releases.next = self.commit_releases.val();
        self.clear.cta.next = self.commit_slot.val();
        self.clear.silent.next = self.commit_saved.val();
        self.clear.dirty.next = self.dirty.val();
        self.all_slots.next = self.clear.scrub.val().all_slots;
        self.clearing.next = self.clear.clearing.val();

        // The operation.
        self.input_stage.parts.next = self.parts.val();
        self.input_stage.scrub.next = self.clear.scrub.val();
        self.input_stage.scrub_next.next = self.clear.scrub_next.val();
        self.input_stage.last_id.next = self.last_id.val();
        self.input_stage.word_id.next = self.operands.word_id.val();
        self.input_stage.fault_space_next.next = self.fault_space_next.val();
        self.place.next = self.input_stage.place.val();
        self.launch_sizes.next = port.sizes;
        self.lookup_valid_next.next = self.input_stage.lookup_valid_next.val();
        self.lookup_actions.next = self.input_stage.lookup_actions.val();
        self.first_slot.next = self.input_stage.first_slot.val();
        self.origin.next = self.input_stage.origin.val();
        self.target.next = self.input_stage.target.val();
        self.upstream_fault.next = self.input_stage.upstream_fault.val();
        self.same_warp.next = self.input_stage.same_warp.val();
        self.saved.next = self.input_stage.saved.val();
        self.silent.next = self.input_stage.silent.val();

        // The operands and the warps of the operation.
        self.operands.parts.next = self.parts.val();
        self.operands.request.next = port.op.request;
        self.operands.value.next = port.op.value;
        self.operands.class.next = class;
        self.operands.holds.next = self.input_stage.first_slot.val().occupied;
        self.row_operands.next = self.operands.row_operands.val();
        self.warp_state.next = self.operands.warp_state.val();
        self.word_result.next = self.operands.result.val();
        self.operand_fault.next = self.operands.operand_fault.val();
        self.op_warps.warp.next = port.op.warp;
        self.op_warps.is_release.next = class.is_release;
        self.op_warps.cta_mask.next = port.op.mask;
        self.op_warps.will_wait.next = self.input_stage.will_wait.val();
        self.op_warps.holds.next = self.input_stage.first_slot.val().occupied;
        self.warp_mask.next = self.op_warps.warp_mask.val();
        self.waiter_mask.next = self.op_warps.waiter_mask.val();
        self.acting_warps.next = self.op_warps.acting_warps.val();
        Channel::join(&mut self.op, &mut self.input_stage.op);
    }
}
