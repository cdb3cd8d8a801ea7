// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PTX programs that cannot continue, because a required value is unknown or an operation is impossible; and similar ones that can.

use super::runs::{model, ptx, stopped, try_ptx, try_run};
use bcu_isa::config::named;
use bcu_machine::{AssumedGuard, Assumption, Machine, Report, RunError, Verdict};
use bcu_program::{load, Kind, Launch};

/// Each case: the text, the marked part, the message.
type Case = (&'static str, &'static str, &'static str);

/// Asserts that the run of each text stops with its error. `wrong`: the program itself is wrong; otherwise the run lacks information.
fn check(wrong: bool, cases: &[Case]) {
    for (text, marked, message) in cases {
        let text = format!("// bcu: threads 32\n{text}");
        let why = stopped(&text);
        let found = &why.diagnostic;
        assert_eq!((&text[found.span.clone()], found.message.as_str()), (*marked, *message), "in {text:?}");
        assert_eq!(why.is_wrong(), wrong, "{text:?}");
    }
}

#[test]
fn values_that_no_barrier_can_have_stop_the_run() {
    check(
        true,
        &[
            ("mov.u32 r, 16; bar.sync r;", "r", "barrier 16 does not exist"),
            ("mov.u32 t, %laneid;\nbar.sync t;", "t", "barrier 16 does not exist"),
            ("mov.u32 n, 4096; bar.sync 0, n;", "n", "a barrier of 4096 threads"),
            ("mov.u32 n, 33; bar.sync 0, n;", "n", "a barrier of 33 threads, which are not whole warps"),
            ("mov.u32 n, 0; bar.arrive 0, n;", "n", "an arrival at a barrier of 0 threads"),
            ("trap;", "trap", "warp 0 of CTA 0 executes `trap`"),
        ],
    );
}

#[test]
fn what_nobody_knows_stops_the_run_where_it_matters() {
    check(
        false,
        &[
            ("ld.global.u32 r, [a];\nbar.sync r;", "r", "the barrier id in warp 0 of CTA 0 is unknown"),
            ("bar.sync 0, n;", "n", "the thread count in warp 0 of CTA 0 is unknown"),
            ("bar.red.or.pred q, 0, p;", "p", "the predicate to reduce in warp 0 of CTA 0 is unknown"),
            ("bar.warp.sync m;", "bar.warp.sync m", "the member mask in warp 0 of CTA 0 is unknown"),
            (
                "ld.global.u32 r, [a]; setp.eq.u32 p, r, 40; @p bar.sync 0;",
                "@p bar.sync 0",
                "whether this barrier is executed in warp 0 of CTA 0 is unknown",
            ),
            (
                "mov.u32 t, %laneid; shl.b32 t, t, 5; mov.u32 r, 1; bar.red.popc.u32 n, r, t, 1;",
                "t",
                "the lanes of warp 0 of CTA 0 give different values for the thread count",
            ),
            (
                "L: ld.shared.u32 r, [a]; setp.ne.u32 p, r, 0; @p bra L;",
                "@p bra L",
                "whether this branch is taken in warp 0 of CTA 0 is unknown",
            ),
        ],
    );
}

#[test]
fn a_guard_that_nobody_knows_can_be_taken_for_granted() {
    let text = "// bcu: threads 64\nmov.u32 r, 0;\nL: ld.global.u32 s, [a];\nsetp.eq.u32 p, s, 0;\nadd.u32 r, r, 1;\n\
                setp.lt.u32 q, r, 5;\n@!q bra M;\n@p bra L;\nbar.sync 1;\nM: st.global.u32 [64], r;\nexit;";
    let config = named("default").unwrap();
    let run = |way: AssumedGuard, seed: u64| {
        let loaded = load(Kind::Ptx, text, &Launch::new(32)).unwrap();
        let mut machine = Machine { seed, assumptions: vec![Assumption { line: 8, way }], ..Machine::default() };
        machine.size(loaded.threads);
        assert!(machine.assumptions[0].fits(&loaded.programs) && !Assumption { line: 9, way }.fits(&loaded.programs));
        bcu_machine::run(&mut *model(&config), &config, &machine, &loaded.programs, &mut |_| ()).unwrap()
    };
    let taken = run(AssumedGuard::True, 1);
    assert_eq!((taken.generations.len(), taken.assumed[0].times_true, taken.assumed[0].times_false), (0, 8, 0), "{taken}");
    assert!(taken.to_string().contains("assumed at line 8: @p bra L: taken 8 times, not taken 0 times"), "{taken}");
    let not = run(AssumedGuard::False, 1);
    assert_eq!((not.generations.len(), not.assumed[0].times_true, not.assumed[0].times_false), (1, 0, 2), "{not}");
    let random: Vec<Report> = (0..20).map(|seed| run(AssumedGuard::Random, seed)).collect();
    assert_eq!(random[7], run(AssumedGuard::Random, 7), "the seed decides");
    assert!(random.iter().any(|report| report.assumed[0].times_true > 0 && report.assumed[0].times_false > 0));
}

#[test]
fn a_stop_says_why_and_where_the_value_comes_from() {
    let why = |text: &str| stopped(text).diagnostic;
    let memory = why("// bcu: threads 64\nld.global.u32 r, [a];\nsetp.eq.u32 p, r, 0;\n@p bra L;\nbar.sync 0;\nL: exit;");
    assert_eq!(memory.label, "line 5 has a barrier or an exchange of lanes on one of the paths, before they rejoin");
    let help = "`p` depends on line 2, `ld.global.u32 r, [a]`, which reads at an unknown address; \
         `--assume 4=taken` (or `not`, `random`) continues with an assumed value";
    assert_eq!(memory.help.as_deref(), Some(help));
    let param = why(".entry k(.param .u32 n) .reqntid 32 { .reg .u32 r; ld.param.u32 r, [n]; bar.sync r; ret; }");
    let help = "`r` depends on the parameter `n` (line 1); give it a value: `--arg n=64`, or in the text \
                `// bcu: param n 64`";
    assert_eq!(param.help.as_deref(), Some(help));
    // The help names all arguments on which decisions depend, and no other ones.
    let params = why(
        ".entry k(.param .u32 n, .param .u64 a, .param .u32 m, .param .u32 idle) .reqntid 32 { .reg .u32 r, s, t, u; .reg .u64 d; \
         .reg .pred p; ld.param.u32 r, [n]; ld.param.u64 d, [a]; ld.param.u32 t, [m]; ld.param.u32 u, [idle]; \
         ld.global.u32 s, [d]; add.u32 s, s, t; bar.sync r; setp.eq.u32 p, s, 3; @p bra L; bar.sync 1; L: st.global.u32 [d], u; \
         ret; }",
    );
    let also = "; give these too, on which decisions of this kernel depend: `--arg a=u32:[1024]:0` `--arg m=64`";
    assert_eq!(params.help.as_deref().map(|text| text.ends_with(also)), Some(true), "{:?}", params.help);
    let never = why("// bcu: threads 64\nbar.sync r;");
    assert_eq!(never.help.as_deref(), Some("`r` has no value yet: set it before this line, for instance with `mov.u32 r, 1;`"));
}

#[test]
fn an_unknown_value_is_followed_through_memory_calls_and_addresses_to_its_cause() {
    let why = |first: &str| {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n\
             .func (.param .b32 x) twice(.param .b32 y) {{\n.reg .u32 a;\nld.param.u32 a, [y];\nadd.u32 a, a, a;\nst.param.b32 [x], a;\nret;\n}}\n\
             .entry k(.param .u32 n, .param .align 4 .b8 list[16]) .reqntid 32 {{\n.reg .u32 r; .reg .u64 d;\n.shared .align 4 .b32 w[32];\n\
             {first}\n{{\n.param .b32 given; .param .b32 got;\nst.param.b32 [given], r;\ncall (got), twice, (given);\n\
             ld.param.u32 r, [got];\n}}\nbar.sync r;\nret;\n}}\n"
        );
        stopped(&text).diagnostic.help.unwrap_or_default()
    };
    // The parameter of the kernel is the cause, not that of the function or its result.
    let help = "`r` depends on the parameter `n` (line 14); give it a value: `--arg n=64`, or in the text `// bcu: param n 64`";
    assert_eq!(why("ld.param.u32 r, [n];"), help);
    // An address in a register still names the parameter.
    let help = "`r` depends on byte 8 of the parameter `list` (line 14); give it a value: `--arg list=bytes:…` (16 bytes)";
    assert_eq!(why("mov.u64 d, list; ld.param.u32 r, [d+8];"), help);
    // Memory that was never written, and an unknown address, are two causes.
    let unwritten =
        "depends on line 14, `ld.shared.u32 r, [w+4]`, which reads memory that was never written: store to it before";
    assert_eq!(why("ld.shared.u32 r, [w+4];"), format!("`r` {unwritten}"));
    let help =
        format!("`r` depends on line 14, `ld.shared.u32 r, [d]`, which reads at an unknown address; its address {unwritten}");
    assert_eq!(why("ld.shared.u32 r, [w+4]; cvt.u64.u32 d, r; ld.shared.u32 r, [d];"), help);
}

#[test]
fn a_known_value_in_one_lane_does_not_hide_where_an_unknown_value_of_another_lane_comes_from() {
    // Lane 1 alone executes `load`, which writes a known value.
    let why = |load: &str| {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .align 8 .b8 a[8]) .reqntid 32 {{\n.reg .u32 r, s, t; .reg .pred p, q;\n\
             .shared .align 4 .b32 w[32];\nmov.u32 t, %laneid;\nsetp.eq.u32 q, t, 1;\nld.shared.u32 r, [w];\n{load}\n\
             setp.eq.u32 p, r, 3;\n@p bra L;\nbar.sync 0;\nL: ret;\n}}"
        );
        let argument = [[None; 4], [Some(0); 4]].concat();
        let launch = Launch { threads: Some([32, 1, 1]), arguments: vec![argument], ..Launch::new(32) };
        match try_ptx(&text, &launch) {
            Err(RunError::Program { stopped, .. }) => stopped.diagnostic.help.unwrap_or_default(),
            other => panic!("{:?}\n{text}", other.map(|run| run.report)),
        }
    };
    for load in ["mov.u32 s, 0;", "@q ld.param.v2.u32 {s, r}, [a];", "@q shfl.sync.idx.b32 r, t, 1, 31, 2;"] {
        let help = why(load);
        assert!(help.starts_with("`p` depends on line 9, `ld.shared.u32 r, [w]`"), "{load}: {help}");
    }
}

#[test]
fn what_the_run_gives_is_known() {
    // The result of a reduction selects the warps that pass the second barrier.
    for (op, barriers) in [("or", 1), ("and", 2)] {
        let text = "// bcu: threads 64\nmov.u32 t, %tid.x; setp.eq.u32 p, t, 5;\n\
                    bar.red.OP.pred q, 0, p;\n@q bra L;\nbar.sync 0;\nL: exit;";
        let run = ptx(&text.replace("OP", op));
        assert_eq!((run.report.verdict, run.report.generations.len()), (Verdict::Completed, barriers), "{op}");
    }
    // A stored value can be loaded and branched on.
    let text = "// bcu: threads 32\nst.shared.u32 [0], 3;\nL: bar.sync 0;\nld.shared.u32 r, [0];\nsub.u32 r, r, 1;\n\
                st.shared.u32 [0], r;\nsetp.ne.u32 p, r, 0;\n@p bra L;\nbar.sync r;";
    let run = ptx(text);
    assert_eq!(run.instructions.iter().map(|taken| taken.text()).collect::<Vec<_>>()[..3], ["BAR.SYNC 0x0, 0x0"; 3]);
    assert_eq!((run.instructions.len(), run.instructions[3].rb), (4, 0));
}

#[test]
fn calls_are_entered_and_their_barriers_executed() {
    let text = ".func f() { bar.sync 3; ret; } .func g() { call.uni f; ret; }\n\
                .entry k() .reqntid 64 { bar.sync 1; call.uni g; call.uni f; bar.sync 2; ret; }";
    let run = ptx(text);
    let ids: Vec<u8> = run.report.generations.iter().map(|generation| generation.id).collect();
    assert_eq!((run.report.verdict, ids), (Verdict::Completed, vec![1, 3, 3, 2]));
}

#[test]
fn a_loop_without_end_is_ended_by_the_limit_of_cycles_unless_nothing_changes_in_it() {
    let counts = "mov.u32 t, 0;\nL: add.u32 t, t, 1;\nbra.uni L;";
    for (text, verdict) in [
        ("L: bar.sync 0; bra.uni L;", Verdict::Unfinished),
        (counts, Verdict::Unfinished),
        // The iterations change no state.
        ("L: bra.uni L;", Verdict::Hung),
    ] {
        let launch = Launch { threads: Some([64, 1, 1]), ..Launch::new(32) };
        let run = try_run(Kind::Ptx, "default", "max_cycles = 3000", text, &launch).unwrap();
        let ended = if verdict == Verdict::Hung { run.report.cycles < 3000 } else { run.report.cycles == 3000 };
        assert!(run.report.verdict == verdict && ended, "{text}: {}", run.report);
    }
}

/// A loop stores values that its memory already has, and loads one of them, which no other warp changes.
#[test]
fn a_loop_that_stores_the_same_values_again_hangs() {
    let group = "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;";
    let cases = [
        "st.shared.u32 [s], 0;".to_string(),
        "stmatrix.sync.aligned.m8n8.x1.shared.b16 [a], {z};".to_string(),
        "cp.async.ca.shared.global [s], [b], 16;\ncp.async.wait_all;".to_string(),
        format!("cp.async.bulk.global.shared::cta.bulk_group [b], [s], 16;\n{group}"),
        format!("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [b], [s], 16;\n{group}"),
    ];
    for (store, differs) in cases.iter().flat_map(|store| [(store, false), (store, true)]) {
        // With `differs` the loop also counts in memory.
        let counts = if differs { "add.u32 n, n, 1;\nst.shared.u32 [s+1020], n;" } else { "" };
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 16 .b32 g[4];\n\
             .entry k() .reqntid 32 {{\n.shared .align 128 .b8 s[1024];\n.reg .u32 a, n, r, t, z;\n\
             .reg .u64 b;\n.reg .pred p;\nmov.u32 t, %laneid;\nshl.b32 a, t, 4;\nadd.u32 a, a, s;\nmov.u32 z, 0;\nmov.u32 n, 0;\n\
             mov.u64 b, g;\nst.shared.v4.u32 [a], {{z, z, z, z}};\nst.global.v4.u32 [b], {{z, z, z, z}};\nmembar.gl;\n\
             fence.proxy.async;\nL:\n{store}\n{counts}\nld.shared.u32 r, [s];\nsetp.eq.u32 p, r, 0;\n@p bra L;\nret;\n}}"
        );
        let launch = Launch { threads: Some([32, 1, 1]), ..Launch::new(32) };
        let run = try_run(Kind::Ptx, "default", "max_cycles = 8000", &text, &launch).unwrap();
        let verdict = if differs { Verdict::Unfinished } else { Verdict::Hung };
        assert_eq!(run.report.verdict, verdict, "{store}: {}", run.report);
    }
}

#[test]
fn an_unknown_value_in_global_memory_names_its_store_and_where_it_comes_from() {
    // Lane 1 of warp 0 stores a value that depends on unwritten shared memory, and overwrites it if `again`.
    let text = |again: &str| {
        format!(
            "// bcu: threads 32\nmov.u32 t, %laneid;\nld.shared.u32 s, [64];\nadd.u32 s, s, 1;\nsetp.eq.u32 p, t, 1;\n\
             @p st.global.u32 [80], s;\n{again}\n@!p st.global.u32 [128], t;\nexit;"
        )
    };
    let lost = |again: &str| ptx(&text(again)).report.unknown_values;
    let found = lost("");
    let one = &found[0];
    assert_eq!((found.len(), one.address, one.bytes, one.cta, one.warp, one.lane), (1, 80, 4, 0, 0, 1));
    let said = "stored by CTA 0 warp 0 lane 1 at line 6: @p st.global.u32 [80], s, unknown since line 3: ld.shared.u32 s, [64]";
    assert_eq!(one.to_string(), said);
    assert!(lost("st.global.u32 [80], t;").is_empty(), "a known value is stored over it");
    assert!(lost("atom.global.exch.b32 e, [80], t;").is_empty(), "a known value is exchanged for it");
    let guard = lost("setp.eq.u32 q, s, 5; @q st.global.u32 [96], 1;");
    assert_eq!((guard.len(), guard[1].place.line, guard[1].from.as_ref().map(|from| from.line)), (2, 7, Some(3)));
    let never = lost("st.global.u32 [112], u;");
    assert_eq!((never[1].address, never[1].from.clone()), (112, None));
}
