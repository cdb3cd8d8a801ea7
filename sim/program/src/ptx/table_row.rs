// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A row of the table of opcodes.

/// How a run treats an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Instructions whose results are calculated if their sources are known.
    Computed,
    /// Instructions at which threads wait for each other.
    Barrier,
    /// Instructions that order accesses.
    Order,
    /// Instructions in which lanes of a warp read each other's values.
    Exchange,
    /// Instructions that select the next instruction.
    Control,
    /// A memory access; the space is a modifier.
    Read,
    Write,
    /// Instructions on matrices, some forms of which access memory.
    Matrix,
    /// Instructions that only take time; `writes` states whether the first operand is a destination.
    Timed {
        writes: bool,
    },
    /// A known instruction that is not supported yet.
    NotBuilt,
}

pub struct Opcode {
    pub name: &'static str,
    pub kind: Kind,
    pub what: &'static str,
    /// The forms that are evaluated, with alternatives in braces.
    pub forms: &'static [&'static str],
}
