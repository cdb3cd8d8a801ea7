// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One warp on the machine: how far it is, what holds it.

mod pending;

use super::meaning::Issue;
use super::registers::Registers;
use super::report::Stop;
use crate::program::{Action, Elect, Form, Place, Source, Step, Truth, WarpProgram, Write};
use bcu_hw::isa::instr::{decode, Pred};
use bcu_hw::unit::op::Form as Lanes;
use std::rc::Rc;

/// A warp of a launched CTA.
#[derive(Clone, Debug)]
pub(super) struct Warp {
    pub cta: usize,
    /// Within its CTA.
    pub warp: usize,
    /// Warp slot.
    pub slot: usize,
    /// Lanes that are there and have not exited, one bit each.
    pub lanes: u64,
    /// Lanes that wait for others of the warp.
    pub waiting: u64,
    /// Of these, the lanes that must issue the instruction of this step again as soon as others go on.
    again: Option<(usize, u64)>,
    /// Lanes that elect a leader among the members named, and where they are told.
    electing: Vec<(u64, u64, Elect)>,
    pub registers: Registers,
    /// Register and predicate of every B2R and load whose result is not there yet.
    pub pending: Vec<(u8, u8)>,
    pub program: Rc<WarpProgram>,
    /// The first step that nobody has looked at.
    step: usize,
    /// Steps before it that could not issue because their lanes wait, with those lanes, in order.
    skipped: Vec<(usize, u64)>,
    /// The step that was issued last.
    last: usize,
    /// The unit has shown the warp slot as not live since this warp got it.
    pub slot_free: bool,
    /// The unit has shown it as live after that.
    pub started: bool,
    /// Its step stands at a channel of the unit.
    pub offered: bool,
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

/// The step of a warp that can issue next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    pub step: usize,
    /// Its lanes, before guards.
    pub lanes: u64,
    /// Where it stands among the skipped ones.
    skipped: Option<usize>,
}

impl Warp {
    /// `lanes` of the `width` lanes of a warp are there.
    pub fn new((cta, warp): (usize, usize), slot: usize, (lanes, width): (u64, usize), program: Rc<WarpProgram>) -> Self {
        Warp {
            cta,
            warp,
            slot,
            lanes,
            waiting: 0,
            again: None,
            electing: vec![],
            registers: Registers::new(width, warp),
            pending: vec![],
            program,
            step: 0,
            skipped: vec![],
            last: 0,
            slot_free: false,
            started: false,
            offered: false,
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

    /// Live lanes of a step, guards aside; past the last one all that are left.
    fn lanes_of(&self, step: usize) -> u64 {
        self.program.steps.get(step).map_or(self.lanes, |step| self.lanes & step.active)
    }

    /// Skips steps whose lanes wait, as long as others could go on.
    pub fn look_ahead(&mut self) {
        let mut held = self.skipped.iter().fold(self.waiting, |held, (step, lanes)| held | self.lanes_of(*step) & lanes);
        while self.step < self.program.steps.len() && self.lanes & !held != 0 && self.lanes_of(self.step) & held != 0 {
            held |= self.lanes_of(self.step);
            self.skipped.push((self.step, u64::MAX));
            self.step += 1;
        }
    }

    /// The first step of whose lanes none waits or has an earlier step to issue. Lanes without a step left exit.
    pub fn chosen(&self) -> Option<Chosen> {
        let mut held = self.waiting;
        for (index, (step, lanes)) in self.skipped.iter().enumerate() {
            let lanes = self.lanes_of(*step) & lanes;
            if lanes & held == 0 {
                return Some(Chosen { step: *step, lanes, skipped: Some(index) });
            }
            held |= lanes;
        }
        let lanes = self.lanes_of(self.step);
        if self.step >= self.program.steps.len() {
            let free = lanes & !held;
            return (free != 0).then_some(Chosen { step: self.step, lanes: free, skipped: None });
        }
        (lanes & held == 0).then_some(Chosen { step: self.step, lanes, skipped: None })
    }

    /// A chosen step has been issued.
    pub fn take(&mut self, chosen: Chosen) {
        self.last = chosen.step;
        match chosen.skipped {
            Some(index) => drop(self.skipped.remove(index)),
            None if chosen.step < self.program.steps.len() => self.step += 1,
            None => {}
        }
    }

    /// The result for this register and predicate has come, or never will.
    pub fn forget(&mut self, result: (u8, u8)) {
        if let Some(first) = self.pending.iter().position(|pending| *pending == result) {
            self.pending.remove(first);
        }
    }

    /// How many steps it has issued.
    pub fn issued(&self) -> usize {
        self.step - self.skipped.len()
    }

    fn step_at(&self, chosen: Chosen) -> Option<&Step> {
        self.program.steps.get(chosen.step)
    }

    /// What a step does; past the last one, an exit.
    pub fn action(&self, chosen: Chosen) -> &Action {
        self.step_at(chosen).map_or(&Action::Exit, |s| &s.action)
    }

    /// The lanes that execute a step.
    pub fn executing(&self, chosen: Chosen) -> u64 {
        chosen.lanes & self.step_at(chosen).map_or(u64::MAX, |step| self.registers.truth(step.guard))
    }

    /// Writes the presets of a step for the instruction port and puts together what stands there.
    pub fn prepare(&mut self, chosen: Chosen, width: usize) {
        let program = self.program.clone();
        let Some(Step { action, guard, .. }) = program.steps.get(chosen.step) else { return };
        let all = u64::MAX >> (64 - width);
        let issue = Issue { active: chosen.lanes, guard: self.registers.truth(*guard) & all, ..Issue::default() };
        self.issue = match action {
            Action::Barrier { word, form, presets } => {
                presets.iter().for_each(|write| self.registers.write(write, chosen.lanes));
                let form = match form {
                    Form::Raw => Lanes::Raw,
                    Form::Aligned => Lanes::Aligned,
                    Form::Gathered => Lanes::Gathered,
                };
                self.operands(Issue { word: *word, form, guard: self.registers.truth(*guard) & all, ..issue }, all)
            }
            Action::Meet { members, elect } => {
                let form = if elect.is_some() { Lanes::Elect } else { Lanes::WarpSync };
                Issue { form, members: members & all, ..issue }
            }
            _ => issue,
        };
    }

    /// The registers and the predicate that the word names.
    fn operands(&self, mut issue: Issue, all: u64) -> Issue {
        let pp = Pred { index: (issue.word[3] >> 2 & 7) as u8, not: false };
        issue.predicate = self.registers.truth(pp) & all;
        let (ra, rb) = decode(issue.word).map_or((None, None), |instr| instr.reads());
        for (register, value) in [(ra, &mut issue.ra), (rb, &mut issue.rb)] {
            let Some(register) = register else { continue };
            let (held, uniform) = self.registers.operand(register, issue.active & issue.guard);
            *value = held;
            issue.uniform &= uniform;
        }
        issue
    }

    /// Lanes that wait for others: the executing ones of what stood at the port.
    pub fn waits(&mut self, chosen: Chosen) {
        let lanes = self.issue.lanes();
        self.waiting |= lanes;
        if let Action::Meet { members, elect: Some(elect) } = self.action(chosen) {
            self.electing.push((lanes, *members, *elect));
        }
    }

    /// These lanes do not wait: their instruction was refused, or they have come to a barrier as a whole.
    pub fn waits_no_more(&mut self, lanes: u64) {
        self.waiting &= !lanes;
        self.electing.retain(|(other, ..)| other & lanes == 0);
    }

    /// Lanes that waited for others go on, and so do those that have to try again. Of those that elected one, `leaders` has it.
    pub fn go_on(&mut self, lanes: u64, leaders: u64) {
        let told: Vec<_> = self.electing.iter().copied().filter(|(other, ..)| other & lanes != 0).collect();
        for (own, members, Elect { predicate, register }) in told {
            let leader = leaders & members;
            if let Some(to) = predicate {
                self.registers.write(&Write::Predicate { to, from: Truth::Mask(leader) }, own);
            }
            if let Some(to) = register {
                self.registers.write(&Write::Mov { to, from: Source::Number(leader.trailing_zeros()) }, own);
            }
        }
        self.waits_no_more(lanes);
        if let Some((step, lanes)) = self.again.take() {
            self.waiting &= !lanes;
            let place = self.skipped.partition_point(|(other, _)| *other < step);
            self.skipped.insert(place, (step, lanes));
        }
    }

    /// These lanes found no room to wait in: they must issue the last step again, as soon as others go on.
    pub fn retry(&mut self, lanes: u64) {
        self.waits_no_more(lanes);
        self.waiting |= lanes;
        self.again = Some((self.last, lanes));
    }

    /// Where its next step stands.
    pub fn place(&self) -> Place {
        self.place_of(self.chosen().map_or(self.step, |chosen| chosen.step))
    }

    /// Where the step that it issued last stands.
    pub fn last_place(&self) -> Place {
        self.place_of(self.last)
    }

    fn place_of(&self, step: usize) -> Place {
        let end = || Place { line: self.program.steps.last().map_or(1, |s| s.place.line), text: "end of program".to_string() };
        self.program.steps.get(step).map_or_else(end, |s| s.place.clone())
    }
}
