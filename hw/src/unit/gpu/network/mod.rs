// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The network between the mbarriers of several multiprocessors: operations find the CTA that they are for, and are acknowledged. Wiring.
//!
//! *Reads:* CTAs that come and go; operations and replies of all multiprocessors. *Writes:* operations and acknowledgements to all of them. *Latency:* 1
//! from an operation to the multiprocessor it is for, 2 from a reply to the acknowledgement. Implements *Network* of `docs/multiprocessors.md`.

pub mod acks;
pub mod places;
pub mod route;

use crate::prelude::*;
use crate::unit::cluster::ports::ClusterMessage;
use crate::unit::mbarrier::ports::{NetAck, NetIn, NetOut, NetReply};

/// `M` multiprocessors with `S` CTA slots.
#[block]
pub struct Network<W, LC, S, XW, KC, KG, M> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub launched: [StrobeIn<NewCta<W, LC, KC, KG>>; M],
    pub tells: [StrobeIn<ClusterMessage<KC>>; M],
    pub from: [Sink<NetOut<LC, XW, KC>>; M],
    pub to: [Source<NetIn<LC, XW>>; M],
    pub replies: [StrobeIn<NetReply>; M],
    pub acks: [StrobeOut<NetAck<LC>>; M],
    places: [places::Places<W, LC, S, KC, KG, M>; M],
    #[init(std::array::from_fn(route::Route::of))]
    routes: [route::Route<LC, XW, KC, M>; M],
    turns: [Merge<NetIn<LC, XW>, M>; M],
    #[init(std::array::from_fn(acks::Acks::of))]
    owed: [acks::Acks<LC, S, M>; M],
    found: Signal<Local, Bits<M>>,
}

#[block]
impl Logic for Network<W, LC, S, XW, KC, KG, M> {
    fn update(&mut self) {
        for t in 0..M {
            Strobe::join(&mut self.launched[t], &mut self.places[t].launched);
            Strobe::join(&mut self.tells[t], &mut self.places[t].tells);
            for i in 0..M {
                self.places[t].cluster[i].next = self.routes[i].cluster.val();
                self.places[t].rank[i].next = self.routes[i].rank.val();
            }
        }
        for m in 0..M {
            Channel::join(&mut self.from[m], &mut self.routes[m].from);
            self.found.next = 0.into();
            for k in 0..M {
                self.found.next = self.found.val().replace_bit(k, self.places[k].found.val().get_bit(m));
                self.routes[m].cta[k].next = self.places[k].cta[m].val();
                Channel::join(&mut self.routes[m].to[k], &mut self.turns[k].in_[m]);
                Strobe::join(&mut self.replies[k], &mut self.owed[m].replies[k]);
            }
            self.routes[m].found.next = self.found.val();
            Strobe::join(&mut self.routes[m].nobody, &mut self.owed[m].nobody);
            Channel::join(&mut self.turns[m].out, &mut self.to[m]);
            Strobe::join(&mut self.owed[m].ack, &mut self.acks[m]);
        }
    }
}
