// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Gates, registers and memories, and the ports between which they are.

use crate::{Cmp, Op, Reduce};
use num_bigint::BigUint;

/// Position of a gate in [`Netlist::gates`].
pub type Wire = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    /// Bits, at least 1. Bits above them do not exist.
    pub width: usize,
    pub function: Function,
}

/// What a gate computes. Operands are as wide as the result where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Const(BigUint),
    /// The input at this position of [`Netlist::inputs`].
    Input(usize),
    /// The value of the register at this position of [`Netlist::registers`].
    Register(usize),
    /// A field of the word that [`Memory::read`] has read.
    Word {
        memory: usize,
        field: usize,
    },
    Not(Wire),
    Neg(Wire),
    /// One bit from all bits of the operand.
    Reduce(Reduce, Wire),
    Binary(Op, Wire, Wire),
    /// One bit from two equally wide operands; the flag says signed.
    Compare(Cmp, bool, Wire, Wire),
    /// Left (true) or right, filling with zeros; the amount has its own width.
    Shift(bool, Wire, Wire),
    /// Condition of one bit, value if 1, value if 0.
    Mux(Wire, Wire, Wire),
    /// Most significant part first.
    Concat(Vec<Wire>),
    /// Copies of a single bit.
    Repeat(Wire),
    /// Bits from a fixed offset upwards.
    Slice(Wire, usize),
    /// Bits from a computed offset upwards, always inside the operand.
    Select(Wire, Wire),
}

impl Function {
    /// The gates that it reads at once; those of a memory's word are in its [`Access`].
    pub fn operands(&self) -> Vec<Wire> {
        match self {
            Function::Const(_) | Function::Input(_) | Function::Register(_) | Function::Word { .. } => vec![],
            Function::Not(a) | Function::Neg(a) | Function::Reduce(_, a) | Function::Repeat(a) | Function::Slice(a, _) => {
                vec![*a]
            }
            Function::Binary(_, a, b) | Function::Compare(_, _, a, b) | Function::Shift(_, a, b) | Function::Select(a, b) => {
                vec![*a, *b]
            }
            Function::Mux(a, b, c) => vec![*a, *b, *c],
            Function::Concat(parts) => parts.clone(),
        }
    }
}

/// A port or a register's name and its bits.
#[derive(Clone, Debug)]
pub struct Port {
    /// Name as in the exported text.
    pub name: String,
    pub width: usize,
}

#[derive(Clone, Debug)]
pub struct Output {
    pub port: Port,
    pub value: Wire,
}

#[derive(Clone, Debug)]
pub struct Register {
    pub width: usize,
    /// Value at power-up.
    pub initial: BigUint,
    /// Value after the next edge.
    pub next: Wire,
}

/// How a memory finds its words.
#[derive(Clone, Debug)]
pub enum Access {
    /// By index. The word read is a register: it shows, after the edge, what stood there before the edge. It stays as it is where
    /// there is a `read` that is 0.
    Indexed { write: Wire, write_address: Wire, read: Option<Wire>, read_address: Wire },
    /// By one bit per word. All words whose bit is 1 are written; each field shows the or of those words selected for it, at once.
    Marked { write: Wire, selects: Vec<Wire> },
}

/// Words of several fields, all 0 at power-up.
#[derive(Clone, Debug)]
pub struct Memory {
    pub words: usize,
    /// Bits of each field, and the value to write.
    pub fields: Vec<(usize, Wire)>,
    pub access: Access,
}

/// A unit without hierarchy. The clock is not among the inputs.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    pub gates: Vec<Gate>,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Output>,
    pub registers: Vec<Register>,
    pub memories: Vec<Memory>,
}
