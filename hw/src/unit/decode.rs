// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From instruction word to operation: which barrier, which count, and whether the warp may do this at all.
//!
//! *Reads:* the instruction channel; who is live, who is blocked, each warp's CTA slot; whose operation has settled. *Writes:* the operation
//! channel, from a queue of two; `front`, `holding`. *Latency:* 1 from instruction to operation.
//!
//! What the word says is found in `forms`, `mbar_forms` and `nbar_forms`; here stands who may say it. Implements issue in spec 001, and the exact rules of
//! `docs/interface.md`.

use super::forms::Forms;
use super::mbar_forms::MbarForms;
use super::nbar_forms::NbarForms;
use crate::prelude::*;

/// `W = 2^LW` warps of `L` lanes, `LC` bits of CTA slot.
#[block(unit = "decode")]
pub struct Decode<W, LW, LC, L> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("instruction")]
    pub instr: Sink<Instruction<LW, L>>,
    /// Warps launched and not exited.
    #[group("warps")]
    pub live: Signal<In, Bits<W>>,
    /// Warps that may not issue.
    pub blocked: Signal<In, Bits<W>>,
    /// Warps that may not even read or write state.
    pub full: Signal<In, Bits<W>>,
    /// Warps whose operation has ended, is parked or has its effects.
    pub settled: Signal<In, Bits<W>>,
    /// One bit of every warp's CTA slot.
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    #[group("operation")]
    pub op: Source<DecodedOp<LW, LC, L>>,
    /// Warps whose operation is on its way.
    pub front: Signal<Out, Bits<W>>,
    /// Warps whose fence, or arrival that waits, for the whole warp is on its way.
    pub holding: Signal<Out, Bits<W>>,
    #[init(Forms::new(config))]
    forms: Forms<LC>,
    #[built(config.has_mbarrier())]
    mbar: MbarForms,
    #[built(config.has_gateway())]
    nbar: NbarForms,
    queue: Queue<Packed<DecodedOp<LW, LC, L>>, 2>,
    ready: DFF<Bit>,
    #[reset]
    on_way: DFF<Bits<W>>,
    #[reset]
    held: DFF<Bits<W>>,
    among: Signal<Local, Bit>,
    stops: Signal<Local, Bit>,
    executing: Signal<Local, Bits<L>>,
    votes: Signal<Local, Bits<L>>,
    cta: Signal<Local, Bits<LC>>,
    moves: Signal<Local, Bit>,
    /// Any executing lane stands for the whole warp.
    raw: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    operation: Signal<Local, DecodedOp<LW, LC, L>>,
    no_word: Constant<InstructionWord>,
    push_mask: Signal<Local, Bits<W>>,
    hold_mask: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for Decode<W, LW, LC, L> {
    fn update(&mut self) {
        // Lanes that wait for each other come without a word: 0 is no form, so every field is unused.
        self.among.next = (self.instr.payload.val().form == Form::WarpSync) | (self.instr.payload.val().form == Form::Elect);
        self.forms.word.next = self.instr.payload.val().word;
        if self.among.val() {
            self.forms.word.next = self.no_word.val();
        }
        self.mbar.word.next = self.forms.word.val();
        self.mbar.ra.next = self.instr.payload.val().ra;
        self.mbar.rb.next = self.instr.payload.val().rb;
        self.nbar.word.next = self.forms.word.val();
        self.nbar.ra.next = self.instr.payload.val().ra;
        self.forms.ra.next = self.instr.payload.val().ra;
        self.forms.rb.next = self.instr.payload.val().rb;
        self.forms.registers_uniform.next = self.instr.payload.val().uniform;

        // The operation.
        self.executing.next = self.instr.payload.val().active & self.instr.payload.val().guard;
        self.votes.next = 0.into();
        if self.forms.request.val().kind == OpKind::Reduce {
            self.votes.next = self.executing.val() & self.instr.payload.val().predicate;
            if self.forms.negated.val() {
                self.votes.next = self.executing.val() & !self.instr.payload.val().predicate;
            }
        }
        if self.mbar.legal.val() {
            self.votes.next = self.executing.val();
        }
        self.cta.next = 0.into();
        for i in 0..LC {
            if self.warp_cta[i].val().at(self.instr.payload.val().warp) {
                self.cta.next = self.cta.val().replace_bit(i, true);
            }
        }
        self.operation.next.request = self.forms.request.val();
        self.operation.next.destination = self.forms.destination.val();
        if self.mbar.legal.val() {
            self.operation.next.request.kind = OpKind::Mbarrier;
            self.operation.next.request.uniform = self.instr.payload.val().uniform;
            self.operation.next.request.redop = RedOp::Popc;
            self.operation.next.request.data = self.mbar.address.val();
            self.operation.next.destination = self.mbar.destination.val();
        }
        if self.nbar.legal.val() {
            self.operation.next.request.kind = OpKind::Gateway;
            self.operation.next.request.uniform = self.instr.payload.val().uniform | !self.nbar.packed.val();
            self.operation.next.request.data = self.nbar.message.val();
        }
        self.operation.next.request.cta = self.cta.val();
        self.operation.next.mbarrier_request = self.mbar.request.val();
        self.operation.next.release = self.mbar.release.val();
        self.operation.next.warp = self.instr.payload.val().warp;
        self.operation.next.lane_set.lanes = self.executing.val();
        self.operation.next.lane_set.votes = self.votes.val();
        self.moves.next = (self.forms.request.val().kind == OpKind::Read) | (self.forms.request.val().kind == OpKind::Write);
        self.raw.next = self.moves.val()
            | (self.forms.request.val().kind == OpKind::Fence)
            | (self.forms.request.val().kind == OpKind::GridLaunch)
            | (self.forms.request.val().kind == OpKind::GridWait);
        self.operation.next.lane_set.form = Form::Raw;
        if self.among.val() | (self.forms.legal.val() & !self.raw.val()) {
            self.operation.next.lane_set.form = self.instr.payload.val().form;
        }
        self.operation.next.lane_set.members = 0.into();
        if self.among.val() {
            self.operation.next.lane_set.members = self.instr.payload.val().members;
        }

        // May the warp do this; the last assignment wins, so the causes stand in reverse order of precedence.
        if !self.forms.legal.val() & !self.mbar.legal.val() & !self.nbar.legal.val() & !self.among.val() {
            self.operation.next.request.fault = FaultCode::IllegalInstruction;
        }
        self.stops.next = self.blocked.val().at(self.instr.payload.val().warp);
        if self.moves.val() {
            self.stops.next = self.full.val().at(self.instr.payload.val().warp);
        }
        if self.stops.val() {
            self.operation.next.request.fault = FaultCode::WarpBlocked;
        }
        if !self.live.val().at(self.instr.payload.val().warp) {
            self.operation.next.request.fault = FaultCode::NotResident;
        }

        // The queue.
        self.accept.next = self.instr.valid.val() & self.ready.q.val();
        self.queue.push.next =
            self.accept.val() & (self.executing.val().any() | (self.operation.val().request.fault != FaultCode::None));
        self.queue.pop.next = self.queue.valid.val() & self.op.ready.val();
        self.queue.data.next = self.operation.val().into();
        self.ready.d.next = !self.queue.used_next.val().get_bit(1);

        // Whose operation is under way, and whose wait.
        self.push_mask.next = 0.into();
        if self.queue.push.val() {
            self.push_mask.next = self.push_mask.val().with(self.instr.payload.val().warp, true);
        }
        self.hold_mask.next = 0.into();
        if ((self.operation.val().request.kind == OpKind::Sync)
            | (self.operation.val().request.kind == OpKind::Reduce)
            | (self.operation.val().request.kind == OpKind::Fence)
            | (self.operation.val().request.kind == OpKind::ClusterWait)
            | (self.operation.val().request.kind == OpKind::GridWait)
            | (self.mbar.request.val().mbarrier == MbarrierKind::TryWait)
            | self.nbar.waits.val())
            & ((self.operation.val().lane_set.form == Form::Raw) | (self.operation.val().lane_set.form == Form::Aligned))
            & (self.operation.val().request.fault == FaultCode::None)
        {
            self.hold_mask.next = self.push_mask.val();
        }
        self.on_way.d.next = (self.on_way.q.val() & !self.settled.val()) | self.push_mask.val();
        self.held.d.next = (self.held.q.val() & !self.settled.val()) | self.hold_mask.val();

        self.instr.ready.next = self.ready.q.val();
        self.op.valid.next = self.queue.valid.val();
        self.op.payload.next = self.queue.head.val().into();
        self.front.next = self.on_way.q.val();
        self.holding.next = self.held.q.val();
    }
}
