// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The project file `bcu.toml`.

use crate::common::{example, Bench};
use crate::cuda::{SCALE_CU, SCALE_PTX};
use serde_json::Value;
use std::fs;

fn bench(project: &str) -> Bench {
    let bench = Bench::new();
    bench.file("scale.cu", SCALE_CU).file("scale.ptx", SCALE_PTX).file("bcu.toml", project);
    fs::create_dir_all(bench.path("sub/deep")).unwrap();
    bench
}

const PROJECT: &str = "\
# Defaults of this project.
grid = [2]
block = 32
seed = 7
arch = \"sm_80\"
nvcc_flags = [\"-G\", \"-DX=a b\"]
fail_on = \"warning\"
args = { n = 0x8, data = \"f32:[8]:2\", factor = \"f32:1.5\" }
";

#[test]
fn options_have_defaults_in_the_project_and_override_them() {
    let bench = bench(PROJECT);
    let done = bench.run_cuda(&["run", "scale.cu", "--out", "data=y.npy"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
    assert!(done.stdout.starts_with("verdict: completed") && done.stdout.contains("seed 7)"), "{done:?}");
    assert!(done.stdout.contains("nvcc -O0 for sm_80 with `-G -DX=a b`") && done.stdout.contains("\nproject file: bcu.toml\n"));
    // Two CTAs, one after the other, multiply twice.
    let other =
        bench.run_cuda(&["run", "scale.cu", "--grid", "1", "--seed", "9", "--arg", "factor=f32:2", "--expect", "data=4"]);
    assert!(other.code == 0 && other.stdout.contains("seed 9)"), "{other:?}");
    let json: Value = serde_json::from_str(&bench.run_cuda(&["check", "scale.cu", "--format", "json"]).stdout).unwrap();
    assert_eq!((&json["project"], &json["fail_on"]), (&Value::from("bcu.toml"), &Value::from("warning")));
    let without = bench.run_cuda(&["run", "scale.cu", "--no-project", "--arg", "n=0"]);
    assert!(without.stdout.contains("seed 1)") && !without.stdout.contains("project file"), "{without:?}");
}

#[test]
fn the_nearest_file_up_to_the_repository_is_used() {
    let bench = bench("seed = 7\n");
    bench.file("p.bcu", "BAR.SYNC 0x0\nEXIT\n");
    let run = |folder: &str, arguments: &[&str]| {
        let output = bench.command().current_dir(bench.path(folder)).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let up = "../../p.bcu";
    assert!(run("sub/deep", &["run", up]).contains("seed 7)\nproject file: ../../bcu.toml\n"));
    bench.file("sub/bcu.toml", "seed = 8\n");
    assert!(run("sub/deep", &["run", up]).contains("seed 8)\nproject file: ../bcu.toml\n"));
    assert!(run("sub/deep", &["run", up, "--project", "../../bcu.toml"]).contains("seed 7)"));
    fs::remove_file(bench.path("sub/bcu.toml")).unwrap();
    fs::create_dir(bench.path("sub/.git")).unwrap();
    assert!(run("sub/deep", &["run", up]).contains("seed 1)"));
}

#[test]
fn wrong_keys_and_values_have_their_lines() {
    let bench = bench("seed = 1\nblok = 3\nfill = \"zeros\"\ngrid = [0]\nquiet = 1\nargs = [1]\nformat = \"xml\"\nseeds = 0\n");
    for command in ["run", "check"] {
        let done = bench.run(&format!("{command} scale.ptx"));
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{done:?}");
        for part in [
            "`blok`: unknown key of a project file",
            "did you mean `block`?",
            "bcu.toml:2:1",
            "bcu.toml:3:8",
            "bcu.toml:4:8",
            "bcu.toml:5:9",
            "bcu.toml:6:8",
            "bcu.toml:7:10",
            "bcu.toml:8:9",
        ] {
            assert!(done.stderr.contains(part), "{part}: {}", done.stderr);
        }
    }
    bench.file("bcu.toml", "seed = \n");
    let done = bench.run("run scale.ptx");
    assert!(done.code == 2 && done.stderr.contains("bcu.toml:1:8"), "{done:?}");
    assert_eq!(bench.run("run --no-project --quiet").code, 0);
    assert_eq!(bench.run("run --project absent.toml").code, 2);
}

#[test]
fn launch_keys_are_for_kernels_and_keys_of_checks_for_checks() {
    let bench =
        bench("grid = [4]\nargs = { n = 1 }\nkernel = \"scale\"\nshared = 64\nstrict = true\nformat = \"sarif\"\nseeds = 2\n");
    bench.file("p.bcu", "BAR.SYNC 0x0\nEXIT\n");
    let program = bench.run("run p.bcu");
    assert!(program.code == 0 && program.stdout.starts_with("verdict: completed"), "{program:?}");
    let launch = bench.run(&format!("run {}", example("kernels/histogram/launch.toml")));
    assert_eq!((launch.code, launch.stderr.as_str()), (0, ""), "{launch:?}");
    let check = bench.run("check p.bcu");
    assert!(check.code == 0 && check.stdout.contains("\"version\": \"2.1.0\""), "{check:?}");
    // `--schedules` on the command line excludes `seeds` of the project.
    assert_eq!(bench.run("check p.bcu --schedules 2").code, 0);
}

#[test]
fn files_are_relative_to_the_project() {
    let bench = bench("machine = \"slow.toml\"\nconfig = \"mine.toml\"\n");
    bench
        .file("p.bcu", "BAR.SYNC 0x0\nEXIT\n")
        .file("slow.toml", "seed = 77\n")
        .file("mine.toml", bench.run("configs small").stdout);
    let output = bench.command().current_dir(bench.path("sub")).args(["run", "../p.bcu"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("seed 77)"), "{text} {:?}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_page_of_the_project_file_names_every_key_and_its_example_is_read() {
    let page = fs::read_to_string(example("../docs/guide/project.md")).unwrap();
    let unknown = bench("x = 1\n").run("run scale.ptx").stderr;
    let (_, keys) = unknown.split_once("the keys are ").unwrap();
    let keys: Vec<&str> = keys.lines().next().unwrap().split(", ").collect();
    assert!(keys.len() > 20 && keys.iter().all(|key| page.contains(&format!("`{key}`"))), "{keys:?}");
    let (_, text) = page.split_once("```toml\n").unwrap();
    let bench = bench(text.split_once("```").unwrap().0);
    bench.file("p.bcu", "BAR.SYNC 0x0\nEXIT\n");
    let done = bench.run("run p.bcu");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
}
