// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sets as bit vectors: of warps, CTA slots, grids and so on.

/// The members of a set, the lowest first.
#[inline]
pub fn members(set: u64) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(set), |rest| Some(rest & rest.wrapping_sub(1)))
        .take_while(|rest| *rest != 0)
        .map(|rest| rest.trailing_zeros() as usize)
}

/// Sets or clears the bit of a member.
#[inline]
pub fn assign(set: &mut u64, member: usize, is: bool) {
    *set = *set & !(1 << member) | u64::from(is) << member;
}

/// The first member of `set` after the member `last`; the search wraps around. `None`: the set is empty.
#[inline]
pub fn next_in_turn(set: u64, last: Option<usize>) -> Option<usize> {
    let later = set & last.map_or(u64::MAX, |last| u64::MAX << last << 1);
    members(if later != 0 { later } else { set }).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_members_are_visited_in_order_and_in_turn() {
        assert_eq!(members(1 << 63 | 0b101).collect::<Vec<_>>(), [0, 2, 63]);
        assert_eq!(members(0).next(), None);
        let turns = [None, Some(0), Some(2), Some(62), Some(63)].map(|last| next_in_turn(1 << 63 | 0b101, last));
        assert_eq!(turns, [Some(0), Some(2), Some(63), Some(63), Some(0)]);
        assert_eq!(next_in_turn(0, Some(3)), None);
    }

    #[test]
    fn a_bit_is_set_and_cleared() {
        let mut set = 0b100;
        assign(&mut set, 63, true);
        assign(&mut set, 2, false);
        assert_eq!(set, 1 << 63);
    }
}
