// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the row and the CTA entry that are read in this cycle.
//!
//! *Reads:* CTA slot and id of the operation at the port; the row to clear; for an operation in its first lookup cycle its CTA slot and the
//! barrier id of the row that it looks up. *Writes:* CTA slot and barrier id of the row, and the CTA slot of the CTA entry. *Latency:* 0,
//! no state. Implements the two cycles that an Exit and a Write to Warp occupy, of `docs/contract/named.md`: the row of such an operation
//! is read one cycle after its entry.

use super::entering_payloads::ReadPlace;
use super::lookup_payloads::FirstSlot;
use super::parts::Parts;
use crate::prelude::*;
use crate::unit::clear::Scrub;

/// Sizes: CTA slot numbers of `LC` bits, barrier ids of `LI` bits.
#[block]
pub struct ReadAddress<LC, LI> {
    pub parts: Signal<In, Parts>,
    /// CTA slot of the operation at the port.
    pub op_cta: Signal<In, Bits<LC>>,
    /// Barrier id of the operation at the port.
    pub op_id: Signal<In, Bits<4>>,
    pub scrub: Signal<In, Scrub<LC, LI>>,
    pub first_slot: Signal<In, FirstSlot>,
    /// CTA slot of the operation in the lookup stage, as the address of tables.
    pub lookup_slot: Signal<In, Bits<LC>>,
    /// The barrier id of the row that an Exit in its first lookup cycle looks up.
    pub last_id: Signal<In, Bits<LI>>,
    /// The barrier id of the row that a Write to Warp in its first lookup cycle looks up.
    pub word_id: Signal<In, Bits<4>>,
    pub place: Signal<Out, ReadPlace<LC, LI>>,
    /// CTA slot given at the port; while there is a row to clear, the CTA slot of that row.
    pub port_cta: Signal<Out, Bits<LC>>,
    /// Barrier id given at the port; while there is a row to clear, the barrier id of that row.
    pub port_id: Signal<Out, Bits<4>>,
    /// Barrier id of the row that is read, extended to the 4 bits of a barrier id at the port.
    pub row_id: Signal<Out, Bits<4>>,
    /// If no Exit is in its first lookup cycle: the barrier id of the row that is read.
    early_id: Signal<Local, Bits<4>>,
    /// 1 if only one CTA slot is built, else 0.
    #[init(usize::from(config.cta_slots == 1))]
    _single: usize,
}

#[block]
impl Logic for ReadAddress {
    fn update(&mut self) {
        let scrub = self.scrub.val();
        let first_slot = self.first_slot.val();

        self.port_id.next = self.op_id.val();
        self.port_cta.next = self.op_cta.val();
        if scrub.active {
            self.port_id.next = bit_cast::<4, LI>(scrub.id);
            self.port_cta.next = scrub.slot;
        }
        self.place.next.entry_slot = self.port_cta.val();
        for _n in 0..self._single {
            self.place.next.entry_slot = 0.into();
        }

        // The barrier id of an Exit is available late in the cycle, so it is selected last, after the ids that are available
        // early.
        self.early_id.next = self.port_id.val();
        if first_slot.occupied & self.parts.val().state_words {
            self.early_id.next = self.word_id.val();
        }
        self.place.next.slot = self.place.val().entry_slot;
        if first_slot.occupied {
            self.place.next.slot = self.lookup_slot.val();
        }
        self.place.next.row_id_early = bit_cast::<LI, 4>(self.early_id.val());
        self.row_id.next = self.early_id.val();
        if first_slot.exit {
            self.row_id.next = bit_cast::<4, LI>(self.last_id.val());
        }
        self.place.next.exit_row_id = self.last_id.val();
        self.place.next.read_row_id = bit_cast::<LI, 4>(self.row_id.val());
    }
}
