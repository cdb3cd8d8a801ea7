// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Blocks and payloads with the project's own attributes: registers that hold, implicit clock and reset, fields, bundles.

use super::harness::*;
use crate::case;
use bcu_derive::{block, payload};
use bcu_hw::payload::Packed;
use bcu_hw::prim::channel::{Channel, Sink, Source, Strobe, StrobeIn, StrobeOut};
use rust_hdl::prelude::*;

#[payload]
pub struct Inner<N> {
    pub low: Bits<N>,
    pub flag: Bit,
}

#[payload]
pub struct Outer<N> {
    pub inner: Inner<N>,
    pub upper: Bits<3>,
}

/// Registers hold their values unless they are assigned. Of `stored` only one field is reset, by a statement; `last` and the
/// array `times` are reset as a whole, by the attribute.
#[block]
pub struct Holds<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub a: Signal<In, Bits<N>>,
    pub low: Signal<Out, Bits<N>>,
    pub flag: Signal<Out, Bit>,
    pub whole: Signal<Out, Outer<N>>,
    pub past: Signal<Out, Outer<N>>,
    pub count: Signal<Out, Bits<4>>,
    stored: DFF<Outer<N>>,
    #[reset]
    last: DFF<Outer<N>>,
    #[reset]
    times: [DFF<Bits<4>>; 2],
    #[init(Constant::new(5.into()))]
    increment: Constant<Bits<4>>,
}

#[block]
impl Logic for Holds {
    fn update(&mut self) {
        if self.write.val() {
            self.stored.d.next.inner.low = self.a.val();
            self.stored.d.next.inner.flag = self.a.val().any();
            self.times[0].d.next = self.times[0].q.val() + 1;
            self.last.d.next = self.stored.q.val();
            self.times[1].d.next = self.times[1].q.val() + self.increment.val();
        }
        self.stored.d.next.upper = self.stored.q.val().upper + 1;
        if self.reset.val() {
            self.stored.d.next.upper = 0.into();
        }
        self.low.next = self.stored.q.val().inner.low;
        self.flag.next = self.stored.q.val().inner.flag & self.times[1].q.val().get_bit(0);
        self.whole.next = self.stored.q.val();
        self.past.next = self.last.q.val();
        self.count.next = self.times[0].q.val();
    }
}

/// Outputs its input one cycle later; inside the block the payload is one vector.
#[block]
pub struct Stage<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<Outer<N>>,
    pub op: Source<Outer<N>>,
    pub observed: StrobeOut<Inner<N>>,
    valid: DFF<Bit>,
    word: DFF<Packed<Outer<N>>>,
    out: Signal<Local, Outer<N>>,
}

#[block]
impl Logic for Stage {
    fn update(&mut self) {
        self.in_.ready.next = !self.valid.q.val() | self.op.ready.val();
        if self.in_.ready.val() {
            self.valid.d.next = self.in_.valid.val();
            self.word.d.next = self.in_.payload.val().into();
        }
        if self.reset.val() {
            self.valid.d.next = false;
        }
        self.out.next = self.word.q.val().into();
        self.op.valid.next = self.valid.q.val();
        self.op.payload.next = self.out.val();
        self.observed.valid.next = self.valid.q.val() & self.out.val().inner.flag;
        self.observed.payload.next = self.out.val().inner;
    }
}

/// Stores the payload of a strobe.
#[block]
pub struct Last<N> {
    pub clock: Signal<In, Clock>,
    pub observed: StrobeIn<Inner<N>>,
    pub low: Signal<Out, Bits<N>>,
    stored: DFF<Bits<N>>,
}

#[block]
impl Logic for Last {
    fn update(&mut self) {
        if self.observed.valid.val() {
            self.stored.d.next = self.observed.payload.val().low;
        }
        self.low.next = self.stored.q.val();
    }
}

/// Two stages with three connections: from the block's port to a part, from part to part, and from a part to the block's port.
#[block]
pub struct Chain<N> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<Outer<N>>,
    pub op: Source<Outer<N>>,
    pub observed: StrobeOut<Inner<N>>,
    pub low: Signal<Out, Bits<N>>,
    first: Stage<N>,
    second: Stage<N>,
    last: Last<N>,
}

#[block]
impl Logic for Chain {
    fn update(&mut self) {
        Channel::join(&mut self.in_, &mut self.first.in_);
        Channel::join(&mut self.first.op, &mut self.second.in_);
        Channel::join(&mut self.second.op, &mut self.op);
        Strobe::join(&mut self.second.observed, &mut self.observed);
        Strobe::join(&mut self.first.observed, &mut self.last.observed);
        self.low.next = self.last.low.val();
    }
}

/// Rows with a reset in every 16th row only.
fn rows() -> Vec<Row> {
    let rare = |(at, mut row): (usize, Row)| {
        row[0] = u128::from(at % 16 == 0);
        row
    };
    random(300, 4, 2).into_iter().enumerate().map(rare).collect()
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("holds", Holds<5>, [reset, write, a], random(200, 3, 1), clock),
        case(
            "chain",
            Expect::Agree,
            Chain::<4>::default,
            rows(),
            &[
                |u: &mut Chain<4>, v| u.reset.next = FromRow::from_row(v),
                |u, v| u.in_.valid.next = FromRow::from_row(v),
                |u, v| {
                    u.in_.payload.next.inner.low = FromRow::from_row(v);
                    u.in_.payload.next.inner.flag = FromRow::from_row(v >> 4);
                    u.in_.payload.next.upper = FromRow::from_row(v >> 5);
                },
                |u, v| u.op.ready.next = FromRow::from_row(v),
            ],
            Some(|u, level| u.clock.next = level.into()),
        ),
    ]
}
