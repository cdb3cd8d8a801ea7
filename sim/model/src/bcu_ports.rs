// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of `bcu` (`docs/contract/bcu.md`).

use super::cluster_ports::{cluster_slot, ClusterOut, HubMessage};
use super::cta_table::CtaTableOut;
use super::decode::Instruction;
use super::gateway_ports::Notification;
use super::gather::Lanes;
use super::grid::{grid_slot, GridHubMessage, GridOut};
use super::mbarrier_ports::{MbarrierOut, Outside};
use super::mem_order_ports::Memory;
use super::op::FaultPolicy;
use super::outcome::{Fault, Read, Release};
use super::requests::Requests;
use super::wire::{Fields, PortAction, Walk};

/// Input ports of `bcu`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BcuIn {
    pub reset: bool,
    pub requests: Requests,
    pub instr: Option<Instruction>,
    pub memory: Memory,
    pub outside: Outside,
    /// The messages from the hubs (`*_in`), and the `ready` of the channels to the hubs (`*_out_ready`).
    pub cluster_in: Option<HubMessage>,
    pub cluster_out_ready: bool,
    pub grid_in: Option<GridHubMessage>,
    pub grid_out_ready: bool,
    /// If set, an election makes the highest lane the leader, otherwise the lowest.
    pub leader_policy: bool,
    pub fault_policy: FaultPolicy,
    pub fault_ready: bool,
}

/// Output ports of `bcu`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BcuOut {
    /// The outputs of `cta_table`: the `ready` of its channels, its strobes and `live` are ports; the other fields stay inside.
    pub cta_table: CtaTableOut,
    pub instr_ready: bool,
    pub copies_full: u64,
    pub epoch: u64,
    pub release_valid: bool,
    pub release: Release,
    pub gateway_release_valid: bool,
    pub gateway_release: Notification,
    pub lanes_valid: bool,
    pub lanes: Lanes,
    pub writeback_valid: bool,
    pub writeback: Writeback,
    /// The outputs of `mbarrier`: some fields are ports; the others stay inside.
    pub mbarrier: MbarrierOut,
    /// The outputs of `cluster` and `grid`: some fields are ports; the others stay inside.
    pub cluster: ClusterOut,
    pub grid: GridOut,
    pub blocked: u64,
    pub busy: u64,
    pub gathering: u64,
    pub waits_for_memory: u64,
    pub trapped: u64,
    pub fault_valid: bool,
    pub fault: Fault,
    pub lost_faults: u16,
}

/// The destination of the result of a Read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// Number of the register; 255: none.
    pub rd: u8,
    /// Number of the predicate; 7: none.
    pub pu: u8,
}

/// The payload of the writeback strobe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Writeback {
    pub read: Read,
    pub destination: Destination,
}

impl Writeback {
    fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        self.read.fields(at);
        at.field("rd", &mut self.destination.rd, 8);
        at.field("pu", &mut self.destination.pu, 3);
    }
}

impl BcuIn {
    /// Visits all ports except the reset. `linked`: the unit is part of `gpu`, so its links to the hubs and the network are not
    /// ports.
    pub fn ports(&mut self, o: &mut BcuOut, linked: bool, at: &mut Walk<impl PortAction>) {
        let warps = at.sizes().warps();
        self.requests.ports(&mut o.cta_table.ready, at);
        o.cta_table.strobes(at);
        at.channel_in("instr", &mut self.instr, &mut o.instr_ready, Instruction::fields);
        self.memory.ports(at);
        let has_mbarrier = at.sizes().has_mbarrier();
        if has_mbarrier {
            self.outside.sources(&mut o.mbarrier, linked, at);
            self.outside.memory(&mut o.mbarrier, at);
        }
        if at.sizes().has_clusters() && !linked {
            o.cluster.link(&mut self.cluster_in, &mut self.cluster_out_ready, at);
        }
        if at.sizes().has_grids() && !linked {
            o.grid.link(&mut self.grid_in, &mut self.grid_out_ready, at);
        }
        at.output("copies_full", &mut o.copies_full, at.sizes().cta_slots());
        at.output("epoch", &mut o.epoch, warps);
        at.input("leader_policy", &mut self.leader_policy, 1);
        at.choice("fault_policy", &mut self.fault_policy);
        let has_gateway = at.sizes().has_gateway();
        if has_gateway {
            at.strobe_out("gateway_release", &mut o.gateway_release_valid, &mut o.gateway_release, Notification::fields);
        } else {
            at.strobe_out("release", &mut o.release_valid, &mut o.release, Release::fields);
        }
        at.strobe_out("lanes", &mut o.lanes_valid, &mut o.lanes, Lanes::fields);
        if !has_gateway {
            at.strobe_out("writeback", &mut o.writeback_valid, &mut o.writeback, Writeback::fields);
        }
        if has_mbarrier {
            o.mbarrier.results(at);
        }
        if at.sizes().has_clusters() {
            at.strobe_out("cluster_release", &mut o.cluster.release_valid, &mut o.cluster.release, |warps, at| at.warps(warps));
            at.strobe_out("cluster_closed", &mut o.cluster.closed_valid, &mut o.cluster.closed, cluster_slot);
        }
        if at.sizes().has_grids() {
            at.strobe_out("grid_release", &mut o.grid.release_valid, &mut o.grid.release, |warps, at| at.warps(warps));
            at.strobe_out("grid_opened", &mut o.grid.opened_valid, &mut o.grid.opened_grid, grid_slot);
        }
        at.output("blocked", &mut o.blocked, warps);
        at.output("busy", &mut o.busy, warps);
        at.output("gathering", &mut o.gathering, warps);
        at.output("waits_for_memory", &mut o.waits_for_memory, warps);
        at.output("live", &mut o.cta_table.live, warps);
        at.output("trapped", &mut o.trapped, warps);
        at.channel_out("fault", &mut o.fault_valid, &mut self.fault_ready, &mut o.fault, Fault::fields);
        if !has_gateway {
            at.output("lost_faults", &mut o.lost_faults, 16);
        }
    }
}
