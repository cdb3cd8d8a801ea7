// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of two warps whose outcomes are known, against what `bcu check` reports about their schedules.

use crate::common::Bench;
use serde_json::Value;

/// Checks a program, in which only lanes 0 and 1 of each warp do not exit at the start. Lane 0 is `%lead`; the words of `data` are 0.
fn check(first: &str, second: &str, options: &str) -> Value {
    let bench = Bench::new();
    bench.file(
        "k.ptx",
        format!(
            ".version 8.7\n.target sm_90\n.address_size 64\n.global .align 16 .u32 data[16];\n.visible .entry k(.param .u64 out)\n\
             .reqntid 64\n{{\n.reg .b32 %lane, %warp, %i, %r<8>;\n.reg .b64 %out, %at, %base;\n.reg .pred %lead, %p, %second;\n\
             mov.u32 %lane, %laneid;\nsetp.gt.u32 %p, %lane, 1;\n@%p exit;\nsetp.eq.u32 %lead, %lane, 0;\nmov.u32 %warp, %tid.x;\n\
             shr.u32 %warp, %warp, 5;\nld.param.u64 %out, [out];\nmul.wide.u32 %at, %lane, 4;\nmov.u64 %base, data;\n\
             add.u64 %at, %at, %base;\nsetp.eq.u32 %second, %warp, 1;\n@%second bra SECOND;\n{first}\nexit;\nSECOND:\n{second}\nexit;\n}}\n"
        ),
    );
    bench.file("random.toml", "policy = \"random\"\nseed = 3\n[latency]\nshared = 5\nglobal = 10\nspread = 60\n");
    let done = bench.run(&format!("check k.ptx --arg out=u32:[4]:0 --fill zero --format json {options}"));
    serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}\n{done:?}"))
}

fn codes(checked: &Value) -> Vec<&str> {
    checked["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// The number of different results, and whether every order was executed.
fn results(checked: &Value) -> (u64, bool) {
    let explored = &checked["schedules"]["explored"];
    (explored["results"].as_u64().unwrap(), explored["complete"].as_bool().unwrap())
}

const STORE: &str = "@%lead st.relaxed.gpu.global.u32 [data], 1;";
/// A wait for a value that is not 0.
const AWAIT: &str = "@!%lead exit;\nA: ld.relaxed.gpu.global.u32 %r0, [data];\nsetp.eq.u32 %p, %r0, 0;\n@%p bra A;";

#[test]
fn a_delayed_access_holds_back_all_later_accesses_to_common_bytes() {
    let first = "@%lead st.relaxed.gpu.global.u32 [%at], 1;\nsub.u32 %r1, 1, %lane;\nst.relaxed.gpu.global.u32 [%at], %r1;\n\
                 @!%lead st.relaxed.gpu.global.u32 [%at], 2;";
    let second = "@!%lead exit;\nA: ld.relaxed.gpu.global.u32 %r0, [data+4];\nsetp.ne.u32 %p, %r0, 2;\n@%p bra A;\n\
                  ld.relaxed.gpu.global.u32 %r1, [data];\nst.global.u32 [%out], 7;";
    let checked = check(first, second, "--schedules 50");
    assert!(codes(&checked).is_empty() && results(&checked).0 == 1, "{checked:#}");
}

/// The value is overwritten: a wait that comes late hangs, and the exploration knows both outcomes, whatever the first run is.
#[test]
fn the_first_run_of_an_exploration_is_the_checked_run() {
    let overwritten = format!("{STORE}\n@%lead st.relaxed.gpu.global.u32 [data], 2;");
    let awaits_one = AWAIT.replace("setp.eq.u32 %p, %r0, 0", "setp.ne.u32 %p, %r0, 1");
    for seed in 1..=12 {
        let checked = check(&overwritten, &awaits_one, &format!("--schedules 40 --machine random.toml --seed {seed}"));
        assert_eq!(results(&checked), (2, true), "seed {seed}: {checked:#}");
        let has_failure = codes(&checked).contains(&"schedule_fails");
        assert_eq!(has_failure, checked["run"] == "completed", "seed {seed}: {checked:#}");
    }
}

#[test]
fn a_wait_sees_the_results_of_later_atomic_operations() {
    let second = "@!%lead exit;\nst.relaxed.gpu.global.u32 [data], 2;\nB: ld.relaxed.gpu.global.u32 %r1, [data];\n\
                  setp.ne.u32 %p, %r1, 2;\n@%p bra B;\natom.relaxed.gpu.global.or.b32 %r2, [data], 1;";
    for seed in 1..=12 {
        let first = format!("{AWAIT}\nst.global.u32 [%out], %r0;");
        let checked = check(&first, second, &format!("--schedules 300 --machine random.toml --seed {seed}"));
        assert_eq!(results(&checked), (2, true), "seed {seed}: {checked:#}");
    }
}

#[test]
fn a_schedule_that_gives_other_contents_than_expected_is_an_error() {
    let second = "@!%lead exit;\nmov.u32 %i, 0;\nD: add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, 200;\n@%p bra D;\n\
                  ld.relaxed.gpu.global.u32 %r0, [data];\nst.global.u32 [%out], %r0;\nst.global.u32 [%out+4], 1;\n\
                  st.global.u32 [%out+8], 1;\nst.global.u32 [%out+12], 1;";
    let checked = check(STORE, second, "--expect out=1 --schedules 10");
    assert_eq!(codes(&checked), ["schedule_fails"], "{checked:#}");
}

/// A schedule makes a run longer, so the limit of the launch says nothing about it; and a loop that is not recognised as a wait ends.
#[test]
fn a_longer_run_of_another_schedule_is_no_finding() {
    let checked = check(STORE, AWAIT, "--schedules 10 --max-cycles 3000");
    assert_eq!((codes(&checked), results(&checked)), (vec![], (1, true)), "{checked:#}");
    let fenced = AWAIT.replace("setp.eq", "fence.acq_rel.gpu;\nsetp.eq");
    let two = AWAIT.replace("setp.eq", "ld.relaxed.gpu.global.u32 %r1, [data+8];\nsetp.eq");
    for loops in [fenced, two] {
        let checked = check(STORE, &loops, "--explore 2 --schedules 20");
        assert_eq!((codes(&checked), results(&checked).0), (vec![], 1), "{loops}: {checked:#}");
    }
}
