// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A row of the table of opcodes.

/// How a run treats an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its results are calculated if its sources are known.
    Computed,
    /// Threads wait for each other.
    Barrier,
    /// Accesses are ordered.
    Order,
    /// Lanes of a warp read each other's values.
    Exchange,
    /// It selects the next instruction.
    Control,
    /// A memory access; the space is a modifier.
    Read,
    Write,
    /// Matrices: some forms access memory.
    Matrix,
    /// Takes time only; `writes` states whether the first operand is a destination.
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
