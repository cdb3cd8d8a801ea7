// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decided operations on mbarriers, for an observer of the run.

use super::accepted::AcceptedInstr;
use super::mbarrier_log::MbarrierLog;
use super::object_event::ObjectEvent;
use bcu_model::mbarrier_state::Done;
use bcu_model::op::Code;

impl MbarrierLog {
    /// Returns the operations since the last call, and keeps those that follow. Without a call, none are kept.
    pub fn take_events(&self) -> Vec<ObjectEvent> {
        self.events.borrow_mut().replace(vec![]).unwrap_or_default()
    }

    /// Keeps an operation for [`MbarrierLog::take_events`]; to be called before the operation is recorded.
    pub(super) fn keep_event(
        &mut self,
        cta: usize,
        done: &Done,
        (accepted, sender): (Option<&AcceptedInstr>, Option<usize>),
        cycle: u64,
    ) {
        if done.fault != Code::None || self.events.get_mut().is_none() {
            return;
        }
        let event = ObjectEvent {
            cycle,
            cta,
            name: self.named(cta, done.address),
            kind: done.kind,
            warp: accepted.map(|accepted| accepted.warp),
            sender,
            place: accepted.map(|accepted| accepted.place.clone()),
            phase: self.phase(cta, done.address).unwrap_or(0),
            needed: done.after.or(done.before).map_or(0, |object| object.expected),
            arrivals: done.n,
            bytes: done.t,
            completes: done.completes,
        };
        self.events.get_mut().iter_mut().for_each(|events| events.push(event.clone()));
    }

    /// The number of the open phase of an mbarrier, from 0; `None` if there is no mbarrier at this address.
    pub fn phase(&self, cta: usize, address: u32) -> Option<u64> {
        self.entries.get(&(cta, address)).map(|entry| entry.phase)
    }
}
