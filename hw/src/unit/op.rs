// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The enumerations of an operation, [`bcu_isa::op`], as types of signals. The operations that have these values are in
//! [`channels`](crate::unit::channels).

use crate::port_value::PortValue;
use rust_hdl::prelude::*;

/// Declares an enum that may be the type of a port, and the table `ALL` of its variants. A value without a variant is read as the
/// first variant.
macro_rules! port_enum {
    ($(#[$meta:meta])* pub enum $type:ident { $($(#[$variant_meta:meta])* $variant:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Copy, Clone, PartialEq, Eq, Debug, LogicState)]
        pub enum $type {
            $($(#[$variant_meta])* $variant),*
        }
        impl $type {
            /// Every variant, indexed by its value at a port.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];
        }
        impl PortValue for $type {
            fn from_u64(value: u64) -> Self {
                Self::ALL.get(value as usize).copied().unwrap_or(Self::ALL[0])
            }
            fn to_u64(self) -> u64 {
                self as u64
            }
        }
    };
}

pub(crate) use port_enum;

bcu_isa::op_enums!(port_enum);
