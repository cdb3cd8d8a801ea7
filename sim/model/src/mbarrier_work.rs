// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on objects in one representation, whether they come from a warp, a copy engine or the network
//! (`docs/contract/mbarrier.md`).

use super::mbarrier::Mbarrier;
use super::mbarrier_object::MbarrierKind;
use super::mbarrier_ports::MbarrierOp;
use super::mbarrier_state::{Done, Item};
use super::op::Code;

/// The common fields of all operations on objects, from any source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Work {
    pub(super) kind: MbarrierKind,
    pub(super) cta: u8,
    pub(super) number: u32,
    pub(super) n: u32,
    pub(super) t: u32,
    pub(super) flaw: Code,
    pub(super) address: u32,
    pub(super) op: Option<MbarrierOp>,
    /// The sender of an operation from the network.
    pub(super) source: Option<u8>,
}

impl Work {
    /// The record of the decision on this operation, without the object before and after it.
    pub(super) fn done(&self, fault: Code) -> Done {
        Done {
            kind: self.kind,
            cta: self.cta,
            address: self.address & 0xff_ffff,
            warp: self.op.map(|op| op.warp),
            n: self.op.map_or(self.n, |op| op.count),
            t: self.t,
            fault,
            before: None,
            after: None,
            completes: false,
            source: self.source,
            suspends: false,
            answer: false,
        }
    }
}

impl Mbarrier {
    /// The number of the word at an address.
    pub(super) fn number(&self, address: u32) -> u32 {
        address >> 3 & ((1 << self.sizes.word_bits()) - 1)
    }

    /// The fault that does not depend on the object.
    pub(super) fn flaw(&self, op: &MbarrierOp) -> Code {
        op.flaw(self.sizes.objects().smem_bytes, self.checks(), self.net.peer(op.cta))
    }

    /// Whether an operation is sent to the network.
    pub(super) fn leaves(&self, op: &MbarrierOp) -> bool {
        self.net.is_built() && op.is_remote(self.net.peer(op.cta).rank) && self.flaw(op) == Code::None
    }

    /// The operation of an item on an object; `None` for an item without an object.
    pub(super) fn work(&self, item: Item) -> Option<Work> {
        let work = match item {
            Item::Op(op) => Work {
                kind: op.kind,
                cta: op.cta,
                number: self.number(op.address),
                n: op.count & 0xf_ffff,
                t: op.bytes,
                flaw: op.fault,
                address: op.address,
                op: Some(op),
                source: None,
            },
            Item::Tx(tx) => Work {
                kind: if tx.count == 0 { MbarrierKind::Complete } else { MbarrierKind::Arrive },
                cta: tx.cta,
                number: tx.object,
                n: tx.count.into(),
                t: tx.bytes,
                flaw: Code::None,
                address: tx.object << 3,
                op: None,
                source: None,
            },
            Item::Net(got) => Work {
                kind: got.kind,
                cta: got.cta,
                number: got.object,
                n: got.count,
                t: got.bytes,
                flaw: Code::None,
                address: got.object << 3,
                op: None,
                source: Some(got.source),
            },
            Item::TimeOut(_) | Item::WalkStep(_) | Item::Answer(_) | Item::Absent(_) => return None,
        };
        let absent = work.flaw == Code::None && !self.is(self.present_before, work.cta);
        Some(Work { flaw: if absent { Code::RankAbsent } else { work.flaw }, ..work })
    }
}
