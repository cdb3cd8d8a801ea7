// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An observer of a run: it records every arrival instruction that the unit accepts, with the
//! operands at the port.

use super::cycle::Cycle;
use super::unit;
use super::wires::{words, MissingPort};
use bcu_isa::instr::{decode, Op, RedSource, Source};
use bcu_isa::ports::Port;
use bcu_model::dut::{ByName, Input, Output};
use bcu_program::Place;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// An operand before the unit cuts it to the width of its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// An immediate in the instruction word.
    Immediate(u32),
    /// The value of a separate register.
    Register(u32),
    /// The value of a register that holds both id and count; the id is in the lowest bits.
    Packed(u32),
}

/// A BAR or BAR_RED that the unit accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    pub cycle: u64,
    pub cta: usize,
    /// The number of the warp within its CTA.
    pub warp: usize,
    /// Index in [`Issued::places`].
    pub place: usize,
    pub id: Operand,
    pub count: Operand,
}

impl Issue {
    /// The id of the barrier at which the instruction arrives; the CTA may lack this barrier.
    pub fn barrier(&self) -> u8 {
        let (Operand::Immediate(id) | Operand::Register(id) | Operand::Packed(id)) = self.id;
        (id & 15) as u8
    }
}

/// The ports of the instruction channel.
#[derive(Clone, Debug)]
struct At {
    valid: Input,
    word: [Input; 4],
    warp: Input,
    ra: Input,
    rb: Input,
    ready: Output,
}

/// The issues of a run; [`Issued::cycle`] is an observer for [`run`](super::run).
#[derive(Clone, Debug)]
pub struct Issued {
    /// For each multiprocessor, its instruction channel, and the ranges of its input and output ports.
    at: Vec<(At, [Range<usize>; 2])>,
    /// All issues, in order of time.
    pub issues: Vec<Issue>,
    pub places: Vec<Place>,
    known: HashMap<(usize, Arc<str>), usize>,
}

impl Issued {
    /// An observer for a device with the ports `ports`.
    pub fn new(ports: &[Port]) -> Result<Issued, MissingPort> {
        let at = |ports: &[Port]| {
            Ok::<_, MissingPort>(At {
                valid: ports.input("instr_valid")?,
                word: words(ports)?,
                warp: ports.input("instr_warp")?,
                ra: ports.input("instr_ra")?,
                rb: ports.input("instr_rb")?,
                ready: ports.output("instr_ready")?,
            })
        };
        let parts = unit::parts(ports).into_iter().map(|(port_names, places)| Ok((at(&port_names)?, places)));
        let at: Vec<_> = parts.collect::<Result<_, MissingPort>>()?;
        Ok(Issued { at, issues: vec![], places: vec![], known: HashMap::new() })
    }

    /// The index of a location; `None` if the unit has accepted no instruction there.
    pub fn place(&self, place: &Place) -> Option<usize> {
        self.known.get(&(place.line, place.text.clone())).copied()
    }

    /// Records a cycle; to be called in every cycle in which something changes.
    pub fn cycle(&mut self, observed: &Cycle) {
        let cycle = observed.number;
        if cycle == 0 {
            return;
        }
        for sm in 0..self.at.len() {
            self.issued(cycle, sm, observed);
        }
    }

    /// Records the instruction that the unit accepts from multiprocessor `sm` in this cycle, if the instruction is an arrival.
    fn issued(&mut self, cycle: u64, sm: usize, observed: &Cycle) {
        let (at, [inputs, outputs]) = &self.at[sm];
        let inputs = observed.inputs.get(inputs.clone()).unwrap_or(&[]);
        let input = |port: Input| port.read(inputs);
        if input(at.valid) == 0 || at.ready.read(observed.outputs.get(outputs.clone()).unwrap_or(&[])) != 1 {
            return;
        }
        let word = at.word.map(|word| input(word) as u32);
        let (ra, rb) = (input(at.ra) as u32, input(at.rb) as u32);
        let Some((id, count)) = decode(word).ok().and_then(|instr| operands(&instr.op, ra, rb)) else { return };
        let Some(warp) = observed.owner_in(sm, input(at.warp) as usize) else { return };
        let place = warp.place();
        let next = self.places.len();
        let index = *self.known.entry((place.line, place.text.clone())).or_insert(next);
        if index == next {
            self.places.push(place);
        }
        self.issues.push(Issue { cycle, cta: warp.cta, warp: warp.warp, place: index, id, count });
    }
}

/// Id and count of an arrival, given the values of the registers ra and rb.
fn operands(op: &Op, ra: u32, rb: u32) -> Option<(Operand, Operand)> {
    use Operand::{Immediate, Packed, Register};
    Some(match *op {
        Op::Bar { source: Source::I { id, count }, .. } | Op::Red { source: RedSource::I { id, count }, .. } => {
            (Immediate(id.into()), Immediate(count.into()))
        }
        Op::Bar { source: Source::Rr { .. }, .. } => (Register(ra), Register(rb)),
        Op::Bar { source: Source::Rri { count, .. }, .. } | Op::Red { source: RedSource::Rri { count, .. }, .. } => {
            (Register(rb), Immediate(count.into()))
        }
        Op::Bar { source: Source::Rir { id, .. }, .. } | Op::Red { source: RedSource::Rir { id, .. }, .. } => {
            (Immediate(id.into()), Register(rb))
        }
        Op::Red { source: RedSource::Packed(_), .. } => (Packed(rb), Packed(rb)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{run_with, Machine, Observer, Verdict};
    use bcu_isa::config::named;
    use bcu_model::{by_name, Sizes};
    use bcu_program::{load, Kind, Launch};

    #[test]
    fn arrivals_on_each_multiprocessor_have_their_warps() {
        // Each multiprocessor has three warp slots, and a port for the warp number of two bits.
        let config = bcu_isa::config::Config { warps: 3, ..named("tiny").unwrap() };
        let machine = Machine::parse("sms = 2\n[[cta]]\ncount = 2\nwarps = 3").unwrap();
        let loaded = load(Kind::Bcu, "BAR.SYNC 0\n", &Launch::new(config.lanes as u32)).unwrap();
        let ports = by_name("gpu", Sizes::try_from(&config).unwrap()).unwrap().ports().to_vec();
        let mut issued = Issued::new(&ports).unwrap();
        let report = run_with(
            None,
            &config,
            &machine,
            &loaded.programs,
            &mut vec![],
            Observer::of_changes(&mut |cycle| issued.cycle(cycle)),
        )
        .unwrap();
        assert_eq!(report.verdict, Verdict::Completed, "{report}");
        let multiprocessors: Vec<_> = report.warps.iter().map(|warp| warp.multiprocessor).collect();
        assert_eq!(multiprocessors, [Some(0), Some(0), Some(0), Some(1), Some(1), Some(1)]);
        let mut arrivals: Vec<_> = issued.issues.iter().map(|issue| (issue.cta, issue.warp)).collect();
        arrivals.sort_unstable();
        assert_eq!(arrivals, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    }
}
