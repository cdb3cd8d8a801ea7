// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Types of registers and operations.

/// The type of a register or of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub kind: TypeKind,
    /// Width in bits; 1 for a predicate.
    pub bits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// `.b32`, `.u32`
    Unsigned,
    Signed,
    Float,
    Predicate,
}

impl Type {
    pub const PREDICATE: Type = Type { kind: TypeKind::Predicate, bits: 1 };
    pub const U32: Type = Type { kind: TypeKind::Unsigned, bits: 32 };

    /// Whole bytes of a value in memory.
    #[inline]
    pub fn bytes(self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// The type a modifier such as `.u32` names.
    pub fn from_modifier(modifier: &str) -> Option<Type> {
        if modifier == ".pred" {
            return Some(Type::PREDICATE);
        }
        if matches!(modifier, ".f16x2" | ".bf16x2") {
            return Some(Type { kind: TypeKind::Float, bits: 32 });
        }
        let kind = match modifier.get(1..2)? {
            "b" | "u" => TypeKind::Unsigned,
            "s" => TypeKind::Signed,
            "f" => TypeKind::Float,
            _ => return None,
        };
        let bits = modifier.get(2..)?.parse().ok()?;
        let known = matches!(bits, 8 | 16 | 32 | 64) || modifier == ".b128";
        known.then_some(Type { kind, bits })
    }
}
