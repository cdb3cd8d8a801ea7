// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Time-outs of suspended warps.
//!
//! *Reads:* the item in the decide stage, and whether it suspends its warp; the suspended warps; whether the time-out is taken.
//! *Writes:* a time-out. *Latency:* 2 from the cycle in which a warp is examined. Implements *Time* of `docs/contract/mbarrier.md`.
//!
//! One comparator serves all warps: at most one warp is examined in a cycle, and each warp once in a tick of 64 cycles. The
//! tick counter stops while a time-out waits to be taken, so that no other warp misses its due tick.
//!
//! A time-out ends only the suspension for which it was started. If the warp is woken before its time-out enters the queue, the
//! time-out is dropped. If the time-out is already in the queue, later operations of the warp enter the queue after it, so the
//! time-out cannot end a suspension by a later operation. The due tick of a warp that is not suspended is ignored.

use super::item::TimeOut;
use crate::prelude::*;

/// The time at which a warp's time-out is due. Sizes: cache entry numbers of `XI` bits, tick counts of `XL` bits.
#[payload]
pub struct Due<XI, XL> {
    /// Number of the tick in which the time-out of the warp is due.
    pub tick: Bits<XL>,
    /// Entry at which the warp was suspended.
    pub entry: Bits<XI>,
}

/// Sizes: `W` warps with numbers of `LW` bits, cache entry numbers of `XI` bits, tick counts of `XL` bits.
#[block]
pub struct Ticks<W, LW, XI, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Warp of the item in the decide stage.
    pub warp: Signal<In, Bits<LW>>,
    /// Entry of the item in the decide stage.
    pub entry: Signal<In, Bits<XI>>,
    /// Maximum number of ticks that the warp is suspended.
    pub limit: Signal<In, Bits<XL>>,
    /// The item in the decide stage suspends its warp.
    pub suspends: Signal<In, Bit>,
    /// After reset: all cache entries have been cleared.
    pub cleared: Signal<In, Bit>,
    /// Suspended warps.
    pub suspended_warps: Signal<In, Bits<W>>,
    /// The time-out that is due.
    pub time_out: Source<TimeOut<LW, XI>>,
    /// Due tick and entry of each warp.
    due_times: Ram<Packed<Due<XI, XL>>, LW>,
    /// Cycle in the tick, 0 to 63; its low bits are the number of the warp that is examined.
    #[reset]
    cycle_in_tick: DFF<Bits<6>>,
    /// Number of the present tick.
    #[reset]
    tick: DFF<Bits<XL>>,
    /// A warp was examined in the previous cycle.
    #[reset]
    has_examined: DFF<Bit>,
    /// Warp that was examined last; held while the time-out of that warp waits to be taken.
    examined_warp: DFF<Bits<LW>>,
    /// Tick in which `examined_warp` was examined.
    examined_tick: DFF<Bits<XL>>,
    /// A time-out waits to be taken.
    #[reset]
    time_out_pending: DFF<Bit>,
    /// Entry of the time-out that waits to be taken.
    pending_entry: DFF<Bits<XI>>,
    /// The decision of the previous cycle suspended a warp.
    #[reset]
    has_suspended: DFF<Bit>,
    /// Maximum number of ticks for the warp in `suspended_warp`.
    suspended_limit: DFF<Bits<XL>>,
    /// The warp that the decision of the previous cycle suspended; meaningful if `has_suspended` is 1.
    suspended_warp: DFF<Bits<LW>>,
    /// The entry at which `suspended_warp` was suspended.
    suspended_entry: DFF<Bits<XI>>,
    /// Due tick and entry of `examined_warp`.
    examined_due: Signal<Local, Due<XI, XL>>,
    /// Due tick and entry of `suspended_warp`.
    suspended_due: Signal<Local, Due<XI, XL>>,
    /// Warp that is examined in this cycle, if `cycle_in_tick` is below the number of warps.
    lookup_warp: Signal<Local, Bits<LW>>,
    /// `examined_warp` is suspended.
    still_suspended: Signal<Local, Bit>,
    /// A warp was examined in the previous cycle and is suspended, and its due tick had been written before the read.
    due_valid: Signal<Local, Bit>,
    /// The time-out of `examined_warp` is due.
    fires: Signal<Local, Bit>,
    /// `cycle_in_tick` counts in this cycle.
    runs: Signal<Local, Bit>,
    #[init(Constant::new((LW as u64).into()))]
    warp_bits: Constant<Bits<3>>,
}

#[block]
impl Logic for Ticks {
    fn update(&mut self) {
        self.examined_due.next = self.due_times.read_value.val().into();
        self.still_suspended.next = self.suspended_warps.val().at(self.examined_warp.q.val());
        self.due_valid.next = self.has_examined.q.val()
            & self.still_suspended.val()
            & !(self.has_suspended.q.val() & (self.suspended_warp.q.val() == self.examined_warp.q.val()));
        self.fires.next = self.due_valid.val() & (self.examined_due.val().tick == self.examined_tick.q.val());
        self.runs.next = self.cleared.val() & !self.fires.val() & !self.time_out_pending.q.val();
        if self.runs.val() {
            self.cycle_in_tick.d.next = self.cycle_in_tick.q.val() + 1;
            if self.cycle_in_tick.q.val().all() {
                self.tick.d.next = self.tick.q.val() + 1;
            }
        }
        self.lookup_warp.next = bit_cast::<LW, 6>(self.cycle_in_tick.q.val());
        self.has_examined.d.next = self.runs.val()
            & !(self.cycle_in_tick.q.val() >> self.warp_bits.val()).any()
            & !(self.has_suspended.q.val() & (self.suspended_warp.q.val() == self.lookup_warp.val()));
        if self.runs.val() {
            self.examined_warp.d.next = self.lookup_warp.val();
        }
        self.examined_tick.d.next = self.tick.q.val();

        self.time_out_pending.d.next =
            self.fires.val() | (self.time_out_pending.q.val() & self.still_suspended.val() & !self.time_out.ready.val());
        if self.fires.val() {
            self.pending_entry.d.next = self.examined_due.val().entry;
        }
        self.time_out.valid.next = self.time_out_pending.q.val();
        self.time_out.payload.next.warp = self.examined_warp.q.val();
        self.time_out.payload.next.entry = self.pending_entry.q.val();

        self.has_suspended.d.next = self.suspends.val();
        self.suspended_limit.d.next = self.limit.val();
        self.suspended_warp.d.next = self.warp.val();
        self.suspended_entry.d.next = self.entry.val();
        self.suspended_due.next.tick = self.tick.q.val() + self.suspended_limit.q.val();
        self.suspended_due.next.entry = self.suspended_entry.q.val();
        self.due_times.read.next = true;
        self.due_times.read_address.next = self.lookup_warp.val();
        self.due_times.write.next = self.has_suspended.q.val();
        self.due_times.write_address.next = self.suspended_warp.q.val();
        self.due_times.write_value.next = self.suspended_due.val().into();
    }
}
