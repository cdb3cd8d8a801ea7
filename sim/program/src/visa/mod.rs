// SPDX-License-Identifier: Apache-2.0 OR MIT
//! vISA texts on named barriers: which threads of a thread group run which lines.
//!
//! One statement per line: those of vISA below, and every statement of [BCU assembly](super::bcu), which is written in capitals. Hardware
//! threads correspond to the warps of BCU assembly, and the thread group to its CTA.
//! ```text
//! .kernel_attr NBarrierCnt=2                      // the kernel has the named barriers 1 and 2 besides barrier 0
//! .decl V32 v_type=G type=ub num_elts=1           // a scalar variable
//! .group_threads 4                                // as .cta_warps of BCU assembly
//! .threads 0-1 producer                           // as .warps of BCU assembly
//! mov (M1_NM, 1) V32(0,0)<1> 0x1:ub               // also add, and, or, xor, shl, shr of two sources
//! nbarrier.signal V32(0,0)<0;1,0> 0x1:uw 0x2:ub 0x2:ub   // id, type, producers, consumers
//! nbarrier.signal 0x2:ub 0x4:ub                   // id, threads: each of them is producer and consumer
//! nbarrier.wait 0x2:ub
//! lsc_fence.slm.none.group                        // as any lsc_fence: FENCE.MEM
//! ret (M1, 1)                                     // EXIT
//! ```

mod emit;
mod header;
mod operand;
mod read;
mod scalar;
mod statement;
mod types;

use super::bcu::{self, Language, Parsed};
use bcu_isa::diag::Diagnostic;
pub(super) use emit::emit;
pub(super) use header::Header;
pub(super) use read::read;
pub(super) use statement::Statement;

/// Parses a text for `threads` hardware threads of `lanes` lanes; `None`: the text states the number of threads.
///
/// # Errors
/// All errors in the text, with spans.
pub fn parse(text: &str, threads: Option<usize>, lanes: u32) -> Result<Parsed, Vec<Diagnostic>> {
    bcu::read(text, threads, lanes, Language::Visa)
}
