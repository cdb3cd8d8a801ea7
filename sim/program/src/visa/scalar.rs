// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scalar variables and operands.

use std::rc::Rc;

/// A scalar variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variable {
    /// Index among the variables of the text.
    pub number: usize,
    pub name: String,
    /// Its width, at most 32 bits; values are unsigned.
    pub bits: u32,
}

/// A scalar operand: the same in all lanes of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    Number(u32),
    Variable(Rc<Variable>),
}

impl Scalar {
    pub(super) fn variable(&self) -> Option<&Variable> {
        match self {
            Scalar::Variable(variable) => Some(variable),
            Scalar::Number(_) => None,
        }
    }
}
