// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Untimed semantics of `mem_order`: the operations of a warp that wait for its memory accesses, and the warps that wait at fences
//! (`docs/contract/mem_order.md`).

use super::bits::assign;
use super::gather::Carried;
use super::in_place::clone_in_place;
use super::op::{Code, Kind, Operation};
use super::sizes::Sizes;

/// The state of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpAccesses {
    /// The present epoch, 0 or 1.
    pub epoch: bool,
    /// Accesses outstanding, by the epoch in which they were issued.
    pub outstanding: [u32; 2],
    /// The parked operations, the oldest first.
    pub parked: [Option<Carried>; 3],
    /// At least one of the operations parked since all places were last free can make the warp wait.
    pub waits: bool,
    /// The warp waits at a fence.
    pub fenced: bool,
}

/// The sets of warps from which the outputs are formed, one bit per warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpSets {
    /// A parked operation of the warp was picked, and has not had its effects.
    pub picked_pending: u64,
    /// The pending picked operation was picked while the warp was held.
    pub held_until_commit: u64,
    /// The warp is at its access limit: its epoch may have no room for further accesses.
    pub access_limit: u64,
    /// An access is outstanding, in either epoch.
    pub outstanding: u64,
    /// The outputs that lag the state by one cycle (`Shown`).
    pub epoch: u64,
    pub parked: u64,
    pub full: u64,
    pub held: u64,
}

/// The outputs for a warp, which lag its state by one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub epoch: bool,
    /// An operation is parked, or the warp is fenced.
    pub parked: bool,
    /// At least two operations are parked.
    pub full: bool,
    pub held: bool,
}

/// The state of a warp at its look-up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    pub warp: u8,
    picked_pending: bool,
    outstanding: [u32; 2],
}

impl Look {
    fn is_busy(&self, epoch: bool) -> bool {
        self.outstanding[usize::from(epoch)] != 0
    }

    /// Whether an access of the warp is outstanding, in either epoch.
    fn has_outstanding_access(&self) -> bool {
        self.outstanding != [0, 0]
    }
}

impl WarpAccesses {
    /// The outputs that correspond to the present state.
    pub fn shows(&self) -> Shown {
        let full = self.parked[1].is_some();
        let parked = self.parked[0].is_some() || self.fenced;
        Shown { epoch: self.epoch, parked, full, held: full || self.waits || self.fenced }
    }
}

/// The decision on the head of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The operation is passed on.
    Passes,
    /// The operation is parked.
    Parks,
    /// The operation is a fence, at which its warp waits.
    Fences,
    /// All places that the operation may use are occupied (a Write may use none), so the operation remains the head of the queue.
    Waits,
}

/// Whether the operation passes regardless of the state of its warp.
fn never_waits(op: &Operation) -> bool {
    matches!(op.kind, Kind::Launch | Kind::Release) || op.kind == Kind::Exit && op.fault != Code::None
}

/// Whether the operation is an arrival, which takes effect after the accesses before it.
fn is_arrival(Carried { op, release, .. }: &Carried) -> bool {
    let arrives = matches!(op.kind, Kind::Sync | Kind::Arrive | Kind::Reduce | Kind::ClusterArrive)
        || op.kind == Kind::Mbarrier && *release;
    arrives && op.fault == Code::None
}

/// Whether the operation may make its warp wait.
fn waits(Carried { op, request, .. }: &Carried) -> bool {
    matches!(op.kind, Kind::Sync | Kind::Reduce | Kind::ClusterWait | Kind::GridWait)
        || op.kind == Kind::Mbarrier && request.kind.waits()
}

clone_in_place! {
    /// The state of all warps. Warp numbers are truncated to the width of their ports.
    #[derive(Debug, PartialEq)]
    pub struct Accesses {
        sizes: Sizes,
        /// Asynchronous copies outstanding, one number per CTA slot.
        copies: Vec<u32>,
        warps: Vec<WarpAccesses>,
        sets: WarpSets,
    }
}

impl Accesses {
    /// The state after reset: no access outstanding, no operation parked.
    pub fn new(sizes: Sizes) -> Accesses {
        let warps = vec![WarpAccesses::default(); sizes.warp_numbers()];
        Accesses { sizes, copies: vec![0; sizes.cta_slots()], warps, sets: WarpSets::default() }
    }

    /// The sets of warps, which include warp numbers that are not built.
    pub fn sets(&self) -> &WarpSets {
        &self.sets
    }

    /// The state of the warp with this number.
    pub fn warp(&self, warp: u8) -> &WarpAccesses {
        &self.warps[self.index(warp)]
    }

    /// Counts the accesses issued and performed in a cycle, each given as a warp and an epoch. The counts wrap. After the issues and before
    /// the performs are counted, an issuing warp with a high count (`is_high`) reaches its access limit.
    pub fn account(&mut self, issues: &[Option<(u8, bool)>], performs: &[Option<(u8, bool)>]) {
        let last = (self.sizes.max_outstanding() + 1).next_power_of_two() - 1;
        for (warp, epoch) in issues.iter().flatten() {
            let number = &mut self.numbers(*warp)[usize::from(*epoch)];
            *number = (*number + 1) & last;
        }
        for (warp, epoch) in issues.iter().flatten() {
            let (index, number) = (self.index(*warp), self.numbers(*warp)[usize::from(*epoch)]);
            self.sets.access_limit |= u64::from(self.is_high(number)) << index;
        }
        for (warp, epoch) in performs.iter().flatten() {
            let number = &mut self.numbers(*warp)[usize::from(*epoch)];
            *number = number.wrapping_sub(1) & last;
        }
        for (warp, _) in issues.iter().chain(performs).flatten() {
            let index = self.index(*warp);
            assign(&mut self.sets.outstanding, index, self.warps[index].outstanding != [0, 0]);
        }
    }

    fn numbers(&mut self, warp: u8) -> &mut [u32; 2] {
        let index = self.index(warp);
        &mut self.warps[index].outstanding
    }

    /// Whether further accesses could exceed the maximum, if `number` accesses are outstanding. `number` lacks the accesses issued in the
    /// cycle before and in this one, so the accesses of two cycles must fit.
    fn is_high(&self, number: u32) -> bool {
        number > self.sizes.max_outstanding() - 2 * self.sizes.accesses_per_cycle() as u32
    }

    /// Whether the warp's present epoch had room for further accesses at the look-up.
    pub fn has_room(&self, look: &Look) -> bool {
        !self.is_high(look.outstanding[usize::from(self.warp(look.warp).epoch)])
    }

    /// Whether a look-up of the scan would change nothing of this warp: it would pick no operation, end no fence, and find no room for a
    /// warp at its access limit.
    pub fn is_unchanged_by_look(&self, warp: u8) -> bool {
        let (look, state) = (self.look(warp), self.warp(warp));
        let picks = state.parked[0].is_some() && !look.is_busy(!state.epoch);
        let ends = state.fenced && state.parked[0].is_none() && !look.has_outstanding_access();
        let relieves = self.sets.access_limit >> look.warp & 1 != 0 && self.has_room(&look);
        !relieves && (look.picked_pending || !picks && !ends)
    }

    /// Records that the warp is no longer at its access limit.
    pub fn relieve(&mut self, warp: u8) {
        self.sets.access_limit &= !(1 << self.index(warp));
    }

    /// Counts a copy that a CTA issues, and a copy that is performed; both may be the same copy. An issue at the limit, a perform without a
    /// copy and a CTA slot that is not built are ignored.
    pub fn copy(&mut self, issue: Option<u8>, perform: Option<u8>) {
        let most = self.sizes.max_copies();
        if let Some(copies) = issue.and_then(|cta| self.copies.get_mut(usize::from(cta))) {
            *copies = (*copies + 1).min(most);
        }
        if let Some(copies) = perform.and_then(|cta| self.copies.get_mut(usize::from(cta))) {
            *copies = copies.saturating_sub(1);
        }
    }

    /// The CTA slots with at least `least` copies outstanding, one bit per slot.
    pub fn copying(&self, least: u32) -> u64 {
        self.copies.iter().enumerate().filter(|(_, copies)| **copies >= least).fold(0, |slots, (slot, _)| slots | 1 << slot)
    }

    /// Looks up a warp: its numbers of outstanding accesses, and whether a picked operation of the warp is pending.
    pub fn look(&self, warp: u8) -> Look {
        let index = self.index(warp);
        let picked_pending = self.sets.picked_pending >> index & 1 != 0;
        Look { warp: index as u8, picked_pending, outstanding: self.warps[index].outstanding }
    }

    /// The decision on an operation of the warp that was looked up.
    pub fn decide(&self, carried: &Carried, look: &Look) -> Decision {
        let Carried { op, from_instr, .. } = carried;
        let parked_count = self.warp(look.warp).parked.iter().flatten().count();
        // The third place is for operations that no instruction has caused.
        let places = match op.kind {
            Kind::Write => 0,
            _ if *from_instr => 2,
            _ => 3,
        };
        match parked_count {
            _ if op.kind == Kind::Fence && op.fault == Code::None => Decision::Fences,
            _ if never_waits(op) => Decision::Passes,
            0 if !look.picked_pending && !(is_arrival(carried) && look.has_outstanding_access()) => Decision::Passes,
            parked_count if parked_count < places => Decision::Parks,
            _ => Decision::Waits,
        }
    }

    /// Parks an operation of the warp that was looked up, after the decision to park it.
    pub fn park(&mut self, operation: Carried, look: &Look) {
        let warp = &mut self.warps[usize::from(look.warp)];
        match warp.parked.iter().position(Option::is_none) {
            // Later accesses of the warp belong to the next epoch; this operation does not wait for them.
            Some(0) => (warp.parked[0], warp.epoch, warp.waits) = (Some(operation), !warp.epoch, waits(&operation)),
            Some(place) => (warp.parked[place], warp.waits) = (Some(operation), warp.waits || waits(&operation)),
            None => {}
        }
    }

    /// Removes and returns the first parked operation of the warp that was looked up, if no access or operation before it is outstanding.
    pub fn pick(&mut self, look: &Look) -> Option<Carried> {
        let warp = &mut self.warps[usize::from(look.warp)];
        let [first, second, third] = warp.parked;
        if look.picked_pending || look.is_busy(!warp.epoch) {
            return None;
        }
        let first = first?;
        warp.parked = [second, third, None];
        match second {
            Some(_) => warp.epoch = !warp.epoch,
            None => warp.waits = false,
        }
        Some(first)
    }

    /// Applies a fence of the warp that was looked up: the warp is fenced if an access or operation before the fence is outstanding.
    pub fn fence(&mut self, look: &Look) {
        let warp = &mut self.warps[usize::from(look.warp)];
        warp.fenced |= warp.parked[0].is_some() || look.picked_pending || look.has_outstanding_access();
    }

    /// Ends the fence of the warp that was looked up, if no access or operation before it is outstanding. Returns whether the fence has
    /// ended.
    pub fn end(&mut self, look: &Look) -> bool {
        let warp = &mut self.warps[usize::from(look.warp)];
        let is_fence_end = warp.fenced && warp.parked[0].is_none() && !look.picked_pending && !look.has_outstanding_access();
        warp.fenced &= !is_fence_end;
        is_fence_end
    }

    /// Records that operations of these warps, one bit per warp, have had their effects.
    pub fn commit(&mut self, warps: u64) {
        self.sets.picked_pending &= !warps;
        self.sets.held_until_commit &= self.sets.picked_pending;
    }

    /// Updates the outputs for a warp; `passes`: a parked operation of the warp was picked; `holds`: the warp was held then.
    pub fn show(&mut self, warp: u8, shown: Shown, passes: bool, holds: bool) {
        let (index, sets) = (self.index(warp), &mut self.sets);
        assign(&mut sets.epoch, index, shown.epoch);
        assign(&mut sets.parked, index, shown.parked);
        assign(&mut sets.full, index, shown.full);
        assign(&mut sets.held, index, shown.held);
        sets.picked_pending |= u64::from(passes) << index;
        sets.held_until_commit |= u64::from(holds) << index;
    }

    /// The output `epoch` of a warp.
    pub fn shown_epoch(&self, warp: u8) -> bool {
        self.sets.epoch >> self.index(warp) & 1 != 0
    }

    fn index(&self, warp: u8) -> usize {
        usize::from(warp) & (self.sizes.warp_numbers() - 1)
    }
}
