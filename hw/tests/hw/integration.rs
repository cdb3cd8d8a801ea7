// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The designs of `examples/integration`: each runs and ends with `PASS`, is clean under lint, and fails around a faulty unit. The C header of
//! `bcu_axil` has the register map of `bcu_registers`.

use super::printer::tools::{attempt, run, Scratch};
use bcu_hw::export;
use bcu_hw::verilog::PREFIX;
use bcu_isa::config::{named, Config};
use std::path::{Path, PathBuf};

/// The tops around `simt_core`.
const SIMT: [&str; 6] = ["counted", "simple", "named", "phase", "cta", "unchecked"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// A folder with the export of `named`, and the programs of `simt_core` for its size.
fn folder(name: &str, config: &Config) -> Scratch {
    let scratch = Scratch::new(&format!("integration-{name}-{}", config.name));
    for (file, text) in export::files(config, "named", PREFIX).unwrap() {
        scratch.write(&file, &text);
    }
    let assembler = root().join("examples/integration/simt");
    let sizes = format!("--warps {} --lanes {}", config.warps, config.lanes);
    run(
        &scratch,
        &format!("cd {} && python3 simt_asm.py programs.s {sizes} --output $OLDPWD/programs.hex", assembler.display()),
    );
    scratch
}

/// A bench in `examples/integration`.
struct Bench {
    folder: &'static str,
    top: &'static str,
    /// The macro that selects the front.
    options: String,
}

const SOFT: Bench = Bench { folder: "soft", top: "tb_soft_system", options: String::new() };

/// The bench of the core with a front.
fn simt(front: &str) -> Bench {
    Bench { folder: "simt", top: "tb_simt", options: format!("-DSIMT_{}", front.to_uppercase()) }
}

fn benches() -> impl Iterator<Item = Bench> {
    SIMT.into_iter().map(simt).chain([SOFT])
}

impl Bench {
    /// The arguments of a Verilog tool for the bench around an export in the present folder, whose files come first.
    fn arguments(&self) -> String {
        let (folder, common) = (root().join("examples/integration").join(self.folder), root().join("verilog-out/common"));
        let Bench { top, options, .. } = self;
        format!("-I. -y . -I{0} -y {0} -y {1} {options} {0}/{top}.v bcu_prim.v bcu_named.v", folder.display(), common.display())
    }

    /// The command that builds and runs the bench under Icarus. It must print nothing while it builds.
    fn icarus(&self) -> String {
        let build = format!("rm -f bench; iverilog -g2005 -Wall -o bench -s {} {}", self.top, self.arguments());
        format!("{build} > build.log 2>&1; grep -v timescale build.log; test -x bench && vvp -n bench")
    }
}

/// The number after `name` in the line of a program in the output of a bench of `simt_core`.
fn figure(log: &str, program: &str, name: &str) -> u64 {
    let line = log.lines().find(|line| line.split(' ').next() == Some(program)).unwrap_or_else(|| panic!("{program}:\n{log}"));
    let (_, rest) = line.split_once(&format!(" {name} ")).unwrap_or_else(|| panic!("{name}:\n{log}"));
    rest.split(',').next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{name}:\n{log}"))
}

#[test]
fn the_example_core_runs_its_programs_with_each_front() {
    let page = read("docs/guide/integrate.md");
    // Icarus is slow at the 24 lanes of `odd_sizes`: one front is enough there.
    for (name, fronts) in [("small", &SIMT[..]), ("tiny", &SIMT), ("warp8_bare", &SIMT), ("odd_sizes", &SIMT[2..3])] {
        let scratch = folder("simt", &named(name).unwrap());
        for front in fronts.iter().copied() {
            let log = run(&scratch, &simt(front).icarus());
            assert!(log.lines().any(|line| line == "PASS") && !log.contains("FAIL"), "{front}, {name}:\n{log}");
            // The latency that the header of each top has: no other warp is ready at the last arrival of `reduce`.
            let expected = match front {
                "phase" | "cta" => 1,
                "simple" => 4,
                _ => 3,
            };
            let least = figure(&log, "reduce", "least");
            assert_eq!(least, expected, "{front}, {name}:\n{log}");
            if name == "small" {
                let row = match front {
                    "cta" => ["reduce", "leave"],
                    _ => ["reduce", "produce"],
                };
                let row = row.map(|program| {
                    format!("`{program}` {} in {}", figure(&log, program, "instructions"), figure(&log, program, "cycles"))
                });
                let row = row.join(", ");
                let is_fresh = |line: &str| {
                    line.starts_with(&format!("| `simt_{front}` |")) && line.ends_with(&format!("| {least} | {row} |"))
                };
                assert!(
                    page.lines().any(is_fresh),
                    "docs/guide/integrate.md has other figures of `simt_{front}`; found:\n{log}"
                );
                assert!(front != "named" || page.contains(&log), "docs/guide/integrate.md shows another output than\n{log}");
            }
        }
    }
}

#[test]
fn the_committed_programs_are_those_of_the_source() {
    let scratch = folder("programs", &named("small").unwrap());
    let programs = std::fs::read_to_string(scratch.path.join("programs.hex")).unwrap();
    let stale =
        "examples/integration/simt/programs.hex is stale: run `python3 simt_asm.py programs.s --output programs.hex` there";
    assert!(programs == read("examples/integration/simt/programs.hex"), "{stale}");
}

#[test]
fn a_wrong_program_is_refused_with_its_line() {
    let scratch = Scratch::new("integration-wrong-program");
    for (line, message) in [
        ("  bar.sync 16", "`16` is 16; expected 0 to 15"),
        ("  bar.sync 0, 9", "`9` is 9; expected 0 to 8"),
        ("  add r1, r9, r0", "`r9` is not a register; expected r0 to r7"),
        ("  jump there", "`jump` is not an instruction; expected add,"),
        ("  bra there", "`there` is no constant and no label"),
        ("  st [r1 + ], r2", "`[r1 + ]` is not an address"),
        ("  tid", "`tid` has 0 operands; expected 1"),
    ] {
        scratch.write("wrong.s", &format!("; A comment.\n{line}\n"));
        let assembler = root().join("examples/integration/simt/simt_asm.py");
        let (good, log) = attempt(&scratch, &format!("python3 {} wrong.s --output out.hex", assembler.display()));
        assert!(!good && log.starts_with("wrong.s:2: ") && log.contains(message), "{line}:\n{log}");
    }
}

#[test]
fn soft_cores_meet_at_barriers_on_their_bus() {
    for name in ["small", "tiny"] {
        let scratch = folder("soft", &named(name).unwrap());
        scratch.write("barriers.hex", &read("examples/integration/soft/barriers.hex"));
        let log = run(&scratch, &SOFT.icarus());
        assert!(log.lines().any(|line| line == "PASS") && log.contains("cycles of a barrier"), "{name}:\n{log}");
        let page = read("docs/guide/integrate.md");
        assert!(name != "small" || page.contains(&log), "docs/guide/integrate.md shows another output than\n{log}");
    }
}

/// A unit that ignores the number of warps of a barrier, and one that releases no warp: the benches end with `FAIL`.
#[test]
fn a_faulty_unit_fails_the_examples() {
    let scratch = folder("faulty", &named("small").unwrap());
    scratch.write("barriers.hex", &read("examples/integration/soft/barriers.hex"));
    let named_faults = [
        ("has_count ? row_operands_expected_minus_one", "has_count ? live_warps_live_minus_one"),
        ("released_warps_q <= complete ?", "released_warps_q <= (complete && !complete) ?"),
    ];
    let phase_faults = [
        ("reset ? {WARPS{1'b0}} : unlock_next", "{WARPS{1'b0}}"),
        ("waits_here[w] = waits_q[w] && wait_ids_q[w*IW +: IW] == wake_id", "waits_here[w] = w != 1 && waits_q[w]"),
    ];
    let named_unit = ("bcu_named.v", std::fs::read_to_string(scratch.path.join("bcu_named.v")).unwrap(), named_faults);
    let phase_unit = ("bcu_phase_warps.v", read("verilog-out/common/bcu_phase_warps.v"), phase_faults);
    let cta_faults = [("&& |waiting_mates", "&& |arrives"), ("mates & running & ~of_request", "mates & running & of_request")];
    let cta_unit = ("bcu_cta.v", read("verilog-out/common/bcu_cta.v"), cta_faults);
    let bar_faults = [
        ("is_exit || arrives_all ? live_m1_q : op_size_m1", "live_m1_q"),
        ("      release_warps <= waiting_here;", "      release_warps <= NO_WARPS;"),
    ];
    let bar_unit = ("bcu_bar.v", read("verilog-out/common/bcu_bar.v"), bar_faults);
    for bench in benches() {
        let (file, good, faults) = match bench.options.as_str() {
            "-DSIMT_PHASE" => &phase_unit,
            "-DSIMT_CTA" => &cta_unit,
            "-DSIMT_UNCHECKED" => &bar_unit,
            _ => &named_unit,
        };
        for (text, fault) in faults {
            let faulty = good.replace(text, fault);
            assert!(faulty != *good, "{file} lacks the text that the fault replaces: {text}");
            scratch.write(file, &faulty);
            let log = run(&scratch, &bench.icarus());
            let fails = log.lines().any(|line| line == "FAIL") && !log.contains("PASS");
            assert!(fails, "{} {}, {fault}:\n{log}", bench.top, bench.options);
        }
    }
}

/// Lints each example with its bench. Any warning is a failure.
#[test]
fn verilator_has_nothing_to_say_of_the_examples() {
    for name in ["small", "odd_sizes"] {
        let scratch = folder("lint", &named(name).unwrap());
        scratch.write("barriers.hex", &read("examples/integration/soft/barriers.hex"));
        for bench in benches() {
            let options = format!("--lint-only --timing -Wall -Wpedantic --top-module {} bcu.vlt", bench.top);
            let log = run(&scratch, &format!("verilator {options} {}", bench.arguments()));
            assert!(!log.contains('%'), "{} {}, {name}: {log}", bench.top, bench.options);
        }
    }
}

/// One example also runs under Verilator.
#[test]
fn the_example_core_runs_under_verilator() {
    let scratch = folder("verilator", &named("small").unwrap());
    let options = "--binary --timing --top-module tb_simt --Mdir built -o bench bcu.vlt";
    let log = run(&scratch, &format!("verilator {options} {} > build.log && built/bench", simt("simple").arguments()));
    assert!(log.lines().any(|line| line == "PASS"), "{log}");
}

/// Offset and name of each register in the header of `bcu_registers.v`, with the text of its row: access, fields and meaning.
fn registers() -> Vec<(u32, String, String)> {
    let text = read("verilog-out/common/bcu_registers.v");
    let mut rows: Vec<(u32, String, String)> = vec![];
    for line in text.lines() {
        if let Some((offset, rest)) = line.strip_prefix("//   0x").and_then(|row| row.split_once("  ")) {
            let (name, rest) = rest.split_once(' ').unwrap();
            rows.push((u32::from_str_radix(offset, 16).unwrap(), name.to_string(), rest.to_string()));
        } else if let Some(more) = line.strip_prefix("//").filter(|more| more.starts_with(&" ".repeat(20))) {
            rows.last_mut().unwrap().2 += &format!(" {}", more.trim());
        }
    }
    rows
}

/// Lowest and highest bit of each field in a row of the map: `13:8 warp` or `8: the warp waits`.
fn fields_of_map(row: &str) -> Vec<(u32, u32)> {
    let field = |part: &str| {
        let range = part.trim().split(' ').next()?.trim_end_matches(':').to_string();
        let (high, low) = range.split_once(':').unwrap_or((&range, &range));
        Some((low.parse().ok()?, high.parse().ok()?))
    };
    // `... of warp w: 0 live` and `Warp w arrives: 7:0 barrier id`: the first field follows a colon.
    let first = row.split_once(": ").and_then(|(_, rest)| field(rest.split([',', ';']).next()?));
    let others = row.split([',', ';', '.']).filter_map(|part| field(part.rsplit("  ").next()?));
    let mut found: Vec<(u32, u32)> = vec![];
    for (low, high) in first.into_iter().chain(others) {
        // `23:16 number of warps, 0: all live warps`: a number inside a field before it is a value of a field.
        if !found.iter().any(|(from, to)| *from <= low && high <= *to) {
            found.push((low, high));
        }
    }
    found.sort_unstable();
    found
}

/// Lowest and highest bit of each field of a register in the C header, by its macros `BCU_<register>_<field>`.
fn fields_of_header(header: &str, register: &str) -> Vec<(u32, u32)> {
    let field = |line: &str| {
        let (_, value) = line.strip_prefix(&format!("#define BCU_{register}_"))?.split_once(' ')?;
        let number = |after: &str| value.split_once(after)?.1.trim().split([' ', ')', 'u']).next().map(str::to_string);
        let low: u32 = number("<< ").or_else(|| number(">> "))?.parse().ok()?;
        let width = match number("& 0x") {
            Some(mask) => u32::from_str_radix(&mask, 16).ok()?.count_ones(),
            // A field that is written, such as a count, is not masked.
            None if value.contains("uint32_t") => 8,
            None => 1,
        };
        Some((low, low + width - 1))
    };
    let mut found: Vec<(u32, u32)> = header.lines().filter_map(field).collect();
    found.sort_unstable();
    found
}

#[test]
fn the_c_header_has_the_registers_and_fields_of_the_map() {
    let header = read("examples/integration/soft/bcu_axil.h");
    let offset = |line: &str| {
        let (name, value) = line.strip_prefix("#define BCU_")?.split_once(' ')?;
        let value = value.trim().strip_prefix("0x")?.strip_suffix('u')?;
        (name != "ID_VALUE").then(|| (u32::from_str_radix(value, 16).unwrap(), name.to_string()))
    };
    let in_header: Vec<_> = header.lines().filter_map(offset).collect();
    let map = registers();
    assert_eq!(in_header, map.iter().map(|(at, name, _)| (*at, name.clone())).collect::<Vec<_>>());
    let row = |name: &str| &map.iter().find(|(_, register, _)| register == name).unwrap().2;
    assert!(header.contains("#define BCU_ID_VALUE 0x42435501u") && row("ID").contains("0x42435501"));
    for register in ["SIZES", "STATUS", "CONTROL", "FAULT", "ARRIVE", "WARP"] {
        let (expected, found) = (fields_of_map(row(register)), fields_of_header(&header, register));
        assert!(!expected.is_empty() && found == expected, "{register}: {found:?}; expected {expected:?} of {}", row(register));
    }
    // The page has the bits of WARP by name, from the lowest.
    let bits = row("WARP").split_once("Bits of warp w: ").unwrap().1.trim_end_matches('.');
    for (bit, name) in bits.split(", ").map(|bit| bit.split_once(' ').unwrap()) {
        let line = header.lines().find(|line| line.starts_with(&format!("#define BCU_WARP_{} ", name.to_uppercase())));
        assert!(line.is_some_and(|line| line.ends_with(&format!("(1u << {bit})"))), "{bit} {name}");
    }
}
