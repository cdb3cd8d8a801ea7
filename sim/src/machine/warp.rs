// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One warp on the machine: how far its lanes are, what they hold, what holds them.

mod meeting;
mod pending;
pub(super) mod threads;
mod values;

use super::meaning::Issue;
use super::report::Stop;
use crate::program::{Code, Elect, Form, Guard, Instr, Op, Operand, Place, RedOp, Special, WarpProgram, Word};
pub(super) use meeting::Parked;
pub(super) use pending::Due;
use std::collections::HashMap;
use std::rc::Rc;
use threads::{bits, At, Group, Threads};
use values::Values;

/// A warp of a launched CTA.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    pub cta: usize,
    /// Within its CTA.
    pub warp: usize,
    /// Warp slot.
    pub slot: usize,
    /// Lanes of a whole warp, and warps of the CTA.
    pub width: usize,
    pub warps: usize,
    /// Lanes that are there and have not exited, one bit each.
    pub lanes: u64,
    /// Lanes that wait for others of the warp.
    pub waiting: u64,
    /// Cycles in which lanes could only have gone on without others that may yet come by.
    held: u32,
    pub threads: Threads,
    pub values: Values,
    /// Results that are not there yet.
    pub due: Vec<Due>,
    /// Of the lanes that wait, those that must issue this instruction again as soon as others go on.
    again: Option<(At, u64)>,
    /// Lanes that elect a leader among the members named, where they are told, and their first registers.
    electing: Vec<(u64, u64, Elect)>,
    /// Lanes that wait to exchange values.
    pub parked: Vec<Parked>,
    /// Asynchronous copies: groups committed by each lane, and the copies under way with their lanes and groups.
    pub copies: Copies,
    pub program: Rc<WarpProgram>,
    /// The instruction that was issued last, and the branch at which lanes went different ways last.
    last: At,
    pub split: Option<At>,
    /// How often each instruction for the unit was issued.
    times: HashMap<At, u64>,
    /// The unit has shown the warp slot as not live since this warp got it.
    pub slot_free: bool,
    /// The unit has shown it as live after that.
    pub started: bool,
    /// What stands at a channel of the unit.
    pub port: Option<Chosen>,
    /// What stands at the instruction port, while it does.
    pub issue: Issue,
    /// Lanes whose exit the unit has taken but not carried out yet.
    pub exiting: bool,
    /// The first cycle in which it may issue again.
    pub ready_at: u64,
    /// The barrier at which it waits.
    pub waits_at: Option<u8>,
    /// Its arrival there is held until its accesses are performed.
    pub draining: bool,
    /// The fault policy has stopped it.
    pub stopped: Option<Stop>,
    pub waited: u64,
    pub exited: Option<u64>,
}

/// Asynchronous copies of a warp.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies {
    /// By lane, the groups committed so far.
    pub committed: Vec<u32>,
    /// Lane and group of each copy that is not performed.
    pub open: Vec<(usize, u32)>,
}

impl Copies {
    /// Copies of a lane under way that are not among its last `left` groups; without a number all, uncommitted ones too.
    pub fn open_before(&self, lane: usize, left: Option<u32>) -> usize {
        let committed = self.committed.get(lane).copied().unwrap_or(0);
        let counts = |group: u32| left.is_none_or(|left| u64::from(group) + u64::from(left) < u64::from(committed));
        self.open.iter().filter(|(own, group)| *own == lane && counts(*group)).count()
    }
}

/// The instruction of a warp that can issue next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub at: At,
    /// Its lanes, before guards.
    pub lanes: u64,
    pub depth: usize,
}

/// What the lanes at an instruction make of its guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Active {
    pub here: u64,
    /// Those of them in which the guard is true, ...
    pub executing: u64,
    /// ... and those in which nobody knows.
    pub unknown: u64,
}

/// For so many cycles lanes that must be together wait for others that wait themselves.
const PATIENCE: u32 = 64;

impl Warp {
    /// `lanes` of the `width` lanes of a warp are there.
    pub fn new(
        (cta, warp, warps): (usize, usize, usize),
        slot: usize,
        (lanes, width): (u64, usize),
        program: Rc<WarpProgram>,
    ) -> Self {
        let mut values = Values::new(width, program.code.bare.zeroed);
        values.grow(program.code.functions.get(program.entry).map_or(0, |entry| entry.registers.len()));
        let start = At { function: program.entry, instr: 0 };
        Warp {
            cta,
            warp,
            slot,
            width,
            warps,
            lanes,
            waiting: 0,
            held: 0,
            threads: Threads::new(lanes, width, program.entry),
            values,
            due: vec![],
            again: None,
            electing: vec![],
            parked: vec![],
            copies: Copies { committed: vec![0; width], open: vec![] },
            program,
            last: start,
            split: None,
            times: HashMap::new(),
            slot_free: false,
            started: false,
            port: None,
            issue: Issue::default(),
            exiting: false,
            ready_at: 0,
            waits_at: None,
            draining: false,
            stopped: None,
            waited: 0,
            exited: None,
        }
    }

    pub fn code(&self) -> &Rc<Code> {
        &self.program.code
    }

    /// The instruction at a place; `None` past the last one.
    pub fn instr(&self, at: At) -> Option<&Instr> {
        self.program.code.instr(at.function, at.instr)
    }

    /// The first lanes that can go on. Lanes that must be together wait for those that may come by.
    pub fn chosen(&self) -> Option<Chosen> {
        let free = self.lanes & !self.waiting;
        let chosen = |group: &Group| Chosen { at: group.at, lanes: group.lanes, depth: group.depth };
        if let ([group], 0, 0) = (self.threads.groups(), self.threads.unsure(), self.waiting) {
            return Some(chosen(group));
        }
        let groups = self.threads.free(free);
        if let Some(group) = groups.iter().find(|group| !self.incomplete(group)) {
            return Some(chosen(group));
        }
        // Whoever waits might come by once it is let go.
        groups.first().filter(|_| self.waiting == 0 || self.held >= PATIENCE).map(chosen)
    }

    /// Whether lanes that are elsewhere may still come to the instruction at which these must be all together.
    fn incomplete(&self, group: &Group) -> bool {
        let converged = self.instr(group.at).is_some_and(|instr| match &instr.op {
            Op::Barrier(barrier) => barrier.aligned,
            Op::Word(Word { form, .. }) => *form == Form::Aligned,
            _ => false,
        });
        converged && bits(self.lanes & !group.lanes).any(|lane| self.may_come(lane, group))
    }

    /// A lane in as many calls or more comes by its own way; one in fewer by the call that the group is in.
    fn may_come(&self, lane: usize, group: &Group) -> bool {
        let depth = self.threads.depth(lane).min(group.depth);
        let Some(one) = bits(group.lanes).next() else { return false };
        let (Some(to), Some(from)) = (self.threads.place_in(one, depth), self.threads.place_in(lane, depth)) else {
            return false;
        };
        let past = from == to && lane != one && self.threads.depth(lane) < group.depth;
        from.function == to.function && (past || self.code().reaches(from.function, from.instr, to.instr))
    }

    /// Lanes wait for others that may come by, but not for ever.
    pub fn holds_back(&self) -> bool {
        self.chosen().is_none() && self.lanes & !self.waiting != 0
    }

    /// These lanes have asked the unit for a result, into this register and predicate of the word.
    pub fn asks(&mut self, at: At, lanes: u64, word: (u8, u8)) {
        let Some(instr) = self.instr(at) else { return };
        let (number, truth) = match instr.op {
            Op::Result(RedOp::Popc) => (instr.writes.first().copied().flatten(), None),
            Op::Result(_) => (None, instr.writes.first().copied().flatten()),
            _ => (instr.writes.first().copied().flatten(), instr.writes.get(1).copied().flatten()),
        };
        let registers = self.owed(lanes, number.into_iter());
        let predicates = self.owed(lanes, truth.into_iter());
        self.due.push(Due { word: Some(word), registers, predicates });
    }

    /// In every cycle in which it could issue: takes note that lanes only wait for others of the warp.
    pub fn look(&mut self) -> Option<Chosen> {
        let chosen = self.chosen();
        let only_held = chosen.is_none() && self.lanes & !self.waiting != 0;
        self.held = if only_held { self.held.saturating_add(1) } else { self.held };
        chosen
    }

    /// An instruction is issued; its lanes have not moved yet.
    pub fn count(&mut self, chosen: Chosen) {
        self.last = chosen.at;
        self.held = 0;
        let polls = self.instr(chosen.at).is_some_and(Instr::polls);
        let others = match self.threads.groups() {
            [_] => vec![],
            _ => self.threads.free(self.lanes & !self.waiting & !chosen.lanes),
        };
        self.threads.issue(chosen.lanes, polls, &others);
    }

    /// What these lanes make of a guard.
    pub fn active(&self, guard: Option<Guard>, here: u64) -> Active {
        let Some(Guard { slot, negated }) = guard else { return Active { here, executing: here, unknown: 0 } };
        let mut active = Active { here, executing: 0, unknown: 0 };
        for lane in bits(here) {
            match self.register(slot, lane) {
                Some(value) if (value & 1 == 1) != negated => active.executing |= 1 << lane,
                Some(_) => {}
                None => active.unknown |= 1 << lane,
            }
        }
        active
    }

    /// What a register of the function that a lane is in holds.
    pub fn register(&self, slot: usize, lane: usize) -> Option<u64> {
        self.values.get(self.threads.base[lane] + slot, lane)
    }

    pub fn set(&mut self, slot: usize, lane: usize, value: Option<u64>) {
        self.values.set(self.threads.base[lane] + slot, lane, value);
    }

    /// What an operand is worth in a lane, in cycle `cycle`.
    pub fn value(&self, operand: &Operand, lane: usize, cycle: u64) -> Option<u64> {
        match operand {
            Operand::Register { slot, negated } => self.register(*slot, lane).map(|v| if *negated { v ^ 1 } else { v }),
            Operand::Immediate(value) => Some(*value as u64),
            Operand::Mask(mask) => Some(mask >> lane & 1),
            Operand::Special(special) => Some(self.special(*special, lane, cycle)),
            Operand::Frame(offset) => Some(self.threads.stack[lane] + offset),
            Operand::Symbol(..) | Operand::Opaque => None,
        }
    }

    fn special(&self, special: Special, lane: usize, cycle: u64) -> u64 {
        let thread = (self.warp * self.width + lane) as u64;
        let grid = &self.program.grid;
        let [x, y, _] = grid.ntid.map(|size| u64::from(size.max(1)));
        let below = (1u64 << lane) - 1;
        let all = u64::MAX >> (64 - self.width);
        match special {
            Special::Tid(0) => thread % x,
            Special::Tid(1) => thread / x % y,
            Special::Tid(_) => thread / x / y,
            Special::Ntid(axis) => grid.ntid[axis].into(),
            Special::Ctaid(axis) => self.program.ctaid[axis].into(),
            Special::Nctaid(axis) => grid.nctaid[axis].into(),
            Special::Laneid => lane as u64,
            Special::Warpid => self.warp as u64,
            Special::Nwarpid => self.warps as u64,
            Special::LanemaskEq => 1 << lane,
            Special::LanemaskLt => below,
            Special::LanemaskLe => below | 1 << lane,
            Special::LanemaskGt => all & !(below | 1 << lane),
            Special::LanemaskGe => all & !below,
            Special::Clock => cycle & 0xffff_ffff,
            Special::ClockHigh => cycle >> 32,
            Special::Clock64 => cycle,
            Special::DynamicShared => grid.dynamic,
            Special::TotalShared => grid.shared.unwrap_or(0),
            Special::Zero => 0,
            Special::One => 1,
        }
    }

    /// What a register operand of a word holds in the lowest of these lanes, and whether all of them agree; 0 without a lane.
    pub fn operand(&self, slot: usize, lanes: u64) -> (u32, bool) {
        let mut held = bits(lanes).map(|lane| self.register(slot, lane).unwrap_or(0) as u32);
        let first = held.next().unwrap_or(0);
        (first, held.all(|value| value == first))
    }

    /// The lanes in which a predicate is true.
    pub fn truth(&self, slot: usize) -> u64 {
        (0..self.width).filter(|lane| self.register(slot, *lane).unwrap_or(0) & 1 == 1).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The executing lanes of what stood at the port wait for others.
    pub fn waits(&mut self, chosen: Chosen) {
        let lanes = self.issue.lanes();
        self.waiting |= lanes;
        if let Some(Instr { op: Op::Meet { elect: Some(elect), .. }, .. }) = self.instr(chosen.at) {
            let elect = *elect;
            self.electing.push((lanes, self.issue.members, elect));
        }
    }

    /// These lanes do not wait: their instruction was refused, or they have come to a barrier as a whole.
    pub fn waits_no_more(&mut self, lanes: u64) {
        self.waiting &= !lanes;
        self.held = 0;
        self.electing.retain(|(other, ..)| other & lanes == 0);
    }

    /// Lanes that waited for others go on, and so do those that have to try again. Of those that elected one, `leaders` has it.
    pub fn go_on(&mut self, lanes: u64, leaders: u64) {
        let told: Vec<_> = self.electing.iter().copied().filter(|(other, ..)| other & lanes != 0).collect();
        for (own, members, Elect { leader, leads }) in told {
            let first = leaders & members;
            for lane in bits(own) {
                if let Some(slot) = leads {
                    self.set(slot, lane, Some(first >> lane & 1));
                }
                if let Some(slot) = leader {
                    self.set(slot, lane, Some(first.trailing_zeros().into()));
                }
            }
        }
        self.waits_no_more(lanes);
        if let Some((at, lanes)) = self.again.take() {
            self.waiting &= !lanes;
            self.threads.go(lanes, at);
        }
    }

    /// These lanes found no room to wait in: they must issue the last instruction again, as soon as others go on.
    pub fn retry(&mut self, lanes: u64) {
        self.waits_no_more(lanes);
        self.waiting |= lanes;
        self.again = Some((self.last, lanes));
    }

    /// Why only these lanes execute an instruction at which `here` stand, in words behind a sentence.
    pub fn parted(&self, executing: u64, here: u64) -> String {
        match (executing == here, self.split) {
            (false, _) => "; its guard is false in others".to_string(),
            (true, Some(split)) if executing != self.lanes => {
                format!("; they parted at {}", super::sentence::place(&self.place_of(split)))
            }
            _ => String::new(),
        }
    }

    /// An instruction stands at the port of the unit.
    pub fn offer(&mut self, chosen: Chosen) {
        self.port = Some(chosen);
        *self.times.entry(chosen.at).or_insert(0) += 1;
    }

    /// The registers that the instruction issued last reads, and what its lowest lane that is there has in them.
    pub fn operands_of_last(&self) -> Vec<(String, u64)> {
        let function = self.code().functions.get(self.last.function);
        let (Some(function), Some(instr), Some(lane)) = (function, self.instr(self.last), bits(self.lanes).next()) else {
            return vec![];
        };
        let held = |slot: usize| Some((function.registers.get(slot)?.clone(), self.register(slot, lane)?));
        instr.reads().filter_map(held).collect()
    }

    /// How often the instruction issued last was issued.
    pub fn times_of_last(&self) -> u64 {
        self.times.get(&self.last).copied().unwrap_or(0)
    }

    /// Where its next instruction stands.
    pub fn place(&self) -> Place {
        let next = self.port.or_else(|| self.chosen()).map(|chosen| chosen.at);
        self.place_of(next.or_else(|| self.threads.groups().first().map(|group| group.at)).unwrap_or(self.last))
    }

    /// Where the instruction that it issued last stands.
    pub fn last_place(&self) -> Place {
        self.place_of(self.last)
    }

    pub fn place_of(&self, at: At) -> Place {
        let function = self.code().functions.get(at.function);
        let end = || {
            let line = function.and_then(|function| function.instrs.last()).map_or(1, |last| last.place.line);
            Place { line, text: "end of program".to_string() }
        };
        self.instr(at).map_or_else(end, |instr| instr.place.clone())
    }
}
