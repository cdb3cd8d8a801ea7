// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of memory contents.

use super::*;
use fastrand::Rng;
use std::collections::{BTreeMap, BTreeSet};

const END: u64 = PAGE as u64;

fn image(values: &[Option<u8>]) -> Image {
    values.iter().copied().collect()
}

#[test]
fn a_word_is_known_when_all_its_bytes_are() {
    let mut bytes = Bytes::new(Fresh::Unknown);
    // The word is in two pages.
    bytes.store(END - 2, 4, Some(0x0403_0201));
    assert_eq!(
        (bytes.number(END - 2, 4), bytes.number(END - 1, 2), bytes.number(END - 3, 2)),
        (Some(0x0403_0201), Some(0x302), None)
    );
    assert_eq!(bytes.words(), []);
    bytes.store(END - 4, 2, Some(0));
    assert_eq!(bytes.words(), [(END as u32 - 4, 0x0201_0000)]);
    bytes.store(END - 4, 1, None);
    assert_eq!(bytes.words(), []);
    bytes.set_range(END - 2, &[Some(1), None, Some(3)]);
    assert_eq!(bytes.range(END - 3, 5), [Some(0), Some(1), None, Some(3), Some(4)]);
    bytes.set_range(u64::MAX, &[Some(5), Some(6)]);
    assert_eq!((bytes.get(u64::MAX), bytes.get(0), bytes.number(u64::MAX, 2)), (Some(5), Some(6), Some(0x605)));
    let mut zeroed = Bytes::new(Fresh::Zero);
    assert_eq!(zeroed.range(END - 1, 2), [Some(0); 2]);
    assert_eq!(zeroed.number(1 << 40, 8), Some(0));
    zeroed.forget();
    assert_eq!(zeroed.get(0), None);
}

#[test]
fn a_store_reports_whether_the_contents_may_have_changed() {
    // The number at 62 is in two words of the mask, and the number before `END` in two pages.
    for at in [0, 62, END - 2] {
        let mut bytes = Bytes::new(Fresh::Unknown);
        assert!(bytes.store(at, 4, None) && bytes.store(at, 4, Some(5)), "unknown contents may differ");
        assert!(!bytes.store(at, 4, Some(5)) && !bytes.store(at, 4, Some(1 << 32 | 5)));
        assert!(!bytes.set(at, Some(5)) && bytes.set(at, Some(6)));
        assert!(bytes.store(at, 4, Some(5)) && bytes.store(at, 2, None) && bytes.store(at, 4, Some(5)));
    }
    let mut zeroed = Bytes::new(Fresh::Zero);
    assert!(!zeroed.store(0, 8, Some(0)) && !zeroed.set(300, Some(0)) && zeroed.set(300, None));
}

#[test]
fn unwritten_random_bytes_do_not_depend_on_the_order_of_uses() {
    let mut bytes = Bytes::new(Fresh::Random(7));
    let before = bytes.range(END - 8, 16);
    let number = bytes.number(END + 4, 4);
    bytes.store(END, 4, Some(0));
    assert_eq!((bytes.range(END - 8, 8), bytes.range(END + 4, 4)), (before[..8].to_vec(), before[12..].to_vec()));
    assert_eq!(bytes.number(END + 4, 4), number);
    assert!(before.iter().all(Option::is_some) && before.windows(2).any(|two| two[0] != two[1]));
}

/// A variable that begins and ends inside a page, between bytes outside of it.
#[test]
fn a_variable_is_a_region_of_its_own() {
    let mut bytes = Bytes::new(Fresh::Zero);
    let first = END - 6;
    let variable = image(&[Some(1), Some(2), None, Some(4)]);
    bytes.place(first, &variable);
    assert_eq!(bytes.range(first - 1, 6), [Some(0), Some(1), Some(2), None, Some(4), Some(0)]);
    assert_eq!(
        (bytes.number(first, 2), bytes.number(first - 1, 2), bytes.number(first + 3, 4)),
        (Some(0x201), Some(0x100), Some(4))
    );
    assert_eq!((bytes.words(), bytes.unknown_stored(0, 2 * END)), (vec![], 0), "the bytes before the run are not stored");
    bytes.store(first - 2, 4, Some(0x0908_0706));
    bytes.store(first + 3, 2, None);
    bytes.set_range(first + 2, &[None]);
    assert_eq!(bytes.image(first, 4), image(&[Some(8), Some(9), None, None]));
    assert_eq!(
        bytes.range(first - 2, 8),
        [6, 7, 8, 9].map(Some).into_iter().chain([None; 3]).chain([Some(0)]).collect::<Vec<_>>()
    );
    assert_eq!((bytes.unknown_stored(first, 4), bytes.unknown_stored(first + 3, 1), bytes.unknown_stored(0, END)), (2, 1, 3));
    assert_eq!(bytes.words(), [(END as u32 - 8, 0x0908_0706)], "the next word has unknown bytes");
    bytes.store(first + 2, 4, Some(0));
    assert_eq!((bytes.unknown_stored(0, END), bytes.words().len()), (0, 2));
    bytes.store(first, 4, None);
    bytes.forget();
    assert_eq!((bytes.image(first, 4), bytes.unknown_stored(first, 4)), (Image::unknown(4), 0));
    assert_eq!(variable, image(&[Some(1), Some(2), None, Some(4)]));
}

#[test]
fn only_the_stored_pages_of_a_variable_are_copied() {
    let variable = Image::from(vec![3; 3 * PAGE]);
    variable.page(0);
    variable.page(1);
    let mut bytes = Bytes::new(Fresh::Unknown);
    bytes.place(1 << 33, &variable);
    bytes.store((1 << 33) + END, 4, Some(7));
    let after = bytes.image(1 << 33, variable.len());
    assert!(std::ptr::eq(after.page(0), variable.page(0)));
    assert_eq!((after.get(PAGE), variable.get(PAGE)), (Some(7), Some(3)));
    assert_eq!((bytes.words(), bytes.unknown_stored(1 << 33, 3 * END)), (vec![], 0), "only words below 4 GiB are listed");
}

#[test]
fn variables_at_the_same_addresses_have_the_bytes_of_the_last_one() {
    let mut bytes = Bytes::new(Fresh::Unknown);
    bytes.place(16, &Image::from(vec![1; 4]));
    bytes.place(16, &Image::from(vec![2; 4]));
    assert_eq!(bytes.image(16, 4), Image::from(vec![2; 4]), "the variable of an earlier run");
    bytes.place(18, &Image::from(vec![3; 4]));
    assert_eq!((bytes.image(16, 4), bytes.image(18, 4)), (vec![2, 2, 3, 3].into(), vec![3; 4].into()));
    bytes.store(18, 2, Some(0));
    bytes.place(15, &Image::from(vec![4; 2]));
    assert_eq!(bytes.image(15, 8), image(&[Some(4), Some(4), Some(2), Some(0), Some(0), Some(3), Some(3), None]));
    bytes.place(u64::MAX - 1, &Image::from(vec![5; 2]));
    assert_eq!(bytes.number(u64::MAX - 1, 2), Some(0x505));
}

#[test]
fn pages_with_high_numbers_are_listed_in_order() {
    let mut bytes = Bytes::new(Fresh::Unknown);
    for address in [1 << 31, 1 << 20, 1 << 40] {
        bytes.store(address, 4, Some(address >> 16));
    }
    assert_eq!(bytes.words(), [(1 << 20, 16), (1 << 31, 1 << 15)]);
}

/// A memory that holds each byte separately: its value, and whether it was stored.
struct Single {
    fresh: Fresh,
    bytes: BTreeMap<u64, (Option<u8>, bool)>,
}

impl Single {
    fn get(&self, address: u64) -> Option<u8> {
        self.bytes.get(&address).map_or_else(|| self.fresh.byte(address), |(value, _)| *value)
    }

    fn set(&mut self, address: u64, value: Option<u8>) {
        self.bytes.insert(address, (value, true));
    }

    fn number(&self, address: u64, bytes: u64) -> Option<u64> {
        (0..bytes).rev().try_fold(0, |number, i| Some(number << 8 | u64::from(self.get(address + i)?)))
    }
}

#[test]
fn random_accesses_have_the_results_of_separate_bytes() {
    for seed in 0..60 {
        let mut random = Rng::with_seed(seed);
        let fresh = [Fresh::Unknown, Fresh::Zero, Fresh::Random(seed)][random.usize(..3)];
        let (mut bytes, mut single) = (Bytes::new(fresh), Single { fresh, bytes: BTreeMap::new() });
        // Variables of up to three pages, some with common bytes, around which the accesses are.
        let variables: Vec<(u64, usize)> = (0..3).map(|_| (random.u64(..4 * END), random.usize(..2 * PAGE))).collect();
        for (first, len) in &variables {
            let values: Vec<Option<u8>> = (0..*len).map(|_| Some(random.u8(..)).filter(|byte| byte % 5 > 0)).collect();
            bytes.place(*first, &image(&values));
            single.bytes.extend((*first..).zip(values.iter().map(|value| (*value, false))));
        }
        let near = |random: &mut Rng| {
            let (first, len) = variables[random.usize(..variables.len())];
            let border = [first, first + len as u64, END, 2 * END][random.usize(..4)];
            [border.saturating_sub(10) + random.u64(..20), random.u64(..6 * END)][random.usize(..2)]
        };
        for _ in 0..400 {
            let (at, size) = (near(&mut random), [1, 2, 4, 8][random.usize(..4)]);
            match random.u8(..100) {
                0 => {
                    bytes.forget();
                    single = Single { fresh: Fresh::Unknown, bytes: BTreeMap::new() };
                }
                1..30 => {
                    let value = Some(random.u64(..)).filter(|value| value % 4 > 0);
                    let before = single.number(at, size);
                    (0..size).for_each(|i| single.set(at + i, value.map(|value| (value >> (8 * i)) as u8)));
                    let after = single.number(at, size);
                    assert_eq!(bytes.store(at, size as usize, value), before.is_none() || before != after);
                }
                30..50 => {
                    let values: Vec<Option<u8>> =
                        (0..random.usize(..40)).map(|i| Some(i as u8).filter(|i| i % 7 > 0)).collect();
                    bytes.set_range(at, &values);
                    (at..).zip(values).for_each(|(at, value)| single.set(at, value));
                }
                _ => assert_eq!(bytes.number(at, size as usize), single.number(at, size)),
            }
        }
        assert_eq!(bytes.range(0, 7 * PAGE), (0..7 * END).map(|at| single.get(at)).collect::<Vec<_>>());
        for (first, len) in &variables {
            let values: Vec<Option<u8>> = (*first..*first + *len as u64).map(|at| single.get(at)).collect();
            let lost = single.bytes.range(*first..*first + *len as u64).filter(|(_, byte)| **byte == (None, true));
            assert_eq!(
                (bytes.image(*first, *len).values(), bytes.unknown_stored(*first, *len as u64)),
                (values, lost.count() as u64)
            );
        }
        let stored = single.bytes.iter().filter(|(_, (_, stored))| *stored).map(|(at, _)| at & !3);
        let words: BTreeSet<u64> = stored.collect();
        let words = words.into_iter().filter_map(|at| Some((at as u32, single.number(at, 4)? as u32)));
        assert_eq!(bytes.words(), words.collect::<Vec<_>>());
    }
}
