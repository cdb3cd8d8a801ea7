// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests the whole command on a fake driver, and the page with made-up numbers. No GPU is needed.

use super::agree::Agreement;
use super::device::About;
use super::driver::Device;
use super::latency::Figure;
use super::page::{self, Circumstances};
use super::run::{Bench, Checked, Outcome, State};
use super::simulate::Simulator;
use super::{Args, Case};
use bcu_program::launch::{Buffer, Element, Fill};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PROGRAM: &str = ".version 9.5
.target sm_90a
.address_size 64
.visible .entry NAME(.param .u64 NAME_out, .param .u32 NAME_from)
{
    .reg .u32 %r<6>;
    .reg .u64 %d<4>;
    ld.param.u64 %d0, [NAME_out];
    ld.param.u32 %r0, [NAME_from];
    cvta.to.global.u64 %d0, %d0;
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %d1, %r4, 4;
    add.s64 %d2, %d0, %d1;
    add.s32 %r5, %r4, %r0;
    st.global.u32 [%d2], %r5;
    bar.sync 0;
    ret;
}
";

const LAUNCH: &str = "program = \"sm_90a.ptx\"
[buffers.in]
type = \"u32\"
shape = [8]
fill = \"random\"
[buffers.out]
type = \"u32\"
shape = [66]
fill = \"unknown\"
[[launch]]
grid = [2]
block = [32]
args = [\"out+4\", 5]
";

/// A folder with the fake driver, and with `kernels`, given by name and text.
fn bench(kernels: &[(&str, &str)]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    for (name, program) in kernels {
        let inside = folder.path().join("kernels").join(name);
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join("sm_90a.ptx"), program.replace("NAME", name)).unwrap();
        fs::write(inside.join("launch.toml"), LAUNCH).unwrap();
    }
    let (source, library) = (folder.path().join("fake.c"), folder.path().join("fake.so"));
    let words = super::words::expected()
        .iter()
        .map(|line| format!("{:#x}, {:#x}, ", line.token.map_or(0, super::words::Token::value), line.word))
        .collect::<String>();
    fs::write(&source, format!("#define WORDS {words}\n{}", include_str!("fake.c"))).unwrap();
    let done = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (folder, library.to_string_lossy().into_owned())
}

fn args(library: &str, kernels: PathBuf, into: Option<&Path>) -> Args {
    Args {
        files: vec![],
        kernels: Some(kernels),
        write: into.is_some(),
        into: into.map(Path::to_path_buf),
        device: 0,
        seed: 1,
        runs: 2,
        corner: None,
        no_corners: true,
        no_latency: into.is_none(),
        timeout: 1,
        library: library.to_string(),
    }
}

#[test]
fn without_a_driver_it_says_what_is_missing_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let args = args("libcuda-that-is-not-there.so.1", folder.path().join("kernels"), Some(folder.path()));
    let error = format!("{:#}", super::run(Path::new("/"), &args).unwrap_err());
    assert!(
        error.contains("no CUDA driver") && error.contains("libcuda-that-is-not-there.so.1") && error.contains("NVIDIA GPU"),
        "{error}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // Opens a library that is not a CUDA driver.
    let error = Device::open("libc.so.6", 0).err().map(|error| format!("{error:#}")).unwrap_or_default();
    assert!(error.contains("has no function `cuInit`"), "{error}");
}

#[test]
fn what_is_equal_is_written_and_passes() {
    let (folder, library) = bench(&[("count", PROGRAM)]);
    let with = args(&library, folder.path().join("kernels"), Some(folder.path()));
    for _ in 0..2 {
        assert!(super::run(Path::new("/"), &with).unwrap());
    }
    let text = fs::read_to_string(folder.path().join("docs/evidence/silicon.md")).unwrap();
    assert_eq!(text.matches("## Made-up GPU (TM)").count(), 1, "{text}");
    assert!(text.contains("| `count` | sm_90a.ptx, PTX 9.5 as 8.4 | 1 | nothing expected | equal |"), "{text}");
    assert!(text.contains("| `bar.sync 0` | 4 | 23.0 | 23.0 |"), "{text}");
    assert!(text.contains("| `mbarrier.arrive` and `mbarrier.try_wait` of all threads | 4 | 23.0 | 23.0 |"), "{text}");
    assert!(text.contains("as in the model.\n"), "{text}");
    assert!(text.contains("compute capability 9.0, 3 multiprocessors"), "{text}");
}

#[test]
fn every_failure_is_told_and_a_lost_device_is_left_alone() {
    let refused = format!("// refuse_this\n{PROGRAM}");
    let (folder, library) = bench(&[("broken", PROGRAM), ("count", PROGRAM), ("count_wrong", PROGRAM), ("refused", &refused)]);
    let kernels = folder.path().join("kernels");
    let mut simulator = Simulator::new().unwrap();
    let read = |name: &str| Case::read(&kernels.join(name), 1).unwrap();
    let device = Device::open(&library, 0).unwrap();
    let mut bench = Bench { device: &device, simulator: &mut simulator, limit: Duration::from_millis(100) };
    let mut why = |name: &str| bench.case(&read(name)).complaints().join("\n");
    assert_eq!(why("count"), "");
    let wrong = why("count_wrong");
    assert!(
        wrong.contains("1 of 66 elements differs from the simulator") && wrong.contains("out[64]: got 69, expected 68"),
        "{wrong}"
    );
    let refused = why("refused");
    assert!(
        refused.contains("sm_90a.ptx: cuModuleLoadDataEx: unknown error (218), made-up text\nptxas fatal: made-up complaint"),
        "{refused}"
    );
    let broken = why("broken");
    assert!(broken.contains("kernel `broken`: cuStreamQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700), made-up text"), "{broken}");
    assert!(device.is_lost());
    assert!(why("count").contains("not run: an earlier error or hang left the device unusable"));
    let missing = Device::open(&library, 3).err().map(|error| format!("{error:#}")).unwrap_or_default();
    assert!(missing.contains("there is no device 3: the driver sees 1"), "{missing}");
}

#[test]
fn a_kernel_that_does_not_end_loses_the_device() {
    let (folder, library) = bench(&[("endless", PROGRAM)]);
    let device = Device::open(&library, 0).unwrap();
    let mut simulator = Simulator::new().unwrap();
    let mut bench = Bench { device: &device, simulator: &mut simulator, limit: Duration::from_millis(20) };
    let outcome = bench.case(&Case::read(&folder.path().join("kernels/endless/launch.toml"), 1).unwrap());
    let why = outcome.complaints().join("\n");
    assert!(why.contains("did not end within") && device.is_lost() && !outcome.is_good(), "{why}");
}

fn made_up() -> (About, Vec<Outcome>, Vec<Figure>) {
    let about =
        About { name: "NVIDIA X1".into(), capability: (9, 0), multiprocessors: 4, cuda: (13, 0), driver: Some("580.1".into()) };
    let checked = |expectation, simulator| {
        let after = Buffer::filled("y", Element::F32, &[4], &Fill::Iota, 1).unwrap();
        Checked { after, expectation, simulator: Some(simulator) }
    };
    let ran = |buffers| State::Ran { buffers, simulator: Ok(()) };
    let outcome =
        |name: &str, state| Outcome { name: name.into(), program: "sm_80.ptx".into(), lowered: None, launches: 2, state };
    let last = Agreement::LastBits { differ: 1, elements: 4, steps: 3 };
    let outcomes = vec![
        outcome("same", ran(vec![checked(Some(Ok(())), Agreement::Same)])),
        outcome("near", ran(vec![checked(Some(Ok(())), last)])),
        outcome("off", ran(vec![checked(Some(Err("y differs".into())), Agreement::Differs("y too".into()))])),
        outcome("alone", State::Ran { buffers: vec![], simulator: Err("no such instruction".into()) }),
        outcome("bad", State::Failed("refused".into())),
        outcome("late", State::Skipped("too late".into())),
    ];
    let figures = vec![Figure { what: "`bar.sync 0`", warps: 8, minimum: 21.0, median: 22.25, simulated: Some(17.5) }];
    (about, outcomes, figures)
}

#[test]
fn the_page_is_made_of_the_numbers() {
    let (about, outcomes, figures) = made_up();
    assert_eq!(outcomes.iter().map(Outcome::is_good).collect::<Vec<_>>(), [true, true, false, false, false, false]);
    let with = Circumstances {
        date: "2026-01-02".into(),
        seed: 7,
        runs: 21,
        unmeasured: Some("it hung".into()),
        words: "words\n".into(),
    };
    let section = page::section(&about, &with, &outcomes, &[], &figures);
    for line in [
        "NVIDIA X1, compute capability 9.0, 4 multiprocessors; driver 580.1, CUDA 13.0. 2026-01-02, seed 7.",
        "2 of 6 launch files give the expected results",
        "| `same` | sm_80.ptx | 2 | equal | equal |",
        "| `near` | sm_80.ptx | 2 | equal | `y` within its tolerance: 1 of 4 elements by up to 3 steps |",
        "| `off` | sm_80.ptx | 2 | **differs** in 1 of 1 buffers | **differs** in 1 of 1 buffers |",
        "| `alone` | sm_80.ptx | 2 | nothing expected | **the simulator did not run it** |",
        "| `bad` | sm_80.ptx | 2 | did not end normally | - |",
        "| `late` | sm_80.ptx | 2 | not run | - |",
        "- `off`: y differs\n- `off`: y too\n- `alone`: the simulator did not run it: no such instruction\n- `bad`: refused\n",
        "| `bar.sync 0` | 8 | 21.0 | 22.2 | 17.5 |\n\nNot all latencies were measured: it hung\n",
    ] {
        assert!(section.contains(line), "{line}\n{section}");
    }
    let complaints: Vec<String> = outcomes.iter().flat_map(Outcome::complaints).collect();
    assert_eq!(
        complaints,
        ["y differs", "y too", "the simulator did not run it: no such instruction", "refused", "not run: too late"]
    );
}

#[test]
fn a_section_takes_the_place_of_the_one_before() {
    let (about, outcomes, figures) = made_up();
    let section = |date: &str| {
        page::section(
            &about,
            &Circumstances { date: date.into(), seed: 1, runs: 1, unmeasured: None, words: String::new() },
            &outcomes,
            &[],
            &figures,
        )
    };
    let first = page::page(None, &about, &section("2026-01-01"));
    let second_device = About { name: "NVIDIA Y".into(), ..about.clone() };
    let with = Circumstances { date: "2026-01-05".into(), seed: 1, runs: 1, unmeasured: None, words: String::new() };
    let both = page::page(Some(&first), &second_device, &page::section(&second_device, &with, &outcomes, &[], &[]));
    let again = page::page(Some(&both), &about, &section("2026-01-09"));
    assert!(again.contains("2026-01-09") && again.contains("2026-01-05") && !again.contains("2026-01-01"), "{again}");
    assert_eq!((again.matches("# On silicon").count(), again.matches("\n## ").count()), (1, 2));
    assert_eq!(page::page(Some("something else"), &about, &section("2026-01-01")), first);
}

#[test]
fn names_and_dates() {
    assert_eq!(page::slug("NVIDIA H100 80GB HBM3"), "nvidia-h100-80gb-hbm3");
    assert_eq!((page::slug("../a/b").as_str(), page::slug("").as_str()), ("a-b", "device"));
    for (seconds, date) in [
        (0, "1970-01-01"),
        (951_782_400, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_798_761_599, "2026-12-31"),
        (4_102_444_800, "2100-01-01"),
    ] {
        assert_eq!(page::date(seconds), date);
    }
}
