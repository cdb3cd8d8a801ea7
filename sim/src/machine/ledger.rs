// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The book of arrivals: which warp's arrival belongs to which generation of which barrier, kept from the accepted operations.
//!
//! A release tells who goes on, not who arrived, and comes when arrivals of the next generation may already be under way. So the
//! book follows `docs/interface.md`, units `gather` and `named`, with results and state words of its own, and holds every release,
//! fault, writeback and lanes strobe of the unit against what it owes: a difference is a [`Contradiction`], never silently taken
//! over. In which order operations enter the two units is a matter of cycles, since those that wait for memory are overtaken;
//! that alone it is told (see `passing`).

mod access;
mod lanes;
mod owed;
mod row;
mod way;

use super::describe::{FaultPolicy, LeaderPolicy, Machine};
use super::meaning::{Ask, Form, Reduction};
use super::report::{Arrival, Fault, Generation, Stop, Wait};
use super::sentence;
use crate::program::Place;
use bcu_hw::unit::op::FaultCode;
use lanes::LaneBook;
pub(super) use lanes::{Coming, LaneStrobe};
use owed::Owed;
pub(super) use owed::{Reader, Release, Report, Writeback};
pub(super) use row::Row;
use std::collections::VecDeque;
pub(super) use way::Event;

/// The unit did something else than its documents say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cycle {cycle}: the unit and its documents differ: {what}")]
pub struct Contradiction {
    pub cycle: u64,
    pub what: String,
}

/// What the unit keeps of one warp.
#[derive(Clone, Debug, Default)]
pub(super) struct WarpBook {
    /// Among all warps of the run.
    index: usize,
    pub warp_slot: usize,
    lanes: LaneBook,
    /// Taken by the unit, not yet by its `gather`: instructions, and the lanes of exits.
    accepted: VecDeque<Coming>,
    exits: VecDeque<u64>,
    /// On the way from there to `named`.
    passed: VecDeque<Coming>,
    /// It waits, since this cycle.
    waits_since: Option<u64>,
    /// The barrier at which it arrived last with the intent to wait.
    last_id: u8,
    result: Option<(Reduction, u32)>,
    trapped: bool,
    hangs: bool,
    exited: bool,
}

impl WarpBook {
    /// Why it does not go on, whatever the barriers do.
    pub fn stopped(&self) -> Option<Stop> {
        match (self.trapped, self.hangs) {
            (true, _) => Some(Stop::Trapped),
            (_, true) => Some(Stop::Hangs),
            _ => None,
        }
    }

    /// The barrier at which it waits.
    pub fn waits_at(&self) -> Option<u8> {
        self.waits_since.map(|_| self.last_id)
    }
}

/// One CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    pub slot: usize,
    /// Empty before the launch.
    pub warps: Vec<WarpBook>,
    pub live: usize,
    declared: usize,
    last_without_count: usize,
    /// More than one barrier without a count was open at a time.
    tangled: bool,
    pub rows: Vec<Row>,
}

impl Book {
    /// Takes note if two barriers without a count are open: both can never complete.
    fn tangles(&mut self) {
        self.tangled |= self.rows.iter().filter(|row| row.open() && row.count == 0).count() > 1;
    }
}

/// The books of all CTAs of a run, and what the unit owes.
pub(super) struct Ledger {
    lanes: u32,
    policy: FaultPolicy,
    /// The highest lane leads.
    highest: bool,
    pub books: Vec<Book>,
    owed: Owed,
    /// CTA slot and warp slots as `gather` and as `named` see them.
    stages: [way::Stage; 2],
}

impl Ledger {
    pub fn new(lanes: usize, ctas: usize, machine: &Machine) -> Self {
        let books = vec![Book::default(); ctas];
        let (policy, highest) = (machine.fault_policy, machine.leader_policy == LeaderPolicy::Highest);
        Ledger { lanes: lanes as u32, policy, highest, books, owed: Owed::default(), stages: Default::default() }
    }

    /// `warps` holds index, warp slot and live lanes of each.
    pub fn launch(&mut self, cta: usize, slot: usize, warps: &[(usize, usize, u64)], declared: usize) {
        let book = |(index, warp_slot, lanes): &(usize, usize, u64)| {
            let lanes = LaneBook::new(*lanes);
            WarpBook { index: *index, warp_slot: *warp_slot, lanes, ..WarpBook::default() }
        };
        let warps: Vec<_> = warps.iter().map(book).collect();
        let live = warps.len();
        let rows = vec![Row::default(); 16];
        self.books[cta] = Book { slot, warps, live, declared, last_without_count: 0, tangled: false, rows };
        self.stages.iter_mut().for_each(|stage| stage.launches.push_back(cta));
    }

    fn illegal(&mut self, cta: usize, warp: usize, place: &Place) {
        self.owe(FaultCode::IllegalInstruction, cta, Some(warp), None, Some(place), sentence::illegal(place));
    }

    /// Whether the arrival counts; if not, a fault is owed.
    fn arrive(&mut self, cta: usize, ask: Ask, arrival: Arrival) -> bool {
        let book = &mut self.books[cta];
        let launched = book.warps.len();
        let row = &mut book.rows[usize::from(ask.id)];
        let warp = &mut book.warps[arrival.warp];
        if ask.form.waits() {
            warp.last_id = ask.id;
        }
        if let Some(code) = fault(book.declared, launched, self.lanes, row, &ask, arrival.warp) {
            let cta_sizes = (book.declared, launched);
            let sentence = sentence::arrival(code, &ask, cta_sizes, self.lanes, row, arrival.warp);
            self.owe(code, cta, Some(arrival.warp), Some(ask.id), Some(&arrival.place), sentence);
            return false;
        }
        if ask.form.waits() {
            warp.waits_since = Some(arrival.cycle);
        }
        row.arrive(&ask, arrival);
        if ask.count == 0 {
            book.last_without_count = ask.id.into();
        }
        let target = if ask.count == 0 { book.live } else { (ask.count / self.lanes) as usize };
        if row.arrived as usize == target {
            self.complete(cta, ask.id, None);
        } else {
            book.tangles();
        }
        true
    }

    fn exit(&mut self, cta: usize, warp: usize) {
        let book = &mut self.books[cta];
        book.live -= 1;
        book.warps[warp].exited = true;
        let (id, live) = (book.last_without_count, book.live);
        let row = &book.rows[id];
        if row.open() && row.count == 0 && row.arrived as usize == live {
            self.complete(cta, id as u8, Some(warp));
        }
    }

    fn retire(&mut self, cta: usize) {
        for id in 0..16 {
            let row = std::mem::take(&mut self.books[cta].rows[id]);
            if row.open() {
                let sentence = sentence::left_open(id, &row, self.lanes);
                self.owe(FaultCode::BarrierLeftOpen, cta, None, Some(id as u8), None, sentence);
            }
        }
    }

    /// The unit released warps.
    pub fn released(&mut self, cycle: u64, seen: Release) -> Result<Generation, Contradiction> {
        self.owed.released(cycle, seen)
    }

    /// The unit reported a fault.
    pub fn faulted(&mut self, cycle: u64, seen: Report) -> Result<Fault, Contradiction> {
        self.owed.faulted(cycle, seen)
    }

    /// The unit let lanes go on; gives the CTA and the warp.
    pub fn went_on(&mut self, cycle: u64, seen: LaneStrobe) -> Result<(usize, usize), Contradiction> {
        self.owed.went_on(cycle, seen)
    }

    /// The unit wrote a result back.
    pub fn written_back(&mut self, cycle: u64, seen: Writeback) -> Result<Reader, Contradiction> {
        self.owed.written_back(cycle, seen)
    }

    /// What the unit still owes, for a contradiction when it stays silent.
    pub fn owed(&self) -> Option<String> {
        self.owed.first()
    }

    /// The generation under way is complete; those who wait go on with its result.
    fn complete(&mut self, cta: usize, id: u8, exited: Option<usize>) {
        let book = &mut self.books[cta];
        let row = book.rows[usize::from(id)].take();
        let result = row.result();
        // In the order of arrival; who came with a state word stands behind.
        let mut waiting: Vec<usize> = row.arrivals.iter().map(|a| a.warp).filter(|w| row.waiting_mask >> w & 1 == 1).collect();
        waiting.extend(
            (0..book.warps.len()).filter(|w| row.waiting_mask >> w & 1 == 1 && !row.arrivals.iter().any(|a| a.warp == *w)),
        );
        let mut mask = 0;
        let mut waits = vec![];
        for index in waiting {
            let warp = &mut book.warps[index];
            mask |= 1 << warp.warp_slot;
            // Until the release is seen this is the cycle in which the wait began.
            waits.push(Wait { warp: index, cycles: warp.waits_since.take().unwrap_or(0) });
            warp.result = result.or(warp.result);
        }
        let generation = Generation {
            cta,
            id,
            number: row.completed + 1,
            threads: (row.count != 0).then_some(row.count),
            reduction: result.map(|(reduction, _)| reduction),
            value: result.map(|(_, value)| value),
            restored: row.arrived as usize - row.arrivals.len(),
            arrivals: row.arrivals,
            exited,
            released: 0,
            waits,
        };
        self.owed.release(book.slot, mask, generation);
    }

    /// A fault, and what the policy does to its warp. For one that is about no barrier the unit shows 0.
    fn owe(
        &mut self,
        code: FaultCode,
        cta: usize,
        warp: Option<usize>,
        id: Option<u8>,
        place: Option<&Place>,
        sentence: String,
    ) {
        let book = &mut self.books[cta];
        let mut stopped = None;
        if let Some(warp) = warp.and_then(|warp| book.warps.get_mut(warp)) {
            match self.policy {
                FaultPolicy::Report => {}
                FaultPolicy::Trap => warp.trapped = true,
                FaultPolicy::Hang => warp.hangs = true,
            }
            stopped = warp.stopped();
        }
        let report =
            Report { code, slot: book.slot, warp_slot: warp.map_or(0, |w| book.warps[w].warp_slot), id: id.unwrap_or(0) };
        let fault = Fault { cycle: 0, code: code.name(), cta, warp, id, place: place.cloned(), sentence, stopped };
        self.owed.fault(report, fault);
    }
}

/// The fault of an arrival, first that applies.
fn fault(declared: usize, launched: usize, lanes: u32, row: &Row, ask: &Ask, warp: usize) -> Option<FaultCode> {
    let causes = [
        (FaultCode::IdOutOfRange, usize::from(ask.id) >= declared),
        (FaultCode::OperandNotUniform, !ask.uniform),
        (FaultCode::CountZeroArrive, ask.form == Form::Arv && ask.count == 0),
        (FaultCode::CountNotWarpMultiple, !ask.count.is_multiple_of(lanes)),
        (FaultCode::CountExceedsCta, (ask.count / lanes) as usize > launched),
        (FaultCode::DoubleArrival, row.has(warp)),
        (FaultCode::KindMismatch, row.open() && row.reduction != ask.reduction),
        (FaultCode::CountMismatch, row.open() && row.count != ask.count),
    ];
    causes.iter().find(|(_, applies)| *applies).map(|(code, _)| *code)
}
