// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every unit of every configuration, and its pages.

use bcu_hw::catalog::{build, built};
use bcu_isa::config::{named, NAMED};
use bcu_isa::ports::{Channel, Part, Port, When};
use bcu_isa::units::UNITS;

#[test]
fn every_unit_of_every_configuration_is_built_under_its_name() {
    for (name, _) in NAMED {
        let config = named(name).unwrap();
        for unit in built(&config) {
            let built = build(&config, unit).unwrap();
            assert_eq!(built.name(), unit);
            assert_eq!(built.ports()[0].name, "reset");
        }
        assert!(build(&config, "nothing").is_none());
    }
}

/// A unit and its ports, in the configurations with `named` and with the gateway.
fn ports_of(unit: &'static str) -> (&'static str, Vec<Port>) {
    let configs = ["default", "intel"].map(|name| named(name).unwrap());
    let mut ports: Vec<Port> = vec![];
    for port in configs.iter().filter_map(|config| build(config, unit)).flat_map(|unit| unit.ports()) {
        if !ports.iter().any(|known| known.name == port.name) {
            ports.push(port);
        }
    }
    (unit, ports)
}

/// A rule about a channel or a condition would have no effect if the channel or condition did not fit the ports.
#[test]
fn channels_and_conditions_fit_the_ports() {
    for (unit, ports) in UNITS.map(ports_of) {
        let ports_of = |name: &str, part| {
            let member = Some(Channel { name: name.to_string(), part });
            ports.iter().filter(|p| p.channel == member).collect::<Vec<_>>()
        };
        for port in &ports {
            let Port { name, dir, channel, when, doc, .. } = port;
            assert!(!doc.is_empty(), "{unit}: {name} has no doc comment");
            for When { port: on, values } in when {
                let on = ports
                    .iter()
                    .find(|p| p.name == *on)
                    .unwrap_or_else(|| panic!("{unit}: {name} has a condition on {on}, which is not a port"));
                assert!(!values.is_empty() && values.iter().all(|v| v >> on.width == 0), "{unit}: {name} by {}", on.name);
            }
            let Some(Channel { name: of_channel, part }) = channel else {
                assert!(!["_valid", "_ready"].iter().any(|end| name.ends_with(end)), "{unit}: {name} belongs to no channel");
                continue;
            };
            let valid = ports_of(of_channel, Part::Valid);
            assert_eq!(valid.len(), 1, "{unit}: {of_channel}");
            assert!(ports_of(of_channel, Part::Ready).len() <= 1, "{unit}: {of_channel}");
            assert_eq!(*dir == valid[0].dir, *part != Part::Ready, "{unit}: {name}");
            let first = When { port: valid[0].name.clone(), values: vec![1] };
            assert!(*part == Part::Payload || when.is_empty(), "{unit}: {name}");
            assert!(when.is_empty() || when[0] == first, "{unit}: {name}");
        }
    }
}
/// The texts between backquotes in `text`.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether `name` denotes the port: by its name, the first of a row of ports (`word_0`), a prefix (`op_…`, `op_*`) or its channel.
fn stands_for(name: &str, port: &Port) -> bool {
    let beginning = name.strip_suffix('…').or_else(|| name.strip_suffix('*'));
    let row = name.strip_suffix('0').is_some_and(|row| port.name.strip_prefix(row).is_some_and(|n| n.parse::<u8>().is_ok()));
    let of_channel = port.channel.as_ref().is_some_and(|channel| channel.name == name);
    port.name == name || row || of_channel || beginning.is_some_and(|start| port.name.starts_with(start))
}

#[test]
fn the_contract_has_a_page_or_section_for_every_unit_and_names_its_ports() {
    let pages = [
        include_str!("../../../docs/contract/bcu.md"),
        include_str!("../../../docs/contract/cta_table.md"),
        include_str!("../../../docs/contract/decode.md"),
        include_str!("../../../docs/contract/gather.md"),
        include_str!("../../../docs/contract/mem_order.md"),
        include_str!("../../../docs/contract/named.md"),
        include_str!("../../../docs/contract/warp_status.md"),
        include_str!("../../../docs/contract/deadlock_detector.md"),
        include_str!("../../../docs/contract/mbarrier.md"),
        include_str!("../../../docs/contract/clusters.md"),
        include_str!("../../../docs/contract/grids.md"),
        include_str!("../../../docs/contract/gateway.md"),
        include_str!("../../../docs/contract/multiprocessors.md"),
    ];
    for unit in UNITS {
        // A unit has a page of its own, or a section of a page about two units.
        let (page, title) = (format!("# `{unit}`: "), format!("\n## `{unit}`: "));
        let section = pages
            .iter()
            .find_map(|text| {
                let of_two = text.split_once(&title).and_then(|(_, rest)| rest.split("\n## ").next());
                of_two.or_else(|| text.strip_prefix(&page))
            })
            .unwrap_or_else(|| panic!("{unit} has neither page nor section"));
        let (_, ports) = ports_of(unit);
        for port in ports.iter().filter(|p| p.name != "reset") {
            assert!(
                quoted(section).any(|name| stands_for(name, port)),
                "{unit}: the page does not name the port {}",
                port.name
            );
        }
        let (_, table) = section.split_once("# Ports\n").unwrap_or_else(|| panic!("{unit} has no ports"));
        for row in table.split("\n##").next().unwrap().lines().filter(|line| line.starts_with("| `")) {
            let names = quoted(row.split('|').nth(1).unwrap());
            for name in names {
                assert!(
                    ports.iter().any(|port| stands_for(name, port)),
                    "{unit}: the page names the port {name}, which the unit does not have"
                );
            }
        }
    }
}
