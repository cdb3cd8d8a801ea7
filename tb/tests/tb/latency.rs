// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies of the contract: the table of `docs/interface.md`, what the RTL states, what the model states, and what the units
//! take, as rust-hdl blocks, as models and as exported Verilog.

use bcu_hw::config::{named, Config};
use bcu_hw::unit::latency as rtl;
use bcu_hw::unit::op::OpKind;
use bcu_hw::{catalog, ports::Unit};
use bcu_sim::bench::Bench;
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_sim::model::{by_name, latency as model, Sizes};
use bcu_tb::cosim::verilator::Verilated;
use bcu_tb::lockstep::units::{design};
use std::path::PathBuf;

/// Units of one configuration, however they are made.
struct Units<'a> {
    lanes: u64,
    warps: u64,
    make: &'a dyn Fn(&str) -> Box<dyn Dut>,
}

fn mask(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

impl Units<'_> {
    fn new<'a>(config: &Config, make: &'a dyn Fn(&str) -> Box<dyn Dut>) -> Units<'a> {
        Units { lanes: mask(config.lanes), warps: mask(config.warps), make }
    }

    /// After a reset; the other sides of channels are ready, all lanes execute.
    fn unit(&self, name: &str) -> Bench {
        let mut bench = Bench::new((self.make)(name));
        let ready = ["fault_ready", "op_ready"].map(|port| (port, 1));
        let lanes = ["instr_active", "instr_guard", "launch_lanes", "exit_lanes", "in_lanes"].map(|port| (port, self.lanes));
        let live = (name == "decode").then_some(("live", self.warps));
        for (port, value) in ready.into_iter().chain(lanes).chain(live) {
            if bench.has_input(port) {
                bench.set(port, value);
            }
        }
        bench
    }

    /// `named` with a CTA of two warps.
    fn named(&self) -> Bench {
        let mut bench = self.unit("named");
        bench.send("op", &[("kind", OpKind::Launch as u64), ("warps", 2), ("live", 2), ("barriers", 8), ("uniform", 1)]);
        bench
    }

    /// `bcu` with a CTA of two warps.
    fn bcu(&self) -> Bench {
        let mut bench = self.unit("bcu");
        bench.send("launch", &[("warps", 3), ("barriers", 8)]);
        bench.until("live");
        bench.cycles(8);
        bench
    }

    fn measured(&self, constant: &str) -> u64 {
        const SYNC_ALL: [(&str, u64); 2] = [("word_0", 0x7b1d), ("uniform", 1)];
        let sync = ("kind", OpKind::Sync as u64);
        match constant {
            "NAMED_RELEASE" => {
                let mut bench = self.named();
                bench.send("op", &[sync, ("warp", 0)]);
                bench.send("op", &[("warp", 1)]);
                bench.until("release_valid")
            }
            "NAMED_EXIT_RELEASE" => {
                let mut bench = self.named();
                bench.send("op", &[sync, ("warp", 0)]);
                bench.send("op", &[("kind", OpKind::Exit as u64), ("warp", 1)]);
                bench.until("release_valid")
            }
            "NAMED_FAULT" => {
                let mut bench = self.named();
                bench.send("op", &[("kind", OpKind::Arrive as u64)]);
                bench.until("fault_valid")
            }
            "NAMED_BLOCKED" => {
                let mut bench = self.named();
                bench.send("op", &[sync]);
                bench.until("blocked")
            }
            "NAMED_READ" => {
                let mut bench = self.named();
                bench.send("op", &[("kind", OpKind::Read as u64)]);
                bench.until("read_valid")
            }
            "DECODE_OP" => {
                let mut bench = self.unit("decode");
                bench.send("instr", &SYNC_ALL);
                bench.until("op_valid")
            }
            "RESIDENCY_OP" => {
                let mut bench = self.unit("residency");
                bench.send("launch", &[("warps", 3)]);
                bench.until("op_valid")
            }
            "RESIDENCY_RETIRE" => {
                let mut bench = self.unit("residency");
                bench.send("launch", &[("warps", 3)]);
                bench.until("op_valid");
                bench.cycle();
                bench.send("retire", &[]);
                bench.until("op_valid")
            }
            "GATHER_OP" => {
                let mut bench = self.unit("gather");
                bench.send("in", &[sync]);
                bench.until("op_valid")
            }
            "ORDER_OP" => {
                let mut bench = self.unit("order");
                bench.send("in", &[sync]);
                bench.until("op_valid")
            }
            "BCU_RELEASE" => {
                let mut bench = self.bcu();
                bench.send("instr", &SYNC_ALL);
                bench.send("instr", &[("warp", 1)]);
                bench.until("release_valid")
            }
            "BCU_WRITEBACK" => {
                let mut bench = self.bcu();
                // B2R.WARP R0.
                bench.send("instr", &[("word_0", 0x7b1c)]);
                bench.until("writeback_valid")
            }
            "BCU_EXIT_RELEASE" => {
                let mut bench = self.bcu();
                bench.send("instr", &SYNC_ALL);
                bench.cycles(10);
                bench.send("exit", &[("warp", 1)]);
                bench.until("release_valid")
            }
            other => panic!("docs/interface.md has a latency `{other}` that nobody measures"),
        }
    }

    /// Compares every row of the page with what the units take.
    fn check(&self) {
        for (name, cycles) in page() {
            assert_eq!(self.measured(name), cycles, "{name}: measured, page");
        }
    }
}

/// The table of `docs/interface.md`.
fn page() -> Vec<(&'static str, u64)> {
    let row = |line: &'static str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        Some((name, cells.next()?.parse().ok()?)).filter(|(n, _)| n.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    include_str!("../../../docs/interface.md").lines().filter_map(row).collect()
}

#[test]
fn the_page_the_rtl_and_the_model_state_the_same() {
    let stated = [
        ("NAMED_RELEASE", rtl::NAMED_RELEASE, model::NAMED_RELEASE),
        ("NAMED_EXIT_RELEASE", rtl::NAMED_EXIT_RELEASE, model::NAMED_EXIT_RELEASE),
        ("NAMED_FAULT", rtl::NAMED_FAULT, model::NAMED_FAULT),
        ("NAMED_BLOCKED", rtl::NAMED_BLOCKED, model::NAMED_BLOCKED),
        ("NAMED_READ", rtl::NAMED_READ, model::NAMED_READ),
        ("DECODE_OP", rtl::DECODE_OP, model::DECODE_OP),
        ("RESIDENCY_OP", rtl::RESIDENCY_OP, model::RESIDENCY_OP),
        ("RESIDENCY_RETIRE", rtl::RESIDENCY_RETIRE, model::RESIDENCY_RETIRE),
        ("GATHER_OP", rtl::GATHER_OP, model::GATHER_OP),
        ("ORDER_OP", rtl::ORDER_OP, model::ORDER_OP),
        ("BCU_RELEASE", rtl::BCU_RELEASE, model::BCU_RELEASE),
        ("BCU_WRITEBACK", rtl::BCU_WRITEBACK, model::BCU_WRITEBACK),
        ("BCU_EXIT_RELEASE", rtl::BCU_EXIT_RELEASE, model::BCU_EXIT_RELEASE),
    ];
    assert_eq!(page(), stated.map(|(name, rtl, _)| (name, rtl)), "page, RTL");
    assert_eq!(page(), stated.map(|(name, _, model)| (name, model)), "page, model");
}

#[test]
fn the_blocks_take_what_the_page_says() {
    let config = named("default").unwrap();
    Units::new(&config, &|unit| Box::new(Engine::new(catalog::build(&config, unit).unwrap()))).check();
}

#[test]
fn the_models_take_what_the_page_says() {
    let config = named("default").unwrap();
    Units::new(&config, &|unit| by_name(unit, Sizes::try_from(&config).unwrap()).unwrap()).check();
}

#[test]
fn the_exported_verilog_takes_what_the_page_says() {
    let config = named("small").unwrap();
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    Units::new(&config, &|name| {
        let unit: Box<dyn Unit> = catalog::build(&config, name).unwrap();
        Box::new(Verilated::build(&design(&*unit).unwrap(), &cache).unwrap().instance(1))
    })
    .check();
}
