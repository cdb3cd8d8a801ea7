// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Turns an instruction into an operation: decodes the word, and checks whether the warp may execute it.
//!
//! *Reads:* the instruction, in cycles in which `op_ready` is 1; masks of the warps that are live, blocked, and barred from
//! state accesses (`full`); the CTA slot of each warp; the warps whose operation is done. *Writes:* the operation channel;
//! `in_decode`. *Latency:* 2 from instruction to operation.
//!
//! An instruction is offered until it is taken, and its warp may issue if the warp is not blocked in the first cycle of the
//! offer. So the warp's bits of `blocked` and `full` are sampled in that first cycle.
//!
//! The unit is two registers in series, which both load when `op_ready` is 1; there is no queue. The block `forms` and a block
//! for each other group of instructions that is built (MBAR, NBAR) decode the word, `check` decides whether the warp may execute it. The bits of the warp in the masks are
//! selected before the first register; between the registers the instruction is checked and becomes an operation. Two fields
//! share the bits of a register if no kind of operation uses both. Implements the issue of instructions in spec 001, and the
//! exact rules of `docs/contract/decode.md`.

pub mod check;
pub mod forms;
pub mod id_and_count;
pub mod in_transit;
pub mod lane_operands;
pub mod mbar_forms;
pub mod mbar_kind;
pub mod mbar_operands;
pub mod nbar_forms;
pub mod opcode_table;
pub mod operation;
pub mod operation_kind;
pub mod output_stage;
pub mod payloads;

use crate::prelude::*;
use check::Check;
use forms::Forms;
use in_transit::InTransit;
use lane_operands::LaneOperands;
use mbar_forms::MbarForms;
use nbar_forms::NbarForms;
use operation::Operation;
use output_stage::OutputStage;

/// Sizes: `W` warps with numbers of `LW` bits, `L` lanes, CTA slots with numbers of `LC` bits; `LD` bits, the larger of 32 and
/// `L`, for a field that holds data or one bit per lane.
#[block(unit = "decode")]
pub struct Decode<W, LW, LC, L, LD> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// An instruction, which is taken in a cycle in which `op_ready` is 1.
    #[group("instruction")]
    pub instr: StrobeIn<Instruction<LW, L>>,
    /// Launched warps that have not exited.
    #[group("warps")]
    pub live: Signal<In, Bits<W>>,
    /// Warps whose instructions are refused. For B2R, B2R_RESULT and R2B `full` decides instead.
    pub blocked: Signal<In, Bits<W>>,
    /// Warps whose B2R, B2R_RESULT and R2B are refused: they must not even read or write state.
    pub full: Signal<In, Bits<W>>,
    /// For one cycle: warps whose operation is absorbed by `gather`, is parked or takes effect.
    pub op_done: Signal<In, Bits<W>>,
    /// Port `warp_cta_b` has bit b of the CTA slot number of each warp.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    #[group("operation")]
    pub op: Source<DecodedOp<LW, LC, L>>,
    /// Warps with an operation in transit: their instruction was taken here, and its operation is not yet absorbed by `gather`,
    /// parked or in effect.
    pub in_decode: Signal<Out, Bits<W>>,
    #[init(Forms::new(config))]
    forms: Forms,
    #[built(config.has_mbarrier())]
    mbar: MbarForms,
    #[built(config.has_gateway())]
    nbar: NbarForms,
    check: Check<W, LW>,
    #[init(InTransit::default())]
    in_transit: InTransit<W, LW>,
    lane_operands: LaneOperands<L, LD>,
    operation: Operation<LW, LC, L, LD>,
    #[init(OutputStage::new(config))]
    output_stage: OutputStage<LW, LC, L, LD>,
    /// The form is WarpSync or Elect, for which the word is ignored.
    is_warp_sync: Signal<Local, Bit>,
    /// The word is legal, or is ignored because the form is WarpSync or Elect.
    is_legal: Signal<Local, Bit>,
    /// CTA slot of the warp.
    cta_slot: Signal<Local, Bits<LC>>,
}

#[block]
impl Logic for Decode {
    fn update(&mut self) {
        let instr = self.instr.payload.val();

        // The word.
        self.forms.enable.next = self.op.ready.val();
        self.forms.word.next = instr.word;
        self.forms.ra.next = instr.ra;
        self.forms.rb.next = instr.rb;
        self.mbar.enable.next = self.op.ready.val();
        self.mbar.word.next = instr.word;
        self.mbar.rb.next = instr.rb;
        self.nbar.word.next = instr.word;
        self.nbar.ra.next = instr.ra;
        // WarpSync and Elect have no instruction word.
        self.is_warp_sync.next = (instr.form == Form::WarpSync) | (instr.form == Form::Elect);
        self.is_legal.next = self.forms.legal.val() | self.mbar.legal.val() | self.nbar.legal.val() | self.is_warp_sync.val();

        // Whether the warp may execute the instruction.
        self.check.offered.next = self.instr.valid.val();
        self.check.enable.next = self.op.ready.val();
        self.check.warp.next = instr.warp;
        self.check.live.next = self.live.val();
        self.check.blocked.next = self.blocked.val();
        self.check.full.next = self.full.val();
        self.check.is_legal.next = self.is_legal.val();
        self.check.accesses_state.next = self.forms.accesses_state.val() & !self.is_warp_sync.val();
        self.check.has_lanes.next = self.lane_operands.has_lanes.val();

        // Warps with an operation in transit.
        self.in_transit.accepted_warp.valid.next = self.instr.valid.val() & self.op.ready.val();
        self.in_transit.accepted_warp.payload.next = instr.warp;
        self.in_transit.becomes_op.next = self.check.becomes_op.val();
        self.in_transit.op_done.next = self.op_done.val();
        self.in_decode.next = self.in_transit.warps.val();

        // Lanes, votes and data.
        self.lane_operands.enable.next = self.op.ready.val();
        self.lane_operands.active.next = instr.active;
        self.lane_operands.guard.next = instr.guard;
        self.lane_operands.predicate.next = instr.predicate;
        self.lane_operands.members.next = instr.members;
        self.lane_operands.address.next = instr.ra + self.mbar.offset.val();
        self.lane_operands.message.next = self.nbar.message.val();
        self.lane_operands.is_warp_sync.next = self.is_warp_sync.val();
        self.lane_operands.is_reduction.next = self.forms.is_reduction.val();
        self.lane_operands.is_nbar.next = self.nbar.is_nbar.val();
        self.lane_operands.negated.next = self.forms.negated.val();

        // The resulting operation.
        self.cta_slot.next = 0.into();
        for i in 0..LC {
            if self.warp_cta[i].val().at(instr.warp) {
                self.cta_slot.next = self.cta_slot.val().replace_bit(i, true);
            }
        }
        self.operation.enable.next = self.op.ready.val();
        self.operation.warp.next = instr.warp;
        self.operation.cta.next = self.cta_slot.val();
        self.operation.form.next = instr.form;
        self.operation.uniform.next =
            instr.uniform | !(self.forms.uses_registers.val() | self.mbar.is_mbar.val() | self.nbar.packed.val());
        self.operation.is_nbar.next = self.nbar.is_nbar.val();
        self.operation.fields_unused.next = !self.is_legal.val() | self.is_warp_sync.val();
        self.operation.form_fields.next = self.forms.fields.val();
        self.operation.mbar_fields.next = self.mbar.fields.val();
        self.operation.was_mbar.next = self.mbar.was_mbar.val();
        self.operation.illegal.next = self.check.illegal.val();
        self.operation.fault.next = self.check.fault.val();
        self.operation.lanes.next = self.lane_operands.lanes.val();
        self.operation.shared_bits.next = self.lane_operands.shared_bits.val();
        self.output_stage.has_op.next = self.check.has_op.val();
        self.output_stage.operation.next = self.operation.operation.val();
        Channel::join(&mut self.output_stage.op, &mut self.op);
    }
}
