// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Named barriers of all CTAs: takes one operation a cycle from one stream, outputs releases as masks of warps, and faults on a
//! channel.
//!
//! *Reads:* the operation channel; the mask of trapped warps. *Writes:* the strobes `release`, `read`, `implicit_conflict` and
//! `commit`; `waiting`; `clearing`; the fault channel. *Latency:* 3 from the transfer of the operation that completes a barrier
//! to the release, 4 if that operation is an Exit. Implements bar/barrier of specs 000 and 002 and BAR, BAR_RED, B2R and R2B of
//! spec 001; the exact ports and cycles are in `docs/contract/named.md`.
//!
//! The pipeline has three stages. In cycle t an operation is taken, and its row is addressed. In the lookup stage (cycle t+1)
//! its row is available, the operation is checked, and its next row is computed. In the commit stage (cycle e) it writes all
//! state and sets the outputs. A row is the state of one barrier; there is one row per CTA slot and barrier id. An Exit, a
//! Launch, a Release and a Write to Warp take two lookup cycles: such an operation stays in the lookup stage for two cycles,
//! and its row is addressed in the first and available in the second. A clear step clears one row: it passes the pipeline in
//! place of an operation.
//!
//! ```text
//!  block        | cycle t                  | t+1, the lookup stage     | t+2 = e, the commit stage  | t+3
//!  entry        | input_stage, operands,   |                           |                            |
//!               | op_warps, clear          |                           |                            |
//!  barriers     | addresses of rows, masks | rows ─► check, next_row   | writes rows, masks         |
//!  cta_states   | addresses of ctas        | ctas                      | writes ctas, counts        | implicit_conflict
//!  commit_stage |                          |                           | effects, refusals ─► faults| fault channel
//!  warp_states  |                          | waits ─► waiting          | writes waits, results      | release, read
//! ```

pub mod arrival_ids;
pub mod barrier_word;
pub mod barriers;
pub mod by_inverse;
pub mod by_reciprocal;
pub mod check;
pub mod coded;
pub mod commit_payloads;
pub mod commit_stage;
pub mod contribution;
pub mod counts;
pub mod cta_states;
pub mod ctas;
pub mod entering_payloads;
pub mod entry;
pub mod faults;
pub mod in_warps;
pub mod input_stage;
pub mod lookup_payloads;
pub mod masks;
pub mod more_than;
pub mod next_row;
pub mod op_classifier;
pub mod op_warps;
pub mod operand_check;
pub mod operands;
pub mod output_stage;
pub mod parts;
pub mod read_address;
pub mod refusal_check;
pub mod refusals;
pub mod result_decoder;
pub mod results;
pub mod rows;
pub mod slots;
pub mod state_word_reader;
pub mod stream_gate;
pub mod waits;
pub mod warp_states;
pub mod warp_word;

use crate::prelude::*;
use parts::Parts;

/// Sizes: `W` warps (numbers of `LW` bits, counts of `CW` bits), `S` CTA slots (numbers of `LC` bits), `2^LI` barrier ids
/// (counts of `IW = LI + 1` bits), row addresses of `RA = LC + LI` bits, contributions of one warp to a reduction of `VW` bits,
/// sums of the contributions of all warps of `AW` bits. All blocks of `named` use these names.
#[block(unit = "named")]
pub struct Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after it.
    pub reset: Signal<In, Bit>,
    #[group("operation")]
    pub op: Sink<NamedOp<W, LW, CW, LC, VW>>,
    /// Warps that are trapped. The state word that a Read of Warp returns contains the bit of the reading warp.
    #[group("warps")]
    pub trapped: Signal<In, Bits<W>>,
    pub release: StrobeOut<Release<W, LC>>,
    pub read: StrobeOut<ReadResult<LW>>,
    pub implicit_conflict: StrobeOut<ImplicitConflict<LC>>,
    pub commit: StrobeOut<Commit<W>>,
    /// Warps that wait at a barrier, or have an operation in flight that will make them wait.
    #[group("warps")]
    pub waiting: Signal<Out, Bits<W>>,
    /// A Release without a fault is in the pipeline, or rows are being cleared after a Release or a reset.
    pub clearing: Signal<Out, Bit>,
    pub fault: Source<NamedFault<LW, LC>>,
    /// Number of faults lost since reset because the fault queue was full; it stops at 65535. Always 0 without `lose_faults` in
    /// the configuration.
    pub lost_faults: Signal<Out, Bits<16>>,

    #[init(entry::Entry::new(config))]
    entry: entry::Entry<W, LW, CW, LC, LI, AW, VW>,
    #[init(barriers::Barriers::new(config))]
    barriers: barriers::Barriers<W, CW, LC, LI, RA, IW, AW>,
    #[init(cta_states::CtaStates::new(config))]
    cta_states: cta_states::CtaStates<CW, LC, LI, IW, AW>,
    commit_stage: commit_stage::CommitStage<LW, CW, LC, AW>,
    warp_states: warp_states::WarpStates<W, LW, CW, LC, AW>,
    #[init(Constant::new(Parts {
        reductions: config.reductions,
        faults: config.faults,
        state_words: config.state_words,
        lose_faults: config.lose_faults,
    }))]
    parts: Constant<Parts>,
}

#[block]
impl Logic for Named {
    fn update(&mut self) {
        // Entry.
        self.entry.parts.next = self.parts.val();
        self.entry.last_id.next = self.cta_states.last_id.val();
        self.entry.fault_space_next.next = self.commit_stage.fault_space_next.val();
        self.entry.commit_releases.next = self.commit_stage.actions.val().releases;
        self.entry.commit_slot.next = self.commit_stage.target.val().table_slot;
        self.entry.commit_saved.next = self.commit_stage.saved.val();
        self.entry.dirty.next = self.cta_states.dirty.val();
        Channel::join(&mut self.op, &mut self.entry.op);

        // The barriers.
        self.barriers.parts.next = self.parts.val();
        self.barriers.place.next = self.entry.place.val();
        self.barriers.first_slot_exit.next = self.entry.first_slot.val().exit;
        self.barriers.lookup_actions.next = self.entry.lookup_actions.val();
        self.barriers.row_id.next = self.entry.target.val().row_id;
        self.barriers.upstream_fault.next = self.entry.upstream_fault.val();
        self.barriers.operand_fault.next = self.entry.operand_fault.val();
        self.barriers.row_operands.next = self.entry.row_operands.val();
        self.barriers.lookup_warp_state.next = self.entry.warp_state.val();
        self.barriers.word_result.next = self.entry.word_result.val();
        self.barriers.warp_mask.next = self.entry.warp_mask.val();
        self.barriers.same_warp.next = self.entry.same_warp.val();
        self.barriers.commit_warp_waits.next = self.warp_states.commit_warp_waits.val();
        self.barriers.sizes.next = self.cta_states.sizes.val();
        self.barriers.live_warps.next = self.cta_states.live_warps.val();
        self.barriers.commit_writes_row.next = self.commit_stage.writes_row.val();
        self.barriers.commit_row.next = self.commit_stage.row.val();
        self.barriers.was_open.next = self.commit_stage.row_before.val().was_open;
        self.barriers.commit_writes_word.next = self.commit_stage.actions.val().writes_row;
        self.barriers.commit_sets_arrived.next = self.commit_stage.warp_state.val().sets_arrived;

        // The CTAs.
        self.cta_states.entry_slot.next = self.entry.place.val().entry_slot;
        self.cta_states.launch.next = self.entry.launch_sizes.val();
        self.cta_states.all_slots.next = self.entry.all_slots.val();
        self.cta_states.first_slot.next = self.entry.first_slot.val();
        self.cta_states.lookup_actions.next = self.entry.lookup_actions.val();
        self.cta_states.lookup_slot.next = self.entry.target.val().table_slot;
        self.cta_states.commit_actions.next = self.commit_stage.actions.val();
        self.cta_states.commit_target.next = self.commit_stage.target.val();
        self.cta_states.changes_row.next = self.barriers.checked.val().changes_row;
        self.cta_states.completion.next = self.commit_stage.completion.val();
        self.cta_states.row_changes.next = self.commit_stage.row_changes.val();
        self.cta_states.row_before.next = self.commit_stage.row_before.val();
        self.cta_states.commit_row.next = self.commit_stage.row.val();
        Strobe::join(&mut self.cta_states.implicit_conflict, &mut self.implicit_conflict);

        // The commit stage.
        self.commit_stage.parts.next = self.parts.val();
        self.commit_stage.lookup_valid_next.next = self.entry.lookup_valid_next.val();
        self.commit_stage.lookup_actions.next = self.entry.lookup_actions.val();
        self.commit_stage.first_slot.next = self.entry.first_slot.val();
        self.commit_stage.lookup_origin.next = self.entry.origin.val();
        self.commit_stage.lookup_target.next = self.entry.target.val();
        self.commit_stage.lookup_saved.next = self.entry.saved.val();
        self.commit_stage.lookup_silent.next = self.entry.silent.val();
        self.commit_stage.upstream_fault.next = self.entry.upstream_fault.val();
        self.commit_stage.operand_fault.next = self.entry.operand_fault.val();
        self.commit_stage.lookup_warp_state.next = self.entry.warp_state.val();
        self.commit_stage.lookup_result.next = self.entry.word_result.val();
        self.commit_stage.lookup_reduction.next = self.entry.row_operands.val().op_reduction;
        self.commit_stage.lookup_row.next = self.barriers.lookup_row.val();
        self.commit_stage.outcome.next = self.barriers.outcome.val();
        self.commit_stage.checked.next = self.barriers.checked.val();
        self.commit_stage.findings.next = self.barriers.findings.val();
        self.commit_stage.no_result.next = self.warp_states.no_result.val();
        Channel::join(&mut self.commit_stage.fault, &mut self.fault);

        // The warps, and the outputs.
        self.warp_states.parts.next = self.parts.val();
        self.warp_states.trapped.next = self.trapped.val();
        self.warp_states.lookup_actions.next = self.entry.lookup_actions.val();
        self.warp_states.lookup_warp.next = self.entry.origin.val().warp;
        self.warp_states.lookup_state.next = self.entry.target.val().state;
        self.warp_states.same_warp.next = self.entry.same_warp.val();
        self.warp_states.warp_mask.next = self.entry.warp_mask.val();
        self.warp_states.waiter_mask.next = self.entry.waiter_mask.val();
        self.warp_states.acting_warps.next = self.entry.acting_warps.val();
        self.warp_states.commit_actions.next = self.commit_stage.actions.val();
        self.warp_states.commit_origin.next = self.commit_stage.origin.val();
        self.warp_states.commit_target.next = self.commit_stage.target.val();
        self.warp_states.commit_warp_state.next = self.commit_stage.warp_state.val();
        self.warp_states.word_result.next = self.commit_stage.result.val();
        self.warp_states.commit_row.next = self.commit_stage.row.val();
        self.warp_states.was_open.next = self.commit_stage.row_before.val().was_open;
        self.warp_states.checked.next = self.barriers.checked.val();
        self.warp_states.refused.next = self.commit_stage.refused.val();
        self.warp_states.clears_warps.next = self.commit_stage.clears_warps.val();
        self.warp_states.complete.next = self.commit_stage.complete.val();
        self.warp_states.reduction_value.next = self.commit_stage.reduction_value.val();
        self.warp_states.row_waiters.next = self.barriers.row_waiters.val();
        Strobe::join(&mut self.warp_states.release, &mut self.release);
        Strobe::join(&mut self.warp_states.read, &mut self.read);
        Strobe::join(&mut self.warp_states.commit, &mut self.commit);
        self.waiting.next = self.warp_states.waiting.val();
        self.lost_faults.next = self.commit_stage.lost_faults.val();
        self.clearing.next = self.entry.clearing.val();
    }
}
