// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the machine does otherwise than PTX; [`super::machine`] does not compare such runs.

use super::parts::*;
use bcu_tb::interleavings::{OpKind, Word};

const FIRST: OpKind = OpKind::CpAsync { tile: 1 };
const SECOND: OpKind = OpKind::CpAsync { tile: 0 };
const LAST: Word = Word::Shared { word: 5, peer: false };

fn arrival(noinc: bool) -> OpKind {
    OpKind::CpArrive { at: M, noinc }
}

/// Each arrival completes a phase. The machine makes one operation with the count 2 of them: `mbarrier_over_arrival`.
#[test]
#[ignore = "the machine merges arrivals of several `cp.async.mbarrier.arrive`"]
fn two_arrivals_after_a_copy_are_two_operations() {
    assert_eq!(explored(&[&[init(1), FIRST, arrival(true), arrival(true)]]).outcomes.len(), 1);
}

/// The arrival comes after the first copy. On the machine the second copy can take the place of the first: the load returns 0.
#[test]
#[ignore = "on the machine an arrival of `cp.async.mbarrier.arrive` may come before an earlier copy has ended"]
fn an_arrival_waits_for_the_earlier_copies() {
    let first: &[OpKind] = &[init(1), sync(0), FIRST, arrival(true), SECOND];
    assert_eq!(results(&[first, &[sync(0), wait(false), load(LAST)]]), values(&[&[102]]));
}

/// On the machine the increment of CTA 1 names rank 0: `rank_out_of_range`.
#[test]
#[ignore = "the machine gives the increment of `cp.async.mbarrier.arrive` an address without the rank"]
fn a_cta_of_rank_1_can_count_its_copies() {
    let second: &[OpKind] = &[init(1), FIRST, arrival(false), arrive(), wait(false), load(LAST)];
    assert_eq!(results_of(cluster(&[], second)), values(&[&[102]]));
}
