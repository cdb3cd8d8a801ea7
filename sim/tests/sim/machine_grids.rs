// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Grids that may begin before the preceding grids have ended: when each grid runs, which results of other grids it may use, and how a
//! report states which grid waits for which.

use bcu_hw::catalog;
use bcu_isa::config::named;
use bcu_jit::Compiled;
use bcu_machine::report::{GridBefore, Whereabouts};
use bcu_machine::timeline::{Recorder, State};
use bcu_machine::{run_with, unit, Machine, Observer, Report, RunError, Verdict};
use bcu_model::dut::Dut;
use bcu_model::{by_name, Sizes};
use bcu_program::ptx::Launch;
use bcu_program::Variable;
use bcu_program::{load, runs, Kind, Loaded, Run};

/// A kernel; `t` is the number of the thread in the grid, `a` its private address in `x`, and `b` its private address in `y`.
struct Grid<'a> {
    ctas: u32,
    warps: u32,
    lines: &'a str,
}

/// A grid with one warp per CTA.
fn grid(ctas: u32, lines: &str) -> Grid<'_> {
    Grid { ctas, warps: 1, lines }
}

/// Loads the grids; every grid after the first may begin before the preceding grid has ended.
fn loaded(grids: &[Grid]) -> Vec<Loaded> {
    let kernel = |(number, grid): (usize, &Grid)| {
        format!(
            ".entry k{number}() {{\n.reg .u32 t, u, v, i; .reg .u64 a, b, c; .reg .pred p;\nmov.u32 t, %ctaid.x; mov.u32 u, %ntid.x; mov.u32 v, %tid.x;\n\
             mad.lo.u32 t, t, u, v; mul.wide.u32 c, t, 4; mov.u64 a, x; add.u64 a, a, c; mov.u64 b, y; add.u64 b, b, c;\n{}\nret;\n}}\n",
            grid.lines
        )
    };
    let kernels: String = grids.iter().enumerate().map(kernel).collect();
    let text = format!(
        ".version 8.0\n.target sm_90\n.global .align 4 .u32 x[4096];\n.global .align 4 .u32 y[4096];\n.shared .align 4 .u32 s[32];\n{kernels}"
    );
    let one = |(number, grid): (usize, &Grid)| {
        let (kernel, programmatic) = (Some(format!("k{number}")), number > 0);
        let launch =
            Launch { threads: Some([32 * grid.warps, 1, 1]), grid: [grid.ctas, 1, 1], kernel, programmatic, ..Launch::new(32) };
        load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:#?}\n{text}"))
    };
    grids.iter().enumerate().map(one).collect()
}

fn only(grids: &[Grid]) -> Run {
    let mut runs = runs(&loaded(grids));
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn on(dut: &mut dyn Dut, machine: &Machine, run: &Run) -> Result<(Report, Vec<Variable>), RunError> {
    let mut variables = vec![];
    let report = run_with(
        Some(dut),
        &named("default").unwrap(),
        &machine.of_run(run),
        &run.programs,
        &mut variables,
        Observer::of_all(&mut |_| ()),
    )?;
    Ok((report, variables))
}

fn model() -> Box<dyn Dut> {
    by_name("gpu", Sizes::try_from(&named("default").unwrap()).unwrap()).unwrap()
}

fn ran(machine: &str, grids: &[Grid]) -> (Report, Vec<Variable>) {
    on(&mut *model(), &Machine::parse(machine).unwrap(), &only(grids)).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The error of the program that stops the run.
fn stops(grids: &[Grid]) -> String {
    match on(&mut *model(), &Machine::default(), &only(grids)) {
        Err(RunError::Program { stopped, cta, .. }) => format!("CTA {cta}: {}", stopped.diagnostic.message),
        other => panic!("{other:?}"),
    }
}

/// The words of a variable.
fn words(variables: &[Variable], name: &str, count: usize) -> Vec<u32> {
    let found = variables.iter().find(|variable| variable.name == name).unwrap();
    let word = |bytes: &[Option<u8>]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(byte.unwrap()));
    found.bytes.values().chunks(4).take(count).map(word).collect()
}

const LET: &str = "griddepcontrol.launch_dependents;";
const WAIT: &str = "griddepcontrol.wait;";
/// The first warp waits for ever, because the second exits without arriving.
const HANGS: &str = "griddepcontrol.launch_dependents;\nsetp.ge.u32 p, v, 32; @p exit;\nbar.sync 1, 64;";
/// A long delay loop.
const LONG: &str = "mov.u32 i, 0;\nL: add.u32 i, i, 1; setp.lt.u32 p, i, 400; @p bra L;";

#[test]
fn a_grid_begins_when_all_of_the_one_before_let_it_and_waits_for_its_end() {
    let first = format!("{LET}\n{LONG}\nst.global.u32 [a], t;");
    let second = format!("mov.u32 i, 7;\n{WAIT}\nld.global.u32 v, [a]; add.u32 v, v, i; st.global.u32 [b], v;");
    let grids = [grid(3, &first), grid(3, &second)];
    let (report, variables) = ran("sms = 2", &grids);
    assert_eq!(report.verdict, Verdict::Completed, "{report}");
    assert_eq!(words(&variables, "y", 96), (7..103).collect::<Vec<u32>>());
    let [first, second] = &report.grids[..] else { panic!("{report}") };
    assert_eq!((&first.kernel[..], first.first_cta, first.ctas, second.first_cta, second.ctas), ("k0", 0, 3, 3, 3));
    assert!(second.overlaps && second.waited && !first.overlaps, "{report}");
    let (began, ended) = (second.began.unwrap(), first.ended.unwrap());
    assert!(began < ended && began > first.began.unwrap(), "{report}");
    // The waiting grid resumed when the first grid had ended.
    assert!(report.warps[3].waited > ended - began - 100, "{report}");
    assert!(report.warps.iter().all(|warp| (warp.cta < 3) == (warp.exited.unwrap() < ended)), "{report}");
    // The machine code of the unit gives the same report and variables, and agrees with the unit's model at every port.
    let config = named("default").unwrap();
    let mut code = Compiled::new(catalog::build(&config, "gpu").unwrap()).unwrap();
    assert_eq!(on(&mut code, &Machine::parse("sms = 2").unwrap(), &only(&grids)), Ok((report, variables)));
}

#[test]
fn a_grid_that_nobody_lets_begin_comes_behind_the_exits_of_the_one_before() {
    let second = format!("{WAIT}\nld.global.u32 v, [a]; st.global.u32 [b], v;");
    let stores = format!("{LONG}\nst.global.u32 [a], t;");
    let (report, variables) = ran("", &[grid(2, &stores), grid(2, &second)]);
    assert_eq!(words(&variables, "y", 64), (0..64).collect::<Vec<u32>>());
    let exits = report.warps.iter().filter(|warp| warp.cta < 2).map(|warp| warp.exited.unwrap());
    assert!(report.grids[1].began > exits.max() && !report.grids[1].overlaps, "{report}");
}

#[test]
fn more_grids_than_the_hub_has_slots_run_one_behind_the_other() {
    let first = format!("{LET}\nst.global.u32 [a], t;");
    let next = format!("{LET}\n{WAIT}\nld.global.u32 v, [a]; add.u32 v, v, 1; st.global.u32 [a], v;");
    let mut grids = vec![grid(40, &first)];
    let more = named("default").unwrap().grid_slots + 2;
    grids.extend((0..more).map(|_| grid(40, &next)));
    for machine in ["sms = 1", "policy = 'random'\nseed = 5\n[latency]\nspread = 100"] {
        let (report, variables) = ran(machine, &grids);
        assert_eq!(report.verdict, Verdict::Completed, "{report}");
        assert_eq!(words(&variables, "x", 1280), (more as u32..more as u32 + 1280).collect::<Vec<u32>>());
        let ended: Vec<u64> = report.grids.iter().map(|grid| grid.ended.unwrap()).collect();
        assert!(ended.is_sorted(), "{report}");
    }
}

#[test]
fn what_is_used_before_the_wait_is_told_whoever_comes_first() {
    let wanted = |does: &str| format!("CTA 1: lane 0 of warp 0 of CTA 1 {does}, without waiting for that grid");
    let load = format!("ld.global.u32 v, [a];\n{WAIT}\nst.global.u32 [b], v;");
    let store = format!("st.global.u32 [a], t;\n{WAIT}");
    for first in [format!("st.global.u32 [a], t;\n{LET}\n{LONG}"), format!("{LET}\n{LONG}\nst.global.u32 [a], t;")] {
        for second in [&load, &store] {
            let diagnostics = stops(&[grid(1, &first), grid(1, second)]);
            assert_eq!(diagnostics, wanted("loads data that the previous grid stores to `x`"));
        }
    }
    for first in [format!("ld.global.u32 v, [a];\n{LET}\n{LONG}"), format!("{LET}\n{LONG}\nld.global.u32 v, [a];")] {
        let diagnostics = stops(&[grid(1, &first), grid(1, &store)]);
        assert_eq!(diagnostics, wanted("overwrites data that the previous grid loads from `x`"));
        let (report, _) = ran("fill = 'zero'", &[grid(1, &first), grid(1, &load)]);
        assert_eq!(report.verdict, Verdict::Completed, "loads do not disturb each other: {report}");
    }
}

#[test]
fn a_grid_that_hangs_is_told_with_those_that_wait_for_it() {
    let grids = [Grid { ctas: 2, warps: 2, lines: HANGS }, grid(1, WAIT)];
    let run = only(&grids);
    let (mut recorder, config) = (Recorder::default(), named("default").unwrap());
    let machine = Machine::default().of_run(&run);
    let report = run_with(
        Some(&mut *model()),
        &config,
        &machine,
        &run.programs,
        &mut vec![],
        Observer::of_all(&mut |cycle| recorder.cycle(cycle)),
    )
    .unwrap();
    assert_eq!(report.verdict, Verdict::Hung, "{report}");
    let hang = report.hang.as_ref().unwrap();
    assert_eq!(hang.at_grids.len(), 1, "{report}");
    let waits = &hang.at_grids[0];
    assert_eq!((waits.cta, waits.warp, waits.grid), (2, 0, 1));
    assert_eq!(waits.before, [GridBefore { grid: 0, ctas: vec![0, 1] }]);
    let text = report.to_string();
    assert!(text.contains("grid 1 waits for grids before it\n    waiting: CTA 2 warp 0 since cycle "), "{text}");
    assert!(text.contains("    missing: grid 0, of which CTAs 0, 1 have not exited"), "{text}");
    let rows = recorder.finish().rows;
    assert!(rows.iter().any(|row| row.cta == 2 && row.intervals.iter().any(|i| i.state == State::AtGrid)));
}

#[test]
fn who_waits_for_grids_is_no_reason_to_go_on_while_others_only_ask() {
    let asks = format!(
        "{LET}\nmov.u32 u, s;\nmbarrier.init.shared.b64 [u], 2;\nW: mbarrier.test_wait.parity.shared.b64 p, [u], 0; @!p bra W;"
    );
    let (report, _) = ran("", &[grid(1, &asks), grid(1, WAIT)]);
    assert_eq!(report.verdict, Verdict::Hung, "{report}");
    assert_eq!(report.hang.unwrap().at_grids.len(), 1);
}

#[test]
fn a_warp_that_waits_for_grids_is_told_where_its_cta_misses_it() {
    let text = format!("setp.lt.u32 p, v, 32; @p bra W;\nbar.sync 0;\nW: {WAIT}\nbar.sync 0;");
    let (report, _) = ran("", &[Grid { ctas: 1, warps: 2, lines: HANGS }, Grid { ctas: 1, warps: 2, lines: &text }]);
    let hang = report.hang.as_ref().unwrap();
    let missing = hang.blocked.iter().find(|blocked| blocked.cta == 1).map(|blocked| &blocked.missing[0].whereabouts);
    assert!(matches!(missing, Some(Whereabouts::AtGrid { .. })), "{report}");
}

#[test]
fn a_configuration_without_a_hub_is_refused() {
    let run = only(&[grid(1, LET), grid(1, WAIT)]);
    let core = named("named_only").unwrap();
    let error = unit(&Machine::default().of_run(&run), &core, &run.programs).unwrap_err();
    assert!(
        error.message.starts_with("grids that begin before others have ended need a configuration with "),
        "{}",
        error.message
    );
    let described = Machine::parse("[[cta]]\nwarps = 1\n[[cta]]\nwarps = 1\n").unwrap().of_run(&run);
    let error = unit(&described, &named("default").unwrap(), &run.programs).unwrap_err();
    assert!(error.message.contains("describes 2 kinds of CTAs"), "{}", error.message);
}

#[test]
fn a_grid_whose_launch_nobody_allows_is_told() {
    // The first grid neither executes a launch_dependents nor ends.
    let hangs = HANGS.replace("griddepcontrol.launch_dependents;\n", "");
    let (report, _) = ran("", &[Grid { ctas: 1, warps: 2, lines: &hangs }, grid(3, WAIT)]);
    assert_eq!(report.verdict, Verdict::Hung, "{report}");
    assert_eq!((report.grids[1].began, report.hang.as_ref().unwrap().not_launched), (None, 3));
    assert!(report
        .to_string()
        .contains("3 CTAs were not launched: no CTA slot became free, or the prerequisite grid has neither executed launch_dependents nor ended"));
}
