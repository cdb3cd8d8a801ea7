// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The old and the new unit of a comparison as one question for ABC: a graph with one output for each pair of compared values. The output
//! is 1 if the two values differ.

use super::colours::{Colours, FIXED};
use super::side::Side;
use crate::circuit::aig::{Gates, Input, Start};
use crate::circuit::builder::Builder;
use anyhow::{Context, Result};
use std::collections::HashMap;

/// The values that a comparison compares. A register or column is given by its side (0 or 1) and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// An output of the unit.
    Port,
    /// The next state of a register, compared with the next state of the first register of its colour.
    Register(usize, usize),
    /// The inputs of a column, compared with the inputs of the first column of its colour.
    Column(usize, usize),
}

/// A comparison: `literal` is 1 if the compared values differ. `what` and `bit` name the compared
/// bit in messages.
#[derive(Clone, Debug)]
pub struct Compared {
    pub owner: Owner,
    pub what: String,
    pub bit: usize,
    pub literal: u32,
}

/// A graph, and the comparison of each of its outputs.
pub struct Question {
    pub graph: Builder,
    pub compared: Vec<Compared>,
}

/// The question over all cycles: do ports or inputs of memories differ in any cycle? The two sides
/// share no register.
pub fn always(sides: [&Side; 2], colours: &Colours) -> Result<Question> {
    let mut graph = Builder::new();
    let register_literals = sides.map(|side| side.gates.latches.iter().map(|_| graph.latch()).collect::<Vec<u32>>());
    let (next, compared) = ask(&mut graph, sides, colours, [&register_literals[0], &register_literals[1]])?;
    for (register_literals, next) in register_literals.iter().flatten().zip(next.iter().flatten()) {
        graph.set_next(*register_literals, *next);
    }
    Ok(Question { graph, compared })
}

/// The question over one cycle. All registers of the same colour are assumed to be equal. Which registers of the same colour may differ one
/// cycle later, and which ports may differ in this cycle?
pub fn cycle(sides: [&Side; 2], colours: &Colours) -> Result<Question> {
    let mut graph = Builder::new();
    let register_literals = [0, 1].map(|side| {
        let register_input = |colour: &u64| if *colour == FIXED { 0 } else { graph.input("colour", *colour as usize) };
        colours.registers[side].iter().map(register_input).collect::<Vec<u32>>()
    });
    let (next, mut compared) = ask(&mut graph, sides, colours, [&register_literals[0], &register_literals[1]])?;
    let mut firsts = HashMap::from([(FIXED, ("a constant", 0))]);
    for side in [0, 1] {
        for (at, (colour, next)) in colours.registers[side].iter().zip(&next[side]).enumerate() {
            let (name, bit) = &sides[side].gates.registers[at];
            let (first, value): (&str, u32) = *firsts.entry(*colour).or_insert((name.as_str(), *next));
            let what = if name == first { name.clone() } else { format!("{name} (as {first})") };
            compared.push(Compared { owner: Owner::Register(side, at), what, bit: *bit, literal: graph.differ(*next, value) });
        }
    }
    Ok(Question { graph, compared })
}

/// Literals of each side.
type SideLiterals = [Vec<u32>; 2];

/// Adds copies of both sides to the graph, with the same inputs and with the given literals as the
/// values of their registers. Returns the literals of the next states, and the comparisons of ports
/// and memory columns. A register that powers up with 1 is stored inverted, because all registers
/// of the graph power up with 0.
fn ask(
    b: &mut Builder,
    sides: [&Side; 2],
    colours: &Colours,
    register_literals: [&[u32]; 2],
) -> Result<(SideLiterals, Vec<Compared>)> {
    let firsts = firsts(sides, colours);
    let mut copies = vec![];
    for side in [0, 1] {
        let gates = &sides[side].gates;
        // Columns of the same colour are assumed to hold the same words, so they get the same read
        // data.
        let answers = sides[side].columns.iter().zip(&firsts[side]);
        let answers =
            answers.flat_map(|(column, first)| column.pins.data.iter().enumerate().map(move |(port, v)| (*v, (*first, port))));
        let answers: HashMap<usize, ((usize, usize), usize)> = answers.collect();
        let input = |input: &Input| match answers.get(&input.variable) {
            Some(((side, at), port)) => b.input(&format!("column:{side}:{at}"), *port),
            None => b.input(&input.name, input.bit),
        };
        let inputs: Vec<u32> = gates.inputs.iter().map(input).collect();
        let shown = turned(gates, register_literals[side]);
        copies.push(b.copy(gates, &inputs, &shown)?);
    }
    let mut compared = vec![];
    let outputs = [0, 1].map(|side| {
        let output_literals =
            sides[side].gates.outputs.iter().map(|o| ((o.name.as_str(), o.bit), copies[side].literal_of(o.literal)));
        output_literals.collect::<HashMap<(&str, usize), u32>>()
    });
    for (name, (_, width)) in sides[0].ports.iter().filter(|(_, (direction, _))| *direction != "input") {
        for bit in 0..*width {
            let find = |side: usize| outputs[side].get(&(name.as_str(), bit)).copied();
            let both = find(0).zip(find(1)).with_context(|| format!("the netlist has no output {name}, bit {bit}"))?;
            compared.push(Compared { owner: Owner::Port, what: name.clone(), bit, literal: b.differ(both.0, both.1) });
        }
    }
    for side in [0, 1] {
        for (at, first) in firsts[side].iter().enumerate().filter(|(at, first)| **first != (side, *at)) {
            let column = &sides[side].columns[at];
            let mut add = |what: &str, literal: u32| {
                let what = format!("{what} of memory {}", sides[side].memories[column.memory].name);
                compared.push(Compared { owner: Owner::Column(side, at), what, bit: column.bit, literal });
            };
            let (first_pins, second_pins) = (&sides[first.0].columns[first.1].pins, &column.pins);
            let differ = |b: &mut Builder, x: u32, y: u32| b.differ(copies[first.0].literal_of(x), copies[side].literal_of(y));
            let any = |b: &mut Builder, xs: &[u32], ys: &[u32]| {
                xs.iter().zip(ys).fold(0, |any, (x, y)| {
                    let differs = differ(b, *x, *y);
                    b.or(any, differs)
                })
            };
            add("read address", any(b, &first_pins.address, &second_pins.address));
            add("write enable", any(b, &first_pins.enable, &second_pins.enable));
            for (port, (x, y)) in first_pins.places().zip(second_pins.places()).enumerate() {
                // Write address and written value are compared only if the write enable is set.
                let enable = copies[side].literal_of(second_pins.enable[port]);
                let place = any(b, x, y);
                add("write address", b.and(place, enable));
                let value = any(b, &first_pins.value[port..=port], &second_pins.value[port..=port]);
                add("written value", b.and(value, enable));
            }
        }
    }
    Ok(([0, 1].map(|side| turned(&sides[side].gates, &copies[side].next(&sides[side].gates))), compared))
}

/// Converts register literals between the stored form and the actual value. The conversion is its own inverse.
fn turned(gates: &Gates, literals: &[u32]) -> Vec<u32> {
    literals.iter().zip(&gates.latches).map(|(literal, (.., start))| literal ^ u32::from(*start == Start::Ones)).collect()
}

/// For each column, the side and number of the first column of its colour.
fn firsts(sides: [&Side; 2], colours: &Colours) -> [Vec<(usize, usize)>; 2] {
    let mut firsts = HashMap::new();
    [0, 1].map(|side| {
        let columns = sides[side].columns.iter().zip(&colours.columns[side]).enumerate();
        columns
            .map(|(at, (column, colour))| *firsts.entry((sides[side].shape(column), *colour)).or_insert((side, at)))
            .collect()
    })
}
