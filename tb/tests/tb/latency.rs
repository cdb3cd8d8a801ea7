// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies of the contract: the tables of its pages, what the RTL states, what the model states, and what the units
//! take, as rust-hdl blocks, as models and as exported Verilog.

mod measured;
mod units;

use bcu_engine::compiled::Compiled;
use bcu_engine::Engine;
use bcu_hw::unit::latency as rtl;
use bcu_hw::{catalog, ports::Unit};
use bcu_isa::config::{named, Config, NAMED};
use bcu_model::{by_name, latency as model, Sizes};
use bcu_tb::cosim::verilator::{Optimisation, Verilated};
use bcu_tb::lockstep::units::design;
use std::path::PathBuf;
use units::Units;

impl Units<'_> {
    /// Compares every row of the page with what the units of this configuration take: with `named`, or with the gateway.
    fn check(&self, config: &Config) {
        let rows: Vec<_> = page().into_iter().filter(|row| row.name.contains("GATEWAY") == config.has_gateway()).collect();
        assert_eq!(rows.len(), if config.has_gateway() { GATEWAY_ROWS } else { page().len() - GATEWAY_ROWS });
        rows.iter().for_each(|row| self.check_row(row));
    }

    /// Compares the rows of the page that begin with a reset, of the units that this configuration has.
    fn check_start(&self, config: &Config) {
        let rows: Vec<_> = page().into_iter().filter(|row| row.name.ends_with("_READY") || row.rows || row.objects).collect();
        assert_eq!(rows.len(), 7);
        let is_built = |row: &&Row| catalog::built(&config).any(|unit| row.name.to_lowercase().starts_with(unit));
        rows.iter().filter(is_built).for_each(|row| self.check_row(row));
    }

    fn check_row(&self, row: &Row) {
        let besides = [
            (row.rows, self.rows),
            (row.objects, self.objects),
            (row.links, 2 * self.stages),
            (row.warps, self.walk),
            (row.numbers, self.numbers),
        ];
        let more: u64 = besides.iter().filter(|(is, _)| *is).map(|(_, cycles)| cycles).sum();
        let least = row.at_least.map_or(0, |cycles| self.walk + cycles);
        let cycles = (row.cycles + more).max(least);
        assert_eq!(self.measured(row.name), cycles, "{}: measured, page", row.name);
    }
}

/// Rows about the gateway.
const GATEWAY_ROWS: usize = 6;

/// A latency as the page has it.
struct Row {
    name: &'static str,
    cycles: u64,
    /// Besides, a cycle for every row of `named`.
    rows: bool,
    /// Besides, a cycle for every entry of `mbarrier`.
    objects: bool,
    /// Besides, two for every stage of a link.
    links: bool,
    /// Besides, a cycle for every warp.
    warps: bool,
    /// Besides, a cycle for every number that a warp could have.
    numbers: bool,
    /// At least these, and a cycle for every warp.
    at_least: Option<u64>,
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
        include_str!("../../../docs/bcu.md"),
        include_str!("../../../docs/units/cta_table.md"),
        include_str!("../../../docs/units/decode.md"),
        include_str!("../../../docs/units/gather.md"),
        include_str!("../../../docs/units/mem_order.md"),
        include_str!("../../../docs/units/named.md"),
        include_str!("../../../docs/mbarrier.md"),
        include_str!("../../../docs/clusters.md"),
        include_str!("../../../docs/grids.md"),
        include_str!("../../../docs/multiprocessors.md"),
        include_str!("../../../docs/gateway.md"),
    ];
    pages.into_iter().flat_map(str::lines).filter_map(row).collect()
}

#[test]
fn the_page_the_rtl_and_the_model_state_the_same() {
    let stated = [
        ("BCU_RELEASE", rtl::BCU_RELEASE, model::BCU_RELEASE),
        ("BCU_WRITEBACK", rtl::BCU_WRITEBACK, model::BCU_WRITEBACK),
        ("BCU_TOKEN", rtl::BCU_TOKEN, model::BCU_TOKEN),
        ("BCU_WAKE", rtl::BCU_WAKE, model::BCU_WAKE),
        ("BCU_EXIT_RELEASE", rtl::BCU_EXIT_RELEASE, model::BCU_EXIT_RELEASE),
        ("BCU_READY", rtl::BCU_READY, model::BCU_READY),
        ("BCU_LAUNCH", rtl::BCU_LAUNCH, model::BCU_LAUNCH),
        ("CTA_TABLE_OP", rtl::CTA_TABLE_OP, model::CTA_TABLE_OP),
        ("CTA_TABLE_LAUNCH", rtl::CTA_TABLE_LAUNCH, model::CTA_TABLE_LAUNCH),
        ("CTA_TABLE_RETIRE", rtl::CTA_TABLE_RETIRE, model::CTA_TABLE_RETIRE),
        ("CTA_TABLE_READY", rtl::CTA_TABLE_READY, model::CTA_TABLE_READY),
        ("DECODE_OP", rtl::DECODE_OP, model::DECODE_OP),
        ("GATHER_OP", rtl::GATHER_OP, model::GATHER_OP),
        ("MEM_ORDER_OP", rtl::MEM_ORDER_OP, model::MEM_ORDER_OP),
        ("MEM_ORDER_READY", rtl::MEM_ORDER_READY, model::MEM_ORDER_READY),
        ("NAMED_RELEASE", rtl::NAMED_RELEASE, model::NAMED_RELEASE),
        ("NAMED_EXIT_RELEASE", rtl::NAMED_EXIT_RELEASE, model::NAMED_EXIT_RELEASE),
        ("NAMED_FAULT", rtl::NAMED_FAULT, model::NAMED_FAULT),
        ("NAMED_WAITING", rtl::NAMED_WAITING, model::NAMED_WAITING),
        ("NAMED_READ", rtl::NAMED_READ, model::NAMED_READ),
        ("NAMED_READY", rtl::NAMED_READY, model::NAMED_READY),
        ("MBARRIER_TOKEN", rtl::MBARRIER_TOKEN, model::MBARRIER_TOKEN),
        ("MBARRIER_WAKE", rtl::MBARRIER_WAKE, model::MBARRIER_WAKE),
        ("MBARRIER_TX_WAKE", rtl::MBARRIER_TX_WAKE, model::MBARRIER_TX_WAKE),
        ("MBARRIER_TX_DONE", rtl::MBARRIER_TX_DONE, model::MBARRIER_TX_DONE),
        ("MBARRIER_FAULT", rtl::MBARRIER_FAULT, model::MBARRIER_FAULT),
        ("MBARRIER_READ", rtl::MBARRIER_READ, model::MBARRIER_READ),
        ("MBARRIER_FILL", rtl::MBARRIER_FILL, model::MBARRIER_FILL),
        ("MBARRIER_NET_OUT", rtl::MBARRIER_NET_OUT, model::MBARRIER_NET_OUT),
        ("MBARRIER_NET_TOKEN", rtl::MBARRIER_NET_TOKEN, model::MBARRIER_NET_TOKEN),
        ("MBARRIER_NET_REPLY", rtl::MBARRIER_NET_REPLY, model::MBARRIER_NET_REPLY),
        ("MBARRIER_READY", rtl::MBARRIER_READY, model::MBARRIER_READY),
        ("CLUSTER_COMMIT", rtl::CLUSTER_COMMIT, model::CLUSTER_COMMIT),
        ("CLUSTER_WAIT", rtl::CLUSTER_WAIT, model::CLUSTER_WAIT),
        ("CLUSTER_FAULT", rtl::CLUSTER_FAULT, model::CLUSTER_FAULT),
        ("CLUSTER_PRESENT", rtl::CLUSTER_PRESENT, model::CLUSTER_PRESENT),
        ("CLUSTER_ARRIVED", rtl::CLUSTER_ARRIVED, model::CLUSTER_ARRIVED),
        ("CLUSTER_GONE", rtl::CLUSTER_GONE, model::CLUSTER_GONE),
        ("CLUSTER_RELEASE", rtl::CLUSTER_RELEASE, model::CLUSTER_RELEASE),
        ("CLUSTER_ALONE_RELEASE", rtl::CLUSTER_ALONE_RELEASE, model::CLUSTER_ALONE_RELEASE),
        ("CLUSTER_CLOSED", rtl::CLUSTER_CLOSED, model::CLUSTER_CLOSED),
        ("CLUSTER_HUB_COMPLETE", rtl::CLUSTER_HUB_COMPLETE, model::CLUSTER_HUB_COMPLETE),
        ("CLUSTER_HUB_CLOSED", rtl::CLUSTER_HUB_CLOSED, model::CLUSTER_HUB_CLOSED),
        ("GRID_OUT", rtl::GRID_OUT, model::GRID_OUT),
        ("GRID_RELEASE", rtl::GRID_RELEASE, model::GRID_RELEASE),
        ("GRID_WAIT", rtl::GRID_WAIT, model::GRID_WAIT),
        ("GRID_FAULT", rtl::GRID_FAULT, model::GRID_FAULT),
        ("GRID_OPENED", rtl::GRID_OPENED, model::GRID_OPENED),
        ("GRID_HUB_OPENED", rtl::GRID_HUB_OPENED, model::GRID_HUB_OPENED),
        ("GRID_HUB_FLUSHED", rtl::GRID_HUB_FLUSHED, model::GRID_HUB_FLUSHED),
        ("GRID_HUB_LAUNCH", rtl::GRID_HUB_LAUNCH, model::GRID_HUB_LAUNCH),
        ("GRID_HUB_FLUSH", rtl::GRID_HUB_FLUSH, model::GRID_HUB_FLUSH),
        ("GPU_CLUSTER_RELEASE", rtl::GPU_CLUSTER_RELEASE, model::GPU_CLUSTER_RELEASE),
        ("GATEWAY_RELEASE", rtl::GATEWAY_RELEASE, model::GATEWAY_RELEASE),
        ("GATEWAY_COMMIT", rtl::GATEWAY_COMMIT, model::GATEWAY_COMMIT),
        ("GATEWAY_WAITING", rtl::GATEWAY_WAITING, model::GATEWAY_WAITING),
        ("GATEWAY_FAULT", rtl::GATEWAY_FAULT, model::GATEWAY_FAULT),
        ("GATEWAY_READY", rtl::GATEWAY_READY, model::GATEWAY_READY),
        ("BCU_GATEWAY_RELEASE", rtl::BCU_GATEWAY_RELEASE, model::BCU_GATEWAY_RELEASE),
    ];
    let page: Vec<_> = page().iter().map(|row| (row.name, row.cycles)).collect();
    assert_eq!(page, stated.map(|(name, rtl, _)| (name, rtl)), "page, RTL");
    assert_eq!(page, stated.map(|(name, _, model)| (name, model)), "page, model");
}

#[test]
fn the_blocks_take_what_the_page_says() {
    for config in ["default", "xe"].map(|name| named(name).unwrap()) {
        Units::new(&config, &|unit| Box::new(Engine::new(catalog::build(&config, unit).unwrap()))).check(&config);
    }
}

#[test]
fn the_models_take_what_the_page_says() {
    for config in ["default", "xe"].map(|name| named(name).unwrap()) {
        Units::new(&config, &|unit| by_name(unit, Sizes::try_from(&config).unwrap()).unwrap()).check(&config);
    }
}

/// What depends on how many rows are built.
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
    for config in ["small", "xe_tiny"].map(|name| named(name).unwrap()) {
        Units::new(&config, &|name| {
            let unit: Box<dyn Unit> = catalog::build(&config, name).unwrap();
            Box::new(Verilated::build(&design(&*unit, &config).unwrap(), &cache, Optimisation::None).unwrap().instance(1))
        })
        .check(&config);
    }
}
