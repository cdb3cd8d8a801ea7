// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why an operation on an mbarrier was refused, as text.

use super::place::lanes as these;
use crate::report::{self, ObjectArrival};
use bcu_model::mbarrier_object::{MbarrierKind, Object};
use bcu_model::mbarrier_state::Done;
use bcu_model::op::Code;
use bcu_program::window::RANK_AT;

/// Why an operation on an mbarrier was refused. `lanes` are the lanes that executed the operation; 0 if the CTA `sender` or, without a
/// sender, a copy engine sent it. `given` is the address with the rank, `size` the number of CTAs of the cluster, and `target` the mbarrier
/// at that address. `state` is the state of this mbarrier as text, empty if there is no mbarrier.
pub(in super::super) fn object(
    (done, sender): (&Done, Option<usize>),
    (lanes, given, size): (u64, u32, usize),
    target: &report::Object,
    state: &str,
) -> String {
    why((done, sender), (lanes, given, size), target) + state
}

/// The reason for each fault code, without the state of the mbarrier.
fn why((done, sender): (&Done, Option<usize>), (lanes, given, size): (u64, u32, usize), object: &report::Object) -> String {
    let Done { address, n, t, .. } = *done;
    let (at, rank) = (&object.named(), given >> RANK_AT);
    let variable = object.name.as_ref().map_or(String::new(), |name| format!(" (`{name}`)"));
    let lane_phrase = match (lanes.count_ones(), sender) {
        (0, Some(cta)) => format!("by CTA {cta}"),
        (0, None) => "by a copy".to_string(),
        (1, _) => format!("by {}", these(lanes)),
        _ => "by one instruction".to_string(),
    };
    let lanes = if lanes.count_ones() > 1 { format!(" ({})", these(lanes)) } else { String::new() };
    match done.fault {
        Code::OperandNotUniform => format!("the lanes of one operation give different mbarriers or different numbers{lanes}"),
        Code::RankOutOfRange if rank as usize >= size => {
            let last = if size == 1 { "it has only rank 0".to_string() } else { format!("its ranks are 0 to {}", size - 1) };
            format!("the address {given:#x} names rank {rank}, which the cluster does not have: {last}")
        }
        Code::RankOutOfRange => format!(
            "the address {given:#x} names another CTA of the cluster, of rank {rank}, which this operation cannot access"
        ),
        Code::WaitRemote => {
            format!("the address {given:#x} names an mbarrier of another CTA, of rank {rank}; only warps of that CTA can wait at it")
        }
        Code::AddressMisaligned => {
            format!("the address {address:#x}{variable} is not a multiple of 8, as required for an mbarrier")
        }
        Code::AddressOutOfRange => format!("the address {address:#x} is outside of the shared memory of a CTA"),
        Code::RankAbsent => format!("{at} is in a CTA that has ended or is not launched yet"),
        Code::MbarrierCount if done.kind == MbarrierKind::AddPending && done.before.is_some() => {
            format!("{} more {lane_phrase} would exceed the maximum of {at}, 1048575", counted(n, "arrival"))
        }
        Code::MbarrierCount if n == 0 => format!("a count of 0 at {at}; expected 1 to 1048575"),
        Code::MbarrierCount => {
            let summed = if lanes.is_empty() { "" } else { ", summed over its lanes" };
            format!("a count of 1048576 or more at {at} {lane_phrase}{summed}; expected 1 to 1048575")
        }
        Code::MbarrierInvalid => invalid(at, done.before),
        Code::MbarrierTxRange => {
            let tx_count = done.before.map_or(0, |before| before.tx);
            let bytes = counted(t, "byte");
            format!("{bytes} {lane_phrase} at {at}, where {tx_count} are outstanding: the number must stay between -1048575 and 1048575")
        }
        Code::MbarrierOverArrival => over(at, done, &lane_phrase) + &lanes,
        Code::MbarrierDropToZero => {
            let expected = done.before.map_or(0, |before| before.expected);
            let (drops, arrivals) = (counted(n, "drop"), counted(expected, "arrival"));
            format!(
                "{drops} {lane_phrase} at {at}, which expects {arrivals} a phase: no expected arrival would be left, and the phase would not complete"
            )
        }
        Code::MbarrierCompletes => format!("an arrival with noComplete {lane_phrase} would complete the phase of {at}"),
        Code::MbarrierExpectLate => {
            format!("bytes are expected {lane_phrase} after all arrivals and all bytes of the phase: nothing would complete this phase of {at}")
        }
        _ => String::new(),
    }
}

/// Text with the name of an mbarrier, its phase, arrivals and bytes.
pub(crate) fn state(object: &report::Object) -> String {
    format!("{} is in {}", object.named(), object.state())
}

pub(crate) fn object_arrival(arrival: &ObjectArrival) -> String {
    let ObjectArrival { cta, warp, arrivals, cycle, place } = arrival;
    let sender = match (cta, warp) {
        (Some(cta), _) => format!("CTA {cta}"),
        (None, Some(warp)) => format!("warp {warp}"),
        (None, None) => "copies".to_string(),
    };
    let place = place.as_ref().map_or(String::new(), |place| format!(" ({})", super::place::place(place)));
    format!("arrived: {sender} with {arrivals}, in cycle {cycle}{place}")
}

/// A number with its noun, such as `1 arrival` or `2 arrivals`.
pub(crate) fn counted(number: u32, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn invalid(at: &str, before: Option<Object>) -> String {
    match before {
        Some(Object { spent: true, .. }) => {
            format!("all participants of {at} have dropped out; since then it accepts only waits")
        }
        Some(before) if before.word() == 0 => format!("{at} is not initialised: the word there is 0"),
        Some(before) => format!(
            "{at} is invalid: the word there is {:#018x}; it was not initialised, or a store has overwritten it",
            before.word()
        ),
        None => format!("{at} is invalid"),
    }
}

fn over(at: &str, done: &Done, source: &str) -> String {
    let (expected, pending) = done.before.map_or((0, 0), |before| (before.expected, before.pending));
    let arrivals = counted(done.n, "arrival");
    match done.n > expected {
        true => format!("{arrivals} {source} at {at}, whose count is {expected}"),
        false => format!("{arrivals} {source} at {at}, where only {pending} of {expected} are pending"),
    }
}
