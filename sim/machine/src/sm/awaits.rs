// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads that a loop repeats until they return another value. In a run that follows a schedule, all rounds of the loop are one execution,
//! which takes effect when the lanes leave the loop.

use super::super::warp::threads::At;
use super::super::warp::Chosen;
use super::Sm;
use crate::schedule_file::Execution;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The loop in which lanes of a warp repeat a load.
#[derive(Clone, Debug)]
pub(in super::super) struct Await {
    /// The load.
    pub(in super::super) at: At,
    body: RangeInclusive<usize>,
    lanes: u64,
}

impl Await {
    /// Whether an instruction is in the loop, and executed by the same lanes; `None` for other lanes.
    fn includes(&self, chosen: Chosen) -> Option<bool> {
        let is_inside = chosen.at.function == self.at.function && self.body.contains(&chosen.at.instr);
        (chosen.lanes & self.lanes != 0).then_some(is_inside && chosen.lanes & self.lanes == self.lanes)
    }
}

impl Sm<'_> {
    /// Ends the execution of a repeated load, if the lanes that execute the instruction `chosen` have left its loop.
    pub(super) fn leave_await(&mut self, index: usize, chosen: Chosen) {
        let warp = &mut self.warps[index];
        let Some(left) = warp.awaits.take_if(|awaits| awaits.includes(chosen) == Some(false)) else { return };
        let execution = Execution::new((warp.cta, warp.warp), left.at, warp.executions(left.at));
        self.constraints.iter().for_each(|constraints| constraints.borrow_mut().done(execution));
    }

    /// Whether an execution is another round of a load that a loop repeats.
    pub(super) fn repeats_await(&mut self, index: usize, chosen: Chosen) -> bool {
        let Some(constraints) = &self.constraints else { return false };
        let warp = &self.warps[index];
        if warp.awaits.as_ref().is_some_and(|awaits| awaits.at == chosen.at && awaits.lanes == chosen.lanes) {
            let execution = Execution::new((warp.cta, warp.warp), chosen.at, warp.executions(chosen.at));
            constraints.borrow_mut().repeats(execution);
            return true;
        }
        let code = warp.code();
        let body = constraints
            .borrow_mut()
            .awaiting_loop((Arc::as_ptr(code) as usize, chosen.at), || code.functions.get(chosen.at.function));
        if let Some(body) = body {
            self.warps[index].awaits = Some(Await { at: chosen.at, body, lanes: chosen.lanes });
        }
        false
    }
}
