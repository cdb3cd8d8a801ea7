// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The clocks of a warp and of its lanes.

use super::clock::{join, Clock, Source};
use super::copies::Copies;
use super::event::common_scope;
use super::known::{level, Known, Release, FENCED, GLOBAL, LEVELS, MAP, MAP_RELEASED, SHARED};
use super::lane::{Lane, Needed};
use super::product_groups::ProductGroups;
use crate::memory::Bank;
use crate::warp::threads::bits;
use crate::warp::Group;
use bcu_program::{Fence, MapFence, Scope};
use std::rc::Rc;

/// The warp that issues an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Issuer {
    pub grid: usize,
    pub cta: usize,
    /// The first CTA of the cluster.
    pub cluster: usize,
    /// Whether the cluster has several CTAs.
    pub has_peers: bool,
    pub warp: usize,
    /// The number of lanes of the warp.
    pub width: usize,
}

/// The sources of the accesses of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    /// Accesses in program order.
    Program,
    /// Copies of `cp.async`.
    Plain,
    /// Reads of bulk copies that are waited for in groups.
    BulkRead,
    /// Writes of bulk copies that are waited for in groups.
    BulkWrite,
    /// Reads of products of a warpgroup.
    Product,
    /// Work on the tensor core (`tcgen05`).
    TensorCore,
    /// Loads from, and stores to, tensor memory.
    TensorLoad,
    TensorStore,
}

/// The number of streams of a warp.
const STREAMS: u32 = 8;

#[derive(Debug)]
pub(super) struct Warp {
    /// The number of the warp in the run.
    number: u32,
    pub(super) issuer: Issuer,
    /// The present step. A release ends it, so that the released clocks do not include later accesses.
    pub(super) step: u32,
    /// The last step whose accesses are performed before the next operation of the warp: those before a fence, or before a barrier at which
    /// the warp has waited.
    pub(super) performed: u32,
    /// The last step whose operations have taken effect before the next operation of the warp: also those before a wait at an mbarrier.
    effective: u32,
    pub(super) lanes: Vec<Lane>,
    /// The copies that the warp waits for in groups.
    pub(super) copies: Copies,
    pub(super) products: ProductGroups,
}

impl Warp {
    pub(super) fn new(number: u32, issuer: Issuer) -> Warp {
        let known = Known::default();
        let lanes = (0..issuer.width).map(|_| Lane::new(known.clone())).collect();
        Warp {
            number,
            issuer,
            step: 1,
            performed: 0,
            effective: 0,
            lanes,
            copies: Copies::default(),
            products: ProductGroups::default(),
        }
    }

    pub(super) fn source(&self, stream: Stream) -> Source {
        Source(self.number * STREAMS + stream as u32)
    }

    /// All lanes, as a mask.
    pub(super) fn all(&self) -> u64 {
        u64::MAX >> (64 - self.lanes.len().clamp(1, 64))
    }

    /// Ends the present step, and returns what the lanes `lanes` have released in it and before it.
    pub(super) fn release(&mut self, lanes: u64) -> Known {
        let (program, width) = (self.source(Stream::Program), self.lanes.len());
        let mut released = Known::default();
        bits(lanes).filter_map(|lane| self.lanes.get(lane)).for_each(|lane| released.join(&lane.known));
        let in_range = (lanes & self.all(), width);
        let step = self.step;
        Rc::make_mut(&mut released.seen).raise(program, in_range, |_| step);
        for space in 0..FENCED {
            if bits(in_range.0).any(|lane| self.lanes[lane].own_fenced[space] > 0) {
                Rc::make_mut(&mut released.fenced[space]).raise(program, in_range, |lane| self.lanes[lane].own_fenced[space]);
            }
        }
        for level in 0..LEVELS {
            if bits(in_range.0).any(|lane| self.lanes[lane].own_sc[level] > 0) {
                let fenced = &mut released.sc_mut().fenced[level];
                Rc::make_mut(fenced).raise(program, in_range, |lane| self.lanes[lane].own_sc[level]);
            }
        }
        self.step += 1;
        released
    }

    /// What a strong store of a lane releases to a later `fence.sc` of a thread within the scope of level `level`: the accesses before the
    /// fences `fence.sc` of this scope or a wider one that are ordered before the store.
    pub(super) fn sc_release(&self, lane: usize, level: usize) -> Option<Rc<Release>> {
        let Lane { known, own_sc, .. } = &self.lanes[lane];
        let fenced = known.sc.as_ref().map(|sc| &sc.fenced[level]).filter(|fenced| !fenced.is_empty());
        (own_sc[level] > 0 || fenced.is_some()).then(|| {
            let known = Known { seen: fenced.cloned().unwrap_or_default(), ..Known::default() };
            Rc::new(Release { known, step: own_sc[level], fenced: [0; FENCED], sc: [0; LEVELS], ..self.release_of(lane) })
        })
    }

    /// What one lane releases at this point. The caller ends the step.
    pub(super) fn release_of(&self, lane: usize) -> Release {
        let Lane { known, own_fenced, own_sc, .. } = &self.lanes[lane];
        Release {
            known: known.clone(),
            source: self.source(Stream::Program),
            lane,
            width: self.lanes.len(),
            step: self.step,
            fenced: *own_fenced,
            sc: *own_sc,
        }
    }

    pub(super) fn acquire(&mut self, lanes: u64, known: &Known) {
        bits(lanes).for_each(|lane| {
            if let Some(lane) = self.lanes.get_mut(lane) {
                lane.known.join(known);
            }
        });
    }

    /// Records that the lanes `lanes` synchronise with each other.
    pub(super) fn meet(&mut self, lanes: u64) {
        let released = self.release(lanes);
        self.acquire(lanes, &released);
    }

    /// Records that the lanes `lanes` execute a fence, after `events` events of the run.
    pub(super) fn fence(&mut self, lanes: u64, fence: &Fence, events: u32) {
        for number in bits(lanes & self.all()) {
            if let Some(scope) = fence.acquires {
                let lane = &mut self.lanes[number];
                for [observed, by_sc] in &mut lane.observed[..=level(scope)] {
                    let by_sc = if fence.is_sc { by_sc.take() } else { None };
                    observed.take().iter().chain(&by_sc).for_each(|known| lane.known.join(known));
                }
                lane.last_acquire[..=level(scope)].fill(events);
                if fence.is_sc {
                    lane.last_sc[..=level(scope)].fill(events);
                    lane.acquire_by_sc(scope);
                }
            }
            if let Some(scope) = fence.releases.filter(|_| fence.is_sc) {
                let lane = &mut self.lanes[number];
                let seen = lane.known.seen.clone();
                lane.known.sc_mut().fenced[..=level(scope)].iter_mut().for_each(|fenced| join(fenced, &seen));
                lane.own_sc[..=level(scope)].fill(self.step);
            }
            for (space, orders) in [(SHARED, fence.async_proxy.shared), (GLOBAL, fence.async_proxy.global)] {
                if orders {
                    let lane = &mut self.lanes[number];
                    let seen = lane.known.seen.clone();
                    join(&mut lane.known.fenced[space], &seen);
                    lane.own_fenced[space] = self.step;
                }
            }
            match fence.tensor_maps {
                MapFence::None => {}
                MapFence::Release => self.release_maps(number),
                MapFence::Acquire => {
                    let lane = &mut self.lanes[number];
                    let released = lane.known.fenced[MAP_RELEASED].clone();
                    join(&mut lane.known.fenced[MAP], &released);
                    lane.own_fenced[MAP] = lane.own_fenced[MAP_RELEASED];
                }
            }
            if fence.releases_inits {
                self.lanes[number].init_fence = Some((self.lanes[number].known.seen.clone(), self.step));
            }
            if let Some(scope) = fence.releases {
                let release = Rc::new(self.release_of(number));
                self.lanes[number].fences[..=level(scope)].fill(Some(release));
            }
        }
        self.performed = self.step;
        self.step += 1;
    }

    /// Records that a lane releases its accesses, and those ordered before it, to reads of tensor maps after a fence that acquires them.
    fn release_maps(&mut self, number: usize) {
        let lane = &mut self.lanes[number];
        let seen = lane.known.seen.clone();
        join(&mut lane.known.fenced[MAP_RELEASED], &seen);
        lane.own_fenced[MAP_RELEASED] = self.step;
    }

    /// Records that the lanes `lanes` together copy a tensor map and release it.
    pub(super) fn copy_map(&mut self, lanes: u64) {
        bits(lanes & self.all()).for_each(|number| self.release_maps(number));
        self.meet(lanes);
    }

    /// What a relaxed operation of the lanes `lanes` releases to threads within `scope`: what fences have released before it.
    pub(super) fn fenced_release(&self, lanes: u64, scope: Scope) -> Known {
        let (program, width) = (self.source(Stream::Program), self.lanes.len());
        let mut released = Known::default();
        for number in bits(lanes & self.all()) {
            let lane = &self.lanes[number];
            if let Some(release) = &lane.fences[level(scope)] {
                released.acquire(release);
            }
            if let Some((inits, step)) = &lane.init_fence {
                join(&mut released.inits, inits);
                Rc::make_mut(&mut released.inits).raise(program, (1 << number, width), |_| *step);
            }
        }
        released
    }

    /// As `fenced_release`, for an arrival. It also orders what its lanes have executed before it. Ends the present step.
    pub(super) fn relaxed_release(&mut self, lanes: u64, scope: Scope) -> Known {
        let mut released = self.fenced_release(lanes, scope);
        join(&mut released.executed, &Rc::new(self.executed(lanes, self.step)));
        self.step += 1;
        released
    }

    /// Ends the present step after a wait at an mbarrier: the operations of a warp take effect in program order.
    pub(super) fn has_waited(&mut self) {
        self.effective = self.step;
        self.step += 1;
    }

    /// The last step whose operations have taken effect before the next operation of the warp.
    pub(super) fn effective(&self) -> u32 {
        self.effective.max(self.performed)
    }

    /// The operations that are executed before the next operation of the lanes `lanes` together: those that the lanes have waited for, and
    /// their own ones up to step `own`.
    pub(super) fn executed(&self, lanes: u64, own: u32) -> Clock {
        let mut executed = Rc::new(Clock::default());
        for lane in bits(lanes & self.all()) {
            let known = &self.lanes[lane].known;
            join(&mut executed, &known.seen);
            join(&mut executed, &known.executed);
        }
        let mut executed = Rc::unwrap_or_clone(executed);
        executed.raise(self.source(Stream::Program), (lanes & self.all(), self.lanes.len()), |_| own);
        executed
    }

    /// Records that a strong load of a lane, issued as event `event`, has observed what stores to a word have released.
    pub(super) fn observe(
        &mut self,
        (lane, word): (usize, (Bank, u64)),
        (needed, released): (Needed, &Known),
        acquires: bool,
        event: u32,
    ) {
        let Some(lane) = self.lanes.get_mut(lane) else { return };
        // A load can be performed after a later fence of its lane has been issued. Such a fence also acquires what the load observes.
        let fences = if needed.sc { lane.last_sc } else { lane.last_acquire };
        if acquires && !needed.sc || event < fences[level(needed.scope)] {
            lane.known.join(released);
        } else {
            lane.keep_observed(needed, released);
            if !needed.sc {
                lane.observed_at.entry(word).or_default()[level(needed.scope)].get_or_insert_default().join(released);
            }
        }
    }

    /// Records that a relaxed wait of lanes has observed a phase of an mbarrier, to which `passed` was released.
    pub(super) fn observe_phase(&mut self, lanes: u64, passed: &Known) {
        let needed = Needed { scope: Scope::Cta, sc: false };
        for lane in bits(lanes & self.all()) {
            self.lanes[lane].keep_observed(needed, passed);
            let executed = &mut self.lanes[lane].known.executed;
            join(executed, &passed.seen);
            join(executed, &passed.executed);
        }
    }

    /// Whether an access is ordered before lane `lane` of this warp, by program order or by synchronisation of lanes or warps. The access
    /// is step `step` of the stream `source`, by the lane with number `of`.
    pub(super) fn sees(&self, lane: usize, source: Source, of: usize, step: u32) -> bool {
        let by_program = source == self.source(Stream::Program) && of == lane;
        by_program || self.lanes[lane].known.seen.step(source, of) >= step
    }

    /// As `sees`, for the order before an asynchronous copy that lane `lane` starts, or before its read of a tensor map: an access by the
    /// generic proxy must also have been followed by the fences of that proxy.
    pub(super) fn sees_fenced(&self, lane: usize, space: usize, source: Source, of: usize, step: u32) -> bool {
        let by_program = source == self.source(Stream::Program) && of == lane && self.lanes[lane].own_fenced[space] >= step;
        by_program || self.lanes[lane].known.fenced[space].step(source, of) >= step
    }

    /// Whether the init of an mbarrier is ordered before lane `lane` of this warp. The init is step `step` of the stream `source`, by the
    /// lane with number `of`.
    pub(super) fn sees_init(&self, lane: usize, source: Source, of: usize, step: u32) -> bool {
        self.sees(lane, source, of, step) || self.lanes[lane].known.inits.step(source, of) >= step
    }

    /// Records that a lane has waited for the copies of its groups before `end`: for all of each copy, or only until its source was read.
    pub(super) fn waited_for(&mut self, lane: usize, end: Group, only_read: bool) {
        let Some(last) = self.copies.waited_for(lane, end, only_read) else { return };
        let streams: &[Stream] = match (end.bulk, only_read) {
            (false, _) => &[Stream::Plain],
            (true, true) => &[Stream::BulkRead],
            (true, false) => &[Stream::BulkRead, Stream::BulkWrite],
        };
        for stream in streams {
            let source = self.source(*stream);
            Rc::make_mut(&mut self.lanes[lane].known.seen).raise(source, (1 << lane, self.issuer.width), |_| last);
        }
    }

    /// The smallest scope that includes this warp and a thread of another CTA or cluster.
    pub(super) fn common_scope(&self, (cta, cluster): (u32, u32)) -> Scope {
        common_scope((self.issuer.cta as u32, self.issuer.cluster as u32), (cta, cluster))
    }
}
