// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A cycle allocates no memory, neither in the engine, in the trace of the ports nor in a run on the model. The trace of internal signals
//! allocates only where rust-hdl returns a vector or creates the name of an array element, and a run only for what its report lists.

use crate::trace_unit::{Oscillator, Sampler};
use bcu_engine::Engine;
use bcu_isa::config::named;
use bcu_machine::trace::text::{Text, TextId};
use bcu_machine::trace::vcd::Vcd;
use bcu_machine::{run_with, Cycle, Machine, Observer, Verdict};
use bcu_model::dut::Dut;
use bcu_program::{load, Kind, Launch};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(action: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    action();
    COUNT.with(Cell::get) - before
}

#[test]
fn a_cycle_allocates_nothing() {
    assert!(allocations(|| drop(std::hint::black_box(Box::new(1)))) > 0, "the allocator counts");
    let mut engine = Engine::new(Box::new(Sampler::default()));
    let ports = engine.ports().to_vec();
    let texts = [Text { scope: "warps".into(), name: "warp_0".into(), alias: None }];
    let mut vcd = Vcd::of_ports(std::io::sink(), "sampler", &ports, &texts).unwrap();
    let mut outputs = [0; 5];
    let mut cycles = |from: u64| {
        for cycle in from..from + 1000 {
            let inputs = [(cycle == 0) as u64, (cycle % 3) & 1, cycle % 32, cycle * 0x1357, cycle << 50 | cycle];
            engine.cycle(&inputs, &mut outputs);
            vcd.set_text(TextId(0), if cycle % 5 == 0 { "waiting on 1" } else { "running" });
            vcd.cycle(&inputs, &outputs).unwrap();
        }
    };
    // The first cycles grow the buffers, which are then reused.
    cycles(0);
    assert_eq!(allocations(|| cycles(1000)), 0);
}

/// For each cycle of a run of four CTAs of four warps, the number of allocations; and the number of generations in the report.
fn run_allocations(sms: usize, body: &str) -> (Vec<u64>, usize) {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry f()\n.reqntid 128\n{{\n.shared .align 4 .b32 tile[128];\n\
         .reg .b32 t, at, value, round;\n.reg .pred more, odd;\nmov.u32 t, %tid.x;\nshl.b32 at, t, 2;\nmov.u32 value, tile;\n\
         add.u32 at, at, value;\nmov.u32 round, 0;\nand.b32 value, t, 1;\nsetp.eq.u32 odd, value, 1;\nNEXT:\n{body}\n\
         add.u32 round, round, 1;\nsetp.lt.u32 more, round, 300;\n@more bra NEXT;\nret;\n}}\n"
    );
    let loaded = load(Kind::Ptx, &text, &Launch::new(32)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    let mut machine = Machine::parse(&format!("sms = {sms}\n[[cta]]\ncount = 4\nthreads = 128\n")).unwrap();
    machine.size(loaded.threads);
    let mut by_cycle: Vec<u64> = Vec::with_capacity(1 << 20);
    let mut last = COUNT.with(Cell::get);
    let mut observe = |_: &Cycle| {
        let count = COUNT.with(Cell::get);
        by_cycle.push(count - last);
        last = count;
    };
    let config = named("default").unwrap();
    let report = run_with(None, &config, &machine, &loaded.programs, &mut vec![], Observer::of_all(&mut observe))
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    (by_cycle, report.generations.len())
}

#[test]
fn a_cycle_of_a_run_allocates_nothing() {
    // The first rounds grow the buffers, and the end of a CTA is recorded in the report.
    let (warm, end) = (2000, 500);
    let memory =
        "st.shared.u32 [at], value;\n@odd add.u32 value, value, round;\nld.shared.u32 value, [at];\nadd.u32 value, value, t;";
    for sms in [1, 4] {
        let (by_cycle, _) = run_allocations(sms, memory);
        let steady = &by_cycle[warm..by_cycle.len() - end];
        assert!(steady.len() > 1000, "{}", steady.len());
        let first = steady.iter().position(|count| *count > 0);
        assert_eq!(first.map(|at| (at + warm, steady[at])), None, "on {sms} multiprocessors: cycle and allocations");

        let (by_cycle, generations) = run_allocations(sms, "bar.sync 0;");
        assert_eq!(generations, 4 * 300);
        let all: u64 = by_cycle[warm..].iter().sum();
        assert!(all <= 8 * generations as u64, "{all} allocations for {generations} generations on {sms} multiprocessors");
    }
}

#[test]
fn settling_in_vain_is_bounded() {
    let mut engine = Engine::new(Box::new(Oscillator::default()));
    engine.cycle(&[0, 1], &mut [0]);
    assert!(engine.failure().is_some_and(|f| f.passes < 100));
}
