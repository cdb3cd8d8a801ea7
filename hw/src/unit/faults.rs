// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The faults of all units on one channel.
//!
//! *Reads:* the fault channels of the units, and the channel of CTAs in a deadlock. *Writes:* the fault channel of `bcu`, for which the
//! channels that are read take turns. *Latency:* 0. Implements `fault_*` of `docs/contract/bcu.md`: fields that a fault does not have are 0.

use super::gateway::ports::GatewayFault;
use super::mbarrier::ports::MbarrierFault;
use crate::prelude::*;

/// Warp numbers of `LW` bits, CTA slot numbers of `LC` bits.
#[block]
pub struct Faults<LW, LC> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    #[built(config.has_named())]
    pub named: Sink<NamedFault<LW, LC>>,
    #[built(config.has_gateway())]
    pub gateway: Sink<GatewayFault<LW, LC>>,
    pub dead: Sink<DeadCta<LC>>,
    #[built(config.has_mbarrier())]
    pub mbarrier: Sink<MbarrierFault<LW, LC>>,
    #[built(config.has_clusters())]
    pub cluster: Sink<Refusal<LW, LC>>,
    #[built(config.has_grids())]
    pub grid: Sink<Refusal<LW, LC>>,
    pub out: Source<Fault<LW, LC>>,
    merge: Merge<Fault<LW, LC>, 5>,
    #[init(Constant::new(config.has_gateway()))]
    has_gateway: Constant<Bit>,
    no_fault: Constant<Fault<LW, LC>>,
}

#[block]
impl Logic for Faults {
    fn update(&mut self) {
        self.merge.in_[0].valid.next = self.named.valid.val() | self.gateway.valid.val();
        self.merge.in_[0].payload.next = self.no_fault.val();
        self.merge.in_[0].payload.next.refusal = self.named.payload.val().refusal;
        self.merge.in_[0].payload.next.id = bit_cast::<5, 4>(self.named.payload.val().id);
        if self.has_gateway.val() {
            self.merge.in_[0].payload.next.refusal = self.gateway.payload.val().refusal;
            self.merge.in_[0].payload.next.id = self.gateway.payload.val().id;
        }
        self.named.ready.next = self.merge.in_[0].ready.val();
        self.gateway.ready.next = self.merge.in_[0].ready.val();

        self.merge.in_[1].valid.next = self.dead.valid.val();
        self.merge.in_[1].payload.next = self.no_fault.val();
        self.merge.in_[1].payload.next.refusal.code = FaultCode::Deadlock;
        self.merge.in_[1].payload.next.refusal.cta = self.dead.payload.val().cta;
        self.dead.ready.next = self.merge.in_[1].ready.val();

        self.merge.in_[2].valid.next = self.mbarrier.valid.val();
        self.merge.in_[2].payload.next = self.no_fault.val();
        self.merge.in_[2].payload.next.refusal = self.mbarrier.payload.val().refusal;
        self.merge.in_[2].payload.next.address = self.mbarrier.payload.val().address;
        self.mbarrier.ready.next = self.merge.in_[2].ready.val();

        self.merge.in_[3].valid.next = self.cluster.valid.val();
        self.merge.in_[3].payload.next = self.no_fault.val();
        self.merge.in_[3].payload.next.refusal = self.cluster.payload.val();
        self.cluster.ready.next = self.merge.in_[3].ready.val();

        self.merge.in_[4].valid.next = self.grid.valid.val();
        self.merge.in_[4].payload.next = self.no_fault.val();
        self.merge.in_[4].payload.next.refusal = self.grid.payload.val();
        self.grid.ready.next = self.merge.in_[4].ready.val();

        Channel::join(&mut self.merge.out, &mut self.out);
    }
}
