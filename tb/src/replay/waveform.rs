// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A waveform of a simulator, as VCD: the scope in which a unit has all its ports, and their values in each clock cycle.

use super::scope::{instance, Instance, WaveformError};
use super::text::{self, Damage};
use bcu_isa::config::{named, Config, NAMED};
use bcu_isa::ports::Port;
use std::fs::File;
use std::io::{self, BufReader};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use wellen::{simple, viewers, FileFormat, LoadOptions};
use wellen::{Signal, SignalEncoding, SignalRef, Timescale, TimescaleUnit};

/// The maximum declared width of a signal in a waveform file, in bits.
const WIDEST: u32 = 1 << 16;

/// The value of a port from some time on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Value {
    pub bits: u64,
    /// The bits that are neither 0 nor 1.
    pub unknown: u64,
}

/// The changes of one port: index of the time, value.
type Changes = Vec<(u32, Value)>;

/// A unit in a waveform: for every rising edge of the unit's clock, the values of the ports just before the edge.
#[derive(Clone, Debug)]
pub struct Waveform {
    /// Full name of the instance.
    pub scope: String,
    /// The changes of each port, in port order.
    changes: Vec<Changes>,
    /// For each rising edge from the first reset on, the index of its time.
    edges: Vec<u32>,
    times: Vec<u64>,
    scale: Option<Timescale>,
}

impl Waveform {
    /// Reads a waveform file. `ports` are the ports of `unit` in `config`, without the clock. `scope` is the full name of an instance; it
    /// may be omitted if only one scope has these ports. If the instance identifies its configuration, that configuration must have the
    /// keys of `config`.
    ///
    /// # Errors
    /// If the file cannot be read, if no scope or more than one matches, or if the unit is never clocked or never reset.
    pub fn read(
        path: &Path,
        (unit, config): (&str, &Config),
        ports: &[Port],
        scope: Option<&str>,
    ) -> Result<Waveform, WaveformError> {
        let mut file = open(path)?;
        let instance = instance(file.hierarchy(), unit, ports, scope)?;
        let Instance { scope, clock, signals, identity } = instance;
        let shown = match identity {
            Some(identity) => identity_of(path, &mut file, identity)?,
            None => None,
        };
        if shown.is_some_and(|shown| shown != config.identity()) {
            let configs = NAMED.iter().filter_map(|(name, _)| named(name));
            let origin = configs.filter(|config| Some(config.identity()) == shown).map(|config| config.name).next();
            return Err(WaveformError::Configuration { scope, origin, config: config.name.clone() });
        }
        for (port, signal) in ports.iter().zip(&signals) {
            let has = file.hierarchy().get_signal_tpe(*signal).and_then(|encoding| encoding.length()).unwrap_or(0);
            if has as usize != port.width {
                let (port, wanted) = (port.name.clone(), port.width);
                return Err(WaveformError::Width { scope, port, has, wanted, config: config.name.clone() });
            }
        }
        let signals_with_clock = [&[clock], &signals[..]].concat();
        guarded(path, || {
            file.load_signals(&signals_with_clock);
            Ok(())
        })?;
        let changes = |signal: &SignalRef| file.get_signal(*signal).map_or(vec![], changes_of);
        let (edges, changes) = (rises(&changes(&clock)), signals.iter().map(changes).collect());
        let (times, scale) = (file.time_table().to_vec(), file.hierarchy().timescale());
        let mut waveform = Waveform { scope, changes, edges, times, scale };
        waveform.from_first_reset(ports)?;
        Ok(waveform)
    }

    /// Removes the cycles before the first cycle in reset.
    fn from_first_reset(&mut self, ports: &[Port]) -> Result<(), WaveformError> {
        let scope = self.scope.clone();
        if self.edges.is_empty() {
            return Err(WaveformError::NoClock { scope });
        }
        let Some(reset) = ports.iter().position(|port| port.name == "reset") else {
            return Err(WaveformError::NoReset { scope });
        };
        let in_reset = |edge: &u32| before(&self.changes[reset], *edge) == Value { bits: 1, unknown: 0 };
        let first = self.edges.iter().position(in_reset).ok_or(WaveformError::NoReset { scope })?;
        self.edges.drain(..first);
        Ok(())
    }

    /// Number of clock cycles, counted from the first cycle in reset.
    pub fn cycles(&self) -> usize {
        self.edges.len()
    }

    /// The time at which a cycle ends, with its time unit.
    pub fn time(&self, cycle: usize) -> String {
        let time = self.edges.get(cycle).and_then(|edge| self.times.get(*edge as usize)).copied().unwrap_or(0);
        self.with_unit(time)
    }

    fn with_unit(&self, time: u64) -> String {
        match self.scale {
            Some(scale) => format!("{} {}", time.saturating_mul(scale.factor.into()), unit_of(scale)),
            None => time.to_string(),
        }
    }

    /// The clock period with its time unit; `None` if the period varies.
    pub fn period(&self) -> Option<String> {
        let time = |edge: &u32| self.times.get(*edge as usize).copied();
        let mut between = self.edges.windows(2).filter_map(|pair| Some(time(&pair[1])?.saturating_sub(time(&pair[0])?)));
        let first = between.next()?;
        between.all(|next| next == first).then(|| self.with_unit(first))
    }

    /// The values of all ports in each cycle, in port order.
    pub fn rows(&self) -> Rows<'_> {
        Rows { waveform: self, cycle: 0, next: vec![0; self.changes.len()] }
    }
}

/// The usual abbreviation of a time unit.
fn unit_of(scale: Timescale) -> &'static str {
    match scale.unit {
        TimescaleUnit::ZeptoSeconds => "zs",
        TimescaleUnit::AttoSeconds => "as",
        TimescaleUnit::FemtoSeconds => "fs",
        TimescaleUnit::PicoSeconds => "ps",
        TimescaleUnit::NanoSeconds => "ns",
        TimescaleUnit::MicroSeconds => "us",
        TimescaleUnit::MilliSeconds => "ms",
        TimescaleUnit::Seconds => "s",
        TimescaleUnit::Unknown => "units of time",
    }
}

/// The cycles of a waveform in sequence.
pub struct Rows<'a> {
    waveform: &'a Waveform,
    cycle: usize,
    /// For each port, the index of its first change at or after the last edge.
    next: Vec<usize>,
}

impl Iterator for Rows<'_> {
    type Item = Vec<Value>;

    fn next(&mut self) -> Option<Vec<Value>> {
        let edge = *self.waveform.edges.get(self.cycle)?;
        self.cycle += 1;
        let ports = self.next.iter_mut().zip(&self.waveform.changes);
        let value = |(next, changes): (&mut usize, &Changes)| {
            *next += changes[*next..].iter().take_while(|change| change.0 < edge).count();
            next.checked_sub(1).map_or(UNKNOWN, |last| changes[last].1)
        };
        Some(ports.map(value).collect())
    }
}

/// The value of a port before its first change.
const UNKNOWN: Value = Value { bits: 0, unknown: u64::MAX };

/// The last value before the time with index `edge`.
fn before(changes: &Changes, edge: u32) -> Value {
    let later = changes.partition_point(|change| change.0 < edge);
    later.checked_sub(1).map_or(UNKNOWN, |last| changes[last].1)
}

/// The times, by index, at which a clock becomes 1.
fn rises(clock: &Changes) -> Vec<u32> {
    let is_one = |value: &Value| *value == Value { bits: 1, unknown: 0 };
    let pairs = clock.iter().zip(clock.iter().skip(1));
    pairs.filter(|(was, is)| !is_one(&was.1) && is_one(&is.1)).map(|(_, is)| is.0).collect()
}

/// Opens a file. Only text formats are accepted: for binary formats the parser trusts the lengths in a damaged file, so the program may run
/// out of memory.
fn open(path: &Path) -> Result<simple::Waveform, WaveformError> {
    let file = path.display().to_string();
    let unreadable = |error: io::Error| WaveformError::Unreadable { file: file.clone(), why: error.to_string() };
    match viewers::detect_file_format(&mut BufReader::new(File::open(path).map_err(unreadable)?)) {
        FileFormat::Vcd => {
            // The parser has no clear message for a truncated header, so the text is checked first.
            let damage = text::check(BufReader::new(File::open(path).map_err(unreadable)?)).map_err(unreadable)?;
            if let Err(Damage { line, why }) = damage {
                return Err(WaveformError::Damaged { file, line, why });
            }
            let header = guarded(path, || viewers::read_header_from_file(path, &LoadOptions::default()))?;
            let width = |encoding: Option<SignalEncoding>| encoding.and_then(|encoding| encoding.length()).unwrap_or(0);
            let widest = header.hierarchy.ground_signal_encodings().map(width).max().unwrap_or(0);
            // The parser allocates each value with its declared width, so the width is limited.
            if widest > WIDEST {
                let why = format!("a signal is declared with {widest} bits; expected at most {WIDEST}");
                return Err(WaveformError::Unreadable { file, why });
            }
            guarded(path, || simple::read(path))
        }
        FileFormat::Fst => Err(WaveformError::Fst { file }),
        FileFormat::Ghw | FileFormat::Unknown => {
            Err(WaveformError::Unreadable { file, why: "the file does not begin like a VCD".to_string() })
        }
    }
}

/// Calls the third-party waveform parser, which may panic on a damaged file. The panic message is suppressed, and the panic becomes an
/// error.
fn guarded<T>(path: &Path, read: impl FnOnce() -> wellen::Result<T>) -> Result<T, WaveformError> {
    let unreadable = |why: String| WaveformError::Unreadable { file: path.display().to_string(), why };
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(hook);
    match read {
        Ok(Ok(read)) => Ok(read),
        Ok(Err(error)) => Err(unreadable(error.to_string().replace('\n', " "))),
        Err(_) => Err(unreadable("the file is damaged".to_string())),
    }
}

/// The first known value of the wire that identifies the configuration.
fn identity_of(path: &Path, file: &mut simple::Waveform, identity: SignalRef) -> Result<Option<u32>, WaveformError> {
    guarded(path, || {
        file.load_signals(&[identity]);
        Ok(())
    })?;
    let changes = file.get_signal(identity).map_or(vec![], changes_of);
    Ok(changes.iter().find(|(_, value)| value.unknown == 0).and_then(|(_, value)| u32::try_from(value.bits).ok()))
}

/// The changes of a signal. Of several changes at the same time, only the last is kept.
fn changes_of(signal: &Signal) -> Changes {
    let mut changes: Changes = vec![];
    for (time, value) in signal.iter_changes() {
        let value = value.to_bit_string().map_or(UNKNOWN, |text| value_of(&text));
        match changes.last_mut().filter(|last| last.0 == time) {
            Some(last) => last.1 = value,
            None => changes.push((time, value)),
        }
    }
    changes
}

/// Converts a text of digits to a value. `0` and VHDL's `L` are 0, `1` and `H` are 1, and any other digit, such as `x` or `z`, is unknown.
fn value_of(digits: &str) -> Value {
    digits.chars().fold(Value::default(), |value, digit| {
        let (bit, unknown) = (matches!(digit, '1' | 'h' | 'H'), !matches!(digit, '0' | '1' | 'l' | 'L' | 'h' | 'H'));
        Value { bits: value.bits << 1 | u64::from(bit), unknown: value.unknown << 1 | u64::from(unknown) }
    })
}
