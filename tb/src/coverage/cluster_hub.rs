// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `cluster_hub`: simultaneous messages, the causes of the end of a phase and of a cluster, and waits for a turn.

use super::points::{points, term, CoverageError, Points, Reach};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::cluster_hub::{ClusterHubIn, Slot};
use bcu_model::cluster_ports::{ClusterMessage, ClusterMessageKind, HubKind};
use bcu_model::{Clocked, ClusterHub as Unit, Sizes};

term! {
    /// The multiprocessors that receive a message of the hub.
    pub enum Receivers {
        All = "all",
        Some = "some",
    }
}

points! {
    pub enum Point {
        /// The hub receives a message of this kind.
        Message(kind: ClusterMessageKind) = "{kind}",
        /// The hub receives messages of these two kinds for one cluster in the same cycle.
        TwoOfOneSlot(first: ClusterMessageKind, second: ClusterMessageKind) = "{first} and {second} of one slot",
        /// The hub receives messages for two clusters in the same cycle.
        TwoSlots = "messages of two slots",
        /// A CTA of a cluster of 16 CTAs reports that it is present.
        ClusterOf16 = "a cluster of 16",
        /// Arrivals leave no CTA of a cluster missing in the open phase, and no CTA of the cluster ends in the same cycle.
        LastByArrived = "the last: an Arrived",
        /// Messages of one cycle leave no CTA of a cluster missing in the open phase, and one of them reports the end of a CTA.
        LastByGone = "the last: a Gone",
        /// Messages of several missing CTAs in one cycle leave no CTA of a cluster missing in the open phase.
        LastSeveral = "the last: several at once",
        /// All remaining CTAs of a cluster end in one cycle, and this leaves no CTA missing in the open phase.
        LastOfLiveCtas = "the last: of the live CTAs",
        /// A CTA ends that has not arrived in the open phase, so that the phase no longer waits for it.
        GoneCounts = "Gone: counts for the phase",
        /// A CTA ends that has arrived in the open phase.
        GoneHasArrived = "Gone: has arrived",
        /// A CTA ends in the cycle in which the next phase of its cluster begins.
        NextPhaseRankEnds = "next phase: a rank ends in this cycle",
        /// A phase of a cluster begins, and all remaining CTAs end in this cycle or have ended before.
        NextPhaseNoRank = "next phase: no rank is left",
        /// A message of the hub about a cluster is due, and another cluster has the turn to send its message.
        DueWaits = "due: waits",
        /// A CTA of a cluster ends while a message of the hub about the cluster is due.
        DueRankEnds = "due: a rank ends meanwhile",
        /// The last remaining CTAs of a cluster end while a message of the hub about the cluster is due.
        DueLastRankEnds = "due: the last live rank ends meanwhile",
        /// The hub reports the end of a phase to the multiprocessors that have CTAs of the cluster, which are all or some of them.
        Complete(receivers: Receivers) = "Complete to {receivers}",
        /// The hub reports the end of a cluster to the multiprocessors that had CTAs of the cluster, which are all or some of them.
        Closed(receivers: Receivers) = "Closed to {receivers}",
        /// A new cluster uses the number of a cluster that has ended.
        NumberReused = "a slot is named again",
    }
}

pub fn reach(_: &Config, point: Point) -> Reach {
    match point {
        // A pair has one name: the kinds are in the order of their values.
        Point::TwoOfOneSlot(first, second) if first.value() > second.value() => Reach::Absent,
        _ => Reach::Reachable,
    }
}

/// Counts the points of one cluster slot.
fn slot(
    before: &Slot,
    messages: &[(usize, ClusterMessage)],
    turn: bool,
    goes_out: Option<HubKind>,
    sms: usize,
    points: &mut Points<Point>,
) {
    let opens = goes_out == Some(HubKind::Complete);
    let (from, less) = before.counted(messages, goes_out);
    let gone_count = messages.iter().filter(|(_, message)| message.kind.is_gone()).count();
    let last = from == less;
    if opens {
        points.cover_if(gone_count != 0, Point::NextPhaseRankEnds);
        points.cover_if(last, Point::NextPhaseNoRank);
    } else if last && less != 0 {
        points.cover(if gone_count == 0 { Point::LastByArrived } else { Point::LastByGone });
        points.cover_if(less > 1, Point::LastSeveral);
        points.cover_if(usize::from(before.living) == gone_count, Point::LastOfLiveCtas);
    }
    if !opens && gone_count != 0 {
        let arrived = messages
            .iter()
            .any(|(_, message)| message.kind.is_gone() && (message.kind == ClusterMessageKind::GoneOdd) != before.odd);
        points.cover(if arrived { Point::GoneHasArrived } else { Point::GoneCounts });
    }
    if before.due {
        points.cover_if(!turn, Point::DueWaits);
        points.cover_if(gone_count != 0, Point::DueRankEnds);
        points.cover_if(gone_count != 0 && usize::from(before.living) == gone_count, Point::DueLastRankEnds);
    }
    let receivers = if before.members.count_ones() as usize == sms { Receivers::All } else { Receivers::Some };
    match goes_out {
        Some(HubKind::Complete) => points.cover(Point::Complete(receivers)),
        Some(HubKind::Closed) => points.cover(Point::Closed(receivers)),
        None => {}
    }
}

fn cycle(unit: &Unit, inputs: &ClusterHubIn, points: &mut Points<Point>) {
    let messages: Vec<ClusterMessage> = inputs.from.iter().flatten().copied().collect();
    for (at, first) in messages.iter().enumerate() {
        points.cover(Point::Message(first.kind));
        points.cover_if(first.kind == ClusterMessageKind::Present && first.size == 16, Point::ClusterOf16);
        for second in &messages[at + 1..] {
            if first.cluster != second.cluster {
                points.cover(Point::TwoSlots);
                continue;
            }
            let mut kinds = [first.kind, second.kind];
            kinds.sort_unstable_by_key(|kind| kind.value());
            points.cover(Point::TwoOfOneSlot(kinds[0], kinds[1]));
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

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
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
            points.cover_if(inputs.from.iter().flatten().any(again), Point::NumberReused);
            if let Some((number, HubKind::Closed)) = unit.goes_out {
                closed |= 1 << number;
            }
        }
        unit.clock(&inputs);
    }
    Ok(())
}
