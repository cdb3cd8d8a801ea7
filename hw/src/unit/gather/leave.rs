// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves: the operations passed on, the strobes, and what is known of each warp.
//!
//! *Reads:* what comes of the operation two cycles inside; whether an operation is one cycle inside and looked at, and whether one will be one
//! cycle inside in the next cycle; whose operation is one cycle inside. *Writes:* the operation channel, the strobes and `gathering`, `leaving`
//! (latency 1; `leaving` also shows, as a gate, whose operation may be added to it); `full`, the queue has no place; in the same cycle, for the next
//! one (to be put into a register), `room`: the operation that enters next cycle finds a place.

use super::enter::{Asks, Passed};
use crate::prim::queue::Queue;
use crate::unit::op::FaultCode;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W = 2^LW` warps of `L` lanes.
#[block]
pub struct Leave<W, LW, L> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Passed on, or kept for want of a place.
    pub passes: Signal<In, Bit>,
    pub stays: Signal<In, Bit>,
    pub passed: Signal<In, Passed>,
    pub mask: Signal<In, Bits<W>>,
    pub now: Signal<In, Asks>,
    /// It acts on its warp's row.
    pub changes: Signal<In, Bit>,
    pub gone: Signal<In, Bit>,
    pub all_wait: Signal<In, Bit>,
    pub strobe: Signal<In, Bit>,
    pub going: Signal<In, Bits<L>>,
    pub leaders: Signal<In, Bits<L>>,
    pub retry: Signal<In, Bit>,
    /// An operation is one cycle inside and looked at; one will be there in the next cycle, looked at or not.
    pub inside: Signal<In, Bit>,
    pub coming: Signal<In, Bit>,
    /// The warp of the operation that is there, and whether it may be one that an exit has caused.
    pub entered: Signal<In, Bits<LW>>,
    pub may_leave: Signal<In, Bit>,
    pub op_ready: Signal<In, Bit>,
    pub left: Signal<In, Bits<W>>,
    pub op_valid: Signal<Out, Bit>,
    pub head: Signal<Out, Passed>,
    pub head_mask: Signal<Out, Bits<W>>,
    pub lanes_valid: Signal<Out, Bit>,
    pub lanes_warp: Signal<Out, Bits<LW>>,
    pub lanes_mask: Signal<Out, Bits<L>>,
    pub lanes_leaders: Signal<Out, Bits<L>>,
    pub lanes_retry: Signal<Out, Bit>,
    pub gone_valid: Signal<Out, Bit>,
    pub gone_warp: Signal<Out, Bits<LW>>,
    pub swallowed: Signal<Out, Bits<W>>,
    pub gathering: Signal<Out, Bits<W>>,
    pub leaving: Signal<Out, Bits<W>>,
    pub full: Signal<Out, Bit>,
    /// For the next cycle, combinational.
    pub room: Signal<Out, Bit>,
    reg_full: DFF<Bit>,
    queue: Queue<Passed, 3>,
    masks: Queue<Bits<W>, 3>,
    reg_strobe: DFF<Bit>,
    reg_warp: DFF<Bits<LW>>,
    reg_going: DFF<Bits<L>>,
    reg_leaders: DFF<Bits<L>>,
    reg_retry: DFF<Bit>,
    reg_gone: DFF<Bit>,
    reg_gone_warp: DFF<Bits<LW>>,
    reg_swallowed: DFF<Bits<W>>,
    reg_gathering: DFF<Bits<W>>,
    reg_leaving: DFF<Bits<W>>,
    /// The warp of the operation two cycles inside, and the same if it may be added to `leaving`.
    own: DFF<Bits<W>>,
    shows: DFF<Bits<W>>,
    warp: Signal<Local, Bits<LW>>,
    next: Signal<Local, Bits<W>>,
    next_shows: Signal<Local, Bits<W>>,
    sets: Signal<Local, Bits<W>>,
    pop: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for Leave<W, LW, L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.warp.next = bit_cast::<LW, 6>(self.passed.val().warp);
        self.next.next = self.no_warps.val().replace_bit(self.entered.val().index(), true);
        self.own.d.next = self.next.val();

        // What is passed on.
        self.pop.next = self.queue.valid.val() & self.op_ready.val();
        self.full.next = self.reg_full.q.val() & !self.pop.val();
        self.queue.push.next = self.passes.val() & !self.stays.val();
        self.queue.data.next = self.passed.val();
        self.queue.pop.next = self.pop.val();
        self.masks.push.next = self.passes.val() & !self.stays.val();
        self.masks.data.next = self.mask.val();
        self.masks.pop.next = self.pop.val();
        self.reg_full.d.next = self.queue.used_next.val().get_bit(2);
        // What stays is the fourth; each operation inside may need a place, and so may the one that enters next.
        self.room.next = !self.stays.val();
        if self.inside.val() | self.coming.val() {
            self.room.next = !self.queue.used_next.val().get_bit(2);
        }
        if self.inside.val() & self.coming.val() {
            self.room.next = !self.queue.used_next.val().get_bit(1);
        }

        // The strobes.
        self.reg_strobe.d.next = self.strobe.val();
        if self.strobe.val() {
            self.reg_warp.d.next = self.warp.val();
            self.reg_going.d.next = self.going.val();
            self.reg_leaders.d.next = self.leaders.val();
            self.reg_retry.d.next = self.retry.val();
        }
        self.reg_gone.d.next = self.gone.val();
        if self.gone.val() {
            self.reg_gone_warp.d.next = self.warp.val();
        }
        self.reg_swallowed.d.next = 0.into();
        if self.now.val().valid & self.passed.val().counted & !self.passes.val() {
            self.reg_swallowed.d.next = self.own.q.val();
        }

        // The warps.
        if self.changes.val() {
            self.reg_gathering.d.next = self.reg_gathering.q.val() & !self.own.q.val();
            if self.all_wait.val() {
                self.reg_gathering.d.next = self.reg_gathering.q.val() | self.own.q.val();
            }
        }
        if self.now.val().starts {
            self.reg_gathering.d.next = self.reg_gathering.q.val() & !self.mask.val();
        }
        self.next_shows.next = 0.into();
        if self.may_leave.val() {
            self.next_shows.next = self.next.val();
        }
        self.shows.d.next = 0.into();
        if self.inside.val() {
            self.shows.d.next = self.next_shows.val();
        }
        self.sets.next = 0.into();
        if self.passes.val() & (self.passed.val().fault == FaultCode::None) {
            self.sets.next = self.shows.q.val();
        }
        self.reg_leaving.d.next = (self.reg_leaving.q.val() & !self.left.val()) | self.sets.val();

        if self.reset.val() {
            self.reg_strobe.d.next = false;
            self.reg_warp.d.next = 0.into();
            self.reg_going.d.next = 0.into();
            self.reg_leaders.d.next = 0.into();
            self.reg_retry.d.next = false;
            self.reg_gone.d.next = false;
            self.reg_gone_warp.d.next = 0.into();
            self.reg_swallowed.d.next = 0.into();
            self.reg_gathering.d.next = 0.into();
            self.reg_leaving.d.next = 0.into();
            self.shows.d.next = 0.into();
            self.reg_full.d.next = false;
        }
        self.op_valid.next = self.queue.valid.val();
        self.head.next = self.queue.head.val();
        self.head_mask.next = self.masks.head.val();
        self.lanes_valid.next = self.reg_strobe.q.val();
        self.lanes_warp.next = self.reg_warp.q.val();
        self.lanes_mask.next = self.reg_going.q.val();
        self.lanes_leaders.next = self.reg_leaders.q.val();
        self.lanes_retry.next = self.reg_retry.q.val();
        self.gone_valid.next = self.reg_gone.q.val();
        self.gone_warp.next = self.reg_gone_warp.q.val();
        self.swallowed.next = self.reg_swallowed.q.val();
        self.gathering.next = self.reg_gathering.q.val();
        self.leaving.next = self.reg_leaving.q.val() | self.shows.q.val() | self.next_shows.val();
    }
}
