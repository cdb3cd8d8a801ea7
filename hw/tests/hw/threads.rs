// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The blocks that convert and compare numbers of threads and warps, tested exhaustively for every number of lanes.

use bcu_hw::unit::named::{in_warps::InWarps, more_than::MoreThan};
use bcu_isa::config::{named, Config};
use rust_hdl::prelude::*;

#[test]
fn threads_are_compared_with_every_number_of_warps_of_every_number_of_lanes() {
    for lanes in 1..65 {
        let mut block = MoreThan::new(&Config { lanes, ..named("tiny").unwrap() });
        block.connect_all();
        for warps in 0..1u64 << 7 {
            let all = warps * lanes as u64;
            for threads in [0, all.saturating_sub(lanes as u64), all.saturating_sub(1), all, all + 1, all + lanes as u64, 8191]
            {
                let threads = threads.min(8191);
                block.threads.next = threads.into();
                block.warps.next = warps.into();
                while {
                    block.update_all();
                    block.has_changed()
                } {}
                assert_eq!(block.is_more.val(), threads > all, "{threads} in {warps} of {lanes}");
            }
        }
    }
}

/// The result of a block for each number of threads: the number of warps, and whether there is a remainder.
fn warps_of_threads(lanes: usize, faults: bool) -> Vec<(u64, bool)> {
    let mut block = InWarps::new(&Config { lanes, faults, ..named("tiny").unwrap() });
    block.connect_all();
    let divided = |threads: u64| {
        block.threads.next = threads.into();
        while {
            block.update_all();
            block.has_changed()
        } {}
        (block.warps.val().to_u64(), block.has_remainder.val())
    };
    (0..1 << 12).map(divided).collect()
}

#[test]
fn every_number_of_threads_is_divided_by_every_number_of_lanes() {
    for lanes in 1..65 {
        for (threads, (warps, rest)) in warps_of_threads(lanes, true).into_iter().enumerate() {
            assert_eq!(rest, threads % lanes != 0, "{threads} by {lanes}");
            assert!(rest || warps == (threads / lanes) as u64, "{threads} by {lanes}: {warps}");
        }
        for (threads, (warps, _)) in warps_of_threads(lanes, false).into_iter().enumerate() {
            assert_eq!(warps, (threads / lanes) as u64, "{threads} by {lanes} without checks");
        }
    }
}
