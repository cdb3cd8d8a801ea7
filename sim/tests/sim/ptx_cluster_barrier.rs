// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `barrier.cluster`, `griddepcontrol` and a kernel's information about its cluster: every form, its required version and target (as in
//! `ptxas`), the words of the unit, and the special registers.

use super::ptx::{bar, words};
use super::runs::{ptx, ptx_with, try_ptx, Run};
use bcu_isa::config::named;
use bcu_isa::diag::Diagnostic;
use bcu_isa::op::Form;
use bcu_machine::{self, run, unit, Machine, RunError, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::ptx::{lower, parse, Launch};
use bcu_program::{load, Kind};
use std::collections::BTreeMap;

/// Each form, with the first version for sm_90.
const FORMS: &[(&str, &str)] = &[
    ("barrier.cluster.arrive;", "7.8"),
    ("barrier.cluster.arrive.aligned;", "7.8"),
    ("barrier.cluster.arrive.release;", "8.0"),
    ("barrier.cluster.arrive.relaxed;", "8.0"),
    ("barrier.cluster.arrive.release.aligned;", "8.0"),
    ("barrier.cluster.arrive.aligned.relaxed;", "8.0"),
    ("barrier.cluster.wait;", "7.8"),
    ("barrier.cluster.wait.aligned;", "7.8"),
    ("barrier.cluster.wait.acquire;", "8.0"),
    ("barrier.cluster.wait.acquire.aligned;", "8.0"),
    ("barrier.cluster.wait.aligned.acquire;", "8.0"),
    ("@p barrier.cluster.arrive.aligned;", "7.8"),
    ("griddepcontrol.launch_dependents;", "7.8"),
    ("griddepcontrol.wait;", "7.8"),
    ("mov.u32 r, %clusterid.x;", "7.8"),
    ("mov.u32 r, %nclusterid.y;", "7.8"),
    ("mov.u32 r, %cluster_ctaid.z;", "7.8"),
    ("mov.u32 r, %cluster_nctaid.x;", "7.8"),
    ("mov.u32 r, %cluster_ctarank;", "7.8"),
    ("mov.u32 r, %cluster_nctarank;", "7.8"),
    ("mov.pred p, %is_explicit_cluster;", "7.8"),
];

fn kernel(version: &str, target: &str, line: &str) -> Result<(), Diagnostic> {
    let text =
        format!(".version {version}\n.target {target}\n.address_size 64\n.entry k() {{\n.reg .u32 r;\n.reg .pred p;\n{line}\nret;\n}}\n");
    parse(&text).map(drop).map_err(|errors| errors[0].clone())
}

#[test]
fn every_form_has_its_version_and_target() {
    for (line, first) in FORMS {
        for version in ["7.7", "7.8", "8.0", "9.0"] {
            let found = kernel(version, "sm_90", line);
            let has = version.parse::<f32>().unwrap() >= first.parse().unwrap();
            assert_eq!(found.is_ok(), has, "{line} in PTX {version}: {found:?}");
        }
        let old = kernel("9.0", "sm_89", line).unwrap_err();
        assert!(old.message.contains("needs sm_90"), "{line}: {}", old.message);
        assert_eq!(
            (old.label.as_str(), old.help.as_deref()),
            ("not available in this PTX version or for this target", Some("raise `.target` to sm_90 or newer"))
        );
    }
}

#[test]
fn what_the_manual_does_not_have_is_refused_at_its_place() {
    for (line, marked, message) in [
        ("barrier.cluster.arrive.acquire;", ".acquire", "an arrival has no order `.acquire`"),
        ("barrier.cluster.wait.relaxed;", ".relaxed", "a wait has no order `.relaxed`"),
        ("barrier.cluster.wait.release;", ".release", "a wait has no order `.release`"),
        ("barrier.cluster.arrive.release.relaxed;", ".relaxed", "`barrier.cluster` with two memory orders"),
        ("barrier.cluster.arrive.wait;", ".wait", "`barrier.cluster` with both .arrive and .wait"),
        ("barrier.cluster;", "barrier.cluster", "`barrier.cluster` without an operation"),
        ("barrier.cluster.aligned;", "barrier.cluster.aligned", "`barrier.cluster` without an operation"),
        ("barrier.cluster.sync;", ".sync", "`barrier.cluster` has no modifier `.sync`"),
        ("barrier.cluster.arive;", ".arive", "`barrier.cluster` has no modifier `.arive`"),
        ("barrier.cluster.arrive.arrive;", ".arrive", "the modifier `.arrive` is given twice"),
        ("barrier.arrive.cluster;", ".cluster", "`.cluster` is misplaced"),
        ("barrier.cluster.arrive 0;", "0", "this instruction takes no operands"),
        ("griddepcontrol;", "griddepcontrol", "`griddepcontrol` without an operation"),
        ("griddepcontrol.wait.aligned;", ".aligned", "`griddepcontrol` has no modifier `.aligned` here"),
        ("griddepcontrol.launch;", ".launch", "`griddepcontrol` has no modifier `.launch` here"),
        (
            "griddepcontrol.wait.launch_dependents;",
            ".launch_dependents",
            "`griddepcontrol` has no modifier `.launch_dependents` here",
        ),
        ("griddepcontrol.wait 0;", "0", "this instruction takes no operands"),
    ] {
        let found = &parse(line).unwrap_err()[0];
        let last = line.rfind(marked).unwrap();
        assert_eq!((found.message.as_str(), &line[found.span.clone()]), (message, marked), "{line}");
        assert!(found.span.start == last || marked == "barrier.cluster", "{line}");
    }
    assert_eq!(parse("barrier.cluster.arive;").unwrap_err()[0].help.as_deref(), Some("did you mean `.arrive`?"));
}

/// Runs a fragment as clusters of one CTA each, of `threads` threads.
fn alone(text: &str, threads: u32) -> Run {
    ptx_with(text, &Launch { threads: Some([threads, 1, 1]), cluster: Some([1; 3]), ..Launch::new(32) })
}

fn texts(run: &Run) -> Vec<(String, Form)> {
    run.arrivals(0).iter().map(|taken| (taken.text(), taken.form)).collect()
}

#[test]
fn the_unit_gets_an_operation_of_clusters_with_order_and_form() {
    let text = "barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n\
                barrier.cluster.arrive.relaxed; barrier.cluster.wait.aligned;";
    let run = alone(text, 64);
    let expected = [
        ("CLUSTER.ARRIVE", Form::Gathered),
        ("CLUSTER.WAIT", Form::Gathered),
        ("CLUSTER.ARRIVE", Form::Aligned),
        ("CLUSTER.WAIT", Form::Aligned),
        ("CLUSTER.ARRIVE.RELAXED", Form::Gathered),
        ("CLUSTER.WAIT", Form::Aligned),
    ];
    assert_eq!(texts(&run), expected.map(|(text, form)| (text.to_string(), form)));
    assert_eq!((run.report.verdict, run.report.faults.len()), (Verdict::Completed, 0));
}

#[test]
fn a_kernel_that_nobody_launched_in_clusters_meets_at_barrier_0() {
    let text = "// bcu: threads 96\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    let run = ptx(text);
    assert_eq!(words(&run, 2), [bar(false, 0, 0), bar(false, 0, 0)]);
    let forms: Vec<Form> = run.arrivals(2).iter().map(|taken| taken.form).collect();
    assert_eq!((forms, run.report.verdict), (vec![Form::Aligned, Form::Gathered], Verdict::Completed));
}

#[test]
fn what_was_stored_before_the_arrival_is_there_behind_the_wait() {
    let text = "// bcu: threads 64\n.shared .u32 s[64];\nmov.u32 t, %tid.x; shl.b32 a, t, 2; mov.u32 b, s; add.u32 a, a, b;\n\
                st.shared.u32 [a], t; barrier.cluster.arrive; barrier.cluster.wait;\n\
                sub.u32 o, 63, t; shl.b32 c, o, 2; add.u32 d, c, b; ld.shared.u32 v, [d]; st.global.u32 [c+256], v;";
    for run in [ptx(text), alone(text, 64)] {
        let expected: Vec<(u32, u32)> = (0..64).map(|i| (256 + 4 * i, i)).collect();
        assert_eq!((run.report.verdict, run.global()), (Verdict::Completed, expected));
    }
}

#[test]
fn the_barrier_is_ready_again_after_every_phase() {
    let text = "mov.u32 i, 0; AGAIN: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; add.u32 i, i, 1;\n\
                setp.lt.u32 p, i, 50; @p bra AGAIN;";
    let run = alone(text, 128);
    assert_eq!((run.report.verdict, run.arrivals(3).len()), (Verdict::Completed, 100));
}

#[test]
fn threads_that_have_exited_hold_nobody_up() {
    let text = "mov.u32 t, %tid.x; setp.lt.u32 p, t, 40; @p exit; barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [256], t;";
    let run = alone(text, 96);
    assert_eq!((run.report.verdict, run.report.faults.len()), (Verdict::Completed, 0));
    assert_eq!((run.arrivals(0).len(), run.arrivals(1).len()), (0, 2));
}

#[test]
fn lanes_come_one_part_after_the_other_only_without_aligned() {
    let parted = |modifier: &str| {
        let text = format!(
            "mov.u32 t, %laneid; setp.lt.u32 p, t, 7;\n@p bra LOW;\nbarrier.cluster.arrive{modifier};\nbra WAIT;\n\
             LOW: barrier.cluster.arrive{modifier};\nWAIT: barrier.cluster.wait{modifier};"
        );
        let report = alone(&text, 32).report;
        (report.verdict, report.faults.first().map(|fault| fault.code.to_string()))
    };
    assert_eq!(parted(""), (Verdict::Completed, None));
    assert_eq!(parted(".aligned").1.as_deref(), Some("partial_mask"));
}

#[test]
fn arrivals_and_waits_take_turns() {
    let code = |text: &str| alone(text, 32).report.faults.first().map(|fault| fault.code.to_string());
    assert_eq!(code("barrier.cluster.wait;").as_deref(), Some("cluster_wait_without_arrival"));
    assert_eq!(
        code("barrier.cluster.arrive; barrier.cluster.arrive; barrier.cluster.wait;").as_deref(),
        Some("cluster_double_arrival")
    );
    // After a wait a thread may arrive at once.
    assert_eq!(code("barrier.cluster.arrive; barrier.cluster.wait; barrier.cluster.arrive;"), None);
}

#[test]
fn a_wait_to_which_no_arrival_belongs_is_a_warning() {
    let warned = |text: &str, cluster| {
        let launch = Launch { threads: Some([32, 1, 1]), cluster, ..Launch::new(32) };
        lower(&parse(text).unwrap(), &launch)
            .unwrap()
            .warnings
            .iter()
            .map(|warning| warning.message.clone())
            .collect::<Vec<_>>()
    };
    let none: Vec<String> = vec![];
    assert_eq!(
        warned("barrier.cluster.wait;", Some([1; 3])),
        ["`barrier.cluster.wait` without an arrival in the kernels of this run"]
    );
    assert_eq!(warned("barrier.cluster.wait;", None), none);
    assert_eq!(warned("barrier.cluster.arrive; barrier.cluster.wait;", Some([1; 3])), none);
}

#[test]
fn a_guard_that_nobody_knows_ends_the_run_and_one_that_is_false_is_no_arrival() {
    let text = ".entry k() { .reg .pred p; @p barrier.cluster.arrive; barrier.cluster.wait; ret; }";
    let launch = Launch { threads: Some([32, 1, 1]), cluster: Some([1; 3]), ..Launch::new(32) };
    let Err(RunError::Program { stopped, .. }) = try_ptx(text, &launch) else { panic!("the guard is not known") };
    assert!(stopped.diagnostic.message.starts_with("whether this barrier is executed"), "{}", stopped.diagnostic.message);
    let skipped =
        alone("setp.ne.u32 p, 0, 0; @p barrier.cluster.wait; @!p barrier.cluster.arrive; @!p barrier.cluster.wait;", 32);
    assert_eq!((skipped.report.verdict, skipped.report.faults.len()), (Verdict::Completed, 0));
}

#[test]
fn grids_that_nothing_depends_on_go_on_at_once() {
    let text = "// bcu: threads 64\nmov.u32 t, %laneid; setp.eq.u32 p, t, 3;\ngriddepcontrol.launch_dependents; griddepcontrol.launch_dependents;\n\
                @p griddepcontrol.wait; st.global.u32 [256], 1;";
    let run = ptx(text);
    let expected = ["GRID.LAUNCH", "GRID.LAUNCH", "GRID.WAIT"].map(|text| (text.to_string(), Form::Raw));
    assert_eq!((texts(&run), run.report.verdict), (expected.to_vec(), Verdict::Completed));
    assert_eq!(run.global(), [(256, 1)]);
}

/// The value of `r` after these instructions in the first thread of every CTA, in the order of the CTAs.
fn stored(lines: &str, grid: [u32; 3], cluster: Option<[u32; 3]>) -> Vec<u32> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.reg .u32 r, x, n, a<4>;\n.reg .u64 g, h;\n.reg .pred p, q;\n\
         .shared .align 8 .b8 first[24];\n.shared .align 8 .b8 s[8];\n{lines}\n\
         mov.u32 x, %ctaid.z; mov.u32 n, %nctaid.y; mul.lo.u32 x, x, n; mov.u32 n, %ctaid.y; add.u32 x, x, n;\n\
         mov.u32 n, %nctaid.x; mul.lo.u32 x, x, n; mov.u32 n, %ctaid.x; add.u32 x, x, n; shl.b32 x, x, 2; st.global.u32 [x], r;\n"
    );
    let launch = Launch { threads: Some([1, 1, 1]), grid, cluster, ..Launch::new(32) };
    let loaded = load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:#?}"));
    let (ctas, loaded) = (loaded.ctas, bcu_program::Run::of_one(loaded));
    let config = named("default").unwrap();
    let machine = Machine::parse("").unwrap().of_run(&loaded);
    let name = unit(&machine, &config, &loaded.programs).unwrap();
    let mut dut = by_name(name, Sizes::try_from(&config).unwrap()).unwrap();
    let report = run(&mut *dut, &config, &machine, &loaded.programs, &mut |_| {}).unwrap();
    let words: BTreeMap<u64, u32> = report.memory.iter().map(|word| (word.address.into(), word.value)).collect();
    words.into_values().take(ctas).collect()
}

#[test]
fn a_thread_knows_its_cluster_and_its_place_in_it() {
    let of = |special: &str| stored(&format!("mov.u32 r, {special};"), [4, 2, 1], Some([2, 2, 1]));
    assert_eq!(of("%clusterid.x"), [0, 0, 1, 1, 0, 0, 1, 1]);
    assert_eq!((of("%clusterid.y"), of("%clusterid.z")), (vec![0; 8], vec![0; 8]));
    assert_eq!((of("%nclusterid.x"), of("%nclusterid.y"), of("%nclusterid.z")), (vec![2; 8], vec![1; 8], vec![1; 8]));
    assert_eq!(of("%cluster_ctaid.x"), [0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(of("%cluster_ctaid.y"), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(
        (of("%cluster_nctaid.x"), of("%cluster_nctaid.y"), of("%cluster_nctaid.z")),
        (vec![2; 8], vec![2; 8], vec![1; 8])
    );
    assert_eq!(of("%cluster_ctarank"), [0, 1, 0, 1, 2, 3, 2, 3]);
    assert_eq!(of("%cluster_nctarank"), [4; 8]);
}

#[test]
fn without_clusters_every_cta_is_one_of_its_own() {
    let of = |special: &str| stored(&format!("mov.u32 r, {special};"), [2, 2, 1], None);
    assert_eq!((of("%clusterid.x"), of("%clusterid.y")), (vec![0, 1, 0, 1], vec![0, 0, 1, 1]));
    assert_eq!((of("%nclusterid.x"), of("%cluster_ctarank"), of("%cluster_nctarank")), (vec![2; 4], vec![0; 4], vec![1; 4]));
    let explicit = "mov.pred p, %is_explicit_cluster; selp.u32 r, 1, 0, p;";
    assert_eq!(stored(explicit, [2, 1, 1], None), [0, 0]);
    assert_eq!(
        (stored(explicit, [2, 1, 1], Some([1; 3])), stored(explicit, [2, 1, 1], Some([2, 1, 1]))),
        (vec![1, 1], vec![1, 1])
    );
}

#[test]
fn a_shared_address_has_the_rank_of_its_cta() {
    let of = |lines: &str| stored(lines, [4, 1, 1], Some([4, 1, 1]));
    let (own, ranks) = (|rank: u32| rank << 24 | 24, [0, 1, 2, 3]);
    assert_eq!(of("mov.u32 r, s;"), ranks.map(own));
    assert_eq!(of("mov.u32 r, s+4;"), ranks.map(|rank| own(rank) + 4));
    assert_eq!(of("mov.u32 a0, s; getctarank.shared::cluster.u32 r, a0;"), ranks);
    // In another CTA the same address has another rank.
    assert_eq!(of("mov.u32 a0, s; mapa.shared::cluster.u32 r, a0, 2;"), [own(2); 4]);
    assert_eq!(of("mapa.shared::cluster.u32 r, s, 1;"), [own(1); 4]);
    assert_eq!(
        of("mov.u32 a0, %cluster_ctarank; xor.b32 a0, a0, 1; mov.u32 a1, s; mapa.shared::cluster.u32 r, a1, a0;"),
        [1, 0, 3, 2].map(own)
    );
    let generic = "cvta.shared.u64 g, s; mapa.u64 h, g, 3;";
    assert_eq!(of(&format!("{generic} getctarank.u64 r, h;")), [3; 4]);
    assert_eq!(of(&format!("{generic} cvta.to.shared.u64 h, h; cvt.u32.u64 r, h;")), [own(3); 4]);
    let inside = |space: &str| {
        of(&format!("{generic} isspacep.{space} p, g; isspacep.{space} q, h; selp.u32 r, 1, 0, p; selp.u32 a0, 2, 0, q; or.b32 r, r, a0;"))
    };
    assert_eq!(
        (inside("shared::cluster"), inside("shared::cta"), inside("shared")),
        (vec![3; 4], vec![1, 1, 1, 3], vec![1, 1, 1, 3])
    );
    assert_eq!(inside("global"), [0; 4]);
}

/// An aligned barrier does not wait for threads that have exited, or that exit before they reach another barrier.
#[test]
fn lanes_that_exit_are_not_missing_at_an_aligned_barrier() {
    for aligned in ["barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;", "bar.sync 0;"] {
        let text = format!("mov.u32 r, %laneid;\nsetp.gt.u32 p, r, 2;\n@p bra END;\n{aligned}\nEND: add.u32 r, r, 1;\nret;");
        let run = alone(&text, 64);
        assert_eq!((run.report.verdict, run.report.faults.len()), (Verdict::Completed, 0), "{}", run.report);
    }
    // In this kernel the other lanes arrive at another barrier before they exit.
    let text = "mov.u32 r, %laneid;\nsetp.gt.u32 p, r, 2;\n@p bra END;\nbar.sync 0;\nret;\nEND: bar.sync 1;\nret;";
    assert_eq!(alone(text, 32).report.faults[0].code, "partial_mask");
}
