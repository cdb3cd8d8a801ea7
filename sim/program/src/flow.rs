// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which instructions of a function a lane can reach from a given instruction.

use super::{Function, Op};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// For each instruction of a function, whether a lane at that instruction can reach one fixed instruction.
type Sources = Arc<Vec<bool>>;

/// Cached results, by function and reached instruction.
#[derive(Debug, Default)]
pub(super) struct Reach(RwLock<HashMap<(usize, usize), Sources>>);

impl Reach {
    /// Whether a lane at `from` can reach `to` in `function`; `number` is the index of the function.
    pub fn reaches(&self, (number, function): (usize, &Function), from: usize, to: usize) -> bool {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&(number, to)).cloned();
        let sources = known.unwrap_or_else(|| {
            let sources = Arc::new(sources(function, to));
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert((number, to), sources.clone());
            sources
        });
        sources.get(from).copied().unwrap_or(false)
    }
}

/// The possible next instructions of a lane after the instruction `at`.
pub(super) fn successors(function: &Function, at: usize) -> Vec<usize> {
    let Some(instr) = function.instrs.get(at) else { return vec![] };
    let guarded = instr.guard.is_some();
    match &instr.op {
        Op::Branch { target } if guarded => vec![*target, at + 1],
        Op::Branch { target } => vec![*target],
        Op::Switch { targets, .. } => targets.iter().copied().chain(guarded.then_some(at + 1)).collect(),
        Op::Return | Op::Exit | Op::Trap if !guarded => vec![],
        _ => vec![at + 1],
    }
}

/// Whether a lane at `from` reaches the end of the function in every case, without waiting for another lane.
pub(super) fn always_ends(function: &Function, from: usize) -> bool {
    let mut at = from;
    for _ in 0..=function.instrs.len() {
        let Some(instr) = function.instrs.get(at) else { return true };
        match &instr.op {
            Op::Return | Op::Exit if instr.guard.is_none() => return true,
            Op::Calc { .. } | Op::Branch { .. } => (),
            Op::Access(access) if !access.converged() => (),
            _ => return false,
        }
        let [next] = successors(function, at)[..] else { return false };
        at = next;
    }
    false
}

/// For each instruction, whether a lane can reach the instruction `to` from there; true for `to` itself.
fn sources(function: &Function, to: usize) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![vec![]; function.instrs.len() + 1];
    for at in 0..function.instrs.len() {
        for next in successors(function, at) {
            if let Some(before) = before.get_mut(next) {
                before.push(at);
            }
        }
    }
    let mut found = vec![false; before.len()];
    let mut pending = vec![to];
    while let Some(at) = pending.pop() {
        if let Some(seen) = found.get_mut(at).filter(|seen| !**seen) {
            *seen = true;
            pending.extend(&before[at]);
        }
    }
    found
}

/// The instruction at which the paths of the branch at index `at` rejoin, if everything in between executes at most once; otherwise the
/// reason why the paths do not rejoin. `called`: another function calls this function, so a lane at the end returns and does not exit.
pub fn rejoin(function: &Function, at: usize, called: bool) -> Result<usize, String> {
    let end = function.instrs.len();
    let goal = |op: &Op| match op {
        Op::Branch { target } => Some(*target),
        Op::Return | Op::Exit => Some(end),
        Op::Switch { targets, .. } => targets.iter().copied().max(),
        _ => None,
    };
    let mut join = at + 1;
    let mut i = at;
    while i < join {
        let Some(instr) = function.instrs.get(i) else { break };
        let line = instr.place.line;
        let backwards = match &instr.op {
            Op::Branch { target } => *target <= i,
            Op::Switch { targets, .. } => targets.iter().any(|target| *target <= i),
            _ => false,
        };
        match &instr.op {
            _ if backwards => {
                return Err(format!("line {line} branches backwards, an unknown number of times, before the paths rejoin"))
            }
            Op::Word(_) | Op::Barrier(_) | Op::Mbarrier(_) | Op::Meet { .. } | Op::Exchange { .. } => {
                return Err(format!(
                    "line {line} has a barrier or an exchange of lanes on one of the paths, before they rejoin"
                ));
            }
            Op::Access(access) if access.signal().is_some() => {
                return Err(format!("line {line} signals an mbarrier on one of the paths, before they rejoin"));
            }
            Op::TensorCore(_) => {
                return Err(format!("line {line} uses the tensor core on one of the paths, before they rejoin"));
            }
            Op::Call(_) => return Err(format!("line {line} calls a function on one of the paths, before they rejoin")),
            Op::Exit if called => {
                return Err(format!("line {line} may end the thread on one of the paths, before they rejoin"))
            }
            Op::Trap => return Err(format!("line {line} aborts the program on one of the paths, before they rejoin")),
            op => join = goal(op).map_or(join, |target| join.max(target)),
        }
        i += 1;
    }
    Ok(join)
}
