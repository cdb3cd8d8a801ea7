// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warps wait at a barrier.
//!
//! *Reads:* the warp that the operation in the lookup stage makes wait (`waiter_mask`); from the commit stage: the warps that
//! resume, whether the operation is refused, whether it is a Write to Warp or a Release. *Writes:* `waiting` (gate); whether the
//! warp of the operation waits. *Latency:* 1; 0 from `waiter_mask` to `waiting`. Implements "restarted without delay" of spec
//! 000.
//!
//! The bit of an arrival is set while the operation directly before is in the commit stage; setting wins over clearing. So when an
//! arrival or a Read commits, the bits are those that the operations before have left. A Write to Warp that makes its warp wait
//! sets the bit likewise, in its first slot, so whether the warp waited before is kept until the Write commits.

use super::ctrl::Ctrl;
use super::lookup_op::LookupOp;
use crate::prelude::*;

#[block]
pub struct Waits<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_op: Signal<In, LookupOp<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub waiting: Signal<Out, Bits<W>>,
    /// The warp of the operation that was in the lookup stage in the cycle before waits.
    pub commit_warp_waits: Signal<Out, Bit>,
    /// Warps that wait.
    #[reset]
    waiters: DFF<Bits<W>>,
    /// Register of `commit_warp_waits`.
    commit_warp_waits_q: DFF<Bit>,
    /// `commit_warp_waits` of the cycle before.
    waited_before: DFF<Bit>,
    /// Warps that stop waiting.
    resuming_warps: Signal<Local, Bits<W>>,
    /// The warp of the operation in the lookup stage, if it waits.
    waiting_warp: Signal<Local, Bits<W>>,
    /// The warps of the operation in the commit stage stop waiting.
    ends_waits: Signal<Local, Bit>,
}

#[block]
impl Logic for Waits<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        // A refused operation clears the bit that it has set; a refused Write to Warp does not if the warp waited before.
        self.ends_waits.next = self.ctrl.val().clears_warps
            | (self.ctrl.val().actions.waiter & !self.ctrl.val().checked.changes_row)
            | (self.ctrl.val().actions.writes_warp & !self.ctrl.val().checked.restores_warp & !self.waited_before.q.val());
        self.resuming_warps.next = 0.into();
        if self.ends_waits.val() {
            self.resuming_warps.next = self.ctrl.val().commit_warps.acting_warps;
        }
        if self.ctrl.val().complete {
            self.resuming_warps.next = self.resuming_warps.val() | self.ctrl.val().commit_warps.waiting_warps;
        }
        self.waiters.d.next = (self.waiters.q.val() & !self.resuming_warps.val()) | self.lookup_op.val().op_warp.waiter_mask;

        // Whether the warp waits, for a Read or a Write.
        self.waiting_warp.next = self.waiters.q.val() & self.lookup_op.val().op_warp.warp_mask;
        self.commit_warp_waits_q.d.next = self.waiting_warp.val().any()
            & !(self.lookup_op.val().op.same_warp & self.ends_waits.val())
            & !(self.ctrl.val().complete & self.ctrl.val().commit_warps.lookup_warp_waits);
        self.waited_before.d.next = self.commit_warp_waits_q.q.val();
        self.commit_warp_waits.next = self.commit_warp_waits_q.q.val();
        self.waiting.next = self.waiters.q.val() | self.lookup_op.val().op_warp.waiter_mask;
    }
}
