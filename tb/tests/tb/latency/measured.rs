// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measures each latency of the pages.

use super::units::Units;
use bcu_hw::unit::cluster::ports::{ClusterKind, ClusterMessageKind, HubKind};
use bcu_hw::unit::gateway::ports::GatewayKind;
use bcu_hw::unit::grid::ports::{GridHubKind, GridKind, GridMessageKind};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::op::{FaultCode, OpKind};

impl Units<'_> {
    /// The latency of this name, in cycles.
    pub fn measured(&self, constant: &str) -> u64 {
        // The word of `MBAR.ARRIVE RZ, [R0], 1`.
        const MBAR_ARRIVE: [(&str, u64); 4] = [("word_0", 0xff7bea), ("word_2", 1), ("word_3", 0), ("warp", 0)];
        const SYNC_ALL: [(&str, u64); 2] = [("word_0", 0x7b1d), ("uniform", 1)];
        const SIGNAL: (&str, u64) = ("kind", GatewayKind::Signal as u64);
        const GATEWAY_WAIT: (&str, u64) = ("kind", GatewayKind::Wait as u64);
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
                bench.strobe("instr", &SYNC_ALL);
                bench.until("op_valid")
            }
            "CTA_TABLE_OP" => {
                let mut bench = self.unit("cta_table");
                bench.send("exit", &[]);
                bench.until("op_valid")
            }
            "CTA_TABLE_LAUNCH" => {
                let mut bench = self.unit("cta_table");
                bench.offer("launch", &[("warps", 3)]);
                bench.cycle();
                bench.until("op_valid")
            }
            "CTA_TABLE_RETIRE" => {
                let mut bench = self.unit("cta_table");
                bench.send("launch", &[("warps", 3)]);
                bench.cycle();
                bench.offer("retire", &[]);
                bench.cycle();
                bench.until("op_valid")
            }
            "GATHER_OP" => {
                let mut bench = self.unit("gather");
                bench.strobe("in", &[sync]);
                bench.until("op_valid")
            }
            "MEM_ORDER_OP" => {
                let mut bench = self.unit("mem_order");
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
                // The word of `B2R.WARP R0`.
                bench.send("instr", &[("word_0", 0x7b1c)]);
                bench.until("writeback_valid")
            }
            "BCU_TOKEN" => {
                let mut bench = self.bcu_with_object();
                bench.send("instr", &MBAR_ARRIVE);
                bench.until("token_valid")
            }
            "BCU_WAKE" => {
                let mut bench = self.bcu_with_object();
                // The word of `MBAR.TRY PT, [R0], R0`.
                bench.send("instr", &[("word_0", 0x73ec), ("word_3", 0x1c00), ("warp", 1)]);
                bench.cycles(20);
                bench.send("instr", &MBAR_ARRIVE);
                bench.until("wake_valid")
            }
            "BCU_EXIT_RELEASE" => {
                let mut bench = self.bcu();
                bench.send("instr", &SYNC_ALL);
                bench.cycles(10);
                bench.send("exit", &[("warp", 1)]);
                bench.until("release_valid")
            }
            "CTA_TABLE_READY" => self.ready("cta_table", &["exit_ready"]),
            "MEM_ORDER_READY" => self.ready("mem_order", &["in_ready"]),
            "NAMED_READY" => self.ready("named", &["op_ready"]),
            "BCU_READY" => self.ready("bcu", &["exit_ready", "instr_ready"]),
            "BCU_LAUNCH" => {
                let mut bench = self.unit("bcu");
                let reset = bench.cycle_count();
                bench.offer("launch", &[("warps", 3), ("barriers", 8)]);
                bench.until("live");
                bench.cycle_count() - reset
            }
            "GATEWAY_RELEASE" => {
                let mut bench = self.gateway();
                bench.send("op", &[SIGNAL, ("producers", 1), ("consumers", 1)]);
                let completed = bench.until("release_valid");
                bench.cycles(6);
                bench.send("op", &[GATEWAY_WAIT]);
                assert_eq!(bench.until("release_valid"), completed);
                completed
            }
            "GATEWAY_COMMIT" => {
                let mut bench = self.gateway();
                bench.send("op", &[SIGNAL, ("producers", 2), ("consumers", 2)]);
                bench.until("commit_valid")
            }
            "GATEWAY_WAITING" => {
                let mut bench = self.gateway();
                bench.send("op", &[SIGNAL, ("producers", 2), ("consumers", 2)]);
                bench.cycles(6);
                bench.send("op", &[GATEWAY_WAIT]);
                bench.until("waiting")
            }
            "GATEWAY_FAULT" => {
                let mut bench = self.gateway();
                bench.send("op", &[GATEWAY_WAIT]);
                bench.until("fault_valid")
            }
            "GATEWAY_READY" => self.ready("gateway", &["op_ready"]),
            "BCU_GATEWAY_RELEASE" => {
                let mut bench = self.bcu();
                // The word of `NBAR.SIGNAL 0, 1`.
                bench.send("instr", &[("word_0", 0x7de4), ("word_2", 1)]);
                bench.until("gateway_release_valid")
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
            "MBARRIER_TX_DONE" => {
                let mut bench = self.mbarrier();
                bench.send("tx", &[("count", 1)]);
                bench.until("tx_done_valid")
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
            "GRID_OUT" => {
                let mut bench = self.grid();
                bench.send("op", &[("kind", GridKind::LaunchDependents as u64)]);
                bench.until("grid_out_valid")
            }
            "GRID_RELEASE" => {
                let mut bench = self.grid();
                bench.send("op", &[("kind", GridKind::Wait as u64)]);
                bench.cycles(5);
                bench.strobe("grid_in", &[("kind", GridHubKind::Ready as u64)]);
                bench.until("release_valid")
            }
            "GRID_WAIT" => {
                let mut bench = self.grid();
                bench.strobe("launch", &[("has_grid", 0)]);
                bench.send("op", &[("kind", GridKind::Wait as u64)]);
                bench.until("release_valid")
            }
            "GRID_FAULT" => {
                let mut bench = self.grid();
                bench.send("op", &[("fault", FaultCode::IllegalInstruction as u64)]);
                bench.until("fault_valid")
            }
            "GRID_OPENED" => {
                let mut bench = self.grid();
                bench.strobe("grid_in", &[("kind", GridHubKind::Opened as u64)]);
                bench.until("opened_valid")
            }
            "GRID_HUB_OPENED" => {
                let mut bench = self.unit("grid_hub");
                bench.send("open", &[("ctas", 1)]);
                bench.until("to_0_valid")
            }
            "GRID_HUB_FLUSHED" => {
                let mut bench = self.dependent();
                bench.strobe("from_0", &[("kind", GridMessageKind::LaunchedDependents as u64)]);
                bench.strobe("from_0", &[("kind", GridMessageKind::Ended as u64)]);
                bench.until("flush_valid");
                bench.strobe("flushed", &[]);
                bench.until("to_0_valid")
            }
            "GRID_HUB_LAUNCH" => {
                let mut bench = self.dependent();
                bench.strobe("from_0", &[("kind", GridMessageKind::LaunchedDependents as u64)]);
                bench.wait(|bench| bench.get("may_launch") == 3)
            }
            "GRID_HUB_FLUSH" => {
                let mut bench = self.dependent();
                bench.strobe("from_0", &[("kind", GridMessageKind::LaunchedDependents as u64)]);
                bench.strobe("from_0", &[("kind", GridMessageKind::Ended as u64)]);
                bench.until("flush_valid")
            }
            "GPU_CLUSTER_RELEASE" => self.gpu().until("sm_0_cluster_release_valid"),
            "MBARRIER_READY" => self.ready("mbarrier", &["op_ready"]),
            "CLUSTER_COMMIT" => self.arrived(0).until("commit_valid"),
            "CLUSTER_WAIT" => {
                let mut bench = self.arrived(0);
                bench.cycles(4);
                bench.send("op", &[("kind", ClusterKind::Wait as u64)]);
                bench.until("release_valid")
            }
            "CLUSTER_FAULT" => {
                let mut bench = self.cluster(0);
                bench.send("op", &[("kind", ClusterKind::Wait as u64)]);
                bench.until("fault_valid")
            }
            "CLUSTER_PRESENT" => self.cluster(2).until("cluster_out_valid"),
            "CLUSTER_ARRIVED" => self.arrived(2).until("cluster_out_valid"),
            "CLUSTER_GONE" => {
                let mut bench = self.cluster(2);
                bench.cycles(8);
                bench.set_all(&[("live", 0), ("ended", 1)]);
                bench.cycle();
                bench.until("cluster_out_valid")
            }
            "CLUSTER_RELEASE" => {
                let mut bench = self.cluster_waits(2);
                bench.strobe("cluster_in", &[("kind", HubKind::Complete as u64)]);
                bench.until("release_valid")
            }
            "CLUSTER_ALONE_RELEASE" => {
                let mut bench = self.cluster_waits(0);
                bench.send("op", &[("kind", ClusterKind::Arrive as u64), ("warp", 1)]);
                bench.until("release_valid")
            }
            "CLUSTER_CLOSED" => {
                let mut bench = self.unit("cluster");
                bench.strobe("cluster_in", &[("kind", HubKind::Closed as u64)]);
                bench.until("closed_valid")
            }
            "CLUSTER_HUB_COMPLETE" => self.hub(ClusterMessageKind::Arrived).until("to_0_valid"),
            "CLUSTER_HUB_CLOSED" => self.hub(ClusterMessageKind::Gone).until("to_0_valid"),
            other => panic!("`{other}`: a latency of the pages without a measurement"),
        }
    }
}
