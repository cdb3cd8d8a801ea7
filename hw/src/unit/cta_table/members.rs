// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of the launch or the retirement, collected during the walk, and their counts.
//!
//! *Reads:* the warp that was read, and whether it belongs to the CTA that retires. *Writes:* the warps of the CTA; the warps that
//! become live or end; the warp counts of the launch that began last. *Latency:* 1. Implements `op_mask` and `size_*` of
//! `docs/contract/cta_table.md`.

use super::walk::Read;
use crate::prelude::*;

/// `W` warps, `CW` bits hold 0..`W`.
#[block]
pub struct Members<W, CW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A launch begins; the number of barriers that it declares.
    pub launch: StrobeIn<Bits<6>>,
    /// The warp that was read.
    pub read: Signal<In, Read>,
    /// That warp belongs to the CTA that retires.
    pub resident: Signal<In, Bit>,
    /// Warps of the launch or the retirement.
    pub warps: Signal<Out, Bits<W>>,
    /// The warps among them that become live by the launch, or end by the retirement.
    pub turned: Signal<Out, Bits<W>>,
    /// Of the launch that began last: number of its warps so far.
    pub size_warps: Signal<Out, Bits<CW>>,
    /// Of the launch that began last: number of its warps that have not exited, so far.
    pub size_live: Signal<Out, Bits<CW>>,
    /// Of the launch that began last: barriers declared.
    pub size_barriers: Signal<Out, Bits<6>>,
    mask: DFF<Bits<W>>,
    changed: DFF<Bits<W>>,
    #[reset]
    total: DFF<Bits<CW>>,
    #[reset]
    living: DFF<Bits<CW>>,
    #[reset]
    barriers: DFF<Bits<6>>,
    /// The warp that was read is one of the launch or the retirement.
    enters: Signal<Local, Bit>,
    /// That warp becomes live or ends.
    changes: Signal<Local, Bit>,
}

#[block]
impl Logic for Members<W, CW> {
    fn update(&mut self) {
        self.enters.next = self.read.val().in_launch;
        self.changes.next = self.read.val().begins;
        if self.read.val().ended {
            self.enters.next = self.resident.val();
            self.changes.next = self.resident.val();
        }
        if self.read.val().ended | self.read.val().claimed {
            for n in W..(W + 1) {
                self.mask.d.next = (self.mask.q.val() >> 1).replace_bit(n - 1, self.enters.val());
                self.changed.d.next = (self.changed.q.val() >> 1).replace_bit(n - 1, self.changes.val());
            }
        }
        if self.launch.valid.val() {
            self.total.d.next = 0.into();
            self.living.d.next = 0.into();
            self.barriers.d.next = self.launch.payload.val();
        }
        if self.read.val().claimed {
            self.total.d.next = self.total.q.val() + self.read.val().in_launch;
            self.living.d.next = self.living.q.val() + self.read.val().begins;
        }
        self.warps.next = self.mask.q.val();
        self.turned.next = self.changed.q.val();
        self.size_warps.next = self.total.q.val();
        self.size_live.next = self.living.q.val();
        self.size_barriers.next = self.barriers.q.val();
    }
}
