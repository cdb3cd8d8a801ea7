// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether the count of an mbarrier differs from the arrivals of the warps that use it.

use super::super::report::{Evidence, ObjectArrival, ObjectWait};
use super::super::sentence::counted;
use std::collections::BTreeMap;

/// A note with the location of the init, and a remedy, if the warps that arrive at an mbarrier make more arrivals together than a phase
/// takes. Then phases overlap: a phase completes without some of the warps, whose arrivals count in the next phase.
pub fn too_small(wait: &ObjectWait) -> Option<(Evidence, String)> {
    let (object, history) = (&wait.object, &wait.history);
    let (maker, init) = history.init.as_ref()?;
    let (mut by_warp, mut of_ended): (BTreeMap<usize, u32>, BTreeMap<usize, u32>) = Default::default();
    for phase in history.ended.iter().map(|ended| &ended.arrived) {
        // A warp may arrive again before the others have arrived, so the fewest arrivals of a phase are those of one round.
        for (warp, arrivals) in sums(phase)? {
            of_ended.entry(warp).and_modify(|known| *known = arrivals.min(*known)).or_insert(arrivals);
        }
    }
    by_warp.extend(sums(&object.arrived)?);
    by_warp.extend(of_ended);
    let together: u32 = by_warp.values().sum();
    if together <= object.expected || by_warp.len() < 2 {
        return None;
    }
    let (name, count, come) = (object.named(), counted(object.expected, "arrival"), counted(together, "arrival"));
    let warps: Vec<String> = by_warp.iter().map(|(warp, arrivals)| format!("warp {warp} with {arrivals}")).collect();
    let note = format!("{name} is initialised for {count} in each phase, but these arrive there: {}", warps.join(", "));
    let help = format!(
        "if all these warps take part in each phase, initialise {name} for {come}; otherwise let only {} arrive in a phase",
        object.expected
    );
    Some((Evidence { cta: wait.cta, warp: *maker, place: Some(init.clone()), note }, help))
}

/// The arrivals of each warp; `None` if others arrive as well.
fn sums(arrived: &[ObjectArrival]) -> Option<BTreeMap<usize, u32>> {
    let mut sums = BTreeMap::new();
    for arrival in arrived {
        let warp = arrival.warp.filter(|_| arrival.cta.is_none())?;
        *sums.entry(warp).or_default() += arrival.arrivals;
    }
    Some(sums)
}
