// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies of the contract: the table of `docs/interface.md`, what the RTL states, what the model states, and what the units
//! take, as rust-hdl blocks, as models and as exported Verilog.

use bcu_hw::config::{named, Config, NAMED};
use bcu_hw::unit::latency as rtl;
use bcu_hw::unit::mbarrier::ports::MbarrierKind;
use bcu_hw::unit::op::OpKind;
use bcu_hw::{catalog, ports::Unit};
use bcu_sim::bench::Bench;
use bcu_sim::compiled::Compiled;
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_sim::model::{by_name, latency as model, Sizes};
use bcu_tb::cosim::verilator::Verilated;
use bcu_tb::lockstep::units::design;
use std::path::PathBuf;

/// Units of one configuration, however they are made.
struct Units<'a> {
    lanes: u64,
    warps: u64,
    /// C × I.
    rows: u64,
    /// X.
    objects: u64,
    make: &'a dyn Fn(&str) -> Box<dyn Dut>,
}

fn mask(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

impl Units<'_> {
    fn new<'a>(config: &Config, make: &'a dyn Fn(&str) -> Box<dyn Dut>) -> Units<'a> {
        let rows = (config.cta_slots * config.barriers) as u64;
        let objects = config.mbarrier_objects as u64;
        Units { lanes: mask(config.lanes), warps: mask(config.warps), rows, objects, make }
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

    /// `mbarrier` with a CTA and an object of one arrival.
    fn mbarrier(&self) -> Bench {
        let mut bench = self.unit("mbarrier");
        let levels = ["mem_request_ready", "wait_limit", "op_uniform", "op_whole"];
        levels.iter().for_each(|port| bench.set(port, 1));
        bench.set("launch_valid", 1);
        bench.cycle();
        bench.set("launch_valid", 0);
        bench.send("op", &[("kind", MbarrierKind::Init as u64), ("count", 1)]);
        bench.cycles(6);
        bench
    }

    /// `mbarrier` with a CTA in a cluster of two, and an arrival at the other one's object.
    fn remote(&self) -> Bench {
        let mut bench = self.unit("mbarrier");
        bench.set_all(&[("op_uniform", 1), ("launch_valid", 1), ("launch_size", 2)]);
        bench.cycle();
        bench.set("launch_valid", 0);
        let other = [("address", 1 << 24), ("cluster", 1)];
        bench.send("op", &[("kind", MbarrierKind::Arrive as u64), ("count", 1), other[0], other[1]]);
        bench
    }

    /// The same, with a warp that is suspended.
    fn suspended(&self) -> Bench {
        let mut bench = self.mbarrier();
        bench.send("op", &[("kind", MbarrierKind::TryWait as u64), ("count", 0), ("warp", 1)]);
        bench.cycles(6);
        bench
    }

    /// From the last cycle with reset to the first in which all these are 1.
    fn ready(&self, unit: &str, ports: &[&str]) -> u64 {
        self.unit(unit).wait(|bench| bench.all(ports).iter().all(|ready| *ready == 1))
    }

    fn measured(&self, constant: &str) -> u64 {
        const SYNC_ALL: [(&str, u64); 2] = [("word_0", 0x7b1d), ("uniform", 1)];
        const ARRIVE: (&str, u64) = ("kind", MbarrierKind::Arrive as u64);
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
            "NAMED_WAITING" => {
                let mut bench = self.named();
                bench.send("op", &[sync]);
                bench.until("waiting")
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
            "RESIDENCY_READY" => self.ready("residency", &["launch_ready", "retire_ready", "exit_ready"]),
            "DECODE_READY" => self.ready("decode", &["instr_ready"]),
            "GATHER_READY" => self.ready("gather", &["in_ready"]),
            "ORDER_READY" => self.ready("order", &["in_ready"]),
            "NAMED_READY" => self.ready("named", &["op_ready"]),
            "BCU_READY" => self.ready("bcu", &["launch_ready", "retire_ready", "exit_ready", "instr_ready"]),
            "BCU_LAUNCH" => {
                let mut bench = self.unit("bcu");
                let reset = bench.now();
                bench.send("launch", &[("warps", 3), ("barriers", 8)]);
                bench.until("live");
                bench.now() - reset
            }
            "MBARRIER_TOKEN" => {
                let mut bench = self.mbarrier();
                bench.send("op", &[ARRIVE]);
                bench.until("token_valid")
            }
            "MBARRIER_WAKE" => {
                let mut bench = self.suspended();
                bench.send("op", &[ARRIVE, ("count", 1), ("warp", 0)]);
                bench.until("wake_valid")
            }
            "MBARRIER_TX_WAKE" => {
                let mut bench = self.suspended();
                bench.send("tx", &[("count", 1)]);
                bench.until("wake_valid")
            }
            "MBARRIER_FAULT" => {
                let mut bench = self.mbarrier();
                bench.send("op", &[ARRIVE, ("address", 1)]);
                bench.until("fault_valid")
            }
            "MBARRIER_READ" => {
                let mut bench = self.mbarrier();
                bench.send("op", &[ARRIVE, ("address", 8)]);
                bench.until("mem_request_valid")
            }
            "MBARRIER_FILL" => {
                let mut bench = self.mbarrier();
                bench.send("op", &[ARRIVE, ("address", 8)]);
                bench.until("mem_request_valid");
                bench.set_all(&[("mem_response_valid", 1), ("mem_response_data", 0x7fff_f800_001f_fffe)]);
                bench.cycle();
                bench.set("mem_response_valid", 0);
                bench.until("token_valid")
            }
            "MBARRIER_NET_OUT" => self.remote().until("net_out_valid"),
            "MBARRIER_NET_TOKEN" => {
                let mut bench = self.remote();
                bench.until("net_out_valid");
                bench.set("net_out_ready", 1);
                bench.cycle();
                bench.set("net_out_ready", 0);
                bench.until("token_valid")
            }
            "MBARRIER_NET_REPLY" => {
                let mut bench = self.mbarrier();
                bench.send("net_in", &[ARRIVE, ("count", 1)]);
                bench.until("net_reply_valid")
            }
            "MBARRIER_READY" => self.ready("mbarrier", &["op_ready"]),
            other => panic!("the pages have a latency `{other}` that nobody measures"),
        }
    }

    /// Compares every row of the page with what the units take.
    fn check(&self) {
        page().iter().for_each(|row| self.check_row(row));
    }

    /// Compares the rows of the page that begin with a reset, of the units that this configuration has.
    fn check_start(&self, config: &Config) {
        let rows: Vec<_> = page().into_iter().filter(|row| row.name.ends_with("_READY") || row.rows || row.objects).collect();
        assert_eq!(rows.len(), 8);
        let is_built = |row: &&Row| config.built().any(|unit| row.name.to_lowercase().starts_with(unit));
        rows.iter().filter(is_built).for_each(|row| self.check_row(row));
    }

    fn check_row(&self, row: &Row) {
        let more = if row.rows { self.rows } else { 0 } + if row.objects { self.objects } else { 0 };
        let cycles = row.cycles + more;
        assert_eq!(self.measured(row.name), cycles, "{}: measured, page", row.name);
    }
}

/// A latency as the page has it.
struct Row {
    name: &'static str,
    cycles: u64,
    /// Besides, a cycle for every row of `named`.
    rows: bool,
    /// Besides, a cycle for every entry of `mbarrier`.
    objects: bool,
}

/// The tables of the contract's pages.
fn page() -> Vec<Row> {
    let row = |line: &'static str| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        let cell = cells.next()?;
        let fixed = cell.strip_prefix("C × I + ");
        let entries = cell.strip_prefix("X + ");
        let cycles = fixed.or(entries).unwrap_or(cell).parse().ok()?;
        let constant = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        constant.then_some(Row { name, cycles, rows: fixed.is_some(), objects: entries.is_some() })
    };
    let pages = [include_str!("../../../docs/interface.md"), include_str!("../../../docs/mbarrier.md")];
    pages.into_iter().flat_map(str::lines).filter_map(row).collect()
}

#[test]
fn the_page_the_rtl_and_the_model_state_the_same() {
    let stated = [
        ("NAMED_RELEASE", rtl::NAMED_RELEASE, model::NAMED_RELEASE),
        ("NAMED_EXIT_RELEASE", rtl::NAMED_EXIT_RELEASE, model::NAMED_EXIT_RELEASE),
        ("NAMED_FAULT", rtl::NAMED_FAULT, model::NAMED_FAULT),
        ("NAMED_WAITING", rtl::NAMED_WAITING, model::NAMED_WAITING),
        ("NAMED_READ", rtl::NAMED_READ, model::NAMED_READ),
        ("DECODE_OP", rtl::DECODE_OP, model::DECODE_OP),
        ("RESIDENCY_OP", rtl::RESIDENCY_OP, model::RESIDENCY_OP),
        ("RESIDENCY_RETIRE", rtl::RESIDENCY_RETIRE, model::RESIDENCY_RETIRE),
        ("GATHER_OP", rtl::GATHER_OP, model::GATHER_OP),
        ("ORDER_OP", rtl::ORDER_OP, model::ORDER_OP),
        ("BCU_RELEASE", rtl::BCU_RELEASE, model::BCU_RELEASE),
        ("BCU_WRITEBACK", rtl::BCU_WRITEBACK, model::BCU_WRITEBACK),
        ("BCU_EXIT_RELEASE", rtl::BCU_EXIT_RELEASE, model::BCU_EXIT_RELEASE),
        ("RESIDENCY_READY", rtl::RESIDENCY_READY, model::RESIDENCY_READY),
        ("DECODE_READY", rtl::DECODE_READY, model::DECODE_READY),
        ("GATHER_READY", rtl::GATHER_READY, model::GATHER_READY),
        ("ORDER_READY", rtl::ORDER_READY, model::ORDER_READY),
        ("NAMED_READY", rtl::NAMED_READY, model::NAMED_READY),
        ("BCU_READY", rtl::BCU_READY, model::BCU_READY),
        ("BCU_LAUNCH", rtl::BCU_LAUNCH, model::BCU_LAUNCH),
        ("MBARRIER_TOKEN", rtl::MBARRIER_TOKEN, model::MBARRIER_TOKEN),
        ("MBARRIER_WAKE", rtl::MBARRIER_WAKE, model::MBARRIER_WAKE),
        ("MBARRIER_TX_WAKE", rtl::MBARRIER_TX_WAKE, model::MBARRIER_TX_WAKE),
        ("MBARRIER_FAULT", rtl::MBARRIER_FAULT, model::MBARRIER_FAULT),
        ("MBARRIER_READ", rtl::MBARRIER_READ, model::MBARRIER_READ),
        ("MBARRIER_FILL", rtl::MBARRIER_FILL, model::MBARRIER_FILL),
        ("MBARRIER_NET_OUT", rtl::MBARRIER_NET_OUT, model::MBARRIER_NET_OUT),
        ("MBARRIER_NET_TOKEN", rtl::MBARRIER_NET_TOKEN, model::MBARRIER_NET_TOKEN),
        ("MBARRIER_NET_REPLY", rtl::MBARRIER_NET_REPLY, model::MBARRIER_NET_REPLY),
        ("MBARRIER_READY", rtl::MBARRIER_READY, model::MBARRIER_READY),
    ];
    let page: Vec<_> = page().iter().map(|row| (row.name, row.cycles)).collect();
    assert_eq!(page, stated.map(|(name, rtl, _)| (name, rtl)), "page, RTL");
    assert_eq!(page, stated.map(|(name, _, model)| (name, model)), "page, model");
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
    let config = named("small").unwrap();
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    Units::new(&config, &|name| {
        let unit: Box<dyn Unit> = catalog::build(&config, name).unwrap();
        Box::new(Verilated::build(&design(&*unit).unwrap(), &cache).unwrap().instance(1))
    })
    .check();
}
