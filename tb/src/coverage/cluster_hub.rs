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
    for (at, one) in KINDS.iter().enumerate() {
        for other in &KINDS[at..] {
            points.list(format!("{one} and {other} of one slot"), None);
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

/// Counts points of one slot.
fn slot(
    before: &Slot,
    came: &[(usize, ClusterMessage)],
    turn: bool,
    goes_out: Option<HubKind>,
    sms: usize,
    points: &mut Points,
) {
    let opens = goes_out == Some(HubKind::Complete);
    let (from, less) = before.counted(came, goes_out);
    let goes = came.iter().filter(|(_, message)| message.kind.is_gone()).count();
    let last = from == less;
    if opens {
        points.hit_if(goes != 0, "next phase: a rank ends in this cycle");
        points.hit_if(last, "next phase: no rank is left");
    } else if last && less != 0 {
        points.hit(if goes == 0 { "the last: an Arrived" } else { "the last: a Gone" });
        points.hit_if(less > 1, "the last: several at once");
        points.hit_if(usize::from(before.living) == goes, "the last: of the live CTAs");
    }
    if !opens && goes != 0 {
        let arrived = came
            .iter()
            .any(|(_, message)| message.kind.is_gone() && (message.kind == ClusterMessageKind::GoneOdd) != before.odd);
        points.hit(if arrived { "Gone: has arrived" } else { "Gone: counts for the phase" });
    }
    if before.due {
        points.hit_if(!turn, "due: waits");
        points.hit_if(goes != 0, "due: a rank ends meanwhile");
        points.hit_if(goes != 0 && usize::from(before.living) == goes, "due: the last live rank ends meanwhile");
    }
    let all = before.members.count_ones() as usize == sms;
    match goes_out {
        Some(HubKind::Complete) => points.hit(if all { "Complete to all" } else { "Complete to some" }),
        Some(HubKind::Closed) => points.hit(if all { "Closed to all" } else { "Closed to some" }),
        None => {}
    }
}

fn cycle(unit: &Unit, inputs: &ClusterHubIn, points: &mut Points) {
    let came: Vec<ClusterMessage> = inputs.from.iter().flatten().copied().collect();
    for (at, one) in came.iter().enumerate() {
        points.hit(KINDS[one.kind.value() as usize]);
        points.hit_if(one.kind == ClusterMessageKind::Present && one.size == 16, "a cluster of 16");
        for other in &came[at + 1..] {
            if one.cluster != other.cluster {
                points.hit("messages of two slots");
                continue;
            }
            let mut kinds = [one, other].map(|message| message.kind.value() as usize);
            kinds.sort_unstable();
            points.hit(&format!("{} and {} of one slot", KINDS[kinds[0]], KINDS[kinds[1]]));
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
            points.hit_if(inputs.from.iter().flatten().any(again), "a slot is named again");
            if let Some((number, HubKind::Closed)) = unit.goes_out {
                closed |= 1 << number;
            }
        }
        unit.clock(&inputs);
    }
    Ok(())
}
