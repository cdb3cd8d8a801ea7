// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps that have used each barrier with a count.

use super::super::report::{Arrival, Generation, Hang};
use std::collections::BTreeMap;

/// The warps that have arrived at a barrier with a count, with the number of their arrivals; the key is CTA and barrier id.
pub type Users = BTreeMap<(usize, u8), BTreeMap<usize, usize>>;

/// The warps that have arrived at barriers with a count, both in completed generations and in the open generations of a hang.
pub fn users<'a>(generations: impl Iterator<Item = &'a Generation>, hang: &Hang) -> Users {
    let mut users = Users::new();
    for g in generations.filter(|g| g.threads.is_some()) {
        add(users.entry((g.cta, g.id)).or_default(), &g.arrivals);
    }
    for b in hang.blocked.iter().filter(|b| b.threads.is_some()) {
        if hang.blocked.iter().find(|first| (first.cta, first.id) == (b.cta, b.id)) == Some(b) {
            add(users.entry((b.cta, b.id)).or_default(), &b.arrived);
        }
    }
    users
}

fn add(users: &mut BTreeMap<usize, usize>, arrivals: &[Arrival]) {
    arrivals.iter().for_each(|arrival| *users.entry(arrival.warp).or_default() += 1);
}
