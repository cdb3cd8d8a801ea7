// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The benches that are shipped with exports, under Icarus: they pass on the unit and find a fault in it. With a legal user the checkers of
//! the export report nothing.

use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, export};
use bcu_isa::config::named;
use bcu_tb::legal::catalog::users_of;
use bcu_tb::testbench::{files, recordings, Play};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes a folder with the export of a unit and its bench.
fn folder(name: &str, config: &str, unit: &str, play: Play) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("testbench-{name}-{config}-{unit}"));
    fs::create_dir_all(&folder).unwrap();
    let config = named(config).unwrap();
    let played = recordings(unit, &config, play).unwrap();
    let texts = export::files(&config, unit, PREFIX).unwrap();
    for (file, text) in texts.into_iter().chain(files(PREFIX, unit, &config.name, &played, "a test")) {
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// Runs the bench; returns the output that it prints.
fn simulate(folder: &PathBuf, unit: &str, options: &str) -> String {
    let module = if unit == "bcu" { PREFIX.to_string() } else { format!("{PREFIX}_{unit}") };
    let checkers = if options.is_empty() { "" } else { "$(ls *_assert.v)" };
    let sources = format!("tb_{module}.v $(ls {PREFIX}*.v | grep -v _assert) {checkers}");
    let command = format!("iverilog -g2005 {options} -I . -o bench -s tb_{module} {sources} && vvp -n bench");
    let done = Command::new("sh").arg("-c").arg(format!("exec 2>&1; {command}")).current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn a_user_who_keeps_the_contract_sees_no_message_of_the_checkers() {
    let mut wrong = String::new();
    for config in ["tiny", "intel_tiny"] {
        for unit in users_of(&named(config).unwrap()) {
            let play = Play { seed: 1, runs: 2, cycles: 500, legal: true };
            let folder = folder("legal", config, unit, play);
            let log = simulate(&folder, unit, "-DBCU_CHECK");
            if log.trim_end() == "PASS: 1000 cycles" {
                fs::remove_dir_all(folder).unwrap();
            } else {
                let first: Vec<&str> = log.lines().take(10).collect();
                wrong += &format!("{unit} at {config}, in {}:\n{}\n", folder.display(), first.join("\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_bench_passes_on_the_unit_and_fails_on_a_fault_or_without_its_vectors() {
    let unit = "warp_status";
    let folder = folder("fault", "tiny", unit, Play::usual(unit));
    let log = simulate(&folder, unit, "");
    assert!(log.starts_with("PASS"), "{log}");
    let vectors = folder.join("tb_bcu_warp_status.hex");
    fs::rename(&vectors, vectors.with_extension("moved")).unwrap();
    let log = simulate(&folder, unit, "");
    assert!(log.contains("cannot read tb_bcu_warp_status.hex") && log.trim_end().ends_with("FAIL"), "{log}");
    fs::rename(vectors.with_extension("moved"), &vectors).unwrap();
    let source = folder.join("bcu_warp_status.v");
    let text = fs::read_to_string(&source).unwrap();
    let faulty = text.replace("&& commit_untraps)", ")");
    assert_ne!(text, faulty);
    fs::write(&source, faulty).unwrap();
    let log = simulate(&folder, unit, "");
    assert!(log.contains(", expected ") && log.trim_end().ends_with("FAIL"), "{log}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_committed_benches_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out/testbench");
    let list = fs::read_to_string(root.join("committed.toml")).unwrap();
    for (config, units) in toml::from_str::<BTreeMap<String, Vec<String>>>(&list).unwrap() {
        let built = named(&config).unwrap();
        let mut names = vec![];
        for unit in catalog::built(&built).filter(|unit| units.iter().any(|wanted| wanted == unit)) {
            let play = Play::usual(unit);
            let Play { seed, runs, cycles, .. } = play;
            let again = format!("bcu testbench --config {config} --unit {unit} --seed {seed} --runs {runs} --cycles {cycles}");
            for (name, text) in files(PREFIX, unit, &config, &recordings(unit, &built, play).unwrap(), &again) {
                let committed = fs::read_to_string(root.join(&config).join(&name)).unwrap_or_default();
                assert!(committed == text, "verilog-out/testbench/{config}/{name} is stale: run `cargo xtask regen`");
                names.push(name);
            }
        }
        let file_count = fs::read_dir(root.join(&config)).unwrap().count();
        assert_eq!(names.len(), 2 * units.len(), "a unit that {config} has not");
        assert_eq!(file_count, names.len(), "verilog-out/testbench/{config} holds what is not written any more");
    }
}
