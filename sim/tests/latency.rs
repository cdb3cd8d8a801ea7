// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies of the contract: the table of `docs/interface.md`, what the RTL states, what the model states, and what the units take.

use bcu_hw::ports::Dir;
use bcu_hw::unit::latency as rtl;
use bcu_hw::unit::op::OpKind;
use bcu_hw::{catalog, config};
use bcu_sim::dut::Dut;
use bcu_sim::engine::Engine;
use bcu_sim::model::latency as model;

/// A unit of `default` whose ports go by name; channels' other sides are ready.
struct Bench {
    engine: Engine,
    names: [Vec<String>; 2],
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

impl Bench {
    fn new(unit: &str) -> Self {
        let engine = Engine::new(catalog::build(&config::named("default").unwrap(), unit).unwrap());
        let names = [Dir::In, Dir::Out]
            .map(|dir| engine.ports().iter().filter(|p| p.dir == dir).map(|p| p.name.clone()).collect::<Vec<_>>());
        let [inputs, outputs] = [0, 1].map(|i| vec![0; names[i].len()]);
        let mut bench = Bench { engine, names, inputs, outputs };
        for (name, value) in [("fault_ready", 1), ("op_ready", 1), ("instr_active", !0), ("instr_guard", !0), ("live", !0)] {
            bench.set(name, value);
        }
        bench.set("reset", 1);
        bench.cycle();
        bench.set("reset", 0);
        bench
    }

    /// Sets an input if the unit has it.
    fn set(&mut self, name: &str, value: u64) {
        if let Some(at) = self.names[0].iter().position(|n| n == name) {
            self.inputs[at] = value;
        }
    }

    fn get(&self, name: &str) -> u64 {
        self.outputs[self.names[1].iter().position(|n| n == name).unwrap()]
    }

    fn cycle(&mut self) {
        self.engine.cycle(&self.inputs, &mut self.outputs);
        assert!(self.engine.failure().is_none());
    }

    /// Offers a payload on a channel until it is taken; the cycle that returns is the transfer's.
    fn send(&mut self, channel: &str, payload: &[(&str, u64)]) {
        self.set(&format!("{channel}_valid"), 1);
        payload.iter().for_each(|(name, value)| self.set(&format!("{channel}_{name}"), *value));
        loop {
            self.cycle();
            if self.get(&format!("{channel}_ready")) == 1 {
                break;
            }
        }
        self.set(&format!("{channel}_valid"), 0);
    }

    /// Cycles from the last one until the port is not 0.
    fn until(&mut self, port: &str) -> u64 {
        for cycles in 1..1000 {
            self.cycle();
            if self.get(port) != 0 {
                return cycles;
            }
        }
        panic!("{port} stays 0")
    }
}

/// `named` with a CTA of two warps.
fn named() -> Bench {
    let mut bench = Bench::new("named");
    bench.send("op", &[("kind", OpKind::Launch as u64), ("warps", 2), ("live", 2), ("barriers", 16), ("uniform", 1)]);
    bench
}

/// `bcu` with a CTA of two warps.
fn bcu() -> Bench {
    let mut bench = Bench::new("bcu");
    bench.send("launch", &[("warps", 3), ("lanes", !0), ("barriers", 16)]);
    bench.until("live");
    (0..8).for_each(|_| bench.cycle());
    bench
}

const SYNC_ALL: [(&str, u64); 2] = [("word_0", 0x7b1d), ("uniform", 1)];

fn measured(constant: &str) -> u64 {
    match constant {
        "NAMED_RELEASE" => {
            let mut bench = named();
            bench.send("op", &[("kind", OpKind::Sync as u64), ("warp", 0)]);
            bench.send("op", &[("warp", 1)]);
            bench.until("release_valid")
        }
        "NAMED_FAULT" => {
            let mut bench = named();
            bench.send("op", &[("kind", OpKind::Arrive as u64)]);
            bench.until("fault_valid")
        }
        "NAMED_BLOCKED" => {
            let mut bench = named();
            bench.send("op", &[("kind", OpKind::Sync as u64)]);
            bench.until("blocked")
        }
        "NAMED_READ" => {
            let mut bench = named();
            bench.send("op", &[("kind", OpKind::Read as u64)]);
            bench.until("read_valid")
        }
        "DECODE_OP" => {
            let mut bench = Bench::new("decode");
            bench.send("instr", &SYNC_ALL);
            bench.until("op_valid")
        }
        "RESIDENCY_OP" => {
            let mut bench = Bench::new("residency");
            bench.send("launch", &[("warps", 3)]);
            bench.until("op_valid")
        }
        "RESIDENCY_RETIRE" => {
            let mut bench = Bench::new("residency");
            bench.send("launch", &[("warps", 3)]);
            bench.until("op_valid");
            bench.cycle();
            bench.send("retire", &[]);
            bench.until("op_valid")
        }
        "GATHER_OP" => {
            let mut bench = Bench::new("gather");
            bench.send("in", &[("kind", OpKind::Sync as u64), ("lanes", !0)]);
            bench.until("op_valid")
        }
        "ORDER_OP" => {
            let mut bench = Bench::new("order");
            bench.send("in", &[("kind", OpKind::Sync as u64)]);
            bench.until("op_valid")
        }
        "BCU_RELEASE" => {
            let mut bench = bcu();
            bench.send("instr", &SYNC_ALL);
            bench.send("instr", &[("warp", 1)]);
            bench.until("release_valid")
        }
        "BCU_WRITEBACK" => {
            let mut bench = bcu();
            // B2R.WARP R0.
            bench.send("instr", &[("word_0", 0x7b1c)]);
            bench.until("writeback_valid")
        }
        "BCU_EXIT_RELEASE" => {
            let mut bench = bcu();
            bench.send("instr", &SYNC_ALL);
            (0..8).for_each(|_| bench.cycle());
            bench.send("exit", &[("warp", 1), ("lanes", !0)]);
            bench.until("release_valid")
        }
        other => panic!("docs/interface.md has a latency `{other}` that nobody measures"),
    }
}

#[test]
fn the_table_the_rtl_the_model_and_the_units_agree() {
    let stated = [
        ("NAMED_RELEASE", rtl::NAMED_RELEASE, model::NAMED_RELEASE),
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
    let page = include_str!("../../docs/interface.md");
    let rows: Vec<(&str, u64)> = page
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
            Some((name, cells.next()?.parse().ok()?)).filter(|(n, _)| n.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
        })
        .collect();
    assert_eq!(rows.iter().map(|r| r.0).collect::<Vec<_>>(), stated.map(|s| s.0), "the table of docs/interface.md");
    for ((name, page), (_, rtl, model)) in rows.into_iter().zip(stated) {
        assert_eq!([page, rtl, model], [measured(name); 3], "{name}: page, RTL, model; measured on the right");
    }
}
