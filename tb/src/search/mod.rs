// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Exhaustive search: every reachable state of two multiprocessors and a hub of the model, with links of arbitrary delay.
//!
//! A [`Space`] defines the possible events of a cycle and the rules. Multiprocessors and hub interact only over links, so each of the three
//! is a separate state machine with numbered states, and its cycles are computed once for each state. A global state consists of the three
//! numbers and the number of the environment's state.

pub mod cluster;
pub mod grid;
pub mod link;

mod explore;
mod ids;
pub mod space;

pub use explore::{explore, Found, Outcome};
