// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of each CTA slot: warps launched, barriers declared, rows in use.
//!
//! *Reads:* the CTA slot of the entering operation; the counts of a Launch; the operation in cycle e, and whether its row
//! was in use before and is in use after the operation. *Writes:* the counts of the launch in the CTA slot of the operation one
//! cycle after entry; the CTA slots with rows in use; whether a Release finds rows in use. *Latency:* 1. Implements the state of
//! a CTA slot of `docs/contract/gateway.md`.
//!
//! An operation enters the pipeline in cycle t, is looked up in t + 1 (one cycle after entry), and takes effect in cycle e = t + 2.
//!
//! No operation enters in the cycle in which a Launch writes its entry, so the entry that is written need not be forwarded to the
//! read. After reset the entry of a CTA slot is set to 0 when the slot's first row is cleared; operations enter only after the
//! last row is cleared.

use super::payloads::{Effects, Group, LaunchCounts, RowUse};
use crate::prelude::*;

/// Counts of warps of `CW` bits, CTA slot numbers of `LC` bits, `S` CTA slots, counts of barriers of `IW` bits.
#[block]
pub struct Ctas<CW, LC, S, IW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// CTA slot of the operation or row that enters the pipeline.
    pub entering_slot: Signal<In, Bits<LC>>,
    /// The operation one cycle after entry is a Launch without a fault.
    pub launches: Signal<In, Bit>,
    /// The counts of the Launch one cycle after entry.
    pub lookup_launch: Signal<In, LaunchCounts<CW>>,
    /// A row that is cleared after reset, not after a Release, is one cycle after entry.
    pub all_slots: Signal<In, Bit>,
    /// Barrier id of the operation or row one cycle after entry.
    pub lookup_id: Signal<In, Bits<8>>,
    /// CTA slot of the operation or row one cycle after entry.
    pub lookup_cta: Signal<In, Bits<LC>>,
    /// The effects of the operation in cycle e.
    pub effects: Signal<In, Effects>,
    /// CTA slot of the operation in cycle e.
    pub commit_cta: Signal<In, Bits<LC>>,
    /// Whether the row of the operation in cycle e was in use before the operation, and whether the row is in use after the operation.
    pub row_use: Signal<In, RowUse>,
    /// The counts of the launch in the CTA slot of the operation one cycle after entry.
    pub group: Signal<Out, Group<CW, IW>>,
    /// CTA slots with rows in use.
    pub open: Signal<Out, Bits<S>>,
    /// The CTA slot of the operation in cycle e has rows in use.
    pub dirty: Signal<Out, Bit>,
    /// The counts of the latest launch in each CTA slot.
    ram: Ram<Packed<Group<CW, IW>>, LC>,
    /// Number of rows in use of each CTA slot.
    #[reset]
    used_rows: [DFF<Bits<IW>>; S],
    /// The entry that is written: the counts of a Launch, or 0 after reset.
    written_group: Signal<Local, Group<CW, IW>>,
    /// Change of the number of rows in use: 1, 0 or -1.
    count_change: Signal<Local, Bits<IW>>,
    /// CTA slot of the operation in cycle e, one-hot.
    commit_slot: Signal<Local, Bits<S>>,
    no_group: Constant<Group<CW, IW>>,
    no_slot: Constant<Bits<S>>,
    #[init(Constant::new((config.ids() as u64).into()))]
    max_barriers: Constant<Bits<6>>,
    #[init(Constant::new(!Bits::<IW>::default()))]
    minus_one: Constant<Bits<IW>>,
}

#[block]
impl Logic for Ctas {
    fn update(&mut self) {
        self.written_group.next.warps = self.lookup_launch.val().warps;
        self.written_group.next.barriers = bit_cast::<IW, 6>(self.lookup_launch.val().barriers);
        if self.lookup_launch.val().barriers > self.max_barriers.val() {
            self.written_group.next.barriers = bit_cast::<IW, 6>(self.max_barriers.val());
        }
        if self.all_slots.val() {
            self.written_group.next = self.no_group.val();
        }
        self.ram.write.next = self.launches.val() | (self.all_slots.val() & !self.lookup_id.val().any());
        self.ram.write_address.next = self.lookup_cta.val();
        self.ram.write_value.next = self.written_group.val().into();
        self.ram.read.next = true;
        self.ram.read_address.next = self.entering_slot.val();
        self.group.next = self.ram.read_value.val().into();

        // Rows in use.
        self.count_change.next = 0.into();
        if self.row_use.val().after & !self.row_use.val().before {
            self.count_change.next = 1.into();
        }
        if !self.row_use.val().after & self.row_use.val().before {
            self.count_change.next = self.minus_one.val();
        }
        self.commit_slot.next = self.no_slot.val().with(self.commit_cta.val(), true);
        self.open.next = 0.into();
        for i in 0..S {
            self.open.next = self.open.val().replace_bit(i, self.used_rows[i].q.val().any());
            if self.commit_slot.val().get_bit(i) & self.effects.val().changes {
                self.used_rows[i].d.next = self.used_rows[i].q.val() + self.count_change.val();
            }
            if self.commit_slot.val().get_bit(i) & self.effects.val().cta_release {
                self.used_rows[i].d.next = 0.into();
            }
        }
        self.dirty.next = (self.open.val() & self.commit_slot.val()).any();
    }
}
