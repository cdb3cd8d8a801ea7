// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The generation of one barrier that is under way, and its state word (`docs/interface.md`, unit `named`).

use super::super::meaning::{Ask, Reduction};
use super::super::report::Arrival;

/// Without a count of arrived warps the barrier is idle. Warps are counted within their CTA, one bit each in the masks.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Row {
    /// Generations before this one.
    pub completed: usize,
    /// Warps that have arrived.
    pub arrived: u32,
    /// In threads, 0 = none given.
    pub count: u32,
    pub reduction: Option<Reduction>,
    /// Of an AND: warps with a false lane; of an OR: with a true one; of a POPC: lanes.
    pub sum: u32,
    pub arrived_mask: u64,
    pub waiting_mask: u64,
    /// The arrivals that came as instructions.
    pub arrivals: Vec<Arrival>,
    /// Those of a generation whose state a program has taken out, until it comes back.
    aside: Vec<Arrival>,
}

impl Row {
    pub fn open(&self) -> bool {
        self.arrived != 0
    }

    pub fn has(&self, warp: usize) -> bool {
        self.arrived_mask >> warp & 1 == 1
    }

    pub fn arrive(&mut self, ask: &Ask, arrival: Arrival) {
        let bit = 1 << arrival.warp;
        self.arrived += 1;
        self.count = ask.count;
        self.reduction = ask.reduction;
        self.sum += ask.value;
        self.arrived_mask |= bit;
        self.waiting_mask |= if ask.form.waits() { bit } else { 0 };
        self.arrivals.push(arrival);
    }

    pub fn result(&self) -> Option<(Reduction, u32)> {
        self.reduction.map(|reduction| {
            let value = match reduction {
                Reduction::And => u32::from(self.sum == 0),
                Reduction::Or => u32::from(self.sum != 0),
                Reduction::Popc => self.sum,
            };
            (reduction, value)
        })
    }

    /// The generation that ends here; an idle row with one generation more stays.
    pub fn take(&mut self) -> Row {
        let next = Row { completed: self.completed + 1, aside: std::mem::take(&mut self.aside), ..Row::default() };
        std::mem::replace(self, next)
    }

    /// The state word, as `warp` reads it.
    pub fn word(&self, warp: usize, lanes: u32) -> u32 {
        let (kind, redop, accumulator) = match self.result() {
            _ if !self.open() => (0, 0, 0),
            None => (1, 0, 0),
            Some((reduction, value)) => (2, code(reduction), value),
        };
        self.arrived
            | (self.count / lanes) << 7
            | kind << 14
            | redop << 16
            | accumulator << 18
            | u32::from(self.has(warp)) << 31
    }

    /// Sets what a good state word of `warp` says.
    pub(super) fn restore(&mut self, word: &BarrierWord, warp: usize, lanes: u32) {
        if word.kind == 0 {
            let arrivals = std::mem::take(&mut self.arrivals);
            let aside = if arrivals.is_empty() { std::mem::take(&mut self.aside) } else { arrivals };
            *self = Row { completed: self.completed, aside, ..Row::default() };
            return;
        }
        if self.arrivals.is_empty() {
            self.arrivals = std::mem::take(&mut self.aside);
        }
        self.arrivals.truncate(word.arrived as usize);
        self.arrived = word.arrived;
        self.count = word.expected * lanes;
        self.reduction = if word.kind == 2 { reduction(word.redop) } else { None };
        self.sum = match self.reduction {
            Some(Reduction::And) => 1 - word.accumulator,
            _ => word.accumulator,
        };
        self.arrived_mask = self.arrived_mask & !(1 << warp) | u64::from(word.mine) << warp;
    }
}

/// The number of a reduction in a state word.
pub(in super::super) fn code(reduction: Reduction) -> u32 {
    match reduction {
        Reduction::And => 0,
        Reduction::Or => 1,
        Reduction::Popc => 2,
    }
}

/// The reduction with this number; `None` for 3.
pub(super) fn reduction(code: u32) -> Option<Reduction> {
    [Reduction::And, Reduction::Or, Reduction::Popc].get(code as usize).copied()
}

/// The fields of a barrier's state word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BarrierWord {
    pub arrived: u32,
    pub expected: u32,
    pub kind: u32,
    pub redop: u32,
    pub accumulator: u32,
    pub mine: bool,
}

impl BarrierWord {
    /// `Err` says what is wrong with the word for a CTA with so many warps launched and live.
    pub fn read(word: u32, launched: u32, live: u32, lanes: u32) -> Result<BarrierWord, &'static str> {
        let field = |low: u32, bits: u32| word >> low & ((1 << bits) - 1);
        let read = BarrierWord {
            arrived: field(0, 7),
            expected: field(7, 7),
            kind: field(14, 2),
            redop: field(16, 2),
            accumulator: field(18, 12),
            mine: field(31, 1) == 1,
        };
        let largest = if read.redop == 2 { read.arrived * lanes } else { 1 };
        let causes = [
            (field(30, 1) == 1, "bit 30 is set"),
            (read.kind == 3, "there is no kind 3"),
            (read.kind == 0 && word != 0, "kind 0 is an idle barrier, whose word is 0"),
            (read.kind != 0 && read.arrived == 0, "an open barrier with no arrival"),
            (read.kind == 1 && (read.redop != 0 || read.accumulator != 0), "a reduction in a barrier that is none"),
            (read.kind == 2 && read.redop == 3, "there is no reduction 3"),
            (read.kind == 2 && read.accumulator > largest, "a result larger than the arrivals can give"),
            (read.expected > launched, "more warps expected than the CTA has"),
            (read.expected != 0 && read.arrived >= read.expected, "as many arrivals as expected, so it would be complete"),
            (read.expected == 0 && read.arrived > live, "more arrivals than live warps"),
        ];
        match causes.iter().find(|(applies, _)| *applies) {
            Some((_, why)) => Err(why),
            None => Ok(read),
        }
    }
}
