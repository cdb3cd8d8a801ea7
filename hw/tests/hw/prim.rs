// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parameterised modules of `bcu_prim.v` equal the Rust blocks that they replace, at every size of the named configurations.
//!
//! For each size, Yosys joins the text that the printer makes of the Rust block and an instance of the module to one circuit, whose output
//! reports a difference of their outputs. The model checker of yosys-abc proves that it never does: for all inputs and all cycles from
//! registers and words of 0 on. A memory is compared up to [`BITS`] bits: its text depends on the size only in two ranges.

use super::printer::tools::{attempt, need, run, Scratch};
use bcu_hw::export;
use bcu_hw::verilog::{primitives, Case, Reset, LOGIC, PART, PREFIX};
use bcu_hw::{catalog, config};
use bcu_isa::config::NAMED;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::OnceLock;

/// Largest memory that is compared, in bits.
const BITS: usize = 1024;

/// The kinds of primitives.
const KINDS: [&str; 9] = ["buffer", "fifo", "queue", "ram", "ring", "round_robin", "spread", "store", "strobe_register"];

/// The sizes of a kind: parameters, and ports as (declaration, name).
type Shape = (Vec<(String, usize)>, Vec<(String, String)>);

/// The primitives of all named configurations, by kind and size.
fn cases() -> &'static BTreeMap<String, BTreeMap<Shape, Case>> {
    static CASES: OnceLock<BTreeMap<String, BTreeMap<Shape, Case>>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut found: BTreeMap<String, BTreeMap<Shape, Case>> = BTreeMap::new();
        for config in NAMED.iter().map(|(name, _)| config::by_name(name).unwrap()) {
            let unit = catalog::build(&config, catalog::outermost(&config)).unwrap();
            for case in primitives(unit.block(), PREFIX).unwrap() {
                found.entry(case.kind.clone()).or_default().insert((case.parameters.clone(), case.ports.clone()), case);
            }
        }
        found
    })
}

fn parameter(case: &Case, name: &str) -> usize {
    case.parameters.iter().find(|(parameter, _)| parameter == name).map_or(0, |(_, value)| *value)
}

/// Whether the case is small enough for a proof.
fn is_compared(case: &Case) -> bool {
    parameter(case, "WIDTH") << parameter(case, "ADDRESS_BITS") <= BITS
}

/// A module `name` with an instance of `part` of each case, and all their ports.
fn joined(cases: &[&Case], name: &str, part: &str) -> String {
    let (mut ports, mut instances) = ("input wire clock".to_string(), String::new());
    for (at, case) in cases.iter().enumerate() {
        let mut pins = ".clock(clock)".to_string();
        for (declaration, port) in &case.ports {
            let declaration = declaration.replace(" reg ", " wire ");
            let _ = write!(ports, ", {declaration}c{at}_{port}");
            let _ = write!(pins, ", .{port}(c{at}_{port})");
        }
        let _ = writeln!(instances, "  {part}_{at} part_{at} ({pins});");
    }
    format!("module {name} ({ports});\n{instances}endmodule\n")
}

/// Whether the proof succeeds for all cases, with `modules` as the text of `bcu_prim.v`.
fn equal(name: &str, cases: &[&Case], modules: &str) -> bool {
    need("yosys", "yosys");
    need("yosys-abc", "yosys");
    let scratch = Scratch::new(&format!("prim-{name}"));
    let of_all = |part: &str, text: fn(&Case) -> &str| {
        let texts = cases.iter().enumerate().map(|(at, case)| text(case).replace(part, &format!("{part}_{at}")));
        texts.collect::<String>()
    };
    scratch.write("logic.v", &(of_all(LOGIC, |case| &case.logic) + &joined(cases, "logic_all", LOGIC)));
    scratch.write("part.v", &(modules.to_string() + &of_all(PART, |case| &case.part) + &joined(cases, "part_all", PART)));
    let side = |file: &str, top: &str, name: &str| {
        format!(
            "read_verilog {file}\nprep -flatten -top {top}\nmemory_map\nzinit -all\nopt_clean\nrename {top} {name}\ndesign -stash {name}\n"
        )
    };
    scratch.write(
        "join.ys",
        &format!(
            "{}{}design -copy-from gate -as gate gate
design -copy-from gold -as gold gold
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
            side("part.v", "part_all", "gate"),
            side("logic.v", "logic_all", "gold")
        ),
    );
    run(&scratch, "yosys -q join.ys");
    let log = run(&scratch, "yosys-abc -q 'read_aiger both.aig; strash; scorr; dprove -r; print_status'");
    let proved = log.contains("Networks are equivalent") || log.contains("UNSATISFIABLE");
    let refuted = log.contains("not equivalent") || log.contains("SATISFIABLE") && !log.contains("UNSATISFIABLE");
    assert!(proved != refuted, "{name}: the proof gave no answer: {log}");
    proved
}

/// Proves all sizes of a kind; names the first that differs.
fn prove(kind: &str) {
    let cases: Vec<&Case> = cases()[kind].values().filter(|case| is_compared(case)).collect();
    assert!(!cases.is_empty(), "{kind}");
    let modules = export::primitives(Reset::default());
    if !equal(kind, &cases, &modules) {
        for case in cases {
            assert!(
                equal(&format!("{kind}-alone"), &[case], &modules),
                "bcu_prim_{kind} {:?} differs from\n{}",
                case.parameters,
                case.logic
            );
        }
        panic!("bcu_prim_{kind}: all sizes together differ, and none alone");
    }
}

macro_rules! each_kind {
    ($($kind:ident)*) => {
        mod every_size_equals_the_block {
            $(#[test]
            fn $kind() {
                super::prove(stringify!($kind));
            })*
        }

        #[test]
        fn every_kind_has_a_proof() {
            assert_eq!(cases().keys().map(String::as_str).collect::<Vec<_>>(), [$(stringify!($kind)),*]);
            assert_eq!(KINDS, [$(stringify!($kind)),*]);
        }
    };
}

each_kind! { buffer fifo queue ram ring round_robin spread store strobe_register }

/// The memories that are too large for a proof differ from a compared one only in their sizes, and both ranges of sizes have a compared one.
#[test]
fn memories_of_both_ranges_are_compared() {
    let small = |case: &&Case| parameter(case, "ADDRESS_BITS") <= 5;
    let compared: Vec<&Case> = cases()["ram"].values().filter(|case| is_compared(case)).collect();
    assert!(compared.iter().any(small) && compared.iter().any(|case| !small(case)));
    let forms: BTreeSet<String> = cases()["ram"].values().map(without_numbers).collect();
    assert_eq!(forms.len(), 1, "{forms:#?}");
}

/// The text of the block of a case with `0` in place of each number.
fn without_numbers(case: &Case) -> String {
    let mut text = String::new();
    for letter in case.logic.replace("1'bx", "x").chars() {
        match letter.is_ascii_digit() {
            true if text.ends_with('0') => {}
            true => text.push('0'),
            false => text.push(letter),
        }
    }
    // The range of a single bit is omitted.
    text.replace("[0:0] ", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A fault in each module, which the proof of its kind refutes.
const FAULTS: [(&str, &str, &str); 9] = [
    ("buffer", "full_q ? !out_ready : in_valid", "full_q ? out_ready : in_valid"),
    ("fifo", "tail_address_q - head_address_q", "head_address_q - tail_address_q"),
    ("queue", "if (pushed[i]) values", "if (pushed[i] && !pop) values"),
    ("ram", "if (read) word <= words[read_address];", "word <= words[read_address];"),
    ("ring", "head_index_q == 2'd3 ? values_3_q", "head_index_q == 2'd3 ? values_2_q"),
    ("round_robin", "grant_taken && |request", "grant_taken"),
    ("spread", "|(bits & select_value)", "&(bits | ~select_value)"),
    ("store", "word <= words[read_address];", "word <= write ? write_value : words[read_address];"),
    ("strobe_register", "else valid_q <= in_valid", "else valid_q <= in_valid | valid_q"),
];

#[test]
fn a_fault_in_a_module_is_refuted() {
    let modules = export::primitives(Reset::default());
    assert_eq!(FAULTS.map(|(kind, ..)| kind), KINDS);
    for (kind, right, wrong) in FAULTS {
        // A fault in one module must be found by the proof of its kind, so the other modules stay right.
        let begin = modules.find(&format!("module bcu_prim_{kind} ")).unwrap();
        let (before, module) = modules.split_at(begin);
        let end = module.find("endmodule").unwrap();
        assert!(module[..end].contains(right), "bcu_prim_{kind} lacks `{right}`");
        let faulty = format!("{before}{}{}", module[..end].replace(right, wrong), &module[end..]);
        let small = cases()[kind].values().filter(|case| is_compared(case)).min_by_key(|case| case.logic.len()).unwrap();
        assert!(!equal(&format!("{kind}-fault"), &[small], &faulty), "bcu_prim_{kind}: `{wrong}` is not found");
    }
}

/// A memory of the user, in place of the one of `bcu_prim.v`.
const RAM: &str = "module my_ram #(parameter WIDTH = 1, parameter ADDRESS_BITS = 1) (
  input wire clock, input wire write, input wire [ADDRESS_BITS-1:0] write_address, input wire [WIDTH-1:0] write_value,
  input wire read, input wire [ADDRESS_BITS-1:0] read_address, output reg [WIDTH-1:0] read_value);
  reg [WIDTH-1:0] mine [0:(1 << ADDRESS_BITS)-1];
  always @(posedge clock) begin
    if (write) mine[write_address] <= write_value;
    if (read) read_value <= WRONG;
  end
endmodule
";

#[test]
fn the_memory_of_a_user_takes_the_place_of_every_memory() {
    need("iverilog", "iverilog");
    let scratch = Scratch::new("prim-user");
    for (file, text) in export::files(&config::by_name("tiny").unwrap(), "named", PREFIX).unwrap() {
        scratch.write(&file, &text);
    }
    for (word, passes) in [("mine[read_address]", true), ("~mine[read_address]", false)] {
        scratch.write("my_ram.v", &RAM.replace("WRONG", word));
        let files = "example_bcu_named.v my_ram.v bcu_prim.v bcu_named.v";
        let compile = "iverilog -g2005 -DBCU_RAM_MODULE=my_ram -o bench -s example_bcu_named";
        let (_, log) = attempt(&scratch, &format!("{compile} {files} && timeout 60 vvp -n bench"));
        assert_eq!(log.contains("PASS"), passes, "{word}: {log}");
    }
}

/// The style of a memory depends on its number of words, unless a macro states one for all.
#[test]
fn memories_have_the_style_of_their_depth_or_of_the_macro() {
    let scratch = Scratch::new("prim-style");
    for (define, small, large) in [
        ("", "distributed", "block"),
        ("`define BCU_BLOCK_RAM\n", "block", "block"),
        ("`define BCU_DISTRIBUTED_RAM\n", "distributed", "distributed"),
        ("`define BCU_RAM_STYLE \"huge\"\n", "huge", "huge"),
    ] {
        scratch.write("bcu_prim.v", &format!("{define}{}", export::primitives(Reset::default())));
        for (address_bits, style) in [(1, small), (5, small), (6, large), (9, large)] {
            let top = format!("hierarchy -top bcu_prim_ram -chparam ADDRESS_BITS {address_bits} -chparam WIDTH 7");
            let script = format!("read_verilog bcu_prim.v; {top}; proc; memory_collect; write_rtlil out.il");
            let (good, log) = attempt(&scratch, &format!("yosys -q -p '{script}'"));
            assert!(good, "{log}");
            let text = std::fs::read_to_string(scratch.path.join("out.il")).unwrap();
            let found: Vec<&str> = text.lines().filter(|line| line.contains("attribute \\ram_style")).collect();
            assert!(
                !found.is_empty() && found.iter().all(|line| line.ends_with(&format!("\"{style}\""))),
                "{define}: {found:?}"
            );
        }
    }
}
