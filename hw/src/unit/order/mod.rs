// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses before arrivals: an arrival goes on once the warp's memory accesses that were issued before it are performed.
//!
//! *Reads:* the operation channel `in`; the strobes `issue` and `perform` of the memory system. *Writes:* the operation channel `op`; each
//! warp's epoch; who may not issue, for whom something is parked. *Latency:* 1 from `in` to `op` if nothing is to be waited for. Implements the
//! memory ordering of `barrier` in spec 000 and of BAR in spec 001; the exact ports and cycles are in `docs/interface.md`.
//!
//! ```text
//!  in ──► head ──────────────► op
//!         │  ▲
//!         ▼  │
//!        parked ◄── counts ◄── issue, perform
//! ```

pub mod counts;
pub mod head;
pub mod outlook;
pub mod parked;

use crate::prelude::*;
use counts::Counts;
use head::Head;
use parked::Parked;

/// `W = 2^LW` warps counted in `CW = LW + 1` bits, slots of `LC` bits, contributions of `VW` bits, numbers of accesses of `OB` bits.
#[block(unit = "order")]
pub struct Order<W, LW, CW, LC, VW, OB> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    #[group("input")]
    pub in_: Sink<WarpOp<W, LW, CW, LC, VW>>,
    #[group("memory")]
    pub issue: StrobeIn<Issue<LW>>,
    #[group("memory")]
    pub perform: StrobeIn<Perform<LW>>,
    /// Every warp's present epoch.
    pub epoch: Signal<Out, Bits<W>>,
    #[group("operation")]
    pub op: Source<OrderedOp<W, LW, CW, LC, VW>>,
    /// Warps that may not issue: what they wait for is parked, or no further access may be outstanding.
    #[group("warps")]
    pub held: Signal<Out, Bits<W>>,
    /// Warps of which a second operation is parked.
    pub full: Signal<Out, Bits<W>>,
    /// Warps of which an operation is parked.
    pub parked: Signal<Out, Bits<W>>,
    /// One cycle: the warp whose instruction was passed on or parked.
    pub settled: Signal<Out, Bits<W>>,
    /// One cycle: the warp of which an operation that an exit caused was passed on or parked.
    pub left: Signal<Out, Bits<W>>,

    head: Head<W, LW, CW, LC, VW>,
    places: Parked<W, LW, CW, LC, VW>,
    /// The accesses outstanding in each epoch.
    #[init(std::array::from_fn(|_| Counts::new(config)))]
    counts: [Counts<W, OB>; 2],
    issues: Signal<Local, Bits<W>>,
    performs: Signal<Local, Bits<W>>,
}

#[block]
impl Logic for Order<W, LW, CW, LC, VW, OB> {
    fn update(&mut self) {
        Channel::join(&mut self.in_, &mut self.head.in_);
        Channel::join(&mut self.places.op, &mut self.head.other);
        Channel::join(&mut self.head.op, &mut self.op);
        Strobe::join(&mut self.head.parks, &mut self.places.parks);
        self.head.standing.next.busy = self.counts[0].some_next.val() | self.counts[1].some_next.val();
        self.head.standing.next.first = self.places.soon.val().first;
        self.head.standing.next.second = self.places.soon.val().second;
        self.places.done.next = (self.places.now.val().epochs & !self.counts[0].some.val())
            | (!self.places.now.val().epochs & !self.counts[1].some.val());

        // The accesses.
        self.issues.next = 0.into();
        if self.issue.valid.val() {
            self.issues.next = self.issues.val().with(self.issue.payload.val().warp, true);
        }
        self.counts[0].up.next = self.issues.val() & !self.places.now.val().epochs;
        self.counts[1].up.next = self.issues.val() & self.places.now.val().epochs;
        self.performs.next = 0.into();
        if self.perform.valid.val() {
            self.performs.next = self.performs.val().with(self.perform.payload.val().warp, true);
        }
        for i in 0..2 {
            self.counts[i].down.next = 0.into();
        }
        if self.perform.payload.val().epoch {
            self.counts[1].down.next = self.performs.val();
        } else {
            self.counts[0].down.next = self.performs.val();
        }

        self.epoch.next = self.places.now.val().epochs;
        self.held.next = self.places.now.val().first_waits
            | self.places.now.val().second
            | (self.places.now.val().epochs & self.counts[1].full.val())
            | (!self.places.now.val().epochs & self.counts[0].full.val());
        self.full.next = self.places.now.val().second;
        self.parked.next = self.places.now.val().first;
        self.settled.next = self.head.progress.val().settled;
        self.left.next = self.head.progress.val().left;
    }
}
