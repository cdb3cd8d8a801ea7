// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Turns an instruction word into an operation: its barrier, its count, and whether the warp may execute it.
//!
//! *Reads:* the instruction, in cycles in which `op_ready` is 1; which warps are live and which are blocked, the CTA slot of each
//! warp; which warps' operations are done. *Writes:* the operation channel; `in_decode`. *Latency:* 2 from instruction to
//! operation.
//!
//! A warp may issue in a cycle in which it is not blocked, and the offer then holds until it is taken: so whether the warp is
//! blocked is sampled in the first cycle of the offer.
//!
//! Two registers in series, which move together when `op_ready` is 1; there is no queue. `forms`, `mbar_forms` and `nbar_forms`
//! decode the word; this block decides whether the warp may execute it. The warp is looked up before the first register; between
//! the registers the instruction is checked and becomes an operation. Fields that no kind of operation uses together share their
//! storage. Implements issue in spec 001, and the exact rules of `docs/contract/decode.md`.

use super::forms::Forms;
use super::mbar_forms::MbarForms;
use super::nbar_forms::NbarForms;
use crate::prelude::*;

/// The operation in the second register; fields that no kind uses together share their bits.
#[payload]
pub struct StoredOp<LW, LC, L, LD> {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub cta: Bits<LC>,
    pub id: Bits<4>,
    pub redop: RedOp,
    pub state: StateWord,
    pub form: Form,
    pub warp: Bits<LW>,
    pub lanes: Bits<L>,
    /// Votes of a Reduce, members of a WarpSync or Elect, data of all others.
    pub shared_bits: Bits<LD>,
    /// The mbarrier fields; `number` also holds the count of an arrival.
    pub mbarrier_request: MbarrierRequest,
    pub release: Bit,
    pub destination: Destination,
}

/// `W` warps of `LW` bits, `L` lanes, `LC` bits of CTA slot; `LD` bits hold data, or one for each lane.
#[block(unit = "decode")]
pub struct Decode<W, LW, LC, L, LD> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Taken in a cycle in which `op_ready` is 1.
    #[group("instruction")]
    pub instr: StrobeIn<Instruction<LW, L>>,
    /// Launched warps that have not exited.
    #[group("warps")]
    pub live: Signal<In, Bits<W>>,
    /// Warps whose instructions are refused; B2R, B2R_RESULT and R2B are refused if the warp is in `full`.
    pub blocked: Signal<In, Bits<W>>,
    /// Warps that must not even read or write state (B2R, B2R_RESULT, R2B).
    pub full: Signal<In, Bits<W>>,
    /// One cycle: warps whose operation is absorbed by `gather`, is parked or takes effect.
    pub op_done: Signal<In, Bits<W>>,
    /// One bit of the CTA slot of each warp.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    #[group("operation")]
    pub op: Source<DecodedOp<LW, LC, L>>,
    /// Warps with an operation in transit, from this unit until it is parked or takes effect.
    pub in_decode: Signal<Out, Bits<W>>,
    #[init(Forms::new(config))]
    forms: Forms,
    #[built(config.has_mbarrier())]
    mbar: MbarForms,
    #[built(config.has_gateway())]
    nbar: NbarForms,
    /// `in_decode` without the instruction that was taken in the last cycle.
    #[reset]
    earlier_in_transit: DFF<Bits<W>>,
    /// Form WarpSync or Elect: the word is ignored.
    is_warp_sync: Signal<Local, Bit>,
    /// The word is legal, or ignored.
    legal: Signal<Local, Bit>,
    /// The warp is not live.
    absent: Signal<Local, Bit>,
    /// The warp was blocked in the first cycle of the offer.
    offer_blocked: Signal<Local, Bit>,
    /// The warp was in `full` in the first cycle of the offer.
    offer_full: Signal<Local, Bit>,
    /// An instruction was offered in the cycle before and not taken.
    #[reset]
    offer_holds: DFF<Bit>,
    /// `offer_blocked` of the cycle before.
    offer_blocked_q: DFF<Bit>,
    /// `offer_full` of the cycle before.
    offer_full_q: DFF<Bit>,
    /// The instruction in the first register has the fault `warp_blocked`.
    refused: Signal<Local, Bit>,
    /// Executing lanes: active, and the guard is true.
    executing: Signal<Local, Bits<L>>,
    /// An instruction is taken.
    instr_taken: Signal<Local, Bit>,
    /// The instruction in the first register becomes an operation.
    becomes_op: Signal<Local, Bit>,
    /// Row of four warps with the warp of the instruction taken last, one-hot.
    warp_row_q: DFF<Bits<W>>,
    /// Column of that warp in its row, one-hot; 0 if no instruction was taken in the last cycle.
    #[reset]
    warp_column_q: DFF<Bits<4>>,
    row_number: Signal<Local, Bits<LW>>,
    column_number: Signal<Local, Bits<2>>,
    warp_row: Signal<Local, Bits<W>>,
    warp_column: Signal<Local, Bits<4>>,
    no_column: Constant<Bits<4>>,
    /// Warps with an operation in transit.
    in_transit: Signal<Local, Bits<W>>,
    no_warp: Constant<Bits<W>>,
    /// The first register has an instruction.
    #[reset]
    has_instr: DFF<Bit>,
    /// The warp of that instruction is not live.
    not_live: DFF<Bit>,
    /// A lane executes the instruction, or its warp is not live.
    any_lane: DFF<Bit>,
    /// The warp of that instruction was blocked in the first cycle of the offer.
    is_blocked: DFF<Bit>,
    /// The warp of that instruction was in `full` in the first cycle of the offer.
    is_full: DFF<Bit>,
    /// The instruction reads or writes state: B2R, B2R_RESULT or R2B.
    accesses_state: DFF<Bit>,
    /// The word of that instruction is illegal.
    illegal: DFF<Bit>,
    /// The word of that instruction is illegal or ignored: its fields are treated as unused.
    fields_unused: DFF<Bit>,
    /// The instruction is an NBAR, a message to the gateway.
    is_nbar: DFF<Bit>,
    uniform: DFF<Bit>,
    warp: DFF<Bits<LW>>,
    cta: DFF<Bits<LC>>,
    form: DFF<Form>,
    lanes: DFF<Bits<L>>,
    /// Votes of a Reduce, else 0.
    votes: DFF<Bits<L>>,
    /// 0 for a Reduce; members of a WarpSync or Elect; data of all others.
    data: DFF<Bits<LD>>,
    /// Address of an MBAR, or the state word of an R2B.
    address: Signal<Local, Bits<32>>,
    /// CTA slot of the warp.
    cta_slot: Signal<Local, Bits<LC>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    /// The operation that the instruction in the first register becomes.
    operation: Signal<Local, StoredOp<LW, LC, L, LD>>,
    /// The second register has an operation.
    #[reset]
    offered: DFF<Bit>,
    /// The second register.
    op_q: DFF<StoredOp<LW, LC, L, LD>>,
}

#[block]
impl Logic for Decode<W, LW, LC, L, LD> {
    fn update(&mut self) {
        self.forms.enable.next = self.op.ready.val();
        self.forms.word.next = self.instr.payload.val().word;
        self.forms.ra.next = self.instr.payload.val().ra;
        self.forms.rb.next = self.instr.payload.val().rb;
        self.mbar.enable.next = self.op.ready.val();
        self.mbar.word.next = self.instr.payload.val().word;
        self.mbar.rb.next = self.instr.payload.val().rb;
        self.nbar.word.next = self.instr.payload.val().word;
        self.nbar.ra.next = self.instr.payload.val().ra;

        // Whether the warp may execute the instruction. WarpSync and Elect have no instruction word.
        self.is_warp_sync.next =
            (self.instr.payload.val().form == Form::WarpSync) | (self.instr.payload.val().form == Form::Elect);
        self.legal.next = self.forms.legal.val() | self.mbar.legal.val() | self.nbar.legal.val() | self.is_warp_sync.val();
        self.absent.next = !self.live.val().at(self.instr.payload.val().warp);
        self.offer_blocked.next = self.blocked.val().at(self.instr.payload.val().warp);
        self.offer_full.next = self.full.val().at(self.instr.payload.val().warp);
        if self.offer_holds.q.val() {
            self.offer_blocked.next = self.offer_blocked_q.q.val();
            self.offer_full.next = self.offer_full_q.q.val();
        }
        self.offer_holds.d.next = self.instr.valid.val() & !self.op.ready.val();
        self.offer_blocked_q.d.next = self.offer_blocked.val();
        self.offer_full_q.d.next = self.offer_full.val();
        self.executing.next = self.instr.payload.val().active & self.instr.payload.val().guard;
        self.instr_taken.next = self.instr.valid.val() & self.op.ready.val();

        // Warps with an operation in transit. The warp of an instruction is marked from registers, one cycle after the instruction
        // was taken; the mask is built by rows of four warps.
        self.row_number.next = self.instr.payload.val().warp >> 2;
        self.column_number.next = self.instr.payload.val().warp.get_bits::<2>(0);
        self.warp_row.next = self.no_warp.val().with(self.row_number.val(), true);
        self.warp_column.next = 0.into();
        if self.instr_taken.val() {
            self.warp_column.next = self.no_column.val().with(self.column_number.val(), true);
        }
        self.warp_column_q.d.next = self.warp_column.val();
        self.warp_row_q.d.next = self.warp_row.val();
        self.refused.next = self.is_blocked.q.val();
        if self.accesses_state.q.val() & !self.illegal.q.val() {
            self.refused.next = self.is_full.q.val();
        }
        self.becomes_op.next = self.any_lane.q.val() | self.illegal.q.val() | self.refused.val();
        self.in_transit.next = self.earlier_in_transit.q.val();
        for i in 0..((W + 3) / 4) {
            if self.warp_row_q.q.val().get_bit(i) & (self.warp_column_q.q.val().get_bit(0) & self.becomes_op.val()) {
                self.in_transit.next = self.in_transit.val().replace_bit(4 * i, true);
            }
        }
        for j in 0..((W + 2) / 4) {
            if self.warp_row_q.q.val().get_bit(j) & (self.warp_column_q.q.val().get_bit(1) & self.becomes_op.val()) {
                self.in_transit.next = self.in_transit.val().replace_bit(4 * j + 1, true);
            }
        }
        for k in 0..((W + 1) / 4) {
            if self.warp_row_q.q.val().get_bit(k) & (self.warp_column_q.q.val().get_bit(2) & self.becomes_op.val()) {
                self.in_transit.next = self.in_transit.val().replace_bit(4 * k + 2, true);
            }
        }
        for l in 0..((W + 0) / 4) {
            if self.warp_row_q.q.val().get_bit(l) & (self.warp_column_q.q.val().get_bit(3) & self.becomes_op.val()) {
                self.in_transit.next = self.in_transit.val().replace_bit(4 * l + 3, true);
            }
        }
        self.earlier_in_transit.d.next = self.in_transit.val() & !self.op_done.val();

        // The first register.
        self.cta_slot.next = 0.into();
        for i in 0..LC {
            if self.warp_cta[i].val().at(self.instr.payload.val().warp) {
                self.cta_slot.next = self.cta_slot.val().replace_bit(i, true);
            }
        }
        self.address.next = self.instr.payload.val().ra + self.mbar.offset.val();
        if self.op.ready.val() {
            self.has_instr.d.next = self.instr.valid.val();
            self.not_live.d.next = self.absent.val();
            self.any_lane.d.next = self.executing.val().any() | self.absent.val();
            self.is_blocked.d.next = self.offer_blocked.val();
            self.is_full.d.next = self.offer_full.val();
            self.accesses_state.d.next = self.forms.accesses_state.val() & !self.is_warp_sync.val();
            self.illegal.d.next = !self.legal.val();
            self.fields_unused.d.next = !self.legal.val() | self.is_warp_sync.val();
            self.is_nbar.d.next = self.nbar.is_nbar.val();
            self.uniform.d.next = self.instr.payload.val().uniform
                | !(self.forms.uses_registers.val() | self.mbar.is_mbar.val() | self.nbar.packed.val());
            self.warp.d.next = self.instr.payload.val().warp;
            self.cta.d.next = self.cta_slot.val();
            self.form.d.next = self.instr.payload.val().form;
            self.lanes.d.next = self.executing.val();
            self.votes.d.next = self.executing.val() & self.instr.payload.val().predicate;
            if self.forms.negated.val() {
                self.votes.d.next = self.executing.val() & !self.instr.payload.val().predicate;
            }
            if !self.forms.is_reduction.val() | self.is_warp_sync.val() {
                self.votes.d.next = 0.into();
            }
            self.data.d.next = bit_cast::<LD, 32>(self.address.val());
            if self.nbar.is_nbar.val() {
                self.data.d.next = bit_cast::<LD, 32>(self.nbar.message.val());
            }
            if self.forms.is_reduction.val() {
                self.data.d.next = 0.into();
            }
            if self.is_warp_sync.val() {
                self.data.d.next = bit_cast::<LD, L>(self.instr.payload.val().members);
            }
        }

        // The resulting operation; the last assignment of the fault wins, so the causes are in reverse order of precedence.
        self.operation.next.kind = self.forms.kind.val();
        self.operation.next.redop = self.forms.redop.val();
        self.operation.next.state = self.forms.state.val();
        self.operation.next.destination = self.forms.destination.val();
        self.operation.next.id = self.forms.id.val();
        self.operation.next.uniform = self.uniform.q.val();
        self.operation.next.mbarrier_request = self.mbar.request.val();
        self.operation.next.mbarrier_request.number =
            self.mbar.request.val().number | bit_cast::<21, 12>(self.forms.count.val());
        self.operation.next.release = self.mbar.release.val();
        self.operation.next.form = self.form.q.val();
        if self.mbar.was_mbar.val() {
            self.operation.next.kind = OpKind::Mbarrier;
            self.operation.next.redop = RedOp::Popc;
            self.operation.next.destination = self.mbar.destination.val();
        }
        if self.is_nbar.q.val() {
            self.operation.next.kind = OpKind::Gateway;
        }
        if self.fields_unused.q.val() {
            self.operation.next.kind = OpKind::Sync;
            self.operation.next.id = 0.into();
            self.operation.next.uniform = true;
            self.operation.next.mbarrier_request.number = 0.into();
        }
        self.operation.next.fault = FaultCode::None;
        if self.illegal.q.val() {
            self.operation.next.form = Form::Raw;
            self.operation.next.fault = FaultCode::IllegalInstruction;
        }
        if self.refused.val() {
            self.operation.next.fault = FaultCode::WarpBlocked;
        }
        if self.not_live.q.val() {
            self.operation.next.fault = FaultCode::NotResident;
        }
        self.operation.next.cta = self.cta.q.val();
        self.operation.next.warp = self.warp.q.val();
        self.operation.next.lanes = self.lanes.q.val();
        self.operation.next.shared_bits = self.data.q.val() | bit_cast::<LD, L>(self.votes.q.val());

        // The second register.
        if self.op.ready.val() {
            self.offered.d.next = self.has_instr.q.val() & self.becomes_op.val();
            self.op_q.d.next = self.operation.val();
        }
        self.op.valid.next = self.offered.q.val();
        self.op.payload.next.request.kind = self.op_q.q.val().kind;
        self.op.payload.next.request.fault = self.op_q.q.val().fault;
        self.op.payload.next.request.uniform = self.op_q.q.val().uniform;
        self.op.payload.next.request.cta = self.op_q.q.val().cta;
        self.op.payload.next.request.id = self.op_q.q.val().id;
        self.op.payload.next.request.count = bit_cast::<12, 21>(self.op_q.q.val().mbarrier_request.number);
        self.op.payload.next.request.redop = self.op_q.q.val().redop;
        self.op.payload.next.request.state = self.op_q.q.val().state;
        self.op.payload.next.request.data = bit_cast::<32, LD>(self.op_q.q.val().shared_bits);
        self.op.payload.next.warp = self.op_q.q.val().warp;
        self.op.payload.next.lane_set.form = self.op_q.q.val().form;
        self.op.payload.next.lane_set.lanes = self.op_q.q.val().lanes;
        self.op.payload.next.lane_set.votes = bit_cast::<L, LD>(self.op_q.q.val().shared_bits);
        if self.has_mbarrier.val() & (self.op_q.q.val().kind == OpKind::Mbarrier) {
            self.op.payload.next.lane_set.votes = self.op_q.q.val().lanes;
        }
        self.op.payload.next.lane_set.members = bit_cast::<L, LD>(self.op_q.q.val().shared_bits);
        self.op.payload.next.mbarrier_request = self.op_q.q.val().mbarrier_request;
        self.op.payload.next.release = self.op_q.q.val().release;
        self.op.payload.next.destination = self.op_q.q.val().destination;
        self.in_decode.next = self.in_transit.val();
    }
}
