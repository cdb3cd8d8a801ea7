// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of units, how each is made, and the sizes that are compiled in: widths of signals are const generics, so there is a list of sizes, which
//! `build.rs` writes.

use crate::config::Config;
use crate::ports::Unit;
use crate::unit::{
    cluster::Cluster, cluster_hub::ClusterHub, cta_table::CtaTable, deadlock_detector::DeadlockDetector, decode::Decode,
    gateway::Gateway, gather::Gather, gpu::Gpu, grid::Grid, grid_hub::GridHub, mbarrier::Mbarrier, mem_order::MemOrder,
    named::Named, top::Bcu, warp_status::WarpStatus,
};
use bcu_config::Size;
use rust_hdl::prelude::Block;

/// What every unit must have in a crate, its *column*, is made from this list, so that a unit without it does not compile: gives the macro
/// `$column` every unit, `name Type,` each: the parts in the order of the data's way, then the whole, then several of it. The type has the same
/// name wherever a unit has one: block, model, stimulus.
#[macro_export]
macro_rules! for_each_unit {
    ($column:ident) => {
        $column! {
            cta_table CtaTable,
            decode Decode,
            gather Gather,
            mem_order MemOrder,
            named Named,
            gateway Gateway,
            mbarrier Mbarrier,
            cluster Cluster,
            grid Grid,
            warp_status WarpStatus,
            deadlock_detector DeadlockDetector,
            cluster_hub ClusterHub,
            grid_hub GridHub,
            bcu Bcu,
            gpu Gpu,
        }
    };
}

macro_rules! names {
    ($($unit:ident $Type:ident,)*) => {
        /// The names of all units, as in `bcu_<name>`.
        pub const UNITS: [&str; [$(stringify!($unit)),*].len()] = [$(stringify!($unit)),*];
    };
}

for_each_unit!(names);

/// The name of the whole unit.
pub const WHOLE: &str = "bcu";
/// Several of it with their hubs.
pub const SEVERAL: &str = "gpu";

/// The names of its parts, which are exported alone as well.
pub fn parts() -> impl Iterator<Item = &'static str> {
    UNITS.into_iter().filter(|unit| *unit != WHOLE)
}

/// Makes the unit of a name.
type Make = fn(&Config, &str) -> Option<Box<dyn Unit>>;

include!(concat!(env!("OUT_DIR"), "/sizes.rs"));

/// Whether the size of the configuration is compiled in.
pub fn is_compiled(config: &Config) -> bool {
    SIZES.iter().any(|(size, _)| size.serves(config))
}

/// The unit of this name in this configuration, or nothing if there is none; connected and ready to run.
pub fn build(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
    let (_, make) = SIZES.iter().find(|(size, _)| size.serves(config))?;
    config.has(unit).then(|| make(config, unit)).flatten()
}

/// The units that a configuration has, the whole one last.
pub fn built(config: &Config) -> impl Iterator<Item = &'static str> + use<'_> {
    parts().filter(|part| config.has(part)).chain([WHOLE])
}

/// The unit of this name in a size: warps, bits of one, of a number of them; bits of a CTA slot, slots; bits of an id, of a row, of a number of ids; of a sum over all
/// lanes of all warps, of a number of lanes; lanes, the same in fours, bits of data or of one for each lane; bits of a place in `mem_order`, of a number of accesses, strobes for accesses; of `mbarrier` bits of the number
/// of a word in shared memory, of an entry, of its tag, of a number of ticks, of a place in its queue; of a cluster slot, and slots, of a grid slot, and slots; multiprocessors.
#[rustfmt::skip]
fn in_size<
    const W: usize, const LW: usize, const CW: usize, const LC: usize, const S: usize, const LI: usize,
    const RA: usize, const IW: usize, const AW: usize, const VW: usize, const L: usize, const LP: usize, const LD: usize, const PW: usize,
    const OB: usize, const P: usize, const XW: usize, const XI: usize, const XT: usize, const XL: usize, const XQ: usize, const KC: usize, const KN: usize, const KG: usize, const G: usize, const M: usize,
>(config: &Config, unit: &str) -> Option<Box<dyn Unit>> {
    macro_rules! new {
        (cta_table) => { CtaTable::<W, LW, CW, LC, S, L, KC, KG>::new(config) };
        (decode) => { Decode::<W, LW, LC, L, LD>::new(config) };
        (gather) => { Gather::<W, LW, LC, L, LP, VW>::new(config) };
        (mem_order) => { MemOrder::<W, LW, CW, LC, S, VW, PW, OB, P>::new(config) };
        (named) => { Named::<W, LW, CW, LC, S, LI, RA, IW, AW, VW>::new(config) };
        (gateway) => { Gateway::<W, LW, CW, LC, S, LI, RA, IW>::new(config) };
        (mbarrier) => { Mbarrier::<W, LW, CW, LC, S, XW, XI, XT, XL, XQ, KC>::new(config) };
        (cluster) => { Cluster::<W, LW, LC, S, KC>::new(config) };
        (grid) => { Grid::<W, LW, LC, S, KG, G>::new(config) };
        (warp_status) => { WarpStatus::<W>::default() };
        (deadlock_detector) => { DeadlockDetector::<W, LW, LC, S>::default() };
        (cluster_hub) => { ClusterHub::<KC, KN, M>::default() };
        (grid_hub) => { GridHub::<KG, G, M>::default() };
        (bcu) => { Bcu::<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, LP, LD, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G>::new(config) };
        (gpu) => { Gpu::<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, LP, LD, PW, OB, P, XW, XI, XT, XL, XQ, KC, KN, KG, G, M>::new(config) };
    }
    macro_rules! by_name {
        ($($name:ident $Type:ident,)*) => {
            match unit {
                $(stringify!($name) => Some(connected(|| new!($name))),)*
                _ => None,
            }
        };
    }
    for_each_unit!(by_name)
}

/// Each unit is made in a frame of its own: together they would not fit the stack of a thread.
#[inline(never)]
fn connected<U: Unit + Block + 'static>(make: impl FnOnce() -> U) -> Box<dyn Unit> {
    let mut unit = Box::new(make());
    unit.connect_all();
    unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{Channel, Part, Port, When};

    #[test]
    fn every_unit_of_every_configuration_is_built_under_its_name() {
        for (name, _) in crate::config::NAMED {
            let config = crate::config::named(name).unwrap();
            for unit in built(&config) {
                let made = build(&config, unit).unwrap();
                assert_eq!(made.name(), unit);
                assert_eq!(made.ports()[0].name, "reset");
            }
            assert!(build(&config, "nothing").is_none());
        }
    }

    /// A unit and its ports, those of configurations with `named` and with the gateway.
    fn ports_of(unit: &'static str) -> (&'static str, Vec<Port>) {
        let configs = ["default", "xe"].map(|name| crate::config::named(name).unwrap());
        let mut ports: Vec<Port> = vec![];
        for port in configs.iter().filter_map(|config| build(config, unit)).flat_map(|unit| unit.ports()) {
            if !ports.iter().any(|known| known.name == port.name) {
                ports.push(port);
            }
        }
        (unit, ports)
    }

    /// What is checked by a channel or a condition is not checked at all if that does not fit the ports.
    #[test]
    fn channels_and_conditions_fit_the_ports() {
        for (unit, ports) in UNITS.map(ports_of) {
            let of = |name: &str, part| {
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
                        .unwrap_or_else(|| panic!("{unit}: {name} means something by {on}"));
                    assert!(!values.is_empty() && values.iter().all(|v| v >> on.width == 0), "{unit}: {name} by {}", on.name);
                }
                let Some(Channel { name: of_channel, part }) = channel else {
                    assert!(!["_valid", "_ready"].iter().any(|end| name.ends_with(end)), "{unit}: {name} is of no channel");
                    continue;
                };
                let valid = of(of_channel, Part::Valid);
                assert_eq!(valid.len(), 1, "{unit}: {of_channel}");
                assert!(of(of_channel, Part::Ready).len() <= 1, "{unit}: {of_channel}");
                assert_eq!(*dir == valid[0].dir, *part != Part::Ready, "{unit}: {name}");
                let first = When { port: valid[0].name.clone(), values: vec![1] };
                assert!(*part == Part::Payload || when.is_empty(), "{unit}: {name}");
                assert!(when.is_empty() || when[0] == first, "{unit}: {name}");
            }
        }
    }
    /// What stands between backticks.
    fn quoted(text: &str) -> impl Iterator<Item = &str> {
        text.split('`').skip(1).step_by(2)
    }

    /// `name` stands for the port: as it is, by the first of a row of ports (`word_0`), by a beginning (`op_…`, `op_*`) or by its channel.
    fn stands_for(name: &str, port: &Port) -> bool {
        let beginning = name.strip_suffix('…').or_else(|| name.strip_suffix('*'));
        let row =
            name.strip_suffix('0').is_some_and(|row| port.name.strip_prefix(row).is_some_and(|n| n.parse::<u8>().is_ok()));
        let of_channel = port.channel.as_ref().is_some_and(|channel| channel.name == name);
        port.name == name || row || of_channel || beginning.is_some_and(|start| port.name.starts_with(start))
    }

    #[test]
    fn the_contract_has_a_page_or_section_for_every_unit_and_names_its_ports() {
        let pages = [
            include_str!("../../docs/bcu.md"),
            include_str!("../../docs/units/cta_table.md"),
            include_str!("../../docs/units/decode.md"),
            include_str!("../../docs/units/gather.md"),
            include_str!("../../docs/units/mem_order.md"),
            include_str!("../../docs/units/named.md"),
            include_str!("../../docs/units/warp_status.md"),
            include_str!("../../docs/units/deadlock_detector.md"),
            include_str!("../../docs/mbarrier.md"),
            include_str!("../../docs/clusters.md"),
            include_str!("../../docs/grids.md"),
            include_str!("../../docs/gateway.md"),
            include_str!("../../docs/multiprocessors.md"),
        ];
        for unit in UNITS {
            // A page of its own, or a section of a page of two units.
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
                assert!(quoted(section).any(|name| stands_for(name, port)), "{unit}: the page says nothing of {}", port.name);
            }
            let (_, table) = section.split_once("# Ports\n").unwrap_or_else(|| panic!("{unit} has no ports"));
            for row in table.split("\n##").next().unwrap().lines().filter(|line| line.starts_with("| `")) {
                let names = quoted(row.split('|').nth(1).unwrap());
                for name in names {
                    assert!(ports.iter().any(|port| stands_for(name, port)), "{unit}: the page has a port {name}");
                }
            }
        }
    }
}
