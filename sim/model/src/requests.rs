// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The requests of the host to `cta_table` (`docs/contract/cta_table.md`).

use super::wire::{Fields, PortAction, Walk};

/// The payload of the launch channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Launch {
    /// CTA slot.
    pub cta: u8,
    /// The warp slots of the CTA, one bit each.
    pub warps: u64,
    /// The warp slots in `warps` whose warps have already exited.
    pub exited: u64,
    /// The live lanes of the CTA's last warp.
    pub lanes: u64,
    /// The number of declared barriers.
    pub barriers: u8,
    /// The cluster slot.
    pub cluster: u16,
    /// The rank of the CTA in its cluster.
    pub rank: u8,
    /// The number of CTAs in the cluster.
    pub size: u8,
    /// Whether the CTA belongs to a grid.
    pub has_grid: bool,
    /// The grid of the CTA; meaningless if `has_grid` is false.
    pub grid: u8,
}

impl Launch {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        let (warps, lanes) = (at.sizes().warps(), at.sizes().lanes());
        at.cta(&mut self.cta);
        at.field("warps", &mut self.warps, warps);
        at.field("exited", &mut self.exited, warps);
        at.field("lanes", &mut self.lanes, lanes);
        at.field("barriers", &mut self.barriers, 6);
        at.field("cluster", &mut self.cluster, at.sizes().cluster_bits());
        at.field("rank", &mut self.rank, 4);
        at.field("size", &mut self.size, 5);
        at.field("has_grid", &mut self.has_grid, 1);
        at.field("grid", &mut self.grid, at.sizes().grid_bits());
    }
}

/// The payload of the retire channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Retire {
    /// CTA slot.
    pub cta: u8,
    /// The CTA is saved, so open barriers are no fault.
    pub saved: bool,
}

impl Retire {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.cta(&mut self.cta);
        at.field("saved", &mut self.saved, 1);
    }
}

/// The payload of the exit channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exit {
    pub warp: u8,
    /// The lanes of the warp that exit; one bit per lane.
    pub lanes: u64,
}

impl Exit {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        at.warp(&mut self.warp);
        at.field("lanes", &mut self.lanes, at.sizes().lanes());
    }
}

/// The offers of the host on the three channels; `None` means that `valid` is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Requests {
    pub launch: Option<Launch>,
    pub retire: Option<Retire>,
    pub exit: Option<Exit>,
}

impl Requests {
    /// Visits the channels; `ready` holds the `ready` outputs.
    pub fn ports(&mut self, ready: &mut Ready, at: &mut Walk<impl PortAction>) {
        at.channel_in("launch", &mut self.launch, &mut ready.launch, Launch::fields);
        at.channel_in("retire", &mut self.retire, &mut ready.retire, Retire::fields);
        at.channel_in("exit", &mut self.exit, &mut ready.exit, Exit::fields);
    }
}

/// The `ready` of the three channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    pub launch: bool,
    pub retire: bool,
    pub exit: bool,
}
