// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of the oracle of `bcu`.

use super::lanes::{Lanes, Shown};
use crate::oracle::pins::{pins, Pin};
use bcu_isa::config::{warp_bits, Config};
use bcu_isa::ports::Port;
use std::collections::{BTreeMap, VecDeque};

pins! { Ports:
    launch_valid launch_ready launch_cta launch_warps launch_exited launch_lanes launch_cluster launch_rank launch_size launch_has_grid launch_grid
    retire_valid retire_ready retire_cta retire_saved exit_valid exit_ready exit_warp exit_lanes launched_valid launched_cta launched_warps live
    instr_valid instr_ready instr_word_0 instr_word_1 instr_word_2 instr_word_3 instr_warp instr_form instr_members instr_active instr_guard
    instr_predicate instr_ra instr_rb epoch release_valid release_cta release_id release_warps release_reduction release_value
    lanes_valid lanes_warp lanes_mask lanes_leaders lanes_retry writeback_valid writeback_warp writeback_value writeback_predicate writeback_rd writeback_pu
    blocked fault_valid fault_ready fault_code fault_cta fault_id
}

pins! { ClusterPorts:
    cluster_release_valid cluster_release_warps cluster_out_valid cluster_out_ready cluster_out_kind cluster_out_cluster cluster_out_rank
    cluster_in_valid cluster_in_kind cluster_in_cluster
}

pins! { GridPorts:
    grid_release_valid grid_release_warps grid_out_valid grid_out_ready grid_out_kind grid_out_grid grid_in_valid grid_in_kind grid_in_grid
}

pins! { TokenPorts:
    token_valid token_warp token_refused token_rd token_pu wake_valid wake_warps mem_request_valid mem_request_ready mem_response_valid
}

/// An arrival of a warp at a named barrier whose generation is not released yet.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    pub warp: usize,
    pub waits: bool,
    pub count: u64,
    pub reduction: u64,
    pub contribution: u64,
    pub arrival_cycle: u64,
    /// The number of accesses before the arrival that are not performed, by epoch.
    pub owed: [u64; 2],
}

/// The arrivals at a named barrier, in the order of their instructions.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub arrivals: Vec<Arrived>,
    /// Number of cycles for which the oldest generation has been complete (all its arrivals have come and the accesses before them are
    /// performed) and was not released.
    pub idle: u64,
}

/// A barrier for which the fault `barrier_left_open` is due.
#[derive(Clone, Copy, Debug)]
pub struct OpenBarrier {
    pub slot: u64,
    pub id: u64,
    /// Number of cycles for which the fault has been due while no fault was offered.
    pub idle: u64,
}

pub type Rows = BTreeMap<(u64, u64), Row>;

/// A grid on this multiprocessor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid {
    pub is_ready: bool,
    /// Number of the grid's CTAs that have issued launch_dependents or ended.
    pub begun: u64,
    /// Number of the grid's CTAs that have ended.
    pub ended: u64,
    /// Numbers of messages to the hub: of LaunchedDependents, and of Ended.
    pub sent_counts: [u64; 2],
}

pub type Grids = BTreeMap<u64, Grid>;

/// Number of cycles between two checks for late events.
pub const SAMPLE: u64 = 16;

/// The event that a warp waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Named,
    Cluster { phase: u64 },
    Grid,
    Token,
}

/// The destination of the result of an operation on an mbarrier: the register `rd` of an arrive, or
/// the predicate `pu` of a test or try.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub rd: Option<u64>,
    pub pu: u64,
    pub is_try: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Warp {
    pub slot: u64,
    pub lanes: Lanes,
    /// The event that the warp waits for, and the cycle in which its wait started.
    pub wait: Option<(Wait, u64)>,
    /// The value of `Reduction` and the result of the warp's last reduction.
    pub result: [u64; 2],
    /// Destination registers of the warp's reads in flight.
    pub reads: VecDeque<[u64; 2]>,
    /// Expected results of the warp's operations on mbarriers, in order.
    pub tokens: VecDeque<Token>,
    /// Expected outputs on `lanes` for the warp, in order.
    pub shown: VecDeque<Shown>,
    /// Numbers of accesses that are not performed, by epoch. `accesses`: all of the warp. `fence`: those for which the warp's fence waits.
    /// `cluster_owed`: those before the warp's last arrival at its cluster barrier.
    pub accesses: [u64; 2],
    pub fence: [u64; 2],
    pub cluster_owed: [u64; 2],
    pub cluster_arrivals: u64,
    /// Number of cycles for which the warp has been `blocked` although it waits for nothing.
    pub idle: u64,
    /// Number of cycles for which the warp has still waited after the event that it waits for.
    pub over: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Cta {
    pub warps: u64,
    pub live: u64,
    pub cluster: u64,
    pub rank: u64,
    pub size: u64,
    pub has_grid: bool,
    pub grid: u64,
    pub has_asked: bool,
    /// Number of completed phases of the CTA's cluster.
    pub completes: u64,
    /// Number of Arrived messages that the CTA has sent.
    pub sent_arrivals: u64,
    pub is_present: bool,
    pub is_gone: bool,
}

pub struct Bcu {
    pub ports: Ports,
    pub cluster: Option<ClusterPorts>,
    pub grid: Option<GridPorts>,
    pub mbarrier: Option<TokenPorts>,
    pub issues: Vec<[Pin; 2]>,
    pub performs: Vec<[Pin; 3]>,
    pub lanes: u64,
    pub pack_lsb: u32,
    pub all_lanes: u64,
    pub bound: u64,
    pub warps: Vec<Warp>,
    pub ctas: BTreeMap<u64, Cta>,
    pub rows: Rows,
    pub grids: Grids,
    /// The barriers that were open when their CTA retired, and whose fault `barrier_left_open` has not been taken.
    pub open: Vec<OpenBarrier>,
    /// Number of requests of `mbarrier` to memory that have no response yet.
    pub requests: u64,
    /// For the hub of clusters, then for the hub of grids: whether a message to it was offered in the previous cycle and not transferred.
    pub is_offered: [bool; 2],
    pub cycle: u64,
    pub operations: u64,
}

impl Bcu {
    /// # Errors
    /// If a port is missing, or the configuration is not covered.
    pub fn new(ports: &[Port], config: &Config) -> Result<Bcu, String> {
        if !config.faults || !config.reductions || !config.has_named() || config.lose_faults {
            return Err(
                "the oracle of `bcu` covers configurations with named barriers, reductions and faults, without `lose_faults`"
                    .to_string(),
            );
        }
        let pin = |name: String| Pin::new(ports, &name);
        let issue = |n: usize| Ok([pin(format!("issue_{n}_valid"))?, pin(format!("issue_{n}_warp"))?]);
        let perform = |n: usize| {
            Ok([pin(format!("perform_{n}_valid"))?, pin(format!("perform_{n}_warp"))?, pin(format!("perform_{n}_epoch"))?])
        };
        let strobes = 0..config.accesses_per_cycle;
        Ok(Bcu {
            ports: Ports::new(ports)?,
            cluster: if config.has_clusters() { Some(ClusterPorts::new(ports)?) } else { None },
            grid: if config.has_grids() { Some(GridPorts::new(ports)?) } else { None },
            mbarrier: if config.has_mbarrier() { Some(TokenPorts::new(ports)?) } else { None },
            issues: strobes.clone().map(issue).collect::<Result<_, String>>()?,
            performs: strobes.map(perform).collect::<Result<_, String>>()?,
            lanes: config.lanes as u64,
            pack_lsb: config.pack_lsb as u32,
            all_lanes: u64::MAX >> (64 - config.lanes.clamp(1, 64)),
            bound: 16 * (8 << warp_bits(config.warps)) + 1000,
            warps: vec![Warp::default(); config.warps],
            ctas: BTreeMap::new(),
            rows: Rows::new(),
            grids: Grids::new(),
            open: vec![],
            requests: 0,
            is_offered: [false; 2],
            cycle: 0,
            operations: 0,
        })
    }
}
