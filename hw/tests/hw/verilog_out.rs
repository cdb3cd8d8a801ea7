// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The committed Verilog is the export of the present sources, and so are the tables of ports and of reset times. Exports with different
//! prefixes do not collide.

use super::printer::tools::{run, Scratch};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config, export};
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum total number of lines of the exports and of `common` below `verilog-out`, because every clone has these files.
const LINES: usize = 85_000;

#[test]
fn the_committed_files_are_fresh_and_few() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out");
    let list = std::fs::read_to_string(root.join("committed.toml")).unwrap();
    let mut lines = 0;
    for (name, unit) in toml::from_str::<BTreeMap<String, String>>(&list).unwrap() {
        let (config, folder) = (config::by_name(&name).unwrap(), root.join(&name));
        let files = export::files(&config, &unit, PREFIX).unwrap();
        for (file, text) in &files {
            let committed = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            assert!(committed == *text, "verilog-out/{name}/{file} is stale: run `cargo xtask regen`");
            lines += text.lines().count();
        }
        let extra: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(extra.len(), files.len(), "verilog-out/{name} holds files that no export writes: {extra:?}");
    }
    let common = std::fs::read_dir(root.join("common")).unwrap().map(|entry| entry.unwrap().path());
    lines += common.map(|file| std::fs::read_to_string(file).unwrap().lines().count()).sum::<usize>();
    assert!(
        lines <= LINES,
        "{lines} lines are committed; expected at most {LINES}: remove an entry from verilog-out/committed.toml"
    );
}

#[test]
fn the_page_of_ports_has_those_of_the_default_unit() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/contract/ports.md")).unwrap();
    let config = config::by_name("default").unwrap();
    let unit = catalog::build(&config, "bcu").unwrap();
    let table = format!("{}\n{}{}", export::PORTS_BEGIN, export::port_table(&*unit, &config), export::PORTS_END);
    assert!(page.contains(&table), "docs/contract/ports.md is stale: run `cargo xtask regen`");
}

#[test]
fn the_page_for_integrators_has_the_times_of_reset() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/integrate.md")).unwrap();
    let table = format!("{}\n{}{}", export::RESET_BEGIN, export::reset_table(), export::RESET_END);
    assert!(page.contains(&table), "the table of docs/guide/integrate.md is stale: run `cargo xtask regen`");
}

/// Two configurations in one design: their exports have no module in common.
#[test]
fn exports_with_prefixes_stand_beside_each_other() {
    let scratch = Scratch::new("prefixes");
    let mut texts = String::new();
    for (name, prefix) in [("tiny", "tiny"), ("odd_sizes", "bcu_odd"), ("tiny", PREFIX)] {
        for (file, text) in export::files(&config::by_name(name).unwrap(), "named", prefix).unwrap() {
            assert!(file.trim_start_matches("example_").starts_with(prefix) || prefix == PREFIX, "{file}");
            scratch.write(&file, &text);
            if file.ends_with("_prim.v") {
                texts += &text;
            } else if file.starts_with(prefix) && file.ends_with(".v") && !file.contains("_assert.") {
                let module = file.trim_end_matches(".v");
                assert!(text.contains(&format!("\nmodule {module} #(")), "{file}");
                texts += &format!("{text}module uses_{prefix} (input clock);\n  {module} unit (.clock(clock));\nendmodule\n");
            }
        }
    }
    scratch.write("all.v", &texts);
    let modules: Vec<_> = texts.lines().filter_map(|line| line.strip_prefix("module ")).collect();
    assert_eq!(modules.len(), modules.iter().collect::<std::collections::BTreeSet<_>>().len(), "{modules:?}");
    run(&scratch, "iverilog -g2005 -o design -s uses_tiny -s uses_bcu_odd -s uses_bcu all.v");
    let log = run(
        &scratch,
        "iverilog -g2005 -o bench -s example_bcu_odd_named example_bcu_odd_named.v bcu_odd_prim.v bcu_odd_named.v && vvp -n bench",
    );
    assert!(log.contains("PASS"), "{log}");
}
