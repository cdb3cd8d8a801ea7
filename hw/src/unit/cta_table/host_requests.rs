// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executes launches and retirements, one at a time, and keeps the state of the CTA slots.
//!
//! *Reads:* the channels `launch` and `retire`; the progress of the walk, the state of the warp that was read, and the mask of warps
//! that the walk has collected; whether an operation can be offered; operations and copies that may still be in flight. *Writes:* the
//! start of the walk, and whether the walk is for a launch or a retirement; the Launch and the Release as operations; when warps become
//! live or end, and the warp slot that a launch claims or gives up. *Latency:* W + 2 from `launch`, W + 4 from `retire` to the
//! operation. Implements *One at a time* of `docs/contract/cta_table.md`.

use super::launch_claim::LaunchClaim;
use super::launch_sequencer::LaunchSequencer;
use super::payloads::{LaunchOp, ReadWarp, ReleaseOp};
use super::retire_sequencer::RetireSequencer;
use super::slots::Slots;
use crate::prelude::*;

/// The fields of a launch that do not concern its warps.
#[payload]
pub struct LaunchRequest<LC, L> {
    pub cta: Bits<LC>,
    /// The live lanes of the last warp.
    pub lanes: Bits<L>,
    /// Number of CTAs in the launched CTA's cluster; 1 for a CTA without a cluster.
    pub cluster_size: Bits<5>,
    /// The CTA belongs to a grid.
    pub has_grid: Bit,
}

/// `W` warps of `L` lanes, `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct HostRequests<W, LC, S, L> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The launch that the host requests; it is transferred when the launch is done.
    pub launch: Sink<LaunchRequest<LC, L>>,
    /// The retirement that the host requests; it is transferred when the retirement is done.
    pub retire: Sink<Retire<LC>>,
    /// The walk reads the last warp.
    pub at_last_warp: Signal<In, Bit>,
    /// The state of the warp that was read in the cycle before.
    pub read_warp: Signal<In, ReadWarp>,
    /// The CTA slot of the warp that was read.
    pub read_cta: Signal<In, Bits<LC>>,
    /// Warps of the launch or the retirement, collected by the walk.
    pub warps: Signal<In, Bits<W>>,
    /// The last lanes of a warp have exited. In such a cycle no launch or retirement changes which warps are live.
    pub warp_exited: Signal<In, Bit>,
    /// Warps with an operation that has not taken effect yet.
    pub in_flight: Signal<In, Bits<W>>,
    /// CTA slots with an asynchronous copy outstanding.
    pub copying: Signal<In, Bits<S>>,
    /// CTA slots with an open barrier, or with a notification that no warp has taken.
    pub open: Signal<In, Bits<S>>,
    /// Rows of barriers are being cleared.
    pub clearing: Signal<In, Bit>,
    /// A Launch is in transit to `named` or `gateway`; until it arrives, no other launch begins.
    pub launching: Signal<In, Bit>,
    /// A departed CTA is flushed: no unit holds any state of the CTA any more. The payload is its CTA slot, which is free now.
    pub flushed: StrobeIn<RetiredCta<LC>>,
    /// A Launch or a Release may be offered: the operation register is free, and there is no
    /// exit. An exit has precedence.
    pub accepts_op: Signal<In, Bit>,
    /// An operation is offered to `gather`.
    pub op_offered: Signal<In, Bit>,
    /// The walk over the warps is for a retirement.
    pub retire_walks: Signal<Out, Bit>,
    /// The walk over the warps is for a launch.
    pub launch_walks: Signal<Out, Bit>,
    /// A retirement begins.
    pub retire_begins: Signal<Out, Bit>,
    /// A launch begins.
    pub launch_begins: Signal<Out, Bit>,
    /// The warp that was read belongs to the CTA that retires.
    pub is_resident: Signal<Out, Bit>,
    /// The warp slot that was read is claimed by the launch, or is given up: it belonged to the previous CTA in the launch's CTA
    /// slot.
    pub slot_changes: Signal<Out, Bit>,
    /// The warps of the CTA that retires end in this cycle.
    pub warps_end: Signal<Out, Bit>,
    /// A Launch without a fault is to be offered: its warps become live.
    pub launch_accepted: Signal<Out, Bit>,
    /// A Launch is to be offered.
    pub launch_op: StrobeOut<LaunchOp<LC, L>>,
    /// A Release is to be offered.
    pub release_op: StrobeOut<ReleaseOp<LC>>,
    /// For the latest Release offered without a fault: the open barriers of its CTA were saved.
    pub saved: Signal<Out, Bit>,
    retire_sequencer: RetireSequencer<W, LC, S>,
    launch_sequencer: LaunchSequencer,
    #[init(LaunchClaim::new(config))]
    launch_claim: LaunchClaim<LC, S>,
    #[init(Slots::new(config))]
    slots: Slots<LC, S>,
    /// No launch and no retirement is in progress, and no operation is offered.
    is_idle: Signal<Local, Bit>,
    /// The CTA slot of the retirement that is offered or in progress; without a retirement, the CTA slot of the launch.
    active_cta: Signal<Local, Bits<LC>>,
    /// The warp that was read belongs to the CTA slot `active_cta`.
    same_cta: Signal<Local, Bit>,
    /// The launched CTA belongs to a cluster or a grid.
    is_bound: Signal<Local, Bit>,
    #[init(Constant::new(config.has_clusters()))]
    has_clusters: Constant<Bit>,
    #[init(Constant::new(config.has_grids()))]
    has_grids: Constant<Bit>,
}

#[block]
impl Logic for HostRequests {
    fn update(&mut self) {
        let launch = self.launch.payload.val();
        // One launch or retirement is in progress at a time; a retirement has precedence.
        self.is_idle.next =
            !(self.retire_sequencer.in_progress.val() | self.launch_sequencer.in_progress.val() | self.op_offered.val());
        self.active_cta.next = launch.cta;
        if self.retire.valid.val() & !self.launch_sequencer.is_pending.val() {
            self.active_cta.next = self.retire.payload.val().cta;
        }
        self.same_cta.next = self.read_warp.val().used & (self.read_cta.val() == self.active_cta.val());

        // The retirement.
        Channel::join(&mut self.retire, &mut self.retire_sequencer.retire);
        self.retire_sequencer.is_idle.next = self.is_idle.val();
        self.retire_sequencer.active_cta.next = self.active_cta.val();
        self.retire_sequencer.occupied.next = self.slots.occupied.val();
        self.retire_sequencer.unsavable.next = self.slots.bound.val() | self.open.val();
        self.retire_sequencer.at_last_warp.next = self.at_last_warp.val();
        self.retire_sequencer.of_retire.next = self.read_warp.val().of_retire;
        self.retire_sequencer.warp_exited.next = self.warp_exited.val();
        self.retire_sequencer.warps.next = self.warps.val();
        self.retire_sequencer.in_flight.next = self.in_flight.val();
        self.retire_sequencer.copying.next = self.copying.val();
        self.retire_sequencer.clearing.next = self.clearing.val();
        self.retire_sequencer.accepts_op.next = self.accepts_op.val();
        self.retire_walks.next = self.retire_sequencer.walks.val();
        self.retire_begins.next = self.retire_sequencer.begins.val();
        self.is_resident.next = self.same_cta.val() & self.retire_sequencer.was_resident.val();
        self.warps_end.next = self.retire_sequencer.warps_end.val();
        self.saved.next = self.retire_sequencer.saved.val();
        Strobe::join(&mut self.retire_sequencer.release_op, &mut self.release_op);

        // The launch.
        self.launch_sequencer.launch.next = self.launch.valid.val();
        self.launch_sequencer.retire.next = self.retire.valid.val();
        self.launch_sequencer.is_idle.next = self.is_idle.val();
        self.launch_sequencer.launching.next = self.launching.val();
        self.launch_sequencer.awaits_flush.next = self.launch_claim.awaits_flush.val();
        self.launch_sequencer.is_refused.next = self.launch_claim.is_refused.val();
        self.launch_sequencer.is_deferred.next = self.launch_claim.is_deferred.val();
        self.launch_sequencer.at_last_warp.next = self.at_last_warp.val();
        self.launch_sequencer.of_launch.next = self.read_warp.val().of_launch;
        self.launch_sequencer.warp_exited.next = self.warp_exited.val();
        self.launch_sequencer.clearing.next = self.clearing.val();
        self.launch_sequencer.accepts_op.next = self.accepts_op.val();
        self.launch.ready.next = self.launch_sequencer.ready.val();
        self.launch_walks.next = self.launch_sequencer.walks.val();
        self.launch_begins.next = self.launch_sequencer.begins.val();
        self.launch_accepted.next = self.launch_sequencer.is_accepted.val();
        self.launch_op.valid.next = self.launch_sequencer.offers.val();
        self.launch_op.payload.next.cta = launch.cta;
        self.launch_op.payload.next.lanes = launch.lanes;
        self.launch_op.payload.next.fault = FaultCode::None;
        if self.launch_claim.is_refused.val() {
            self.launch_op.payload.next.fault = FaultCode::SlotOccupied;
        }

        // The slots that the launch claims.
        self.launch_claim.is_idle.next = self.is_idle.val();
        self.launch_claim.begins.next = self.launch_sequencer.begins.val();
        self.launch_claim.offers.next = self.launch_sequencer.offers.val();
        self.launch_claim.launch_cta.next = launch.cta;
        self.launch_claim.active_cta.next = self.active_cta.val();
        self.launch_claim.read_warp.next = self.read_warp.val();
        self.launch_claim.read_cta.next = self.read_cta.val();
        self.launch_claim.same_cta.next = self.same_cta.val();
        self.launch_claim.occupied.next = self.slots.occupied.val();
        self.launch_claim.leaving.next = self.slots.leaving.val();
        self.launch_claim.flushed.next = self.flushed.valid.val();
        self.slot_changes.next = self.launch_claim.slot_changes.val();

        // The CTA slots.
        Strobe::join(&mut self.flushed, &mut self.slots.flushed);
        Strobe::join(&mut self.retire_sequencer.departure, &mut self.slots.departure);
        self.is_bound.next = (self.has_grids.val() & launch.has_grid) | (self.has_clusters.val() & (launch.cluster_size > 1));
        self.slots.launch.valid.next = self.launch_sequencer.is_accepted.val();
        self.slots.launch.payload.next = launch.cta;
        self.slots.is_bound.next = self.is_bound.val();
    }
}
