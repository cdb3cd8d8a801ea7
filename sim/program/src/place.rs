// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Source locations of instructions.

use super::origin::Origin;
use std::sync::Arc;

/// The source location of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The instruction as written, without its comment; shared, because a run records the location of every operation.
    pub text: Arc<str>,
    /// The location in the source from which the text was compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Arc<Origin>>,
}
