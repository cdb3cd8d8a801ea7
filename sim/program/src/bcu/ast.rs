// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The statements of a program, with registers as written.

use crate::arith::{Calc, Compare, Comparison, Integer, Operation, Scalar, Test, Truth as Result, Type};
use bcu_isa::register::{Pred, Reg};

/// A 32-bit value in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Number(u32),
    Register(Reg),
    /// The lane's number in its warp.
    LaneId,
    /// The warp's number in its CTA.
    WarpId,
    /// The rank of the CTA in its cluster.
    CtaRank,
}

/// A Boolean value in every lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// A constant: bit k is the value in lane k.
    Mask(u64),
    Predicate(Pred),
    Compare(Compare, Source, Source),
}

/// A register (RZ ignores writes) or a predicate (0 to 6), and its new value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    Mov { to: Reg, from: Source },
    Alu { to: Reg, op: Integer, a: Source, b: Source },
    Predicate { to: u8, from: Truth },
}

/// The 32-bit word of memory that each lane accesses, at the byte address `address` + `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub address: Source,
    pub offset: u32,
    pub data: Data,
}

/// The operation of an access on its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    Load(Reg),
    Store(Source),
}

/// The arithmetic operations, on 32-bit unsigned numbers, with their mnemonics.
pub const ALU: [(&str, Integer); 7] = [
    ("ADD", Integer::Add),
    ("SUB", Integer::Sub),
    ("AND", Integer::And),
    ("OR", Integer::Or),
    ("XOR", Integer::Xor),
    ("SHL", Integer::Shl),
    ("SHR", Integer::Shr),
];

/// Every unsigned comparison with its modifier.
pub const COMPARE: [(&str, Compare); 6] = [
    ("EQ", Compare::Eq),
    ("NE", Compare::Ne),
    ("LT", Compare::Lt),
    ("LE", Compare::Le),
    ("GT", Compare::Gt),
    ("GE", Compare::Ge),
];

/// An operation in the form that the machine evaluates.
pub fn alu(op: Integer) -> Calc {
    Calc { op: Operation::Integer { op, ty: Type::U32, saturate: false }, pair: None }
}

pub fn compare(compare: Compare) -> Calc {
    let comparison = Comparison {
        test: Test::Ordered(compare),
        scalar: Scalar::Integer(Type::U32),
        ftz: false,
        join: None,
        result: Result::Predicate,
    };
    Calc { op: Operation::Compare(comparison), pair: None }
}

/// A move of a value.
pub fn mov(ty: Type) -> Calc {
    Calc { op: Operation::Move(ty), pair: None }
}

impl Write {
    /// The registers that the write reads.
    pub fn registers(&self) -> impl Iterator<Item = Reg> + '_ {
        let sources = match self {
            Write::Mov { from, .. } => [Some(from), None],
            Write::Alu { a, b, .. } => [Some(a), Some(b)],
            Write::Predicate { from: Truth::Compare(_, a, b), .. } => [Some(a), Some(b)],
            Write::Predicate { .. } => [None, None],
        };
        sources.into_iter().flatten().filter_map(|source| match source {
            Source::Register(register) => Some(*register),
            _ => None,
        })
    }
}
