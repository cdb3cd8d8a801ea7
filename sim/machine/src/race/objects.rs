// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Order by mbarriers. An arrival releases the clocks of its warp to the open phase, and a wait for a phase acquires the clocks that were
//! released to that phase. A copy that signals an mbarrier is ordered before the waits for its phase.

use super::barriers::{Decided, Init, Landed, ObjectOp};
use super::clocks::{Clocks, Thread, Touch, NEVER};
use super::vector::VectorClock;
use super::Races;
use bcu_program::Place;
use std::ops::Range;

impl Races {
    /// Records a warp's operation in flight to an mbarrier; a releasing operation releases the earlier accesses of the warp.
    /// Returns the warp and location of the init, if the init is not ordered before the operation.
    pub fn mbarrier_op(&mut self, thread: Thread, op: &ObjectOp) -> Option<(usize, Place)> {
        let ObjectOp { object, releases, .. } = *op;
        let clocks = self.cta(thread);
        let first = clocks.unordered_init(thread, op);
        let released = clocks.arrival(thread.warp, releases);
        clocks.objects.issued.entry(thread.warp).or_default().push_back((object, released));
        first
    }

    /// Records a warp's operation in flight to an mbarrier of another CTA.
    pub fn remote_mbarrier_op(&mut self, thread: Thread, (to, object): (usize, u32), releases: bool) {
        let released = self.cta(thread).arrival(thread.warp, releases);
        self.remote.entry((thread.cta, to, object)).or_default().push_back(released);
    }

    /// Records that the unit has decided an operation on an mbarrier of CTA `cta`.
    pub fn decided(&mut self, cta: usize, decided: Decided) {
        let Decided { object, warp, sender, refused, completes } = decided;
        let remote_clock = sender.and_then(|from| self.remote.get_mut(&(from, cta, object))?.pop_front());
        let Some(clocks) = self.ctas.get_mut(&cta) else { return };
        let local_clock = warp.and_then(|warp| Some(clocks.objects.issued.get_mut(&warp)?.pop_front()?.1));
        let phases = clocks.objects.phases.entry(object).or_default();
        if let Some(clock) = local_clock.or(remote_clock).flatten().filter(|_| !refused) {
            phases.open.join(&clock);
        }
        if completes {
            let open = std::mem::take(&mut phases.open);
            phases.passed.join(&open);
        }
        if let Some(warp) = warp {
            clocks.objects.waits.insert(warp, object);
        }
    }

    /// Records that a warp has waited for a phase of the mbarrier of its last operation: it acquires the clocks released to that phase.
    pub fn waited(&mut self, thread: Thread) {
        let clocks = self.cta(thread);
        let Some(object) = clocks.objects.waits.get(&thread.warp) else { return };
        let passed = clocks.objects.phases.get(object).map_or(VectorClock::default(), |phases| phases.passed.clone());
        clocks.warps[thread.warp].join(&passed);
        clocks.meet_all(thread.warp);
    }

    /// Records that a copy completes: its bytes are written, and mbarrier `object` is signalled. If `landed` is a lane, all plain copies
    /// that the lane has started so far are complete.
    pub fn copy_landed(&mut self, thread: Thread, object: u32, landed: Landed) {
        let clocks = self.cta(thread);
        let clock = clocks.clock(thread.warp);
        let in_flight = std::mem::take(&mut clocks.objects.in_flight);
        let (lands, still_in_flight) = in_flight.into_iter().partition(|(to, range, _)| match &landed {
            Landed::Bytes(bytes) => *to == object && range.start <= bytes.start && bytes.end <= range.end,
            Landed::Lane(_) => false,
        });
        clocks.objects.in_flight = still_in_flight;
        let lands: Vec<(u32, Range<u64>, u64)> = lands;
        let happens = |clocks: &mut Clocks, range: Range<u64>, is_landed: &dyn Fn(&Touch) -> bool| {
            let lanes = clocks.lanes[thread.warp].clone();
            for (_, byte) in clocks.bytes.range_mut(range) {
                for touch in byte.write.iter_mut().chain(&mut byte.reads).filter(|touch| is_landed(touch)) {
                    touch.clock = clock;
                    touch.lane_clock = lanes[touch.lane][touch.lane];
                }
            }
        };
        match landed {
            Landed::Bytes(bytes) => {
                for (to, range, issue) in lands {
                    happens(clocks, bytes.clone(), &|touch| touch.issue == issue && touch.clock == NEVER);
                    // The other pieces of the copy complete later.
                    let rest_range = [range.start..bytes.start, bytes.end..range.end]
                        .into_iter()
                        .filter(|rest_range| !rest_range.is_empty());
                    clocks.objects.in_flight.extend(rest_range.map(|rest_range| (to, rest_range, issue)));
                }
            }
            Landed::Lane(lane) => happens(clocks, 0..u64::MAX, &|touch| {
                touch.clock == NEVER
                    && (touch.warp, touch.lane) == (thread.warp, lane)
                    && touch.group.is_some_and(|group| !group.bulk)
            }),
        }
        let released = clocks.warps[thread.warp].clone();
        clocks.objects.phases.entry(object).or_default().open.join(&released);
        clocks.tick(thread.warp);
    }
}

impl Clocks {
    /// The clocks that an arrival of a warp releases. A releasing arrival releases all earlier accesses; any other arrival releases only
    /// what fences of the warp have released.
    fn arrival(&mut self, warp: usize, releases: bool) -> Option<VectorClock> {
        if !releases {
            return self.cluster.fences.get(&warp).map(|released| released.accesses.clone());
        }
        let released = self.warps[warp].clone();
        self.tick(warp);
        Some(released)
    }

    /// If the operation is an init, records it. For any other operation, returns the warp and the location of the init of the mbarrier, if
    /// the init is not ordered before the operation; each init is returned at most once.
    fn unordered_init(&mut self, thread: Thread, op: &ObjectOp) -> Option<(usize, Place)> {
        let warp = thread.warp;
        let lane = op.lanes.trailing_zeros() as usize;
        if op.is_init {
            let clock = self.clock(warp);
            let lane_clock = self.lanes[warp].get(lane)?[lane];
            let place = op.place.clone();
            self.objects.inits.insert(op.object, Init { warp, lane, clock, lane_clock, place });
            return None;
        }
        let init = self.objects.inits.get(&op.object)?;
        let knows = |lane: usize| lane == init.lane || self.lanes[warp][lane][init.lane] >= init.lane_clock;
        let maker = (self.cta, init.warp);
        let sees = |inits: &VectorClock| inits.get(maker) >= init.clock;
        let ordered = match init.warp == warp {
            false => self.warps[warp].get(maker) >= init.clock || self.cluster.inits.get(&warp).is_some_and(sees),
            true => crate::warp::threads::bits(op.lanes).all(knows),
        };
        match ordered {
            true => None,
            false => self.objects.inits.remove(&op.object).map(|init| (init.warp, init.place)),
        }
    }

    /// Records a copy in flight, which writes the bytes `range` and signals mbarrier `object`.
    pub(super) fn copy_in_flight(&mut self, object: u32, range: Range<u64>, issue: u64) {
        self.objects.in_flight.push((object, range, issue));
    }
}
