// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The number of an mbarrier operation for all lanes that execute it: k lanes with the number n give k x n.
//!
//! *Reads:* the channel `in` of operations with the number of one lane. *Writes:* the channel `op` of operations as `mbarrier`
//! takes them. *Latency:* 2, one operation a cycle. Implements `count`, `bytes` and `hint` of `docs/contract/bcu.md`,
//! for the lanes of mbarrier in spec 003.
//!
//! The product is a sum of n shifted by the bits of k that are 1: the lowest three bits in the first cycle, the others in the
//! second. It saturates at the highest number of 21 bits.

use crate::prelude::*;
use crate::unit::mbarrier::ports::MbarrierOp;

/// An mbarrier operation with the number of one lane.
#[payload]
pub struct LaneAsks<LW, LC, VW> {
    pub mbarrier_request: MbarrierRequest,
    /// Fault found upstream; none = carry the operation out.
    pub fault: FaultCode,
    /// All executing lanes gave the same operands.
    pub uniform: Bit,
    pub warp: Bits<LW>,
    pub cta: Bits<LC>,
    pub address: Bits<32>,
    /// Number of lanes that execute the operation.
    pub lanes: Bits<VW>,
    /// All live lanes of the warp execute the operation.
    pub all_live_lanes: Bit,
    pub destination: Destination,
}

/// `VW` bits hold the number of lanes; `VW` is at least 3.
#[block]
pub struct LaneNumbers<LW, LC, VW, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<LaneAsks<LW, LC, VW>>,
    pub op: Source<MbarrierOp<LW, LC, XL>>,
    /// The first stage has an operation.
    #[reset]
    first_full: DFF<Bit>,
    /// The first stage.
    first: DFF<LaneAsks<LW, LC, VW>>,
    /// Number of lanes that the number is multiplied by.
    factor: DFF<Bits<VW>>,
    /// The sum so far.
    partial: DFF<Bits<27>>,
    /// The number, shifted for the next bit.
    multiple: DFF<Bits<27>>,
    /// The second stage has an operation.
    #[reset]
    second_full: DFF<Bit>,
    /// The second stage.
    second: DFF<MbarrierOp<LW, LC, XL>>,
    /// The first stage is free, or becomes free.
    first_moves: Signal<Local, Bit>,
    /// The second stage is free, or becomes free.
    second_moves: Signal<Local, Bit>,
    /// The operation acts once, whatever the number of lanes.
    once: Signal<Local, Bit>,
    /// The factor of the operation that enters.
    by: Signal<Local, Bits<VW>>,
    /// The sum for the lowest three bits of the factor.
    low: Signal<Local, Bits<27>>,
    /// The sum for all bits of the factor.
    high: Signal<Local, Bits<27>>,
    shifted: Signal<Local, Bits<27>>,
    /// The product is above the highest number of 21 bits.
    above: Signal<Local, Bit>,
    product: Signal<Local, Bits<21>>,
    /// The operation is a wait: the number is a hint.
    waits: Signal<Local, Bit>,
    /// The number is a number of bytes.
    has_bytes: Signal<Local, Bit>,
    /// The operation has arrivals (one per lane) and bytes.
    has_both: Signal<Local, Bit>,
    /// The bits of the product above those of a hint.
    past_hint: Signal<Local, Bits<21>>,
    #[init(Constant::new((XL as u64).into()))]
    hint_bits: Constant<Bits<5>>,
    one: Signal<Local, Bits<VW>>,
    /// The highest number of 21 bits.
    #[init(Constant::new(!Bits::<21>::default()))]
    most: Constant<Bits<21>>,
    /// The longest hint.
    #[init(Constant::new(!Bits::<XL>::default()))]
    longest: Constant<Bits<XL>>,
}

#[block]
impl Logic for LaneNumbers<LW, LC, VW, XL> {
    fn update(&mut self) {
        self.second_moves.next = !self.second_full.q.val() | self.op.ready.val();
        self.first_moves.next = !self.first_full.q.val() | self.second_moves.val();
        self.in_.ready.next = self.first_moves.val();
        if self.first_moves.val() {
            self.first_full.d.next = self.in_.valid.val();
        }
        if self.second_moves.val() {
            self.second_full.d.next = self.first_full.q.val();
        }

        // The first stage: init, inval and waits act once, whatever the number of lanes.
        self.once.next = (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::Init)
            | (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::Inval)
            | (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::TestWait)
            | (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::TryWait);
        self.one.next = 1.into();
        self.by.next = self.in_.payload.val().lanes;
        if self.once.val() {
            self.by.next = self.one.val();
        }
        self.shifted.next = bit_cast::<27, 21>(self.in_.payload.val().mbarrier_request.number);
        self.low.next = 0.into();
        for i in 0..3 {
            if self.by.val().get_bit(i) {
                self.low.next = self.low.val() + self.shifted.val();
            }
            self.shifted.next = self.shifted.val() << 1;
        }
        if self.first_moves.val() {
            self.first.d.next = self.in_.payload.val();
            self.factor.d.next = self.by.val();
            self.partial.d.next = self.low.val();
            self.multiple.d.next = self.shifted.val();
        }

        // The second stage.
        self.high.next = self.partial.q.val();
        self.shifted.next = self.multiple.q.val();
        for j in 3..VW {
            if self.factor.q.val().get_bit(j) {
                self.high.next = self.high.val() + self.shifted.val();
            }
            self.shifted.next = self.shifted.val() << 1;
        }
        self.above.next = self.high.val().get_bits::<6>(21).any();
        self.product.next = bit_cast::<21, 27>(self.high.val());
        if self.above.val() {
            self.product.next = self.most.val();
        }
        self.waits.next = (self.first.q.val().mbarrier_request.mbarrier == MbarrierKind::TestWait)
            | (self.first.q.val().mbarrier_request.mbarrier == MbarrierKind::TryWait);
        self.has_both.next = (self.first.q.val().mbarrier_request.mbarrier == MbarrierKind::ArriveExpect)
            | (self.first.q.val().mbarrier_request.mbarrier == MbarrierKind::DropExpect);
        self.has_bytes.next = self.has_both.val()
            | (self.first.q.val().mbarrier_request.mbarrier == MbarrierKind::Expect)
            | (self.first.q.val().mbarrier_request.mbarrier == MbarrierKind::Complete);
        self.past_hint.next = self.product.val() >> self.hint_bits.val();
        if self.second_moves.val() {
            self.second.d.next.kind = self.first.q.val().mbarrier_request.mbarrier;
            self.second.d.next.fault = self.first.q.val().fault;
            self.second.d.next.uniform = self.first.q.val().uniform;
            self.second.d.next.warp = self.first.q.val().warp;
            self.second.d.next.cta = self.first.q.val().cta;
            self.second.d.next.address = self.first.q.val().address;
            self.second.d.next.cluster = self.first.q.val().mbarrier_request.cluster;
            self.second.d.next.count = self.product.val();
            self.second.d.next.bytes = 0.into();
            if self.has_bytes.val() {
                self.second.d.next.count = 0.into();
                self.second.d.next.bytes = self.product.val();
            }
            if self.has_both.val() {
                self.second.d.next.count = bit_cast::<21, VW>(self.factor.q.val());
            }
            self.second.d.next.phase = self.first.q.val().mbarrier_request.phase;
            self.second.d.next.hint = 0.into();
            if self.waits.val() {
                self.second.d.next.count = 0.into();
                self.second.d.next.hint = bit_cast::<XL, 21>(self.product.val());
                if self.past_hint.val().any() {
                    self.second.d.next.hint = self.longest.val();
                }
            }
            self.second.d.next.all_live_lanes = self.first.q.val().all_live_lanes;
            self.second.d.next.destination = self.first.q.val().destination;
        }
        self.op.valid.next = self.second_full.q.val();
        self.op.payload.next = self.second.q.val();
    }
}
