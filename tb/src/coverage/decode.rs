// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `decode`: the forms of instructions, the operations that they become, and their faults.

use super::bcu_hubs::{NO_CLUSTERS, NO_GRIDS};
use super::points::{CoverageError, Points, NO_GATEWAY, NO_MBARRIERS, NO_NAMED};
use super::ports::{code, hit_form, list_forms, View};
use crate::stimulus::{OF_CLUSTERS, OF_GRIDS};
use bcu_hw::unit::mbarrier::kind::MbarrierKind;
use bcu_isa::config::Config;
use bcu_isa::op::{Form, OpKind};

const KINDS: [OpKind; 13] = [
    OpKind::Sync,
    OpKind::Arrive,
    OpKind::Reduce,
    OpKind::ClusterArrive,
    OpKind::ClusterArriveRelaxed,
    OpKind::ClusterWait,
    OpKind::Read,
    OpKind::Write,
    OpKind::Fence,
    OpKind::Mbarrier,
    OpKind::GridLaunch,
    OpKind::GridWait,
    OpKind::Gateway,
];
/// The first `WITH_FORM` kinds of `KINDS` have a form.
const WITH_FORM: usize = 6;
/// Operation types of legal words.
const TYPES: [u64; 16] = [0x1d, 0xdd, 0x1c, 0xdc, 0x1e, 0xe3, 0xe1, 0xe2, 0xe4, 0xe5, 0xe0, 0xe8, 0xe9, 0xea, 0xeb, 0xec];
/// Forms of an instruction that has no word.
const MEETS: [Form; 2] = [Form::WarpSync, Form::Elect];
/// The values of `op_fault` that `decode` itself produces.
const FAULTS: [u64; 4] = [0, 1, 2, 4];

/// Why operations of `kind` do not occur in this configuration.
fn not_built(config: &Config, kind: OpKind) -> Option<&'static str> {
    match kind {
        OpKind::Mbarrier => (!config.has_mbarrier()).then_some(NO_MBARRIERS),
        OpKind::Gateway => (!config.has_gateway()).then_some(NO_GATEWAY),
        OpKind::Sync | OpKind::Arrive | OpKind::Reduce | OpKind::Read | OpKind::Write => {
            (!config.has_named()).then_some(NO_NAMED)
        }
        kind if OF_CLUSTERS.contains(&kind) => (!config.has_clusters()).then_some(NO_CLUSTERS),
        kind if OF_GRIDS.contains(&kind) => (!config.has_grids()).then_some(NO_GRIDS),
        _ => None,
    }
}

pub fn list(config: &Config, points: &mut Points) {
    let no_mbarriers = (!config.has_mbarrier()).then_some(NO_MBARRIERS);
    let no_named = not_built(config, OpKind::Read);
    list_forms(points);
    for kind in KINDS {
        for fault in FAULTS {
            let unreachable = match (kind, fault) {
                (OpKind::Sync, _) => None,
                (_, 4) => Some("an illegal instruction has kind Sync"),
                _ => not_built(config, kind),
            };
            points.list(format!("operation: {kind:?}, {}", code(fault)), unreachable);
        }
    }
    for kind in MbarrierKind::ALL {
        points.list(format!("mbarrier: {kind:?}"), no_mbarriers);
    }
    let others = [
        "mbarrier: without order",
        "mbarrier: in order",
        "mbarrier: of the cluster",
        "mbarrier: a number too large",
        "mbarrier: phase 0",
        "mbarrier: phase 1",
    ];
    others.iter().for_each(|point| points.list(*point, no_mbarriers));
    for state in ["Warp", "Barrier", "Result"] {
        points.list(format!("operation: read of {state}"), no_named);
    }
    for redop in ["And", "Or", "Popc"] {
        ["no vote", "some votes", "all votes"]
            .iter()
            .for_each(|votes| points.list(format!("reduce: {redop}, {votes}"), no_named));
    }
    for (at, kind) in KINDS[..WITH_FORM].iter().enumerate() {
        let whole = Form::ALL.iter().filter(|form| at == 0 || !MEETS.contains(form));
        let no = |form: &Form| not_built(config, *kind).filter(|_| !MEETS.contains(form));
        whole.for_each(|form| points.list(format!("operation: {kind:?}, form {form:?}"), no(form)));
    }
    points.list("gateway: a signal", not_built(config, OpKind::Gateway));
    points.list("gateway: from a register, lanes differ", not_built(config, OpKind::Gateway));
    points.list_all(&["instruction: a fence in the form of an arrival", "fence: by some of the lanes"]);
    points.list_all(&["instruction: an access in the form of an arrival", "meeting: a word that is illegal elsewhere"]);
    points.list_all(&["op_done, and in_decode again at one edge", "in_decode: two operations"]);
    points.list_all(&["instruction: no executing lane", "instruction: lanes that differ", "instruction: waits"]);
    points.list_all(&["operation: waits", "read or write of a blocked warp"]);
    points.list_all(&[
        "offer: its warp becomes blocked",
        "offer: its warp is no longer blocked",
        "offer: its warp becomes full",
    ]);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let [reset, word, active, guard, uniform] =
        view.places(["reset", "instr_word_0", "instr_active", "instr_guard", "instr_uniform"])?;
    let (instr, op) = (view.places(["instr_valid", "op_ready"])?, view.places(["op_valid", "op_ready"])?);
    let [kind, fault, state, redop] = view.places(["op_kind", "op_fault", "op_state", "op_redop"])?;
    let [lanes, votes, warp, blocked, full] = view.places(["op_lanes", "op_votes", "instr_warp", "blocked", "full"])?;
    let [form, op_form, op_done, in_decode] = view.places(["instr_form", "op_form", "op_done", "in_decode"])?;
    let [data, same] = view.places(["op_data", "op_uniform"])?;
    let mbarrier = view.places(["op_mbarrier", "op_number", "op_phase", "op_cluster", "op_release"])?;
    let form_of = |value: u64| Form::ALL.get(value as usize).copied().unwrap_or(Form::Raw);
    // For the offer that waits: whether its warp was blocked, and whether it was full, in the first cycle of the offer.
    let mut at_offer: Option<[bool; 2]> = None;
    for cycle in view.cycles(reset) {
        let get = |place| view.get(place, cycle);
        let levels_now = [blocked, full].map(|warps| get(warps) >> get(warp) & 1 == 1);
        if let (Some([was_blocked, was_full]), [is_blocked, is_full]) = (at_offer, levels_now) {
            points.cover_if(!was_blocked && is_blocked, "offer: its warp becomes blocked");
            points.cover_if(was_blocked && !is_blocked, "offer: its warp is no longer blocked");
            points.cover_if(!was_full && is_full, "offer: its warp becomes full");
        }
        at_offer = (get(instr[0]) == 1 && get(instr[1]) == 0).then_some(at_offer.unwrap_or(levels_now));
        points.cover_if(get(in_decode).count_ones() > 1, "in_decode: two operations");
        if view.both(instr, cycle) {
            let meets = MEETS.contains(&form_of(get(form)));
            let executes = get(active) & get(guard) != 0;
            let again = executes && get(in_decode) & get(op_done) >> get(warp) & 1 == 1;
            points.cover_if(again, "op_done, and in_decode again at one edge");
            points.cover_if(
                meets && executes && !TYPES.contains(&(get(word) & 0xff)),
                "meeting: a word that is illegal elsewhere",
            );
            hit_form(points, get(word));
            points.cover_if(get(active) & get(guard) == 0, "instruction: no executing lane");
            points.cover_if(get(uniform) == 0, "instruction: lanes that differ");
            let accesses = [0x1c, 0xdc, 0x1e].contains(&(get(word) & 0xff));
            let is_arrival_form = !meets && get(form) != 0;
            points.cover_if(accesses && is_arrival_form, "instruction: an access in the form of an arrival");
            points.cover_if(get(word) & 0xfff == 0x3e3 && is_arrival_form, "instruction: a fence in the form of an arrival");
            points.cover_if(accesses && get(blocked) >> get(warp) & 1 == 1, "read or write of a blocked warp");
        } else {
            points.cover_if(get(instr[0]) == 1, "instruction: waits");
        }
        points.cover_if(get(op[0]) == 1 && get(op[1]) == 0, "operation: waits");
        if !view.both(op, cycle) {
            continue;
        }
        let is = OpKind::ALL.get(get(kind) as usize).copied().unwrap_or(OpKind::Sync);
        points.cover(&format!("operation: {is:?}, {}", code(get(fault))));
        if is == OpKind::Gateway && get(fault) == 0 {
            points.cover_if(get(data) >> 13 & 1 == 0, "gateway: a signal");
            points.cover_if(get(same) == 0, "gateway: from a register, lanes differ");
        }
        if KINDS[..WITH_FORM].contains(&is) && get(fault) == 0 {
            points.cover(&format!("operation: {is:?}, form {:?}", form_of(get(op_form))));
        }
        if is == OpKind::Fence && get(fault) == 0 {
            points.cover_if(get(lanes).count_ones() < config.lanes as u32, "fence: by some of the lanes");
        }
        if is == OpKind::Mbarrier && get(fault) == 0 {
            let does = MbarrierKind::ALL.get(get(mbarrier[0]) as usize).copied().unwrap_or(MbarrierKind::Init);
            points.cover(&format!("mbarrier: {does:?}"));
            if (MbarrierKind::Arrive as u64..MbarrierKind::Expect as u64).contains(&get(mbarrier[0])) {
                points.cover(if get(mbarrier[4]) == 1 { "mbarrier: in order" } else { "mbarrier: without order" });
            }
            if get(mbarrier[0]) >= MbarrierKind::TestWait as u64 {
                points.cover(if get(mbarrier[2]) == 1 { "mbarrier: phase 1" } else { "mbarrier: phase 0" });
            }
            points.cover_if(get(mbarrier[3]) == 1, "mbarrier: of the cluster");
            points.cover_if(get(mbarrier[1]) == (1 << 21) - 1, "mbarrier: a number too large");
        }
        if is == OpKind::Read && get(fault) == 0 {
            points.cover(&format!("operation: read of {}", ["Warp", "Barrier", "Result", "3"][get(state) as usize & 3]));
        }
        if is == OpKind::Reduce && get(fault) == 0 {
            let how = match get(votes) {
                0 => "no vote",
                all if all == get(lanes) => "all votes",
                _ => "some votes",
            };
            points.cover(&format!("reduce: {}, {how}", ["And", "Or", "Popc", "3"][get(redop) as usize & 3]));
        }
    }
    Ok(())
}
