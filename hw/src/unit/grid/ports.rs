// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of the channels and strobes of `grid` and `grid_hub`, and their kinds: the port tables of `docs/contract/grids.md`.
//!
//! Sizes: warp numbers of `LW` bits, CTA slot numbers of `LC` bits, `G` grid slots with numbers of `KG` bits.

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

/// A CTA is launched in its CTA slot. The strobe `launch` of `grid`.
#[payload]
pub struct GridLaunch<LC, KG> {
    /// CTA slot.
    pub cta: Bits<LC>,
    /// Whether the CTA belongs to a grid, and the grid slot of that grid.
    pub in_grid: InGrid<KG>,
}

/// An operation that a warp executes on its grid. The channel `op` of `grid`.
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

/// A message to the hub of grids: it reports an event of a CTA. The channel `grid_out` of `grid`, the strobes `from` of `grid_hub`.
#[payload]
pub struct GridMessage<KG> {
    /// Event of the CTA.
    pub kind: GridMessageKind,
    /// Grid slot of the grid of the CTA.
    pub grid: Bits<KG>,
}

/// A message of the hub of grids, equal for all multiprocessors. The strobe `grid_in` of `grid`, the strobes `to` of `grid_hub`.
#[payload]
pub struct GridHubMessage<KG> {
    /// Event of the grid.
    pub kind: GridHubKind,
    /// Grid slot.
    pub grid: Bits<KG>,
}

/// A grid. The payload names the grid by its grid slot. The channels `close` and `flush` and the strobe `flushed` of `grid_hub`, the
/// strobe `opened` of `grid`.
#[payload]
pub struct NamedGrid<KG> {
    /// Grid slot.
    pub grid: Bits<KG>,
}

/// The host opens a grid. The channel `open` of `grid_hub`.
#[payload]
pub struct GridOpen<KG, G> {
    /// Grid slot.
    pub grid: Bits<KG>,
    /// Number of CTAs of the grid, at least 1.
    pub ctas: Bits<32>,
    /// Prerequisites of the grid: a mask of grid slots.
    pub prerequisites: Bits<G>,
    /// 1 = CTAs of the grid may be launched once all CTAs of its prerequisites have sent LaunchedDependents, 0 = once the prerequisites
    /// have completed.
    pub early: Bit,
}

/// A request of the host has taken effect, or was refused. The strobes `opened` and `closed` of `grid_hub`.
#[payload]
pub struct GridAnswer<KG> {
    /// Grid slot.
    pub grid: Bits<KG>,
    /// 1 = refused.
    pub refused: Bit,
}
