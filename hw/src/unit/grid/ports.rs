// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the channels and strobes of `grid` and `grid_hub`, and their kinds: the port tables of `docs/contract/grids.md`.

use crate::payload::payload;
use crate::port_value::PortValue;
use crate::unit::channels::InGrid;
use crate::unit::op::{port_enum, FaultCode};
use rust_hdl::prelude::*;

port_enum! {
    /// Kind of an operation on a grid.
    pub enum GridKind {
        /// launch_dependents: this CTA no longer holds back the grids that depend on its grid.
        LaunchDependents,
        /// The warp waits until the prerequisites of its grid have completed.
        Wait,
    }
}

port_enum! {
    /// Kind of a message of a multiprocessor to the hub about a CTA of a grid.
    pub enum GridMessageKind {
        /// The CTA has issued launch_dependents, or has ended without it.
        LaunchedDependents,
        /// The CTA has ended.
        Ended,
    }
}

port_enum! {
    /// Kind of a message of the hub to the multiprocessors about a grid.
    pub enum GridHubKind {
        /// The grid is open: its CTAs may be launched on the multiprocessor while its bit in `may_launch` is 1.
        Opened,
        /// The prerequisites of the grid have completed.
        Ready,
    }
}

/// A CTA is launched in its slot.
#[payload]
pub struct GridLaunch<LC, KG> {
    /// CTA slot.
    pub cta: Bits<LC>,
    pub in_grid: InGrid<KG>,
}

/// An operation on the grid of a warp: the warp executes it.
#[payload]
pub struct GridOp<LW, LC> {
    /// Kind of operation.
    pub kind: GridKind,
    /// Fault found upstream; None = carry the operation out.
    pub fault: FaultCode,
    /// Warp.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// A message to the hub of grids: it reports an event of a CTA.
#[payload]
pub struct GridMessage<KG> {
    /// Event of the CTA.
    pub kind: GridMessageKind,
    /// Slot of the CTA's grid.
    pub grid: Bits<KG>,
}

/// A message of the hub of grids, the same to all multiprocessors.
#[payload]
pub struct GridHubMessage<KG> {
    /// Event of the grid.
    pub kind: GridHubKind,
    /// Grid slot.
    pub grid: Bits<KG>,
}

/// A grid.
#[payload]
pub struct NamedGrid<KG> {
    /// Grid slot.
    pub grid: Bits<KG>,
}

/// The host opens a grid.
#[payload]
pub struct GridOpen<KG, G> {
    /// Grid slot.
    pub grid: Bits<KG>,
    /// Number of CTAs of the grid, at least 1.
    pub ctas: Bits<32>,
    /// Grids that the grid depends on.
    pub prerequisites: Bits<G>,
    /// 1 = CTAs of the grid may be launched once all CTAs of its prerequisites have sent LaunchedDependents.
    pub early: Bit,
}

/// A request of the host has taken effect, or was refused.
#[payload]
pub struct GridAnswer<KG> {
    /// Grid slot.
    pub grid: Bits<KG>,
    /// 1 = refused.
    pub refused: Bit,
}
