// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of a launch: the walk that claims its warp slots, then the Launch operation.
//!
//! *Reads:* whether a launch is offered and may begin; the progress of the walk; whether the launch is refused, or deferred until a CTA
//! is flushed. *Writes:* the present step; when the Launch is offered, and whether the launch is accepted; `launch_ready`. *Latency:* 1
//! from step to step. Implements *Launch* of `docs/contract/cta_table.md`.

use crate::prelude::*;

#[block]
pub struct LaunchSequencer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A launch is offered.
    pub launch: Signal<In, Bit>,
    /// A retirement is offered; it has precedence over a launch.
    pub retire: Signal<In, Bit>,
    /// No launch and no retirement is in progress, and no operation is offered.
    pub is_idle: Signal<In, Bit>,
    /// A Launch is in transit to `named` or `gateway`; until it arrives, no other launch begins.
    pub launching: Signal<In, Bit>,
    /// The launch was deferred, and no CTA was flushed since the launch began: it must not begin again yet.
    pub awaits_flush: Signal<In, Bit>,
    /// The launch is refused.
    pub is_refused: Signal<In, Bit>,
    /// The launch is deferred; ignored if `is_refused` is 1.
    pub is_deferred: Signal<In, Bit>,
    /// The walk reads the last warp.
    pub at_last_warp: Signal<In, Bit>,
    /// The read of the cycle before was a step of the walk of the launch.
    pub of_launch: Signal<In, Bit>,
    /// The last lanes of a warp have exited. In such a cycle the Launch is not offered, so no warp becomes live.
    pub warp_exited: Signal<In, Bit>,
    /// Rows of barriers are being cleared.
    pub clearing: Signal<In, Bit>,
    /// The Launch may be offered: the operation register is free, and there is no exit. An exit
    /// has precedence.
    pub accepts_op: Signal<In, Bit>,
    /// `launch_ready`: the launch is done.
    pub ready: Signal<Out, Bit>,
    /// A launch is in progress.
    pub in_progress: Signal<Out, Bit>,
    /// A launch is in progress, and its operation Launch is not offered yet.
    pub is_pending: Signal<Out, Bit>,
    /// A launch begins.
    pub begins: Signal<Out, Bit>,
    /// The launch walks over the warps.
    pub walks: Signal<Out, Bit>,
    /// The Launch is to be offered.
    pub offers: Signal<Out, Bit>,
    /// A Launch without a fault is to be offered.
    pub is_accepted: Signal<Out, Bit>,

    // The steps; at most one is 1.
    /// The launch walks over the warps.
    #[reset]
    walk_step: DFF<Bit>,
    /// The walk has read all warps: the Launch is to be offered next.
    #[reset]
    due_step: DFF<Bit>,
    /// The Launch is offered, and `launch_ready` is 1.
    #[reset]
    done_step: DFF<Bit>,
    /// All warps have been evaluated: the state of a warp is evaluated in the cycle after its read.
    walk_evaluated: Signal<Local, Bit>,
    /// The launch is deferred: it begins again after a CTA is flushed.
    restarts: Signal<Local, Bit>,
    /// `due_step` is done: the Launch is offered from the next cycle.
    due_done: Signal<Local, Bit>,
}

#[block]
impl Logic for LaunchSequencer {
    fn update(&mut self) {
        // The walk, then the wait until the last warp is evaluated.
        self.done_step.d.next = false;
        self.begins.next =
            self.is_idle.val() & !self.retire.val() & self.launch.val() & !self.launching.val() & !self.awaits_flush.val();
        if self.begins.val() {
            self.walk_step.d.next = true;
        }
        if self.walk_step.q.val() & self.at_last_warp.val() {
            self.walk_step.d.next = false;
            self.due_step.d.next = true;
        }
        self.walk_evaluated.next = self.due_step.q.val() & !self.of_launch.val();

        // After the walk: a deferred launch leaves `due_step`, and later begins again. For any other launch the Launch is offered.
        self.restarts.next = self.is_deferred.val() & !self.is_refused.val();
        self.due_done.next = self.walk_evaluated.val()
            & !self.restarts.val()
            & self.accepts_op.val()
            & !self.clearing.val()
            & !self.warp_exited.val();
        if (self.walk_evaluated.val() & self.restarts.val()) | self.due_done.val() {
            self.due_step.d.next = false;
        }
        if self.due_done.val() {
            self.done_step.d.next = true;
        }
        self.ready.next = self.done_step.q.val();
        self.in_progress.next = self.walk_step.q.val() | self.due_step.q.val() | self.done_step.q.val();
        self.is_pending.next = self.walk_step.q.val() | self.due_step.q.val();
        self.walks.next = self.walk_step.q.val();
        self.offers.next = self.due_done.val();
        self.is_accepted.next = self.due_done.val() & !self.is_refused.val();
    }
}
