// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `cluster`: operations in every state of their warp, the causes and releases of phase ends, and the messages to the hub
//! with their timing.

use super::points::{CoverageError, Points};
use super::ports::{code, View};
use bcu_isa::config::Config;
use bcu_isa::op::FaultCode;
use bcu_model::cluster_ports::{ClusterIn, HubKind};
use bcu_model::{Clocked, Cluster as Unit, Sizes};

const STATES: [&str; 3] = ["not arrived", "arrived", "passed"];
const KINDS: [&str; 2] = ["Arrive", "Wait"];
const PHASE_ENDS: [&str; 2] = ["by the hub", "alone"];
const MESSAGES: [&str; 4] = ["Present", "Arrived", "Gone", "GoneOdd"];
const ONE_SLOT: &str = "the configuration has one CTA slot";

pub fn list(config: &Config, points: &mut Points) {
    let one_slot = (config.cta_slots == 1).then_some(ONE_SLOT);
    let unchecked = (!config.faults).then_some("nothing is checked");
    for kind in KINDS {
        STATES.iter().for_each(|state| points.list(format!("{kind}: {state}"), None));
    }
    FaultCode::ALL[1..].iter().for_each(|fault| points.list(format!("fault: {}", fault.name()), unchecked));
    ["fault: waits", "fault: an operation waits for it"].iter().for_each(|point| points.list(*point, unchecked));
    points.list_astray(config, "slot that is not built: launch");
    for end in PHASE_ENDS {
        for waiters in ["all wait", "none waits", "some wait"] {
            points.list(format!("phase over, {end}: {waiters}"), None);
        }
        points.list(format!("phase over, {end}: a Wait in the same cycle"), None);
        points.list(format!("phase over, {end}: a warp is not live any more"), None);
        points.list(format!("full by an exit, {end}"), None);
    }
    points.list("phase over: two CTAs of one cluster", one_slot);
    points.list("Complete: a slot was of an older cluster of this number", one_slot);
    points.list_all(&[
        "Closed: of a CTA here",
        "Closed: of none here",
        "Closed: a slot was of an older cluster of this number",
    ]);
    for message in MESSAGES {
        points.list(format!("{message}: at once"), None);
        points.list(format!("{message}: while another is offered"), None);
        points.list(format!("{message}: another slot has the turn"), one_slot);
    }
    points.list_all(&["Gone: in place of Arrived", "launch: of a size of 0 or 1", "launch: joined", "launch: no live warp"]);
    points.list_all(&["retired: a warp waits", "retired: a warp has arrived", "retired: a warp has passed"]);
}

/// Counts points of operations and faults.
fn operations(unit: &Unit, inputs: &ClusterIn, points: &mut Points) {
    let out = unit.outputs();
    points.cover_if(out.fault_valid && !inputs.fault_ready, "fault: waits");
    points.cover_if(inputs.op.is_some() && !out.op_ready, "fault: an operation waits for it");
    if out.fault_valid && inputs.fault_ready {
        points.cover(&format!("fault: {}", code(out.fault.code.value())));
    }
    let Some(op) = inputs.op.filter(|_| out.op_ready) else { return };
    let has = |set: u64| usize::from(set >> op.warp & 1 == 1);
    let state = if has(unit.arrived) == 1 { 1 } else { 2 * has(unit.passed) };
    points.cover(&format!("{}: {}", KINDS[op.kind.value() as usize], STATES[state]));
}

/// Counts points of phase ends.
fn phases(unit: &Unit, inputs: &ClusterIn, points: &mut Points) {
    let completed = unit.completed();
    let slots = || (0..unit.members.len()).filter(|slot| completed >> slot & 1 == 1);
    points.cover_if(unit.phase_over.count_ones() > 1, "phase over: two CTAs of one cluster");
    for slot in slots() {
        let end = PHASE_ENDS[usize::from(unit.phase_over >> slot & 1 == 0)];
        let warps = unit.arrived & inputs.warp_cta.warps_of_slot(slot as u8);
        let waits = warps & unit.waits;
        let waiters = match waits {
            0 => "none waits",
            waits if waits == warps => "all wait",
            _ => "some wait",
        };
        points.cover_if(warps != 0, &format!("phase over, {end}: {waiters}"));
        points.cover_if(warps & !inputs.live != 0, &format!("phase over, {end}: a warp is not live any more"));
        let wait_arrives = inputs.op.filter(|_| unit.outputs().op_ready);
        let wait_arrives = wait_arrives.is_some_and(|op| op.kind.value() == 1 && warps & !unit.waits & 1 << op.warp != 0);
        points.cover_if(wait_arrives, &format!("phase over, {end}: a Wait in the same cycle"));
    }
}

/// Counts points of messages between the unit and the hub.
fn messages(unit: &Unit, inputs: &ClusterIn, points: &mut Points) {
    let out = unit.outputs();
    let turn = unit.turn(inputs.ended).filter(|_| !out.cluster_out_valid).map(|(slot, _)| slot);
    for (slot, member) in unit.members.iter().enumerate() {
        let Some(kind) = unit.message(slot, inputs.ended) else { continue };
        let when = match turn {
            None => "while another is offered",
            Some(has) if has == slot => "at once",
            Some(_) => "another slot has the turn",
        };
        points.cover(&format!("{}: {when}", MESSAGES[kind.value() as usize]));
        let arrived = !member.arrived_sent && unit.full >> slot & 1 == 1;
        points.cover_if(kind.is_gone() && turn == Some(slot) && arrived, "Gone: in place of Arrived");
    }
    let Some((kind, cluster)) = inputs.cluster_in else { return };
    let members_of = |joined: bool| unit.members.iter().filter(move |m| m.place.cluster == cluster && m.joined == joined);
    let (has_joined, older) = (members_of(true).count() > 0, members_of(false).any(|m| m.gone_sent));
    if kind == HubKind::Closed {
        points.cover_if(members_of(true).any(|m| m.gone_sent), "Closed: of a CTA here");
        points.cover_if(!has_joined, "Closed: of none here");
        points.cover_if(older, "Closed: a slot was of an older cluster of this number");
    } else {
        points.cover_if(has_joined && older, "Complete: a slot was of an older cluster of this number");
    }
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
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
                points.cover_if(inputs.live & inputs.warp_cta.warps_of_slot(slot) == 0, "launch: no live warp");
            }
            for (slot, member) in unit.members.iter().enumerate() {
                let warps = inputs.warp_cta.warps_of_slot(slot as u8);
                let leaves = live & !inputs.live & warps;
                let staying_warps = inputs.live & warps;
                let end = PHASE_ENDS[usize::from(!member.joined)];
                let full = staying_warps != 0 && staying_warps & !unit.arrived == 0 && leaves & !unit.arrived != 0;
                points.cover_if(full, &format!("full by an exit, {end}"));
                points.cover_if(leaves & unit.waits != 0, "retired: a warp waits");
                points.cover_if(leaves != 0 && staying_warps == 0 && leaves & unit.arrived != 0, "retired: a warp has arrived");
                points.cover_if(leaves != 0 && staying_warps == 0 && leaves & unit.passed != 0, "retired: a warp has passed");
            }
            launched = inputs.launch.map(|launch| launch.cta).filter(|cta| usize::from(*cta) < config.cta_slots);
            if let Some(launch) = &inputs.launch {
                points.cover_if(launched.is_none(), "slot that is not built: launch");
                let size = if launch.size > 1 { "launch: joined" } else { "launch: of a size of 0 or 1" };
                points.cover(size);
            }
            live = inputs.live;
        }
        unit.clock(&inputs);
    }
    Ok(())
}
