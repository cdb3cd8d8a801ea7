// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether a multiprocessor has acted in a cycle, and when it may act next.

use super::Sm;

/// The smaller one of the first event so far and an event in cycle `event`, unless that is before `now`: then it has happened, and had no
/// effect alone.
fn earlier(first: u64, event: u64, now: u64) -> u64 {
    if event < now {
        first
    } else {
        first.min(event)
    }
}

impl Sm<'_> {
    /// The first cycle from the present one on in which the multiprocessor may act although the unit is idle; `None` if that is unknown.
    pub fn next_event(&self) -> Option<u64> {
        if self.has_acted() {
            return None;
        }
        let now = self.cycle;
        let mut first = self.next_of_memory().min(self.next_fault());
        for warp in self.resident_warps().filter(|warp| warp.exited.is_none()) {
            if warp.held_back.is_some() || warp.has_held_back() {
                return None;
            }
            // A warp is selected in the cycle before it issues.
            for issue in [warp.ready_at, warp.access_at] {
                first = earlier(first, issue.saturating_sub(1), now);
            }
        }
        Some(first)
    }

    /// Whether the multiprocessor has acted in the last cycle, or acts in the next one.
    fn has_acted(&self) -> bool {
        let memory = self.issued_accesses > 0 || !self.performing.is_empty();
        let copies = !self.copying.performed.is_empty() || self.copying.issued != [None; 2];
        let objects = !self.objects.signals.is_empty() || !self.objects.outgoing.is_empty();
        self.executed || memory || copies || objects
    }

    /// Whether the multiprocessor has no CTA, and nothing of one is in flight or at a port.
    pub fn is_unused(&self) -> bool {
        let is_empty = self.is_empty() && self.placed.is_empty() && !self.has_acted() && self.next_fault() == u64::MAX;
        is_empty && !self.pipe.busy() && !self.objects.busy() && !self.copying.busy() && !self.tensor_cores.busy()
    }

    /// The first cycle from the present one on in which the machine accepts the fault at the port; `u64::MAX` without a fault.
    fn next_fault(&self) -> u64 {
        match self.pins.get(self.pins.at.fault_valid) {
            0 => u64::MAX,
            _ => self.cycle.next_multiple_of(self.machine.fault_period.get().into()),
        }
    }

    /// The first cycle from the present one on in which an access or a request of the unit is due, or a deferred arrival may be performed.
    fn next_of_memory(&self) -> u64 {
        // An access and a response are driven in the cycle before they are due.
        let accesses = self.pipe.next_due().map(|due| due.saturating_sub(1));
        let response = self.objects.requests.front().map(|request| request.due.saturating_sub(1));
        let arrivals = self.objects.deferred.iter().map(|arrival| arrival.from);
        // A due access that was not performed is performed now.
        let due = accesses.into_iter().chain(response).chain(self.tensor_cores.next_due()).map(|cycle| cycle.max(self.cycle));
        arrivals.fold(due.min().unwrap_or(u64::MAX), |first, from| earlier(first, from, self.cycle))
    }
}
