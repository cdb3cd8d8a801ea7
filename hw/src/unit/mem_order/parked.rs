// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory of the parked operations, and the operation that is picked.
//!
//! *Reads:* the strobe of the operation to park, with its word; the strobe of the one that is picked. *Writes:* the operation
//! channel `op`. *Latency:* 1 from the pick to `op`. Implements the parked operations of `docs/contract/mem_order.md`.
//!
//! Each warp has four words, used as a ring. An operation that advances in the order stays in its word.

use super::folded::{ParkedBody, ParkedMbarrier, ParkedOp};
use crate::prelude::*;

/// Warp numbers of `LW` bits; slots of `LC` bits, contributions of `VW` bits; word addresses of `PW = LW + 2` bits.
#[block]
pub struct Parked<LW, LC, VW, PW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub parks: StrobeIn<ParkedOp<LW, LC, VW>>,
    /// The word for the operation that is parked, of the four of its warp.
    pub free: Signal<In, Bits<2>>,
    /// The first parked operation of a warp is picked.
    pub picks: Signal<In, Bit>,
    /// The warp of the picked operation.
    pub warp: Signal<In, Bits<LW>>,
    /// The word of that operation, of the four of its warp.
    pub first: Signal<In, Bits<2>>,
    /// An operation is picked, and has not left.
    pub picked: Signal<Out, Bit>,
    pub op: Source<ParkedOp<LW, LC, VW>>,
    store: Store<Packed<ParkedBody<LC>>, PW>,
    #[built(config.has_mbarrier() || config.has_gateway())]
    high_store: Store<Bits<14>, PW>,
    #[built(config.has_mbarrier())]
    mbarrier_store: Store<Packed<ParkedMbarrier<VW>>, PW>,
    #[reset]
    valid: DFF<Bit>,
    /// The word that was read in the cycle before.
    word: DFF<Bits<PW>>,
    read: Signal<Local, Bits<PW>>,
    write: Signal<Local, Bits<PW>>,
}

#[block]
impl Logic for Parked<LW, LC, VW, PW> {
    fn update(&mut self) {
        // The word of the operation that is picked is read until it is taken. If there is none, any word is read.
        self.read.next = bit_cast::<PW, LW>(self.warp.val());
        self.write.next = bit_cast::<PW, LW>(self.parks.payload.val().warp);
        for i in LW..(LW + 1) {
            self.read.next = self.read.val().replace_bit(i, self.first.val().get_bit(0));
            self.read.next = self.read.val().replace_bit(i + 1, self.first.val().get_bit(1));
            self.write.next = self.write.val().replace_bit(i, self.free.val().get_bit(0));
            self.write.next = self.write.val().replace_bit(i + 1, self.free.val().get_bit(1));
        }
        if self.valid.q.val() {
            self.read.next = self.word.q.val();
        }
        self.word.d.next = self.read.val();
        self.store.read_address.next = self.read.val();
        self.high_store.read_address.next = self.read.val();
        self.mbarrier_store.read_address.next = self.read.val();
        self.valid.d.next = self.picks.val() | (self.valid.q.val() & !self.op.ready.val());
        self.picked.next = self.valid.q.val();
        self.op.valid.next = self.valid.q.val();
        self.op.payload.next.body = self.store.read_value.val().into();
        self.op.payload.next.high = self.high_store.read_value.val();
        self.op.payload.next.of_mbarrier = self.mbarrier_store.read_value.val().into();
        self.op.payload.next.warp = bit_cast::<LW, PW>(self.word.q.val());

        // The word that is written.
        self.store.write.next = self.parks.valid.val();
        self.store.write_address.next = self.write.val();
        self.store.write_value.next = self.parks.payload.val().body.into();
        self.high_store.write.next = self.parks.valid.val();
        self.high_store.write_address.next = self.write.val();
        self.high_store.write_value.next = self.parks.payload.val().high;
        self.mbarrier_store.write.next = self.parks.valid.val();
        self.mbarrier_store.write_address.next = self.write.val();
        self.mbarrier_store.write_value.next = self.parks.payload.val().of_mbarrier.into();
    }
}
