// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One bit of a value at a computed index. Beyond the end of the value a read is 0, and a write has no effect.
//!
//! In `update` of a `#[block]`, `x.at(i)` is the bit of `x` at `i`, and `x.with(i, bit)` is `x` with this bit at `i`. They are short for
//! `x.val().get_bit(i.index())` and `x.val().replace_bit(i.index(), bit)`, the only forms that rust-hdl's `#[hdl_gen]` can read; the
//! `val` of [`Place`] makes these calls methods of [`Guarded`]. The printer guards an index only if it may be beyond the end. rust-hdl's
//! methods of the same names panic beyond the end, so they are for indexes that are constant before simulation: numbers and loop indexes.

use rust_hdl::prelude::*;

/// A value whose bits may be read and written beyond the end.
pub struct Guarded<const N: usize>(Bits<N>);

/// The trait by which `at` and `with` make a value [`Guarded`].
pub trait Place<const N: usize> {
    fn val(&self) -> Guarded<N>;
}

impl<const N: usize> Place<N> for Bits<N> {
    #[inline(always)]
    fn val(&self) -> Guarded<N> {
        Guarded(*self)
    }
}

impl<const N: usize> Guarded<N> {
    #[inline(always)]
    pub fn get_bit(&self, place: usize) -> bool {
        place < N && self.0.get_bit(place)
    }

    #[inline(always)]
    pub fn replace_bit(&self, place: usize, bit: bool) -> Bits<N> {
        if place < N {
            self.0.replace_bit(place, bit)
        } else {
            self.0
        }
    }
}
