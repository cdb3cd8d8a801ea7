// SPDX-License-Identifier: Apache-2.0 OR MIT
//! When suspended warps have waited long enough.
//!
//! *Reads:* the item that is decided, and whether it suspends its warp; whether the time-out is taken. *Writes:* a time-out. *Latency:* 2 from
//! the cycle in which a warp is looked at. Implements *Time* of `docs/mbarrier.md`.
//!
//! One warp is looked at in a cycle, each once a tick, so that one comparator serves all. Nothing is forgotten while a time-out waits, because
//! the counter stands.

use super::item::TimeOut;
use super::sums::Ctrl;
use crate::prelude::*;

/// When a warp's limit has passed; all 0: never.
#[payload]
pub struct Due<XI, XL> {
    pub armed: Bit,
    pub tick: Bits<XL>,
    pub entry: Bits<XI>,
}

#[block]
pub struct Ticks<W, LW, LC, XW, XI, XT, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub ctrl: Signal<In, Ctrl<W, LW, LC, XW, XI, XT, XL>>,
    pub suspends: Signal<In, Bit>,
    /// The entries are cleared; the warp that is cleared with one of them.
    pub cleared: Signal<In, Bit>,
    pub clear_warp: Signal<In, Bits<LW>>,
    pub late: Source<TimeOut<LW, XI>>,
    due: Ram<Packed<Due<XI, XL>>, LW>,
    /// The place in the tick, whose low bits are a warp; the tick.
    #[reset]
    place: DFF<Bits<6>>,
    #[reset]
    tick: DFF<Bits<XL>>,
    /// The warp that was looked at in the cycle before, if one was; the tick of then.
    #[reset]
    looked: DFF<Bit>,
    warp: DFF<Bits<LW>>,
    tick_then: DFF<Bits<XL>>,
    #[reset]
    pending: DFF<Bit>,
    time_out: DFF<TimeOut<LW, XI>>,
    /// A suspension of the cycle before.
    #[reset]
    suspended: DFF<Bit>,
    limit: DFF<Bits<XL>>,
    suspended_warp: DFF<Bits<LW>>,
    suspended_entry: DFF<Bits<XI>>,
    found: Signal<Local, Due<XI, XL>>,
    kept: Signal<Local, Due<XI, XL>>,
    now: Signal<Local, Bits<LW>>,
    fires: Signal<Local, Bit>,
    runs: Signal<Local, Bit>,
    never: Constant<Due<XI, XL>>,
    #[init(Constant::new((LW as u64).into()))]
    warp_bits: Constant<Bits<3>>,
}

#[block]
impl Logic for Ticks<W, LW, LC, XW, XI, XT, XL> {
    fn update(&mut self) {
        self.found.next = self.due.read_value.val().into();
        self.fires.next = self.looked.q.val() & self.found.val().armed & (self.found.val().tick == self.tick_then.q.val());
        self.runs.next = self.cleared.val() & !self.fires.val() & !self.pending.q.val();
        if self.runs.val() {
            self.place.d.next = self.place.q.val() + 1;
            if self.place.q.val().all() {
                self.tick.d.next = self.tick.q.val() + 1;
            }
        }
        self.now.next = bit_cast::<LW, 6>(self.place.q.val());
        self.looked.d.next = self.runs.val()
            & !(self.place.q.val() >> self.warp_bits.val()).any()
            & !(self.suspended.q.val() & (self.suspended_warp.q.val() == self.now.val()));
        self.warp.d.next = self.now.val();
        self.tick_then.d.next = self.tick.q.val();

        self.pending.d.next = self.fires.val() | (self.pending.q.val() & !self.late.ready.val());
        if self.fires.val() {
            self.time_out.d.next.warp = self.warp.q.val();
            self.time_out.d.next.entry = self.found.val().entry;
        }
        self.late.valid.next = self.pending.q.val();
        self.late.payload.next = self.time_out.q.val();

        self.suspended.d.next = self.suspends.val();
        self.limit.d.next = self.ctrl.val().limit;
        self.suspended_warp.d.next = self.ctrl.val().item.warp;
        self.suspended_entry.d.next = self.ctrl.val().entry;
        self.kept.next.armed = true;
        self.kept.next.tick = self.tick.q.val() + self.limit.q.val();
        self.kept.next.entry = self.suspended_entry.q.val();
        self.due.read.next = true;
        self.due.read_address.next = self.now.val();
        self.due.write.next = self.suspended.q.val() | !self.cleared.val();
        self.due.write_address.next = self.suspended_warp.q.val();
        self.due.write_value.next = self.kept.val().into();
        if !self.cleared.val() {
            self.due.write_address.next = self.clear_warp.val();
            self.due.write_value.next = self.never.val().into();
        }
    }
}
