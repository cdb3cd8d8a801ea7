// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides what, if anything, is wrong with an operation.
//!
//! *Reads:* the operation one cycle inside, with its row, its CTA's entry and its warp's state. *Writes:* `fault`, the first cause in the
//! order of precedence; `again`. *Latency:* 0, no state. Implements the fault table of `docs/faults.md`: what specs 000 to 002 call
//! undefined, unpredictable or a run-time exception.

use crate::unit::op::{FaultCode, OpKind, StateWord};
use rust_hdl::prelude::*;

/// `W` warps counted in `CW` bits, ids in `IW`, sums of `AW` bits.
#[derive(LogicBlock)]
pub struct Judge<const W: usize, const CW: usize, const IW: usize, const AW: usize> {
    pub valid: Signal<In, Bit>,
    pub kind: Signal<In, OpKind>,
    pub state: Signal<In, StateWord>,
    pub upstream: Signal<In, FaultCode>,
    pub uniform: Signal<In, Bit>,
    pub mask: Signal<In, Bits<W>>,
    /// Id of the row that it looks at.
    pub id: Signal<In, Bits<4>>,
    // Its numbers, as in `Operands`.
    pub writes_row: Signal<In, Bit>,
    pub writes_warp: Signal<In, Bit>,
    pub wanted: Signal<In, Bits<CW>>,
    pub huge: Signal<In, Bit>,
    pub zero: Signal<In, Bit>,
    pub ragged: Signal<In, Bit>,
    pub steps: Signal<In, Bits<CW>>,
    pub reduction: Signal<In, Bits<2>>,
    pub waits: Signal<In, Bit>,
    pub result: Signal<In, Bits<AW>>,
    pub result_of: Signal<In, Bits<2>>,
    pub bad: Signal<In, Bit>,
    // Its row.
    pub arrived: Signal<In, Bits<W>>,
    pub waiting: Signal<In, Bits<W>>,
    pub count: Signal<In, Bits<CW>>,
    pub expected: Signal<In, Bits<CW>>,
    pub row_reduction: Signal<In, Bits<2>>,
    // Its CTA.
    pub warps: Signal<In, Bits<CW>>,
    pub live: Signal<In, Bits<CW>>,
    pub barriers: Signal<In, Bits<IW>>,
    // Its warp.
    pub waits_now: Signal<In, Bit>,
    pub result_now: Signal<In, Bits<2>>,
    pub fault: Signal<Out, FaultCode>,
    /// There is an operation and nothing is wrong with it; found beside the code, not from it, because all else waits for this.
    pub good: Signal<Out, Bit>,
    /// Its warp has arrived in the row already.
    pub again: Signal<Out, Bit>,
    arrival: Signal<Local, Bit>,
    impossible: Signal<Local, Bit>,
    resultless: Signal<Local, Bit>,
    uneven: Signal<Local, Bit>,
    unlike: Signal<Local, Bit>,
    countless: Signal<Local, Bit>,
    ununiform: Signal<Local, Bit>,
    beyond: Signal<Local, Bit>,
    outside: Signal<Local, Bit>,
    excessive: Signal<Local, Bit>,
    own: Signal<Local, Bits<W>>,
    most: Signal<Local, Bits<AW>>,
    lane_bits: Constant<Bits<3>>,
}

impl<const W: usize, const CW: usize, const IW: usize, const AW: usize> Judge<W, CW, IW, AW> {
    /// `lanes` as in [`super::operands::Operands::new`].
    pub fn new(lanes: usize) -> Self {
        crate::fresh!(Judge {
            valid, kind, state, upstream, uniform, mask, id, writes_row, writes_warp, wanted, huge, zero, ragged, steps,
            reduction, waits, result, result_of, bad, arrived, waiting, count, expected, row_reduction, warps, live, barriers,
            waits_now, result_now, fault, good, again, arrival, impossible, resultless, uneven, unlike, countless, ununiform, beyond, outside, excessive, own, most;
            lane_bits: Constant::new((lanes.trailing_zeros() as u64).into())
        })
    }
}

impl<const W: usize, const CW: usize, const IW: usize, const AW: usize> Logic for Judge<W, CW, IW, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.arrival.next =
            (self.kind.val() == OpKind::Sync) | (self.kind.val() == OpKind::Arrive) | (self.kind.val() == OpKind::Reduce);
        self.own.next = self.arrived.val() & self.mask.val();
        self.again.next = self.own.val().any();
        self.outside.next = bit_cast::<5, 4>(self.id.val()) >= bit_cast::<5, IW>(self.barriers.val());
        self.excessive.next = self.huge.val() | (self.wanted.val() > self.warps.val());

        // What can be wrong, each on its own.
        self.impossible.next = self.writes_row.val()
            & (self.bad.val()
                | self.waiting.val().any()
                | self.excessive.val()
                | (!self.wanted.val().any() & (self.steps.val() > self.live.val())));
        self.most.next = 0.into();
        if self.writes_warp.val() {
            self.most.next = bit_cast::<AW, CW>(self.warps.val()) << self.lane_bits.val();
            self.impossible.next = self.bad.val()
                | self.waits_now.val()
                | (self.waits.val() & (self.outside.val() | !self.again.val()))
                | ((self.result_of.val() == 3) & (self.result.val() > self.most.val()));
        }
        self.resultless.next =
            (self.kind.val() == OpKind::Read) & (self.state.val() == StateWord::Result) & !self.result_now.val().any();
        self.uneven.next = self.count.val().any() & (self.expected.val() != self.wanted.val());
        self.unlike.next = self.count.val().any() & (self.row_reduction.val() != self.reduction.val());
        self.countless.next = self.zero.val() & (self.kind.val() == OpKind::Arrive);
        self.ununiform.next =
            !self.uniform.val() & (self.arrival.val() | (self.kind.val() == OpKind::Read) | (self.kind.val() == OpKind::Write));
        self.beyond.next = self.outside.val()
            & (self.arrival.val()
                | self.writes_row.val()
                | ((self.kind.val() == OpKind::Read) & (self.state.val() == StateWord::Barrier)));
        self.good.next = self.valid.val()
            & (self.upstream.val() == FaultCode::None)
            & !self.beyond.val()
            & !self.ununiform.val()
            & !self.impossible.val()
            & !self.resultless.val()
            & !(self.arrival.val()
                & (self.countless.val()
                    | self.ragged.val()
                    | self.excessive.val()
                    | self.again.val()
                    | self.unlike.val()
                    | self.uneven.val()));

        // The last assignment wins, so the causes stand in reverse order of precedence.
        self.fault.next = FaultCode::None;
        if self.impossible.val() {
            self.fault.next = FaultCode::BadStateWord;
        }
        if self.resultless.val() {
            self.fault.next = FaultCode::NoResult;
        }
        if self.arrival.val() {
            if self.uneven.val() {
                self.fault.next = FaultCode::CountMismatch;
            }
            if self.unlike.val() {
                self.fault.next = FaultCode::KindMismatch;
            }
            if self.again.val() {
                self.fault.next = FaultCode::DoubleArrival;
            }
            if self.excessive.val() {
                self.fault.next = FaultCode::CountExceedsCta;
            }
            if self.ragged.val() {
                self.fault.next = FaultCode::CountNotWarpMultiple;
            }
            if self.countless.val() {
                self.fault.next = FaultCode::CountZeroArrive;
            }
        }
        if self.ununiform.val() {
            self.fault.next = FaultCode::OperandNotUniform;
        }
        if self.beyond.val() {
            self.fault.next = FaultCode::IdOutOfRange;
        }
        if self.upstream.val() != FaultCode::None {
            self.fault.next = self.upstream.val();
        }
        if !self.valid.val() {
            self.fault.next = FaultCode::None;
        }
    }
}
