// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What travels on the channels and strobes of `grid` and `grid_hub`: the port tables of `docs/grids.md`.

use crate::payload::payload;
use crate::ports::PortValue;
use crate::unit::channels::InGrid;
use crate::unit::op::{port_enum, FaultCode};
use rust_hdl::prelude::*;

port_enum! {
    /// What an operation on a grid does.
    pub enum GridKind {
        /// The CTA has issued launch_dependents.
        Launch,
        /// The warp waits for the prerequisites of its grid.
        Wait,
    }
}

port_enum! {
    /// What a multiprocessor tells the hub of a CTA of a grid.
    pub enum GridMessageKind {
        /// It has issued launch_dependents, or never will.
        Issued,
        /// It has ended.
        Ended,
    }
}

port_enum! {
    /// What the hub tells the multiprocessors of a grid.
    pub enum GridHubKind {
        /// It is there: its CTAs may come.
        Opened,
        /// Its prerequisites have completed.
        Ready,
    }
}

/// A CTA comes into its slot.
#[payload]
pub struct GridLaunch<LC, KG> {
    /// CTA slot.
    pub cta: Bits<LC>,
    pub in_grid: InGrid<KG>,
}

/// An operation on the warp's grid.
#[payload]
pub struct GridOp<LW, LC> {
    /// What it does.
    pub kind: GridKind,
    /// What is wrong with it; none = carry it out.
    pub fault: FaultCode,
    /// Warp.
    pub warp: Bits<LW>,
    /// CTA slot.
    pub cta: Bits<LC>,
}

/// From a multiprocessor to the hub.
#[payload]
pub struct GridMessage<KG> {
    /// What it tells.
    pub kind: GridMessageKind,
    /// Grid slot.
    pub grid: Bits<KG>,
}

/// From the hub to all multiprocessors.
#[payload]
pub struct GridHubMessage<KG> {
    /// What it tells.
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
    /// CTAs of the grid, at least 1.
    pub ctas: Bits<32>,
    /// Grids it depends on.
    pub prerequisites: Bits<G>,
    /// 1 = it may be launched when all CTAs of these have issued.
    pub early: Bit,
}

/// A request of the host has had its effect, or was refused.
#[payload]
pub struct GridAnswer<KG> {
    /// Grid slot.
    pub grid: Bits<KG>,
    /// 1 = refused.
    pub refused: Bit,
}
