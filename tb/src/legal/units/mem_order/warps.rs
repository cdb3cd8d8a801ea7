// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of a legal user of `mem_order`: the possible next actions of each, and its operations in flight.

use crate::stimulus::shape::Shape;
use crate::stimulus::Rng;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::OpKind;

#[rustfmt::skip]
pub const FIELDS: [&str; 21] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "value", "state", "data", "mask",
    "rd", "pu", "mbarrier", "number", "phase", "cluster", "all_live_lanes", "from_instr", "release",
];

/// The unit passes the first `PASSED` of [`FIELDS`] on to `op`.
pub const PASSED: usize = 19;

/// An operation that is not finished.
#[derive(Clone, Debug)]
pub struct Op {
    pub kind: OpKind,
    pub warp: u64,
    pub values: Vec<u64>,
    /// The cycle in which the warp issued the operation.
    pub issued: u64,
    /// The first cycle in which the operation may arrive at the unit.
    pub due: u64,
    /// The operation has arrived at the unit.
    pub is_inside: bool,
    pub is_parked: bool,
    /// The operation is offered on `op`.
    pub is_shown: bool,
    /// The operation was transferred on `op`.
    pub is_out: bool,
    /// `orders`: the operation waits for the warp's earlier accesses. `waits`: the warp waits until the operation is complete.
    pub orders: bool,
    pub waits: bool,
    /// Number of cycles in which only the unit could delay the operation.
    pub idle: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Warp {
    /// From this cycle on the warp may send its next operation: its last operation has arrived at the unit, and is parked or has taken
    /// effect. `u64::MAX`: that cycle is not known yet.
    pub free_from: u64,
    /// The warp waits for the completion of its operation at a barrier or fence.
    pub is_waiting: bool,
    /// The cycle in which the warp's wait ends, once the operation has taken effect.
    pub wakes: u64,
    pub has_exited: bool,
    /// The warp's exit is requested. The exit arrives at the unit after the unit has passed on the warp's previous operation.
    pub exit_pending: bool,
}

/// Draws an operation of a warp, or of a CTA.
pub fn draw(rng: &mut Rng, shape: Shape, kinds: &[(OpKind, u64)], warp: u64, cycle: u64, delay: u64) -> Op {
    let kind = rng.weighted(kinds).unwrap_or(OpKind::Sync);
    of_kind(rng, shape, kind, warp, cycle, delay)
}

pub fn of_kind(rng: &mut Rng, shape: Shape, kind: OpKind, warp: u64, cycle: u64, delay: u64) -> Op {
    let mbarrier = rng.below(MbarrierKind::ALL.len() as u64);
    let is_wait = mbarrier >= MbarrierKind::TestWait as u64;
    let is_release = kind == OpKind::Mbarrier && !is_wait && rng.chance(500);
    let state = rng.below(if kind == OpKind::Write { 2 } else { 3 });
    let (value, cta) = (rng.below(shape.lanes + 1), rng.below(shape.slots));
    let from_instr = !matches!(kind, OpKind::Exit | OpKind::Launch | OpKind::Release);
    let mut values = vec![kind as u64, 0, 1, warp, cta, rng.below(16), rng.below(4096), rng.below(3), value, state];
    values.extend([rng.draw(), rng.draw(), rng.draw(), rng.draw(), mbarrier, rng.draw(), rng.draw(), rng.draw(), rng.draw()]);
    values.extend([u64::from(from_instr), u64::from(is_release)]);
    let orders = matches!(kind, OpKind::Sync | OpKind::Arrive | OpKind::Reduce | OpKind::ClusterArrive) || is_release;
    let waits = matches!(kind, OpKind::Sync | OpKind::Reduce | OpKind::ClusterWait | OpKind::GridWait)
        || kind == OpKind::Mbarrier && is_wait;
    // An operation arrives at the unit four cycles after its issue at the earliest.
    let due = cycle + 4 + rng.below(delay + 1);
    Op {
        kind,
        warp,
        values,
        issued: cycle,
        due,
        is_inside: false,
        is_parked: false,
        is_shown: false,
        is_out: false,
        orders,
        waits,
        idle: 0,
    }
}

impl Op {
    pub fn has_warp(&self) -> bool {
        !matches!(self.kind, OpKind::Launch | OpKind::Release)
    }

    /// The downstream unit that commits the operation: 0 `named`, 1 `mbarrier`, 2 `cluster`, 3 `grid`; `None` if no unit commits it.
    pub fn unit(&self) -> Option<usize> {
        match self.kind {
            OpKind::Launch | OpKind::Release => None,
            OpKind::Mbarrier => Some(1),
            OpKind::ClusterArrive | OpKind::ClusterArriveRelaxed | OpKind::ClusterWait => Some(2),
            OpKind::GridLaunch | OpKind::GridWait => Some(3),
            _ => Some(0),
        }
    }
}

/// The kinds that a seed sends, with weights.
pub fn kinds(rng: &mut Rng, shape: Shape) -> Vec<(OpKind, u64)> {
    let mut kinds = vec![(OpKind::Fence, 5)];
    if shape.gateway_ids > 0 {
        kinds.push((OpKind::Gateway, 20));
    } else {
        kinds.extend([(OpKind::Sync, 20), (OpKind::Arrive, 20), (OpKind::Reduce, 10), (OpKind::Read, 5), (OpKind::Write, 3)]);
    }
    if shape.mbarriers {
        kinds.push((OpKind::Mbarrier, 10));
    }
    if shape.cluster_size > 1 {
        kinds.extend([(OpKind::ClusterArrive, 5), (OpKind::ClusterArriveRelaxed, 5), (OpKind::ClusterWait, 5)]);
    }
    if shape.has_grids {
        kinds.extend([(OpKind::GridLaunch, 3), (OpKind::GridWait, 3)]);
    }
    for kind in kinds.iter_mut() {
        kind.1 *= rng.pick(&[0, 1, 1, 4]).unwrap_or(1);
    }
    let last = if shape.gateway_ids > 0 { OpKind::Gateway } else { OpKind::Arrive };
    kinds.push((last, 1));
    kinds
}
