// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All interleavings of small programs, by brute force: an independent judge of runs on the machine, and of verdicts about every schedule.
//!
//! [`explore`] visits every state that a [`Program`] can reach, and returns the set of its outcomes. It shares no code with the machine and
//! the model: it is written from the semantics of PTX. `Program::random` draws programs, `Program::ptx` prints them, [`run`] executes
//! them on the machine, and [`compare`] compares the verdict of `bcu check` with their outcomes.

mod cluster;
mod compare;
mod effect;
mod explore;
mod issue;
mod mbarrier;
mod memory;
mod misuse;
mod named;
mod outcome;
mod program;
mod ptx;
mod random;
mod run;
mod state;
mod transition;

pub use compare::{compare, compare_program, rule, Totals};
pub use explore::{explore, Explored};
pub use misuse::Misuse;
pub use outcome::{End, Outcome, Shown};
pub use program::{ArrivalForm, Atomic, Mbar, Op, OpKind, Program, Reduction, Token, Value, Word};
pub use run::{machine, run, run_on, session, Ran};
