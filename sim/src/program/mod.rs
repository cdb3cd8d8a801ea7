// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the warps of a run execute: straight lines of steps, whatever language they came from.
//!
//! Loops and branches are gone; what only a run knows is left to it: registers and predicates of the warp, which B2R and
//! reductions write.

pub mod bcu;
pub mod ptx;
pub mod write;

use bcu_hw::isa::instr::{Pred, Reg};
pub use write::{Alu, Compare, Source, Truth, Write};

/// Where a step stands in its source text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The instruction as written, without its comment.
    pub text: String,
}

/// What the lanes of a warp that arrive at a barrier have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One arrival of the warp, whatever lanes execute it: a BCU instruction.
    Raw,
    /// One arrival of the warp, which must be whole: `bar`, `barrier` with `.aligned`.
    Aligned,
    /// The warp arrives when all its lanes have: `barrier` without `.aligned`.
    Gathered,
}

/// What a warp does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A BCU instruction word (bits 31:0 first). What its registers and predicates hold is read when it issues; `presets` are
    /// written before, in all lanes and without time.
    Barrier { word: [u32; 4], form: Form, presets: Vec<Write> },
    /// A register or a predicate gets a value, in one cycle.
    Write(Write),
    /// Time that passes without the barrier unit: `cycles` is at least 1.
    Busy { cycles: u32 },
    /// A memory access: issued now, performed after the machine's latency for its space. Without `cell` it only takes its time.
    Access { space: Space, write: bool, cell: Option<Cell> },
    /// The executing lanes wait for the others of `members`, at no barrier: `bar.warp.sync`, and with `elect` `elect.sync`.
    Meet { members: u64, elect: Option<Elect> },
    /// The executing lanes end, and the warp with its last lane.
    Exit,
}

/// Where the leader of an election is told: a predicate, true in the leader alone, and a register with the leader's lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Elect {
    pub predicate: Option<u8>,
    pub register: Option<Reg>,
}

/// The 32-bit word of memory that each lane accesses, at the byte address `address` + `offset`; its lowest two bits do not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    pub address: Source,
    pub offset: u32,
    pub data: Data,
}

/// What an access does to its word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// The register gets what the word holds when the access is performed.
    Load(Reg),
    /// The word holds this from when the access is performed; `None`: something that nobody knows.
    Store(Option<Source>),
}

/// Where a memory access goes; the machine gives each a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    Shared,
    Global,
}

/// One step of one warp. Executed by those of its lanes that are in `active` and in which `guard` is true; if there is none, it
/// takes its time and has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub action: Action,
    /// One bit per lane; lanes that the warp does not have do not matter.
    pub active: u64,
    /// Of a barrier instruction, the guard in its word.
    pub guard: Pred,
    pub place: Place,
}

impl Step {
    /// A step for all lanes, without a guard.
    pub fn new(action: Action, place: Place) -> Step {
        Step { action, active: u64::MAX, guard: Pred::PT, place }
    }
}

/// The way of one warp through its program, from first step to last; a program that does not say so ends with an exit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WarpProgram {
    /// Role or entry name, for reports.
    pub name: String,
    pub steps: Vec<Step>,
}
