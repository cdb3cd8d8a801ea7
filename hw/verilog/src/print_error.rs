// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The error that the printer reports for a block.

/// An error: the block cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block `{block}`, `{signal}`: {reason}; {help}")]
pub struct PrintError {
    /// Path of the instance from the top: `bcu_named.entries[3]`.
    pub block: String,
    /// The signal, name or literal at fault, as written in the Rust source.
    pub signal: String,
    pub reason: String,
    /// What to change in the Rust source.
    pub help: String,
}
