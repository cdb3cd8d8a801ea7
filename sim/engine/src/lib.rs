// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs the rust-hdl unit: clocked as it is, or as machine code, and traced. Nothing here opens a file.

pub mod compiled;
mod engine;
mod inside;

pub use engine::{Engine, Unsettled};
pub use inside::{Inside, UnitVcd};
