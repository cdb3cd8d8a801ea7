// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `cluster_hub`: messages that meet, what ends a phase and a cluster, and what waits for its turn.

use super::ports::View;
use super::{CoverageError, Points};
use bcu_hw::config::Config;
use bcu_sim::model::cluster_hub::{ClusterHubIn, Slot};
use bcu_sim::model::cluster_ports::{ClusterMessage, ClusterMessageKind};
use bcu_sim::model::{Clocked, ClusterHub as Unit, Sizes};

const KINDS: [&str; 3] = ["Present", "Arrived", "Gone"];

pub fn list(_: &Config, points: &mut Points) {
    points.list_all(&KINDS);
    for (at, one) in KINDS.iter().enumerate() {
        for other in &KINDS[at..] {
            points.list(format!("{one} and {other} of one slot"), None);
        }
    }
    points.list_all(&["messages of two slots", "a cluster of 16"]);
    points.list_all(&[
        "complete: all have arrived",
        "complete: some are gone",
        "complete: by a Gone",
        "complete: one has arrived",
    ]);
    points.list_all(&["complete: a rank goes in this cycle", "complete: the last that has arrived goes in this cycle"]);
    points.list_all(&["complete due: waits", "complete due: a rank goes meanwhile", "complete due: closed is due as well"]);
    points.list_all(&["Complete to all", "Complete to some", "closed due: waits", "closed due: alone"]);
    points.list_all(&["a slot is named again"]);
}

/// Counts what happens to a slot.
fn slot(before: &Slot, came: &[ClusterMessage], turn: bool, sms: usize, points: &mut Points) {
    let ranks_of = |kind| came.iter().filter(|m| m.kind == kind).fold(0u16, |set, m| set | 1 << m.rank);
    let goes = ranks_of(ClusterMessageKind::Gone);
    if before.arrived != 0 && before.ranks & !(before.arrived | before.gone) == 0 {
        let all = before.ranks & !before.arrived == 0;
        points.hit(if all { "complete: all have arrived" } else { "complete: some are gone" });
        points.hit_if(before.arrived.count_ones() == 1, "complete: one has arrived");
        points.hit_if(goes != 0, "complete: a rank goes in this cycle");
        points.hit_if(before.arrived & !goes == 0, "complete: the last that has arrived goes in this cycle");
    }
    let missing = before.ranks & !(before.arrived | before.gone);
    let arrives = ranks_of(ClusterMessageKind::Arrived);
    let ends = missing & goes != 0 && missing & !goes & !arrives == 0 && before.arrived & !goes != 0;
    points.hit_if(ends && arrives == 0, "complete: by a Gone");
    if before.complete_due {
        points.hit_if(!turn, "complete due: waits");
        points.hit_if(goes != 0, "complete due: a rank goes meanwhile");
        points.hit_if(before.closed_due, "complete due: closed is due as well");
        let all = before.members.count_ones() as usize == sms;
        points.hit_if(turn, if all { "Complete to all" } else { "Complete to some" });
    } else if before.closed_due {
        points.hit_if(!turn, "closed due: waits");
        points.hit_if(turn, "closed due: alone");
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
        let mine: Vec<_> = came.iter().copied().filter(|message| usize::from(message.cluster) == number).collect();
        slot(state, &mine, turn == Some(number), inputs.from.len(), points);
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
            if let Some(number) = unit.turn().filter(|number| !unit.slots[*number].complete_due) {
                closed |= 1 << number;
            }
        }
        unit.clock(&inputs);
    }
    Ok(())
}
