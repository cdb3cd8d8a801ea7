// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lockstep: applies one stimulus to every simulator and compares every output port in every cycle in which it is significant.
//!
//! The model drives the reactive stimulus and is the reference; every other simulator is a [`Backend`] that replays the recording
//! from its initial state. Cycle 0 is a reset; comparing begins with the cycle after it, because outputs are undefined before the
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
