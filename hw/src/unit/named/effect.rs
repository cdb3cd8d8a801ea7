// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operation in its last cycle inside, in which it has its effects.
//!
//! *Reads:* the operation one cycle inside with what becomes of it. *Writes:* the same one cycle later. *Latency:* 1. Implements cycle e of
//! `docs/interface.md`.

use super::enter::Step;
use super::operands::Traits;
use crate::payload::payload;
use crate::unit::op::{FaultCode, StateWord};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What it does, in one bit each; all 0 does nothing.
#[payload]
pub struct Deed {
    /// As in [`Step`](super::enter::Step).
    pub arrives: Bit,
    pub reads: Bit,
    /// No fault policy holds for it.
    pub exempt: Bit,
    pub writes_warp: Bit,
    pub exits: Bit,
    pub launches: Bit,
    pub releases: Bit,
    pub waiter: Bit,
    pub turn: Bit,
    /// A row that is open has its turn, and not silently.
    pub opens: Bit,
    pub whole: Bit,
    /// It arrives or writes a row.
    pub lands: Bit,
    /// It has a code.
    pub flawed: Bit,
    /// Afterwards its warp has arrived; it waits; it is trapped.
    pub joins: Bit,
    pub waits: Bit,
    pub traps: Bit,
    /// Its row was open; with a count.
    pub was_open: Bit,
    pub was_counted: Bit,
    /// If it changes the row, a generation is complete; its row is the last one without a count.
    pub full: Bit,
    pub records: Bit,
    /// An exit has completed a generation.
    pub departs: Bit,
    pub saved: Bit,
}

/// Warps of `LW` bits, slots of `LC` bits, results of `AW` bits.
#[block]
pub struct Effect<LW, LC, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_doing: Signal<In, Step>,
    /// Its fault from upstream; no fault policy applies to it.
    pub in_code: Signal<In, FaultCode>,
    pub in_exempt: Signal<In, Bit>,
    pub in_saved: Signal<In, Bit>,
    /// The operation inside has its second slot before it.
    pub beat: Signal<In, Bit>,
    /// What is wrong with its operands.
    pub flaw: Signal<In, FaultCode>,
    pub flawed: Signal<In, Bit>,
    pub traits: Signal<In, Traits>,
    /// The marks of its row, as in `Rows`; what becomes of it, as in `Advance`.
    pub marks: Signal<In, Bits<3>>,
    pub full: Signal<In, Bit>,
    pub records: Signal<In, Bit>,
    pub departs: Signal<In, Bit>,
    pub in_state: Signal<In, StateWord>,
    pub in_warp: Signal<In, Bits<LW>>,
    pub in_cta: Signal<In, Bits<LC>>,
    pub in_id: Signal<In, Bits<4>>,
    pub in_row: Signal<In, Bits<4>>,
    pub in_result: Signal<In, Bits<AW>>,
    /// In the same cycle: it is a Read of a result.
    pub asks: Signal<Out, Bit>,
    pub doing: Signal<Out, Deed>,
    pub code: Signal<Out, FaultCode>,
    pub state: Signal<Out, StateWord>,
    /// 0 if a row has its turn.
    pub warp: Signal<Out, Bits<LW>>,
    pub cta: Signal<Out, Bits<LC>>,
    pub id: Signal<Out, Bits<4>>,
    pub row: Signal<Out, Bits<4>>,
    pub result: Signal<Out, Bits<AW>>,
    /// Its warps lose their state: it is a release, or there was a reset.
    pub forgets: Signal<Out, Bit>,
    deed: Signal<Local, Deed>,
    reg_doing: DFF<Deed>,
    reg_code: DFF<FaultCode>,
    reg_state: DFF<StateWord>,
    reg_warp: DFF<Bits<LW>>,
    reg_cta: DFF<Bits<LC>>,
    reg_id: DFF<Bits<4>>,
    reg_row: DFF<Bits<4>>,
    reg_result: DFF<Bits<AW>>,
    reg_forgets: DFF<Bit>,
}

#[block]
impl Logic for Effect<LW, LC, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.asks.next = self.in_doing.val().reads & (self.in_state.val() == StateWord::Result) & !self.reset.val();
        self.deed.next = self.reg_doing.q.val();
        self.deed.next.arrives = self.in_doing.val().arrives;
        self.deed.next.lands = self.in_doing.val().arrives | self.in_doing.val().writes_row;
        self.deed.next.reads = self.in_doing.val().reads;
        self.deed.next.exempt = self.in_exempt.val();
        self.deed.next.writes_warp = self.in_doing.val().writes_warp;
        self.deed.next.exits = self.in_doing.val().exits;
        self.deed.next.launches = self.in_doing.val().launches;
        self.deed.next.releases = self.in_doing.val().releases;
        self.deed.next.waiter = self.in_doing.val().waiter;
        self.deed.next.turn = self.in_doing.val().turn;
        self.deed.next.opens = self.in_doing.val().turn & !self.in_doing.val().silent & self.marks.val().get_bit(0);
        self.deed.next.whole = self.in_doing.val().whole;
        self.deed.next.flawed = self.flawed.val() | (self.in_code.val() != FaultCode::None);
        self.deed.next.joins = self.traits.val().arrives;
        self.deed.next.waits = self.traits.val().waits;
        self.deed.next.traps = self.traits.val().traps;
        self.deed.next.was_open = self.marks.val().get_bit(0);
        self.deed.next.was_counted = self.marks.val().get_bit(2);
        self.deed.next.full = self.full.val();
        self.deed.next.records = self.records.val();
        self.deed.next.departs = self.departs.val();
        // It takes two slots to release, and what is said of it stands there in the first.
        if self.beat.val() {
            self.deed.next.saved = self.in_saved.val();
        }
        self.reg_doing.d.next = self.deed.val();
        self.reg_code.d.next = self.flaw.val();
        if self.in_code.val() != FaultCode::None {
            self.reg_code.d.next = self.in_code.val();
        }
        self.reg_state.d.next = self.in_state.val();
        self.reg_warp.d.next = self.in_warp.val();
        if self.in_doing.val().turn {
            self.reg_warp.d.next = 0.into();
        }
        self.reg_cta.d.next = self.in_cta.val();
        self.reg_id.d.next = self.in_id.val();
        self.reg_row.d.next = self.in_row.val();
        self.reg_result.d.next = self.in_result.val();
        self.reg_forgets.d.next = self.in_doing.val().releases;
        if self.reset.val() {
            self.reg_doing.d.next.reads = false;
            self.reg_doing.d.next.exits = false;
            self.reg_doing.d.next.releases = false;
            self.reg_doing.d.next.waiter = false;
            self.reg_doing.d.next.turn = false;
            self.reg_doing.d.next.opens = false;
            self.reg_doing.d.next.departs = false;
            self.reg_forgets.d.next = true;
        }
        self.doing.next = self.reg_doing.q.val();
        self.code.next = self.reg_code.q.val();
        self.state.next = self.reg_state.q.val();
        self.warp.next = self.reg_warp.q.val();
        self.cta.next = self.reg_cta.q.val();
        self.id.next = self.reg_id.q.val();
        self.row.next = self.reg_row.q.val();
        self.result.next = self.reg_result.q.val();
        self.forgets.next = self.reg_forgets.q.val();
    }
}
