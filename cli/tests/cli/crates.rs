// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The crates that `bcu` is built from: each additional crate delays the first result.

use std::path::Path;
use std::process::Command;

/// The crates that a package is built from on this platform, including its own: one line for each, in `format`.
fn tree(package: &str, edges: &str, format: &str) -> Vec<String> {
    let arguments = ["tree", "--package", package, "--edges", edges, "--prefix", "none", "--format", format, "--locked"];
    let done = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).unwrap();
    let mut names: Vec<String> = text.lines().map(|line| line.trim_end_matches(" (*)").to_string()).collect();
    names.retain(|name| !name.is_empty());
    names.sort();
    names.dedup();
    names
}

fn crates_of(package: &str) -> Vec<String> {
    tree(package, "normal,build", "{lib}")
}

/// Cargo builds a crate, and all crates that depend on it, once for each different set of features. So each later package must use the
/// shared crates with the same features as the earlier package, or they are built twice.
#[test]
fn companions_and_chores_take_the_crates_of_bcu_with_the_features_that_they_have_there() {
    let built = |package: &str| tree(package, "normal", "{p} {f}");
    let of_other_features = |before: &[String], after: &str| -> Vec<String> {
        let after = built(after);
        let named = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
        let is_shared = |line: &&String| after.iter().any(|other| named(other) == named(line));
        // `bcu-hw` is excluded, because `xtask` and the tests compile other sizes into it.
        before
            .iter()
            .filter(|line| !line.starts_with("bcu-hw "))
            .filter(is_shared)
            .filter(|line| !after.contains(line))
            .cloned()
            .collect()
    };
    for (before, after) in [
        ("bcu-cli", "bcu-rtl"),
        ("bcu-cli", "bcu-tb-cli"),
        ("bcu-cli", "xtask"),
        ("bcu-rtl", "bcu-tb-cli"),
        ("bcu-rtl", "xtask"),
    ] {
        let again = of_other_features(&built(before), after);
        assert!(again.is_empty(), "{after} builds again what {before} has built: {again:?}: ask for the same features in both");
    }
}

#[test]
fn bcu_links_the_crates_of_the_list_and_no_other() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates.txt");
    let names: String = crates_of("bcu-cli").iter().map(|name| format!("{name}\n")).collect();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &names).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    let missing_from =
        |text: &str, from: &str| text.lines().filter(|l| !from.lines().any(|o| o == *l)).collect::<Vec<_>>().join(", ");
    assert!(
        names == listed,
        "new: {}; gone: {}: leave it out or move it to a companion, or write cli/crates.txt with `BLESS=1 cargo test -p bcu-cli --test cli crates`",
        missing_from(&names, &listed),
        missing_from(&listed, &names)
    );
}

/// The model is a useful oracle only if it shares no code with the hardware that it checks.
#[test]
fn the_model_is_built_from_the_descriptions_of_ports_and_nothing_of_the_hardware() {
    let own_crates: Vec<String> = crates_of("bcu-model").into_iter().filter(|name| name.starts_with("bcu_")).collect();
    assert_eq!(own_crates, ["bcu_isa", "bcu_model"]);
}

/// The build script `hw/build.rs` has cargo watch the folder `bcu-sizes`. If the folder does not exist, cargo counts it as changed and
/// rebuilds the unit in every command.
#[test]
fn the_folder_of_sizes_is_there_so_that_the_unit_is_not_built_again() {
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    assert!(target.join("bcu-sizes").is_dir(), "hw/build.rs makes {}/bcu-sizes", target.display());
}
