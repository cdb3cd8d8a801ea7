// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which operations of a warp wait for its memory accesses, and which warps wait at fences, without time (`docs/interface.md`, `order`).

use super::gather::Carried;
use super::op::{Code, Kind, Operation};
use super::sizes::Sizes;

/// What is known of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warp {
    /// The present epoch, 0 or 1.
    pub epoch: bool,
    /// Accesses outstanding, by the epoch in which they were issued.
    pub outstanding: [u32; 2],
    /// Operations that wait here, the oldest first.
    pub parked: [Option<Carried>; 3],
    /// The first of them was passed on, and has not had its effects.
    pub passed: bool,
    /// Of those that were parked since nothing was, one is a wait.
    pub waits: bool,
    /// It is at a fence.
    pub fenced: bool,
}

impl Warp {
    /// Its first parked operation has nothing to wait for any more.
    pub fn is_eligible(&self) -> bool {
        self.parked[0].is_some() && !self.passed && self.outstanding[usize::from(!self.epoch)] == 0
    }

    /// Nothing of it is on its way to `named` from here, and no access is outstanding: what a fence waits for.
    fn is_quiet(&self) -> bool {
        self.parked[0].is_none() && self.outstanding == [0, 0]
    }

    /// Puts an operation into the first place: accesses from here on are not its own.
    fn park_first(&mut self, operation: Carried) {
        self.parked[0] = Some(operation);
        self.epoch = !self.epoch;
    }
}

/// What becomes of the oldest operation in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Passes,
    Parks,
    /// It is a fence, at which its warp waits.
    Fences,
    /// The places of its warp that it may take are taken.
    Stays,
}

/// An operation that nothing of its warp holds back.
fn never_waits(op: &Operation) -> bool {
    matches!(op.kind, Kind::Launch | Kind::Release) || op.kind == Kind::Exit && op.fault != Code::None
}

/// An arrival, which takes effect after the accesses before it.
fn is_arrival(Carried { op, release, .. }: &Carried) -> bool {
    let arrives = matches!(op.kind, Kind::Sync | Kind::Arrive | Kind::Reduce | Kind::ClusterArrive)
        || op.kind == Kind::Mbarrier && *release;
    arrives && op.fault == Code::None
}

/// Its warp may have to wait for what it waits for.
fn waits(Carried { op, request, .. }: &Carried) -> bool {
    matches!(op.kind, Kind::Sync | Kind::Reduce | Kind::ClusterWait | Kind::GridWait)
        || op.kind == Kind::Mbarrier && request.kind.waits()
}

/// All warps. Warp numbers are cut to the width of their ports.
#[derive(Clone, Debug)]
pub struct Accesses {
    sizes: Sizes,
    /// Asynchronous copies outstanding, by CTA slot.
    copies: Vec<u32>,
    warps: Vec<Warp>,
}

impl Accesses {
    /// The state after reset: nothing outstanding, nothing parked.
    pub fn new(sizes: Sizes) -> Accesses {
        Accesses { sizes, copies: vec![0; sizes.cta_slots()], warps: vec![Warp::default(); sizes.warps()] }
    }

    /// The warp of this number.
    pub fn warp(&self, warp: u8) -> &Warp {
        &self.warps[self.index(warp)]
    }

    /// The strobes of a cycle, warps and epochs, one pair after another: a warp issues an access; one is performed, which may be that very
    /// one. An issue at the limit and a perform without an access are ignored.
    pub fn account(&mut self, issues: &[Option<(u8, bool)>], performs: &[Option<(u8, bool)>]) {
        for (issue, perform) in issues.iter().zip(performs) {
            let of = |access: Option<(u8, bool)>| access.map(|(warp, epoch)| (self.index(warp), usize::from(epoch)));
            let (issue, perform) = (of(*issue), of(*perform));
            if let Some((warp, epoch)) = issue {
                let outstanding = &mut self.warps[warp].outstanding[epoch];
                *outstanding = (*outstanding + 1).min(self.sizes.max_outstanding());
            }
            if let Some((warp, epoch)) = perform {
                let outstanding = &mut self.warps[warp].outstanding[epoch];
                *outstanding = outstanding.saturating_sub(1);
            }
        }
    }

    /// A CTA issues a copy, and one is performed, which may be that very one. An issue at the limit, a perform without a copy and a slot that
    /// is not built are ignored.
    pub fn copy(&mut self, issue: Option<u8>, perform: Option<u8>) {
        let most = self.sizes.max_copies();
        if let Some(copies) = issue.and_then(|cta| self.copies.get_mut(usize::from(cta))) {
            *copies = (*copies + 1).min(most);
        }
        if let Some(copies) = perform.and_then(|cta| self.copies.get_mut(usize::from(cta))) {
            *copies = copies.saturating_sub(1);
        }
    }

    /// The slots of CTAs with so many copies outstanding at least.
    pub fn copying(&self, least: u32) -> u64 {
        self.copies.iter().enumerate().filter(|(_, copies)| **copies >= least).fold(0, |slots, (slot, _)| slots | 1 << slot)
    }

    /// What is to be done with an operation, as things stand.
    pub fn judge(&self, carried: &Carried) -> Verdict {
        let Carried { op, counted, .. } = carried;
        let warp = self.warp(op.warp);
        // The last place is for what no instruction has caused.
        let places = if *counted { 2 } else { 3 };
        match warp.parked.iter().flatten().count() {
            _ if op.kind == Kind::Fence && op.fault == Code::None => Verdict::Fences,
            _ if never_waits(op) => Verdict::Passes,
            0 if is_arrival(carried) && warp.outstanding != [0, 0] => Verdict::Parks,
            0 => Verdict::Passes,
            taken if taken < places => Verdict::Parks,
            _ => Verdict::Stays,
        }
    }

    /// Parks an operation that was judged so.
    pub fn park(&mut self, operation: Carried) {
        let index = self.index(operation.op.warp);
        let warp = &mut self.warps[index];
        warp.waits |= waits(&operation);
        match warp.parked.iter().position(Option::is_none) {
            Some(0) => warp.park_first(operation),
            Some(place) => warp.parked[place] = Some(operation),
            None => {}
        }
    }

    /// The first parked operation of a warp is passed on; it keeps its place.
    pub fn pass(&mut self, warp: u8) {
        let index = self.index(warp);
        self.warps[index].passed = true;
    }

    /// Operations of these warps have their effects: those that were parked leave their places.
    pub fn commit(&mut self, warps: u64) {
        for (_, warp) in self.warps.iter_mut().enumerate().filter(|(number, warp)| warp.passed && warps >> number & 1 != 0) {
            let [_, second, third] = warp.parked;
            (warp.parked, warp.passed) = ([None, third, None], false);
            match second {
                Some(second) => warp.park_first(second),
                None => warp.waits = false,
            }
        }
    }

    /// The warp comes to a fence.
    pub fn fence(&mut self, warp: u8) {
        let index = self.index(warp);
        self.warps[index].fenced = true;
    }

    /// The warps at a fence that has nothing to wait for any more.
    pub fn ending(&self) -> u64 {
        let ends = self.warps.iter().enumerate().filter(|(_, warp)| warp.fenced && warp.is_quiet());
        ends.fold(0, |warps, (number, _)| warps | 1 << number)
    }

    /// The fences of these warps end.
    pub fn end(&mut self, warps: u64) {
        self.warps.iter_mut().enumerate().for_each(|(number, warp)| warp.fenced &= warps >> number & 1 == 0);
    }

    /// The lowest warp whose first parked operation has nothing to wait for any more.
    pub fn eligible(&self) -> Option<u8> {
        self.warps.iter().position(Warp::is_eligible).map(|warp| warp as u8)
    }

    /// Whether a warp may not issue.
    pub fn holds(&self, warp: u8) -> bool {
        let warp = self.warp(warp);
        let room = self.sizes.max_outstanding() - warp.outstanding[usize::from(warp.epoch)];
        // Those of the cycle before are not seen yet.
        let at_limit = room < 2 * self.sizes.accesses_per_cycle() as u32;
        warp.fenced || warp.waits || warp.parked[1].is_some() || at_limit
    }

    fn index(&self, warp: u8) -> usize {
        usize::from(warp) & (self.sizes.warps() - 1)
    }
}
