// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Declarations: parameters, and variables of any space.

use serde::Serialize;
use std::ops::Range;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Param {
    pub name: String,
    /// The name in the CUDA source, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_name: Option<String>,
    /// The type as written, with its dot: `.u64`; for a structure `.b8`.
    pub ty: String,
    /// Size of the whole parameter.
    pub bytes: u64,
    /// Byte offset of the parameter among the arguments.
    #[serde(skip)]
    pub offset: u64,
}

impl Param {
    /// The name for messages: that of the CUDA source if it is known, else that of PTX.
    pub fn title(&self) -> &str {
        self.source_name.as_deref().unwrap_or(&self.name)
    }
}

/// Bytes of a type such as `.u32`, without a vector modifier such as `.v4`; `None` if it is not a type with a size.
pub(super) fn bytes_of(ty: &str) -> Option<u64> {
    if ty == ".pred" {
        return Some(1);
    }
    let digits = ty.find(|c: char| c.is_ascii_digit())?;
    let known = matches!(ty.get(1..digits)?, "b" | "u" | "s" | "f" | "bf");
    let bits: u64 = ty.get(digits..)?.trim_end_matches("x2").parse().ok()?;
    let packed = if ty.ends_with("x2") { 2 } else { 1 };
    (known && matches!(bits, 8 | 16 | 32 | 64 | 128)).then_some(bits / 8 * packed)
}

/// The type of a variable in global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableType {
    /// The type of an element as written, with its dot.
    pub ty: String,
    /// Elements along each dimension; empty for a scalar.
    pub dimensions: Vec<u64>,
}

/// A declaration: `.param .align 8 .b8 name[16]`.
pub(super) struct Declared {
    pub name: String,
    pub span: Range<usize>,
    pub ty: String,
    /// Bytes of the whole variable; 0 if the launch gives the size.
    pub bytes: u64,
    pub align: u64,
    /// Elements of the type, or of the vectors `.v2` and `.v4` of it, along each dimension; empty for a scalar.
    pub dimensions: Vec<u64>,
    /// Whether the declaration has `[]` without a size.
    pub open: bool,
}
