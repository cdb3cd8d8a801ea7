// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Texts of ports: they are about their own unit, at its own size.

use bcu_hw::export::files;
use bcu_hw::verilog::PREFIX;
use bcu_hw::{catalog, config};
use bcu_isa::config::Config;
use std::collections::HashMap;

/// The words of features, and whether the export of a configuration has them in a file of the unit.
fn absent_words(unit: &str, config: &Config) -> Vec<&'static str> {
    let of_barriers = ["bcu_named", "bcu_gateway"].contains(&unit);
    let mut words = vec![];
    let mut absent = |condition: bool, of_feature: &[&'static str]| {
        if condition {
            words.extend(of_feature);
        }
    };
    absent(!config.has_mbarrier() || of_barriers, &["mbarrier", "Mbarrier"]);
    absent(!config.has_gateway(), &["`gateway`", "gateway:", "Intel"]);
    absent(!config.has_named(), &["`named`", "Reduce:", "reduction:", "state word", "Write:"]);
    absent(!config.reductions, &["Reduce:", "executing lanes whose predicate"]);
    absent(config.lose_faults, &["no fault is lost"]);
    words
}

#[test]
fn port_texts_name_only_what_the_unit_has() {
    let mut texts = 0;
    let mut check = |config: &Config, unit: &str, doc: &str| {
        texts += 1;
        let found: Vec<_> = absent_words(unit, config).into_iter().filter(|word| doc.contains(word)).collect();
        assert!(doc.ends_with("are not built.") || found.is_empty(), "{}, {unit}: {found:?} in `{doc}`", config.name);
        for size in ["BARRIERS", "CLUSTER_SIZE", " 0 to 16", " 0 to 32"] {
            assert!(!doc.contains(size), "{}, {unit}: `{size}` is not a size of this export: {doc}", config.name);
        }
        doc.to_string()
    };
    let mut all: HashMap<(String, String, String), String> = HashMap::new();
    for config in config::all().map(|(name, _)| config::by_name(name).unwrap()) {
        let files = files(&config, catalog::outermost(&config), PREFIX).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&files[files.len() - 1].1).unwrap();
        for unit in manifest["units"].as_array().unwrap() {
            let module = unit["module"].as_str().unwrap();
            for port in unit["ports"].as_array().unwrap() {
                let doc = check(&config, module, port["doc"].as_str().unwrap());
                all.insert((config.name.clone(), module.to_string(), port["name"].as_str().unwrap().to_string()), doc);
            }
        }
    }
    assert!(texts > 1_000, "only {texts} texts");
    let doc = |config: &str, unit: &str, port: &str| all[&(config.to_string(), unit.to_string(), port.to_string())].as_str();
    assert_eq!(doc("small", "bcu_named", "op_data"), "Write: the state word.");
    assert_eq!(doc("small", "bcu_mem_order", "op_data"), "Write: the state word; mbarrier: the shared address.");
    assert_eq!(doc("intel", "bcu_mem_order", "op_data"), "Gateway: the message, whose bit 13 is 1 for a wait.");
    let barriers = "Launch: number of barriers declared; a number above 8 counts as 8.";
    assert_eq!(doc("small", "bcu_named", "op_barriers"), barriers);
    assert_eq!(doc("small", "bcu_named", "lost_faults"), "Always 0: no fault is lost in this configuration.");
    assert_eq!(doc("warp8_bare", "bcu_named", "op_redop"), "Unused: reductions are not built.");
}
