// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog printer on units with memories and with hand-written text.

use super::harness::*;
use crate::{case, unit};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;
type I<const N: usize> = Signal<In, Bits<N>>;
type O<const N: usize> = Signal<Out, Bits<N>>;
type IB = Signal<In, Bit>;
type CK = Signal<In, Clock>;

unit!(RamT { pub clock: CK, pub we: IB, pub wa: I<4>, pub wd: I<8>, pub ra: I<4>, pub q: O<8>, ram: RAM<Bits<8>, 4> }
#[hdl_gen] fn update(&mut self) {
    self.ram.write_clock.next = self.clock.val(); self.ram.read_clock.next = self.clock.val();
    self.ram.write_enable.next = self.we.val(); self.ram.write_address.next = self.wa.val(); self.ram.write_data.next = self.wd.val(); self.ram.read_address.next = self.ra.val();
    self.q.next = self.ram.read_data.val();
});
#[derive(LogicBlock)]
pub struct RomT {
    pub clock: CK,
    pub a: I<4>,
    pub y: O<8>,
    pub z: O<8>,
    rom: ROM<Bits<8>, 4>,
    srom: SyncROM<Bits<8>, 4>,
}
impl Default for RomT {
    fn default() -> Self {
        let m: BTreeMap<Bits<4>, Bits<8>> = (0..12u64).map(|i| (i.into(), (i * 17).into())).collect();
        Self {
            clock: Default::default(),
            a: Default::default(),
            y: Default::default(),
            z: Default::default(),
            rom: ROM::new(m.clone()),
            srom: SyncROM::new(m),
        }
    }
}
impl Logic for RomT {
    #[hdl_gen]
    fn update(&mut self) {
        self.srom.clock.next = self.clock.val();
        self.rom.address.next = self.a.val();
        self.srom.address.next = self.a.val();
        self.y.next = self.rom.data.val();
        self.z.next = self.srom.data.val();
    }
}

/// A memory with a clocked write and an unclocked read, as a leaf with hand-written text.
#[derive(LogicBlock, Default)]
pub struct LutRam<const W: usize, const A: usize> {
    pub clock: CK,
    pub we: IB,
    pub wa: I<A>,
    pub wd: I<W>,
    pub ra: I<A>,
    pub q: O<W>,
    _mem: Vec<Bits<W>>,
}
impl<const W: usize, const A: usize> Logic for LutRam<W, A> {
    fn update(&mut self) {
        if self._mem.is_empty() {
            self._mem = vec![Default::default(); 1 << A];
        }
        if self.clock.pos_edge() && self.we.val() {
            self._mem[self.wa.val().to_u64() as usize] = self.wd.val();
        }
        self.q.next = self._mem[self.ra.val().to_u64() as usize];
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!("reg [{w}:0] mem [0:{n}];\ninteger k;\ninitial for (k = 0; k <= {n}; k = k + 1) mem[k] = 0;\nalways @(posedge clock) if (we) mem[wa] <= wd;\nalways @(*) q = mem[ra];\n", w = W - 1, n = (1 << A) - 1))
    }
}
unit!(LutRamT { pub clock: CK, pub we: IB, pub wa: I<4>, pub wd: I<8>, pub ra: I<4>, pub q: O<8>, ram: LutRam<8, 4> }
#[hdl_gen] fn update(&mut self) {
    self.ram.clock.next = self.clock.val();
    self.ram.we.next = self.we.val(); self.ram.wa.next = self.wa.val(); self.ram.wd.next = self.wd.val(); self.ram.ra.next = self.ra.val();
    self.q.next = self.ram.q.val();
});
/// A leaf with hand-written text, whose outputs are nets.
#[derive(LogicBlock, Default)]
pub struct WrapAdd {
    pub a: I<8>,
    pub b: I<8>,
    pub q: O<8>,
}
impl Logic for WrapAdd {
    fn update(&mut self) {
        self.q.next = self.a.val() + self.b.val();
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Wrapper(Wrapper { code: "  assign q = a + b;\n".into(), cores: "// cores\n".into() })
    }
}
#[derive(LogicBlock, Default)]
pub struct CustAssign {
    pub a: I<8>,
    pub b: I<8>,
    pub q: O<8>,
}
impl Logic for CustAssign {
    fn update(&mut self) {
        self.q.next = self.a.val() + self.b.val();
    }
    fn connect(&mut self) {
        self.q.connect();
    }
    fn hdl(&self) -> Verilog {
        Verilog::Custom("  assign q = a + b;\n".into())
    }
}
unit!(WrapT { pub a: I<8>, pub b: I<8>, pub y: O<8>, w: WrapAdd } #[hdl_gen] fn update(&mut self) { self.w.a.next = self.a.val(); self.w.b.next = self.b.val(); self.y.next = self.w.q.val(); });
unit!(CustAssignT { pub a: I<8>, pub b: I<8>, pub y: O<8>, w: CustAssign } #[hdl_gen] fn update(&mut self) { self.w.a.next = self.a.val(); self.w.b.next = self.b.val(); self.y.next = self.w.q.val(); });

pub fn cases() -> Vec<Case> {
    let mut r = random(200, 4, 3);
    for x in r.iter_mut() {
        x[1] %= 4;
        x[3] %= 4;
    }
    let mut r2 = random(400, 4, 3);
    for (i, x) in r2.iter_mut().enumerate() {
        if i < 16 {
            x[0] = 1;
            x[1] = i as u128;
        }
        x[1] %= 16;
        x[3] %= 16;
    }
    vec![
        case!("ram_same_addr", RamT, [we, wa, wd, ra], r.clone(), clock, Expect::Uninitialised),
        case!("ram_after_fill", RamT, [we, wa, wd, ra], r2.clone(), clock, Expect::Uninitialised),
        case!("lutram_custom", LutRamT, [we, wa, wd, ra], r.clone(), clock),
        case!("rom_syncrom", RomT, [a], product(&[&range(16)]), clock, Expect::Uninitialised),
        case!("wrapper_assign", WrapT, [a, b], random(10, 2, 2)),
        case!("custom_assign_to_output", CustAssignT, [a, b], random(10, 2, 2)),
    ]
}
