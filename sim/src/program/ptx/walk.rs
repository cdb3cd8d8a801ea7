// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The way of one warp through its code: branches that all its lanes agree on are followed, so loops and roles unroll.

use super::ast::{Code, Guard, Instr, Op, Slot};
use super::check::{barrier_action, Findings};
use super::eval::{Registers, WarpContext};
use crate::program::{Action, Step};
use bcu_hw::diag::Diagnostic;
use std::collections::HashSet;

/// The most steps of one warp.
pub const MAX_STEPS: usize = 100_000;

/// What the lanes of a warp make of a guard.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    All,
    None,
    /// The lanes differ.
    Diverged,
    Unknown,
}

pub(super) struct Walk<'a> {
    pub code: &'a Code,
    pub context: WarpContext<'a>,
    /// Functions that reach a barrier, by name.
    pub barrier_functions: &'a HashSet<&'a str>,
}

impl Walk<'_> {
    /// Adds all steps of the warp, up to a complaint if there is one.
    pub fn steps(&self, findings: &mut Findings, steps: &mut Vec<Step>) -> Result<(), Diagnostic> {
        let mut registers = Registers::new(self.code.registers.len(), self.context.live);
        let mut at = 0;
        while let Some(instr) = self.code.instrs.get(at) {
            self.check_length(steps.len() + 1, instr)?;
            let lanes = self.guard(instr.guard, &registers);
            let decision = decide(&lanes);
            let step = |action| Step { action, place: instr.place.clone() };
            let time = Action::Busy { cycles: 1 };
            let mut next = at + 1;
            let mut action = time.clone();
            match (&instr.op, decision) {
                (_, Decision::None) => {}
                (Op::Barrier(barrier), Decision::All) => action = barrier_action(barrier, self, &registers, instr, findings)?,
                (Op::Barrier(_), _) => {
                    return Err(self.refusal(
                        instr,
                        decision,
                        &registers,
                        "whether this barrier is executed",
                        "diverged barriers come later",
                    ))
                }
                (Op::End, Decision::All) => {
                    steps.push(step(Action::Exit));
                    return Ok(());
                }
                (Op::Branch { target }, Decision::All) => next = *target,
                (Op::Branch { .. } | Op::End, _) => {
                    steps.push(step(time));
                    at = self.diverged(at, decision, &mut registers, steps)?;
                    continue;
                }
                (Op::Trap, Decision::All) => {
                    let message = format!("warp {} runs into `trap`", self.context.warp);
                    return Err(Diagnostic::new(instr.span.clone(), message, "the kernel stops itself here"));
                }
                (Op::Call { callee }, _) if self.reaches_barrier(callee.as_deref()) => {
                    return Err(Diagnostic::new(
                        instr.span.clone(),
                        "a call of a function that executes a barrier",
                        "not built yet",
                    )
                    .help("let the compiler inline it: `__forceinline__`"))
                }
                (Op::Access { space, write }, _) => action = Action::Access { space: *space, write: *write },
                (Op::Calc { calc, ty, sources }, _) => {
                    registers.evaluate(at, (*calc, *ty, sources), &instr.writes, &lanes, &self.context);
                }
                (Op::Trap | Op::Call { .. } | Op::Time, _) => {}
            }
            if decision != Decision::None && !matches!(instr.op, Op::Calc { .. }) {
                instr.writes.iter().for_each(|slot| registers.forget(*slot, at));
            }
            steps.push(step(action));
            at = next;
        }
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

    /// The guard in every live lane; an instruction without one is executed by all.
    fn guard(&self, guard: Option<Guard>, registers: &Registers) -> Vec<Option<bool>> {
        let Some(guard) = guard else { return vec![Some(true); self.context.live] };
        registers.lanes(guard.slot).iter().map(|lane| lane.map(|v| (v & 1 == 1) != guard.negated)).collect()
    }

    fn reaches_barrier(&self, callee: Option<&str>) -> bool {
        callee.map_or(!self.barrier_functions.is_empty(), |name| self.barrier_functions.contains(name))
    }

    /// Goes through both ways of a branch that splits the warp, or may: every instruction once, up to where they meet.
    fn diverged(
        &self,
        at: usize,
        decision: Decision,
        registers: &mut Registers,
        steps: &mut Vec<Step>,
    ) -> Result<usize, Diagnostic> {
        let branch = &self.code.instrs[at];
        let join = self
            .rejoin(at)
            .map_err(|reason| self.refusal(branch, decision, registers, "whether this branch is taken", &reason))?;
        self.check_length(steps.len() + join - (at + 1), branch)?;
        for (i, instr) in self.code.instrs.iter().enumerate().take(join).skip(at + 1) {
            let action = match instr.op {
                Op::Access { space, write } => Action::Access { space, write },
                _ => Action::Busy { cycles: 1 },
            };
            steps.push(Step { action, place: instr.place.clone() });
            instr.writes.iter().for_each(|slot| registers.forget(*slot, i));
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
                Op::Barrier(_) => {
                    return Err(format!("before both ways meet again, line {line} has a barrier: diverged barriers come later"))
                }
                Op::Call { callee } if self.reaches_barrier(callee.as_deref()) => {
                    return Err(format!("before both ways meet again, line {line} calls a function with a barrier"));
                }
                op => match goal(op) {
                    Some(target) if target <= i => return Err(format!("line {line} goes back: diverged loops come later")),
                    Some(target) => join = join.max(target),
                    None => {}
                },
            }
            i += 1;
        }
        Ok(join)
    }

    /// Why what stands at `instr` cannot be decided.
    fn refusal(&self, instr: &Instr, decision: Decision, registers: &Registers, what: &str, reason: &str) -> Diagnostic {
        let slot = instr.guard.map_or(0, |guard| guard.slot);
        if decision == Decision::Diverged {
            let message = format!("the lanes of warp {} do not agree {what}", self.context.warp);
            return Diagnostic::new(instr.span.clone(), message, reason).help("let all lanes of the warp decide alike");
        }
        let message = format!("{what} in warp {} is not known before the run", self.context.warp);
        self.explain(slot, registers, Diagnostic::new(instr.span.clone(), message, reason))
    }

    /// Adds where the unknown value of a register comes from.
    pub fn explain(&self, slot: Slot, registers: &Registers, diagnostic: Diagnostic) -> Diagnostic {
        let name = self.code.registers.get(slot).map_or("it", String::as_str);
        let Some(origin) = registers.origin(slot).and_then(|origin| self.code.instrs.get(origin)) else {
            return diagnostic
                .help(format!("`{name}` has no value yet: set it before, for instance with `mov.u32 {name}, 1;`"));
        };
        let (line, text) = (origin.place.line, &origin.place.text);
        let mut help = format!("`{name}` depends on line {line}, `{text}`, which is not evaluated before the run");
        if let Op::Calc { sources, .. } = &origin.op {
            if let Some(super::ast::Operand::Param(param)) = sources.first() {
                help = format!("`{name}` depends on a parameter of the kernel; give it a value: `// bcu: param {param} 64`");
            }
        }
        diagnostic.help(help)
    }
}

fn decide(lanes: &[Option<bool>]) -> Decision {
    if lanes.contains(&None) {
        return Decision::Unknown;
    }
    match (lanes.contains(&Some(true)), lanes.contains(&Some(false))) {
        (true, true) => Decision::Diverged,
        (false, true) => Decision::None,
        _ => Decision::All,
    }
}
