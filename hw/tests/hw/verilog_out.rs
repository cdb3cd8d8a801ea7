// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The committed Verilog is what the sources give, and Verilator, Icarus and Yosys take it; as they take what is not committed.

use super::printer::tools::{run, Scratch};
use bcu_hw::verilog::{Options, PREFIX};
use bcu_hw::{catalog, config, export};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn committed(config: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../verilog-out").join(config)
}

/// An exported unit.
struct Exported {
    folder: PathBuf,
    module: String,
    /// The files of the units that it is made of, then its own.
    files: Vec<String>,
}

impl Exported {
    fn own(&self) -> &str {
        &self.files[self.files.len() - 1]
    }

    /// The texts of these files without the comments that stand alone.
    fn code(&self, files: &[String]) -> String {
        let read = |file: &String| std::fs::read_to_string(self.folder.join(file)).unwrap();
        let all: String = files.iter().map(read).collect();
        all.lines().filter(|line| !line.starts_with("//")).collect()
    }

    /// Runs a tool in its folder; gives its whole output.
    fn tool(&self, name: &str, arguments: &[&str]) -> String {
        let done = Command::new(name).args(arguments).current_dir(&self.folder).output();
        let done = done.unwrap_or_else(|e| panic!("{name}: {e}; get it with `apt-get install {name}`"));
        let log = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{name} {} in {}:\n{log}", arguments.join(" "), self.folder.display());
        log
    }

    /// Runs a tool, which must succeed without a line that is `bad`.
    fn is_clean(&self, name: &str, arguments: &[&str], bad: &dyn Fn(&str) -> bool) {
        let log = self.tool(name, arguments);
        let said: Vec<_> = log.lines().filter(|line| bad(line)).collect();
        assert!(said.is_empty(), "{}, {}: {said:#?}", self.folder.display(), self.module);
    }

    fn under_verilator(&self) {
        let options = ["--lint-only", "-Wall", "--top-module", &self.module, "bcu.vlt"];
        let all: Vec<&str> = options.into_iter().chain(self.files.iter().map(String::as_str)).collect();
        self.is_clean("verilator", &all, &|line| line.contains('%'));
    }

    fn under_icarus(&self) {
        let options = ["-g2005", "-Wall", "-o", "/dev/null", "-s", &self.module];
        let all: Vec<&str> = options.into_iter().chain(self.files.iter().map(String::as_str)).collect();
        self.is_clean("iverilog", &all, &|line| !line.contains("timescale"));
    }

    /// No latch, no implicit name, no wire without a driver; what it is made of is looked at on its own.
    fn under_yosys(&self) {
        let others =
            self.files[..self.files.len() - 1].iter().map(|file| format!("read_verilog -lib {file}; ")).collect::<String>();
        let script = format!(
            "{others}read_verilog {}; hierarchy -check -top {}; proc; check -assert; flatten; opt_clean; check -assert",
            self.own(),
            self.module
        );
        let bad = ["Latch inferred", "implicitly declared", "no driver", "Warning"];
        self.is_clean("yosys", &["-p", &script], &|line| bad.iter().any(|word| line.contains(word)));
    }
}

/// The units that `of` chooses of the committed files; of those that differ in nothing but comments one.
fn units(of: impl Fn(&Exported) -> Vec<String>) -> Vec<Exported> {
    let mut texts = HashSet::new();
    let mut units = vec![];
    for (config, _) in bcu_isa::config::NAMED {
        let sizes = config::by_name(config).unwrap();
        let whole = export::sources(&sizes, export::committed(&sizes)).unwrap();
        for unit in catalog::built(&sizes) {
            let (files, folder) = (export::sources(&sizes, unit).unwrap(), committed(config));
            let unit = Exported { folder, module: Options::new(unit).top, files };
            if !whole.iter().any(|file| file == unit.own()) {
                continue;
            }
            if texts.insert(unit.code(&of(&unit))) {
                units.push(unit);
            }
        }
    }
    units
}

#[test]
fn the_committed_files_are_fresh() {
    for (name, _) in bcu_isa::config::NAMED {
        let config = config::by_name(name).unwrap();
        let files = export::files(&config, export::committed(&config), PREFIX).unwrap();
        for (file, text) in &files {
            let committed = std::fs::read_to_string(committed(name).join(file)).unwrap_or_default();
            assert!(committed == *text, "verilog-out/{name}/{file} is stale: run `cargo xtask regen`");
        }
        let extra: Vec<_> = std::fs::read_dir(committed(name)).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(extra.len(), files.len(), "verilog-out/{name} holds files that no export writes: {extra:?}");
    }
}

#[test]
fn the_readme_has_the_ports_of_the_default_unit() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let unit = catalog::build(&config::by_name("default").unwrap(), "bcu").unwrap();
    let table = format!("{}\n{}{}", export::PORTS_BEGIN, export::port_table(&*unit), export::PORTS_END);
    assert!(readme.contains(&table), "the port table of README.md is stale: run `cargo xtask regen`");
}

#[test]
fn the_page_for_integrators_has_the_times_of_reset() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/integrate.md")).unwrap();
    let table = format!("{}\n{}{}", export::RESET_BEGIN, export::reset_table(), export::RESET_END);
    assert!(page.contains(&table), "the table of docs/integrate.md is stale: run `cargo xtask regen`");
}

/// Two configurations in one design: no module of one is one of the other.
#[test]
fn exports_with_prefixes_stand_beside_each_other() {
    let scratch = Scratch::new("prefixes");
    let mut all = String::new();
    for (name, prefix) in [("tiny", "tiny"), ("odd", "bcu_odd"), ("tiny", PREFIX)] {
        for (file, text) in export::files(&config::by_name(name).unwrap(), "named", prefix).unwrap() {
            assert!(file.trim_start_matches("tb_").starts_with(prefix) || prefix == PREFIX, "{file}");
            scratch.write(&file, &text);
            if file.starts_with(prefix) && file.ends_with(".v") {
                let module = file.trim_end_matches(".v");
                assert!(text.contains(&format!("\nmodule {module} (")), "{file}");
                all += &format!("{text}module uses_{prefix} (input clock);\n  {module} unit (.clock(clock));\nendmodule\n");
            }
        }
    }
    scratch.write("all.v", &all);
    let modules: Vec<_> = all.lines().filter_map(|line| line.strip_prefix("module ")).collect();
    assert_eq!(modules.len(), modules.iter().collect::<std::collections::BTreeSet<_>>().len(), "{modules:?}");
    run(&scratch, "iverilog -g2005 -o design -s uses_tiny -s uses_bcu_odd -s uses_bcu all.v");
    let log = run(&scratch, "iverilog -g2005 -o bench -s tb_bcu_odd_named tb_bcu_odd_named.v bcu_odd_named.v && vvp -n bench");
    assert!(log.contains("PASS"), "{log}");
}

#[test]
fn verilator_has_nothing_to_say() {
    units(|unit| unit.files.clone()).iter().for_each(Exported::under_verilator);
}

#[test]
fn icarus_takes_it_as_verilog_2005() {
    units(|unit| unit.files.clone()).iter().for_each(Exported::under_icarus);
}

#[test]
fn yosys_finds_no_latch_no_implicit_name_no_undriven_wire() {
    units(|unit| vec![unit.own().to_string()]).iter().for_each(Exported::under_yosys);
}

#[test]
fn units_that_are_not_committed_are_taken_as_well() {
    let mut texts = HashSet::new();
    for config in config::all().map(|(name, _)| config::by_name(name).unwrap()) {
        let is_of_project = bcu_isa::config::NAMED.iter().any(|(name, _)| *name == config.name);
        let top = if config.has("gpu") { "gpu" } else { "bcu" };
        let of = |unit: &str| export::sources(&config, unit).unwrap();
        let (all, known) = (of(top), if is_of_project { of(export::committed(&config)) } else { vec![] });
        let work = tempfile::tempdir().unwrap();
        for (file, text) in export::files(&config, top, PREFIX).unwrap() {
            std::fs::write(work.path().join(file), text).unwrap();
        }
        for unit in catalog::built(&config) {
            let unit = Exported { folder: work.path().to_path_buf(), module: Options::new(unit).top, files: of(unit) };
            let is_known = known.iter().any(|file| file == unit.own()) || !all.iter().any(|file| file == unit.own());
            // Configurations that differ in the barriers alone have many units in common.
            if is_known || !texts.insert(unit.code(&unit.files)) {
                continue;
            }
            unit.under_verilator();
            unit.under_icarus();
            unit.under_yosys();
        }
    }
}
