// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of tensor memory: transfers between registers and cells at their issue, products and copies when they are due.

use super::super::super::execute::{Action, Cells, Factor, Multiplication, TensorWork};
use super::super::super::memory::{Bank, Memory};
use super::super::super::race::TensorUse;
use super::super::super::warp::threads::{bits, At};
use super::super::super::warp::{Chosen, RegisterUse};
use super::super::Sm;
use super::order::Using;
use super::state::{Queued, TensorCores};
use bcu_program::arith::{Calc, Element, Format, Numbers, Operation, TensorProduct};
use bcu_program::{CopyShape, Op, Operand, ProductShape, Transfer, CHUNK};
use std::ops::Range;
use std::rc::Rc;

/// Bytes of a cell.
const CELL: u64 = 4;

const NOT_WAITED: &str = "tcgen05_not_waited";

impl Sm<'_> {
    /// Performs `tcgen05.ld`. Its registers get their values at the wait. A cell whose writer is not ordered before the load is unknown.
    pub(super) fn load(&mut self, index: usize, at: At, lanes: u64, (transfer, origin): (&Transfer, (usize, usize))) {
        let cells = transfer.cells(origin);
        let using = Using { index, at, lanes, of: Some(TensorUse::Load) };
        let unordered = self.unordered(&using, Self::touched(&cells, false));
        self.begins_use(&using, Self::touched(&cells, false));
        let warp = &mut self.warps[index];
        let Some(instr) = warp.code().clone().instr(at.function, at.instr).cloned() else { return };
        let base = bits(lanes).next().map_or(0, |lane| warp.threads.base[lane]);
        let memory = &mut self.tensor_cores.memory;
        for (register, slot) in instr.writes.iter().enumerate() {
            let Some(slot) = slot else { continue };
            let value = |lane: usize| {
                let (row, column) = transfer.cell(lane, register);
                let (lane, column) = (origin.0 + row, origin.1 + column);
                let mut part = |column: usize| {
                    let cell = memory.cell(lane, column).filter(|cell| !unordered.contains(&cell.writer))?;
                    if transfer.packed {
                        cell.half()
                    } else {
                        cell.value()
                    }
                };
                let low = part(column)?;
                let high = if transfer.packed { part(column + 1)? } else { 0 };
                Some(u64::from(low | high << 16))
            };
            let values: Rc<[Option<u64>]> = (0..warp.width).map(value).collect();
            warp.tensor_loads.start(base + slot, values, at);
        }
    }

    /// Performs `tcgen05.st`.
    pub(super) fn store(
        &mut self,
        index: usize,
        at: At,
        lanes: u64,
        (transfer, origin): (&Transfer, (usize, usize)),
        stored: &[Vec<Option<u64>>],
    ) {
        let cells = transfer.cells(origin);
        let using = Using { index, at, lanes, of: Some(TensorUse::Store) };
        self.unordered(&using, Self::touched(&cells, true));
        self.begins_use(&using, Self::touched(&cells, true));
        let memory = &mut self.tensor_cores.memory;
        for (register, values) in stored.iter().enumerate() {
            for lane in bits(lanes) {
                let value = values.get(lane).copied().flatten().map(|value| value as u32);
                let (row, column) = transfer.cell(lane, register);
                let (lane, column) = (origin.0 + row, origin.1 + column);
                if !transfer.packed {
                    memory.cell(lane, column).into_iter().for_each(|cell| cell.set(value));
                    continue;
                }
                for (column, value) in [(column, value), (column + 1, value.map(|value| value >> 16))] {
                    memory.cell(lane, column).into_iter().for_each(|cell| cell.set_half(value));
                }
            }
        }
    }

    /// Performs `tcgen05.wait::ld` or `tcgen05.wait::st`.
    pub(super) fn waits_for_transfers(&mut self, index: usize, stores: bool) {
        self.completes_transfers(index, if stores { TensorUse::Store } else { TensorUse::Load });
        if stores {
            return;
        }
        self.loaded_values_arrive(index);
    }

    /// Gives registers the values that loads have.
    fn loaded_values_arrive(&mut self, index: usize) {
        let warp = &mut self.warps[index];
        for (register, values) in warp.tensor_loads.take() {
            values.iter().enumerate().for_each(|(lane, value)| warp.values.set(register, lane, *value));
        }
    }

    /// Reports an instruction that uses a register of a load that the warp has not waited for.
    pub(super) fn uses_loaded_registers(&mut self, index: usize, chosen: Chosen) {
        let warp = &self.warps[index];
        let code = warp.code().clone();
        let Some(instr) = code.instr(chosen.at.function, chosen.at.instr) else { return };
        // Compilers move uses of the registers ahead of the wait in the same block; the assembler keeps the dependence.
        let function = code.functions.get(chosen.at.function);
        if function.is_some_and(|function| function.awaits_tensor_loads(chosen.at.instr)) {
            return self.loaded_values_arrive(index);
        }
        let lanes = warp.active(instr.guard, chosen.lanes).executing;
        let Some(base) = bits(lanes).next().map(|lane| warp.threads.base[lane]) else { return };
        if matches!(instr.op, Op::Return) && chosen.depth > 0 {
            self.warps[index].tensor_loads.returns(base);
            return;
        }
        let read: Vec<usize> = instr.reads().map(|slot| base + slot).collect();
        let written: Vec<usize> = instr.written().map(|slot| base + slot).collect();
        let moved = match &instr.op {
            Op::Calc { calc: Calc { op: Operation::Move(_), .. }, sources } => sources.first().zip(written.first()),
            _ => None,
        };
        let used = match moved {
            Some((Operand::Register { slot, negated: false }, to)) if written.len() == 1 => {
                RegisterUse::Copied { from: base + slot, to: *to }
            }
            _ => RegisterUse::Used { read: &read, written: &written },
        };
        let Some((register, of)) = self.warps[index].tensor_loads.use_registers(&used) else { return };
        let warp = &self.warps[index];
        let name = register.checked_sub(base).and_then(|slot| function?.registers.get(slot));
        let name = name.map_or("a register".to_string(), |name| format!("`{name}`"));
        let uses = if read.contains(&register) { "reads" } else { "writes" };
        let sentence = format!("warp {} {uses} {name} of `tcgen05.ld` before `tcgen05.wait::ld`", warp.warp);
        let related = Some((warp.warp, warp.place_of(of), "the load is here".to_string()));
        self.report_misuse(index, chosen.at, (NOT_WAITED, sentence, related));
    }

    /// Performs the products and copies that are due.
    pub(in super::super) fn performs_tensor_work(&mut self, memory: &mut Memory) -> bool {
        let mut has_performed = false;
        while self.tensor_cores.next_due().is_some_and(|due| due <= self.cycle) {
            let Some(Queued { number, work, .. }) = self.tensor_cores.queue.pop_front() else { break };
            let warp = self.tensor_cores.uses[number as usize].warp;
            let bank = Bank::Shared(self.warps[warp].cta);
            self.tensor_cores.perform(work, &|at, bytes| memory.read(bank, at, bytes as usize).map(|bits| bits as u32));
            has_performed = true;
        }
        has_performed
    }
}

/// The value of bytes of shared memory.
type Shared<'m> = &'m dyn Fn(u64, u64) -> Option<u32>;

impl TensorCores {
    fn perform(&mut self, TensorWork { writes, action, chunks, .. }: TensorWork, shared: Shared) {
        match action {
            None => self.forget(&writes),
            Some(Action::Copy { shape, to }) => self.copy(shape, &chunks, to, shared),
            Some(Action::Product(product)) => self.multiply(&product, shared),
        }
    }

    fn forget(&mut self, cells: &Cells) {
        for (lane, columns) in cells {
            for column in columns.clone() {
                self.memory.cell(*lane, column).into_iter().for_each(|cell| cell.set(None));
            }
        }
    }

    fn copy(&mut self, shape: CopyShape, chunks: &[u64], (lane, column): (usize, usize), shared: Shared) {
        for row in 0..shape.rows() {
            for word in 0..shape.chunks() * (CHUNK / CELL) {
                let chunk = chunks.get((row * shape.chunks() + word * CELL / CHUNK) as usize);
                let value = chunk.and_then(|chunk| shared(chunk + word * CELL % CHUNK, CELL));
                for of in shape.lanes(row as usize) {
                    let cell = self.memory.cell(lane + of, column + word as usize);
                    cell.into_iter().for_each(|cell| cell.set(value));
                }
            }
        }
    }

    fn multiply(&mut self, product: &Multiplication, shared: Shared) {
        let Multiplication { shape, a, b, d, adds, scale, disabled } = product;
        let [a_is_transposed, b_is_transposed] = shape.transposed;
        let a = match a {
            Factor::Shared(chunks) => elements(shape, chunks, shape.m, a_is_transposed, shared),
            Factor::Cells(lane, column) => self.elements(shape, (*lane, *column)),
        };
        let b = elements(shape, b, shape.n, b_is_transposed, shared);
        let is_wide = shape.d == Format::F32;
        let places = |shape: &ProductShape| {
            let (m, n, shape) = (shape.m, shape.n, *shape);
            (0..m).flat_map(move |row| (0..n).map(move |column| (d.0 + shape.lane(row), d.1 + column)))
        };
        let added: Option<Vec<Option<u64>>> = adds.then(|| {
            let mut value = |(lane, column)| {
                let cell = self.memory.cell(lane, column)?;
                if is_wide {
                    cell.value()
                } else {
                    cell.half()
                }
            };
            places(shape).map(|place| value(place).map(u64::from)).collect()
        });
        let calculation = TensorProduct {
            a: shape.a,
            b: shape.b,
            d: Element::Float(shape.d),
            n: shape.n,
            k: shape.k,
            negated: [shape.is_negated, false],
            scale: *scale,
            saturate: false,
        };
        let (a, b) = (Numbers::from_elements(shape.a, shape.k, &a), Numbers::from_elements(shape.b, shape.k, &b));
        let results = calculation.multiply(a, b, added.as_deref());
        for ((lane, column), value) in places(shape).zip(results) {
            let value = value.map(|value| value as u32);
            let Some(cell) = self.memory.cell(lane, column).filter(|_| disabled >> lane & 1 == 0) else { continue };
            match is_wide {
                true => cell.set(value),
                false => cell.set_half(value),
            }
        }
    }

    /// The elements of A in tensor memory, row by row.
    fn elements(&mut self, shape: &ProductShape, (lane, column): (usize, usize)) -> Vec<Option<u32>> {
        let each = shape.elements_in(CELL) as usize;
        let bits = 32 / each;
        let mut found = Vec::with_capacity(shape.m * shape.k);
        for row in 0..shape.m {
            for k in 0..shape.k {
                let cell = self.memory.cell(lane + shape.lane(row), column + k / each).and_then(|cell| cell.value());
                found.push(cell.map(|value| value >> (bits * (k % each)) & (u32::MAX >> (32 - bits))));
            }
        }
        found
    }
}

/// The elements of a matrix in shared memory: rows of A, or columns of B, one after the other.
fn elements(shape: &ProductShape, chunks: &[u64], rows: usize, is_transposed: bool, shared: Shared) -> Vec<Option<u32>> {
    let each = shape.elements_in(CHUNK);
    let bytes = CHUNK / each;
    let element = |row: u64, k: u64| {
        // A chunk holds elements along K, or along M or N.
        let (line, along, length) = if is_transposed { (k, row, rows) } else { (row, k, shape.k) };
        let chunk = chunks.get((line * (length as u64 / each) + along / each) as usize)?;
        shared(chunk + along % each * bytes, bytes)
    };
    let range = |end: usize| -> Range<u64> { 0..end as u64 };
    range(rows).flat_map(|row| range(shape.k).map(move |k| (row, k))).map(|(row, k)| element(row, k)).collect()
}
