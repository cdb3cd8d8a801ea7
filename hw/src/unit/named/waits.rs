// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The mask of warps that wait at a barrier.
//!
//! *Reads:* the warp that the operation in the lookup stage makes wait (`waiter_mask`); from the commit stage, the warps that
//! resume, and whether the operation is refused, is a Write to Warp or is a Release. *Writes:* `waiting` (gate); whether the warp
//! of the operation in the commit stage waits. *Latency:* 1; 0 from `waiter_mask` to `waiting`. Implements "restarted without
//! delay" of spec 000.
//!
//! A Sync or Reduce sets the bit of its warp in the lookup stage, while the preceding operation is in the commit stage and may
//! clear bits; setting has priority over clearing. So in the commit stage the bits include the effects of all earlier
//! operations, and the bit that the operation itself has set. A Write to Warp that makes its warp wait sets the bit in its
//! first lookup cycle. So a register holds, until the Write commits, whether the warp waited before.

use super::commit_payloads::{Checked, RowWaiters};
use super::lookup_payloads::Actions;
use crate::prelude::*;

/// Sizes: `W` warps.
#[block]
pub struct Waits<W> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Warps of the operation in the lookup stage: its warp, one-hot; for a Release all warp slots of its CTA.
    pub warp_mask: Signal<In, Bits<W>>,
    /// If the operation in the lookup stage makes its warp wait: `warp_mask`; else 0.
    pub waiter_mask: Signal<In, Bits<W>>,
    /// The operation in the lookup stage and the preceding operation have the same warp.
    pub same_warp: Signal<In, Bit>,
    pub commit_actions: Signal<In, Actions>,
    pub checked: Signal<In, Checked>,
    /// The warps of the operation in the commit stage stop waiting: the operation is a Release, or `reset` was 1 in the
    /// previous cycle.
    pub clears_warps: Signal<In, Bit>,
    /// The warps of the operation in the commit stage.
    pub acting_warps: Signal<In, Bits<W>>,
    /// The operation in the commit stage completes a generation of its row.
    pub complete: Signal<In, Bit>,
    pub row_waiters: Signal<In, RowWaiters<W>>,
    pub waiting: Signal<Out, Bits<W>>,
    /// The warp of the operation that was in the lookup stage in the previous cycle waits.
    pub commit_warp_waits: Signal<Out, Bit>,
    /// The warps that wait, without the warp in `waiter_mask`.
    #[reset]
    waiters: DFF<Bits<W>>,
    /// Register of `commit_warp_waits`.
    commit_warp_waits_q: DFF<Bit>,
    /// `commit_warp_waits` of the previous cycle.
    waited_before: DFF<Bit>,
    /// Warps that stop waiting.
    resuming_warps: Signal<Local, Bits<W>>,
    /// If the warp of the operation in the lookup stage waits: that warp, one-hot; else 0.
    waiting_warp: Signal<Local, Bits<W>>,
    /// The warps of the operation in the commit stage stop waiting without a completion.
    ends_waits: Signal<Local, Bit>,
}

#[block]
impl Logic for Waits {
    fn update(&mut self) {
        // A refused Sync or Reduce clears the bit that it has set. A refused Write to Warp clears the bit only if its warp did
        // not wait before.
        self.ends_waits.next = self.clears_warps.val()
            | (self.commit_actions.val().waiter & !self.checked.val().changes_row)
            | (self.commit_actions.val().writes_warp & !self.checked.val().restores_warp & !self.waited_before.q.val());
        self.resuming_warps.next = 0.into();
        if self.ends_waits.val() {
            self.resuming_warps.next = self.acting_warps.val();
        }
        if self.complete.val() {
            self.resuming_warps.next = self.resuming_warps.val() | self.row_waiters.val().waiting_warps;
        }
        self.waiters.d.next = (self.waiters.q.val() & !self.resuming_warps.val()) | self.waiter_mask.val();

        // Whether the warp waits, for a Read or a Write.
        self.waiting_warp.next = self.waiters.q.val() & self.warp_mask.val();
        self.commit_warp_waits_q.d.next = self.waiting_warp.val().any()
            & !(self.same_warp.val() & self.ends_waits.val())
            & !(self.complete.val() & self.row_waiters.val().lookup_warp_waits);
        self.waited_before.d.next = self.commit_warp_waits_q.q.val();
        self.commit_warp_waits.next = self.commit_warp_waits_q.q.val();
        self.waiting.next = self.waiters.q.val() | self.waiter_mask.val();
    }
}
