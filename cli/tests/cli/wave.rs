// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu run --wave`: the viewers' files agree with the report and with the waveform itself.

use crate::common::{Bench, HANG};
use serde_json::Value;

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
    let rows: Vec<&str> = gtkw.lines().filter(|line| line.starts_with("+{")).collect();
    assert!(rows.len() <= 4 && rows[0].starts_with("+{cta0:w0 +") && rows[0].ends_with("} program.warp_0"), "{rows:?}");
    // In a warp slot, the text of each later warp begins with the warp's name.
    assert!(vcd.contains("scta4.w1:\\040B0\\040l.3\\040BAR.SYNC\\0400x0 "), "no wait of cta4.w1");
    let bench = Bench::new();
    bench.file("p.bcu", ".cta_warps 2\nBAR.SYNC 0x0\n").file("m.toml", "[[cta]]\ncount = 1\n");
    assert_eq!(bench.run("run p.bcu --config tiny --machine m.toml --wave w.vcd").code, 0);
    assert_eq!(bench.text("w.gtkw").matches("\n+{").count(), 2);
}
