// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Verilog-2005 and the SystemVerilog of a unit are the same machine: yosys-abc proves that for all inputs and all cycles from the
//! initial value 0 of all registers the outputs are equal.

use super::printer::tools::{need, run, Scratch};
use bcu_hw::config;
use bcu_hw::export::{files_with, Dialect, Style};
use bcu_hw::verilog::PREFIX;

/// Writes the export of a unit in both languages: the Verilog into `v_` files, the SystemVerilog into `sv_` files.
fn export(scratch: &Scratch, unit: &str, change: impl Fn(&str) -> String) {
    let config = config::by_name("small").unwrap();
    for (dialect, mark) in [(Dialect::Verilog2005, "v_"), (Dialect::SystemVerilog, "sv_")] {
        for (name, text) in files_with(&config, unit, PREFIX, Style { dialect, ..Style::default() }).unwrap() {
            let text = if name.ends_with(".sv") { change(&text) } else { text };
            scratch.write(&format!("{mark}{name}"), &text);
        }
    }
}

/// Whether the two texts of the unit are proved equal; otherwise the output of the prover.
fn compare(scratch: &Scratch, unit: &str) -> Result<(), String> {
    let top = format!("{PREFIX}_{unit}");
    let netlist = |name: &str, read: &str| {
        format!(
            "{read}; hierarchy -check -top {top}; proc; flatten; opt_expr; opt_clean; memory -nordff; opt_clean; \
             setundef -undriven -zero; opt -fast; rename {top} {name}; design -stash {name}; "
        )
    };
    // A unit without memories and queues has no primitives.
    let primitives = |mark: &str| {
        let file = format!("{mark}{PREFIX}_prim.v");
        if scratch.path.join(&file).is_file() {
            file + " "
        } else {
            String::new()
        }
    };
    let script = netlist("gold", &format!("read_verilog {}v_{top}.v", primitives("v_")))
        + &netlist("gate", &format!("read_verilog -sv sv_{PREFIX}_pkg.sv {}sv_{top}.sv", primitives("sv_")))
        + "design -copy-from gold -as gold gold; design -copy-from gate -as gate gate; miter -equiv -flatten gold gate miter; \
           hierarchy -top miter; techmap; setundef -zero; opt -full; dffunmap; opt_clean; simplemap; aigmap; zinit -all; \
           write_aiger -zinit both.aig";
    run(scratch, &format!("yosys -q -p '{script}'"));
    let log = run(scratch, "yosys-abc -q 'read_aiger both.aig; strash; orpos; dprove'");
    if log.contains("Networks are equivalent") {
        Ok(())
    } else {
        Err(log)
    }
}

#[test]
fn both_languages_are_the_same_machine() {
    need("yosys-abc", "yosys");
    for unit in ["named", "decode", "cta_table", "cluster"] {
        let scratch = Scratch::new(&format!("dialects-{unit}"));
        export(&scratch, unit, str::to_string);
        assert_eq!(compare(&scratch, unit), Ok(()), "{unit}");
    }
}

#[test]
fn another_machine_is_refuted() {
    need("yosys-abc", "yosys");
    let scratch = Scratch::new("dialects-other");
    export(&scratch, "cta_table", |text| text.replacen(" && ", " || ", 1));
    assert!(compare(&scratch, "cta_table").is_err());
}
