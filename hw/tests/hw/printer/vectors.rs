// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on loops over bits, which become vectors, and on registers that change under conditions. The text has the same
//! meaning as the Rust code, and a loop is one line of it.

use super::harness::*;
use crate::case;
use bcu_derive::block;
use bcu_hw::verilog::{export, Options};
use rust_hdl::prelude::*;

/// Values of `N` bits, an index of `A` bits.
#[block]
pub struct Vectors<N, A> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub a: Signal<In, Bits<N>>,
    pub marks: Signal<In, Bits<N>>,
    pub b: Signal<In, Bit>,
    pub i: Signal<In, Bits<A>>,
    pub both: Signal<Out, Bits<N>>,
    pub chosen: Signal<Out, Bits<N>>,
    pub merged: Signal<Out, Bits<N>>,
    pub gated: Signal<Out, Bits<N>>,
    pub one_hot: Signal<Out, Bits<N>>,
    pub below: Signal<Out, Bits<N>>,
    pub any: Signal<Out, Bit>,
    pub all_set: Signal<Out, Bit>,
    pub odd: Signal<Out, Bit>,
    pub field: Signal<Out, Bits<8>>,
    pub shown: Signal<Out, Bits<N>>,
    #[reset]
    marked: DFF<Bits<N>>,
    #[reset]
    written: DFF<Bits<N>>,
    loaded: DFF<Bits<N>>,
    #[reset]
    full: DFF<Bit>,
    next: Signal<Local, Bits<N>>,
    found_before: Signal<Local, Bit>,
}

#[block]
impl Logic for Vectors {
    fn update(&mut self) {
        self.both.next = 0.into();
        self.chosen.next = self.a.val();
        self.merged.next = 0.into();
        self.gated.next = 0.into();
        self.one_hot.next = 0.into();
        self.below.next = 0.into();
        self.any.next = false;
        self.all_set.next = true;
        self.odd.next = false;
        self.found_before.next = false;
        for k in 0..N {
            self.both.next = self.both.val().replace_bit(k, self.a.val().get_bit(k) & !self.marks.val().get_bit(k));
            if self.marks.val().get_bit(k) {
                self.chosen.next = self.chosen.val().replace_bit(k, self.b.val());
                self.merged.next = self.merged.val().replace_bit(k, self.a.val().get_bit(k));
            }
            self.gated.next = self.gated.val().replace_bit(k, self.a.val().get_bit(k) & self.b.val());
            if (self.i.val() == k.to_bits()) & self.b.val() {
                self.one_hot.next = self.one_hot.val().replace_bit(k, true);
            }
            self.below.next = self.below.val().replace_bit(k, self.found_before.val());
            self.found_before.next = self.found_before.val() | self.a.val().get_bit(k);
            self.any.next = self.any.val() | (self.a.val().get_bit(k) & self.marks.val().get_bit(k));
            self.all_set.next = self.all_set.val() & self.a.val().get_bit(k);
            self.odd.next = self.odd.val() ^ self.a.val().get_bit(k);
        }
        self.field.next = 0.into();
        for m in 0..3 {
            self.field.next = self.field.val().replace_bit(m + 2, self.a.val().get_bit(m));
        }

        // Three writes to a register: marked bits, one bit at an index, and all bits.
        self.next.next = self.marked.q.val();
        for n in 0..N {
            if self.marks.val().get_bit(n) {
                self.next.next = self.next.val().replace_bit(n, self.b.val());
            }
        }
        self.marked.d.next = self.next.val();
        if self.b.val() {
            self.written.d.next = self.written.q.val().with(self.i.val(), true);
        }
        if self.i.val() == 1 {
            self.written.d.next = self.a.val();
        }
        if self.full.q.val() {
            self.full.d.next = self.b.val();
        } else {
            self.full.d.next = self.a.val().get_bit(0);
            self.loaded.d.next = self.a.val();
        }
        self.shown.next = self.marked.q.val() ^ self.written.q.val() ^ self.loaded.q.val();
    }
}

/// Mixed values of all ports, with an occasional reset.
fn rows(width: usize, places: u128) -> Vec<Row> {
    let ones = (1u128 << width) - 1;
    product(&[&[0, 0, 0, 1], &[0, ones, 0x2a & ones, 0x35 & ones], &[0, 0x1d & ones, ones], &[0, 1], &range(places)])
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("vectors_8", Vectors<8, 3>, [reset, a, marks, b, i], rows(8, 8), clock),
        case!("vectors_6", Vectors<6, 3>, [reset, a, marks, b, i], rows(6, 8), clock),
        case!("vectors_5", Vectors<5, 3>, [reset, a, marks, b, i], rows(5, 8), clock),
    ]
}

/// Checks that a loop over bits is printed as one line.
pub fn loops_become_vectors() {
    let mut unit = Vectors::<8, 3>::default();
    unit.connect_all();
    let text = export(&unit, &Options::new("vectors")).unwrap();
    for line in [
        "assign both = a & (~marks);",
        "assign chosen = b ? (marks | a) : ((~marks) & a);",
        "assign merged = marks & a;",
        "assign gated = b ? a : 8'd0;",
        "assign one_hot = b ? (8'd1 << i) : 8'd0;",
        "assign any = |(a & marks);",
        "assign all_set = &a;",
        "assign odd = ^a;",
        "assign field = {3'd0, a[2:0], 2'd0};",
        "for (i_2 = 0; i_2 < 8; i_2 = i_2 + 1) begin",
        "if (marks[i_2]) marked_q[i_2] <= b;",
        "if (reset) begin",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
    assert!(!text.contains("_d"), "a register's next value has a separate wire:\n{text}");
}
