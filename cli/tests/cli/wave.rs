// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run --wave`: the viewers' files agree with the report and with the waveform itself.

use crate::common::{Bench, HANG};
use serde_json::Value;
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// The times in a save file of GTKWave: the start of the window, the primary marker, and the named
/// markers.
fn times(gtkw: &str) -> (u64, i64, Vec<i64>) {
    let start = gtkw.lines().find_map(|line| line.strip_prefix("[timestart] ")).unwrap().parse().unwrap();
    let markers = gtkw.lines().find_map(|line| line.strip_prefix('*')).unwrap();
    let markers: Vec<i64> = markers.split(' ').skip(1).map(|time| time.parse().unwrap()).collect();
    (start, markers[0], markers[1..].iter().copied().filter(|time| *time >= 0).collect())
}

/// The first time after the reset cycle at which both of the bits named in `names` are 1.
fn both(vcd: &str, names: [&str; 2]) -> u64 {
    let declared = |name: &&str| {
        let line = vcd.lines().find(|l| l.starts_with("$var") && l.split(' ').nth(4) == Some(name)).unwrap();
        format!("1{}", line.split(' ').nth(3).unwrap())
    };
    let ones = names.each_ref().map(declared);
    let (mut time, mut values) = (0, [false; 2]);
    for line in vcd.lines() {
        if let Some(next) = line.strip_prefix('#') {
            if time > 0 && values == [true; 2] {
                return time;
            }
            time = next.parse().unwrap();
        }
        for (value, one_line) in values.iter_mut().zip(&ones) {
            if line.get(1..) == one_line.get(1..) {
                *value = line == one_line;
            }
        }
    }
    panic!("never {names:?}");
}

#[test]
fn the_viewers_open_at_the_first_launch_and_mark_fault_and_hang() {
    let bench = Bench::new();
    bench.file("hang.bcu", HANG);
    let done = bench.run("run hang.bcu --config tiny --wave w.vcd --format json");
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    let (fault, end) = (report["faults"][0]["cycle"].as_i64().unwrap() * 10, report["cycles"].as_i64().unwrap() * 10);
    let gtkw = bench.text("w.gtkw");
    let start = both(&bench.text("w.vcd"), ["launch_valid", "launch_ready"]);
    assert!(start > 10, "the tables are cleared first");
    assert_eq!(times(&gtkw), (start, fault, vec![fault, end - 10]));
    assert!(gtkw.contains("[markername] Adeadlock\n[markername] Bhung\n"), "{gtkw}");
    for (name, alias) in [("warp_0", "cta0.w0 worker"), ("warp_1", "cta0.w1 straggler")] {
        assert!(gtkw.contains(&format!("+{{{}}} program.{name}\n", alias.replace('.', ":"))), "{gtkw}");
        assert!(bench.text("w.sucl").contains(&format!("item_rename {alias}\n")));
    }
    let sucl = bench.text("w.sucl");
    let last = format!("zoom_to {start} {end}\ncursor_set {fault}\n");
    assert!(sucl.ends_with(&last) && sucl.contains(&format!("marker_set hung {}\n", end - 10)), "{sucl}");
}

#[test]
fn a_good_run_has_no_marks() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nBAR.SYNC 0x0\n");
    assert_eq!(bench.run("run p.bcu --config tiny --wave w.vcd").code, 0);
    let gtkw = bench.text("w.gtkw");
    let (start, marker, marks) = times(&gtkw);
    assert!(start > 0 && marker as u64 == start && marks.is_empty() && !gtkw.contains("[markername]"), "{gtkw}");
    assert!(!bench.text("w.sucl").contains("marker_set"));
}

#[test]
fn rows_tell_which_warps_came_to_a_slot_and_leave_out_slots_that_nobody_came_to() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nNOP 9\nBAR.SYNC 0x0\n").file("m.toml", "[[cta]]\ncount = 5\n");
    assert_eq!(bench.run("run p.bcu --config tiny --machine m.toml --wave w.vcd").code, 0);
    let (gtkw, vcd) = (bench.text("w.gtkw"), bench.text("w.vcd"));
    let rows: Vec<&str> = gtkw.lines().filter(|line| line.starts_with("+{") && line.contains("} program.")).collect();
    assert!(rows.len() <= 4 && rows[0].starts_with("+{cta0:w0 +") && rows[0].ends_with("} program.warp_0"), "{rows:?}");
    // In a warp slot, the text of each later warp begins with the warp's name.
    assert!(vcd.contains("scta4.w1:\\040B0\\040l.3\\040BAR.SYNC\\0400x0 "), "no wait of cta4.w1");
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nBAR.SYNC 0x0\n").file("m.toml", "[[cta]]\ncount = 1\n");
    assert_eq!(bench.run("run p.bcu --config tiny --machine m.toml --wave w.vcd").code, 0);
    assert_eq!(bench.text("w.gtkw").matches("} program.").count(), 2);
}

/// Two launches, of which the waveform has the last one, so the unit has a history before its first cycle.
#[test]
fn both_engines_write_the_same_files_for_the_last_of_two_launches() {
    let bench = Bench::new();
    let launch = "program = 'k.ptx'\n[[launch]]\nblock = [8]\n[[launch]]\nblock = [8]\n";
    bench.file("launch.toml", launch).file(
        "k.ptx",
        ".version 8.0\n.target sm_90\n.visible .entry k() {\n.shared .b32 s[8];\nst.shared.u32 [s], 1;\nbar.sync 3;\nret;\n}\n",
    );
    for engine in ["rtl", "jit"] {
        let done = bench.run(&format!("run launch.toml --config tiny --seed 5 --engine {engine} --wave {engine}.vcd"));
        assert_eq!(done.code, 0, "{done:?}");
    }
    let (block, code) = (bench.text("rtl.vcd"), bench.text("jit.vcd"));
    assert!(block == code, "the machine code has another waveform than the block");
    assert_eq!(bench.text("rtl.gtkw").replace("rtl.", "jit."), bench.text("jit.gtkw"));
    assert!(block.matches("$scope").count() > 100, "the blocks inside the unit are scopes");
    let (_, first) = block.split_once("$dumpvars\n").unwrap();
    // A vector or text has a space before the identifier, a bit has not.
    let mut ids = HashSet::new();
    for line in first.lines().take_while(|line| *line != "$end") {
        let id = line.split_once(' ').map_or(&line[1..], |(_, id)| id);
        assert!(ids.insert(id), "the first cycle has several values of the signal {id}");
    }
}

#[test]
fn a_long_waveform_has_a_note_with_its_time_and_the_faster_engine() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nLOOP 4000\nBAR.SYNC 0x0\nEND\n");
    let mut command = bench.command();
    command.args("run p.bcu --config tiny --engine rtl --only-wave=1000000 --wave w.vcd".split(' '));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.starts_with("note: the waveform of 1000000 cycles takes about "), "{line}");
    assert!(line.contains(" hours; `--engine jit` writes the same file about "), "{line}");
}

#[test]
fn rows_are_in_groups_with_short_names_and_a_payload_is_shown_only_with_its_valid() {
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nNOP 9\nBAR.SYNC 0x0\n");
    for engine in ["rtl", "model"] {
        assert_eq!(bench.run(&format!("run p.bcu --config tiny --engine {engine} --wave w.vcd")).code, 0);
        let (gtkw, sucl, vcd) = (bench.text("w.gtkw"), bench.text("w.sucl"), bench.text("w.vcd"));
        for group in ["release", "fault", "launch"] {
            assert!(gtkw.contains(&format!("@800200\n-{group}\n")), "{engine}: no group {group}");
        }
        assert!(gtkw.contains("+{valid} bcu.release_valid\n") && gtkw.contains("+{warps} bcu.release_warps[3:0]\n"), "{gtkw}");
        assert!(sucl.contains("divider_add release\n") && sucl.contains("item_rename warps\n"), "{sucl}");
        let id = |name: &str| {
            let line = vcd.lines().find(|l| l.starts_with("$var") && l.split(' ').nth(4) == Some(name)).unwrap();
            line.split(' ').nth(3).unwrap().to_string()
        };
        // The warps of the launch: hidden, then both warps while `valid` is 1, then hidden. The released warps always have a value.
        let (valid, warps) = (id("launch_valid"), id("launch_warps"));
        let changes = vcd.split_once("$dumpvars\n").unwrap().1;
        let of = |id: &str| -> Vec<String> {
            let (vector, bits) = (format!(" {id}"), ["0", "1"].map(|bit| format!("{bit}{id}")));
            let is = |line: &&str| line.ends_with(&vector) || bits.iter().any(|bit| bit == line);
            changes.lines().filter(is).map(|line| line.trim_end_matches(id).trim().to_string()).collect()
        };
        assert_eq!(of(&valid), ["0", "1", "0"], "{engine}");
        assert_eq!(of(&warps), ["bz", "b11", "bz"], "{engine}");
        assert_eq!(of(&id("release_warps")), ["b0", "b11", "b0"], "{engine}");
    }
    let names = std::fs::read_dir(bench.path(".surfer/mappings")).unwrap().count();
    assert!(names > 3, "the names of {names} enums");
}
