// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies of the contract, in cycles from an event (left of the arrow, mostly a transfer) to the response at a port, without
//! contention. W: warps; C: CTA slots; LI: bits of a barrier id; X: cached mbarriers.

macro_rules! latencies {
    ($($(#[doc = $doc:literal])* $name:ident = $cycles:literal;)*) => {
        $($(#[doc = $doc])* pub const $name: u64 = $cycles;)*

        /// All latencies, by name.
        pub const ALL: &[(&str, u64)] = &[$((stringify!($name), $name)),*];
    };
}

latencies! {
    /// Completing arrival into `named` → `release_valid`.
    NAMED_RELEASE = 3;
    /// Completing exit into `named` → `release_valid`.
    NAMED_EXIT_RELEASE = 4;
    /// Faulty operation into `named` that takes one cycle there, fault queue empty → `fault_valid`.
    NAMED_FAULT = 3;
    /// SYNC, or a state word that makes its warp wait, into `named` → the bit of the warp in `waiting`.
    NAMED_WAITING = 1;
    /// Read into `named` → `read_valid`.
    NAMED_READ = 3;
    /// Instruction into `decode` → `op_valid`.
    DECODE_OP = 2;
    /// `exit` into `cta_table`, no operation offered at `op` → `op_valid`.
    CTA_TABLE_OP = 2;
    /// First cycle with a launch at `cta_table`, no contention → `op_valid` and `launched_valid`, plus a cycle for each warp slot.
    CTA_TABLE_LAUNCH = 3;
    /// First cycle with a retirement at `cta_table`, no contention → `op_valid`, plus a cycle for each warp slot.
    CTA_TABLE_RETIRE = 5;
    /// Operation into `gather`, no operation offered at `op` → `op_valid`.
    GATHER_OP = 2;
    /// Operation into `mem_order`, queue empty, no accesses to wait for → `op_valid`.
    MEM_ORDER_OP = 2;
    /// Completing instruction into `bcu` → `release_valid`.
    BCU_RELEASE = 9;
    /// B2R or B2R_RESULT into `bcu` → `writeback_valid`.
    BCU_WRITEBACK = 9;
    /// MBAR whose result needs no wait into `bcu`, object cached → `token_valid`.
    BCU_TOKEN = 12;
    /// MBAR that completes a phase into `bcu`, object cached → `wake_valid`.
    BCU_WAKE = 12;
    /// Completing exit into `bcu` → `release_valid`.
    BCU_EXIT_RELEASE = 10;
    /// Last cycle with `reset` → `exit_ready` of `cta_table`.
    CTA_TABLE_READY = 1;
    /// Last cycle with `reset` → `in_ready` of `mem_order`.
    MEM_ORDER_READY = 2;
    /// Last cycle with `reset` → `op_ready` of `named`, plus a cycle for each row to clear (C × 2^LI).
    NAMED_READY = 1;
    /// Last cycle with `reset` → `exit_ready` and `instr_ready` of `bcu`.
    BCU_READY = 1;
    /// Last cycle with `reset` → the warps of a launch are in `live`, if the launch is offered from then on. The latency is the larger of
    /// two numbers: W + 4, and this constant plus a cycle for each row to clear (C × 2^LI).
    BCU_LAUNCH = 3;
    /// Operation with a result into `mbarrier`, object cached, queue empty → `token_valid`.
    MBARRIER_TOKEN = 4;
    /// Operation that completes a phase into `mbarrier`, object cached, queue empty → `wake_valid`.
    MBARRIER_WAKE = 4;
    /// Transfer on `tx` that completes a phase, object cached, queues empty → `wake_valid`.
    MBARRIER_TX_WAKE = 5;
    /// Transfer on `tx`, object cached, queues empty → `tx_done_valid`.
    MBARRIER_TX_DONE = 5;
    /// Refused operation into `mbarrier`, queue empty, fault channel empty → `fault_valid`.
    MBARRIER_FAULT = 4;
    /// Operation into `mbarrier` on an object that is not cached, its entry free, queue empty → `mem_request_valid`.
    MBARRIER_READ = 4;
    /// Word of an object that was not cached at `mem_response` → `token_valid` or `wake_valid`.
    MBARRIER_FILL = 4;
    /// Operation into `mbarrier` on another CTA's object, queue to the network empty → `net_out_valid`.
    MBARRIER_NET_OUT = 3;
    /// Transfer of a remote operation on `net_out`, queue empty → `commit_valid` and `token_valid`: one cycle to the register for results,
    /// then four as for an operation.
    MBARRIER_NET_TOKEN = 5;
    /// Operation on `net_in`, object cached, queues empty → `net_reply_valid`.
    MBARRIER_NET_REPLY = 5;
    /// Last cycle with `reset` → `op_ready` of `mbarrier`, plus a cycle for each cache entry (X).
    MBARRIER_READY = 1;
    /// First launch_dependents of a CTA into `grid`, no other message due → `grid_out_valid`.
    GRID_OUT = 3;
    /// Ready on `grid_in` → `release_valid`.
    GRID_RELEASE = 2;
    /// Wait for a grid that is ready into `grid` → `release_valid`.
    GRID_WAIT = 2;
    /// Refused operation into `grid`, fault channel empty → `fault_valid`.
    GRID_FAULT = 2;
    /// Opened on `grid_in` → `opened_valid`.
    GRID_OPENED = 1;
    /// `open` of `grid_hub`, no other message due → Opened on `to_*`.
    GRID_HUB_OPENED = 2;
    /// `flushed` of the last prerequisite, no other message due → Ready on `to_*`.
    GRID_HUB_FLUSHED = 2;
    /// Last LaunchedDependents of the last prerequisite of an early grid on `from_*` → its bit in `may_launch`.
    GRID_HUB_LAUNCH = 4;
    /// Last Ended of a grid on `from_*`, no other flush due → `flush_valid`.
    GRID_HUB_FLUSH = 5;
    /// Operation into `cluster` → `commit_valid`.
    CLUSTER_COMMIT = 1;
    /// Wait into `cluster` for a phase that is complete → `release_valid`.
    CLUSTER_WAIT = 1;
    /// Refused operation into `cluster` → `fault_valid`.
    CLUSTER_FAULT = 1;
    /// `launch` of a CTA that is joined, no other message → `cluster_out_valid`.
    CLUSTER_PRESENT = 2;
    /// Last arrive of a joined CTA into `cluster`, no other message → `cluster_out_valid`.
    CLUSTER_ARRIVED = 3;
    /// First cycle with a CTA's bit in `ended`, no other message → `cluster_out_valid`.
    CLUSTER_GONE = 1;
    /// `Complete` at `cluster_in` → `release_valid`.
    CLUSTER_RELEASE = 2;
    /// Last arrive into `cluster` of a CTA that is alone in its cluster → `release_valid`.
    CLUSTER_ALONE_RELEASE = 3;
    /// `Closed` at `cluster_in` → `closed_valid`.
    CLUSTER_CLOSED = 1;
    /// Last Arrived at `cluster_hub`, or Gone of the last CTA that has not arrived, no other message due → `to_0_valid`.
    CLUSTER_HUB_COMPLETE = 3;
    /// Last `Gone` at `cluster_hub`, no other message due → `to_0_valid`.
    CLUSTER_HUB_CLOSED = 3;
    /// Last signal of a phase into `gateway`, or wait of a notified warp → `release_valid`.
    GATEWAY_RELEASE = 3;
    /// Operation into `gateway` → `commit_valid`.
    GATEWAY_COMMIT = 3;
    /// Wait into `gateway` of a warp that is not notified → the bit of the warp in `waiting`.
    GATEWAY_WAITING = 3;
    /// Refused operation into `gateway`, fault queue empty → `fault_valid`.
    GATEWAY_FAULT = 3;
    /// Last cycle with `reset` → `op_ready` of `gateway`, plus a cycle for each row to clear (C × 2^LI).
    GATEWAY_READY = 1;
    /// Last NBAR.SIGNAL of a phase into `bcu` → `gateway_release_valid`.
    BCU_GATEWAY_RELEASE = 9;
    /// Last CLUSTER.ARRIVE of a cluster into `gpu` → `sm_0_cluster_release_valid`, plus a cycle for each register stage on the links.
    GPU_CLUSTER_RELEASE = 14;
}
