// SPDX-License-Identifier: Apache-2.0 OR MIT
//! And-inverter graphs: a netlist's, read as ASCII AIGER.

use anyhow::{bail, ensure, Context, Result};
use std::collections::HashMap;

/// How a register powers up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Zero,
    One,
    /// With anything, as the words of a RAM.
    Free,
}

/// An input bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub variable: usize,
    pub name: String,
    pub bit: usize,
}

/// A circuit: literals are twice a variable, plus 1 for its inverse; variable 0 is constantly 0.
#[derive(Debug)]
pub struct Gates {
    /// Variables, the constant included.
    pub variables: usize,
    pub inputs: Vec<Input>,
    /// Variable, next state, start.
    pub latches: Vec<(usize, u32, Start)>,
    pub outputs: Vec<u32>,
    /// Variable and the literals of its and, in an order in which each comes after what it reads.
    pub ands: Vec<(usize, u32, u32)>,
}

impl Gates {
    /// Reads ASCII AIGER with the map of names that Yosys writes beside it.
    pub fn read(text: &str, map: &str) -> Result<Gates> {
        let mut names = HashMap::new();
        for line in map.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            if let ["input", index, bit, name] = words[..] {
                names.insert(index.parse::<usize>()?, (name.to_string(), bit.parse::<usize>()?));
            }
        }
        let mut lines = text.lines();
        let mut row = || -> Result<Vec<u32>> {
            let line = lines.next().context("the AIGER file ends too early")?;
            line.split_whitespace().filter(|w| *w != "aag").map(|w| Ok(w.parse()?)).collect()
        };
        let header = row()?;
        let [variables, inputs, latches, outputs, ands] = header[..5.min(header.len())] else { bail!("no AIGER header") };
        let mut gates =
            Gates { variables: variables as usize + 1, inputs: vec![], latches: vec![], outputs: vec![], ands: vec![] };
        for index in 0..inputs as usize {
            let (name, bit) = names.get(&index).cloned().context("an input without a name")?;
            gates.inputs.push(Input { variable: variable(&row()?, 0)?, name, bit });
        }
        for _ in 0..latches {
            let line = row()?;
            let start = match line.get(2) {
                None | Some(0) => Start::Zero,
                Some(1) => Start::One,
                Some(_) => Start::Free,
            };
            gates.latches.push((variable(&line, 0)?, *line.get(1).context("a latch without a next state")?, start));
        }
        for _ in 0..outputs {
            gates.outputs.extend(row()?.first());
        }
        for _ in 0..ands {
            let line = row()?;
            let [_, a, b] = line[..] else { bail!("an and without two inputs") };
            gates.ands.push((variable(&line, 0)?, a, b));
        }
        let known = |literal: u32| (literal as usize) < 2 * gates.variables;
        let all = gates.ands.iter().flat_map(|(v, a, b)| [*v as u32 * 2, *a, *b]);
        let all =
            all.chain(gates.latches.iter().flat_map(|(v, n, _)| [*v as u32 * 2, *n])).chain(gates.outputs.iter().copied());
        ensure!(all.chain(gates.inputs.iter().map(|i| i.variable as u32 * 2)).all(known), "a literal beyond the AIGER header");
        Ok(gates)
    }
}

fn variable(line: &[u32], at: usize) -> Result<usize> {
    Ok(line.get(at).context("an empty line in an AIGER file")?.div_euclid(2) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "input 0 0 a\n";

    #[test]
    fn a_broken_file_is_refused() {
        for (text, part) in
            [("", "too early"), ("aag 1 1\n", "header"), ("aag 1 1 0 0 0\n", "too early"), ("aag 1 0 0 1 0\n9\n", "beyond")]
        {
            let error = Gates::read(text, MAP).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
