// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The accesses outstanding of every warp in each epoch, where one is issued and one performed in a cycle at most: numbers in memory.
//!
//! *Reads:* the access that is issued, and the one that is performed, as they come in and one cycle later. *Writes:* who has some outstanding; for whom there
//! may be no room in their present epoch. *Latency:* 2 from the strobes. Implements the numbers of `docs/interface.md`, section `order`.
//!
//! How many were issued, and how many performed, stands in memories of their own, each with one writer; what is outstanding is the
//! difference. Each is kept twice, to be read for the access that is issued and for the one that is performed. A warp without accesses
//! starts from what its performed ones come to, so that nothing has to be cleared by a reset.

use super::accesses::Access;
use crate::prelude::*;

/// `W = 2^LW` warps, `CW = LW + 1`, numbers of `OB` bits.
#[block]
pub struct Tallies<W, LW, CW, OB> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub issues: Signal<In, Access<LW, CW>>,
    pub performs: Signal<In, Access<LW, CW>>,
    /// Those of the cycle before.
    pub issued: Signal<In, Access<LW, CW>>,
    pub performed: Signal<In, Access<LW, CW>>,
    /// Every warp's epoch; the warps for which it is another one from the next cycle on, as bits, and which one that is.
    pub epochs: Signal<In, Bits<W>>,
    pub turned: Signal<In, Bits<W>>,
    pub turns: Signal<In, Bit>,
    pub turner: Signal<In, Bits<LW>>,
    /// Warps with accesses outstanding, by epoch.
    pub some: [Signal<Out, Bits<W>>; 2],
    pub full: Signal<Out, Bits<W>>,
    /// Accesses issued, read for the one issued now and for the one performed now; accesses performed likewise.
    #[init(std::array::from_fn(|_| Store::zeroed()))]
    ups: [Store<Bits<OB>, CW>; 2],
    #[init(std::array::from_fn(|_| Store::zeroed()))]
    downs: [Store<Bits<OB>, CW>; 2],
    /// What was written last.
    up_before: DFF<Bits<OB>>,
    down_before: DFF<Bits<OB>>,
    /// The number read is the one that was written last: of those issued, and of those performed.
    up_again: [DFF<Bit>; 2],
    down_again: [DFF<Bit>; 2],
    /// An access is issued and one performed of the same warp and epoch.
    both: DFF<Bit>,
    #[reset]
    present: [DFF<Bits<W>>; 2],
    /// There may be no room in the present epoch.
    #[reset]
    crowded: DFF<Bits<W>>,
    /// The epoch of the access that is issued is no more the warp's present one.
    late: DFF<Bit>,
    /// The numbers, of the access that is issued and of the one that is performed.
    up: [Signal<Local, Bits<OB>>; 2],
    down: [Signal<Local, Bits<OB>>; 2],
    outstanding: [Signal<Local, Bits<OB>>; 2],
    /// The warp that issues has accesses outstanding in this epoch; from where it counts.
    has: Signal<Local, Bit>,
    from: Signal<Local, Bits<OB>>,
    raised: Signal<Local, Bits<OB>>,
    lowered: Signal<Local, Bits<OB>>,
    starts: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    frees: Signal<Local, Bit>,
    issuer: Signal<Local, Bits<W>>,
    performer: Signal<Local, Bits<W>>,
    begins: Signal<Local, Bits<W>>,
    stops: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    limit: Constant<Bits<OB>>,
    /// The lowest number from which one more may leave no room for those that are not seen yet.
    room: Constant<Bits<OB>>,
    /// There is room for two only where there are none.
    tight: Constant<Bit>,
}

#[block]
impl Tallies<W, LW, CW, OB> {
    /// As many accesses outstanding at most.
    pub fn up_to(most: usize) -> Self {
        Tallies {
            limit: Constant::new((most as u64).into()),
            room: Constant::new((most as u64 - 2).into()),
            tight: Constant::new(most == 2),
            ..Default::default()
        }
    }
}

#[block]
impl Logic for Tallies<W, LW, CW, OB> {
    fn update(&mut self) {
        // Read as they come in; what is written at the same edge is taken from beside.
        self.ups[0].read_address.next = self.issues.val().of;
        self.ups[1].read_address.next = self.performs.val().of;
        self.downs[0].read_address.next = self.issues.val().of;
        self.downs[1].read_address.next = self.performs.val().of;
        self.up_again[0].d.next = self.issued.val().valid & (self.issues.val().of == self.issued.val().of);
        self.up_again[1].d.next = self.issued.val().valid & (self.performs.val().of == self.issued.val().of);
        self.down_again[0].d.next = self.performed.val().valid & (self.issues.val().of == self.performed.val().of);
        self.down_again[1].d.next = self.performed.val().valid & (self.performs.val().of == self.performed.val().of);
        self.both.d.next =
            self.issues.val().valid & self.performs.val().valid & (self.issues.val().of == self.performs.val().of);
        for i in 0..2 {
            self.up[i].next = self.ups[i].read_value.val();
            if self.up_again[i].q.val() {
                self.up[i].next = self.up_before.q.val();
            }
            self.down[i].next = self.downs[i].read_value.val();
            if self.down_again[i].q.val() {
                self.down[i].next = self.down_before.q.val();
            }
            self.outstanding[i].next = self.up[i].val() - self.down[i].val();
        }

        // One more; an access too many changes nothing.
        self.has.next = self.present[0].q.val().at(self.issued.val().warp);
        if self.issued.val().epoch {
            self.has.next = self.present[1].q.val().at(self.issued.val().warp);
        }
        self.from.next = self.down[0].val();
        if self.has.val() {
            self.from.next = self.up[0].val();
        }
        self.raised.next = self.from.val() + 1;
        if self.has.val() & (self.outstanding[0].val() == self.limit.val()) {
            self.raised.next = self.from.val();
        }
        self.lowered.next = self.down[1].val() + 1;
        for n in 0..2 {
            self.ups[n].write.next = self.issued.val().valid;
            self.ups[n].write_address.next = self.issued.val().of;
            self.ups[n].write_value.next = self.raised.val();
            self.downs[n].write.next = self.performed.val().valid;
            self.downs[n].write_address.next = self.performed.val().of;
            self.downs[n].write_value.next = self.lowered.val();
        }
        self.up_before.d.next = self.raised.val();
        self.down_before.d.next = self.lowered.val();

        // Who has some: what is issued and performed at once changes nothing.
        self.starts.next = self.issued.val().valid & !self.both.q.val();
        self.ends.next = self.performed.val().valid & !self.both.q.val() & (self.outstanding[1].val() == 1);
        self.issuer.next = self.no_warps.val().with(self.issued.val().warp, true);
        self.performer.next = self.no_warps.val().with(self.performed.val().warp, true);
        for k in 0..2 {
            self.begins.next = 0.into();
            if self.starts.val() & (self.issued.val().epoch == (k == 1)) {
                self.begins.next = self.issuer.val();
            }
            self.stops.next = 0.into();
            if self.ends.val() & (self.performed.val().epoch == (k == 1)) {
                self.stops.next = self.performer.val();
            }
            self.present[k].d.next = (self.present[k].q.val() | self.begins.val()) & !self.stops.val();
            self.some[k].next = self.present[k].q.val();
        }

        // Who may be at the limit when it next issues. When an epoch becomes the present one it has room: what was parked at the change before waited
        // for all its accesses but those of the next cycle, of which there is one.
        self.late.d.next = self.turns.val() & (self.turner.val() == self.issues.val().warp);
        self.fills.next =
            self.starts.val() & !self.late.q.val() & self.has.val() & (self.outstanding[0].val() >= self.room.val());
        self.frees.next = self.performed.val().valid
            & !self.both.q.val()
            & (self.epochs.val().at(self.performed.val().warp) == self.performed.val().epoch)
            & (self.outstanding[1].val() != self.limit.val());
        self.begins.next = 0.into();
        if self.fills.val() {
            self.begins.next = self.issuer.val();
        }
        self.stops.next = 0.into();
        if self.frees.val() {
            self.stops.next = self.performer.val();
        }
        self.crowded.d.next = (self.crowded.q.val() | self.begins.val()) & !(self.stops.val() | self.turned.val());
        self.full.next = self.crowded.q.val();
        if self.tight.val() {
            self.full.next = (self.epochs.val() & self.present[1].q.val()) | (!self.epochs.val() & self.present[0].q.val());
        }
    }
}
