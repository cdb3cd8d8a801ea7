// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The entry of each CTA: warps launched, warps live, barriers declared, last id used without a count.
//!
//! *Reads:* the CTA slot of the entering operation, with the sizes of a Launch; whether a Launch or an Exit is in its first slot
//! in the lookup stage; whether the operation in the commit stage leaves its row open without a count, and its id. *Writes:* the
//! entry for the operation in the lookup stage, held through both of its slots; for an Exit in its first slot the id of the row to
//! look up. *Latency:* 1. Implements "all warps of the CTA" of spec 000 and the exited warps of spec 001.
//!
//! Only Launch and Exit write sizes and live warps, in their first slot, in which no operation enters after them: so these are not
//! forwarded. The last id is forwarded from the two operations before an Exit. Before an id was recorded it may be any id,
//! because an Exit has no effect on a row that is idle or has a count. After a reset the entry of a slot is written with 0 while
//! its rows are cleared.

use super::ctrl::Ctrl;
use super::front::Front;
use super::inside::{Present, Sizes};
use crate::prelude::*;

#[block]
pub struct Ctas<W, LW, CW, LC, LI, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    /// The sizes of a Launch.
    pub launch: Signal<In, CtaSizes<CW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub sizes: Signal<Out, Sizes<CW, IW>>,
    pub present: Signal<Out, Present<CW>>,
    pub last_id: Signal<Out, Bits<LI>>,
    sizes_ram: Ram<Packed<Sizes<CW, IW>>, LC>,
    present_ram: Ram<Packed<Present<CW>>, LC>,
    last_ram: Ram<Bits<LI>, LC>,
    launch_sizes: DFF<Sizes<CW, IW>>,
    launch_live: DFF<Bits<CW>>,
    /// The operation directly before has the same CTA slot.
    near: DFF<Bit>,
    /// The operation two before recorded an id for the same CTA slot.
    hit: DFF<Bit>,
    /// The id that the operation two before recorded.
    row_before: DFF<Bits<LI>>,
    /// The operation in the commit stage records its id.
    record: Signal<Local, Bit>,
    row: Signal<Local, Bits<LI>>,
    /// Live warps after the Launch or Exit in its first slot.
    remain: Signal<Local, Present<CW>>,
    live: Signal<Local, Bits<CW>>,
    /// The id that one of the two operations before recorded.
    recent: Signal<Local, Bits<LI>>,
    /// Neither of these operations recorded an id: the id is that of the RAM.
    stored: Signal<Local, Bit>,
    #[init(Constant::new((config.ids() as u64).into()))]
    most: Constant<Bits<6>>,
    none: Constant<Sizes<CW, IW>>,
}

#[block]
impl Logic for Ctas<W, LW, CW, LC, LI, IW, AW> {
    fn update(&mut self) {
        if !self.front.val().step.first_slot {
            self.launch_sizes.d.next.warps = self.launch.val().warps;
            self.launch_sizes.d.next.barriers = bit_cast::<IW, 6>(self.launch.val().barriers);
            if self.launch.val().barriers > self.most.val() {
                self.launch_sizes.d.next.barriers = bit_cast::<IW, 6>(self.most.val());
            }
            self.launch_live.d.next = self.launch.val().live;
            if self.front.val().entering.blank {
                self.launch_sizes.d.next = self.none.val();
                self.launch_live.d.next = 0.into();
            }
        }
        self.sizes_ram.read.next = !self.front.val().step.first_slot;
        self.sizes_ram.read_address.next = self.front.val().entering.entry_slot;
        self.sizes_ram.write.next = self.front.val().step.first_slot_launch | self.front.val().step.clears_cta_entry;
        self.sizes_ram.write_address.next = self.front.val().op.entry;
        self.sizes_ram.write_value.next = self.launch_sizes.q.val().into();
        self.sizes.next = self.sizes_ram.read_value.val().into();

        self.present.next = self.present_ram.read_value.val().into();
        self.live.next = self.launch_live.q.val();
        if self.front.val().step.first_slot_exit {
            self.live.next = self.present.val().live_minus_one;
        }
        self.remain.next.live = self.live.val();
        self.remain.next.live_minus_one = self.live.val() - 1;
        self.present_ram.read.next = !self.front.val().step.first_slot;
        self.present_ram.read_address.next = self.front.val().entering.entry_slot;
        self.present_ram.write.next = self.front.val().step.first_slot_launch
            | self.front.val().step.first_slot_exit
            | self.front.val().step.clears_cta_entry;
        self.present_ram.write_address.next = self.front.val().op.entry;
        self.present_ram.write_value.next = self.remain.val().into();

        // A row that completes is not open, so no Exit has to look it up: its id is not recorded.
        self.record.next = self.ctrl.val().checked.changes & self.ctrl.val().records & !self.ctrl.val().completes_if_written;
        self.row.next = bit_cast::<LI, 4>(self.ctrl.val().op.row_id);
        self.last_ram.read.next = true;
        self.last_ram.read_address.next = self.front.val().entering.entry_slot;
        self.last_ram.write.next = self.record.val() | self.ctrl.val().step.clears_cta_entry;
        self.last_ram.write_address.next = self.ctrl.val().op.entry;
        self.last_ram.write_value.next = self.row.val();
        self.near.d.next = self.front.val().entering.entry_slot == self.front.val().op.entry;
        self.hit.d.next = self.record.val() & (self.front.val().entering.entry_slot == self.ctrl.val().op.entry);
        self.row_before.d.next = self.row.val();
        self.recent.next = self.row_before.q.val();
        if self.near.q.val() & self.record.val() {
            self.recent.next = self.row.val();
        }
        self.stored.next = !self.hit.q.val() & !(self.near.q.val() & self.record.val());
        self.last_id.next = self.recent.val();
        if self.stored.val() {
            self.last_id.next = self.last_ram.read_value.val();
        }
    }
}
