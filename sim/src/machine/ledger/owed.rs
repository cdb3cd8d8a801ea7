// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the unit owes, in its own terms, and what it did instead.

use super::super::report::{Fault, Generation, Wait};
use super::lanes::LaneStrobe;
use super::row::code;
use super::Contradiction;
use bcu_hw::unit::op::FaultCode;
use std::collections::VecDeque;

/// A release as the unit shows it. `reduction` is 0 for none, 1 and up for AND, OR, POPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Release {
    pub slot: usize,
    pub id: u8,
    /// Warp slots that go on.
    pub mask: u64,
    pub reduction: u64,
    pub value: u64,
}

/// A writeback as the unit shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Writeback {
    pub warp_slot: usize,
    pub rd: u8,
    pub pu: u8,
    pub value: u32,
    pub predicate: bool,
}

/// A fault as the unit shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Report {
    pub code: FaultCode,
    pub slot: usize,
    pub warp_slot: usize,
    pub id: u8,
}

/// Who asked for a writeback, and which lanes it goes to.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Reader {
    pub cta: usize,
    pub warp: usize,
    pub lanes: u64,
}

/// All that is owed, oldest first.
#[derive(Default)]
pub(super) struct Owed {
    releases: VecDeque<(usize, u64, Generation)>,
    faults: VecDeque<(Report, Fault)>,
    reads: VecDeque<(Writeback, Reader)>,
    lanes: VecDeque<(LaneStrobe, (usize, usize))>,
}

impl Owed {
    /// A generation of CTA slot `slot` that lets go the warp slots in `mask`.
    pub fn release(&mut self, slot: usize, mask: u64, generation: Generation) {
        self.releases.push_back((slot, mask, generation));
    }

    pub fn fault(&mut self, report: Report, fault: Fault) {
        self.faults.push_back((report, fault));
    }

    pub fn read(&mut self, writeback: Writeback, reader: Reader) {
        self.reads.push_back((writeback, reader));
    }

    /// Lanes of a warp of a CTA go on.
    pub fn lanes(&mut self, strobe: LaneStrobe, warp: (usize, usize)) {
        self.lanes.push_back((strobe, warp));
    }

    /// What comes next, in words.
    pub fn first(&self) -> Option<String> {
        let release = self.releases.front().map(|(_, _, g)| format!("the release of barrier {} of CTA {}", g.id, g.cta));
        let fault = || self.faults.front().map(|(_, f)| format!("the fault {} of CTA {}", f.code, f.cta));
        let read = || self.reads.front().map(|(_, r)| format!("the writeback of warp {} of CTA {}", r.warp, r.cta));
        let lanes = || self.lanes.front().map(|(_, (cta, warp))| format!("the lanes strobe of warp {warp} of CTA {cta}"));
        release.or_else(fault).or_else(read).or_else(lanes)
    }

    /// The unit released warps.
    pub fn released(&mut self, cycle: u64, seen: Release) -> Result<Generation, Contradiction> {
        let words = |r: &Release| {
            let value = if r.reduction == 0 { String::new() } else { format!(", reduction {} with {}", r.reduction, r.value) };
            format!("the warp slots {:#x} from barrier {} of CTA slot {}{value}", r.mask, r.id, r.slot)
        };
        let wrong = |due: String| Contradiction { cycle, what: format!("it released {}, {due}", words(&seen)) };
        let Some((slot, mask, mut generation)) = self.releases.pop_front() else {
            return Err(wrong("but no generation was complete".to_string()));
        };
        let reduction = generation.reduction.map_or(0, |reduction| u64::from(code(reduction)) + 1);
        let due = Release { slot, id: generation.id, mask, reduction, value: generation.value.unwrap_or(0).into() };
        if seen != due {
            return Err(wrong(format!("where {} were due", words(&due))));
        }
        generation.waits.iter_mut().for_each(|wait: &mut Wait| wait.cycles = cycle - wait.cycles);
        generation.released = cycle;
        Ok(generation)
    }

    /// The unit reported a fault.
    pub fn faulted(&mut self, cycle: u64, seen: Report) -> Result<Fault, Contradiction> {
        let words =
            |r: &Report| format!("{} for CTA slot {}, warp slot {}, barrier {}", r.code.name(), r.slot, r.warp_slot, r.id);
        let wrong = |due: String| Contradiction { cycle, what: format!("it reported {}, {due}", words(&seen)) };
        let Some((due, fault)) = self.faults.pop_front() else { return Err(wrong("but no fault was due".to_string())) };
        if seen != due {
            return Err(wrong(format!("where {} was due: {}", words(&due), fault.sentence)));
        }
        Ok(Fault { cycle, ..fault })
    }

    /// The unit let lanes go on; gives the CTA and the warp.
    pub fn went_on(&mut self, cycle: u64, seen: LaneStrobe) -> Result<(usize, usize), Contradiction> {
        match self.lanes.pop_front() {
            Some((due, warp)) if due == seen => Ok(warp),
            due => {
                let due = due.map_or("nothing".to_string(), |(due, _)| format!("{due:?}"));
                Err(Contradiction { cycle, what: format!("it showed {seen:?} on the lanes strobe, where {due} was due") })
            }
        }
    }

    /// The unit wrote a result back.
    pub fn written_back(&mut self, cycle: u64, seen: Writeback) -> Result<Reader, Contradiction> {
        let words = |w: &Writeback| {
            let predicate = u8::from(w.predicate);
            format!("{:#x} to R{} and {predicate} to P{} of warp slot {}", w.value, w.rd, w.pu, w.warp_slot)
        };
        let wrong = |due: String| Contradiction { cycle, what: format!("it wrote {}, {due}", words(&seen)) };
        let first = self.reads.iter().position(|(due, _)| due.warp_slot == seen.warp_slot);
        let Some((due, reader)) = first.and_then(|first| self.reads.remove(first)) else {
            return Err(wrong("but that warp has read nothing".to_string()));
        };
        if seen != due {
            return Err(wrong(format!("where {} was due", words(&due))));
        }
        Ok(reader)
    }
}
