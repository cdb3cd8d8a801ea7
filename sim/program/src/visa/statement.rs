// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The statements of vISA: NBARRIER (spec 004), and what calculates its operands.

use super::scalar::{Scalar, Variable};
use crate::arith::Integer;
use std::rc::Rc;

/// A statement with a variable in it; without one it is an instruction of the unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `nbarrier.signal`, the baseline form written out.
    Signal { id: Scalar, role: Scalar, producers: Scalar, consumers: Scalar },
    /// `nbarrier.wait`
    Wait { id: Rc<Variable> },
    /// `mov` has no operation and one source, others have two.
    Write { to: Rc<Variable>, op: Option<Integer>, sources: Vec<Scalar> },
}

impl Statement {
    /// The variables that it reads.
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

    /// The barrier that it is about, `None` if a variable says it; nothing if it is about none.
    pub fn barrier(&self) -> Option<Option<u8>> {
        match self {
            Statement::Signal { id: Scalar::Number(id), .. } => Some(Some(*id as u8)),
            Statement::Signal { .. } | Statement::Wait { .. } => Some(None),
            Statement::Write { .. } => None,
        }
    }
}
