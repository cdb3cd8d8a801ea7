// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects the mask of warps of the launch or the retirement during the walk, and counts the warps of a launch.
//!
//! *Reads:* the state of the warp that was read, and whether that warp belongs to the CTA that retires. *Writes:* the warps of the
//! CTA; the warps that become live or end; the warp counts of the latest launch. *Latency:* 1. Implements `op_mask` and `size_*` of
//! `docs/contract/cta_table.md`.
//!
//! The masks of warps are shift registers: each step of the walk shifts one warp in, so after all W steps bit w belongs to warp w.

use super::payloads::ReadWarp;
use crate::prelude::*;

/// `W` warps, counts of warps of `CW` bits.
#[block]
pub struct Members<W, CW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A launch begins; the payload is the number of barriers that the launch declares.
    pub launch: StrobeIn<Bits<6>>,
    /// The state of the warp that was read.
    pub read_warp: Signal<In, ReadWarp>,
    /// The warp that was read belongs to the CTA that retires.
    pub is_resident: Signal<In, Bit>,
    /// Warps of the launch or the retirement.
    pub warps: Signal<Out, Bits<W>>,
    /// Warps in `warps` that become live by the launch, or end by the retirement.
    pub changed_warps: Signal<Out, Bits<W>>,
    /// Number of warps that the latest launch names, as far as the walk has counted them.
    pub size_warps: Signal<Out, Bits<CW>>,
    /// Number of warps that the latest launch makes live, as far as the walk has counted them.
    pub size_live: Signal<Out, Bits<CW>>,
    /// Number of barriers that the latest launch declares.
    pub size_barriers: Signal<Out, Bits<6>>,
    warps_q: DFF<Bits<W>>,
    changed_warps_q: DFF<Bits<W>>,
    #[reset]
    size_warps_q: DFF<Bits<CW>>,
    #[reset]
    size_live_q: DFF<Bits<CW>>,
    #[reset]
    size_barriers_q: DFF<Bits<6>>,
    /// The warp that was read belongs to the CTA of the launch or the retirement.
    is_member: Signal<Local, Bit>,
    /// The warp that was read becomes live by the launch, or ends by the retirement.
    changes_live: Signal<Local, Bit>,
}

#[block]
impl Logic for Members {
    fn update(&mut self) {
        let read_warp = self.read_warp.val();

        // Each step of the walk shifts one warp into the masks.
        self.is_member.next = read_warp.in_launch;
        self.changes_live.next = read_warp.starts_live;
        if read_warp.of_retire {
            self.is_member.next = self.is_resident.val();
            self.changes_live.next = self.is_resident.val();
        }
        if read_warp.of_retire | read_warp.of_launch {
            for n in W..(W + 1) {
                self.warps_q.d.next = (self.warps_q.q.val() >> 1).replace_bit(n - 1, self.is_member.val());
                self.changed_warps_q.d.next = (self.changed_warps_q.q.val() >> 1).replace_bit(n - 1, self.changes_live.val());
            }
        }

        // The counts of the launch, which hold until the next launch begins.
        if self.launch.valid.val() {
            self.size_warps_q.d.next = 0.into();
            self.size_live_q.d.next = 0.into();
            self.size_barriers_q.d.next = self.launch.payload.val();
        }
        if read_warp.of_launch {
            self.size_warps_q.d.next = self.size_warps_q.q.val() + read_warp.in_launch;
            self.size_live_q.d.next = self.size_live_q.q.val() + read_warp.starts_live;
        }
        self.warps.next = self.warps_q.q.val();
        self.changed_warps.next = self.changed_warps_q.q.val();
        self.size_warps.next = self.size_warps_q.q.val();
        self.size_live.next = self.size_live_q.q.val();
        self.size_barriers.next = self.size_barriers_q.q.val();
    }
}
