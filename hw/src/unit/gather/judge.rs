// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides what is wrong with an operation's lanes, and which way it goes.
//!
//! *Reads:* the operation one cycle inside, with its warp's row. *Writes:* `fault`; if there is none, whether it joins the gathering
//! or a rendezvous, or must try again, or exits, or launches. *Latency:* 0, no state. Implements `partial_mask` and `gather_mismatch` of `docs/faults.md`.

use super::rows::Tag;
use crate::unit::op::{FaultCode, Form, OpKind, RedOp};
use rust_hdl::prelude::*;

/// `L` lanes.
#[derive(LogicBlock, Default)]
pub struct Judge<const L: usize> {
    pub valid: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    pub upstream: Signal<In, FaultCode>,
    pub uniform: Signal<In, Bit>,
    pub id: Signal<In, Bits<4>>,
    pub count: Signal<In, Bits<12>>,
    pub redop: Signal<In, RedOp>,
    pub executing: Signal<In, Bits<L>>,
    pub form: Signal<In, Form>,
    pub members: Signal<In, Bits<L>>,
    pub live: Signal<In, Bits<L>>,
    pub lanes: Signal<In, Bits<L>>,
    pub gathered_count: Signal<In, Bits<12>>,
    pub tag: Signal<In, Tag>,
    pub met: [Signal<In, Bits<L>>; 2],
    pub joined: [Signal<In, Bits<L>>; 2],
    pub fault: Signal<Out, FaultCode>,
    pub collects: Signal<Out, Bit>,
    pub meets: [Signal<Out, Bit>; 2],
    pub retry: Signal<Out, Bit>,
    pub exits: Signal<Out, Bit>,
    pub launches: Signal<Out, Bit>,
    /// One of collects, meets, retry, exits: it is not passed on as it is.
    pub absorbs: Signal<Out, Bit>,
    acts: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    exit: Signal<Local, Bit>,
    gathered: Signal<Local, Bit>,
    among: Signal<Local, Bit>,
    elect: Signal<Local, Bit>,
    present: Signal<Local, Bits<L>>,
    absent: Signal<Local, Bits<L>>,
    waiting: Signal<Local, Bits<L>>,
    stray: Signal<Local, Bits<L>>,
    shared: Signal<Local, Bits<L>>,
    other: Signal<Local, Bit>,
    same: [Signal<Local, Bit>; 2],
    opened: [Signal<Local, Bit>; 2],
    elects: [Signal<Local, Bit>; 2],
    clash: Signal<Local, Bit>,
}

impl<const L: usize> Logic for Judge<L> {
    #[hdl_gen]
    fn update(&mut self) {
        self.acts.next = self.valid.val() & (self.upstream.val() == FaultCode::None);
        self.arrival.next = self.acts.val()
            & ((self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Arrive) | (self.kind.val() == OpKind::Reduce));
        self.exit.next = self.acts.val() & (self.kind.val() == OpKind::Exit);
        self.gathered.next = self.arrival.val() & (self.form.val() == Form::Gathered) & self.uniform.val();
        self.elect.next = self.form.val() == Form::Elect;
        self.among.next = self.arrival.val() & (self.elect.val() | (self.form.val() == Form::WarpSync));

        // The lanes of the operation: live, not live, waiting already, outside their own members.
        self.present.next = self.executing.val() & self.live.val();
        self.absent.next = self.executing.val() & !self.live.val();
        self.waiting.next = self.executing.val() & (self.lanes.val() | self.joined[0].val() | self.joined[1].val());
        self.stray.next = self.executing.val() & !self.members.val();

        // What it meets in its row.
        self.other.next = self.tag.val().open
            & ((self.tag.val().kind != self.kind.val())
                | (self.tag.val().redop != self.redop.val())
                | (self.tag.val().id != self.id.val())
                | (self.gathered_count.val() != self.count.val()));
        self.opened[0].next = self.tag.val().open_0;
        self.opened[1].next = self.tag.val().open_1;
        self.elects[0].next = self.tag.val().elect_0;
        self.elects[1].next = self.tag.val().elect_1;
        self.clash.next = false;
        self.shared.next = 0.into();
        for i in 0..2 {
            self.same[i].next = self.opened[i].val() & (self.met[i].val() == self.members.val());
            self.shared.next = self.met[i].val() & self.members.val();
            if self.opened[i].val()
                & self.shared.val().any()
                & (!self.same[i].val() | (self.elects[i].val() != self.elect.val()))
            {
                self.clash.next = true;
            }
        }

        // The last assignment wins, so the causes stand in reverse order of precedence.
        self.fault.next = FaultCode::None;
        if self.gathered.val() & (self.waiting.val().any() | self.absent.val().any() | self.other.val()) {
            self.fault.next = FaultCode::GatherMismatch;
        }
        if self.among.val() & (self.stray.val().any() | self.waiting.val().any() | self.absent.val().any() | self.clash.val()) {
            self.fault.next = FaultCode::GatherMismatch;
        }
        if self.arrival.val() & (self.form.val() == Form::Aligned) & (self.executing.val() != self.live.val()) {
            self.fault.next = FaultCode::PartialMask;
        }
        if self.exit.val() & self.waiting.val().any() {
            self.fault.next = FaultCode::WarpBlocked;
        }
        if self.exit.val() & !self.present.val().any() {
            self.fault.next = FaultCode::NotResident;
        }
        if self.valid.val() & (self.upstream.val() != FaultCode::None) {
            self.fault.next = self.upstream.val();
        }

        // Where it goes if nothing is wrong.
        self.collects.next = self.gathered.val() & (self.fault.val() == FaultCode::None);
        self.exits.next = self.exit.val() & (self.fault.val() == FaultCode::None);
        self.launches.next = self.acts.val() & ((self.kind.val() == OpKind::Launch) | (self.kind.val() == OpKind::Release));
        self.among.next = self.among.val() & (self.fault.val() == FaultCode::None);
        self.meets[0].next = self.among.val() & (self.same[0].val() | (!self.same[1].val() & !self.opened[0].val()));
        self.meets[1].next =
            self.among.val() & !self.same[0].val() & (self.same[1].val() | (self.opened[0].val() & !self.opened[1].val()));
        self.retry.next =
            self.among.val() & !self.same[0].val() & !self.same[1].val() & self.opened[0].val() & self.opened[1].val();
        self.absorbs.next = self.collects.val() | self.among.val() | self.exits.val();
    }
}
