// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file format of a diagram: WaveJSON, with an entry `bcu` for the unit, its configuration and the steps before the first column.

use bcu_isa::asm::assemble;
use bcu_isa::instr::encode;
use bcu_isa::lex::number;
use bcu_isa::ports::Port;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Why a file is not a playable diagram.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("not WaveJSON with a part `bcu`: {0}")]
    Json(#[from] serde_json::Error),
    #[error("row `{row}`: {what}")]
    Row { row: String, what: String },
    #[error("arrow `{arrow}`: {what}")]
    Arrow { arrow: String, what: String },
    #[error("`{value}` is not a value of `{port}`")]
    Value { port: String, value: String },
    #[error("the unit has no port `{0}`")]
    Port(String),
}

/// The top level of the file.
#[derive(Deserialize)]
struct File {
    bcu: Setting,
    signal: Vec<Value>,
    #[serde(default)]
    edge: Vec<String>,
}

/// The entry `bcu`, which WaveDrom ignores: the unit, its configuration, constant inputs, and the steps before the first column.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub unit: String,
    pub config: String,
    /// Inputs that keep a value, by port. Inputs that are neither listed here nor drawn are 0.
    #[serde(default)]
    inputs: BTreeMap<String, Text>,
    /// The steps between the reset and the first column.
    #[serde(default)]
    before: Vec<Step>,
}

/// A number or a name.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Text {
    Number(u64),
    Name(String),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    /// Fields of a channel or strobe, by its name: the payload is offered until it is taken.
    Offer(BTreeMap<String, BTreeMap<String, Text>>),
    /// Runs this number of cycles without an offer.
    Idle(usize),
}

/// One signal of the diagram; a signal without a name is a gap.
#[derive(Deserialize)]
struct Signal {
    #[serde(default)]
    name: String,
    #[serde(default)]
    wave: String,
    #[serde(default)]
    data: Vec<String>,
    #[serde(default)]
    node: String,
}

/// One port, and its value in each column; `None` where it is not drawn.
#[derive(Clone, Debug)]
pub struct Row {
    pub port: String,
    pub cells: Vec<Option<u64>>,
}

/// An arrow between two marks of the drawing.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// The arrow as it is written in the file.
    pub text: String,
    pub label: String,
    /// The columns of the two marks.
    pub from: usize,
    pub to: usize,
}

/// A diagram in terms of a unit's port values.
#[derive(Clone, Debug)]
pub struct Diagram {
    pub rows: Vec<Row>,
    pub columns: usize,
    pub arrows: Vec<Arrow>,
    /// Inputs that keep a value.
    pub inputs: Vec<(String, u64)>,
    pub before: Vec<Stage>,
}

/// A step before the first column, as ports and values.
#[derive(Clone, Debug)]
pub enum Stage {
    Offer { channel: String, payload: Vec<(String, u64)> },
    Idle(usize),
}

/// The row whose values are instructions in assembly language. Each instruction gives the values of the four ports of the instruction word.
const INSTRUCTION: &str = "instr_word";

impl Diagram {
    /// The unit and configuration of a file.
    ///
    /// # Errors
    /// If the file is not JSON, or lacks the entry `bcu`.
    pub fn setting(text: &str) -> Result<Setting, SourceError> {
        Ok(serde_json::from_str::<File>(text)?.bcu)
    }

    /// Reads a file, for a unit with these ports and with `lanes` lanes per warp.
    ///
    /// # Errors
    /// If the file is not WaveJSON, or a row, a value or an arrow has no meaning.
    pub fn read(text: &str, ports: &[Port], lanes: u32) -> Result<Diagram, SourceError> {
        let File { bcu, signal, edge } = serde_json::from_str(text)?;
        let mut signals = vec![];
        flatten(signal, &mut signals)?;
        let (mut rows, mut marks) = (vec![], BTreeMap::new());
        for signal in signals {
            let at = |(column, mark): (usize, char)| (mark != '.').then_some((mark, column));
            marks.extend(signal.node.chars().enumerate().filter_map(at));
            // The clock's row only marks the cycles; every unit has a clock.
            if signal.name != "clock" && !signal.name.is_empty() {
                rows.extend(read_row(&signal, ports, lanes)?);
            }
        }
        let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        if let Some(row) = rows.iter().find(|row| row.cells.len() != columns) {
            let what = format!("{} columns; expected {columns}", row.cells.len());
            return Err(SourceError::Row { row: row.port.clone(), what });
        }
        let arrows = edge.iter().map(|text| read_arrow(text, &marks)).collect::<Result<_, _>>()?;
        let prefixed_values = |payload: BTreeMap<String, Text>, channel: &str| -> Result<Vec<(String, u64)>, SourceError> {
            payload.into_iter().map(|(field, text)| named(format!("{channel}{field}"), &text, ports)).collect()
        };
        let inputs = prefixed_values(bcu.inputs, "")?;
        let mut before = vec![];
        for stage in bcu.before {
            match stage {
                Step::Idle(cycles) => before.push(Stage::Idle(cycles)),
                Step::Offer(channels) => {
                    for (channel, mut payload) in channels {
                        let mut values = vec![];
                        if let Some(Text::Name(text)) = payload.remove("word") {
                            values.extend(words(&text, lanes)?);
                        }
                        values.extend(prefixed_values(payload, &format!("{channel}_"))?);
                        before.push(Stage::Offer { channel, payload: values });
                    }
                }
            }
        }
        Ok(Diagram { rows, columns, arrows, inputs, before })
    }
}

/// Collects the signals in order, including those in groups. The first item of a group is its title.
fn flatten(items: Vec<Value>, out: &mut Vec<Signal>) -> Result<(), SourceError> {
    for item in items {
        match item {
            Value::Array(items) => flatten(items, out)?,
            Value::Object(_) => out.push(serde_json::from_value(item)?),
            _ => (),
        }
    }
    Ok(())
}

/// The port with the value that `text` gives.
fn named(port: String, text: &Text, ports: &[Port]) -> Result<(String, u64), SourceError> {
    let found = ports.iter().find(|p| p.name == port).ok_or_else(|| SourceError::Port(port.clone()))?;
    let value = match text {
        Text::Number(number) => Some(*number),
        Text::Name(name) => value(found, name),
    };
    let shown = || match text {
        Text::Number(number) => number.to_string(),
        Text::Name(name) => name.clone(),
    };
    let fits = value.filter(|value| found.width >= 64 || value >> found.width == 0);
    let value = fits.ok_or_else(|| SourceError::Value { port: port.clone(), value: shown() })?;
    Ok((port, value))
}

/// A value of the port, given by its name or as a number.
fn value(port: &Port, text: &str) -> Option<u64> {
    let by_name = port.values.iter().position(|name| name == text).map(|at| at as u64);
    by_name.or_else(|| number(text))
}

/// The values of the ports of an instruction word.
fn words(text: &str, lanes: u32) -> Result<Vec<(String, u64)>, SourceError> {
    let wrong = |_| SourceError::Value { port: INSTRUCTION.to_string(), value: text.to_string() };
    let word = encode(&assemble(text, lanes).map_err(wrong)?.instr);
    Ok((0..).zip(word).map(|(at, part)| (format!("{INSTRUCTION}_{at}"), u64::from(part))).collect())
}

/// The rows of ports that a signal of the diagram represents.
fn read_row(signal: &Signal, ports: &[Port], lanes: u32) -> Result<Vec<Row>, SourceError> {
    let wrong = |what: String| SourceError::Row { row: signal.name.clone(), what };
    let whole = signal.name == INSTRUCTION;
    let names: Vec<String> = match whole {
        true => (0..4).map(|at| format!("{INSTRUCTION}_{at}")).collect(),
        false => vec![signal.name.clone()],
    };
    let mut rows: Vec<Row> = names.into_iter().map(|port| Row { port, cells: vec![] }).collect();
    let mut data = signal.data.iter();
    let mut last = vec![None; rows.len()];
    for c in signal.wave.chars() {
        match c {
            '.' => (),
            'x' => last.fill(None),
            '0' | '1' => last.fill(Some(u64::from(c == '1'))),
            '=' | '2'..='9' => {
                let text = data.next().ok_or_else(|| wrong("more values in `wave` than in `data`".to_string()))?;
                last = match whole {
                    true => words(text, lanes)?.into_iter().map(|(_, value)| Some(value)).collect(),
                    false => vec![Some(named(signal.name.clone(), &Text::Name(text.clone()), ports)?.1)],
                };
            }
            _ => return Err(wrong(format!("`{c}` in `wave`; expected one of 0 1 . x = 2 to 9"))),
        }
        rows.iter_mut().zip(&last).for_each(|(row, value)| row.cells.push(*value));
    }
    match rows.iter().find(|row| ports.iter().all(|port| port.name != row.port)) {
        Some(row) => Err(SourceError::Port(row.port.clone())),
        None => Ok(rows),
    }
}

/// Parses `a~>b LABEL`; `marks` gives the column of each mark.
fn read_arrow(text: &str, marks: &BTreeMap<char, usize>) -> Result<Arrow, SourceError> {
    let wrong = |what: &str| SourceError::Arrow { arrow: text.to_string(), what: what.to_string() };
    let (line, label) = text.split_once(' ').unwrap_or((text, ""));
    let column = |mark: Option<char>| mark.and_then(|mark| marks.get(&mark)).copied();
    let end_columns = column(line.chars().next()).zip(column(line.chars().last()));
    let (from, to) = end_columns.ok_or_else(|| wrong("expected the marks of two columns, as in `a~>b LABEL`"))?;
    Ok(Arrow { text: text.to_string(), label: label.to_string(), from, to })
}
