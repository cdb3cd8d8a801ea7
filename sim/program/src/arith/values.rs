// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values of sources, and what they are read as.

use super::format::Format;
use super::types::{Type, TypeKind};

/// No operation reads more sources.
pub const MAX_SOURCES: usize = 4;

pub type Values = [Option<u64>; MAX_SOURCES];

/// What a source of an operation is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Integer(Type),
    Float(Format),
}

/// The nearest number of the type.
pub(super) fn clamped(value: i128, ty: Type) -> i128 {
    match ty.kind {
        TypeKind::Signed => value.clamp(-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        _ => value.clamp(0, (1 << ty.bits) - 1),
    }
}
