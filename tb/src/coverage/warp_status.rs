// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `warp_status`: the effects of an operation on its warps, under every fault policy and in every state of the warp.

use super::points::{points, term, CoverageError, Points, Reach};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_model::op::FaultPolicy;
use bcu_model::outcome::Commit;
use bcu_model::warp_status::WarpStatus;
use bcu_model::{Sizes, WarpStatus as Unit};

term! {
    pub enum WarpState {
        Free = "free warp",
        Trapped = "trapped warp",
        Hanging = "hanging warp",
        TrappedAndHanging = "trapped and hanging warp",
    }
}

term! {
    pub enum Effect {
        Refused = "refused",
        TrappedByWord = "is trapped by its word",
        FreedByWord = "is freed by its word",
        Leaves = "leaves",
    }
}

points! {
    pub enum Point {
        /// An operation has this effect on a warp in this state, under this fault policy.
        Effect(warp: WarpState, policy: FaultPolicy, effect: Effect) = "{warp}, {policy}: {effect}",
        /// A Release ends several warps.
        SeveralWarpsLeave = "several warps leave",
        /// An operation takes effect while a warp that it does not name is trapped or hanging.
        AnotherIsStopped = "another warp is stopped",
        /// A unit other than `named` refuses an operation of a warp, under this fault policy.
        RefusedElsewhere(policy: FaultPolicy) = "{policy}: refused by another unit",
        /// `named` and another unit refuse operations of one warp in one cycle.
        RefusedByBoth = "refused by both",
        /// A state word frees a warp in the cycle in which another unit refuses an operation of the warp.
        FreedAndRefused = "freed and refused by another unit",
    }
}

pub fn reach(_: &Config, _: Point) -> Reach {
    Reach::Reachable
}

pub fn count(config: &Config, view: &View, points: &mut Points<Point>) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let [reset] = view.places(["reset"])?;
    let mut warp_status = WarpStatus::default();
    for cycle in 0..view.length() {
        if view.get(reset, cycle) == 1 {
            warp_status = WarpStatus::default();
            continue;
        }
        let inputs = view.inputs::<Unit>(&sizes, cycle);
        let policy = inputs.fault_policy;
        points.cover_if(inputs.refused != 0, Point::RefusedElsewhere(policy));
        let Some(commit) = &inputs.commit else {
            warp_status.stop(inputs.refused, policy);
            continue;
        };
        let both = commit.warps & inputs.refused != 0;
        points.cover_if(both && commit.refused, Point::RefusedByBoth);
        points.cover_if(both && commit.untraps, Point::FreedAndRefused);
        let Commit { warps, refused, traps, untraps, cta_release, .. } = *commit;
        points.cover_if(cta_release && warps.count_ones() > 1, Point::SeveralWarpsLeave);
        points.cover_if((warp_status.trapped | warp_status.hung) & !warps != 0, Point::AnotherIsStopped);
        let effects = [
            (refused, Effect::Refused),
            (traps, Effect::TrappedByWord),
            (untraps, Effect::FreedByWord),
            (cta_release, Effect::Leaves),
        ];
        for (_, effect) in effects.into_iter().filter(|(has, _)| *has) {
            for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
                let state = match (warp_status.trapped >> warp & 1, warp_status.hung >> warp & 1) {
                    (0, 0) => WarpState::Free,
                    (1, 0) => WarpState::Trapped,
                    (0, _) => WarpState::Hanging,
                    _ => WarpState::TrappedAndHanging,
                };
                points.cover(Point::Effect(state, policy, effect));
            }
        }
        warp_status.apply(commit, policy);
        warp_status.stop(inputs.refused, policy);
    }
    Ok(())
}
