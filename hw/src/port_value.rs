// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A value that fits one port, as a number.

use rust_hdl::prelude::*;

/// A value that fits a port: a bit, a bit vector of at most 64 bits, an enum.
pub trait PortValue: Synth {
    fn from_u64(value: u64) -> Self;
    fn to_u64(self) -> u64;
}

impl PortValue for bool {
    fn from_u64(value: u64) -> Self {
        value & 1 != 0
    }
    fn to_u64(self) -> u64 {
        self as u64
    }
}

impl<const N: usize> PortValue for Bits<N> {
    fn from_u64(value: u64) -> Self {
        (if N >= 64 { value } else { value & ((1u64 << N) - 1) }).into()
    }
    fn to_u64(self) -> u64 {
        Bits::to_u64(self)
    }
}
