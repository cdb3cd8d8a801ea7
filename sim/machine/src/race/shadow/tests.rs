// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the shadow memory.

use super::*;

#[test]
fn a_byte_of_memory_has_at_most_16_bytes_of_shadow() {
    assert!(size_of::<Cell>() as u64 <= 16 * WORD, "{}", size_of::<Cell>());
}

/// The addresses and events that race with a store of event 9 to `bytes`, after the accesses `before`. No accesses are ordered.
fn races_with(before: &[(u32, std::ops::Range<u64>, bool)], bytes: std::ops::Range<u64>) -> Vec<(u64, u32)> {
    let mut shadow = Shadow::default();
    let mut found = vec![];
    let store = [(9, bytes, true)];
    for (event, bytes, stores) in before.iter().chain(&store) {
        found.clear();
        let bytes = Bytes { bank: Bank::Global, at: bytes.start, count: bytes.end - bytes.start };
        let judge = |_, (earlier, was_store): (&Touch, bool), _: &Touch| match was_store || *stores {
            true => Judged::Race(earlier.event),
            false => Judged::Permitted,
        };
        shadow.touch(bytes, (*event, 1, *stores), |_, _| None, judge, |at, _, _, event| found.push((at, event)));
    }
    found
}

#[test]
fn accesses_of_other_sizes_race_where_they_overlap() {
    assert_eq!(races_with(&[(1, 0..8, true)], 4..8), [(4, 1)]);
    assert_eq!(races_with(&[(1, 0..8, true)], 6..10), [(6, 1), (7, 1)]);
    assert_eq!(races_with(&[(1, 2..3, false), (2, 3..4, false)], 0..4), [(2, 1), (3, 2)]);
    assert_eq!(races_with(&[(1, 0..4, true)], 4..8), []);
    // Accesses across the end of a page.
    assert_eq!(races_with(&[(1, 1020..1028, true)], 1020..1028), [(1020, 1), (1024, 1)]);
}

#[test]
fn all_loads_since_a_store_are_kept() {
    assert_eq!(races_with(&[(1, 0..4, false), (2, 0..4, false), (3, 0..4, false)], 0..4), [(0, 1), (0, 2), (0, 3)]);
}
