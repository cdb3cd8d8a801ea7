// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bits at computed indexes of values whose width is not a power of two: `x.at(i)` and `x.with(i, bit)`, also beyond the end.

use super::harness::*;
use crate::case;
use bcu_derive::{block, payload};
use bcu_hw::verilog::{export, Options};
use rust_hdl::prelude::*;

#[payload]
pub struct Stored<N> {
    pub few: Bits<N>,
    pub flag: Bit,
}

/// Reads and writes the bit at one of `2^A` indexes of a port, a sum and a field of `N` bits; the written bit is 1, 0 or computed.
#[block]
pub struct Places<N, A> {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<N>>,
    pub b: Signal<In, Bit>,
    pub i: Signal<In, Bits<A>>,
    pub read: Signal<Out, Bit>,
    pub read_sum: Signal<Out, Bit>,
    pub read_field: Signal<Out, Bit>,
    pub read_fixed: Signal<Out, Bit>,
    pub set: Signal<Out, Bits<N>>,
    pub cleared: Signal<Out, Bits<N>>,
    pub written: Signal<Out, Bits<N>>,
    pub moved: Signal<Out, Bits<N>>,
    pub stored: Signal<Out, Bits<N>>,
    present: Signal<Local, Stored<N>>,
    past: DFF<Bits<N>>,
    next: Signal<Local, Bits<A>>,
    #[init(Constant::new(!Bits::<N>::default() ^ Bits::<N>::from(1)))]
    fixed: Constant<Bits<N>>,
}

// This `impl` lists the sizes, as an `impl` in another file must.
#[block]
impl Logic for Places<N, A> {
    fn update(&mut self) {
        self.present.next.few = self.a.val() ^ self.past.q.val();
        self.present.next.flag = self.b.val();
        self.next.next = self.i.val() + 1;
        self.read.next = self.a.val().at(self.i.val());
        self.read_sum.next = !(self.a.val() + self.past.q.val()).at(self.next.val());
        self.read_field.next = self.present.val().few.at(self.i.val()) & self.present.val().flag;
        self.read_fixed.next = self.fixed.val().at(self.i.val());
        self.set.next = self.a.val().with(self.i.val(), true);
        self.cleared.next = self.a.val().with(self.i.val(), false);
        self.written.next = self.a.val().with(self.i.val(), !self.b.val());
        self.moved.next = self.a.val().with(self.i.val(), self.a.val().at(self.next.val())).with(self.next.val(), self.b.val());
        self.past.d.next = self.past.q.val().with(self.i.val(), self.b.val());
        self.stored.next = self.past.q.val();
    }
}

/// Every index, with the bits all 0, all 1 and mixed.
fn rows(width: usize, places: u128) -> Vec<Row> {
    let all = (1u128 << width) - 1;
    product(&[&[0, all, 0x2a & all, 0x35 & all], &[0, 1], &range(places)])
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("places_2_of_8", Places<2, 3>, [a, b, i], rows(2, 8), clock),
        case!("places_1_of_2", Places<1, 1>, [a, b, i], rows(1, 2), clock),
        case!("places_5_of_8", Places<5, 3>, [a, b, i], rows(5, 8), clock),
        case!("places_6_of_8", Places<6, 3>, [a, b, i], rows(6, 8), clock),
        case!("places_6_of_32", Places<6, 5>, [a, b, i], rows(6, 32), clock),
        case!("places_8_of_8", Places<8, 3>, [a, b, i], rows(8, 8), clock),
        case!("places_8_of_4", Places<8, 2>, [a, b, i], rows(8, 4), clock),
        case!("places_70_of_128", Places<70, 7>, [a, b, i], rows(70, 128), clock),
    ]
}

/// Checks that the text has a guard only where an index may be out of range; an index that is always in range selects directly.
pub fn only_what_may_lie_beyond_is_guarded() {
    fn text<const N: usize, const A: usize>() -> String {
        let mut unit = Places::<N, A>::default();
        unit.connect_all();
        export(&unit, &Options::new("places")).unwrap()
    }
    assert!(text::<8, 3>().contains("assign read = a[i];"), "{}", text::<8, 3>());
    assert!(!text::<6, 3>().contains("a[i]"), "{}", text::<6, 3>());
}
