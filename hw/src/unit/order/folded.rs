// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An operation as it is kept: fields that never meet share their bits.
//!
//! *Reads:* an operation as it comes in. *Writes:* the same, folded. *Latency:* 0, no state. What a kind does not use means nothing
//! (`docs/interface.md`, rules for all units), so the way back needs almost no gates: the shared bits go to every field that they may hold.

use crate::prelude::*;

/// What is kept of an operation whose warp is known.
#[payload]
pub struct Body<LC> {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub cta: Bits<LC>,
    pub id: Bits<4>,
    pub redop: RedOp,
    pub state: StateWord,
    /// Sync, arrive: the count; reduce: above it the contribution as well; read: rd, above it pu; launch, release: the CTA's lowest 32 warps;
    /// others: the data.
    pub wide: Bits<32>,
}

/// What is kept of an mbarrier operation alone.
#[payload]
pub struct MbarrierBody<VW> {
    /// Of a launch: warps, live warps and barriers in seven bits each; of a release bit 20 is `saved`.
    pub number: Bits<21>,
    /// How many lanes execute it.
    pub value: Bits<VW>,
    pub destination: Destination,
    pub mbarrier: MbarrierKind,
    pub phase: Bit,
    pub cluster: Bit,
    pub whole: Bit,
}

/// An operation, and what it waits for.
#[payload]
pub struct FoldedOp<W, LW, LC, VW> {
    pub body: Body<LC>,
    pub of_mbarrier: MbarrierBody<VW>,
    pub warp: Bits<LW>,
    /// Launch, release: the CTA's warps beyond the lowest 32.
    pub high: Bits<W>,
    /// 1 = caused by an instruction.
    pub counted: Bit,
    /// It waits for what its warp has parked; for its warp's accesses. A fence, which needs no place, shows the second without the first.
    pub bound: Bit,
    pub ordered: Bit,
}

/// One that was parked: it is none that launches or releases.
#[payload]
pub struct ParkedOp<LW, LC, VW> {
    pub body: Body<LC>,
    pub of_mbarrier: MbarrierBody<VW>,
    pub warp: Bits<LW>,
}

/// Sizes as in [`WarpOp`].
#[block]
pub struct Fold<W, LW, CW, LC, VW> {
    pub op: Signal<In, WarpOp<W, LW, CW, LC, VW>>,
    pub folded: Signal<Out, FoldedOp<W, LW, LC, VW>>,
    good: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    fence: Signal<Local, Bit>,
    of_cta: Signal<Local, Bit>,
    of_mbarrier: Signal<Local, Bit>,
    request: Signal<Local, Request<LC>>,
    sizes: Signal<Local, Bits<20>>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
}

#[block]
impl Logic for Fold<W, LW, CW, LC, VW> {
    fn update(&mut self) {
        self.request.next = self.op.val().op.request;
        self.good.next = self.request.val().fault == FaultCode::None;
        self.arrival.next = (self.request.val().kind == OpKind::Sync)
            | (self.request.val().kind == OpKind::Arrive)
            | (self.request.val().kind == OpKind::Reduce);
        self.fence.next = self.good.val() & (self.request.val().kind == OpKind::Fence);
        self.of_cta.next = (self.request.val().kind == OpKind::Launch) | (self.request.val().kind == OpKind::Release);
        self.of_mbarrier.next = self.request.val().kind == OpKind::Mbarrier;

        // What it waits for.
        self.folded.next.counted = self.op.val().counted;
        self.folded.next.bound =
            !(self.of_cta.val() | self.fence.val() | (!self.good.val() & (self.request.val().kind == OpKind::Exit)));
        self.folded.next.ordered = self.good.val()
            & (self.arrival.val()
                | (self.request.val().kind == OpKind::Fence)
                | (self.request.val().kind == OpKind::ClusterArrive)
                | ((self.request.val().kind == OpKind::Mbarrier) & self.op.val().release));

        // What it is.
        self.folded.next.warp = self.op.val().op.warp;
        self.folded.next.body.kind = self.request.val().kind;
        self.folded.next.body.fault = self.request.val().fault;
        self.folded.next.body.uniform = self.request.val().uniform;
        self.folded.next.body.cta = self.request.val().cta;
        self.folded.next.body.id = self.request.val().id;
        self.folded.next.body.redop = self.request.val().redop;
        self.folded.next.body.state = self.request.val().state;
        self.folded.next.body.wide = self.request.val().data;
        if self.arrival.val() {
            self.folded.next.body.wide =
                bit_cast::<32, 12>(self.request.val().count) | (bit_cast::<32, VW>(self.op.val().op.value) << 12);
        }
        if self.request.val().kind == OpKind::Read {
            self.folded.next.body.wide =
                bit_cast::<32, 8>(self.op.val().destination.rd) | (bit_cast::<32, 3>(self.op.val().destination.pu) << 8);
        }
        if self.of_cta.val() {
            self.folded.next.body.wide = bit_cast::<32, W>(self.op.val().op.cta_warps.mask);
        }
        self.folded.next.high = 0.into();
        for i in 32..W {
            self.folded.next.high = self.folded.val().high.replace_bit(i, self.op.val().op.cta_warps.mask.get_bit(i));
        }
        self.sizes.next = bit_cast::<20, CW>(self.op.val().op.cta_warps.warps)
            | (bit_cast::<20, CW>(self.op.val().op.cta_warps.live) << 7)
            | (bit_cast::<20, 6>(self.op.val().op.cta_warps.barriers) << 14);
        self.folded.next.of_mbarrier.number = bit_cast::<21, 20>(self.sizes.val());
        if self.op.val().op.cta_warps.saved {
            self.folded.next.of_mbarrier.number = self.folded.val().of_mbarrier.number.replace_bit(20, true);
        }
        if self.of_mbarrier.val() {
            self.folded.next.of_mbarrier.number = self.op.val().mbarrier_request.number;
        }
        self.folded.next.of_mbarrier.value = 0.into();
        self.folded.next.of_mbarrier.destination.rd = 0.into();
        self.folded.next.of_mbarrier.destination.pu = 0.into();
        if self.has_mbarrier.val() {
            self.folded.next.of_mbarrier.value = self.op.val().op.value;
            self.folded.next.of_mbarrier.destination = self.op.val().destination;
        }
        self.folded.next.of_mbarrier.mbarrier = self.op.val().mbarrier_request.mbarrier;
        self.folded.next.of_mbarrier.phase = self.op.val().mbarrier_request.phase;
        self.folded.next.of_mbarrier.cluster = self.op.val().mbarrier_request.cluster;
        self.folded.next.of_mbarrier.whole = self.op.val().whole;
    }
}

/// The way back. Sizes as in [`WarpOp`].
#[block]
pub struct Unfold<W, LW, CW, LC, VW> {
    pub body: Signal<In, Body<LC>>,
    pub mbarrier: Signal<In, MbarrierBody<VW>>,
    pub warp: Signal<In, Bits<LW>>,
    pub high: Signal<In, Bits<W>>,
    pub op: Signal<Out, OrderedOp<W, LW, CW, LC, VW>>,
    of_mbarrier: Signal<Local, Bit>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.warps > 32))]
    has_high: Constant<Bit>,
}

#[block]
impl Logic for Unfold<W, LW, CW, LC, VW> {
    fn update(&mut self) {
        self.of_mbarrier.next = self.has_mbarrier.val() & (self.body.val().kind == OpKind::Mbarrier);
        self.op.next.op.request.kind = self.body.val().kind;
        self.op.next.op.request.fault = self.body.val().fault;
        self.op.next.op.request.uniform = self.body.val().uniform;
        self.op.next.op.request.cta = self.body.val().cta;
        self.op.next.op.request.id = self.body.val().id;
        self.op.next.op.request.count = self.body.val().wide.get_bits::<12>(0);
        self.op.next.op.request.redop = self.body.val().redop;
        self.op.next.op.request.state = self.body.val().state;
        self.op.next.op.request.data = self.body.val().wide;
        self.op.next.op.warp = self.warp.val();
        self.op.next.op.value = self.body.val().wide.get_bits::<VW>(12);
        self.op.next.destination.rd = self.body.val().wide.get_bits::<8>(0);
        self.op.next.destination.pu = self.body.val().wide.get_bits::<3>(8);
        if self.of_mbarrier.val() {
            self.op.next.op.value = self.mbarrier.val().value;
            self.op.next.destination = self.mbarrier.val().destination;
        }
        self.op.next.op.cta_warps.warps = self.mbarrier.val().number.get_bits::<CW>(0);
        self.op.next.op.cta_warps.live = self.mbarrier.val().number.get_bits::<CW>(7);
        self.op.next.op.cta_warps.barriers = self.mbarrier.val().number.get_bits::<6>(14);
        self.op.next.op.cta_warps.saved = self.mbarrier.val().number.get_bit(20);
        self.op.next.op.cta_warps.mask = bit_cast::<W, 32>(self.body.val().wide);
        if self.has_high.val() {
            self.op.next.op.cta_warps.mask = bit_cast::<W, 32>(self.body.val().wide) | self.high.val();
        }
        self.op.next.mbarrier_request.mbarrier = self.mbarrier.val().mbarrier;
        self.op.next.mbarrier_request.number = self.mbarrier.val().number;
        self.op.next.mbarrier_request.phase = self.mbarrier.val().phase;
        self.op.next.mbarrier_request.cluster = self.mbarrier.val().cluster;
        self.op.next.whole = self.mbarrier.val().whole;
    }
}
