// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Instructions of a warpgroup, which is four consecutive warps that compute products of matrices together: `wgmma`.

mod tile;

use super::operand::Operand;
use crate::arith::TensorProduct;
pub use tile::{Major, MatrixDescriptor, Tile, CHUNK};

/// The number of warps of a warpgroup.
pub const GROUP_WARPS: usize = 4;

/// An instruction of a warpgroup.
#[derive(Clone, Debug)]
pub enum Warpgroup {
    /// `wgmma.mma_async`: starts a product, which runs on while the warps continue.
    Product(Box<GroupProduct>),
    /// `wgmma.fence`: orders earlier uses of registers before later products.
    Fence,
    /// `wgmma.commit_group`: puts the products that belong to no group yet into a new group.
    Commit,
    /// `wgmma.wait_group`: waits until at most this number of groups is in flight.
    Wait { max_in_flight: u32 },
}

/// A product D = A B, or D = A B + D, of a warpgroup. The destinations of its instruction are the registers of the accumulator D.
#[derive(Clone, Debug)]
pub struct GroupProduct {
    /// The shape as written, such as `.m64n128k16`.
    pub shape: String,
    /// The calculation; `None`: the result is unknown.
    pub product: Option<TensorProduct>,
    pub a: Multiplicand,
    pub b: Multiplicand,
    /// The other operands that are read: the predicate that adds D, and the selection of a sparse matrix.
    pub others: Vec<Operand>,
}

/// The place of a matrix that is multiplied.
#[derive(Clone, Debug)]
pub enum Multiplicand {
    Registers(Vec<Operand>),
    /// In shared memory, given by a matrix descriptor. `tile`: size and order of the matrix; `None`: a form that is not known.
    Shared {
        descriptor: Operand,
        tile: Option<Tile>,
    },
}

impl Multiplicand {
    /// The registers or the descriptor.
    pub fn operands(&self) -> &[Operand] {
        match self {
            Multiplicand::Registers(registers) => registers,
            Multiplicand::Shared { descriptor, .. } => std::slice::from_ref(descriptor),
        }
    }

    pub fn operands_mut(&mut self) -> &mut [Operand] {
        match self {
            Multiplicand::Registers(registers) => registers,
            Multiplicand::Shared { descriptor, .. } => std::slice::from_mut(descriptor),
        }
    }
}

impl Warpgroup {
    /// The operands that are read as values.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let product = match self {
            Warpgroup::Product(product) => Some(product),
            Warpgroup::Fence | Warpgroup::Commit | Warpgroup::Wait { .. } => None,
        };
        product.into_iter().flat_map(|product| product.a.operands().iter().chain(product.b.operands()).chain(&product.others))
    }

    /// As [`Warpgroup::operands`], to replace symbols.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Operand> {
        let product = match self {
            Warpgroup::Product(product) => Some(product),
            Warpgroup::Fence | Warpgroup::Commit | Warpgroup::Wait { .. } => None,
        };
        product.into_iter().flat_map(|product| {
            let GroupProduct { a, b, others, .. } = &mut **product;
            a.operands_mut().iter_mut().chain(b.operands_mut()).chain(others)
        })
    }
}
