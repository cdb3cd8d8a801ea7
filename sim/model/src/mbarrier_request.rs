// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mbarrier operands of an instruction, per lane and for all lanes that execute it (`docs/contract/decode.md`, and *lane numbers* of
//! `docs/contract/bcu.md`).

use super::mbarrier_object::MbarrierKind;
use super::mbarrier_ports::MbarrierOp;
use super::op::Operation;
use super::sizes::{mask, Sizes};
use super::wire::{Fields, PortAction};

/// The largest number of 21 bits; a saturated number of this value means this number or more.
const MOST: u64 = (1 << 21) - 1;

/// The mbarrier operands of one lane; all 0 for other operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MbarrierRequest {
    pub kind: MbarrierKind,
    /// Arrivals, bytes, or the hint of a try_wait in ticks.
    pub number: u32,
    /// The phase of a wait.
    pub phase: bool,
    /// The instruction addresses the shared memory of the cluster.
    pub cluster: bool,
}

impl MbarrierRequest {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.choice("mbarrier", &mut self.kind);
        at.field("number", &mut self.number, 21);
        at.field("phase", &mut self.phase, 1);
        at.field("cluster", &mut self.cluster, 1);
    }

    /// A number from a register, saturated to 21 bits.
    pub fn saturated(number: u32) -> u32 {
        u64::from(number).min(MOST) as u32
    }

    /// The operation of all `op.value` executing lanes together.
    pub fn of_lanes(&self, op: &Operation, all_live_lanes: bool, destination: (u8, u8), sizes: &Sizes) -> MbarrierOp {
        let (kind, per_lane, lanes) = (self.kind, u64::from(self.number), u64::from(op.value));
        // A wait, an init and an inval act once, not once per lane.
        let total =
            if kind.waits() || matches!(kind, MbarrierKind::Init | MbarrierKind::Inval) { per_lane } else { per_lane * lanes };
        let total = total.min(MOST);
        let expects_too = kind.arrives() && kind.expects();
        let (count, bytes, hint) = match kind {
            _ if expects_too => (lanes, total, 0),
            MbarrierKind::Expect | MbarrierKind::Complete => (0, total, 0),
            _ if kind.waits() => (0, 0, total.min(mask(sizes.limit_bits()))),
            _ => (total, 0, 0),
        };
        MbarrierOp {
            kind,
            fault: op.fault,
            uniform: op.uniform,
            warp: op.warp,
            cta: op.cta,
            address: op.data,
            cluster: self.cluster,
            count: count as u32,
            bytes: bytes as u32,
            phase: self.phase,
            hint: hint as u32,
            all_live_lanes,
            rd: destination.0,
            pu: destination.1,
        }
    }
}

/// The pipeline from `mem_order` to `mbarrier`: two registers in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LaneNumbers {
    /// The operation in the first register is offered to `mbarrier`.
    places: [Option<MbarrierOp>; 2],
}

impl LaneNumbers {
    pub fn offered(&self) -> Option<MbarrierOp> {
        self.places[0]
    }

    /// Whether the pipeline accepts an operation from `mem_order`, if `op_ready` is the `ready` of `mbarrier`.
    pub fn ready(&self, op_ready: bool) -> bool {
        op_ready || self.places.contains(&None)
    }

    /// Applies the rising edge: accepts the operation that `mem_order` offers if the pipeline is ready.
    pub fn clock(&mut self, offered: Option<MbarrierOp>, op_ready: bool) {
        let [first, second] = self.places;
        let ready = self.ready(op_ready);
        let moves = first.is_none() || op_ready;
        let left = if moves { second } else { first };
        let behind = if moves { None } else { second };
        self.places = [left, if ready { offered } else { behind }];
    }
}
