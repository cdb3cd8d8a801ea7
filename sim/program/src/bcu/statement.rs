// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One line of a program: a BCU instruction, one of the few that stand for the code around it, one of vISA, or a line that forms a
//! block.

use super::ast::{Cell, Write};
use crate::visa;
use crate::{Form, Space};
use bcu_isa::diag::Diagnostic;
use bcu_isa::instr::Instr;
use bcu_isa::register::Pred;

/// What a line says.
pub enum Statement {
    Barrier(Instr, Form),
    /// An instruction word, bits 31:0 first, that may be illegal.
    Word([u32; 4]),
    Write(Write),
    /// Cycles, at least 1.
    Nop(u32),
    Access {
        space: Space,
        cell: Option<Cell>,
    },
    /// The executing lanes wait for the other ones of the mask; with a predicate one of them is told that it leads.
    Meet {
        members: u64,
        elect: Option<u8>,
    },
    Exit,
    Visa(visa::Statement),
    /// So many times what follows, up to its `END`; at least 1.
    Loop(u32),
    /// What follows, up to its `END`, in these lanes only; at least one.
    Active(u64),
    End,
}

/// A line with its guard.
pub struct Read {
    pub statement: Statement,
    pub guard: Pred,
    pub warnings: Vec<Diagnostic>,
}
