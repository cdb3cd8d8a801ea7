// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Points of `warp_status`: the effects of an operation on its warps, under every fault policy and in every state of the warp.

use super::points::{CoverageError, Points};
use super::ports::View;
use bcu_isa::config::Config;
use bcu_isa::op::FaultPolicy;
use bcu_model::outcome::Commit;
use bcu_model::warp_status::WarpStatus;
use bcu_model::{Sizes, WarpStatus as Unit};

const WARPS: [&str; 4] = ["free warp", "trapped warp", "hanging warp", "trapped and hanging warp"];
const EFFECTS: [&str; 4] = ["refused", "is trapped by its word", "is freed by its word", "leaves"];

pub fn list(_: &Config, points: &mut Points) {
    for (effect, warp) in EFFECTS.iter().flat_map(|effect| WARPS.map(|warp| (effect, warp))) {
        for policy in FaultPolicy::ALL {
            points.list(format!("{warp}, {policy:?}: {effect}"), None);
        }
    }
    points.list_all(&["several warps leave", "another warp is stopped"]);
    for policy in FaultPolicy::ALL {
        points.list(format!("{policy:?}: refused by another unit"), None);
    }
    points.list_all(&["refused by both", "freed and refused by another unit"]);
}

pub fn count(config: &Config, view: &View, points: &mut Points) -> Result<(), CoverageError> {
    let sizes = Sizes::try_from(config)?;
    let [reset] = view.places(["reset"])?;
    let mut warp_status = WarpStatus::default();
    for cycle in 0..view.length() {
        if view.get(reset, cycle) == 1 {
            warp_status = WarpStatus::default();
            continue;
        }
        let inputs = view.inputs::<Unit>(&sizes, cycle);
        points.cover_if(inputs.refused != 0, &format!("{:?}: refused by another unit", inputs.fault_policy));
        let Some(commit) = &inputs.commit else {
            warp_status.stop(inputs.refused, inputs.fault_policy);
            continue;
        };
        let both = commit.warps & inputs.refused != 0;
        points.cover_if(both && commit.refused, "refused by both");
        points.cover_if(both && commit.untraps, "freed and refused by another unit");
        let Commit { warps, refused, traps, untraps, cta_release, .. } = *commit;
        points.cover_if(cta_release && warps.count_ones() > 1, "several warps leave");
        points.cover_if((warp_status.trapped | warp_status.hung) & !warps != 0, "another warp is stopped");
        for (effect, _) in EFFECTS.iter().zip([refused, traps, untraps, cta_release]).filter(|(_, has)| *has) {
            for warp in (0..64).filter(|warp| warps >> warp & 1 == 1) {
                let state =
                    usize::from(warp_status.trapped >> warp & 1 == 1) + 2 * usize::from(warp_status.hung >> warp & 1 == 1);
                points.cover(&format!("{}, {:?}: {effect}", WARPS[state], inputs.fault_policy));
            }
        }
        warp_status.apply(commit, inputs.fault_policy);
        warp_status.stop(inputs.refused, inputs.fault_policy);
    }
    Ok(())
}
