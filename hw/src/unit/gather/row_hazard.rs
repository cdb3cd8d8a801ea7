// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides whether the operation in the lookup stage waits until an earlier operation has written the same row.
//!
//! *Reads:* the warp of the operation that enters; the warp of the operation in the lookup stage, and the warp whose row it
//! changes; whether the pipeline stalls. *Writes:* in the same cycle the warp whose row is read next, and the warp whose row the
//! operation in the commit stage changes; one cycle later whether the operation in the lookup stage waits. *Latency:* 1. Implements
//! *waits* in *Cycles* of `docs/contract/gather.md`.
//!
//! An operation waits for two cycles if the last operation before it changes the same row. It waits for one cycle if
//! only the second-last operation changes this row. It also waits for one cycle if the last operation before it resets rows, whichever
//! rows these are: a row is in its initial state from the cycle after the reset on.

use super::payloads::Neighbours;
use crate::prelude::*;

/// Warps with numbers of `LW` bits.
#[block]
pub struct RowHazard<LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The pipeline stalls: every operation stays in its stage.
    pub stall: Signal<In, Bit>,
    /// An operation is transferred at `in` of the unit.
    pub op_taken: Signal<In, Bit>,
    /// The warp of the operation at the input.
    pub entering_warp: Signal<In, Bits<LW>>,
    /// The operation in the lookup stage enters the commit stage.
    pub lookup_leaves: Signal<In, Bit>,
    /// The operation that enters the commit stage resets rows.
    pub resets_rows: Signal<In, Bit>,
    /// The warp of the operation in the lookup stage.
    pub lookup_warp: Signal<In, Bits<LW>>,
    /// The warp whose row the operation in the lookup stage changes.
    pub target_warp: Signal<In, Bits<LW>>,
    pub neighbours: Signal<Out, Neighbours<LW>>,
    /// The operation in the lookup stage waits.
    pub lookup_waits: Signal<Out, Bit>,
    /// The warp whose row the operation in the commit stage changes.
    commit_target: DFF<Bits<LW>>,
    /// An operation left the lookup stage in the previous cycle.
    #[reset]
    commit_valid: DFF<Bit>,
    #[reset]
    lookup_waits_q: DFF<Bit>,
    /// The warp of the operation that will be in the lookup stage in the next cycle.
    next_warp: Signal<Local, Bits<LW>>,
    /// An operation will be in the lookup stage in the next cycle, waiting or not.
    lookup_valid_next: Signal<Local, Bit>,
    /// An operation before that operation has not written or reset its row yet.
    row_changes: Signal<Local, Bit>,
}

#[block]
impl Logic for RowHazard {
    fn update(&mut self) {
        self.lookup_waits.next = self.lookup_waits_q.q.val();
        self.lookup_valid_next.next = self.op_taken.val() | self.lookup_waits_q.q.val();
        self.next_warp.next = self.entering_warp.val();
        if self.lookup_waits_q.q.val() {
            self.next_warp.next = self.lookup_warp.val();
        }
        self.neighbours.next.next_warp = self.next_warp.val();
        self.neighbours.next.commit_target = self.commit_target.q.val();
        self.commit_target.d.next = self.target_warp.val();
        self.commit_valid.d.next = self.lookup_leaves.val();
        self.row_changes.next = self.resets_rows.val()
            | (self.lookup_leaves.val() & (self.next_warp.val() == self.target_warp.val()))
            | (self.commit_valid.q.val() & (self.next_warp.val() == self.commit_target.q.val()));
        self.lookup_waits_q.d.next = self.lookup_valid_next.val() & self.row_changes.val();
        if self.stall.val() {
            self.lookup_waits_q.d.next = self.lookup_waits_q.q.val();
        }
    }
}
