// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The random numbers of the stimulus.

use bcu_tb::stimulus::Rng;

#[test]
fn the_stream_of_a_stored_seed_never_changes() {
    let mut rng = Rng::new(0, "");
    assert_eq!([rng.draw(), rng.draw()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    let mut rng = Rng::new(7, "named");
    let first: Vec<u64> = (0..4).map(|_| rng.below(1000)).collect();
    assert_eq!(first, [903, 805, 755, 366]);
}

#[test]
fn choices_stay_inside_what_they_choose_from() {
    let mut rng = Rng::new(1, "choices");
    for _ in 0..1000 {
        assert!((3..=9).contains(&rng.range(3, 9)));
        let subset = rng.subset(0b1011_0110, 3);
        assert!(subset & !0b1011_0110 == 0 && subset.count_ones() == 3);
        assert_eq!(rng.weighted(&[('a', 0), ('b', 2), ('c', 0)]), Some('b'));
    }
    assert_eq!((rng.bit(0), rng.pick::<u8>(&[]), rng.weighted(&[('a', 0)])), (None, None, None));
    assert_eq!(rng.subset(0b101, 9), 0b101);
}
