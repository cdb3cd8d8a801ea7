// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Registers as an instruction names them.

/// A general register, R0 to R254, or RZ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u8);

impl Reg {
    /// Reads as 0 and ignores writes.
    pub const RZ: Reg = Reg(255);
}

/// A predicate register P0 to P6 or PT, possibly negated. [`encode`](super::instr::encode) cuts numbers above 7 to 3 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pred {
    pub index: u8,
    pub not: bool,
}

impl Pred {
    /// Always true; a write to it is ignored.
    pub const PT: Pred = Pred { index: 7, not: false };
}
