// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which configurations are read, and where those that are not are refused.

use super::*;

#[test]
fn every_named_configuration_is_whole_and_offered() {
    for (name, text) in NAMED {
        let config = parse(name, text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(named(name), Some(config));
    }
}

#[test]
fn missing_unknown_and_unbuilt_keys_are_refused_at_their_place() {
    let (_, text) = NAMED[0];
    let missing = text.replace("lanes = 4\n", "");
    assert!(parse("x", &missing).unwrap_err()[0].message.contains("lanes"));
    let unknown = format!("{text}colour = 3\n");
    let wrong = parse("x", &unknown).unwrap_err();
    assert_eq!(&unknown[wrong[0].span.clone()], "colour");
    let unchecked = text.replace("faults = true", "faults = false");
    let wrong = parse("x", &unchecked).unwrap_err();
    assert_eq!((&unchecked[wrong[0].span.clone()], wrong.len()), ("false", 1));
    let lossy = text.replace(
        "faults = true\nstate_words = true\nlose_faults = false",
        "faults = false\nstate_words = false\nlose_faults = true",
    );
    let wrong = parse("x", &lossy).unwrap_err();
    assert_eq!((wrong.len(), wrong[0].message.contains("lose_faults")), (1, true), "{wrong:?}");
    let place = text.replace("pack_lsb = 4", "pack_lsb = 8");
    let wrong = parse("x", &place).unwrap_err();
    assert_eq!((&place[wrong[0].span.clone()], wrong.len()), ("8", 1));
    let clusters = [
        ("cluster_size = 16", "cluster_size = 17", "0 to 16"),
        ("max_remote = 2", "max_remote = 0", "1 to 15"),
        ("max_remote = 2", "max_remote = 16", "1 to 15"),
        ("cluster_slots = 4", "cluster_slots = 8", "not compiled in"),
        ("cluster_slots = 4", "cluster_slots = 0", "2 to 64"),
        ("grid_slots = 4", "grid_slots = 3", "a power of two"),
        ("sms = 2", "sms = 1", "not compiled in"),
        ("link_stages = 1", "link_stages = 51", "0 to 50"),
    ];
    for (key, other, message) in clusters {
        let wrong = parse("x", &text.replace(key, other)).unwrap_err();
        assert!(wrong.len() == 1 && wrong[0].message.contains(message), "{wrong:?}");
    }
    for (key, value, message) in [
        ("warps = 4", "0", "1 to 64"),
        ("warps = 4", "65", "1 to 64"),
        ("lanes = 4", "65", "1 to 64"),
        ("cta_slots = 1", "0", "1 to 64"),
        ("barriers = 4", "17", "0 to 16"),
        ("max_outstanding = 3", "1", "2 to 255"),
        ("accesses_per_cycle = 1", "0", "1 to 4"),
        ("accesses_per_cycle = 1", "2", "1 to half of max_outstanding, which is 3"),
        ("smem_bytes = 256", "300", "a power of two"),
        ("mbarrier_objects = 8", "2", "it must be 0 or 4 to 32"),
        ("limit_bits = 2", "17", "2 to 16"),
    ] {
        let name = key.split(' ').next().unwrap();
        let other = text.replace(key, &format!("{name} = {value}"));
        let wrong = parse("x", &other).unwrap_err();
        assert_eq!(&other[wrong[0].span.clone()], value, "{key}");
        assert!(wrong[0].message.contains(message), "{wrong:?}");
    }
    let many = text.replace("warps = 4", "warps = 64").replace("lanes = 4", "lanes = 64");
    let wrong = parse("x", &many).unwrap_err();
    assert!(&many[wrong[0].span.clone()] == "64" && wrong[0].message.contains("more than 4095 threads"), "{wrong:?}");
    assert_eq!(many[..wrong[0].span.start].lines().last(), Some("lanes = "));
    let parts = catalog::built(&named("tiny").unwrap()).count();
    let without = text.replace("mbarrier_objects = 8", "mbarrier_objects = 0");
    let bare = parse("tiny", &without).unwrap();
    let has = |config: &Config, name| config.has(name);
    assert!(!bare.has_network() && !has(&bare, "mbarrier") && catalog::built(&bare).count() + 2 == parts);
    for (key, none, missing) in [("grids = true", "grids = false", 3), ("sms = 2", "sms = 0", 3)] {
        let bare = parse("tiny", &text.replace(key, none)).unwrap();
        assert!(!has(&bare, "grid_hub") && catalog::built(&bare).count() + missing == parts);
    }
    let (_, gateway) = NAMED.iter().find(|(name, _)| *name == "xe_tiny").unwrap();
    let built = parse("xe_tiny", gateway).unwrap();
    let built: Vec<_> = catalog::built(&built).collect();
    assert_eq!(built, ["cta_table", "decode", "gather", "mem_order", "gateway", "warp_status", "deadlock_detector", "bcu"]);
    for (key, other, message) in [
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
        let wrong = parse("x", &gateway.replace(key, other)).unwrap_err();
        assert!(wrong.iter().any(|wrong| wrong.message.contains(message)), "{key}: {wrong:?}");
    }
    let size = text.replace("warps = 4", "warps = 5");
    let wrong = parse("x", &size).unwrap_err();
    assert!(
        wrong[0].message.contains("not compiled in") && wrong[0].help.as_ref().unwrap().contains("BCU_CONFIGS"),
        "{wrong:?}"
    );
}
