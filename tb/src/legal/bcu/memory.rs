// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The accesses and copies in flight. They are performed after any delay, in any order. A copy sends its arrivals and bytes to mbarriers
//! before it is performed.

use super::pins::{Drive, In, Out};
use super::plan::Tx;
use super::style::Style;
use crate::stimulus::Rng;
use bcu_model::dut::Input;
use std::collections::VecDeque;

/// An access that has not been performed.
#[derive(Clone, Copy, Debug)]
struct Access {
    warp: usize,
    number: u64,
    epoch: u64,
    due: u64,
}

/// A copy, or a single message to an mbarrier without a copy.
#[derive(Clone, Debug)]
struct Copy {
    cta: usize,
    due: u64,
    /// Whether the copy counts as outstanding for its CTA.
    counted: bool,
    /// The messages that are still to be sent.
    sends: Vec<Tx>,
    /// Number of messages that were sent and have not taken effect.
    under_way: u64,
}

/// An event in a cycle: an access is performed, or a message is sent.
#[derive(Clone, Copy, Debug)]
pub enum Happened {
    Performed { warp: usize, number: u64 },
    Transferred { cta: usize, tx: Tx },
}

pub struct Memory {
    issue: Vec<[Input; 3]>,
    perform: Vec<[Input; 3]>,
    accesses: Vec<Access>,
    /// The number of accesses that each warp has issued.
    issued: Vec<u64>,
    copies: Vec<Copy>,
    /// `offered`: the message on offer at `tx`, with the copy that sends it. `unsettled`: the copies whose transferred messages have not
    /// taken effect, in order.
    offered: Option<(usize, Tx)>,
    unsettled: VecDeque<usize>,
    /// For each element of `copies`, a number that identifies the copy until it is performed. The copy's index in `copies` may change in
    /// that time.
    numbers: VecDeque<usize>,
    reports: bool,
    next: usize,
    pub total: u64,
    pub total_copies: u64,
    pub total_tx: u64,
}

impl Memory {
    pub fn new(issue: Vec<[Input; 3]>, perform: Vec<[Input; 3]>, warps: usize, reports: bool) -> Memory {
        Memory {
            issue,
            perform,
            accesses: vec![],
            issued: vec![0; warps],
            copies: vec![],
            offered: None,
            unsettled: VecDeque::new(),
            numbers: VecDeque::new(),
            reports,
            next: 0,
            total: 0,
            total_copies: 0,
            total_tx: 0,
        }
    }

    /// The number of the last access that a warp has issued.
    pub fn last(&self, warp: usize) -> u64 {
        self.issued[warp]
    }

    /// Whether all accesses of `warp` with numbers above `from` and up to `number` are performed.
    pub fn performed(&self, warp: usize, from: u64, number: u64) -> bool {
        !self.accesses.iter().any(|access| access.warp == warp && access.number <= number && access.number > from)
    }

    /// Whether an access of one of `warps`, or a copy of `cta`, is outstanding.
    pub fn owes(&self, cta: usize, warps: u64) -> bool {
        self.accesses.iter().any(|access| warps >> access.warp & 1 == 1) || self.copies.iter().any(|copy| copy.cta == cta)
    }

    /// Whether a message of `cta` is still to be sent or has not taken effect.
    pub fn sends(&self, cta: usize) -> bool {
        self.copies.iter().any(|copy| copy.cta == cta && !(copy.sends.is_empty() && copy.under_way == 0))
    }

    pub fn clear(&mut self, drive: &mut Drive) {
        self.issue.iter().chain(&self.perform).for_each(|[valid, ..]| drive.set(*valid, 0));
        self.next = 0;
    }

    /// Issues one more access of `warp`, if a strobe is free in this cycle. Returns whether it was issued.
    pub fn access(&mut self, drive: &mut Drive, rng: &mut Rng, style: &Style, warp: usize, epochs: u64, cycle: u64) -> bool {
        // Any subset of the strobes may be used in a cycle, so a strobe is sometimes skipped.
        if self.next < self.issue.len() && rng.chance(200) && self.next + 1 < self.issue.len() {
            self.next += 1;
        }
        let Some([valid, at, _]) = self.issue.get(self.next) else { return false };
        drive.set(*valid, 1);
        drive.set(*at, warp as u64);
        self.next += 1;
        self.issued[warp] += 1;
        self.total += 1;
        let due = cycle + rng.below(style.latency);
        self.accesses.push(Access { warp, number: self.issued[warp], epoch: epochs >> warp & 1, due });
        true
    }

    pub fn has_room(&self) -> bool {
        self.next < self.issue.len()
    }

    /// Issues a copy. With `counted` the copy counts as outstanding for its CTA.
    pub fn copy(&mut self, rng: &mut Rng, style: &Style, cta: usize, sends: Vec<Tx>, counted: bool, cycle: u64) {
        let due = cycle + 1 + rng.below(style.copy_latency);
        self.total_copies += u64::from(counted);
        let number = self.numbers.back().map_or(0, |last| last + 1);
        self.copies.push(Copy { cta, due, counted, sends, under_way: 0 });
        self.numbers.push_back(number);
    }

    fn position_of(&self, number: usize) -> Option<usize> {
        self.numbers.iter().position(|other| *other == number)
    }

    /// Performs accesses and copies, and offers the messages of copies.
    pub fn drive(
        &mut self,
        drive: &mut Drive,
        pins: (&In, &Out),
        rng: &mut Rng,
        style: &Style,
        outputs: &[u64],
        cycle: u64,
    ) -> Vec<Happened> {
        let (ins, outs) = pins;
        let mut happened = vec![];
        if self.reports && outs.tx_done_valid.read(outputs) == 1 {
            if let Some(at) = self.unsettled.pop_front().and_then(|number| self.position_of(number)) {
                self.copies[at].under_way -= 1;
            }
        }
        if !rng.chance(style.stall) {
            for [valid, warp, epoch] in self.perform.clone() {
                let due: Vec<usize> = (0..self.accesses.len()).filter(|at| self.accesses[*at].due <= cycle).collect();
                let Some(at) = rng.pick(&due).filter(|_| rng.chance(850)) else { continue };
                let access = self.accesses.swap_remove(at);
                drive.set(valid, 1);
                drive.set(warp, access.warp as u64);
                drive.set(epoch, access.epoch);
                happened.push(Happened::Performed { warp: access.warp, number: access.number });
            }
        }
        drive.set(ins.copy_perform_valid, 0);
        let is_done = |copy: &Copy| copy.due <= cycle && copy.sends.is_empty() && copy.under_way == 0;
        let done: Vec<usize> = (0..self.copies.len()).filter(|at| is_done(&self.copies[*at])).collect();
        if let Some(at) = rng.pick(&done) {
            let copy = self.copies.remove(at);
            self.numbers.remove(at);
            if copy.counted {
                drive.set(ins.copy_perform_valid, 1);
                drive.set(ins.copy_perform_cta, copy.cta as u64);
            }
        }
        if self.offered.is_none() {
            let ready = |copy: &Copy| copy.due <= cycle && !copy.sends.is_empty();
            let ready: Vec<usize> = (0..self.copies.len()).filter(|at| ready(&self.copies[*at])).collect();
            if let Some(at) = rng.pick(&ready) {
                let copy = &mut self.copies[at];
                let which = rng.below(copy.sends.len() as u64) as usize;
                let tx = copy.sends.swap_remove(which);
                copy.under_way += 1;
                self.offered = Some((self.numbers[at], tx));
                drive.set(ins.tx_cta, copy.cta as u64);
                drive.set(ins.tx_object, tx.object);
                drive.set(ins.tx_count, tx.count);
                drive.set(ins.tx_bytes, tx.bytes);
            }
        }
        drive.set(ins.tx_valid, u64::from(self.offered.is_some()));
        if outs.tx_ready.read(outputs) == 1 {
            if let Some((number, tx)) = self.offered.take() {
                self.total_tx += 1;
                if let Some(at) = self.position_of(number) {
                    happened.push(Happened::Transferred { cta: self.copies[at].cta, tx });
                    if self.reports {
                        self.unsettled.push_back(number);
                    } else {
                        self.copies[at].under_way -= 1;
                    }
                }
            }
        }
        happened
    }
}
