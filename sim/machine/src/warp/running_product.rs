// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A product of a warpgroup in flight, as far as one warp calculates it: 16 rows of A, and the whole of B.
//!
//! Hardware reads the bytes in shared memory at some time between the start of the product and the end of the wait for its group. A byte
//! that changes between the two is unknown.

use super::threads::At;
use bcu_program::arith::{Numbers, Packing, TensorProduct};
use std::rc::Rc;

/// A register of the accumulator of a product in flight: the number of the product, and the number of the register.
pub(super) type Due = (u64, usize);

/// The value of a register in each lane.
pub(in super::super) type LaneValues = Vec<Option<u64>>;

/// A started product.
#[derive(Clone, Debug)]
pub(in super::super) struct RunningProduct {
    /// The number among the products of the warp.
    pub number: u64,
    pub at: At,
    /// The number of the group of the product.
    pub group: u32,
    pub product: TensorProduct,
    pub a: Factor,
    pub b: Factor,
    /// The registers of A, numbered over all open calls; empty if A is in shared memory.
    pub a_registers: Vec<usize>,
    /// The addend, register by register; `None`: nothing is added.
    pub added: Option<Vec<Added>>,
    /// Whether the bytes in shared memory have been read for the last time.
    pub is_read: bool,
}

/// The rows of A, or the columns of B.
#[derive(Clone, Debug)]
pub(in super::super) enum Factor {
    /// The values of the registers at the start, by register and then by lane.
    Registers(Rc<Vec<LaneValues>>),
    Shared(Rc<SharedFactor>),
    Unknown,
}

/// Bytes of shared memory at the start of a product.
#[derive(Clone, Debug)]
pub(in super::super) struct SharedFactor {
    /// The addresses of the chunks.
    pub chunks: Vec<u64>,
    pub bytes: Vec<Option<u8>>,
    pub rows: usize,
    pub packing: Packing,
}

/// A register of the addend.
#[derive(Clone, Debug)]
pub(in super::super) enum Added {
    Held(LaneValues),
    /// The result of an earlier product.
    Due(Due),
}

impl RunningProduct {
    /// Makes the result unknown.
    pub fn spoil(&mut self) {
        self.a = Factor::Unknown;
    }

    /// Compares the bytes in shared memory with those at the start. `read` returns the present bytes of chunks.
    pub fn read_again(&mut self, read: impl Fn(&[u64]) -> Vec<Option<u8>>) {
        if std::mem::replace(&mut self.is_read, true) {
            return;
        }
        for factor in [&mut self.a, &mut self.b] {
            let Factor::Shared(shared) = factor else { continue };
            let now = read(&shared.chunks);
            if now != shared.bytes {
                let shared = Rc::make_mut(shared);
                let changed = shared.bytes.iter_mut().zip(now).filter(|(before, now)| **before != *now);
                changed.for_each(|(before, _)| *before = None);
            }
        }
    }

    /// Replaces results of earlier products in the addend by their values.
    pub fn resolve(&mut self, value: impl Fn(Due) -> Option<LaneValues>) {
        for added in self.added.iter_mut().flatten() {
            let Added::Due(due) = added else { continue };
            if let Some(values) = value(*due) {
                *added = Added::Held(values);
            }
        }
    }

    /// The registers of the result, by number and then by lane.
    pub fn calculate(&self) -> Vec<LaneValues> {
        let fragment = self.product.fragment_of_d();
        let unknown = || vec![vec![None; 32]; fragment.registers];
        let numbers = |factor: &Factor, element| match factor {
            Factor::Registers(registers) => Some(Numbers::from_registers(self.product.fragment_of_a(), registers)),
            Factor::Shared(shared) => {
                Some(Numbers::from_bytes(element, (shared.rows, self.product.k), shared.packing, &shared.bytes))
            }
            Factor::Unknown => None,
        };
        let (Some(a), Some(b)) = (numbers(&self.a, self.product.a), numbers(&self.b, self.product.b)) else { return unknown() };
        let added: Option<Vec<LaneValues>> = self.added.as_ref().map(|registers| {
            let held = |added: &Added| match added {
                Added::Held(values) => values.clone(),
                Added::Due(_) => vec![],
            };
            registers.iter().map(held).collect()
        });
        self.product.of_warp(a, b, added.as_deref())
    }
}
