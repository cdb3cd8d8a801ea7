// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions of the tensor core with a memory of its own: `tcgen05`.

mod address;
mod instruction;
mod matrix;
mod transfer;

use super::access::Access;
use super::operand::Operand;
pub use address::TensorAddress;
pub use instruction::{MatrixKind, ProductShape};
pub use matrix::decode_matrix;
pub use transfer::{CopyShape, Transfer, TransferShape};

/// The lanes and the columns of tensor memory; a cell has 32 bits.
pub const TENSOR_LANES: usize = 128;
pub const TENSOR_COLUMNS: usize = 512;
/// The unit of allocation, in columns.
pub const COLUMN_UNIT: usize = 32;

/// An instruction `tcgen05`.
#[derive(Clone, Debug)]
pub enum TensorCore {
    /// `.alloc`: the address of the columns is stored to shared memory by the access.
    Allocate { access: Box<Access>, columns: Operand },
    /// `.dealloc`
    Free { address: Operand, columns: Operand },
    /// `.relinquish_alloc_permit`
    Relinquish,
    /// `.ld`, or with operands `.st`.
    Transfer { transfer: Transfer, stored: Option<Vec<Operand>> },
    /// `.wait::ld`, `.wait::st`
    Wait { stores: bool },
    /// `.fence::before_thread_sync`, `.fence::after_thread_sync`
    Fence,
    /// `.cp` from shared memory. `shape`: `None` for a form whose data is not calculated.
    Copy { to: TensorAddress, descriptor: Operand, shape: Option<CopyShape> },
    /// `.mma`
    Product(Box<TensorMultiply>),
    /// `.shift`, whose result is not calculated.
    Shift { at: TensorAddress },
}

/// A product D = A B, or D = A B + D, with D in tensor memory.
#[derive(Clone, Debug)]
pub struct TensorMultiply {
    /// `None`: a kind whose result is not calculated.
    pub kind: Option<MatrixKind>,
    pub d: TensorAddress,
    pub a: TensorMatrix,
    /// The matrix descriptor of B.
    pub b: Operand,
    /// The instruction descriptor.
    pub instruction: Operand,
    /// The lanes of D that are not written, 32 in each operand.
    pub disabled_lanes: Vec<Operand>,
    /// Whether D is added.
    pub adds: Operand,
    /// D is added after a division by 2 to this power.
    pub scale: u32,
}

/// The place of matrix A.
#[derive(Clone, Debug)]
pub enum TensorMatrix {
    /// In shared memory, given by a matrix descriptor.
    Shared(Operand),
    InTensorMemory(TensorAddress),
}

impl TensorMatrix {
    fn operand(&self) -> &Operand {
        match self {
            TensorMatrix::Shared(operand) | TensorMatrix::InTensorMemory(TensorAddress { base: operand, .. }) => operand,
        }
    }

    fn operand_mut(&mut self) -> &mut Operand {
        match self {
            TensorMatrix::Shared(operand) | TensorMatrix::InTensorMemory(TensorAddress { base: operand, .. }) => operand,
        }
    }
}

impl TensorCore {
    /// Whether all lanes of the warp execute the instruction together.
    pub fn converged(&self) -> bool {
        use TensorCore::*;
        matches!(self, Allocate { .. } | Free { .. } | Relinquish | Transfer { .. } | Wait { .. })
    }

    /// Whether the data of the instruction is calculated.
    pub fn is_calculated(&self) -> bool {
        match self {
            TensorCore::Copy { shape, .. } => shape.is_some(),
            TensorCore::Product(product) => product.kind.is_some(),
            TensorCore::Shift { .. } => false,
            _ => true,
        }
    }

    /// The operands that are read as values.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let (first, list): ([Option<&Operand>; 5], &[Operand]) = match self {
            TensorCore::Allocate { access, columns } => ([access.address.as_ref(), Some(columns), None, None, None], &[]),
            TensorCore::Free { address, columns } => ([Some(address), Some(columns), None, None, None], &[]),
            TensorCore::Transfer { transfer, stored } => {
                ([Some(&transfer.at.base), None, None, None, None], stored.as_deref().unwrap_or(&[]))
            }
            TensorCore::Copy { to, descriptor, .. } => ([Some(&to.base), Some(descriptor), None, None, None], &[]),
            TensorCore::Product(product) => {
                let TensorMultiply { d, a, b, instruction, adds, disabled_lanes, .. } = &**product;
                ([&d.base, a.operand(), b, instruction, adds].map(Some), disabled_lanes)
            }
            TensorCore::Shift { at } => ([Some(&at.base), None, None, None, None], &[]),
            TensorCore::Relinquish | TensorCore::Wait { .. } | TensorCore::Fence => ([None; 5], &[]),
        };
        first.into_iter().flatten().chain(list)
    }

    /// As [`TensorCore::operands`], to replace symbols.
    pub fn operands_mut(&mut self) -> Vec<&mut Operand> {
        match self {
            TensorCore::Allocate { access, columns } => access.address.iter_mut().chain([columns]).collect(),
            TensorCore::Free { address, columns } => vec![address, columns],
            TensorCore::Transfer { transfer, stored } => stored.iter_mut().flatten().chain([&mut transfer.at.base]).collect(),
            TensorCore::Copy { to, descriptor, .. } => vec![&mut to.base, descriptor],
            TensorCore::Product(product) => {
                let TensorMultiply { d, a, b, instruction, adds, disabled_lanes, .. } = &mut **product;
                disabled_lanes.iter_mut().chain([&mut d.base, a.operand_mut(), b, instruction, adds]).collect()
            }
            TensorCore::Shift { at } => vec![&mut at.base],
            TensorCore::Relinquish | TensorCore::Wait { .. } | TensorCore::Fence => vec![],
        }
    }
}
