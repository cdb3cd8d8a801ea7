// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Places of instructions.

/// Where an instruction stands in its source text.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The instruction as written, without its comment.
    pub text: String,
}
