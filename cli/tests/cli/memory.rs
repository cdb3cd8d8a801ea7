// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory that a launch gives: variables of the program, buffers of addresses; and parts of grids.

use crate::common::{example, Bench};
use serde_json::Value;

/// Adds `coef` to each element of the row that `rows` has for each CTA, counts the threads, and reads a flag that no kernel writes.
const ROWS: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 _ZN2ns4coefE[8];\n.global .align 4 .u32 count;\n.global .align 4 .u32 flag;\n\
    .visible .entry k(.param .u64 rows) .reqntid 32 {\n.reg .u64 a, b, c; .reg .u32 t, v, w, id, n; .reg .pred p;\n\
    ld.param.u64 a, [rows]; mov.u32 id, %ctaid.x; mul.wide.u32 b, id, 8; add.u64 a, a, b;\nld.global.u64 a, [a];\n\
    mov.u32 t, %tid.x; setp.ge.u32 p, t, 2; @p ret; mul.wide.u32 b, t, 4; add.u64 a, a, b;\n\
    ld.global.u32 v, [a]; mov.u64 c, _ZN2ns4coefE; add.u64 c, c, b; ld.const.u32 w, [c]; add.u32 v, v, w;\n\
    ld.global.u32 w, [flag]; add.u32 v, v, w; mov.u32 n, %nctaid.x; add.u32 v, v, n; st.global.u32 [a], v;\n\
    mov.u64 c, count; red.global.add.u32 [c], 1;\nret;\n}\n";

fn notes(bench: &Bench, arguments: &str) -> Vec<String> {
    let done = bench.run(&format!("check {arguments} --format json"));
    let report: Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{arguments}: {e}\n{}", done.stderr));
    let of_code = |finding: &&Value| finding["code"] == "variable_not_set";
    let found = report["findings"].as_array().unwrap().iter().filter(of_code);
    found.map(|finding| finding["message"].as_str().unwrap().split('`').nth(1).unwrap().to_string()).collect()
}

#[test]
fn variables_and_rows_are_given_and_read() {
    let bench = Bench::new();
    bench.file("k.ptx", ROWS);
    let rows = "k.ptx --grid 2 --arg rows=new:[u32:[2]:iota,u32:[2]:100] --arg ns::coef=u32:[2]:7";
    let expect = "--expect rows.0=want.npy --expect rows.1=109 --expect count=4 --out coef=coef.npy";
    let wanted = b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }\n".to_vec();
    bench.file("want.npy", [wanted, [9, 0, 0, 0, 10, 0, 0, 0].to_vec()].concat());
    let done = bench.run(&format!("run {rows} {expect}"));
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{}", done.stdout);
    assert!(done.stdout.contains("buffers: 3 compared, as expected"), "{}", done.stdout);
    assert!(std::fs::read(bench.path("coef.npy")).unwrap().ends_with(&[7, 0, 0, 0, 7, 0, 0, 0]));
    // The flag is 0 as in CUDA, but nothing gives it and nothing writes it; the kernel writes `count`.
    assert_eq!(notes(&bench, rows), ["flag"]);
    assert_eq!(notes(&bench, &format!("{rows} --arg flag=0")), [""; 0]);
    assert_eq!(notes(&bench, "k.ptx --arg rows=new:[u32:[2]:iota]"), ["ns::coef", "flag"]);
    // A type alone is no data.
    assert_eq!(notes(&bench, "k.ptx --arg rows=new:[u32:[2]] --arg coef=u32:[2] --arg flag=1"), ["ns::coef"]);
    let wrong = bench.run(&format!("run {rows} --expect count=5"));
    assert_eq!(wrong.code, 1, "{}", wrong.stdout);
    assert!(wrong.stderr.contains("`count`: 1 of 1 elements differs"), "{}", wrong.stderr);
}

#[test]
fn a_part_of_a_grid_runs_with_the_registers_of_the_whole() {
    let bench = Bench::new();
    bench.file("k.ptx", ROWS);
    let rows = "k.ptx --grid 90000,2 --arg rows=new:[u32:[2]:1,u32:[2]:2,u32:[2]:3] --arg coef=u32:[2]:0 --arg flag=0";
    let done = bench.run(&format!("check {rows} --ctas 0,2 --expect rows.0=90001 --expect rows.1=2 --expect rows.2=90003"));
    let part = "part of the grid: only CTAs 0,2 of 180000 run, CTAs 0-1 in this report, in this order\nevery schedule: ";
    assert!(done.code == 0 && done.stdout.contains(part), "{}{}", done.stdout, done.stderr);
    let report: Value = serde_json::from_str(&bench.run(&format!("run {rows} --ctas 1 --format json")).stdout).unwrap();
    assert_eq!(report["parts"][0], "part of the grid: only CTA 1 of 180000 runs, CTA 0 in this report");
    for (options, part) in [
        ("", "a grid of 180000 CTAs"),
        ("--ctas 180000", "CTA 180000 of a grid of 180000 CTAs"),
        ("--ctas 0-4096", "4097 CTAs run"),
        ("--ctas 2,1", "CTA 1 comes after CTA 2"),
        ("--ctas x", "`x` is not a list of CTAs"),
        ("--ctas 0 --cooperative", "only a part of a cooperative grid is to run"),
        ("--ctas 0-2 --cluster 2", "1 of the 2 CTAs of cluster [1, 0, 0] run"),
    ] {
        let done = bench.run(&format!("run {rows} {options}"));
        assert!(done.code == 2 && done.stderr.contains(part), "{options}: {}", done.stderr);
    }
    bench.file(
        "launch.toml",
        "program = \"k.ptx\"\n[[launch]]\ngrid = [4]\nctas = \"1\"\nargs = [0]\n[[launch]]\nprogrammatic = true\nargs = [0]\n",
    );
    let done = bench.run("run launch.toml");
    assert!(done.code == 2 && done.stderr.contains("depends on a part of a grid"), "{}", done.stderr);
}

#[test]
fn clusters_of_a_part_are_whole() {
    let bench = Bench::new();
    let launch = std::fs::read_to_string(example("kernels/cluster_reduce/launch.toml")).unwrap();
    let folder = example("kernels/cluster_reduce/");
    let absolute =
        launch.replace("npy = \"", &format!("npy = \"{folder}")).replace("program = \"", &format!("program = \"{folder}"));
    let (launches, _) = absolute.split_once("[[expect]]").unwrap();
    bench.file("part.toml", launches.replacen("grid = [", "ctas = \"4-7\"\ngrid = [", 1));
    let done = bench.run("run part.toml");
    assert!(done.code == 0 && done.stdout.contains("only CTAs 4-7 of 8 run"), "{}{}", done.stdout, done.stderr);
}

#[test]
fn addresses_of_32_bits_are_below_4_gib_and_a_last_nul_is_no_text() {
    let text = ".version 8.0\n.target sm_50\n.address_size 32\n.global .u32 at = x;\n.global .u32 x = 5;\n.visible .entry k(.param .u32 rows, .param .b8 s[8]) .reqntid 32 {\n\
        .reg .u32 a, b, v;\nld.param.u32 a, [rows]; ld.global.u32 a, [a+4]; ld.global.u32 v, [a];\nld.param.u32 b, [s+4]; add.u32 v, v, 1;\n\
        mov.u32 a, at; ld.global.u32 a, [a]; ld.global.u32 a, [a]; add.u32 v, v, a; st.global.u32 [b], v;\nret;\n}\n\0\0";
    let bench = Bench::new();
    bench.file("k.ptx", text);
    let done = bench.run("run k.ptx --arg rows=new:[u32:[1]:1,u32:[1]:8] --arg s=fields:[u8:3,u32:[1]] --expect s.1=14");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{}", done.stdout);
    bench.file("k.ptx", ROWS.to_string() + "\0text");
    assert!(bench.run("run k.ptx").stderr.contains("has no meaning in PTX"));
}
