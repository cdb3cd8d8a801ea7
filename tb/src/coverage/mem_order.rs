// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `mem_order`: operations that pass through, operations that are parked and leave later, and held warps.

use super::points::{points, CoverageError, Points, Reach, NO_GATEWAY, NO_MBARRIERS};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::op::Kind;

points! {
    pub enum Point {
        /// A fence leaves the input queue and ends at once, because its warp has nothing parked and no memory access outstanding.
        FenceEndsAtOnce = "fence: ends at once",
        /// A fence ends after it has waited for memory accesses of its warp.
        FenceWaits = "fence: waits for accesses",
        /// A fence leaves the input queue while an operation of its warp is parked.
        FenceFollows = "fence: follows a parked operation",
        /// An operation of this kind leaves the unit and was not parked.
        Passes(kind: Kind) = "passes: {kind}",
        /// An operation of this kind leaves the unit after it was parked to wait for memory accesses of its warp.
        WasParked(kind: Kind) = "was parked: {kind}",
        /// An operation with a fault leaves the unit and was not parked.
        FaultyPasses = "passes: a faulty operation",
        /// An operation with a fault leaves the unit after it was parked.
        FaultyWasParked = "was parked: a faulty operation",
        /// An operation that was not parked leaves the unit while its warp has a parked operation or waits at a fence.
        PassesParked = "passes a parked operation",
        /// Several warps have a parked operation, or wait at a fence, in the same cycle.
        SeveralWarpsParked = "parked: several warps",
        /// Two operations of one warp are parked at the same time.
        SecondParked = "parked: a second operation",
        /// A third operation of a warp moves into the second place, because the first of the parked operations has left its place.
        ThirdMovesUp = "a third operation moves up",
        /// A CTA has as many outstanding asynchronous copies as the configuration allows.
        CopiesAtLimit = "copies: at the limit",
        /// An asynchronous copy is issued in the cycle in which an asynchronous copy is performed.
        CopyIssuedAndPerformed = "copies: issued and performed in one cycle",
        /// A warp without a parked operation is at the limit of its outstanding memory accesses.
        AccessLimit = "access_limit: nothing is parked",
        /// A warp may not issue instructions while an operation or a fence of the warp waits in the unit.
        HeldAndParked = "held: an operation is parked",
        /// A warp may issue instructions while an operation of the warp is parked.
        ParkedNotHeld = "parked and not held",
        /// The issue strobe and the perform strobe of one number both report a memory access in one cycle.
        IssueAndPerform = "issue and perform in one cycle",
        /// In one cycle a warp issues a memory access, and a memory access of the same warp and epoch is performed.
        IssueAndPerformOfWarp = "issue and perform of one warp, in one epoch",
        /// A memory access is performed in the cycle in which it is issued.
        PerformedAtIssue = "an access is performed in the cycle of its issue",
        /// A memory access is performed that its warp has issued in the epoch before the present one.
        EarlierEpoch = "perform in the epoch before",
        /// An operation is offered at the input and not accepted in this cycle.
        InWaits = "in: waits",
        /// An operation that was not parked is offered at the output and not accepted in this cycle.
        OperationWaits = "operation: waits",
        /// An operation that was parked is offered at the output and not accepted in this cycle.
        ParkedWaits = "parked: waits at the port",
        /// The output `op_done` reports that an operation was parked or that a fence left the input queue.
        OpDone = "op_done",
        /// Operations of several warps were parked, have left the unit's places, and have not yet taken effect.
        SeveralPickedPending = "picked_pending: several warps",
        /// An operation is parked, or a fence leaves the input queue, while an operation of its warp that was parked before has not yet
        /// taken effect.
        EntersWhilePicked = "picked_pending: another operation enters",
        /// The input `commit` reports the effect of an operation that was not parked.
        CommitNotParked = "commit: its operation was not parked",
        /// Several strobes report in one cycle that the same warp issues a memory access.
        SeveralIssued = "several accesses of one warp are issued in a cycle",
        /// Several strobes report in one cycle that a memory access of the same warp and epoch is performed.
        SeveralPerformed = "several accesses of one warp and epoch are performed in a cycle",
    }
}

pub fn reach(config: &Config, point: Point) -> Reach {
    match point {
        Point::Passes(kind) => Reach::unless(not_built(config, kind)),
        Point::WasParked(Kind::Write) => Reach::Unreachable("it waits in front"),
        Point::WasParked(kind) if is_never_parked(kind) => Reach::Unreachable("nothing holds it back"),
        Point::WasParked(kind) => Reach::unless(not_built(config, kind)),
        Point::SeveralIssued | Point::SeveralPerformed => {
            Reach::unless((config.accesses_per_cycle == 1).then_some("one strobe is built"))
        }
        _ => Reach::Reachable,
    }
}

/// The reason why operations of this kind do not occur in this configuration; `None`: they occur.
fn not_built(config: &Config, kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Mbarrier if !config.has_mbarrier() => Some(NO_MBARRIERS),
        Kind::Gateway if !config.has_gateway() => Some(NO_GATEWAY),
        _ => None,
    }
}

/// Whether operations of this kind are never parked.
fn is_never_parked(kind: Kind) -> bool {
    matches!(kind, Kind::Launch | Kind::Release)
}

/// Whether a value occurs twice.
fn is_repeated<T: PartialEq>(list: &[T]) -> bool {
    list.iter().enumerate().any(|(at, value)| list[..at].contains(value))
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let [reset, epoch, held, full, parked] = view.places(["reset", "epoch", "held", "full", "parked"])?;
    let [access_limit] = view.places(["access_limit"])?;
    let (channel, out) = (view.places(["in_valid", "in_ready"])?, view.places(["op_valid", "op_ready"])?);
    let [kind, fault, warp] = view.places(["op_kind", "op_fault", "op_warp"])?;
    let [op_done, picked_pending, commit] = view.places(["op_done", "picked_pending", "commit"])?;
    let strobes = view.accesses(config)?;
    let [copies_full, issued, performed] = view.places(["copies_full", "copy_issue_valid", "copy_perform_valid"])?;
    // Number of outstanding accesses, by warp and epoch.
    let mut outstanding = [[0u64; 2]; 64];
    // `op_waits`: the operation at the output was offered in the previous cycle and not accepted. `waited`: the operation at the output
    // was parked.
    let (mut op_waits, mut waited) = (false, false);
    let mut next = 0;
    for cycle in view.cycles(reset) {
        let copies = [issued, performed].map(|place| view.get(place, cycle));
        points.cover_if(view.get(copies_full, cycle) != 0, Point::CopiesAtLimit);
        points.cover_if(copies == [1, 1], Point::CopyIssuedAndPerformed);
        if cycle != next {
            outstanding = [[0; 2]; 64];
            op_waits = false;
        }
        next = cycle + 1;
        let get = |place| view.get(place, cycle);
        let has = |warps, warp| get(warps) >> get(warp) & 1 == 1;
        points.cover_if(get(parked).count_ones() > 1, Point::SeveralWarpsParked);
        points.cover_if(get(full) != 0, Point::SecondParked);
        points.cover_if(get(access_limit) & !get(parked) != 0, Point::AccessLimit);
        points.cover_if(get(held) & get(parked) != 0, Point::HeldAndParked);
        points.cover_if(get(parked) & !get(held) != 0, Point::ParkedNotHeld);
        points.cover_if(get(channel[0]) == 1 && get(channel[1]) == 0, Point::InWaits);
        points.cover_if(get(op_done) != 0, Point::OpDone);
        points.cover_if(get(picked_pending).count_ones() > 1, Point::SeveralPickedPending);
        if cycle + 1 < view.length() && view.get(reset, cycle + 1) == 0 {
            let next = |place| view.get(place, cycle + 1);
            // `op_done` reports that an operation was parked or that a fence left the input queue. If nothing of the warp is parked in
            // the next cycle, it was a fence that ended at once.
            points.cover_if(get(op_done) & !next(parked) != 0, Point::FenceEndsAtOnce);
            points.cover_if(get(parked) & !get(picked_pending) & !next(parked) != 0, Point::FenceWaits);
            let following = get(op_done) & get(parked) & !get(picked_pending) & next(parked) & !get(full) & !next(full);
            points.cover_if(following != 0, Point::FenceFollows);
            let picked = next(picked_pending) & !get(picked_pending);
            points.cover_if(picked & get(full) & next(full) != 0, Point::ThirdMovesUp);
        }
        points.cover_if(get(op_done) & get(picked_pending) != 0, Point::EntersWhilePicked);
        points.cover_if(get(commit) & !get(picked_pending) != 0, Point::CommitNotParked);
        let issuers: Vec<u64> =
            strobes.iter().filter(|(issue, _)| get(issue[0]) == 1).map(|(issue, _)| get(issue[1])).collect();
        let done: Vec<_> =
            strobes.iter().filter(|(_, perform)| get(perform[0]) == 1).map(|(_, p)| (get(p[1]), get(p[2]))).collect();
        points.cover_if(is_repeated(&issuers), Point::SeveralIssued);
        points.cover_if(is_repeated(&done), Point::SeveralPerformed);
        for ([issue, issuer], [perform, performer, access_epoch]) in strobes.iter().copied() {
            points.cover_if(get(issue) + get(perform) == 2, Point::IssueAndPerform);
            if get(issue) == 1 {
                outstanding[get(issuer) as usize & 63][usize::from(has(epoch, issuer))] += 1;
            }
            if get(perform) == 0 {
                continue;
            }
            let present = has(epoch, performer) == (get(access_epoch) == 1);
            let both = issuers.contains(&get(performer));
            points.cover_if(both && present, Point::IssueAndPerformOfWarp);
            points.cover_if(!present, Point::EarlierEpoch);
            let number = &mut outstanding[get(performer) as usize & 63][get(access_epoch) as usize & 1];
            points.cover_if(both && present && *number == 1, Point::PerformedAtIssue);
            *number = number.saturating_sub(1);
        }
        let kind = Kind::from_value(get(kind));
        let refused_exit = kind == Kind::Exit && get(fault) != 0;
        // A parked operation reaches the port while its warp is in `picked_pending`.
        waited = if op_waits { waited } else { has(picked_pending, warp) && !is_never_parked(kind) && !refused_exit };
        op_waits = get(out[0]) == 1 && get(out[1]) == 0;
        points.cover_if(op_waits, if waited { Point::ParkedWaits } else { Point::OperationWaits });
        if !view.both(out, cycle) {
            continue;
        }
        points.cover(if waited { Point::WasParked(kind) } else { Point::Passes(kind) });
        points.cover_if(get(fault) != 0, if waited { Point::FaultyWasParked } else { Point::FaultyPasses });
        points.cover_if(!waited && has(parked, warp), Point::PassesParked);
    }
    Ok(())
}
