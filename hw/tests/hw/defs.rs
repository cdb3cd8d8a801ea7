// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The file of macros in an export: sizes, codes and latencies.

use bcu_hw::catalog;
use bcu_hw::export::files;
use bcu_hw::unit::latency;
use bcu_hw::verilog::PREFIX;
use bcu_isa::config::named;
use bcu_isa::config::Config;
use std::collections::BTreeSet;

/// The text of the file of macros in the export of a unit.
fn text_of(config: &Config, unit: &str, prefix: &str) -> String {
    let files = files(config, unit, prefix).unwrap();
    files.into_iter().find(|file| file.0 == format!("{prefix}_defs.vh")).expect("a file of macros").1
}

#[test]
fn each_unit_brings_what_stands_at_its_ports_and_its_latencies() {
    let of_named = text_of(&named("small").unwrap(), "named", PREFIX);
    let value_in = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("`define BCU_{name} ")))?;
        line.split_whitespace().next().map(str::to_string)
    };
    for (name, value) in [
        ("WARPS", "8"),
        ("LW", "3"),
        ("VW", "3"),
        ("OP_MBARRIER", "4'd9"),
        ("FAULT_COUNT_ZERO_ARRIVE", "6'd9"),
        ("CYCLES_NAMED_RELEASE", "3"),
        ("CYCLES_NAMED_READY", "17"),
    ] {
        assert_eq!(value_in(&of_named, name).as_deref(), Some(value), "{name}\n{of_named}");
    }
    assert!(of_named.contains("// Completing arrival into `named` to `release_valid`.\n"), "{of_named}");
    assert!(!of_named.contains("MBARRIER_TOKEN") && !of_named.contains("BCU_POLICY_"), "{of_named}");
    let of_gateway = text_of(&named("intel_tiny").unwrap(), "gateway", PREFIX);
    assert_eq!(value_in(&of_gateway, "CYCLES_GATEWAY_RELEASE").as_deref(), Some("3"));
    assert!(!of_gateway.contains("BCU_CYCLES_NAMED_"), "{of_gateway}");
    assert_eq!(value_in(&text_of(&named("tiny").unwrap(), "grid_hub", PREFIX), "CYCLES_GRID_HUB_OPENED").as_deref(), Some("2"));
}

#[test]
fn every_latency_has_a_macro_and_no_name_is_defined_twice() {
    let headers =
        [("default", "gpu"), ("intel_tiny", "bcu")].map(|(config, unit)| text_of(&named(config).unwrap(), unit, "mine"));
    let names = headers.each_ref().map(|text| {
        // The macro of a rule is defined in two forms, so these lines are left out.
        let defined = text.lines().filter(|line| !line.contains("_RULE("));
        let names: Vec<_> = defined.filter_map(|line| line.strip_prefix("`define ")?.split(' ').next()).collect();
        let different: BTreeSet<_> = names.iter().copied().collect();
        assert_eq!(names.len(), different.len(), "{names:?}");
        assert!(text.is_ascii() && names.iter().all(|name| name.starts_with("MINE_")));
        different
    });
    for latency in latency::ALL {
        let name = format!("MINE_CYCLES_{}", latency.name);
        assert!(names.iter().any(|names| names.contains(name.as_str())), "{name}");
    }
}

#[test]
fn the_widths_are_those_of_the_ports() {
    for name in ["tiny", "small", "odd_sizes", "default"] {
        let config = named(name).unwrap();
        let unit = catalog::build(&config, "named").unwrap();
        let text = text_of(&config, "named", PREFIX);
        for (name, port) in [("LW", "op_warp"), ("CW", "op_warps"), ("LC", "op_cta"), ("VW", "op_value")] {
            let width = unit.ports().into_iter().find(|of| of.name == port).map(|of| of.width).unwrap();
            let line = text.lines().find(|line| line.starts_with(&format!("`define BCU_{name} "))).unwrap();
            assert_eq!(line.split_whitespace().nth(2), Some(width.to_string().as_str()), "{} {name}", config.name);
        }
    }
}
