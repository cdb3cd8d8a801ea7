// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of memory images.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const LEN: usize = 2 * PAGE + 6;

#[test]
fn every_source_has_its_values_up_to_the_end() {
    let file: Vec<u8> = (0..LEN + 3).map(|at| at as u8).collect();
    let counted = Image::generated(LEN, |first, bytes| (first..).zip(bytes).for_each(|(at, byte)| *byte = (at + 3) as u8));
    let of_file = Image::of_file(file.clone(), 3);
    assert_eq!((of_file.len(), of_file.to_vec()), (LEN, file[3..].to_vec()));
    assert_eq!(Image::zeroed(LEN).values(), vec![Some(0); LEN]);
    assert_eq!((Image::unknown(LEN).values(), Image::unknown(LEN).to_vec()), (vec![None; LEN], vec![0; LEN]));
    let mut written = vec![];
    of_file.write(&mut written).unwrap();
    assert_eq!((written, of_file.clone()), (file[3..].to_vec(), file[3..].iter().map(|byte| Some(*byte)).collect()));
    assert_ne!(counted, Image::zeroed(LEN));
    assert_ne!(Image::zeroed(LEN), Image::zeroed(LEN + 1));
    assert_ne!(Image::zeroed(LEN), Image::unknown(LEN));
    assert!(Image::zeroed(0).is_empty() && Image::of_file(vec![1], 2).is_empty());
    assert_eq!(counted.get(PAGE + 1), Some((PAGE + 4) as u8));
}

#[test]
fn a_change_of_a_copy_does_not_change_the_original() {
    let mut original = Image::from(vec![1; LEN]);
    original.set(PAGE, Some(2));
    let mut copy = original.clone();
    let shared = |a: &Image, b: &Image, number: usize| std::ptr::eq(a.page(number), b.page(number));
    assert!(shared(&original, &copy, 1), "a used page is shared");
    copy.set(PAGE + 1, None);
    copy.set(LEN - 1, Some(9));
    assert_eq!([PAGE, PAGE + 1, LEN - 1].map(|at| original.get(at)), [Some(2), Some(1), Some(1)]);
    assert_eq!([PAGE, PAGE + 1, LEN - 1].map(|at| copy.get(at)), [Some(2), None, Some(9)]);
    assert!(!shared(&original, &copy, 1));
}

#[test]
fn a_page_is_generated_at_its_first_use_only() {
    let generated = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&generated);
    let image = Image::generated(LEN, move |first, bytes| {
        assert_eq!(first % PAGE, 0);
        count.fetch_add(1, Relaxed);
        bytes.fill(5);
    });
    assert_eq!((generated.load(Relaxed), image.get(0), image.get(7), image.clone().get(8)), (0, Some(5), Some(5), Some(5)));
    assert_eq!(generated.load(Relaxed), 1);
    assert_eq!((image.to_vec(), generated.load(Relaxed)), (vec![5; LEN], 3), "the used page is not generated again");
    assert_eq!(image.pages[1].get(), None, "a page that is only read in order is not kept");
}
