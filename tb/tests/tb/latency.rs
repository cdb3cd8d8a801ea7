// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies of the contract. The tables of the contract pages, the constants in the RTL and in the model, and the latencies measured
//! on rust-hdl blocks, models and exported Verilog must be equal.

mod measured;
mod units;

use bcu_engine::Engine;
use bcu_hw::unit::latency as rtl;
use bcu_hw::{catalog, ports::Unit};
use bcu_isa::config::{named, Config, NAMED};
use bcu_jit::Compiled;
use bcu_model::{by_name, latency as model, Sizes};
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::lockstep::units::design;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use units::Units;

impl Units<'_> {
    /// Compares every row of the pages with the measured latencies of this configuration's units. The configuration has either `named` or
    /// the gateway.
    fn check(&self, config: &Config) {
        let rows: Vec<_> = page().into_iter().filter(|row| row.name.contains("GATEWAY") == config.has_gateway()).collect();
        assert_eq!(rows.len(), if config.has_gateway() { GATEWAY_ROWS } else { page().len() - GATEWAY_ROWS });
        rows.iter().for_each(|row| self.check_row(row, config));
    }

    /// Compares those rows of the pages whose latency is counted from a reset, for the units of this configuration.
    fn check_start(&self, config: &Config) {
        let rows: Vec<_> = page().into_iter().filter(|row| row.name.ends_with("_READY") || row.rows || row.objects).collect();
        assert_eq!(rows.len(), 7);
        let is_built = |row: &&Row| catalog::built(&config).any(|unit| row.name.to_lowercase().starts_with(unit));
        rows.iter().filter(is_built).for_each(|row| self.check_row(row, config));
    }

    fn check_row(&self, row: &Row, config: &Config) {
        assert_eq!(self.measured(row.name), row.total(config), "{}: measured, page", row.name);
    }
}

/// Number of rows with latencies of the gateway.
const GATEWAY_ROWS: usize = 6;

/// A latency on a page.
struct Row {
    name: &'static str,
    cycles: u64,
    /// Whether one cycle is added for every row of `named`.
    rows: bool,
    /// Whether one cycle is added for every entry of `mbarrier`.
    objects: bool,
    /// Whether two cycles are added for every stage of a link.
    links: bool,
    /// Whether one cycle is added for every warp.
    warps: bool,
    /// Whether one cycle is added for every encodable warp number.
    numbers: bool,
    /// The minimum in cycles, to which one cycle is added for every warp.
    at_least: Option<u64>,
}

impl Row {
    /// The latency in cycles in a configuration.
    fn total(&self, config: &Config) -> u64 {
        let besides = [
            (self.rows, config.cta_slots * config.ids().next_power_of_two().max(2)),
            (self.objects, config.mbarrier_objects),
            (self.links, 2 * config.link_stages),
            (self.warps, config.warps),
            (self.numbers, config.warps.next_power_of_two().max(4)),
        ];
        let more: usize = besides.iter().filter(|(is, _)| *is).map(|(_, cycles)| cycles).sum();
        let least = self.at_least.map_or(0, |cycles| config.warps as u64 + cycles);
        (self.cycles + more as u64).max(least)
    }
}

/// The tables of the contract's pages.
fn page() -> Vec<Row> {
    let row = |line: &'static str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        let cell = cells.next()?;
        let (cell, least) = cell.split_once(", at least W + ").map_or((cell, None), |(cell, least)| (cell, Some(least)));
        let at_least = least.and_then(|least| least.parse().ok());
        let fixed = cell.strip_prefix("C × 2^LI + ");
        let entries = cell.strip_prefix("X + ");
        let stages = cell.strip_prefix("2 × N + ");
        let steps = cell.strip_prefix("W + ");
        let names = cell.strip_prefix("2^LW + ");
        let cycles = fixed.or(entries).or(stages).or(steps).or(names).unwrap_or(cell).parse().ok()?;
        let constant = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        let (rows, objects, links) = (fixed.is_some(), entries.is_some(), stages.is_some());
        let (warps, numbers) = (steps.is_some(), names.is_some());
        constant.then_some(Row { name, cycles, rows, objects, links, warps, numbers, at_least })
    };
    let pages = [
        include_str!("../../../docs/contract/bcu.md"),
        include_str!("../../../docs/contract/cta_table.md"),
        include_str!("../../../docs/contract/decode.md"),
        include_str!("../../../docs/contract/gather.md"),
        include_str!("../../../docs/contract/mem_order.md"),
        include_str!("../../../docs/contract/named.md"),
        include_str!("../../../docs/contract/mbarrier.md"),
        include_str!("../../../docs/contract/clusters.md"),
        include_str!("../../../docs/contract/grids.md"),
        include_str!("../../../docs/contract/multiprocessors.md"),
        include_str!("../../../docs/contract/gateway.md"),
    ];
    pages.into_iter().flat_map(str::lines).filter_map(row).collect()
}

#[test]
fn the_page_the_rtl_and_the_model_state_the_same() {
    let sorted = |mut latencies: Vec<(&'static str, u64)>| {
        latencies.sort_unstable();
        latencies
    };
    let page = page();
    let constants = page.iter().map(|row| (row.name, row.cycles)).collect();
    assert_eq!(sorted(constants), sorted(model::ALL.to_vec()), "page, model");
    for (name, _) in NAMED {
        let config = named(name).unwrap();
        let of_page = page.iter().map(|row| (row.name, row.total(&config))).collect();
        let of_rtl = rtl::ALL.iter().map(|latency| (latency.name, latency.cycles(&config))).collect();
        assert_eq!(sorted(of_page), sorted(of_rtl), "{name}: page, RTL");
    }
}

#[test]
fn the_blocks_take_what_the_page_says() {
    for config in ["default", "intel"].map(|name| named(name).unwrap()) {
        Units::new(&config, &|unit| Box::new(Engine::new(catalog::build(&config, unit).unwrap()))).check(&config);
    }
}

#[test]
fn the_models_take_what_the_page_says() {
    for config in ["default", "intel"].map(|name| named(name).unwrap()) {
        Units::new(&config, &|unit| by_name(unit, Sizes::try_from(&config).unwrap()).unwrap()).check(&config);
    }
}

/// The latencies after a reset depend on the numbers of rows and entries, so all configurations are measured.
#[test]
fn in_every_configuration_the_first_transfer_after_reset_comes_when_the_page_says() {
    for (name, _) in NAMED {
        let config = named(name).unwrap();
        Units::new(&config, &|unit| by_name(unit, Sizes::try_from(&config).unwrap()).unwrap()).check_start(&config);
        Units::new(&config, &|unit| Box::new(Compiled::new(catalog::build(&config, unit).unwrap()).unwrap()))
            .check_start(&config);
    }
}

#[test]
fn the_exported_verilog_takes_what_the_page_says() {
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    for config in ["small", "intel_tiny"].map(|name| named(name).unwrap()) {
        let built = RefCell::new(BTreeMap::<String, Verilated>::new());
        Units::new(&config, &|name| {
            let build = || {
                let unit: Box<dyn Unit> = catalog::build(&config, name).unwrap();
                Verilated::build(&design(&*unit, &config).unwrap(), &cache, Optimisation::None).unwrap()
            };
            Box::new(built.borrow_mut().entry(name.to_string()).or_insert_with(build).instance(1))
        })
        .check(&config);
    }
}
