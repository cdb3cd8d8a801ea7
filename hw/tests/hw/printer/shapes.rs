// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on structure that is chosen at run time, signals of width 1, literals as left operands, and
//! registers at several depths.

use super::harness::*;
use crate::{case, unit};
use rust_hdl::prelude::*;
type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type OB = Signal<Out, Bit>;
type L<const N: usize> = Signal<Local, Bits<N>>;
type CK = Signal<In, Clock>;
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
#[derive(LogicBlock)]
pub struct RunTime {
    pub a: I<4>,
    pub y: O<4>,
    m: Vec<Inv>,
    t: Vec<L<4>>,
    _n: usize,
    _f: usize,
}
impl RunTime {
    fn new(n: usize, f: bool) -> Self {
        Self {
            a: Default::default(),
            y: Default::default(),
            m: (0..n).map(|_| Default::default()).collect(),
            t: (0..n + 1).map(|_| Default::default()).collect(),
            _n: n,
            _f: f as usize,
        }
    }
}
impl Logic for RunTime {
    #[hdl_gen]
    fn update(&mut self) {
        self.t[0].next = self.a.val();
        for i in 0..self._n {
            self.m[i].x.next = self.t[i].val();
            self.t[i + 1].next = self.m[i].z.val();
        }
        self.y.next = 0.into();
        for n in self._n..(self._n + 1) {
            self.y.next = self.t[n].val();
        }
        for _k in 0..self._f {
            self.y.next = self.y.val() ^ 15;
        }
    }
}
unit!(SelfDet { pub a: I<4>, pub b: I<4>, pub y: O<8>, pub z: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<8, 4>(unsigned_cast(signed_cast(self.a.val() + self.b.val()))); self.z.next = unsigned_cast(signed_cast(!self.a.val())) == 3; });
#[derive(LogicBlock)]
pub struct One1<const N: usize> {
    pub a: I<N>,
    pub y: O<4>,
}
impl<const N: usize> Default for One1<N> {
    fn default() -> Self {
        Self { a: Default::default(), y: Default::default() }
    }
}
impl<const N: usize> Logic for One1<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0.into();
        for i in 0..N {
            if self.a.val().get_bit(i) {
                self.y.next = self.y.val() + 1;
            }
        }
    }
}
unit!(LitOver { pub a: I<4>, pub y: OB, pub z: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() > 16; self.z.next = self.a.val() + 1; });
unit!(NegLeftLit { pub a: I<4>, pub y: OB }
    #[hdl_gen] fn update(&mut self) { self.y.next = (0 - self.a.val()) == self.a.val(); });
unit!(ShlLeftLit { pub n: I<3>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bit_cast::<8, 64>(1 << self.n.val()); });

#[derive(LogicBlock)]
pub struct ConstStyle {
    pub a: I<4>,
    pub y: OB,
    const_one: Constant<Bits<4>>,
    const_zero: Constant<Bits<4>>,
}
impl Default for ConstStyle {
    fn default() -> Self {
        Self {
            a: Default::default(),
            y: Default::default(),
            const_one: Constant::new(1.into()),
            const_zero: Constant::new(0.into()),
        }
    }
}
impl Logic for ConstStyle {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = (self.a.val() + self.const_one.val()) == self.const_zero.val();
    }
}

#[derive(LogicBlock, Default)]
pub struct Leaf {
    pub clock: CK,
    pub d: I<4>,
    pub q: O<4>,
    r: DFF<Bits<4>>,
}
impl Logic for Leaf {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, r);
        self.r.d.next = self.d.val();
        self.q.next = self.r.q.val();
    }
}
#[derive(LogicBlock, Default)]
pub struct Mid {
    pub clock: CK,
    pub d: I<4>,
    pub q: O<4>,
    u: Leaf,
}
impl Logic for Mid {
    #[hdl_gen]
    fn update(&mut self) {
        self.u.clock.next = self.clock.val();
        self.u.d.next = self.d.val();
        self.q.next = self.u.q.val();
    }
}
unit!(Depths { pub clock: CK, pub a: I<4>, pub y: O<4>, pub z: O<4>, r: DFF<Bits<4>>, m: Mid, l: Leaf, s: DFF<Bits<4>> }
    #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, r, s); self.l.clock.next = self.clock.val(); self.m.clock.next = self.clock.val();
        self.r.d.next = self.a.val() + self.m.q.val(); self.m.d.next = self.r.q.val(); self.l.d.next = self.m.q.val(); self.s.d.next = self.l.q.val(); self.y.next = self.s.q.val(); self.z.next = self.m.q.val(); });

pub fn cases() -> Vec<Case> {
    let d4: Row = range(16);
    vec![
        case(
            "runtime_structure_n0_ffalse",
            Expect::Agree,
            || RunTime::new(0, false),
            product(&[&d4]),
            &[|u: &mut RunTime, v| u.a.next = FromRow::from_row(v)],
            None,
        ),
        case(
            "runtime_structure_n1_ftrue",
            Expect::Agree,
            || RunTime::new(1, true),
            product(&[&d4]),
            &[|u: &mut RunTime, v| u.a.next = FromRow::from_row(v)],
            None,
        ),
        case(
            "runtime_structure_n5_ftrue",
            Expect::Agree,
            || RunTime::new(5, true),
            product(&[&d4]),
            &[|u: &mut RunTime, v| u.a.next = FromRow::from_row(v)],
            None,
        ),
        case!("signed_cast_makes_self_determined", SelfDet, [a, b], product(&[&d4, &d4])),
        case!("const_generic_N_eq_1", One1<1>, [a], product(&[&[0, 1]])),
        case!("literal_too_big", LitOver, [a], product(&[&d4]), Expect::Refused("literal")),
        case!("literal_on_left", NegLeftLit, [a], product(&[&d4])),
        case!("shl_literal_left", ShlLeftLit, [n], product(&[&range(8)])),
        case!("constant_fields_for_literals", ConstStyle, [a], product(&[&d4])),
        case!("register_depths", Depths, [a], random(50, 1, 4), clock),
    ]
}
