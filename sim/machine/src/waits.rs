// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why warps of a hung run wait: the wait-for graph over all kinds of barrier, and the waits in this graph that do not follow from another
//! wait.

mod barriers;
mod counts;
mod cycles;
mod groups;
mod mbarriers;
mod spins;
mod users;

use super::report::{Cause, Hang};
pub(super) use groups::{gathered, key_of_spin};
use groups::{groups, Group, Object};
pub(super) use users::users;
use users::Users;

/// The causes, and the steps of the first circular wait as text.
pub(super) fn causes(hang: &Hang, users: &Users) -> (Vec<Cause>, Vec<String>) {
    let groups = groups(hang);
    let edges: Vec<Vec<usize>> = (0..groups.len()).map(|from| groups::edges(&groups, from)).collect();
    let (mut causes, mut circle) = (vec![], vec![]);
    // For each group, the index of its cause in `causes`.
    let mut explained: Vec<Option<usize>> = vec![None; groups.len()];
    for (first, second) in barriers::split(&groups) {
        explained[first] = Some(causes.len());
        explained[second] = Some(causes.len());
        let waiting = [first, second].iter().flat_map(|index| groups[*index].waiting.clone()).collect();
        causes.extend(barriers::different_ids(&groups[first], &groups[second]).map(|cause| Cause { waiting, ..cause }));
    }
    for (index, group) in groups.iter().enumerate() {
        if explained[index].is_some() {
            continue;
        }
        // The cause `grid_not_resident` explains all words in global memory on which warps of resident CTAs spin.
        let not_resident = |cause: &Cause| cause.code == "grid_not_resident";
        let is_global = matches!(&group.object, Object::Memory(waits) if spins::is_global(waits[0]));
        if let Some(known) = causes.iter().position(not_resident).filter(|_| is_global) {
            explained[index] = Some(known);
        } else if let Some(cause) = own_cause(group, edges[index].is_empty(), (hang, users)) {
            explained[index] = Some(causes.len());
            causes.push(Cause { waiting: group.waiting.clone(), ..cause });
        }
    }
    loop {
        spread(&edges, &mut explained);
        let open = |index: &usize| explained[*index].is_none();
        let Some(cycle) = cycles::shortest(&groups, &edges, &open) else { break };
        let steps = cycles::steps(&groups, &cycle);
        if circle.is_empty() && cycle.is_certain {
            circle = steps.iter().map(cycles::Step::sentence).collect();
        }
        cycle.groups.iter().for_each(|index| explained[*index] = Some(causes.len()));
        let waiting = cycle.groups.iter().flat_map(|index| groups[*index].waiting.clone()).collect();
        causes.push(Cause { waiting, ..cycles::cause(&groups, &cycle, &steps) });
    }
    for (group, cause) in groups.iter().zip(&explained) {
        let Some(cause) = cause.map(|index| &mut causes[index]) else { continue };
        let others = group.waiting.iter().filter(|warp| !cause.waiting.contains(warp));
        cause.following.extend(others.copied().collect::<Vec<_>>());
        if let Object::Mbarrier(waits) = &group.object {
            // A cause at the init has compared the count already.
            let differs = counts::differs(waits[0]).filter(|(evidence, _)| evidence.place.as_ref() != Some(&cause.place));
            if let Some((evidence, help)) = differs {
                cause.evidence.push(evidence);
                cause.help = Some(help);
            }
        }
    }
    causes.sort_by_key(|cause| cause.waiting.iter().min().copied());
    (causes, circle)
}

/// Gives a group without a cause the cause of a group for which it waits, and repeats this until no further group gets a cause.
fn spread(edges: &[Vec<usize>], explained: &mut [Option<usize>]) {
    let mut moved = true;
    while std::mem::take(&mut moved) {
        for index in 0..edges.len() {
            if explained[index].is_none() {
                explained[index] = edges[index].iter().find_map(|to| explained[*to]);
                moved |= explained[index].is_some();
            }
        }
    }
}

/// The cause of the wait of a group, if the wait does not follow from the wait of another group. If `is_last` is set, the group waits for
/// no other group, so there is always a cause.
fn own_cause(group: &Group, is_last: bool, (hang, users): (&Hang, &Users)) -> Option<Cause> {
    let certain = match &group.object {
        Object::Barrier(waits) => barriers::count_too_small(waits, users).or_else(|| barriers::too_few(waits, users)),
        Object::Mbarrier(waits) => mbarriers::out_of_step(waits).or_else(|| mbarriers::count_too_large(waits)),
        Object::Gateway(waits) => barriers::too_few_signals(waits),
        Object::Memory(waits) => spins::not_launched(waits, hang),
        Object::Lanes(..) | Object::Cluster(..) | Object::Grid(..) | Object::GridBarrier(..) => None,
    };
    let last = || match &group.object {
        Object::Barrier(waits) => barriers::at_barrier(waits),
        Object::Mbarrier(waits) => mbarriers::incomplete(waits),
        Object::Gateway(waits) => barriers::at_gateway(waits),
        Object::Cluster(waits) => barriers::at_cluster(waits),
        Object::Grid(waits) => barriers::at_grid(waits),
        Object::GridBarrier(waits) => barriers::at_grid_barrier(waits),
        Object::Lanes(lanes) => barriers::lanes(lanes),
        Object::Memory(waits) => spins::unchanged(waits),
    };
    certain.or_else(|| is_last.then(last))
}
