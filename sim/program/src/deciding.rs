// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the kernel arguments on which decisions may depend: the path of lanes, and their operations at barriers.

use super::{Access, Function, Grid, Instr, Op, Operand, Slot, Space};
use crate::ptx::Param;
use std::collections::BTreeSet;

/// A kernel parameter to which the launch gives no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The index in [`Grid::params`].
    pub param: usize,
    /// Whether the parameter has the size of an address and the address of an access depends on it.
    pub pointer: bool,
}

/// The parameters of which a register has the address, or on whose values it depends; by register.
type Sources = Vec<BTreeSet<usize>>;

/// The parameters without a value on which a decision of the kernel may depend, in the order of their first use. Every value that an
/// instruction writes counts as dependent on every value that the instruction reads, independent of the order of execution.
pub fn missing(kernel: &Function, grid: &Grid) -> Vec<Missing> {
    let registers =
        kernel.instrs.iter().flat_map(|instr| instr.reads().chain(instr.written())).max().map_or(0, |last| last + 1);
    let mut addresses: Sources = vec![BTreeSet::new(); registers];
    for instr in kernel.instrs.iter().filter(|instr| matches!(instr.op, Op::Calc { .. })) {
        let named: Vec<usize> = named(&instr.place.text, &grid.params).collect();
        instr.written().for_each(|slot| addresses[slot].extend(&named));
    }
    while kernel.instrs.iter().filter(|instr| spread(instr, &mut addresses)).count() > 0 {}
    let mut found: Vec<Missing> = vec![];
    let mut sources: Sources = vec![BTreeSet::new(); registers];
    for instr in &kernel.instrs {
        for missing in unknown_parameters(instr, grid, &addresses) {
            instr.written().for_each(|slot| _ = sources[slot].insert(missing.param));
            match found.iter_mut().find(|known| known.param == missing.param) {
                Some(known) => known.pointer |= missing.pointer,
                None => found.push(missing),
            }
        }
    }
    while kernel.instrs.iter().filter(|instr| spread(instr, &mut sources)).count() > 0 {}
    let closure_of = |slots: &dyn Fn(&Instr) -> Vec<Slot>| -> BTreeSet<usize> {
        kernel.instrs.iter().flat_map(slots).flat_map(|slot| sources[slot].iter().copied()).collect()
    };
    let (deciding, addressing) = (closure_of(&decides), closure_of(&addressed_by));
    let missing = |one: Missing| Missing { pointer: one.pointer && addressing.contains(&one.param), ..one };
    found.into_iter().filter(|one| deciding.contains(&one.param)).map(missing).collect()
}

/// The parameters that the text of an instruction names.
fn named<'p>(text: &'p str, params: &'p [Param]) -> impl Iterator<Item = usize> + 'p {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let has = move |name: &str| text.split(|c| !is_name(c)).any(|word| word == name);
    params.iter().enumerate().filter(move |(_, param)| has(&param.name)).map(|(at, _)| at)
}

/// The parameters that an instruction may load, of which `grid` lacks bytes that the instruction may load. A load of 8 bytes, the size of an
/// address, marks the parameter as a possible pointer.
fn unknown_parameters(instr: &Instr, grid: &Grid, addresses: &Sources) -> Vec<Missing> {
    let Op::Access(Access { space: Space::Param, address: Some(address), offset, ty, count, .. }) = &instr.op else {
        return vec![];
    };
    let is_known = |at: u64| usize::try_from(at).ok().and_then(|at| grid.arguments.get(at)).copied().flatten().is_some();
    let bytes = (ty.bytes() * count) as u64;
    let loaded: Vec<(usize, std::ops::Range<u64>)> = match address {
        Operand::Immediate(at) => {
            let first = at.checked_add(*offset).and_then(|first| u64::try_from(first).ok());
            let Some(range) = first.map(|first| first..first.saturating_add(bytes)) else { return vec![] };
            let contains = |param: &Param| (param.offset..param.offset + param.bytes).contains(&range.start);
            grid.params.iter().position(contains).map(|at| (at, range)).into_iter().collect()
        }
        // Which bytes of a parameter are loaded by a calculated address depends on the run.
        Operand::Register { slot, .. } => {
            let range = |at: &usize| grid.params.get(*at).map(|param| (*at, param.offset..param.offset + param.bytes));
            addresses.get(*slot).into_iter().flatten().filter_map(range).collect()
        }
        _ => vec![],
    };
    let unknown = loaded.into_iter().filter(|(_, range)| !range.clone().all(is_known));
    unknown.map(|(param, _)| Missing { param, pointer: bytes == 8 && grid.params[param].bytes == 8 }).collect()
}

/// `sources` has a set for each register. Adds the sets of the registers that an instruction reads to those of the registers that the
/// instruction writes. Returns whether `sources` changed.
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

/// The register that holds the address of an access to memory.
fn addressed_by(instr: &Instr) -> Vec<Slot> {
    match &instr.op {
        Op::Access(Access { space: Space::Param, .. }) => vec![],
        Op::Access(Access { address: Some(Operand::Register { slot, .. }), .. }) => vec![*slot],
        _ => vec![],
    }
}
