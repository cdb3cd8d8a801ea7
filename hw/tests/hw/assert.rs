// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The checkers of the exports: each rule has a case that breaks it. A checker that is bound to a correctly used unit prints no message.

use super::printer::tools::{attempt, run, Scratch};
use bcu_hw::export::assert::{rules, Rule};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, export};
use bcu_isa::config::{named, Config};
use bcu_isa::ports::Port;
use bcu_isa::units::{SEVERAL, UNITS, WHOLE};
use std::fmt::Write as _;

/// A folder with the whole export of a configuration.
fn exported(name: &str, config: &Config) -> Scratch {
    let scratch = Scratch::new(name);
    let whole = if catalog::built(config).any(|unit| unit == SEVERAL) { SEVERAL } else { WHOLE };
    for (file, text) in export::files(config, whole, PREFIX).unwrap() {
        scratch.write(&file, &text);
    }
    scratch
}

/// A bench that applies the case of each rule to the checker alone, and prints `quiet` for a rule that its case does not break.
fn cases(checker: &str, ports: &[Port], rules: &[Rule]) -> String {
    let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    let connections: Vec<String> = names.iter().map(|name| format!(".{name}({name})")).collect();
    let zero: String = names.iter().map(|name| format!("{name} = 0; ")).collect();
    let mut text =
        format!("module cases;\n  reg clock;\n  wire [{}:0] broken;\n  reg fired;\n  integer rule;\n", rules.len() - 1);
    ports.iter().for_each(|port| writeln!(text, "  reg [{}:0] {};", port.width - 1, port.name).unwrap());
    writeln!(text, "  {checker} checker_ (.clock(clock), {}, .broken(broken));", connections.join(", ")).unwrap();
    writeln!(text, "  task step; begin #4 if (broken[rule]) fired = 1; #1 clock = 1; #5 clock = 0; end endtask").unwrap();
    writeln!(text, "  task zero; begin {zero}end endtask\n  initial begin\n    clock = 0;").unwrap();
    for (at, rule) in rules.iter().enumerate() {
        writeln!(text, "    rule = {at}; fired = 0; zero; reset = 1; step;").unwrap();
        for cycle in &rule.case {
            let given: String = cycle.iter().map(|(port, value)| format!("{port} = {value}; ")).collect();
            writeln!(text, "    zero; {given}step;").unwrap();
        }
        writeln!(text, "    if (!fired) $display(\"quiet: {}\");", rule.name).unwrap();
    }
    text + "    $display(\"end\");\n  end\nendmodule\n"
}

/// Checks every rule of every unit, in configurations that have all units and port widths of every kind.
#[test]
fn each_rule_has_a_case_that_breaks_it_and_a_message() {
    let mut missing_units: Vec<&str> = UNITS.to_vec();
    for name in ["small", "odd_sizes", "intel_tiny"] {
        let config = named(name).unwrap();
        let scratch = exported(&format!("assert-{name}"), &config);
        for unit in catalog::built(&config) {
            missing_units.retain(|unit_left| *unit_left != unit);
            let ports = catalog::build(&config, unit).unwrap().ports();
            let (_, rules) = rules(unit, &ports, config.warps);
            let checker = export::assert::module(PREFIX, unit);
            run(&scratch, &format!("verilator --lint-only -Wall -I. --top-module {checker} {checker}.v"));
            scratch.write(&format!("cases_{unit}.v"), &cases(&checker, &ports, &rules));
            let log =
                run(&scratch, &format!("iverilog -g2005 -I . -o cases -s cases cases_{unit}.v {checker}.v && vvp -n cases"));
            assert!(log.trim_end().ends_with("end") && !log.contains("quiet: "), "{unit} at {name}:\n{log}");
            for Rule { name: rule, message, .. } in &rules {
                let begins = message.split('%').next().unwrap_or_default();
                assert!(log.contains(begins), "{unit} at {name}, {rule}: no message `{begins}`:\n{log}");
            }
        }
    }
    assert!(missing_units.is_empty(), "add a configuration to this test that has the units {missing_units:?}");
}

/// The example bench uses `named` correctly and has assertions enabled; a broken rule ends the simulation.
#[test]
fn bound_by_verilator_the_checkers_are_silent_for_a_user_who_keeps_the_contract_and_stop_another() {
    let scratch = exported("assert-bound", &named("small").unwrap());
    let sources = "bcu_prim.v bcu_named.v bcu_named_assert.v";
    scratch.write("bind.sv", "bind bcu_named bcu_named_assert #(.STOP(0)) promises (.broken(), .*);\n");
    let bench = std::fs::read_to_string(scratch.path.join("example_bcu_named.v")).unwrap();
    let misuse = bench.replacen("send(`BCU_OP_LAUNCH, 0, 4'd0, 12'd0);", "send(`BCU_OP_SYNC, 0, 4'd0, 12'd0);", 1);
    assert_ne!(bench, misuse);
    scratch.write("misuse.v", &misuse);
    let verilated = |bench: &str| {
        let options = "--binary --timing --assert -DBCU_ASSERT -Wno-fatal -I. --top example_bcu_named";
        format!(
            "verilator {options} --Mdir {bench}.d {bench} {sources} bind.sv > {bench}.log 2>&1 && {bench}.d/Vexample_bcu_named"
        )
    };
    let log = run(&scratch, &verilated("example_bcu_named.v"));
    assert!(log.contains("PASS") && !log.contains("the user of") && !log.contains("Assertion"), "{log}");
    let (passed, log) = attempt(&scratch, &verilated("misuse.v"));
    assert!(!passed, "{log}");
    assert!(log.contains("not_launched") || log.contains("which is not launched"), "{log}");
}
