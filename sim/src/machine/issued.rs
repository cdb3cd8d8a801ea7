// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every arrival instruction that the unit took, with its operands as they stood at the port: an observer of a run.

use super::cycle::Cycle;
use super::wires::MissingPort;
use crate::program::Place;
use bcu_hw::isa::instr::{decode, Op, RedSource, Source};
use bcu_hw::ports::{Dir, Port};
use std::collections::HashMap;

/// An operand before the unit cuts it to its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// In the instruction word.
    Immediate(u32),
    /// From a register of its own.
    Register(u32),
    /// Id and count share a register of this value, of which each takes its bits: the id the lowest.
    Packed(u32),
}

/// A BAR or BAR_RED that the unit took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issue {
    pub cycle: u64,
    pub cta: usize,
    /// Within its CTA.
    pub warp: usize,
    /// Index in [`Issued::places`].
    pub place: usize,
    pub id: Operand,
    pub count: Operand,
}

impl Issue {
    /// The barrier at which it arrives, if the CTA has it.
    pub fn barrier(&self) -> u8 {
        let (Operand::Immediate(id) | Operand::Register(id) | Operand::Packed(id)) = self.id;
        (id & 15) as u8
    }
}

/// Where the ports stand among the inputs and among the outputs.
#[derive(Clone, Debug)]
struct At {
    valid: usize,
    word: usize,
    warp: usize,
    ra: usize,
    rb: usize,
    ready: usize,
}

/// The issues of a run; [`Issued::cycle`] is an observer for [`run`](super::run).
#[derive(Clone, Debug)]
pub struct Issued {
    at: At,
    cycle: u64,
    /// In the order of time.
    pub issues: Vec<Issue>,
    pub places: Vec<Place>,
    known: HashMap<(usize, String), usize>,
}

impl Issued {
    /// For a device with these ports.
    pub fn new(ports: &[Port]) -> Result<Issued, MissingPort> {
        let find = |dir: Dir, name: &str| {
            let direction = if dir == Dir::In { "input" } else { "output" };
            let missing = || MissingPort { name: name.to_string(), direction };
            ports.iter().filter(|p| p.dir == dir).position(|p| p.name == name).ok_or_else(missing)
        };
        let at = At {
            valid: find(Dir::In, "instr_valid")?,
            word: find(Dir::In, "instr_word_0")?,
            warp: find(Dir::In, "instr_warp")?,
            ra: find(Dir::In, "instr_ra")?,
            rb: find(Dir::In, "instr_rb")?,
            ready: find(Dir::Out, "instr_ready")?,
        };
        Ok(Issued { at, cycle: 0, issues: vec![], places: vec![], known: HashMap::new() })
    }

    /// The number of a place, if an instruction there was taken.
    pub fn place(&self, place: &Place) -> Option<usize> {
        self.known.get(&(place.line, place.text.clone())).copied()
    }

    /// Takes note of a cycle; to be called in every one, from the reset cycle on.
    pub fn cycle(&mut self, seen: &Cycle) {
        let cycle = self.cycle;
        self.cycle += 1;
        let input = |port: usize| seen.inputs.get(port).copied().unwrap_or(0);
        if cycle == 0 || input(self.at.valid) == 0 || seen.outputs.get(self.at.ready) != Some(&1) {
            return;
        }
        let word = std::array::from_fn(|i| input(self.at.word + i) as u32);
        let (ra, rb) = (input(self.at.ra) as u32, input(self.at.rb) as u32);
        let Some((id, count)) = decode(word).ok().and_then(|instr| operands(&instr.op, ra, rb)) else { return };
        let owner = seen.warp_slots.get(input(self.at.warp) as usize).copied().flatten();
        let Some(warp) = owner.and_then(|index| seen.warps.get(index)) else { return };
        let place = warp.place();
        let next = self.places.len();
        let index = *self.known.entry((place.line, place.text.clone())).or_insert(next);
        if index == next {
            self.places.push(place);
        }
        self.issues.push(Issue { cycle, cta: warp.cta, warp: warp.warp, place: index, id, count });
    }
}

/// Id and count of an arrival, given the registers named at ra and rb.
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
        Op::B2r { .. } | Op::Result { .. } | Op::R2b { .. } => return None,
    })
}
