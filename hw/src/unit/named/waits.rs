// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which warps wait at a barrier.
//!
//! *Reads:* the warp that the operation in the lookup stage makes wait (`will_wait`); from the commit stage: the warps that
//! resume, whether the operation is refused, whether it is a Write to Warp or a Release. *Writes:* `waiting` (gate); whether the
//! warp of the operation waits. *Latency:* 1; 0 from `will_wait` to `waiting`. Implements "restarted without delay" of spec
//! 000.
//!
//! The bit of an arrival is set while the operation directly before is in the commit stage; setting wins over clearing. So when an
//! arrival or a Read commits, the bits are those that the operations before have left. A Write to Warp that makes its warp wait
//! sets the bit likewise, in its first slot, so whether the warp waited before is kept until the Write commits.

use super::ctrl::Ctrl;
use super::inside::Inside;
use crate::prelude::*;

#[block]
pub struct Waits<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub waiting: Signal<Out, Bits<W>>,
    /// The warp of the operation that was in the lookup stage in the cycle before waits.
    pub waits_now: Signal<Out, Bit>,
    /// Warps that wait.
    #[reset]
    waiters: DFF<Bits<W>>,
    /// Register of `waits_now`.
    waits_q: DFF<Bit>,
    /// `waits_now` of the cycle before.
    waited: DFF<Bit>,
    /// Warps that stop waiting.
    gone: Signal<Local, Bits<W>>,
    /// The warp of the operation in the lookup stage, if it waits.
    own: Signal<Local, Bits<W>>,
    /// The warps of the operation in the commit stage stop waiting.
    ends: Signal<Local, Bit>,
}

#[block]
impl Logic for Waits<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        // A refused operation clears the bit that it has set; a refused Write to Warp does not if the warp waited before.
        self.ends.next = self.ctrl.val().forgets
            | (self.ctrl.val().step.waiter & !self.ctrl.val().checked.changes)
            | (self.ctrl.val().step.writes_warp & !self.ctrl.val().checked.restores & !self.waited.q.val());
        self.gone.next = 0.into();
        if self.ends.val() {
            self.gone.next = self.ctrl.val().commit_warps.acting;
        }
        if self.ctrl.val().complete {
            self.gone.next = self.gone.val() | self.ctrl.val().commit_warps.waiting;
        }
        self.waiters.d.next = (self.waiters.q.val() & !self.gone.val()) | self.inside.val().own.will_wait;

        // Whether the warp waits, for a Read or a Write.
        self.own.next = self.waiters.q.val() & self.inside.val().own.own_bit;
        self.waits_q.d.next = self.own.val().any()
            & !(self.inside.val().op.follows_own & self.ends.val())
            & !(self.ctrl.val().complete & self.ctrl.val().commit_warps.has_next);
        self.waited.d.next = self.waits_q.q.val();
        self.waits_now.next = self.waits_q.q.val();
        self.waiting.next = self.waiters.q.val() | self.inside.val().own.will_wait;
    }
}
