// SPDX-License-Identifier: Apache-2.0 OR MIT
//! For each unit, the faults in its Verilog that its oracle must find. The fields of a fault are
//! those in `tb/faults.toml`, which describes them.

use bcu_hw::verilog::{Fault, Reads};

/// A fault, and the rule that it breaks.
pub struct Mutant {
    pub unit: &'static str,
    block: &'static str,
    signal: &'static str,
    reads: &'static str,
    seen_by: &'static str,
    pub breaks: &'static str,
}

impl Mutant {
    pub fn fault(&self) -> Fault {
        Fault {
            block: self.block.to_string(),
            signal: self.signal.to_string(),
            seen_by: Some(self.seen_by.to_string()),
            reads: Reads::parse(self.reads),
        }
    }
}

pub const MUTANTS: &[Mutant] = &[
    Mutant {
        unit: "named",
        block: "named.barriers.rows",
        signal: "lookup_writes_row",
        reads: "0",
        seen_by: "forward_commit.d",
        breaks: "an operation reads its row without the effect of the operation just before it",
    },
    Mutant {
        unit: "mbarrier",
        block: "mbarrier.cache",
        signal: "decided.valid",
        reads: "0",
        seen_by: "same_as_decided",
        breaks: "an operation reads its object without the effect of the second operation before it",
    },
    Mutant {
        unit: "mem_order",
        block: "mem_order.decide",
        signal: "waits_for_epoch",
        reads: "0",
        seen_by: "picks",
        breaks: "a parked arrival is passed on before its accesses are performed",
    },
    Mutant {
        unit: "cluster",
        block: "cluster.warps",
        signal: "new_waiting_warp",
        reads: "0",
        seen_by: "will_wait",
        breaks: "a wait in the cycle in which the phase is over is never answered",
    },
    Mutant {
        unit: "cluster_hub",
        block: "cluster_hub.slots[0]",
        signal: "odd_phase.q",
        reads: "0",
        seen_by: "counted_sources",
        breaks: "a CTA that has arrived and ended counts twice in its phase",
    },
    Mutant {
        unit: "grid",
        block: "grid.waits",
        signal: "message.valid",
        reads: "0",
        seen_by: "ready_after_message",
        breaks: "a grid slot stays ready for the next grid in it",
    },
    Mutant {
        unit: "grid_hub",
        block: "grid_hub.counts[0]",
        signal: "opens",
        reads: "0",
        seen_by: "all_ended_q.d",
        breaks: "a grid that has just been opened ends with the counts of the grid before",
    },
    Mutant {
        unit: "gateway",
        block: "gateway",
        signal: "rows.lookup_row.waiting_or_notified",
        reads: "0",
        seen_by: "next_row.lookup_row.waiting_or_notified",
        breaks: "a barrier loses the set of waiting and notified warps",
    },
    Mutant {
        unit: "bcu",
        block: "bcu",
        signal: "frontend.op.value",
        reads: "0",
        seen_by: "backend.in_.value",
        breaks: "the contribution of a warp is lost from its reduction",
    },
    Mutant {
        unit: "bcu",
        block: "bcu.backend.mem_order.decide",
        signal: "waits_for_epoch",
        reads: "0",
        seen_by: "picks",
        breaks: "an arrival that waits for accesses is passed on before they are performed",
    },
];
