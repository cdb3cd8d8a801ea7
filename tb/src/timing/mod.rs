// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Timing diagrams: WaveDrom sources that are checked against a unit. The drawn inputs are driven, and the drawn outputs must equal the
//! unit's outputs. An arrow whose label is the name of a latency must have the length of that latency.

mod play;
mod source;

pub use play::Mismatch;
pub use source::{Diagram, Setting, SourceError};
