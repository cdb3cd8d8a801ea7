// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the barriers must know of each CTA: warps launched, warps live, barriers declared, last id used without a count.
//!
//! *Reads:* `entry` of the operation that enters, with what a launch says; of the operation inside whether it is a launch or an exit in its
//! first slot; of the one in its last cycle `record` with the id. *Writes:* the entry of the operation inside, which stays there through both slots; in the
//! first slot of an exit the id that it looks for. *Latency:* 1. Implements "all warps of the CTA" of spec 000 and the exited warps of
//! spec 001.
//!
//! Only launches and exits write entries, and nothing enters behind one in the cycle in which it does, so entries are not forwarded. The
//! last id is, from the two operations before an exit. Where nothing was recorded it is some id, since an exit does nothing to a row that is
//! idle or has a count. After reset the entry of a slot is written with 0 while its rows have their turns.

use crate::prim::ram::{Ram1, Ram2};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// Slots of `LC` bits, warps counted in `CW` bits, ids of `LI` bits, numbers of ids in `IW` bits.
#[block]
pub struct Ctas<CW, LC, LI, IW> {
    pub clock: Signal<In, Clock>,
    pub entry: Signal<In, Bits<LC>>,
    pub op_warps: Signal<In, Bits<CW>>,
    pub op_live: Signal<In, Bits<CW>>,
    pub op_barriers: Signal<In, Bits<5>>,
    /// What enters is a row's turn after a reset.
    pub blank: Signal<In, Bit>,
    /// The operation inside: its slot, and what it is.
    pub cta: Signal<In, Bits<LC>>,
    pub beat: Signal<In, Bit>,
    pub beat_exit: Signal<In, Bit>,
    pub beat_launch: Signal<In, Bit>,
    pub whole: Signal<In, Bit>,
    /// The operation in its last cycle: its slot, whether it leaves a row without a count, the id of that row; a turn after a reset.
    pub last_cta: Signal<In, Bits<LC>>,
    pub record: Signal<In, Bit>,
    pub row: Signal<In, Bits<LI>>,
    pub last_whole: Signal<In, Bit>,
    pub warps: Signal<Out, Bits<CW>>,
    pub barriers: Signal<Out, Bits<IW>>,
    pub live: Signal<Out, Bits<CW>>,
    /// One less than `live`.
    pub others: Signal<Out, Bits<CW>>,
    /// The last id; the same in two halves: as it is stored if `stored`, else that of one of the two operations before.
    pub last_id: Signal<Out, Bits<LI>>,
    pub stored: Signal<Out, Bit>,
    pub stored_id: Signal<Out, Bits<LI>>,
    pub recent_id: Signal<Out, Bits<LI>>,
    sizes: Ram2<LC, CW, IW>,
    present: Ram2<LC, CW, CW>,
    last: Ram1<LC, LI>,
    launch_warps: DFF<Bits<CW>>,
    launch_live: DFF<Bits<CW>>,
    launch_barriers: DFF<Bits<IW>>,
    /// The operation just before is one of the slot of the operation inside; the one before that recorded an id for it.
    near: DFF<Bit>,
    hit: DFF<Bit>,
    row_before: DFF<Bits<LI>>,
    recent: Signal<Local, Bits<LI>>,
    remain: Signal<Local, Bits<CW>>,
    #[init(Constant::new((1u64 << LI).into()))]
    built: Constant<Bits<5>>,
}

#[block]
impl Logic for Ctas<CW, LC, LI, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        if !self.beat.val() {
            self.launch_warps.d.next = self.op_warps.val();
            self.launch_live.d.next = self.op_live.val();
            self.launch_barriers.d.next = bit_cast::<IW, 5>(self.op_barriers.val());
            if self.op_barriers.val() > self.built.val() {
                self.launch_barriers.d.next = bit_cast::<IW, 5>(self.built.val());
            }
            if self.blank.val() {
                self.launch_warps.d.next = 0.into();
                self.launch_live.d.next = 0.into();
                self.launch_barriers.d.next = 0.into();
            }
        }
        self.sizes.read.next = !self.beat.val();
        self.sizes.read_address.next = self.entry.val();
        self.sizes.write.next = self.beat_launch.val() | self.whole.val();
        self.sizes.write_address.next = self.cta.val();
        self.sizes.write_0.next = self.launch_warps.q.val();
        self.sizes.write_1.next = self.launch_barriers.q.val();
        self.warps.next = self.sizes.read_0.val();
        self.barriers.next = self.sizes.read_1.val();

        self.remain.next = self.launch_live.q.val();
        if self.beat_exit.val() {
            self.remain.next = self.present.read_1.val();
        }
        self.present.read.next = !self.beat.val();
        self.present.read_address.next = self.entry.val();
        self.present.write.next = self.beat_launch.val() | self.beat_exit.val() | self.whole.val();
        self.present.write_address.next = self.cta.val();
        self.present.write_0.next = self.remain.val();
        self.present.write_1.next = self.remain.val() - 1;
        self.live.next = self.present.read_0.val();
        self.others.next = self.present.read_1.val();
        self.last.read.next = true;
        self.last.read_address.next = self.entry.val();
        self.last.write.next = self.record.val() | self.last_whole.val();
        self.last.write_address.next = self.last_cta.val();
        self.last.write_0.next = self.row.val();
        self.near.d.next = self.entry.val() == self.cta.val();
        self.hit.d.next = self.record.val() & (self.entry.val() == self.last_cta.val());
        self.row_before.d.next = self.row.val();
        self.recent.next = self.row_before.q.val();
        if self.near.q.val() & self.record.val() {
            self.recent.next = self.row.val();
        }
        self.stored.next = !self.hit.q.val() & !(self.near.q.val() & self.record.val());
        self.stored_id.next = self.last.read_0.val();
        self.recent_id.next = self.recent.val();
        self.last_id.next = self.recent.val();
        if self.stored.val() {
            self.last_id.next = self.last.read_0.val();
        }
    }
}
