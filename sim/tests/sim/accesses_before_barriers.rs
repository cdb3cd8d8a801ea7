// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A barrier after 1 to 40 accesses in a row: the access limit of `mem_order` may hold the next access of a warp, but never its barrier.

use super::legal_kernels::{Bench, Case};
use bcu_isa::config::{named, Config, NAMED};
use bcu_program::Kind;

/// A kernel of `rounds` rounds. In each round every thread makes `count` stores or loads, of words that only this thread uses, and waits at
/// a barrier. A store has the number of the thread.
fn kernel(count: u32, stores: bool, rounds: u32, threads: u32) -> String {
    let one = |number: u32| match stores {
        true => format!("st.global.u32 [%at+{}], %tid0;\n", 4 * threads * number),
        false => format!("ld.global.u32 %v{number}, [%at+{}];\n", 4 * threads * number),
    };
    let accesses: String = (0..count).map(one).collect();
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_out)\n{{\n.reg .b64 %out, %at, %rd;\n\
         .reg .b32 %tid0, %i, %t, %v<40>;\n.reg .pred %more;\nld.param.u64 %out, [k_out];\ncvta.to.global.u64 %out, %out;\n\
         mov.u32 %tid0, %tid.x;\nmov.u32 %t, %ctaid.x;\nmad.lo.u32 %t, %t, {}, %tid0;\nmul.wide.u32 %rd, %t, 4;\n\
         add.u64 %at, %out, %rd;\nmov.u32 %i, 0;\nROUNDS:\n{accesses}bar.sync 0;\nadd.u32 %i, %i, 1;\n\
         setp.lt.u32 %more, %i, {rounds};\n@%more bra ROUNDS;\nret;\n}}\n",
        threads * count
    )
}

/// The same kernel for Intel's gateway.
fn visa(count: u32, stores: bool, rounds: u32, warps: u32) -> String {
    let one = |number: u32| match stores {
        true => format!("ST.GLOBAL [R0+{}], WARPID\n", 4096 * number),
        false => format!("LD.GLOBAL R1, [R0+{}]\n", 4096 * number),
    };
    let accesses: String = (0..count).map(one).collect();
    format!(
        ".threads all\nSHL R0, WARPID, 2\nLOOP {rounds}\n{accesses}nbarrier.signal 0x0:ub {warps:#x}:ub\nnbarrier.wait 0x0:ub\nEND\n"
    )
}

/// Runs a kernel with stores and one with loads for each number of accesses in `counts`; returns the number of runs, and the errors.
fn runs(bench: &mut Bench, warps: u32, ctas: u32, rounds: u32, counts: impl Iterator<Item = u32>) -> (usize, Vec<String>) {
    let threads = warps * bench.config.lanes as u32;
    let (mut all, mut wrong) = (0, vec![]);
    for (count, stores) in counts.flat_map(|count| [(count, true), (count, false)]) {
        let of_gateway = bench.config.has_gateway();
        let text = if of_gateway { visa(count, stores, rounds, warps) } else { kernel(count, stores, rounds, threads) };
        let kind = if of_gateway { Kind::Visa } else { Kind::Ptx };
        let words = if of_gateway { 0 } else { ctas * count * threads };
        let before = vec![7; words as usize];
        let after: Vec<u32> = (0..words).map(|word| if stores { word % threads } else { 7 }).collect();
        let case = Case { kind, text: &text, ctas, cluster: None, threads, before: &before, after: &after };
        let groups = if of_gateway { format!("[[cta]]\ncount = {ctas}\n") } else { String::new() };
        let machine = format!("max_cycles = 1000000\n[latency]\nglobal = 60\n{groups}");
        all += 1;
        if let Err(why) = bench.run(&case, &machine, false) {
            let what = if stores { "stores" } else { "loads" };
            wrong.push(format!("{count} {what}, {ctas} CTAs of {warps} warps, {rounds} rounds: {why}"));
        }
    }
    (all, wrong)
}

/// One configuration for each way of counting accesses: maximum outstanding, accesses per cycle, named barriers or gateway.
fn configurations() -> Vec<Config> {
    let mut found: Vec<Config> = vec![];
    for config in NAMED.iter().filter_map(|(name, _)| named(name)) {
        let counts = |config: &Config| (config.max_outstanding, config.accesses_per_cycle, config.has_gateway());
        if !found.iter().any(|other| counts(other) == counts(&config)) {
            found.push(config);
        }
    }
    found
}

#[test]
fn any_number_of_accesses_may_stand_before_a_barrier() {
    let (mut all, mut wrong) = (0, vec![]);
    for config in configurations() {
        let name = config.name.clone();
        let mut bench = Bench::new(config);
        let fits = |warps: u32| warps as usize <= bench.config.warps;
        for warps in [1, 4, 8].into_iter().filter(|warps| fits(*warps)).collect::<Vec<_>>() {
            // With several warps, only every third number of accesses is run.
            let step = if warps == 1 { 1 } else { 3 };
            let (count, found) = runs(&mut bench, warps, 1, 1, (1..=40).step_by(step));
            all += count;
            wrong.extend(found.into_iter().map(|why| format!("{name}: {why}")));
        }
    }
    assert!(wrong.is_empty(), "{} of {all} kernels fail; the first: {}", wrong.len(), wrong[0]);
}

#[test]
fn any_number_of_accesses_may_stand_before_a_barrier_in_a_loop() {
    let (mut all, mut wrong) = (0, vec![]);
    for config in configurations() {
        let name = config.name.clone();
        let mut bench = Bench::new(config);
        let warps = (128 / bench.config.lanes as u32).min(bench.config.warps as u32 / 2).max(1);
        let counts = [1, 2, 3, 4, 6, 9, 12, 13, 14, 15, 16, 20, 40];
        let (count, found) = runs(&mut bench, warps, 2, 12, counts.into_iter());
        all += count;
        wrong.extend(found.into_iter().map(|why| format!("{name}: {why}")));
    }
    assert!(wrong.is_empty(), "{} of {all} kernels fail; the first: {}", wrong.len(), wrong[0]);
}
