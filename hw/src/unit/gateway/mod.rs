// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Intel's named barriers of all thread groups: one operation a cycle, notifications as masks, faults on a channel.
//!
//! *Reads:* the operation channel. *Writes:* the strobes of notifications and of operations that have their effects; `waiting`; CTAs with a barrier in
//! use; the fault channel. *Latency:* 3 from the transfer of the last signal of a phase to its release. Implements NBARRIER of spec 004; the exact
//! ports and cycles are in `docs/gateway.md`.
//!
//! ```text
//!  cycle t          |  t+1 (`Inside`)         |  t+2 = e (`Effect`)     |  t+3
//!  op ──► enter ────┼─► rows, ctas ─► judge ──┼─► effect ─┬─► leave ────┼─► release, commit, waiting
//!  clear ─┘         |              └► advance ┘           ├─► rows, ctas, clear
//!                                                         └─► faults ───┼─► fault channel
//! ```

pub mod advance;
pub mod ctas;
pub mod enter;
pub mod faults;
pub mod judge;
pub mod leave;
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
    /// CTA slots with a barrier that is open, or a notification that nobody has taken.
    #[group("CTAs")]
    pub open: Signal<Out, Bits<S>>,
    /// A release (or reset) is still clearing rows.
    pub clearing: Signal<Out, Bit>,
    pub fault: Source<GatewayFault<LW, LC>>,

    #[init(Clear::new(config))]
    clear: Clear<LC, LI>,
    #[init(enter::Enter::new(config))]
    enter: enter::Enter<W, LW, CW, LC, LI, RA>,
    rows: rows::Rows<W, CW, RA>,
    #[init(ctas::Ctas::new(config))]
    ctas: ctas::Ctas<W, LW, CW, LC, S, IW>,
    judge: judge::Judge<W, LW, CW, LC, IW>,
    advance: advance::Advance<W, LW, CW, LC>,
    faults: faults::Faults<W, LW, LC>,
    leave: leave::Leave<W, LW, LC>,
    effect: Signal<Local, advance::Effect<W, LW, LC>>,
}

#[block]
impl Logic for Gateway<W, LW, CW, LC, S, LI, RA, IW> {
    fn update(&mut self) {
        // What enters.
        Channel::join(&mut self.op, &mut self.enter.op);
        self.enter.turn.next = self.clear.turn.val();
        self.enter.turn_next.next = self.clear.turn_next.val();
        self.enter.room_next.next = self.faults.room.val();
        self.rows.enters.next = self.enter.row.val();
        self.ctas.enters.next = self.enter.slot.val();

        // What is wrong with it, and what becomes of its row.
        self.ctas.inside.next = self.enter.inside.val();
        self.judge.inside.next = self.enter.inside.val();
        self.judge.row.next = self.rows.row.val();
        self.judge.group.next = self.ctas.group.val();
        self.advance.inside.next = self.enter.inside.val();
        self.advance.row.next = self.rows.row.val();
        self.advance.fault.next = self.judge.fault.val();

        // Its effects.
        self.effect.next = self.advance.effect.val();
        self.rows.writes.next = self.effect.val().writes;
        self.rows.made.next = self.advance.made.val();
        self.ctas.effect.next = self.effect.val();
        self.ctas.used.next = self.advance.used.val();
        self.clear.takes_turn.next = self.enter.takes_turn.val();
        self.clear.releasing.next = self.enter.releasing.val();
        self.clear.releases.next = self.effect.val().leaves;
        self.clear.cta.next = self.effect.val().cta;
        self.clear.silent.next = false;
        self.clear.dirty.next = self.effect.val().leaves & self.ctas.dirty.val();

        // What leaves.
        self.faults.enters.next = self.enter.comes.val();
        self.faults.inside.next = self.enter.inside.val().there;
        self.faults.effect.next = self.effect.val();
        self.faults.left_open.next = self.advance.left_open.val();
        self.leave.effect.next = self.effect.val();
        Strobe::join(&mut self.leave.release, &mut self.release);
        Strobe::join(&mut self.leave.commit, &mut self.commit);
        Channel::join(&mut self.faults.fault, &mut self.fault);
        self.waiting.next = self.leave.waiting.val();
        self.open.next = self.ctas.open.val();
        self.clearing.next = self.clear.clearing.val();
    }
}
