// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CUDA programs: parameters by the names of the source, names of kernels, and the options of nvcc.

use crate::common::{Bench, Done};
use serde_json::Value;

/// A kernel that multiplies `n` elements by `factor`, and keeps them in shared memory.
pub const SCALE_CU: &str =
    "namespace ns { template <typename T, int N> __global__ void scale(T* __restrict__ data, int n, float factor) {} }\n";
pub const SCALE_PTX: &str = include_str!("cuda/scale.ptx");

const MANGLED: &str = "_ZN2ns5scaleIfLi4EEEvPT_if";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("scale.cu", SCALE_CU).file("scale.ptx", SCALE_PTX);
    bench
}

fn run(bench: &Bench, line: &str) -> Done {
    bench.run_cuda(&line.split(' ').collect::<Vec<_>>())
}

#[test]
fn arguments_and_buffers_have_the_names_of_the_source() {
    let bench = bench();
    let named =
        run(&bench, "run scale.cu --arg n=8 --arg data=f32:[8]:2 --arg factor=f32:1.5 --expect data=3 --out data=y.npy");
    assert_eq!((named.code, named.stderr.as_str()), (0, ""), "{named:?}");
    assert!(bench.path("y.npy").is_file());
    // A buffer of a position has the name of the parameter too, and a buffer of a name the position.
    let position = run(&bench, "run scale.cu --arg 1=8 --arg 0=f32:[8]:2 --arg 2=f32:1.5 --expect data=3 --expect param_0=3");
    assert_eq!(position.code, 0, "{position:?}");
    let position = run(&bench, "run scale.cu --arg n=8 --arg data=f32:[8]:2 --arg factor=f32:1.5 --expect 0=4");
    assert_eq!(position.code, 1, "{position:?}");
    assert!(position.stderr.contains("`data`: 8 of 8 elements differ"), "{position:?}");
    bench.file(
        "launch.toml",
        "program = \"scale.cu\"\n[buffers.x]\ntype = \"f32\"\nshape = [8]\nfill = 2\n[[launch]]\n\
         args = { data = \"x\", n = 8, factor = { f32 = 1.5 } }\n[[expect]]\nbuffer = \"x\"\nvalue = 3\n",
    );
    let launched = run(&bench, "run launch.toml");
    assert_eq!((launched.code, launched.stderr.as_str()), (0, ""), "{launched:?}");
}

#[test]
fn a_wrong_name_is_answered_with_the_options() {
    let bench = bench();
    let wrong = run(&bench, "run scale.cu --arg m=3");
    assert_eq!((wrong.code, wrong.stdout.as_str()), (2, ""), "{wrong:?}");
    for part in [
        "`ns::scale<float, 4>(float*, int, float)` has no parameter `m`",
        "did you mean `--arg n=…`?",
        "\n  `--arg n=…` or `--arg 1=…`, .u32\n",
        "\n  `--arg factor=…` or `--arg 2=…`, .f32",
    ] {
        assert!(wrong.stderr.contains(part), "{part}: {}", wrong.stderr);
    }
    // Without the source, the options have the names in PTX.
    let wrong = bench.run("run scale.ptx --arg n=3");
    assert!(wrong.code == 2 && wrong.stderr.contains("`--arg param_1=…` or `--arg 1=…`, .u32"), "{wrong:?}");
    let beyond = bench.run("run scale.ptx --arg 7=3");
    assert!(beyond.code == 2 && beyond.stderr.contains("`--arg 2=…`, .f32"), "{beyond:?}");
}

/// Kernels on different warps take integers by the names of the source too.
#[test]
fn kernels_on_different_warps_have_the_names_of_the_source() {
    let bench = Bench::new();
    let kernel = |name: &str| {
        let load = format!(".reg .b32 %r<2>; ld.param.u32 %r1, [{name}_param_0]; bar.sync %r1; ret;");
        format!(".visible .entry {name}(.param .u32 {name}_param_0) {{ {load} }}\n")
    };
    let head = ".version 8.5\n.target sm_90a\n.address_size 64\n";
    bench.file("k.ptx", format!("{head}{}{}", kernel("load"), kernel("math")));
    bench.file("k.cu", "extern \"C\" __global__ void load(int number) {}\nextern \"C\" __global__ void math(int number) {}\n");
    let done = run(&bench, "run k.cu --role load=0 --role math=1 --arg number=5");
    assert!(done.code == 0 && done.stdout.contains("\n  0    5        1    all "), "{done:?}");
    let done = run(&bench, "run k.cu --role load=0 --role math=1 --arg numbr=5");
    assert!(done.code == 2 && done.stderr.contains("did you mean `number`?"), "{done:?}");
}

#[test]
fn a_run_without_an_argument_is_answered_with_its_name() {
    let bench = Bench::new();
    let body = ".reg .b32 %r<2>; ld.param.u32 %r1, [k_param_0]; bar.sync %r1; ret;";
    let head = ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u32 k_param_0) .reqntid 32, 1, 1";
    bench.file("k.cu", "extern \"C\" __global__ void k(int number) {}").file("k.ptx", format!("{head}\n{{ {body} }}\n"));
    for command in ["run", "check"] {
        let done = run(&bench, &format!("{command} k.cu"));
        let said = done.stdout.clone() + &done.stderr;
        assert!(done.code == 2 && said.contains("give it a value: `--arg number=64`"), "{done:?}");
    }
}

#[test]
fn ptx_with_a_file_directive_has_the_names_of_the_source_that_can_be_read() {
    let bench = bench();
    bench.file("lines.ptx", SCALE_PTX.to_string() + "\t.file\t1 \"/build/of/someone/scale.cu\"\n");
    let done = bench.run("run lines.ptx --arg n=8 --arg data=f32:[8]:2 --arg factor=f32:1.5 --expect data=3");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
    let listed = bench.run("kernels lines.ptx").stdout;
    assert!(listed.contains(", 4 bytes, `factor`\n"), "{listed}");
}

#[test]
fn kernels_have_demangled_names() {
    let bench = bench();
    let title = "ns::scale<float, 4>(float*, int, float)";
    let listed = run(&bench, "kernels scale.cu").stdout;
    assert!(listed.starts_with(&format!("{title}\n  name in PTX    {MANGLED}\n")), "{listed}");
    assert!(listed.contains("  parameter      .u32 param_1, 4 bytes, `n`\n"), "{listed}");
    let json: Value = serde_json::from_str(&run(&bench, "kernels scale.cu --format json").stdout).unwrap();
    assert_eq!(json[0]["name"], MANGLED);
    assert_eq!(json[0]["demangled"], format!("void {title}"));
    assert_eq!(json[0]["params"][2]["source_name"], "factor");
    let table = run(&bench, "run scale.cu --arg n=8 --arg data=f32:[8]:2 --arg factor=f32:1.5").stdout;
    assert!(table.contains(&format!("  0    0     {title}  ")), "{table}");
}

/// On a terminal the middle of a long name is left out, so that its line fits.
#[test]
fn names_are_shortened_to_the_terminal() {
    let bench = Bench::new();
    let long = format!("_Z100{}{}v", "k".repeat(70), "l".repeat(30));
    bench.file("long.ptx", format!(".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry {long}() {{ ret; }}\n"));
    let on_terminal = |line: &str| {
        let command = format!("stty rows 40 cols 80; '{}' {line}", bench.command().get_program().to_string_lossy());
        let output =
            std::process::Command::new("script").args(["-qec", &command, "/dev/null"]).current_dir(bench.path("")).output();
        String::from_utf8_lossy(&output.unwrap().stdout).replace('\r', "")
    };
    let whole = format!("{}{}()", "k".repeat(70), "l".repeat(30));
    for line in ["run long.ptx --block 32", "kernels long.ptx"] {
        let text = on_terminal(line);
        let named = text.lines().find(|line| line.contains("kkk") && !line.contains("_Z")).unwrap();
        assert!(named.contains("k…l") && named.chars().count() <= 80, "{named}");
        assert!(bench.run(line).stdout.contains(&whole), "{line}");
    }
}

#[test]
fn reports_name_the_compiler_its_level_and_its_target() {
    let bench = bench();
    let plain = run(&bench, "run scale.cu --arg n=0");
    assert!(plain.stdout.contains("\ncompiled by nvcc -O3 for sm_90a; the optimiser may remove stores"), "{plain:?}");
    let line = ["check", "scale.cu", "--arg", "n=0", "--arch", "sm_80", "--nvcc-flags", "-G -DNAME='a b'"];
    let debug = bench.run_cuda(&line);
    assert!(debug.stdout.contains("\ncompiled by nvcc -O0 for sm_80 with `-G -DNAME=a b`; without optimisation"), "{debug:?}");
    for command in ["run", "check"] {
        let line = [&[command], &line[1..], &["--format", "json"]].concat();
        let json: Value = serde_json::from_str(&bench.run_cuda(&line).stdout).unwrap();
        let compiled = &json["compiled"];
        assert_eq!((&compiled["optimisation"], &compiled["target"]), (&Value::from("-O0"), &Value::from("sm_80")), "{json:#}");
        assert_eq!(compiled["flags"], serde_json::json!(["-G", "-DNAME=a b"]));
    }
    for (flags, part) in [("-arch=sm_80", "`--arch sm_90a`"), ("'", "not closed"), ("-o x", "leave this option out")] {
        let wrong = bench.run_cuda(&["run", "scale.cu", "--nvcc-flags", flags]);
        assert!(wrong.code == 2 && wrong.stderr.contains(part), "{flags}: {wrong:?}");
    }
    let ptx = bench.run_cuda(&["run", "scale.ptx", "--nvcc-flags", "-G"]);
    assert!(ptx.code == 2 && ptx.stderr.contains("--nvcc-flags needs a `.cu` program"), "{ptx:?}");
}

#[test]
fn shared_memory_is_printed_on_request_and_in_its_type() {
    let bench = bench();
    let line = "run scale.cu --arg n=8 --arg data=f32:[8]:2 --arg factor=f32:1.25";
    let plain = run(&bench, line).stdout;
    assert!(plain.contains("\nshared memory: 8 words were stored; `--show-shared` prints them\n"), "{plain}");
    let shown = run(&bench, &format!("{line} --show-shared")).stdout;
    assert!(shown.contains("value, f32\n  shared, CTA 0  0x0      2.5\n") && !plain.contains("2.5"), "{shown}");
}
