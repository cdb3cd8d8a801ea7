// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A cycle allocates no memory, neither in the engine nor in the trace of the ports. The trace of internal signals allocates only
//! where rust-hdl returns a vector or creates the name of an array element.

use crate::trace_unit::{Oscillator, Sampler};
use bcu_engine::Engine;
use bcu_machine::trace::text::{Text, TextId};
use bcu_machine::trace::vcd::Vcd;
use bcu_model::dut::Dut;
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

#[test]
fn settling_in_vain_is_bounded() {
    let mut engine = Engine::new(Box::new(Oscillator::default()));
    engine.cycle(&[0, 1], &mut [0]);
    assert!(engine.failure().is_some_and(|f| f.passes < 100));
}
