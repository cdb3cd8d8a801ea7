// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the kernel arguments on which decisions may depend: the path of lanes, and their operations at barriers.

use super::{Access, Function, Instr, Op, Operand, Slot, Space};
use std::collections::BTreeSet;

/// A kernel parameter to which the launch gives no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub name: String,
    /// Whether the parameter has the size of an address and the address of an access depends on it.
    pub pointer: bool,
}

/// The parameters without a value on which a decision of the kernel may depend, in the order of their first use. Every value that an
/// instruction writes counts as dependent on every value that the instruction reads, independent of the order of execution.
pub fn missing(kernel: &Function, arguments: &[Option<u8>]) -> Vec<Missing> {
    let mut found: Vec<Missing> = vec![];
    // For each register, the parameters on which its value may depend.
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
    let closure_of = |slots: &dyn Fn(&Instr) -> Vec<Slot>| -> BTreeSet<usize> {
        kernel.instrs.iter().flat_map(slots).flat_map(|slot| sources[slot].iter().copied()).collect()
    };
    let (deciding, addressing) = (closure_of(&decides), closure_of(&addresses));
    let missing = |(number, one): (usize, Missing)| Missing { pointer: one.pointer && addressing.contains(&number), ..one };
    found.into_iter().enumerate().filter(|(number, _)| deciding.contains(number)).map(missing).collect()
}

/// The name of the parameter in the text of a load, such as `n` in `ld.param.u32 %r1, [n];`.
pub fn parameter(text: &str) -> &str {
    text.split(['[', ']']).nth(1).and_then(|inside| inside.split('+').next()).unwrap_or("NAME").trim()
}

/// The parameter that an instruction loads, if `arguments` lacks some of the loaded bytes. A load of 8 bytes, the size of an address, marks
/// the parameter as a possible pointer.
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

/// `sources` has, for each register, the parameters on which its value may depend. Adds the parameters of the registers that an instruction
/// reads to the parameters of the registers that the instruction writes. Returns whether `sources` changed.
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

/// The registers of an instruction that decide which instruction a lane executes next, or which operation it performs at a barrier.
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
