// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Clocks the rust-hdl unit as it is, and traces what is inside. Nothing here opens a file.

mod engine;
mod inside;

pub use engine::{Engine, Unsettled};
pub use inside::{Inside, UnitVcd};
