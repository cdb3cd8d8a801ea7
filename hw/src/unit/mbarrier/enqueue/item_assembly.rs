// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Assembles the item that is queued from the fields of its source.
//!
//! *Reads:* the source that is taken, with the decoded operation or the internal item. *Writes:* in the same cycle the item.
//! *Latency:* 0, no state. Implements the items of `docs/contract/mbarrier.md`: operations, time-outs, results and faults of remote
//! operations, steps of the walk.

use super::payloads::{OpContext, Sources};
use crate::prelude::*;
use crate::unit::mbarrier::item::{Addends, Item, ObjectPlace, OpActions};
use crate::unit::mbarrier::payloads::RemoteResult;

/// Sizes: warp numbers of `LW` bits, CTA slot numbers of `LC` bits, shared memory word numbers of `XW` bits, tick counts of `XL` bits.
#[block]
pub struct ItemAssembly<LW, LC, XW, XL> {
    /// The source whose offer is taken.
    pub take: Signal<In, Sources>,
    /// The fields of the operation on `op` that are copied into its item.
    pub op: Signal<In, OpContext<LW, XL>>,
    /// Fault of the operation on `op`, if the fault does not depend on its object.
    pub op_code: Signal<In, FaultCode>,
    /// The object of the operation.
    pub place: Signal<In, ObjectPlace<LC, XW>>,
    /// The actions of the operation.
    pub actions: Signal<In, OpActions>,
    /// The addends of the operation.
    pub addends: Signal<In, Addends>,
    /// Field `source` of the operation from `net_in`: its sender.
    pub net_source: Signal<In, Bits<8>>,
    /// Warp of the time-out.
    pub time_out_warp: Signal<In, Bits<LW>>,
    /// The result of a remote operation.
    pub remote_result: Signal<In, RemoteResult<LW>>,
    /// CTA slot of the sender whose remote operation found its target CTA absent.
    pub absent_target_cta: Signal<In, Bits<LC>>,
    /// The item for the queue.
    pub item: Signal<Out, Item<LW, LC, XW, XL>>,
    no_item: Constant<Item<LW, LC, XW, XL>>,
    #[init(Constant::new(config.faults))]
    checks: Constant<Bit>,
}

#[block]
impl Logic for ItemAssembly {
    fn update(&mut self) {
        let take = self.take.val();
        let op = self.op.val();
        let place = self.place.val();
        let actions = self.actions.val();
        self.item.next = self.no_item.val();
        self.item.next.actions.times_out = take.time_out | take.remote_result;
        self.item.next.actions.walks = take.walk_step;
        self.item.next.actions.operates = take.op | take.tx | take.net | take.absent_target;
        self.item.next.actions.op = actions;
        self.item.next.actions.has_result = (take.op & (actions.arrives | actions.waits))
            | take.net
            | (take.remote_result & self.remote_result.val().has_result);
        self.item.next.addends = self.addends.val();

        self.item.next.code = FaultCode::None;
        if take.op {
            self.item.next.code = self.op_code.val();
        }
        if take.absent_target {
            self.item.next.code = FaultCode::RankAbsent;
        }
        self.item.next.actions.flawed = self.item.val().code != FaultCode::None;

        self.item.next.place = place;
        if take.absent_target {
            self.item.next.place.cta = self.absent_target_cta.val();
        }
        if self.checks.val() {
            self.item.next.address = bit_cast::<32, XW>(place.object) << 3;
            if take.op {
                self.item.next.address = op.address;
            }
            if take.absent_target {
                self.item.next.address = 0.into();
            }
        }

        self.item.next.has_warp = take.op | take.remote_result;
        self.item.next.warp = self.time_out_warp.val();
        self.item.next.tested_phase = op.phase;
        self.item.next.hint = op.hint;
        self.item.next.destination = op.destination;
        if take.net {
            self.item.next.destination.rd = self.net_source.val();
        }
        if take.remote_result {
            self.item.next.warp = self.remote_result.val().warp;
            self.item.next.destination = self.remote_result.val().destination;
        }
        if take.op {
            self.item.next.warp = op.warp;
        }
    }
}
