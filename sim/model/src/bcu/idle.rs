// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Idle cycles of `bcu`: nothing happens in them, and only the parts advance that advance in every cycle. These are the walk of
//! `cta_table` with the observations of `deadlock_detector`, the scan of `mem_order`, and the time of `mbarrier`.

use super::Bcu;

impl Bcu {
    /// The number of idle cycles that follow while the inputs are those of the last cycle; 0 if the last cycle was not idle. `before` is the
    /// state at the beginning of the last cycle, which is changed.
    pub(crate) fn idle_cycles(&self, before: &mut Bcu) -> u64 {
        before.cta_table.adopt_walk(&self.cta_table);
        before.deadlock_detector.adopt_walks(&self.deadlock_detector);
        before.mem_order.adopt_scan(&self.mem_order);
        let mut until_time_out = u64::MAX;
        if let (Some(before), Some(mbarrier)) = (&mut before.mbarrier, &self.mbarrier) {
            before.ticks.adopt_time(&mbarrier.ticks);
            until_time_out = match mbarrier.is_clear() {
                true => mbarrier.ticks.cycles_without_time_out(mbarrier.suspended()),
                false => 0,
            };
        }
        // The outputs of the units follow from the rest of the state.
        before.wires = self.wires;
        let is_idle = *before == *self && self.cta_table.only_walks() && self.mem_order.only_scans();
        if !is_idle || until_time_out == 0 {
            return 0;
        }
        let wires = &self.wires;
        if wires.entered().is_some() || wires.named_transfer().is_some() || wires.named.implicit_conflict_valid {
            return 0;
        }
        let walked = self.cta_table.walked(wires.in_flight(), wires.stalled() | wires.gather.gathering);
        until_time_out.min(self.deadlock_detector.cycles_without_decision(&walked))
    }

    /// Advances by `cycles` idle cycles.
    pub(crate) fn idle(&mut self, cycles: u64) {
        if cycles == 0 {
            return;
        }
        let wires = &self.wires;
        let (in_flight, stalled) = (wires.in_flight(), wires.stalled() | wires.gather.gathering);
        self.deadlock_detector.walks(cycles, &self.cta_table.walked(in_flight, stalled));
        self.cta_table.walk(cycles, in_flight);
        self.mem_order.scan(cycles);
        self.mbarrier.iter_mut().for_each(|mbarrier| mbarrier.ticks.pass(cycles));
        self.sample();
    }
}
