// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The statements of vISA: NBARRIER (spec 004), and the calculation of its operands.

use super::scalar::{Scalar, Variable};
use crate::arith::Integer;
use std::rc::Rc;

/// A statement with a variable as operand. A signal or wait without variables is read as an instruction of the unit instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `nbarrier.signal`; the form with an id and a number of threads is expanded to all four operands.
    Signal { id: Scalar, role: Scalar, producers: Scalar, consumers: Scalar },
    /// `nbarrier.wait`
    Wait { id: Rc<Variable> },
    /// `mov` has no operation and one source; a statement with an operation has two sources.
    Write { to: Rc<Variable>, op: Option<Integer>, sources: Vec<Scalar> },
}

impl Statement {
    /// The variables that the statement reads.
    pub fn reads(&self) -> Vec<&Variable> {
        let list = match self {
            Statement::Signal { id, role, producers, consumers } => vec![id, role, producers, consumers],
            Statement::Wait { id } => return vec![id],
            Statement::Write { sources, .. } => sources.iter().collect(),
        };
        list.into_iter().filter_map(Scalar::variable).collect()
    }

    pub fn writes(&self) -> Option<&Variable> {
        match self {
            Statement::Write { to, .. } => Some(to),
            _ => None,
        }
    }

    /// The barrier of the statement: `Some(None)` if the id is in a variable, `None` if the statement has no barrier.
    pub fn barrier(&self) -> Option<Option<u8>> {
        match self {
            Statement::Signal { id: Scalar::Number(id), .. } => Some(Some(*id as u8)),
            Statement::Signal { .. } | Statement::Wait { .. } => Some(None),
            Statement::Write { .. } => None,
        }
    }
}
