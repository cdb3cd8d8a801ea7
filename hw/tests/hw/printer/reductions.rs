// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on population counts, priority encoders and tables of counters.

use super::harness::*;
use super::memories::LutRam;
use crate::case;
use rust_hdl::prelude::*;
type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type IB = Signal<In, Bit>;
type OB = Signal<Out, Bit>;
type L<const N: usize> = Signal<Local, Bits<N>>;
type CK = Signal<In, Clock>;

#[derive(LogicBlock, Default)]
pub struct PopSer<const N: usize, const W: usize> {
    pub a: I<N>,
    pub y: O<W>,
}
impl<const N: usize, const W: usize> Logic for PopSer<N, W> {
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
#[derive(LogicBlock, Default)]
pub struct PopAddBit<const N: usize, const W: usize> {
    pub a: I<N>,
    pub y: O<W>,
}
impl<const N: usize, const W: usize> Logic for PopAddBit<N, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0.into();
        for i in 0..N {
            self.y.next = self.y.val() + self.a.val().get_bit(i);
        }
    }
}
// A tree of sums in one array, with the leaves in the upper half, so M is 2 N.
#[derive(LogicBlock)]
pub struct PopTree<const N: usize, const M: usize, const W: usize> {
    pub a: I<N>,
    pub y: O<W>,
    s: [L<W>; M],
}
impl<const N: usize, const M: usize, const W: usize> Default for PopTree<N, M, W> {
    fn default() -> Self {
        assert!(M == 2 * N && (1 << W) > N && N.is_power_of_two());
        Self { a: Default::default(), y: Default::default(), s: std::array::from_fn(|_| Default::default()) }
    }
}
impl<const N: usize, const M: usize, const W: usize> Logic for PopTree<N, M, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s[0].next = 0.into();
        for n in N..(N + 1) {
            for i in 0..N {
                self.s[n + i].next = 0.into();
                if self.a.val().get_bit(i) {
                    self.s[n + i].next = 1.into();
                }
            }
            for j in 1..N {
                self.s[n - j].next = self.s[2 * (n - j)].val() + self.s[2 * (n - j) + 1].val();
            }
        }
        self.y.next = self.s[1].val();
    }
}

#[derive(LogicBlock, Default)]
pub struct PopSwar {
    pub a: I<32>,
    pub y: O<6>,
    p: L<32>,
    q: L<32>,
    r: L<32>,
    t: L<32>,
    u: L<32>,
}
impl Logic for PopSwar {
    #[hdl_gen]
    fn update(&mut self) {
        self.p.next = (self.a.val() & 0x5555_5555) + ((self.a.val() >> 1) & 0x5555_5555);
        self.q.next = (self.p.val() & 0x3333_3333) + ((self.p.val() >> 2) & 0x3333_3333);
        self.r.next = (self.q.val() & 0x0f0f_0f0f) + ((self.q.val() >> 4) & 0x0f0f_0f0f);
        self.t.next = (self.r.val() & 0x00ff_00ff) + ((self.r.val() >> 8) & 0x00ff_00ff);
        self.u.next = (self.t.val() & 0x0000_ffff) + ((self.t.val() >> 16) & 0x0000_ffff);
        self.y.next = self.u.val().get_bits::<6>(0);
    }
}
// The lowest set bit has priority, because it is assigned last.
#[derive(LogicBlock, Default)]
pub struct PriLoop<const N: usize, const W: usize> {
    pub a: I<N>,
    pub y: O<W>,
    pub v: OB,
}
impl<const N: usize, const W: usize> Logic for PriLoop<N, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = 0.into();
        self.v.next = self.a.val().any();
        for n in N..(N + 1) {
            for i in 1..(N + 1) {
                if self.a.val().get_bit(n - i) {
                    self.y.next = (n - i).to_bits();
                }
            }
        }
    }
}
// Isolates the lowest set bit, then encodes it.
#[derive(LogicBlock, Default)]
pub struct PriOneHot<const N: usize, const W: usize> {
    pub a: I<N>,
    pub y: O<W>,
    pub v: OB,
    neg: L<N>,
    oh: L<N>,
}
impl<const N: usize, const W: usize> Logic for PriOneHot<N, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.neg.next = 0 - self.a.val();
        self.oh.next = self.a.val() & self.neg.val();
        self.v.next = self.a.val().any();
        self.y.next = 0.into();
        for i in 0..N {
            if self.oh.val().get_bit(i) {
                self.y.next = self.y.val() | i.to_bits();
            }
        }
    }
}
// A tree of (valid, index) pairs.
#[derive(LogicBlock)]
pub struct PriTree<const N: usize, const M: usize, const W: usize> {
    pub a: I<N>,
    pub y: O<W>,
    pub v: OB,
    val: [Signal<Local, Bit>; M],
    idx: [L<W>; M],
}
impl<const N: usize, const M: usize, const W: usize> Default for PriTree<N, M, W> {
    fn default() -> Self {
        Self {
            a: Default::default(),
            y: Default::default(),
            v: Default::default(),
            val: std::array::from_fn(|_| Default::default()),
            idx: std::array::from_fn(|_| Default::default()),
        }
    }
}
impl<const N: usize, const M: usize, const W: usize> Logic for PriTree<N, M, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.val[0].next = false;
        self.idx[0].next = 0.into();
        for n in N..(N + 1) {
            for i in 0..N {
                self.val[n + i].next = self.a.val().get_bit(i);
                self.idx[n + i].next = i.to_bits();
            }
            for j in 1..N {
                self.val[n - j].next = self.val[2 * (n - j)].val() | self.val[2 * (n - j) + 1].val();
                self.idx[n - j].next = self.idx[2 * (n - j) + 1].val();
                if self.val[2 * (n - j)].val() {
                    self.idx[n - j].next = self.idx[2 * (n - j)].val();
                }
            }
        }
        self.y.next = self.idx[1].val();
        self.v.next = self.val[1].val();
    }
}

#[derive(LogicBlock, Default)]
pub struct RedLoop {
    pub a: I<32>,
    pub b: I<32>,
    pub all_set: OB,
}
impl Logic for RedLoop {
    #[hdl_gen]
    fn update(&mut self) {
        self.all_set.next = true;
        for i in 0..32 {
            if !self.a.val().get_bit(i) & self.b.val().get_bit(i) {
                self.all_set.next = false;
            }
        }
    }
}

// A table of counters: the counter at `addr` is read, and is incremented if `inc` is 1.
#[derive(LogicBlock)]
pub struct TabDff<const N: usize, const A: usize, const W: usize> {
    pub clock: CK,
    pub reset: IB,
    pub inc: IB,
    pub addr: I<A>,
    pub q: O<W>,
    r: [DFF<Bits<W>>; N],
    cur: L<W>,
    nxt: L<W>,
}
impl<const N: usize, const A: usize, const W: usize> Default for TabDff<N, A, W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            inc: Default::default(),
            addr: Default::default(),
            q: Default::default(),
            r: std::array::from_fn(|_| Default::default()),
            cur: Default::default(),
            nxt: Default::default(),
        }
    }
}
impl<const N: usize, const A: usize, const W: usize> Logic for TabDff<N, A, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.cur.next = 0.into();
        for i in 0..N {
            if self.addr.val() == i.to_bits() {
                self.cur.next = self.r[i].q.val();
            }
        }
        self.nxt.next = self.cur.val() + 1;
        for i in 0..N {
            self.r[i].clock.next = self.clock.val();
            self.r[i].d.next = self.r[i].q.val();
            if self.inc.val() & (self.addr.val() == i.to_bits()) {
                self.r[i].d.next = self.nxt.val();
            }
            if self.reset.val() {
                self.r[i].d.next = 0.into();
            }
        }
        self.q.next = self.cur.val();
    }
}

#[derive(LogicBlock)]
pub struct TabDffOr<const N: usize, const A: usize, const W: usize> {
    pub clock: CK,
    pub reset: IB,
    pub inc: IB,
    pub addr: I<A>,
    pub q: O<W>,
    r: [DFF<Bits<W>>; N],
    cur: L<W>,
    nxt: L<W>,
}
impl<const N: usize, const A: usize, const W: usize> Default for TabDffOr<N, A, W> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            inc: Default::default(),
            addr: Default::default(),
            q: Default::default(),
            r: std::array::from_fn(|_| Default::default()),
            cur: Default::default(),
            nxt: Default::default(),
        }
    }
}
impl<const N: usize, const A: usize, const W: usize> Logic for TabDffOr<N, A, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.cur.next = 0.into();
        for i in 0..N {
            if self.addr.val() == i.to_bits() {
                self.cur.next = self.cur.val() | self.r[i].q.val();
            }
        }
        self.nxt.next = self.cur.val() + 1;
        for i in 0..N {
            self.r[i].clock.next = self.clock.val();
            self.r[i].d.next = self.r[i].q.val();
            if self.inc.val() & (self.addr.val() == i.to_bits()) {
                self.r[i].d.next = self.nxt.val();
            }
            if self.reset.val() {
                self.r[i].d.next = 0.into();
            }
        }
        self.q.next = self.cur.val();
    }
}
// The table of counters in a memory with registered read: it has two stages, and the value in flight is forwarded.
#[derive(LogicBlock, Default)]
pub struct TabRam<const A: usize, const W: usize> {
    pub clock: CK,
    pub inc: IB,
    pub addr: I<A>,
    pub q: O<W>,
    ram: RAM<Bits<W>, A>,
    a1: DFF<Bits<A>>,
    i1: DFF<Bit>,
    a2: DFF<Bits<A>>,
    w2: DFF<Bit>,
    d2: DFF<Bits<W>>,
    cur: L<W>,
    nxt: L<W>,
}
impl<const A: usize, const W: usize> Logic for TabRam<A, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, a1, i1, a2, w2, d2);
        self.ram.read_clock.next = self.clock.val();
        self.ram.write_clock.next = self.clock.val();
        self.ram.read_address.next = self.addr.val();
        self.a1.d.next = self.addr.val();
        self.i1.d.next = self.inc.val();
        self.cur.next = self.ram.read_data.val();
        if self.w2.q.val() & (self.a2.q.val() == self.a1.q.val()) {
            self.cur.next = self.d2.q.val();
        }
        self.nxt.next = self.cur.val() + 1;
        self.ram.write_enable.next = self.i1.q.val();
        self.ram.write_address.next = self.a1.q.val();
        self.ram.write_data.next = self.nxt.val();
        self.w2.d.next = self.i1.q.val();
        self.a2.d.next = self.a1.q.val();
        self.d2.d.next = self.nxt.val();
        self.q.next = self.cur.val();
    }
}

#[derive(LogicBlock, Default)]
pub struct TabLut<const A: usize, const W: usize> {
    pub clock: CK,
    pub inc: IB,
    pub addr: I<A>,
    pub q: O<W>,
    ram: LutRam<W, A>,
}
impl<const A: usize, const W: usize> Logic for TabLut<A, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.ram.clock.next = self.clock.val();
        self.ram.we.next = self.inc.val();
        self.ram.wa.next = self.addr.val();
        self.ram.ra.next = self.addr.val();
        self.ram.wd.next = self.ram.q.val() + 1;
        self.q.next = self.ram.q.val();
    }
}

pub fn cases() -> Vec<Case> {
    let mut pr: Vec<Row> = random(100, 1, 3);
    for i in 0..32 {
        pr.push(vec![1 << i]);
        pr.push(vec![(1u128 << 32) - (1u128 << i)]);
    }
    pr.push(vec![0]);
    let mut tr = random(300, 3, 9);
    for x in tr.iter_mut() {
        x[0] = (x[0] % 50 == 0) as u128;
        x[2] %= 5;
    }
    let t2: Vec<Row> = tr.iter().map(|x| x[1..].to_vec()).collect();
    vec![
        case!("pop_serial", PopSer<32, 6>, [a], random(200, 1, 3)),
        case!("pop_addbit", PopAddBit<32, 6>, [a], random(200, 1, 3)),
        case!("pop_tree", PopTree<32, 64, 6>, [a], random(200, 1, 3)),
        case!("pop_swar", PopSwar, [a], random(200, 1, 3)),
        case!("pri_loop", PriLoop<32, 5>, [a], pr.clone()),
        case!("pri_onehot", PriOneHot<32, 5>, [a], pr.clone()),
        case!("pri_tree", PriTree<32, 64, 5>, [a], pr.clone()),
        case!("red_loop", RedLoop, [a, b], random(50, 2, 3)),
        case!("tab_dff", TabDff<16, 4, 8>, [reset, inc, addr], tr.clone(), clock),
        case!("tab_dff_or", TabDffOr<16, 4, 8>, [reset, inc, addr], tr.clone(), clock),
        case!("tab_ram", TabRam<4, 8>, [inc, addr], t2.clone(), clock, Expect::Uninitialised),
        case!("tab_lut", TabLut<4, 8>, [inc, addr], t2.clone(), clock),
    ]
}
