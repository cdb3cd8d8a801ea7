// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Routes the operations of one multiprocessor: an operation waits in a register until its target multiprocessor takes it. An operation
//! whose target CTA is absent is dropped at once, and reported.
//!
//! *Reads:* the channel `from`; for each multiprocessor whether it has the target CTA, and the CTA slot of the target CTA. *Writes:* in the
//! same cycle the cluster slot and rank of the target CTA, and whether no multiprocessor has that CTA; a channel to each multiprocessor.
//! *Latency:* 1. Implements *Network* of `docs/contract/multiprocessors.md`.

use crate::prelude::*;
use crate::unit::mbarrier::ports::{NetIn, NetOut};

/// Sizes: `M` multiprocessors, CTA slot numbers of `LC` bits, cluster slot numbers of `KC` bits, shared memory word numbers of `XW` bits.
#[block]
pub struct Route<LC, XW, KC, M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The number of the sending multiprocessor, shifted to its position in `source`: above the bits of the CTA slot.
    pub sm_bits: Signal<In, Bits<8>>,
    /// Operations of the multiprocessor.
    pub from: Sink<NetOut<LC, XW, KC>>,
    /// Cluster slot of the target CTA.
    pub cluster: Signal<Out, Bits<KC>>,
    /// Rank of the target CTA.
    pub rank: Signal<Out, Bits<4>>,
    /// Multiprocessors that have the target CTA.
    pub target_found: Signal<In, Bits<M>>,
    /// CTA slot of the target CTA, as looked up on each multiprocessor.
    pub target_cta: [Signal<In, Bits<LC>>; M],
    /// The operation for each multiprocessor.
    pub to: [Source<NetIn<LC, XW>>; M],
    /// No multiprocessor has the target CTA. The payload is the CTA slot of the sender.
    pub no_target: StrobeOut<RetiredCta<LC>>,
    /// An operation waits.
    #[reset]
    full: DFF<Bit>,
    /// One-hot: target multiprocessor of the operation that waits.
    target: DFF<Bits<M>>,
    /// The operation that waits.
    message_q: DFF<NetIn<LC, XW>>,
    /// One-hot: target multiprocessor of the operation on `from`.
    chosen_target: Signal<Local, Bits<M>>,
    /// CTA slot of the target CTA of the operation on `from`.
    target_slot: Signal<Local, Bits<LC>>,
    /// An operation is transferred at `from`.
    op_taken: Signal<Local, Bit>,
    /// The target multiprocessor takes the operation that waits.
    target_ready: Signal<Local, Bit>,
    no_sm: Constant<Bits<M>>,
}

#[block]
impl Logic for Route {
    fn update(&mut self) {
        self.cluster.next = self.from.payload.val().cluster;
        self.rank.next = self.from.payload.val().rank;
        self.chosen_target.next = 0.into();
        self.target_slot.next = 0.into();
        for i in 0..M {
            if self.target_found.val().get_bit(i) {
                self.chosen_target.next = self.no_sm.val().replace_bit(i, true);
                self.target_slot.next = self.target_cta[i].val();
            }
        }
        self.op_taken.next = self.from.valid.val() & !self.full.q.val();
        self.from.ready.next = !self.full.q.val();
        self.no_target.valid.next = self.op_taken.val() & !self.target_found.val().any();
        self.no_target.payload.next.cta = self.from.payload.val().cta;

        self.target_ready.next = false;
        for k in 0..M {
            self.to[k].valid.next = self.full.q.val() & self.target.q.val().get_bit(k);
            self.to[k].payload.next = self.message_q.q.val();
            if self.target.q.val().get_bit(k) {
                self.target_ready.next = self.to[k].ready.val();
            }
        }
        if self.full.q.val() {
            self.full.d.next = !self.target_ready.val();
        } else {
            self.full.d.next = self.op_taken.val() & self.target_found.val().any();
            self.target.d.next = self.chosen_target.val();
            self.message_q.d.next.cta = self.target_slot.val();
            self.message_q.d.next.object = self.from.payload.val().object;
            self.message_q.d.next.kind = self.from.payload.val().kind;
            self.message_q.d.next.count = self.from.payload.val().count;
            self.message_q.d.next.bytes = self.from.payload.val().bytes;
            self.message_q.d.next.source = self.sm_bits.val() | bit_cast::<8, LC>(self.from.payload.val().cta);
        }
    }
}
