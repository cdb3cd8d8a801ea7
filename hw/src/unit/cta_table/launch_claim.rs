// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decides which warp slots a launch claims or gives up in each step of the walk, and whether the launch is refused or deferred.
//!
//! The walk claims the warp slots that the launch names, up to the first named warp slot that is not free. A retirement does not
//! clear warp slots: a warp slot belongs to the CTA slot of its last CTA until a launch claims it or gives it up. So the walk also
//! gives up the warp slots that belong to the launch's CTA slot and that the launch does not name.
//!
//! *Reads:* the warp that was read; which CTA slots are occupied or belong to a leaving CTA; when a launch begins and when it is offered;
//! whether a CTA is flushed. *Writes:* whether the warp slot that was read changes; whether the launch is refused, is deferred, or waits
//! for a flush. *Latency:* 0 for the warp slot, 1 for the other outputs. Implements `slot_occupied` and the claim of the warp slots in
//! *Launch* of `docs/contract/cta_table.md`.

use super::payloads::ReadWarp;
use crate::prelude::*;

/// `S` CTA slots with numbers of `LC` bits.
#[block]
pub struct LaunchClaim<LC, S> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// No launch and no retirement is in progress, and no operation is offered.
    pub is_idle: Signal<In, Bit>,
    /// A launch begins.
    pub begins: Signal<In, Bit>,
    /// The Launch is to be offered.
    pub offers: Signal<In, Bit>,
    /// The CTA slot of the launch.
    pub launch_cta: Signal<In, Bits<LC>>,
    /// The CTA slot of the retirement that is offered or in progress; without a retirement, the CTA slot of the launch.
    pub active_cta: Signal<In, Bits<LC>>,
    /// The state of the warp that was read.
    pub read_warp: Signal<In, ReadWarp>,
    /// The CTA slot of the warp that was read.
    pub read_cta: Signal<In, Bits<LC>>,
    /// The warp that was read belongs to the CTA slot of the launch.
    pub same_cta: Signal<In, Bit>,
    /// CTA slots with a resident CTA.
    pub occupied: Signal<In, Bits<S>>,
    /// CTA slots whose departed CTA still has state in a unit.
    pub leaving: Signal<In, Bits<S>>,
    /// A departed CTA is flushed: no unit holds any state of that CTA any more.
    pub flushed: Signal<In, Bit>,
    /// The warp slot that was read is claimed or given up.
    pub slot_changes: Signal<Out, Bit>,
    /// The launch is refused: its CTA slot is occupied or not built, or one of its warp slots is occupied.
    pub is_refused: Signal<Out, Bit>,
    /// The CTA slot of the launch, or one of its warp slots, belongs to a CTA that is leaving.
    pub is_deferred: Signal<Out, Bit>,
    /// The launch was deferred, and no CTA was flushed since the launch began: it must not begin again yet.
    pub awaits_flush: Signal<Out, Bit>,
    is_refused_q: DFF<Bit>,
    #[reset]
    is_deferred_q: DFF<Bit>,
    /// No CTA was flushed since the launch began.
    #[reset]
    no_flush: DFF<Bit>,
    /// The warp slot that was read belongs to a resident CTA.
    is_occupied: Signal<Local, Bit>,
    /// The warp slot that was read belongs to a leaving CTA.
    is_leaving: Signal<Local, Bit>,
    /// The warp was read for the launch, and the launch has found no occupied and no leaving slot so far.
    may_claim: Signal<Local, Bit>,
    /// CTA slots that are built.
    #[init(Constant::new(((1u64 << config.cta_slots) - 1).into()))]
    built_slots: Constant<Bits<S>>,
}

#[block]
impl Logic for LaunchClaim {
    fn update(&mut self) {
        let read_warp = self.read_warp.val();

        // A deferred launch begins again only after a flush.
        if self.flushed.val() {
            self.no_flush.d.next = false;
        }
        if self.begins.val() {
            self.no_flush.d.next = !self.flushed.val();
            self.is_deferred_q.d.next = self.leaving.val().at(self.launch_cta.val());
        }
        if self.is_idle.val() {
            self.is_refused_q.d.next =
                self.occupied.val().at(self.active_cta.val()) | !self.built_slots.val().at(self.active_cta.val());
        }

        // The walk: a warp slot that the launch names is claimed if it is free; any other warp slot of the launch's CTA slot is
        // given up.
        self.is_occupied.next = read_warp.used & self.occupied.val().at(self.read_cta.val());
        self.is_leaving.next = read_warp.used & self.leaving.val().at(self.read_cta.val());
        self.may_claim.next = read_warp.of_launch & !self.is_refused_q.q.val() & !self.is_deferred_q.q.val();
        self.slot_changes.next = self.may_claim.val() & self.same_cta.val();
        if read_warp.in_launch {
            self.slot_changes.next = self.may_claim.val() & !(self.is_occupied.val() | self.is_leaving.val());
        }
        if read_warp.of_launch {
            self.is_refused_q.d.next = self.is_refused_q.q.val() | (read_warp.in_launch & self.is_occupied.val());
            self.is_deferred_q.d.next = self.is_deferred_q.q.val() | (read_warp.in_launch & self.is_leaving.val());
        }
        if self.offers.val() {
            self.is_deferred_q.d.next = false;
        }

        self.is_refused.next = self.is_refused_q.q.val();
        self.is_deferred.next = self.is_deferred_q.q.val();
        self.awaits_flush.next = self.is_deferred_q.q.val() & self.no_flush.q.val();
    }
}
