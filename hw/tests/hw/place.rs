// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The methods `at` and `with` of `bcu_hw::prim::place`: reads and writes of single bits at computed indexes.

use bcu_hw::prim::place::Place;
use rust_hdl::prelude::Bits;

#[test]
fn beyond_the_end_nothing_is_read_or_written() {
    fn check_places<const N: usize>() {
        let (zeros, ones) = (Bits::<N>::default(), !Bits::<N>::default());
        for place in 0..2 * N + 2 {
            let inside = place < N;
            assert_eq!((ones.val().get_bit(place), zeros.val().get_bit(place)), (inside, false), "{place} of {N}");
            assert_eq!(zeros.val().replace_bit(place, true).any(), inside, "{place} of {N}");
            assert_eq!(ones.val().replace_bit(place, false).all(), !inside, "{place} of {N}");
        }
    }
    check_places::<1>();
    check_places::<6>();
    check_places::<64>();
    check_places::<65>();
}
