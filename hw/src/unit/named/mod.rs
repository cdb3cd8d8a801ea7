// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Named barriers of all CTAs: one operation a cycle from one stream, releases as masks, faults on a channel.
//!
//! *Reads:* the operation channel; who is trapped. *Writes:* the strobes of releases, of reads, of tangles, of operations that have their
//! effects; `waiting`; the fault channel. *Latency:* 3 from the transfer that completes a barrier to its release, 4 for an exit. Implements bar/barrier of specs 000
//! and 002 and BAR, BAR_RED, B2R and R2B of spec 001; the exact ports and cycles are in `docs/interface.md`.
//!
//! Three stages: what the operation says by itself; what its row becomes; what follows from that. An operation that takes two slots stays
//! in the second stage for two cycles: it finds its row in the first of them, and reads it.
//!
//! ```text
//!  cycle t               |  t+1 (`Inside`)               |  t+2 = e (`Deed`)          |  t+3
//!  op ─┬──► enter ───────┼─► rows, ctas ─► judge ──┬─────┼─► effect ─┬─► leave ───────┼─► release, read
//!      ├──► operands ────┼──────────────► advance ─┘     │           ├─► counts ──────┼─► tangle, clear
//!      └──► masks ───────┼─► masks                       │           ├─► rows, ctas, masks, results
//!                        │                               │           ├─► waits ───────┼─► waiting
//!  clear ───► enter      │                               │           └─► faults ──────┼─► fault channel
//! ```

pub mod advance;
pub mod coded;
pub mod counts;
pub mod ctas;
pub mod effect;
pub mod enter;
pub mod faults;
pub mod judge;
pub mod leave;
pub mod masks;
pub mod operands;
pub mod results;
pub mod rows;
pub mod waits;

use super::clear::Clear;
use crate::prelude::*;

/// What is built, as what is not vanishes in synthesis; state words only stand with faults.
#[payload]
pub struct Parts {
    pub reductions: Bit,
    pub faults: Bit,
    pub state_words: Bit,
    pub lose_faults: Bit,
}

/// What is known of the operation one cycle inside: each part comes from the block that knows it.
#[payload]
pub struct Inside<W, LW, CW, LC, IW, AW> {
    pub parts: Parts,
    pub step: enter::Step,
    pub op: enter::Op<LW, LC>,
    pub numbers: operands::Numbers<CW, AW>,
    pub flaw: operands::Flaw,
    pub row: rows::Row<CW, AW>,
    pub look: rows::Look,
    pub sizes: ctas::Sizes<CW, IW>,
    pub present: ctas::Present<CW>,
    pub own: masks::Own<W>,
    pub waits_now: Bit,
}

/// `W` warps (index `LW` bits, count `CW` bits), `S` CTA slots, `2^LI` ids (counted in `IW = LI + 1` bits), `RA = LC + LI`,
/// sums over all lanes of all warps in `AW` bits, over those of one warp in `VW`. All blocks have the same names for these.
#[block(unit = "named")]
pub struct Named<W, LW, CW, LC, S, LI, RA, IW, AW, VW> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high; the tables are cleared after it.
    pub reset: Signal<In, Bit>,
    #[group("operation")]
    pub op: Sink<NamedOp<W, LW, CW, LC, VW>>,
    /// Warps that are trapped, for those who read their state.
    #[group("warps")]
    pub trapped: Signal<In, Bits<W>>,
    pub release: StrobeOut<Release<W, LC>>,
    pub read: StrobeOut<ReadResult<LW>>,
    pub tangle: StrobeOut<Tangle<LC>>,
    pub commit: StrobeOut<Commit<W>>,
    /// Warps that wait at a barrier, or have an operation under way by which they are to wait.
    #[group("warps")]
    pub waiting: Signal<Out, Bits<W>>,
    /// A release (or reset) is still clearing rows.
    pub clearing: Signal<Out, Bit>,
    pub fault: Source<NamedFault<LW, LC>>,
    /// Faults that found the queue full, at most 65535; 0 unless `lose_faults` is configured.
    pub lost_faults: Signal<Out, Bits<16>>,

    #[init(Clear::new(config))]
    clear: Clear<LC, LI>,
    #[init(enter::Enter::new(config))]
    enter: enter::Enter<W, LW, CW, LC, LI, VW>,
    #[init(operands::Operands::new(config))]
    operands: operands::Operands<W, LW, CW, LC, LI, AW, VW>,
    rows: rows::Rows<W, LW, CW, LC, LI, RA, AW>,
    masks: masks::Masks<W, LW, CW, LC, LI, RA, AW, VW>,
    ctas: ctas::Ctas<W, LW, CW, LC, LI, IW, AW>,
    judge: judge::Judge<W, LW, CW, LC, IW, AW>,
    advance: advance::Advance<W, LW, CW, LC, IW, AW>,
    effect: effect::Effect<W, LW, CW, LC, IW, AW>,
    counts: counts::Counts<W, LW, CW, LC, IW, AW>,
    results: results::Results<W, LW, CW, LC, IW, AW>,
    waits: waits::Waits<W, LW, CW, LC, IW, AW>,
    faults: faults::Faults<W, LW, CW, LC, LI, AW>,
    leave: leave::Leave<W, LW, CW, LC, IW, AW>,
    inside: Signal<Local, Inside<W, LW, CW, LC, IW, AW>>,
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
        // What enters.
        Channel::join(&mut self.op, &mut self.enter.op);
        self.enter.parts.next = self.parts.val();
        self.enter.turn.next = self.clear.turn.val();
        self.enter.turn_next.next = self.clear.turn_next.val();
        self.enter.last_id.next = self.ctas.last_id.val();
        self.enter.word_id.next = self.operands.numbers.val().word_id;
        self.enter.room_next.next = self.faults.room.val();
        self.operands.op.next = self.op.payload.val();
        self.operands.front.next = self.enter.front.val();
        self.rows.front.next = self.enter.front.val();
        self.ctas.front.next = self.enter.front.val();
        self.ctas.launch.next = self.op.payload.val().sizes;
        self.masks.op.next = self.op.payload.val();
        self.masks.front.next = self.enter.front.val();
        self.masks.at.next = self.rows.at.val();
        self.masks.numbers.next = self.operands.numbers.val();
        self.masks.row.next = self.rows.row.val();

        // What stands against it, and what becomes of its row.
        self.inside.next.parts = self.parts.val();
        self.inside.next.step = self.enter.front.val().step;
        self.inside.next.op = self.enter.front.val().op;
        self.inside.next.numbers = self.operands.numbers.val();
        self.inside.next.flaw = self.operands.flaw.val();
        self.inside.next.row = self.rows.row.val();
        self.inside.next.look = self.rows.look.val();
        self.inside.next.sizes = self.ctas.sizes.val();
        self.inside.next.present = self.ctas.present.val();
        self.inside.next.own = self.masks.own.val();
        self.inside.next.waits_now = self.waits.waits_now.val();
        self.judge.inside.next = self.inside.val();
        self.rows.numbers.next = self.operands.numbers.val();
        self.rows.writes.next = self.judge.writes.val();
        self.advance.inside.next = self.inside.val();

        // Its effects.
        self.effect.inside.next = self.inside.val();
        self.effect.outcome.next = self.advance.outcome.val();
        self.effect.against.next = self.judge.against.val();
        self.effect.crowd.next = self.masks.crowd.val();
        self.effect.found.next = self.results.found.val();
        self.rows.deed.next = self.effect.deed.val();
        self.masks.deed.next = self.effect.deed.val();
        self.ctas.deed.next = self.effect.deed.val();
        self.counts.inside.next = self.inside.val();
        self.counts.deed.next = self.effect.deed.val();
        self.results.inside.next = self.inside.val();
        self.results.deed.next = self.effect.deed.val();
        self.waits.inside.next = self.inside.val();
        self.waits.deed.next = self.effect.deed.val();
        self.clear.takes_turn.next = self.enter.front.val().entering.takes_turn;
        self.clear.releasing.next = self.enter.front.val().entering.releasing;
        self.clear.releases.next = self.effect.deed.val().step.releases;
        self.clear.cta.next = self.effect.deed.val().op.entry;
        self.clear.silent.next = self.effect.deed.val().op.saved;
        self.clear.dirty.next = self.counts.dirty.val();

        // What leaves.
        self.faults.front.next = self.enter.front.val();
        self.faults.deed.next = self.effect.deed.val();
        self.leave.trapped.next = self.trapped.val();
        self.leave.inside.next = self.inside.val();
        self.leave.deed.next = self.effect.deed.val();
        Channel::join(&mut self.faults.fault, &mut self.fault);
        self.lost_faults.next = self.faults.lost.val();
        Strobe::join(&mut self.leave.release, &mut self.release);
        Strobe::join(&mut self.leave.read, &mut self.read);
        Strobe::join(&mut self.leave.commit, &mut self.commit);
        Strobe::join(&mut self.counts.tangle, &mut self.tangle);
        self.waiting.next = self.waits.waiting.val();
        self.clearing.next = self.clear.clearing.val();
    }
}
