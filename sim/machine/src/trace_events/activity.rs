// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a warp does in a cycle: it runs, or one reason holds it.

use super::super::report::Stop;
use super::super::sm::{address, operation, Sm};
use super::super::warp::threads::bits;
use super::super::warp::{From, Warp};
use super::event::Args;
use bcu_isa::mbar::{MbarOp, Phase};
use bcu_program::Op;

/// The activity of a warp that is launched and has not exited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    /// The warp issues, could issue, or executes an instruction that takes several cycles.
    Running,
    /// The next instruction needs the result of an access (true), or of the unit.
    Result(bool),
    /// The warp waits until its copies are performed.
    Copies,
    /// The arrival at this barrier, or a fence, is held until the accesses of the warp are performed.
    Memory(Option<u8>),
    /// Lanes wait for other lanes of the warp.
    Gathering,
    Barrier(u8),
    Mbarrier {
        address: u32,
        parity: bool,
    },
    /// The phase of the barrier of the cluster.
    Cluster(u64),
    /// The grid of the warp.
    Grids(usize),
    /// The fault policy has stopped the warp.
    Stopped(Stop),
}

impl Activity {
    /// The activity of the warp with index `index` in cycle `cycle`; `None` before its launch and after its exit.
    pub fn of(sm: &Sm, index: usize, cycle: u64) -> Option<Activity> {
        let warp = sm.warps.get(index)?;
        if !warp.started || warp.exited.is_some() {
            return None;
        }
        if let Some(stop) = warp.stopped {
            return Some(Activity::Stopped(stop));
        }
        let at_mbarrier = || mbarrier(sm, warp, index);
        Some(match warp.waits_at {
            at if warp.waits_for_memory => Activity::Memory(at),
            Some(id) => Activity::Barrier(id),
            None if warp.at_cluster.is_some() => Activity::Cluster(warp.phases),
            None if warp.at_grid.is_some() => Activity::Grids(warp.grid),
            None => at_mbarrier().unwrap_or_else(|| issues(warp, cycle)),
        })
    }

    /// The name of a slice; `generation` is the generation of a named barrier, `object` the name of an mbarrier, and `phase` its awaited
    /// phase.
    pub fn name(self, generation: usize, object: &str, phase: Option<u64>) -> String {
        match self {
            Activity::Running => "running".to_string(),
            Activity::Result(true) => "memory: result of an access".to_string(),
            Activity::Result(false) => "result of the unit".to_string(),
            Activity::Copies => "copies".to_string(),
            Activity::Memory(None) => "memory: fence".to_string(),
            Activity::Memory(Some(id)) => format!("memory: arrival at barrier {id} is held"),
            Activity::Gathering => "gather".to_string(),
            Activity::Barrier(id) => format!("barrier {id}, generation {generation}"),
            Activity::Mbarrier { parity, .. } => {
                let phase = phase.map_or("before phase 0".to_string(), |phase| format!("phase {phase}"));
                format!("mbarrier {object}, {phase}, parity {}", u8::from(parity))
            }
            Activity::Cluster(phase) => format!("cluster, phase {phase}"),
            Activity::Grids(_) => "earlier grids".to_string(),
            Activity::Stopped(Stop::Trapped) => "trapped".to_string(),
            Activity::Stopped(Stop::Hangs) => "stopped by a fault".to_string(),
        }
    }

    /// The category of a slice, by which a viewer filters.
    pub fn category(self) -> &'static str {
        match self {
            Activity::Running => "running",
            Activity::Result(true) | Activity::Memory(_) => "memory",
            Activity::Result(false) => "result",
            Activity::Copies => "copies",
            Activity::Gathering => "gather",
            Activity::Barrier(_) => "barrier",
            Activity::Mbarrier { .. } => "mbarrier",
            Activity::Cluster(_) => "cluster",
            Activity::Grids(_) => "grid",
            Activity::Stopped(_) => "stopped",
        }
    }

    /// The object of a wait, as arguments.
    pub fn args(self, generation: usize, object: &str, phase: Option<u64>) -> Args {
        let args = Args::default();
        match self {
            Activity::Barrier(id) | Activity::Memory(Some(id)) => {
                args.with("barrier", u64::from(id)).with("generation", generation)
            }
            Activity::Mbarrier { address, parity } => {
                let args = args.with("mbarrier", object).with("address", format!("{address:#x}"));
                let args = args.with("parity", u64::from(parity));
                phase.map_or(args.clone(), |phase| args.with("phase", phase))
            }
            Activity::Cluster(phase) => args.with("phase", phase),
            Activity::Grids(grid) => args.with("grid", grid),
            _ => args,
        }
    }

    /// Whether other warps, copies or grids must act before the warp resumes.
    pub fn waits_for_others(self) -> bool {
        !matches!(self, Activity::Running | Activity::Result(_) | Activity::Stopped(_))
    }
}

/// The wait of a warp at an mbarrier: it awaits the answer to a wait, or its last wait returned false.
fn mbarrier(sm: &Sm, warp: &Warp, index: usize) -> Option<Activity> {
    if let Some(waiter) = sm.record.mbarriers.waiters.get(&index) {
        return Some(Activity::Mbarrier { address: waiter.address, parity: waiter.parity });
    }
    let mbar = if warp.waits_at_mbarrier() { operation(&warp.issue)? } else { return None };
    let (MbarOp::Test { phase, .. } | MbarOp::Try { phase, .. }) = mbar.does else { return None };
    let bit = match phase {
        Phase::Parity(_) => 0,
        Phase::Token(_) => 31,
    };
    Some(Activity::Mbarrier { address: address(&mbar, &warp.issue), parity: warp.issue.rb >> bit & 1 == 1 })
}

/// The activity of a warp that waits for no object.
fn issues(warp: &Warp, cycle: u64) -> Activity {
    if warp.port.is_some() || warp.ready_at > cycle + 1 {
        return Activity::Running;
    }
    let Some(chosen) = warp.chosen() else {
        return if warp.waiting != 0 { Activity::Gathering } else { Activity::Running };
    };
    if warp.awaits_result(chosen) {
        let of_memory = warp.scoreboard.iter().any(|pending| matches!(pending.from, From::Memory(_)));
        return Activity::Result(of_memory);
    }
    match warp.instr(chosen.at).map(|instr| &instr.op) {
        Some(Op::WaitCopies(wait)) if !bits(chosen.lanes).all(|lane| warp.copies.done(lane, *wait)) => Activity::Copies,
        _ => Activity::Running,
    }
}
