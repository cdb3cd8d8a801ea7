// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions `tcgen05`: their operands, and what they use of tensor memory and of shared memory, with all checks.

use super::super::tensor_memory::TensorMemory;
use super::super::warp::threads::bits;
use super::super::warp::{Active, Warp};
use super::env::Env;
use super::{stop, Stopped};
use bcu_program::{CopyShape, Instr, Operand, ProductShape, TensorAddress, TensorCore, Transfer, TENSOR_COLUMNS, TENSOR_LANES};
use std::ops::Range;

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
    /// Of the chunks of the work.
    Copy {
        shape: CopyShape,
        to: (usize, usize),
    },
    Product(Box<Multiplication>),
}

/// A product with its operands.
#[derive(Debug)]
pub(in super::super) struct Multiplication {
    pub shape: ProductShape,
    pub a: Factor,
    /// The chunks of B in shared memory: row by row, or step by step along K if it is transposed.
    pub b: Vec<u64>,
    pub d: (usize, usize),
    pub adds: bool,
    pub scale: u32,
    /// The lanes of D that are not written, one bit each.
    pub disabled: u128,
}

#[derive(Debug)]
pub(in super::super) enum Factor {
    /// Chunks, as those of B.
    Shared(Vec<u64>),
    /// Lane and column in tensor memory.
    Cells(usize, usize),
}

/// The values of the operands of an instruction in its executing lanes.
pub(super) struct Operands<'o, 'm> {
    pub(super) warp: &'o Warp,
    pub(super) instr: &'o Instr,
    lanes: u64,
    pub(super) env: &'o Env<'m>,
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
    pub(super) fn wrong(&self, lane: usize, why: String) -> Stopped {
        stop::misplaced(self.warp, self.instr, lane, &why)
    }

    fn each(&self, work: impl Fn(usize) -> Result<TensorWork, Stopped>) -> Result<TensorRequest, Stopped> {
        let of_lanes: Result<Vec<_>, Stopped> = bits(self.lanes).map(|lane| Ok((lane, work(lane)?))).collect();
        Ok(TensorRequest::Work(of_lanes?))
    }

    pub(super) fn value(&self, operand: &Operand, lane: usize, what: &str) -> Result<u64, Stopped> {
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
    pub(super) fn origin(&self, at: &TensorAddress, lane: Option<usize>) -> Result<(usize, usize), Stopped> {
        let what = "address of this tensor memory";
        let base = match lane {
            Some(lane) => self.value(&at.base, lane, what)?,
            None => self.same(&at.base, what)?,
        };
        let address = base.wrapping_add(at.offset as u64) & 0xffff_ffff;
        Ok(((address >> 16) as usize, (address & 0xffff) as usize))
    }

    /// Checks that the CTA has allocated cells.
    pub(super) fn allocated(&self, lane: usize, cells: Cells, memory: &TensorMemory) -> Result<Cells, Stopped> {
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
}
