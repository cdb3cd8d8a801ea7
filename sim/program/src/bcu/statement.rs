// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One line of a program: a BCU instruction, a pseudo-instruction for the surrounding code, a vISA instruction, or a line that forms a
//! block.

use super::ast::{Cell, Write};
use crate::visa;
use crate::{Form, Space};
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::Instr;
use bcu_isa::register::Pred;

/// The content of a line.
pub enum Statement {
    Barrier(Instr, Form),
    /// An instruction word, bits 31:0 first, that may be illegal.
    Word([u32; 4]),
    Write(Write),
    /// Cycles to wait, at least 1.
    Nop(u32),
    Access {
        space: Space,
        cell: Option<Cell>,
    },
    /// The executing lanes wait for the other lanes of the mask; with a predicate, one of them is elected leader.
    Meet {
        members: u64,
        elect: Option<u8>,
    },
    Exit,
    Visa(visa::Statement),
    /// Repeats the lines up to its `END` this number of times; at least 1.
    Loop(u32),
    /// Restricts the lines up to its `END` to these lanes; at least one.
    Active(u64),
    End,
}

/// A line with its guard.
pub struct Read {
    pub statement: Statement,
    pub guard: Pred,
    pub warnings: Vec<Diagnostic>,
}
