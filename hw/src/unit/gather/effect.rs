// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What comes of an operation, one cycle after its row: what is passed on, whose lanes go on, who leads them.
//!
//! *Reads:* the operation one cycle inside and what was decided about it; a cycle later the row that it made; `full`, whether what is passed
//! on finds no place. *Writes:* the operation to pass on, what the strobes show, what changes of its warp. *Latency:* 1.
//!
//! An operation that finds no place stays here to be passed on, as none follows it then; all else has its effect once.

use super::enter::{Asks, Passed};
use super::judge::Wrong;
use super::leader::Leaders;
use super::rows::Tag;
use crate::payload::payload;
use crate::unit::op::{FaultCode, OpKind};
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What was decided about an operation; all but `acts` holds only if it does.
#[payload]
pub struct Decided {
    /// It joins, exits or tries again: it is not passed on as it is.
    pub acts: Bit,
    /// A gathering is complete, each rendezvous.
    pub complete: Bit,
    pub closing_0: Bit,
    pub closing_1: Bit,
    pub lead_0: Bit,
    pub lead_1: Bit,
    pub retry: Bit,
    pub gone: Bit,
    /// The highest lane leads.
    pub highest: Bit,
}

/// `W` warps of `L` lanes.
#[block]
pub struct Effect<W, L> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub op: Signal<In, Passed>,
    pub mask: Signal<In, Bits<W>>,
    pub asks: Signal<In, Asks>,
    pub wrong: Signal<In, Wrong>,
    pub decided: Signal<In, Decided>,
    pub live: Signal<In, Bits<L>>,
    pub at: [Signal<In, Bits<L>>; 2],
    pub votes: Signal<In, Bits<L>>,
    pub count: Signal<In, Bits<12>>,
    pub tag: Signal<In, Tag>,
    pub full: Signal<In, Bit>,
    /// It is passed on, and stays here if there is no place.
    pub passes: Signal<Out, Bit>,
    pub stays: Signal<Out, Bit>,
    pub passed: Signal<Out, Passed>,
    pub passed_mask: Signal<Out, Bits<W>>,
    pub now: Signal<Out, Asks>,
    /// It acts on its warp's row.
    pub changes: Signal<Out, Bit>,
    pub gone: Signal<Out, Bit>,
    /// The warp has live lanes, and all of them wait.
    pub all_wait: Signal<Out, Bit>,
    pub strobe: Signal<Out, Bit>,
    pub going: Signal<Out, Bits<L>>,
    pub leaders: Signal<Out, Bits<L>>,
    pub retry: Signal<Out, Bit>,
    reg_op: DFF<Passed>,
    reg_mask: DFF<Bits<W>>,
    reg_asks: DFF<Asks>,
    reg_wrong: DFF<Wrong>,
    reg_decided: DFF<Decided>,
    reg_stays: DFF<Bit>,
    lead: Leaders<L>,
    whole: Signal<Local, Passed>,
    complete: Signal<Local, Bit>,
    acts: Signal<Local, Bit>,
    closing: [Signal<Local, Bit>; 2],
    arrives: Signal<Local, Bit>,
    in_first: Signal<Local, Bits<L>>,
    in_second: Signal<Local, Bits<L>>,
    woken: Signal<Local, Bits<L>>,
    awake: Signal<Local, Bits<L>>,
    no_asks: Constant<Asks>,
}

#[block]
impl Logic for Effect<W, L> {
    #[hdl_gen]
    fn update(&mut self) {
        // What is passed on: the operation, with the fault found here, or what a gathering makes.
        self.complete.next = self.reg_decided.q.val().acts & self.reg_decided.q.val().complete;
        self.acts.next = self.reg_asks.q.val().valid & self.reg_decided.q.val().acts;
        self.gone.next = self.acts.val() & self.reg_decided.q.val().gone;
        self.passes.next = (self.reg_asks.q.val().valid
            & (!self.reg_decided.q.val().acts | self.reg_decided.q.val().complete | self.reg_decided.q.val().gone))
            | self.reg_stays.q.val();
        self.whole.next = self.reg_op.q.val();
        if self.reg_wrong.q.val().mismatch {
            self.whole.next.fault = FaultCode::GatherMismatch;
        }
        if self.reg_wrong.q.val().partial {
            self.whole.next.fault = FaultCode::PartialMask;
        }
        if self.reg_wrong.q.val().blocked {
            self.whole.next.fault = FaultCode::WarpBlocked;
        }
        if self.reg_wrong.q.val().absent {
            self.whole.next.fault = FaultCode::NotResident;
        }
        self.passed_mask.next = self.reg_mask.q.val();
        if self.complete.val() {
            self.whole.next.kind = self.tag.val().kind;
            self.whole.next.uniform = true;
            self.whole.next.id = self.tag.val().id;
            self.whole.next.count = self.count.val();
            self.whole.next.redop = self.tag.val().redop;
            self.whole.next.lanes = bit_cast::<32, L>(self.live.val());
            self.whole.next.votes = bit_cast::<32, L>(self.votes.val());
        }
        self.passed.next = self.whole.val();
        self.stays.next = self.passes.val() & self.full.val();

        // The lanes that go on.
        self.arrives.next = self.acts.val() & self.reg_decided.q.val().complete & (self.tag.val().kind == OpKind::Arrive);
        self.in_first.next = self.at[0].val() & !self.at[1].val();
        self.in_second.next = self.at[1].val() & !self.at[0].val();
        self.closing[0].next = self.acts.val() & self.reg_decided.q.val().closing_0;
        self.closing[1].next = self.acts.val() & self.reg_decided.q.val().closing_1;
        self.woken.next = 0.into();
        self.lead.sets[0].next = 0.into();
        self.lead.sets[1].next = 0.into();
        if self.closing[0].val() {
            self.woken.next = self.in_first.val();
        }
        if self.closing[1].val() {
            self.woken.next = self.woken.val() | self.in_second.val();
        }
        if self.reg_decided.q.val().closing_0 & self.reg_decided.q.val().lead_0 {
            self.lead.sets[0].next = self.in_first.val();
        }
        if self.reg_decided.q.val().closing_1 & self.reg_decided.q.val().lead_1 {
            self.lead.sets[1].next = self.in_second.val();
        }
        self.lead.highest.next = self.reg_decided.q.val().highest;
        self.leaders.next = self.lead.leaders.val();
        self.going.next = self.woken.val();
        if self.arrives.val() {
            self.going.next = self.woken.val() | (self.at[0].val() & self.at[1].val());
        }
        if self.reg_decided.q.val().retry {
            self.going.next = bit_cast::<L, 32>(self.reg_op.q.val().lanes);
        }
        self.retry.next = self.acts.val() & self.reg_decided.q.val().retry;
        self.strobe.next = self.arrives.val() | self.closing[0].val() | self.closing[1].val() | self.retry.val();

        // The warp.
        self.now.next = self.reg_asks.q.val();
        self.changes.next = self.acts.val();
        self.awake.next = self.live.val() & (self.woken.val() | !(self.at[0].val() | self.at[1].val()));
        self.all_wait.next = self.live.val().any() & !self.awake.val().any() & !self.reg_decided.q.val().complete;

        if self.asks.val().valid {
            self.reg_op.d.next = self.op.val();
            self.reg_mask.d.next = self.mask.val();
            self.reg_wrong.d.next = self.wrong.val();
            self.reg_decided.d.next = self.decided.val();
        }
        self.reg_asks.d.next = self.asks.val();
        self.reg_stays.d.next = self.stays.val();
        if self.reset.val() {
            self.reg_asks.d.next = self.no_asks.val();
            self.reg_stays.d.next = false;
        }
    }
}
