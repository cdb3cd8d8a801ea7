// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole machine: a streaming multiprocessor with its unit, the block scheduler and the memory.
//!
//! A cycle has two phases. First units show what stands at their outputs, then everybody reacts to it: what is set at an input is seen
//! in the next cycle.

use super::blocks::Blocks;
use super::cycle::Cycle;
use super::memory::Memory;
use super::sm::Sm;
use super::RunError;

/// What is outside of a multiprocessor.
pub(super) struct Uncore {
    pub memory: Memory,
    pub blocks: Blocks,
}

/// The whole state of a run.
pub(super) struct Gpu<'a> {
    pub sm: Sm<'a>,
    pub uncore: Uncore,
}

impl Gpu<'_> {
    /// One clock cycle, the first of them a reset; true if anything happened or stands at the fault channel.
    pub fn step(&mut self, observe: &mut dyn FnMut(&Cycle)) -> Result<bool, RunError> {
        self.sm.clock(observe)?;
        self.sm.react(&mut self.uncore)
    }

    /// Every CTA has come and gone.
    pub fn finished(&self) -> bool {
        self.uncore.blocks.left() == 0 && self.sm.is_empty()
    }
}
