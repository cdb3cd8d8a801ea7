// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The way of one warp through its code: branches are followed lane by lane, so loops and roles unroll and diverged parts become
//! steps of some lanes only.

use super::ast::{Barrier, BarrierKind, Code, Guard, Instr, Op};
use super::check::{barrier_action, Findings};
use super::eval::{Registers, WarpContext};
use super::lanes::{Lanes, Next};
use super::word::result_word;
use crate::program::{Action, Form, Place, Step};
use bcu_hw::diag::Diagnostic;
use bcu_hw::isa::instr::Pred;
use std::collections::HashSet;

/// The most steps of one warp.
pub const MAX_STEPS: usize = 100_000;

pub(super) struct Walk<'a> {
    pub code: &'a Code,
    pub context: WarpContext<'a>,
    /// Functions that reach a barrier, by name.
    pub barrier_functions: &'a HashSet<&'a str>,
    /// The highest lane leads, not the lowest.
    pub highest_leads: bool,
}

/// The lanes of one instruction, one bit each.
#[derive(Clone, Copy)]
pub(super) struct Active {
    /// Lanes that are here.
    pub here: u64,
    /// Those of them whose guard is true, as far as that is known.
    pub executing: u64,
    /// In one of them the guard is not known.
    pub unknown: bool,
}

/// The steps of a warp while they come into being.
struct Steps<'s> {
    steps: &'s mut Vec<Step>,
    lanes: Lanes,
}

impl Steps<'_> {
    /// A step of these lanes. Lanes that exit here may still wait in the run, so only those of the whole warp count as all.
    fn push(&mut self, action: Action, lanes: u64, guard: Pred, place: &Place) {
        let active = if lanes == self.lanes.all() { u64::MAX } else { lanes };
        self.steps.push(Step { action, active, guard, place: place.clone() });
    }

    /// These lanes go on at an instruction. Those behind the last one exit while others are still under way; the last of them
    /// do so anyway.
    fn go(&mut self, lanes: u64, to: usize, place: &Place) {
        let ended = self.lanes.go(lanes, to);
        if ended != 0 && ended != self.lanes.left() {
            self.push(Action::Exit, ended, Pred::PT, place);
            self.lanes.exit(ended);
        }
    }
}

impl Walk<'_> {
    /// Adds all steps of the warp, up to a complaint if there is one.
    pub fn steps(&self, findings: &mut Findings, steps: &mut Vec<Step>) -> Result<(), Diagnostic> {
        let mut registers = Registers::new(self.code.registers.len(), self.context.live);
        let mut out = Steps { steps, lanes: Lanes::new(self.context.live, self.code.instrs.len()) };
        loop {
            match out.lanes.next() {
                Next::Execute(at, here) => self.step(at, here, &mut registers, findings, &mut out)?,
                Next::Gathered(groups) => {
                    for (at, lanes) in groups {
                        let Some(instr) = self.code.instrs.get(at) else { continue };
                        self.result(instr, lanes, &mut out)?;
                        out.go(lanes, at + 1, &instr.place);
                    }
                }
                Next::End => return Ok(()),
            }
        }
    }

    /// The lanes `here` execute instruction `at`.
    fn step(
        &self,
        at: usize,
        here: u64,
        registers: &mut Registers,
        findings: &mut Findings,
        out: &mut Steps,
    ) -> Result<(), Diagnostic> {
        let Some(instr) = self.code.instrs.get(at) else { return Ok(()) };
        self.check_length(out.steps.len() + 1, instr)?;
        let guard = self.guard(instr.guard, registers, here);
        let lanes = active(here, &guard);
        let time = Action::Busy { cycles: 1 };
        let all = Pred::PT;
        match &instr.op {
            _ if lanes.executing == 0 && !lanes.unknown => out.push(time, here, all, &instr.place),
            Op::Barrier(_) if lanes.unknown => {
                let reason = "a lane that may or may not arrive";
                return Err(self.refusal(instr, registers, "whether this barrier is executed", reason));
            }
            Op::Barrier(barrier) => {
                let go_on = self.barrier(instr, barrier, lanes, registers, findings, out)?;
                instr.writes.iter().for_each(|slot| registers.forget(*slot, at, lanes.executing));
                out.go(go_on, at + 1, &instr.place);
                return Ok(());
            }
            Op::Branch { .. } | Op::End if lanes.unknown => {
                out.push(time, here, all, &instr.place);
                let join = self.both_ways(at, here, registers, out)?;
                out.go(here, join, &instr.place);
                return Ok(());
            }
            Op::End => {
                out.push(Action::Exit, lanes.executing, all, &instr.place);
                out.lanes.exit(lanes.executing);
                out.go(here & !lanes.executing, at + 1, &instr.place);
                return Ok(());
            }
            Op::Branch { target } => {
                out.push(time, here, all, &instr.place);
                out.go(here & !lanes.executing, at + 1, &instr.place);
                out.go(lanes.executing, *target, &instr.place);
                return Ok(());
            }
            Op::Trap if !lanes.unknown => {
                let message = format!("warp {} runs into `trap`", self.context.warp);
                return Err(Diagnostic::new(instr.span.clone(), message, "the kernel stops itself here"));
            }
            Op::Call { callee } if self.reaches_barrier(callee.as_deref()) => {
                let message = "a call of a function that executes a barrier";
                return Err(Diagnostic::new(instr.span.clone(), message, "not built yet")
                    .help("let the compiler inline it: `__forceinline__`"));
            }
            Op::Access { space, write, cell } => {
                let may = if lanes.unknown { here } else { lanes.executing };
                let cell = cell.as_ref().and_then(|cell| self.cell(instr, cell, *write, lanes, registers));
                out.push(Action::Access { space: *space, write: *write, cell }, may, all, &instr.place);
            }
            Op::Meet { .. } if lanes.unknown => {
                let reason = "a lane that may or may not come";
                return Err(self.refusal(instr, registers, "whether this is executed", reason));
            }
            Op::Meet { elect, members, span } => {
                for meeting in self.members((members, span), lanes.executing, registers)? {
                    let action = self.meet(*elect, meeting, out.lanes.left(), registers);
                    out.push(action, meeting.1, all, &instr.place);
                }
                out.go(here, at + 1, &instr.place);
                return Ok(());
            }
            Op::Calc { calc, sources } => {
                registers.evaluate(at, (*calc, sources), &instr.writes, &guard, &self.context);
                out.push(time, here, all, &instr.place);
            }
            Op::Trap | Op::Call { .. } | Op::Time | Op::NotBuilt { .. } => out.push(time, here, all, &instr.place),
        }
        if (lanes.executing != 0 || lanes.unknown) && !matches!(instr.op, Op::Calc { .. }) {
            let written = if lanes.unknown { here } else { lanes.executing };
            instr.writes.iter().for_each(|slot| registers.forget(*slot, at, written));
        }
        out.go(here, at + 1, &instr.place);
        Ok(())
    }

    /// Some lanes arrive; gives those that go on, which they do not while the rest of their warp must come first.
    fn barrier(
        &self,
        instr: &Instr,
        barrier: &Barrier,
        lanes: Active,
        registers: &Registers,
        findings: &mut Findings,
        out: &mut Steps,
    ) -> Result<u64, Diagnostic> {
        let (action, guard) = barrier_action(instr, barrier, self, registers, lanes, findings)?;
        // A guard in the word holds lanes back that are active.
        let active = if guard == Pred::PT { lanes.executing } else { lanes.here };
        out.push(action, active, guard, &instr.place);
        if !barrier.aligned && lanes.executing != out.lanes.left() {
            out.lanes.wait(lanes.executing);
            return Ok(lanes.here & !lanes.executing);
        }
        self.result(instr, lanes.executing, out)?;
        Ok(lanes.here)
    }

    /// The destination of a reduction gets its value.
    fn result(&self, instr: &Instr, lanes: u64, out: &mut Steps) -> Result<(), Diagnostic> {
        let Op::Barrier(Barrier { kind: BarrierKind::Reduce(op), .. }) = &instr.op else { return Ok(()) };
        let Some(destination) = instr.writes.first() else { return Ok(()) };
        self.check_length(out.steps.len() + 1, instr)?;
        let action = Action::Barrier { word: result_word(*op, *destination), form: Form::Raw, presets: vec![] };
        out.push(action, lanes, Pred::PT, &instr.place);
        Ok(())
    }

    fn check_length(&self, steps: usize, instr: &Instr) -> Result<(), Diagnostic> {
        if steps <= MAX_STEPS {
            return Ok(());
        }
        let message = format!("warp {} takes more than {MAX_STEPS} steps", self.context.warp);
        Err(Diagnostic::new(instr.span.clone(), message, "still running here")
            .help("a loop that does not end, or one too long to unroll: lower its number of rounds"))
    }

    /// The guard in every lane; false in a lane that is not here, true without a guard.
    fn guard(&self, guard: Option<Guard>, registers: &Registers, here: u64) -> Vec<Option<bool>> {
        let held = guard.map(|guard| (registers.lanes(guard.slot), guard.negated));
        let lane = |lane: usize| match &held {
            _ if here >> lane & 1 == 0 => Some(false),
            None => Some(true),
            Some((lanes, negated)) => lanes.get(lane).copied().flatten().map(|v| (v & 1 == 1) != *negated),
        };
        (0..self.context.live).map(lane).collect()
    }

    fn reaches_barrier(&self, callee: Option<&str>) -> bool {
        callee.map_or(!self.barrier_functions.is_empty(), |name| self.barrier_functions.contains(name))
    }

    /// Goes through both ways of a branch of which nobody knows who takes it: every instruction once, up to where they meet.
    fn both_ways(&self, at: usize, here: u64, registers: &mut Registers, out: &mut Steps) -> Result<usize, Diagnostic> {
        let branch = &self.code.instrs[at];
        let join =
            self.rejoin(at).map_err(|reason| self.refusal(branch, registers, "whether this branch is taken", &reason))?;
        self.check_length(out.steps.len() + join - (at + 1), branch)?;
        for (i, instr) in self.code.instrs.iter().enumerate().take(join).skip(at + 1) {
            let action = match instr.op {
                Op::Access { space, write, .. } => Action::Access { space, write, cell: None },
                _ => Action::Busy { cycles: 1 },
            };
            out.push(action, here, Pred::PT, &instr.place);
            instr.writes.iter().for_each(|slot| registers.forget(*slot, i, here));
        }
        Ok(join)
    }

    /// Where the two ways of the branch at this index meet again; why they cannot be followed, if so.
    fn rejoin(&self, at: usize) -> Result<usize, String> {
        let end = self.code.instrs.len();
        let goal = |op: &Op| match op {
            Op::Branch { target } => Some(*target),
            Op::End => Some(end),
            _ => None,
        };
        let mut join = at + 1;
        let mut i = at;
        while i < join {
            let instr = &self.code.instrs[i];
            let line = instr.place.line;
            match &instr.op {
                Op::Barrier(_) | Op::Meet { .. } => {
                    return Err(format!("before both ways meet again, line {line} has a barrier"));
                }
                Op::Call { callee } if self.reaches_barrier(callee.as_deref()) => {
                    return Err(format!("before both ways meet again, line {line} calls a function with a barrier"));
                }
                op => match goal(op) {
                    Some(target) if target <= i => return Err(format!("line {line} goes back, nobody knows how often")),
                    Some(target) => join = join.max(target),
                    None => {}
                },
            }
            i += 1;
        }
        Ok(join)
    }
}

/// What the lanes `here` make of a guard.
fn active(here: u64, guard: &[Option<bool>]) -> Active {
    let executing =
        guard.iter().enumerate().filter(|(_, lane)| **lane == Some(true)).fold(0, |mask, (lane, _)| mask | 1 << lane);
    Active { here, executing, unknown: guard.contains(&None) }
}
