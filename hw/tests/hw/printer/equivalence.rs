// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proof, for all inputs and all cycles from power-up, that the printer's text and rust-hdl's text describe the same machine.
//!
//! The units here use nothing that rust-hdl's generator prints wrongly. Yosys joins both texts into one circuit whose outputs report a
//! difference. The model checker of yosys-abc proves that no output ever reports one.

use super::tools::{need, run, Scratch};
use super::{reductions, shapes, states};
use bcu_hw::verilog::{export, Options};
use rust_hdl::prelude::*;

/// Whether the proof succeeds for `stock`, rust-hdl's text (module `top`), and `ours`, the printer's text (module `bcu_unit`).
fn same(name: &str, stock: &str, ours: &str) -> bool {
    need("yosys", "yosys");
    need("yosys-abc", "yosys");
    let scratch = Scratch::new(&format!("equal-{name}"));
    scratch.write("stock.v", stock);
    scratch.write("ours.v", ours);
    scratch.write(
        "join.ys",
        "read_verilog stock.v
prep -flatten -top top
memory_map
opt_clean
rename top gate
design -stash a
read_verilog ours.v
prep -flatten -top bcu_unit
memory_map
opt_clean
rename bcu_unit gold
design -stash b
design -copy-from a -as gate gate
design -copy-from b -as gold gold
miter -equiv -flatten -make_outputs gold gate m
hierarchy -top m
cd m
delete -output w:gold_* w:gate_*
cd ..
setundef -zero
flatten
opt_clean
techmap
dffunmap
opt -fast
dfflegalize -cell $_DFF_P_ 01
abc -g AND -fast
opt_clean
write_aiger -zinit both.aig
",
    );
    run(&scratch, "yosys -q join.ys");
    let log = run(&scratch, "yosys-abc -q 'read_aiger both.aig; strash; scorr; dprove -r; print_status'");
    let (equal, different) =
        (log.contains("Networks are equivalent") || log.contains("UNSATISFIABLE"), log.contains("not equivalent"));
    assert!(equal != different, "the proof gave no answer: {log}");
    equal
}

fn texts<U: Block + Default>() -> (String, String) {
    let mut unit = U::default();
    unit.connect_all();
    check_all(&unit).unwrap();
    let mut stock = ModuleDefines::default();
    unit.accept("top", &mut stock);
    (stock.defines(), export(&unit, &Options::new("unit")).unwrap())
}

fn prove<U: Block + Default>(name: &str) {
    let (stock, ours) = texts::<U>();
    assert!(same(name, &stock, &ours), "{name}: the two texts differ\n{ours}");
}

#[test]
fn a_table_of_counters_is_the_same_machine() {
    prove::<reductions::TabDff<16, 4, 8>>("table");
}

#[test]
fn a_memory_written_by_hand_is_the_same_machine() {
    prove::<reductions::TabLut<4, 4>>("memory");
}

#[test]
fn sixteen_entries_under_one_top_are_the_same_machine() {
    prove::<states::Barriers>("entries");
}

#[test]
fn a_state_machine_is_the_same_machine() {
    prove::<states::Handshake>("handshake");
}

#[test]
fn registers_at_several_depths_are_the_same_machine() {
    prove::<shapes::Depths>("depths");
}

#[test]
fn a_wrong_text_is_refuted() {
    let (stock, ours) = texts::<reductions::TabDff<16, 4, 8>>();
    let wrong = ours.replace("cur + 8'd1", "cur + 8'd2");
    assert_ne!(ours, wrong);
    assert!(!same("wrong", &stock, &wrong));
    let (stock, ours) = texts::<states::Barriers>();
    let wrong = ours.replace("reg [6:0] count_q = 7'd0", "reg [6:0] count_q = 7'd1");
    assert_ne!(ours, wrong);
    assert!(!same("wrong-start", &stock, &wrong));
    // An output of our text that is always 0: with `-ignore_gold_x` and `setundef -zero`, a 0 of `gold` hid each difference.
    let wrong = ours.replace("assign done = is_hit && sum_is_expected;", "assign done = 1'b0;");
    assert!(ours != wrong, "{ours}");
    assert!(!same("wrong-zero", &stock, &wrong));
}
