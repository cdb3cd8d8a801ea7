// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verilator, Icarus and Yosys take the export of every configuration, those of `BCU_CONFIGS` too.

use super::printer::tools::Scratch;
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config, export};
use serde::Deserialize;
use std::path::PathBuf;
use std::process::Command;

#[derive(Deserialize)]
struct Manifest {
    units: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    module: String,
    file: String,
    #[serde(default)]
    with: Vec<String>,
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

/// Exports a configuration; Yosys checks each unit, Verilator and Icarus the outermost with all that it is made of, and of the configurations
/// whose exports are committed each unit alone as well.
fn is_clean(name: &str) {
    let config = config::by_name(name).unwrap();
    let scratch = Scratch::new(&format!("lint-{name}"));
    let files = export::files(&config, catalog::outermost(&config), PREFIX).unwrap();
    files.iter().for_each(|(file, text)| scratch.write(file, text));
    let (_, manifest) = files.iter().find(|(file, _)| file == "manifest.json").unwrap();
    let units = serde_json::from_str::<Manifest>(manifest).unwrap().units;
    assert_eq!(units.len(), catalog::built(&config).count());
    for (at, Entry { module, file, with }) in units.into_iter().enumerate() {
        let unit = Exported { folder: scratch.path.clone(), module, files: with.into_iter().chain([file]).collect() };
        unit.under_yosys();
        if at == 0 || ["small", "xe"].contains(&name) {
            unit.under_verilator();
            unit.under_icarus();
        }
    }
}

/// A test for each of these configurations, and one that none is left out.
macro_rules! clean {
    ($($config:ident)*) => {
        $(#[test]
        fn $config() {
            is_clean(stringify!($config));
        })*

        #[test]
        fn every_configuration_is_checked() {
            let checked = [$(stringify!($config)),*];
            let left: Vec<_> = bcu_isa::config::NAMED.iter().map(|(name, _)| *name).filter(|name| !checked.contains(name)).collect();
            assert!(left.is_empty(), "{left:?}");
        }
    };
}

clean! { core default large odd slots512 small tiny warp32 warp8 warp8_bare warp8_no_state xe xe_tiny }

/// Those of `BCU_CONFIGS`.
#[test]
fn added_configurations() {
    let named = bcu_isa::config::NAMED.map(|(name, _)| name);
    config::all().map(|(name, _)| name).filter(|name| !named.contains(name)).for_each(is_clean);
}
