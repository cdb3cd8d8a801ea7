// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the barriers must know of each CTA: warps launched, warps live, barriers declared, last id used without a count.
//!
//! *Reads:* the slot of what enters, with what a launch says; of the operation inside whether it is a launch or an exit in its first slot; of
//! the one in its last cycle whether it leaves a row without a count, and its id. *Writes:* the entry of the operation inside, which stays
//! there through both slots; in the first slot of an exit the id that it looks for. *Latency:* 1. Implements "all warps of the CTA" of spec
//! 000 and the exited warps of spec 001.
//!
//! Only launches and exits write entries, and nothing enters behind one in the cycle in which it does, so entries are not forwarded. The
//! last id is, from the two operations before an exit. Where nothing was recorded it is some id, since an exit does nothing to a row that is
//! idle or has a count. After reset the entry of a slot is written with 0 while its rows have their turns.

use super::{commit_stage::Ctrl, input_stage::Front};
use crate::prelude::*;

/// What was launched.
#[payload]
pub struct Sizes<CW, IW> {
    pub barriers: Bits<IW>,
    pub warps: Bits<CW>,
}

/// Warps that have not exited; one less.
#[payload]
pub struct Present<CW> {
    pub others: Bits<CW>,
    pub live: Bits<CW>,
}

#[block]
pub struct Ctas<W, LW, CW, LC, LI, IW, AW> {
    pub clock: Signal<In, Clock>,
    pub front: Signal<In, Front<LW, LC, LI>>,
    /// What a launch says.
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
    /// The operation just before is one of the slot of the operation inside; the one before that recorded an id for it.
    near: DFF<Bit>,
    hit: DFF<Bit>,
    row_before: DFF<Bits<LI>>,
    record: Signal<Local, Bit>,
    row: Signal<Local, Bits<LI>>,
    remain: Signal<Local, Present<CW>>,
    live: Signal<Local, Bits<CW>>,
    recent: Signal<Local, Bits<LI>>,
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
        self.sizes_ram.write.next = self.front.val().step.first_slot_launch | self.front.val().step.whole;
        self.sizes_ram.write_address.next = self.front.val().op.entry;
        self.sizes_ram.write_value.next = self.launch_sizes.q.val().into();
        self.sizes.next = self.sizes_ram.read_value.val().into();

        self.present.next = self.present_ram.read_value.val().into();
        self.live.next = self.launch_live.q.val();
        if self.front.val().step.first_slot_exit {
            self.live.next = self.present.val().others;
        }
        self.remain.next.live = self.live.val();
        self.remain.next.others = self.live.val() - 1;
        self.present_ram.read.next = !self.front.val().step.first_slot;
        self.present_ram.read_address.next = self.front.val().entering.entry_slot;
        self.present_ram.write.next =
            self.front.val().step.first_slot_launch | self.front.val().step.first_slot_exit | self.front.val().step.whole;
        self.present_ram.write_address.next = self.front.val().op.entry;
        self.present_ram.write_value.next = self.remain.val().into();

        // What is complete is not open, so no exit is to look for it.
        self.record.next = self.ctrl.val().checked.changes & self.ctrl.val().records & !self.ctrl.val().full;
        self.row.next = bit_cast::<LI, 4>(self.ctrl.val().op.row_id);
        self.last_ram.read.next = true;
        self.last_ram.read_address.next = self.front.val().entering.entry_slot;
        self.last_ram.write.next = self.record.val() | self.ctrl.val().step.whole;
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
