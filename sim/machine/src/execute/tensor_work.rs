// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The products and copies of `tcgen05`: the cells and the bytes of shared memory that they use, with all checks.

use super::super::memory::{AccessRange, Use};
use super::super::tensor_memory::TensorMemory;
use super::address::place_at;
use super::tensor_core::{Action, Cells, Factor, Multiplication, Operands, TensorWork};
use super::Stopped;
use bcu_program::window::RANK_AT;
use bcu_program::{
    decode_matrix, CopyShape, Major, Operand, Space, TensorAddress, TensorMatrix, TensorMultiply, Tile, CHUNK, TENSOR_LANES,
};

/// The columns that a chunk of shared memory fills.
const CHUNK_COLUMNS: usize = 4;

impl Operands<'_, '_> {
    /// The chunks of a matrix in shared memory: row by row, or step by step along K if it is transposed. `None`: a layout that is not
    /// calculated.
    fn matrix(&self, lane: usize, (descriptor, name): (&Operand, &str), tile: Tile) -> Result<Option<Vec<u64>>, Stopped> {
        let value = self.value(descriptor, lane, &format!("matrix descriptor of {name}"))?;
        let matrix = decode_matrix(value, tile.major)
            .map_err(|why| self.wrong(lane, format!("the matrix descriptor {value:#x} of {name} is no layout: {why}")))?;
        let Some(matrix) = matrix else { return Ok(None) };
        let chunks = tile.chunks(&matrix, 0..tile.rows);
        for at in &chunks {
            let address = at + ((self.warp.rank as u64) << RANK_AT);
            let range = AccessRange { space: Space::Shared, address, bytes: CHUNK, align: CHUNK, how: Use::Load };
            place_at(self.warp, self.instr, range, lane, self.env)?;
        }
        Ok(Some(chunks))
    }

    pub(super) fn copy(
        &self,
        lane: usize,
        (to, descriptor, shape): (&TensorAddress, &Operand, Option<CopyShape>),
        memory: &TensorMemory,
    ) -> Result<TensorWork, Stopped> {
        let (first, column) = self.origin(to, Some(lane))?;
        let Some(shape) = shape else {
            let writes = self.rest(first, column, memory);
            let unknown = Some("a form of `tcgen05.cp`".to_string());
            return Ok(TensorWork { reads: vec![], writes, chunks: vec![], action: None, unknown });
        };
        let columns = column..column + shape.chunks() as usize * CHUNK_COLUMNS;
        let lanes = (0..shape.rows() as usize).flat_map(|row| shape.lanes(row));
        let writes = self.allocated(lane, lanes.map(|of| (first + of, columns.clone())).collect(), memory)?;
        let tile = Tile { rows: shape.rows(), major: Major::K { chunks: shape.chunks() } };
        let Some(chunks) = self.matrix(lane, (descriptor, "the source"), tile)? else {
            let unknown = Some("a layout of shared memory".to_string());
            return Ok(TensorWork { reads: vec![], writes, chunks: vec![], action: None, unknown });
        };
        let action = Some(Action::Copy { shape, to: (first, column) });
        Ok(TensorWork { reads: vec![], writes, chunks, action, unknown: None })
    }

    /// The allocated cells from a column on, whose sizes an instruction that is not calculated does not state here.
    fn rest(&self, lane: usize, column: usize, memory: &TensorMemory) -> Cells {
        let allocations = memory.allocations.iter().filter(|of| of.cta == self.warp.cta);
        let columns =
            allocations.map(|of| of.first.max(column)..of.first + of.columns).find(|columns| columns.contains(&column));
        (lane..TENSOR_LANES).zip(std::iter::repeat(columns)).filter_map(|(lane, columns)| Some((lane, columns?))).collect()
    }

    pub(super) fn product(&self, lane: usize, product: &TensorMultiply, memory: &TensorMemory) -> Result<TensorWork, Stopped> {
        let d = self.origin(&product.d, Some(lane))?;
        let Some(kind) = product.kind else {
            let writes = self.rest(0, d.1, memory);
            let unknown = Some("a kind of `tcgen05.mma`".to_string());
            return Ok(TensorWork { reads: vec![], writes, chunks: vec![], action: None, unknown });
        };
        let descriptor = self.value(&product.instruction, lane, "instruction descriptor")? as u32;
        let shape = kind
            .decode(descriptor)
            .map_err(|why| self.wrong(lane, format!("the instruction descriptor {descriptor:#x} is wrong: {why}")))?;
        let is_aligned = |first: usize| first == 0 || first == 16 && shape.m == 64;
        let aligned = |first: usize, name: &str| match is_aligned(first) {
            true => Ok(()),
            false => {
                let expected = if shape.m == 64 { "0 or 16" } else { "0" };
                let m = shape.m;
                Err(self.wrong(lane, format!("{name} begins at lane {first}; with M = {m} expected {expected}")))
            }
        };
        aligned(d.0, "matrix D")?;
        let cells = |(first, column): (usize, usize), columns: usize| -> Cells {
            (0..shape.m).map(|row| (first + shape.lane(row), column..column + columns)).collect()
        };
        let writes = self.allocated(lane, cells(d, shape.n), memory)?;
        let packed = shape.elements_in(CHUNK);
        let tile = |rows: usize, is_transposed: bool| Tile {
            rows: rows as u64,
            major: match is_transposed {
                true => Major::Mn { packed, steps: shape.k as u64 },
                false => Major::K { chunks: shape.k as u64 / packed },
            },
        };
        let b = self.matrix(lane, (&product.b, "B"), tile(shape.n, shape.transposed[1]))?;
        let (a, reads) = match &product.a {
            TensorMatrix::InTensorMemory(at) => {
                let a = self.origin(at, Some(lane))?;
                aligned(a.0, "matrix A")?;
                if a.0 != d.0 {
                    let why = format!("matrix A begins at lane {}, matrix D at lane {}; expected the same lane", a.0, d.0);
                    return Err(self.wrong(lane, why));
                }
                let columns = shape.k / shape.elements_in(4) as usize;
                (Some(Factor::Cells(a.0, a.1)), self.allocated(lane, cells(a, columns), memory)?)
            }
            TensorMatrix::Shared(descriptor) => {
                let a = self.matrix(lane, (descriptor, "A"), tile(shape.m, shape.transposed[0]))?;
                (a.map(Factor::Shared), vec![])
            }
        };
        let of_a: &[u64] = match &a {
            Some(Factor::Shared(chunks)) => chunks,
            _ => &[],
        };
        let chunks = b.iter().flatten().chain(of_a).copied().collect();
        let adds = self.value(&product.adds, lane, "predicate that adds D")? & 1 == 1;
        let mut disabled = 0;
        for (number, mask) in product.disabled_lanes.iter().enumerate().take(4) {
            let mask = self.value(mask, lane, "mask of disabled lanes")? & 0xffff_ffff;
            disabled |= u128::from(mask) << (32 * number);
        }
        let unknown = (a.is_none() || b.is_none()).then(|| "a layout of shared memory".to_string());
        let scale = product.scale;
        let action = a.zip(b).map(|(a, b)| Action::Product(Box::new(Multiplication { shape, a, b, d, adds, scale, disabled })));
        Ok(TensorWork { reads, writes, chunks, action, unknown })
    }
}
