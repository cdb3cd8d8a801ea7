// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Who may not go on: warps that wait at a barrier, are trapped, or hang.
//!
//! *Reads:* whose wait begins (`blocks`, from what enters); of the operation inside who goes on, whether it is refused, and whether it
//! writes a warp's state or gives warps back. *Writes:* `blocked` (gate), `trapped`; of the warp inside whether it waits or is trapped.
//! *Latency:* 1. Implements "restarted without delay" of spec 000 and the fault policies of `docs/interface.md`.

use crate::unit::op::FaultPolicy;
use rust_hdl::prelude::*;

/// `W` warps.
#[derive(LogicBlock, Default)]
pub struct Stops<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub blocks: Signal<In, Bits<W>>,
    /// The warp of the operation inside, or all that a release names.
    pub mask: Signal<In, Bits<W>>,
    pub go: Signal<In, Bits<W>>,
    /// An operation of a warp is refused for which the policy holds.
    pub refused: Signal<In, Bit>,
    pub policy: Signal<In, FaultPolicy>,
    /// A Sync or Reduce with a fault that was found here.
    pub balked: Signal<In, Bit>,
    /// The warps of `mask` are given back.
    pub forgotten: Signal<In, Bit>,
    /// The warp's state is written: it waits again, and it is trapped.
    pub restored: Signal<In, Bit>,
    pub waits_again: Signal<In, Bit>,
    pub traps: Signal<In, Bit>,
    pub blocked: Signal<Out, Bits<W>>,
    pub trapped: Signal<Out, Bits<W>>,
    pub waits_now: Signal<Out, Bit>,
    pub trapped_now: Signal<Out, Bit>,
    waits: DFF<Bits<W>>,
    trap: DFF<Bits<W>>,
    hang: DFF<Bits<W>>,
    ends: Signal<Local, Bits<W>>,
    begins: Signal<Local, Bits<W>>,
    own: Signal<Local, Bits<W>>,
}

impl<const W: usize> Logic for Stops<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, trap, hang);
        self.own.next = self.waits.q.val() & self.mask.val();
        self.waits_now.next = self.own.val().any();
        self.own.next = self.trap.q.val() & self.mask.val();
        self.trapped_now.next = self.own.val().any();

        self.ends.next = self.go.val();
        if self.balked.val() | self.forgotten.val() {
            self.ends.next = self.mask.val();
        }
        self.begins.next = self.blocks.val();
        if self.restored.val() & self.waits_again.val() {
            self.begins.next = self.blocks.val() | self.mask.val();
        }
        self.waits.d.next = (self.waits.q.val() & !self.ends.val()) | self.begins.val();

        if (self.refused.val() & (self.policy.val() == FaultPolicy::Trap)) | (self.restored.val() & self.traps.val()) {
            self.trap.d.next = self.trap.q.val() | self.mask.val();
        }
        if self.forgotten.val() | (self.restored.val() & !self.traps.val()) {
            self.trap.d.next = self.trap.q.val() & !self.mask.val();
        }
        if self.refused.val() & (self.policy.val() == FaultPolicy::Hang) {
            self.hang.d.next = self.hang.q.val() | self.mask.val();
        }
        if self.forgotten.val() {
            self.hang.d.next = self.hang.q.val() & !self.mask.val();
        }

        if self.reset.val() {
            self.waits.d.next = 0.into();
            self.trap.d.next = 0.into();
            self.hang.d.next = 0.into();
        }
        self.blocked.next = self.waits.q.val() | self.trap.q.val() | self.hang.q.val();
        self.trapped.next = self.trap.q.val();
    }
}
