// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Gates, registers, memories and ports of a netlist.

use crate::{Cmp, Op, Reduce};
use num_bigint::BigUint;

/// Index into [`Netlist::gates`].
pub type Wire = usize;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    /// Width of the result in bits, at least 1.
    pub width: usize,
    pub function: Function,
}

/// What a gate computes. Operands have the width of the result, except where a variant states another width.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Const(BigUint),
    /// The input at this index of [`Netlist::inputs`].
    Input(usize),
    /// The value of the register at this index of [`Netlist::registers`].
    Register(usize),
    /// A field of the word that a memory outputs.
    Word {
        memory: usize,
        field: usize,
    },
    Not(Wire),
    Neg(Wire),
    /// Reduces all bits of the operand to one bit.
    Reduce(Reduce, Wire),
    Binary(Op, Wire, Wire),
    /// Compares two equally wide operands; the result is one bit. The flag is true for a signed comparison.
    Compare(Cmp, bool, Wire, Wire),
    /// Left (true) or right (false) shift, filling with zeros; the amount may have any width.
    Shift(bool, Wire, Wire),
    /// A choice: the condition, of one bit; the value if it is 1; the value if it is 0.
    Mux(Wire, Wire, Wire),
    /// The parts of a concatenation, most significant part first.
    Concat(Vec<Wire>),
    /// Copies of a single bit.
    Repeat(Wire),
    /// Bits from a fixed offset upwards.
    Slice(Wire, usize),
    /// Bits from a computed offset upwards, always in range.
    Select(Wire, Wire),
}

impl Function {
    /// The gates that this function reads combinationally. It has none for a word of a memory: these gates are in the memory's [`Access`].
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

/// The name of a port, and its width in bits.
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

/// How a memory addresses its words.
#[derive(Clone, Debug)]
pub enum Access {
    /// By index. The read word is a register: after an edge it holds the word from before the edge. If `read` is given and is 0, the
    /// register holds its value.
    Indexed { write: Wire, write_address: Wire, read: Option<Wire>, read_address: Wire },
    /// By one select bit per word. A write stores to all words whose bit is 1. Each field outputs, combinationally, the OR of the words
    /// selected for this field.
    Marked { write: Wire, selects: Vec<Wire> },
}

/// Words of several fields, all 0 at power-up.
#[derive(Clone, Debug)]
pub struct Memory {
    pub words: usize,
    /// For each field of a word, its width in bits and the value to write.
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
