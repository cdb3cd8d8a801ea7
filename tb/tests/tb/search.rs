// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The exhaustive search at its smallest size, and the detection of injected faults.

use bcu_model::Sizes;
use bcu_tb::search::cluster::{self, Clusters};
use bcu_tb::search::grid::{self, Grids};
use bcu_tb::search::{explore, Outcome};

/// Maximum number of states of a search; each injected fault is found among fewer states.
const LIMIT: usize = 4_000_000;

fn tiny() -> Sizes {
    Sizes::new(4, 4, 1, 4, 4, 3).unwrap()
}

fn clusters(fault: Option<cluster::Fault>) -> Outcome {
    explore(&Clusters { sizes: tiny(), warps: 1, slots: 1, fault }, LIMIT).unwrap()
}

fn grids(fault: Option<grid::Fault>) -> Outcome {
    explore(&Grids { sizes: tiny(), warps: 1, ctas: 1, places: 1, prompt: true, fault }, LIMIT).unwrap()
}

#[test]
fn clusters_of_two_ctas_of_one_warp_keep_the_rules_in_every_state() {
    let outcome = clusters(None);
    assert!(outcome.found.is_none(), "{outcome}");
    assert_eq!(outcome.states, 212_409);
    assert!(outcome.dues.iter().all(|(_, due, most)| *due > 0 && *most > 0), "{outcome}");
}

#[test]
fn grids_of_one_cta_of_one_warp_keep_the_rules_in_every_state() {
    let outcome = grids(None);
    assert!(outcome.found.is_none(), "{outcome}");
    assert_eq!(outcome.states, 766_774);
    assert!(outcome.dues.iter().all(|(_, due, most)| *due > 0 && *most > 0), "{outcome}");
}

#[test]
fn a_fault_in_clusters_is_found() {
    use cluster::Fault::{Early, Hasty, MessageLost};
    for (fault, rule) in [(MessageLost, "released when"), (Early, "released before"), (Hasty, "remains in")] {
        let outcome = clusters(Some(fault));
        let found = outcome.found.as_ref();
        assert!(found.is_some_and(|found| found.rule.contains(rule) && !found.trace.is_empty()), "{fault:?}: {outcome}");
    }
}

#[test]
fn a_fault_in_grids_is_found() {
    use grid::Fault::{Early, MessageLost};
    for (fault, rule) in [(Early, "launched before"), (MessageLost, "a flush is requested")] {
        let outcome = grids(Some(fault));
        let found = outcome.found.as_ref();
        assert!(found.is_some_and(|found| found.rule.contains(rule) && !found.trace.is_empty()), "{fault:?}: {outcome}");
    }
}
