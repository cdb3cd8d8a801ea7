// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs a unit in rust-hdl and its printed text under Icarus with the same stimulus, and compares every output.
//!
//! Outputs are compared once before any stimulus (all inputs 0, no clock edge yet), then in every row: for a clocked unit before the rising
//! edge and after the falling edge, for other units once. All units of a table run in one Icarus process.

use super::tools::{need, run, Scratch};
use bcu_hw::verilog::{export, Options, PrintError};
use rust_hdl::prelude::*;
use std::fmt::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// One row of the stimulus: a value for each driven input, in the order of the list of inputs.
pub type Row = Vec<u128>;

/// The expected outcome of comparing a unit.
#[derive(Clone, Copy, Debug)]
pub enum Expect {
    /// The text and rust-hdl agree in every row.
    Agree,
    /// The printer cannot print the unit, and one of its error messages contains this text.
    Refused(&'static str),
    /// rust-hdl panics in some rows, which Verilog cannot express. All other rows agree.
    RustPanics,
    /// A word of a memory that is read before it is written is x in Verilog and 0 in rust-hdl. All other words agree.
    Uninitialised,
    /// rust-hdl's macro loses a part of `update` before any printer reads it, so the text and rust-hdl must differ. The value is
    /// the reason.
    LostInMacro(&'static str),
}

/// A unit that has been printed and simulated in rust-hdl.
pub struct Case {
    pub name: &'static str,
    pub expect: Expect,
    pub text: Result<String, Vec<PrintError>>,
    ports: Vec<Port>,
    rows: Vec<Row>,
    clocked: bool,
    /// Output bits, most significant bit first, with blanks between outputs; or the error if rust-hdl gives no outputs.
    outputs: Vec<Result<String, String>>,
}

#[derive(Clone)]
struct Port {
    bits: usize,
    input: bool,
    clock: bool,
    value: String,
    /// Widths of the port's fields in the text, the lowest bits first. Only a structure has more than one field.
    fields: Vec<usize>,
}

fn fields(descriptor: &TypeDescriptor, bits: usize) -> Vec<usize> {
    match &descriptor.kind {
        TypeKind::Composite(list) => list.iter().flat_map(|field| fields(&field.kind, 0)).collect(),
        TypeKind::Bits(width) | TypeKind::Signed(width) => vec![*width],
        TypeKind::Enum(names) if bits == 0 => vec![clog2(names.len())],
        TypeKind::Enum(_) => vec![bits],
    }
}

#[derive(Default)]
struct Ports {
    depth: usize,
    list: Vec<Port>,
}

impl Probe for Ports {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_atom(&mut self, _: &str, atom: &dyn Atom) {
        if self.depth == 1 && atom.kind().is_parameter() {
            let text = format!("{:x}", atom.verilog());
            let digits = text.split("'h").nth(1).unwrap();
            let bits: String = digits.chars().map(|c| format!("{:04b}", c.to_digit(16).unwrap())).collect();
            let padded = format!("{bits:0>width$}", width = atom.bits());
            self.list.push(Port {
                bits: atom.bits(),
                input: atom.kind() == AtomKind::InputParameter,
                clock: atom.descriptor().name == "clock",
                value: padded[padded.len() - atom.bits()..].to_string(),
                fields: fields(&atom.descriptor(), atom.bits()),
            });
        }
    }
}

fn ports(unit: &impl Block) -> Vec<Port> {
    let mut probe = Ports::default();
    unit.accept("top", &mut probe);
    probe.list
}

fn sample(unit: &impl Block) -> String {
    ports(unit).into_iter().filter(|p| !p.input).map(|p| p.value).collect::<Vec<_>>().join(" ")
}

fn settle(unit: &mut impl Block) {
    for _ in 0..200 {
        unit.update_all();
        if !unit.has_changed() {
            return;
        }
    }
    panic!("does not settle");
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default()
}

/// Converts a stimulus number to a value of a port; bits above the port's width are dropped.
pub trait FromRow {
    fn from_row(value: u128) -> Self;
}

impl FromRow for bool {
    fn from_row(value: u128) -> Self {
        value & 1 != 0
    }
}

impl<const N: usize> FromRow for Bits<N> {
    fn from_row(value: u128) -> Self {
        (0..N.min(128)).fold(Self::default(), |bits, i| bits.replace_bit(i, value >> i & 1 != 0))
    }
}

impl<const N: usize> FromRow for Signed<N> {
    fn from_row(value: u128) -> Self {
        signed_cast(Bits::from_row(value))
    }
}

/// Prints one unit and runs it in rust-hdl. `inputs` set the unit's inputs, in the order of the values in each row.
pub fn case<U: Block>(
    name: &'static str,
    expect: Expect,
    make: impl Fn() -> U,
    rows: Vec<Row>,
    inputs: &[fn(&mut U, u128)],
    clock: Option<fn(&mut U, bool)>,
) -> Case {
    let mut unit = make();
    unit.connect_all();
    let text = export(&unit, &Options::new(name));
    let ports = ports(&unit);
    let mut outputs = vec![];
    let attempt = |unit: &mut U, step: &dyn Fn(&mut U)| {
        catch_unwind(AssertUnwindSafe(|| {
            step(unit);
            settle(unit);
            sample(unit)
        }))
        .map_err(message)
    };
    if text.is_ok() {
        outputs.push(attempt(&mut unit, &|_| {}));
        for row in &rows {
            let before = attempt(&mut unit, &|u| inputs.iter().zip(row).for_each(|(set, &value)| set(u, value)));
            if let Some(clock) = clock {
                outputs.push(before);
                let _ = attempt(&mut unit, &|u| clock(u, true));
                outputs.push(attempt(&mut unit, &|u| clock(u, false)));
            } else {
                outputs.push(before);
            }
        }
    }
    Case { name, expect, text, ports, rows, clocked: clock.is_some(), outputs }
}

/// `case!("name", Unit, [inputs], rows)`. It also accepts `clock` for a clocked unit, and an expectation other than agreement.
#[macro_export]
macro_rules! case {
    ($name:literal, $unit:ty, [$($field:ident $(. $sub:ident)?),*], $rows:expr) => {
        $crate::case!($name, $unit, [$($field $(. $sub)?),*], $rows, $crate::printer::harness::Expect::Agree)
    };
    ($name:literal, $unit:ty, [$($field:ident $(. $sub:ident)?),*], $rows:expr, clock) => {
        $crate::case!($name, $unit, [$($field $(. $sub)?),*], $rows, clock, $crate::printer::harness::Expect::Agree)
    };
    ($name:literal, $unit:ty, [$($field:ident $(. $sub:ident)?),*], $rows:expr, clock, $expect:expr) => {
        $crate::case!(@ $name, $unit, [$($field $(. $sub)?),*], $rows, $expect,
            Some((|unit, level| unit.clock.next = level.into()) as fn(&mut $unit, bool)))
    };
    ($name:literal, $unit:ty, [$($field:ident $(. $sub:ident)?),*], $rows:expr, $expect:expr) => {
        $crate::case!(@ $name, $unit, [$($field $(. $sub)?),*], $rows, $expect, None)
    };
    (@ $name:literal, $unit:ty, [$($field:ident $(. $sub:ident)?),*], $rows:expr, $expect:expr, $clock:expr) => {
        $crate::printer::harness::case($name, $expect, <$unit>::default, $rows, &[
            $(|unit: &mut $unit, value| unit.$field $(. $sub)? .next = $crate::printer::harness::FromRow::from_row(value)),*
        ], $clock)
    };
}

/// Declares a block and its `Logic` in one macro call.
#[macro_export]
macro_rules! unit {
    ($name:ident { $($(#[$m:meta])* $v:vis $f:ident : $t:ty),* $(,)? } $update:item) => {
        #[derive(LogicBlock, Default)]
        pub struct $name { $($v $f: $t),* }
        impl Logic for $name { $update }
    };
}

/// All combinations of the values of each input, one row for each.
pub fn product(domains: &[&[u128]]) -> Vec<Row> {
    domains.iter().fold(vec![vec![]], |rows, domain| {
        let longer = |row: &Row| domain.iter().map(|v| [row.as_slice(), &[*v]].concat()).collect::<Vec<_>>();
        rows.iter().flat_map(longer).collect()
    })
}

/// The values 0 to `end - 1`.
pub fn range(end: u128) -> Row {
    (0..end).collect()
}

/// `count` rows of `inputs` pseudo-random 128-bit values; the same seed gives the same rows.
pub fn random(count: usize, inputs: usize, seed: u64) -> Vec<Row> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u128
    };
    (0..count).map(|_| (0..inputs).map(|_| next() << 64 | next()).collect()).collect()
}

fn testbench(case: &Case) -> String {
    let mut tb = format!("module tb_{};\n", case.name);
    for (at, port) in case.ports.iter().enumerate() {
        let kind = if port.input { "reg" } else { "wire" };
        writeln!(tb, "{kind} [{}:0] p{at};", port.bits - 1).unwrap();
    }
    let pins = |(at, port): (usize, &Port)| {
        let mut low = 0;
        let pin = move |width: &usize| {
            low += width;
            format!("p{at}[{}:{}]", low - 1, low - width)
        };
        port.fields.iter().map(pin).collect::<Vec<_>>()
    };
    let pins_text: Vec<String> = case.ports.iter().enumerate().flat_map(pins).collect();
    writeln!(tb, "bcu_{} dut({});\ninitial begin", case.name, pins_text.join(", ")).unwrap();
    let indexes = |wanted: fn(&Port) -> bool| case.ports.iter().enumerate().filter(move |(_, p)| wanted(p)).map(|(at, _)| at);
    let inputs: Vec<usize> = indexes(|p| p.input && !p.clock).collect();
    let clocks: Vec<usize> = indexes(|p| p.input && p.clock).collect();
    let outputs: Vec<usize> = indexes(|p| !p.input).collect();
    let formats = vec!["%b"; outputs.len()].join(" ");
    let values: Vec<String> = outputs.iter().map(|at| format!(", p{at}")).collect();
    let show = format!("$display(\"{} {formats}\"{});\n", case.name, values.concat());
    let level = |tb: &mut String, level: u8| clocks.iter().for_each(|at| writeln!(tb, "p{at} = {level};").unwrap());
    inputs.iter().for_each(|at| writeln!(tb, "p{at} = 0;").unwrap());
    level(&mut tb, 0);
    write!(tb, "#5 {show}").unwrap();
    for row in &case.rows {
        for (at, value) in inputs.iter().zip(row) {
            let bits = case.ports[*at].bits;
            let mask = if bits >= 128 { u128::MAX } else { (1 << bits) - 1 };
            writeln!(tb, "p{at} = {bits}'h{:x};", value & mask).unwrap();
        }
        write!(tb, "#5 {show}").unwrap();
        if case.clocked {
            level(&mut tb, 1);
            writeln!(tb, "#5;").unwrap();
            level(&mut tb, 0);
            write!(tb, "#5 {show}").unwrap();
        }
    }
    tb + "end\nendmodule\n"
}

fn simulate(cases: &[&Case], scratch: &Scratch) -> String {
    let mut file = String::new();
    for case in cases {
        file += case.text.as_ref().unwrap();
    }
    scratch.write("units.v", &file);
    scratch.write("tb.v", &format!("`timescale 1ns / 1ps\n{}", cases.iter().map(|c| testbench(c)).collect::<String>()));
    let tops: Vec<String> = cases.iter().map(|c| format!("-stb_{}", c.name)).collect();
    let warnings = run(scratch, &format!("iverilog -g2005 -Wall -Wno-timescale {} -o run units.v tb.v", tops.join(" ")));
    // The hand-written memories read an array in `always @(*)`, about which Icarus warns.
    let unexpected: Vec<&str> = warnings.lines().filter(|l| !l.contains("sensitive to all 16 words in array 'mem'")).collect();
    assert!(unexpected.is_empty(), "Icarus warns about the printed text: {unexpected:#?}");
    run(scratch, "vvp -n run")
}

/// Checks every case of a table. All failures are reported together.
pub fn check(table: &str, cases: Vec<Case>) {
    need("iverilog", "iverilog");
    need("yosys", "yosys");
    let scratch = Scratch::new(table);
    let printed: Vec<&Case> = cases.iter().filter(|c| c.text.is_ok()).collect();
    let log = simulate(&printed, &scratch);
    let mut failures = vec![];
    for case in &cases {
        let lines: Vec<&str> = log.lines().filter_map(|l| l.strip_prefix(case.name)?.strip_prefix(' ')).collect();
        if let Err(why) = judge(case, &lines) {
            let text = case.text.as_ref().map_or(String::new(), |t| t.clone());
            failures.push(format!("{}: {why}\n{text}", case.name));
        }
    }
    assert!(failures.is_empty(), "{} of {} units failed\n{}", failures.len(), cases.len(), failures.join("\n"));
    let warnings = run(
        &scratch,
        "yosys -p 'read_verilog units.v; hierarchy -check; proc; opt_clean; check' | grep -E 'Warning|Latch inferred' || true",
    );
    let serious: Vec<&str> = warnings
        .lines()
        .filter(|l| l.contains("implicitly") || l.contains("Latch inferred") || l.contains("no driver"))
        .collect();
    assert!(serious.is_empty(), "yosys: {serious:#?}");
}

fn judge(case: &Case, lines: &[&str]) -> Result<(), String> {
    match (&case.text, case.expect) {
        (Err(errors), Expect::Refused(fragment)) => {
            let texts: Vec<String> = errors.iter().map(|e| e.to_string()).collect();
            return if texts.iter().any(|t| t.contains(fragment)) {
                Ok(())
            } else {
                Err(format!("refused otherwise: {texts:#?}"))
            };
        }
        (Err(errors), _) => return Err(format!("refused: {errors:#?}")),
        (Ok(_), Expect::Refused(fragment)) => return Err(format!("printed, but should be refused: {fragment}")),
        (Ok(_), _) => {}
    }
    if lines.len() != case.outputs.len() {
        return Err(format!("{} of {} rows were returned", lines.len(), case.outputs.len()));
    }
    let mut panics = 0;
    let mut differing = vec![];
    for (at, (rust, verilog)) in case.outputs.iter().zip(lines).enumerate() {
        match rust {
            Err(_) => panics += 1,
            Ok(rust) if rust != verilog => differing.push((at, rust.clone(), verilog.to_string())),
            Ok(_) => {}
        }
    }
    let first = || format!("{} rows differ, first (row, rust-hdl, Verilog): {:?}", differing.len(), differing.first());
    match case.expect {
        Expect::Agree if panics > 0 => {
            Err(format!("rust-hdl panicked in {panics} rows: {:?}", case.outputs.iter().find(|o| o.is_err())))
        }
        Expect::Agree | Expect::RustPanics if !differing.is_empty() => Err(first()),
        Expect::RustPanics if panics == 0 => Err("no row panics in rust-hdl any more: expect agreement".to_string()),
        Expect::Uninitialised if panics > 0 || differing.iter().any(|(_, _, verilog)| !verilog.contains('x')) => Err(first()),
        Expect::Uninitialised if differing.is_empty() => {
            Err("no word is read before it is written: expect agreement".to_string())
        }
        Expect::LostInMacro(reason) if differing.is_empty() => Err(format!("agrees, although {reason}: expect agreement")),
        _ => Ok(()),
    }
}
