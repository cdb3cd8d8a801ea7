// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cycle model of the whole unit (`docs/contract/bcu.md`). Operations come from `cta_table` and `decode`, pass through `gather` and
//! `mem_order`, and take effect in `named` or `gateway`, in `mbarrier`, in `cluster` or in `grid`. `warp_status` and `deadlock_detector`
//! are beside this stream.

mod idle;

pub use super::bcu_ports::{BcuIn, BcuOut};
use super::bcu_ports::{Destination, Writeback};
use super::cluster::Cluster;
use super::cluster_ports::ClusterIn;
use super::cta_table::{CtaTable, CtaTableIn, NewCta};
use super::deadlock_detector::{DeadlockDetector, DeadlockDetectorIn};
use super::decode::{Decode, DecodeIn};
use super::ended::{Freed, Live, Outstanding};
use super::gateway::Gateway;
use super::gateway_ports::GatewayIn;
use super::gather_ports::{Gather, GatherIn};
use super::grid::{Grid, GridIn, GridLaunch};
use super::in_place::clone_in_place;
use super::mbarrier::Mbarrier;
use super::mbarrier_ports::{Leave, MbarrierIn};
use super::mbarrier_request::LaneNumbers;
use super::mem_order_ports::{MemOrder, MemOrderIn};
use super::merge::Merge;
use super::named::{Named, NamedIn};
use super::op::{Code, Kind};
use super::sizes::Sizes;
use super::stream::{Wires, CLUSTER, DEADLOCK, GRID, MBARRIER, NAMED};
use super::warp_status::{WarpStatus, WarpStatusIn};
use super::wire::{Clocked, PortAction, Walk};

clone_in_place! {
    /// The state of `bcu`: the state of its units, and the destinations of the Reads in flight in `named`.
    #[derive(Debug, PartialEq)]
    pub struct Bcu {
        sizes: Sizes,
        cta_table: CtaTable,
        decode: Decode,
        gather: Gather,
        mem_order: MemOrder,
        named: Named,
        /// Takes the place of `named`; `None` if `named` is built.
        gateway: Option<Gateway>,
        lane_numbers: LaneNumbers,
        mbarrier: Option<Mbarrier>,
        cluster: Option<Cluster>,
        grid: Option<Grid>,
        /// The warps that `cluster` and `grid` treat as live.
        live: Live,
        /// The CTA slots that are leaving.
        freed: Freed,
        warp_status: WarpStatus,
        deadlock_detector: DeadlockDetector,
        faults: Merge,
        /// A Release without fault is in flight between `cta_table` and `named`.
        releasing: bool,
        /// A Launch is in flight between `cta_table` and `named`.
        launching: bool,
        /// The destinations of the operations that `named` accepted one cycle ago and two cycles ago.
        destinations_in_flight: [Destination; 2],
        /// The destination of the last result.
        result_destination: Destination,
        /// The outputs of the units in this cycle. They are derived from the rest of the state, and kept because both the ports and the next
        /// edge need them.
        wires: Wires,
    }
}

/// Access to the units of `bcu`, for observers of the events inside `bcu` at the last edge.
impl Bcu {
    pub fn cta_table(&self) -> &CtaTable {
        &self.cta_table
    }

    pub fn decode(&self) -> &Decode {
        &self.decode
    }

    pub fn gather(&self) -> &Gather {
        &self.gather
    }

    pub fn named(&self) -> &Named {
        &self.named
    }

    /// The state of `gateway`; `None` if the unit is not built.
    pub fn gateway(&self) -> Option<&Gateway> {
        self.gateway.as_ref()
    }

    /// The state of `mbarrier`; `None` if the unit is not built.
    pub fn mbarrier(&self) -> Option<&Mbarrier> {
        self.mbarrier.as_ref()
    }

    /// The state of `cluster`; `None` if the unit is not built.
    pub fn cluster(&self) -> Option<&Cluster> {
        self.cluster.as_ref()
    }

    /// The warps that wait in `cluster` or `grid`, one bit per warp.
    pub fn waiting_at_cluster_or_grid(&self) -> u64 {
        let cluster = self.cluster.as_ref().map_or(0, |cluster| cluster.waits);
        cluster | self.grid.as_ref().map_or(0, |grid| grid.outputs().waiting)
    }

    /// The operations that took effect in `cluster` and `grid` at the last edge: each with its warp slot and its refusal code.
    pub fn done_at_cluster_or_grid(&self) -> impl Iterator<Item = (u8, Code)> {
        let cluster = self.cluster.as_ref().and_then(Cluster::done);
        cluster.into_iter().chain(self.grid.as_ref().and_then(Grid::done))
    }

    pub fn warp_status(&self) -> &WarpStatus {
        &self.warp_status
    }

    pub fn deadlock_detector(&self) -> &DeadlockDetector {
        &self.deadlock_detector
    }
}

impl Bcu {
    /// Samples the outputs of the units after an edge. The outputs of a unit that is not built stay 0.
    fn sample(&mut self) {
        let wires = &mut self.wires;
        wires.cta_table = self.cta_table.outputs();
        wires.decode = self.decode.outputs();
        wires.gather = self.gather.outputs();
        wires.mem_order = self.mem_order.outputs();
        match &self.gateway {
            Some(gateway) => wires.gateway = gateway.outputs(),
            None => wires.named = self.named.outputs(),
        }
        if let Some(mbarrier) = &self.mbarrier {
            wires.mbarrier = mbarrier.outputs();
        }
        wires.lanes_ready = self.lane_numbers.ready(wires.mbarrier.op_ready);
        if let Some(cluster) = &self.cluster {
            wires.cluster = cluster.outputs();
        }
        if let Some(grid) = &self.grid {
            wires.grid = grid.outputs();
        }
        wires.warp_status = self.warp_status.outputs();
        wires.deadlock_detector = self.deadlock_detector.outputs();
    }
}

fn is_release(kind: Kind, fault: Code) -> bool {
    kind == Kind::Release && fault == Code::None
}

impl Clocked for Bcu {
    type Inputs = BcuIn;
    type Outputs = BcuOut;

    fn new(sizes: Sizes) -> Bcu {
        let mut bcu = Bcu {
            sizes,
            cta_table: CtaTable::new(sizes),
            decode: Decode::new(sizes),
            gather: Gather::new(sizes),
            mem_order: MemOrder::new(sizes),
            named: Named::new(sizes),
            gateway: sizes.has_gateway().then(|| Gateway::new(sizes)),
            lane_numbers: LaneNumbers::default(),
            mbarrier: sizes.has_mbarrier().then(|| Mbarrier::new(sizes)),
            cluster: sizes.has_clusters().then(|| Cluster::new(sizes)),
            grid: sizes.has_grids().then(|| Grid::new(sizes)),
            live: Live::default(),
            freed: Freed::default(),
            warp_status: WarpStatus::new(sizes),
            deadlock_detector: DeadlockDetector::new(sizes),
            faults: Merge::default(),
            releasing: false,
            launching: false,
            destinations_in_flight: Default::default(),
            result_destination: Destination::default(),
            wires: Wires::default(),
        };
        bcu.sample();
        bcu
    }

    fn ports(i: &mut BcuIn, o: &mut BcuOut, at: &mut Walk<impl PortAction>) {
        at.input("reset", &mut i.reset, 1);
        i.ports(o, false, at);
    }

    fn outputs(&self) -> BcuOut {
        let wires = &self.wires;
        let (blocked, busy) = (wires.blocked(), wires.busy());
        let faulty = wires.faulty();
        let fault = wires.fault(self.faults.choose(faulty), &self.sizes);
        let Wires { cta_table, gather, mem_order, named, gateway, mbarrier, cluster, grid, warp_status, .. } = *wires;
        BcuOut {
            cta_table,
            instr_ready: gather.takes(mem_order.in_ready) && !cta_table.op_valid,
            copies_full: mem_order.copies_full,
            epoch: mem_order.epoch,
            release_valid: named.release_valid,
            release: named.release,
            gateway_release_valid: gateway.release_valid,
            gateway_release: gateway.release,
            lanes_valid: gather.lanes_valid,
            lanes: gather.lanes,
            writeback_valid: named.read_valid,
            writeback: Writeback { read: named.read, destination: self.result_destination },
            mbarrier,
            cluster,
            grid,
            blocked,
            busy,
            gathering: gather.gathering,
            waits_for_memory: mem_order.parked,
            trapped: warp_status.trapped,
            fault_valid: faulty != 0,
            fault,
            lost_faults: named.lost_faults,
        }
    }

    fn clock(&mut self, inputs: &BcuIn) {
        let wires = &self.wires;
        let Wires { cta_table, decode, gather, mem_order, named, mbarrier, warp_status, .. } = wires;
        let faulty = wires.faulty();
        let &BcuIn { reset, requests, instr, memory, outside, leader_policy, fault_policy, fault_ready, .. } = inputs;
        let chosen = self.faults.choose(faulty);
        let takes_of = |unit| fault_ready && chosen == unit;
        // Without `mbarrier` there are no objects to remove, so a CTA slot is empty as soon as its CTA leaves.
        let leaves = wires.departs().map(|op| op.cta);
        let empties = match self.mbarrier {
            Some(_) => mbarrier.retired_valid.then_some(mbarrier.retired),
            None => leaves,
        };
        // With `cluster` or `grid`, a CTA slot is freed only when these units, too, hold no state of its CTA.
        let has_peers = self.cluster.is_some() || self.grid.is_some();
        let flushed = if has_peers { self.freed.shown } else { empties };
        let outstanding = Outstanding { accesses: mem_order.outstanding, copies: mem_order.copying, remote: mbarrier.remote };
        let ended = self.live.ended(self.sizes.cta_slots(), &cta_table.warp_cta, outstanding);
        let launched = cta_table.launched_valid.then_some(cta_table.launched);
        self.cta_table.clock(&CtaTableIn {
            reset,
            requests,
            blocked: wires.halted() | mem_order.held,
            in_decode: decode.in_decode,
            clearing: named.clearing || wires.gateway.clearing || self.releasing,
            launching: self.launching,
            warp_exited: gather.warp_exited_valid.then_some(gather.warp_exited_warp),
            in_flight: wires.in_flight(),
            copying: mem_order.copying,
            open: wires.gateway.open,
            flushed,
            op_ready: gather.takes(mem_order.in_ready),
        });
        self.decode.clock(&DecodeIn {
            reset,
            instr,
            live: cta_table.live,
            blocked: wires.refusing(),
            full: wires.busy(),
            op_done: gather.op_absorbed | wires.op_done(),
            warp_cta: cta_table.warp_cta,
            op_ready: gather.takes(mem_order.in_ready) && !cta_table.op_valid,
        });
        self.gather.clock(&GatherIn {
            reset,
            offered: (cta_table.op_valid || decode.op_valid).then(|| wires.for_gather()),
            leader_policy,
            op_ready: mem_order.in_ready,
            op_done: wires.op_done(),
        });
        self.mem_order.clock(&MemOrderIn {
            reset,
            offered: gather.op_valid.then_some(gather.op),
            memory,
            op_ready: wires.mem_order_ready(),
            commit: wires.commit(),
        });
        match &mut self.gateway {
            Some(unit) => unit.clock(&GatewayIn { reset, op: wires.for_gateway(), fault_ready: takes_of(NAMED) }),
            None => {
                let (op, trapped) = (wires.for_named(), warp_status.trapped);
                self.named.clock(&NamedIn { reset, op, trapped, fault_ready: takes_of(NAMED) });
            }
        }
        if let Some(unit) = &mut self.mbarrier {
            unit.clock(&MbarrierIn {
                reset,
                op: self.lane_numbers.offered(),
                outside,
                launch: launched.map(|new| new.placement),
                retire: wires.departs().map(|op| Leave { cta: op.cta, saved: op.saved, warps: op.mask }),
                fault_ready: takes_of(MBARRIER),
            });
        }
        if let Some(unit) = &mut self.cluster {
            unit.clock(&ClusterIn {
                reset,
                launch: launched.map(|new| new.placement),
                live: self.live.warps,
                warp_cta: cta_table.warp_cta,
                ended,
                op: wires.for_cluster(),
                cluster_in: inputs.cluster_in,
                cluster_out_ready: inputs.cluster_out_ready,
                fault_ready: takes_of(CLUSTER),
            });
        }
        if let Some(unit) = &mut self.grid {
            unit.clock(&GridIn {
                reset,
                launch: launched.map(|NewCta { placement, has_grid, grid, .. }| GridLaunch {
                    cta: placement.cta,
                    has_grid,
                    grid,
                }),
                live: self.live.warps,
                ended,
                op: wires.for_grid(),
                grid_in: inputs.grid_in,
                grid_out_ready: inputs.grid_out_ready,
                fault_ready: takes_of(GRID),
            });
        }
        let of_cluster = self.cluster.as_ref().map_or(u64::MAX, |_| wires.cluster.freed);
        let of_grid = self.grid.as_ref().map_or(u64::MAX, |_| wires.grid.freed);
        self.freed.clock(leaves, empties, of_cluster & of_grid);
        self.live.clock(launched.map_or(0, |new| new.warps), wires.exits(), wires.departs().map_or(0, |op| op.mask));
        self.lane_numbers.clock(wires.for_mbarrier(&self.sizes), mbarrier.op_ready);
        self.warp_status.clock(&WarpStatusIn { reset, fault_policy, commit: wires.stopping(), refused: wires.refused() });
        self.deadlock_detector.clock(&DeadlockDetectorIn {
            reset,
            seen: cta_table.seen_valid.then_some(cta_table.seen),
            stalled: wires.stalled() | gather.gathering,
            entered: wires.entered(),
            taken: wires.named_transfer(),
            implicit_conflict: named.implicit_conflict_valid.then_some(named.implicit_conflict_cta),
            dead_ready: takes_of(DEADLOCK),
        });
        self.faults.clock(faulty, fault_ready);
        // A Read without a fault that `named` accepted two cycles ago has its result now.
        if self.named.outputs().read_valid {
            self.result_destination = self.destinations_in_flight[1];
        }
        self.destinations_in_flight =
            [Destination { rd: mem_order.op.rd, pu: mem_order.op.pu }, self.destinations_in_flight[0]];
        let releases = wires.named_transfer().is_some_and(|transfer| is_release(transfer.kind, transfer.fault));
        self.releasing = wires.departs().is_some() || self.releasing && !releases;
        let launches = wires.named_transfer().is_some_and(|transfer| transfer.kind == Kind::Launch);
        self.launching = wires.begins() || self.launching && !launches;
        if reset {
            (self.destinations_in_flight, self.result_destination, self.releasing, self.launching) = Default::default();
            (self.lane_numbers, self.faults, self.live, self.freed) = Default::default();
        }
        self.sample();
    }
}
