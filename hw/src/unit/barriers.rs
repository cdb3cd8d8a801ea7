// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From an operation of a warp to a release: what waits for memory accesses, the barriers, deadlocks, and where results go. Wiring, and who
//! goes first where two ways meet.
//!
//! *Reads:* the operation channel; the memory system's strobes; who is live, gathers or has something on its way; the fault policy. *Writes:* the release
//! and writeback strobes, the fault channel; who waits, is trapped, held or has something parked. *Latency:* 3 from operation to release or writeback, no state
//! of its own. Implements the way from `order` on of `docs/interface.md`, section `bcu`.

use crate::unit::named::{Named, Parts};
use crate::unit::op::{FaultCode, FaultPolicy, OpKind, RedOp, Reduction, StateWord};
use crate::unit::order::Order;
use crate::unit::watch::Watch;
use crate::unit::writeback::Writeback;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Sizes as in [`Named`] and [`Order`].
#[block]
pub struct Barriers<W, LW, CW, LC, S, LI, RA, IW, AW, VW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    // From what comes in.
    pub in_valid: Signal<In, Bit>,
    pub in_ready: Signal<Out, Bit>,
    pub in_kind: Signal<In, OpKind>,
    pub in_fault: Signal<In, FaultCode>,
    pub in_uniform: Signal<In, Bit>,
    pub in_warp: Signal<In, Bits<LW>>,
    pub in_cta: Signal<In, Bits<LC>>,
    pub in_id: Signal<In, Bits<4>>,
    pub in_count: Signal<In, Bits<12>>,
    pub in_redop: Signal<In, RedOp>,
    pub in_value: Signal<In, Bits<VW>>,
    pub in_state: Signal<In, StateWord>,
    pub in_data: Signal<In, Bits<32>>,
    pub in_warps: Signal<In, Bits<CW>>,
    pub in_live: Signal<In, Bits<CW>>,
    pub in_barriers: Signal<In, Bits<5>>,
    pub in_mask: Signal<In, Bits<W>>,
    pub in_saved: Signal<In, Bit>,
    pub in_counted: Signal<In, Bit>,
    pub in_rd: Signal<In, Bits<8>>,
    pub in_pu: Signal<In, Bits<3>>,
    pub live: Signal<In, Bits<W>>,
    pub warp_cta: [Signal<In, Bits<W>>; LC],
    pub gathering: Signal<In, Bits<W>>,
    pub in_flight: Signal<In, Bits<W>>,

    // From outside.
    pub issue_valid: Signal<In, Bit>,
    pub issue_warp: Signal<In, Bits<LW>>,
    pub perform_valid: Signal<In, Bit>,
    pub perform_warp: Signal<In, Bits<LW>>,
    pub perform_epoch: Signal<In, Bit>,
    pub fault_policy: Signal<In, FaultPolicy>,

    // To outside.
    pub epoch: Signal<Out, Bits<W>>,
    pub release_valid: Signal<Out, Bit>,
    pub release_cta: Signal<Out, Bits<LC>>,
    pub release_id: Signal<Out, Bits<4>>,
    pub release_warps: Signal<Out, Bits<W>>,
    pub release_reduction: Signal<Out, Reduction>,
    pub release_value: Signal<Out, Bits<12>>,
    pub writeback_valid: Signal<Out, Bit>,
    pub writeback_warp: Signal<Out, Bits<LW>>,
    pub writeback_value: Signal<Out, Bits<32>>,
    pub writeback_predicate: Signal<Out, Bit>,
    pub writeback_rd: Signal<Out, Bits<8>>,
    pub writeback_pu: Signal<Out, Bits<3>>,
    pub fault_valid: Signal<Out, Bit>,
    pub fault_ready: Signal<In, Bit>,
    pub fault_code: Signal<Out, FaultCode>,
    pub fault_warp: Signal<Out, Bits<LW>>,
    pub fault_cta: Signal<Out, Bits<LC>>,
    pub fault_id: Signal<Out, Bits<4>>,
    pub trapped: Signal<Out, Bits<W>>,

    // To what comes in.
    /// Warps that a barrier keeps.
    pub waiting: Signal<Out, Bits<W>>,
    pub held: Signal<Out, Bits<W>>,
    pub full: Signal<Out, Bits<W>>,
    pub parked: Signal<Out, Bits<W>>,
    pub settled: Signal<Out, Bits<W>>,
    pub left: Signal<Out, Bits<W>>,
    pub clearing: Signal<Out, Bit>,
    /// A release without fault goes into `named`.
    pub through: Signal<Out, Bit>,
    order: Order<W, LW, CW, LC, VW, OB>,
    named: Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW>,
    watch: Watch<W, LC, S>,
    writeback: Writeback,
}

#[block]
impl Barriers<W, LW, CW, LC, S, LI, RA, IW, AW, VW, OB> {
    /// Of warps of `lanes` lanes; `max_outstanding` as in [`Order::new`].
    pub fn new(lanes: usize, max_outstanding: usize, parts: Parts) -> Self {
        Barriers { order: Order::new(max_outstanding), named: Named::new(lanes, parts), ..Default::default() }
    }
}

#[block]
impl Logic for Barriers<W, LW, CW, LC, S, LI, RA, IW, AW, VW, OB> {
    #[hdl_gen]
    fn update(&mut self) {
        // Into order.
        self.order.in_valid.next = self.in_valid.val();
        self.in_ready.next = self.order.in_ready.val();
        self.order.in_kind.next = self.in_kind.val();
        self.order.in_fault.next = self.in_fault.val();
        self.order.in_uniform.next = self.in_uniform.val();
        self.order.in_warp.next = self.in_warp.val();
        self.order.in_cta.next = self.in_cta.val();
        self.order.in_id.next = self.in_id.val();
        self.order.in_count.next = self.in_count.val();
        self.order.in_redop.next = self.in_redop.val();
        self.order.in_value.next = self.in_value.val();
        self.order.in_state.next = self.in_state.val();
        self.order.in_data.next = self.in_data.val();
        self.order.in_warps.next = self.in_warps.val();
        self.order.in_live.next = self.in_live.val();
        self.order.in_barriers.next = self.in_barriers.val();
        self.order.in_mask.next = self.in_mask.val();
        self.order.in_saved.next = self.in_saved.val();
        self.order.in_counted.next = self.in_counted.val();
        self.order.in_rd.next = self.in_rd.val();
        self.order.in_pu.next = self.in_pu.val();
        self.order.issue_valid.next = self.issue_valid.val();
        self.order.issue_warp.next = self.issue_warp.val();
        self.order.perform_valid.next = self.perform_valid.val();
        self.order.perform_warp.next = self.perform_warp.val();
        self.order.perform_epoch.next = self.perform_epoch.val();

        // Into named: what order offers, else a deadlock that watch has found.
        self.named.op_valid.next = self.order.op_valid.val() | self.watch.op_valid.val();
        self.named.op_kind.next = self.order.op_kind.val();
        self.named.op_fault.next = self.order.op_fault.val();
        self.named.op_uniform.next = self.order.op_uniform.val();
        self.named.op_warp.next = self.order.op_warp.val();
        self.named.op_cta.next = self.order.op_cta.val();
        self.named.op_id.next = self.order.op_id.val();
        self.named.op_count.next = self.order.op_count.val();
        self.named.op_redop.next = self.order.op_redop.val();
        self.named.op_value.next = self.order.op_value.val();
        self.named.op_state.next = self.order.op_state.val();
        self.named.op_data.next = self.order.op_data.val();
        self.named.op_warps.next = self.order.op_warps.val();
        self.named.op_live.next = self.order.op_live.val();
        self.named.op_barriers.next = self.order.op_barriers.val();
        self.named.op_mask.next = self.order.op_mask.val();
        self.named.op_saved.next = self.order.op_saved.val();
        if !self.order.op_valid.val() {
            self.named.op_kind.next = OpKind::Launch;
            self.named.op_fault.next = FaultCode::Deadlock;
            self.named.op_uniform.next = true;
            self.named.op_warp.next = 0.into();
            self.named.op_cta.next = self.watch.op_cta.val();
            self.named.op_id.next = 0.into();
            self.named.op_count.next = 0.into();
            self.named.op_redop.next = RedOp::And;
            self.named.op_value.next = 0.into();
            self.named.op_state.next = StateWord::Warp;
            self.named.op_data.next = 0.into();
            self.named.op_warps.next = 0.into();
            self.named.op_live.next = 0.into();
            self.named.op_barriers.next = 0.into();
            self.named.op_mask.next = 0.into();
            self.named.op_saved.next = false;
        }
        self.order.op_ready.next = self.named.op_ready.val();
        self.watch.op_ready.next = self.named.op_ready.val() & !self.order.op_valid.val();
        self.named.fault_policy.next = self.fault_policy.val();
        self.named.fault_ready.next = self.fault_ready.val();

        // Deadlocks.
        self.watch.live.next = self.live.val();
        for i in 0..LC {
            self.watch.warp_cta[i].next = self.warp_cta[i].val();
        }
        self.watch.stalled.next = self.named.blocked.val() | self.gathering.val();
        self.watch.moving.next = self.in_flight.val();
        self.watch.taken_valid.next = self.order.op_valid.val() & self.named.op_ready.val();
        self.watch.taken_kind.next = self.order.op_kind.val();
        self.watch.taken_fault.next = self.order.op_fault.val();
        self.watch.taken_cta.next = self.order.op_cta.val();
        self.watch.tangle_valid.next = self.named.tangle_valid.val();
        self.watch.tangle_cta.next = self.named.tangle_cta.val();

        // Where results go.
        self.writeback.op_rd.next = self.order.op_rd.val();
        self.writeback.op_pu.next = self.order.op_pu.val();
        self.writeback.valid.next = self.named.read_valid.val();
        self.writeback_valid.next = self.named.read_valid.val();
        self.writeback_warp.next = self.named.read_warp.val();
        self.writeback_value.next = self.named.read_value.val();
        self.writeback_predicate.next = self.named.read_predicate.val();
        self.writeback_rd.next = self.writeback.rd.val();
        self.writeback_pu.next = self.writeback.pu.val();

        self.release_valid.next = self.named.release_valid.val();
        self.release_cta.next = self.named.release_cta.val();
        self.release_id.next = self.named.release_id.val();
        self.release_warps.next = self.named.release_warps.val();
        self.release_reduction.next = self.named.release_reduction.val();
        self.release_value.next = self.named.release_value.val();
        self.trapped.next = self.named.trapped.val();
        self.fault_valid.next = self.named.fault_valid.val();
        self.fault_code.next = self.named.fault_code.val();
        self.fault_warp.next = self.named.fault_warp.val();
        self.fault_cta.next = self.named.fault_cta.val();
        self.fault_id.next = self.named.fault_id.val();
        self.epoch.next = self.order.epoch.val();
        self.waiting.next = self.named.blocked.val();
        self.clearing.next = self.named.clearing.val();
        self.through.next = self.order.op_valid.val()
            & self.named.op_ready.val()
            & (self.order.op_kind.val() == OpKind::Release)
            & (self.order.op_fault.val() == FaultCode::None);
        self.held.next = self.order.held.val();
        self.full.next = self.order.full.val();
        self.parked.next = self.order.parked.val();
        self.settled.next = self.order.settled.val();
        self.left.next = self.order.left.val();
    }
}
