// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The warps of an operation as one bit per warp, in each of its stages.
//!
//! *Reads:* the warp of the operation that enters, or all that a release names. *Writes:* its warps one cycle inside (`inside`), of an
//! arrival that waits also as `coming`, and in the cycle of its effects (`acting`). *Latency:* 1 and 2. Implements no clause: a number is
//! decoded once instead of wherever its bit is needed.

use bcu_derive::block;
use rust_hdl::prelude::*;

/// `W = 2^LW` warps.
#[block]
pub struct Marks<W, LW> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub warp: Signal<In, Bits<LW>>,
    pub releases: Signal<In, Bit>,
    pub mask: Signal<In, Bits<W>>,
    /// What enters waits at a barrier.
    pub waits: Signal<In, Bit>,
    /// What is inside stays there for another cycle.
    pub beat: Signal<In, Bit>,
    pub inside: Signal<Out, Bits<W>>,
    pub coming: Signal<Out, Bits<W>>,
    /// After a reset all warps.
    pub acting: Signal<Out, Bits<W>>,
    reg_inside: DFF<Bits<W>>,
    reg_coming: DFF<Bits<W>>,
    reg_acting: DFF<Bits<W>>,
    one: Signal<Local, Bits<W>>,
    #[init(Constant::new(!Bits::<W>::default()))]
    every: Constant<Bits<W>>,
}

#[block]
impl Logic for Marks<W, LW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.one.next = 0.into();
        self.one.next = self.one.val().replace_bit(self.warp.val().index(), true);
        if self.releases.val() {
            self.one.next = self.mask.val();
        }
        if !self.beat.val() {
            self.reg_inside.d.next = self.one.val();
        }
        // A release does not wait, so its mask may stand here too.
        self.reg_coming.d.next = self.one.val();
        if !self.waits.val() {
            self.reg_coming.d.next = 0.into();
        }
        self.reg_acting.d.next = self.reg_inside.q.val();
        if self.reset.val() {
            self.reg_acting.d.next = self.every.val();
        }
        self.inside.next = self.reg_inside.q.val();
        self.coming.next = self.reg_coming.q.val();
        self.acting.next = self.reg_acting.q.val();
    }
}
