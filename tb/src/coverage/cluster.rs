// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `cluster`: operations in every state of their warp, the causes and releases of phase ends, and the messages to the hub
//! with their timing.

use super::points::{points, term, CoverageError, Points, Reach, Term};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::cluster_ports::{ClusterIn, ClusterKind, ClusterMessageKind, HubKind};
use bcu_model::{Clocked, Cluster as Unit, Sizes};

impl Term for ClusterKind {
    fn all() -> Vec<Self> {
        ClusterKind::ALL.to_vec()
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

impl Term for ClusterMessageKind {
    fn all() -> Vec<Self> {
        ClusterMessageKind::ALL.to_vec()
    }

    fn text(self) -> String {
        format!("{self:?}")
    }
}

term! {
    /// The state of a warp at the barrier of its cluster. `Passed`: the last phase in which the warp arrived is over, and the warp has not
    /// waited since.
    pub enum WarpState {
        NotArrived = "not arrived",
        Arrived = "arrived",
        Passed = "passed",
    }
}

term! {
    /// What ends a phase: a message of the hub or, for a CTA without a cluster, the unit itself.
    pub enum PhaseEnd {
        ByHub = "by the hub",
        Alone = "alone",
    }
}

term! {
    /// How many warps of a CTA wait at the end of a phase.
    pub enum Waiters {
        All = "all wait",
        None = "none waits",
        Some = "some wait",
    }
}

term! {
    /// When the unit offers a message that a CTA has for the hub.
    pub enum Offer {
        AtOnce = "at once",
        AfterAnother = "while another is offered",
        AfterAnotherSlot = "another slot has the turn",
    }
}

points! {
    pub enum Point {
        /// An operation of this kind is accepted while its warp is in this state.
        Operation(kind: ClusterKind, state: WarpState) = "{kind}: {state}",
        /// A fault with this code is reported.
        Fault(fault: FaultCode) = "fault: {fault}",
        /// A fault is offered and not accepted in this cycle.
        FaultWaits = "fault: waits",
        /// An operation is offered and not accepted, because a fault is offered.
        FaultHoldsOperation = "fault: an operation waits for it",
        /// A CTA is launched into a CTA slot number that does not exist in this configuration.
        LaunchIntoUnbuiltSlot = "slot that is not built: launch",
        /// The hub or, for a CTA without a cluster, the unit alone ends a phase of a CTA, and this many of the arrived warps wait.
        PhaseOver(end: PhaseEnd, waiters: Waiters) = "phase over, {end}: {waiters}",
        /// The hub or, for a CTA without a cluster, the unit alone ends a phase of a CTA, and a warp sends its wait in the same cycle.
        PhaseOverWithWait(end: PhaseEnd) = "phase over, {end}: a Wait in the same cycle",
        /// The hub or, for a CTA without a cluster, the unit alone ends a phase of a CTA, and a warp that has arrived is not live any more.
        PhaseOverNotLive(end: PhaseEnd) = "phase over, {end}: a warp is not live any more",
        /// The exit of a warp that has not arrived leaves only arrived warps in its CTA. The hub or, for a CTA without a cluster, the unit
        /// alone ends the phases of this CTA.
        FullByExit(end: PhaseEnd) = "full by an exit, {end}",
        /// The hub ends a phase of a cluster of which several CTAs are on this multiprocessor.
        PhaseOverTwoCtas = "phase over: two CTAs of one cluster",
        /// The hub ends a phase of a cluster while another CTA slot was last used by an ended CTA of an older cluster with the same number.
        CompleteOfReusedNumber = "Complete: a slot was of an older cluster of this number",
        /// The hub closes a cluster that has an ended CTA in a CTA slot of this multiprocessor.
        ClosedHere = "Closed: of a CTA here",
        /// The hub closes a cluster that has no CTA on this multiprocessor.
        ClosedNotHere = "Closed: of none here",
        /// The hub closes a cluster while a CTA slot was last used by an ended CTA of an older cluster with the same number.
        ClosedOfReusedNumber = "Closed: a slot was of an older cluster of this number",
        /// A CTA has a message of this kind for the hub. The message is offered at once, or waits for a message or the turn of another CTA.
        Message(message: ClusterMessageKind, offer: Offer) = "{message}: {offer}",
        /// The end of a CTA is reported to the hub in place of its arrival, which was not reported before.
        GoneInsteadOfArrived = "Gone: in place of Arrived",
        /// A CTA is launched with a cluster size of 0 or 1, so it has no cluster.
        LaunchAlone = "launch: of a size of 0 or 1",
        /// A CTA is launched into a cluster of several CTAs.
        LaunchJoined = "launch: joined",
        /// A CTA is launched, and none of its warps is live in the next cycle.
        LaunchNoLiveWarp = "launch: no live warp",
        /// A warp that waits ceases to be live.
        RetiredWaiting = "retired: a warp waits",
        /// The last live warps of a CTA cease to be live, and one of them has arrived in the open phase.
        RetiredArrived = "retired: a warp has arrived",
        /// The last live warps of a CTA cease to be live, and one of them has not waited since its last phase was over.
        RetiredPassed = "retired: a warp has passed",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Fault(_) | Point::FaultWaits | Point::FaultHoldsOperation => {
            Reach::unless((!config.faults).then_some("nothing is checked"))
        }
        Point::LaunchIntoUnbuiltSlot => Reach::of_unbuilt_slot(config),
        Point::PhaseOverTwoCtas | Point::CompleteOfReusedNumber | Point::Message(_, Offer::AfterAnotherSlot) => {
            Reach::unless((config.cta_slots == 1).then_some("the configuration has one CTA slot"))
        }
        _ => Reach::Reachable,
    }
}

/// Counts points of operations and faults.
fn operations(unit: &Unit, inputs: &ClusterIn, points: &mut Points<Point>) {
    let out = unit.outputs();
    points.cover_if(out.fault_valid && !inputs.fault_ready, Point::FaultWaits);
    points.cover_if(inputs.op.is_some() && !out.op_ready, Point::FaultHoldsOperation);
    if out.fault_valid && inputs.fault_ready {
        let code = FaultCode::from_u64(out.fault.code.value());
        points.cover_if(code != FaultCode::None, Point::Fault(code));
    }
    let Some(op) = inputs.op.filter(|_| out.op_ready) else { return };
    let has = |set: u64| set >> op.warp & 1 == 1;
    let state = match (has(unit.arrived), has(unit.passed)) {
        (true, _) => WarpState::Arrived,
        (_, true) => WarpState::Passed,
        _ => WarpState::NotArrived,
    };
    points.cover(Point::Operation(op.kind, state));
}

/// Counts points of phase ends.
fn phases(unit: &Unit, inputs: &ClusterIn, points: &mut Points<Point>) {
    let completed = unit.completed();
    let slots = || (0..unit.members.len()).filter(|slot| completed >> slot & 1 == 1);
    points.cover_if(unit.phase_over.count_ones() > 1, Point::PhaseOverTwoCtas);
    for slot in slots() {
        let end = if unit.phase_over >> slot & 1 == 1 { PhaseEnd::ByHub } else { PhaseEnd::Alone };
        let warps = unit.arrived & inputs.warp_cta.warps_of_slot(slot as u8);
        let waits = warps & unit.waits;
        let waiters = match waits {
            0 => Waiters::None,
            waits if waits == warps => Waiters::All,
            _ => Waiters::Some,
        };
        points.cover_if(warps != 0, Point::PhaseOver(end, waiters));
        points.cover_if(warps & !inputs.live != 0, Point::PhaseOverNotLive(end));
        let wait_arrives = inputs.op.filter(|_| unit.outputs().op_ready);
        let wait_arrives =
            wait_arrives.is_some_and(|op| op.kind == ClusterKind::Wait && warps & !unit.waits & 1 << op.warp != 0);
        points.cover_if(wait_arrives, Point::PhaseOverWithWait(end));
    }
}

/// Counts points of messages between the unit and the hub.
fn messages(unit: &Unit, inputs: &ClusterIn, points: &mut Points<Point>) {
    let out = unit.outputs();
    let turn = unit.turn(inputs.ended).filter(|_| !out.cluster_out_valid).map(|(slot, _)| slot);
    for (slot, member) in unit.members.iter().enumerate() {
        let Some(kind) = unit.message(slot, inputs.ended) else { continue };
        let offer = match turn {
            None => Offer::AfterAnother,
            Some(has) if has == slot => Offer::AtOnce,
            Some(_) => Offer::AfterAnotherSlot,
        };
        points.cover(Point::Message(kind, offer));
        let arrived = !member.arrived_sent && unit.full >> slot & 1 == 1;
        points.cover_if(kind.is_gone() && turn == Some(slot) && arrived, Point::GoneInsteadOfArrived);
    }
    let Some((kind, cluster)) = inputs.cluster_in else { return };
    let members_of = |joined: bool| unit.members.iter().filter(move |m| m.place.cluster == cluster && m.joined == joined);
    let (has_joined, older) = (members_of(true).count() > 0, members_of(false).any(|m| m.gone_sent));
    if kind == HubKind::Closed {
        points.cover_if(members_of(true).any(|m| m.gone_sent), Point::ClosedHere);
        points.cover_if(!has_joined, Point::ClosedNotHere);
        points.cover_if(older, Point::ClosedOfReusedNumber);
    } else {
        points.cover_if(has_joined && older, Point::CompleteOfReusedNumber);
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let mut unit = Unit::new(sizes);
    let mut live = 0;
    let mut launched = None;
    for cycle in 0..view.length() {
        let inputs = view.inputs::<Unit>(&sizes, cycle);
        if !inputs.reset {
            operations(&unit, &inputs, points);
            phases(&unit, &inputs, points);
            messages(&unit, &inputs, points);
            if let Some(slot) = launched {
                points.cover_if(inputs.live & inputs.warp_cta.warps_of_slot(slot) == 0, Point::LaunchNoLiveWarp);
            }
            for (slot, member) in unit.members.iter().enumerate() {
                let warps = inputs.warp_cta.warps_of_slot(slot as u8);
                let leaves = live & !inputs.live & warps;
                let staying_warps = inputs.live & warps;
                let end = if member.joined { PhaseEnd::ByHub } else { PhaseEnd::Alone };
                let full = staying_warps != 0 && staying_warps & !unit.arrived == 0 && leaves & !unit.arrived != 0;
                points.cover_if(full, Point::FullByExit(end));
                points.cover_if(leaves & unit.waits != 0, Point::RetiredWaiting);
                points.cover_if(leaves != 0 && staying_warps == 0 && leaves & unit.arrived != 0, Point::RetiredArrived);
                points.cover_if(leaves != 0 && staying_warps == 0 && leaves & unit.passed != 0, Point::RetiredPassed);
            }
            launched = inputs.launch.map(|launch| launch.cta).filter(|cta| usize::from(*cta) < config.cta_slots);
            if let Some(launch) = &inputs.launch {
                points.cover_if(launched.is_none(), Point::LaunchIntoUnbuiltSlot);
                points.cover(if launch.size > 1 { Point::LaunchJoined } else { Point::LaunchAlone });
            }
            live = inputs.live;
        }
        unit.clock(&inputs);
    }
    Ok(())
}
