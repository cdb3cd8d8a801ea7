// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Addresses in tensor memory.

use super::super::operand::Operand;

/// An address in tensor memory: the lane in bits 31:16, the column in bits 15:0.
#[derive(Clone, Debug)]
pub struct TensorAddress {
    pub base: Operand,
    pub offset: i64,
}
