// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Selects the operation that is taken: its kind, its object, its numbers of arrivals and bytes.
//!
//! *Reads:* the source whose offer is taken; the operation on `op`; the oldest operation from `tx`, and from `net_in`. *Writes:*
//! in the same cycle the kind, the object and the numbers of the operation. *Latency:* 0, no state. Implements the operations of
//! `docs/contract/mbarrier.md` on the channels `tx` and `net_in`: an operation from `tx` is an Arrive or a Complete.

use super::payloads::{Numbers, Sources};
use crate::prelude::*;
use crate::unit::mbarrier::item::ObjectPlace;
use crate::unit::mbarrier::kind::MbarrierKind;
use crate::unit::mbarrier::ports::{MbarrierTx, NetIn};

/// Sizes: CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits.
#[block]
pub struct OpSelect<LC, XW> {
    /// The source whose offer is taken.
    pub take: Signal<In, Sources>,
    /// Kind of the operation on `op`.
    pub op_kind: Signal<In, MbarrierKind>,
    /// The object of the operation on `op`.
    pub op_place: Signal<In, ObjectPlace<LC, XW>>,
    /// The numbers of the operation on `op`.
    pub op_numbers: Signal<In, Numbers>,
    /// The oldest operation from `tx`.
    pub tx_op: Signal<In, MbarrierTx<LC, XW>>,
    /// The oldest operation from `net_in`.
    pub net_op: Signal<In, NetIn<LC, XW>>,
    /// Kind of the operation that is taken; Inval if an internal item or nothing is taken, because the kind Inval sets
    /// only the action `inval`. An internal item ignores this action: it does not operate, or is flawed.
    pub kind: Signal<Out, MbarrierKind>,
    /// The object of the operation that is taken; don't care if no operation is taken.
    pub place: Signal<Out, ObjectPlace<LC, XW>>,
    /// The numbers of the operation that is taken; 0 if no operation is taken.
    pub numbers: Signal<Out, Numbers>,
}

#[block]
impl Logic for OpSelect {
    fn update(&mut self) {
        let take = self.take.val();
        let tx_op = self.tx_op.val();
        let net_op = self.net_op.val();
        self.kind.next = MbarrierKind::Inval;
        self.place.next.cta = tx_op.cta;
        self.place.next.object = tx_op.object;
        self.numbers.next.count = 0.into();
        self.numbers.next.bytes = 0.into();
        if take.tx {
            self.numbers.next.count = bit_cast::<20, 6>(tx_op.count);
            self.numbers.next.bytes = tx_op.bytes;
            self.kind.next = MbarrierKind::Complete;
            if tx_op.count.any() {
                self.kind.next = MbarrierKind::Arrive;
            }
        }
        if take.net {
            self.kind.next = net_op.kind;
            self.place.next.cta = net_op.cta;
            self.place.next.object = net_op.object;
            self.numbers.next.count = net_op.count;
            self.numbers.next.bytes = net_op.bytes;
        }
        if take.op {
            self.kind.next = self.op_kind.val();
            self.numbers.next = self.op_numbers.val();
            self.place.next = self.op_place.val();
        }
    }
}
