// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs Verilog under Icarus, which starts at time 0 and has four-state values. No other simulator of this crate reports `x` and `z` at
//! outputs. With the macro `BCU_UNKNOWN_COLLISIONS`, the value of a memory word that is read and written in the same cycle is `x`.

use super::{create, cycles_of, run, scratch, write, CosimError, Design, Simulator};
use bcu_isa::ports::Dir;
use std::path::Path;
use std::process::Command;

/// The recorded outputs: one entry per cycle and output port, in port order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FourState {
    /// The bits that are 1.
    pub ones: Vec<u64>,
    /// The bits that are `x` or `z`; they are 0 in `ones`.
    pub unknown: Vec<u64>,
}

/// Replays a recorded stimulus of one value per input port and cycle. The run has a separate folder below `directory`, which is removed
/// after success and kept after a failure.
pub fn replay(design: &Design, inputs: &[u64], directory: &Path) -> Result<FourState, CosimError> {
    design.check()?;
    let ports = design.ports(Dir::In).count();
    let cycles = cycles_of(inputs.len(), ports)?;
    let work = scratch(&directory.join(format!("icarus-{}", design.top)));
    create(&work)?;
    let system = outside_of_packages(&design.text);
    write(&work.join("design.v"), system.as_ref().unwrap_or(&design.text))?;
    write(&work.join("bench.v"), &bench(design, cycles))?;
    write(&work.join("stimulus.hex"), &stimulus(design, inputs, ports))?;
    let mut compile = Command::new("iverilog");
    compile.args([
        "-DBCU_UNKNOWN_COLLISIONS",
        if system.is_some() { "-g2012" } else { "-g2005" },
        "-Wall",
        "-Wno-timescale",
        "-s",
        "bcu_bench",
        "-o",
        "bench.vvp",
        "design.v",
        "bench.v",
    ]);
    run(&mut compile, Simulator::Icarus.packages(), &work)?;
    run(Command::new("vvp").args(["-n", "bench.vvp"]), Simulator::Icarus.packages(), &work)?;
    let path = work.join("outputs.txt");
    let text =
        std::fs::read_to_string(&path).map_err(|source| CosimError::File { what: "read", path: path.clone(), source })?;
    let samples = parse(design, &text, cycles).map_err(|why| CosimError::Output { path, why })?;
    std::fs::remove_dir_all(&work).map_err(|source| CosimError::File { what: "remove", path: work, source })?;
    Ok(samples)
}

/// SystemVerilog with the types of its packages outside of them, because Icarus 11 stops at a port with a type of a package. `None`: the
/// text has no package.
fn outside_of_packages(text: &str) -> Option<String> {
    let name = |line: &str| line.strip_prefix("package ").and_then(|rest| rest.strip_suffix(';')).map(str::to_string);
    let packages: Vec<String> = text.lines().filter_map(name).collect();
    let mut text = text.to_string();
    for package in &packages {
        text = text.replace(&format!("package {package};\n"), "").replace(&format!("{package}::"), "");
    }
    (!packages.is_empty()).then(|| text.replace("\nendpackage\n", "\n"))
}

/// Testbench text: reads one vector of all inputs per cycle, and writes one binary vector of all outputs just before the rising edge.
fn bench(design: &Design, cycles: usize) -> String {
    let bits = |dir| design.ports(dir).map(|p| p.width).sum::<usize>();
    let list = |dir| design.ports(dir).map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
    let declare =
        |dir, kind| design.ports(dir).map(|p| format!("  {kind} [{}:0] {};\n", p.width - 1, p.name)).collect::<String>();
    let pins: String = design.ports.iter().map(|p| format!(", .{0}({0})", p.name)).collect();
    format!(
        r#"`timescale 1ns/1ps
module bcu_bench;
  reg clock;
  reg [{top}:0] stimulus [0:{last}];
  integer cycle;
  integer file;
{inputs}{outputs}  {name} dut (.clock(clock){pins});
  initial begin
    file = $fopen("outputs.txt", "w");
    $readmemh("stimulus.hex", stimulus);
    for (cycle = 0; cycle < {cycles}; cycle = cycle + 1) begin
      clock = 0;
      {{{driven}}} = stimulus[cycle];
      #4 $fdisplay(file, "%b", {{{sampled}}});
      #1 clock = 1;
      #5;
    end
    $fclose(file);
    $finish;
  end
endmodule
"#,
        top = bits(Dir::In) - 1,
        last = cycles.max(1) - 1,
        inputs = declare(Dir::In, "reg"),
        outputs = declare(Dir::Out, "wire"),
        name = design.top,
        driven = list(Dir::In),
        sampled = list(Dir::Out),
    )
}

/// Stimulus text: one line per cycle, all inputs as one hexadecimal number, the first port in the highest bits.
fn stimulus(design: &Design, inputs: &[u64], ports: usize) -> String {
    let widths: Vec<usize> = design.ports(Dir::In).map(|p| p.width).collect();
    let total: usize = widths.iter().sum();
    let mut text = String::new();
    for row in inputs.chunks_exact(ports) {
        let mut bits = vec![false; (4 - total % 4) % 4];
        for (value, width) in row.iter().zip(&widths) {
            bits.extend((0..*width).rev().map(|b| value >> b & 1 != 0));
        }
        for nibble in bits.chunks_exact(4) {
            let digit = nibble.iter().fold(0u32, |d, b| d << 1 | *b as u32);
            text.extend(char::from_digit(digit, 16));
        }
        text.push('\n');
    }
    text
}

fn parse(design: &Design, text: &str, cycles: usize) -> Result<FourState, String> {
    let widths: Vec<usize> = design.ports(Dir::Out).map(|p| p.width).collect();
    let total: usize = widths.iter().sum();
    let mut samples = FourState::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim().as_bytes();
        if line.len() != total {
            return Err(format!("line {}: {} bits, expected {total}", number + 1, line.len()));
        }
        let mut remaining_line = line;
        for width in &widths {
            let (field, tail) = remaining_line.split_at(*width);
            remaining_line = tail;
            let bits = |wanted: &[u8]| field.iter().fold(0u64, |v, b| v << 1 | wanted.contains(b) as u64);
            samples.ones.push(bits(b"1"));
            samples.unknown.push(bits(b"xXzZ"));
        }
    }
    match samples.ones.len() == cycles * widths.len() {
        true => Ok(samples),
        false => Err(format!("{} cycles, expected {cycles}", samples.ones.len() / widths.len().max(1))),
    }
}
