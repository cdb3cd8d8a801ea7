// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clocks the rust-hdl unit unchanged, and traces its internal signals. Nothing here opens a file.

mod engine;
mod inside;

pub use engine::{Engine, Unsettled};
pub use inside::{Inside, UnitVcd};
