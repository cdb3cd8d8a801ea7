// SPDX-License-Identifier: Apache-2.0 OR MIT
//! And-inverter graphs under construction, in which equal nodes are shared, and their binary AIGER form.

use super::aig::Gates;
use anyhow::{ensure, Result};
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Constant,
    Input,
    /// The register with this number.
    Latch(usize),
    And(u32, u32),
}

/// The literal of a variable that is not copied yet.
const UNSET: u32 = u32::MAX;

/// A copy of a circuit in the graph: maps the circuit's variables to literals of the graph.
pub struct Copy {
    values: Vec<u32>,
}

impl Copy {
    pub fn literal_of(&self, literal: u32) -> u32 {
        self.values[literal as usize / 2] ^ (literal & 1)
    }

    /// The literals of the next states in the copy, in the order of the registers of `gates`.
    pub fn next(&self, gates: &Gates) -> Vec<u32> {
        gates.latches.iter().map(|(_, next, _)| self.literal_of(*next)).collect()
    }

    pub fn outputs(&self, gates: &Gates) -> Vec<u32> {
        gates.outputs.iter().map(|o| self.literal_of(o.literal)).collect()
    }
}

/// A graph under construction. A literal is twice the number of a node, plus 1 for its inverse. Node 0 is constantly 0. All registers power
/// up with 0.
pub struct Builder {
    nodes: Vec<Node>,
    known_nodes: HashMap<Node, u32>,
    /// Literals of the next states of the registers.
    next: Vec<u32>,
    inputs: HashMap<(String, usize), u32>,
}

impl Builder {
    pub fn new() -> Builder {
        Builder { nodes: vec![Node::Constant], known_nodes: HashMap::new(), next: vec![], inputs: HashMap::new() }
    }

    fn fresh(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        (self.nodes.len() as u32 - 1) * 2
    }

    /// Adds a register, whose next state is 0 until it is set.
    pub fn latch(&mut self) -> u32 {
        self.next.push(0);
        self.fresh(Node::Latch(self.next.len() - 1))
    }

    /// Sets the next state of a register; `latch` is the literal that [`Builder::latch`] returned. Any other literal is ignored.
    pub fn set_next(&mut self, latch: u32, next: u32) {
        if let Node::Latch(number) = self.nodes[latch as usize / 2] {
            self.next[number] = next;
        }
    }

    /// An input bit. The same name and bit always give the same literal.
    pub fn input(&mut self, name: &str, bit: usize) -> u32 {
        let key = (name.to_string(), bit);
        let literal = self.inputs.get(&key).copied().unwrap_or_else(|| self.fresh(Node::Input));
        self.inputs.insert(key, literal);
        literal
    }

    pub fn and(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        match (a, b) {
            (0, _) => 0,
            (1, _) => b,
            _ if a == b => a,
            _ if a ^ 1 == b => 0,
            _ => match self.known_nodes.get(&Node::And(a, b)) {
                Some(known) => *known,
                None => {
                    let new = self.fresh(Node::And(a, b));
                    self.known_nodes.insert(Node::And(a, b), new);
                    new
                }
            },
        }
    }

    pub fn or(&mut self, a: u32, b: u32) -> u32 {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    pub fn choose(&mut self, which: u32, when_one: u32, when_zero: u32) -> u32 {
        let (a, b) = (self.and(which, when_one), self.and(which ^ 1, when_zero));
        self.or(a, b)
    }

    pub fn differ(&mut self, a: u32, b: u32) -> u32 {
        self.choose(a, b ^ 1, b)
    }

    /// Adds a copy of `gates`. In the copy, the inputs have the literals `inputs`, and the
    /// registers the literals `shown` as their present values.
    pub fn copy(&mut self, gates: &Gates, inputs: &[u32], shown: &[u32]) -> Result<Copy> {
        let mut copy = Copy { values: vec![UNSET; gates.variables] };
        copy.values[0] = 0;
        for (input, value) in gates.inputs.iter().zip(inputs) {
            copy.values[input.variable] = *value;
        }
        for ((variable, ..), value) in gates.latches.iter().zip(shown) {
            copy.values[*variable] = *value;
        }
        for (variable, a, b) in &gates.ands {
            let (a, b) = (copy.literal_of(*a), copy.literal_of(*b));
            ensure!(a < UNSET - 1 && b < UNSET - 1, "the AIGER file uses a variable before its definition: {variable}");
            copy.values[*variable] = self.and(a, b);
        }
        let read = gates.latches.iter().map(|(_, next, _)| *next).chain(gates.outputs.iter().map(|o| o.literal));
        ensure!(read.into_iter().all(|l| copy.literal_of(l) < UNSET - 1), "the AIGER file reads an undefined variable");
        Ok(copy)
    }

    /// The part of the graph on which the literals `outputs` depend, as a binary AIGER file with
    /// these outputs.
    pub fn write(&self, outputs: &[u32]) -> Vec<u8> {
        let mut used = vec![false; self.nodes.len()];
        let mut open_nodes: Vec<u32> = outputs.iter().map(|o| o / 2).collect();
        while let Some(node) = open_nodes.pop() {
            if std::mem::replace(&mut used[node as usize], true) {
                continue;
            }
            match self.nodes[node as usize] {
                Node::And(a, b) => open_nodes.extend([a / 2, b / 2]),
                Node::Latch(number) => open_nodes.push(self.next[number] / 2),
                _ => (),
            }
        }
        let (mut numbers, mut class_ends) = (vec![0u32; self.nodes.len()], vec![]);
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
            class_ends.push(order.len());
        }
        let literal = |old: u32| numbers[old as usize / 2] * 2 + (old & 1);
        let [inputs, latches, node_count] = class_ends[..] else { unreachable!("three classes") };
        let count = outputs.len();
        let mut file =
            format!("aig {node_count} {inputs} {} {count} {}\n", latches - inputs, node_count - latches).into_bytes();
        for node in &order {
            if let Node::Latch(number) = node {
                file.extend(format!("{}\n", literal(self.next[*number])).bytes());
            }
        }
        for output in outputs {
            file.extend(format!("{}\n", literal(*output)).bytes());
        }
        for (at, node) in (1..).zip(&order) {
            if let Node::And(a, b) = node {
                let (greater, lesser) = (literal(*a).max(literal(*b)), literal(*a).min(literal(*b)));
                for mut delta in [at * 2 - greater, greater - lesser] {
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
