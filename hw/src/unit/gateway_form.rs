// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts an operation of the stream to an operation of `gateway`.
//!
//! *Reads:* an operation that leaves `mem_order`; for a Launch the sizes of the CTA. *Writes:* the operation at the gateway.
//! *Latency:* 0, no state. Implements the *message* of `docs/contract/gateway.md`.

use super::gateway::ports::{GatewayKind, GatewayOp};
use crate::prelude::*;

/// Sizes: `W` warps with numbers of `LW` bits and counts of `CW` bits, CTA slot numbers of `LC` bits.
#[block]
pub struct GatewayForm<W, LW, CW, LC> {
    pub request: Signal<In, Request<LC>>,
    pub warp: Signal<In, Bits<LW>>,
    /// Launch, Release: warp slots of the CTA.
    pub mask: Signal<In, Bits<W>>,
    /// Launch: the sizes of the CTA.
    pub sizes: Signal<In, CtaSizes<CW>>,
    pub op: Signal<Out, GatewayOp<W, LW, CW, LC>>,
}

#[block]
impl Logic for GatewayForm {
    fn update(&mut self) {
        let request = self.request.val();
        self.op.next.kind = GatewayKind::Refused;
        self.op.next.message.id = 0.into();
        if request.kind == OpKind::Gateway {
            self.op.next.kind = GatewayKind::Signal;
            if self.request.val().data.get_bit(13) {
                self.op.next.kind = GatewayKind::Wait;
            }
            self.op.next.message.id = self.request.val().data.get_bits::<8>(0);
        }
        if request.kind == OpKind::Exit {
            self.op.next.kind = GatewayKind::Exit;
        }
        if request.kind == OpKind::Launch {
            self.op.next.kind = GatewayKind::Launch;
        }
        if request.kind == OpKind::Release {
            self.op.next.kind = GatewayKind::Release;
        }
        self.op.next.fault = request.fault;
        self.op.next.uniform = request.uniform;
        self.op.next.warp = self.warp.val();
        self.op.next.cta = request.cta;
        self.op.next.message.role = self.request.val().data.get_bits::<2>(14);
        self.op.next.message.producers = self.request.val().data.get_bits::<8>(16);
        self.op.next.message.consumers = self.request.val().data.get_bits::<8>(24);
        self.op.next.warps = self.sizes.val().warps;
        self.op.next.barriers = self.sizes.val().barriers;
        self.op.next.mask = self.mask.val();
    }
}
