// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What becomes of an operation that may be the oldest one in the next cycle.
//!
//! *Reads:* the operation; who has accesses outstanding and for whom something is parked, both in the next cycle. *Writes:* whether it
//! passes or may be parked. *Latency:* 0, no state. Implements "may pass" and "may park" of `docs/interface.md`, section `order`.

use super::class::Class;
use super::parked::Places;
use crate::payload::payload;
use crate::unit::channels::WarpOp;
use bcu_derive::block;
use rust_hdl::prelude::*;

/// What becomes of the oldest operation.
#[payload]
pub struct Fate {
    pub passes: Bit,
    /// It does not pass, and a place is free.
    pub may_park: Bit,
}

/// Sizes as in [`WarpOp`].
#[block]
pub struct Outlook<W, LW, CW, LC, VW> {
    pub op: Signal<In, WarpOp<W, LW, CW, LC, VW>>,
    /// Warps with an access outstanding.
    pub busy: Signal<In, Bits<W>>,
    pub places: Signal<In, Places<W>>,
    pub fate: Signal<Out, Fate>,
    class: Class<LC>,
}

#[block]
impl Logic for Outlook<W, LW, CW, LC, VW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.class.request.next = self.op.val().request;
        self.fate.next.passes = self.class.through.val()
            | (!self.places.val().first.get_bit(self.op.val().warp.index())
                & !(self.class.arrival.val() & self.busy.val().get_bit(self.op.val().warp.index())));
        self.fate.next.may_park = !self.fate.val().passes & !self.places.val().second.get_bit(self.op.val().warp.index());
    }
}
