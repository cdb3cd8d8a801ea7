// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the warps of a run execute: straight lines of steps, whatever language they came from.

pub mod bcu;
pub mod ptx;

/// Where a step stands in its source text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The instruction as written, without its comment.
    pub text: String,
}

/// What a warp does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A BCU instruction word (bits 31:0 first), with the values of its register operands as the issuing lanes hold them.
    Barrier { word: [u32; 4], ra: u32, rb: u32 },
    /// Time that passes without the barrier unit: `cycles` is at least 1.
    Busy { cycles: u32 },
    /// A memory access: issued now, performed after the machine's latency for its space.
    Access { space: Space, write: bool },
    /// The warp ends.
    Exit,
}

/// Where a memory access goes; the machine gives each a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Shared,
    Global,
}

/// One step of one warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub action: Action,
    pub place: Place,
}

/// The way of one warp through its program, from first step to last; a program that does not say so ends with an exit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarpProgram {
    /// Role or entry name, for reports.
    pub name: String,
    pub steps: Vec<Step>,
}
