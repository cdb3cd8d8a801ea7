// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels of a PTX file: the list, the choice of one, and the launch as a grid with arguments.

use crate::common::{example, Bench};

/// Two kernels. The branches of the first depend on its CTA and an argument; the second has an
/// instruction that is not supported.
const TWO: &str = "\
.version 8.5
.target sm_90
.address_size 64

.visible .entry _Z4scanPfi(
    .param .u64 .ptr .global .align 4 _Z4scanPfi_param_0,
    .param .u32 _Z4scanPfi_param_1
)
.maxntid 256, 1, 1
{
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .shared .align 16 .b8 tile[1024];
    .shared .align 4 .u32 total;
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r3, %nctaid.x;
    ld.param.u32 %r2, [_Z4scanPfi_param_1];
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra $done;
    bar.sync 3;
$done:
    bar.sync %r1;
    ret;
}

.visible .entry waits(.param .align 8 .b8 waits_param_0[24])
{
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w [%rd1, {0, 0, 0}], {0, 0};
    fence.proxy.async;
    ret;
}
";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("k.ptx", TWO);
    bench
}

#[test]
fn variables_that_a_launch_can_give_are_listed() {
    let bench = Bench::new();
    let text = "\
.version 8.5
.target sm_90
.address_size 64
.const .align 4 .f32 coef[17];
.global .align 4 .u32 _ZN2ns5tableE[2][3] = {};
.global .align 1 .b8 $str[4] = {72, 105, 10};
.visible .entry k() { ret; }
";
    bench.file("v.ptx", text);
    let done = bench.run("kernels v.ptx");
    let expected = "variables of the file\n  coef           .f32[17], 68 bytes\n  ns::table      .u32[2][3], 24 bytes\n";
    assert!(done.code == 0 && done.stdout.ends_with(expected), "{done:?}");
    let listed: serde_json::Value = serde_json::from_str(&bench.run("kernels v.ptx --format json").stdout).unwrap();
    let table = serde_json::json!({ "name": "ns::table", "type": ".u32", "shape": [2, 3], "bytes": 24 });
    assert_eq!((&listed[0]["variables"][1], listed[0]["variables"].as_array().map(Vec::len)), (&table, Some(2)));
    let wrong = bench.run("run v.ptx --arg ns::tabel=u32:[6]");
    assert!(wrong.code == 2 && wrong.stderr.contains("did you mean `--arg ns::table=…`?"), "{wrong:?}");
}

#[test]
fn kernels_are_listed_with_what_a_launch_must_know() {
    let bench = bench();
    let done = bench.run("kernels k.ptx");
    assert_eq!(done.code, 0, "{done:?}");
    let expected = "\
scan(float*, int)
  name in PTX    _Z4scanPfi
  parameter      .u64 param_0, 8 bytes
  parameter      .u32 param_1, 4 bytes
  threads        at most 256 x 1 x 1
  shared memory  1028 bytes
  barriers       3, from registers

waits
  parameter      .b8 waits_param_0, 24 bytes
  cannot run     cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w, line 30
";
    assert_eq!(done.stdout, expected);
    let json: serde_json::Value = serde_json::from_str(&bench.run("kernels k.ptx --format json").stdout).unwrap();
    assert_eq!(json[1]["not_built"][0]["line"], 30);
    assert_eq!(json[0]["params"][1]["bytes"], 4);
}

#[test]
fn a_kernel_is_chosen_by_a_part_of_its_name_and_the_others_are_not_judged() {
    let bench = bench();
    let done = bench.run("run k.ptx --block 64");
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("`--kernel 'scan(float*, int)'`"), "{}", done.stderr);
    let done = bench.run("run k.ptx --kernel scan --block 64 --arg param_1=0");
    assert_eq!(done.code, 0, "{done:?}");
    let done = bench.run("run k.ptx --kernel waits --block 64");
    assert_eq!(done.code, 2);
    assert!(
        done.stderr.contains("`cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w` is not supported yet"),
        "{}",
        done.stderr
    );
    for (wanted, part) in [("scna", "no kernel is called `scna`"), ("a", "several kernels have `a` in their names")] {
        let done = bench.run(&format!("run k.ptx --kernel {wanted} --block 64"));
        assert_eq!(done.code, 2);
        assert!(
            done.stderr.contains(part) && done.stderr.contains("this text has `scan(float*, int)`, `waits`"),
            "{}",
            done.stderr
        );
    }
}

#[test]
fn each_cta_of_a_grid_has_its_own_number() {
    let bench = bench();
    let done = bench.run("run k.ptx --kernel scan --grid 4 --block 64 --arg _Z4scanPfi_param_1=3 --format json");
    assert_eq!(done.code, 0, "{done:?}");
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let mut found: Vec<(u64, u64)> = report["generations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| (g["cta"].as_u64().unwrap(), g["id"].as_u64().unwrap()))
        .collect();
    found.sort_unstable();
    // The warps of each CTA meet at the barrier whose id is the CTA's number in the grid. If that
    // number is below the argument, they also meet at barrier 3.
    assert_eq!(found, [(0, 0), (0, 3), (1, 1), (1, 3), (2, 2), (2, 3), (3, 3)]);
}

#[test]
fn what_does_not_fit_a_launch_is_refused() {
    let bench = bench();
    bench.file("m.toml", "[[cta]]\nwarps = 2\n");
    bench.file("a.bcu", ".cta_warps 2\nBAR.SYNC 0\n");
    for (line, part) in [
        ("run k.ptx --kernel scan --block 64 --arg n=3", "has no parameter `n`"),
        ("run k.ptx --kernel scan --block 64 --arg n=x", "expected NAME=VALUE with an integer"),
        ("run k.ptx --kernel scan --block 512", "has .maxntid [256, 1, 1]"),
        ("run k.ptx --kernel scan --grid 100,100 --block 64", "a grid of 10000 CTAs"),
        ("run k.ptx --kernel scan --grid 2 --machine m.toml", "cannot be used with a machine file"),
        ("run k.ptx --kernel scan --block 64 --warps 2", "cannot be used with"),
        ("run a.bcu --grid 2", "kernels, grids, clusters and arguments are for PTX"),
        ("run a.bcu --cluster 2", "kernels, grids, clusters and arguments are for PTX"),
        ("run k.ptx --kernel scan --grid 4 --block 64 --cluster 3", "a grid of 4 CTAs along x, in clusters of 3"),
        ("run k.ptx --kernel scan --grid 4 --block 64 --cluster 0", "expected one to three sizes above 0"),
        ("run k.ptx --kernel scan --cluster 2 --machine m.toml", "cannot be used with a machine file"),
        ("kernels nothing.ptx", "nothing.ptx"),
    ] {
        let done = bench.run(line);
        assert_eq!(done.code, 2, "{line}: {done:?}");
        assert!(done.stderr.contains(part), "{line}: {}", done.stderr);
    }
}

#[test]
fn an_unknown_element_of_a_buffer_is_traced_to_its_store() {
    let bench = Bench::new();
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<2>; .shared .align 4 .b32 never;\n\
                ld.param.u64 %rd1, [out];\nld.shared.u32 %r1, [never];\nst.global.u32 [%rd1+8], %r1;\nret;\n}\n";
    bench.file("k.ptx", text);
    for command in ["run", "check"] {
        let done = bench.run(&format!("{command} k.ptx --block 32 --arg out=u32:[4]:0 --expect out=0"));
        // `bcu run` prints the difference on stderr, `bcu check` as a finding on stdout.
        let said = if command == "run" { &done.stderr } else { &done.stdout };
        let parts = [
            "out[2]: got unknown, expected 0",
            "the first unknown element was stored by CTA 0 warp 0 lane 31 at line 9: st.global.u32 [%rd1+8], %r1, unknown since line 8: \
             ld.shared.u32 %r1, [never]",
        ];
        assert_eq!(done.code, 1, "{done:?}");
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
    // Errors of the text are reported before conflicts with the options.
    bench.file("k.ptx", text.replace(".reg .b32 %r<2>;", ""));
    let done = bench.run("run k.ptx --block 32 --arg out=u32:[4]:0 --expect out=0");
    assert!(done.code == 2 && done.stderr.contains("the register `%r1` is not declared here"), "{done:?}");
}

/// The codes of the findings of `bcu check`, in order, and its exit code.
fn found(arguments: &str) -> (Vec<String>, i32) {
    let done = Bench::new().run(&format!("check {arguments} --format json"));
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap_or_else(|e| panic!("{e}: {done:?}"));
    let codes = report["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap().to_string());
    (codes.collect(), done.code)
}

#[test]
fn kernels_that_triton_has_compiled_give_the_expected_results() {
    let folder = example("triton");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|file| file.extension().is_some_and(|ending| ending == "toml")).collect();
    assert_eq!(files.len(), 9, "{files:?}");
    for file in files {
        let (mut codes, code) = found(&file.display().to_string());
        // Triton omits the fence after the inits of the mbarriers that tensor copies signal.
        codes.retain(|code| code != "mbarrier_not_fenced");
        assert_eq!((codes, code), (vec![], 0), "{}", file.display());
    }
}

#[test]
fn faults_in_kernels_of_triton_are_found() {
    const SWIZZLE_128: &str = "4611686293305294848";
    const SWIZZLE_64: &str = "9223372311732682752";
    const WAIT: &str = "mbarrier.try_wait.parity.shared::cta.b64 complete,";
    const NO_WAIT: &str = "setp.eq.b32 complete, 0, 0; //";
    // The first occurrences of a text, so many, are replaced.
    for (name, text, replacement, count, expected) in [
        // One bit of one descriptor selects another swizzle.
        ("matmul_tma", SWIZZLE_128, SWIZZLE_64, 1, "wrong_result"),
        ("matmul_tma", "wgmma.wait_group.sync.aligned 1;", "", 1, "race"),
        ("matmul_roles", WAIT, NO_WAIT, usize::MAX, "race"),
        ("matmul_descriptors", SWIZZLE_128, SWIZZLE_64, 1, "wrong_result"),
        ("matmul_descriptors", "@%p2 fence.proxy.tensormap::generic.acquire.gpu", "//", usize::MAX, "proxy_fence_missing"),
        ("matmul_tcgen05", WAIT, NO_WAIT, usize::MAX, "race"),
        ("attention", SWIZZLE_128, SWIZZLE_64, 1, "wrong_result"),
        ("attention", "wgmma.wait_group.sync.aligned 0;", "", 1, "wgmma_not_waited"),
    ] {
        let kernel = std::fs::read_to_string(example(&format!("triton/{name}.ptx"))).unwrap();
        assert!(kernel.contains(text), "{name}: {text}");
        let bench = Bench::new();
        bench.file("wrong.ptx", kernel.replacen(text, replacement, count));
        let launch = example(&format!("triton/{name}.toml"));
        let (codes, code) = found(&format!("{launch} --program {}", bench.path("wrong.ptx").display()));
        assert!(code == 1 && codes.iter().any(|code| code == expected), "{name}, `{text}`: {codes:?}");
    }
}
