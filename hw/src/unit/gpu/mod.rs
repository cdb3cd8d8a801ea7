// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Several multiprocessors with the hubs of clusters and of grids, the network of mbarriers, and the links between them.
//! Wiring only.
//!
//! *Reads:* the inputs of every multiprocessor except its links, and the requests of the host about grids. *Writes:* the outputs of every
//! multiprocessor except its links, and the answers to the host. *Latency:* the latency of the parts, and of the link stages. Implements
//! `docs/contract/multiprocessors.md`.

pub mod link;
pub mod network;
pub mod ports;

use super::cluster_hub::ClusterHub;
use super::grid::ports::{GridAnswer, GridOpen, NamedGrid};
use super::grid_hub::GridHub;
use super::top::Bcu;
use crate::prelude::*;

/// `M` multiprocessors; sizes as in [`Bcu`], [`ClusterHub`] and [`GridHub`].
#[block(unit = "gpu")]
pub struct Gpu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, LP, LD, PW, OB, P, XW, XI, XT, XL, XQ, KC, KN, KG, G, M> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub sm: [ports::SmPorts<W, LW, LC, S, L, P, XW, XL, KC, KG>; M],
    /// A grid to open
    #[group("host")]
    pub open: Sink<GridOpen<KG, G>>,
    /// An open of the host has taken effect, or was refused.
    #[group("host")]
    pub opened: StrobeOut<GridAnswer<KG>>,
    /// A grid to close
    #[group("host")]
    pub close: Sink<NamedGrid<KG>>,
    /// A close of the host has taken effect, or was refused.
    #[group("host")]
    pub closed: StrobeOut<GridAnswer<KG>>,
    /// A grid to flush
    #[group("memory")]
    pub flush: Source<NamedGrid<KG>>,
    /// A grid is flushed.
    #[group("memory")]
    pub flushed: StrobeIn<NamedGrid<KG>>,
    /// Grids whose CTAs may be launched.
    #[group("grids")]
    pub may_launch: Signal<Out, Bits<G>>,
    /// Grids that are open: opened by the host, and not all their CTAs have ended.
    pub open_grids: Signal<Out, Bits<G>>,
    /// Grids that are flushed: the host may close them.
    pub flushed_grids: Signal<Out, Bits<G>>,
    #[init((0..M).map(|_| Bcu::new(config)).collect())]
    bcu: Vec<Bcu<W, LW, CW, LC, S, LI, RA, IW, AW, VW, L, LP, LD, PW, OB, P, XW, XI, XT, XL, XQ, KC, KG, G>>,
    #[init((0..M).map(|_| link::Link::new(config)).collect())]
    links: Vec<link::Link<LC, XW, KC, KG>>,
    cluster_hub: ClusterHub<KC, KN, M>,
    grid_hub: GridHub<KG, G, M>,
    network: network::Network<W, LC, S, XW, KC, KG, M>,
}

#[block]
impl Logic for Gpu {
    fn update(&mut self) {
        Channel::join(&mut self.open, &mut self.grid_hub.open);
        Strobe::join(&mut self.grid_hub.opened, &mut self.opened);
        Channel::join(&mut self.close, &mut self.grid_hub.close);
        Strobe::join(&mut self.grid_hub.closed, &mut self.closed);
        Channel::join(&mut self.grid_hub.flush, &mut self.flush);
        Strobe::join(&mut self.flushed, &mut self.grid_hub.flushed);
        self.may_launch.next = self.grid_hub.may_launch.val();
        self.open_grids.next = self.grid_hub.open_grids.val();
        self.flushed_grids.next = self.grid_hub.flushed_grids.val();

        for m in 0..M {
            Channel::join(&mut self.bcu[m].cluster_out, &mut self.links[m].cluster_out);
            Strobe::join(&mut self.links[m].cluster_in, &mut self.bcu[m].cluster_in);
            Channel::join(&mut self.bcu[m].grid_out, &mut self.links[m].grid_out);
            Strobe::join(&mut self.links[m].grid_in, &mut self.bcu[m].grid_in);
            Channel::join(&mut self.bcu[m].net_out, &mut self.links[m].net_out);
            Strobe::join(&mut self.links[m].net_ack, &mut self.bcu[m].net_ack);
            Channel::join(&mut self.links[m].net_in, &mut self.bcu[m].net_in);
            Strobe::join(&mut self.bcu[m].net_reply, &mut self.links[m].net_reply);

            Strobe::join(&mut self.links[m].to_cluster_hub, &mut self.cluster_hub.from[m]);
            Strobe::join(&mut self.cluster_hub.to[m], &mut self.links[m].from_cluster_hub);
            Strobe::join(&mut self.links[m].to_grid_hub, &mut self.grid_hub.from[m]);
            Strobe::join(&mut self.grid_hub.to[m], &mut self.links[m].from_grid_hub);
            self.network.launched[m].valid.next = self.bcu[m].launched.valid.val();
            self.network.launched[m].payload.next = self.bcu[m].launched.payload.val();
            self.network.cluster_messages[m].valid.next = self.bcu[m].cluster_out.valid.val();
            self.network.cluster_messages[m].payload.next = self.bcu[m].cluster_out.payload.val();
            Channel::join(&mut self.links[m].net_out_far, &mut self.network.from[m]);
            Channel::join(&mut self.network.to[m], &mut self.links[m].net_in_far);
            Strobe::join(&mut self.links[m].net_reply_far, &mut self.network.replies[m]);
            Strobe::join(&mut self.network.acks[m], &mut self.links[m].net_ack_far);
        }
        for n in 0..M {
            Channel::join(&mut self.sm[n].launch, &mut self.bcu[n].launch);
            Channel::join(&mut self.sm[n].retire, &mut self.bcu[n].retire);
            Channel::join(&mut self.sm[n].exit, &mut self.bcu[n].exit);
            Strobe::join(&mut self.bcu[n].launched, &mut self.sm[n].launched);
            Strobe::join(&mut self.bcu[n].retired, &mut self.sm[n].retired);
            Channel::join(&mut self.sm[n].instr, &mut self.bcu[n].instr);
            for k in 0..P {
                Strobe::join(&mut self.sm[n].issue[k], &mut self.bcu[n].issue[k]);
                Strobe::join(&mut self.sm[n].perform[k], &mut self.bcu[n].perform[k]);
            }
            Strobe::join(&mut self.sm[n].copy_issue, &mut self.bcu[n].copy_issue);
            Strobe::join(&mut self.sm[n].copy_perform, &mut self.bcu[n].copy_perform);
            Channel::join(&mut self.sm[n].tx, &mut self.bcu[n].tx);
            Strobe::join(&mut self.bcu[n].tx_done, &mut self.sm[n].tx_done);
            self.bcu[n].wait_limit.next = self.sm[n].wait_limit.val();
            Channel::join(&mut self.bcu[n].mem_request, &mut self.sm[n].mem_request);
            Strobe::join(&mut self.sm[n].mem_response, &mut self.bcu[n].mem_response);
            self.sm[n].copies_full.next = self.bcu[n].copies_full.val();
            self.sm[n].epoch.next = self.bcu[n].epoch.val();
            self.bcu[n].leader_policy.next = self.sm[n].leader_policy.val();
            self.bcu[n].fault_policy.next = self.sm[n].fault_policy.val();
            Strobe::join(&mut self.bcu[n].release, &mut self.sm[n].release);
            Strobe::join(&mut self.bcu[n].lanes, &mut self.sm[n].lanes);
            Strobe::join(&mut self.bcu[n].writeback, &mut self.sm[n].writeback);
            Strobe::join(&mut self.bcu[n].token, &mut self.sm[n].token);
            Strobe::join(&mut self.bcu[n].wake, &mut self.sm[n].wake);
            Strobe::join(&mut self.bcu[n].cluster_release, &mut self.sm[n].cluster_release);
            Strobe::join(&mut self.bcu[n].cluster_closed, &mut self.sm[n].cluster_closed);
            Strobe::join(&mut self.bcu[n].grid_release, &mut self.sm[n].grid_release);
            Strobe::join(&mut self.bcu[n].grid_opened, &mut self.sm[n].grid_opened);
            self.sm[n].blocked.next = self.bcu[n].blocked.val();
            self.sm[n].busy.next = self.bcu[n].busy.val();
            self.sm[n].gathering.next = self.bcu[n].gathering.val();
            self.sm[n].waits_for_memory.next = self.bcu[n].waits_for_memory.val();
            self.sm[n].live.next = self.bcu[n].live.val();
            self.sm[n].trapped.next = self.bcu[n].trapped.val();
            Channel::join(&mut self.bcu[n].fault, &mut self.sm[n].fault);
            self.sm[n].lost_faults.next = self.bcu[n].lost_faults.val();
        }
    }
}
