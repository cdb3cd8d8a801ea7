// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A session as a library: texts and launches in, report and buffers out, without files and arguments.

use bcu_isa::config::{named, Config};
use bcu_machine::{AssumedGuard, Assumption, Machine, Observer, RunError, Session, Verdict};
use bcu_program::launch::{LaunchFile, Launches, Ready};
use bcu_program::{Assignment, AssignmentError, Kind, Launch, ProgramText, Role};

fn tiny() -> Config {
    named("tiny").unwrap()
}

fn role(entry: &str, first: u32, last: u32) -> Role {
    Role { entry: entry.to_string(), first, last }
}

fn launch(roles: &[Role]) -> Launch {
    Launch { roles: roles.to_vec(), ..Machine::default().launch(tiny().lanes) }
}

const ARRIVES: ProgramText = ProgramText { kind: Kind::Bcu, name: "arrives", text: "BAR.ARV 1, 8\nEXIT\n" };
const WAITS: ProgramText = ProgramText { kind: Kind::Bcu, name: "waits", text: "BAR.SYNC 1, 8\nEXIT\n" };

#[test]
fn warps_execute_the_texts_of_their_roles() {
    let assignment = Assignment::load(&[ARRIVES, WAITS], &launch(&[role("arrives", 1, 1), role("waits", 0, 0)])).unwrap();
    assert_eq!(assignment.owners, [1, 0]);
    let session = Session::of_programs(tiny(), &Machine::default(), assignment).unwrap();
    assert_eq!((session.unit(), session.warp_slots()), (Ok("bcu"), Ok(4)));
    assert_eq!(session.run(None, Observer::of_changes(&mut |_| {})).unwrap().report.verdict, Verdict::Completed);

    let exits = ProgramText { name: "exits", text: "EXIT\n", ..WAITS };
    let missed = Assignment::load(&[WAITS, exits], &launch(&[])).unwrap();
    let session = Session::of_programs(tiny(), &Machine::default(), missed).unwrap();
    assert_eq!(session.run(None, Observer::of_changes(&mut |_| {})).unwrap().report.verdict, Verdict::Hung);
}

#[test]
fn what_does_not_fit_together_is_an_error() {
    let misfit = |texts: &[ProgramText], roles: &[Role]| match Assignment::load(texts, &launch(roles)).unwrap_err() {
        AssignmentError::Misfit(error) => error.message,
        AssignmentError::Text { .. } => panic!("a text"),
    };
    let both = [ARRIVES, WAITS];
    assert_eq!(misfit(&both, &[role("arrives", 0, 0)]), "no warp executes `waits`");
    assert_eq!(misfit(&both, &[role("arrives", 0, 1), role("waits", 1, 1)]), "warp 1 has two roles");
    assert_eq!(misfit(&both, &[role("arrives", 0, 0), role("waits", 2, 2)]), "warp 1 has no role");
    assert_eq!(misfit(&both, &[role("waist", 0, 0)]), "unknown program `waist`");
    let wrong = ProgramText { text: "BAR.SYNK 1", ..WAITS };
    let Err(AssignmentError::Text { index: 1, errors }) = Assignment::load(&[ARRIVES, wrong], &launch(&[])) else {
        panic!("is read")
    };
    assert_eq!(errors.len(), 1);

    let machine = Machine { assumptions: vec![Assumption { line: 2, way: AssumedGuard::True }], ..Machine::default() };
    let refused = Session::of_programs(tiny(), &machine, Assignment::load(&[ARRIVES], &launch(&[])).unwrap());
    assert_eq!(refused.err().unwrap().message, "`--assume`: line 2 has no instruction with a guard");
}

/// Adds 1 to each element. If `n` is 0, the first warp then waits for the second warp, which exits without arriving, so the run hangs.
const ADDS: &str = ".version 8.0\n.target sm_90\n.visible .entry add(.param .u64 x, .param .u32 n) {\n.reg .u64 a, b; .reg .u32 t, v, m; .reg .pred p;\n\
    ld.param.u64 a, [x]; ld.param.u32 m, [n]; mov.u32 t, %tid.x; mul.wide.u32 b, t, 4; add.u64 a, a, b;\n\
    ld.global.u32 v, [a]; add.u32 v, v, 1; st.global.u32 [a], v;\nsetp.ge.u32 p, t, 4; @p ret;\nsetp.ne.u32 p, m, 0; @p ret;\nbar.sync 1, 8;\nret;\n}\n";

fn ready(counts: [u32; 2], expected: u32) -> Ready {
    let launch = |n: u32| format!("[[launch]]\nblock = [8]\nargs = [\"x\", {n}]\n");
    let text = format!(
        "[buffers.x]\ntype = \"u32\"\nshape = [8]\nfill = 5\n{}{}[[expect]]\nbuffer = \"x\"\nvalue = {expected}\n",
        launch(counts[0]),
        launch(counts[1])
    );
    let file = LaunchFile::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let base = Machine::default().launch(tiny().lanes);
    Launches::from(&file).ready(ADDS, &base, 0, &mut |_| Err("no file".to_string())).unwrap()
}

#[test]
fn launches_run_one_after_another_until_one_does_not_complete() {
    let run = |counts, expected| {
        let session = Session::of_launches(tiny(), &Machine::default(), ready(counts, expected)).unwrap();
        let ended = session.run(None, Observer::of_changes(&mut |_| {})).unwrap();
        let explained: Vec<String> =
            ended.launch_result.mismatches.iter().map(|one| session.explain(one, &ended.report)).collect();
        (ended.report.verdict, ended.launch_result.compared, explained.len())
    };
    assert_eq!(run([1, 1], 7), (Verdict::Completed, 1, 0));
    assert_eq!(run([1, 1], 6), (Verdict::Completed, 1, 1));
    // Buffers are compared after the last launch, even if that launch hangs; they are not compared if the last launch has not run.
    assert_eq!(run([1, 0], 7), (Verdict::Hung, 1, 0));
    assert_eq!(run([0, 1], 7), (Verdict::Hung, 0, 0));
}

#[test]
fn a_configuration_that_is_too_small_is_a_misfit_of_the_run() {
    let many: Vec<Role> = vec![role("waits", 0, 4)];
    let assignment = Assignment::load(&[WAITS, ARRIVES], &launch(&[many, vec![role("arrives", 5, 5)]].concat())).unwrap();
    let session = Session::of_programs(tiny(), &Machine::default(), assignment).unwrap();
    assert!(matches!(session.run(None, Observer::of_changes(&mut |_| {})), Err(RunError::Misfit(_))));
    assert!(session.ports().is_err());
}
