// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Campaigns on one small module. With a regression, the campaign finds every observable fault. Without one, it lists the faults as missed.

use super::campaign::{stages, Campaign, Fate};
use super::equal::{Answer, Prover};
use super::netlist::{Mutant, Netlist, TOP};
use super::regression::{Regression, Stage};
use super::report;
use bcu_hw::{config, export};
use std::fs;
use std::path::Path;

const MODULE: &str = "bcu_deadlock_detector";

fn netlist(folder: &Path) -> Netlist {
    let text = export::text(&config::by_name(super::CONFIG).unwrap(), TOP).unwrap();
    Netlist::new(&text, TOP, &[MODULE.to_string()], 12, 1, folder).unwrap()
}

/// The fates of all faults in a separate campaign.
fn play<'m>(netlist: &'m Netlist, folder: &Path, stages: &[Vec<Stage>; 2]) -> Vec<(&'m Mutant, Fate)> {
    fs::create_dir_all(folder).unwrap();
    let config = config::by_name(super::CONFIG).unwrap();
    let directory = xtask::root().join("target/mutate/verilated");
    let campaign = Campaign::new(
        Regression { unit: TOP, netlist, config: &config, directory },
        Prover::new(netlist, &config, folder, 120),
        None,
        folder,
    )
    .unwrap();
    campaign.fates(&netlist.mutants.iter().collect::<Vec<_>>(), stages).unwrap()
}

#[test]
fn a_regression_that_checks_nothing_leaves_survivors_and_the_real_one_none() {
    let folder = tempfile::tempdir().unwrap();
    let netlist = netlist(folder.path());
    assert_eq!(netlist.mutants.len(), 12);
    assert!(netlist.mutants.iter().all(|m| m.module == MODULE));
    let [real, none] = ["real", "none"].map(|name| folder.path().join(name));
    let found = play(&netlist, &real, &stages(100_000));
    let totals = report::count(found.iter().map(|(_, fate)| fate));
    assert!(totals.survivors == 0 && totals.killed() > 6 && totals.killed() + totals.equal == 12, "{found:?}");
    // The repeated campaign reuses all results.
    assert_eq!(play(&netlist, &real, &stages(100_000)), found);
    let missed = play(&netlist, &none, &[vec![Stage::Lockstep(0, 2)], vec![]]);
    for ((mutant, fate), (_, real)) in missed.iter().zip(&found) {
        // Every fault that the stimulus has found is proved to differ, and no fault that was proved equivalent was found.
        let right = match (fate, real) {
            (Fate::Killed(_), Fate::Killed(_)) | (Fate::Survived(Answer::Differs(_)), Fate::Killed(_)) => true,
            (fate, real) => fate == real,
        };
        assert!(right, "{}: {fate:?}, with the regression {real:?}", mutant.id);
    }
    let totals = report::count(missed.iter().map(|(_, fate)| fate));
    assert!(totals.survivors > 4, "{missed:?}");
    let list = report::survivors(&missed, "cargo lab mutate");
    assert_eq!(list.lines().count(), totals.survivors, "{list}");
    assert!(list.contains("repeat with `cargo lab mutate --only bcu_deadlock_detector/"), "{list}");
}
