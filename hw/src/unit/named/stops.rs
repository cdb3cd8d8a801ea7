// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who may not go on: warps that wait at a barrier, are trapped, or hang.
//!
//! *Reads:* whose arrival is one cycle inside (`coming`); of the operation in its last cycle who goes on, whether it is refused, and whether it
//! writes a warp's state or gives warps back. *Writes:* `blocked` (gate), `trapped`; of its warp whether it waits or is trapped.
//! *Latency:* 1, to `blocked` from `coming` 0. Implements "restarted without delay" of spec 000 and the fault policies of
//! `docs/interface.md`.
//!
//! The bit of an arrival is set while the one before it has its effects, and wins: so at its own effects, and at those of a Read, the bits are
//! those that the operations before have left. That of a word that lets its warp wait again is set likewise, in the second of its two slots.

use super::{effect::Deed, Inside};
use crate::prelude::*;

/// The warp of the operation that was inside one cycle before.
#[payload]
pub struct Stopped {
    pub waits_now: Bit,
    pub trapped_now: Bit,
}

#[block]
pub struct Stops<W, LW, CW, LC, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub inside: Signal<In, Inside<W, LW, CW, LC, IW, AW>>,
    pub deed: Signal<In, Deed<W, LW, CW, LC, AW>>,
    pub policy: Signal<In, FaultPolicy>,
    pub blocked: Signal<Out, Bits<W>>,
    pub trapped: Signal<Out, Bits<W>>,
    pub stopped: Signal<Out, Stopped>,
    #[reset]
    waits: DFF<Bits<W>>,
    #[reset]
    trap: DFF<Bits<W>>,
    #[reset]
    hang: DFF<Bits<W>>,
    /// Of the warp of the operation one cycle before: it waits unless it waited for what was complete then; it is trapped.
    kept_waits: DFF<Bit>,
    kept_trap: DFF<Bit>,
    completed: DFF<Bit>,
    punishes: Signal<Local, Bit>,
    /// Who is shown from the next cycle on, until it is known whether it waits.
    shown: Signal<Local, Bits<W>>,
    gone: Signal<Local, Bits<W>>,
    own: Signal<Local, Bits<W>>,
    gains: Signal<Local, Bits<W>>,
    loses: Signal<Local, Bits<W>>,
    sets: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

#[block]
impl Logic for Stops<W, LW, CW, LC, IW, AW> {
    fn update(&mut self) {
        self.punishes.next = self.deed.val().refused & !self.deed.val().op.exempt;

        // Its own bit; it sets or clears it, or neither. A Sync or Reduce clears it unless it waits on; a word that is refused clears it
        // unless the warp waited before.
        self.sets.next = self.deed.val().against.restores & self.deed.val().numbers.waits;
        self.ends.next = self.deed.val().forgets
            | (self.deed.val().step.waiter & (self.deed.val().full | !self.deed.val().against.changes))
            | (self.deed.val().step.writes_warp & !self.deed.val().against.restores & !self.kept_waits.q.val());
        self.own.next = self.waits.q.val();
        if self.sets.val() {
            self.own.next = self.waits.q.val() | self.deed.val().crowd.acting;
        }
        if self.ends.val() {
            self.own.next = self.waits.q.val() & !self.deed.val().crowd.acting;
        }
        self.gone.next = 0.into();
        if self.deed.val().complete {
            self.gone.next = self.deed.val().crowd.before;
        }
        self.shown.next = self.inside.val().own.coming;
        if self.inside.val().step.beat {
            self.shown.next = 0.into();
        }
        self.waits.d.next = (self.own.val() & !self.gone.val()) | self.shown.val();

        // What a Read or a Write will find, with what the operation just before does to its own warp.
        self.own.next = self.waits.q.val() & self.inside.val().own.own_bit;
        self.kept_waits.d.next = (self.own.val().any() & !(self.inside.val().op.follows_own & self.ends.val()))
            | (self.inside.val().op.follows_own & self.sets.val());
        self.completed.d.next = self.deed.val().complete & self.deed.val().was_open;
        self.stopped.next.waits_now = self.kept_waits.q.val() & !(self.completed.q.val() & self.deed.val().crowd.waited);

        // Written as gates, since as enables they would come later.
        self.sets.next = (self.punishes.val() & (self.policy.val() == FaultPolicy::Trap))
            | (self.deed.val().against.restores & self.deed.val().numbers.traps);
        self.frees.next = self.deed.val().forgets | (self.deed.val().against.restores & !self.deed.val().numbers.traps);
        self.gains.next = 0.into();
        if self.sets.val() {
            self.gains.next = self.deed.val().crowd.acting;
        }
        self.loses.next = 0.into();
        if self.frees.val() {
            self.loses.next = self.deed.val().crowd.acting;
        }
        self.trap.d.next = (self.trap.q.val() & !self.loses.val()) | self.gains.val();
        self.own.next = self.trap.q.val() & self.inside.val().own.own_bit;
        self.kept_trap.d.next = (self.own.val().any() & !(self.inside.val().op.follows_own & self.frees.val()))
            | (self.inside.val().op.follows_own & self.sets.val());
        self.stopped.next.trapped_now = self.kept_trap.q.val();
        self.gains.next = 0.into();
        if self.punishes.val() & (self.policy.val() == FaultPolicy::Hang) {
            self.gains.next = self.deed.val().crowd.acting;
        }
        self.loses.next = 0.into();
        if self.deed.val().forgets {
            self.loses.next = self.deed.val().crowd.acting;
        }
        self.hang.d.next = (self.hang.q.val() & !self.loses.val()) | self.gains.val();

        // Without checks nobody is trapped or hangs.
        if !self.inside.val().parts.faults {
            self.trap.d.next = 0.into();
            self.hang.d.next = 0.into();
            self.kept_trap.d.next = false;
        }
        self.blocked.next = self.waits.q.val() | self.trap.q.val() | self.hang.q.val() | self.inside.val().own.coming;
        self.trapped.next = self.trap.q.val();
    }
}
