// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu replay`: its output for waveforms that `bcu run` writes, and for files that are not waveforms.

use crate::common::{Bench, HANG};

/// A test folder with the waveform of a run at `tiny`, which contains the whole unit.
fn recorded(program: &str) -> Bench {
    let bench = Bench::new();
    bench.file("p.bcu", program);
    bench.run("run p.bcu --config tiny --wave w.vcd");
    assert!(bench.path("w.vcd").exists());
    bench
}

#[test]
fn a_good_waveform_passes_and_a_hang_is_explained() {
    let bench = recorded(HANG);
    let done = bench.run("replay w.vcd --unit bcu --config tiny");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{done:?}");
    for part in [
        "w.vcd: `bcu` of the configuration tiny, at bcu\n",
        "launch 1, ",
        "first fault, cycle ",
        "ok: every output equals the model's\n",
        "held at the end: CTA slot 0, barrier 1: 1 of 2 warps have arrived\n  warp 0 waits since cycle ",
        "\n  warp 1 waits at barrier 2 since cycle ",
        "held at the end: CTA slot 0, barrier 2: 1 of 2 warps have arrived\n  warp 1 waits since cycle ",
        ", a clock of 10 ns\n",
    ] {
        assert!(done.stdout.contains(part), "{part}\n{}", done.stdout);
    }
    let good = recorded(".cta_warps 2\nBAR.SYNC 0x0\n").run("replay w.vcd --unit bcu --config tiny");
    assert!(good.code == 0 && !good.stdout.contains("held") && !good.stdout.contains("fault"), "{good:?}");
}

#[test]
fn a_hang_or_a_fault_fails_where_it_is_asked_for() {
    let bench = recorded(HANG);
    for (list, code) in [("fault", 1), ("hang", 1), ("fault,hang", 1)] {
        let done = bench.run(&format!("replay w.vcd --unit bcu --config tiny --fail-on {list}"));
        assert_eq!((done.code, done.stderr.as_str()), (code, ""), "{done:?}");
    }
    let good = recorded(".cta_warps 2\nBAR.SYNC 0x0\n").run("replay w.vcd --unit bcu --config tiny --fail-on fault,hang");
    assert_eq!(good.code, 0, "{good:?}");
    assert_eq!(bench.run("replay w.vcd --unit bcu --config tiny --fail-on race").code, 2);
}

/// Warps that have resumed or exited are not shown as waiting.
#[test]
fn each_other_warp_of_a_barrier_is_shown_with_what_it_did_last() {
    let bench = recorded(
        ".cta_warps 4\n.warps 0 waits\nBAR.SYNC 0x1, 0x8\n.warps 1 ends\nNOP\n.warps 2-3 meets\nBAR.SYNC 0x2, 0x8\nLOOP 200\nNOP\nEND\n",
    );
    // Cuts the waveform before the last warps exit.
    let text = bench.text("w.vcd");
    let (before, _) = text.split_once("\n#1500\n").unwrap();
    bench.file("w.vcd", format!("{before}\n"));
    let done = bench.run("replay w.vcd --unit bcu --config tiny");
    for part in [
        "barrier 1: 1 of 2 warps have arrived\n",
        "\n  warp 1 ended in cycle ",
        "\n  warp 2 was released from barrier 2 in cycle ",
    ] {
        assert!(done.stdout.contains(part), "{part}\n{}{}", done.stdout, done.stderr);
    }
}

#[test]
fn an_output_that_is_not_the_models_fails_with_what_led_to_it() {
    let bench = recorded(HANG);
    let text = bench.text("w.vcd");
    // The first declaration of this name is the whole unit's port.
    let line = text.lines().find(|line| line.contains(" fault_valid ")).unwrap();
    let id = line.split(' ').nth(3).unwrap();
    bench.file("w.vcd", text.replace(&format!("\n1{id}\n"), &format!("\n0{id}\n")));
    let done = bench.run("replay w.vcd --unit bcu --config tiny");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.contains("the outputs of the unit differ from the model in cycle "), "{done:?}");
    assert!(
        done.stdout.contains("  output `fault_valid`: the model has 1, the waveform 0\nthe cycles before it:\n"),
        "{done:?}"
    );
    assert!(done.stdout.lines().last().unwrap().contains("fault(code=Deadlock"), "{done:?}");
}

#[test]
fn what_cannot_be_replayed_is_told_with_what_to_do() {
    let bench = recorded(HANG);
    bench.file("text.vcd", "no waveform");
    let whole = bench.text("w.vcd");
    let (cut, _) = whole.rsplit_once(' ').unwrap();
    bench.file("cut.vcd", cut);
    bench.file("mine.toml", bench.run("configs tiny").stdout.replace("warps = 4\n", "warps = 7\n"));
    for (line, parts) in [
        ("replay no.vcd --unit bcu", ["cannot read no.vcd: ", ""]),
        (
            "replay cut.vcd --unit bcu --config tiny",
            ["damaged VCD: the file ends inside a value", "after its last complete line"],
        ),
        ("replay text.vcd --unit bcu", ["cannot read text.vcd as VCD: ", ""]),
        (
            "replay w.vcd --unit bcu --config mine.toml",
            ["in the configuration mine", "name the configuration of the export with `--config`"],
        ),
        ("replay w.vcd --unit gateway --config tiny", ["configuration `tiny` has no unit `gateway`", "name another unit"]),
        ("replay w.vcd --unit grid_hub --config tiny", ["no scope has all ports of `grid_hub`", "$dumpvars(1, <instance>)"]),
        ("replay w.vcd --unit bcu --config tiny --scope tb", ["no scope is called `tb`", "separated by dots"]),
        ("replay w.vcd --config tiny", ["--unit", ""]),
    ] {
        let done = bench.run(line);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{line}: {done:?}");
        assert!(parts.iter().all(|part| done.stderr.contains(part)), "{line}: {}", done.stderr);
        assert!(!done.stderr.contains("panicked"), "{line}: {}", done.stderr);
    }
}
