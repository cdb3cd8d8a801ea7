// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The miter of a circuit without and with a fault, written as binary AIGER.
//!
//! Both copies get the same inputs and power up with the same contents. Where their next states are the same, they share the
//! register, so that only what the fault reaches stands there twice.

use super::aig::{Gates, Input, Start};
use super::netlist::SELECT;
use anyhow::{bail, Result};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Constant,
    Input,
    /// Number among the registers.
    Latch(usize),
    And(u32, u32),
}

/// What a miter asks.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// The fault; 0 for none stands on the other side.
    pub select: u64,
    /// Whether outputs are compared in the cycle of the first reset too.
    pub from_start: bool,
}

/// Two copies of a circuit under construction, with equal nodes once.
struct Builder<'a> {
    gates: &'a Gates,
    nodes: Vec<Node>,
    seen: HashMap<Node, u32>,
    /// Next states of the registers, which all power up with 0.
    next: Vec<u32>,
    inputs: HashMap<(String, usize), u32>,
    /// 0 in the first cycle, then 1.
    begun: u32,
}

impl Builder<'_> {
    fn fresh(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() as u32 - 1) * 2
    }

    fn latch(&mut self) -> u32 {
        self.next.push(0);
        self.fresh(Node::Latch(self.next.len() - 1))
    }

    fn and(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (0, _) => 0,
            (1, _) => b,
            _ if a == b => a,
            _ if a ^ 1 == b => 0,
            _ => match self.seen.get(&Node::And(a, b)) {
                Some(known) => *known,
                None => {
                    let new = self.fresh(Node::And(a, b));
                    self.seen.insert(Node::And(a, b), new);
                    new
                }
            },
        }
    }

    fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    fn choose(&mut self, which: u32, one: u32, zero: u32) -> u32 {
        let (a, b) = (self.and(which, one), self.and(which ^ 1, zero));
        self.or(a, b)
    }

    /// An input bit, with a reset in the first cycle.
    fn input(&mut self, input: &Input) -> u32 {
        let key = (input.name.clone(), input.bit);
        let free = match self.inputs.get(&key) {
            Some(known) => *known,
            None => self.fresh(Node::Input),
        };
        self.inputs.insert(key, free);
        if input.name == "reset" {
            self.or(free, self.begun ^ 1)
        } else {
            free
        }
    }

    /// What every register of a copy shows, given the register it is kept in.
    fn shown(&mut self, kept: &[u32]) -> Vec<u32> {
        let mut shown = vec![];
        for (index, (_, _, start)) in self.gates.latches.iter().enumerate() {
            shown.push(match start {
                Start::Zero => kept[index],
                Start::One => kept[index] ^ 1,
                Start::Free => {
                    let power_up = self.input(&Input { variable: 0, name: "power-up".to_string(), bit: index });
                    self.choose(self.begun, kept[index], power_up)
                }
            });
        }
        shown
    }

    /// Next states and outputs of a copy with this fault.
    fn copy(&mut self, select: u64, shown: &[u32]) -> Result<(Vec<u32>, Vec<u32>)> {
        let gates = self.gates;
        let mut values = vec![u32::MAX; gates.variables];
        values[0] = 0;
        for input in &gates.inputs {
            let chosen = (input.name == SELECT).then(|| (select >> input.bit & 1) as u32);
            values[input.variable] = match chosen {
                Some(bit) => bit,
                None => self.input(input),
            };
        }
        for ((variable, ..), value) in gates.latches.iter().zip(shown) {
            values[*variable] = *value;
        }
        let of = |values: &[u32], literal: u32| match values[literal as usize / 2] {
            u32::MAX => bail!("the AIGER file uses variable {} before it is there", literal / 2),
            value => Ok(value ^ (literal & 1)),
        };
        for (variable, a, b) in &gates.ands {
            let (a, b) = (of(&values, *a)?, of(&values, *b)?);
            values[*variable] = self.and(a, b);
        }
        let next = gates.latches.iter().map(|(_, next, start)| Ok(of(&values, *next)? ^ u32::from(*start == Start::One)));
        Ok((next.collect::<Result<_>>()?, gates.outputs.iter().map(|o| of(&values, *o)).collect::<Result<_>>()?))
    }

    /// What of the miter `bad` depends on, as binary AIGER.
    fn write(&self, bad: u32) -> Vec<u8> {
        let mut used = vec![false; self.nodes.len()];
        let mut left = vec![bad / 2];
        while let Some(node) = left.pop() {
            if std::mem::replace(&mut used[node as usize], true) {
                continue;
            }
            match self.nodes[node as usize] {
                Node::And(a, b) => left.extend([a / 2, b / 2]),
                Node::Latch(number) => left.push(self.next[number] / 2),
                _ => (),
            }
        }
        let (mut numbers, mut ends) = (vec![0u32; self.nodes.len()], vec![]);
        let class = |node: &Node| match node {
            Node::Constant => None,
            Node::Input => Some(0),
            Node::Latch(_) => Some(1),
            Node::And(..) => Some(2),
        };
        let mut order = vec![];
        for wanted in [0, 1, 2] {
            for (at, node) in self.nodes.iter().enumerate().filter(|(at, n)| used[*at] && class(n) == Some(wanted)) {
                order.push(*node);
                numbers[at] = order.len() as u32;
            }
            ends.push(order.len());
        }
        let literal = |old: u32| numbers[old as usize / 2] * 2 + (old & 1);
        let [inputs, latches, all] = ends[..] else { unreachable!("three classes") };
        let mut file = format!("aig {all} {inputs} {} 1 {}\n", latches - inputs, all - latches).into_bytes();
        for node in &order {
            if let Node::Latch(number) = node {
                file.extend(format!("{}\n", literal(self.next[*number])).bytes());
            }
        }
        file.extend(format!("{}\n", literal(bad)).bytes());
        for (at, node) in (1..).zip(&order) {
            if let Node::And(a, b) = node {
                let (high, low) = (literal(*a).max(literal(*b)), literal(*a).min(literal(*b)));
                for mut delta in [at * 2 - high, high - low] {
                    while delta >= 0x80 {
                        file.push((delta & 0x7f) as u8 | 0x80);
                        delta >>= 7;
                    }
                    file.push(delta as u8);
                }
            }
        }
        for ((name, bit), literal) in self.inputs.iter().filter(|(_, literal)| used[**literal as usize / 2]) {
            file.extend(format!("i{} {name}[{bit}]\n", numbers[*literal as usize / 2] - 1).bytes());
        }
        file
    }
}

/// The circuit without and with a fault, as binary AIGER whose one output is 1 when they differ; nothing if they never can.
pub fn miter(gates: &Gates, question: Question) -> Result<Option<Vec<u8>>> {
    let nodes = vec![Node::Constant];
    let mut b = Builder { gates, nodes, seen: HashMap::new(), next: vec![], inputs: HashMap::new(), begun: 0 };
    b.begun = b.latch();
    b.next[0] = 1;
    let kept: Vec<u32> = gates.latches.iter().map(|_| b.latch()).collect();
    let shown = b.shown(&kept);
    let (next, outputs) = b.copy(0, &shown)?;
    for (kept, next) in kept.iter().zip(&next) {
        let Node::Latch(number) = b.nodes[*kept as usize / 2] else { continue };
        b.next[number] = *next;
    }
    let mut other = kept.clone();
    let (changed, faulty) = loop {
        let shown = b.shown(&other);
        let (changed, faulty) = b.copy(question.select, &shown)?;
        let mut settled = true;
        for at in 0..kept.len() {
            if other[at] == kept[at] && changed[at] != next[at] {
                other[at] = b.latch();
                settled = false;
            }
        }
        if settled {
            break (changed, faulty);
        }
    };
    for at in (0..kept.len()).filter(|at| other[*at] != kept[*at]) {
        let Node::Latch(number) = b.nodes[other[at] as usize / 2] else { continue };
        b.next[number] = changed[at];
    }
    let mut bad = 0;
    for (one, two) in outputs.iter().zip(&faulty) {
        let differs = b.choose(*one, two ^ 1, *two);
        bad = b.or(bad, differs);
    }
    if !question.from_start {
        bad = b.and(bad, b.begun);
    }
    Ok((bad != 0).then(|| b.write(bad)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A register that takes `a`, or with `mutant` its inverse, and a second one that nobody reads.
    const TEXT: &str = "aag 8 3 2 1 3\n2\n4\n6\n8 17\n10 2 10\n8\n12 2 5\n14 3 4\n16 13 15\n";
    const MAP: &str = "input 0 0 a\ninput 1 0 mutant\ninput 2 0 reset\noutput 0 0 y\n";

    #[test]
    fn no_fault_makes_no_difference_and_a_fault_does() {
        let gates = Gates::read(TEXT, MAP).unwrap();
        assert_eq!(gates.latches[1].2, Start::Free);
        assert!(miter(&gates, Question { select: 0, from_start: true }).unwrap().is_none());
        let file = miter(&gates, Question { select: 1, from_start: false }).unwrap().unwrap();
        let text = String::from_utf8_lossy(&file);
        // One input, the register twice and the mark of the first cycle.
        assert!(
            text.starts_with("aig ") && text.lines().next().unwrap().split(' ').collect::<Vec<_>>()[2..5] == ["1", "3", "1"],
            "{text}"
        );
    }
}
