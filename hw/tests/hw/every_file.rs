// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The exported files of all configurations, for tests that read every one.

use bcu_hw::export::{files_with, Dialect, Style};
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config};
use bcu_isa::config::Config;

/// The Verilog files of all configurations, in both languages.
pub fn every_file(mut check: impl FnMut(&Config, Dialect, &str, &str)) {
    let mut count = 0;
    for config in config::all().map(|(name, _)| config::by_name(name).unwrap()) {
        for dialect in [Dialect::Verilog2005, Dialect::SystemVerilog] {
            for (name, text) in
                files_with(&config, catalog::outermost(&config), PREFIX, Style { dialect, ..Style::default() }).unwrap()
            {
                if [".v", ".sv", ".vh"].iter().any(|end| name.ends_with(end)) {
                    check(&config, dialect, &name, &text);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 100, "only {count} files");
}
