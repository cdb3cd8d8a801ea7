// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Types of port values, and their plain numbers.

/// The value of a port.
pub trait Value {
    /// The names of the values, each at the index of its value; empty for a plain number.
    const NAMES: &'static [&'static str] = &[];
    fn get(&self) -> u64;
    fn set(&mut self, value: u64);
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl Value for $number {
            #[inline]
            fn get(&self) -> u64 {
                (*self).into()
            }
            #[inline]
            fn set(&mut self, value: u64) {
                *self = value as $number;
            }
        })*
    };
}

numbers! { u8 u16 u32 u64 }

impl Value for bool {
    #[inline]
    fn get(&self) -> u64 {
        (*self).into()
    }
    #[inline]
    fn set(&mut self, value: u64) {
        *self = value != 0;
    }
}
