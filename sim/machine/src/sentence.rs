// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults and locations as text.

mod gateway;
mod object;
pub mod place;
pub(super) mod waits;

use super::record::Row;
use super::report::arrival::ArrivalForm;
use super::report::{Arrival, Reduction, Stop};
use bcu_model::op::{Code, Operation};
use bcu_model::row::Row as Counted;
use bcu_program::Place;
pub(super) use gateway::role;
pub(super) use gateway::{at_gateway, group_left_open, no_named_barrier, used_again};
pub(crate) use gateway::{numbers, signalled, too_few};
pub(super) use object::object;
pub(crate) use object::{counted, object_arrival, state};
pub use place::lanes;
pub(super) use place::place;
use place::{count, count_text};
use std::collections::BTreeSet;

pub(super) fn partial(executing: u64) -> String {
    format!("an aligned barrier is executed by only {} of the warp, although other lanes have not exited", lanes(executing))
}

pub(super) fn mismatch(executing: u64) -> String {
    format!(
        "{} of the warp give other operands than the lanes that already wait, or the lane masks do not agree",
        lanes(executing)
    )
}

pub(super) fn illegal(at: &Place) -> String {
    format!("`{}` is not an instruction that this unit executes; it had no effect", at.text)
}

/// Why an arrival or a wait of warp `warp` at the barrier of its cluster was refused.
pub(super) fn at_cluster(code: Code, warp: usize) -> String {
    match code {
        Code::ClusterDoubleArrival => {
            format!("warp {warp} arrives at the barrier of its cluster again without having waited since its last arrival")
        }
        _ => format!("warp {warp} waits at the barrier of its cluster without having arrived there"),
    }
}

/// Why the arrival of `warp` at a barrier was refused. `launched` is the number of warps of its
/// CTA, `counted` is the state of the barrier in the unit, and `row` has the recorded arrivals.
pub(super) fn arrival(
    code: Code,
    op: &Operation,
    launched: u32,
    lanes: u32,
    (counted, row): (&Counted, &Row),
    warp: usize,
) -> String {
    let count = op.count;
    match code {
        Code::CountZeroArrive => {
            "an arrival that does not wait needs a count; without one its participants are undefined".to_string()
        }
        Code::CountNotWarpMultiple => format!("the count of {count} threads is not a multiple of the {lanes} lanes of a warp"),
        Code::CountExceedsCta => {
            let cta_threads = launched * lanes;
            format!("the count of {count} threads exceeds the CTA's {launched} warps ({cta_threads} threads): the barrier could never complete")
        }
        Code::DoubleArrival => {
            let first =
                row.arrivals.iter().find(|a| a.warp == warp).map_or(String::new(), |a| format!(" ({})", place(&a.place)));
            format!("warp {warp} has already arrived at barrier {} in generation {}{first}", op.id, row.completed + 1)
        }
        Code::KindMismatch => {
            let first = row.arrivals.first().map_or(String::new(), |a| format!(" of warp {} ({})", a.warp, place(&a.place)));
            let kind =
                |reduction: Option<Reduction>| reduction.map_or("no reduction".to_string(), |r| format!("the reduction {r}"));
            let given = (kind(Reduction::from_op(op.reduction())), kind(Reduction::from_op(counted.reduction)));
            format!("warp {warp} requests {} at barrier {}, but the first arrival{first} requested {}", given.0, op.id, given.1)
        }
        _ => {
            let first = row.arrivals.first().map_or(String::new(), |a| format!(" of warp {} ({})", a.warp, place(&a.place)));
            let given = (count_text(count.into()), count_text(counted.expected * lanes));
            format!("warp {warp} gives {} for barrier {}, but the first arrival{first} gave {}", given.0, op.id, given.1)
        }
    }
}

pub(super) fn left_open(id: u8, row: &Counted, arrivals: &[Arrival], lanes: u32) -> String {
    let arrived: Vec<String> = arrivals.iter().map(|a| format!("warp {} ({})", a.warp, place(&a.place))).collect();
    let of = if row.expected == 0 { "all warps".to_string() } else { count(row.expected * lanes, lanes) };
    format!("the CTA ended with barrier {id} open: of {of} only {} arrived", arrived.join(", "))
}

/// Text with the waiting warps of each barrier, such as `; warp 3 waits at barrier 0, warps 0, 2 wait at barrier 1`.
pub(super) fn waiting(waiting: &[(usize, u8)]) -> String {
    let ids: BTreeSet<u8> = waiting.iter().map(|(_, id)| *id).collect();
    let at = |id: u8| {
        let warps: Vec<String> = waiting.iter().filter(|(_, of)| *of == id).map(|(warp, _)| warp.to_string()).collect();
        let (who, wait) = if warps.len() == 1 { ("warp", "waits") } else { ("warps", "wait") };
        format!("{who} {} {wait} at barrier {id}", warps.join(", "))
    };
    let all: Vec<String> = ids.into_iter().map(at).collect();
    if all.is_empty() {
        String::new()
    } else {
        format!("; {}", all.join(", "))
    }
}

pub(super) fn no_barrier(id: u8, declared: u32) -> String {
    match declared {
        0 => format!("barrier {id} does not exist: the CTA declares none"),
        _ => format!("barrier {id} does not exist: the CTA declares {declared}, ids 0 to {}", declared - 1),
    }
}

pub(super) fn not_uniform() -> String {
    "the executing lanes have different values in an operand register; expected one value per warp".to_string()
}

pub(super) fn no_result(warp: usize) -> String {
    format!("warp {warp} has not taken part in a reduction of its CTA, so there is no result to read")
}

pub(super) fn bad_word(word: u32, why: &str) -> String {
    format!("{word:#010x} is not a state word that can be written here: {why}")
}

/// The state of a stopped warp, as text that follows the name of the warp.
pub(super) fn stopped(stop: Stop) -> &'static str {
    match stop {
        Stop::Trapped => "is trapped",
        Stop::Hangs => "hangs",
    }
}

/// Text such as `the cluster of CTAs 0, 1, 2`.
pub(crate) fn cluster(ctas: &[usize]) -> String {
    let ctas: Vec<String> = ctas.iter().map(ToString::to_string).collect();
    format!("the cluster of {} {}", if ctas.len() == 1 { "CTA" } else { "CTAs" }, ctas.join(", "))
}

/// Text such as `CTA 5 (rank 1, multiprocessor 0)`.
pub(crate) fn member(cta: usize, rank: usize, multiprocessor: Option<usize>) -> String {
    let on = multiprocessor.map_or(String::new(), |number| format!(", multiprocessor {number}"));
    format!("CTA {cta} (rank {rank}{on})")
}

/// The name of a form, as in the mnemonics: `sync`, `arv` or `red`.
pub(super) fn form(form: ArrivalForm) -> &'static str {
    match form {
        ArrivalForm::Sync => "sync",
        ArrivalForm::Arv => "arv",
        ArrivalForm::Red => "red",
    }
}
