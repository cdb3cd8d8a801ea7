// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of sources, and the types as which they are read.

use super::format::Format;
use super::types::{Type, TypeKind};

/// Maximum number of sources of an operation.
pub const MAX_SOURCES: usize = 4;

pub type Values = [Option<u64>; MAX_SOURCES];

/// The type as which a source of an operation is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Integer(Type),
    Float(Format),
}

/// The value saturated to the range of the type.
pub(crate) fn clamped(value: i128, ty: Type) -> i128 {
    match ty.kind {
        TypeKind::Signed => value.clamp(-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        _ => value.clamp(0, (1 << ty.bits) - 1),
    }
}
