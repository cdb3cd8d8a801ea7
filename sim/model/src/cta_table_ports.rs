// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ports of `cta_table`, with their payloads (`docs/contract/cta_table.md`).

use super::deadlock_detector::Seen;
use super::mbarrier_ports::Launch as Launched;
use super::op::Operation;
use super::requests::{Ready, Requests};
use super::warp_cta::WarpCta;
use super::wire::{Fields, PortAction, Walk};

/// The payload of the operation channel from `cta_table` to `gather`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    pub op: Operation,
    /// Exit: the lanes; Launch: the live lanes of the last warp.
    pub lanes: u64,
}

impl Request {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        self.op.kind_and_fault(at);
        at.warp(&mut self.op.warp);
        at.cta(&mut self.op.cta);
        self.op.mask(at);
        at.field("lanes", &mut self.lanes, at.sizes().lanes());
    }
}

/// The counts of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CtaSizes {
    /// The number of warps of the launch.
    pub warps: u8,
    /// The number of warps of the launch that have not exited.
    pub live: u8,
    /// The number of declared barriers.
    pub barriers: u8,
}

impl CtaSizes {
    pub fn ports(&mut self, at: &mut Walk<impl PortAction>) {
        let bits = at.sizes().count_bits();
        at.output("size_warps", &mut self.warps, bits);
        at.output("size_live", &mut self.live, bits);
        at.output("size_barriers", &mut self.barriers, 6);
    }
}

/// The payload of the strobe for a launched CTA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewCta {
    pub placement: Launched,
    /// Whether the CTA belongs to a grid.
    pub has_grid: bool,
    /// The grid of the CTA; meaningless if `has_grid` is false.
    pub grid: u8,
    /// The live warps of the CTA, one bit per warp.
    pub warps: u64,
}

impl NewCta {
    pub fn fields(&mut self, at: &mut Fields<impl PortAction>) {
        self.placement.fields(at);
        at.field("has_grid", &mut self.has_grid, 1);
        at.field("grid", &mut self.grid, at.sizes().grid_bits());
        at.field("warps", &mut self.warps, at.sizes().warps());
    }
}

/// Input ports of `cta_table`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CtaTableIn {
    pub reset: bool,
    pub requests: Requests,
    pub blocked: u64,
    /// Warps with an operation of `decode` in flight; one bit per warp.
    pub in_decode: u64,
    pub clearing: bool,
    /// A Launch is in flight between `cta_table` and `named`.
    pub launching: bool,
    /// The warp whose last lanes have exited.
    pub warp_exited: Option<u8>,
    /// Warps with an operation that has not had its effects; one bit per warp.
    pub in_flight: u64,
    /// CTA slots with an asynchronous copy outstanding; one bit per CTA slot.
    pub copying: u64,
    /// CTA slots with a barrier of the gateway in use; one bit per CTA slot.
    pub open: u64,
    /// The CTA slot that is freed: no unit holds state of its last CTA any more.
    pub flushed: Option<u8>,
    pub op_ready: bool,
}

/// Output ports of `cta_table`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CtaTableOut {
    pub ready: Ready,
    pub op_valid: bool,
    pub request: Request,
    /// The counts of the launch that began last, over the warps checked so far.
    pub sizes: CtaSizes,
    /// Whether the CTA of the last offered Release without a fault is saved.
    pub saved: bool,
    /// Strobe for a launched CTA, with its CTA slot.
    pub launched_valid: bool,
    pub launched: NewCta,
    /// Strobe for a retired CTA, with its CTA slot.
    pub retired_valid: bool,
    pub retired_cta: u8,
    pub live: u64,
    /// Warps with an exit that is accepted and not yet transferred to `gather`; one bit per warp.
    pub exits: u64,
    pub warp_cta: WarpCta,
    pub seen_valid: bool,
    pub seen: Seen,
}

impl CtaTableOut {
    /// Visits the strobes for a CTA that was launched or retired.
    pub fn strobes(&mut self, at: &mut Walk<impl PortAction>) {
        at.strobe_out("launched", &mut self.launched_valid, &mut self.launched, NewCta::fields);
        at.strobe_out("retired", &mut self.retired_valid, &mut self.retired_cta, |cta, at| at.cta(cta));
    }
}
