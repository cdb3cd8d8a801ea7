// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The output stage: the operation that is passed on, and the ports with the state of each warp.
//!
//! *Reads:* the operation in the lookup stage, the effects of the operation in the commit stage. *Writes:* the operation channel;
//! the state of each warp; in the same cycle whether the pipeline stalls. `exit_pending` is a gate: besides its register it includes
//! the warps of the operations in the lookup and commit stages that an exit caused. *Latency:* 0 for the operation channel, else 1.
//! Implements *Outputs to other units* of `docs/contract/gather.md`.
//!
//! The operation channel has no register: an operation that is passed on is at `op` from its first cycle in the commit stage, and
//! stays in that stage until it is taken; all later ones stall. Whether the pipeline stalls depends on whether an operation is in
//! the commit stage, not on whether it is passed on, because the latter is known late in the cycle.

use super::payloads::{Effects, LookupTarget, OpFlags, PassedOp};
use crate::prelude::*;
use crate::unit::fold::Unfold;

/// The state of each warp at the ports.
#[payload]
pub struct Warps<W> {
    pub op_absorbed: Bits<W>,
    pub gathering: Bits<W>,
    pub exit_pending: Bits<W>,
}

/// `W` warps with numbers of `LW` bits, CTA slots with numbers of `LC` bits, contributions to a reduction of `VW` bits.
#[block]
pub struct OutputStage<W, LW, LC, VW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub lookup_flags: Signal<In, OpFlags>,
    pub lookup_target: Signal<In, LookupTarget<LW>>,
    /// The operation to pass on; valid if `effects.passes_op` is 1.
    pub passed_op: Signal<In, PassedOp<W, LW, LC, VW>>,
    pub effects: Signal<In, Effects>,
    /// Warps whose row is still in its initial state, in which no lane waits.
    pub initial_rows: Signal<In, Bits<W>>,
    pub op_done: Signal<In, Bits<W>>,
    /// The lanes strobe of the operation in the commit stage takes two cycles.
    pub second_strobe_follows: Signal<In, Bit>,
    pub op: Source<WarpOp<W, LW, LC, VW>>,
    pub warps: Signal<Out, Warps<W>>,
    /// The warp whose row the operation in the commit stage changes, one-hot.
    pub commit_warp: Signal<Out, Bits<W>>,
    /// An operation takes effect in this cycle, or an operation at `op` was not taken in the cycle before.
    pub full: Signal<Out, Bit>,
    /// The pipeline stalls: the operation at `op` may not be taken, or the lanes strobe takes two cycles.
    pub stall: Signal<Out, Bit>,
    #[init(Unfold::new(config))]
    unfold: Unfold<W, LC>,
    #[init(Constant::new(config.has_mbarrier()))]
    has_mbarrier: Constant<Bit>,
    /// The operation at `op` in the cycle before was not taken.
    #[reset]
    pass_pending: DFF<Bit>,
    /// The state of each warp; its `exit_pending` lacks the operations in the lookup and commit
    /// stages.
    #[reset]
    warps_q: DFF<Warps<W>>,
    /// The warp of the operation in the commit stage, one-hot; for a Launch the last warp, for a Release 0.
    commit_warp_q: DFF<Bits<W>>,
    /// `commit_warp_q` in the first cycle of an operation in the commit stage, if an exit caused the operation; else 0.
    #[reset]
    commit_exit_warp: DFF<Bits<W>>,
    /// The warp whose row the operation in the lookup stage changes, one-hot.
    lookup_warp: Signal<Local, Bits<W>>,
    /// `lookup_warp` if an exit caused the operation in the lookup stage, else 0.
    lookup_exit_warp: Signal<Local, Bits<W>>,
    /// The warp whose operation is added to `exit_pending`, one-hot or 0.
    new_exit_pending: Signal<Local, Bits<W>>,
    /// An operation is passed on.
    passes_op: Signal<Local, Bit>,
    no_warps: Constant<Bits<W>>,
}

#[block]
impl Logic for OutputStage {
    fn update(&mut self) {
        let flags = self.lookup_flags.val();
        let target = self.lookup_target.val();
        let effects = self.effects.val();
        let passed_op = self.passed_op.val();
        let fields = self.unfold.fields.val();
        let gathering = self.warps_q.q.val().gathering;
        // The operation passed on.
        self.passes_op.next = effects.passes_op | self.pass_pending.q.val();
        self.full.next = effects.valid | self.pass_pending.q.val();
        self.stall.next = (self.full.val() & !self.op.ready.val()) | self.second_strobe_follows.val();
        self.pass_pending.d.next = self.passes_op.val() & !self.op.ready.val();
        self.op.valid.next = self.passes_op.val();
        self.unfold.folded.next = passed_op.folded;
        self.op.payload.next.op.request = fields.request;
        self.op.payload.next.op.warp = passed_op.warp;
        self.op.payload.next.op.value = passed_op.folded.body.shared_bits.get_bits::<VW>(12);
        if self.has_mbarrier.val() & (passed_op.folded.body.kind == OpKind::Mbarrier) {
            self.op.payload.next.op.value = passed_op.value;
        }
        self.op.payload.next.op.mask = fields.mask;
        self.op.payload.next.from_instr = passed_op.from_instr;
        self.op.payload.next.mbarrier_request = fields.mbarrier_request;
        self.op.payload.next.release = passed_op.release;
        self.op.payload.next.all_live_lanes = fields.all_live_lanes;
        self.op.payload.next.destination = fields.destination;

        // The warp of the operation, one-hot, in the lookup stage and in the commit stage.
        self.lookup_warp.next = self.no_warps.val().with(target.target_warp, true);
        self.commit_warp_q.d.next = self.lookup_warp.val();
        if flags.resets_rows & !flags.writes_last_row {
            self.commit_warp_q.d.next = 0.into();
        }
        self.commit_warp.next = self.commit_warp_q.q.val();
        self.lookup_exit_warp.next = 0.into();
        if target.from_exit {
            self.lookup_exit_warp.next = self.lookup_warp.val();
        }
        self.commit_exit_warp.d.next = 0.into();
        if flags.valid & target.from_exit {
            self.commit_exit_warp.d.next = self.lookup_warp.val();
        }

        // The state of each warp. A warp leaves `gathering` if its row was reset, or if its operation in the commit stage does not
        // leave all lanes waiting.
        self.warps_q.d.next.op_absorbed = 0.into();
        if effects.absorbs_op {
            self.warps_q.d.next.op_absorbed = self.commit_warp_q.q.val();
        }
        if effects.acts_on_lanes | effects.resets_rows {
            self.warps_q.d.next.gathering = gathering & !self.initial_rows.val() & !self.commit_warp_q.q.val();
            if effects.acts_on_lanes & effects.all_lanes_wait {
                self.warps_q.d.next.gathering =
                    (gathering & !self.initial_rows.val() & !self.commit_warp_q.q.val()) | self.commit_warp_q.q.val();
            }
        }
        self.new_exit_pending.next = 0.into();
        if self.passes_op.val() & (passed_op.folded.body.fault == FaultCode::None) {
            self.new_exit_pending.next = self.commit_exit_warp.q.val();
        }
        self.warps_q.d.next.exit_pending =
            (self.warps_q.q.val().exit_pending & !self.op_done.val()) | self.new_exit_pending.val();
        self.warps.next = self.warps_q.q.val();
        self.warps.next.exit_pending =
            self.warps_q.q.val().exit_pending | self.commit_exit_warp.q.val() | self.lookup_exit_warp.val();
    }
}
