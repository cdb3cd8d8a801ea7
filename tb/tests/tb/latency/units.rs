// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Brings units into the states in which latencies are measured.

use bcu_hw::unit::cluster::ports::{ClusterKind, ClusterMessageKind};
use bcu_hw::unit::gateway::ports::GatewayKind;
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::config::Config;
use bcu_isa::op::OpKind;
use bcu_model::bench::Bench;
use bcu_model::dut::Dut;

/// The units of one configuration, in one implementation.
pub struct Units<'a> {
    pub lanes: u64,
    pub warps: u64,
    make: &'a dyn Fn(&str) -> Box<dyn Dut>,
}

fn mask(width: usize) -> u64 {
    u64::MAX >> (64 - width)
}

impl Units<'_> {
    pub fn new<'a>(config: &Config, make: &'a dyn Fn(&str) -> Box<dyn Dut>) -> Units<'a> {
        Units { lanes: mask(config.lanes), warps: mask(config.warps), make }
    }

    /// The unit after a reset, with every channel ready and all lanes executing.
    pub fn unit(&self, name: &str) -> Bench {
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
    pub fn named(&self) -> Bench {
        let mut bench = self.unit("named");
        bench.send("op", &[("kind", OpKind::Launch as u64), ("warps", 2), ("live", 2), ("barriers", 8), ("uniform", 1)]);
        bench
    }

    /// `bcu` with a CTA of two warps.
    pub fn bcu(&self) -> Bench {
        let mut bench = self.unit("bcu");
        bench.send("launch", &[("warps", 3), ("barriers", 8)]);
        bench.until("live");
        bench.cycles(8);
        bench
    }

    /// `bcu` with a CTA of two warps and an object that expects one arrival for each lane of a warp.
    pub fn bcu_with_object(&self) -> Bench {
        let mut bench = self.bcu();
        bench.set_all(&[("mem_request_ready", 1), ("wait_limit", 3), ("instr_uniform", 1)]);
        // The word of `MBAR.INIT [R0], lanes`.
        bench.send("instr", &[("word_0", 0x7be0), ("word_2", self.lanes.count_ones().into())]);
        bench.cycles(20);
        bench
    }

    /// `mbarrier` with a CTA and an object of one arrival.
    pub fn mbarrier(&self) -> Bench {
        let mut bench = self.unit("mbarrier");
        let levels = ["mem_request_ready", "wait_limit", "op_uniform", "op_all_live_lanes"];
        levels.iter().for_each(|port| bench.set(port, 1));
        bench.set("launch_valid", 1);
        bench.cycle();
        bench.set("launch_valid", 0);
        bench.send("op", &[("kind", MbarrierKind::Init as u64), ("count", 1)]);
        bench.cycles(6);
        bench
    }

    /// `mbarrier` with a CTA in a cluster of two, and an arrival at an object of the other CTA.
    pub fn remote(&self) -> Bench {
        let mut bench = self.unit("mbarrier");
        bench.set_all(&[("op_uniform", 1), ("launch_valid", 1), ("launch_size", 2)]);
        bench.cycle();
        bench.set("launch_valid", 0);
        let remote_fields = [("address", 1 << 24), ("cluster", 1)];
        bench.send("op", &[("kind", MbarrierKind::Arrive as u64), ("count", 1), remote_fields[0], remote_fields[1]]);
        bench
    }

    /// `mbarrier` as in [`Units::mbarrier`], with a suspended warp.
    pub fn suspended(&self) -> Bench {
        let mut bench = self.mbarrier();
        bench.send("op", &[("kind", MbarrierKind::TryWait as u64), ("count", 0), ("warp", 1)]);
        bench.cycles(6);
        bench
    }

    /// `gpu` in the cycle in which the last of two CTAs of a cluster, on two multiprocessors, arrives.
    pub fn gpu(&self) -> Bench {
        let mut bench = self.unit("gpu");
        for sm in 0..2 {
            let name = |port: &str| format!("sm_{sm}_{port}");
            ["instr_active", "instr_guard", "launch_lanes"].iter().for_each(|port| bench.set(&name(port), self.lanes));
            ["fault_ready", "instr_uniform"].iter().for_each(|port| bench.set(&name(port), 1));
            bench.send(&name("launch"), &[("warps", 1), ("rank", sm), ("size", 2)]);
        }
        // The words of `CLUSTER.ARRIVE` and `CLUSTER.WAIT`.
        bench.send("sm_0_instr", &[("word_0", 0x73e1)]);
        bench.cycles(20);
        bench.send("sm_0_instr", &[("word_2", 2 << 16)]);
        bench.cycles(20);
        bench.send("sm_1_instr", &[("word_0", 0x73e1)]);
        bench
    }

    /// `cluster` in the cycle in which a CTA of a cluster of `size` CTAs is launched, with two live warps.
    pub fn cluster(&self, size: u64) -> Bench {
        let mut bench = self.unit("cluster");
        bench.set("cluster_out_ready", 1);
        bench.strobe("launch", &[("size", size)]);
        bench.set("live", 3);
        bench
    }

    /// `cluster` after a launch as in [`Units::cluster`], in the cycle in which the only live warp arrives.
    pub fn arrived(&self, size: u64) -> Bench {
        let mut bench = self.cluster(size);
        bench.set("live", 1);
        bench.cycles(6);
        bench.send("op", &[("kind", ClusterKind::Arrive as u64)]);
        bench
    }

    /// `cluster` with a waiting warp. If the cluster has several CTAs, the other warp has also arrived.
    pub fn cluster_waits(&self, size: u64) -> Bench {
        let mut bench = self.cluster(size);
        bench.send("op", &[("kind", ClusterKind::Arrive as u64)]);
        bench.send("op", &[("kind", ClusterKind::Wait as u64)]);
        if size > 1 {
            bench.send("op", &[("kind", ClusterKind::Arrive as u64), ("warp", 1)]);
        }
        bench.cycles(6);
        bench
    }

    /// `cluster_hub` with two CTAs of one multiprocessor, in the cycle in which the second CTA sends the message `says`, one cycle after
    /// the first.
    pub fn hub(&self, says: ClusterMessageKind) -> Bench {
        let mut bench = self.unit("cluster_hub");
        for kind in [ClusterMessageKind::Present, says] {
            (0..2).for_each(|rank| bench.strobe("from_0", &[("kind", kind as u64), ("rank", rank), ("size", 2)]));
        }
        bench
    }

    /// `gateway` with a group of two threads.
    pub fn gateway(&self) -> Bench {
        let mut bench = self.unit("gateway");
        bench.set("op_uniform", 1);
        bench.send("op", &[("kind", GatewayKind::Launch as u64), ("warps", 2), ("barriers", 4)]);
        bench.cycles(6);
        bench
    }

    /// `grid` with a CTA of grid 0; all warps are live.
    pub fn grid(&self) -> Bench {
        let mut bench = self.unit("grid");
        bench.set("live", self.warps);
        bench.strobe("launch", &[("has_grid", 1)]);
        bench
    }

    /// `grid_hub` with a grid of one CTA and an early grid that depends on it, after all messages have been sent.
    pub fn dependent(&self) -> Bench {
        let mut bench = self.unit("grid_hub");
        bench.send("open", &[("ctas", 1)]);
        bench.send("open", &[("grid", 1), ("prerequisites", 1), ("early", 1)]);
        bench.cycles(10);
        bench
    }

    /// Number of cycles from the last cycle of reset to the first cycle in which all of `ports` are 1.
    pub fn ready(&self, unit: &str, ports: &[&str]) -> u64 {
        self.unit(unit).wait(|bench| bench.get_all(ports).iter().all(|ready| *ready == 1))
    }
}
