// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves the pipeline when a barrier completes: the release strobe.
//!
//! *Reads:* of the operation in its last cycle whether it completes a barrier, and with which result; who waits there. *Writes:* the release
//! strobe. *Latency:* 1. Implements "restarted without delay" of spec 000 and the result of BAR.RED in spec 001.

use super::effect::Deed;
use super::masks::Warps;
use crate::prim::channel::StrobeOut;
use crate::unit::channels::Release;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W` warps of `LW` bits, counted in `CW` bits, slots of `LC` bits, results of `AW` bits.
#[block]
pub struct Leave<W, LW, CW, LC, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub deed: Signal<In, Deed<LW, CW, LC, AW>>,
    pub warps: Signal<In, Warps<W>>,
    pub release: StrobeOut<Release<W, LC>>,
    strobe: DFF<Bit>,
    kept: DFF<Release<W, LC>>,
    nothing: Constant<Release<W, LC>>,
}

#[block]
impl Logic for Leave<W, LW, CW, LC, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.strobe.d.next = self.deed.val().complete;
        self.kept.d.next.warps = 0.into();
        if self.deed.val().complete {
            self.kept.d.next.cta = self.deed.val().op.cta;
            self.kept.d.next.id = self.deed.val().op.row_id;
            self.kept.d.next.warps = self.warps.val().waiting;
            self.kept.d.next.reduction = self.deed.val().row.reduction;
            self.kept.d.next.value = bit_cast::<12, AW>(self.deed.val().value);
        }
        if self.reset.val() {
            self.strobe.d.next = false;
            self.kept.d.next = self.nothing.val();
        }
        self.release.valid.next = self.strobe.q.val();
        self.release.payload.next = self.kept.q.val();
    }
}
