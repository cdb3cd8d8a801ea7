// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two sides as one question: a graph with an output for each thing that is compared, which is 1 when the two are different.

use super::colours::{Colours, FIXED};
use super::cut::{wire, Shape};
use super::side::Side;
use crate::circuit::aig::Start;
use crate::circuit::builder::Builder;
use anyhow::{Context, Result};
use std::collections::HashMap;

/// What a comparison belongs to; side and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// An output of the unit.
    Port,
    /// The next state of a register, compared with that of the first of its colour.
    Register(usize, usize),
    /// What a memory is told, compared with what the first of its colour is.
    Memory(usize, usize),
}

/// What is compared.
#[derive(Clone, Debug)]
pub struct Compared {
    pub owner: Owner,
    pub what: String,
    pub literal: u32,
}

/// A graph, and what its outputs compare.
pub struct Question {
    pub graph: Builder,
    pub compared: Vec<Compared>,
}

/// Do ports or what memories are told ever differ? Each side has all of its registers.
pub fn always(sides: [&Side; 2], colours: &Colours) -> Result<Question> {
    let mut graph = Builder::new();
    let kept = sides.map(|side| side.gates.latches.iter().map(|_| graph.latch()).collect::<Vec<u32>>());
    let (next, compared) = ask(&mut graph, sides, colours, [&kept[0], &kept[1]])?;
    for (kept, next) in kept.iter().flatten().zip(next.iter().flatten()) {
        graph.set_next(*kept, *next);
    }
    Ok(Question { graph, compared })
}

/// If all registers of a colour are the same, which may be different a cycle later, and which ports may be different now?
pub fn cycle(sides: [&Side; 2], colours: &Colours) -> Result<Question> {
    let mut graph = Builder::new();
    let kept = [0, 1].map(|side| {
        let held = |colour: &u64| if *colour == FIXED { 0 } else { graph.input("colour", *colour as usize) };
        colours.registers[side].iter().map(held).collect::<Vec<u32>>()
    });
    let (next, mut compared) = ask(&mut graph, sides, colours, [&kept[0], &kept[1]])?;
    let mut firsts = HashMap::from([(FIXED, ("a constant", 0))]);
    for side in [0, 1] {
        for (at, (colour, next)) in colours.registers[side].iter().zip(&next[side]).enumerate() {
            let name = sides[side].gates.registers[at].as_str();
            let (first, value) = *firsts.entry(*colour).or_insert((name, *next));
            let what = if name == first { name.to_string() } else { format!("{name} (as {first})") };
            compared.push(Compared { owner: Owner::Register(side, at), what, literal: graph.differ(*next, value) });
        }
    }
    Ok(Question { graph, compared })
}

/// Literals of each side.
type Kept = [Vec<u32>; 2];

/// Both sides with the same inputs, and registers kept as these literals: what they will be kept as, and what is compared. A register
/// that starts with 1 is kept inverted.
fn ask(b: &mut Builder, sides: [&Side; 2], colours: &Colours, kept: [&[u32]; 2]) -> Result<(Kept, Vec<Compared>)> {
    let firsts = firsts(sides, colours);
    let (mut next, mut outputs) = ([vec![], vec![]], [HashMap::new(), HashMap::new()]);
    for side in [0, 1] {
        let gates = &sides[side].gates;
        // Memories of a colour answer the same.
        let data =
            (0..).zip(&firsts[side]).map(|(at, first)| (wire(at, "data"), format!("{}:{}", first.0, wire(first.1, "data"))));
        let data: HashMap<String, String> = data.collect();
        let inputs: Vec<u32> = gates.inputs.iter().map(|i| b.input(data.get(&i.name).unwrap_or(&i.name), i.bit)).collect();
        let inverse: Vec<u32> = gates.latches.iter().map(|(.., start)| u32::from(*start == Start::One)).collect();
        let turned = |literals: &[u32]| literals.iter().zip(&inverse).map(|(l, i)| l ^ i).collect::<Vec<u32>>();
        let (new, shown) = b.copy(gates, &inputs, &turned(kept[side]))?;
        next[side] = turned(&new);
        outputs[side] = gates.outputs.iter().zip(shown).map(|(o, literal)| ((o.name.as_str(), o.bit), literal)).collect();
    }
    let find = |side: usize, name: &str, bit: usize| {
        outputs[side].get(&(name, bit)).copied().with_context(|| format!("the netlist has no output {name}, bit {bit}"))
    };
    let mut compared = vec![];
    for (name, (_, width)) in sides[0].ports.iter().filter(|(_, (direction, _))| *direction != "input") {
        for bit in 0..*width {
            let literal = b.differ(find(0, name, bit)?, find(1, name, bit)?);
            let what = if *width == 1 { name.clone() } else { format!("{name}[{bit}]") };
            compared.push(Compared { owner: Owner::Port, what, literal });
        }
    }
    for side in [0, 1] {
        for (at, first) in firsts[side].iter().enumerate().filter(|(at, first)| **first != (side, *at)) {
            let memory = &sides[side].memories[at];
            let pins = |what: &str, bits: usize| -> Result<Vec<(u32, u32)>> {
                let pin = |bit| Ok((find(first.0, &wire(first.1, what), bit)?, find(side, &wire(at, what), bit)?));
                (0..bits).map(pin).collect()
            };
            for (what, literal) in told(b, &memory.shape, pins)? {
                let what = format!("memory {}: {what}", memory.name);
                compared.push(Compared { owner: Owner::Memory(side, at), what, literal });
            }
        }
    }
    Ok((next, compared))
}

/// For each memory, side and number of the first of its colour.
fn firsts(sides: [&Side; 2], colours: &Colours) -> [Vec<(usize, usize)>; 2] {
    let mut firsts = HashMap::new();
    [0, 1].map(|side| {
        let memories = sides[side].memories.iter().zip(&colours.memories[side]).enumerate();
        memories.map(|(at, (memory, colour))| *firsts.entry((&memory.shape, *colour)).or_insert((side, at))).collect()
    })
}

/// Whether two memories of a shape are asked and told the same: where and what is written counts only if something is.
fn told(b: &mut Builder, shape: &Shape, pins: impl Fn(&str, usize) -> Result<Vec<(u32, u32)>>) -> Result<Vec<(String, u32)>> {
    let mut told = vec![];
    for (bit, (x, y)) in pins("address", shape.reads * shape.address_bits)?.into_iter().enumerate() {
        told.push((format!("read address, bit {bit}"), b.differ(x, y)));
    }
    let enable = pins("enable", shape.writes * shape.width)?;
    let value = pins("value", shape.writes * shape.width)?;
    let place = pins("place", shape.writes * shape.address_bits)?;
    for port in 0..shape.writes {
        let mut any = 0;
        for bit in port * shape.width..(port + 1) * shape.width {
            let ((on, also), (x, y)) = (enable[bit], value[bit]);
            any = b.or(any, on);
            told.push((format!("write enable, bit {bit}"), b.differ(on, also)));
            let differs = b.differ(x, y);
            told.push((format!("written value, bit {bit}"), b.and(differs, on)));
        }
        for bit in port * shape.address_bits..(port + 1) * shape.address_bits {
            let differs = b.differ(place[bit].0, place[bit].1);
            told.push((format!("write address, bit {bit}"), b.and(differs, any)));
        }
    }
    Ok(told)
}
