// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Source locations of instructions.

/// The source location of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The instruction as written, without its comment.
    pub text: String,
}
