// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fences at the ports of the unit, where they wait for loads, stores and atomics.

use crate::runs::{ptx, try_run, Run};
use bcu_sim::machine::{Kind, Verdict};
use bcu_sim::program::ptx::Launch;

/// Warp and executing lanes of every fence that the unit took.
fn fences(run: &Run) -> Vec<(usize, u64)> {
    let fences = run.taken.iter().filter(|taken| taken.text() == "FENCE.MEM");
    fences.map(|taken| (taken.warp, taken.active & taken.guard)).collect()
}

#[test]
fn every_fence_is_one_of_the_unit() {
    for fence in [
        "membar.cta",
        "membar.gl",
        "membar.sys",
        "membar.proxy.alias",
        "fence.acq_rel.cta",
        "fence.sc.gpu",
        "fence.acquire.sys",
        "fence.release.sync_restrict::shared::cta.cluster",
        "fence.proxy.alias",
        "fence.proxy.async",
        "fence.proxy.async.shared::cta",
        "fence.mbarrier_init.release.cluster",
        "fence.proxy.tensormap::generic.release.gpu",
    ] {
        let run = ptx(&format!("// bcu: threads 32\n{fence};\n"));
        assert_eq!((run.report.verdict, fences(&run)), (Verdict::Completed, vec![(0, 0xffff_ffff)]), "{fence}");
    }
}

#[test]
fn a_fence_by_some_lanes_holds_their_warp() {
    // Lane 0 stores and tells lane 1 by a flag, which must not be seen before what was stored.
    let text = |fence: &str| {
        format!(
            "// bcu: threads 32\n.reg .pred p, q;\n.reg .b32 t, v, w;\nmov.u32 t, %laneid;\nst.global.u32 [0], 0;\nst.global.u32 [512], 0;\n\
             membar.gl;\nsetp.eq.u32 p, t, 0;\nsetp.eq.u32 q, t, 1;\n@p st.global.u32 [0], 7;\n@p {fence}\n@p st.volatile.global.u32 [512], 1;\n\
             ld.volatile.global.u32 v, [512];\nmembar.gl;\nld.global.u32 w, [0];\nsetp.eq.and.u32 q, v, 1, q;\n@q st.global.u32 [1024], w;\n"
        )
    };
    for seed in 0..20 {
        let machine = format!("seed = {seed}\n[latency]\nspread = 200\n");
        let run = try_run(Kind::Ptx, "default", &machine, &text("fence.acq_rel.gpu;"), &Launch::new(32)).unwrap();
        assert_eq!(run.report.verdict, Verdict::Completed, "{}", run.report);
        let lanes: Vec<u64> = fences(&run).into_iter().map(|(_, lanes)| lanes).collect();
        assert_eq!(lanes, [0xffff_ffff, 1, 0xffff_ffff]);
        assert_eq!(run.global().iter().find(|(at, _)| *at == 1024), Some(&(1024, 7)), "seed {seed}");
    }
    // Where no lane executes it the unit is not asked.
    let none = ptx(&text("fence.acq_rel.gpu;").replace("setp.eq.u32 p, t, 0;", "setp.eq.u32 p, t, 32;"));
    assert_eq!(fences(&none).len(), 2);
}

/// The cycles of `docs/gpu.md`.
#[test]
fn what_a_fence_costs() {
    let cycles = |body: &str| ptx(&format!("// bcu: threads 32\n.reg .b32 v;\n{body}\n")).report.cycles;
    let each =
        |before: &str, line: &str| (cycles(&format!("{before}{line}").repeat(9)) - cycles(&format!("{before}{line}"))) / 8;
    let alone = each("", "fence.acq_rel.cta;");
    let store = |space: &str| each(&format!("st.{space}.u32 [0], 1;\n"), "fence.acq_rel.cta;\n");
    assert_eq!((alone, store("shared"), store("global")), (8, 23, 203));
}
