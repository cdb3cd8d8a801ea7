// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts an operation to its stored form and back. In the stored form two fields share their bits if no kind of operation uses
//! both.

use super::folded::{Folded, OpFields};
use crate::prelude::*;

/// Converts an operation to its stored form, in which two fields share their bits if no kind of operation uses both.
///
/// *Reads:* the fields of an operation except its warp and lanes. *Writes:* the stored form. *Latency:* 0, no state. Implements no clause
/// of the documents: the form saves registers and memory. The block `unfold` converts the operation back.
///
/// Sizes: `W` warps, CTA slot numbers of `LC` bits.
#[block]
pub struct Fold<W, LC> {
    pub fields: Signal<In, OpFields<W, LC>>,
    pub folded: Signal<Out, Folded<W, LC>>,
    is_arrival: Signal<Local, Bit>,
    is_cta_op: Signal<Local, Bit>,
    shared_bits: Signal<Local, Bits<32>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for Fold {
    fn update(&mut self) {
        let request = self.fields.val().request;
        let mask = self.fields.val().mask;
        let mbarrier_request = self.fields.val().mbarrier_request;
        self.is_arrival.next = (request.kind == OpKind::Sync)
            | (request.kind == OpKind::Arrive)
            | (request.kind == OpKind::Reduce)
            | (request.kind == OpKind::ClusterArrive)
            | (request.kind == OpKind::ClusterArriveRelaxed)
            | (request.kind == OpKind::ClusterWait);
        self.is_cta_op.next = (request.kind == OpKind::Launch) | (request.kind == OpKind::Release);

        self.folded.next.body.kind = request.kind;
        self.folded.next.body.fault = request.fault;
        self.folded.next.body.uniform = request.uniform;
        self.folded.next.body.cta = request.cta;
        self.folded.next.body.id = request.id;
        self.folded.next.body.redop = request.redop;
        self.folded.next.body.state = request.state;

        // The shared bits. For arrivals the bits of the contribution to a reduction are 0 here; `gather` inserts the
        // contribution in its `outgoing_op`.
        self.shared_bits.next = request.data;
        if self.is_arrival.val() {
            for j in 0..12 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(j, request.count.get_bit(j));
            }
            for k in 12..20 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(k, false);
            }
        }
        if request.kind == OpKind::Read {
            for l in 0..8 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(l, self.fields.val().destination.rd.get_bit(l));
            }
            for m in 0..3 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(m + 8, self.fields.val().destination.pu.get_bit(m));
            }
        }
        if self.is_cta_op.val() {
            self.shared_bits.next = bit_cast::<32, W>(mask);
        }
        self.folded.next.body.shared_bits = self.shared_bits.val();

        // Warp slots that do not fit into the 32 shared bits.
        self.folded.next.upper_mask = 0.into();
        for i in 32..W {
            self.folded.next.upper_mask = self.folded.val().upper_mask.replace_bit(i, mask.get_bit(i));
        }

        self.folded.next.mbarrier_body.number = 0.into();
        self.folded.next.mbarrier_body.destination.rd = 0.into();
        self.folded.next.mbarrier_body.destination.pu = 0.into();
        self.folded.next.mbarrier_body.mbarrier = MbarrierKind::Init;
        self.folded.next.mbarrier_body.phase = false;
        self.folded.next.mbarrier_body.cluster = false;
        self.folded.next.mbarrier_body.all_live_lanes = false;
        if self.has_mbarrier.val() {
            self.folded.next.mbarrier_body.number = mbarrier_request.number;
            self.folded.next.mbarrier_body.destination = self.fields.val().destination;
            self.folded.next.mbarrier_body.mbarrier = mbarrier_request.mbarrier;
            self.folded.next.mbarrier_body.phase = mbarrier_request.phase;
            self.folded.next.mbarrier_body.cluster = mbarrier_request.cluster;
            self.folded.next.mbarrier_body.all_live_lanes = self.fields.val().all_live_lanes;
        }
    }
}

/// Converts an operation from its stored form, in which two fields share their bits if no kind of operation uses both, back to its fields.
///
/// *Reads:* the stored form that the block `fold` has made. *Writes:* the fields of the operation except its warp and lanes. *Latency:* 0,
/// no state. A field that a kind does not use has any value (`docs/contract/bcu.md`, rules for all units), so the block takes almost no
/// gates: it connects the shared bits to every field that they may hold.
///
/// Sizes: `W` warps, CTA slot numbers of `LC` bits.
#[block]
pub struct Unfold<W, LC> {
    pub folded: Signal<In, Folded<W, LC>>,
    pub fields: Signal<Out, OpFields<W, LC>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.warps > 32))]
    has_upper_mask: Constant<Bit>,
}

#[block]
impl Logic for Unfold {
    fn update(&mut self) {
        let body = self.folded.val().body;
        let mbarrier_body = self.folded.val().mbarrier_body;
        self.fields.next.request.kind = body.kind;
        self.fields.next.request.fault = body.fault;
        self.fields.next.request.uniform = body.uniform;
        self.fields.next.request.cta = body.cta;
        self.fields.next.request.id = body.id;
        self.fields.next.request.count = body.shared_bits.get_bits::<12>(0);
        self.fields.next.request.redop = body.redop;
        self.fields.next.request.state = body.state;
        self.fields.next.request.data = body.shared_bits;
        self.fields.next.destination.rd = body.shared_bits.get_bits::<8>(0);
        self.fields.next.destination.pu = body.shared_bits.get_bits::<3>(8);
        if self.has_mbarrier.val() & (body.kind == OpKind::Mbarrier) {
            self.fields.next.destination = mbarrier_body.destination;
        }
        self.fields.next.mask = bit_cast::<W, 32>(body.shared_bits);
        if self.has_upper_mask.val() {
            self.fields.next.mask = bit_cast::<W, 32>(body.shared_bits) | self.folded.val().upper_mask;
        }
        self.fields.next.mbarrier_request.mbarrier = mbarrier_body.mbarrier;
        self.fields.next.mbarrier_request.number = mbarrier_body.number;
        self.fields.next.mbarrier_request.phase = mbarrier_body.phase;
        self.fields.next.mbarrier_request.cluster = mbarrier_body.cluster;
        self.fields.next.all_live_lanes = mbarrier_body.all_live_lanes;
    }
}
