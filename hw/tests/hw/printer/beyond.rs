// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on units in addition to the 171: computed offsets that stay in range, parts of values that
//! change later, deep nesting.

use super::harness::*;
use crate::{case, unit};
use rust_hdl::prelude::*;

type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type L<const N: usize> = Signal<Local, Bits<N>>;
type B = Signal<In, Bit>;
type CK = Signal<In, Clock>;

unit!(Select { pub a: I<16>, pub n: I<2>, pub y: O<4>, pub z: Signal<Out, Bit>, pub w: O<13> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val().get_bits::<4>(self.n.val().index());
    self.z.next = self.a.val().get_bit(self.n.val().index());
    self.w.next = self.a.val().get_bits::<13>(self.n.val().index());
});

unit!(SelectOfSum { pub a: I<16>, pub b: I<16>, pub n: I<4>, pub y: O<3>, pub z: Signal<Out, Bit> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = ((self.a.val() + self.b.val()) ^ 5).get_bits::<3>(self.n.val().index());
    self.z.next = (self.a.val() - self.b.val()).get_bit(self.n.val().index());
});

// The part is taken from the value that `t` has before it changes.
unit!(PartOfOld { pub a: I<8>, pub b: I<8>, pub y: O<3>, pub z: O<8>, pub w: Signal<Out, Bit>, t: L<8> }
#[hdl_gen]
fn update(&mut self) {
    self.t.next = self.a.val() + self.b.val();
    self.y.next = self.t.val().get_bits::<3>(4);
    if self.b.val().get_bit(0) {
        self.t.next = self.t.val() >> 1;
    }
    self.w.next = self.t.val().get_bit(2);
    self.t.next = self.t.val() ^ self.a.val();
    self.z.next = self.t.val();
});

unit!(PartOfPart { pub a: I<32>, pub y: O<4>, pub z: O<2>, s: L<16>, t: L<8> }
#[hdl_gen]
fn update(&mut self) {
    self.s.next = self.a.val().get_bits::<16>(8);
    self.t.next = self.s.val().get_bits::<8>(4);
    self.y.next = self.t.val().get_bits::<4>(2);
    self.t.next = self.s.val().get_bits::<8>(0);
    self.z.next = self.t.val().get_bits::<4>(3).get_bits::<2>(1);
});

unit!(Nest { pub a: I<4>, pub c: B, pub d: B, pub e: B, pub y: O<4>, pub z: Signal<Out, Bit> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.a.val() + 1;
    self.z.next = self.e.val();
    if self.c.val() {
        if self.d.val() {
            self.y.next = self.y.val() + self.a.val();
            self.z.next = !self.z.val();
        } else if self.e.val() {
            self.y.next = 7.into();
        }
    } else {
        match self.y.val().index() {
            3 => {
                if self.e.val() {
                    self.y.next = 1.into();
                }
            }
            4 => {
                self.z.next = true;
            }
            _ => {
                if self.d.val() & self.e.val() {
                    self.y.next = self.y.val() ^ 9;
                }
            }
        }
    }
    if self.y.val() == self.a.val() {
        self.z.next = self.z.val() & self.d.val();
    }
});

// A choice inside a sum, a sum inside a choice, and the same choice used twice.
unit!(Mixed { pub a: I<8>, pub b: I<8>, pub c: B, pub y: O<8>, pub z: O<8>, t: L<8> }
#[hdl_gen]
fn update(&mut self) {
    self.t.next = self.a.val();
    if self.c.val() {
        self.t.next = self.b.val();
    }
    self.y.next = (self.t.val() + self.t.val()) - self.a.val();
    self.t.next = self.t.val() + 3;
    if self.t.val() > self.b.val() {
        self.t.next = self.t.val() - self.b.val();
    }
    self.z.next = self.t.val();
});

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Three {
    pub a: Bits<3>,
    pub b: Bit,
    pub c: Bits<5>,
}

unit!(Fields { pub clock: CK, pub a: I<5>, pub c: B, pub y: Signal<Out, Three>, pub z: O<5>, r: DFF<Three>, l: Signal<Local, Three> }
#[hdl_gen]
fn update(&mut self) {
    dff_setup!(self, clock, r);
    self.l.next = self.r.q.val();
    self.l.next.b = self.c.val();
    if self.l.val().b {
        self.l.next.c = self.a.val();
    }
    self.l.next.a = self.l.val().c.get_bits::<3>(1);
    self.r.d.next = self.l.val();
    self.y.next = self.l.val();
    self.z.next = self.l.val().c;
});

unit!(SignedParts { pub a: Signal<In, Signed<8>>, pub b: Signal<In, Signed<8>>, pub y: Signal<Out, Signed<16>>, pub z: Signal<Out, Bit>, pub w: Signal<Out, Bit>, t: Signal<Local, Signed<12>> }
#[hdl_gen]
fn update(&mut self) {
    self.t.next = signed_bit_cast::<12, 8>(self.a.val()) - signed_bit_cast::<12, 8>(self.b.val());
    self.y.next = signed_bit_cast::<16, 12>(self.t.val());
    self.z.next = self.t.val() < signed_bit_cast::<12, 8>(self.b.val());
    self.w.next = unsigned_cast(self.a.val()) < unsigned_cast(self.b.val());
});

// A register's next value is read in the same block, once it has settled.
unit!(NextOfRegister { pub clock: CK, pub a: I<4>, pub y: O<4>, pub z: O<4>, r: DFF<Bits<4>> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = self.r.d.val();
    dff_setup!(self, clock, r);
    self.r.d.next = self.r.q.val() + self.a.val();
    self.z.next = self.r.d.val();
});

// Names that collide: a local signal has the same name as a register's input, as a wire, and as an instance.
unit!(Meeting { pub clock: CK, pub a: I<4>, pub y: O<4>, r_d: L<4>, r: DFF<Bits<4>>, a_plus_1: L<4> }
#[hdl_gen]
fn update(&mut self) {
    dff_setup!(self, clock, r);
    self.r_d.next = self.a.val() ^ 3;
    self.a_plus_1.next = self.a.val() >> 1;
    if (self.a.val() + 1) == self.r_d.val() {
        self.r.d.next = self.a_plus_1.val();
    }
    self.y.next = self.r.q.val() ^ (self.a.val() + 1).replace_bit(self.a.val().get_bits::<2>(0).index(), true);
});

unit!(Deep { pub a: I<8>, pub y: O<12> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = 0.into();
    for i in 0_usize..190 {
        for j in 0_usize..8 {
            if self.a.val().get_bit(j) {
                self.y.next = self.y.val() + (i + j).to_bits();
            }
        }
    }
});

// Every `if` keeps the old value in two places, and the length of the text must not double with each `if`.
unit!(Keeping { pub a: I<32>, pub b: I<32>, pub y: O<8> }
#[hdl_gen]
fn update(&mut self) {
    self.y.next = 0.into();
    for i in 0_usize..32 {
        if self.a.val().get_bit(i) {
            if self.b.val().get_bit(i) {
                self.y.next = i.to_bits();
            }
        } else {
            if self.b.val().get_bit(31 - i) {
                self.y.next = (i + 64).to_bits();
            }
        }
    }
});

pub fn cases() -> Vec<Case> {
    vec![
        case!("select_inside", Select, [a, n], random(60, 2, 21)),
        case!("select_of_sum", SelectOfSum, [a, b, n], {
            let rows = random(200, 3, 22);
            rows.into_iter().filter(|r| r[2] % 16 <= 13).collect()
        }),
        case!("part_of_old", PartOfOld, [a, b], random(200, 2, 23)),
        case!("part_of_part", PartOfPart, [a], random(100, 1, 24)),
        case!("nested_choices", Nest, [a, c, d, e], product(&[&range(16), &[0, 1], &[0, 1], &[0, 1]])),
        case!("mixed_choices", Mixed, [a, b, c], random(300, 3, 25)),
        case!("fields_in_turn", Fields, [a, c], random(100, 2, 26), clock),
        case!("signed_parts", SignedParts, [a, b], {
            let rows = random(300, 2, 27);
            rows.into_iter().filter(|r| r.iter().all(|v| v % 256 != 128)).collect()
        }),
        case!("next_of_register", NextOfRegister, [a], random(30, 1, 28), clock),
        case!("names_that_meet", Meeting, [a], random(60, 1, 29), clock),
        case!("deep_chain", Deep, [a], random(12, 1, 31)),
        case!("kept_values", Keeping, [a, b], random(200, 2, 30)),
    ]
}
