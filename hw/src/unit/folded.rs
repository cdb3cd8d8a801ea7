// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An operation in its stored form: fields that no kind uses together share their bits.
//!
//! *Reads:* the fields of an operation but its warp and lanes. *Writes:* the same with shared bits. *Latency:* 0, no state. A
//! field that a kind does not use has any value (`docs/contract/bcu.md`, rules for all units), so the reverse needs no gates: the
//! shared bits go to every field that they may hold.

use crate::prelude::*;

/// The fields of an operation but its warp and lanes.
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
    pub wide: Bits<32>,
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
    pub of_mbarrier: MbarrierBody,
    /// Launch, Release: the warps of the CTA above the lowest 32.
    pub high: Bits<W>,
}

/// Sizes as in [`LaneOp`].
#[block]
pub struct Fold<W, LC> {
    pub fields: Signal<In, OpFields<W, LC>>,
    pub folded: Signal<Out, Folded<W, LC>>,
    arrival: Signal<Local, Bit>,
    of_cta: Signal<Local, Bit>,
    request: Signal<Local, Request<LC>>,
    mask: Signal<Local, Bits<W>>,
    wide: Signal<Local, Bits<32>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for Fold<W, LC> {
    fn update(&mut self) {
        self.request.next = self.fields.val().request;
        self.mask.next = self.fields.val().mask;
        self.arrival.next = (self.request.val().kind == OpKind::Sync)
            | (self.request.val().kind == OpKind::Arrive)
            | (self.request.val().kind == OpKind::Reduce)
            | (self.request.val().kind == OpKind::ClusterArrive)
            | (self.request.val().kind == OpKind::ClusterArriveRelaxed)
            | (self.request.val().kind == OpKind::ClusterWait);
        self.of_cta.next = (self.request.val().kind == OpKind::Launch) | (self.request.val().kind == OpKind::Release);

        self.folded.next.body.kind = self.request.val().kind;
        self.folded.next.body.fault = self.request.val().fault;
        self.folded.next.body.uniform = self.request.val().uniform;
        self.folded.next.body.cta = self.request.val().cta;
        self.folded.next.body.id = self.request.val().id;
        self.folded.next.body.redop = self.request.val().redop;
        self.folded.next.body.state = self.request.val().state;
        self.wide.next = self.request.val().data;
        if self.arrival.val() {
            for j in 0..12 {
                self.wide.next = self.wide.val().replace_bit(j, self.request.val().count.get_bit(j));
            }
            for k in 12..20 {
                self.wide.next = self.wide.val().replace_bit(k, false);
            }
        }
        if self.request.val().kind == OpKind::Read {
            for l in 0..8 {
                self.wide.next = self.wide.val().replace_bit(l, self.fields.val().destination.rd.get_bit(l));
            }
            for m in 0..3 {
                self.wide.next = self.wide.val().replace_bit(m + 8, self.fields.val().destination.pu.get_bit(m));
            }
        }
        if self.of_cta.val() {
            self.wide.next = bit_cast::<32, W>(self.mask.val());
        }
        self.folded.next.body.wide = self.wide.val();
        self.folded.next.high = 0.into();
        for i in 32..W {
            self.folded.next.high = self.folded.val().high.replace_bit(i, self.mask.val().get_bit(i));
        }

        self.folded.next.of_mbarrier.number = 0.into();
        self.folded.next.of_mbarrier.destination.rd = 0.into();
        self.folded.next.of_mbarrier.destination.pu = 0.into();
        self.folded.next.of_mbarrier.mbarrier = MbarrierKind::Init;
        self.folded.next.of_mbarrier.phase = false;
        self.folded.next.of_mbarrier.cluster = false;
        self.folded.next.of_mbarrier.all_live_lanes = false;
        if self.has_mbarrier.val() {
            self.folded.next.of_mbarrier.number = self.fields.val().mbarrier_request.number;
            self.folded.next.of_mbarrier.destination = self.fields.val().destination;
            self.folded.next.of_mbarrier.mbarrier = self.fields.val().mbarrier_request.mbarrier;
            self.folded.next.of_mbarrier.phase = self.fields.val().mbarrier_request.phase;
            self.folded.next.of_mbarrier.cluster = self.fields.val().mbarrier_request.cluster;
            self.folded.next.of_mbarrier.all_live_lanes = self.fields.val().all_live_lanes;
        }
    }
}

/// The reverse of [`Fold`]. Sizes as in [`LaneOp`].
#[block]
pub struct Unfold<W, LC> {
    pub folded: Signal<In, Folded<W, LC>>,
    pub fields: Signal<Out, OpFields<W, LC>>,
    body: Signal<Local, Body<LC>>,
    of_mbarrier: Signal<Local, MbarrierBody>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.warps > 32))]
    has_high: Constant<Bit>,
}

#[block]
impl Logic for Unfold<W, LC> {
    fn update(&mut self) {
        self.body.next = self.folded.val().body;
        self.of_mbarrier.next = self.folded.val().of_mbarrier;
        self.fields.next.request.kind = self.body.val().kind;
        self.fields.next.request.fault = self.body.val().fault;
        self.fields.next.request.uniform = self.body.val().uniform;
        self.fields.next.request.cta = self.body.val().cta;
        self.fields.next.request.id = self.body.val().id;
        self.fields.next.request.count = self.body.val().wide.get_bits::<12>(0);
        self.fields.next.request.redop = self.body.val().redop;
        self.fields.next.request.state = self.body.val().state;
        self.fields.next.request.data = self.body.val().wide;
        self.fields.next.destination.rd = self.body.val().wide.get_bits::<8>(0);
        self.fields.next.destination.pu = self.body.val().wide.get_bits::<3>(8);
        if self.has_mbarrier.val() & (self.body.val().kind == OpKind::Mbarrier) {
            self.fields.next.destination = self.of_mbarrier.val().destination;
        }
        self.fields.next.mask = bit_cast::<W, 32>(self.body.val().wide);
        if self.has_high.val() {
            self.fields.next.mask = bit_cast::<W, 32>(self.body.val().wide) | self.folded.val().high;
        }
        self.fields.next.mbarrier_request.mbarrier = self.of_mbarrier.val().mbarrier;
        self.fields.next.mbarrier_request.number = self.of_mbarrier.val().number;
        self.fields.next.mbarrier_request.phase = self.of_mbarrier.val().phase;
        self.fields.next.mbarrier_request.cluster = self.of_mbarrier.val().cluster;
        self.fields.next.all_live_lanes = self.of_mbarrier.val().all_live_lanes;
    }
}
