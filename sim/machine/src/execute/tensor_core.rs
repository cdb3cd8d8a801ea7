// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions `tcgen05`: their operands, and what they use of tensor memory and of shared memory, with all checks.

use super::super::memory::{AccessRange, Use};
use super::super::tensor_memory::TensorMemory;
use super::super::warp::threads::bits;
use super::super::warp::{Active, Warp};
use super::address::place_at;
use super::env::Env;
use super::{stop, Stopped};
use bcu_program::window::RANK_AT;
use bcu_program::{
    CopyShape, Instr, MatrixInShared, Operand, Order2d, ProductShape, Space, TensorAddress, TensorCore, TensorMatrix,
    TensorProduct, Transfer, TENSOR_COLUMNS, TENSOR_LANES,
};
use std::ops::Range;

/// Bytes of a chunk, and the columns that it fills.
const CHUNK: u64 = 16;
const CHUNK_COLUMNS: usize = 4;
/// Lanes of tensor memory that a warp reaches.
const WARP_LANES: usize = 32;

/// Cells of tensor memory: columns of lanes.
pub(in super::super) type Cells = Vec<(usize, Range<usize>)>;

/// An instruction with the values of its operands.
#[derive(Debug)]
pub(in super::super) enum TensorRequest {
    Allocate {
        columns: usize,
    },
    Free {
        first: usize,
        columns: usize,
    },
    Relinquish,
    /// The cell of each register of each lane; a store has the values of the registers.
    Transfer {
        transfer: Transfer,
        origin: (usize, usize),
        stored: Option<Vec<Vec<Option<u64>>>>,
    },
    Wait {
        stores: bool,
    },
    /// For each executing lane, what the tensor core does for it.
    Work(Vec<(usize, TensorWork)>),
    Nothing,
}

/// What the tensor core does, later than the instruction.
#[derive(Debug)]
pub(in super::super) struct TensorWork {
    pub reads: Cells,
    pub writes: Cells,
    /// Chunks of shared memory that are read.
    pub chunks: Vec<u64>,
    /// `None`: the cells that are written are unknown afterwards.
    pub action: Option<Action>,
    /// What is not calculated, for a note.
    pub unknown: Option<String>,
}

#[derive(Debug)]
pub(in super::super) enum Action {
    Copy { shape: CopyShape, matrix: MatrixInShared, to: (usize, usize) },
    Product(Box<Multiplication>),
}

/// A product with its operands.
#[derive(Debug)]
pub(in super::super) struct Multiplication {
    pub shape: ProductShape,
    pub a: Factor,
    pub b: MatrixInShared,
    pub d: (usize, usize),
    pub adds: bool,
    pub scale: u32,
    /// The lanes of D that are not written, one bit each.
    pub disabled: u128,
}

#[derive(Debug)]
pub(in super::super) enum Factor {
    Shared(MatrixInShared),
    /// Lane and column in tensor memory.
    Cells(usize, usize),
}

/// The values of the operands of an instruction in its executing lanes.
struct Operands<'o, 'm> {
    warp: &'o Warp,
    instr: &'o Instr,
    lanes: u64,
    env: &'o Env<'m>,
}

/// Reads and checks the operands of an instruction.
pub(in super::super) fn resolve(
    warp: &Warp,
    (instr, op): (&Instr, &TensorCore),
    lanes: Active,
    env: &Env,
    memory: &TensorMemory,
) -> Result<TensorRequest, Stopped> {
    if lanes.unknown != 0 {
        return Err(stop::guard(warp, instr, lanes.unknown));
    }
    let given = Operands { warp, instr, lanes: lanes.executing, env };
    if op.converged() && lanes.executing != u64::MAX >> (64 - warp.width) {
        let (some, all) = (lanes.executing.count_ones(), warp.width);
        return Err(given.wrong(0, format!("only {some} of {all} lanes of the warp execute this instruction; expected all")));
    }
    Ok(match op {
        TensorCore::Allocate { columns, .. } => {
            let columns = given.columns(columns)?;
            if memory.relinquished.contains(&warp.cta) {
                return Err(given.wrong(0, "the CTA has relinquished its permit to allocate tensor memory".into()));
            }
            TensorRequest::Allocate { columns }
        }
        TensorCore::Free { address, columns } => {
            let (address, columns) = (given.same(address, "address of this tensor memory")?, given.columns(columns)?);
            let first = (address & 0xffff) as usize;
            let is_it = |of: &super::super::tensor_memory::Allocation| {
                of.cta == warp.cta && of.first == first && of.columns == columns && address >> 16 == 0
            };
            if !memory.allocations.iter().any(is_it) {
                let why = format!("the CTA has no allocation of {columns} columns of tensor memory at {address:#x}");
                return Err(given.wrong(0, why));
            }
            TensorRequest::Free { first, columns }
        }
        TensorCore::Relinquish => TensorRequest::Relinquish,
        TensorCore::Wait { stores } => TensorRequest::Wait { stores: *stores },
        TensorCore::Fence => TensorRequest::Nothing,
        TensorCore::Transfer { transfer, stored } => {
            let origin = given.origin(&transfer.at, None)?;
            given.transfer(transfer, origin, memory)?;
            let values = |source: &Operand| (0..warp.width).map(|lane| warp.value(source, lane, env.cycle)).collect();
            let stored = stored.as_ref().map(|sources| sources.iter().map(values).collect());
            TensorRequest::Transfer { transfer: transfer.clone(), origin, stored }
        }
        TensorCore::Copy { to, descriptor, shape } => given.each(|lane| given.copy(lane, (to, descriptor, *shape), memory))?,
        TensorCore::Product(product) => given.each(|lane| given.product(lane, product, memory))?,
        TensorCore::Shift { at } => given.each(|lane| {
            let (first, column) = given.origin(at, Some(lane))?;
            let writes = given.allocated(lane, (first..TENSOR_LANES).map(|of| (of, column..column + 1)).collect(), memory)?;
            let unknown = Some("`tcgen05.shift`".to_string());
            Ok(TensorWork { reads: vec![], writes, chunks: vec![], action: None, unknown })
        })?,
    })
}

impl Operands<'_, '_> {
    fn wrong(&self, lane: usize, why: String) -> Stopped {
        stop::misplaced(self.warp, self.instr, lane, &why)
    }

    fn each(&self, work: impl Fn(usize) -> Result<TensorWork, Stopped>) -> Result<TensorRequest, Stopped> {
        let of_lanes: Result<Vec<_>, Stopped> = bits(self.lanes).map(|lane| Ok((lane, work(lane)?))).collect();
        Ok(TensorRequest::Work(of_lanes?))
    }

    fn value(&self, operand: &Operand, lane: usize, what: &str) -> Result<u64, Stopped> {
        let value = self.warp.value(operand, lane, self.env.cycle);
        value.ok_or_else(|| stop::operand(self.warp, (operand, &self.instr.span), lane, what))
    }

    /// The value of an operand, in 32 bits, which must be the same in all lanes.
    fn same(&self, operand: &Operand, what: &str) -> Result<u64, Stopped> {
        let mut first = None;
        for lane in bits(self.lanes) {
            let value = self.value(operand, lane, what)? & 0xffff_ffff;
            if *first.get_or_insert(value) != value {
                let first = first.unwrap_or(0);
                return Err(self.wrong(lane, format!("the {what} is {value:#x}, in other lanes of the warp {first:#x}")));
            }
        }
        Ok(first.unwrap_or(0))
    }

    /// A number of columns to allocate or to free.
    fn columns(&self, operand: &Operand) -> Result<usize, Stopped> {
        let columns = self.same(operand, "number of columns")?;
        if !(32..=TENSOR_COLUMNS as u64).contains(&columns) || !columns.is_power_of_two() {
            return Err(self.wrong(0, format!("{columns} columns of tensor memory; expected 32, 64, 128, 256 or 512")));
        }
        Ok(columns as usize)
    }

    /// Lane and column of an address in tensor memory: of one lane, or the same in all lanes.
    fn origin(&self, at: &TensorAddress, lane: Option<usize>) -> Result<(usize, usize), Stopped> {
        let what = "address of this tensor memory";
        let base = match lane {
            Some(lane) => self.value(&at.base, lane, what)?,
            None => self.same(&at.base, what)?,
        };
        let address = base.wrapping_add(at.offset as u64) & 0xffff_ffff;
        Ok(((address >> 16) as usize, (address & 0xffff) as usize))
    }

    /// Checks that the CTA has allocated cells.
    fn allocated(&self, lane: usize, cells: Cells, memory: &TensorMemory) -> Result<Cells, Stopped> {
        let mut last = None;
        for (of, columns) in &cells {
            if *of >= TENSOR_LANES {
                return Err(self.wrong(lane, format!("tensor memory has no lane {of}; expected 0 to {}", TENSOR_LANES - 1)));
            }
            // Most lanes have the same columns.
            if last.replace(columns) == Some(columns) {
                continue;
            }
            if let Some(column) = columns.clone().find(|column| !memory.is_allocated(self.warp.cta, *column)) {
                let why = format!("column {column} of tensor memory is not allocated to the CTA");
                return Err(self.wrong(lane, why));
            }
        }
        Ok(cells)
    }

    /// Checks the cells of a transfer.
    fn transfer(&self, transfer: &Transfer, (lane, column): (usize, usize), memory: &TensorMemory) -> Result<(), Stopped> {
        let first = self.warp.warp % 4 * WARP_LANES;
        let lanes = transfer.shape.lanes();
        if lane < first || lane + lanes > first + WARP_LANES || lane % lanes != 0 {
            let (last, end) = (first + WARP_LANES - 1, (lane + lanes).saturating_sub(1));
            let why = format!(
                "lanes {lane} to {end} of tensor memory: warp {} reaches lanes {first} to {last} only, {lanes} of them from a multiple of {lanes} on",
                self.warp.warp
            );
            return Err(self.wrong(0, why));
        }
        self.allocated(0, transfer.cells((lane, column)), memory).map(|_| ())
    }

    /// The chunks of a matrix in shared memory, in the order of its rows; `rows` are steps along K if it is transposed.
    fn chunks(&self, lane: usize, matrix: &MatrixInShared, rows: u64, chunks: u64) -> Result<Vec<u64>, Stopped> {
        let all = (0..rows).flat_map(|row| (0..chunks).map(move |chunk| (row, chunk)));
        all.map(|(row, chunk)| {
            let at = matrix.chunk(row, chunk);
            let address = at + ((self.warp.rank as u64) << RANK_AT);
            let range = AccessRange { space: Space::Shared, address, bytes: CHUNK, align: CHUNK, how: Use::Load };
            place_at(self.warp, self.instr, range, lane, self.env)?;
            Ok(at)
        })
        .collect()
    }

    fn matrix(
        &self,
        lane: usize,
        (descriptor, name): (&Operand, &str),
        order: Order2d,
        chunks: u64,
    ) -> Result<Option<MatrixInShared>, Stopped> {
        let value = self.value(descriptor, lane, &format!("matrix descriptor of {name}"))?;
        MatrixInShared::decode(value, order, chunks)
            .map_err(|why| self.wrong(lane, format!("the matrix descriptor {value:#x} of {name} is no layout: {why}")))
    }

    fn copy(
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
        let matrix = self.matrix(lane, (descriptor, "the source"), Order2d::K, shape.chunks())?;
        let Some(matrix) = matrix else {
            let unknown = Some("a layout of shared memory".to_string());
            return Ok(TensorWork { reads: vec![], writes, chunks: vec![], action: None, unknown });
        };
        let chunks = self.chunks(lane, &matrix, shape.rows(), shape.chunks())?;
        let action = Some(Action::Copy { shape, matrix, to: (first, column) });
        Ok(TensorWork { reads: vec![], writes, chunks, action, unknown: None })
    }

    /// The allocated cells from a column on, whose sizes an instruction that is not calculated does not state here.
    fn rest(&self, lane: usize, column: usize, memory: &TensorMemory) -> Cells {
        let allocations = memory.allocations.iter().filter(|of| of.cta == self.warp.cta);
        let columns =
            allocations.map(|of| of.first.max(column)..of.first + of.columns).find(|columns| columns.contains(&column));
        (lane..TENSOR_LANES).zip(std::iter::repeat(columns)).filter_map(|(lane, columns)| Some((lane, columns?))).collect()
    }

    fn product(&self, lane: usize, product: &TensorProduct, memory: &TensorMemory) -> Result<TensorWork, Stopped> {
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
        let depth = shape.k as u64 / shape.elements_in(CHUNK);
        // The rows and the chunks of a row of a matrix in shared memory.
        let size = |rows: usize, is_transposed: bool| match is_transposed {
            true => (Order2d::Mn, shape.k as u64, rows as u64 / shape.elements_in(CHUNK)),
            false => (Order2d::K, rows as u64, depth),
        };
        let (order, rows, count) = size(shape.n, shape.transposed[1]);
        let b = self.matrix(lane, (&product.b, "B"), order, count)?;
        let mut chunks = b.as_ref().map_or(Ok(vec![]), |b| self.chunks(lane, b, rows, count))?;
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
                let (order, rows, count) = size(shape.m, shape.transposed[0]);
                let a = self.matrix(lane, (descriptor, "A"), order, count)?;
                if let Some(a) = &a {
                    chunks.extend(self.chunks(lane, a, rows, count)?);
                }
                (a.map(Factor::Shared), vec![])
            }
        };
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
