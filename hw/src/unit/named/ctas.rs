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
use super::lookup_op::{LiveWarps, Sizes};
use crate::prelude::*;

#[block]
pub struct Ctas<W, LW, CW, LC, LI, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    /// The sizes of a Launch.
    pub launch: Signal<In, CtaSizes<CW>>,
    pub ctrl: Signal<In, Ctrl<W, LW, CW, LC, AW>>,
    pub sizes: Signal<Out, Sizes<CW, IW>>,
    pub live_warps: Signal<Out, LiveWarps<CW>>,
    pub last_id: Signal<Out, Bits<LI>>,
    sizes_ram: Ram<Packed<Sizes<CW, IW>>, LC>,
    live_ram: Ram<Packed<LiveWarps<CW>>, LC>,
    last_id_ram: Ram<Bits<LI>, LC>,
    launch_sizes: DFF<Sizes<CW, IW>>,
    launch_live: DFF<Bits<CW>>,
    /// The operation directly before has the same CTA slot.
    same_slot: DFF<Bit>,
    /// The operation two before recorded an id for the same CTA slot.
    earlier_recorded: DFF<Bit>,
    /// The id that the operation two before recorded.
    earlier_id: DFF<Bits<LI>>,
    /// The operation in the commit stage records its id.
    records_id: Signal<Local, Bit>,
    commit_id: Signal<Local, Bits<LI>>,
    /// Live warps after the Launch or Exit in its first slot.
    next_live_warps: Signal<Local, LiveWarps<CW>>,
    next_live: Signal<Local, Bits<CW>>,
    /// The id that one of the two operations before recorded.
    recent_id: Signal<Local, Bits<LI>>,
    /// Neither of the two operations before recorded an id for this CTA slot: the last id is the one in the RAM.
    id_in_ram: Signal<Local, Bit>,
    #[init(Constant::new((config.ids() as u64).into()))]
    max_barriers: Constant<Bits<6>>,
    no_sizes: Constant<Sizes<CW, IW>>,
}

#[block]
impl Logic for Ctas<W, LW, CW, LC, LI, IW, AW> {
    fn update(&mut self) {
        if !self.front.val().actions.first_slot {
            self.launch_sizes.d.next.warps = self.launch.val().warps;
            self.launch_sizes.d.next.barriers = bit_cast::<IW, 6>(self.launch.val().barriers);
            if self.launch.val().barriers > self.max_barriers.val() {
                self.launch_sizes.d.next.barriers = bit_cast::<IW, 6>(self.max_barriers.val());
            }
            self.launch_live.d.next = self.launch.val().live;
            if self.front.val().entering.all_slots {
                self.launch_sizes.d.next = self.no_sizes.val();
                self.launch_live.d.next = 0.into();
            }
        }
        self.sizes_ram.read.next = !self.front.val().actions.first_slot;
        self.sizes_ram.read_address.next = self.front.val().entering.entry_slot;
        self.sizes_ram.write.next = self.front.val().actions.first_slot_launch | self.front.val().actions.clears_cta_entry;
        self.sizes_ram.write_address.next = self.front.val().op.table_slot;
        self.sizes_ram.write_value.next = self.launch_sizes.q.val().into();
        self.sizes.next = self.sizes_ram.read_value.val().into();

        self.live_warps.next = self.live_ram.read_value.val().into();
        self.next_live.next = self.launch_live.q.val();
        if self.front.val().actions.first_slot_exit {
            self.next_live.next = self.live_warps.val().live_minus_one;
        }
        self.next_live_warps.next.live = self.next_live.val();
        self.next_live_warps.next.live_minus_one = self.next_live.val() - 1;
        self.live_ram.read.next = !self.front.val().actions.first_slot;
        self.live_ram.read_address.next = self.front.val().entering.entry_slot;
        self.live_ram.write.next = self.front.val().actions.first_slot_launch
            | self.front.val().actions.first_slot_exit
            | self.front.val().actions.clears_cta_entry;
        self.live_ram.write_address.next = self.front.val().op.table_slot;
        self.live_ram.write_value.next = self.next_live_warps.val().into();

        // A row that completes is not open, so no Exit has to look it up: its id is not recorded.
        self.records_id.next =
            self.ctrl.val().checked.changes_row & self.ctrl.val().records_id & !self.ctrl.val().completes_if_written;
        self.commit_id.next = bit_cast::<LI, 4>(self.ctrl.val().op.row_id);
        self.last_id_ram.read.next = true;
        self.last_id_ram.read_address.next = self.front.val().entering.entry_slot;
        self.last_id_ram.write.next = self.records_id.val() | self.ctrl.val().actions.clears_cta_entry;
        self.last_id_ram.write_address.next = self.ctrl.val().op.table_slot;
        self.last_id_ram.write_value.next = self.commit_id.val();
        self.same_slot.d.next = self.front.val().entering.entry_slot == self.front.val().op.table_slot;
        self.earlier_recorded.d.next =
            self.records_id.val() & (self.front.val().entering.entry_slot == self.ctrl.val().op.table_slot);
        self.earlier_id.d.next = self.commit_id.val();
        self.recent_id.next = self.earlier_id.q.val();
        if self.same_slot.q.val() & self.records_id.val() {
            self.recent_id.next = self.commit_id.val();
        }
        self.id_in_ram.next = !self.earlier_recorded.q.val() & !(self.same_slot.q.val() & self.records_id.val());
        self.last_id.next = self.recent_id.val();
        if self.id_in_ram.val() {
            self.last_id.next = self.last_id_ram.read_value.val();
        }
    }
}
