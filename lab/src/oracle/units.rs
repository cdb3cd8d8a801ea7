// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The units that have an oracle.

use super::pins::Oracle;
use super::{bcu, cluster, cluster_hub, gateway, grid, grid_hub, mbarrier, mem_order, named};
use bcu_isa::config::Config;
use bcu_isa::ports::Port;

/// Units with an oracle, each with its default configurations.
pub const SUBJECTS: [(&str, &[&str]); 9] = [
    ("named", &["default"]),
    ("mbarrier", &["default"]),
    ("gateway", &["intel"]),
    ("mem_order", &["default"]),
    ("cluster", &["default"]),
    ("cluster_hub", &["default"]),
    ("grid", &["default"]),
    ("grid_hub", &["default"]),
    ("bcu", &["small", "default"]),
];

/// The oracle of a unit.
pub fn oracle(unit: &str, ports: &[Port], config: &Config) -> Result<Box<dyn Oracle>, String> {
    Ok(match unit {
        "named" => Box::new(named::Named::new(ports, config)?),
        "mbarrier" => Box::new(mbarrier::Mbarrier::new(ports, config)?),
        "bcu" => Box::new(bcu::Bcu::new(ports, config)?),
        "gateway" => Box::new(gateway::Gateway::new(ports, config)?),
        "cluster" => Box::new(cluster::Cluster::new(ports, config)?),
        "cluster_hub" => Box::new(cluster_hub::ClusterHub::new(ports, config)?),
        "grid" => Box::new(grid::Grid::new(ports, config)?),
        "grid_hub" => Box::new(grid_hub::GridHub::new(ports, config)?),
        "mem_order" => Box::new(mem_order::MemOrder::new(ports, config)?),
        _ => return Err(format!("`{unit}` has no oracle")),
    })
}
