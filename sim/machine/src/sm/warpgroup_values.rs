// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of the products of a warpgroup: reads the factors when a product starts and when the first wait covers its group, and
//! writes the accumulator when its warp waits.

use super::super::execute::{no_matrix, Stopped};
use super::super::memory::{Bank, Memory};
use super::super::warp::threads::{bits, At};
use super::super::warp::{Factor, RunningProduct, SharedFactor, Warp};
use super::warpgroup_operands::{descriptor, Factors, Placed};
use super::Sm;
use bcu_program::arith::Packing;
use bcu_program::{GroupProduct, Instr, Major, MatrixDescriptor, Multiplicand, Op, Warpgroup, CHUNK, GROUP_WARPS};
use std::rc::Rc;

const DESCRIPTOR: &str = "wgmma_descriptor";

/// Rows of A that one warp multiplies.
const WARP_ROWS: u64 = 16;

impl Sm<'_> {
    /// The factors in shared memory of a product that a warp starts. Fails if their bytes are outside of the shared memory of the CTA.
    pub(super) fn factors(&self, index: usize, (product, lanes): (&GroupProduct, u64), at: At) -> Result<Factors, Stopped> {
        let warp = &self.warps[index];
        let first_row = (warp.warp % GROUP_WARPS) as u64 * WARP_ROWS;
        let mut factors = Factors::default();
        for (name, matrix, of_warp) in [('A', &product.a, true), ('B', &product.b, false)] {
            let Multiplicand::Shared { tile, .. } = matrix else { continue };
            let Some(bits) = descriptor(warp, matrix, lanes, self.cycle) else {
                factors.unplaced.push(format!("the descriptor of matrix {name} is unknown"));
                continue;
            };
            let Some(tile) = *tile else {
                factors.unplaced.push(format!("the form of matrix {name} is unknown"));
                continue;
            };
            let descriptor = MatrixDescriptor::of_wgmma(bits);
            if let Err(why) = tile.check(&descriptor) {
                let sentence =
                    format!("warp {}: the descriptor {bits:#x} of matrix {name} has no layout of PTX: {why}", warp.warp);
                factors.wrong = factors.wrong.take().or(Some((DESCRIPTOR, sentence, None)));
                continue;
            }
            let rows = if of_warp { first_row..first_row + WARP_ROWS } else { 0..tile.rows };
            let grid = &warp.program.grid;
            let end = tile.chunks(&descriptor, 0..tile.rows).into_iter().max().map_or(0, |last| last + CHUNK);
            let instr = warp.instr(at);
            if let Some((size, instr)) = grid.shared.map(|size| size + grid.dynamic).filter(|size| end > *size).zip(instr) {
                let why = format!(
                    "matrix {name} of this product, with the descriptor {bits:#x}, ends at byte {end} of shared memory, but the CTA has {size} bytes"
                );
                return Err(no_matrix(warp, instr, &why));
            }
            factors.placed.push(Placed { name, tile, descriptor, rows });
        }
        Ok(factors)
    }

    /// Starts the calculation of a product by one warp, with the present values of its factors and of its accumulator.
    pub(super) fn calculates(
        &mut self,
        index: usize,
        at: At,
        (instr, lanes): (&Instr, u64),
        factors: &Factors,
        memory: &Memory,
    ) {
        let Op::Warpgroup(Warpgroup::Product(product)) = &instr.op else { return };
        let registers = self.written(index, (instr, lanes));
        let warp = &self.warps[index];
        let running = self.running_product(warp, at, (product, lanes), &registers, factors, memory);
        self.warps[index].accumulators.start(&registers, running);
    }

    fn running_product(
        &self,
        warp: &Warp,
        at: At,
        (product, lanes): (&GroupProduct, u64),
        registers: &[usize],
        factors: &Factors,
        memory: &Memory,
    ) -> Option<RunningProduct> {
        let calculation = product.product?;
        let is_whole = lanes == u64::MAX >> (64 - warp.width) && warp.width == 32;
        if !is_whole || !factors.unplaced.is_empty() || factors.wrong.is_some() {
            return None;
        }
        if registers.len() != calculation.fragment_of_d().registers {
            return None;
        }
        let adds = self.adds(warp, product, lanes)?;
        let held = |register: usize| (0..warp.width).map(|lane| warp.values.get(register, lane)).collect();
        let added = adds.then(|| warp.accumulators.added(registers, held));
        let shared = |name: char| {
            let Placed { tile, descriptor, rows, .. } = factors.placed.iter().find(|placed| placed.name == name)?;
            let chunks = tile.chunks(descriptor, rows.clone());
            let packing = match tile.major {
                Major::K { .. } => Packing::ByRow,
                Major::Mn { .. } => Packing::ByStep,
            };
            let bytes = memory.chunks(Bank::Shared(warp.cta), &chunks, CHUNK as usize);
            let rows = (rows.end - rows.start) as usize;
            Some(Factor::Shared(Rc::new(SharedFactor { chunks, bytes, rows, packing })))
        };
        let (a, a_registers) = match &product.a {
            Multiplicand::Registers(operands) => {
                let of_lanes = |operand| (0..warp.width).map(|lane| warp.value(operand, lane, self.cycle)).collect();
                let values: Vec<Vec<Option<u64>>> = operands.iter().map(of_lanes).collect();
                if values.len() != calculation.fragment_of_a().registers {
                    return None;
                }
                (Factor::Registers(Rc::new(values)), super::warpgroup_operands::registers(warp, lanes, operands))
            }
            Multiplicand::Shared { .. } => (shared('A')?, vec![]),
        };
        let (b, group) = (shared('B')?, warp.products.committed);
        Some(RunningProduct { number: 0, at, group, product: calculation, a, b, a_registers, added, is_read: false })
    }

    /// Whether a product adds its accumulator; `None`: the predicate is unknown, or differs among the lanes.
    fn adds(&self, warp: &Warp, product: &GroupProduct, lanes: u64) -> Option<bool> {
        let predicate = product.others.first()?;
        let mut values = bits(lanes).map(|lane| warp.value(predicate, lane, self.cycle).map(|value| value & 1 == 1));
        let first = values.next()??;
        values.all(|value| value == Some(first)).then_some(first)
    }

    /// Ends the reads of the products of the groups before `end` in all warps of the warpgroup, and writes the results of one warp.
    pub(super) fn completes(&mut self, index: usize, end: u32, memory: &Memory) {
        let (cta, group) = (self.warps[index].cta, self.warps[index].warp / GROUP_WARPS);
        let of_group: Vec<usize> = (0..self.warp_slots.len())
            .filter_map(|slot| self.warp_slots[slot])
            .filter(|other| self.warps[*other].cta == cta && self.warps[*other].warp / GROUP_WARPS == group)
            .collect();
        for other in of_group {
            let read = |chunks: &[u64]| memory.chunks(Bank::Shared(cta), chunks, CHUNK as usize);
            self.warps[other].accumulators.before(end).for_each(|product| product.read_again(read));
        }
        let warp = &mut self.warps[index];
        for (register, result) in warp.accumulators.complete(end) {
            for (lane, value) in result.values.iter().enumerate() {
                warp.values.set(register, lane, *value);
            }
            warp.values.set_origin(register, Some(result.at));
        }
    }
}
