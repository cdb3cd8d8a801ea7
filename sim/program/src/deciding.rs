// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which arguments of a kernel its decisions may hang on: where lanes go, and what they do at barriers.

use super::{Access, Function, Instr, Op, Operand, Slot, Space};
use std::collections::BTreeSet;

/// A parameter of a kernel whose value nobody gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub name: String,
    /// It has the size of an address, and addresses of accesses are made of it.
    pub pointer: bool,
}

/// The parameters without a value on which a decision of the kernel may hang, in the order of their first use. What an instruction
/// reads is taken to matter for all that it writes, in whatever order instructions are executed.
pub fn missing(kernel: &Function, arguments: &[Option<u8>]) -> Vec<Missing> {
    let mut found: Vec<Missing> = vec![];
    // By register, the parameters that its value may come from.
    let registers =
        kernel.instrs.iter().flat_map(|instr| instr.reads().chain(instr.written())).max().map_or(0, |last| last + 1);
    let mut sources: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); registers];
    for instr in &kernel.instrs {
        let Some(missing) = unknown_parameter(instr, arguments) else { continue };
        let number = found.iter().position(|known| known.name == missing.name).unwrap_or(found.len());
        if number == found.len() {
            found.push(missing);
        }
        for slot in instr.written() {
            sources[slot].insert(number);
        }
    }
    while kernel.instrs.iter().filter(|instr| spread(instr, &mut sources)).count() > 0 {}
    let of = |slots: &dyn Fn(&Instr) -> Vec<Slot>| -> BTreeSet<usize> {
        kernel.instrs.iter().flat_map(slots).flat_map(|slot| sources[slot].iter().copied()).collect()
    };
    let (deciding, addressing) = (of(&decides), of(&addresses));
    let missing = |(number, one): (usize, Missing)| Missing { pointer: one.pointer && addressing.contains(&number), ..one };
    found.into_iter().enumerate().filter(|(number, _)| deciding.contains(number)).map(missing).collect()
}

/// The parameter that a load names in its text.
pub fn parameter(text: &str) -> &str {
    text.split(['[', ']']).nth(1).and_then(|inside| inside.split('+').next()).unwrap_or("NAME").trim()
}

/// The parameter that an instruction loads, if nobody has given all its bytes; a pointer if it has the size of one.
fn unknown_parameter(instr: &Instr, arguments: &[Option<u8>]) -> Option<Missing> {
    let Op::Access(Access { space: Space::Param, address: Some(Operand::Immediate(at)), offset, ty, count, .. }) = &instr.op
    else {
        return None;
    };
    let first = usize::try_from(at.checked_add(*offset)?).ok()?;
    let known = |at: usize| arguments.get(at).copied().flatten().is_some();
    let all_known = (first..first + ty.bytes() * count).all(known);
    (!all_known).then(|| Missing { name: parameter(&instr.place.text).to_string(), pointer: ty.bytes() == 8 })
}

/// What an instruction writes may come from all that it reads; true if that is news.
fn spread(instr: &Instr, sources: &mut [BTreeSet<usize>]) -> bool {
    let read: BTreeSet<usize> = instr.reads().flat_map(|slot| sources[slot].iter().copied()).collect();
    let mut news = false;
    for slot in instr.written() {
        let before = sources[slot].len();
        sources[slot].extend(&read);
        news |= sources[slot].len() > before;
    }
    news
}

/// The registers that decide where lanes go, and what they do at barriers.
fn decides(instr: &Instr) -> Vec<Slot> {
    match instr.op {
        Op::Branch { .. } | Op::Return | Op::Exit => instr.guard.map(|guard| guard.slot).into_iter().collect(),
        Op::Switch { .. } | Op::Barrier(_) | Op::Meet { .. } | Op::Word(_) => instr.reads().collect(),
        _ => vec![],
    }
}

/// The register that holds the address of an access.
fn addresses(instr: &Instr) -> Vec<Slot> {
    match &instr.op {
        Op::Access(Access { address: Some(Operand::Register { slot, .. }), .. }) => vec![*slot],
        _ => vec![],
    }
}
