// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An operation in its stored form: fields that no kind uses together share their bits.
//!
//! *Reads:* the fields of an operation except its warp and lanes, or their stored form. *Writes:* the other of the two. *Latency:* 0,
//! no state. A field that a kind does not use has any value (`docs/contract/bcu.md`, rules for all units), so unfolding takes almost no
//! gates: the shared bits go to every field that they may hold.

use crate::prelude::*;

/// The fields of an operation except its warp and lanes.
#[payload]
pub struct OpFields<W, LC> {
    pub request: Request<LC>,
    /// Launch, release: the CTA's warps.
    pub mask: Bits<W>,
    pub mbarrier_request: MbarrierRequest,
    /// Mbarrier: its lanes are all live lanes of the warp.
    pub all_live_lanes: Bit,
    pub destination: Destination,
}

/// The stored fields of every operation.
#[payload]
pub struct Body<LC> {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub cta: Bits<LC>,
    pub id: Bits<4>,
    pub redop: RedOp,
    pub state: StateWord,
    /// Arrivals: count, and above it 8 bits for the contribution; Read: rd, above it pu; Launch, Release: warps 31:0; others: data.
    pub shared_bits: Bits<32>,
}

/// The stored fields of an mbarrier operation alone.
#[payload]
pub struct MbarrierBody {
    pub number: Bits<21>,
    pub destination: Destination,
    pub mbarrier: MbarrierKind,
    pub phase: Bit,
    pub cluster: Bit,
    pub all_live_lanes: Bit,
}

/// An operation in its stored form.
#[payload]
pub struct Folded<W, LC> {
    pub body: Body<LC>,
    pub mbarrier_body: MbarrierBody,
    /// Launch, Release: the warps of the CTA above the lowest 32.
    pub upper_mask: Bits<W>,
}

/// Sizes as in [`LaneOp`].
#[block]
pub struct Fold<W, LC> {
    pub fields: Signal<In, OpFields<W, LC>>,
    pub folded: Signal<Out, Folded<W, LC>>,
    is_arrival: Signal<Local, Bit>,
    is_cta_op: Signal<Local, Bit>,
    request: Signal<Local, Request<LC>>,
    mask: Signal<Local, Bits<W>>,
    shared_bits: Signal<Local, Bits<32>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for Fold<W, LC> {
    fn update(&mut self) {
        self.request.next = self.fields.val().request;
        self.mask.next = self.fields.val().mask;
        self.is_arrival.next = (self.request.val().kind == OpKind::Sync)
            | (self.request.val().kind == OpKind::Arrive)
            | (self.request.val().kind == OpKind::Reduce)
            | (self.request.val().kind == OpKind::ClusterArrive)
            | (self.request.val().kind == OpKind::ClusterArriveRelaxed)
            | (self.request.val().kind == OpKind::ClusterWait);
        self.is_cta_op.next = (self.request.val().kind == OpKind::Launch) | (self.request.val().kind == OpKind::Release);

        self.folded.next.body.kind = self.request.val().kind;
        self.folded.next.body.fault = self.request.val().fault;
        self.folded.next.body.uniform = self.request.val().uniform;
        self.folded.next.body.cta = self.request.val().cta;
        self.folded.next.body.id = self.request.val().id;
        self.folded.next.body.redop = self.request.val().redop;
        self.folded.next.body.state = self.request.val().state;
        self.shared_bits.next = self.request.val().data;
        if self.is_arrival.val() {
            for j in 0..12 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(j, self.request.val().count.get_bit(j));
            }
            for k in 12..20 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(k, false);
            }
        }
        if self.request.val().kind == OpKind::Read {
            for l in 0..8 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(l, self.fields.val().destination.rd.get_bit(l));
            }
            for m in 0..3 {
                self.shared_bits.next = self.shared_bits.val().replace_bit(m + 8, self.fields.val().destination.pu.get_bit(m));
            }
        }
        if self.is_cta_op.val() {
            self.shared_bits.next = bit_cast::<32, W>(self.mask.val());
        }
        self.folded.next.body.shared_bits = self.shared_bits.val();
        self.folded.next.upper_mask = 0.into();
        for i in 32..W {
            self.folded.next.upper_mask = self.folded.val().upper_mask.replace_bit(i, self.mask.val().get_bit(i));
        }

        self.folded.next.mbarrier_body.number = 0.into();
        self.folded.next.mbarrier_body.destination.rd = 0.into();
        self.folded.next.mbarrier_body.destination.pu = 0.into();
        self.folded.next.mbarrier_body.mbarrier = MbarrierKind::Init;
        self.folded.next.mbarrier_body.phase = false;
        self.folded.next.mbarrier_body.cluster = false;
        self.folded.next.mbarrier_body.all_live_lanes = false;
        if self.has_mbarrier.val() {
            self.folded.next.mbarrier_body.number = self.fields.val().mbarrier_request.number;
            self.folded.next.mbarrier_body.destination = self.fields.val().destination;
            self.folded.next.mbarrier_body.mbarrier = self.fields.val().mbarrier_request.mbarrier;
            self.folded.next.mbarrier_body.phase = self.fields.val().mbarrier_request.phase;
            self.folded.next.mbarrier_body.cluster = self.fields.val().mbarrier_request.cluster;
            self.folded.next.mbarrier_body.all_live_lanes = self.fields.val().all_live_lanes;
        }
    }
}

/// The reverse of [`Fold`]. Sizes as in [`LaneOp`].
#[block]
pub struct Unfold<W, LC> {
    pub folded: Signal<In, Folded<W, LC>>,
    pub fields: Signal<Out, OpFields<W, LC>>,
    body: Signal<Local, Body<LC>>,
    mbarrier_body: Signal<Local, MbarrierBody>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.warps > 32))]
    has_upper_mask: Constant<Bit>,
}

#[block]
impl Logic for Unfold<W, LC> {
    fn update(&mut self) {
        self.body.next = self.folded.val().body;
        self.mbarrier_body.next = self.folded.val().mbarrier_body;
        self.fields.next.request.kind = self.body.val().kind;
        self.fields.next.request.fault = self.body.val().fault;
        self.fields.next.request.uniform = self.body.val().uniform;
        self.fields.next.request.cta = self.body.val().cta;
        self.fields.next.request.id = self.body.val().id;
        self.fields.next.request.count = self.body.val().shared_bits.get_bits::<12>(0);
        self.fields.next.request.redop = self.body.val().redop;
        self.fields.next.request.state = self.body.val().state;
        self.fields.next.request.data = self.body.val().shared_bits;
        self.fields.next.destination.rd = self.body.val().shared_bits.get_bits::<8>(0);
        self.fields.next.destination.pu = self.body.val().shared_bits.get_bits::<3>(8);
        if self.has_mbarrier.val() & (self.body.val().kind == OpKind::Mbarrier) {
            self.fields.next.destination = self.mbarrier_body.val().destination;
        }
        self.fields.next.mask = bit_cast::<W, 32>(self.body.val().shared_bits);
        if self.has_upper_mask.val() {
            self.fields.next.mask = bit_cast::<W, 32>(self.body.val().shared_bits) | self.folded.val().upper_mask;
        }
        self.fields.next.mbarrier_request.mbarrier = self.mbarrier_body.val().mbarrier;
        self.fields.next.mbarrier_request.number = self.mbarrier_body.val().number;
        self.fields.next.mbarrier_request.phase = self.mbarrier_body.val().phase;
        self.fields.next.mbarrier_request.cluster = self.mbarrier_body.val().cluster;
        self.fields.next.all_live_lanes = self.mbarrier_body.val().all_live_lanes;
    }
}
