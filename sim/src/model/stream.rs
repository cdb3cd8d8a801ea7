// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What goes from part to part of the whole unit in one cycle (`docs/interface.md`, `bcu`).

use super::decode::DecodeOut;
use super::gather::{Carried, Laned, Offered};
use super::gather_ports::GatherOut;
use super::named::NamedOut;
use super::op::{Code, Commit, Fault, Kind, Operation, RedOp};
use super::order_ports::OrderOut;
use super::residency::{Request, ResidencyOut};
use super::stops::StopsOut;
use super::watch::{Taken, WatchOut};

/// What stands between the parts in one cycle.
pub struct Wires {
    pub residency: ResidencyOut,
    pub decode: DecodeOut,
    pub gather: GatherOut,
    pub order: OrderOut,
    pub named: NamedOut,
    pub stops: StopsOut,
    pub watch: WatchOut,
}

impl Wires {
    /// Who waits at a barrier or is stopped.
    pub fn halted(&self) -> u64 {
        self.named.waiting | self.stops.stopped
    }

    /// Who may not issue.
    pub fn blocked(&self) -> u64 {
        self.halted() | self.decode.front | self.gather.leaving | self.order.held | self.residency.exits
    }

    /// Who may not even read or write state.
    pub fn busy(&self) -> u64 {
        self.decode.front | self.order.full | self.residency.exits
    }

    /// Of whom an operation has yet to have its effects.
    pub fn in_flight(&self) -> u64 {
        self.decode.front | self.gather.leaving | self.order.parked
    }

    /// Of whom an operation was parked, or has its effects without having been parked.
    pub fn settled(&self) -> u64 {
        self.order.settled | self.commit() & !self.order.passed
    }

    /// The warp whose operation has its effects.
    pub fn commit(&self) -> u64 {
        let Commit { warps, settles, .. } = self.named.commit;
        if self.named.commit_valid && settles {
            warps
        } else {
            0
        }
    }

    /// `residency` goes first, but the exit of a warp waits for the warp's instruction on its way.
    pub fn residency_goes(&self) -> bool {
        let ResidencyOut { op_valid, request: Request { op, .. }, .. } = &self.residency;
        *op_valid && !(op.kind == Kind::Exit && self.decode.front >> op.warp & 1 != 0)
    }

    /// The operation offered to `gather`, if one is.
    pub fn for_gather(&self) -> Offered {
        if self.residency_goes() {
            let op = Operation { uniform: true, ..self.residency.request.op };
            let carried = Carried { op, counted: false, rd: 255, pu: 7 };
            return Offered { laned: Laned { carried, lanes: self.residency.request.lanes, votes: 0 }, ..Offered::default() };
        }
        let decoded = &self.decode.op;
        let carried = Carried { op: decoded.op, counted: true, rd: decoded.rd, pu: decoded.pu };
        let laned = Laned { carried, lanes: decoded.lanes, votes: decoded.votes };
        Offered { laned, form: decoded.form, members: decoded.members }
    }

    /// The fault at the port: that of `watch` if this says so, else that of `named`.
    pub fn fault(&self, of_watch: bool) -> Fault {
        let dead = Fault { code: Code::Deadlock, cta: self.watch.dead_cta, ..Fault::default() };
        if of_watch {
            dead
        } else {
            self.named.fault
        }
    }

    /// What `named` takes of the operations of `order`.
    pub fn taken(&self) -> Option<Taken> {
        let Operation { kind, fault, cta, .. } = self.order.op.op;
        (self.order.op_valid && self.named.op_ready).then_some(Taken { kind, fault, cta })
    }
}

/// `votes`: a Reduce takes the contribution of its warp with it. Lanes that do not execute give the identity.
pub fn counted(Laned { carried, lanes, votes }: &Laned) -> Carried {
    let value = match (carried.op.kind, carried.op.redop) {
        (Kind::Reduce, RedOp::And) => u8::from(lanes & !votes != 0),
        (Kind::Reduce, RedOp::Or) => u8::from(*votes != 0),
        (Kind::Reduce, RedOp::Popc) => votes.count_ones() as u8,
        _ => 0,
    };
    Carried { op: Operation { value, ..carried.op }, ..*carried }
}
