// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Uses of global memory by grids that may overlap. A grid may start before the earlier grids have ended. A CTA must wait for the earlier
//! grids before it uses bytes that an earlier grid stores, and before it stores to bytes that an earlier grid uses.

use std::collections::HashMap;
use std::ops::Range;

/// Bytes of a chunk, whose uses are recorded with one bit per byte.
const CHUNK: u64 = 64;

/// The use of bytes by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Use {
    /// A use that neither changes memory nor returns data, such as a prefetch.
    Hint,
    Load,
    /// A store, possibly after a load.
    Store,
}

/// A lane that uses global memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct User {
    pub grid: usize,
    pub cta: usize,
    pub warp: usize,
    pub lane: usize,
    /// The span of the instruction in the text of the program.
    pub span: Range<usize>,
    /// Whether the user may use data of earlier grids: a warp of its CTA has waited for these
    /// grids, or its own grid cannot start before they end.
    pub waited: bool,
}

/// A use of bytes by a CTA that has not waited for an earlier grid with a conflicting use of these bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Unordered {
    pub user: User,
    /// True if the user stores to bytes that the other grid loads; false if the user accesses bytes that the other grid stores.
    pub overwrites: bool,
}

/// The loaded bytes and the stored bytes of a chunk, one bit per byte.
#[derive(Clone, Copy, Debug, Default)]
struct Masks {
    loaded: u64,
    stored: u64,
}

impl Masks {
    fn for_use(bits: u64, how: Use) -> Masks {
        match how {
            Use::Hint => Masks::default(),
            Use::Load => Masks { loaded: bits, stored: 0 },
            Use::Store => Masks { loaded: bits, stored: bits },
        }
    }

    fn add(&mut self, added: Masks) {
        self.loaded |= added.loaded;
        self.stored |= added.stored;
    }

    /// The conflict between the uses of two grids. `None`: the later grid need not wait for the earlier grid. `Some(true)`: the later grid
    /// must wait, because it overwrites bytes that the earlier grid only loads. `Some(false)`: the later grid must wait, because it uses
    /// bytes that the earlier grid stores.
    fn conflict(earlier: Masks, later: Masks) -> Option<bool> {
        match (earlier.stored & later.loaded, earlier.loaded & later.stored) {
            (0, 0) => None,
            (stored, _) => Some(stored == 0),
        }
    }
}

/// The uses of all grids of a run.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Overlap {
    /// For each grid, whether the next grid may start before this grid has ended; empty for a run of one grid.
    lets: Vec<bool>,
    /// All bytes used so far; the key is grid and chunk number.
    used: HashMap<(usize, u64), Masks>,
    /// The bytes that CTAs used before they waited, each with the index of its user in `users`; the key is the chunk number.
    early: HashMap<u64, Vec<(usize, Masks)>>,
    /// The first user with each combination of grid, instruction and `waited`.
    users: Vec<User>,
}

impl Overlap {
    pub fn new(lets: Vec<bool>) -> Overlap {
        Overlap { lets, ..Overlap::default() }
    }

    /// Whether grid `later` may run while grid `earlier` runs.
    pub fn overlap(&self, earlier: usize, later: usize) -> bool {
        earlier < later && self.lets.get(earlier..later).is_some_and(|lets| lets.iter().all(|lets| *lets))
    }

    /// Records that `user` uses `bytes`. Returns a use that should have waited for another grid: this use, or a use recorded earlier.
    pub fn uses(&mut self, user: User, bytes: Range<u64>, how: Use) -> Option<Unordered> {
        if self.lets.len() < 2 || how == Use::Hint || bytes.is_empty() {
            return None;
        }
        let number = self.number(&user);
        (bytes.start / CHUNK..=(bytes.end - 1) / CHUNK).find_map(|chunk| {
            let first = chunk.saturating_mul(CHUNK);
            let inside = |at: u64| bytes.contains(&first.saturating_add(at));
            let bits = (0..CHUNK).filter(|at| inside(*at)).fold(0, |bits, at| bits | 1 << at);
            self.chunk((number, &user), chunk, Masks::for_use(bits, how))
        })
    }

    /// The index in `users` of the entry with the same instruction, grid and `waited` as `user`; adds the entry if it is absent.
    fn number(&mut self, user: &User) -> usize {
        let same = |known: &User| (known.grid, known.waited, &known.span) == (user.grid, user.waited, &user.span);
        self.users.iter().position(same).unwrap_or_else(|| {
            self.users.push(user.clone());
            self.users.len() - 1
        })
    }

    fn chunk(&mut self, (number, user): (usize, &User), chunk: u64, masks_used: Masks) -> Option<Unordered> {
        if !user.waited {
            let earlier = (0..user.grid).filter(|grid| self.overlap(*grid, user.grid));
            let conflict = |grid: usize| Masks::conflict(*self.used.get(&(grid, chunk))?, masks_used);
            if let Some(overwrites) = earlier.into_iter().find_map(conflict) {
                return Some(Unordered { user: user.clone(), overwrites });
            }
        }
        for (number, masks) in self.early.get(&chunk).into_iter().flatten() {
            let Some(later) = self.users.get(*number).filter(|later| self.overlap(user.grid, later.grid)) else { continue };
            if let Some(overwrites) = Masks::conflict(masks_used, *masks) {
                return Some(Unordered { user: later.clone(), overwrites });
            }
        }
        self.used.entry((user.grid, chunk)).or_default().add(masks_used);
        if !user.waited {
            let early = self.early.entry(chunk).or_default();
            match early.iter_mut().find(|(known, _)| *known == number) {
                Some((_, masks)) => masks.add(masks_used),
                None => early.push((number, masks_used)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(grid: usize, waited: bool) -> User {
        User { grid, cta: grid, warp: 0, lane: 3, span: 10 * grid..10 * grid + 1, waited }
    }

    #[test]
    fn uses_before_the_wait_are_told_in_either_order() {
        let unordered = |overwrites| Some(Unordered { user: user(1, false), overwrites });
        for (first, second, overwrites) in [
            (Use::Store, Use::Load, Some(false)),
            (Use::Store, Use::Store, Some(false)),
            (Use::Load, Use::Store, Some(true)),
            (Use::Load, Use::Load, None),
            (Use::Store, Use::Hint, None),
        ] {
            let reported = overwrites.and_then(unordered);
            let mut overlap = Overlap::new(vec![true, false]);
            assert_eq!(overlap.uses(user(0, true), 60..70, first), None);
            assert_eq!(overlap.uses(user(1, false), 70..74, second), None, "others");
            assert_eq!(overlap.uses(user(1, false), 66..70, second), reported);
            let mut overlap = Overlap::new(vec![true, false]);
            assert_eq!(overlap.uses(user(1, false), 66..70, second), None);
            assert_eq!(overlap.uses(user(0, true), 70..74, first), None, "others");
            assert_eq!(overlap.uses(user(0, true), 60..70, first), reported);
        }
    }

    #[test]
    fn who_has_waited_or_comes_behind_the_end_may_use_all() {
        let mut overlap = Overlap::new(vec![true, false, true]);
        assert_eq!(overlap.uses(user(0, true), 0..4, Use::Store), None);
        assert_eq!(overlap.uses(user(1, true), 0..4, Use::Store), None);
        assert_eq!(overlap.uses(user(2, false), 0..4, Use::Load), None, "no grid may begin before the second grid has ended");
        assert_eq!(Overlap::new(vec![true]).uses(user(0, false), 0..4, Use::Store), None);
    }
}
