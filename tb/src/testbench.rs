// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generates `tb_bcu_<unit>.v` and `.hex`: a Verilog bench that plays random operations at a unit's ports. The bench compares each output
//! with the model's output, in every cycle in which the output is significant.
//!
//! The bench needs only a Verilog simulator and no part of this project: it is an acceptance test of an export, or of an edited export.

use crate::legal;
use crate::lockstep::units::{shape, BenchError};
use crate::lockstep::{record, Recording};
use crate::stimulus::for_unit;
use bcu_hw::catalog;
use bcu_hw::export::assert::module as checker;
use bcu_hw::export::port_text::{condition, range};
use bcu_hw::export::set::MARK;
use bcu_hw::verilog::module_name;
use bcu_isa::config::Config;
use bcu_isa::ports::{Dir, Port};
use bcu_model::{by_name, Sizes};
use std::fmt::Write as _;

/// The stimulus of a bench: `runs` runs of `cycles` cycles each, with consecutive seeds from `seed` on. Each run begins with a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Play {
    pub seed: u64,
    pub runs: usize,
    pub cycles: usize,
    /// Whether a legal user drives the unit; otherwise the stimulus includes misuse.
    pub legal: bool,
}

impl Play {
    /// The default stimulus of a unit's bench. This stimulus finds every fault of the unit in `tb/faults.toml`, and 95 of 100 random faults
    /// (`docs/evidence/verification.md` has the curves). Many short runs find more faults than a few long runs.
    pub fn usual(unit: &str) -> Play {
        let (seed, runs) = match unit {
            "cta_table" => (28, 30),
            "decode" => (60, 40),
            "gather" => (541, 50),
            "mem_order" => (0, 30),
            "named" => (440, 60),
            "gateway" => (119, 50),
            "mbarrier" => (610, 70),
            "cluster" => (71, 20),
            "cluster_hub" => (0, 80),
            "grid" => (0, 30),
            "grid_hub" => (73, 60),
            "deadlock_detector" => (80, 100),
            "bcu" => (189, 120),
            _ => (0, 12),
        };
        let cycles = if unit == "bcu" { 400 } else { 200 };
        Play { seed, runs, cycles, legal: false }
    }
}

/// Number of cycles in one line of the vector file.
const IN_A_LINE: usize = 16;

/// The stimulus and the expected outputs, run by run.
pub fn recordings(unit: &str, config: &Config, play: Play) -> Result<Vec<Recording>, BenchError> {
    let no_unit = || BenchError::NoUnit { unit: unit.to_string(), config: config.name.clone() };
    let ports = catalog::build(config, unit).ok_or_else(no_unit)?.ports();
    let sizes = Sizes::try_from(config)?;
    let run = |at: usize| {
        let seed = play.seed.wrapping_add(at as u64);
        if play.legal {
            return legal::recording(unit, config, &ports, seed, play.cycles).ok_or_else(no_unit);
        }
        let mut model = by_name(unit, sizes).ok_or_else(no_unit)?;
        let mut stimulus = for_unit(unit, &ports, shape(config), seed)?;
        Ok(record(&ports, model.as_mut(), stimulus.as_mut(), play.cycles))
    };
    (0..play.runs).map(run).collect()
}

/// The bench of a unit and its vector file, as (name, text), for an export with the name prefix `prefix`. `again` is the command that
/// generates them.
pub fn files(prefix: &str, unit: &str, config: &str, recordings: &[Recording], again: &str) -> Vec<(String, String)> {
    let Some(first) = recordings.first() else { return vec![] };
    let module = module_name(prefix, unit);
    let bench = format!("tb_{module}");
    let checker = format!("`ifdef {}_CHECK\n  {}", prefix.to_uppercase(), checker(prefix, unit));
    vec![
        (format!("{bench}.v"), text((&module, &checker), config, &first.ports, recordings, again)),
        (format!("{bench}.hex"), vectors(&first.ports, recordings, again)),
    ]
}

/// Total number of bits of `ports`.
fn width(ports: &[Port]) -> usize {
    ports.iter().map(|port| port.width).sum()
}

/// The text of the vector file: one number for each cycle, with the ports in order, the first in the highest bits.
fn vectors(ports: &[Port], recordings: &[Recording], again: &str) -> String {
    let mut text = format!("// {MARK}: {again}\n");
    let mut at = 0;
    for recording in recordings {
        for cycle in 0..recording.cycles() {
            let (mut inputs, mut outputs) = (recording.input(cycle).iter(), recording.output(cycle).iter());
            let mut number = Hex::of_bits(width(ports));
            for port in ports {
                let value = if port.dir == Dir::In { inputs.next() } else { outputs.next() };
                number.push(value.copied().unwrap_or_default(), port.width);
            }
            at += 1;
            text += &number.digits();
            text.push(if at % IN_A_LINE == 0 { '\n' } else { ' ' });
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// A number of any width, assembled from its highest bits down.
struct Hex {
    /// The bits, the highest first. Zeros in front fill up the first hexadecimal digit.
    bits: Vec<bool>,
}

impl Hex {
    fn of_bits(width: usize) -> Hex {
        Hex { bits: vec![false; (4 - width % 4) % 4] }
    }

    fn push(&mut self, value: u64, width: usize) {
        self.bits.extend((0..width).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn digits(&self) -> String {
        let digit = |bits: &[bool]| bits.iter().fold(0, |digit, bit| digit * 2 + u32::from(*bit));
        self.bits.chunks(4).filter_map(|bits| char::from_digit(digit(bits), 16)).collect()
    }
}

fn text((module, checker): (&str, &str), config: &str, ports: &[Port], recordings: &[Recording], again: &str) -> String {
    let bench = format!("tb_{module}");
    let (length, runs) = (recordings.first().map_or(0, Recording::cycles), recordings.len());
    let mut text = format!(
        "// SPDX-License-Identifier: Apache-2.0 OR MIT
// {bench}: plays {runs} runs of {length} cycles at `{module}`, configuration {config}, and compares every output in every cycle in
// which it is significant. Inputs and expected outputs are in {bench}.hex, read from the folder of the simulation,
// or from +vectors=FILE. Ends with `PASS` or `FAIL`.
// {MARK}: {again}
`timescale 1ns / 1ps
`default_nettype none
module {bench};
  localparam LENGTH = {length}, CYCLES = {}, BITS = {};
  reg [BITS-1:0] vectors [0:CYCLES-1];
  reg [BITS-1:0] now;
  reg [8*256-1:0] file;
  reg clock, counts;
  integer cycle, differences;

",
        runs * length,
        width(ports),
    );
    let mut top = width(ports);
    for port in ports {
        let Port { name, width, dir, .. } = port;
        let range = range(*width);
        let bits = if *width == 1 { format!("{}", top - 1) } else { format!("{}:{}", top - 1, top - width) };
        let _ = match dir {
            Dir::In => writeln!(text, "  wire {range}{name} = now[{bits}];"),
            Dir::Out => writeln!(text, "  wire {range}{name}; wire {range}{name}_due = now[{bits}];"),
        };
        top -= width;
    }
    let connections: Vec<String> = ports.iter().map(|port| format!(".{0}({0})", port.name)).collect();
    let _ = write!(
        text,
        "
  {module} dut (.clock(clock), {0});
{checker} #(.STOP(0)) promises (.broken(), .clock(clock), {0});
`endif

  task compare(input differs, input [8*40-1:0] port, input [63:0] shown, input [63:0] due);
    if (counts && differs) begin
      differences = differences + 1;
      if (differences <= 10) $display(\"cycle %0d of run %0d: %0s is %h, expected %h\", cycle % LENGTH, cycle / LENGTH, port, shown, due);
    end
  endtask

  initial begin
    file = \"{bench}.hex\";
    if ($value$plusargs(\"vectors=%s\", file)) ;
    $readmemh(file, vectors);
    clock = 1'b0;
    differences = 0;
    if (^vectors[CYCLES-1] === 1'bx) begin
      $display(\"cannot read %0s\", file);
      differences = 1;
    end
    for (cycle = 0; cycle < CYCLES && differences < 10; cycle = cycle + 1) begin
      now = vectors[cycle];
      // The first cycle of a run is its reset, so its outputs belong to the previous run.
      counts = cycle % LENGTH != 0;
      #4;
",
        connections.join(", ")
    );
    for port in ports.iter().filter(|port| port.dir == Dir::Out) {
        let Port { name, when, .. } = port;
        // The condition under which the output is significant, over the driven inputs and the expected outputs.
        let due = |port: &str| {
            let is_out = ports.iter().any(|known| known.name == port && known.dir == Dir::Out);
            format!("{port}{}", if is_out { "_due" } else { "" })
        };
        let counts = condition(when, due).map_or(String::new(), |condition| format!("{condition} && "));
        let _ = writeln!(text, "      compare({counts}{name} !== {name}_due, \"{name}\", {name}, {name}_due);");
    }
    text + &format!(
        "      #1 clock = 1'b1;
      #5 clock = 1'b0;
    end
    if (differences == 0) $display(\"PASS: %0d cycles\", CYCLES); else $display(\"FAIL\");
    $finish;
  end
endmodule
`default_nettype wire
"
    )
}
