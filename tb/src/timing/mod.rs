// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Timing diagrams: WaveDrom sources that a unit is held to. What a diagram draws of inputs is driven, what it draws of outputs must be what the
//! unit shows, and an arrow with the name of a latency is as long as that latency.

mod play;
mod source;

pub use play::Mismatch;
pub use source::{Diagram, Setting, SourceError};
