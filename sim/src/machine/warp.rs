// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One warp on the machine: how far it is, what holds it.

use super::meaning::Issue;
use super::registers::Registers;
use super::report::Stop;
use crate::program::{Action, Form, Place, Step, WarpProgram, Write};
use bcu_hw::isa::instr::{decode, Op, Pred, Reg};
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
    pub registers: Registers,
    /// Register and predicate of every B2R whose result is not there yet.
    pub pending: Vec<(u8, u8)>,
    pub program: Rc<WarpProgram>,
    /// The next step.
    pub step: usize,
    /// The unit has shown the warp slot as not live since this warp got it.
    pub slot_free: bool,
    /// The unit has shown it as live after that.
    pub started: bool,
    /// Its step stands at a channel of the unit.
    pub offered: bool,
    /// What stands at the instruction port, while it does.
    pub issue: Issue,
    /// The first cycle in which it may issue again.
    pub ready_at: u64,
    /// The first cycle in which all its accesses are performed.
    pub performed_at: u64,
    /// The barrier at which it waits.
    pub waits_at: Option<u8>,
    /// It waits because a state word said so, which `blocked` does not show yet.
    pub settling: bool,
    /// The fault policy has stopped it.
    pub stopped: Option<Stop>,
    pub waited: u64,
    pub exited: Option<u64>,
}

impl Warp {
    /// `lanes` of the `width` lanes of a warp are there.
    pub fn new((cta, warp): (usize, usize), slot: usize, (lanes, width): (u64, usize), program: Rc<WarpProgram>) -> Self {
        Warp {
            cta,
            warp,
            slot,
            lanes,
            registers: Registers::new(width, warp),
            pending: vec![],
            program,
            step: 0,
            slot_free: false,
            started: false,
            offered: false,
            issue: Issue::default(),
            ready_at: 0,
            performed_at: 0,
            waits_at: None,
            settling: false,
            stopped: None,
            waited: 0,
            exited: None,
        }
    }

    /// What it does next; past the last step, an exit.
    pub fn action(&self) -> &Action {
        self.program.steps.get(self.step).map_or(&Action::Exit, |s| &s.action)
    }

    /// The lanes that execute its next step.
    pub fn executing(&self) -> u64 {
        let step = self.program.steps.get(self.step);
        step.map_or(self.lanes, |step| self.lanes & step.active & self.registers.truth(step.guard))
    }

    /// The next step ends the warp, and not only some of its lanes.
    pub fn ends(&self) -> bool {
        *self.action() == Action::Exit && self.executing() == self.lanes
    }

    /// The next step must wait for the result of a B2R.
    pub fn awaits_result(&self) -> bool {
        if self.pending.is_empty() {
            return false;
        }
        let Some(step) = self.program.steps.get(self.step) else { return true };
        let due = |register: Reg| register != Reg::RZ && self.pending.iter().any(|(rd, _)| *rd == register.0);
        let due_predicate = |index: u8| index != Pred::PT.index && self.pending.iter().any(|(_, pu)| *pu == index);
        let write = |write: &Write| {
            let (to, predicate) = match write {
                Write::Mov { to, .. } | Write::Alu { to, .. } => (Some(*to), None),
                Write::Predicate { to, .. } => (None, Some(*to)),
            };
            write.registers().chain(to).any(due) || write.predicate().into_iter().chain(predicate).any(due_predicate)
        };
        due_predicate(step.guard.index)
            || match &step.action {
                Action::Write(written) => write(written),
                Action::Barrier { word, presets, .. } => {
                    let Ok(instr) = decode(*word) else { return false };
                    let (ra, rb) = instr.reads();
                    let predicate = match instr.op {
                        Op::Red { pp, .. } => Some(pp.index),
                        Op::Result { pu, .. } => Some(pu),
                        _ => None,
                    };
                    let registers = [ra, rb, instr.writes()].into_iter().flatten().any(due);
                    registers || predicate.is_some_and(due_predicate) || presets.iter().any(write)
                }
                // With the last lane the registers are gone.
                Action::Exit => true,
                Action::Busy { .. } | Action::Access { .. } => false,
            }
    }

    /// Writes the presets of a barrier instruction and puts together what stands at the port.
    pub fn prepare(&mut self, width: usize) -> Form {
        let program = self.program.clone();
        let Some(Step { action: Action::Barrier { word, form, presets }, active, guard, .. }) = program.steps.get(self.step)
        else {
            return Form::Raw;
        };
        presets.iter().for_each(|write| self.registers.write(write, u64::MAX));
        let all = u64::MAX >> (64 - width);
        let pp = Pred { index: (word[3] >> 2 & 7) as u8, not: false };
        let mut issue = Issue {
            word: *word,
            uniform: true,
            active: self.lanes & active,
            guard: self.registers.truth(*guard) & all,
            predicate: self.registers.truth(pp) & all,
            ..Issue::default()
        };
        let (ra, rb) = decode(*word).map_or((None, None), |instr| instr.reads());
        for (register, value) in [(ra, &mut issue.ra), (rb, &mut issue.rb)] {
            let Some(register) = register else { continue };
            let (held, uniform) = self.registers.operand(register, issue.active & issue.guard);
            *value = held;
            issue.uniform &= uniform;
        }
        self.issue = issue;
        *form
    }

    /// Where its next step stands.
    pub fn place(&self) -> Place {
        self.place_of(self.step)
    }

    /// Where the step that it issued last stands.
    pub fn last_place(&self) -> Place {
        self.place_of(self.step.saturating_sub(1))
    }

    fn place_of(&self, step: usize) -> Place {
        let end = || Place { line: self.program.steps.last().map_or(1, |s| s.place.line), text: "end of program".to_string() };
        self.program.steps.get(step).map_or_else(end, |s| s.place.clone())
    }
}
