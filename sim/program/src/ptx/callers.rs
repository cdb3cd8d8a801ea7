// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The most likely call of an inlined instruction, where the text does not distinguish several calls.
//!
//! The instructions before and after it that are not inlined are of known lines. The call is between these lines, unless the compiler has
//! moved the instruction.

use crate::{Instr, Op, Origin};
use std::sync::Arc;

/// The instructions before and after an instruction among which lines are searched for.
const NEAR: usize = 64;

/// Chooses the caller of each instruction for which there are several.
pub(super) fn choose_callers(instrs: &mut [Instr]) {
    for at in 0..instrs.len() {
        let Some(origin) = instrs[at].place.origin.clone().filter(|origin| !origin.other_callers.is_empty()) else { continue };
        let before =
            (0..at).rev().take(NEAR).take_while(|at| !never_continues(&instrs[*at])).find_map(|at| known_line(&instrs[at]));
        let is_reached = |from: &usize| *from == at || !never_continues(&instrs[*from]);
        let after = (at..instrs.len()).take(NEAR).take_while(is_reached).skip(1).find_map(|at| known_line(&instrs[at]));
        let after = after.filter(|_| !never_continues(&instrs[at]));
        instrs[at].place.origin = Some(Arc::new(choose(&origin, before.as_ref(), after.as_ref())));
    }
}

/// The author's line of an instruction with one location, as the file and the number of the line.
fn known_line(instr: &Instr) -> Option<(Arc<str>, u32)> {
    let origin = instr.place.origin.as_ref().filter(|origin| origin.other_callers.is_empty())?;
    let author = origin.of_author();
    Some((author.file.clone(), author.line))
}

/// Whether the next instruction of the text is never executed after this one.
fn never_continues(instr: &Instr) -> bool {
    instr.guard.is_none() && matches!(instr.op, Op::Branch { .. } | Op::Switch { .. } | Op::Exit | Op::Return)
}

/// The location with its most likely caller: of those between the two lines the first after the line before it; without a line before it
/// the last before the line after it.
fn choose(origin: &Origin, before: Option<&(Arc<str>, u32)>, after: Option<&(Arc<str>, u32)>) -> Origin {
    let mut callers: Vec<Arc<Origin>> = origin.other_callers.iter().chain(&origin.caller).cloned().collect();
    // The line of a call in the file of the lines around it.
    let file = before.or(after).map(|(file, _)| file.clone());
    let line = |caller: &Origin| caller.frames().find(|frame| Some(&frame.file) == file.as_ref()).map(|frame| frame.line);
    let first = before.map_or(0, |(_, line)| *line);
    let last = after.filter(|(of, _)| Some(of) == file.as_ref()).map_or(u32::MAX, |(_, line)| *line);
    let fitting = |last: u32| {
        let lines = callers.iter().enumerate().filter_map(|(at, caller)| Some((line(caller)?, at)));
        let fitting = lines.filter(|(line, _)| (first..=last).contains(line));
        if before.is_some() {
            fitting.min()
        } else {
            fitting.max()
        }
    };
    let chosen = fitting(last).or_else(|| fitting(u32::MAX)).map_or(callers.len() - 1, |(_, at)| at);
    let caller = Some(callers.remove(chosen));
    Origin { caller, other_callers: callers, ..origin.clone() }
}
