// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on the structure of units: parts that rust-hdl's macro loses, interfaces, joins, names that are Verilog
//! keywords, undriven signals and badly driven signals.

use super::harness::*;
use crate::{case, unit};
use rust_hdl::prelude::*;
type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type IB = Signal<In, Bit>;
type OB = Signal<Out, Bit>;
type L<const N: usize> = Signal<Local, Bits<N>>;
type CK = Signal<In, Clock>;

unit!(RangeIncl { pub a: I<8>, pub y: O<4> }
    #[hdl_gen] fn update(&mut self) { self.y.next = 0.into(); for i in 0..=7 { if self.a.val().get_bit(i) { self.y.next = self.y.val() + 1; } } });
fn bits_swap(x: Bits<8>) -> Bits<8> {
    (x >> 4) | (x << 4)
}
unit!(FnPrefix { pub a: I<8>, pub y: O<8> }
    #[hdl_gen] fn update(&mut self) { self.y.next = bits_swap(self.a.val()); });
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Pt {
    pub v: Bit,
    pub x: Bits<5>,
}
#[derive(Copy, Clone, PartialEq, Debug, Default, LogicStruct)]
pub struct Ou {
    pub p: Pt,
    pub k: Bits<4>,
}
unit!(NestedField { pub a: Signal<In, Pt>, pub b: I<4>, pub y: O<5>, o: Signal<Local, Ou> }
    #[hdl_gen] fn update(&mut self) { self.o.next.p = self.a.val(); self.o.next.k = self.b.val(); self.y.next = self.o.val().p.x; });

#[derive(LogicInterface, Default)]
#[join = "BusRx"]
pub struct BusTx {
    pub data: Signal<Out, Bits<8>>,
    pub valid: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
}
#[derive(LogicInterface, Default)]
#[join = "BusTx"]
pub struct BusRx {
    pub data: Signal<In, Bits<8>>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
}
#[derive(LogicBlock, Default)]
pub struct Prod {
    pub d: I<8>,
    pub go: IB,
    pub bus: BusTx,
    pub ok: OB,
}
impl Logic for Prod {
    #[hdl_gen]
    fn update(&mut self) {
        self.bus.data.next = self.d.val() + 1;
        self.bus.valid.next = self.go.val();
        self.ok.next = self.bus.ready.val() & self.go.val();
    }
}
#[derive(LogicBlock, Default)]
pub struct Cons {
    pub en: IB,
    pub bus: BusRx,
    pub q: O<8>,
}
impl Logic for Cons {
    #[hdl_gen]
    fn update(&mut self) {
        self.bus.ready.next = self.en.val();
        self.q.next = 0.into();
        if self.bus.valid.val() & self.en.val() {
            self.q.next = self.bus.data.val();
        }
    }
}
unit!(JoinT { pub d: I<8>, pub go: IB, pub en: IB, pub q: O<8>, pub ok: OB, p: Prod, c: Cons }
#[hdl_gen] fn update(&mut self) {
    self.p.d.next = self.d.val(); self.p.go.next = self.go.val(); self.c.en.next = self.en.val();
    BusTx::join(&mut self.p.bus, &mut self.c.bus);
    self.q.next = self.c.q.val(); self.ok.next = self.p.ok.val();
});
unit!(JoinRev { pub d: I<8>, pub go: IB, pub en: IB, pub q: O<8>, pub ok: OB, p: Prod, c: Cons }
#[hdl_gen] fn update(&mut self) {
    self.p.d.next = self.d.val(); self.p.go.next = self.go.val(); self.c.en.next = self.en.val();
    BusRx::join(&mut self.c.bus, &mut self.p.bus);
    self.q.next = self.c.q.val(); self.ok.next = self.p.ok.val();
});
unit!(JoinArr { pub d: I<8>, pub go: IB, pub en: IB, pub q: O<8>, pub ok: OB, p: [Prod; 2], c: [Cons; 2] }
#[hdl_gen] fn update(&mut self) {
    for i in 0..2 {
        self.p[i].d.next = self.d.val() + i.to_bits(); self.p[i].go.next = self.go.val(); self.c[i].en.next = self.en.val();
        BusTx::join(&mut self.p[i].bus, &mut self.c[i].bus);
    }
    self.q.next = self.c[0].q.val() ^ self.c[1].q.val(); self.ok.next = self.p[0].ok.val() & self.p[1].ok.val();
});
unit!(JoinCond { pub d: I<8>, pub go: IB, pub en: IB, pub q: O<8>, pub ok: OB, p: Prod, c: Cons }
#[hdl_gen] fn update(&mut self) {
    self.p.d.next = self.d.val(); self.p.go.next = self.go.val(); self.c.en.next = self.en.val();
    self.c.bus.data.next = 0.into(); self.c.bus.valid.next = false; self.p.bus.ready.next = false;
    if self.en.val() { BusTx::join(&mut self.p.bus, &mut self.c.bus); }
    self.q.next = self.c.q.val(); self.ok.next = self.p.ok.val();
});
// The bus of the block is connected to the bus of its child.
unit!(LinkT { pub d: I<8>, pub go: IB, pub bus: BusTx, pub ok: OB, p: Prod }
#[hdl_gen] fn update(&mut self) {
    self.p.d.next = self.d.val(); self.p.go.next = self.go.val();
    BusTx::link(&mut self.bus, &mut self.p.bus);
    self.ok.next = self.p.ok.val();
});

unit!(LinkPeek { pub d: I<8>, pub go: IB, pub bus: BusTx, pub ok: OB, pub peek: O<8>, p: Prod }
#[hdl_gen] fn update(&mut self) {
    self.p.d.next = self.d.val(); self.p.go.next = self.go.val();
    BusTx::link(&mut self.bus, &mut self.p.bus);
    self.ok.next = self.p.ok.val(); self.peek.next = self.p.bus.data.val();
});
unit!(LinkPeekOwn { pub d: I<8>, pub go: IB, pub bus: BusTx, pub ok: OB, pub peek: O<8>, p: Prod }
#[hdl_gen] fn update(&mut self) {
    self.p.d.next = self.d.val(); self.p.go.next = self.go.val();
    BusTx::link(&mut self.bus, &mut self.p.bus);
    self.ok.next = self.p.ok.val(); self.peek.next = self.bus.data.val();
});

#[derive(LogicInterface, Default)]
pub struct NxBus {
    pub next_pc: Signal<In, Bits<8>>,
    pub o: Signal<Out, Bits<8>>,
}
#[derive(LogicBlock, Default)]
pub struct NxB {
    pub bus: NxBus,
}
impl Logic for NxB {
    #[hdl_gen]
    fn update(&mut self) {
        self.bus.o.next = self.bus.next_pc.val();
    }
}
unit!(NextName { pub a: I<8>, pub y: O<8>, n: NxB }
    #[hdl_gen] fn update(&mut self) { self.n.bus.next_pc.next = self.a.val(); self.y.next = self.n.bus.o.val(); });
unit!(SelfSuffix { pub a: I<8>, pub y: O<8>, myself: NxC }
    #[hdl_gen] fn update(&mut self) { self.myself.x.next = self.a.val(); self.y.next = self.myself.z.val(); });
#[derive(LogicBlock, Default)]
pub struct NxC {
    pub x: I<8>,
    pub z: O<8>,
}
impl Logic for NxC {
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = self.x.val();
    }
}

unit!(Kw1 { pub release: IB, pub y: OB } #[hdl_gen] fn update(&mut self) { self.y.next = self.release.val(); });
unit!(Kw2 { pub a: IB, pub y: OB, event: Signal<Local, Bit> } #[hdl_gen] fn update(&mut self) { self.event.next = self.a.val(); self.y.next = self.event.val(); });
unit!(Kw3 { pub a: I<8>, pub y: OB, table: NxC } #[hdl_gen] fn update(&mut self) { self.table.x.next = self.a.val(); self.y.next = self.table.z.val().any(); });
unit!(KwSv { pub a: IB, pub y: OB, priority: Signal<Local, Bit> } #[hdl_gen] fn update(&mut self) { self.priority.next = !self.a.val(); self.y.next = self.priority.val(); });

unit!(UndrivenOut { pub a: IB, pub y: OB, pub z: OB } #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val(); });
unit!(UndrivenLocal { pub a: IB, pub y: OB, l: Signal<Local, Bit> } #[hdl_gen] fn update(&mut self) { self.y.next = self.a.val() & self.l.val(); });
unit!(UndrivenSubIn { pub a: IB, pub y: O<8>, s: NxC } #[hdl_gen] fn update(&mut self) { self.y.next = self.s.z.val(); });
unit!(CondDriven { pub a: IB, pub y: OB } #[hdl_gen] fn update(&mut self) { if self.a.val() { self.y.next = true; } });
unit!(WriteInput { pub a: IB, pub y: OB } #[hdl_gen] fn update(&mut self) { self.a.next = true; self.y.next = self.a.val(); });
unit!(ArrPartDriven { pub a: IB, pub y: OB, l: [Signal<Local, Bit>; 2] } #[hdl_gen] fn update(&mut self) { self.l[0].next = self.a.val(); self.y.next = self.l[0].val() & self.l[1].val(); });
unit!(StructPartDriven { pub a: IB, pub y: OB, l: Signal<Local, Pt> } #[hdl_gen] fn update(&mut self) { self.l.next.v = self.a.val(); self.y.next = self.l.val().x.any(); });
unit!(OutFromOwnOut { pub a: IB, pub y: OB, pub z: OB } #[hdl_gen] fn update(&mut self) { self.z.next = self.y.val(); self.y.next = self.a.val(); });
unit!(SubOutBeforeIn { pub a: I<8>, pub y: O<8>, s: NxC } #[hdl_gen] fn update(&mut self) { self.y.next = self.s.z.val(); self.s.x.next = self.a.val(); });
// A combinational loop through two children.
unit!(RealLoop { pub a: I<8>, pub y: O<8>, s: NxC, t: NxC } #[hdl_gen] fn update(&mut self) { self.s.x.next = self.t.z.val() + self.a.val(); self.t.x.next = self.s.z.val(); self.y.next = self.t.z.val(); });
// The unit looks like a loop, but each bit depends only on the next lower bit.
unit!(BitChain { pub a: I<4>, pub y: O<4>, c: L<5> } #[hdl_gen] fn update(&mut self) { self.c.next = 0.into(); for i in 0_usize..4 { self.c.next = self.c.val().replace_bit(i + 1, self.c.val().get_bit(i) ^ self.a.val().get_bit(i)); } self.y.next = self.c.val().get_bits::<4>(1); });

unit!(ArrReadBefore { pub a: IB, pub y: OB, l: [Signal<Local, Bit>; 2] } #[hdl_gen] fn update(&mut self) { self.y.next = self.l[1].val(); for i in 0..2 { self.l[i].next = self.a.val(); } });

unit!(MatchReadBefore { pub a: I<2>, pub y: OB, l: L<2> } #[hdl_gen] fn update(&mut self) { match self.l.val().index() { 1 => self.y.next = true, _ => self.y.next = false, } self.l.next = self.a.val(); });
// The first unit reads in a branch the value that the same branch has written. The second unit reads a value that its branch has not
// written.
unit!(FalsePos { pub a: IB, pub b: IB, pub y: OB, l: Signal<Local, Bit> } #[hdl_gen] fn update(&mut self) { self.y.next = false; if self.a.val() { self.l.next = self.b.val(); self.y.next = self.l.val(); } else { self.l.next = false; } });
unit!(FalsePos2 { pub a: IB, pub b: IB, pub y: OB, l: Signal<Local, Bit> } #[hdl_gen] fn update(&mut self) { if self.a.val() { self.y.next = self.l.val() ; } else { self.l.next = self.b.val(); self.y.next = self.l.val(); } self.l.next = self.b.val(); });

unit!(Swap { pub clock: CK, pub ld: IB, pub a: I<4>, pub y: O<4>, pub z: O<4>, p: DFF<Bits<4>>, q: DFF<Bits<4>> }
    #[hdl_gen] fn update(&mut self) { dff_setup!(self, clock, p, q); self.p.d.next = self.q.q.val(); self.q.d.next = self.p.q.val(); if self.ld.val() { self.p.d.next = self.a.val(); } self.y.next = self.p.q.val(); self.z.next = self.q.q.val(); });
// A register whose next value has no default.
unit!(NoSetup { pub clock: CK, pub a: I<4>, pub c: IB, pub y: O<4>, p: DFF<Bits<4>> }
    #[hdl_gen] fn update(&mut self) { self.p.clock.next = self.clock.val(); if self.c.val() { self.p.d.next = self.a.val(); } self.y.next = self.p.q.val(); });

pub fn cases() -> Vec<Case> {
    let d4: Row = range(16);
    let d1: Row = vec![0, 1];
    let _d3: Row = range(8);
    let d8: Row = vec![0, 1, 5, 0xfb, 0x55, 0xaa, 0xff, 0x80, 0x7f, 0x3c];
    vec![
        case!("range_inclusive", RangeIncl, [a], product(&[&range(256)]), Expect::LostInMacro("`0..=7` is recorded as `0..7`")),
        case!(
            "fn_named_bits_prefix",
            FnPrefix,
            [a],
            product(&[&d8]),
            Expect::LostInMacro("a call of `bits_swap` is recorded as a cast")
        ),
        case(
            "nested_struct_field",
            Expect::Agree,
            NestedField::default,
            product(&[&[0, 1], &d4]),
            &[|u: &mut NestedField, v| u.a.next.v = v != 0, |u, v| u.b.next = FromRow::from_row(v)],
            None,
        ),
        case!("join", JoinT, [d, go, en], product(&[&d8, &d1, &d1])),
        case!("join_rev", JoinRev, [d, go, en], product(&[&d8, &d1, &d1])),
        case!("join_array", JoinArr, [d, go, en], product(&[&d8, &d1, &d1])),
        case!("join_conditional", JoinCond, [d, go, en], product(&[&d8, &d1, &d1])),
        case!("link", LinkT, [d, go, bus.ready], product(&[&d8, &d1, &d1])),
        case!("link_peek_child", LinkPeek, [d, go, bus.ready], product(&[&d8, &d1, &d1])),
        case!("link_peek_own", LinkPeekOwn, [d, go, bus.ready], product(&[&d8, &d1, &d1])),
        case!("field_named_next_in_iface", NextName, [a], product(&[&d8])),
        case!("field_ending_in_self", SelfSuffix, [a], product(&[&d8]), Expect::Refused("`myx`: assigned, but no signal")),
        case!("kw_release", Kw1, [release], product(&[&d1])),
        case!("kw_event", Kw2, [a], product(&[&d1])),
        case!("kw_instance_table", Kw3, [a], product(&[&d8])),
        case!("kw_sv_priority", KwSv, [a], product(&[&d1])),
        case!("chk_undriven_out", UndrivenOut, [a], product(&[&d1]), Expect::Refused("`z`: it is not driven")),
        case!("chk_undriven_local", UndrivenLocal, [a], product(&[&d1]), Expect::Refused("`l`: it is not driven")),
        case!("chk_undriven_sub_in", UndrivenSubIn, [a], product(&[&d1]), Expect::Refused("`s.x`: it is not driven")),
        case!("chk_conditionally_driven", CondDriven, [a], product(&[&d1]), Expect::Refused("`y`: only some paths")),
        case!("chk_write_input", WriteInput, [a], product(&[&d1]), Expect::Refused("`a`: an input of the block is written")),
        case!("chk_array_partly_driven", ArrPartDriven, [a], product(&[&d1]), Expect::Refused("`l[1]`: it is not driven")),
        case!("chk_struct_partly_driven", StructPartDriven, [a], product(&[&d1]), Expect::Refused("`l.x`: it is not driven")),
        case!("chk_out_read_before_write", OutFromOwnOut, [a], product(&[&d1]), Expect::Refused("`y`: read before")),
        case!("chk_sub_out_before_in", SubOutBeforeIn, [a], product(&[&d8])),
        case!("chk_real_loop", RealLoop, [a], product(&[&[0, 1]]), Expect::Refused("depends on itself")),
        case!("chk_bit_chain", BitChain, [a], product(&[&d4])),
        case!(
            "chk_array_read_before_write",
            ArrReadBefore,
            [a],
            product(&[&[0, 1, 0, 1, 1]]),
            Expect::Refused("`l[1]`: read before")
        ),
        case!(
            "chk_match_read_before_write",
            MatchReadBefore,
            [a],
            product(&[&[0, 1, 0, 1, 1]]),
            Expect::Refused("`l`: read before")
        ),
        case!("chk_false_positive_1", FalsePos, [a, b], product(&[&d1, &d1])),
        case!("chk_false_positive_2", FalsePos2, [a, b], product(&[&d1, &d1]), Expect::Refused("`l`: read before")),
        case!("dff_swap", Swap, [ld, a], vec![vec![1, 5], vec![0, 0], vec![0, 0], vec![1, 3], vec![0, 0], vec![0, 0]], clock),
        case!(
            "dff_no_default_d",
            NoSetup,
            [a, c],
            vec![vec![1, 1], vec![2, 0], vec![3, 0], vec![4, 1], vec![5, 0]],
            clock,
            Expect::Refused("`p.d`: only some paths")
        ),
    ]
}
