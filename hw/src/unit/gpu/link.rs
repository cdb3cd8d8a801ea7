// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The links of one multiprocessor, to and from the hubs and the network. Wiring only.
//!
//! *Reads:* the messages of the multiprocessor, the hubs and the network. *Writes:* the same messages at the other end of each link.
//! *Latency:* the number of link stages, each way. Implements *Links* of `docs/contract/multiprocessors.md`.

use crate::prelude::*;
use crate::unit::cluster::ports::{ClusterMessage, HubMessage};
use crate::unit::grid::ports::{GridHubMessage, GridMessage};
use crate::unit::mbarrier::ports::{NetAck, NetIn, NetOut, NetReply};

/// Sizes: CTA slot numbers of `LC` bits, cluster slot numbers of `KC` bits, grid slot numbers of `KG` bits, shared memory word numbers of
/// `XW` bits.
#[block]
pub struct Link<LC, XW, KC, KG> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// From the multiprocessor, for the hub of clusters.
    pub cluster_out: Sink<ClusterMessage<KC>>,
    /// For the multiprocessor, from the hub of clusters.
    pub cluster_in: StrobeOut<HubMessage<KC>>,
    /// From the multiprocessor, for the hub of grids.
    pub grid_out: Sink<GridMessage<KG>>,
    /// For the multiprocessor, from the hub of grids.
    pub grid_in: StrobeOut<GridHubMessage<KG>>,
    /// From the multiprocessor, for the network: operations on mbarriers of other multiprocessors.
    pub net_out: Sink<NetOut<LC, XW, KC>>,
    /// For the multiprocessor, from the network: acknowledgements of the operations on `net_out`.
    pub net_ack: StrobeOut<NetAck<LC>>,
    /// For the multiprocessor, from the network: operations on its mbarriers.
    pub net_in: Source<NetIn<LC, XW>>,
    /// From the multiprocessor, for the network: replies to the operations on `net_in`.
    pub net_reply: StrobeIn<NetReply>,
    /// The hub's end of the link of `cluster_out`.
    pub to_cluster_hub: StrobeOut<ClusterMessage<KC>>,
    /// The hub's end of the link of `cluster_in`.
    pub from_cluster_hub: StrobeIn<HubMessage<KC>>,
    /// The hub's end of the link of `grid_out`.
    pub to_grid_hub: StrobeOut<GridMessage<KG>>,
    /// The hub's end of the link of `grid_in`.
    pub from_grid_hub: StrobeIn<GridHubMessage<KG>>,
    /// The network's end of the link of `net_out`.
    pub net_out_far: Source<NetOut<LC, XW, KC>>,
    /// The network's end of the link of `net_ack`.
    pub net_ack_far: StrobeIn<NetAck<LC>>,
    /// The network's end of the link of `net_in`.
    pub net_in_far: Sink<NetIn<LC, XW>>,
    /// The network's end of the link of `net_reply`.
    pub net_reply_far: StrobeOut<NetReply>,
    /// Link of `cluster_out`.
    #[init(StrobeWay::of(config.link_stages))]
    cluster_out_way: StrobeWay<ClusterMessage<KC>>,
    /// Link of `cluster_in`.
    #[init(StrobeWay::of(config.link_stages))]
    cluster_in_way: StrobeWay<HubMessage<KC>>,
    /// Link of `grid_out`.
    #[init(StrobeWay::of(config.link_stages))]
    grid_out_way: StrobeWay<GridMessage<KG>>,
    /// Link of `grid_in`.
    #[init(StrobeWay::of(config.link_stages))]
    grid_in_way: StrobeWay<GridHubMessage<KG>>,
    /// Link of `net_out`.
    #[init(ChannelWay::of(config.link_stages))]
    net_out_way: ChannelWay<NetOut<LC, XW, KC>>,
    /// Link of `net_ack`.
    #[init(StrobeWay::of(config.link_stages))]
    net_ack_way: StrobeWay<NetAck<LC>>,
    /// Link of `net_in`.
    #[init(ChannelWay::of(config.link_stages))]
    net_in_way: ChannelWay<NetIn<LC, XW>>,
    /// Link of `net_reply`.
    #[init(StrobeWay::of(config.link_stages))]
    net_reply_way: StrobeWay<NetReply>,
}

#[block]
impl Logic for Link {
    fn update(&mut self) {
        // The hubs are always ready.
        self.cluster_out_way.in_.valid.next = self.cluster_out.valid.val();
        self.cluster_out_way.in_.payload.next = self.cluster_out.payload.val();
        self.cluster_out.ready.next = true;
        self.grid_out_way.in_.valid.next = self.grid_out.valid.val();
        self.grid_out_way.in_.payload.next = self.grid_out.payload.val();
        self.grid_out.ready.next = true;
        Strobe::join(&mut self.cluster_out_way.out, &mut self.to_cluster_hub);
        Strobe::join(&mut self.grid_out_way.out, &mut self.to_grid_hub);
        Strobe::join(&mut self.from_cluster_hub, &mut self.cluster_in_way.in_);
        Strobe::join(&mut self.cluster_in_way.out, &mut self.cluster_in);
        Strobe::join(&mut self.from_grid_hub, &mut self.grid_in_way.in_);
        Strobe::join(&mut self.grid_in_way.out, &mut self.grid_in);

        Channel::join(&mut self.net_out, &mut self.net_out_way.in_);
        Channel::join(&mut self.net_out_way.out, &mut self.net_out_far);
        Strobe::join(&mut self.net_ack_far, &mut self.net_ack_way.in_);
        Strobe::join(&mut self.net_ack_way.out, &mut self.net_ack);
        Channel::join(&mut self.net_in_far, &mut self.net_in_way.in_);
        Channel::join(&mut self.net_in_way.out, &mut self.net_in);
        Strobe::join(&mut self.net_reply, &mut self.net_reply_way.in_);
        Strobe::join(&mut self.net_reply_way.out, &mut self.net_reply_far);
    }
}
