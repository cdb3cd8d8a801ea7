// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Launches whose second kernel may begin before the first has ended: a use of the first kernel's results before the second kernel's wait
//! is reported.

use bcu_isa::config::named;
use bcu_machine::{run_with, unit, Machine, Observer, RunError, Verdict};
use bcu_model::{by_name, Sizes};
use bcu_program::launch::LaunchFile;
use bcu_program::ptx::Launch;
use bcu_program::Variable;
use bcu_program::{load, runs, Kind};

/// The behaviour of the two kernels besides storing and loading.
#[derive(Clone, Copy)]
struct Pair {
    launches: bool,
    waits: &'static str,
    programmatic: bool,
    uses: &'static str,
}

const WAITS: &str = "griddepcontrol.wait;";

/// The error of the second kernel with the line that it marks, or the final words.
fn second(pair: Pair) -> Result<Vec<u32>, (String, String)> {
    let launches = if pair.launches { "griddepcontrol.launch_dependents;" } else { "" };
    let text = format!(
        ".version 8.0\n.target sm_90\n.global .align 4 .u32 between[64];\n.global .align 4 .u32 other[64];\n.global .align 4 .u32 out[64];\n\
         .entry first() {{\n.reg .u32 t; .reg .u64 a, b;\nmov.u32 t, %tid.x; mul.wide.u32 a, t, 4; mov.u64 b, between; add.u64 a, a, b;\n\
         {launches}\nst.global.u32 [a], t;\nret;\n}}\n\
         .entry second() {{\n.reg .u32 t, v; .reg .u64 a, b, c; .reg .pred p;\nmov.u32 t, %tid.x; mul.wide.u32 a, t, 4; mov.u64 c, out;\n\
         setp.lt.u32 p, t, 32;\nmov.u64 b, between; add.u64 b, a, b; add.u64 c, a, c;\n{}\n{}\nst.global.u32 [c], v;\nret;\n}}\n",
        pair.waits, pair.uses
    );
    let config = named("default").unwrap();
    let mut variables: Vec<Variable> = vec![];
    let launch = |(kernel, programmatic): (&str, bool)| {
        let launch = Launch { threads: Some([64, 1, 1]), kernel: Some(kernel.to_string()), programmatic, ..Launch::new(32) };
        load(Kind::Ptx, &text, &launch).unwrap_or_else(|e| panic!("{e:#?}"))
    };
    for run in runs(&[("first", false), ("second", pair.programmatic)].map(launch)) {
        let machine = Machine::default().of_run(&run);
        let name = unit(&machine, &config, &run.programs).unwrap();
        let mut dut = by_name(name, Sizes::try_from(&config).unwrap()).unwrap();
        match run_with(Some(&mut *dut), &config, &machine, &run.programs, &mut variables, Observer::of_all(&mut |_| {})) {
            Ok(report) => assert_eq!(report.verdict, Verdict::Completed, "{report}"),
            Err(RunError::Program { stopped, .. }) => {
                assert!(stopped.is_wrong());
                let marked = text[stopped.diagnostic.span.clone()].to_string();
                return Err((stopped.diagnostic.message, marked));
            }
            Err(error) => panic!("{error}"),
        }
    }
    let out = variables.iter().find(|variable| variable.name == "out").unwrap();
    let word = |bytes: &[Option<u8>]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(byte.unwrap()));
    Ok(out.bytes.values().chunks(4).map(word).collect())
}

const LOADS: &str = "ld.global.u32 v, [b];";
const PAIR: Pair = Pair { launches: true, waits: WAITS, programmatic: true, uses: LOADS };

#[test]
fn what_the_launch_before_stores_is_there_behind_the_wait() {
    assert_eq!(second(PAIR), Ok((0..64).collect()));
    // One warp waits for its whole CTA.
    assert_eq!(second(Pair { waits: "@p griddepcontrol.wait;\nbar.sync 0;", ..PAIR }), Ok((0..64).collect()));
}

#[test]
fn an_access_before_the_wait_is_told() {
    let message =
        "lane 0 of warp 0 of CTA 1 loads data that the previous grid stores to `between`, without waiting for that grid";
    let told = |waits, uses, marked: &str| {
        assert_eq!(second(Pair { waits, uses, ..PAIR }), Err((message.to_string(), marked.to_string())));
    };
    told("", LOADS, "ld.global.u32 v, [b]");
    told("", "ld.global.u32 v, [b];\ngriddepcontrol.wait;", "ld.global.u32 v, [b]");
    told("", "st.global.u32 [b], t;\nmov.u32 v, t;", "st.global.u32 [b], t");
    told("", "atom.global.add.u32 v, [b], 1;", "atom.global.add.u32 v, [b], 1");
    // Words that the first kernel does not store may be used.
    let other = "mov.u64 b, other; add.u64 b, a, b; ld.global.u32 v, [b];";
    assert_eq!(second(Pair { waits: "", uses: other, ..PAIR }), Ok(vec![0; 64]));
}

#[test]
fn a_launch_behind_one_that_has_ended_need_not_wait() {
    let all = Ok((0..64).collect::<Vec<u32>>());
    assert_eq!(second(Pair { waits: "", programmatic: false, ..PAIR }), all);
    assert_eq!(second(Pair { waits: "", launches: false, ..PAIR }), all);
}

#[test]
fn a_launch_file_says_which_launch_may_begin_early() {
    let file = LaunchFile::parse("[[launch]]\n[[launch]]\nprogrammatic = true\n").unwrap();
    assert_eq!(file.launches.iter().map(|launch| launch.programmatic).collect::<Vec<_>>(), [false, true]);
    let text = "[[launch]]\nprogrammatic = true\n";
    let error = &LaunchFile::parse(text).unwrap_err()[0];
    assert_eq!(
        (error.message.as_str(), &text[error.span.clone()]),
        ("the first launch cannot depend on another launch", "true")
    );
}
