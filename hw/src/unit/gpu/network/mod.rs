// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The network between the mbarriers of several multiprocessors: routes each operation to its target CTA, and acknowledges it.
//! This block only connects its parts.
//!
//! *Reads:* CTA launches and the messages to the hub of clusters; operations and replies of all multiprocessors. *Writes:*
//! operations and acknowledgements to all multiprocessors. *Latency:* 1 from an operation to its target multiprocessor, 2 from a reply to
//! the acknowledgement. Implements *Network* of `docs/contract/multiprocessors.md`.

pub mod acks;
pub mod cta_lookup;
pub mod due_acks;
pub mod route;

use crate::prelude::*;
use crate::unit::cluster::ports::ClusterMessage;
use crate::unit::mbarrier::ports::{NetAck, NetIn, NetOut, NetReply};

/// Sizes: `M` multiprocessors, `W` warps, `S` CTA slots with numbers of `LC` bits, cluster slot numbers of `KC` bits, grid slot numbers of
/// `KG` bits, shared memory word numbers of `XW` bits.
#[block]
pub struct Network<W, LC, S, XW, KC, KG, M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A CTA is launched, on each multiprocessor.
    pub launched: [StrobeIn<NewCta<W, LC, KC, KG>>; M],
    /// Messages of each multiprocessor to the hub of clusters.
    pub cluster_messages: [StrobeIn<ClusterMessage<KC>>; M],
    /// Operations of each multiprocessor.
    pub from: [Sink<NetOut<LC, XW, KC>>; M],
    /// Operations for each multiprocessor.
    pub to: [Source<NetIn<LC, XW>>; M],
    /// Replies of each multiprocessor.
    pub replies: [StrobeIn<NetReply>; M],
    /// Acknowledgements for each multiprocessor.
    pub acks: [StrobeOut<NetAck<LC>>; M],
    /// The CTAs on each multiprocessor.
    cta_lookups: [cta_lookup::CtaLookup<W, LC, S, KC, KG, M>; M],
    /// The operation that was received from each multiprocessor.
    routes: [route::Route<LC, XW, KC, M>; M],
    /// For each multiprocessor: the arbiter for the operations to it.
    merges: [Merge<NetIn<LC, XW>, M>; M],
    /// Acknowledgements due to the CTAs of each multiprocessor.
    ack_counters: [acks::Acks<LC, S, M>; M],
    /// The number of each multiprocessor, shifted to its position in `source`: above the bits of the CTA slot.
    #[init(std::array::from_fn(|sm| {
        assert!(M << LC <= 1 << 8);
        Constant::new(((sm as u64) << LC).into())
    }))]
    sm_bits: [Constant<Bits<8>>; M],
    /// For each multiprocessor: multiprocessors that have the target CTA of its operation.
    target_found: [Signal<Local, Bits<M>>; M],
}

#[block]
impl Logic for Network {
    fn update(&mut self) {
        for t in 0..M {
            Strobe::join(&mut self.launched[t], &mut self.cta_lookups[t].launched);
            Strobe::join(&mut self.cluster_messages[t], &mut self.cta_lookups[t].cluster_message);
            for i in 0..M {
                self.cta_lookups[t].cluster[i].next = self.routes[i].cluster.val();
                self.cta_lookups[t].rank[i].next = self.routes[i].rank.val();
            }
        }
        for m in 0..M {
            Channel::join(&mut self.from[m], &mut self.routes[m].from);
            self.routes[m].sm_bits.next = self.sm_bits[m].val();
            self.ack_counters[m].sm_bits.next = self.sm_bits[m].val();
            self.target_found[m].next = 0.into();
            for k in 0..M {
                self.target_found[m].next =
                    self.target_found[m].val().replace_bit(k, self.cta_lookups[k].target_found.val().get_bit(m));
                self.routes[m].target_cta[k].next = self.cta_lookups[k].target_cta[m].val();
                Channel::join(&mut self.routes[m].to[k], &mut self.merges[k].in_[m]);
                Strobe::join(&mut self.replies[k], &mut self.ack_counters[m].replies[k]);
            }
            self.routes[m].target_found.next = self.target_found[m].val();
            Strobe::join(&mut self.routes[m].no_target, &mut self.ack_counters[m].no_target);
            Channel::join(&mut self.merges[m].out, &mut self.to[m]);
            Strobe::join(&mut self.ack_counters[m].ack, &mut self.acks[m]);
        }
    }
}
