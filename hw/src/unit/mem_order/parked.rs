// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory of the parked operations, and the operation that is picked.
//!
//! *Reads:* the strobe of an operation to park, with the word for it; the strobe that picks a parked operation, with its warp and
//! word. *Writes:* the operation channel `op`. *Latency:* 1 from the pick to `op`. Implements the parked operations of
//! `docs/contract/mem_order.md`.
//!
//! Each warp has four words, used as a ring. An operation stays in its word when the operation before it is picked.

use super::parked_form::has_upper_bits;
use super::payloads::{ParkedBody, ParkedMbarrier, ParkedOp};
use crate::prelude::*;

/// Warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits, contributions to a reduction of `VW` bits, word addresses
/// of `PW = LW + 2` bits.
#[block]
pub struct Parked<LW, LC, VW, PW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parks: StrobeIn<ParkedOp<LW, LC, VW>>,
    /// Number, 0 to 3, of the word of its warp in which the operation is parked.
    pub park_word: Signal<In, Bits<2>>,
    /// The first parked operation of a warp is picked.
    pub picks: Signal<In, Bit>,
    /// The warp of the picked operation.
    pub warp: Signal<In, Bits<LW>>,
    /// Number, 0 to 3, of the word of its warp that has the picked operation.
    pub picked_word: Signal<In, Bits<2>>,
    /// An operation has been picked and has not left yet.
    pub picked: Signal<Out, Bit>,
    pub op: Source<ParkedOp<LW, LC, VW>>,
    store: Store<Packed<ParkedBody<LC>>, PW>,
    #[built(has_upper_bits(config))]
    upper_store: Store<Bits<14>, PW>,
    #[built(config.has_mbarrier())]
    mbarrier_store: Store<Packed<ParkedMbarrier<VW>>, PW>,
    #[reset]
    valid: DFF<Bit>,
    /// Address of the word that was read in the previous cycle.
    read_address_q: DFF<Bits<PW>>,
    read_address: Signal<Local, Bits<PW>>,
    write_address: Signal<Local, Bits<PW>>,
}

#[block]
impl Logic for Parked {
    fn update(&mut self) {
        // The word of the picked operation is read until the operation is taken. If no operation is picked, the word that is read
        // is ignored.
        self.read_address.next = bit_cast::<PW, LW>(self.warp.val());
        self.write_address.next = bit_cast::<PW, LW>(self.parks.payload.val().warp);
        for i in LW..(LW + 1) {
            self.read_address.next = self.read_address.val().replace_bit(i, self.picked_word.val().get_bit(0));
            self.read_address.next = self.read_address.val().replace_bit(i + 1, self.picked_word.val().get_bit(1));
            self.write_address.next = self.write_address.val().replace_bit(i, self.park_word.val().get_bit(0));
            self.write_address.next = self.write_address.val().replace_bit(i + 1, self.park_word.val().get_bit(1));
        }
        if self.valid.q.val() {
            self.read_address.next = self.read_address_q.q.val();
        }
        self.read_address_q.d.next = self.read_address.val();
        self.store.read_address.next = self.read_address.val();
        self.upper_store.read_address.next = self.read_address.val();
        self.mbarrier_store.read_address.next = self.read_address.val();
        self.valid.d.next = self.picks.val() | (self.valid.q.val() & !self.op.ready.val());
        self.picked.next = self.valid.q.val();
        self.op.valid.next = self.valid.q.val();
        self.op.payload.next.body = self.store.read_value.val().into();
        self.op.payload.next.upper_bits = self.upper_store.read_value.val();
        self.op.payload.next.mbarrier_part = self.mbarrier_store.read_value.val().into();
        self.op.payload.next.warp = bit_cast::<LW, PW>(self.read_address_q.q.val());

        // The word that is written.
        self.store.write.next = self.parks.valid.val();
        self.store.write_address.next = self.write_address.val();
        self.store.write_value.next = self.parks.payload.val().body.into();
        self.upper_store.write.next = self.parks.valid.val();
        self.upper_store.write_address.next = self.write_address.val();
        self.upper_store.write_value.next = self.parks.payload.val().upper_bits;
        self.mbarrier_store.write.next = self.parks.valid.val();
        self.mbarrier_store.write_address.next = self.write_address.val();
        self.mbarrier_store.write_value.next = self.parks.payload.val().mbarrier_part.into();
    }
}
