// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who may not go on: warps that wait at a barrier, are trapped, or hang.
//!
//! *Reads:* whose arrival is one cycle inside (`coming`); of the operation in its last cycle who goes on, whether it is refused, and whether it
//! writes a warp's state or gives warps back. *Writes:* `blocked` (gate), `trapped`; of its warp whether it waits or is trapped.
//! *Latency:* 1, to `blocked` from `coming` 0. Implements "restarted without delay" of spec 000 and the fault policies of
//! `docs/interface.md`.
//!
//! The bit of an arrival is set while the one before it has its effects, and wins: so at its own effects, and at those of a Read, the bits are
//! those that the operations before have left.

use crate::unit::op::FaultPolicy;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W` warps.
#[block]
pub struct Stops<W> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Checks are built: without, nobody is trapped or hangs.
    pub checks: Signal<In, Bit>,
    pub coming: Signal<In, Bits<W>>,
    /// The warp of the operation, or all that a release names.
    pub mask: Signal<In, Bits<W>>,
    /// The warp of the operation inside, if it has but one; the operation in its last cycle is of the same warp.
    pub inside: Signal<In, Bits<W>>,
    pub follows_own: Signal<In, Bit>,
    /// The warp of the operation in its last cycle waited in the row of the one just before, if that was open.
    pub waited: Signal<In, Bit>,
    pub was_open: Signal<In, Bit>,
    pub complete: Signal<In, Bit>,
    /// The others that waited for what is complete.
    pub before: Signal<In, Bits<W>>,
    /// The operation is refused; no policy holds for it.
    pub refused: Signal<In, Bit>,
    pub exempt: Signal<In, Bit>,
    pub policy: Signal<In, FaultPolicy>,
    /// A Sync or Reduce without a fault from upstream; its row changes; it completes if its row changes.
    pub waiter: Signal<In, Bit>,
    pub changes: Signal<In, Bit>,
    pub full: Signal<In, Bit>,
    /// The warps of `mask` are given back.
    pub forgets: Signal<In, Bit>,
    /// The warp's state is written. It waits, and is trapped.
    pub restores: Signal<In, Bit>,
    pub waits_then: Signal<In, Bit>,
    pub traps: Signal<In, Bit>,
    pub blocked: Signal<Out, Bits<W>>,
    pub trapped: Signal<Out, Bits<W>>,
    /// Of the operation that was inside one cycle before.
    pub waits_now: Signal<Out, Bit>,
    pub trapped_now: Signal<Out, Bit>,
    waits: DFF<Bits<W>>,
    trap: DFF<Bits<W>>,
    hang: DFF<Bits<W>>,
    /// Of the warp of the operation one cycle before: it waits unless it waited for what was complete then; it is trapped.
    kept_waits: DFF<Bit>,
    kept_trap: DFF<Bit>,
    completed: DFF<Bit>,
    gone: Signal<Local, Bits<W>>,
    own: Signal<Local, Bits<W>>,
    gains: Signal<Local, Bits<W>>,
    loses: Signal<Local, Bits<W>>,
    sets: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

#[block]
impl Logic for Stops<W> {
    #[hdl_gen]
    fn update(&mut self) {
        // Its own bit; it sets or clears it, or neither. A Sync or Reduce clears it unless it waits on.
        self.sets.next = self.restores.val() & self.waits_then.val();
        self.ends.next = self.forgets.val() | (self.waiter.val() & (self.full.val() | !self.changes.val()));
        self.own.next = self.waits.q.val();
        if self.sets.val() {
            self.own.next = self.waits.q.val() | self.mask.val();
        }
        if self.ends.val() {
            self.own.next = self.waits.q.val() & !self.mask.val();
        }
        self.gone.next = 0.into();
        if self.complete.val() {
            self.gone.next = self.before.val();
        }
        self.waits.d.next = (self.own.val() & !self.gone.val()) | self.coming.val();

        // What a Read or a Write will find, with what the operation just before does to its own warp.
        self.own.next = self.waits.q.val() & self.inside.val();
        self.kept_waits.d.next =
            (self.own.val().any() & !(self.follows_own.val() & self.ends.val())) | (self.follows_own.val() & self.sets.val());
        self.completed.d.next = self.complete.val() & self.was_open.val();
        self.waits_now.next = self.kept_waits.q.val() & !(self.completed.q.val() & self.waited.val());

        // Written as gates, since as enables they would come later.
        self.sets.next = (self.refused.val() & !self.exempt.val() & (self.policy.val() == FaultPolicy::Trap))
            | (self.restores.val() & self.traps.val());
        self.frees.next = self.forgets.val() | (self.restores.val() & !self.traps.val());
        self.gains.next = 0.into();
        if self.sets.val() {
            self.gains.next = self.mask.val();
        }
        self.loses.next = 0.into();
        if self.frees.val() {
            self.loses.next = self.mask.val();
        }
        self.trap.d.next = (self.trap.q.val() & !self.loses.val()) | self.gains.val();
        self.own.next = self.trap.q.val() & self.inside.val();
        self.kept_trap.d.next =
            (self.own.val().any() & !(self.follows_own.val() & self.frees.val())) | (self.follows_own.val() & self.sets.val());
        self.trapped_now.next = self.kept_trap.q.val();
        self.sets.next = self.refused.val() & !self.exempt.val() & (self.policy.val() == FaultPolicy::Hang);
        self.gains.next = 0.into();
        if self.sets.val() {
            self.gains.next = self.mask.val();
        }
        self.loses.next = 0.into();
        if self.forgets.val() {
            self.loses.next = self.mask.val();
        }
        self.hang.d.next = (self.hang.q.val() & !self.loses.val()) | self.gains.val();

        if !self.checks.val() {
            self.trap.d.next = 0.into();
            self.hang.d.next = 0.into();
            self.kept_trap.d.next = false;
        }
        if self.reset.val() {
            self.waits.d.next = 0.into();
            self.trap.d.next = 0.into();
            self.hang.d.next = 0.into();
        }
        self.blocked.next = self.waits.q.val() | self.trap.q.val() | self.hang.q.val() | self.coming.val();
        self.trapped.next = self.trap.q.val();
    }
}
