// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses before arrivals: an arrival goes on once the warp's memory accesses that were issued before it are performed.
//!
//! *Reads:* the operation channel `in`; the strobes `issue` and `perform` of the memory system. *Writes:* the operation channel `op`; each
//! warp's epoch; who may not issue, for whom something is parked. *Latency:* 1 from `in` to `op` if nothing is to be waited for. Implements the
//! memory ordering of `barrier` in spec 000 and of BAR in spec 001; the exact ports and cycles are in `docs/interface.md`.
//!
//! ```text
//!  in ──► queue ──► head ─────────────┬─► op
//!                     └──► parked ────┘
//!  issue, perform ──► counts ──┘
//! ```

pub mod counts;
pub mod head;
pub mod parked;

use crate::payload::payload;
use crate::prim::channel::{Sink, Source, StrobeIn};
use crate::prim::queue::Queue;
use crate::unit::channels::{Issue, OrderedOp, Perform, WarpOp};
use crate::unit::op::{FaultCode, OpKind, RedOp, StateWord};
use bcu_derive::block;
use counts::Counts;
use head::Head;
use parked::{Parked, Record};
use rust_hdl::prelude::*;

/// An operation as it passes here, but its mask, in the widths of the largest configuration, since a struct has no parameters.
#[payload]
pub struct Ordered {
    pub kind: OpKind,
    pub fault: FaultCode,
    pub uniform: Bit,
    pub warp: Bits<6>,
    pub cta: Bits<5>,
    pub id: Bits<4>,
    pub count: Bits<12>,
    pub redop: RedOp,
    pub value: Bits<6>,
    pub state: StateWord,
    pub data: Bits<32>,
    pub warps: Bits<7>,
    pub live: Bits<7>,
    pub barriers: Bits<5>,
    pub saved: Bit,
    pub counted: Bit,
    pub rd: Bits<8>,
    pub pu: Bits<3>,
}

/// `W = 2^LW` warps counted in `CW = LW + 1` bits, slots of `LC` bits, contributions of `VW` bits, numbers of accesses of `OB` bits.
#[block(unit = "order")]
pub struct Order<W, LW, CW, LC, VW, OB> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    #[group("reset")]
    pub reset: Signal<In, Bit>,
    /// An operation
    #[group("input")]
    pub in_: Sink<WarpOp<W, LW, CW, LC, VW>>,
    /// a memory access is issued, in its warp's present epoch
    #[group("memory")]
    pub issue: StrobeIn<Issue<LW>>,
    /// a memory access is performed
    pub perform: StrobeIn<Perform<LW>>,
    /// Every warp's present epoch.
    pub epoch: Signal<Out, Bits<W>>,
    /// An operation
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

    queue: Queue<Ordered, 2>,
    masks: Queue<Bits<W>, 2>,
    ready: DFF<Bit>,
    head: Head<W, LW>,
    places: Parked<W, LW, CW>,
    /// The accesses outstanding in each epoch.
    counts: [Counts<W, OB>; 2],
    epochs: DFF<Bits<W>>,
    /// What was last offered, which the port shows while nothing is.
    last: DFF<Ordered>,
    last_mask: DFF<Bits<W>>,
    incoming: Signal<Local, Ordered>,
    warp: Signal<Local, Bits<LW>>,
    record: Signal<Local, Record>,
    accept: Signal<Local, Bit>,
    out: Signal<Local, Ordered>,
    out_mask: Signal<Local, Bits<W>>,
    issues: Signal<Local, Bits<W>>,
    performs: Signal<Local, Bits<W>>,
    no_warps: Constant<Bits<W>>,
    nothing: Constant<Ordered>,
}

#[block]
impl Order<W, LW, CW, LC, VW, OB> {
    /// `max_outstanding` accesses of a warp in one epoch, 1 to `2^OB - 1`.
    pub fn new(max_outstanding: usize) -> Self {
        assert!(W == 1 << LW && CW == LW + 1 && CW <= 7 && LC <= 5 && VW <= 6);
        Order {
            counts: std::array::from_fn(|_| Counts::new(max_outstanding)),
            no_warps: Constant::new(Bits::default()),
            nothing: Constant::new(Ordered::default()),
            ..Default::default()
        }
    }
}

#[block]
impl Logic for Order<W, LW, CW, LC, VW, OB> {
    #[hdl_gen]
    fn update(&mut self) {
        // The queue at the input.
        self.incoming.next = self.queue.head.val();
        self.incoming.next.kind = self.in_.payload.val().request.kind;
        self.incoming.next.fault = self.in_.payload.val().request.fault;
        self.incoming.next.uniform = self.in_.payload.val().request.uniform;
        self.incoming.next.warp = bit_cast::<6, LW>(self.in_.payload.val().warp);
        self.incoming.next.cta = bit_cast::<5, LC>(self.in_.payload.val().request.cta);
        self.incoming.next.id = self.in_.payload.val().request.id;
        self.incoming.next.count = self.in_.payload.val().request.count;
        self.incoming.next.redop = self.in_.payload.val().request.redop;
        self.incoming.next.value = bit_cast::<6, VW>(self.in_.payload.val().value);
        self.incoming.next.state = self.in_.payload.val().request.state;
        self.incoming.next.data = self.in_.payload.val().request.data;
        self.incoming.next.warps = bit_cast::<7, CW>(self.in_.payload.val().cta_warps.warps);
        self.incoming.next.live = bit_cast::<7, CW>(self.in_.payload.val().cta_warps.live);
        self.incoming.next.barriers = self.in_.payload.val().cta_warps.barriers;
        self.incoming.next.saved = self.in_.payload.val().cta_warps.saved;
        self.incoming.next.counted = self.in_.payload.val().counted;
        self.incoming.next.rd = self.in_.payload.val().destination.rd;
        self.incoming.next.pu = self.in_.payload.val().destination.pu;
        self.accept.next = self.in_.valid.val() & self.ready.q.val();
        self.queue.push.next = self.accept.val();
        self.queue.data.next = self.incoming.val();
        self.queue.pop.next = self.head.pop.val();
        self.masks.push.next = self.accept.val();
        self.masks.data.next = self.in_.payload.val().cta_warps.mask;
        self.masks.pop.next = self.head.pop.val();
        self.ready.d.next = !self.queue.used_next.val().get_bit(1);

        // The accesses.
        self.issues.next = self.no_warps.val();
        if self.issue.valid.val() {
            self.issues.next = self.no_warps.val().replace_bit(self.issue.payload.val().warp.index(), true);
        }
        self.performs.next = self.no_warps.val();
        if self.perform.valid.val() {
            self.performs.next = self.no_warps.val().replace_bit(self.perform.payload.val().warp.index(), true);
        }
        for i in 0..2 {
            self.counts[i].down.next = self.no_warps.val();
        }
        self.counts[0].up.next = self.issues.val() & !self.epochs.q.val();
        self.counts[1].up.next = self.issues.val() & self.epochs.q.val();
        if self.perform.payload.val().epoch {
            self.counts[1].down.next = self.performs.val();
        } else {
            self.counts[0].down.next = self.performs.val();
        }

        // The head passes or is parked; what is parked goes when the epoch before it is done.
        self.head.valid.next = self.queue.valid.val();
        self.warp.next = bit_cast::<LW, 6>(self.queue.head.val().warp);
        self.head.kind.next = self.queue.head.val().kind;
        self.head.fault.next = self.queue.head.val().fault;
        self.head.state.next = self.queue.head.val().state;
        self.head.warp.next = self.warp.val();
        self.head.counted.next = self.queue.head.val().counted;
        self.head.next_kind[0].next = self.queue.stays.val().kind;
        self.head.next_fault[0].next = self.queue.stays.val().fault;
        self.head.next_warp[0].next = bit_cast::<LW, 6>(self.queue.stays.val().warp);
        self.head.next_kind[1].next = self.queue.follows.val().kind;
        self.head.next_fault[1].next = self.queue.follows.val().fault;
        self.head.next_warp[1].next = bit_cast::<LW, 6>(self.queue.follows.val().warp);
        self.head.busy.next = self.counts[0].some_next.val() | self.counts[1].some_next.val();
        self.head.first.next = self.places.first_next.val();
        self.head.second.next = self.places.second_next.val();
        self.head.other.next = self.places.picked.val();
        self.head.op_ready.next = self.op.ready.val();
        self.places.parks.next = self.head.parks.val();
        self.record.next = self.places.value.val();
        self.record.next.kind = self.queue.head.val().kind;
        self.record.next.fault = self.queue.head.val().fault;
        self.record.next.uniform = self.queue.head.val().uniform;
        self.record.next.cta = self.queue.head.val().cta;
        self.record.next.id = self.queue.head.val().id;
        self.record.next.count = self.queue.head.val().count;
        self.record.next.redop = self.queue.head.val().redop;
        self.record.next.value = self.queue.head.val().value;
        self.record.next.state = self.queue.head.val().state;
        self.record.next.data = self.queue.head.val().data;
        self.record.next.rd = self.queue.head.val().rd;
        self.record.next.pu = self.queue.head.val().pu;
        self.places.record.next = self.record.val();
        self.places.own_warp.next = self.warp.val();
        self.places.own.next = self.head.own.val();
        self.places.done.next =
            (self.epochs.q.val() & !self.counts[0].some.val()) | (!self.epochs.q.val() & !self.counts[1].some.val());
        self.places.epochs.next = self.epochs.q.val();
        self.places.taken.next = self.head.other_goes.val() & self.op.ready.val();
        self.epochs.d.next = self.epochs.q.val() ^ self.places.flips.val();

        // What is offered.
        self.out.next = self.last.q.val();
        self.out_mask.next = self.last_mask.q.val();
        if self.head.goes.val() {
            self.out.next = self.queue.head.val();
            self.out_mask.next = self.masks.head.val();
        }
        if self.head.other_goes.val() {
            self.out.next = self.nothing.val();
            self.out.next.kind = self.places.value.val().kind;
            self.out.next.fault = self.places.value.val().fault;
            self.out.next.uniform = self.places.value.val().uniform;
            self.out.next.warp = bit_cast::<6, LW>(self.places.warp.val());
            self.out.next.cta = self.places.value.val().cta;
            self.out.next.id = self.places.value.val().id;
            self.out.next.count = self.places.value.val().count;
            self.out.next.redop = self.places.value.val().redop;
            self.out.next.value = self.places.value.val().value;
            self.out.next.state = self.places.value.val().state;
            self.out.next.data = self.places.value.val().data;
            self.out.next.rd = self.places.value.val().rd;
            self.out.next.pu = self.places.value.val().pu;
            self.out_mask.next = self.no_warps.val();
        }
        self.last.d.next = self.out.val();
        self.last_mask.d.next = self.out_mask.val();

        if self.reset.val() {
            self.epochs.d.next = 0.into();
            self.last.d.next = self.nothing.val();
            self.last_mask.d.next = 0.into();
        }
        self.in_.ready.next = self.ready.q.val();
        self.op.valid.next = self.head.goes.val() | self.head.other_goes.val();
        self.op.payload.next.request.kind = self.out.val().kind;
        self.op.payload.next.request.fault = self.out.val().fault;
        self.op.payload.next.request.uniform = self.out.val().uniform;
        self.op.payload.next.warp = bit_cast::<LW, 6>(self.out.val().warp);
        self.op.payload.next.request.cta = bit_cast::<LC, 5>(self.out.val().cta);
        self.op.payload.next.request.id = self.out.val().id;
        self.op.payload.next.request.count = self.out.val().count;
        self.op.payload.next.request.redop = self.out.val().redop;
        self.op.payload.next.value = bit_cast::<VW, 6>(self.out.val().value);
        self.op.payload.next.request.state = self.out.val().state;
        self.op.payload.next.request.data = self.out.val().data;
        self.op.payload.next.cta_warps.warps = bit_cast::<CW, 7>(self.out.val().warps);
        self.op.payload.next.cta_warps.live = bit_cast::<CW, 7>(self.out.val().live);
        self.op.payload.next.cta_warps.barriers = self.out.val().barriers;
        self.op.payload.next.cta_warps.mask = self.out_mask.val();
        self.op.payload.next.cta_warps.saved = self.out.val().saved;
        self.op.payload.next.destination.rd = self.out.val().rd;
        self.op.payload.next.destination.pu = self.out.val().pu;
        self.epoch.next = self.epochs.q.val();
        self.held.next = self.places.waits.val()
            | self.places.second.val()
            | (self.epochs.q.val() & self.counts[1].full.val())
            | (!self.epochs.q.val() & self.counts[0].full.val());
        self.full.next = self.places.second.val();
        self.parked.next = self.places.first.val();
        self.settled.next = self.head.settled.val();
        self.left.next = self.head.left.val();
    }
}
