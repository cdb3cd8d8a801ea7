// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An exhaustive search: every state that two multiprocessors and a hub of the model can come to, over links of free delay.
//!
//! A [`Space`] says what may happen in a cycle, and what must hold. Multiprocessors and hub meet only on links, so each is a machine of its own whose
//! states have numbers and whose cycles are calculated once; a state of all is three numbers and what the environment knows.

pub mod cluster;
pub mod grid;
pub mod link;

mod explore;
mod ids;
pub mod space;

pub use explore::{explore, Found, Outcome};
