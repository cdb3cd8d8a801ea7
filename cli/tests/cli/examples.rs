// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every example in the help of `run`, `check` and `kernels` works as it is written.

use crate::common::Bench;
use std::process::Command;

/// A kernel that stores 3 to the first 64 elements of `x`.
const KERNEL_CU: &str = "extern \"C\" __global__ void kernel(float* x, int n) {}\n";
const KERNEL: &str = "\
.version 8.5
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 kernel_param_0, .param .u32 kernel_param_1)
.reqntid 64, 1, 1
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<3>;
    .reg .f32 %f<2>;
    ld.param.u64 %rd1, [kernel_param_0];
    ld.param.u32 %r1, [kernel_param_1];
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.f32 %f1, 0f40400000;
    bar.sync 0;
    st.global.f32 [%rd3], %f1;
    ret;
}
";
/// Three kernels: two for roles, and one with parameters.
const KERNELS: &str = "\
.version 8.5
.target sm_90a
.address_size 64
.visible .entry load() { bar.sync 0; ret; }
.visible .entry math() { bar.sync 0; ret; }
.visible .entry scan(.param .u64 x, .param .u32 n) { bar.sync 0; ret; }
";
const ALL_MEET: &str = "BAR.SYNC 0x0\nEXIT\n";

/// The commands of the examples in a help text: each from its first word to two spaces.
fn examples(help: &str) -> Vec<String> {
    let (_, below) = help.split_once("Examples:\n").unwrap();
    let lines = below.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let commands = lines.filter(|line| !line.starts_with(' ')).map(|line| line.split("  ").next().unwrap_or(line).to_string());
    commands.collect()
}

#[test]
fn every_example_of_the_help_runs() {
    let bench = Bench::new();
    bench.file("kernel.cu", KERNEL_CU).file("kernel.ptx", KERNEL).file("k.cu", "").file("k.ptx", KERNELS);
    bench.file("a.bcu", ALL_MEET).file("b.bcu", ALL_MEET).file("one.bcu", ALL_MEET);
    bench.file("hang.bcu", ".cta_warps 2\n.warps 0 worker\nBAR.SYNC 0x1\n.warps 1 straggler\nBAR.SYNC 0x2\n");
    bench.file("slow.toml", "policy = \"random\"\n[latency]\nglobal = 500\n");
    bench.file("launch.toml", "program = \"k.ptx\"\n[[launch]]\nkernel = \"load\"\nblock = [64]\n");
    let command = bench.with_nvcc();
    let path = command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_os_string();
    let mut run = 0;
    for help in ["run -h", "run --help", "check -h", "check --help", "kernels --help"] {
        let text = bench.run(help).stdout;
        for line in examples(&text) {
            let mut shell = Command::new("sh");
            shell
                .arg("-c")
                .arg(format!("generate() {{ cat kernel.ptx; }}; bcu() {{ \"$BCU\" \"$@\"; }}; {line}"))
                .env("BCU", command.get_program());
            shell.current_dir(bench.path("")).env("PATH", &path).env_remove("CARGO");
            let done = shell.output().unwrap();
            let expected = if line.contains("hang.bcu") { 1 } else { 0 };
            let said = format!("{}\n{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert_eq!(done.status.code(), Some(expected), "{help}: {line}\n{said}");
            run += 1;
        }
    }
    assert!(run >= 30, "only {run} examples were found");
}
