// SPDX-License-Identifier: Apache-2.0 OR MIT
//! And-inverter graphs: the graph of a netlist, read as ASCII AIGER.

use anyhow::{bail, ensure, Context, Result};
use std::collections::HashMap;

/// The power-up value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    Zero,
    Ones,
    /// An arbitrary value, as for the words of a RAM.
    Arbitrary,
}

/// An input bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    pub variable: usize,
    pub name: String,
    pub bit: usize,
}

/// An output bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub literal: u32,
    pub name: String,
    pub bit: usize,
}

/// A circuit. A literal is twice the number of a variable, plus 1 for its inverse. Variable 0 is constantly 0.
#[derive(Debug)]
pub struct Gates {
    /// Number of variables, including the constant.
    pub variables: usize,
    pub inputs: Vec<Input>,
    /// For each register: its variable, the literal of its next state, and its power-up value.
    pub latches: Vec<(usize, u32, Start)>,
    /// For each register, in the order of `latches`: its name in the Verilog text, and the index of
    /// the bit.
    pub registers: Vec<(String, usize)>,
    pub outputs: Vec<Output>,
    /// For each AND: its variable and the literals of its two inputs. Each AND follows the ANDs
    /// that it reads.
    pub ands: Vec<(usize, u32, u32)>,
}

impl Gates {
    /// Reads ASCII AIGER with symbols.
    pub fn read(text: &str) -> Result<Gates> {
        let names: HashMap<&str, (String, usize)> = text.lines().filter_map(symbol).collect();
        let name = |kind: char, index: usize| names.get(format!("{kind}{index}").as_str()).cloned();
        let mut lines = text.lines();
        let mut row = || -> Result<Vec<u32>> {
            let line = lines.next().context("the AIGER file ends too early")?;
            line.split_whitespace().filter(|w| *w != "aag").map(|w| Ok(w.parse()?)).collect()
        };
        let header = row()?;
        let [variables, inputs, latches, outputs, ands] = header[..5.min(header.len())] else { bail!("no AIGER header") };
        let mut gates = Gates {
            variables: variables as usize + 1,
            inputs: vec![],
            latches: vec![],
            registers: vec![],
            outputs: vec![],
            ands: vec![],
        };
        for index in 0..inputs as usize {
            let variable = variable(&row()?, 0)?;
            let (name, bit) = name('i', index).context("an input without a name")?;
            gates.inputs.push(Input { variable, name, bit });
        }
        for index in 0..latches as usize {
            let line = row()?;
            let start = match line.get(2) {
                None | Some(0) => Start::Zero,
                Some(1) => Start::Ones,
                Some(_) => Start::Arbitrary,
            };
            gates.registers.push(name('l', index).unwrap_or(("register".to_string(), index)));
            gates.latches.push((variable(&line, 0)?, *line.get(1).context("a latch without a next state")?, start));
        }
        for index in 0..outputs as usize {
            let literal = *row()?.first().context("an output without a literal")?;
            let (name, bit) = name('o', index).context("an output without a name")?;
            gates.outputs.push(Output { literal, name, bit });
        }
        for _ in 0..ands {
            let line = row()?;
            let [_, a, b] = line[..] else { bail!("an and without two inputs") };
            gates.ands.push((variable(&line, 0)?, a, b));
        }
        let known = |literal: u32| (literal as usize) < 2 * gates.variables;
        let literals = gates.ands.iter().flat_map(|(v, a, b)| [*v as u32 * 2, *a, *b]);
        let literals = literals
            .chain(gates.latches.iter().flat_map(|(v, n, _)| [*v as u32 * 2, *n]))
            .chain(gates.outputs.iter().map(|o| o.literal));
        ensure!(
            literals.chain(gates.inputs.iter().map(|i| i.variable as u32 * 2)).all(known),
            "a literal beyond the AIGER header"
        );
        Ok(gates)
    }
}

/// Parses a line of the symbol table, such as `o3 release_warps[2]`, into the key `o3`, the name
/// and the index of the bit, which is 0 without brackets.
fn symbol(line: &str) -> Option<(&str, (String, usize))> {
    let (place, name) = line.split_once(' ').filter(|(place, _)| place.starts_with(['i', 'o', 'l']))?;
    let name = name.split(' ').next()?;
    let bit = name.strip_suffix(']').and_then(|n| n.rsplit_once('[')).and_then(|(n, bit)| Some((n, bit.parse().ok()?)));
    let (name, bit) = bit.unwrap_or((name, 0));
    Some((place, (name.to_string(), bit)))
}

fn variable(line: &[u32], at: usize) -> Result<usize> {
    Ok(line.get(at).context("an empty line in an AIGER file")?.div_euclid(2) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_is_refused() {
        for (text, part) in [
            ("", "too early"),
            ("aag 1 1\n", "header"),
            ("aag 1 1 0 0 0\n", "too early"),
            ("aag 1 0 0 1 0\n9\no0 y\n", "beyond"),
        ] {
            let error = Gates::read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
