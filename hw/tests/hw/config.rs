// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Valid configurations are accepted; for an invalid configuration, the error points at the invalid key.

use bcu_hw::catalog;
use bcu_hw::config::parse;
use bcu_isa::config::{named, Config, NAMED};
use bcu_isa::units::UnitName;

#[test]
fn every_named_configuration_is_whole_and_offered() {
    for (name, text) in NAMED {
        let config = parse(name, text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(named(name), Some(config));
    }
}

/// The text of `tiny` after replacing the first text of each pair by the second.
fn tiny_with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(NAMED[0].1.to_string(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// The diagnostics of a bad text: the text at the first caret, the first message, and the number of messages.
fn refused(text: &str) -> (&str, String, usize) {
    let wrong = parse("x", text).unwrap_err();
    (&text[wrong[0].span.clone()], wrong[0].message.clone(), wrong.len())
}

#[test]
fn missing_and_unknown_keys_are_refused_at_their_place() {
    let (_, message, _) = refused(&tiny_with(&[("lanes = 4\n", "")]));
    assert!(message.contains("lanes"), "{message}");
    let unknown = format!("{}colour = 3\n", NAMED[0].1);
    assert_eq!(refused(&unknown).0, "colour");
}

#[test]
fn a_number_that_is_out_of_range_is_refused_at_its_place() {
    for (key, value, message) in [
        ("warps = 4", "0", "1 to 64"),
        ("warps = 4", "65", "1 to 64"),
        ("lanes = 4", "65", "1 to 64"),
        ("cta_slots = 1", "0", "1 to 64"),
        ("barriers = 4", "17", "0 to 16"),
        ("pack_lsb = 4", "8", "pack_lsb"),
        ("max_outstanding = 3", "1", "2 to 255"),
        ("accesses_per_cycle = 1", "0", "1 to 4"),
        ("accesses_per_cycle = 1", "2", "1 to half of max_outstanding, which is 3"),
        ("smem_bytes = 256", "300", "a power of two"),
        ("mbarrier_objects = 8", "2", "it must be 0 or 4 to 32"),
        ("limit_bits = 2", "17", "2 to 16"),
        ("cluster_size = 16", "17", "0 to 16"),
        ("max_remote = 2", "0", "1 to 15"),
        ("max_remote = 2", "16", "1 to 15"),
        ("cluster_slots = 4", "0", "2 to 64"),
        ("grid_slots = 4", "3", "a power of two"),
        ("link_stages = 1", "51", "0 to 50"),
    ] {
        let name = key.split(' ').next().unwrap();
        let changed = tiny_with(&[(key, &format!("{name} = {value}"))]);
        let (at, said, many) = refused(&changed);
        assert_eq!(at, value, "{key}: {said}");
        // A wrong size may also break rules about products with that size.
        let sizes = ["warps", "lanes", "cta_slots", "barriers", "max_outstanding", "smem_bytes", "mbarrier_objects"];
        assert!(many == 1 || sizes.contains(&name), "{key}: {many} complaints");
        assert!(said.contains(message), "{key}: {said}");
    }
}

#[test]
fn a_range_of_one_number_or_none_is_not_written_as_a_range() {
    let said = |warps: &str, objects: &str| {
        let sizes = [("warps = 4", warps), ("smem_bytes = 256", "smem_bytes = 64"), ("mbarrier_objects = 8", objects)];
        refused(&tiny_with(&sizes)).1
    };
    assert!(said("warps = 8", "mbarrier_objects = 4").ends_with("it must be 0 or 8"));
    assert!(said("warps = 16", "mbarrier_objects = 8").contains("it must be 0, because smem_bytes has space for 8 objects"));
}

#[test]
fn options_that_need_each_other_are_refused_without() {
    let unchecked = tiny_with(&[("faults = true", "faults = false")]);
    let (at, _, many) = refused(&unchecked);
    assert_eq!((at, many), ("false", 1));
    let (_, message, many) = refused(&tiny_with(&[(
        "faults = true\nstate_words = true\nlose_faults = false",
        "faults = false\nstate_words = false\nlose_faults = true",
    )]));
    assert!(many == 1 && message.contains("lose_faults"), "{message}");
}

#[test]
fn more_threads_than_a_count_holds_are_refused_at_the_lanes() {
    let many = tiny_with(&[("warps = 4", "warps = 64"), ("lanes = 4", "lanes = 64")]);
    let wrong = parse("x", &many).unwrap_err();
    assert!(&many[wrong[0].span.clone()] == "64" && wrong[0].message.contains("more than 4095 threads"), "{wrong:?}");
    assert_eq!(many[..wrong[0].span.start].lines().last(), Some("lanes = "));
}

#[test]
fn what_is_not_compiled_in_is_refused_with_what_to_do() {
    for (key, changed) in [("cluster_slots = 4", "cluster_slots = 8"), ("sms = 2", "sms = 1"), ("warps = 4", "warps = 5")] {
        let wrong = parse("x", &tiny_with(&[(key, changed)])).unwrap_err();
        let help = wrong[0].help.as_deref().unwrap_or_default();
        assert!(
            wrong.len() == 1 && wrong[0].message.ends_with(" is not compiled in") && help.contains("BCU_CONFIGS"),
            "{key}: {wrong:?}"
        );
    }
}

#[test]
fn units_that_a_configuration_leaves_out_are_not_built() {
    let parts = |config: &Config| catalog::built(config).count();
    let part_count = parts(&named("tiny").unwrap());
    let bare = parse("tiny", &tiny_with(&[("mbarrier_objects = 8", "mbarrier_objects = 0")])).unwrap();
    assert!(!bare.has_network() && !bare.has(UnitName::Mbarrier) && parts(&bare) + 2 == part_count);
    for (key, without) in [("grids = true", "grids = false"), ("sms = 2", "sms = 0")] {
        let bare = parse("tiny", &tiny_with(&[(key, without)])).unwrap();
        assert!(!bare.has(UnitName::GridHub) && parts(&bare) + 3 == part_count, "{key}");
    }
}

#[test]
fn a_gateway_is_built_instead_of_what_nvidia_has() {
    let (_, gateway) = NAMED.iter().find(|(name, _)| *name == "intel_tiny").unwrap();
    let built = parse("intel_tiny", gateway).unwrap();
    let built: Vec<_> = catalog::built(&built).collect();
    assert_eq!(built, ["cta_table", "decode", "gather", "mem_order", "gateway", "warp_status", "deadlock_detector", "bcu"]);
    for (key, changed, message) in [
        ("barriers = 0", "barriers = 4", "one of them must be 0"),
        ("gateway_ids = 4", "gateway_ids = 0", "one of them must be 0"),
        ("mbarrier_objects = 0", "mbarrier_objects = 8", "mbarrier_objects must be 0"),
        ("cluster_size = 0", "cluster_size = 2", "cluster_size must be 0"),
        ("grids = false", "grids = true", "grids must be false"),
        ("sms = 0", "sms = 2", "sms must be 0"),
        ("reductions = false", "reductions = true", "reductions must be false"),
        ("state_words = false", "state_words = true", "state_words must be false"),
        ("\nfaults = true", "\nfaults = false", "faults must be true"),
        ("lose_faults = false", "lose_faults = true", "lose_faults must be false"),
    ] {
        let wrong = parse("x", &gateway.replace(key, changed)).unwrap_err();
        assert!(wrong.iter().any(|wrong| wrong.message.contains(message)), "{key}: {wrong:?}");
    }
}

#[test]
fn the_page_of_configuration_keys_names_every_key() {
    let page = include_str!("../../../docs/contract/configuration.md");
    let lines = include_str!("../../configs/default.toml").lines();
    let keys: Vec<&str> =
        lines.filter_map(|line| Some(line.split_once(" = ")?.0)).filter(|key| !key.starts_with('#')).collect();
    assert!(keys.len() > 20, "{keys:?}");
    let missing: Vec<&&str> = keys.iter().filter(|key| !page.contains(&format!("\n| `{key}` | "))).collect();
    assert!(missing.is_empty(), "docs/contract/configuration.md lacks {missing:?}");
}
