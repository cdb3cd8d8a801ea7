// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `cluster_hub`: simultaneous messages, the causes of the end of a phase and of a cluster, and waits for a turn.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::cluster_hub::{ClusterHubIn, Slot};
use bcu_model::cluster_ports::{ClusterMessage, ClusterMessageKind, HubKind};
use bcu_model::{Clocked, ClusterHub as Unit, Sizes};

const KINDS: [&str; 4] = ["Present", "Arrived", "Gone", "GoneOdd"];

pub fn list(_: &Config, points: &mut Points) {
    points.list_all(&KINDS);
    for (at, first) in KINDS.iter().enumerate() {
        for second in &KINDS[at..] {
            points.list(format!("{first} and {second} of one slot"), None);
        }
    }
    points.list_all(&["messages of two slots", "a cluster of 16"]);
    points.list_all(&["the last: an Arrived", "the last: a Gone", "the last: several at once", "the last: of the live CTAs"]);
    points.list_all(&["Gone: counts for the phase", "Gone: has arrived"]);
    points.list_all(&["next phase: a rank ends in this cycle", "next phase: no rank is left"]);
    points.list_all(&["due: waits", "due: a rank ends meanwhile", "due: the last live rank ends meanwhile"]);
    points.list_all(&["Complete to all", "Complete to some", "Closed to all", "Closed to some"]);
    points.list_all(&["a slot is named again"]);
}

/// Counts the points of one cluster slot.
fn slot(
    before: &Slot,
    messages: &[(usize, ClusterMessage)],
    turn: bool,
    goes_out: Option<HubKind>,
    sms: usize,
    points: &mut Points,
) {
    let opens = goes_out == Some(HubKind::Complete);
    let (from, less) = before.counted(messages, goes_out);
    let gone_count = messages.iter().filter(|(_, message)| message.kind.is_gone()).count();
    let last = from == less;
    if opens {
        points.cover_if(gone_count != 0, "next phase: a rank ends in this cycle");
        points.cover_if(last, "next phase: no rank is left");
    } else if last && less != 0 {
        points.cover(if gone_count == 0 { "the last: an Arrived" } else { "the last: a Gone" });
        points.cover_if(less > 1, "the last: several at once");
        points.cover_if(usize::from(before.living) == gone_count, "the last: of the live CTAs");
    }
    if !opens && gone_count != 0 {
        let arrived = messages
            .iter()
            .any(|(_, message)| message.kind.is_gone() && (message.kind == ClusterMessageKind::GoneOdd) != before.odd);
        points.cover(if arrived { "Gone: has arrived" } else { "Gone: counts for the phase" });
    }
    if before.due {
        points.cover_if(!turn, "due: waits");
        points.cover_if(gone_count != 0, "due: a rank ends meanwhile");
        points.cover_if(gone_count != 0 && usize::from(before.living) == gone_count, "due: the last live rank ends meanwhile");
    }
    let reaches_all = before.members.count_ones() as usize == sms;
    match goes_out {
        Some(HubKind::Complete) => points.cover(if reaches_all { "Complete to all" } else { "Complete to some" }),
        Some(HubKind::Closed) => points.cover(if reaches_all { "Closed to all" } else { "Closed to some" }),
        None => {}
    }
}

fn cycle(unit: &Unit, inputs: &ClusterHubIn, points: &mut Points) {
    let messages: Vec<ClusterMessage> = inputs.from.iter().flatten().copied().collect();
    for (at, first) in messages.iter().enumerate() {
        points.cover(KINDS[first.kind.value() as usize]);
        points.cover_if(first.kind == ClusterMessageKind::Present && first.size == 16, "a cluster of 16");
        for second in &messages[at + 1..] {
            if first.cluster != second.cluster {
                points.cover("messages of two slots");
                continue;
            }
            let mut kinds = [first, second].map(|message| message.kind.value() as usize);
            kinds.sort_unstable();
            points.cover(&format!("{} and {} of one slot", KINDS[kinds[0]], KINDS[kinds[1]]));
        }
    }
    let turn = unit.turn();
    for (number, state) in unit.slots.iter().enumerate() {
        let messages = inputs.from.iter().enumerate().filter_map(|(sm, from)| Some((sm, (*from)?)));
        let mine: Vec<_> = messages.filter(|(_, message)| usize::from(message.cluster) == number).collect();
        let goes_out = unit.goes_out.filter(|(of, _)| *of == number).map(|(_, kind)| kind);
        slot(state, &mine, turn == Some(number), goes_out, inputs.from.len(), points);
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut unit = Unit::new(sizes);
    let mut closed = 0u64;
    for at in 0..view.length() {
        let inputs = view.inputs::<Unit>(&sizes, at);
        if inputs.reset {
            closed = 0;
        } else {
            cycle(&unit, &inputs, points);
            let again =
                |message: &ClusterMessage| message.kind == ClusterMessageKind::Present && closed >> message.cluster & 1 == 1;
            points.cover_if(inputs.from.iter().flatten().any(again), "a slot is named again");
            if let Some((number, HubKind::Closed)) = unit.goes_out {
                closed |= 1 << number;
            }
        }
        unit.clock(&inputs);
    }
    Ok(())
}
