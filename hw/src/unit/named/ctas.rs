// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the barriers must know of each CTA: warps launched, warps live, barriers declared, rows open, how many of them
//! without a count, last id without a count.
//!
//! *Reads:* `slot` of the operation that enters; one cycle later `write` with the `new_*` entry, `record` with `record_id`.
//! *Writes:* the entry of the operation one cycle inside (latency 1); `last_id` of `slot` in the same cycle, since an exit
//! needs it to find its row.
//!
//! The entries are a RAM with forwarding like the rows. The last ids are registers, one vector per bit of the id, because they
//! are needed before a RAM could answer; after a reset they hold what they like, since an exit does nothing to a row that is idle or
//! has a count. Implements "all warps of the CTA" of spec 000 and the exited warps of spec 001.

use crate::prim::ram::Ram5;
use rust_hdl::prelude::*;

/// `2^LC = S` slots, warps counted in `CW` bits, ids of `LI` bits, numbers of ids in `IW` bits.
#[derive(LogicBlock)]
pub struct Ctas<const CW: usize, const LC: usize, const LI: usize, const S: usize, const IW: usize> {
    pub clock: Signal<In, Clock>,
    pub slot: Signal<In, Bits<LC>>,
    pub write: Signal<In, Bit>,
    pub new_warps: Signal<In, Bits<CW>>,
    pub new_live: Signal<In, Bits<CW>>,
    pub new_barriers: Signal<In, Bits<IW>>,
    pub new_open: Signal<In, Bits<IW>>,
    pub new_uncounted: Signal<In, Bits<IW>>,
    /// The operation inside leaves a row without a count, at this id.
    pub record: Signal<In, Bit>,
    pub record_id: Signal<In, Bits<LI>>,
    pub warps: Signal<Out, Bits<CW>>,
    pub live: Signal<Out, Bits<CW>>,
    pub barriers: Signal<Out, Bits<IW>>,
    pub open: Signal<Out, Bits<IW>>,
    /// Open rows without a count.
    pub uncounted: Signal<Out, Bits<IW>>,
    pub last_id: Signal<Out, Bits<LI>>,
    ram: Ram5<LC, CW, CW, IW, IW, IW>,
    at: DFF<Bits<LC>>,
    hit: DFF<Bit>,
    last_warps: DFF<Bits<CW>>,
    last_live: DFF<Bits<CW>>,
    last_barriers: DFF<Bits<IW>>,
    last_open: DFF<Bits<IW>>,
    last_uncounted: DFF<Bits<IW>>,
    id_bit: [DFF<Bits<S>>; LI],
}

impl<const CW: usize, const LC: usize, const LI: usize, const S: usize, const IW: usize> Default for Ctas<CW, LC, LI, S, IW> {
    fn default() -> Self {
        assert!(S == 1 << LC);
        crate::fresh!(Ctas {
            clock, slot, write, new_warps, new_live, new_barriers, new_open, new_uncounted, record, record_id, warps, live,
            barriers, open, uncounted, last_id, ram, at, hit, last_warps, last_live, last_barriers, last_open,
            last_uncounted;
            id_bit: array_init::array_init(|_| DFF::default())
        })
    }
}

impl<const CW: usize, const LC: usize, const LI: usize, const S: usize, const IW: usize> Logic for Ctas<CW, LC, LI, S, IW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, hit, last_warps, last_live, last_barriers, last_open, last_uncounted);
        self.ram.clock.next = self.clock.val();
        self.ram.read_address.next = self.slot.val();
        self.ram.write.next = self.write.val();
        self.ram.write_address.next = self.at.q.val();
        self.ram.write_0.next = self.new_warps.val();
        self.ram.write_1.next = self.new_live.val();
        self.ram.write_2.next = self.new_barriers.val();
        self.ram.write_3.next = self.new_open.val();
        self.ram.write_4.next = self.new_uncounted.val();

        self.at.d.next = self.slot.val();
        self.hit.d.next = self.write.val() & (self.slot.val() == self.at.q.val());
        self.last_warps.d.next = self.new_warps.val();
        self.last_live.d.next = self.new_live.val();
        self.last_barriers.d.next = self.new_barriers.val();
        self.last_open.d.next = self.new_open.val();
        self.last_uncounted.d.next = self.new_uncounted.val();

        self.warps.next = self.ram.read_0.val();
        self.live.next = self.ram.read_1.val();
        self.barriers.next = self.ram.read_2.val();
        self.open.next = self.ram.read_3.val();
        self.uncounted.next = self.ram.read_4.val();
        if self.hit.q.val() {
            self.warps.next = self.last_warps.q.val();
            self.live.next = self.last_live.q.val();
            self.barriers.next = self.last_barriers.q.val();
            self.open.next = self.last_open.q.val();
            self.uncounted.next = self.last_uncounted.q.val();
        }

        self.last_id.next = 0.into();
        for i in 0..LI {
            self.id_bit[i].clock.next = self.clock.val();
            self.id_bit[i].d.next = self.id_bit[i].q.val();
            if self.record.val() {
                self.id_bit[i].d.next =
                    self.id_bit[i].q.val().replace_bit(self.at.q.val().index(), self.record_id.val().get_bit(i));
            }
            if self.id_bit[i].q.val().get_bit(self.slot.val().index()) {
                self.last_id.next = self.last_id.val().replace_bit(i, true);
            }
        }
    }
}
