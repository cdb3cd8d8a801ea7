// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the machine sees of the unit in a cycle: operations that pass inside, memory accesses, releases, results, lanes, faults.

use super::super::ledger::{Contradiction, Event, LaneStrobe, Reader, Release, Report, Writeback};
use super::super::passing::Passed;
use super::Sm;
use bcu_hw::ports::PortValue;
use bcu_hw::unit::op::FaultCode;

impl Sm<'_> {
    /// Operations enter `gather` and `named`.
    pub(super) fn passes(&mut self, [gather, named]: [Option<Passed>; 2]) -> Result<bool, Contradiction> {
        let mut events = vec![];
        // What enters `named` was in `gather` before.
        if let Some(passed) = named {
            events.extend(self.ledger.enters(self.cycle, passed)?);
        }
        if let Some(passed) = gather {
            events.extend(self.ledger.gathers(self.cycle, passed)?);
        }
        for event in events {
            match event {
                Event::Refused { warp, lanes } => self.warps[warp].waits_no_more(lanes),
                Event::Gathered { warp, lanes, id } => {
                    self.warps[warp].waits_no_more(lanes);
                    self.warps[warp].waits_at = Some(id);
                }
                Event::Goes { warp } => self.warps[warp].waits_at = None,
                Event::Waits { warp, id } => self.warps[warp].waits_at = Some(id),
                Event::NoResult { warp, result } => drop(self.warps[warp].forget(result)),
                Event::Exited { warp } => self.warps[warp].exiting = false,
            }
        }
        if let Some(passed) = named {
            if let Some(warp) = self.warp_slots.get(passed.warp).copied().flatten() {
                let warp = &mut self.warps[warp];
                warp.stopped = self.ledger.books[warp.cta].warps.get(warp.warp).and_then(|book| book.stopped());
                // `blocked` shows from the next cycle on that the operation has entered; an exit may have sent it, not its warp.
                warp.ready_at = warp.ready_at.max(self.cycle + 2);
            }
        }
        Ok(gather.is_some() || named.is_some())
    }

    /// Memory in this cycle: what was issued gets its epoch, and what is performed shows.
    pub(super) fn accesses(&mut self) {
        let at = self.pins.at.clone();
        if self.issuing {
            self.memory.epoch(self.pins.get(at.epoch));
            self.pins.set(at.issue_valid, 0);
            self.issuing = false;
        }
        if let Some(access) = self.performing.take() {
            self.pins.set(at.perform_valid, 0);
            let warp = &mut self.warps[access.warp];
            warp.loaded(&access.registers());
            for loaded in self.memory.perform(&access) {
                warp.values.set(loaded.register, loaded.lane, loaded.value);
            }
            warp.copies.performed(&access);
        }
        for index in self.warp_slots.iter().flatten() {
            let warp = &mut self.warps[*index];
            warp.draining = self.pins.get(at.draining) >> warp.slot & 1 == 1;
        }
    }

    /// Takes releases, writebacks and faults.
    pub(super) fn strobes(&mut self) -> Result<bool, Contradiction> {
        let at = self.pins.at.clone();
        let get = |port| self.pins.get(port);
        let seen = Release {
            slot: get(at.release_cta) as usize,
            id: get(at.release_id) as u8,
            mask: get(at.release_warps),
            reduction: get(at.release_reduction),
            value: get(at.release_value),
        };
        let writeback = Writeback {
            warp_slot: get(at.writeback_warp) as usize,
            rd: get(at.writeback_rd) as u8,
            pu: get(at.writeback_pu) as u8,
            value: get(at.writeback_value) as u32,
            predicate: get(at.writeback_predicate) == 1,
        };
        let report = Report {
            code: FaultCode::from_u64(get(at.fault_code)),
            slot: get(at.fault_cta) as usize,
            warp_slot: get(at.fault_warp) as usize,
            id: get(at.fault_id) as u8,
        };
        let strobe = LaneStrobe {
            warp_slot: get(at.lanes_warp) as usize,
            mask: get(at.lanes_mask),
            leaders: get(at.lanes_leaders),
            retry: get(at.lanes_retry) == 1,
        };
        let valid = [at.release_valid, at.writeback_valid, at.fault_valid, at.lanes_valid];
        let [release, read, fault, lanes] = valid.map(|port| get(port) == 1);
        let taken = fault && self.pins.transfer(at.fault_ready, at.fault_valid);
        if release {
            self.released(seen)?;
        }
        if read {
            let Reader { cta, warp, lanes } = self.ledger.written_back(self.cycle, writeback)?;
            if let Some(warp) = self.warps.iter_mut().find(|w| (w.cta, w.warp) == (cta, warp)) {
                let (rd, pu) = (writeback.rd, writeback.pu);
                let due = warp.forget((rd, pu));
                let mut set = |list: &[(usize, usize)], value: u64| {
                    let written = list.iter().filter(|(lane, _)| lanes >> lane & 1 == 1);
                    written.for_each(|(lane, register)| warp.values.set(*register, *lane, Some(value)));
                };
                if let Some(due) = due {
                    set(&due.registers, writeback.value.into());
                    set(&due.predicates, writeback.predicate.into());
                }
            }
        }
        if taken {
            self.faults.push(self.ledger.faulted(self.cycle, report)?);
        }
        if lanes {
            let (cta, warp) = self.ledger.went_on(self.cycle, strobe)?;
            let index = self.warps.iter().position(|w| (w.cta, w.warp) == (cta, warp));
            if let Some(index) = index.filter(|_| !strobe.retry) {
                let thread = self.thread(index);
                self.races.iter_mut().for_each(|races| races.meets(thread, strobe.mask));
            }
            if let Some(warp) = index.map(|index| &mut self.warps[index]) {
                match strobe.retry {
                    true => warp.retry(strobe.mask),
                    false => warp.go_on(strobe.mask, strobe.leaders),
                }
            }
        }
        Ok(release || read || fault || lanes)
    }

    fn released(&mut self, seen: Release) -> Result<(), Contradiction> {
        let generation = self.ledger.released(self.cycle, seen)?;
        if let Some(races) = &mut self.races {
            let arrived: Vec<usize> = generation.arrivals.iter().map(|arrival| arrival.warp).collect();
            let waiting: Vec<usize> = generation.waits.iter().map(|wait| wait.warp).collect();
            races.released(generation.cta, generation.id, &arrived, &waiting);
        }
        for wait in &generation.waits {
            // Who waits has not exited, so its CTA still holds the slot.
            let slot = self.ledger.books[generation.cta].warps[wait.warp].warp_slot;
            if let Some(index) = self.warp_slots[slot] {
                let warp = &mut self.warps[index];
                warp.waits_at = None;
                warp.waited += wait.cycles;
            }
        }
        self.generations.push(generation);
        Ok(())
    }
}
