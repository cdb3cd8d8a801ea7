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
    /// A unit is not built.
    Without(UnitName),
    NoReductions,
    NoFaults,
    NoStateWords,
    /// A row of four warps is incomplete.
    FewWarps,
    /// A group of four lanes is incomplete.
    FewLanes,
    /// The number of threads in warps is a product with a reciprocal: the number of lanes is not a power of two, and checks are not built.
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

/// Signals of which a unit uses only some bits: the unit, the condition, the signal, the reason.
const BITS: &[(&str, When, &str, &str)] = &[
    ("decode", When::Always, "word_word_0", "Bits 15:12 of an instruction word name its guard, which the warp has evaluated."),
    ("decode", When::Always, "word_word_3", "Bits 127:109 of an instruction word are left to control information."),
    ("decode", When::Always, "ra", "Of this register decode takes no more bits than an id has."),
    ("decode", When::Always, "rb", "Of this register decode takes no more bits than an operand has."),
    ("decode", When::Always, "of_row_q", "Warps are marked in rows of four, so there are fewer rows than warps."),
    ("decode", When::FewWarps, "pushed_q", "With fewer than four warps a row of them is not full."),
    ("mem_order", When::Always, "of_row", "Warps are marked in rows of four, so there are fewer rows than warps."),
    ("mem_order", When::FewWarps, "column", "With fewer than four warps a row of them is not full."),
    ("gather", When::Always, "fours", "There are fewer fours than warps, and the first of them is taken where no other is."),
    ("gather", When::Always, "digits", "Four votes make a digit of three bits at most."),
    ("gather", When::FewWarps, "cta_warps", "The lowest warp of four is the last one where no other is."),
    ("gather", When::FewWarps, "cta_warps_wide*", "With fewer than four warps a row of them is not full."),
    ("gather", When::FewLanes, "led", "With fewer than four lanes a four of them is not full."),
    ("named", When::Always, "request_data", "Of a state word, only whether it lets its warp wait is asked where it enters."),
    ("named", When::Always, "ctrl_row_id", "An id has 4 bits everywhere; where fewer barriers are built the upper ones are 0."),
    ("named", When::OddLanesUnchecked, "product", "Of the product with a reciprocal only the whole part is taken."),
    ("named", When::NoFaults, "expected", "Without checks a count is cut to the bits of a number of warps."),
    ("named", When::NoFaults, "ram_read_value", "Of a row no more is read than the parts that are built look at."),
    ("named", When::NoStateWords, "data", "Without state words nothing reads most bits of them."),
    ("named", When::NoStateWords, "word_value", "Without state words nothing reads most bits of them."),
    (
        "gateway",
        When::Always,
        "inside_id",
        "All bits of an id are compared with the barriers declared; a row number has no more than built ones need.",
    ),
    ("gateway", When::Always, "inside_producers", "A number that does not exceed the thread group has no more bits than that."),
    ("gateway", When::Always, "inside_consumers", "A number that does not exceed the thread group has no more bits than that."),
    ("bcu", When::Without(UnitName::Named), "in_data", "Bits 12:8 of a message to the gateway mean nothing."),
    (
        "mbarrier",
        When::Always,
        "asked_count",
        "Whether a number of arrivals is too large is asked before it is one of 20 bits.",
    ),
    ("mbarrier", When::Always, "ctrl_tag", "The lowest bits of a tag are the number of its entry."),
    ("mbarrier", When::Always, "count", "A batch is counted by its upper bits."),
    ("mbarrier", When::Always, "expected", "Whether a number is 1 more is asked of its upper bits."),
    ("mbarrier", When::Always, "tx", "Whether a number is 1 more is asked of its upper bits."),
    ("mbarrier", When::Always, "pending", "Whether a number is 1 more is asked of its upper bits."),
    (
        "mbarrier",
        When::Always,
        "net_queue_used_next",
        "The queue fills from the bottom, so its lowest place says nothing about room.",
    ),
    (
        "mbarrier",
        When::NoFaults,
        "asked_address",
        "Without checks nothing asks whether an address is aligned and inside shared memory.",
    ),
    ("mbarrier", When::NoFaults, "items_read_value", "Without checks nothing reads what only a check looks at."),
    ("mbarrier", When::NoFaults, "response_data", "Without checks nothing asks whether a word of memory is of another layout."),
];

/// Signals that a unit does not use.
const SIGNALS: &[(&str, When, &str, &str)] = &[
    ("decode", When::Without(UnitName::Named), "instr_predicate", "Without named barriers no lane votes."),
    ("gather", When::Without(UnitName::Mbarrier), "in_mbarrier", NO_MBARRIERS),
    ("gather", When::Without(UnitName::Mbarrier), "in_number", NO_MBARRIERS),
    ("gather", When::Without(UnitName::Mbarrier), "in_phase", NO_MBARRIERS),
    ("gather", When::Without(UnitName::Mbarrier), "in_cluster", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_mbarrier", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_number", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_phase", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_cluster", NO_MBARRIERS),
    ("mem_order", When::Without(UnitName::Mbarrier), "in_all_live_lanes", NO_MBARRIERS),
    ("named", When::NoStateWords, "trapped", "Without state words nothing reads who is trapped."),
    ("named", When::NoReductions, "op_redop", "Without reductions none is chosen."),
    ("named", When::NoReductions, "op_value", "Without reductions nothing is contributed."),
    ("named", When::NoFaults, "op_uniform", "Without checks lanes may differ."),
    ("named", When::NoFaults, "op_saved", "Without checks an open barrier is no fault when its CTA leaves."),
    ("mbarrier", When::NoFaults, "op_uniform", "Without checks lanes may differ."),
    ("mbarrier", When::NoFaults, "op_cluster", "Without clusters and checks a rank means nothing."),
    ("mbarrier", When::Without(UnitName::Cluster), "launch_cluster", "Without clusters no place in one is looked at."),
    ("mbarrier", When::Without(UnitName::Cluster), "launch_rank", "Without clusters no place in one is looked at."),
    ("mbarrier", When::Without(UnitName::Cluster), "launch_size", "Without clusters no place in one is looked at."),
    (
        "cluster_hub",
        When::Always,
        "from_*_rank",
        "The hub counts the CTAs of a cluster; ranks are for who listens on the links.",
    ),
];

const NO_MBARRIERS: &str = "Without mbarriers nothing of them is carried.";

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
