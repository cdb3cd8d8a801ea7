// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kind of a gathered operation in three bits: the conversion from the kind of an operation, and back.

use crate::port_value::PortValue;
use crate::prelude::*;
use crate::unit::op::port_enum;

port_enum! {
    /// The kinds of operations that can gather.
    pub enum GatheredKind {
        Sync,
        Arrive,
        Reduce,
        ClusterArrive,
        ClusterArriveRelaxed,
        ClusterWait,
    }
}

/// Encodes the kind of an operation in three bits, as the kind of a gathering.
///
/// *Reads:* the kind of an operation. *Writes:* the kind of the gathering that the operation opens or joins; meaningless for a kind that
/// cannot gather. *Latency:* 0, no state. Implements no clause of the documents: the code saves bits, so that the tag of a row fits into
/// one word of block RAM.
#[block]
pub struct GatheredOf {
    pub kind: Signal<In, OpKind>,
    pub gathered: Signal<Out, GatheredKind>,
}

#[block]
impl Logic for GatheredOf {
    fn update(&mut self) {
        self.gathered.next = GatheredKind::Sync;
        if self.kind.val() == OpKind::Arrive {
            self.gathered.next = GatheredKind::Arrive;
        }
        if self.kind.val() == OpKind::Reduce {
            self.gathered.next = GatheredKind::Reduce;
        }
        if self.kind.val() == OpKind::ClusterArrive {
            self.gathered.next = GatheredKind::ClusterArrive;
        }
        if self.kind.val() == OpKind::ClusterArriveRelaxed {
            self.gathered.next = GatheredKind::ClusterArriveRelaxed;
        }
        if self.kind.val() == OpKind::ClusterWait {
            self.gathered.next = GatheredKind::ClusterWait;
        }
    }
}

/// Decodes the kind of a gathering: the kind of the operations that it gathers.
///
/// *Reads:* the kind of a gathering, in three bits. *Writes:* the kind of an operation. *Latency:* 0, no state. Implements no clause of the
/// documents: it is the inverse of the block `gathered_of`.
#[block]
pub struct KindOf {
    pub gathered: Signal<In, GatheredKind>,
    pub kind: Signal<Out, OpKind>,
}

#[block]
impl Logic for KindOf {
    fn update(&mut self) {
        self.kind.next = OpKind::Sync;
        if self.gathered.val() == GatheredKind::Arrive {
            self.kind.next = OpKind::Arrive;
        }
        if self.gathered.val() == GatheredKind::Reduce {
            self.kind.next = OpKind::Reduce;
        }
        if self.gathered.val() == GatheredKind::ClusterArrive {
            self.kind.next = OpKind::ClusterArrive;
        }
        if self.gathered.val() == GatheredKind::ClusterArriveRelaxed {
            self.kind.next = OpKind::ClusterArriveRelaxed;
        }
        if self.gathered.val() == GatheredKind::ClusterWait {
            self.kind.next = OpKind::ClusterWait;
        }
    }
}
