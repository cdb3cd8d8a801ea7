// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decodes the kind of an operation into the actions of its item.
//!
//! *Reads:* the kind; whether all live lanes execute the operation. *Writes:* in the same cycle the actions. *Latency:* 0, no
//! state. Implements the kinds of operations of `docs/contract/mbarrier.md`.
//!
//! The kind is decoded before the item is queued, because the path from the memory of the queue to the sums has no time for the
//! decoding.

use crate::prelude::*;
use crate::unit::mbarrier::item::OpActions;
use crate::unit::mbarrier::kind::MbarrierKind;

#[block]
pub struct KindDecode {
    /// Kind of the operation.
    pub kind: Signal<In, MbarrierKind>,
    /// TryWait: all live lanes of the warp execute the operation.
    pub all_live_lanes: Signal<In, Bit>,
    /// The actions of the operation.
    pub actions: Signal<Out, OpActions>,
}

#[block]
impl Logic for KindDecode {
    fn update(&mut self) {
        let kind = self.kind.val();
        self.actions.next.init = kind == MbarrierKind::Init;
        self.actions.next.inval = kind == MbarrierKind::Inval;
        self.actions.next.waits = (kind == MbarrierKind::TestWait) | (kind == MbarrierKind::TryWait);
        self.actions.next.suspends = (kind == MbarrierKind::TryWait) & self.all_live_lanes.val();
        self.actions.next.drops =
            (kind == MbarrierKind::Drop) | (kind == MbarrierKind::DropExpect) | (kind == MbarrierKind::DropNoComplete);
        self.actions.next.arrives = self.actions.val().drops
            | (kind == MbarrierKind::Arrive)
            | (kind == MbarrierKind::ArriveExpect)
            | (kind == MbarrierKind::ArriveNoComplete);
        self.actions.next.adds = kind == MbarrierKind::AddPending;
        self.actions.next.expects =
            (kind == MbarrierKind::Expect) | (kind == MbarrierKind::ArriveExpect) | (kind == MbarrierKind::DropExpect);
        self.actions.next.moves_bytes = self.actions.val().expects | (kind == MbarrierKind::Complete);
        self.actions.next.only_expects = kind == MbarrierKind::Expect;
        self.actions.next.completes = (kind == MbarrierKind::Arrive)
            | (kind == MbarrierKind::ArriveExpect)
            | (kind == MbarrierKind::Drop)
            | (kind == MbarrierKind::DropExpect)
            | (kind == MbarrierKind::Complete);
        self.actions.next.no_complete = (kind == MbarrierKind::ArriveNoComplete) | (kind == MbarrierKind::DropNoComplete);
    }
}
