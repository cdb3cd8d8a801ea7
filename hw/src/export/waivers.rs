// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu.vlt`: the Verilator lint waivers of an export. Each waiver names the file, the signal and the reason, and is only in exports of
//! configurations that need it.

use super::set::{generated, Export, LICENCE};
use bcu_isa::config::Config;
use bcu_isa::units::UnitName;

/// The configurations that need a waiver.
#[derive(Clone, Copy)]
enum When {
    Always,
    /// The configuration does not have this unit.
    Without(UnitName),
    NoReductions,
    NoFaults,
    NoStateWords,
    /// The configuration has fewer than five warps, so at most one row of four warps.
    FewWarps,
    /// The configuration has fewer than four lanes, so a group of four lanes is incomplete.
    FewLanes,
    /// The number of lanes is not a power of two, and checks are not built. `named` then converts a count of threads to a count of warps
    /// by multiplication with a reciprocal.
    OddLanesUnchecked,
}

impl When {
    fn holds(self, config: &Config) -> bool {
        match self {
            When::Always => true,
            When::Without(unit) => !config.has(unit),
            When::NoReductions => !config.reductions,
            When::NoFaults => !config.faults,
            When::NoStateWords => !config.state_words,
            When::FewWarps => config.warps < 5,
            When::FewLanes => config.lanes < 4,
            When::OddLanesUnchecked => !config.lanes.is_power_of_two() && !config.faults,
        }
    }
}

/// The waivers for signals of which a unit uses only some bits: the unit, the configurations, the signal, the reason.
const BITS: &[(&str, When, &str, &str)] = &[
    ("decode", When::Always, "word_word_0", "Bits 15:12 of an instruction word name its guard, which the warp has evaluated."),
    ("decode", When::Always, "word_word_3", "Bits 127:109 of an instruction word are left to control information."),
    ("decode", When::Always, "ra", "decode uses only the id bits of this register."),
    ("decode", When::Always, "rb", "decode uses only the operand bits of this register."),
    ("decode", When::Always, "warp_row_q", "Warps are marked in rows of four, so there are fewer rows than warps."),
    ("decode", When::FewWarps, "warp_column_q", "With at most four warps there is a single row of four, so some of these bits are unused."),
    ("mem_order", When::Always, "change_first_word", "The upper bit is read as part of the whole structure."),
    ("mem_order", When::Always, "warp_row", "Warps are marked in rows of four, so there are fewer rows than warps."),
    ("mem_order", When::FewWarps, "warp_column", "With at most four warps there is a single row of four, so some of these bits are unused."),
    (
        "mem_order",
        When::Without(UnitName::Mbarrier),
        "op_shared_bits",
        "A parked operation stores only the lower shared bits.",
    ),
    (
        "mem_order",
        When::Without(UnitName::Mbarrier),
        "other_op_shared_bits",
        "A parked operation has its own lower shared bits; those of the oldest operation are ignored.",
    ),
    ("gather", When::Always, "occupied_groups", "There are fewer rows of four than warps, and the first row is the default."),
    ("gather", When::Always, "*digits", "Four votes make a digit of three bits at most."),
    ("gather", When::FewWarps, "cta_warps", "The lowest warp of a row of four is the default for the last one."),
    ("gather", When::FewWarps, "cta_warps_wide*", "With at most four warps there is a single row of four, so some of these bits are unused."),
    ("gather", When::FewLanes, "wide_leader", "With fewer than four lanes a row of four is incomplete."),
    ("named", When::Always, "request_data", "At entry only the bit of a state word that makes its warp wait is read."),
    ("named", When::Always, "op_data", "At entry only the bit of a state word that makes its warp wait is read."),
    ("gather", When::Always, "*shared_bits", "A module reads only some of the shared bits."),
    ("mem_order", When::Always, "*shared_bits", "A module reads only some of the shared bits."),
    ("named", When::Always, "word", "Bit 19 of the state word of a warp, `trapped`, is read by another module."),
    ("named", When::Always, "single_bit", "The highest bit of a result is 1 only for a POPC, which this value is not."),
    ("named", When::Always, "commit_row_id", "An id always has 4 bits; if fewer barriers are built, its upper bits are 0."),
    ("named", When::OddLanesUnchecked, "product", "Only the integer part of the product with a reciprocal is used."),
    ("named", When::NoFaults, "expected", "Without checks a count is truncated to the bits of a number of warps."),
    ("named", When::NoFaults, "live_ram_read_value", "Without checks the number of live warps is unused, but for that less one."),
    ("named", When::NoFaults, "sizes_ram_read_value", "Without checks the number of declared barriers is unused."),
    ("named", When::NoFaults, "ram_read_value", "Only the fields of a row that the built parts use are read."),
    ("named", When::NoStateWords, "data", "Without state words most of their bits are unused."),
    (
        "gateway",
        When::Always,
        "lookup_id",
        "All bits of an id are compared with the barriers declared; a row number has only the bits that the built barriers need.",
    ),
    ("gateway", When::Always, "lookup_message_producers", "A number that does not exceed the thread group fits in the bits of a warp count."),
    ("gateway", When::Always, "lookup_message_consumers", "A number that does not exceed the thread group fits in the bits of a warp count."),
    ("bcu", When::Without(UnitName::Named), "request_data", "Bits 12:8 of a message to the gateway are unused."),
    (
        "mbarrier",
        When::NoFaults,
        "op_count",
        "Without checks the upper bits of a number of arrivals are unused.",
    ),
    ("mbarrier", When::Always, "ctrl_tag", "The lowest bits of a tag are the number of its entry."),
    ("mbarrier", When::Always, "item_count", "A batch is counted by its upper bits."),
    ("mbarrier", When::Always, "expected_sum", "Only the upper bits of the sum are used; the lowest holds the carry-in."),
    ("mbarrier", When::Always, "tx_sum", "Only the upper bits of the sum are used; the lowest holds the carry-in."),
    ("mbarrier", When::Always, "pending_sum", "Only the upper bits of the sum are used; the lowest holds the carry-in."),
    (
        "mbarrier",
        When::Always,
        "net_queue_used_next",
        "The queue fills from entry 0, so the use of entry 0 does not show whether the queue is full.",
    ),
    (
        "mbarrier",
        When::NoFaults,
        "op_address",
        "Without checks the alignment and range of an address are not checked.",
    ),
    ("mbarrier", When::Without(UnitName::Cluster), "op_select_place*", "Without clusters the bits above the number of an object are unused."),
    ("mbarrier", When::NoFaults, "items_read_value", "Without checks the fields that only checks read are unused."),
    ("mbarrier", When::NoFaults, "response_data", "Without checks the layout bit of a word of memory is unused."),
];

/// The waivers for signals that a unit does not use.
const SIGNALS: &[(&str, When, &str, &str)] = &[
    ("decode", When::Without(UnitName::Named), "instr_predicate", "Without named barriers no lane votes."),
    ("decode", When::Without(UnitName::Named), "full", "Without named barriers no instruction reads or writes state words."),
    ("gather", When::Without(UnitName::Mbarrier), "in_mbarrier", NO_MBARRIERS),
    ("gather", When::Without(UnitName::Mbarrier), "in_number", NO_MBARRIERS),
    ("gather", When::Without(UnitName::Mbarrier), "in_phase", NO_MBARRIERS),
    ("gather", When::Without(UnitName::Mbarrier), "in_cluster", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_mbarrier", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_number", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_phase", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_cluster", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_all_live_lanes", NO_MBARRIERS),
    ("named", When::NoStateWords, "trapped", "Without state words `trapped` is unused."),
    ("named", When::NoReductions, "op_redop", "Without reductions the kind of reduction is unused."),
    ("named", When::NoReductions, "op_value", "Without reductions the contribution is unused."),
    ("named", When::NoFaults, "fault_ready", "Without checks no fault is reported."),
    ("named", When::NoFaults, "op_uniform", "Without checks the uniformity of operands is not checked."),
    ("named", When::NoFaults, "op_saved", "Without checks an open barrier at the release of its CTA is not reported."),
    ("mbarrier", When::NoFaults, "op_uniform", "Without checks the uniformity of operands is not checked."),
    ("mbarrier", When::NoFaults, "op_cluster", "Without clusters and checks the rank is unused."),
    ("mbarrier", When::Without(UnitName::Cluster), "launch_cluster", "Without clusters the position in a cluster is unused."),
    ("mbarrier", When::Without(UnitName::Cluster), "launch_rank", "Without clusters the position in a cluster is unused."),
    ("mbarrier", When::Without(UnitName::Cluster), "launch_size", "Without clusters the position in a cluster is unused."),
    ("cluster_hub", When::Always, "from_*_rank", "The hub counts the CTAs of a cluster; ranks are for observers of the links."),
];

const NO_MBARRIERS: &str = "Without mbarriers their fields are unused.";

/// The waivers for the files of an export.
pub fn text(export: &Export, units: &[&str]) -> String {
    let bits = BITS.iter().map(|waiver| ("Bits of signal are", waiver));
    let signals = SIGNALS.iter().map(|waiver| ("Signal is", waiver));
    let mut text = format!("// SPDX-License-Identifier: {LICENCE}\n// {}\n`verilator_config\n", generated());
    for (what, (unit, when, signal, reason)) in bits.chain(signals) {
        if units.contains(unit) && when.holds(export.config) {
            let file = export.file_of(unit);
            text += &format!(
                "// {reason}\nlint_off -rule UNUSEDSIGNAL -file \"*{file}\" -match \"{what} not used: '{signal}'*\"\n"
            );
        }
    }
    text
}
