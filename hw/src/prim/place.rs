// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One bit of a value at a computed index. Beyond the end of the value a read is 0, and a write has no effect.
//!
//! In `update` of a `#[block]`, `x.at(i)` is the bit of `x` at index `i`, and `x.with(i, bit)` is `x` with the bit at index `i` replaced by
//! `bit`. `#[block]` expands them to `x.val().get_bit(i.index())` and `x.val().replace_bit(i.index(), bit)`, the only forms that rust-hdl's
//! `#[hdl_gen]` can read. In the expanded forms `val` is the method of [`Place`], so `get_bit` and `replace_bit` are methods of
//! [`Guarded`]. In the Verilog an index is guarded only if it may be beyond the end.
//!
//! rust-hdl's own `get_bit` and `replace_bit` panic beyond the end. Blocks use these two methods only with an index that is a number or a
//! loop index, because such an index is constant before simulation.

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
