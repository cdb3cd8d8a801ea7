// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies that the RTL promises: cycles from a transfer to the port that answers, with nothing in the way. The same table
//! is in `docs/interface.md` and, on its own, in the model; a test measures the units and compares all of them.

/// Completing arrival into `named` → `release_valid`: one cycle to the row, one to the effects, one to the strobe's register.
pub const NAMED_RELEASE: u64 = 3;
/// Completing exit into `named` → `release_valid`: one cycle more, because an exit takes two slots.
pub const NAMED_EXIT_RELEASE: u64 = NAMED_RELEASE + 1;
/// Faulty operation into `named`, fault queue empty → `fault_valid`.
pub const NAMED_FAULT: u64 = 3;
/// SYNC, or a state word that makes its warp wait, into `named` → its bit in `waiting`.
pub const NAMED_WAITING: u64 = 1;
/// Read into `named` → `read_valid`.
pub const NAMED_READ: u64 = 3;
/// Instruction into `decode` → `op_valid`: one cycle to the first register, one to the second.
pub const DECODE_OP: u64 = 2;
/// `exit` into `cta_table`, nothing offered → `op_valid`: one cycle to read its warp, one to the register at `op`.
pub const CTA_TABLE_OP: u64 = 2;
/// First cycle with a launch at `cta_table`, nothing in the way → `op_valid` and `launched_valid`, besides the W steps of its walk: one cycle to begin,
/// one to evaluate the last warp, one to the register at `op`.
pub const CTA_TABLE_LAUNCH: u64 = 3;
/// First cycle with a retirement at `cta_table`, nothing in the way → `op_valid`, besides the W steps of its walk: one cycle more to end its warps, one
/// to see that nothing is in flight.
pub const CTA_TABLE_RETIRE: u64 = CTA_TABLE_LAUNCH + 2;
/// Operation into `gather`, nothing at `op` → `op_valid`: one cycle to the row, one to the commit stage, one to the register at `op`.
pub const GATHER_OP: u64 = 3;
/// Operation into `mem_order`, queue empty, nothing to wait for → `op_valid`: one cycle to the head of the queue, one to the register at `op`.
pub const MEM_ORDER_OP: u64 = 2;
/// Completing instruction into `bcu` → `release_valid`.
pub const BCU_RELEASE: u64 = DECODE_OP + GATHER_OP + MEM_ORDER_OP + NAMED_RELEASE;
/// B2R into `bcu` → `writeback_valid`.
pub const BCU_WRITEBACK: u64 = DECODE_OP + GATHER_OP + MEM_ORDER_OP + NAMED_READ;
/// MBAR that gives its result at once into `bcu`, hit → `token_valid`: two cycles for the numbers of its lanes.
pub const BCU_TOKEN: u64 = DECODE_OP + GATHER_OP + MEM_ORDER_OP + 2 + MBARRIER_TOKEN;
/// MBAR that completes a phase into `bcu`, hit → `wake_valid`.
pub const BCU_WAKE: u64 = DECODE_OP + GATHER_OP + MEM_ORDER_OP + 2 + MBARRIER_WAKE;
/// Completing exit into `bcu` → `release_valid`.
pub const BCU_EXIT_RELEASE: u64 = CTA_TABLE_OP + GATHER_OP + MEM_ORDER_OP + NAMED_EXIT_RELEASE;
/// Last cycle with `reset` → `exit_ready` of `cta_table`.
pub const CTA_TABLE_READY: u64 = 1;
/// Last cycle with `reset` → `in_ready` of `mem_order`, besides the 2^LW warps whose words are cleared.
pub const MEM_ORDER_READY: u64 = 2;
/// Last cycle with `reset` → `op_ready` of `named`, besides C × 2^LI cycles that clear the rows.
pub const NAMED_READY: u64 = 1;
/// Last cycle with `reset` → `exit_ready` and `instr_ready` of `bcu`.
pub const BCU_READY: u64 = CTA_TABLE_READY;
/// Last cycle with `reset` → the first CTA `live`, besides C × 2^LI cycles that clear the rows: its launch waits for them, and takes W cycles meanwhile.
pub const BCU_LAUNCH: u64 = 3;
/// Operation with a result into `mbarrier`, hit, nothing before it → `token_valid`: one cycle to the queue, one to the entry, one to the sums, one to
/// the decision.
pub const MBARRIER_TOKEN: u64 = 4;
/// Operation that completes a phase into `mbarrier`, likewise → `wake_valid`.
pub const MBARRIER_WAKE: u64 = 4;
/// The same on `tx`: one cycle more, to its two places.
pub const MBARRIER_TX_WAKE: u64 = 5;
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
/// Last cycle with `reset` → `op_ready` of `mbarrier`, besides the X entries.
pub const MBARRIER_READY: u64 = 1;
/// First launch_dependents of a CTA into `grid`, no other message under way → `grid_out_valid`: one cycle to its place, one to the CTA, one to the
/// channel's register.
pub const GRID_OUT: u64 = 3;
/// Ready on `grid_in` → `release_valid`: one cycle to its place, one to the warps.
pub const GRID_RELEASE: u64 = 2;
/// Wait whose prerequisites are complete into `grid` → `release_valid`.
pub const GRID_WAIT: u64 = 2;
/// Refused operation into `grid`, fault channel empty → `fault_valid`.
pub const GRID_FAULT: u64 = 2;
/// Opened on `grid_in` → `opened_valid`.
pub const GRID_OPENED: u64 = 1;
/// `open` of `grid_hub`, no other message due → Opened on `to_*`: one cycle to the slot, one to the links.
pub const GRID_HUB_OPENED: u64 = 2;
/// `flushed` of the last prerequisite, no other message due → Ready on `to_*`.
pub const GRID_HUB_FLUSHED: u64 = 2;
/// Last LaunchedDependents of the last prerequisite of an early grid on `from_*` → its bit in `may_launch`: one cycle to its place, one to the count, one to see
/// that it is the last.
pub const GRID_HUB_LAUNCH: u64 = 4;
/// Last Ended of a grid on `from_*`, no other request due → `flush_valid`: one cycle more, to its state.
pub const GRID_HUB_FLUSH: u64 = GRID_HUB_LAUNCH + 1;
/// Operation into `cluster` → `commit_valid`.
pub const CLUSTER_COMMIT: u64 = 1;
/// Wait whose phase is over into `cluster` → `release_valid`.
pub const CLUSTER_WAIT: u64 = 1;
/// Refused operation into `cluster` → `fault_valid`.
pub const CLUSTER_FAULT: u64 = 1;
/// `launch` of a CTA that is joined, no other message → `cluster_out_valid`: one cycle to its slot, one to the channel.
pub const CLUSTER_PRESENT: u64 = 2;
/// Last arrive of a CTA that is joined into `cluster`, no other message → `cluster_out_valid`: one cycle to the warps, one to the CTA, one to the channel.
pub const CLUSTER_ARRIVED: u64 = 3;
/// First cycle with a CTA's bit in `ended`, no other message → `cluster_out_valid`.
pub const CLUSTER_GONE: u64 = 1;
/// `Complete` at `cluster_in` → `release_valid`: one cycle to the CTAs, one to the warps.
pub const CLUSTER_RELEASE: u64 = 2;
/// Last arrive of a CTA that is not joined into `cluster` → `release_valid`.
pub const CLUSTER_ALONE_RELEASE: u64 = 3;
/// `Closed` at `cluster_in` → `closed_valid`.
pub const CLUSTER_CLOSED: u64 = 1;
/// Last `Arrived`, or `Gone` of the last that has not arrived, at `cluster_hub`, nothing else due → `to_0_valid`: one cycle to the masks, one to what is due, one to the strobe.
pub const CLUSTER_HUB_COMPLETE: u64 = 3;
/// Last `Gone` at `cluster_hub`, nothing else due → `to_0_valid`.
pub const CLUSTER_HUB_CLOSED: u64 = 3;
/// Last signal of a phase, or wait of a warp that is notified, into `gateway` → `release_valid`: one cycle to the row, one to the effects, one to the
/// strobe's register.
pub const GATEWAY_RELEASE: u64 = 3;
/// Operation into `gateway` → `commit_valid`.
pub const GATEWAY_COMMIT: u64 = GATEWAY_RELEASE;
/// Wait of a warp that is not notified yet into `gateway` → its bit in `waiting`.
pub const GATEWAY_WAITING: u64 = GATEWAY_RELEASE;
/// Refused operation into `gateway`, fault queue empty → `fault_valid`.
pub const GATEWAY_FAULT: u64 = GATEWAY_RELEASE;
/// Last cycle with `reset` → `op_ready` of `gateway`, besides C × 2^LI cycles that clear the rows.
pub const GATEWAY_READY: u64 = 1;
/// Last NBAR.SIGNAL of a phase into `bcu` → `gateway_release_valid`.
pub const BCU_GATEWAY_RELEASE: u64 = DECODE_OP + GATHER_OP + MEM_ORDER_OP + GATEWAY_RELEASE;
/// Last CLUSTER.ARRIVE of a cluster into `gpu` → `sm_0_cluster_release_valid`: seven cycles to `cluster`, three to the hub, three there, two to the warps;
/// the stages of the links besides, twice.
pub const GPU_CLUSTER_RELEASE: u64 = 15;
