// SPDX-License-Identifier: Apache-2.0 OR MIT
//! vISA texts about named barriers: which threads of a thread group run which lines.
//!
//! One statement per line: those of vISA below, and beside them every statement of [BCU assembly](super::bcu), which is written in
//! capitals. Hardware threads are what BCU assembly calls warps, and the thread group is its CTA.
//! ```text
//! .kernel_attr NBarrierCnt=2                      // the kernel has the named barriers 1 and 2 beside barrier 0
//! .decl V32 v_type=G type=ub num_elts=1           // a scalar variable
//! .group_threads 4                                // as .cta_warps of BCU assembly
//! .threads 0-1 producer                           // as .warps of BCU assembly
//! mov (M1_NM, 1) V32(0,0)<1> 0x1:ub               // also add, and, or, xor, shl, shr of two sources
//! nbarrier.signal V32(0,0)<0;1,0> 0x1:uw 0x2:ub 0x2:ub   // id, type, producers, consumers
//! nbarrier.signal 0x2:ub 0x4:ub                   // id, threads: each of them is producer and consumer
//! nbarrier.wait 0x2:ub
//! lsc_fence.slm.none.group                        // any of them: FENCE.MEM
//! ret (M1, 1)                                     // EXIT
//! ```

mod emit;
mod header;
mod operand;
mod statement;

use super::bcu::{self, Language, Parsed};
use bcu_isa::diag::Diagnostic;
use bcu_isa::nbar::MAX_ID;
pub(super) use emit::emit;
pub(super) use header::Header;
pub(super) use statement::{read, Statement};
use std::rc::Rc;

/// A scalar variable.
#[derive(Debug, PartialEq, Eq)]
pub struct Variable {
    /// Among the variables of the text.
    pub number: usize,
    pub name: String,
    /// Its width, at most 32; values have no sign.
    pub bits: u32,
}

/// A scalar operand: the same in all lanes of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    Number(u32),
    Variable(Rc<Variable>),
}

impl Scalar {
    fn variable(&self) -> Option<&Variable> {
        match self {
            Scalar::Variable(variable) => Some(variable),
            Scalar::Number(_) => None,
        }
    }
}

/// Parses a text for `threads` hardware threads of `lanes` lanes; without a number the text says how many there are.
///
/// # Errors
/// Every complaint about the text; spans are places in it.
pub fn parse(text: &str, threads: Option<usize>, lanes: u32) -> Result<Parsed, Vec<Diagnostic>> {
    bcu::read(text, threads, lanes, Language::Visa)
}

/// Barriers that a thread group has: those of the kernel's attribute, else all up to the highest id in the text, which is what a
/// compiler declares; `ids` are those of the text, `None` one in a variable or register, which may be any.
pub(super) fn declared(header: &Header, ids: impl Iterator<Item = Option<u8>>) -> u32 {
    let all = u32::from(MAX_ID) + 1;
    let named = ids.map(|id| id.map_or(all, |id| u32::from(id) + 1)).max();
    header.barriers.or(named).unwrap_or(0).min(all)
}
