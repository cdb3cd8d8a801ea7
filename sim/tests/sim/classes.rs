// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Both classes of accesses at the ports of the unit: fences wait for loads, stores and atomics; asynchronous copies are limited in number
//! per CTA, and a CTA does not end before its copies are performed.

use crate::runs::{model, ptx, try_run, Run};
use bcu_isa::config::{named, Config};
use bcu_machine::{run, Cycle, Machine, Verdict};
use bcu_model::dut::{ByName, Dut};
use bcu_program::ptx::Launch;
use bcu_program::{load, Kind};

/// The warp and the executing lanes of every fence that the unit accepted.
fn fences(run: &Run) -> Vec<(usize, u64)> {
    let fences = run.instructions.iter().filter(|taken| taken.text() == "FENCE.MEM");
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
    // Lane 0 stores data and signals lane 1 by a flag; lane 1 must not read the flag before the data.
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
    // A fence that no lane executes does not reach the unit.
    let none = ptx(&text("fence.acq_rel.gpu;").replace("setp.eq.u32 p, t, 0;", "setp.eq.u32 p, t, 32;"));
    assert_eq!(fences(&none).len(), 2);
}

/// The cycles that a fence takes, as `docs/evidence/gpu.md` states them.
#[test]
fn what_a_fence_costs() {
    let cycles = |body: &str| ptx(&format!("// bcu: threads 32\n.reg .b32 v;\n{body}\n")).report.cycles;
    let each =
        |before: &str, line: &str| (cycles(&format!("{before}{line}").repeat(9)) - cycles(&format!("{before}{line}"))) / 8;
    let alone = each("", "fence.acq_rel.cta;");
    let store = |space: &str| each(&format!("st.{space}.u32 [0], 1;\n"), "fence.acq_rel.cta;\n");
    assert_eq!((alone, store("shared"), store("global")), (8, 26, 206));
}

/// The copies of one or several CTAs, as counted at the ports in each cycle of a run.
#[derive(Default)]
struct Seen {
    /// The number of outstanding copies, by CTA slot.
    outstanding: [u64; 8],
    /// The largest number of outstanding copies of a CTA slot in the run.
    most: u64,
    issued: u64,
    /// The number outstanding when the retirement of a CTA was reported.
    at_retired: Vec<u64>,
    /// Whether the unit has accepted the retirement of a CTA with copies outstanding.
    waited: bool,
}

/// Runs a program and records the ports of its copies.
fn watch(config: &Config, kind: Kind, text: &str, seed: u64) -> Seen {
    let loaded = load(kind, text, &Launch::new(32)).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
    let mut machine =
        Machine::parse(&format!("policy = 'random'\nseed = {seed}\n[latency]\nspread = 300\n[[cta]]\ncount = 3\n")).unwrap();
    machine.size(loaded.threads);
    let mut dut = model(config);
    let ports = dut.ports();
    let input = |name: &str| ports.input(name).unwrap();
    let [issue, issue_cta, perform, perform_cta] =
        ["copy_issue_valid", "copy_issue_cta", "copy_perform_valid", "copy_perform_cta"].map(input);
    let [retire, retire_cta] = ["retire_valid", "retire_cta"].map(input);
    let [retired, retired_cta, full] = ["retired_valid", "retired_cta", "copies_full"].map(|name| ports.output(name).unwrap());
    let mut seen = Seen::default();
    let mut first = true;
    let report = run(&mut *dut, config, &machine, &loaded.programs, &mut |cycle: &Cycle| {
        // Outputs are undefined before the reset.
        if std::mem::take(&mut first) {
            return;
        }
        let slot = |cta: u64| cta as usize;
        if retired.read(cycle.outputs) == 1 {
            seen.at_retired.push(seen.outstanding[slot(retired_cta.read(cycle.outputs))]);
        }
        if retire.read(cycle.inputs) == 1 {
            seen.waited |= seen.outstanding[slot(retire_cta.read(cycle.inputs))] > 0;
        }
        if issue.read(cycle.inputs) == 1 {
            let slot = slot(issue_cta.read(cycle.inputs));
            assert_eq!(full.read(cycle.outputs) >> slot & 1, 0, "a copy beyond the limit of its CTA");
            (seen.outstanding[slot], seen.issued) = (seen.outstanding[slot] + 1, seen.issued + 1);
            seen.most = seen.most.max(seen.outstanding[slot]);
        }
        if perform.read(cycle.inputs) == 1 {
            seen.outstanding[slot(perform_cta.read(cycle.inputs))] -= 1;
        }
    });
    let report = report.unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    assert_eq!(report.verdict, Verdict::Completed, "{report}\n{text}");
    assert_eq!(seen.outstanding, [0; 8], "{text}");
    assert_eq!(seen.at_retired, [0; 3], "{text}");
    seen
}

/// Every kind of copy, with the instruction before it. Each of 4 warps issues 8 copies, and no warp waits for them.
const COPIES: [(&str, &str); 4] = [
    ("cp.async.ca.shared.global [v], [from], 4;", ""),
    ("cp.async.ca.shared.global [v], [from], 4;\ncp.async.mbarrier.arrive.shared.b64 [bar];", ""),
    ("cp.async.ca.shared.global [v], [from], 4;\ncp.async.mbarrier.arrive.noinc.shared.b64 [bar];", ""),
    (
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [from], 512, [bar];",
        "mbarrier.expect_tx.shared.b64 [bar], 512;",
    ),
];

#[test]
fn no_cta_ends_before_its_copies_and_none_has_more_than_it_may() {
    for (copy, before) in COPIES {
        let text = format!(
            "// bcu: threads 128\n.shared .align 8 .b64 bar;\n.shared .align 16 .b8 data[512];\n.reg .b32 t, v, n;\n.reg .b64 from;\n.reg .pred p, q;\n\
             mov.u32 t, %tid.x;\nshl.b32 v, t, 2;\nadd.u32 v, v, data;\nmov.u64 from, 0x10000;\nsetp.ne.u32 p, t, 0;\n\
             @!p mbarrier.init.shared.b64 [bar], 1000000;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\nmov.u32 n, 0;\nand.b32 t, t, 31;\n\
             setp.ne.u32 q, t, 0;\nROUND:\n{bulk}add.u32 n, n, 1;\nsetp.lt.u32 p, n, 8;\n@p bra ROUND;\n",
            bulk = match before {
                "" => format!("{copy}\n"),
                _ => format!("@!q {before}\n@!q {copy}\n"),
            }
        );
        for (most, seed) in [(1, 1), (3, 2), (64, 3)] {
            let config = Config { max_copies: most, ..named("default").unwrap() };
            let seen = watch(&config, Kind::Ptx, &text, seed);
            let of_each = if copy.contains("mbarrier.arrive") { 2 } else { 1 };
            assert_eq!(seen.issued, 3 * 4 * 8 * of_each, "{text}");
            assert!(seen.most == most as u64 || most == 64 && seen.most > 8, "{} of {most}: {text}", seen.most);
            assert!(seen.waited, "{text}");
        }
    }
}
