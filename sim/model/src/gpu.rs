// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of several multiprocessors, with the hubs, the network and the links between them (`docs/contract/multiprocessors.md`).

use super::bcu::{Bcu, BcuIn, BcuOut};
use super::cluster_hub::{ClusterHub, ClusterHubIn};
use super::cluster_ports::{ClusterMessage, HubMessage};
use super::grid::{GridHubMessage, GridMessage};
use super::grid_hub::{GridHub, GridHubIn, GridHubOut};
use super::link::{ChannelWay, StrobeWay};
use super::mbarrier_ports::{NetAck, NetIn, NetOut, NetReply, Outside};
use super::network::{Network, Side};
use super::sizes::Sizes;
use super::wire::{Clocked, Walk};

/// Input ports of `gpu`.
#[derive(Clone, Debug, Default)]
pub struct GpuIn {
    pub reset: bool,
    /// The inputs of every multiprocessor.
    pub sms: Vec<BcuIn>,
    /// The inputs from the host and from memory.
    pub host: GridHubIn,
}

/// Output ports of `gpu`.
#[derive(Clone, Debug, Default)]
pub struct GpuOut {
    /// The outputs of every multiprocessor.
    pub sms: Vec<BcuOut>,
    /// The outputs to the host and to memory.
    pub host: GridHubOut,
}

/// The links between a multiprocessor and the hubs and the network. *Up* is from the multiprocessor to the hub.
#[derive(Clone, Debug)]
struct Link {
    cluster_up: StrobeWay<ClusterMessage>,
    cluster_down: StrobeWay<HubMessage>,
    grid_up: StrobeWay<GridMessage>,
    grid_down: StrobeWay<GridHubMessage>,
    /// Operations from the multiprocessor to the network.
    requests: ChannelWay<NetOut>,
    /// Acknowledgements of `requests`, from the network.
    acks: StrobeWay<NetAck>,
    /// Operations from the network to the multiprocessor.
    delivers: ChannelWay<NetIn>,
    /// Replies to `delivers`, from the multiprocessor.
    replies: StrobeWay<NetReply>,
}

impl Link {
    fn new(stages: usize) -> Link {
        Link {
            cluster_up: StrobeWay::new(stages),
            cluster_down: StrobeWay::new(stages),
            grid_up: StrobeWay::new(stages),
            grid_down: StrobeWay::new(stages),
            requests: ChannelWay::new(stages),
            acks: StrobeWay::new(stages),
            delivers: ChannelWay::new(stages),
            replies: StrobeWay::new(stages),
        }
    }
}

/// The state of `gpu`.
#[derive(Clone, Debug)]
pub struct Gpu {
    sizes: Sizes,
    sms: Vec<Bcu>,
    links: Vec<Link>,
    cluster_hub: ClusterHub,
    grid_hub: GridHub,
    network: Network,
    /// For each multiprocessor, its signals at the network in the last cycle.
    sides: Vec<Side>,
}

/// Access to the parts of `gpu`, for observers of the events inside it at the last edge.
impl Gpu {
    /// The multiprocessor with this number. A number above the highest multiprocessor gives the highest one.
    pub fn sm(&self, number: usize) -> &Bcu {
        &self.sms[number.min(self.sms.len().saturating_sub(1))]
    }

    pub fn network(&self) -> &Network {
        &self.network
    }

    /// For each multiprocessor, its signals at the network in the last cycle; empty before the first cycle.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }
}

impl Clocked for Gpu {
    type Inputs = GpuIn;
    type Outputs = GpuOut;

    fn new(sizes: Sizes) -> Gpu {
        Gpu {
            sizes,
            sms: vec![Bcu::new(sizes); sizes.sms()],
            links: vec![Link::new(sizes.link_stages()); sizes.sms()],
            cluster_hub: ClusterHub::new(sizes),
            grid_hub: GridHub::new(sizes),
            network: Network::new(sizes),
            sides: vec![],
        }
    }

    fn ports(i: &mut GpuIn, o: &mut GpuOut, at: &mut Walk) {
        at.input("reset", &mut i.reset, 1);
        i.sms.resize(at.sizes().sms(), BcuIn::default());
        o.sms.resize(at.sizes().sms(), BcuOut::default());
        for (sm, (inputs, outputs)) in i.sms.iter_mut().zip(&mut o.sms).enumerate() {
            at.under("sm", sm, |at| inputs.ports(outputs, true, at));
        }
        i.host.host(&mut o.host, at);
    }

    fn outputs(&self) -> GpuOut {
        GpuOut { sms: self.sms.iter().map(Bcu::outputs).collect(), host: self.grid_hub.outputs() }
    }

    fn clock(&mut self, inputs: &GpuIn) {
        let reset = inputs.reset;
        let host = self.grid_hub.outputs();
        let to_multiprocessors = self.cluster_hub.outputs().to;
        let mut to_clusters = ClusterHubIn { reset, from: vec![] };
        let mut to_grids = GridHubIn { reset, from: vec![], ..inputs.host.clone() };
        let mut sides = vec![];
        for (sm, link) in self.links.iter_mut().enumerate() {
            // The values that enter the links: from the multiprocessor, from the hubs (`to_multiprocessors`, `host`), and from the
            // network. `link.X.end(value)` is the value that leaves link X in this cycle if `value` enters it; the two are equal only if
            // the link has no stages.
            let BcuOut { cluster, grid, mbarrier, cta_table, .. } = self.sms[sm].outputs();
            let cluster_message = cluster.cluster_out_valid.then_some(cluster.cluster_out);
            let of_grid = grid.grid_out_valid.then_some(grid.grid_out);
            let of_clusters = Some(to_multiprocessors[sm]).filter(|(valid, _)| *valid).map(|(_, message)| message);
            let of_grids = host.to_valid.then_some(host.to);
            let requests = mbarrier.net_out_valid.then_some(mbarrier.net_out);
            let replies = mbarrier.net_reply_valid.then_some(mbarrier.net_reply);
            let (delivers, ack) = (self.network.offered(sm), self.network.ack(sm));
            let (takes, delivered) = (self.network.ready(sm), mbarrier.net_in_ready);
            to_clusters.from.push(link.cluster_up.end(cluster_message));
            to_grids.from.push(link.grid_up.end(of_grid));
            sides.push(Side {
                launched: cta_table.launched_valid.then_some(cta_table.launched.placement),
                cluster_message,
                from: link.requests.end(requests),
                reply: link.replies.end(replies),
                takes: link.delivers.ready(delivered),
            });
            // The hubs accept a message in every cycle, so the `ready` of the messages to them is constant.
            let sm_inputs = inputs.sms[sm];
            self.sms[sm].clock(&BcuIn {
                reset,
                cluster_in: link.cluster_down.end(of_clusters),
                cluster_out_ready: true,
                grid_in: link.grid_down.end(of_grids),
                grid_out_ready: true,
                outside: Outside {
                    net_out_ready: link.requests.ready(takes),
                    net_ack: link.acks.end(ack),
                    net_in: link.delivers.end(delivers),
                    ..sm_inputs.outside
                },
                ..sm_inputs
            });
            // At the edge, the values move on by one stage.
            link.cluster_up.clock(cluster_message);
            link.cluster_down.clock(of_clusters);
            link.grid_up.clock(of_grid);
            link.grid_down.clock(of_grids);
            link.requests.clock(requests, takes);
            link.acks.clock(ack);
            link.delivers.clock(delivers, delivered);
            link.replies.clock(replies);
        }
        self.cluster_hub.clock(&to_clusters);
        self.grid_hub.clock(&to_grids);
        self.network.clock(&sides);
        self.sides = sides;
        // The links and the network have no reset input, so a reset replaces them by empty ones.
        if reset {
            self.links = vec![Link::new(self.sizes.link_stages()); self.sizes.sms()];
            self.network = Network::new(self.sizes);
        }
    }
}
