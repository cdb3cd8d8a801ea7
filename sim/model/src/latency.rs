// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies of the contract, in cycles from a transfer to the port that answers, with nothing in the way.

/// Completing arrival into `named` → `release_valid`.
pub const NAMED_RELEASE: u64 = 3;
/// Completing exit into `named` → `release_valid`.
pub const NAMED_EXIT_RELEASE: u64 = 4;
/// Faulty operation into `named`, none that takes two slots, fault queue empty → `fault_valid`.
pub const NAMED_FAULT: u64 = 3;
/// SYNC, or a state word that lets its warp wait, into `named` → its bit in `blocked`.
pub const NAMED_WAITING: u64 = 1;
/// Read into `named` → `read_valid`.
pub const NAMED_READ: u64 = 3;
/// Instruction into `decode` → `op_valid`.
pub const DECODE_OP: u64 = 2;
/// `exit` into `cta_table`, nothing offered → `op_valid`.
pub const CTA_TABLE_OP: u64 = 2;
/// First cycle with a launch at `cta_table`, nothing in the way → `op_valid` and `launched_valid`, besides the W steps of its walk.
pub const CTA_TABLE_LAUNCH: u64 = 3;
/// First cycle with a retirement at `cta_table`, nothing in the way → `op_valid`, besides the W steps of its walk.
pub const CTA_TABLE_RETIRE: u64 = 5;
/// Operation into `gather`, nothing at `op` → `op_valid`.
pub const GATHER_OP: u64 = 3;
/// Operation into `mem_order`, queue empty, nothing to wait for → `op_valid`.
pub const MEM_ORDER_OP: u64 = 2;
/// Completing instruction into `bcu` → `release_valid`.
pub const BCU_RELEASE: u64 = 10;
/// B2R or B2R_RESULT into `bcu` → `writeback_valid`.
pub const BCU_WRITEBACK: u64 = 10;
/// MBAR with a result at once into `bcu`, hit → `token_valid`.
pub const BCU_TOKEN: u64 = 13;
/// MBAR that completes a phase into `bcu`, hit → `wake_valid`.
pub const BCU_WAKE: u64 = 13;
/// Completing exit into `bcu` → `release_valid`.
pub const BCU_EXIT_RELEASE: u64 = 11;
/// Last cycle with `reset` → `exit_ready` of `cta_table`.
pub const CTA_TABLE_READY: u64 = 1;
/// Last cycle with `reset` → `in_ready` of `mem_order`.
pub const MEM_ORDER_READY: u64 = 2;
/// Last cycle with `reset` → `op_ready` of `named`, besides C × 2^LI.
pub const NAMED_READY: u64 = 1;
/// Last cycle with `reset` → `exit_ready` and `instr_ready` of `bcu`.
pub const BCU_READY: u64 = 1;
/// Last cycle with `reset` → `live`, a launch being offered from then on, besides C × 2^LI; at least that of `cta_table` and the first cycle.
pub const BCU_LAUNCH: u64 = 3;
/// Operation with a result into `mbarrier`, hit, nothing before it → `token_valid`.
pub const MBARRIER_TOKEN: u64 = 4;
/// Operation that completes a phase into `mbarrier`, likewise → `wake_valid`.
pub const MBARRIER_WAKE: u64 = 4;
/// The same on `tx` → `wake_valid`.
pub const MBARRIER_TX_WAKE: u64 = 5;
/// Transfer on `tx`, hit, nothing before it → `tx_done_valid`.
pub const MBARRIER_TX_DONE: u64 = 5;
/// Refused operation into `mbarrier`, nothing before it, fault channel empty → `fault_valid`.
pub const MBARRIER_FAULT: u64 = 4;
/// Operation on an object that is not cached into `mbarrier`, its entry free, nothing before it → `mem_request_valid`.
pub const MBARRIER_READ: u64 = 4;
/// The word of a miss at `mem_response` → `token_valid` or `wake_valid`.
pub const MBARRIER_FILL: u64 = 4;
/// Operation on another CTA's object into `mbarrier`, nothing before it → `net_out_valid`.
pub const MBARRIER_NET_OUT: u64 = 3;
/// Its transfer on `net_out`, nothing before it → `commit_valid` and `token_valid`: one cycle to its place, four as an operation.
pub const MBARRIER_NET_TOKEN: u64 = 5;
/// Operation on `net_in`, hit, nothing before it → `net_reply_valid`.
pub const MBARRIER_NET_REPLY: u64 = 5;
/// Last cycle with `reset` → `op_ready` of `mbarrier`, besides X.
pub const MBARRIER_READY: u64 = 1;
/// First launch_dependents of a CTA into `grid`, no other message under way → `grid_out_valid`.
pub const GRID_OUT: u64 = 3;
/// Ready on `grid_in` → `release_valid`.
pub const GRID_RELEASE: u64 = 2;
/// Wait that need not wait into `grid` → `release_valid`.
pub const GRID_WAIT: u64 = 2;
/// Refused operation into `grid`, fault channel empty → `fault_valid`.
pub const GRID_FAULT: u64 = 2;
/// Opened on `grid_in` → `opened_valid`.
pub const GRID_OPENED: u64 = 1;
/// `open` of `grid_hub`, no other message due → Opened on `to_*`.
pub const GRID_HUB_OPENED: u64 = 2;
/// `flushed` of the last prerequisite, no other message due → Ready on `to_*`.
pub const GRID_HUB_FLUSHED: u64 = 2;
/// Last LaunchedDependents of the last prerequisite of an early grid on `from_*` → its bit in `may_launch`.
pub const GRID_HUB_LAUNCH: u64 = 4;
/// Last Ended of a grid on `from_*`, no other request due → `flush_valid`.
pub const GRID_HUB_FLUSH: u64 = 5;
/// Operation into `cluster` → `commit_valid`.
pub const CLUSTER_COMMIT: u64 = 1;
/// Wait whose phase is over into `cluster` → `release_valid`.
pub const CLUSTER_WAIT: u64 = 1;
/// Refused operation into `cluster` → `fault_valid`.
pub const CLUSTER_FAULT: u64 = 1;
/// `launch` of a CTA that is joined, no other message → `cluster_out_valid`.
pub const CLUSTER_PRESENT: u64 = 2;
/// Last arrive of a CTA that is joined into `cluster`, no other message → `cluster_out_valid`.
pub const CLUSTER_ARRIVED: u64 = 3;
/// First cycle with a CTA's bit in `ended`, no other message → `cluster_out_valid`.
pub const CLUSTER_GONE: u64 = 1;
/// `Complete` at `cluster_in` → `release_valid`.
pub const CLUSTER_RELEASE: u64 = 2;
/// Last arrive of a CTA that is not joined into `cluster` → `release_valid`.
pub const CLUSTER_ALONE_RELEASE: u64 = 3;
/// `Closed` at `cluster_in` → `closed_valid`.
pub const CLUSTER_CLOSED: u64 = 1;
/// Last `Arrived`, or `Gone` of the last that has not arrived, at `cluster_hub`, nothing else due → `to_0_valid`.
pub const CLUSTER_HUB_COMPLETE: u64 = 3;
/// Last `Gone` at `cluster_hub`, nothing else due → `to_0_valid`.
pub const CLUSTER_HUB_CLOSED: u64 = 3;
/// Last signal of a phase, or wait of a warp that is notified, into `gateway` → `release_valid`.
pub const GATEWAY_RELEASE: u64 = 3;
/// Operation into `gateway` → `commit_valid`.
pub const GATEWAY_COMMIT: u64 = 3;
/// Wait of a warp that is not notified yet into `gateway` → its bit in `waiting`.
pub const GATEWAY_WAITING: u64 = 3;
/// Refused operation into `gateway`, fault queue empty → `fault_valid`.
pub const GATEWAY_FAULT: u64 = 3;
/// Last cycle with `reset` → `op_ready` of `gateway`, besides C × 2^LI.
pub const GATEWAY_READY: u64 = 1;
/// Last NBAR.SIGNAL of a phase into `bcu` → `gateway_release_valid`.
pub const BCU_GATEWAY_RELEASE: u64 = 10;
/// Last CLUSTER.ARRIVE of a cluster into `gpu` → `sm_0_cluster_release_valid`, the stages of the links besides.
pub const GPU_CLUSTER_RELEASE: u64 = 15;
