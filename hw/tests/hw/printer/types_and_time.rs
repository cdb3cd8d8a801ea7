// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on enums, `match`, latches, order of assignments, time zero, registers, structures and
//! signed numbers.

use super::harness::*;
use crate::{case, unit};
use rust_hdl::prelude::*;
type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type IB = Signal<In, Bit>;
type OB = Signal<Out, Bit>;
type L<const N: usize> = Signal<Local, Bits<N>>;
type CK = Signal<In, Clock>;

unit!(RepAll { pub a: I<8>, pub n: I<3>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val().replace_bit(self.n.val().index(), true).all(); });

#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
pub enum St {
    Idle,
    Run,
    Done,
}
unit!(EnumFsm { pub clock: CK, pub go: IB, pub y: OB, pub st: Signal<Out, St>, s: DFF<St> }
#[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, s);
    self.y.next = false; self.st.next = self.s.q.val();
    match self.s.q.val() {
        St::Idle => { if self.go.val() { self.s.d.next = St::Run; } }
        St::Run => { self.s.d.next = St::Done; }
        St::Done => { self.y.next = true; self.s.d.next = St::Idle; }
    }
});
unit!(EnumNoDefault { pub clock: CK, pub go: IB, pub y: O<4>, s: DFF<St> }
#[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, s);
    match self.s.q.val() {
        St::Idle => { self.y.next = 1.into(); if self.go.val() { self.s.d.next = St::Run; } }
        St::Run => { self.y.next = 2.into(); self.s.d.next = St::Done; }
        St::Done => { self.y.next = 4.into(); self.s.d.next = St::Idle; }
    }
});
unit!(EnumEq { pub clock: CK, pub go: IB, pub y: OB, s: DFF<St> }
#[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, s);
    self.y.next = (self.s.q.val() == St::Run) | (self.s.q.val() == St::Done);
    if (self.s.q.val() == St::Idle) & self.go.val() { self.s.d.next = St::Run; } else if self.s.q.val() == St::Run { self.s.d.next = St::Done; }
});
pub mod ma {
    use super::*;
    #[derive(Copy, Clone, PartialEq, Debug, LogicState)]
    pub enum State {
        Idle,
        Busy,
    }
    unit!(A { pub clock: CK, pub go: IB, pub y: OB, s: DFF<State> }
        #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, s); self.y.next = self.s.q.val() == State::Busy; if self.go.val() { self.s.d.next = State::Busy; } else { self.s.d.next = State::Idle; } });
}
pub mod mb {
    use super::*;
    #[derive(Copy, Clone, PartialEq, Debug, LogicState)]
    pub enum State {
        Off,
        Idle,
        Busy,
    }
    unit!(B { pub clock: CK, pub go: IB, pub y: OB, pub sout: Signal<Out, State>, s: DFF<State> }
        #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, s); self.sout.next = self.s.q.val(); self.y.next = self.s.q.val() == State::Busy; if self.go.val() { self.s.d.next = State::Busy; } else if self.y.val() { self.s.d.next = State::Idle; } else { self.s.d.next = State::Off; } });
}
unit!(EnumClash1 { pub clock: CK, pub go: IB, pub y: OB, pub z: OB, a: ma::A, b: mb::B }
    #[hdl_gen] fn update(&mut self) { self.a.clock.next = self.clock.val(); self.b.clock.next = self.clock.val(); self.a.go.next = self.go.val(); self.b.go.next = self.go.val(); self.y.next = self.a.y.val(); self.z.next = self.b.y.val(); });
// Two enums have the same name, and one block uses both.
unit!(EnumClash2 { pub clock: CK, pub go: IB, pub y: OB, s: DFF<ma::State>, b: mb::B }
    #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, s); self.b.clock.next = self.clock.val(); self.b.go.next = self.go.val(); self.s.d.next = ma::State::Idle; self.y.next = self.b.sout.val() == mb::State::Busy; });

unit!(MatchInt { pub a: I<3>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { match self.a.val().index() { 0 => self.y.next = 9.into(), 1 => self.y.next = 7.into(), 5 => { self.y.next = 3.into(); } _ => self.y.next = 0.into(), } });
unit!(MatchHex { pub a: I<8>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { match self.a.val().index() { 0x10 => self.y.next = 9.into(), 0b11 => self.y.next = 7.into(), _ => self.y.next = 0.into(), } });
const KA: usize = 3;
const KB: usize = 5;
unit!(MatchConst { pub a: I<8>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { match self.a.val().index() { KA => self.y.next = 9.into(), KB => self.y.next = 7.into(), _ => self.y.next = 0.into(), } });
unit!(MatchExpr { pub a: I<4>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { match (self.a.val() + 1).index() { 0 => self.y.next = 9.into(), 1 => self.y.next = 7.into(), _ => self.y.next = 0.into(), } });
unit!(MatchBool { pub a: IB, pub b: IB, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { match self.a.val() & self.b.val() { true => self.y.next = 9.into(), false => self.y.next = 7.into(), } });

unit!(LatchLocal { pub a: I<4>, pub c: IB, pub y: O<4>, l: L<4> }
    #[hdl_gen] fn update(&mut self) { if self.c.val() { self.l.next = self.a.val(); } self.y.next = self.l.val(); });
unit!(ReadBeforeWriteIf { pub a: IB, pub b: IB, pub y: OB, l: Signal<Local, Bit> }
    #[hdl_gen] fn update(&mut self) { self.y.next = false; if self.l.val() { self.y.next = true; } self.l.next = self.a.val() & self.b.val(); });
unit!(ReadBeforeWriteRhs { pub a: IB, pub b: IB, pub y: OB, l: Signal<Local, Bit> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.l.val(); self.l.next = self.a.val() & self.b.val(); });
unit!(ConstOut { pub a: I<4>, pub y: O<4>, pub z: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 5.into(); self.z.next = self.a.val(); });
unit!(ConstOnly { pub clock: CK, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 5.into(); });
unit!(ConstSub { pub z: O<4> } #[hdl_gen] fn update(&mut self) { self.z.next = 7.into(); });
unit!(ConstOnlySub { pub a: I<4>, pub y: O<4>, s: ConstSub }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.s.z.val() + self.a.val(); });
unit!(TieIn { pub a: I<4>, pub y: O<4>, s: Inv2 }
    #[hdl_gen] fn update(&mut self) { self.s.x.next = 3.into(); self.s.w.next = self.a.val(); self.y.next = self.s.z.val(); });
#[derive(LogicBlock, Default)]
pub struct Inv2 {
    pub x: I<4>,
    pub w: I<4>,
    pub z: O<4>,
}
impl Logic for Inv2 {
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.x.val() + self.w.val();
    }
}
unit!(TieOnly { pub clock: CK, pub y: O<4>, s: Inv2 }
    #[hdl_gen] fn update(&mut self) { self.s.x.next = 3.into(); self.s.w.next = 4.into(); self.y.next = self.s.z.val(); });
// The output is computed from the power-up value, so the value is visible before the first edge.
unit!(DffT0 { pub clock: CK, pub y: O<4>, s: DFF<Bits<4>> }
    #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, s); self.s.d.next = self.s.q.val() + 1; self.y.next = self.s.q.val() + 3; });

#[derive(LogicBlock)]
pub struct DffInit {
    pub clock: CK,
    pub y: O<8>,
    s: DFFWithInit<Bits<8>>,
}
impl Default for DffInit {
    fn default() -> Self {
        Self { clock: Default::default(), y: Default::default(), s: DFFWithInit::new(0xA5.into()) }
    }
}
impl Logic for DffInit {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.clock.next = self.clock.val();
        self.s.d.next = self.s.q.val() + 1;
        self.y.next = self.s.q.val();
    }
}
#[derive(LogicBlock)]
pub struct EdgeInit {
    pub clock: CK,
    pub y: O<8>,
    s: EdgeDFF<Bits<8>>,
}
impl Default for EdgeInit {
    fn default() -> Self {
        Self { clock: Default::default(), y: Default::default(), s: EdgeDFF::new(0xA5.into()) }
    }
}
impl Logic for EdgeInit {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.clk.next = self.clock.val();
        self.s.d.next = self.s.q.val() + 1;
        self.y.next = self.s.q.val();
    }
}
use rust_hdl::widgets::edge_ff::EdgeDFF;
unit!(Dff64 { pub clock: CK, pub a: I<64>, pub y: O<64>, s: DFF<Bits<64>> }
    #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, s); self.s.d.next = self.s.q.val() + self.a.val(); self.y.next = self.s.q.val(); });

#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Pt {
    pub v: Bit,
    pub x: Bits<5>,
    pub st: St,
    pub y: Bits<3>,
}
unit!(StructRw { pub clock: CK, pub a: I<5>, pub c: IB, pub y: O<5>, pub z: O<3>, pub v: OB, pub p: Signal<Out, Pt>, s: DFF<Pt> }
#[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, s);
    self.s.d.next.x = self.a.val();
    self.s.d.next.v = self.c.val();
    if self.c.val() { self.s.d.next.st = St::Run; } else { self.s.d.next.y = self.s.q.val().y + 1; }
    self.y.next = self.s.q.val().x; self.z.next = self.s.q.val().y; self.v.next = self.s.q.val().v;
    self.p.next = self.s.q.val();
});
unit!(StructEq { pub clock: CK, pub a: I<5>, pub y: OB, s: DFF<Pt>, t: DFF<Pt> }
#[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, s, t);
    self.s.d.next.x = self.a.val(); self.t.d.next = self.s.q.val();
    self.y.next = self.s.q.val() == self.t.q.val();
});
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Outer {
    pub p: Pt,
    pub k: Bits<4>,
}
unit!(StructNested { pub clock: CK, pub a: I<4>, pub y: O<4>, s: DFF<Outer>, lp: Signal<Local, Pt> }
#[hdl_gen] fn update(&mut self) {
    dff_setup!(self, clock, s);
    self.lp.next = self.s.q.val().p;
    self.s.d.next.k = self.a.val();
    self.y.next = self.s.q.val().k;
});
// One field is assigned, and the structure as a whole has no default.
unit!(StructPartial { pub a: I<5>, pub y: Signal<Out, Pt> }
    #[hdl_gen] fn update(&mut self) { self.y.next.x = self.a.val(); });

unit!(SgnCmp { pub a: Signal<In, Signed<8>>, pub b: Signal<In, Signed<8>>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() < self.b.val(); });
unit!(SgnCmpLit { pub a: Signal<In, Signed<8>>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() < 5.into(); });
#[derive(LogicBlock)]
pub struct SgnCmpConst {
    pub a: Signal<In, Signed<8>>,
    pub y: OB,
    pub z: Signal<Out, Signed<8>>,
    k: Constant<Signed<8>>,
}
impl Default for SgnCmpConst {
    fn default() -> Self {
        Self { a: Default::default(), y: Default::default(), z: Default::default(), k: Constant::new(signed::<8>(-5)) }
    }
}
impl Logic for SgnCmpConst {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() < self.k.val();
        self.z.next = self.a.val() + self.k.val();
    }
}
unit!(SgnAdd { pub a: Signal<In, Signed<8>>, pub b: Signal<In, Signed<8>>, pub y: Signal<Out, Signed<8>>, pub z: Signal<Out, Signed<12>> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() - self.b.val(); self.z.next = signed_bit_cast::<12, 8>(self.a.val()) + signed_bit_cast::<12, 8>(self.b.val()); });
unit!(SgnNeg { pub a: Signal<In, Signed<8>>, pub y: Signal<Out, Signed<8>>, pub z: Signal<Out, Signed<12>> }
    #[hdl_gen] fn update(&mut self) { self.y.next = -self.a.val(); self.z.next = signed_bit_cast::<12, 8>(-self.a.val()); });
unit!(SgnUns { pub a: Signal<In, Signed<8>>, pub y: O<16>, pub z: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = unsigned_cast(signed_bit_cast::<16, 8>(self.a.val())); self.z.next = unsigned_cast(self.a.val()); });
unit!(SgnMul { pub a: Signal<In, Signed<16>>, pub b: Signal<In, Signed<16>>, pub y: Signal<Out, Signed<32>> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() * self.b.val(); });
unit!(SgnGetBits { pub a: Signal<In, Signed<8>>, pub y: Signal<Out, Signed<8>>, pub z: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = signed_bit_cast::<8, 4>(self.a.val().get_bits::<4>(2)); self.z.next = self.a.val().get_bit(7); });
unit!(SgnOverflowCast { pub a: Signal<In, Signed<8>>, pub b: Signal<In, Signed<8>>, pub y: Signal<Out, Signed<12>> }
    #[hdl_gen] fn update(&mut self) { self.y.next = signed_bit_cast::<12, 8>(self.a.val() + self.b.val()); });
unit!(SgnFromBits { pub a: I<8>, pub b: I<8>, pub y: OB, pub z: Signal<Out, Signed<12>> }
    #[hdl_gen] fn update(&mut self) { self.y.next = signed_cast(self.a.val()) < signed_cast(self.b.val()); self.z.next = signed_bit_cast::<12, 8>(signed_cast(self.a.val())); });
unit!(SgnFromSum { pub a: I<8>, pub b: I<8>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = signed_cast(self.a.val() - self.b.val()) < signed_cast(self.b.val()); });

pub fn cases() -> Vec<Case> {
    let d4: Row = range(16);
    let d1: Row = vec![0, 1];
    let d3: Row = range(8);
    let d5: Row = range(32);
    let d8: Row = vec![0, 1, 5, 0xfb, 0x55, 0xaa, 0xff, 0x80, 0x7f, 0x3c];
    let go: Vec<Row> = [0u128, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0].iter().map(|x| vec![*x]).collect();
    let s8: Row = vec![0, 1, 5, 0xfb, 0x55, 0xaa, 0xff, 0x81, 0x7f, 0x3c];
    vec![
        case!("replace_bit_all", RepAll, [a, n], product(&[&[0xff, 0x7f, 0xfe], &d3])),
        case!("enum_fsm", EnumFsm, [go], go.clone(), clock),
        case!("enum_match_no_default", EnumNoDefault, [go], go.clone(), clock),
        case!("enum_eq", EnumEq, [go], go.clone(), clock),
        case!("enum_same_name_two_children", EnumClash1, [go], go.clone(), clock),
        case!("enum_same_name_one_module", EnumClash2, [go], go.clone(), clock, Expect::Refused("different values")),
        case!("match_int", MatchInt, [a], product(&[&d3])),
        case!("match_hex_bin_literals", MatchHex, [a], product(&[&[0, 3, 16, 17]])),
        case!("match_const_names", MatchConst, [a], product(&[&[0, 3, 5, 17]]), Expect::Refused("`KA`: this match arm")),
        case!("match_expr_wrap", MatchExpr, [a], product(&[&d4])),
        case!("match_bool", MatchBool, [a, b], product(&[&d1, &d1])),
        case!("latch_local", LatchLocal, [a, c], product(&[&d4, &d1]), Expect::Refused("`l`: read where only some paths")),
        case!(
            "read_before_write_in_if",
            ReadBeforeWriteIf,
            [a, b],
            vec![vec![0, 0], vec![1, 1], vec![1, 0], vec![0, 0], vec![1, 1], vec![1, 1], vec![0, 1]],
            Expect::Refused("`l`: read before")
        ),
        case!(
            "read_before_write_rhs",
            ReadBeforeWriteRhs,
            [a, b],
            vec![vec![0, 0], vec![1, 1], vec![1, 0], vec![0, 0], vec![1, 1], vec![1, 1], vec![0, 1]],
            Expect::Refused("`l`: read before")
        ),
        case!("constant_output_mixed", ConstOut, [a], product(&[&d4])),
        case!("constant_output_only", ConstOnly, [], vec![vec![], vec![]], clock),
        case!("constant_output_submodule", ConstOnlySub, [a], product(&[&d4])),
        case!("tied_input_mixed", TieIn, [a], product(&[&d4])),
        case!("tied_input_only", TieOnly, [], vec![vec![], vec![]], clock),
        case!("dff_time0_comb", DffT0, [], vec![vec![]; 5], clock),
        case!("dff_with_init", DffInit, [], vec![vec![]; 5], clock),
        case!("edge_dff_init", EdgeInit, [], vec![vec![]; 5], clock),
        case!("dff64", Dff64, [a], random(10, 1, 9), clock),
        case!("struct_rw", StructRw, [a, c], product(&[&d5, &d1]), clock),
        case!("struct_eq", StructEq, [a], product(&[&[1, 1, 2, 2, 3]]), clock),
        case!("struct_nested", StructNested, [a], product(&[&d4]), clock),
        case!("struct_partial_write_comb", StructPartial, [a], product(&[&d4]), Expect::Refused("`y.v`: it is not driven")),
        case!("signed_cmp", SgnCmp, [a, b], product(&[&d8, &d8])),
        case!("signed_cmp_lit", SgnCmpLit, [a], product(&[&d8])),
        case!("signed_cmp_const", SgnCmpConst, [a], product(&[&d8])),
        case!("signed_add_widen", SgnAdd, [a, b], product(&[&s8, &s8])),
        case!("signed_neg", SgnNeg, [a], product(&[&s8])),
        case!("signed_to_unsigned", SgnUns, [a], product(&[&s8])),
        case!("signed_mul", SgnMul, [a, b], random(30, 2, 11)),
        case!(
            "signed_get_bits",
            SgnGetBits,
            [a],
            range(256).into_iter().filter(|x| (x >> 2) & 15 != 8).map(|x| vec![x]).collect()
        ),
        case!(
            "signed_overflow_cast",
            SgnOverflowCast,
            [a, b],
            product(&[&s8, &s8]).into_iter().filter(|v| (v[0] + v[1]) & 255 != 128).collect::<Vec<_>>()
        ),
        case!("signed_from_bits", SgnFromBits, [a, b], product(&[&s8, &s8])),
        case!("signed_from_diff", SgnFromSum, [a, b], product(&[&s8, &s8])),
    ]
}
