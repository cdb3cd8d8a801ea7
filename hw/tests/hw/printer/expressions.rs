// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on expressions: precedence, casts, widths of comparisons, shifts, negation.

use super::harness::*;
use crate::{case, unit};
use rust_hdl::prelude::*;
type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type IB = Signal<In, Bit>;
type OB = Signal<Out, Bit>;
type L<const N: usize> = Signal<Local, Bits<N>>;

unit!(Prec1 { pub a: I<4>, pub b: I<4>, pub c: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() & self.b.val() == self.c.val(); });
unit!(Prec2 { pub a: IB, pub b: IB, pub c: IB, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() | self.b.val() != self.c.val(); });
unit!(Prec3 { pub a: I<4>, pub b: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() ^ self.b.val()) < self.b.val(); });
unit!(CastSum { pub a: I<4>, pub b: I<4>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<8, 4>(self.a.val() + self.b.val()); });
unit!(CastNot { pub a: I<4>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<8, 4>(!self.a.val()); });
unit!(CastSub { pub a: I<4>, pub b: I<4>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<8, 4>(self.a.val() - self.b.val()); });
unit!(CastShl { pub a: I<4>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<8, 4>(self.a.val() << 2); });
unit!(CastVarOk { pub a: I<4>, pub b: I<4>, pub y: O<8>, s: L<4> }
    #[hdl_gen] fn update(&mut self) { self.s.next = self.a.val() + self.b.val(); self.y.next = bit_cast::<8, 4>(self.s.val()); });
unit!(CastNarrow { pub a: I<8>, pub b: I<8>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<4, 8>(self.a.val() + self.b.val()); });
unit!(CastOneCarry { pub a: I<4>, pub b: I<4>, pub y: O<5> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<5, 4>(self.a.val()) + bit_cast::<5, 4>(self.b.val()); });
unit!(CmpWide1 { pub a: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() + 1) == 0; });
unit!(CmpWide2 { pub a: I<4>, pub b: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() - self.b.val()) < 4; });
unit!(CmpWide3 { pub a: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (!self.a.val()) == 3; });
unit!(CmpSame { pub a: I<4>, pub b: I<4>, pub c: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() - self.b.val()) < self.c.val(); });
unit!(CmpDifferentWidthSum { pub a: I<4>, pub b: I<4>, pub c: I<8>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<8, 4>(self.a.val()) + bit_cast::<8, 4>(self.b.val()) == self.c.val(); });
unit!(ShrLit { pub a: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() + 1) >> 1; });
unit!(ShrNoLit { pub a: I<4>, pub b: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() + self.b.val()) >> 1; });
unit!(ShrNot { pub a: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = (!self.a.val()) >> 1; });
unit!(ShlShr { pub a: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() << 2) >> 2; });
unit!(ShlShrCmp { pub a: I<4>, pub b: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() << 1) == self.b.val(); });
unit!(ShlCmpLit { pub a: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() << 1) == 6; });
unit!(DynShl { pub a: I<4>, pub n: I<3>, pub y: O<4>, pub z: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() << self.n.val(); self.z.next = self.a.val() >> self.n.val(); });
unit!(DynShlCast { pub n: I<3>, pub y: O<8>, pub z: O<40> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bits::<8>(1) << self.n.val(); self.z.next = bits::<40>(1) << self.n.val(); });
unit!(DynShl64 { pub n: I<7>, pub y: O<64>, pub z: O<100> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bits::<64>(1) << self.n.val(); self.z.next = bits::<100>(3) << self.n.val(); });
unit!(ShAmtBigger { pub a: I<4>, pub n: I<8>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() >> (self.n.val() + 1); });
unit!(MulOk { pub a: I<16>, pub b: I<16>, pub y: O<32> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() * self.b.val(); });
unit!(NotBoolWide { pub a: IB, pub b: IB, pub y: OB, pub z: O<4> }
    #[allow(clippy::nonminimal_bool)] #[hdl_gen] fn update(&mut self) { self.y.next = !self.a.val() == self.b.val(); self.z.next = bit_cast::<4, 1>((!self.a.val()).into()); });
unit!(NotCmp { pub a: I<4>, pub b: I<4>, pub y: OB }
    #[allow(clippy::nonminimal_bool)] #[hdl_gen] fn update(&mut self) { self.y.next = !(self.a.val() == self.b.val()); });
unit!(NotIfInt { pub a: IB, pub b: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); if !self.a.val() & self.b.val().any() { self.y.next = 1.into(); } });
unit!(AddBool { pub a: I<4>, pub c: IB, pub y: O<4>, pub z: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() + self.c.val(); self.z.next = bit_cast::<8, 4>(self.a.val() + !self.c.val()); });
unit!(SumBoolsNot { pub a: I<4>, pub c: IB, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() + !self.c.val(); });

pub fn cases() -> Vec<Case> {
    let d4: Row = range(16);
    let d1: Row = vec![0, 1];
    vec![
        case!("prec_and_eq", Prec1, [a, b, c], product(&[&d4, &d4, &d4])),
        case!("prec_or_ne_bool", Prec2, [a, b, c], product(&[&d1, &d1, &d1])),
        case!("prec_xor_paren", Prec3, [a, b], product(&[&d4, &d4])),
        case!("cast_sum", CastSum, [a, b], product(&[&d4, &d4])),
        case!("cast_not", CastNot, [a], product(&[&d4])),
        case!("cast_sub", CastSub, [a, b], product(&[&d4, &d4])),
        case!("cast_shl", CastShl, [a], product(&[&d4])),
        case!("cast_via_local_ok", CastVarOk, [a, b], product(&[&d4, &d4])),
        case!("cast_narrow", CastNarrow, [a, b], random(50, 2, 1)),
        case!("cast_carry", CastOneCarry, [a, b], product(&[&d4, &d4])),
        case!("cmp_add_lit", CmpWide1, [a], product(&[&d4])),
        case!("cmp_sub_lit", CmpWide2, [a, b], product(&[&d4, &d4])),
        case!("cmp_not_lit", CmpWide3, [a], product(&[&d4])),
        case!("cmp_sub_sig", CmpSame, [a, b, c], product(&[&d4, &d4, &d4])),
        case!("cmp_cast_sum", CmpDifferentWidthSum, [a, b, c], product(&[&d4, &d4, &range(32)])),
        case!("shr_add_lit", ShrLit, [a], product(&[&d4])),
        case!("shr_add_sig", ShrNoLit, [a, b], product(&[&d4, &d4])),
        case!("shr_not", ShrNot, [a], product(&[&d4])),
        case!("shl_shr", ShlShr, [a], product(&[&d4])),
        case!("shl_cmp_sig", ShlShrCmp, [a, b], product(&[&d4, &d4])),
        case!("shl_cmp_lit", ShlCmpLit, [a], product(&[&d4])),
        case!("dyn_shift", DynShl, [a, n], product(&[&d4, &range(8)])),
        case!("dyn_shift_const", DynShlCast, [n], product(&[&range(8)])),
        case!("dyn_shift_const64", DynShl64, [n], product(&[&range(128)])),
        case!("shift_amount_expr", ShAmtBigger, [a, n], product(&[&d4, &[0, 1, 3, 254, 255]])),
        case!("mul16", MulOk, [a, b], random(20, 2, 3)),
        case!("not_bool_eq_and_cast", NotBoolWide, [a, b], product(&[&d1, &d1])),
        case!("not_cmp", NotCmp, [a, b], product(&[&d4, &d4])),
        case!("not_if", NotIfInt, [a, b], product(&[&d1, &d4])),
        case!("add_bool", AddBool, [a, c], product(&[&d4, &d1])),
        case!("add_not_bool", SumBoolsNot, [a, c], product(&[&d4, &d1])),
    ]
}
