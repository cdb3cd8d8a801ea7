// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether the count of an mbarrier differs from the arrivals of the warps that use it.

use super::super::report::{Evidence, ObjectArrival, ObjectWait};
use super::super::sentence::counted;
use std::collections::BTreeMap;

/// A note with the location of the init, and a remedy, if the count of an mbarrier does not fit the warps that arrive at it.
///
/// With too small a count phases overlap: a phase completes without some of the warps, whose arrivals count in the next phase. The count is
/// too large if fewer arrivals are missing in the first phase than any of the warps makes.
pub fn differs(wait: &ObjectWait) -> Option<(Evidence, String)> {
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
    let is_too_small = together > object.expected;
    let fewest = by_warp.values().copied().min().unwrap_or(0);
    let is_too_large = history.ended.is_empty() && (1..fewest).contains(&object.pending);
    if by_warp.len() < 2 || !is_too_small && !is_too_large {
        return None;
    }
    let (name, count, come) = (object.named(), counted(object.expected, "arrival"), counted(together, "arrival"));
    let warps: Vec<String> = by_warp.iter().map(|(warp, arrivals)| format!("warp {warp} with {arrivals}")).collect();
    let note = format!("{name} is initialised for {count} in each phase, but these arrive there: {}", warps.join(", "));
    let help = match is_too_small {
        true => format!("otherwise let only {} arrive in a phase", object.expected),
        false => format!("otherwise let {} threads arrive", object.expected),
    };
    let help = format!("if all these warps take part in each phase, initialise {name} for {come}; {help}");
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
