// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An abstract state of the lanes of every warp: the live lanes, and the lanes that wait in `gather` for other lanes.
//!
//! It serves only to choose legal operations; it is no oracle.

use super::rng::Rng;
use bcu_isa::op::{Form, OpKind, RedOp};

/// The operations of a warp at the barrier of its cluster.
pub const OF_CLUSTERS: [OpKind; 3] = [OpKind::ClusterArrive, OpKind::ClusterArriveRelaxed, OpKind::ClusterWait];
/// The operations of a warp on its grid.
pub const OF_GRIDS: [OpKind; 2] = [OpKind::GridLaunch, OpKind::GridWait];

/// Whether operations of this kind have a form, which defines how lanes take part.
pub fn has_form(kind: u64) -> bool {
    kind <= OpKind::Reduce as u64 || OF_CLUSTERS.iter().any(|of| kind == *of as u64)
}

/// One operation into `gather`, field by field in the order of [`FIELDS`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Op {
    pub kind: u64,
    pub fault: u64,
    pub lanes_differ: bool,
    pub warp: u64,
    pub cta: u64,
    pub id: u64,
    pub count: u64,
    pub redop: u64,
    pub state: u64,
    pub data: u64,
    pub mask: u64,
    pub form: u64,
    pub lanes: u64,
    pub votes: u64,
    pub members: u64,
    pub mbarrier: u64,
    pub number: u64,
    pub phase: u64,
    pub cluster: u64,
    pub release: u64,
    pub from_instr: bool,
    pub rd: u64,
    pub pu: u64,
}

#[rustfmt::skip]
pub const FIELDS: [&str; 23] = [
    "kind", "fault", "uniform", "warp", "cta", "id", "count", "redop", "state", "data", "mask",
    "form", "lanes", "votes", "members", "from_instr", "rd", "pu", "mbarrier", "number", "phase", "cluster", "release",
];

impl Op {
    #[rustfmt::skip]
    pub fn values(&self) -> [u64; 23] {
        let Op { kind, fault, warp, cta, id, count, redop, state, data, mask, .. } = *self;
        let Op { form, lanes, votes, members, rd, pu, mbarrier, number, phase, cluster, release, .. } = *self;
        // For an operation on an mbarrier the unit counts the executing lanes, so the operator is Popc.
        let redop = if kind == OpKind::Mbarrier as u64 { RedOp::Popc as u64 } else { redop };
        [
            kind, fault, !self.lanes_differ as u64, warp, cta, id, count, redop, state, data, mask,
            form, lanes, votes, members, self.from_instr as u64, rd, pu,
            mbarrier, number, phase, cluster, release,
        ]
    }
}

/// A group of lanes that meet.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    pub elect: bool,
    pub members: u64,
    lanes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct WarpLanes {
    pub live: u64,
    /// An open gathering: the first arrival, and the mask of the lanes that have arrived.
    pub gathering: Option<(Op, u64)>,
    pub groups: [Option<Group>; 2],
}

impl WarpLanes {
    pub fn waiting(&self) -> u64 {
        let gathered = self.gathering.map_or(0, |(_, lanes)| lanes);
        self.groups.iter().flatten().fold(gathered, |mask, group| mask | group.lanes)
    }

    /// Live lanes that do not wait.
    pub fn free_lanes(&self) -> u64 {
        self.live & !self.waiting()
    }

    /// Members of all open groups.
    pub fn members(&self) -> u64 {
        self.groups.iter().flatten().fold(0, |mask, group| mask | group.members)
    }

    /// Closes groups and gatherings that are complete.
    fn settle(&mut self) {
        let live = self.live;
        self.gathering.take_if(|(_, lanes)| *lanes == live);
        self.groups.iter_mut().for_each(|g| {
            g.take_if(|g| g.members & live & !g.lanes == 0);
        });
    }
}

/// Accounts for a legal operation that was transferred; `all_lanes` are the lanes that a warp can have, one bit per
/// lane.
pub fn note(warps: &mut [WarpLanes], op: &Op, all_lanes: u64) {
    if op.kind == OpKind::Launch as u64 {
        let last = op.mask.checked_ilog2().unwrap_or(0) as usize;
        for (number, warp) in warps.iter_mut().enumerate().filter(|(number, _)| op.mask >> number & 1 == 1) {
            *warp = WarpLanes { live: if number == last { op.lanes } else { all_lanes }, ..WarpLanes::default() };
        }
        return;
    }
    let Some(warp) = warps.get_mut(op.warp as usize) else {
        return;
    };
    let met = [Form::WarpSync, Form::Elect].iter().any(|form| op.form == *form as u64);
    if op.kind == OpKind::Exit as u64 {
        warp.live &= !op.lanes;
    } else if has_form(op.kind) && op.form == Form::Gathered as u64 {
        warp.gathering.get_or_insert((*op, 0)).1 |= op.lanes;
    } else if has_form(op.kind) && met {
        let theirs = warp.groups.iter().position(|g| g.is_some_and(|g| g.members == op.members));
        if let Some(place) = theirs.or_else(|| warp.groups.iter().position(Option::is_none)) {
            let opened = Group { elect: op.form == Form::Elect as u64, members: op.members, lanes: 0 };
            warp.groups[place].get_or_insert(opened).lanes |= op.lanes;
        }
    }
    warp.settle();
}

/// A random part of `lanes`: one, a few, about half, or all of them. It has at least one lane, or none if `lanes` is 0.
pub fn part(rng: &mut Rng, lanes: u64, grains: &[(u64, u64)]) -> u64 {
    let count = u64::from(lanes.count_ones());
    match rng.weighted(grains) {
        Some(0) => rng.subset(lanes, 1),
        Some(1) => {
            let few = rng.range(1, count.min(4));
            rng.subset(lanes, few)
        }
        Some(2) => {
            let sure = rng.subset(lanes, 1);
            sure | rng.draw() & lanes
        }
        _ => lanes,
    }
}
