// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The meanings of names that are not registers.

use crate::Operand;
use std::ops::Range;

/// The meaning of a name that is not a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// An address in shared memory, in global memory, or among the arguments of the kernel.
    Shared(u64),
    Global(u64),
    Param(u64),
    /// Bytes of the function's frame: a local variable, a parameter, an argument or a result.
    Frame(Range<u64>),
}

impl Symbol {
    pub fn operand(&self) -> Operand {
        match self {
            Symbol::Shared(at) => Operand::Shared(*at as i64),
            Symbol::Global(at) | Symbol::Param(at) => Operand::Immediate(*at as i64),
            Symbol::Frame(range) => Operand::Frame(range.start),
        }
    }
}
