// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The entry of each CTA: numbers of warps launched, warps live and barriers declared, and the last barrier id used without a
//! count.
//!
//! *Reads:* the CTA slot of the entering operation, with the sizes of a Launch; whether a Launch or an Exit is in its first lookup cycle;
//! whether the operation in the commit stage leaves its row open without a count, and the barrier id of that row. *Writes:* the entry of
//! the CTA of the operation in the lookup stage, held for both of its lookup cycles; for an Exit in its first lookup cycle the barrier id
//! of the row to look up. *Latency:* 1. Implements "all warps of the CTA" of spec 000 and the exited warps of spec 001.
//!
//! Only a Launch and an Exit write sizes and live warps, in their first lookup cycle. No operation enters in that cycle, so these
//! numbers need no forwarding. The last id is forwarded from the two operations directly before an Exit. Until an id is recorded for a
//! CTA, its last id may be any id, because an Exit has no effect on a row that is idle or has a count. After a reset the entry of a CTA
//! slot is set to 0 while the rows of that slot are cleared.

use super::commit_payloads::Completion;
use super::lookup_payloads::{FirstSlot, LiveWarps, Sizes};
use crate::prelude::*;

/// Sizes: counts of warps of `CW` bits, CTA slot numbers of `LC` bits, barrier ids of `LI` bits, counts of barriers of `IW`
/// bits.
#[block]
pub struct Ctas<CW, LC, LI, IW> {
    pub clock: Signal<In, Clock>,
    /// Read only in exports in which all registers have a reset.
    pub reset: Signal<In, Bit>,
    /// CTA slot of the entering operation or clear step.
    pub entry_slot: Signal<In, Bits<LC>>,
    /// If a clear step enters: 1 = it follows a reset, after which the rows of all CTA slots are cleared; 0 = it follows a
    /// Release.
    pub all_slots: Signal<In, Bit>,
    pub first_slot: Signal<In, FirstSlot>,
    /// A clear step in the lookup stage clears the entry of its CTA slot.
    pub lookup_clears_entry: Signal<In, Bit>,
    /// CTA slot of the operation in the lookup stage.
    pub lookup_slot: Signal<In, Bits<LC>>,
    /// The sizes of the Launch that enters.
    pub launch: Signal<In, CtaSizes<CW>>,
    /// The operation in the commit stage has no fault and changes its row.
    pub changes_row: Signal<In, Bit>,
    pub completion: Signal<In, Completion>,
    /// A clear step in the commit stage clears the entry of its CTA slot.
    pub commit_clears_entry: Signal<In, Bit>,
    /// CTA slot of the operation in the commit stage.
    pub commit_slot: Signal<In, Bits<LC>>,
    /// Barrier id of the row of the operation in the commit stage.
    pub commit_row_id: Signal<In, Bits<4>>,
    pub sizes: Signal<Out, Sizes<CW, IW>>,
    pub live_warps: Signal<Out, LiveWarps<CW>>,
    pub last_id: Signal<Out, Bits<LI>>,
    sizes_ram: Ram<Packed<Sizes<CW, IW>>, LC>,
    live_ram: Ram<Packed<LiveWarps<CW>>, LC>,
    last_id_ram: Ram<Bits<LI>, LC>,
    launch_sizes: DFF<Sizes<CW, IW>>,
    launch_live: DFF<Bits<CW>>,
    /// The operation in the lookup stage and the preceding operation have the same CTA slot.
    same_slot: DFF<Bit>,
    /// The earlier of the two operations before the operation in the lookup stage recorded an id for the same CTA slot.
    earlier_recorded: DFF<Bit>,
    /// The id that the earlier of these two operations recorded.
    earlier_id: DFF<Bits<LI>>,
    /// The operation in the commit stage records its barrier id as the last id of its CTA.
    records_id: Signal<Local, Bit>,
    commit_id: Signal<Local, Bits<LI>>,
    /// Live warps after the Launch or Exit in its first lookup cycle.
    next_live_warps: Signal<Local, LiveWarps<CW>>,
    next_live: Signal<Local, Bits<CW>>,
    /// The id that one of the two operations before the operation in the lookup stage recorded; if both recorded an id, the id of the
    /// later.
    recent_id: Signal<Local, Bits<LI>>,
    /// Neither of the two operations before the operation in the lookup stage recorded an id for its CTA slot: the last id is
    /// taken from the RAM.
    id_in_ram: Signal<Local, Bit>,
    #[init(Constant::new((config.ids() as u64).into()))]
    max_barriers: Constant<Bits<6>>,
    no_sizes: Constant<Sizes<CW, IW>>,
}

#[block]
impl Logic for Ctas {
    fn update(&mut self) {
        if !self.first_slot.val().occupied {
            self.launch_sizes.d.next.warps = self.launch.val().warps;
            self.launch_sizes.d.next.barriers = bit_cast::<IW, 6>(self.launch.val().barriers);
            if self.launch.val().barriers > self.max_barriers.val() {
                self.launch_sizes.d.next.barriers = bit_cast::<IW, 6>(self.max_barriers.val());
            }
            self.launch_live.d.next = self.launch.val().live;
            if self.all_slots.val() {
                self.launch_sizes.d.next = self.no_sizes.val();
                self.launch_live.d.next = 0.into();
            }
        }
        self.sizes_ram.read.next = !self.first_slot.val().occupied;
        self.sizes_ram.read_address.next = self.entry_slot.val();
        self.sizes_ram.write.next = self.first_slot.val().launch | self.lookup_clears_entry.val();
        self.sizes_ram.write_address.next = self.lookup_slot.val();
        self.sizes_ram.write_value.next = self.launch_sizes.q.val().into();
        self.sizes.next = self.sizes_ram.read_value.val().into();

        self.live_warps.next = self.live_ram.read_value.val().into();
        self.next_live.next = self.launch_live.q.val();
        if self.first_slot.val().exit {
            self.next_live.next = self.live_warps.val().live_minus_one;
        }
        self.next_live_warps.next.live = self.next_live.val();
        self.next_live_warps.next.live_minus_one = self.next_live.val() - 1;
        self.live_ram.read.next = !self.first_slot.val().occupied;
        self.live_ram.read_address.next = self.entry_slot.val();
        self.live_ram.write.next = self.first_slot.val().launch | self.first_slot.val().exit | self.lookup_clears_entry.val();
        self.live_ram.write_address.next = self.lookup_slot.val();
        self.live_ram.write_value.next = self.next_live_warps.val().into();

        // The id of a row that completes is not recorded: the row is no longer open, so no Exit has to look it up.
        self.records_id.next =
            self.changes_row.val() & self.completion.val().records_id & !self.completion.val().completes_if_written;
        self.commit_id.next = bit_cast::<LI, 4>(self.commit_row_id.val());
        self.last_id_ram.read.next = true;
        self.last_id_ram.read_address.next = self.entry_slot.val();
        self.last_id_ram.write.next = self.records_id.val() | self.commit_clears_entry.val();
        self.last_id_ram.write_address.next = self.commit_slot.val();
        self.last_id_ram.write_value.next = self.commit_id.val();
        self.same_slot.d.next = self.entry_slot.val() == self.lookup_slot.val();
        self.earlier_recorded.d.next = self.records_id.val() & (self.entry_slot.val() == self.commit_slot.val());
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
