// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `bcu.vlt`: what Verilator may leave unsaid of an export, each with its reason.

use super::{generated, LICENCE};

const NOTHING_OF_MBARRIERS: &str = "Without mbarriers nothing of them is carried.";

/// Bits that the units get and do not need, each with the reason.
pub fn text() -> String {
    let waived = [
        ("word_word_0", "Bits 15:12 of an instruction word name its guard, which the warp has evaluated."),
        ("word_word_3", "Bits 127:109 of an instruction word are left to control information."),
        ("request_data", "Of a state word, only whether it lets its warp wait is asked where it enters."),
        ("ctrl_row_id", "An id has 4 bits everywhere; where fewer barriers are built the upper ones are 0."),
        ("queue_used_next", "The queue fills from the bottom, so its lowest place says nothing about room."),
        ("net_queue_used_next", "The queue fills from the bottom, so its lowest place says nothing about room."),
        ("asked_count", "Whether a number of arrivals is too large is asked before it is one of 20 bits."),
        (
            "inside_id",
            "All bits of an id are compared with the barriers declared; behind that it has no more than built ones need.",
        ),
        ("inside_producers", "A number that does not exceed the thread group has no more bits than that."),
        ("inside_consumers", "A number that does not exceed the thread group has no more bits than that."),
        ("in_data", "Bits 12:8 of a message to the gateway mean nothing."),
        ("ra", "Without named barriers no more than an id is taken from this register here."),
        ("rb", "Without named barriers and mbarriers no more than an id is taken from this register here."),
        ("of_row", "Warps are marked in rows of four, so there are fewer rows than warps."),
        ("queue_head", "A CTA has warps beyond the lowest 32 only where there are any."),
        ("fours", "There are fewer fours than warps, and the first of them is taken where no other is."),
        ("cta_warps_wide*", "With less than four warps a row of them is not full."),
        ("cta_warps", "The lowest warp of four is the last one where no other is."),
        ("pushed", "With less than four warps a row of them is not full."),
        ("column", "With less than four warps a row of them is not full."),
        ("given_warps", "Of a count in warps it is asked whether it is 0 in the bits that a number of warps has."),
        ("summed_warps", "A sum of what lanes say is that of the warps that there are."),
        ("product", "Of the product with a reciprocal only the whole part is taken."),
        ("groups", "Without checks a count is cut to the bits of a number of warps."),
        ("data", "Without state words nobody looks at most of them."),
        ("word_value", "Without state words nobody looks at most of them."),
        ("ram_read_value", "Of a row no more is read than the parts that are built look at."),
        ("led", "With less than four lanes a four of them is not full."),
        ("digits", "Four votes make a digit of three bits at most."),
        ("ctrl_tag", "The lowest bits of a tag are the number of its entry."),
        ("asked_address", "Without checks nobody asks whether an address is aligned and inside shared memory."),
        ("count", "A batch is counted by its upper bits."),
        ("expected", "Whether a number is 1 more is asked of its upper bits."),
        ("tx", "Whether a number is 1 more is asked of its upper bits."),
        ("pending", "Whether a number is 1 more is asked of its upper bits."),
    ];
    let whole = [
        ("in_mbarrier", NOTHING_OF_MBARRIERS),
        ("in_number", NOTHING_OF_MBARRIERS),
        ("in_phase", NOTHING_OF_MBARRIERS),
        ("in_cluster", NOTHING_OF_MBARRIERS),
        ("in_all_live_lanes", NOTHING_OF_MBARRIERS),
        ("launch_cluster", "Without clusters no place in one is looked at."),
        ("launch_rank", "Without clusters no place in one is looked at."),
        ("launch_size", "Without clusters no place in one is looked at."),
        ("op_cluster", "Without clusters and checks a rank means nothing."),
        ("trapped", "Without state words nobody reads who is trapped."),
        ("instr_predicate", "Without reductions no lane votes."),
        ("op_redop", "Without reductions none is chosen."),
        ("op_value", "Without reductions nothing is contributed."),
        ("op_uniform", "Without checks lanes may differ."),
        ("multiple", "With few lanes one cycle is enough for their number."),
        ("from_*_rank", "The hub counts the CTAs of a cluster; ranks are for who listens on the links."),
    ];
    let bits = waived.map(|(signal, reason)| ("Bits of signal are", signal, reason));
    let mut text = format!("// SPDX-License-Identifier: {LICENCE}\n// {}\n`verilator_config\n", generated());
    for (what, signal, reason) in bits.into_iter().chain(whole.map(|(signal, reason)| ("Signal is", signal, reason))) {
        text +=
            &format!("// {reason}\nlint_off -rule UNUSEDSIGNAL -file \"*bcu*.v\" -match \"{what} not used: '{signal}'*\"\n");
    }
    text
}
