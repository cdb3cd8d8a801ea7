// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares a WarpSync or Elect with one rendezvous of its warp.
//!
//! *Reads:* the member mask and the form of the operation; the rendezvous in the row. *Writes:* whether the member masks are equal,
//! and whether the operation and the rendezvous exclude each other. *Latency:* 0, no state. Implements WarpSync and Elect in *Sync,
//! Arrive, …* of `docs/contract/gather.md`.

use crate::prelude::*;

/// `L` lanes.
#[block]
pub struct RendezvousMatch<L> {
    /// The rendezvous is open.
    pub open: Signal<In, Bit>,
    /// The rendezvous is of form Elect, not WarpSync.
    pub elect: Signal<In, Bit>,
    /// Member mask of the rendezvous.
    pub members: Signal<In, Bits<L>>,
    /// Member mask of the operation.
    pub op_members: Signal<In, Bits<L>>,
    /// The operation is of form Elect, not WarpSync.
    pub op_is_elect: Signal<In, Bit>,
    /// The rendezvous is open and has the member mask of the operation.
    pub same_members: Signal<Out, Bit>,
    /// The rendezvous is open, shares members with the operation, and has another mask or form.
    pub clash: Signal<Out, Bit>,
    /// The rendezvous has the member mask of the operation.
    equal_members: Signal<Local, Bit>,
    /// Members in common with the operation.
    shared_members: Signal<Local, Bits<L>>,
}

#[block]
impl Logic for RendezvousMatch {
    fn update(&mut self) {
        self.equal_members.next = self.members.val() == self.op_members.val();
        self.shared_members.next = self.members.val() & self.op_members.val();
        self.same_members.next = self.open.val() & self.equal_members.val();
        self.clash.next = self.open.val()
            & self.shared_members.val().any()
            & (!self.equal_members.val() | (self.elect.val() ^ self.op_is_elect.val()));
    }
}
