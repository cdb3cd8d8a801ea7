// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A warp while it runs its program: its lanes, and where each of the ways is on which they go.

use super::plan::{Instr, Step, What};
use bcu_isa::op::RedOp;
use std::collections::VecDeque;

/// Where lanes are that go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Its next step can begin.
    Ready,
    /// It rests up to this cycle.
    Rests(u64),
    /// Its instruction is chosen or offered.
    Chosen,
    /// Its instruction was transferred in this cycle, and lets the warp wait.
    Waits(Instr, u64),
    /// Its lanes wait for others of the warp.
    Lanes(Instr),
    /// Its exit is offered.
    Leaves,
    /// So many ways of its lanes are not over.
    Split(usize),
    Over,
}

/// Lanes that go together.
#[derive(Clone, Debug)]
pub struct Way {
    pub steps: VecDeque<Step>,
    pub at: At,
    /// The way that it comes from.
    pub from: Option<usize>,
}

/// A token or predicate that is to come.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    pub rd: u64,
    pub pu: u64,
    /// The phase that it belongs to.
    pub phase: usize,
    /// Of a test or a wait: the phase was complete for so many cycles when it was transferred.
    pub test: Option<Test>,
}

#[derive(Clone, Copy, Debug)]
pub struct Test {
    pub suspends: bool,
    pub settled: u64,
}

/// Lanes that meet, or gather.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub what: What,
    pub lanes: u64,
    pub ayes: u64,
}

/// An instruction that has completed a gathering by an exit, or by itself, has come.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub cycle: u64,
    pub text: &'static str,
    pub a: u64,
    pub b: u64,
}

/// A warp of a CTA that is resident.
#[derive(Clone, Debug, Default)]
pub struct Warp {
    /// The slot of its CTA, while it is one of a CTA.
    pub cta: Option<usize>,
    pub lanes: u64,
    pub ways: Vec<Way>,
    /// An instruction of it was transferred, and `blocked` has not shown 0 since.
    pub in_flight: bool,
    pub transferred: u64,
    /// An instruction of it is chosen or offered.
    pub chosen: bool,
    pub leaving: bool,
    pub gathering: Option<Meeting>,
    pub meetings: Vec<Meeting>,
    pub tokens: VecDeque<Awaited>,
    /// Results to be read: value, predicate, register, predicate register.
    pub reads: VecDeque<[u64; 4]>,
    pub result: Option<(RedOp, u64)>,
    pub last_access: u64,
    pub log: VecDeque<Event>,
}

const LOG: usize = 24;

impl Warp {
    pub fn launch(&mut self, cta: usize, lanes: u64, steps: Vec<Step>) {
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

    /// The way is at its next step; lanes that split go on, and those that were the last of a split let it go on.
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
                            if let At::Split(rest) = self.ways[from].at {
                                self.ways[from].at = if rest == 1 { At::Ready } else { At::Split(rest - 1) };
                                // What comes before it in the list is looked at again.
                                at = from;
                                continue;
                            }
                        }
                    }
                    Some(Step::Rest(cycles)) => {
                        self.ways[at].at = At::Rests(cycle + cycles);
                        self.ways[at].steps.pop_front();
                    }
                    Some(Step::Split(_)) => {
                        if let Some(Step::Split(parts)) = self.ways[at].steps.pop_front() {
                            self.ways[at].at = At::Split(parts.len());
                            let way = |(_, steps): (u64, Vec<Step>)| Way { steps: steps.into(), at: At::Ready, from: Some(at) };
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

    /// All of its program is done.
    pub fn is_over(&self) -> bool {
        self.lanes == 0
    }

    /// An operation of the whole warp waits.
    pub fn waits(&self) -> Option<(usize, Instr, u64)> {
        self.ways.iter().enumerate().find_map(|(at, way)| match way.at {
            At::Waits(instr, since) => Some((at, instr, since)),
            _ => None,
        })
    }

    /// Whether all live lanes have come to the gathering, which is over then.
    pub fn gathered(&mut self) -> Option<Meeting> {
        if self.lanes == 0 || self.gathering?.lanes != self.lanes {
            return None;
        }
        self.gathering.take()
    }
}
