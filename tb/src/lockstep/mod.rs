// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep: applies one stimulus to every simulator, and compares every output port in every cycle in which the port is significant.
//!
//! The model is the reference, and the stimulus reacts to the model's outputs. Every other simulator is a [`Backend`], which replays the
//! recorded inputs from its initial state. Cycle 0 is a reset. Comparison begins in cycle 1, because outputs are undefined before the
//! first rising edge.

mod backends;
mod bench;
pub mod channels;
mod recording;
pub(crate) mod report;
pub mod rules;
mod shrink;
pub mod units;

pub use backends::{Backend, BackendError, CompiledBackend, EngineBackend, IcarusBackend, VerilatorBackend};
pub use bench::{Bench, Entrant, LockstepError};
pub use recording::{first_difference, first_that_counts, record, Difference, Recording, Replay};
pub use report::{Case, Divergence};
