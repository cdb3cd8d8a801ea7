// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A warp during its program: its lanes, and the state of each way. A way is a set of lanes that execute together.

use super::plan::{Instr, WarpStep, What};
use bcu_isa::op::RedOp;
use std::collections::VecDeque;

/// The state of a way of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// The way's next step can begin.
    Ready,
    /// The way pauses until the given cycle.
    Rests(u64),
    /// The way's instruction is chosen or offered.
    Chosen,
    /// The way's instruction was transferred in the given cycle, and the warp waits until the instruction is complete.
    Waits(Instr, u64),
    /// The way's lanes wait for other lanes of the warp.
    Lanes(Instr),
    /// The way's exit is offered.
    Leaves,
    /// The way has split into further ways; the value is the number of these that have not ended.
    Split(usize),
    Over,
}

/// A way: lanes that execute together.
#[derive(Clone, Debug)]
pub struct Way {
    pub steps: VecDeque<WarpStep>,
    pub at: At,
    /// Index of the way from which this one was split off.
    pub from: Option<usize>,
}

/// An outstanding token or predicate.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    pub rd: u64,
    pub pu: u64,
    /// The phase of the arrival or test, as an index into the plan.
    pub phase: usize,
    /// `None` for a token, which answers an arrival.
    pub test: Option<Test>,
}

#[derive(Clone, Copy, Debug)]
pub struct Test {
    pub suspends: bool,
    /// Number of cycles for which the phase had been complete when the instruction was transferred.
    pub settled: u64,
}

/// Lanes of a rendezvous, or lanes that gather.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub what: What,
    /// Mask of the lanes that have met or arrived.
    pub lanes: u64,
    /// Mask of the lanes among `lanes` whose predicate is true.
    pub ayes: u64,
}

/// An entry of a warp's log, for failure reports.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub cycle: u64,
    pub text: &'static str,
    /// Two values that belong to `text`, such as lanes and form of an instruction.
    pub a: u64,
    pub b: u64,
}

/// A warp of a resident CTA.
#[derive(Clone, Debug, Default)]
pub struct Warp {
    /// The CTA slot of the warp, if the warp belongs to a CTA.
    pub cta: Option<usize>,
    pub lanes: u64,
    pub ways: Vec<Way>,
    /// The warp's last instruction was transferred, and the warp's bit of `blocked` has been 1 ever since.
    pub in_flight: bool,
    pub transferred: u64,
    /// An instruction of the warp is chosen or offered.
    pub chosen: bool,
    pub leaving: bool,
    pub gathering: Option<Meeting>,
    pub meetings: Vec<Meeting>,
    pub tokens: VecDeque<Awaited>,
    /// Results that the warp can read: value, predicate, register, predicate register.
    pub reads: VecDeque<[u64; 4]>,
    pub result: Option<(RedOp, u64)>,
    pub last_access: u64,
    pub log: VecDeque<Event>,
}

const LOG: usize = 24;

impl Warp {
    pub fn launch(&mut self, cta: usize, lanes: u64, steps: Vec<WarpStep>) {
        let way = Way { steps: steps.into(), at: At::Ready, from: None };
        let log = std::mem::take(&mut self.log);
        *self = Warp { cta: Some(cta), lanes, ways: vec![way], log, last_access: self.last_access, ..Warp::default() };
    }

    pub fn note(&mut self, cycle: u64, text: &'static str, a: u64, b: u64) {
        if self.log.len() == LOG {
            self.log.pop_front();
        }
        self.log.push_back(Event { cycle, text, a, b });
    }

    /// Advances each way to its next step. A way that splits starts further ways, and resumes when the last of them has ended.
    pub fn settle(&mut self, cycle: u64) {
        let mut at = 0;
        while at < self.ways.len() {
            if matches!(self.ways[at].at, At::Rests(until) if until <= cycle) {
                self.ways[at].at = At::Ready;
            }
            if self.ways[at].at == At::Ready {
                match self.ways[at].steps.front() {
                    None => {
                        self.ways[at].at = At::Over;
                        if let Some(from) = self.ways[at].from {
                            if let At::Split(pending_ways) = self.ways[from].at {
                                self.ways[from].at = if pending_ways == 1 { At::Ready } else { At::Split(pending_ways - 1) };
                                // The way that resumes, and all ways after it, are examined again.
                                at = from;
                                continue;
                            }
                        }
                    }
                    Some(WarpStep::Pause(cycles)) => {
                        self.ways[at].at = At::Rests(cycle + cycles);
                        self.ways[at].steps.pop_front();
                    }
                    Some(WarpStep::Split(_)) => {
                        if let Some(WarpStep::Split(parts)) = self.ways[at].steps.pop_front() {
                            self.ways[at].at = At::Split(parts.len());
                            let way =
                                |(_, steps): (u64, Vec<WarpStep>)| Way { steps: steps.into(), at: At::Ready, from: Some(at) };
                            self.ways.extend(parts.into_iter().map(way));
                        }
                    }
                    Some(_) => (),
                }
            }
            at += 1;
        }
        if self.ways.len() > 1 && self.ways[1..].iter().all(|way| way.at == At::Over) {
            self.ways.truncate(1);
        }
    }

    /// Whether all lanes of the warp have exited.
    pub fn is_over(&self) -> bool {
        self.lanes == 0
    }

    /// If the whole warp waits for an operation: the index of its way, its instruction, and the cycle of its transfer.
    pub fn waits(&self) -> Option<(usize, Instr, u64)> {
        self.ways.iter().enumerate().find_map(|(at, way)| match way.at {
            At::Waits(instr, since) => Some((at, instr, since)),
            _ => None,
        })
    }

    /// The gathering, if all live lanes have joined it. The call also removes it from the warp.
    pub fn gathered(&mut self) -> Option<Meeting> {
        if self.lanes == 0 || self.gathering?.lanes != self.lanes {
            return None;
        }
        self.gathering.take()
    }
}
