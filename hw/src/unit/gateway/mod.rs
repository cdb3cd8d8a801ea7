// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Intel's named barriers of all thread groups (CTAs): one operation a cycle, notifications as masks of warps, faults on a
//! channel.
//!
//! *Reads:* the operation channel. *Writes:* the strobes of notifications and of operations that take effect; the warps that
//! wait; the CTA slots with a barrier in use; the fault channel. *Latency:* 3 from the transfer of the last signal of a phase to
//! its release. Implements NBARRIER of spec 004; the exact ports and cycles are in `docs/contract/gateway.md`.
//!
//! ```text
//!  cycle t                |  t+1 (`LookupOp`)        |  t+2 = e (`Ctrl`)         |  t+3
//!  op ──► input_stage ────┼─► rows, ctas ─► check ───┼─► ctrl ─┬─► output_stage ─┼─► release, commit, waiting
//!  clear ─┘               |              └► next_row ┘         ├─► rows, ctas, clear
//!                                                              └─► faults ───────┼─► fault channel
//! ```

pub mod check;
pub mod ctas;
pub mod faults;
pub mod input_stage;
pub mod next_row;
pub mod output_stage;
pub mod ports;
pub mod rows;

use super::clear::Clear;
use crate::prelude::*;
use ports::{GatewayCommit, GatewayFault, GatewayOp, Notification};

/// `W` warps (index `LW` bits, count `CW` bits), `S` CTA slots, `2^LI` ids (counted in `IW = LI + 1` bits), `RA = LC + LI`.
#[block(unit = "gateway")]
pub struct Gateway<W, LW, CW, LC, S, LI, RA, IW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after it.
    pub reset: Signal<In, Bit>,
    #[group("operation")]
    pub op: Sink<GatewayOp<W, LW, CW, LC>>,
    pub release: StrobeOut<Notification<W, LC>>,
    pub commit: StrobeOut<GatewayCommit<W>>,
    /// Warps that wait.
    #[group("warps")]
    pub waiting: Signal<Out, Bits<W>>,
    /// CTA slots with a barrier in use: a phase is open, or a notification has not been taken by a wait.
    #[group("CTAs")]
    pub open: Signal<Out, Bits<S>>,
    /// A release (or reset) is still clearing rows.
    pub clearing: Signal<Out, Bit>,
    pub fault: Source<GatewayFault<LW, LC>>,

    #[init(Clear::new(config))]
    clear: Clear<LC, LI>,
    #[init(input_stage::InputStage::new(config))]
    input_stage: input_stage::InputStage<W, LW, CW, LC, LI, RA>,
    rows: rows::Rows<W, CW, RA>,
    #[init(ctas::Ctas::new(config))]
    ctas: ctas::Ctas<W, LW, CW, LC, S, IW>,
    check: check::Check<W, LW, CW, LC, IW>,
    next_row: next_row::NextRow<W, LW, CW, LC>,
    faults: faults::Faults<W, LW, LC>,
    output_stage: output_stage::OutputStage<W, LW, LC>,
    /// The operation in its last cycle.
    ctrl: Signal<Local, next_row::Ctrl<W, LW, LC>>,
}

#[block]
impl Logic for Gateway<W, LW, CW, LC, S, LI, RA, IW> {
    fn update(&mut self) {
        // Entry into the pipeline.
        Channel::join(&mut self.op, &mut self.input_stage.op);
        self.input_stage.scrub.next = self.clear.scrub.val();
        self.input_stage.scrub_next.next = self.clear.scrub_next.val();
        self.input_stage.fault_space_next.next = self.faults.fault_space_next.val();
        self.rows.entering_address.next = self.input_stage.entering_address.val();
        self.ctas.entering_slot.next = self.input_stage.entering_slot.val();

        // One cycle after entry: the fault of the operation, and its next row.
        self.ctas.lookup_op.next = self.input_stage.lookup_op.val();
        self.check.lookup_op.next = self.input_stage.lookup_op.val();
        self.check.lookup_row.next = self.rows.lookup_row.val();
        self.check.group.next = self.ctas.group.val();
        self.next_row.lookup_op.next = self.input_stage.lookup_op.val();
        self.next_row.lookup_row.next = self.rows.lookup_row.val();
        self.next_row.fault.next = self.check.fault.val();

        // Effects of the operation in its last cycle.
        self.ctrl.next = self.next_row.ctrl.val();
        self.rows.writes.next = self.ctrl.val().writes;
        self.rows.commit_row.next = self.next_row.commit_row.val();
        self.ctas.ctrl.next = self.ctrl.val();
        self.ctas.row_use.next = self.next_row.row_use.val();
        self.clear.scrubs.next = self.input_stage.scrubs.val();
        self.clear.releasing.next = self.input_stage.releasing.val();
        self.clear.releases.next = self.ctrl.val().cta_release;
        self.clear.cta.next = self.ctrl.val().cta;
        self.clear.silent.next = false;
        self.clear.dirty.next = self.ctrl.val().cta_release & self.ctas.dirty.val();

        // Outputs.
        self.faults.lookup_valid_next.next = self.input_stage.lookup_valid_next.val();
        self.faults.lookup_valid.next = self.input_stage.lookup_op.val().valid;
        self.faults.ctrl.next = self.ctrl.val();
        self.faults.left_open.next = self.next_row.left_open.val();
        self.output_stage.ctrl.next = self.ctrl.val();
        Strobe::join(&mut self.output_stage.release, &mut self.release);
        Strobe::join(&mut self.output_stage.commit, &mut self.commit);
        Channel::join(&mut self.faults.fault, &mut self.fault);
        self.waiting.next = self.output_stage.waiting.val();
        self.open.next = self.ctas.open.val();
        self.clearing.next = self.clear.clearing.val();
    }
}
