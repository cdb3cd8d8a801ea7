// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on bit replacement, slices, literals, constants, loops and arrays.

use super::harness::*;
use crate::{case, unit};
use rust_hdl::prelude::*;
type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type IB = Signal<In, Bit>;
type OB = Signal<Out, Bit>;
type L<const N: usize> = Signal<Local, Bits<N>>;

unit!(RepNot { pub a: I<8>, pub b: IB, pub n: I<3>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit(self.n.val().index(), !self.b.val()); });
unit!(RepPlain { pub a: I<8>, pub b: IB, pub n: I<3>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit(self.n.val().index(), self.b.val()); });
unit!(Rep40 { pub a: I<40>, pub b: IB, pub n: I<6>, pub y: O<40> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit(self.n.val().index(), self.b.val()); });
unit!(Rep100 { pub a: I<100>, pub b: IB, pub n: I<7>, pub y: O<100> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit(self.n.val().index(), self.b.val()); });
unit!(Rep100Any { pub a: I<100>, pub n: I<7>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit(self.n.val().index(), false).any(); });
unit!(RepCmp { pub a: I<100>, pub b: IB, pub n: I<7>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit(self.n.val().index(), self.b.val()) == 5; });
unit!(RepPrec { pub a: I<4>, pub b: I<4>, pub n: I<2>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() | self.b.val()).replace_bit(self.n.val().index(), false); });
unit!(RepIdxExpr { pub a: I<8>, pub n: I<3>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit((self.n.val() + 1).index(), true); });
unit!(GetBitDyn { pub a: I<6>, pub n: I<3>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().get_bit(self.n.val().index()); });
unit!(GetBitExpr { pub a: I<8>, pub n: I<3>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().get_bit((self.n.val() + 1).index()); });
unit!(GetBitsOOR { pub a: I<8>, pub n: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().get_bits::<4>(self.n.val().index()); });
unit!(GetBitsWiden { pub a: I<4>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().get_bits::<8>(0); });
unit!(GetBitsOfExpr { pub a: I<8>, pub b: I<8>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() + self.b.val()).get_bits::<4>(2); });
unit!(GetBits1 { pub a: I<1>, pub y: O<1>, pub z: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().get_bits::<1>(0); self.z.next = self.a.val().get_bit(0); });
unit!(ReduceExpr { pub a: I<8>, pub b: I<8>, pub y: OB, pub z: OB, pub w: OB, pub v: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() & self.b.val()).any(); self.z.next = !self.a.val().any() & self.b.val().all(); self.w.next = (!self.a.val()).any(); self.v.next = (self.a.val() + self.b.val()).xor(); });
unit!(ReduceNotNoParen { pub a: I<8>, pub y: OB, pub z: OB, pub w: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = !self.a.val().all(); self.z.next = !self.a.val().any(); self.w.next = !self.a.val().xor(); });
unit!(ReduceWithLit { pub a: I<8>, pub y: OB, pub z: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (self.a.val() | 0xF0).all(); self.z.next = (self.a.val() + 1).any(); });
unit!(BigLit { pub a: I<32>, pub y: O<32>, pub z: O<64> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() ^ 0xDEAD_BEEF_u64; self.z.next = bits::<64>(0xDEAD_BEEF_CAFE_F00D_u64); });
unit!(BitsLit { pub a: I<4>, pub y: O<4>, pub z: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() + bits::<4>(1); self.z.next = (self.a.val() + bits::<4>(1)) == bits::<4>(0); });
unit!(BitsLitOk { pub a: I<4>, pub z: OB, t: L<4> }
    #[hdl_gen] fn update(&mut self) { self.t.next = self.a.val() + 1; self.z.next = self.t.val() == 0; });

#[derive(LogicBlock)]
pub struct ConstBlk {
    pub a: I<8>,
    pub y: O<8>,
    pub z: OB,
    k: Constant<Bits<8>>,
}
impl Default for ConstBlk {
    fn default() -> Self {
        Self { a: Default::default(), y: Default::default(), z: Default::default(), k: Constant::new(1.into()) }
    }
}
impl Logic for ConstBlk {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + self.k.val();
        self.z.next = (self.a.val() + self.k.val()) == 0;
    }
}

const FOO: u64 = 3;
unit!(RustConst { pub a: I<8>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() + FOO; });
#[derive(LogicBlock, Default)]
pub struct GenN<const N: usize> {
    pub a: I<8>,
    pub y: O<8>,
}
impl<const N: usize> Logic for GenN<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + N.to_bits();
    }
}

unit!(LoopVal { pub a: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); for i in 0_usize..16 { if self.a.val() == i.to_bits() { self.y.next = (15 - i).to_bits(); } } });
unit!(LoopAccum { pub a: I<8>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); for i in 0_usize..8 { if self.a.val().get_bit(i) { self.y.next = self.y.val() + 1; } } });
unit!(LoopName { pub i: I<4>, pub a: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); for i in 0_usize..4 { self.y.next = self.y.val() + self.i.val(); if i == 9 { self.y.next = self.a.val(); } } });
unit!(LoopIf { pub a: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val(); for i in 0_usize..4 { if i == 2 { self.y.next = self.y.val() ^ i.to_bits(); } else { self.y.next = self.y.val() + (2 * i + 1).to_bits(); } } });
unit!(LoopSlices { pub a: I<16>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); for i in 0_usize..4 { self.y.next = self.y.val() ^ self.a.val().get_bits::<4>(4 * i); } });
unit!(LoopSetBitLocal { pub a: I<8>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); for i in 0_usize..8 { self.y.next = self.y.val().replace_bit(i, self.a.val().get_bit(7 - i)); } });
unit!(LoopShadow { pub a: I<8>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); for i in 0_usize..2 { for i in 0_usize..4 { self.y.next = self.y.val() + i.to_bits(); } self.y.next = self.y.val() + (16 * i).to_bits(); } });
#[derive(LogicBlock)]
pub struct LoopConstGen<const N: usize> {
    pub a: I<N>,
    pub y: O<N>,
}
impl<const N: usize> Default for LoopConstGen<N> {
    fn default() -> Self {
        Self { a: Default::default(), y: Default::default() }
    }
}
impl<const N: usize> Logic for LoopConstGen<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0.into();
        for i in 0..N {
            self.y.next = self.y.val().replace_bit(i, self.a.val().get_bit(N - 1 - i));
        }
    }
}

unit!(ArrSig { pub a: I<4>, pub y: O<4>, s: [L<4>; 4] }
    #[hdl_gen] fn update(&mut self) { self.s[0].next = self.a.val(); for i in 0_usize..3 { self.s[i + 1].next = self.s[i].val() + 1; } self.y.next = self.s[3].val(); });
unit!(ArrSig2i { pub a: I<4>, pub y: O<4>, s: [L<4>; 8] }
    #[hdl_gen] fn update(&mut self) { for i in 0_usize..4 { self.s[4 + i].next = self.a.val() + i.to_bits(); } for i in 0_usize..2 { self.s[2 + i].next = self.s[2 * (2 + i)].val() ^ self.s[2 * (2 + i) + 1].val(); } for i in 0_usize..1 { self.s[i + 1].next = self.s[2 * i + 2].val() ^ self.s[2 * i + 3].val(); } self.s[0].next = 0.into(); self.y.next = self.s[1].val(); });
#[derive(LogicBlock, Default)]
pub struct Inv {
    pub x: I<4>,
    pub z: O<4>,
}
impl Logic for Inv {
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.x.val() + 3;
    }
}
unit!(ArrMod { pub a: I<4>, pub y: O<4>, m: [Inv; 3] }
    #[hdl_gen] fn update(&mut self) { self.m[0].x.next = self.a.val(); for i in 0_usize..2 { self.m[i + 1].x.next = self.m[i].z.val(); } self.y.next = self.m[2].z.val(); });
#[derive(LogicBlock)]
pub struct VecMod {
    pub a: I<4>,
    pub y: O<4>,
    m: Vec<Inv>,
}
impl Default for VecMod {
    fn default() -> Self {
        Self { a: Default::default(), y: Default::default(), m: (0..3).map(|_| Inv::default()).collect() }
    }
}
impl Logic for VecMod {
    #[hdl_gen]
    fn update(&mut self) {
        self.m[0].x.next = self.a.val();
        for i in 0_usize..2 {
            self.m[i + 1].x.next = self.m[i].z.val();
        }
        self.y.next = self.m[2].z.val();
    }
}
unit!(Arr2D { pub a: I<4>, pub y: O<4>, s: [[L<4>; 2]; 2] }
    #[hdl_gen] fn update(&mut self) { for i in 0_usize..2 { for j in 0_usize..2 { self.s[i][j].next = self.a.val() + (2 * i + j).to_bits(); } } self.y.next = self.s[0][1].val() ^ self.s[1][0].val(); });
unit!(NestMod2 { pub x: I<4>, pub z: O<4>, s: [Inv; 2] }
    #[hdl_gen] fn update(&mut self) { for j in 0_usize..2 { self.s[j].x.next = self.x.val() + j.to_bits(); } self.z.next = self.s[0].z.val() ^ self.s[1].z.val(); });
unit!(Nested { pub a: I<4>, pub y: O<4>, r: [NestMod2; 2] }
    #[hdl_gen] fn update(&mut self) { for i in 0_usize..2 { self.r[i].x.next = self.a.val() + (4 * i).to_bits(); } self.y.next = self.r[0].z.val() ^ self.r[1].z.val(); });
#[derive(LogicBlock, Default)]
pub struct ArrPort {
    pub x: [I<4>; 2],
    pub z: O<4>,
}
impl Logic for ArrPort {
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.x[0].val() - self.x[1].val();
    }
}
unit!(UseArrPort { pub a: I<4>, pub y: O<4>, p: ArrPort }
    #[hdl_gen] fn update(&mut self) { for i in 0_usize..2 { self.p.x[i].next = self.a.val() + i.to_bits(); } self.y.next = self.p.z.val(); });
unit!(UseArrPortArr { pub a: I<4>, pub y: O<4>, p: [ArrPort; 2] }
    #[hdl_gen] fn update(&mut self) { for i in 0_usize..2 { self.p[i].x[0].next = self.a.val(); self.p[i].x[1].next = i.to_bits(); } self.y.next = self.p[0].z.val() ^ self.p[1].z.val(); });
unit!(DynIdx { pub a: I<4>, pub n: I<2>, pub y: O<4>, s: [L<4>; 4] }
    #[hdl_gen] fn update(&mut self) { for i in 0_usize..4 { self.s[i].next = self.a.val() + i.to_bits(); } self.y.next = self.s[self.n.val().index()].val(); });

pub fn cases() -> Vec<Case> {
    let d4: Row = range(16);
    let d1: Row = vec![0, 1];
    let d3: Row = range(8);
    let d8: Row = vec![0, 1, 0x55, 0xaa, 0xff, 0x80, 0x7f, 0x3c];
    let w: Row = vec![0, 5, u128::MAX, 0x5555_5555_5555_5555_5555_5555_5555u128, 1 << 99, 4];
    vec![
        case!("replace_bit_not", RepNot, [a, b, n], product(&[&d8, &d1, &d3])),
        case!("replace_bit_plain", RepPlain, [a, b, n], product(&[&d8, &d1, &d3])),
        case!("replace_bit_40", Rep40, [a, b, n], product(&[&w, &d1, &range(40)])),
        case!("replace_bit_100", Rep100, [a, b, n], product(&[&w, &d1, &range(100)])),
        case!("replace_bit_100_any", Rep100Any, [a, n], product(&[&w, &range(100)])),
        case!("replace_bit_100_cmp", RepCmp, [a, b, n], product(&[&w, &d1, &range(100)])),
        case!("replace_bit_of_expr", RepPrec, [a, b, n], product(&[&d4, &d4, &range(4)])),
        case!("replace_bit_idx_expr", RepIdxExpr, [a, n], product(&[&d8, &d3])),
        case!("replace_bit_oor", Rep40, [a, b, n], product(&[&[0], &[1], &[39, 40, 63]]), Expect::RustPanics),
        case!("get_bit_dyn_oor", GetBitDyn, [a, n], product(&[&[0x2a, 0x3f], &d3]), Expect::RustPanics),
        case!("get_bit_expr_idx", GetBitExpr, [a, n], product(&[&d8, &d3])),
        case!("get_bits_dyn_oor", GetBitsOOR, [a, n], product(&[&d8, &range(16)]), Expect::RustPanics),
        case!("get_bits_widen", GetBitsWiden, [a], product(&[&d4])),
        case!("get_bits_of_expr", GetBitsOfExpr, [a, b], product(&[&d8, &d8])),
        case!("get_bits_w1", GetBits1, [a], product(&[&d1])),
        case!("reduce_expr", ReduceExpr, [a, b], product(&[&d8, &d8])),
        case!("reduce_not", ReduceNotNoParen, [a], product(&[&range(256)])),
        case!("reduce_with_lit", ReduceWithLit, [a], product(&[&range(256)])),
        case!("big_lit_suffixed", BigLit, [a], random(10, 1, 7)),
        case!("bits_lit_arith_cmp", BitsLit, [a], product(&[&d4])),
        case!("lit_arith_via_local_ok", BitsLitOk, [a], product(&[&d4])),
        case!("constant_field", ConstBlk, [a], product(&[&range(256)])),
        case!("rust_const_in_update", RustConst, [a], product(&[&d8]), Expect::Refused("`FOO`: the block has no signal")),
        case!("const_generic_as_value", GenN<5>, [a], product(&[&d8]), Expect::Refused("`N`: the block has no signal")),
        case!("loop_index_value", LoopVal, [a], product(&[&d4])),
        case!("loop_accumulate_out", LoopAccum, [a], product(&[&range(256)])),
        case!(
            "loop_var_equals_signal_name",
            LoopName,
            [i, a],
            product(&[&d4, &[1, 2]]),
            Expect::Refused("`i`: this loop index has the name of a field")
        ),
        case!("loop_if_on_index", LoopIf, [a], product(&[&d4])),
        case!("loop_slices", LoopSlices, [a], random(20, 1, 5)),
        case!("loop_replace_bit_reverse", LoopSetBitLocal, [a], product(&[&range(256)])),
        case!(
            "loop_shadowed_index",
            LoopShadow,
            [a],
            product(&[&d4]),
            Expect::Refused("`i`: this loop index has the name of an outer loop")
        ),
        case!(
            "loop_bound_const_generic_and_N_in_value",
            LoopConstGen<8>,
            [a],
            product(&[&range(256)]),
            Expect::Refused("`N`: the block has no signal")
        ),
        case!("array_of_local_signals_i_plus_1", ArrSig, [a], product(&[&d4])),
        case!("array_2i_tree", ArrSig2i, [a], product(&[&d4])),
        case!("array_of_modules", ArrMod, [a], product(&[&d4])),
        case!("vec_of_modules", VecMod, [a], product(&[&d4])),
        case!("array_2d", Arr2D, [a], product(&[&d4])),
        case!("nested_module_arrays", Nested, [a], product(&[&d4])),
        case!("array_port", UseArrPort, [a], product(&[&d4])),
        case!("array_port_of_array_module", UseArrPortArr, [a], product(&[&d4])),
        case!(
            "dynamic_index_of_signal_array",
            DynIdx,
            [a, n],
            product(&[&d4, &[0, 1, 2, 3]]),
            Expect::Refused("not known before simulation")
        ),
    ]
}
