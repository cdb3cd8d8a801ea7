// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latencies that the RTL guarantees: cycles from a transfer to the port that responds, without contention. Each latency is also
//! on the page of its unit (`docs/contract/bcu.md` has the list) and, as a separate definition, in the model. A test measures the
//! units, and compares the measured latencies with these three numbers.

use bcu_isa::config::{index_bits, warp_bits, Config};

/// The part of a latency, in cycles, that depends on the configuration and is added to the constant part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Besides {
    Nothing,
    /// W: one for each warp.
    Warps,
    /// 2^LW: one for each possible warp number.
    WarpNumbers,
    /// C × 2^LI: one for each row.
    Rows,
    /// C × 2^LI, or W + 1 if that is larger.
    RowsOrWarps,
    /// X: one for each entry of `mbarrier`.
    Entries,
    /// 2 × N: two for each stage of a link.
    Links,
}

/// A named latency.
pub struct Latency {
    /// The name of its constant, which begins with the name of the unit.
    pub name: &'static str,
    /// The event at which the latency starts, and the port at which it ends.
    pub doc: &'static str,
    constant: u64,
    besides: Besides,
}

impl Latency {
    /// Cycles of the latency in the configuration `config`.
    pub fn cycles(&self, config: &Config) -> u64 {
        let rows = config.cta_slots << index_bits(config.ids());
        let more = match self.besides {
            Besides::Nothing => 0,
            Besides::Warps => config.warps,
            Besides::WarpNumbers => 1 << warp_bits(config.warps),
            Besides::Rows => rows,
            Besides::RowsOrWarps => rows.max(config.warps + 1),
            Besides::Entries => config.mbarrier_objects,
            Besides::Links => 2 * config.link_stages,
        };
        self.constant + more as u64
    }
}

macro_rules! latencies {
    ($($(#[doc = $doc:literal])* $name:ident = $constant:expr $(, besides $besides:ident)?;)*) => {
        $($(#[doc = $doc])* pub const $name: u64 = $constant;)*

        /// All latencies.
        pub const ALL: &[Latency] = &[$(Latency {
            name: stringify!($name),
            doc: concat!($($doc),*),
            constant: $name,
            besides: latencies!(@ $($besides)?),
        }),*];
    };
    (@) => { Besides::Nothing };
    (@ $besides:ident) => { Besides::$besides };
}

latencies! {
    /// Completing arrival into `named` → `release_valid`: one cycle to the row, one to the effects, one to the strobe's register.
    NAMED_RELEASE = 3;
    /// Completing exit into `named` → `release_valid`: one cycle more, because an exit takes two lookup cycles.
    NAMED_EXIT_RELEASE = NAMED_RELEASE + 1;
    /// Faulty operation into `named`, fault queue empty → `fault_valid`.
    NAMED_FAULT = 3;
    /// Into `named`, a SYNC or a state word that makes its warp wait → its bit in `waiting`.
    NAMED_WAITING = 1;
    /// Read into `named` → `read_valid`.
    NAMED_READ = 3;
    /// Instruction into `decode` → `op_valid`: one cycle to the first register, one to the second.
    DECODE_OP = 2;
    /// `exit` into `cta_table`, no operation offered → `op_valid`: one cycle to read the state of its warp, one to the register at
    /// `op`.
    CTA_TABLE_OP = 2;
    /// First cycle with a launch at `cta_table`, no contention → `op_valid` and `launched_valid`, besides the W steps of its walk: one
    /// cycle to begin, one to evaluate the last warp, one to the register at `op`.
    CTA_TABLE_LAUNCH = 3, besides Warps;
    /// First cycle with a retirement at `cta_table`, no contention → `op_valid`, besides the W steps of its walk: the cycles of a launch,
    /// one to end the warps of the CTA, one to check that no operation is in flight.
    CTA_TABLE_RETIRE = CTA_TABLE_LAUNCH + 2, besides Warps;
    /// Operation into `gather`, no operation at `op` → `op_valid`: one cycle to the row, one to the commit stage.
    GATHER_OP = 2;
    /// Operation into `mem_order`, queue empty, no wait → `op_valid`: one cycle to the head of the queue, one to the register at `op`.
    MEM_ORDER_OP = 2;
    /// Completing instruction into `bcu` → `release_valid`.
    BCU_RELEASE = DECODE_OP + GATHER_OP + MEM_ORDER_OP + NAMED_RELEASE;
    /// B2R into `bcu` → `writeback_valid`.
    BCU_WRITEBACK = DECODE_OP + GATHER_OP + MEM_ORDER_OP + NAMED_READ;
    /// MBAR into `bcu` with an immediate result, cache hit → `token_valid`: two cycles to multiply its number by the lanes.
    BCU_TOKEN = DECODE_OP + GATHER_OP + MEM_ORDER_OP + 2 + MBARRIER_TOKEN;
    /// MBAR into `bcu` that completes a phase, cache hit → `wake_valid`.
    BCU_WAKE = DECODE_OP + GATHER_OP + MEM_ORDER_OP + 2 + MBARRIER_WAKE;
    /// Completing exit into `bcu` → `release_valid`.
    BCU_EXIT_RELEASE = CTA_TABLE_OP + GATHER_OP + MEM_ORDER_OP + NAMED_EXIT_RELEASE;
    /// Last cycle with `reset` → `exit_ready` of `cta_table`.
    CTA_TABLE_READY = 1;
    /// Last cycle with `reset` → `in_ready` of `mem_order`, besides the 2^LW warps whose words are cleared.
    MEM_ORDER_READY = 2, besides WarpNumbers;
    /// Last cycle with `reset` → `op_ready` of `named`, besides C × 2^LI cycles that clear the rows.
    NAMED_READY = 1, besides Rows;
    /// Last cycle with `reset` → `exit_ready` and `instr_ready` of `bcu`.
    BCU_READY = CTA_TABLE_READY;
    /// Last cycle with `reset` → the first CTA `live`, besides C × 2^LI cycles that clear the rows: the launch waits for these cycles, and
    /// the W steps of its walk run in parallel.
    BCU_LAUNCH = 3, besides RowsOrWarps;
    /// Operation into `mbarrier` with a result, cache hit, no operation before it → `token_valid`: one cycle to the queue, one to the
    /// entry, one to the sums, one to the decision.
    MBARRIER_TOKEN = 4;
    /// Operation into `mbarrier` that completes a phase, cache hit, no operation before it → `wake_valid`.
    MBARRIER_WAKE = 4;
    /// Transfer on `tx` that completes a phase, cache hit, no operation before it → `wake_valid`: one cycle more than an operation, to the
    /// queue of `tx`.
    MBARRIER_TX_WAKE = 5;
    /// Transfer on `tx`, cache hit, no operation before it → `tx_done_valid`.
    MBARRIER_TX_DONE = 5;
    /// Refused operation into `mbarrier`, no operation before it, fault channel empty → `fault_valid`.
    MBARRIER_FAULT = 4;
    /// Operation into `mbarrier` on an object that is not cached, its entry free, no operation before it → `mem_request_valid`.
    MBARRIER_READ = 4;
    /// The word of a miss at `mem_response` → `token_valid` or `wake_valid`.
    MBARRIER_FILL = 4;
    /// Operation into `mbarrier` on an object of another CTA, no operation before it → `net_out_valid`.
    MBARRIER_NET_OUT = 3;
    /// Transfer of a remote operation on `net_out`, no operation before it → `commit_valid` and `token_valid`: one cycle to its holding
    /// register, four like an operation into `mbarrier`.
    MBARRIER_NET_TOKEN = 5;
    /// Operation on `net_in`, cache hit, no operation before it → `net_reply_valid`.
    MBARRIER_NET_REPLY = 5;
    /// Last cycle with `reset` → `op_ready` of `mbarrier`, besides the X entries.
    MBARRIER_READY = 1, besides Entries;
    /// First launch_dependents of a CTA into `grid`, no other message in flight → `grid_out_valid`: one cycle to its register, one to the
    /// CTA, one to the channel's register.
    GRID_OUT = 3;
    /// Ready on `grid_in` → `release_valid`: one cycle to its register, one to the warps.
    GRID_RELEASE = 2;
    /// Wait into `grid` whose prerequisites are complete → `release_valid`.
    GRID_WAIT = 2;
    /// Refused operation into `grid`, fault channel empty → `fault_valid`.
    GRID_FAULT = 2;
    /// Opened on `grid_in` → `opened_valid`.
    GRID_OPENED = 1;
    /// `open` of `grid_hub`, no other message due → Opened on `to_*`: one cycle to the slot, one to the links.
    GRID_HUB_OPENED = 2;
    /// `flushed` of the last prerequisite, no other message due → Ready on `to_*`.
    GRID_HUB_FLUSHED = 2;
    /// Last LaunchedDependents of the last prerequisite of an early grid on `from_*` → its bit in `may_launch`: one cycle to the register
    /// of the message, one to the count, one to detect that it is the last, one to the register of `may_launch`.
    GRID_HUB_LAUNCH = 4;
    /// Last Ended of a grid on `from_*`, no other request due → `flush_valid`: three cycles as in `GRID_HUB_LAUNCH`, one to the
    /// state of its slot, one to the channel's register.
    GRID_HUB_FLUSH = GRID_HUB_LAUNCH + 1;
    /// Operation into `cluster` → `commit_valid`.
    CLUSTER_COMMIT = 1;
    /// Wait into `cluster` whose phase is complete → `release_valid`.
    CLUSTER_WAIT = 1;
    /// Refused operation into `cluster` → `fault_valid`.
    CLUSTER_FAULT = 1;
    /// `launch` of a joined CTA, no other message → `cluster_out_valid`: one cycle to its slot, one to the channel.
    CLUSTER_PRESENT = 2;
    /// Into `cluster`, the last arrive of a joined CTA, no other message → `cluster_out_valid`: one cycle to the warps, one to the CTA,
    /// one to the channel.
    CLUSTER_ARRIVED = 3;
    /// First cycle with a CTA's bit in `ended`, no other message → `cluster_out_valid`.
    CLUSTER_GONE = 1;
    /// `Complete` at `cluster_in` → `release_valid`: one cycle to the CTAs, one to the warps.
    CLUSTER_RELEASE = 2;
    /// Into `cluster`, the last arrive of a CTA that is not joined → `release_valid`.
    CLUSTER_ALONE_RELEASE = 3;
    /// `Closed` at `cluster_in` → `closed_valid`.
    CLUSTER_CLOSED = 1;
    /// Last `Arrived`, or `Gone` of the last CTA that has not arrived, at `cluster_hub`, no other message due → `to_0_valid`: one cycle to
    /// the masks, one to the due messages, one to the strobe.
    CLUSTER_HUB_COMPLETE = 3;
    /// Last `Gone` at `cluster_hub`, no other message due → `to_0_valid`.
    CLUSTER_HUB_CLOSED = 3;
    /// Into `gateway`, the last signal of a phase or the wait of a notified warp → `release_valid`: one cycle to the row, one to the
    /// effects, one to the strobe's register.
    GATEWAY_RELEASE = 3;
    /// Operation into `gateway` → `commit_valid`.
    GATEWAY_COMMIT = GATEWAY_RELEASE;
    /// Into `gateway`, the wait of a warp that is not notified yet → its bit in `waiting`.
    GATEWAY_WAITING = GATEWAY_RELEASE;
    /// Refused operation into `gateway`, fault queue empty → `fault_valid`.
    GATEWAY_FAULT = GATEWAY_RELEASE;
    /// Last cycle with `reset` → `op_ready` of `gateway`, besides C × 2^LI cycles that clear the rows.
    GATEWAY_READY = 1, besides Rows;
    /// Last NBAR.SIGNAL of a phase into `bcu` → `gateway_release_valid`.
    BCU_GATEWAY_RELEASE = DECODE_OP + GATHER_OP + MEM_ORDER_OP + GATEWAY_RELEASE;
    /// Last CLUSTER.ARRIVE of a cluster into `gpu` → `sm_0_cluster_release_valid`: six cycles to `cluster`, three to the hub, three in
    /// the hub, two to the warps, and twice the stages of a link.
    GPU_CLUSTER_RELEASE = 14, besides Links;
}
