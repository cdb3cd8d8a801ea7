// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Deferred arrivals at mbarriers: of `cp.async.mbarrier.arrive`, which wait for copies, and of commits, which wait for a latency.

use super::super::race::Landed;
use super::objects::BYTES;
use super::requests::{DeferredArrival, Message, ObjectSignal, OFFSET};
use super::Sm;
use crate::execute::env::Late;
use bcu_program::Place;

impl Sm<'_> {
    /// Performs the deferred arrivals that are due: their copies are done, or their latency has passed. Each is a signal with the count 1,
    /// because each may complete a phase, and the next one then arrives in the next phase. The unit would refuse a count that exceeds the
    /// pending arrivals of one phase.
    pub(super) fn deferred_arrivals(&mut self) {
        if self.objects.deferred.is_empty() {
            return;
        }
        let busy = self.pins.get(self.pins.at.busy) | self.pins.get(self.pins.at.waits_for_memory);
        let cycle = self.cycle;
        let warps = &self.warps;
        // An arrival must not overtake an operation of its warp that is still in the unit.
        let done = |arrival: &DeferredArrival| {
            let warp = &warps[arrival.warp];
            let copied = arrival.copies.is_none_or(|end| warp.copies.done_before(arrival.lane, end));
            let worked = arrival.work.is_none_or(|end| self.tensor_cores.has_performed(arrival.warp, arrival.lane, end));
            arrival.from <= cycle && busy >> warp.slot & 1 == 0 && copied && worked
        };
        let (done, still_deferred) = std::mem::take(&mut self.objects.deferred).into_iter().partition(done);
        self.objects.deferred = still_deferred;
        let done: Vec<DeferredArrival> = done;
        for DeferredArrival { warp, lane, cta, copies, work, object, copy, .. } in done {
            work.iter().for_each(|end| self.tensor_cores.commits(warp, lane, *end));
            let landed = match (copies, work) {
                (Some(last), _) => Some(Landed::Copies { lane, last: last as u32 }),
                (None, Some(last)) => Some(Landed::Work { lane, last }),
                (None, None) => None,
            };
            let landed = landed.map(|landed| (self.issuer(warp), landed));
            let copy = (self.number, copy);
            let Some(slot) = self.slot_of(cta) else {
                self.objects.outgoing.push(Message::Signal { cta, object, arrivals: 1, bytes: 0, copy, landed });
                continue;
            };
            self.objects.signals.push_back(ObjectSignal { slot, object, arrivals: 1, bytes: 0, copy, landed });
        }
    }

    /// Schedules an arrival of a lane at an mbarrier by the instruction at `place`; the arrival counts as copy number `copy`. It waits for
    /// the copies that the lane has started so far, or if it is a commit for the lane's work on the tensor core, and at least for the latency
    /// of a message within the multiprocessor.
    pub(super) fn arrive_later(&mut self, index: usize, late: Late, copy: u64, (place, is_commit): (&Place, bool)) {
        let Late { lane, cta, address } = late;
        let (copies, work, from) = match is_commit {
            false => (Some(self.warps[index].copies.next()), None, self.cycle + 2),
            true => (None, Some(self.tensor_cores.started(index, lane)), self.pipe.answer(self.cycle)),
        };
        if let Some(races) = &self.races {
            races.borrow_mut().arrives_later((self.issuer(index), lane), (cta, address & OFFSET), (place, is_commit));
        }
        let object = u64::from(address & OFFSET) / BYTES;
        self.objects.deferred.push(DeferredArrival { warp: index, lane, cta, copies, work, object, copy, from });
    }
}
