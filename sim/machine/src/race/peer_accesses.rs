// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Accesses to the shared memory of another CTA of the cluster, which exists from the start of that CTA to its exit. An access before the
//! start is a late entry, one that the exit does not wait for is an early exit. Start and exit are matters of execution, not of memory
//! order, so a relaxed arrival at the barrier of the cluster orders them too. A CTA counts as synchronised with all CTAs of its cluster as
//! soon as it has synchronised with one of them.

use super::clock::{Clock, Source};
use super::lifetimes::{EarlyExit, Lifetimes, RemoteOp, Writer};
use super::order::before::Mark;
use super::strong::StrongAccess;
use super::warps::{Issuer, Stream};
use super::words::words;
use super::{Access, Bank, Races};
use crate::report::Change;
use bcu_program::Place;

impl Races {
    /// Whether nothing orders the present accesses of a CTA after the start of the other CTAs of its cluster.
    pub fn may_enter_late(&self, cta: usize) -> bool {
        !self.lifetimes.synchronised.contains(&cta)
    }

    /// Records an operation of a warp on an mbarrier of the CTA with number `to`, before the operation releases.
    pub(super) fn remote_op(&mut self, issuer: Issuer, (to, lanes): (usize, u64), place: &Place) {
        let warp = self.warp(issuer);
        let (source, step) = (warp.source(Stream::Program), warp.step);
        let ops = self.lifetimes.remote_ops.entry(to).or_default();
        // Program order: a wait for this operation also waits for the earlier ones of these lanes.
        ops.retain(|op| op.source != source || op.lanes & !lanes != 0);
        ops.push(RemoteOp { issuer, source, lanes, step, place: place.clone() });
    }

    /// Records that an access is performed. A strong load that reads what another CTA has stored by a strong access follows that store,
    /// whatever their orders and scopes. That CTA may be of another cluster, which has met this cluster at a barrier of the grid.
    pub(super) fn follow_stores(&mut self, issuer: Issuer, access: &Access, strong: Option<&StrongAccess>) {
        let source = self.warp(issuer).source(Stream::Program);
        let lifetimes = &mut self.lifetimes;
        for part in &access.parts {
            for (word, bytes) in words(access, part) {
                let of_word = if strong.is_some_and(|strong| strong.observes) { lifetimes.writers.get(&word) } else { None };
                let of_peers = |writer: &&Writer| writer.cta != issuer.cta && writer.bytes & bytes != 0;
                for peer in of_word.into_iter().flatten().filter(of_peers) {
                    lifetimes.synchronised.insert(issuer.cta);
                    let executed = lifetimes.executed.entry(issuer.cta).or_default();
                    executed.raise(peer.source, (1 << peer.lane, issuer.width), |_| peer.step);
                }
                if !access.stores() {
                    continue;
                }
                let writers = lifetimes.writers.entry(word).or_default();
                if access.is_atomic() {
                    writers.retain(|writer| (writer.source, writer.lane, writer.bytes) != (source, part.lane, bytes));
                } else {
                    writers.iter_mut().for_each(|writer| writer.bytes &= !bytes);
                    writers.retain(|writer| writer.bytes != 0);
                }
                match strong {
                    Some(strong) => {
                        writers.push(Writer { cta: issuer.cta, source, step: strong.step, lane: part.lane, bytes });
                    }
                    None if writers.is_empty() => drop(lifetimes.writers.remove(&word)),
                    None => {}
                }
            }
        }
    }

    /// Records that a warp exits after `phases` arrivals at the barrier of its cluster. The barrier no longer waits for the warp.
    pub fn exits(&mut self, issuer: Issuer, phases: u64) {
        if issuer.has_peers {
            let warp = self.warp(issuer);
            let exited = (phases, warp.source(Stream::Program), warp.step);
            self.lifetimes.exited.entry(issuer.cluster).or_default().push(exited);
        }
    }

    /// Records that a CTA has waited for phase `phase` of the barrier of its cluster: all accesses of warps that have exited before they
    /// arrived in this phase were executed.
    pub(super) fn follow_exits(&mut self, issuer: Issuer, phase: u64) {
        let Lifetimes { exited, executed, .. } = &mut self.lifetimes;
        let executed = executed.entry(issuer.cta).or_default();
        for (_, source, step) in exited.get(&issuer.cluster).into_iter().flatten().filter(|(phases, ..)| *phases < phase) {
            executed.raise_all(*source, *step);
        }
    }

    /// The accesses of other CTAs to the shared memory of a CTA that exits now, and their operations on its mbarriers, that are not ordered
    /// before its exit; one for each location.
    pub fn early_exits(&mut self, cta: usize) -> Vec<EarlyExit> {
        self.lifetimes.ended.insert(cta);
        let mut before = self.lifetimes.executed.remove(&cta).unwrap_or_default();
        let mut ordered = Clock::default();
        let warps = self.warps.iter().filter(|((of, _), _)| *of == cta);
        for lane in warps.flat_map(|(_, warp)| &warp.lanes) {
            lane.add_to(&mut before);
            ordered.join(&lane.known.seen);
        }
        // Lanes of a warp meet in many ways that order no memory, such as `shfl`, so one lane stands for its warp.
        let is_before = |source: Source, step: u32| before.last(source) >= step;
        let mut found: Vec<EarlyExit> = vec![];
        let order = &mut self.order;
        let mut add = |cta: usize, warp: usize, does: &'static str, place: &Place| {
            if !self.lifetimes.relaxed.contains(&cta) && !found.iter().any(|known| known.place == *place) {
                found.push(EarlyExit { cta, warp, does, place: place.clone() });
            }
        };
        for (touch, stores) in self.shadow.touches(Bank::Shared(cta)) {
            let event = self.events.get(touch.event);
            if event.cta as usize != cta && ordered.last(event.source) < event.step {
                let mark = Mark::of_warp((event.cta as usize, event.warp as usize), &self.places[event.place as usize]);
                order.add(Change::ExitOfCta, &mark, (None, true));
            }
            if event.cta as usize != cta && !is_before(event.source, event.step) {
                let does = if stores { "stores to" } else { "reads" };
                add(event.cta as usize, event.warp as usize, does, &self.places[event.place as usize]);
            }
        }
        for mark in order.remote.remove(&cta).into_iter().flatten().filter(|mark| ordered.last(mark.source) < mark.step) {
            order.add(Change::ExitOfCta, &mark, (None, true));
        }
        for op in self.lifetimes.remote_ops.get(&cta).into_iter().flatten() {
            if !is_before(op.source, op.step) {
                add(op.issuer.cta, op.issuer.warp, "arrives at an mbarrier in", &op.place);
            }
        }
        found.sort_by_key(|exit| (exit.cta, exit.warp, exit.place.line));
        found
    }
}
