// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The enumerations of ports, and the macros of their values.

use crate::unit::cluster::ports::{ClusterKind, ClusterMessageKind, HubKind};
use crate::unit::gateway::ports::GatewayKind;
use crate::unit::grid::ports::{GridHubKind, GridKind, GridMessageKind};
use crate::unit::mbarrier::kind::MbarrierKind;
use crate::unit::op::{FaultCode, FaultPolicy, Form, OpKind, RedOp, Reduction, StateWord};
use std::fmt::Debug;

/// An enumeration of ports: the prefix of its macros, a title, and the names of the values as in the port tables.
type Enumeration = (&'static str, &'static str, Vec<String>);

/// The enumerations, in the order in which they are printed.
pub fn enumerations() -> [Enumeration; 15] {
    fn names<T: Debug>(all: &[T]) -> Vec<String> {
        all.iter().map(|value| format!("{value:?}")).collect()
    }
    [
        ("OP", "Kinds of operations: `op_kind`.", names(OpKind::ALL)),
        ("RED", "Kind of reduction: `op_redop`.", names(RedOp::ALL)),
        ("REDUCTION", "The reduction of a generation: `release_reduction`.", names(Reduction::ALL)),
        ("STATE", "State words: `op_state`.", names(StateWord::ALL)),
        ("FORM", "How lanes take part: `instr_form`, `op_form`.", names(Form::ALL)),
        ("POLICY", "Policy for a warp whose operation is refused: `fault_policy`.", names(FaultPolicy::ALL)),
        ("FAULT", "Faults: `fault_code`, `op_fault`.", names(FaultCode::ALL)),
        ("MBARRIER", "Operations on mbarriers: `op_mbarrier`, `net_in_kind`.", names(MbarrierKind::ALL)),
        ("CLUSTER", "Kinds of operations of `cluster`.", names(ClusterKind::ALL)),
        ("CLUSTER_MESSAGE", "Messages of CTAs to the hub of clusters: `cluster_out_kind`.", names(ClusterMessageKind::ALL)),
        ("CLUSTER_HUB", "Messages of the hub of clusters: `cluster_in_kind`.", names(HubKind::ALL)),
        ("GRID", "Kinds of operations of `grid`.", names(GridKind::ALL)),
        ("GRID_MESSAGE", "Messages of CTAs to the hub of grids: `grid_out_kind`.", names(GridMessageKind::ALL)),
        ("GRID_HUB", "Messages of the hub of grids: `grid_in_kind`.", names(GridHubKind::ALL)),
        ("GATEWAY", "Kinds of operations of `gateway`.", names(GatewayKind::ALL)),
    ]
}

/// The beginning of the macros for the values of a port.
pub fn beginning(values: &[String]) -> Option<&'static str> {
    enumerations().into_iter().find(|(_, _, all)| *all == values).map(|(beginning, ..)| beginning)
}
