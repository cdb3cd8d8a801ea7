// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Source locations of instructions.

use serde::Serializer;
use std::sync::Arc;

/// The source location of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// The instruction as written, without its comment; shared, because a run records the location of every operation.
    #[serde(serialize_with = "as_text")]
    pub text: Arc<str>,
}

fn as_text<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}
