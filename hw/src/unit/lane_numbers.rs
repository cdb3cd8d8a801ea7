// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Multiplies the number that each lane gives to an mbarrier operation by the number of lanes: k lanes with the number n give k x
//! n.
//!
//! *Reads:* the channel `in` of operations with the number that one lane gives. *Writes:* the channel `op` of operations in the
//! form that `mbarrier` takes. *Latency:* 2, one operation a cycle. Implements `count`, `bytes` and `hint` of
//! `docs/contract/bcu.md`, for the lanes of mbarrier in spec 003.
//!
//! The product is the sum of n shifted left by i, for each bit i of k that is 1: bits 0 to 2 of k in the first cycle, the higher
//! bits in the second. The product saturates at the highest number of 21 bits.

use crate::prelude::*;
use crate::unit::mbarrier::ports::MbarrierOp;

/// Warp numbers of `LW` bits, CTA slot numbers of `LC` bits, numbers of lanes of `VW` bits (at least 3), hints of `XL` bits.
#[block]
pub struct LaneNumbers<LW, LC, VW, XL> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub in_: Sink<LaneRequest<LW, LC, VW>>,
    pub op: Source<MbarrierOp<LW, LC, XL>>,
    /// The first stage has an operation.
    #[reset]
    first_stage_full: DFF<Bit>,
    /// The operation in the first stage.
    first_stage_op: DFF<LaneRequest<LW, LC, VW>>,
    /// The factor k: the number of lanes, or 1 if the operation acts once.
    factor: DFF<Bits<VW>>,
    /// The sum of the addends for the lowest three bits of the factor.
    partial: DFF<Bits<27>>,
    /// The addend for bit 3 of the factor: the number shifted left by 3.
    multiple: DFF<Bits<27>>,
    /// The second stage has an operation.
    #[reset]
    second_stage_full: DFF<Bit>,
    /// The operation in the second stage.
    second_stage_op: DFF<MbarrierOp<LW, LC, XL>>,
    /// The first stage is free, or becomes free in this cycle.
    first_stage_free: Signal<Local, Bit>,
    /// The second stage is free, or becomes free in this cycle.
    second_stage_free: Signal<Local, Bit>,
    /// The operation acts once, independent of the number of lanes: the factor is 1.
    acts_once: Signal<Local, Bit>,
    /// The factor of the operation that enters.
    next_factor: Signal<Local, Bits<VW>>,
    /// The sum of the addends for the lowest three bits of the factor.
    low_sum: Signal<Local, Bits<27>>,
    /// The sum of the addends for all bits of the factor.
    full_sum: Signal<Local, Bits<27>>,
    /// The addend for bit i of the factor: the number shifted left by i.
    bit_multiple: Signal<Local, Bits<27>>,
    /// The product is above the highest number of 21 bits.
    overflows: Signal<Local, Bit>,
    product: Signal<Local, Bits<21>>,
    /// The operation is a wait: the number is a hint.
    is_wait: Signal<Local, Bit>,
    /// The number of the operation is in bytes.
    has_bytes: Signal<Local, Bit>,
    /// The operation has arrivals (one per lane) and bytes.
    has_both: Signal<Local, Bit>,
    /// The bits of the product above the bits of a hint.
    hint_excess: Signal<Local, Bits<21>>,
    #[init(Constant::new((XL as u64).into()))]
    hint_bits: Constant<Bits<5>>,
    factor_one: Signal<Local, Bits<VW>>,
    /// The highest number of 21 bits.
    #[init(Constant::new(!Bits::<21>::default()))]
    max_number: Constant<Bits<21>>,
    /// The longest hint.
    #[init(Constant::new(!Bits::<XL>::default()))]
    max_hint: Constant<Bits<XL>>,
}

#[block]
impl Logic for LaneNumbers {
    fn update(&mut self) {
        self.second_stage_free.next = !self.second_stage_full.q.val() | self.op.ready.val();
        self.first_stage_free.next = !self.first_stage_full.q.val() | self.second_stage_free.val();
        self.in_.ready.next = self.first_stage_free.val();
        if self.first_stage_free.val() {
            self.first_stage_full.d.next = self.in_.valid.val();
        }
        if self.second_stage_free.val() {
            self.second_stage_full.d.next = self.first_stage_full.q.val();
        }

        // The first stage: the factor, and the addends for its lowest three bits. An init, an inval and a wait act once, so their
        // factor is 1.
        self.acts_once.next = (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::Init)
            | (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::Inval)
            | (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::TestWait)
            | (self.in_.payload.val().mbarrier_request.mbarrier == MbarrierKind::TryWait);
        self.factor_one.next = 1.into();
        self.next_factor.next = self.in_.payload.val().lanes;
        if self.acts_once.val() {
            self.next_factor.next = self.factor_one.val();
        }
        self.bit_multiple.next = bit_cast::<27, 21>(self.in_.payload.val().mbarrier_request.number);
        self.low_sum.next = 0.into();
        for i in 0..3 {
            if self.next_factor.val().get_bit(i) {
                self.low_sum.next = self.low_sum.val() + self.bit_multiple.val();
            }
            self.bit_multiple.next = self.bit_multiple.val() << 1;
        }
        if self.first_stage_free.val() {
            self.first_stage_op.d.next = self.in_.payload.val();
            self.factor.d.next = self.next_factor.val();
            self.partial.d.next = self.low_sum.val();
            self.multiple.d.next = self.bit_multiple.val();
        }

        // The second stage: the other addends, and the product as arrivals (`count`), bytes or hint. An operation with arrivals and
        // bytes has one arrival per lane.
        self.full_sum.next = self.partial.q.val();
        self.bit_multiple.next = self.multiple.q.val();
        for j in 3..VW {
            if self.factor.q.val().get_bit(j) {
                self.full_sum.next = self.full_sum.val() + self.bit_multiple.val();
            }
            self.bit_multiple.next = self.bit_multiple.val() << 1;
        }
        self.overflows.next = self.full_sum.val().get_bits::<6>(21).any();
        self.product.next = bit_cast::<21, 27>(self.full_sum.val());
        if self.overflows.val() {
            self.product.next = self.max_number.val();
        }
        self.is_wait.next = (self.first_stage_op.q.val().mbarrier_request.mbarrier == MbarrierKind::TestWait)
            | (self.first_stage_op.q.val().mbarrier_request.mbarrier == MbarrierKind::TryWait);
        self.has_both.next = (self.first_stage_op.q.val().mbarrier_request.mbarrier == MbarrierKind::ArriveExpect)
            | (self.first_stage_op.q.val().mbarrier_request.mbarrier == MbarrierKind::DropExpect);
        self.has_bytes.next = self.has_both.val()
            | (self.first_stage_op.q.val().mbarrier_request.mbarrier == MbarrierKind::Expect)
            | (self.first_stage_op.q.val().mbarrier_request.mbarrier == MbarrierKind::Complete);
        self.hint_excess.next = self.product.val() >> self.hint_bits.val();
        if self.second_stage_free.val() {
            self.second_stage_op.d.next.kind = self.first_stage_op.q.val().mbarrier_request.mbarrier;
            self.second_stage_op.d.next.fault = self.first_stage_op.q.val().fault;
            self.second_stage_op.d.next.uniform = self.first_stage_op.q.val().uniform;
            self.second_stage_op.d.next.warp = self.first_stage_op.q.val().warp;
            self.second_stage_op.d.next.cta = self.first_stage_op.q.val().cta;
            self.second_stage_op.d.next.address = self.first_stage_op.q.val().address;
            self.second_stage_op.d.next.cluster = self.first_stage_op.q.val().mbarrier_request.cluster;
            self.second_stage_op.d.next.count = self.product.val();
            self.second_stage_op.d.next.bytes = 0.into();
            if self.has_bytes.val() {
                self.second_stage_op.d.next.count = 0.into();
                self.second_stage_op.d.next.bytes = self.product.val();
            }
            if self.has_both.val() {
                self.second_stage_op.d.next.count = bit_cast::<21, VW>(self.factor.q.val());
            }
            self.second_stage_op.d.next.phase = self.first_stage_op.q.val().mbarrier_request.phase;
            self.second_stage_op.d.next.hint = 0.into();
            if self.is_wait.val() {
                self.second_stage_op.d.next.count = 0.into();
                self.second_stage_op.d.next.hint = bit_cast::<XL, 21>(self.product.val());
                if self.hint_excess.val().any() {
                    self.second_stage_op.d.next.hint = self.max_hint.val();
                }
            }
            self.second_stage_op.d.next.all_live_lanes = self.first_stage_op.q.val().all_live_lanes;
            self.second_stage_op.d.next.destination = self.first_stage_op.q.val().destination;
        }
        self.op.valid.next = self.second_stage_full.q.val();
        self.op.payload.next = self.second_stage_op.q.val();
    }
}
