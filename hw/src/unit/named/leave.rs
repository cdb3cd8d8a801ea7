// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What leaves the pipeline as a strobe: releases, and barriers that can never complete.
//!
//! *Reads:* of the operation in its last cycle whether it completes a barrier, who waits there, with which result; whether it opens a second
//! barrier without a count. *Writes:* the release and tangle strobes. *Latency:* 1. Implements "restarted without delay" of spec 000 and the
//! result of BAR.RED in spec 001.

use crate::unit::op::Reduction;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W` warps, slots of `LC` bits, results of `AW` bits.
#[block]
pub struct Leave<W, LC, AW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub complete: Signal<In, Bit>,
    /// Who goes on if something completes.
    pub waiting: Signal<In, Bits<W>>,
    pub cta: Signal<In, Bits<LC>>,
    pub id: Signal<In, Bits<4>>,
    pub done: Signal<In, Bits<2>>,
    pub done_value: Signal<In, Bits<AW>>,
    pub tangles: Signal<In, Bit>,
    pub release_valid: Signal<Out, Bit>,
    pub release_cta: Signal<Out, Bits<LC>>,
    pub release_id: Signal<Out, Bits<4>>,
    pub release_warps: Signal<Out, Bits<W>>,
    pub release_reduction: Signal<Out, Reduction>,
    pub release_value: Signal<Out, Bits<12>>,
    pub tangle_valid: Signal<Out, Bit>,
    pub tangle_cta: Signal<Out, Bits<LC>>,
    strobe: DFF<Bit>,
    strobe_cta: DFF<Bits<LC>>,
    strobe_id: DFF<Bits<4>>,
    strobe_warps: DFF<Bits<W>>,
    strobe_done: DFF<Bits<2>>,
    strobe_value: DFF<Bits<AW>>,
    knot: DFF<Bit>,
    knot_cta: DFF<Bits<LC>>,
    comes: Signal<Local, Bits<LC>>,
    stays: Signal<Local, Bits<LC>>,
}

#[block]
impl Logic for Leave<W, LC, AW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.strobe.d.next = self.complete.val();
        self.strobe_warps.d.next = 0.into();
        if self.complete.val() {
            self.strobe_warps.d.next = self.waiting.val();
            self.strobe_cta.d.next = self.cta.val();
            self.strobe_id.d.next = self.id.val();
            self.strobe_done.d.next = self.done.val();
            self.strobe_value.d.next = self.done_value.val();
        }
        self.knot.d.next = self.tangles.val();
        // Written as gates, since as an enable it would come later.
        self.comes.next = 0.into();
        self.stays.next = self.knot_cta.q.val();
        if self.tangles.val() {
            self.comes.next = self.cta.val();
            self.stays.next = 0.into();
        }
        self.knot_cta.d.next = self.comes.val() | self.stays.val();

        if self.reset.val() {
            self.strobe.d.next = false;
            self.strobe_cta.d.next = 0.into();
            self.strobe_id.d.next = 0.into();
            self.strobe_warps.d.next = 0.into();
            self.strobe_done.d.next = 0.into();
            self.strobe_value.d.next = 0.into();
            self.knot.d.next = false;
            self.knot_cta.d.next = 0.into();
        }
        self.release_valid.next = self.strobe.q.val();
        self.release_cta.next = self.strobe_cta.q.val();
        self.release_id.next = self.strobe_id.q.val();
        self.release_warps.next = self.strobe_warps.q.val();
        self.release_reduction.next = Reduction::None;
        if self.strobe_done.q.val() == 1 {
            self.release_reduction.next = Reduction::And;
        }
        if self.strobe_done.q.val() == 2 {
            self.release_reduction.next = Reduction::Or;
        }
        if self.strobe_done.q.val() == 3 {
            self.release_reduction.next = Reduction::Popc;
        }
        self.release_value.next = bit_cast::<12, AW>(self.strobe_value.q.val());
        self.tangle_valid.next = self.knot.q.val();
        self.tangle_cta.next = self.knot_cta.q.val();
    }
}
