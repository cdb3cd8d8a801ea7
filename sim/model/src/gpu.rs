// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of several multiprocessors, with the hubs, the network and the links between them (`docs/contract/multiprocessors.md`).

use super::bcu::{Bcu, BcuIn, BcuOut};
use super::cluster_hub::{ClusterHub, ClusterHubIn};
use super::cluster_ports::{ClusterMessage, HubMessage};
use super::grid::{GridHubMessage, GridMessage};
use super::grid_hub::{GridHub, GridHubIn, GridHubOut};
use super::in_place::clone_in_place;
use super::link::{ChannelWay, StrobeWay};
use super::mbarrier_ports::{NetAck, NetIn, NetOut, NetReply, Outside};
use super::network::{Network, Side};
use super::sizes::Sizes;
use super::sleeper::Sleeper;
use super::wire::{Clocked, PortAction, Walk};

/// Input ports of `gpu`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuIn {
    pub reset: bool,
    /// The inputs of every multiprocessor.
    pub sms: Vec<BcuIn>,
    /// The inputs from the host and from memory.
    pub host: GridHubIn,
}

/// Output ports of `gpu`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GpuOut {
    /// The outputs of every multiprocessor.
    pub sms: Vec<BcuOut>,
    /// The outputs to the host and to memory.
    pub host: GridHubOut,
}

clone_in_place! {
    /// The links between a multiprocessor and the hubs and the network. *Up* is from the multiprocessor to the hub.
    #[derive(Debug, PartialEq)]
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

clone_in_place! {
    /// The parts of `gpu` outside of the multiprocessors.
    #[derive(Debug, PartialEq)]
    struct Interconnect {
        links: Vec<Link>,
        cluster_hub: ClusterHub,
        grid_hub: GridHub,
        network: Network,
        /// For each multiprocessor, its signals at the network in the last cycle.
        sides: Vec<Side>,
        /// The inputs of the hubs in the last cycle.
        to_clusters: ClusterHubIn,
        to_grids: GridHubIn,
    }
}

/// The state of `gpu`.
#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    sizes: Sizes,
    sms: Vec<Sleeper>,
    interconnect: Interconnect,
    /// The state of `interconnect` before the last examined cycle; kept so that no examination allocates memory.
    before: Interconnect,
    /// The inputs of the last cycle.
    inputs: GpuIn,
    /// The number of cycles before this one with these inputs, in which all multiprocessors were idle.
    unchanged: u32,
    /// The last cycle has changed nothing in `interconnect`.
    is_interconnect_idle: bool,
}

/// Access to the parts of `gpu`, for observers of the events inside it at the last edge.
impl Gpu {
    /// The multiprocessor with this number. A number above the highest multiprocessor gives the highest one.
    pub fn sm(&self, number: usize) -> &Bcu {
        self.sms[number.min(self.sms.len().saturating_sub(1))].bcu()
    }

    pub fn network(&self) -> &Network {
        &self.interconnect.network
    }

    /// For each multiprocessor, its signals at the network in the last cycle; empty before the first cycle.
    pub fn sides(&self) -> &[Side] {
        &self.interconnect.sides
    }
}

/// Cycles in which nothing happens.
impl Gpu {
    /// Whether the multiprocessor with this number sleeps.
    pub fn is_asleep(&self, number: usize) -> bool {
        self.sms.get(number).is_some_and(|sm| sm.idle_cycles() > 0)
    }

    /// The number of cycles that are idle while the inputs are those of the last cycle.
    pub fn idle_cycles(&self) -> u64 {
        let cycles = self.sms.iter().map(Sleeper::idle_cycles).min().unwrap_or(0);
        if self.is_interconnect_idle {
            cycles
        } else {
            0
        }
    }

    /// Advances by `cycles` idle cycles, at most [`Gpu::idle_cycles`].
    pub fn sleep(&mut self, cycles: u64) {
        self.sms.iter_mut().for_each(|sm| sm.sleep(cycles));
    }
}

impl Clocked for Gpu {
    type Inputs = GpuIn;
    type Outputs = GpuOut;

    fn new(sizes: Sizes) -> Gpu {
        let interconnect = Interconnect {
            links: vec![Link::new(sizes.link_stages()); sizes.sms()],
            cluster_hub: ClusterHub::new(sizes),
            grid_hub: GridHub::new(sizes),
            network: Network::new(sizes),
            sides: vec![],
            to_clusters: ClusterHubIn::default(),
            to_grids: GridHubIn::default(),
        };
        Gpu {
            sizes,
            sms: vec![Sleeper::new(sizes); sizes.sms()],
            before: interconnect.clone(),
            interconnect,
            inputs: GpuIn::default(),
            unchanged: 0,
            is_interconnect_idle: false,
        }
    }

    fn ports(i: &mut GpuIn, o: &mut GpuOut, at: &mut Walk<impl PortAction>) {
        at.input("reset", &mut i.reset, 1);
        i.sms.resize(at.sizes().sms(), BcuIn::default());
        o.sms.resize(at.sizes().sms(), BcuOut::default());
        for (sm, (inputs, outputs)) in i.sms.iter_mut().zip(&mut o.sms).enumerate() {
            at.under("sm", sm, |at| inputs.ports(outputs, true, at));
        }
        i.host.host(&mut o.host, at);
    }

    fn outputs(&self) -> GpuOut {
        let mut outputs = GpuOut::default();
        self.write_outputs(&mut outputs);
        outputs
    }

    fn write_outputs(&self, outputs: &mut GpuOut) {
        outputs.sms.clear();
        outputs.sms.extend(self.sms.iter().map(Sleeper::outputs));
        outputs.host = self.interconnect.grid_hub.outputs();
    }

    fn continue_sleep(&mut self) -> bool {
        let sleeps = self.idle_cycles() > 0;
        self.sleep(u64::from(sleeps));
        sleeps
    }

    fn clock(&mut self, inputs: &GpuIn) {
        let is_unchanged = *inputs == self.inputs;
        if is_unchanged && self.idle_cycles() > 0 {
            self.sleep(1);
            return;
        }
        self.inputs.sms.clone_from(&inputs.sms);
        self.inputs = GpuIn { reset: inputs.reset, sms: std::mem::take(&mut self.inputs.sms), host: inputs.host.clone() };
        let are_idle = is_unchanged && self.sms.iter().all(|sm| sm.idle_cycles() > 0);
        self.unchanged = if are_idle { self.unchanged.saturating_add(1) } else { 0 };
        let is_examined = self.unchanged.is_power_of_two();
        if is_examined {
            self.before.clone_from(&self.interconnect);
        }
        self.clock_parts(inputs);
        self.is_interconnect_idle = is_examined && self.before == self.interconnect;
    }
}

impl Gpu {
    /// Clocks all parts.
    fn clock_parts(&mut self, inputs: &GpuIn) {
        let reset = inputs.reset;
        let interconnect = &mut self.interconnect;
        let host = interconnect.grid_hub.outputs();
        let (to_clusters, to_grids) = (&mut interconnect.to_clusters, &mut interconnect.to_grids);
        (to_clusters.reset, to_grids.reset) = (reset, reset);
        (to_grids.open, to_grids.close) = (inputs.host.open, inputs.host.close);
        (to_grids.flush_ready, to_grids.flushed) = (inputs.host.flush_ready, inputs.host.flushed);
        to_clusters.from.clear();
        to_grids.from.clear();
        interconnect.sides.clear();
        for (sm, link) in interconnect.links.iter_mut().enumerate() {
            // The values that enter the links: from the multiprocessor, from the hubs (`to_multiprocessors`, `host`), and from the
            // network. `link.X.end(value)` is the value that leaves link X in this cycle if `value` enters it; the two are equal only if
            // the link has no stages.
            let BcuOut { cluster, grid, mbarrier, cta_table, .. } = self.sms[sm].outputs();
            let cluster_message = cluster.cluster_out_valid.then_some(cluster.cluster_out);
            let of_grid = grid.grid_out_valid.then_some(grid.grid_out);
            let of_clusters = Some(interconnect.cluster_hub.to(sm)).filter(|(valid, _)| *valid).map(|(_, message)| message);
            let of_grids = host.to_valid.then_some(host.to);
            let requests = mbarrier.net_out_valid.then_some(mbarrier.net_out);
            let replies = mbarrier.net_reply_valid.then_some(mbarrier.net_reply);
            let (delivers, ack) = (interconnect.network.offered(sm), interconnect.network.ack(sm));
            let (takes, delivered) = (interconnect.network.ready(sm), mbarrier.net_in_ready);
            to_clusters.from.push(link.cluster_up.end(cluster_message));
            to_grids.from.push(link.grid_up.end(of_grid));
            interconnect.sides.push(Side {
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
        interconnect.cluster_hub.clock(to_clusters);
        interconnect.grid_hub.clock(to_grids);
        interconnect.network.clock(&interconnect.sides);
        // The links and the network have no reset input, so a reset replaces them by empty ones.
        if reset {
            interconnect.links = vec![Link::new(self.sizes.link_stages()); self.sizes.sms()];
            interconnect.network = Network::new(self.sizes);
        }
    }
}
