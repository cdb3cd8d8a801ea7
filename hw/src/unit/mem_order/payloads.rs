// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads between the blocks of `mem_order`: operations in their stored forms, the state of a warp and its change, accesses.

use crate::prelude::*;
use crate::unit::folded::{Folded, MbarrierBody};

/// An operation as the queue stores it, and its wait conditions.
#[payload]
pub struct FoldedOp<W, LW, LC, VW> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    /// Mbarrier: the number of lanes that execute the operation.
    pub value: Bits<VW>,
    /// 1 = caused by an instruction.
    pub from_instr: Bit,
    /// The operation waits for the parked operations of its warp.
    pub waits_for_parked: Bit,
    /// The operation waits for the accesses of its warp. A fence, which is never parked, has this bit 1 and `waits_for_parked` 0.
    pub waits_for_accesses: Bit,
}

/// The stored fields of a parked operation that only Mbarrier has.
#[payload]
pub struct ParkedMbarrier<VW> {
    pub body: MbarrierBody,
    /// Number of lanes that execute the operation.
    pub value: Bits<VW>,
}

/// The stored fields of every parked operation. A Launch, a Release and a Write are never parked.
#[payload]
pub struct ParkedBody<LC> {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub cta: Bits<LC>,
    pub id: Bits<4>,
    pub redop: RedOp,
    pub state: StateWord,
    /// Bits 17:0 of `shared_bits`: the count with the contribution above it, or the destination register rd with the destination
    /// predicate pu above it.
    pub lower_bits: Bits<18>,
}

/// A parked operation.
#[payload]
pub struct ParkedOp<LW, LC, VW> {
    pub body: ParkedBody<LC>,
    /// Bits 31:18 of `shared_bits`; stored only if `has_upper_bits`.
    pub upper_bits: Bits<14>,
    pub mbarrier_part: ParkedMbarrier<VW>,
    pub warp: Bits<LW>,
}

/// The operation at `op`.
#[payload]
pub struct OutputOp<W, LW, LC, VW> {
    pub folded: Folded<W, LC>,
    pub warp: Bits<LW>,
    pub value: Bits<VW>,
}

/// The properties of the oldest operation in the queue that the decision needs.
#[payload]
pub struct HeadOp {
    /// The queue has an operation, and no earlier decision has let it pass.
    pub present: Bit,
    /// The operation waits for the parked operations of its warp.
    pub waits_for_parked: Bit,
    /// The operation waits for the accesses of its warp. A fence has this bit 1 and `waits_for_parked` 0.
    pub waits_for_accesses: Bit,
    /// The warp must not issue while the operation is parked: Sync, Reduce, or a wait.
    pub holds_warp: Bit,
    /// 1 = caused by an instruction.
    pub from_instr: Bit,
    /// The operation is a Write, which does not fit into a word of the parked operations.
    pub is_write: Bit,
}

/// The decision on the oldest operation. If all bits are 0, the operation stays in the queue.
#[payload]
pub struct Decision {
    /// The operation passes to `op`; meaningless if the queue is empty.
    pub passes: Bit,
    /// The operation is parked.
    pub parks: Bit,
    /// The operation leaves the queue: it is parked, or is a fence.
    pub leaves: Bit,
}

/// The reason of a look-up.
#[payload]
pub struct Turn {
    /// The warp was looked up for the oldest operation.
    pub of_head: Bit,
    /// The warp was looked up by the scan.
    pub of_scan: Bit,
    /// After a reset: the words of the warp are cleared.
    pub clears_words: Bit,
}

/// The state of a warp in the memory.
#[payload]
pub struct WarpState {
    /// Number of parked operations.
    pub parked_count: Bits<2>,
    /// Number, 0 to 3, of the word of the warp that has its first parked operation.
    pub first_word: Bits<2>,
    /// A Sync, a Reduce or a wait was parked, and the warp has had a parked operation ever since: the warp must not
    /// issue.
    pub holds_warp: Bit,
    /// A fence of the warp has left the queue and has not ended.
    pub fenced: Bit,
    /// The warp must not issue until its operation that was picked last takes effect.
    pub held_until_commit: Bit,
}

/// The state of the warp that was looked up in the previous cycle.
#[payload]
pub struct WarpLookup<LW> {
    pub warp: Bits<LW>,
    pub warp_state: WarpState,
    /// A parked operation of the warp was picked, and has not taken effect.
    pub picked_pending: Bit,
    /// The state changed during the look-up, so `warp_state` is invalid.
    pub stale: Bit,
}

/// The change of the warp that was looked up.
#[payload]
pub struct Change {
    pub warp_state: WarpState,
    /// The look-up was for the oldest operation or by the scan, and the state is not `stale`.
    pub lookup_valid: Bit,
    /// The warp's state changes.
    pub changes_state: Bit,
    /// The warp's first parked operation is picked.
    pub picks: Bit,
    /// An operation of the warp was parked, or the warp's fence left the queue.
    pub sets_op_done: Bit,
}

/// The port outputs for all warps.
#[payload]
pub struct PortState<W> {
    pub epochs: Bits<W>,
    /// Warps with a parked operation, or fenced.
    pub parked: Bits<W>,
    /// Warps with two or more parked operations.
    pub two_parked: Bits<W>,
    /// Warps that must not issue: fenced, or waiting for a parked operation.
    pub held_warps: Bits<W>,
    /// Warps whose picked operation has not taken effect.
    pub picked_pending: Bits<W>,
    /// Warps that must not issue while their bit in `picked_pending` is 1.
    pub held_until_commit: Bits<W>,
    /// Warps that must not issue because too many accesses are outstanding.
    pub access_limit: Bits<W>,
}

/// The new port outputs for the warp that changed.
#[payload]
pub struct PortUpdate<LW> {
    pub warp: Bits<LW>,
    pub epoch: Bit,
    pub has_parked: Bit,
    pub has_two_parked: Bit,
    pub is_held: Bit,
    pub held_until_commit: Bit,
    pub picked_pending: Bit,
}

/// An access that is issued or performed.
#[payload]
pub struct Access<LW> {
    /// There is an access.
    pub valid: Bit,
    /// There is no access; instead the numbers of `warp` are cleared, after a reset.
    pub clears: Bit,
    pub warp: Bits<LW>,
    /// The epoch in which the access was issued.
    pub epoch: Bit,
}

/// Numbers of accesses by epoch.
#[payload]
pub struct Numbers<OB> {
    /// Number of accesses in epoch 0.
    pub even: Bits<OB>,
    /// Number of accesses in epoch 1.
    pub odd: Bits<OB>,
}
