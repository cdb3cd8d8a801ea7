// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation of the instruction in the first of the two registers of `decode`. The fields of the operation come from the word, or have
//! fixed values if the word is illegal or ignored.
//!
//! *Reads:* of the instruction that is offered, the warp, the CTA slot, the form, and whether it is an NBAR; of the instruction
//! taken last, the fields from the word, the lanes and the fault. *Writes:* the operation of the instruction taken last.
//! *Latency:* 1. Implements *Fields of the operation* in `docs/contract/decode.md`.

use super::payloads::{FormFields, MbarFields, StoredOp};
use crate::prelude::*;

/// Sizes: warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits, `L` lanes; `LD` bits, the larger of 32 and `L`,
/// for a field that holds data or one bit per lane.
#[block]
pub struct Operation<LW, LC, L, LD> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// The instruction is taken: the registers change.
    pub enable: Signal<In, Bit>,
    pub warp: Signal<In, Bits<LW>>,
    /// CTA slot of the warp.
    pub cta: Signal<In, Bits<LC>>,
    pub form: Signal<In, Form>,
    /// All executing lanes have equal operands.
    pub uniform: Signal<In, Bit>,
    /// The word is an NBAR, a message to the gateway.
    pub is_nbar: Signal<In, Bit>,
    /// The word is illegal or ignored: the operation gets fixed values instead of the fields of the word.
    pub fields_unused: Signal<In, Bit>,
    /// The fields that `forms` decodes, of the instruction taken last.
    pub form_fields: Signal<In, FormFields>,
    /// The fields of the instruction taken last, if it is an MBAR instruction.
    pub mbar_fields: Signal<In, MbarFields>,
    /// The instruction taken last is an MBAR.
    pub was_mbar: Signal<In, Bit>,
    /// The word of the instruction taken last is illegal.
    pub illegal: Signal<In, Bit>,
    /// The fault of the instruction taken last, or none.
    pub fault: Signal<In, FaultCode>,
    /// Executing lanes of the instruction taken last.
    pub lanes: Signal<In, Bits<L>>,
    /// The shared field of the instruction taken last: the votes for a Reduce, the members for a WarpSync or Elect, and the
    /// data for all others.
    pub shared_bits: Signal<In, Bits<LD>>,
    /// The operation of the instruction taken last.
    pub operation: Signal<Out, StoredOp<LW, LC, L, LD>>,
    warp_q: DFF<Bits<LW>>,
    cta_q: DFF<Bits<LC>>,
    form_q: DFF<Form>,
    uniform_q: DFF<Bit>,
    was_nbar: DFF<Bit>,
    fields_unused_q: DFF<Bit>,
}

#[block]
impl Logic for Operation {
    fn update(&mut self) {
        let form_fields = self.form_fields.val();
        let mbar_fields = self.mbar_fields.val();
        if self.enable.val() {
            self.warp_q.d.next = self.warp.val();
            self.cta_q.d.next = self.cta.val();
            self.form_q.d.next = self.form.val();
            self.uniform_q.d.next = self.uniform.val();
            self.was_nbar.d.next = self.is_nbar.val();
            self.fields_unused_q.d.next = self.fields_unused.val();
        }

        // The fields from the word: the fields that `forms` decodes. The fields of an MBAR or NBAR, or fixed values, replace them.
        self.operation.next.kind = form_fields.kind;
        self.operation.next.redop = form_fields.redop;
        self.operation.next.state = form_fields.state;
        self.operation.next.destination = form_fields.destination;
        self.operation.next.id = form_fields.id;
        self.operation.next.uniform = self.uniform_q.q.val();
        self.operation.next.mbarrier_request = mbar_fields.request;
        self.operation.next.mbarrier_request.number = mbar_fields.request.number | bit_cast::<21, 12>(form_fields.count);
        self.operation.next.release = mbar_fields.release;
        if self.was_mbar.val() {
            self.operation.next.kind = OpKind::Mbarrier;
            self.operation.next.redop = RedOp::Popc;
            self.operation.next.destination = mbar_fields.destination;
        }
        if self.was_nbar.q.val() {
            self.operation.next.kind = OpKind::Gateway;
        }
        if self.fields_unused_q.q.val() {
            self.operation.next.kind = OpKind::Sync;
            self.operation.next.id = 0.into();
            self.operation.next.uniform = true;
            self.operation.next.mbarrier_request.number = 0.into();
        }
        self.operation.next.form = self.form_q.q.val();
        if self.illegal.val() {
            self.operation.next.form = Form::Raw;
        }
        self.operation.next.fault = self.fault.val();
        self.operation.next.cta = self.cta_q.q.val();
        self.operation.next.warp = self.warp_q.q.val();
        self.operation.next.lanes = self.lanes.val();
        self.operation.next.shared_bits = self.shared_bits.val();
    }
}
