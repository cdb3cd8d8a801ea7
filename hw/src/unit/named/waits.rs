// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who waits at a barrier.
//!
//! *Reads:* whose arrival is one cycle inside (`coming`); of the operation in its last cycle who goes on, whether it is refused, and whether it
//! writes a warp's state or gives warps back. *Writes:* `waiting` (gate); of its warp whether it waits. *Latency:* 1, to `waiting` from `coming` 0.
//! Implements "restarted without delay" of spec 000.
//!
//! The bit of an arrival is set while the one before it has its effects, and wins: so at its own effects, and at those of a Read, the bits are
//! those that the operations before have left. That of a word that lets its warp wait again is set likewise, in the first of its two slots
//! already, so whether its warp waited is kept until its effects.

use super::{commit_stage::Ctrl, Inside};
use crate::prelude::*;

#[block]
pub struct Waits<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub waiting: Signal<Out, Bits<W>>,
    /// The warp of the operation that was inside one cycle before waits.
    pub waits_now: Signal<Out, Bit>,
    #[reset]
    waiters: DFF<Bits<W>>,
    /// The warp of the operation one cycle before waits; that of a word did so two cycles before.
    waits_q: DFF<Bit>,
    waited: DFF<Bit>,
    gone: Signal<Local, Bits<W>>,
    own: Signal<Local, Bits<W>>,
    ends: Signal<Local, Bit>,
}

#[block]
impl Logic for Waits<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        // It clears its own bit, which is set by then, if it is refused, a word unless the warp waited before.
        self.ends.next = self.ctrl.val().forgets
            | (self.ctrl.val().step.waiter & !self.ctrl.val().checked.changes)
            | (self.ctrl.val().step.writes_warp & !self.ctrl.val().checked.restores & !self.waited.q.val());
        self.gone.next = 0.into();
        if self.ends.val() {
            self.gone.next = self.ctrl.val().crowd.acting;
        }
        if self.ctrl.val().complete {
            self.gone.next = self.gone.val() | self.ctrl.val().crowd.waiting;
        }
        self.waiters.d.next = (self.waiters.q.val() & !self.gone.val()) | self.inside.val().own.coming;

        // What a Read or a Write will find.
        self.own.next = self.waiters.q.val() & self.inside.val().own.own_bit;
        self.waits_q.d.next = self.own.val().any()
            & !(self.inside.val().op.follows_own & self.ends.val())
            & !(self.ctrl.val().complete & self.ctrl.val().crowd.has_next);
        self.waited.d.next = self.waits_q.q.val();
        self.waits_now.next = self.waits_q.q.val();
        self.waiting.next = self.waiters.q.val() | self.inside.val().own.coming;
    }
}
