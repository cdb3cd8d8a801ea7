// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operands of a product of a warpgroup, as one warp gives them.

use super::super::warp::threads::bits;
use super::super::warp::Warp;
use bcu_program::{MatrixDescriptor, Multiplicand, Operand, Place, Tile};
use std::ops::Range;

/// What is reported about a warp: the code, a sentence, and the related location with a note.
pub(super) type Reported = (&'static str, String, Option<(usize, Place, String)>);

/// The place of a factor in shared memory.
pub(super) struct Placed {
    pub name: char,
    pub tile: Tile,
    pub descriptor: MatrixDescriptor,
    /// The rows that the warp reads.
    pub rows: Range<u64>,
}

/// The factors of a product that are in shared memory.
#[derive(Default)]
pub(super) struct Factors {
    pub placed: Vec<Placed>,
    /// Why the place of a factor is not known.
    pub unplaced: Vec<String>,
    /// What is wrong with a descriptor.
    pub wrong: Option<Reported>,
}

/// The first register of the function in which the lanes are.
pub(super) fn base(warp: &Warp, lanes: u64) -> usize {
    bits(lanes).next().map_or(0, |lane| warp.threads.base[lane])
}

/// The registers among operands.
pub(super) fn registers(warp: &Warp, lanes: u64, operands: &[Operand]) -> Vec<usize> {
    let base = base(warp, lanes);
    let register = |operand: &Operand| match operand {
        Operand::Register { slot, .. } => Some(base + slot),
        _ => None,
    };
    operands.iter().filter_map(register).collect()
}

/// The descriptor of a matrix in shared memory, if all lanes know it.
pub(super) fn descriptor(warp: &Warp, matrix: &Multiplicand, lanes: u64, cycle: u64) -> Option<u64> {
    let Multiplicand::Shared { descriptor, .. } = matrix else { return None };
    let values: Option<Vec<u64>> = bits(lanes).map(|lane| warp.value(descriptor, lane, cycle)).collect();
    values?.first().copied()
}

/// Whether lanes give different descriptors.
pub(super) fn differs(warp: &Warp, matrix: &Multiplicand, lanes: u64, cycle: u64) -> bool {
    let Multiplicand::Shared { descriptor, .. } = matrix else { return false };
    let mut known = bits(lanes).filter_map(|lane| warp.value(descriptor, lane, cycle));
    let first = known.next();
    known.any(|value| Some(value) != first)
}
