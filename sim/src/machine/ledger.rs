// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The book of arrivals: which warp's arrival belongs to which generation of which barrier, kept from the accepted operations.
//!
//! A release tells who goes on, not who arrived, and comes when arrivals of the next generation may already be under way. So the
//! book follows `docs/interface.md`, unit `named`, in the order of acceptance, and holds every release and fault of the unit
//! against what it owes: a difference is a [`Contradiction`], never silently taken over.

use super::meaning::{Ask, Form};
use super::report::{Arrival, Fault, Generation, Wait};
use super::sentence;
use crate::program::Place;
use bcu_hw::unit::op::FaultCode;
use std::collections::VecDeque;

/// The unit did something else than its documents say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: the unit and its documents differ: {what}")]
pub struct Contradiction {
    pub cycle: u64,
    pub what: String,
}

/// The generation of a barrier that is under way; without arrivals the barrier is idle.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    /// Generations before this one.
    pub completed: usize,
    /// In threads, 0 = none given.
    pub count: u32,
    pub arrivals: Vec<Arrival>,
}

/// One CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    pub slot: usize,
    /// The warp slot of each warp; empty before the launch.
    pub warp_slots: Vec<usize>,
    pub live: usize,
    declared: usize,
    last_without_count: usize,
    pub rows: Vec<Row>,
}

/// A release that the unit owes, in its own terms: CTA slot and mask of warp slots.
struct OwedRelease {
    slot: usize,
    mask: u64,
    generation: Generation,
}

/// A fault that the unit owes, in its own terms.
struct OwedFault {
    code: FaultCode,
    slot: usize,
    warp_slot: usize,
    fault: Fault,
}

/// The books of all CTAs of a run, and what the unit owes.
pub(super) struct Ledger {
    lanes: u32,
    pub books: Vec<Book>,
    releases: VecDeque<OwedRelease>,
    faults: VecDeque<OwedFault>,
}

impl Ledger {
    pub fn new(lanes: usize, ctas: usize) -> Self {
        Ledger { lanes: lanes as u32, books: vec![Book::default(); ctas], releases: VecDeque::new(), faults: VecDeque::new() }
    }

    pub fn launch(&mut self, cta: usize, slot: usize, warp_slots: Vec<usize>, declared: usize) {
        let live = warp_slots.len();
        self.books[cta] = Book { slot, warp_slots, live, declared, last_without_count: 0, rows: vec![Row::default(); 16] };
    }

    pub fn illegal(&mut self, cta: usize, warp: usize, place: &Place) {
        let sentence = sentence::illegal(place);
        self.owe(FaultCode::IllegalInstruction, cta, Some(warp), 0, Some(place), sentence);
    }

    /// Whether the arrival counts; if not, a fault is owed.
    pub fn arrive(&mut self, cta: usize, ask: Ask, arrival: Arrival) -> bool {
        let book = &mut self.books[cta];
        let row = &mut book.rows[usize::from(ask.id)];
        if let Some(code) = fault(book.declared, book.warp_slots.len(), self.lanes, row, &ask, arrival.warp) {
            let cta_sizes = (book.declared, book.warp_slots.len());
            let sentence = sentence::arrival(code, &ask, cta_sizes, self.lanes, row, arrival.warp);
            self.owe(code, cta, Some(arrival.warp), ask.id, Some(&arrival.place), sentence);
            return false;
        }
        row.arrivals.push(arrival);
        row.count = ask.count;
        if ask.count == 0 {
            book.last_without_count = ask.id.into();
        }
        let target = if ask.count == 0 { book.live } else { (ask.count / self.lanes) as usize };
        if row.arrivals.len() == target {
            self.complete(cta, ask.id, None);
        }
        true
    }

    pub fn exit(&mut self, cta: usize, warp: usize) {
        let book = &mut self.books[cta];
        book.live -= 1;
        let (id, live) = (book.last_without_count, book.live);
        let row = &book.rows[id];
        if !row.arrivals.is_empty() && row.count == 0 && row.arrivals.len() == live {
            self.complete(cta, id as u8, Some(warp));
        }
    }

    pub fn retire(&mut self, cta: usize) {
        for id in 0..16 {
            let row = std::mem::take(&mut self.books[cta].rows[id]);
            if !row.arrivals.is_empty() {
                let sentence = sentence::left_open(id, &row, self.lanes);
                self.owe(FaultCode::BarrierLeftOpen, cta, None, id as u8, None, sentence);
            }
        }
    }

    /// The unit released a mask of warp slots from a barrier.
    pub fn released(&mut self, cycle: u64, slot: usize, id: u8, mask: u64) -> Result<Generation, Contradiction> {
        let seen = format!("it released the warp slots {mask:#x} from barrier {id} of CTA slot {slot}");
        let Some(OwedRelease { slot: due_slot, mask: due_mask, mut generation }) = self.releases.pop_front() else {
            return Err(Contradiction { cycle, what: format!("{seen}, but no generation was complete") });
        };
        if (slot, id, mask) != (due_slot, generation.id, due_mask) {
            let due = format!("the warp slots {due_mask:#x} from barrier {} of CTA slot {due_slot}", generation.id);
            return Err(Contradiction { cycle, what: format!("{seen}, where {due} were due") });
        }
        let waiting = generation.arrivals.iter().filter(|a| a.form == Form::Sync);
        generation.waits = waiting.map(|a| Wait { warp: a.warp, cycles: cycle - a.cycle }).collect();
        generation.released = cycle;
        Ok(generation)
    }

    /// The unit reported a fault.
    pub fn faulted(
        &mut self,
        cycle: u64,
        code: FaultCode,
        slot: usize,
        warp_slot: usize,
        id: u8,
    ) -> Result<Fault, Contradiction> {
        let seen = format!("it reported {} for CTA slot {slot}, warp slot {warp_slot}, barrier {id}", code.name());
        let Some(owed) = self.faults.pop_front() else {
            return Err(Contradiction { cycle, what: format!("{seen}, but no fault was due") });
        };
        if (code, slot, warp_slot, id) != (owed.code, owed.slot, owed.warp_slot, owed.fault.id) {
            let due = format!("{} for CTA slot {}, warp slot {}", owed.fault.code, owed.slot, owed.warp_slot);
            let what = format!("{seen}, where {due}, barrier {} was due: {}", owed.fault.id, owed.fault.sentence);
            return Err(Contradiction { cycle, what });
        }
        Ok(Fault { cycle, ..owed.fault })
    }

    /// What the unit still owes, for a contradiction when it stays silent.
    pub fn owed(&self) -> Option<String> {
        let release =
            self.releases.front().map(|r| format!("the release of barrier {} of CTA {}", r.generation.id, r.generation.cta));
        release.or_else(|| self.faults.front().map(|f| format!("the fault {} of CTA {}", f.fault.code, f.fault.cta)))
    }

    fn complete(&mut self, cta: usize, id: u8, exited: Option<usize>) {
        let book = &mut self.books[cta];
        let row = &mut book.rows[usize::from(id)];
        row.completed += 1;
        let threads = (row.count != 0).then_some(row.count);
        let arrivals = std::mem::take(&mut row.arrivals);
        let waiting = arrivals.iter().filter(|a| a.form == Form::Sync);
        let mask = waiting.fold(0, |mask, a| mask | 1 << book.warp_slots[a.warp]);
        let generation = Generation { cta, id, number: row.completed, threads, arrivals, exited, released: 0, waits: vec![] };
        self.releases.push_back(OwedRelease { slot: book.slot, mask, generation });
    }

    fn owe(&mut self, code: FaultCode, cta: usize, warp: Option<usize>, id: u8, place: Option<&Place>, sentence: String) {
        let book = &self.books[cta];
        let (slot, warp_slot) = (book.slot, warp.map_or(0, |w| book.warp_slots[w]));
        let fault = Fault { cycle: 0, code: code.name(), cta, warp, id, place: place.cloned(), sentence };
        self.faults.push_back(OwedFault { code, slot, warp_slot, fault });
    }
}

/// The fault of an arrival, first that applies.
fn fault(declared: usize, launched: usize, lanes: u32, row: &Row, ask: &Ask, warp: usize) -> Option<FaultCode> {
    let open = !row.arrivals.is_empty();
    let causes = [
        (FaultCode::IdOutOfRange, usize::from(ask.id) >= declared),
        (FaultCode::CountZeroArrive, ask.form == Form::Arv && ask.count == 0),
        (FaultCode::CountNotWarpMultiple, !ask.count.is_multiple_of(lanes)),
        (FaultCode::CountExceedsCta, (ask.count / lanes) as usize > launched),
        (FaultCode::DoubleArrival, row.arrivals.iter().any(|a| a.warp == warp)),
        (FaultCode::CountMismatch, open && row.count != ask.count),
    ];
    causes.iter().find(|(_, applies)| *applies).map(|(code, _)| *code)
}
