// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The order of the uses of tensor memory: a use that nothing orders after an earlier one of the same cells is reported.

use super::super::super::execute::Cells;
use super::super::super::race::TensorUse;
use super::super::super::tensor_memory::UNUSED;
use super::super::super::warp::threads::At;
use super::super::Sm;
use super::state::{TensorCores, Used};
use bcu_program::{Op, TensorCore};
use std::ops::Range;

const NOT_ORDERED: &str = "tcgen05_not_ordered";

/// An instruction that uses tensor memory now; `of` is `None` for `tcgen05.dealloc`.
pub(super) struct Using {
    pub index: usize,
    pub at: At,
    pub lanes: u64,
    pub of: Option<TensorUse>,
}

/// Cells that are read, and cells that are written.
type Touched<'c> = (&'c [(usize, Range<usize>)], &'c [(usize, Range<usize>)]);

impl Sm<'_> {
    /// The numbers of the uses that wrote these cells last, and of those that read the written ones last, and are not ordered before an
    /// instruction. The first is reported.
    pub(super) fn unordered(&mut self, using: &Using, (reads, writes): Touched) -> Vec<u32> {
        let mut earlier: Vec<u32> = vec![];
        let mut add = |number: u32| {
            // Most cells have the use of the cell before.
            if number != UNUSED && earlier.last() != Some(&number) && !earlier.contains(&number) {
                earlier.push(number);
            }
        };
        let memory = &mut self.tensor_cores.memory;
        for (cells, are_written) in [(reads, false), (writes, true)] {
            for (lane, columns) in cells {
                for column in columns.clone() {
                    let Some(cell) = memory.cell(*lane, column) else { continue };
                    add(cell.writer);
                    if are_written {
                        add(cell.reader);
                    }
                }
            }
        }
        earlier.retain(|number| !self.is_ordered(*number, using));
        if let Some(first) = earlier.first() {
            self.report_order(*first, using);
        }
        earlier
    }

    /// Whether a use is ordered before an instruction.
    fn is_ordered(&self, number: u32, using: &Using) -> bool {
        let Some(used) = self.tensor_cores.uses.get(number as usize) else { return true };
        let is_own = used.warp == using.index;
        let sees = |check: &dyn Fn(&mut super::super::super::race::Races) -> bool| {
            self.races.as_ref().is_none_or(|races| check(&mut races.borrow_mut()))
        };
        let (by, me) = ((self.issuer(used.warp), used.lane), (self.issuer(using.index), using.lanes));
        match (used.of, using.of) {
            // The tensor core performs the work of a CTA in the order of its issue.
            (TensorUse::Core, Some(TensorUse::Core)) if is_own && using.lanes == 1 << used.lane => true,
            (TensorUse::Core, Some(TensorUse::Core)) => sees(&|races| races.sees_issue(me, by, used.step)),
            // A warp reads after its loads, and stores after its transfers.
            (TensorUse::Load, Some(TensorUse::Load | TensorUse::Store)) if is_own => true,
            (TensorUse::Store, Some(TensorUse::Store)) if is_own => true,
            (TensorUse::Load, Some(TensorUse::Load)) => true,
            _ => used.is_complete && sees(&|races| races.sees_end(me, by, (used.of, number + 1))),
        }
    }

    fn report_order(&mut self, number: u32, using: &Using) {
        let Used { warp, at, of, .. } = self.tensor_cores.uses[number as usize];
        let (earlier, now) = (&self.warps[warp], &self.warps[using.index]);
        let does = match using.of {
            None => "frees tensor memory",
            Some(TensorUse::Core) if self.is_product(using.index, using.at) => "starts a product with tensor memory",
            Some(TensorUse::Core) => "starts a copy to tensor memory",
            Some(TensorUse::Load) => "loads tensor memory",
            Some(TensorUse::Store) => "stores to tensor memory",
        };
        let (what, wait) = match (of, self.is_product(warp, at)) {
            (TensorUse::Core, true) => ("a product", "a wait at an mbarrier for a `tcgen05.commit` after the product"),
            (TensorUse::Core, false) => ("a copy", "a wait at an mbarrier for a `tcgen05.commit` after the copy"),
            (TensorUse::Load, _) => ("a load", "`tcgen05.wait::ld` after the load"),
            (TensorUse::Store, _) => ("a store", "`tcgen05.wait::st` after the store"),
        };
        let now = now.warp;
        let sentence = format!(
            "warp {now} {does} that {what} of warp {} may still use: warp {now} is not ordered after {wait}",
            earlier.warp
        );
        let related = Some((earlier.warp, earlier.place_of(at), format!("warp {} starts the earlier one here", earlier.warp)));
        self.report_misuse(using.index, using.at, (NOT_ORDERED, sentence, related));
    }

    /// Whether an instruction is a product, among the work of the tensor core.
    fn is_product(&self, index: usize, at: At) -> bool {
        let op = self.warps[index].instr(at).map(|instr| &instr.op);
        matches!(op, Some(Op::TensorCore(TensorCore::Product(_))))
    }

    /// Records a use of cells, and returns its number.
    pub(super) fn begins_use(&mut self, using: &Using, (reads, writes): Touched) -> u32 {
        let step = self.races.as_ref().map_or(0, |races| races.borrow_mut().step_of(self.issuer(using.index)));
        let cores = &mut self.tensor_cores;
        let number = cores.uses.len() as u32;
        let (lane, of) = (using.lanes.trailing_zeros() as usize, using.of.unwrap_or(TensorUse::Core));
        cores.uses.push(Used { warp: using.index, lane, at: using.at, of, is_complete: false, step });
        cores.open.push(number);
        for (cells, are_written) in [(reads, false), (writes, true)] {
            for (lane, columns) in cells {
                for column in columns.clone() {
                    let Some(cell) = cores.memory.cell(*lane, column) else { continue };
                    match are_written {
                        true => (cell.writer, cell.reader) = (number, UNUSED),
                        false => cell.reader = number,
                    }
                }
            }
        }
        number
    }

    /// Records that a warp has waited for its loads, or for its stores. Returns the number after the last of them.
    pub(super) fn completes_transfers(&mut self, index: usize, of: TensorUse) {
        let TensorCores { uses, open, .. } = &mut self.tensor_cores;
        let mut last = None;
        open.retain(|number| {
            let used = &mut uses[*number as usize];
            let is_it = used.warp == index && used.of == of;
            used.is_complete |= is_it;
            last = if is_it { Some(*number) } else { last };
            !is_it
        });
        if let (Some(last), Some(races)) = (last, &self.races) {
            races.borrow_mut().waited_for_transfers(self.issuer(index), of, last + 1);
        }
    }

    /// The cells as lists, for a use that only reads or only writes.
    pub(super) fn touched(cells: &Cells, are_written: bool) -> Touched<'_> {
        if are_written {
            (&[], cells)
        } else {
            (cells, &[])
        }
    }
}
