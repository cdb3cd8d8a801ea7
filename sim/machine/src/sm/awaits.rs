// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads that a loop repeats until they return another value. In a run that follows a schedule, all rounds of the loop are one execution,
//! which takes effect when the lanes leave the loop.

use super::super::warp::await_loop::Await;
use super::super::warp::Chosen;
use super::Sm;
use crate::schedule_file::Execution;
use std::sync::Arc;

impl Sm<'_> {
    /// Ends the execution of a repeated load, if the lanes that execute the instruction `chosen` have left its loop.
    pub(super) fn leave_await(&mut self, index: usize, chosen: Chosen) {
        let warp = &mut self.warps[index];
        let Some(left) = warp.awaits.take_if(|awaits| awaits.is_left_by((chosen.at, chosen.lanes))) else { return };
        let execution = Execution::new((warp.cta, warp.warp), left.at, warp.executions(left.at));
        self.constraints.iter().for_each(|constraints| constraints.borrow_mut().done(execution));
    }

    /// Whether an execution is another round of a load that a loop repeats.
    pub(super) fn repeats_await(&mut self, index: usize, chosen: Chosen) -> bool {
        let Some(constraints) = &self.constraints else { return false };
        let warp = &self.warps[index];
        if warp.awaits.as_ref().is_some_and(|awaits| awaits.repeats((chosen.at, chosen.lanes))) {
            let execution = Execution::new((warp.cta, warp.warp), chosen.at, warp.executions(chosen.at));
            constraints.borrow_mut().repeats(execution);
            return true;
        }
        let code = warp.code();
        let body = constraints
            .borrow_mut()
            .awaiting_loop((Arc::as_ptr(code) as usize, chosen.at), || code.functions.get(chosen.at.function));
        if let Some(body) = body {
            self.warps[index].awaits = Some(Await::new((chosen.at, chosen.lanes), body));
        }
        false
    }
}
