// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Named barriers of all CTAs: one operation a cycle from one stream, releases as masks, faults on a channel.
//!
//! *Reads:* the operation channel; which warps are trapped. *Writes:* the strobes `release`, `read`, `implicit_conflict` and
//! `commit`; `waiting`; `clearing`; the fault channel. *Latency:* 3 from the transfer that completes a barrier to its release, 4
//! for an exit. Implements bar/barrier of specs 000 and 002 and BAR, BAR_RED, B2R and R2B of spec 001; the exact ports and cycles
//! are in `docs/contract/named.md`.
//!
//! Three stages. The input stage takes an operation and addresses its row. The lookup stage (cycle t+1, `LookupOp`) has the row,
//! checks the operation and computes the next row. The commit stage (cycle e, `Ctrl`) writes all state and sets the outputs. A
//! row is the state of one barrier: one per CTA slot and id. An operation that takes two slots (Exit, Launch, Release, Write to
//! Warp) stays in the lookup stage for two cycles: its row is addressed in the first and available in the second.
//!
//! ```text
//!  cycle t                    |  t+1 (`LookupOp`)                |  t+2 = e (`Ctrl`)                      |  t+3
//!  op ─┬──► input_stage ──────┼─► rows, ctas ─► check ───┬──────┼─► commit_stage ─┬─► output_stage ──┼─► release, read
//!      ├──► operands ─────────┼────────────────► next_row ┘      │                 ├─► counts ────────┼─► implicit_conflict, clear
//!      └──► masks ────────────┼─► masks                          │                 ├─► rows, ctas, masks, results
//!                             │                                  │                 ├─► waits ─────────┼─► waiting
//!  clear ───► input_stage     │                                  │                 └─► faults ────────┼─► fault channel
//! ```

pub mod by_inverse;
pub mod by_reciprocal;
pub mod check;
pub mod coded;
pub mod commit_stage;
pub mod counts;
pub mod ctas;
pub mod ctrl;
pub mod faults;
pub mod front;
pub mod in_warps;
pub mod input_stage;
pub mod lookup_op;
pub mod masks;
pub mod more_than;
pub mod next_row;
pub mod operands;
pub mod output_stage;
pub mod parts;
pub mod results;
pub mod rows;
pub mod waits;

use super::clear::Clear;
use crate::prelude::*;
use lookup_op::LookupOp;
use parts::Parts;

/// `W` warps (index `LW` bits, count `CW` bits), `S` CTA slots, `2^LI` ids (counted in `IW = LI + 1` bits), `RA = LC + LI`,
/// sums over all lanes of all warps in `AW` bits, over those of one warp in `VW`. All blocks have the same names for these.
#[block(unit = "named")]
pub struct Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after it.
    pub reset: Signal<In, Bit>,
    #[group("operation")]
    pub op: Sink<NamedOp<W, LW, CW, LC, VW>>,
    /// Warps that are trapped; a Read of the warp state word returns it.
    #[group("warps")]
    pub trapped: Signal<In, Bits<W>>,
    pub release: StrobeOut<Release<W, LC>>,
    pub read: StrobeOut<ReadResult<LW>>,
    pub implicit_conflict: StrobeOut<ImplicitConflict<LC>>,
    pub commit: StrobeOut<Commit<W>>,
    /// Warps that wait at a barrier, or have an operation in flight that will make them wait.
    #[group("warps")]
    pub waiting: Signal<Out, Bits<W>>,
    /// A release (or reset) is still clearing rows.
    pub clearing: Signal<Out, Bit>,
    pub fault: Source<NamedFault<LW, LC>>,
    /// Number of faults lost because the queue was full, at most 65535; 0 unless `lose_faults` is configured.
    pub lost_faults: Signal<Out, Bits<16>>,

    #[init(Clear::new(config))]
    clear: Clear<LC, LI>,
    #[init(input_stage::InputStage::new(config))]
    input_stage: input_stage::InputStage<W, LW, CW, LC, LI, VW>,
    #[init(operands::Operands::new(config))]
    operands: operands::Operands<W, LW, CW, LC, LI, AW, VW>,
    rows: rows::Rows<W, LW, CW, LC, LI, RA, AW>,
    masks: masks::Masks<W, LW, CW, LC, LI, RA, AW, VW>,
    #[init(ctas::Ctas::new(config))]
    ctas: ctas::Ctas<W, LW, CW, LC, LI, IW, AW>,
    #[init(check::Check::new(config))]
    check: check::Check<W, LW, CW, LC, IW, AW>,
    next_row: next_row::NextRow<W, LW, CW, LC, IW, AW>,
    commit_stage: commit_stage::CommitStage<W, LW, CW, LC, IW, AW>,
    counts: counts::Counts<W, LW, CW, LC, IW, AW>,
    results: results::Results<W, LW, CW, LC, IW, AW>,
    waits: waits::Waits<W, LW, CW, LC, IW, AW>,
    faults: faults::Faults<W, LW, CW, LC, LI, AW>,
    output_stage: output_stage::OutputStage<W, LW, CW, LC, IW, AW>,
    lookup_op: Signal<Local, LookupOp<W, LW, CW, LC, IW, AW>>,
    #[init(Constant::new(Parts {
        reductions: config.reductions,
        faults: config.faults,
        state_words: config.state_words,
        lose_faults: config.lose_faults,
    }))]
    parts: Constant<Parts>,
}

#[block]
impl Logic for Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW> {
    fn update(&mut self) {
        // The input stage.
        Channel::join(&mut self.op, &mut self.input_stage.op);
        self.input_stage.parts.next = self.parts.val();
        self.input_stage.scrub.next = self.clear.scrub.val();
        self.input_stage.scrub_next.next = self.clear.scrub_next.val();
        self.input_stage.last_id.next = self.ctas.last_id.val();
        self.input_stage.word_id.next = self.operands.numbers.val().word_id;
        self.input_stage.fault_space_next.next = self.faults.fault_space_next.val();
        self.operands.op.next = self.op.payload.val();
        self.operands.front.next = self.input_stage.front.val();
        self.rows.front.next = self.input_stage.front.val();
        self.ctas.front.next = self.input_stage.front.val();
        self.ctas.launch.next = self.op.payload.val().sizes;
        self.masks.op.next = self.op.payload.val();
        self.masks.front.next = self.input_stage.front.val();
        self.masks.addresses.next = self.rows.addresses.val();
        self.masks.numbers.next = self.operands.numbers.val();
        self.masks.row.next = self.rows.row.val();

        // The lookup stage: the checks and the next row.
        self.lookup_op.next.parts = self.parts.val();
        self.lookup_op.next.actions = self.input_stage.front.val().actions;
        self.lookup_op.next.op = self.input_stage.front.val().op;
        self.lookup_op.next.numbers = self.operands.numbers.val();
        self.lookup_op.next.operand_fault = self.operands.operand_fault.val();
        self.lookup_op.next.row = self.rows.row.val();
        self.lookup_op.next.row_match = self.rows.row_match.val();
        self.lookup_op.next.sizes = self.ctas.sizes.val();
        self.lookup_op.next.live_warps = self.ctas.live_warps.val();
        self.lookup_op.next.op_warp = self.masks.op_warp.val();
        self.lookup_op.next.commit_warp_waits = self.waits.commit_warp_waits.val();
        self.check.lookup_op.next = self.lookup_op.val();
        self.rows.numbers.next = self.operands.numbers.val();
        self.rows.lookup_writes_row.next = self.check.lookup_writes_row.val();
        self.next_row.lookup_op.next = self.lookup_op.val();

        // The commit stage.
        self.commit_stage.lookup_op.next = self.lookup_op.val();
        self.commit_stage.outcome.next = self.next_row.outcome.val();
        self.commit_stage.checked.next = self.check.checked.val();
        self.commit_stage.commit_warps.next = self.masks.commit_warps.val();
        self.commit_stage.warp_result.next = self.results.warp_result.val();
        self.rows.ctrl.next = self.commit_stage.ctrl.val();
        self.masks.ctrl.next = self.commit_stage.ctrl.val();
        self.ctas.ctrl.next = self.commit_stage.ctrl.val();
        self.counts.lookup_op.next = self.lookup_op.val();
        self.counts.ctrl.next = self.commit_stage.ctrl.val();
        self.results.lookup_op.next = self.lookup_op.val();
        self.results.ctrl.next = self.commit_stage.ctrl.val();
        self.waits.lookup_op.next = self.lookup_op.val();
        self.waits.ctrl.next = self.commit_stage.ctrl.val();
        self.clear.scrubs.next = self.input_stage.front.val().entering.scrubs;
        self.clear.releasing.next = self.input_stage.front.val().entering.releasing;
        self.clear.releases.next = self.commit_stage.ctrl.val().actions.releases;
        self.clear.cta.next = self.commit_stage.ctrl.val().op.table_slot;
        self.clear.silent.next = self.commit_stage.ctrl.val().op.saved;
        self.clear.dirty.next = self.counts.dirty.val();

        // The outputs.
        self.faults.front.next = self.input_stage.front.val();
        self.faults.ctrl.next = self.commit_stage.ctrl.val();
        self.output_stage.trapped.next = self.trapped.val();
        self.output_stage.lookup_op.next = self.lookup_op.val();
        self.output_stage.ctrl.next = self.commit_stage.ctrl.val();
        Channel::join(&mut self.faults.fault, &mut self.fault);
        self.lost_faults.next = self.faults.lost_faults.val();
        Strobe::join(&mut self.output_stage.release, &mut self.release);
        Strobe::join(&mut self.output_stage.read, &mut self.read);
        Strobe::join(&mut self.output_stage.commit, &mut self.commit);
        Strobe::join(&mut self.counts.implicit_conflict, &mut self.implicit_conflict);
        self.waiting.next = self.waits.waiting.val();
        self.clearing.next = self.clear.clearing.val();
    }
}
