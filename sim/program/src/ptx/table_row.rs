// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A row of the table of opcodes.

/// What a run makes of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Its results are calculated where its sources are known.
    Computed,
    /// Threads wait for each other.
    Barrier,
    /// Accesses are ordered.
    Order,
    /// Lanes of a warp see each other's values.
    Exchange,
    /// The next instruction is another one.
    Control,
    /// An access of memory; the space is a modifier.
    Read,
    Write,
    /// Matrices: some forms access memory.
    Matrix,
    /// Nothing but time; `writes` says whether the first operand is a destination.
    Timed {
        writes: bool,
    },
    /// Known, but not run yet.
    NotBuilt,
}

pub struct Opcode {
    pub name: &'static str,
    pub kind: Kind,
    pub what: &'static str,
    /// Which forms are calculated, with braces around what may stand in one place.
    pub forms: &'static [&'static str],
}
