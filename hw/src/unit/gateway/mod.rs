// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Intel's named barriers of all thread groups (CTAs): takes one operation a cycle, outputs notifications as masks of warps, and
//! faults on a channel.
//!
//! *Reads:* the operation channel. *Writes:* the strobes of notifications and of operations that take effect; the warps that
//! wait; the CTA slots with a barrier in use; the fault channel. *Latency:* 3 from the transfer of the last signal of a phase to
//! its release. Implements NBARRIER of spec 004; the exact ports and cycles are in `docs/contract/gateway.md`.
//!
//! ```text
//!  cycle t                |  t+1                     |  t+2 = e                          |  t+3
//!  op ──► input_stage ────┼─► rows, ctas ─► check ───┼─► commit_stage ─┬─► output_stage ─┼─► release, commit, waiting
//!  clear ─┘               |              └► next_row ┘                 ├─► rows, ctas, clear
//!                                                                      └─► faults ───────┼─► fault channel
//! ```

pub mod check;
pub mod commit_stage;
pub mod ctas;
pub mod faults;
pub mod input_stage;
pub mod next_row;
pub mod output_stage;
pub mod payloads;
pub mod ports;
pub mod rows;
pub mod stream_gate;

use super::clear::Clear;
use crate::prelude::*;
use ports::{GatewayCommit, GatewayFault, GatewayOp, Notification};

/// `W` warps (numbers of `LW` bits, counts of `CW` bits), `S` CTA slots (numbers of `LC` bits), `2^LI` barrier ids (counts of `IW =
/// LI + 1` bits), row addresses of `RA = LC + LI` bits.
#[block(unit = "gateway")]
pub struct Gateway<W, LW, CW, LC, S, LI, RA, IW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after a reset.
    pub reset: Signal<In, Bit>,
    #[group("operation")]
    pub op: Sink<GatewayOp<W, LW, CW, LC>>,
    pub release: StrobeOut<Notification<W, LC>>,
    pub commit: StrobeOut<GatewayCommit<W>>,
    /// Warps that wait for a notification.
    #[group("warps")]
    pub waiting: Signal<Out, Bits<W>>,
    /// CTA slots with a barrier in use: a phase is open, or a warp is notified.
    #[group("CTAs")]
    pub open: Signal<Out, Bits<S>>,
    /// A Release without a fault is in flight, or rows are being cleared after a Release or a reset.
    pub clearing: Signal<Out, Bit>,
    pub fault: Source<GatewayFault<LW, LC>>,

    #[init(Clear::new(config))]
    clear: Clear<LC, LI>,
    #[init(input_stage::InputStage::new(config))]
    input_stage: input_stage::InputStage<W, LW, CW, LC, LI, RA>,
    rows: rows::Rows<W, CW, RA>,
    #[init(ctas::Ctas::new(config))]
    ctas: ctas::Ctas<CW, LC, S, IW>,
    check: check::Check<W, CW, IW>,
    next_row: next_row::NextRow<W, CW>,
    commit_stage: commit_stage::CommitStage<W, LW, CW, LC>,
    faults: faults::Faults<LW, LC>,
    output_stage: output_stage::OutputStage<W, LW, LC>,
}

#[block]
impl Logic for Gateway {
    fn update(&mut self) {
        // Entry into the pipeline.
        Channel::join(&mut self.op, &mut self.input_stage.op);
        self.input_stage.scrub.next = self.clear.scrub.val();
        self.input_stage.scrub_next.next = self.clear.scrub_next.val();
        self.input_stage.fault_space_next.next = self.faults.fault_space_next.val();
        self.rows.entering_address.next = self.input_stage.entering_address.val();
        self.ctas.entering_slot.next = self.input_stage.entering_slot.val();

        // One cycle after entry: the fault of the operation, and its next row.
        self.ctas.launches.next = self.input_stage.lookup_actions.val().launches;
        self.ctas.lookup_launch.next = self.input_stage.lookup_launch.val();
        self.ctas.all_slots.next = self.input_stage.lookup_clearing.val().all_slots;
        self.ctas.lookup_id.next = self.input_stage.lookup_message.val().id;
        self.ctas.lookup_cta.next = self.input_stage.lookup_origin.val().cta;
        self.check.lookup_actions.next = self.input_stage.lookup_actions.val();
        self.check.lookup_fault.next = self.input_stage.lookup_fault.val();
        self.check.uniform.next = self.input_stage.lookup_uniform.val();
        self.check.lookup_message.next = self.input_stage.lookup_message.val();
        self.check.lookup_warps.next = self.input_stage.lookup_warps.val();
        self.check.lookup_row.next = self.rows.lookup_row.val();
        self.check.group.next = self.ctas.group.val();
        self.next_row.lookup_actions.next = self.input_stage.lookup_actions.val();
        self.next_row.is_scrub.next = self.input_stage.lookup_clearing.val().scrub;
        self.next_row.lookup_message.next = self.input_stage.lookup_message.val();
        self.next_row.lookup_warps.next = self.input_stage.lookup_warps.val();
        self.next_row.lookup_row.next = self.rows.lookup_row.val();

        // Effects of the operation in cycle e.
        self.commit_stage.lookup_valid.next = self.input_stage.lookup_valid.val();
        self.commit_stage.lookup_actions.next = self.input_stage.lookup_actions.val();
        self.commit_stage.lookup_clearing.next = self.input_stage.lookup_clearing.val();
        self.commit_stage.lookup_origin.next = self.input_stage.lookup_origin.val();
        self.commit_stage.lookup_id.next = self.input_stage.lookup_message.val().id;
        self.commit_stage.lookup_warps.next = self.input_stage.lookup_warps.val();
        self.commit_stage.lookup_fault.next = self.check.fault.val();
        self.commit_stage.lookup_row.next = self.rows.lookup_row.val();
        self.commit_stage.next_row.next = self.next_row.next_row.val();
        self.commit_stage.phase_complete.next = self.next_row.phase_complete.val();
        self.commit_stage.phase_consumers.next = self.next_row.phase_consumers.val();
        self.commit_stage.signalled_consumer.next = self.next_row.signalled_consumer.val();
        self.rows.writes.next = self.commit_stage.writes_row.val();
        self.rows.commit_row.next = self.commit_stage.row.val();
        self.ctas.effects.next = self.commit_stage.effects.val();
        self.ctas.commit_cta.next = self.commit_stage.origin.val().cta;
        self.ctas.row_use.next = self.commit_stage.row_use.val();
        self.clear.scrubs.next = self.input_stage.scrubs.val();
        self.clear.releasing.next = self.input_stage.releasing.val();
        self.clear.releases.next = self.commit_stage.effects.val().cta_release;
        self.clear.cta.next = self.commit_stage.origin.val().cta;
        self.clear.silent.next = false;
        self.clear.dirty.next = self.commit_stage.effects.val().cta_release & self.ctas.dirty.val();

        // Outputs.
        self.faults.lookup_valid_next.next = self.input_stage.lookup_valid_next.val();
        self.faults.lookup_valid.next = self.input_stage.lookup_valid.val();
        self.faults.verdict.next = self.commit_stage.verdict.val();
        self.faults.commit_origin.next = self.commit_stage.origin.val();
        self.faults.commit_id.next = self.commit_stage.id.val();
        self.faults.left_open.next = self.commit_stage.left_open.val();
        self.output_stage.commit_valid.next = self.commit_stage.valid.val();
        self.output_stage.effects.next = self.commit_stage.effects.val();
        self.output_stage.commit_origin.next = self.commit_stage.origin.val();
        self.output_stage.verdict.next = self.commit_stage.verdict.val();
        self.output_stage.commit_id.next = self.commit_stage.id.val();
        self.output_stage.acting_warps.next = self.commit_stage.acting_warps.val();
        self.output_stage.phase_consumers.next = self.commit_stage.consumers.val();
        Strobe::join(&mut self.output_stage.release, &mut self.release);
        Strobe::join(&mut self.output_stage.commit, &mut self.commit);
        Channel::join(&mut self.faults.fault, &mut self.fault);
        self.waiting.next = self.output_stage.waiting.val();
        self.open.next = self.ctas.open.val();
        self.clearing.next = self.clear.clearing.val();
    }
}
