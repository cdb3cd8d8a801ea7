// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two sides as one question: the outputs of a graph each of which is 1 when a port or what a memory is told differs.

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

/// Memories of the same shape that were told the same; what is left over of a shape is matched in the order of the text. `Err` says
/// which shapes are not on both sides equally often.
pub fn pairs(old: &Side, new: &Side, told: [&[u64]; 2]) -> std::result::Result<Pairs, String> {
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
            let Some(found) = right.iter().position(|other| told[0][*one] == told[1][*other]) else { return true };
            pairs.push((*one, right.remove(found)));
            false
        });
        pairs.extend(left.into_iter().zip(right));
    }
    Ok(pairs)
}

/// The graph, and what its outputs compare; what can never differ is left out.
pub fn question(old: &Side, new: &Side, pairs: &Pairs) -> Result<(Builder, Vec<Compared>)> {
    let mut b = Builder::new();
    let mut renamed = HashMap::new();
    for (one, other) in pairs {
        renamed.insert(wire(*other, "data"), wire(*one, "data"));
    }
    let one = copy(&mut b, &old.gates, &HashMap::new())?;
    let other = copy(&mut b, &new.gates, &renamed)?;
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
    compared.retain(|c| c.literal != 0);
    Ok((b, compared))
}

/// One side: its outputs by name and bit.
fn copy(b: &mut Builder, gates: &Gates, renamed: &HashMap<String, String>) -> Result<HashMap<(String, usize), u32>> {
    let inputs: Vec<u32> = gates.inputs.iter().map(|i| b.input(renamed.get(&i.name).unwrap_or(&i.name), i.bit)).collect();
    let kept: Vec<u32> = gates.latches.iter().map(|_| b.latch()).collect();
    let inverse = |start: Start| u32::from(start == Start::One);
    let shown: Vec<u32> = kept.iter().zip(&gates.latches).map(|(k, (.., start))| k ^ inverse(*start)).collect();
    let (next, outputs) = b.copy(gates, &inputs, &shown)?;
    for ((kept, next), (.., start)) in kept.iter().zip(next).zip(&gates.latches) {
        b.set_next(*kept, next ^ inverse(*start));
    }
    Ok(gates.outputs.iter().zip(outputs).map(|(o, literal)| ((o.name.clone(), o.bit), literal)).collect())
}
