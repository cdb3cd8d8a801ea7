// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the unit that executes an operation.
//!
//! *Reads:* the kind of the operation. *Writes:* the unit, one-hot. *Latency:* 0, no state. Implements *Path of an operation* of
//! `docs/contract/bcu.md` after `mem_order`.

use crate::prelude::*;

#[block]
pub struct OpUnit {
    pub kind: Signal<In, OpKind>,
    /// The operation is for `named` or `gateway`: no other unit that is built executes its kind.
    pub for_named: Signal<Out, Bit>,
    /// The operation is for `mbarrier`.
    pub for_mbarrier: Signal<Out, Bit>,
    /// The operation is for `cluster`.
    pub for_cluster: Signal<Out, Bit>,
    /// The operation is for `grid`.
    pub for_grid: Signal<Out, Bit>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for OpUnit {
    fn update(&mut self) {
        let kind = self.kind.val();
        self.for_mbarrier.next = self.has_mbarrier.val() & (kind == OpKind::Mbarrier);
        self.for_cluster.next = self.has_clusters.val()
            & ((kind == OpKind::ClusterArrive) | (kind == OpKind::ClusterArriveRelaxed) | (kind == OpKind::ClusterWait));
        self.for_grid.next = self.has_grids.val() & ((kind == OpKind::GridLaunch) | (kind == OpKind::GridWait));
        self.for_named.next = !self.for_mbarrier.val() & !self.for_cluster.val() & !self.for_grid.val();
    }
}
