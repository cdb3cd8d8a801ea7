// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A miter, written as binary AIGER: two copies of a circuit, one without and one with a fault,
//! whose outputs are compared.
//!
//! Both copies of the circuit get the same inputs and power up with the same contents. The copies share each register that has the same
//! next state in both, so that only the logic that the fault reaches is duplicated.

use super::netlist::SELECT;
use crate::circuit::aig::{Gates, Input, Start};
use crate::circuit::builder::Builder;
use anyhow::{ensure, Result};
use bcu_isa::op::{OpKind, StateWord};
use bcu_isa::ports::{Dir, Port, When};
use std::collections::BTreeSet;

/// The parameters of a miter.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The select value of the fault. The other copy has 0, which selects no fault.
    pub select: u64,
    /// Whether outputs are also compared in the first cycle, in which `reset` is 1.
    pub from_start: bool,
    /// The ports, if the circuit is an exported unit; otherwise empty. An output of an exported unit is compared in the cycles in which it
    /// is valid, until an input has an illegal value.
    pub ports: &'a [Port],
}

/// The two copies of the circuit under construction.
struct Copies<'a> {
    gates: &'a Gates,
    builder: Builder,
    /// Literal of a signal that is 0 in the first cycle and 1 in all later cycles.
    begun: u32,
}

impl Copies<'_> {
    /// The literal of an input bit. In the first cycle, `reset` is 1.
    fn input(&mut self, input: &Input) -> u32 {
        let literal = self.builder.input(&input.name, input.bit);
        if input.name == "reset" {
            self.builder.or(literal, self.begun ^ 1)
        } else {
            literal
        }
    }

    /// The literals of the present values of a copy's registers. All registers of the graph, whose literals are `register_literals`, power
    /// up with 0. So a register of the circuit that powers up with 1 is stored inverted. A register with an arbitrary power-up value gets
    /// that value from an input in the first cycle.
    fn shown(&mut self, register_literals: &[u32]) -> Vec<u32> {
        let mut shown = vec![];
        for (index, (_, _, start)) in self.gates.latches.iter().enumerate() {
            shown.push(match start {
                Start::Zero => register_literals[index],
                Start::Ones => register_literals[index] ^ 1,
                Start::Arbitrary => {
                    let power_up = self.builder.input("power-up", index);
                    self.builder.choose(self.begun, register_literals[index], power_up)
                }
            });
        }
        shown
    }

    /// A literal that is 1 if the port `name` is valid. The literal depends on the inputs, and on the
    /// outputs of the copy without the fault.
    fn means(&mut self, ports: &[Port], name: &str, outputs: &[u32]) -> Result<u32> {
        let mut legal = 1;
        for When { port, values } in ports.iter().filter(|p| p.name == name).flat_map(|p| &p.when) {
            let bits = self.bits(port, outputs)?;
            let mut any = 0;
            for value in values {
                let is = self.is(&bits, *value);
                any = self.builder.or(any, is);
            }
            legal = self.builder.and(legal, any);
        }
        Ok(legal)
    }

    /// The bits of a port, lowest first.
    fn bits(&mut self, port: &str, outputs: &[u32]) -> Result<Vec<u32>> {
        let gates = self.gates;
        let shown = gates.outputs.iter().zip(outputs).filter(|(o, _)| o.name == port).map(|(o, literal)| (o.bit, *literal));
        let mut bits: Vec<(usize, u32)> = shown.collect();
        for input in gates.inputs.iter().filter(|i| i.name == port) {
            bits.push((input.bit, self.input(input)));
        }
        bits.sort_unstable();
        ensure!(!bits.is_empty(), "the circuit has no port `{port}`, which the condition of another port reads");
        Ok(bits.into_iter().map(|(_, literal)| literal).collect())
    }

    /// A literal that is 1 if an input has an illegal value: a number outside of the port's enumeration, or a write of the read-only state
    /// word `result`.
    fn breach(&mut self, ports: &[Port]) -> Result<u32> {
        let mut any = 0;
        for port in ports.iter().filter(|p| p.dir == Dir::In && !p.values.is_empty()) {
            let bits = self.bits(&port.name, &[])?;
            let mut named = 0;
            for value in 0..port.values.len() as u64 {
                let is = self.is(&bits, value);
                named = self.builder.or(named, is);
            }
            any = self.builder.or(any, named ^ 1);
        }
        for port in ports.iter().filter(|p| p.dir == Dir::In && p.name.ends_with("_kind")) {
            let state = port.name.replace("_kind", "_state");
            if ports.iter().any(|p| p.dir == Dir::In && p.name == state) {
                let [kind, state] = [self.bits(&port.name, &[])?, self.bits(&state, &[])?];
                let (writes, result) = (self.is(&kind, OpKind::Write as u64), self.is(&state, StateWord::Result as u64));
                let (offered, both) = (self.offered(port)?, self.builder.and(writes, result));
                let breach = self.builder.and(offered, both);
                any = self.builder.or(any, breach);
            }
        }
        Ok(any)
    }

    /// A literal that is 1 if the channel of an input is valid; constantly 1 for an input without a
    /// channel.
    fn offered(&mut self, port: &Port) -> Result<u32> {
        let Some(channel) = &port.channel else { return Ok(1) };
        Ok(self.bits(&format!("{}_valid", channel.name), &[])?[0])
    }

    /// A literal that is 1 if `bits` equal `value`.
    fn is(&mut self, bits: &[u32], value: u64) -> u32 {
        bits.iter().enumerate().fold(1, |is, (place, bit)| self.builder.and(is, bit ^ u32::from(value >> place & 1 == 0)))
    }

    /// Adds a copy with the fault `select`. Returns the literals of its next states and outputs.
    fn copy(&mut self, select: u64, shown: &[u32]) -> Result<(Vec<u32>, Vec<u32>)> {
        let gates = self.gates;
        let mut inputs = vec![];
        for input in &gates.inputs {
            inputs.push(if input.name == SELECT { (select >> input.bit & 1) as u32 } else { self.input(input) });
        }
        let copy = self.builder.copy(gates, &inputs, shown)?;
        let mut next = copy.next(gates);
        for (next, (_, _, start)) in next.iter_mut().zip(&gates.latches) {
            *next ^= u32::from(*start == Start::Ones);
        }
        Ok((next, copy.outputs(gates)))
    }
}

/// The values that an output of a miter compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compared {
    /// All outputs of the circuit together.
    Ports,
    /// The next state of the register with this number, which the two copies share.
    Register(usize),
}

/// A binary AIGER file with an output for each comparison in `compared`. The output is 1 if the
/// compared values differ. Comparisons that cannot differ are omitted.
pub struct Miter {
    pub file: Vec<u8>,
    pub compared: Vec<Compared>,
}

/// The miter of the circuit without and with a fault. Without `twice`, all registers that the fault may reach are duplicated, and only
/// ports are compared. With `twice`, only the registers in it are duplicated, and the shared registers are compared as well.
pub fn miter(gates: &Gates, question: &Question, twice: Option<&BTreeSet<usize>>) -> Result<Miter> {
    let mut builder = Builder::new();
    let begun = builder.latch();
    builder.set_next(begun, 1);
    let mut copies = Copies { gates, builder, begun };
    let register_literals: Vec<u32> = gates.latches.iter().map(|_| copies.builder.latch()).collect();
    let shown = copies.shown(&register_literals);
    let (next, outputs) = copies.copy(0, &shown)?;
    for (register_literals, next) in register_literals.iter().zip(&next) {
        copies.builder.set_next(*register_literals, *next);
    }
    let mut second_literals = register_literals.clone();
    for at in twice.into_iter().flatten() {
        second_literals[*at] = copies.builder.latch();
    }
    let (changed, faulty) = loop {
        let shown = copies.shown(&second_literals);
        let (changed, faulty) = copies.copy(question.select, &shown)?;
        let mut settled = true;
        for at in (0..register_literals.len()).filter(|_| twice.is_none()) {
            if second_literals[at] == register_literals[at] && changed[at] != next[at] {
                second_literals[at] = copies.builder.latch();
                settled = false;
            }
        }
        if settled {
            break (changed, faulty);
        }
    };
    let mut found = vec![];
    for at in 0..register_literals.len() {
        if second_literals[at] == register_literals[at] {
            found.push((Compared::Register(at), copies.builder.differ(changed[at], next[at])));
        } else {
            copies.builder.set_next(second_literals[at], changed[at]);
        }
    }
    let mut difference = 0;
    for (output, (first, second)) in gates.outputs.iter().zip(outputs.iter().zip(&faulty)) {
        let means = copies.means(question.ports, &output.name, &outputs)?;
        let differs = copies.builder.differ(*first, *second);
        let differs = copies.builder.and(differs, means);
        difference = copies.builder.or(difference, differs);
    }
    if !question.from_start {
        difference = copies.builder.and(difference, begun);
    }
    found.push((Compared::Ports, difference));
    // After the first illegal input nothing is compared.
    let breach = copies.breach(question.ports)?;
    let mut b = copies.builder;
    let broken = if breach == 0 {
        0
    } else {
        let before = b.latch();
        let broken = b.or(before, breach);
        b.set_next(before, broken);
        broken
    };
    let counts = found.into_iter().map(|(what, differs)| (what, b.and(differs, broken ^ 1)));
    let (compared, bad): (Vec<_>, Vec<_>) = counts.filter(|(_, differs)| *differs != 0).unzip();
    Ok(Miter { file: b.write(&bad), compared })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test circuit: a register that samples `a`, or its inverse if `mutant` is 1, and a second
    /// register that is never read.
    const TEXT: &str =
        "aag 8 3 2 1 3\n2\n4\n6\n8 17\n10 2 10\n8\n12 2 5\n14 3 4\n16 13 15\ni0 a\ni1 mutant[0]\ni2 reset\no0 y\n";

    #[test]
    fn no_fault_makes_no_difference_and_a_fault_does() {
        let gates = Gates::read(TEXT).unwrap();
        assert_eq!(gates.latches[1].2, Start::Arbitrary);
        let ask = |select, from_start, ports: &[Port]| miter(&gates, &Question { select, from_start, ports }, None).unwrap();
        assert!(ask(0, true, &[]).compared.is_empty());
        let Miter { file, compared } = ask(1, false, &[]);
        assert_eq!(compared, [Compared::Ports]);
        let text = String::from_utf8_lossy(&file);
        // The miter has one input (`a`), three registers (two copies of the first register, and the
        // mark of the first cycle) and one output.
        assert!(
            text.starts_with("aig ") && text.lines().next().unwrap().split(' ').collect::<Vec<_>>()[2..5] == ["1", "3", "1"],
            "{text}"
        );
    }
    /// The output `y` of the test circuit is its first register. Here `y` is valid while `a` has
    /// one of the given values.
    #[test]
    fn a_fault_counts_only_where_its_port_means_something() {
        let gates = Gates::read(TEXT).unwrap();
        let port = |values: &[u64]| Port {
            name: "y".to_string(),
            dir: Dir::Out,
            width: 1,
            group: "",
            doc: String::new(),
            values: vec![],
            channel: None,
            when: vec![When { port: "a".to_string(), values: values.to_vec() }],
        };
        let ask = |values: &[u64]| {
            let question = Question { select: 1, from_start: false, ports: &[port(values)] };
            miter(&gates, &question, None).unwrap().compared
        };
        assert!(!ask(&[0]).is_empty() && !ask(&[1]).is_empty());
        assert!(ask(&[]).is_empty(), "a port that never means anything shows no fault");
        let ports = [Port { when: vec![When { port: "b".to_string(), values: vec![1] }], ..port(&[]) }];
        let question = Question { select: 1, from_start: false, ports: &ports };
        let error = miter(&gates, &question, None).err().unwrap().to_string();
        assert!(error.contains("no port `b`"), "{error}");
    }

    /// The first register is shared and compared, or duplicated. If `a` is an enumeration with the
    /// only value 0, an additional register stops the comparison from the first cycle with `a` = 1
    /// on.
    #[test]
    fn registers_are_compared_unless_they_stand_twice() {
        let gates = Gates::read(TEXT).unwrap();
        let ask = |ports: &[Port], twice: &[usize]| {
            let twice = twice.iter().copied().collect();
            miter(&gates, &Question { select: 1, from_start: false, ports }, Some(&twice)).unwrap()
        };
        assert_eq!(ask(&[], &[]).compared, [Compared::Register(0)]);
        assert_eq!(ask(&[], &[0]).compared, [Compared::Ports]);
        let latches = |miter: &Miter| {
            let text = String::from_utf8_lossy(&miter.file);
            text.split(' ').nth(3).map(str::to_string)
        };
        let port = Port {
            name: "a".to_string(),
            dir: Dir::In,
            width: 1,
            group: "",
            doc: String::new(),
            values: vec!["Zero".to_string()],
            channel: None,
            when: vec![],
        };
        let breach = ask(std::slice::from_ref(&port), &[0]);
        assert_eq!((latches(&ask(&[], &[0])), latches(&breach)), (Some("3".to_string()), Some("4".to_string())));
        let arbitrary_port = Port { values: vec!["Zero".to_string(), "One".to_string()], ..port };
        assert_eq!(latches(&ask(&[arbitrary_port], &[0])), Some("3".to_string()));
    }
}
