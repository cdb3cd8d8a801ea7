// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares exported units with equivalent texts, and with texts that have one functional change.

use super::list;
use super::proof::{prove, Answer};
use crate::circuit::yosys;
use bcu_hw::verilog::PREFIX;
use bcu_hw::{config, export};
use std::fs;
use std::path::{Path, PathBuf};

const SECONDS: u64 = 60;

/// The file of a unit of `tiny`. The unit is exported with its subunits into a subfolder of `folder`.
fn exported(folder: &Path, unit: &str) -> PathBuf {
    let folder = folder.join("exported");
    fs::create_dir(&folder).unwrap();
    let name = unit.trim_start_matches("bcu_");
    let files = export::files(&config::by_name("tiny").unwrap(), name, PREFIX).unwrap();
    let primitives: String =
        files.iter().filter(|(file, _)| file.ends_with("_prim.v")).map(|(_, text)| text.as_str()).collect();
    for (file, text) in files {
        // A test reads the file of a unit alone.
        let is_unit = file == format!("{unit}.v");
        fs::write(folder.join(file), if is_unit { text + &primitives } else { text }).unwrap();
    }
    folder.join(format!("{unit}.v"))
}

/// The text with `from` replaced by `to`; `from` must occur exactly once.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}`: expected exactly one occurrence");
    text.replace(from, to)
}

fn ask(folder: &Path, unit: &str, old: &Path, text: &str) -> Answer {
    let new = folder.join("changed.v");
    fs::write(&new, text).unwrap();
    prove(&folder.join("work"), unit, &[], &[old.to_path_buf(), new], SECONDS).unwrap()
}

#[test]
fn a_unit_in_other_words_is_equal() {
    for unit in ["bcu_deadlock_detector", "bcu_mem_order"] {
        let folder = tempfile::tempdir().unwrap();
        let flat = "proc\nflatten\nopt -full -keepdc\nmemory_collect\nopt_clean\nrename -hide */w:*";
        let file = exported(folder.path(), unit);
        let script =
            format!("read_verilog \"{}\"\nhierarchy -top {unit}\n{flat}\nwrite_verilog -noattr flat.v\n", file.display());
        yosys(folder.path(), "flat", &script).unwrap();
        let flat = fs::read_to_string(folder.path().join("flat.v")).unwrap();
        assert_eq!(flat.matches("endmodule").count(), 1);
        for text in [fs::read_to_string(&file).unwrap(), flat] {
            let answer = ask(folder.path(), unit, &file, &text);
            assert!(matches!(answer, Answer::Equal), "{unit}: {answer:?}");
        }
    }
}

#[test]
fn one_thing_changed_is_found() {
    let faults = [
        ("bcu_deadlock_detector", "live_warp_read & !stalled[seen_warp]", "live_warp_read | !stalled[seen_warp]"),
        ("bcu_deadlock_detector", "live_warp_read & !stalled[seen_warp]", "live_warp_read & !stalled[~seen_warp]"),
        ("bcu_deadlock_detector", "OpKind_Release = 4'd7", "OpKind_Release = 4'd6"),
        ("bcu_mem_order", "(head_op_waits_for_accesses & busy)", "(head_op_waits_for_accesses | busy)"),
    ];
    for (unit, from, to) in faults {
        let folder = tempfile::tempdir().unwrap();
        let file = exported(folder.path(), unit);
        let text = changed(&fs::read_to_string(&file).unwrap(), from, to);
        let Answer::Differs(how) = ask(folder.path(), unit, &file, &text) else { panic!("{unit}: `{to}` is not found") };
        assert!(how.contains("cycle"), "{how}");
    }
}

#[test]
fn other_ports_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = exported(folder.path(), "bcu_deadlock_detector");
    let text = changed(&fs::read_to_string(&file).unwrap(), "input  wire [3:0] stalled,", "input  wire [4:0] stalled,");
    let answer = ask(folder.path(), "bcu_deadlock_detector", &file, &text);
    let Answer::Differs(how) = answer else { panic!("{answer:?}") };
    assert!(how.contains("stalled (old: input of 4 bits, new: input of 5 bits)"), "{how}");
}

#[test]
fn the_units_inside_another_are_compared_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = exported(folder.path(), "bcu");
    let parts: Vec<String> = bcu_isa::units::parts().map(|part| format!("bcu_{part}")).collect();
    let answer = |unit: &str, from: &str, to: &str| {
        let new = folder.path().join(unit);
        fs::create_dir(&new).unwrap();
        for entry in fs::read_dir(file.parent().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, new.join(path.file_name().unwrap())).unwrap();
        }
        let changes = new.join(format!("{unit}.v"));
        fs::write(&changes, changed(&fs::read_to_string(&changes).unwrap(), from, to)).unwrap();
        prove(&folder.path().join("work"), "bcu", &parts, &[file.clone(), new.join("bcu.v")], SECONDS).unwrap()
    };
    let inside =
        answer("bcu_deadlock_detector", "live_warp_read & !stalled[seen_warp]", "live_warp_read | !stalled[seen_warp]");
    assert!(matches!(inside, Answer::Equal), "{inside:?}");
    let outside = answer("bcu", "decoded_op_ready = gather_takes & !cta_op_valid;", "decoded_op_ready = gather_takes;");
    assert!(matches!(outside, Answer::Differs(_)), "{outside:?}");
}

/// A module around `text`. The texts of the test below declare one memory of 2-bit words, or two
/// memories of 1-bit words with other names.
fn memories(text: &str) -> String {
    format!(
        "module unit (input wire clock, input wire write, input wire [1:0] place, input wire [1:0] value, output reg [1:0] shown);\n\
         {text}\nendmodule\n"
    )
}

#[test]
fn the_words_of_memories_may_be_put_together_another_way() {
    let folder = tempfile::tempdir().unwrap();
    let one = "reg [1:0] words [0:3];\n\
               always @(posedge clock) begin if (write) words[place] <= value; shown <= words[place]; end";
    let two = "reg low [0:3]; reg high [0:3];\n\
               always @(posedge clock) begin if (write) high[place] <= value[1]; shown <= {high[place], low[place]}; end\n\
               always @(posedge clock) if (write) low[place] <= value[0];";
    let file = folder.path().join("old.v");
    fs::write(&file, memories(one)).unwrap();
    let answer = ask(folder.path(), "unit", &file, &memories(two));
    assert!(matches!(answer, Answer::Equal), "{answer:?}");
    let answer =
        ask(folder.path(), "unit", &file, &memories(&changed(two, "low[place] <= value[0]", "low[place] <= value[1]")));
    assert!(matches!(answer, Answer::Differs(_)), "{answer:?}");
    let falling = changed(one, "always @(posedge clock)", "always @(negedge clock)");
    fs::write(folder.path().join("changed.v"), memories(&falling)).unwrap();
    let error = prove(&folder.path().join("work"), "unit", &[], &[file, folder.path().join("changed.v")], SECONDS).unwrap_err();
    assert!(format!("{error:#}").contains("rising edge"), "{error:#}");
}

#[test]
fn benches_and_what_stands_around_the_exports_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    exported(folder.path(), "bcu_named");
    fs::create_dir(folder.path().join("common")).unwrap();
    fs::write(folder.path().join("common/bcu_simple.v"), "").unwrap();
    assert!(folder.path().join("exported/example_bcu_named.v").is_file());
    assert_eq!(list(folder.path(), false).unwrap(), ["exported".to_string()].into());
    assert_eq!(list(&folder.path().join("exported"), true).unwrap(), ["bcu_named".to_string()].into());
}
