// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two sides as one question: the outputs of a graph each of which is 1 when a port or what a memory is told differs.

use super::colours::{Colours, FIXED};
use super::cut::wire;
use super::side::Side;
use crate::circuit::aig::{Gates, Start};
use crate::circuit::builder::Builder;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, HashMap};

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// A port's bit, or a memory's pin.
    pub what: String,
    pub literal: u32,
}

/// Which memory of the new side stands for which of the old one.
pub type Pairs = Vec<(usize, usize)>;

/// Memories of the same shape and colour; what is left over of a shape is matched in the order of the text. `Err` says
/// which shapes are not on both sides equally often.
pub fn pairs(old: &Side, new: &Side, colours: [&[u64]; 2]) -> std::result::Result<Pairs, String> {
    let sides = [old, new];
    let mut shapes = BTreeMap::new();
    for side in [0, 1] {
        for (at, memory) in sides[side].memories.iter().enumerate() {
            shapes.entry(&memory.shape).or_insert([vec![], vec![]])[side].push(at);
        }
    }
    let mut pairs = vec![];
    for (shape, [mut left, mut right]) in shapes {
        if left.len() != right.len() {
            let names = |side: usize, of: &[usize]| {
                of.iter().map(|m| sides[side].memories[*m].name.as_str()).collect::<Vec<_>>().join(", ")
            };
            return Err(format!(
                "memories of {} words of {} bits with {} read and {} write ports: {} in the old text ({}), {} in the new ({})",
                shape.words,
                shape.width,
                shape.reads,
                shape.writes,
                left.len(),
                names(0, &left),
                right.len(),
                names(1, &right)
            ));
        }
        left.retain(|one| {
            let Some(found) = right.iter().position(|other| colours[0][*one] == colours[1][*other]) else { return true };
            pairs.push((*one, right.remove(found)));
            false
        });
        pairs.extend(left.into_iter().zip(right));
    }
    Ok(pairs)
}

/// The question for all cycles, of as many registers as there are.
pub fn always(old: &Side, new: &Side, pairs: &Pairs) -> Result<(Builder, Vec<Compared>)> {
    let mut b = Builder::new();
    let kept = [old, new].map(|side| side.gates.latches.iter().map(|_| b.latch()).collect::<Vec<u32>>());
    let (next, compared) = ask(&mut b, [old, new], pairs, [&kept[0], &kept[1]])?;
    for (kept, next) in kept.iter().flatten().zip(next.iter().flatten()) {
        b.set_next(*kept, *next);
    }
    Ok((b, compared))
}

/// The question for one cycle.
pub struct Cycle {
    pub graph: Builder,
    pub compared: Vec<Compared>,
    /// The first of what is compared are the next states of these, side and number, each with that of another one of its colour.
    pub members: Vec<(usize, usize)>,
}

/// If all registers of a colour are the same, which may be different a cycle later, and which outputs may be different now?
pub fn cycle(sides: [&Side; 2], pairs: &Pairs, colours: &Colours) -> Result<Cycle> {
    let mut b = Builder::new();
    let kept = [0, 1].map(|side| {
        let held = |colour: &u64| if *colour == FIXED { 0 } else { b.input("colour", *colour as usize) };
        colours.registers[side].iter().map(held).collect::<Vec<u32>>()
    });
    let (next, ports) = ask(&mut b, sides, pairs, [&kept[0], &kept[1]])?;
    let (mut compared, mut members) = (vec![], vec![]);
    let mut firsts = HashMap::from([(FIXED, ("a constant", 0))]);
    for side in [0, 1] {
        for (at, (colour, next)) in colours.registers[side].iter().zip(&next[side]).enumerate() {
            let name = sides[side].gates.registers[at].as_str();
            let (first, value) = *firsts.entry(*colour).or_insert((name, *next));
            let literal = b.differ(*next, value);
            let what = if name == first { name.to_string() } else { format!("{name} (as {first})") };
            compared.push(Compared { what, literal });
            members.push((side, at));
        }
    }
    compared.extend(ports);
    Ok(Cycle { graph: b, compared, members })
}

/// Both sides with the same inputs, and registers kept as these literals: what they will be kept as, and what is compared. A register
/// that starts with 1 is kept inverted.
pub fn ask(
    b: &mut Builder,
    [old, new]: [&Side; 2],
    pairs: &Pairs,
    kept: [&[u32]; 2],
) -> Result<([Vec<u32>; 2], Vec<Compared>)> {
    let renamed = pairs.iter().map(|(one, other)| (wire(*other, "data"), wire(*one, "data"))).collect();
    let (next_old, one) = copy(b, &old.gates, &HashMap::new(), kept[0])?;
    let (next_new, other) = copy(b, &new.gates, &renamed, kept[1])?;
    let mut compared = vec![];
    for (name, (direction, width)) in old.ports.iter().filter(|(_, (direction, _))| *direction != "input") {
        for bit in 0..*width {
            let key = (name.clone(), bit);
            let find =
                |of: &HashMap<_, u32>| of.get(&key).copied().with_context(|| format!("{direction} {name} has no bit {bit}"));
            let literal = b.differ(find(&one)?, find(&other)?);
            compared.push(Compared { what: if *width == 1 { name.clone() } else { format!("{name}[{bit}]") }, literal });
        }
    }
    for (left, right) in pairs {
        let memory = &old.memories[*left];
        let shape = &memory.shape;
        let pin = |what: &str, bit: usize| -> Result<[u32; 2]> {
            let find = |of: &HashMap<_, u32>, memory: usize| of.get(&(wire(memory, what), bit)).copied();
            let both = find(&one, *left)
                .zip(find(&other, *right))
                .with_context(|| format!("memory {} has no {what} {bit}", memory.name))?;
            Ok([both.0, both.1])
        };
        let mut add =
            |what: String, literal| compared.push(Compared { what: format!("memory {}: {what}", memory.name), literal });
        for bit in 0..shape.reads * shape.address_bits {
            let [x, y] = pin("address", bit)?;
            add(format!("read address, bit {bit}"), b.differ(x, y));
        }
        for port in 0..shape.writes {
            let mut any = 0;
            for bit in port * shape.width..(port + 1) * shape.width {
                let [x, y] = pin("enable", bit)?;
                any = b.or(any, x);
                add(format!("write enable, bit {bit}"), b.differ(x, y));
                let [v, w] = pin("value", bit)?;
                let differs = b.differ(v, w);
                add(format!("written value, bit {bit}"), b.and(differs, x));
            }
            for bit in port * shape.address_bits..(port + 1) * shape.address_bits {
                let [x, y] = pin("place", bit)?;
                let differs = b.differ(x, y);
                add(format!("write address, bit {bit}"), b.and(differs, any));
            }
        }
    }
    Ok(([next_old, next_new], compared))
}

/// The outputs of a side, by name and bit.
type Outputs = HashMap<(String, usize), u32>;

/// One side: its next states and outputs.
fn copy(b: &mut Builder, gates: &Gates, renamed: &HashMap<String, String>, kept: &[u32]) -> Result<(Vec<u32>, Outputs)> {
    let inputs: Vec<u32> = gates.inputs.iter().map(|i| b.input(renamed.get(&i.name).unwrap_or(&i.name), i.bit)).collect();
    let inverse: Vec<u32> = gates.latches.iter().map(|(.., start)| u32::from(*start == Start::One)).collect();
    let turned = |literals: &[u32]| literals.iter().zip(&inverse).map(|(l, i)| l ^ i).collect::<Vec<u32>>();
    let (next, outputs) = b.copy(gates, &inputs, &turned(kept))?;
    Ok((turned(&next), gates.outputs.iter().zip(outputs).map(|(o, literal)| ((o.name.clone(), o.bit), literal)).collect()))
}
